// Soft purge: erasing the bytes of purged nodes from every file.
//
// The record of a purge carries a "scrub" mark into the meta family, in the same
// write. Scrubbing finds every payload the node ever had (its own fields, its
// vectors, the properties of edges that touch it) in the log and, below the history
// floor, in the floor's checkpoint; overwrites each with the empty value that
// means "purged"; then flushes and compacts, so that no file holds the bytes any
// more. The words of the node's text and the names of its tags are keys of index nodes. Those that
// no other node ever had are found in the same pass; when there are any, the log is rewritten
// without them (hard_purge.cc), as it chains digests. A crash leaves the marks, and the next open
// continues.
#include <algorithm>
#include <set>

#include <rocksdb/write_batch.h>

#include "engine/arrays/freed_memory.h"
#include "engine/out_of_memory.h"
#include "storage/database.h"
#include "storage/database_impl.h"
#include "storage/purge/each_arc.h"
#include "storage/purge/erase.h"
#include "storage/purge/purged_words.h"

namespace plexus {

using namespace storage_internal;

namespace {

class RefCollector {
 public:
  explicit RefCollector(const std::map<NodeId, Sequence>& nodes) : nodes_(nodes) {}

  void Add(const Record& r) {
    for (const PayloadChange& c : r.payload_changes)
      if (Hit(c.node, r.sequence)) Add(c.ref);
    for (const VectorChange& c : r.vectors)
      if (Hit(c.node, r.sequence)) Add(c.ref);
    for (const EdgeExtra& x : r.edge_extras) {
      const EdgeChange& e = r.edges[x.index];
      if (Hit(e.source, r.sequence) || Hit(e.target, r.sequence)) Add(x.properties);
    }
  }
  void Add(const GraphState& state) {
    for (const auto& [node, purge] : nodes_) {
      if (node >= state.keys.size() || state.sequence >= purge) continue;
      for (const auto& refs : state.payload_refs) Add(PayloadRef{refs[node]});
      for (const VectorView& space : state.spaces)
        if (space.has(node)) Add(space.ref(node));
    }
    ForEachPropertyOf(*state.base, [&](NodeId source, NodeId target, PayloadRef properties) {
      if (Hit(source, state.sequence) || Hit(target, state.sequence)) Add(properties);
    });
  }
  std::vector<PayloadRef> Take() {
    std::sort(refs_.begin(), refs_.end(),
              [](PayloadRef a, PayloadRef b) { return a.bits < b.bits; });
    refs_.erase(std::unique(refs_.begin(), refs_.end()), refs_.end());
    return std::move(refs_);
  }

 private:
  // What the purge's record sets, or a later one, belongs to the node's next life.
  bool Hit(NodeId node, Sequence at) const {
    const auto it = nodes_.find(node);
    return it != nodes_.end() && at < it->second;
  }
  void Add(PayloadRef ref) {
    if (ref) refs_.push_back(ref);
  }
  const std::map<NodeId, Sequence>& nodes_;
  std::vector<PayloadRef> refs_;
};

}  // namespace

Status Database::Impl::ScrubNow(Progress* progress) {
  std::map<NodeId, Sequence> nodes;
  {
    MutexLock guard(purge_mutex);
    nodes = to_scrub;
  }
  if (nodes.empty()) return {};
  PLEXUS_TRY(journal->FlushBulk());
  Sequence last_purge = 0;
  for (const auto& [node, sequence] : nodes) last_purge = std::max(last_purge, sequence);
  PLEXUS_TRY(journal->WaitDurable(last_purge));
  RefCollector collector(nodes);
  const std::map<NodeId, Sequence> ever = Purged();
  const Snapshot now = graph->snapshot();
  PurgedWords words(now, ever, floor().sequence);
  if (floor().sequence > 0) {
    LoadRequest request = Request();
    request.target = floor().sequence;
    PLEXUS_ASSIGN(const Loaded loaded, LoadState(rocks, request));
    collector.Add(*loaded.state);
    words.Add(*loaded.state->base, floor().sequence);
  }
  LogCursor cursor(rocks, floor());
  while (cursor.point().sequence < last_purge || !words.empty()) {
    PLEXUS_ASSIGN(const bool more, cursor.Next());
    if (!more) break;
    const Record& record = cursor.record().record;
    if (record.sequence <= last_purge) collector.Add(record);
    words.Add(record.edges, record.sequence);
    if (cursor.point().sequence % 256 == 0 && progress &&
        !progress->Report("scrub", cursor.point().sequence, last_purge))
      return Cancelled("scrubbing was stopped; it goes on at the next open");
  }
  const std::vector<PayloadRef> refs = collector.Take();
  {
    const MutexLock erasing(erase_mutex);
    PLEXUS_TRY(OverwritePayloads(rocks, refs));
    store->ForgetCache();
    MutexLock guard(past_mutex);
    past.clear();
  }
  FailPoint(options.hooks, "scrub.overwritten");
  PLEXUS_TRY(rocks->FlushAll());  // retires the write-ahead logs with the old bytes
  PLEXUS_TRY(CompactAround(rocks, refs));
  {
    MutexLock guard(purge_mutex);
    for (const auto& [node, sequence] : nodes) {
      const auto it = to_scrub.find(node);
      if (it != to_scrub.end() && it->second == sequence) to_scrub.erase(it);
    }
  }
  words_found = words.Take();
  words_found_at = cursor.point().sequence == now.sequence() ? now.sequence() : kNever;
  PLEXUS_ASSIGN(const bool replica, IsReplica());
  words_wait = !words_found.empty() && !replica;
  return words_wait ? Status() : DropScrubMarks();  // else when the words are gone, too
}

// A replica's words are its source's to forget: who has a tag that is gone here may use it there.
Result<bool> Database::Impl::IsReplica() {
  if (!anchor.source.empty()) return true;
  std::string value;
  const rocksdb::Status read = rocks->db()->Get(ScanOptions(), rocks->meta(), kReplayedKey, &value);
  if (read.IsNotFound()) return false;
  PLEXUS_TRY(Check(read, rocks->path() + ", meta"));
  return ParseMetaValue(value) == journal->position().sequence;
}

Status Database::Impl::DropScrubMarks() {
  PLEXUS_ASSIGN(auto marks, ReadPurges(rocks, kScrubPrefix, ~Sequence{0}));
  rocksdb::WriteBatch done = ReservedBatch(marks.size(), marks.size() * kNodeMetaKeyBytes);
  MutexLock guard(purge_mutex);
  for (const auto& [node, sequence] : marks)
    if (!to_scrub.contains(node))
      done.Delete(rocks->meta(), NodeMetaKey(kScrubPrefix, node)).PermitUncheckedError();
  rocksdb::WriteOptions sync;
  sync.sync = true;
  return Check(rocks->db()->Write(sync, &done), rocks->path());
}

Result<std::set<NodeId>> Database::Impl::FindPurgedWords() {
  if (words_found_at == journal->position().sequence) return words_found;
  const std::map<NodeId, Sequence> ever = Purged();
  PurgedWords words(graph->snapshot(), ever, floor().sequence);
  if (floor().sequence > 0 && !words.empty()) {
    LoadRequest request = Request();
    request.target = floor().sequence;
    PLEXUS_ASSIGN(const Loaded loaded, LoadState(rocks, request));
    words.Add(*loaded.state->base, floor().sequence);
  }
  LogCursor cursor(rocks, floor());
  while (!words.empty()) {
    PLEXUS_ASSIGN(const bool more, cursor.Next());
    if (!more) break;
    words.Add(cursor.record().record.edges, cursor.point().sequence);
  }
  return words.Take();
}

// What ScrubNow saw may have changed since: another node may have such a tag by now.
Status Database::Impl::ForgetWords(Progress* progress) {
  if (!words_wait || journal->bulk()) return {};  // after bulk steps: when it is closed
  return RewriteWithout({}, progress);
}

Status Database::Scrub(Progress* progress) try {
  PLEXUS_TRY(impl_->Writable());
  const ReturnFreedMemoryAtEnd freed(impl_->options.graph.return_freed_memory);
  LogScope log(impl_->options.graph.on_log, "scrub");
  const MutexLock guard(impl_->maintenance);
  PLEXUS_TRY(impl_->Writable());
  PLEXUS_TRY(impl_->ScrubNow(progress));
  return log.Done(impl_->ForgetWords(progress));
}
PLEXUS_CATCH_NO_MEMORY

Result<ApplyReport> Database::Purge(std::span<const std::string_view> keys, std::int64_t now_ms,
                                    Progress* progress) try {
  PLEXUS_TRY(impl_->Writable());
  LogScope log(impl_->options.graph.on_log, "purge");
  PLEXUS_ASSIGN(const WriteBatch batch, PurgeBatch(snapshot(), keys, now_ms));
  PLEXUS_ASSIGN(const ApplyReport applied, graph().Apply(batch));
  PLEXUS_TRY(Scrub(progress));
  return log.Done(Result<ApplyReport>(applied));
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus
