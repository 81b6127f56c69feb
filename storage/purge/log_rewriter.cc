// One pass to choose nodes (two when there are events), one to choose strings, one to copy.
#include "storage/purge/log_rewriter.h"

#include <algorithm>
#include <utility>

#include <rocksdb/utilities/checkpoint.h>
#include <rocksdb/write_batch.h>

#include "engine/vocabulary.h"
#include "storage/log/bulk_writer.h"
#include "storage/purge/each_arc.h"
#include "storage/purge/erase.h"
#include "storage/purge/payload_references.h"
#include "storage/purge/purge_mask.h"
#include "storage/purge/unused_strings.h"

namespace plexus::storage_internal {

namespace {

constexpr std::uint64_t kStepBytes = std::uint64_t{64} << 20;  // of log in one sorted file

rocksdb::WriteOptions Unlogged() {  // flushed and synced as a whole at the end
  rocksdb::WriteOptions options;
  options.disableWAL = true;
  return options;
}

std::string_view TextAt(const std::string& bytes, const std::vector<std::uint64_t>& offsets,
                        std::size_t i) {
  return std::string_view(bytes).substr(offsets[i], offsets[i + 1] - offsets[i]);
}

}  // namespace

Result<const GraphState*> LogRewriter::Floor() {
  db_.maintenance.AssertHeld();
  if (!floor_ && db_.floor().sequence > 0) {
    LoadRequest request = db_.Request();
    request.target = db_.floor().sequence;
    PLEXUS_ASSIGN(Loaded loaded, LoadState(db_.rocks, request));
    floor_ = std::move(loaded.state);
  }
  return floor_.get();
}

// fn(source, kind, target) of every edge that ever was, some of them several times.
template <class Fn>
Status LogRewriter::ForEachEdge(Fn&& fn) {
  db_.maintenance.AssertHeld();
  PLEXUS_ASSIGN(const GraphState* floor, Floor());
  if (floor) ForEachArcOf(*floor->base, fn);
  LogCursor cursor(db_.rocks, db_.floor());
  for (;;) {
    PLEXUS_ASSIGN(const bool more, cursor.Next());
    if (!more) return {};
    for (const EdgeChange& e : cursor.record().record.edges) fn(e.source, e.kind, e.target);
  }
}

Status LogRewriter::Choose(const std::set<NodeId>& nodes, const std::set<NodeId>& words) {
  std::set<NodeId> all = words;
  if (!nodes.empty()) {
    const ForgottenNodes chosen(nodes, now_);
    // Terms whose keys are words of only the purged texts, or of texts replaced before the history
    // floor, of any node.
    std::vector<bool> term;
    std::set<NodeId> events, outcomes;
    const auto find_terms = [&] {
      term.resize(now_.node_count());
      for (NodeId v = 0; v < term.size(); ++v) term[v] = now_.node_kind(v) == builtin::kTerm;
    };
    const auto keep_terms = [&](NodeId by, NodeId node) {
      if (node < term.size() && !chosen.contains(by) && !events.contains(by)) term[node] = false;
    };
    find_terms();
    PLEXUS_TRY(ForEachEdge([&](NodeId source, KindId kind, NodeId target) {
      keep_terms(source, target);
      keep_terms(target, source);
      if (kind == builtin::kMember && chosen.contains(target)) events.insert(source);
    }));
    if (!events.empty()) {  // which have words, too, and their edges were seen as those of others
      find_terms();
      PLEXUS_TRY(ForEachEdge([&](NodeId source, KindId kind, NodeId target) {
        keep_terms(source, target);
        keep_terms(target, source);
        if (kind == builtin::kLabels && events.contains(target)) outcomes.insert(source);
      }));
    }
    all.insert(nodes.begin(), nodes.end());
    all.merge(events);
    all.merge(outcomes);
    for (NodeId v = 0; v < term.size(); ++v)
      if (term[v]) all.insert(v);
  }
  gone_.emplace(all, now_);
  if (nodes.empty()) return {};
  db_.maintenance.AssertHeld();
  PLEXUS_ASSIGN(const bool replica, db_.IsReplica());
  return replica ? Status() : ChooseStrings();
}

Status LogRewriter::ChooseStrings() {
  db_.maintenance.AssertHeld();
  UnusedStrings unused(now_, *gone_);
  if (unused.empty()) return {};
  PLEXUS_ASSIGN(const GraphState* floor, Floor());
  if (floor) unused.Keep(*floor);
  LogCursor cursor(db_.rocks, db_.floor());
  while (!unused.empty()) {
    PLEXUS_ASSIGN(const bool more, cursor.Next());
    if (!more) break;
    unused.Keep(cursor.record().record);
  }
  gone_->TakeStrings(std::move(unused).Take());
  return {};
}

bool LogRewriter::Touches(const Record& r) const {
  const auto any = [](const auto& list, auto&& of) {
    return std::any_of(list.begin(), list.end(), of);
  };
  const auto of_node = [&](const auto& change) { return Gone(change.node); };
  if (!r.node_kinds.empty()) {
    const auto first = std::lower_bound(gone_->list().begin(), gone_->list().end(), r.first_node);
    if (first != gone_->list().end() && *first - r.first_node < r.node_kinds.size()) return true;
  }
  for (std::size_t i = 0; i + 1 < r.string_offsets.size(); ++i)
    if (gone_->has_string(r.first_string + static_cast<StringId>(i))) return true;
  return any(r.node_changes, of_node) || any(r.columns, of_node) ||
         any(r.payload_changes, of_node) || any(r.vectors, of_node) ||
         any(r.edges, [&](const EdgeChange& e) { return Gone(e.source) || Gone(e.target); });
}

void LogRewriter::Clean(DecodedRecord& decoded) {
  Record& r = decoded.record;
  const auto drop = [&](PayloadRef ref) {
    if (!ref || ref.sequence() != r.sequence || ref.ordinal() >= decoded.payloads.size()) return;
    decoded.payloads[ref.ordinal()] = {};
    dropped_.push_back(ref);
  };
  std::erase_if(r.node_changes, [&](const NodeChange& c) { return Gone(c.node); });
  std::erase_if(r.columns, [&](const ColumnChange& c) { return Gone(c.node); });
  std::erase_if(r.payload_changes, [&](const PayloadChange& c) {
    if (Gone(c.node)) drop(c.ref);
    return Gone(c.node);
  });
  std::erase_if(r.vectors, [&](const VectorChange& c) {
    if (Gone(c.node)) drop(c.ref);
    return Gone(c.node);
  });
  FilterEdges(r.edges, r.edge_extras, [&](const EdgeChange& e, EdgeExtra* extra) {
    const bool gone = Gone(e.source) || Gone(e.target);
    if (gone && extra) drop(extra->properties);
    return gone;
  });
  std::string bytes;
  std::vector<std::uint64_t> offsets = {0};
  for (std::size_t i = 0; i + 1 < r.string_offsets.size(); ++i) {
    const StringId id = r.first_string + static_cast<StringId>(i);
    bytes +=
        gone_->has_string(id) ? StringPlaceholder(id) : TextAt(r.string_bytes, r.string_offsets, i);
    offsets.push_back(bytes.size());
  }
  if (offsets.size() > 1) {
    r.string_bytes = std::exchange(bytes, {});
    r.string_offsets = std::exchange(offsets, {0});
  }
  if (r.node_kinds.empty()) return;
  std::vector<NodeChange> born_dead;
  for (std::size_t i = 0; i < r.node_kinds.size(); ++i) {
    const NodeId node = r.first_node + static_cast<NodeId>(i);
    if (Gone(node)) {
      gone_->NoteBirth(node, r.node_kinds[i]);
      bytes += gone_->Placeholder(node, r.node_kinds[i]);
      born_dead.push_back({node, NodeChange::kPurge, 0});
    } else {
      bytes += TextAt(r.key_bytes, r.key_offsets, i);
    }
    offsets.push_back(bytes.size());
  }
  r.key_bytes = std::move(bytes);
  r.key_offsets = std::move(offsets);
  r.node_changes.insert(r.node_changes.begin(), born_dead.begin(), born_dead.end());
}

Result<std::shared_ptr<Rocks>> LogRewriter::Import(const std::string& path) {
  const std::string scratch = db_.scratch_path("export");
  for (const std::string& left :
       {scratch, scratch + ".tmp", path})  // RocksDB makes the second first
    PLEXUS_TRY(db_.files->RemoveFolder(left));
  rocksdb::Checkpoint* made = nullptr;
  rocksdb::ExportImportFilesMetaData* listed = nullptr;
  const rocksdb::Status status = db_.rocks->db()->WriteBy([&](rocksdb::DB* db) {
    const rocksdb::Status created = rocksdb::Checkpoint::Create(db, &made);
    if (!created.ok()) return created;
    const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
    return checkpoint->ExportColumnFamily(db_.rocks->payload(), scratch, &listed);
  });
  const std::unique_ptr<rocksdb::ExportImportFilesMetaData> files(listed);
  PLEXUS_TRY(Check(status, db_.rocks->path()));
  PLEXUS_ASSIGN(std::shared_ptr<Rocks> to, Rocks::CreateFrom(path, db_.files, *files));
  PLEXUS_TRY(db_.files->RemoveFolder(scratch));
  return to;
}

// The checkpoint of the history floor, and of payloads at or below it only what it needs.
Status LogRewriter::WriteFloor(const std::shared_ptr<Rocks>& to, Progress* progress) {
  db_.maintenance.AssertHeld();
  PLEXUS_ASSIGN(const GraphState* floor, Floor());
  if (!floor) return {};
  for (const NodeId node : gone_->list())
    if (node < floor->keys.size()) gone_->NoteBirth(node, floor->node_kinds[node]);
  PLEXUS_ASSIGN(GraphState state, gone_->Without(*floor, db_.executor()));
  const std::vector<std::uint64_t> needed = ReferencedBy(state);
  std::unique_ptr<rocksdb::Iterator> it(to->db()->NewIterator(ScanOptions(), to->payload()));
  const std::string end = PayloadKey(db_.floor().sequence + 1, 0);
  for (it->SeekToFirst(); it->Valid() && it->key().compare(end) < 0; it->Next()) {
    Sequence sequence = 0;
    std::uint32_t ordinal = 0;
    if (!ParsePayloadKey(it->key(), &sequence, &ordinal))
      return Corrupted(db_.rocks->path(), ", payload: a key that is none");
    const PayloadRef ref = PayloadRef::Make(sequence, ordinal);
    if (std::binary_search(needed.begin(), needed.end(), ref.bits)) continue;
    dropped_.push_back(ref);
  }
  PLEXUS_TRY(Check(it->status(), db_.rocks->path()));
  floor_ = nullptr;
  const Snapshot snapshot(std::make_shared<const FrozenState>(std::move(state)));
  PLEXUS_TRY(WriteCheckpoint(to, snapshot, db_.anchor.graph_id, 1, db_.floor().hash,
                             db_.scratch_path("checkpoint"), db_.executor(), progress));
  return {};
}

Result<LogPoint> LogRewriter::CopyLog(const std::shared_ptr<Rocks>& to, Progress* progress) {
  db_.maintenance.AssertHeld();
  LogPoint point = db_.floor();
  LogCursor cursor(db_.rocks, db_.floor());
  BulkWriter writer(to, db_.scratch_path("bulk"));
  RecordEncoder encoder;
  std::string value;
  for (;;) {
    PLEXUS_ASSIGN(const bool more, cursor.Next());
    if (!more) break;
    DecodedRecord& decoded = cursor.record();
    if (Touches(decoded.record)) {
      Clean(decoded);
      PLEXUS_TRY(encoder.Encode(decoded.record, decoded.payloads));
      point = {decoded.head.sequence, encoder.Seal(point.hash)};
      PLEXUS_TRY(writer.AddRecord(point.sequence, encoder.bytes()));
    } else {
      value = cursor.value();
      Rechain(value, decoded.head, point.hash);
      point = {decoded.head.sequence, decoded.head.running_hash};
      PLEXUS_TRY(writer.AddRecord(point.sequence, value));
    }
    if (writer.pending_bytes() >= kStepBytes) PLEXUS_TRY(writer.Ingest());
    if (progress && !progress->Report("rewriting", point.sequence, now_.sequence()))
      return Cancelled("rewriting the log was stopped; nothing was rewritten");
  }
  PLEXUS_TRY(writer.Ingest());
  return point;
}

// What the nodes had is erased; below the floor without a trace, as a trim does.
Status LogRewriter::Erase(const std::shared_ptr<Rocks>& to) {
  db_.maintenance.AssertHeld();
  std::sort(dropped_.begin(), dropped_.end(),
            [](PayloadRef a, PayloadRef b) { return a.bits < b.bits; });
  std::vector<PayloadRef> kept;  // with bytes that are not erased yet
  std::vector<PayloadRef> below;
  rocksdb::WriteBatch batch = ReservedBatch(dropped_.size(), dropped_.size() * kPayloadKeyBytes);
  for (const PayloadRef ref : dropped_) {
    const std::string key = PayloadKey(ref.sequence(), ref.ordinal());
    if (ref.sequence() <= db_.floor().sequence) {
      below.push_back(ref);
      batch.Delete(to->payload(), key).PermitUncheckedError();
      continue;
    }
    rocksdb::PinnableSlice value;
    PLEXUS_TRY(Check(
        to->db()->Get(ScanOptions(), to->payload(), key, &value),
        "payload (" + std::to_string(ref.sequence()) + ", " + std::to_string(ref.ordinal()) + ")"));
    if (!value.empty()) kept.push_back(ref);
  }
  if (below.empty() && kept.empty()) return {};
  PLEXUS_TRY(Check(to->db()->Write(rocksdb::WriteOptions(), &batch), to->path()));
  PLEXUS_TRY(OverwritePayloads(to, kept));
  PLEXUS_TRY(to->FlushAll());
  PLEXUS_TRY(CompactAround(to, below));
  return CompactAround(to, kept);
}

Status LogRewriter::CopyPurges(const std::shared_ptr<Rocks>& to) {
  for (const auto& [node, sequence] : db_.Purged()) {
    if (Gone(node)) continue;
    PLEXUS_TRY(Check(to->db()->Put(Unlogged(), to->meta(), NodeMetaKey(kPurgedPrefix, node),
                                   MetaValue(sequence)),
                     to->path()));
  }
  for (const char* key : {kOriginKey, kReplayedKey}) {
    std::string value;
    const rocksdb::Status read =
        db_.rocks->db()->Get(ScanOptions(), db_.rocks->meta(), key, &value);
    if (read.IsNotFound()) continue;
    PLEXUS_TRY(Check(read, db_.rocks->path() + ", meta"));
    PLEXUS_TRY(Check(to->db()->Put(Unlogged(), to->meta(), key, value), to->path()));
  }
  return {};
}

Result<LogRewriter::Written> LogRewriter::Write(const std::string& path, Progress* progress) {
  db_.maintenance.AssertHeld();
  PLEXUS_ASSIGN(const std::shared_ptr<Rocks> to, Import(path));
  FailPoint(db_.options.hooks, "hard_purge.linked");
  PLEXUS_TRY(WriteFloor(to, progress));
  Written written;
  PLEXUS_ASSIGN(written.end, CopyLog(to, progress));
  if (written.end.sequence != now_.sequence())
    return FailedPrecondition(
        "the log was written to while it was rewritten; nothing was rewritten");
  FailPoint(db_.options.hooks, "hard_purge.copied");
  PLEXUS_TRY(Erase(to));
  PLEXUS_TRY(CopyPurges(to));
  PLEXUS_ASSIGN(GraphState state, gone_->Without(now_.state(), db_.executor()));
  written.state = std::make_shared<const FrozenState>(std::move(state));
  PLEXUS_ASSIGN(written.checkpoint,
                WriteCheckpoint(to, Snapshot(written.state), db_.anchor.graph_id,
                                db_.floor().sequence > 0 ? 2 : 1, written.end.hash,
                                db_.scratch_path("checkpoint"), db_.executor(), progress));
  PLEXUS_TRY(to->FlushAll());
  PLEXUS_ASSIGN(const std::optional<RecordHead> last, LastRecord(to));
  if (!last || last->sequence != written.end.sequence || last->running_hash != written.end.hash)
    if (written.end.sequence > db_.floor().sequence)
      return Corrupted(path, ": does not hold what was written to it");
  PLEXUS_TRY(to->Close());
  PLEXUS_TRY(db_.files->SyncDirectory(path));  // the names of the links
  return written;
}

}  // namespace plexus::storage_internal
