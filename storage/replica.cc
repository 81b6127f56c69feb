// Following: the checks of a source, the records it sends, what it forgot, and promotion.
#include "storage/replica.h"

#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>

#include <rocksdb/write_batch.h>

#include "engine/out_of_memory.h"
#include "storage/database_impl.h"
#include "storage/log/log_reader.h"
#include "storage/purge/forgotten_nodes.h"

namespace plexus {

using namespace storage_internal;

namespace {

Status Forked(const std::string& what) {
  return FailedPrecondition("the source's history is not the replica's: ", what,
                            "; to take it nevertheless, follow into a new directory");
}

}  // namespace

Status replica::CheckSource(const replica::GraphLineage& replica,
                            const replica::GraphLineage& source) try {
  if (source.format > kNewestVersion)
    return Unsupported("the source writes format ", source.format,
                       ", which is newer than this program's ", kNewestVersion,
                       "; update the replica first");
  if (source.high != replica.high || source.low != replica.low)
    return FailedPrecondition("the source is another graph than the one this is a replica of");
  const std::size_t common = std::min(replica.marks.size(), source.marks.size());
  for (std::size_t i = 0; i < common; ++i)
    if (!(replica.marks[i] == source.marks[i]))
      return Forked("they have had different writers since record " +
                    std::to_string(replica.marks[i].after));
  if (replica.marks.size() > common)
    return Forked("a replica was promoted after record " +
                  std::to_string(replica.marks[common].after) +
                  ", and the source is from before that");
  if (source.marks.size() > common && source.marks[common].after < replica.sequence)
    return Forked("its writer took over after record " +
                  std::to_string(source.marks[common].after) + ", the replica has " +
                  std::to_string(replica.sequence) + " of the one before");
  if (source.sequence < replica.sequence)
    return NotFound("the source is behind the replica: it ends at record ", source.sequence,
                    ", the replica at ", replica.sequence);
  return {};
}
PLEXUS_CATCH_NO_MEMORY

Status Database::Impl::WriteOrigin(const Origin& origin) {
  PLEXUS_TRY(Check(rocks->db()->Put(WriteSynced(), rocks->meta(), kOriginKey, OriginValue(origin)),
                   rocks->path()));
  journal->SetOrigin(origin);
  return {};
}

Result<std::optional<Origin>> Database::Impl::ReadOrigin() {
  std::string value;
  const rocksdb::Status read = rocks->db()->Get(ScanOptions(), rocks->meta(), kOriginKey, &value);
  if (read.IsNotFound()) return std::nullopt;
  PLEXUS_TRY(Check(read, rocks->path() + ", meta"));
  const auto origin = ParseOrigin(value);
  if (!origin) return Corrupted(rocks->path(), ", meta: no origin");
  return origin;
}

Status Database::Impl::BeginReplica() {
  if (anchor.begun == 0) return {};
  const RocksJournal::Position at = journal->position();
  PLEXUS_TRY(WriteOrigin({anchor.begun, at.sequence, at.hash}));
  anchor.begun = 0;
  return WriteAnchor(directory, anchor, *files);
}

Result<replica::GraphLineage> Database::ReadLineage() try {
  Impl& d = *impl_;
  PLEXUS_TRY(d.Usable());
  replica::GraphLineage lineage;
  lineage.format = kNewestVersion;
  const ReaderLock open(d.renewal);
  PLEXUS_TRY(d.Usable());
  const Impl::Noted noted = d.NotedAnchor();
  lineage.high = noted.graph_id.high;
  lineage.low = noted.graph_id.low;
  lineage.source = noted.source;
  for (const AnchorMark& m : noted.marks) lineage.marks.push_back({m.high, m.low, m.after});
  lineage.generation = noted.generation;
  lineage.floor = noted.floor.sequence;
  lineage.sequence = d.journal ? d.journal->synced() : d.report.sequence;
  PLEXUS_ASSIGN(const std::optional<Origin> origin, d.ReadOrigin());
  if (origin) {
    lineage.source_generation = origin->generation;
    lineage.proof = origin->sequence;
  }
  return lineage;
}
PLEXUS_CATCH_NO_MEMORY

Result<replica::ForgottenIds> Database::Forgotten() try {
  Impl& d = *impl_;
  PLEXUS_TRY(d.Usable());
  // The generation first: the state is that one's or a later one. Not `maintenance`, and no turn: a
  // trim, a checkpoint or a write, which change no list, may hold those for long.
  replica::ForgottenIds forgotten{d.shown_generation};
  Snapshot now = d.graph->snapshot();
  // Switched just now: the rewrite keeps the writers' turn until its state is the graph's.
  if (forgotten.generation != d.NotedAnchor().generation)
    PLEXUS_TRY(d.graph->Renew([&]() -> Result<std::optional<Graph::Renewal>> {
      if (const Status usable = d.Usable(); !usable)  // the rewrite may have failed half way
        return std::unexpected(usable.error());
      forgotten.generation = d.NotedAnchor().generation;
      now = d.graph->snapshot();
      return std::nullopt;
    }));
  for (NodeId v = 0; v < now.node_count(); ++v)
    if (IsForgotten(now, v)) forgotten.nodes.push_back(v);
  ForEachForgottenString(now.state().strings,
                         [&](StringId id) { forgotten.strings.push_back(id); });
  forgotten.floor = d.NotedAnchor().floor.sequence;
  return forgotten;
}
PLEXUS_CATCH_NO_MEMORY

// Marks, then the state: the next open finishes what is marked.
Status Database::Impl::ShowWithout(const ToForget& more) {
  const std::string at = MetaValue(graph->snapshot().sequence());
  const std::size_t count =
      more.nodes.size() + static_cast<std::size_t>(std::ranges::count(more.strings, true));
  rocksdb::WriteBatch marks = ReservedBatch(count, count * (kNodeMetaKeyBytes + at.size()));
  for (const NodeId node : more.nodes)
    marks.Put(rocks->meta(), NodeMetaKey(kForgetPrefix, node), at).PermitUncheckedError();
  for (StringId id = 0; id < more.strings.size(); ++id)
    if (more.strings[id])
      marks.Put(rocks->meta(), NodeMetaKey(kBlankPrefix, id), at).PermitUncheckedError();
  PLEXUS_TRY(Check(rocks->db()->Write(WriteSynced(), &marks), rocks->path()));
  to_forget.nodes.insert(more.nodes.begin(), more.nodes.end());
  for (StringId id = 0; id < more.strings.size(); ++id)
    if (more.strings[id]) to_forget.AddString(id);
  return Hide(more);
}

Status Database::Impl::Hide(const ToForget& what) {
  return graph->Renew([&]() -> Result<std::optional<Graph::Renewal>> {
    const Snapshot now = graph->snapshot();
    ForgottenNodes forgotten(what.nodes, now);
    forgotten.TakeStrings(what.strings);
    PLEXUS_ASSIGN(GraphState state, forgotten.Without(now.state(), executor()));
    return Graph::Renewal{Snapshot(std::make_shared<const FrozenState>(std::move(state))), nullptr};
  });
}

// The new generation has no marks. It is not written where files wait that were received: these
// take the place of all.
Status Database::Impl::RewriteForgotten(Progress* progress) {
  if (to_forget.empty()) return {};
  const std::string next = GenerationPath(directory, anchor.generation + 1);
  if (files->Exists(next + "/" + kReceivedAnchorName)) return {};
  PLEXUS_TRY(RewriteWithout({}, progress, Rewrite::kToForget));
  to_forget = {};
  return {};
}

Status Database::Impl::FinishForgetting() {
  if (anchor.source.empty()) return {};
  const Snapshot now = graph->snapshot();
  PLEXUS_ASSIGN(const auto marks, ReadPurges(rocks, kForgetPrefix, now.sequence()));
  for (const auto& [node, sequence] : marks) {
    if (node >= now.node_count())
      return Corrupted(rocks->path(), ", meta: forgets node ", node, ", which is none");
    to_forget.nodes.insert(node);
  }
  PLEXUS_ASSIGN(const auto blank, ReadPurges(rocks, kBlankPrefix, now.sequence()));
  for (const auto& [id, sequence] : blank) {
    if (id >= now.state().strings.size())
      return Corrupted(rocks->path(), ", meta: forgets string ", id, ", which is none");
    to_forget.AddString(id);
  }
  if (const Status rewritten = RewriteForgotten(nullptr); rewritten || !rocks) return rewritten;
  return Hide(to_forget);  // no room for a second log, say: the next Forget tries again
}

Status Database::Follow(const Changes& changes) try {
  Impl& d = *impl_;
  PLEXUS_TRY(d.Writable());
  {
    const ReaderLock open(d.renewal);
    PLEXUS_TRY(d.Writable());
    if (d.NotedAnchor().source.empty())
      return FailedPrecondition(d.directory, ": is not a replica");
    PLEXUS_ASSIGN(const std::optional<Origin> origin, d.ReadOrigin());
    if (!origin || origin->generation != changes.generation)
      return FailedPrecondition("the changes are of another generation than the replica's");
    const Sequence last = d.graph->snapshot().sequence();
    const Sequence since = changes.next - changes.records.size();
    if (since != last)
      return FailedPrecondition("the changes follow record ", since, ", the replica ends at ",
                                last);
    // Behind the point, when a crash left the first part of a page: its rest is the point's proof.
    const bool proves =
        origin->sequence == since || (origin->sequence > since && origin->sequence == changes.next);
    const std::uint64_t hash = origin->sequence == since ? changes.since_hash : changes.next_hash;
    if (proves && hash != origin->hash)
      return Fail(ErrorCode::kConflict, "the source's history forked: its record " +
                                            std::to_string(origin->sequence) +
                                            " is not the one that the replica has taken");
    if (!proves && origin->sequence > 0)
      return FailedPrecondition("ask for the changes up to record ", origin->sequence);
    if (changes.records.empty()) return {};
    d.journal->SetOrigin({changes.generation, changes.next, changes.next_hash});
  }
  PLEXUS_TRY(graph().Replay(changes.records));
  return std::ranges::any_of(changes.records, Purges) ? Scrub() : Status();
}
PLEXUS_CATCH_NO_MEMORY

Status Database::Forget(const replica::ForgottenIds& forgotten, Progress* progress) try {
  Impl& d = *impl_;
  PLEXUS_TRY(d.Writable());
  LogScope log(d.options.graph.on_log, "forget");
  const MutexLock guard(d.maintenance);
  PLEXUS_TRY(d.Writable());
  if (d.anchor.source.empty()) return FailedPrecondition(d.directory, ": is not a replica");
  const Snapshot now = snapshot();
  Impl::ToForget more;
  for (const NodeId node : forgotten.nodes)
    if (node < now.node_count() && !IsForgotten(now, node)) more.nodes.insert(node);
  const StringTable::View& strings = now.state().strings;
  if (forgotten.floor <= now.sequence())
    for (const StringId id : forgotten.strings)
      if (id != 0 && id < strings.size() && strings[id] != StringPlaceholder(id))
        more.AddString(id);
  if (!more.empty()) PLEXUS_TRY(d.ShowWithout(more));
  PLEXUS_TRY(d.RewriteForgotten(progress));  // and of a call before that failed
  if (!d.to_forget.empty())
    return FailedPrecondition("files that were received wait to take the place of these");
  // The hash is of the new generation's log: the next page says it.
  return log.Done(d.WriteOrigin({forgotten.generation, 0, 0}));
}
PLEXUS_CATCH_NO_MEMORY

Status Database::Promote() try {
  Impl& d = *impl_;
  PLEXUS_TRY(d.Writable());
  const MutexLock guard(d.maintenance);
  PLEXUS_TRY(d.Writable());
  if (d.anchor.source.empty())
    return FailedPrecondition(d.directory, ": is not a replica, but a writer already");
  PLEXUS_TRY(d.RewriteForgotten(nullptr));  // a writer looks for no marks
  AnchorMark mark{0, 0, snapshot().sequence()};
  std::uint64_t random[2] = {};
  if (getrandom(random, sizeof random, 0) != sizeof random)
    return IoError("no random number for the history's mark");
  mark.high = random[0];
  mark.low = random[1];
  PLEXUS_TRY(d.journal->WaitDurable(mark.after));
  Anchor next = d.anchor;
  next.source.clear();
  next.marks.push_back(mark);
  PLEXUS_TRY(WriteAnchor(d.directory, next, *d.files));
  d.anchor = std::move(next);
  d.NoteAnchor();
  // It may forget words by itself from now on.
  rocksdb::WriteBatch gone = ReservedBatch(2, 64);
  for (const char* key : {kReplayedKey, kOriginKey})
    gone.Delete(d.rocks->meta(), key).PermitUncheckedError();
  return Check(d.rocks->db()->Write(WriteSynced(), &gone), d.rocks->path());
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus

// --- The anchor says which graph it is, the inode which folder.

namespace plexus::replica {

Result<GraphIdentity> IdentifyGraph(const std::string& directory) try {
  struct stat folder = {};
  if (stat(directory.c_str(), &folder) != 0) return NotFound(directory, ": does not exist");
  PLEXUS_ASSIGN(const Anchor anchor, ReadAnchor(directory, Files()));
  return GraphIdentity{anchor.graph_id.high, anchor.graph_id.low, folder.st_dev, folder.st_ino};
}
PLEXUS_CATCH_NO_MEMORY

Result<Sequence> ClosedSequence(const std::string& directory) try {
  PLEXUS_ASSIGN(const Anchor anchor, ReadAnchor(directory, Files()));
  if (!anchor.clean)
    return FailedPrecondition(directory, ": is open, or its last writer did not end");
  return anchor.sequence;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::replica
