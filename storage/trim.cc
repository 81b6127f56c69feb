// Trim: forgetting the log below a checkpoint, the history floor.
//
// Order: the floor's checkpoint, then the anchor that names it, then deletion. A
// crash before the anchor leaves one checkpoint that is not in force (InForce), after it some
// records that are never read and that the next trim deletes.
#include <algorithm>
#include <utility>

#include <rocksdb/write_batch.h>

#include "engine/arrays/freed_memory.h"
#include "engine/out_of_memory.h"
#include "storage/database_impl.h"
#include "storage/purge/payload_references.h"

namespace plexus {

using namespace storage_internal;

namespace {

Status DropPayloads(const std::shared_ptr<Rocks>& rocks, Sequence before,
                    const std::vector<std::uint64_t>& needed) {
  std::unique_ptr<rocksdb::Iterator> it(rocks->db()->NewIterator(ScanOptions(), rocks->payload()));
  constexpr int kEntries = 10'000;
  rocksdb::WriteBatch batch = ReservedBatch(kEntries, kEntries * kPayloadKeyBytes);
  auto write = [&]() -> Status {
    PLEXUS_TRY(Check(rocks->db()->Write(rocksdb::WriteOptions(), &batch), rocks->path()));
    batch.Clear();
    return {};
  };
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    Sequence sequence = 0;
    std::uint32_t ordinal = 0;
    if (!ParsePayloadKey(it->key(), &sequence, &ordinal))
      return Corrupted(rocks->path(), ", payload: a key that is none");
    if (sequence > before) break;
    if (std::binary_search(needed.begin(), needed.end(), PayloadRef::Make(sequence, ordinal).bits))
      continue;
    batch.Delete(rocks->payload(), it->key()).PermitUncheckedError();
    if (batch.Count() >= kEntries) PLEXUS_TRY(write());
  }
  PLEXUS_TRY(Check(it->status(), rocks->path() + ", payload"));
  return batch.Count() > 0 ? write() : Status();
}

struct Floor {
  Manifest manifest;
  std::uint64_t hash = 0;               // of the log up to it
  std::vector<std::uint64_t> payloads;  // that it refers to
  std::vector<NodeId> removed;          // facts gone by then whose keys are to be forgotten
};

// Writes the floor's checkpoint. The graph of then is gone afterwards.
Result<Floor> WriteFloor(Database::Impl& d, Sequence at, Progress* progress, bool forget_keys)
    PLEXUS_REQUIRES(d.maintenance) {
  LoadRequest request = d.Request();
  const std::map<NodeId, Sequence> purged = d.Purged();
  request.target = at;
  request.purged = &purged;
  request.progress = progress;
  PLEXUS_ASSIGN(Loaded loaded, LoadState(d.rocks, request));
  PLEXUS_ASSIGN(const Snapshot state,
                Snapshot(std::exchange(loaded.state, nullptr)).Compacted(d.executor()));
  PLEXUS_ASSIGN(
      const Manifest manifest,
      WriteCheckpoint(d.rocks, state, d.anchor.graph_id, d.NextCheckpointId(), loaded.point.hash,
                      d.scratch_path("checkpoint"), d.executor(), progress));
  PLEXUS_TRY(d.DropUnfinished(manifest.id));
  Floor floor{manifest, loaded.point.hash, ReferencedBy(state.state()), {}};
  for (NodeId v = 0; forget_keys && v < state.node_count(); ++v)
    if (!state.alive(v) && !state.key_forgotten(v) && state.is_fact(v)) floor.removed.push_back(v);
  return floor;
}

// Of `nodes` those that nobody made again since. A record like any other, so that replay, followers
// and backups agree on it.
Status ForgetKeys(Graph& graph, const std::vector<NodeId>& nodes) {
  constexpr std::size_t kNodesOfABatch = 100'000;
  for (std::size_t i = 0; i < nodes.size();) {
    const Snapshot now = graph.snapshot();
    WriteBatch batch(now.time_ms());
    for (const std::size_t end = std::min(nodes.size(), i + kNodesOfABatch); i < end; ++i)
      if (!now.alive(nodes[i])) batch.ForgetKey(NodeRef::Id(nodes[i]));
    if (batch.empty()) continue;
    if (const auto applied = graph.Apply(batch); !applied) return std::unexpected(applied.error());
  }
  return {};
}

// Returns the nodes whose keys are to be forgotten.
Result<std::vector<NodeId>> TrimTo(Database::Impl& d, Sequence before, Progress* progress,
                                   bool forget_keys) PLEXUS_REQUIRES(d.maintenance) {
  const Sequence last = d.graph->snapshot().sequence();
  if (before > last)
    return Invalid("cannot trim up to record ", before, ", the last one is ", last);
  if (before <= d.anchor.floor_sequence) return std::vector<NodeId>();
  if (forget_keys) {
    PLEXUS_ASSIGN(const bool replica, d.IsReplica());
    forget_keys = !replica;
  }
  PLEXUS_TRY(d.journal->FlushBulk());
  PLEXUS_TRY(d.journal->WaitDurable(before));
  PLEXUS_ASSIGN(Floor floor, WriteFloor(d, before, progress, forget_keys));
  const Manifest& manifest = floor.manifest;
  Anchor next = d.anchor;
  next.floor_sequence = before;
  next.floor_hash = floor.hash;
  if (next.sequence < before) {
    next.sequence = before;
    next.log_hash = floor.hash;
  }
  if (next.checkpoint_sequence <= before) {
    next.checkpoint_id = manifest.id;
    next.checkpoint_sequence = manifest.sequence;
    next.checkpoint_digest = manifest.digest;
  }
  FailPoint(d.options.hooks, "trim.before_anchor");
  MutexLock erasing(d.erase_mutex);
  PLEXUS_TRY(WriteAnchor(d.directory, next, *d.files));
  d.anchor = next;
  d.NoteAnchor();
  FailPoint(d.options.hooks, "trim.anchored");
  {
    MutexLock past_guard(d.past_mutex);
    d.past.clear();
  }
  const std::string first = LogKey(0), end = LogKey(before + 1);
  const rocksdb::Slice from(first), to(end);
  PLEXUS_TRY(d.rocks->DeleteFilesIn(d.rocks->log(), from, to, false));
  PLEXUS_TRY(Check(d.rocks->db()->DeleteRange(rocksdb::WriteOptions(), d.rocks->log(), first, end),
                   d.rocks->path()));
  d.store->NoteTrim(before);
  PLEXUS_TRY(DropPayloads(d.rocks, before, floor.payloads));
  PLEXUS_TRY(d.DropOldCheckpoints());
  erasing.Unlock();
  PLEXUS_TRY(d.rocks->FlushAll());
  rocksdb::CompactRangeOptions compact;
  compact.exclusive_manual_compaction = false;
  PLEXUS_TRY(
      Check(d.rocks->db()->CompactRange(compact, d.rocks->log(), &from, &to), d.rocks->path()));
  const std::string payload_end = PayloadKey(before + 1, 0);
  const rocksdb::Slice payload_to(payload_end);
  PLEXUS_TRY(Check(d.rocks->db()->CompactRange(compact, d.rocks->payload(), nullptr, &payload_to),
                   d.rocks->path()));
  d.ForgetPurges(before);
  return std::move(floor.removed);
}

}  // namespace

void Database::Impl::ForgetPurges(Sequence floor) {
  MutexLock guard(purge_mutex);
  std::erase_if(purged, [floor](const auto& purge) { return purge.second <= floor; });
}

Status Database::Impl::ErasePurges() {
  ForgetPurges(anchor.floor_sequence);
  PLEXUS_ASSIGN(const auto old, ReadPurges(rocks, kPurgedPrefix, anchor.floor_sequence));
  if (old.empty()) return {};
  rocksdb::WriteBatch batch = ReservedBatch(old.size(), old.size() * kNodeMetaKeyBytes);
  for (const auto& [node, sequence] : old)
    batch.Delete(rocks->meta(), NodeMetaKey(kPurgedPrefix, node)).PermitUncheckedError();
  return Check(rocks->db()->Write(rocksdb::WriteOptions(), &batch), rocks->path());
}

Status Database::Trim(Sequence before, Progress* progress, bool forget_keys) try {
  Impl& d = *impl_;
  PLEXUS_TRY(d.Writable());
  const ReturnFreedMemoryAtEnd freed(d.options.graph.return_freed_memory);
  LogScope log(d.options.graph.on_log, "trim");
  const auto removed = [&]() -> Result<std::vector<NodeId>> {
    const MutexLock guard(d.maintenance);
    PLEXUS_TRY(d.Writable());
    return TrimTo(d, before, progress, forget_keys);
  }();
  return log.Done(removed ? ForgetKeys(graph(), *removed) : std::unexpected(removed.error()));
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus
