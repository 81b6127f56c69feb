// Checkpoint plus replay; the one way to a state, for opening, the past and verify.
#include "storage/state_loader.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <tuple>

#include "engine/writer/state_packing.h"
#include "engine/writer/state_writer.h"
#include "storage/log/rocks_journal.h"
#include "storage/purge/purge_mask.h"

namespace plexus::storage_internal {

namespace {

bool IsInForce(const Manifest& m, const LoadRequest& request) {
  return InForce(m, request.last_checkpoint, request.floor.sequence);
}

// The checkpoints that may be the base, the best one first.
Result<std::vector<Manifest>> Candidates(const std::shared_ptr<Rocks>& rocks,
                                         const LoadRequest& request,
                                         std::vector<DamagedCheckpoint>& damaged) {
  if (!request.use_checkpoints && request.floor.sequence == 0) return std::vector<Manifest>();
  PLEXUS_ASSIGN(std::vector<Manifest> manifests,
                request.strict ? ListCheckpoints(rocks) : ListSoundCheckpoints(rocks, damaged));
  for (const Manifest& m : manifests)
    if (m.graph_id != request.graph_id)
      return Corrupted("checkpoint ", m.id, ": belongs to another graph");
  std::erase_if(manifests, [&](const Manifest& m) {
    return m.sequence > request.target || m.sequence < request.floor.sequence ||
           m.id == request.without ||
           // With a floor a last resort; else the log has all.
           (request.floor.sequence == 0 && !IsInForce(m, request));
  });
  const auto rank = [&](const Manifest& m) {
    return std::tuple(IsInForce(m, request), m.sequence, m.id);
  };
  std::ranges::sort(manifests, std::greater<>(), rank);
  return manifests;
}

Result<GraphState> ReadBase(const std::shared_ptr<Rocks>& rocks, const LoadRequest& request,
                            const Manifest& m, Executor& executor) {
  const ClosedCheckpoint* const closed = request.closed;
  if (m.sequence > request.floor.sequence) {
    std::uint64_t hash = closed ? closed->log_hash : 0;
    if (!closed || m.sequence != closed->log_end) {
      PLEXUS_ASSIGN(const RecordHead head, ReadRecordHead(rocks, m.sequence));
      hash = head.running_hash;
    }
    if (hash != m.log_hash) return Corrupted("checkpoint ", m.id, ": was made from another log");
  }
  if (closed && closed->manifest.digest == m.digest) {
    auto state = ReadCheckpoint(m, *closed->sections, request.payloads, executor, request.progress);
    const ErrorCode code = state ? ErrorCode::kInternal : state.error().code;
    if (state || code == ErrorCode::kResourceExhausted || code == ErrorCode::kCancelled)
      return state;  // else RocksDB says what it is
  }
  const auto source = OpenSections(rocks, m.id);
  return ReadCheckpoint(m, *source, request.payloads, executor, request.progress);
}

// From `best` (null: from nothing), whose state is `state`.
Result<Loaded> ReplayOver(const std::shared_ptr<Rocks>& rocks, const LoadRequest& request,
                          const Manifest* best, GraphState state, Executor& executor) {
  Loaded loaded;
  loaded.point = {0, FirstHash(request.graph_id)};
  // With records to replay over a floor's checkpoint, which was written masked, or over one that
  // may have been meant to be such.
  const bool masked_base = best && request.floor.sequence > 0 && request.target > best->sequence &&
                           (best->sequence == request.floor.sequence || !IsInForce(*best, request));
  std::map<NodeId, Sequence> read;
  if (masked_base && !request.purged) {
    PLEXUS_ASSIGN(const auto last, LastRecord(rocks));
    PLEXUS_ASSIGN(read, ReadPurges(rocks, kPurgedPrefix, last ? last->sequence : 0));
  }
  PurgeMask mask(request.purged ? *request.purged : read,
                 masked_base ? best->sequence : request.target);
  if (request.present) mask.TakeRanksFrom(*request.present);
  if (best) {
    loaded.point = {best->sequence, best->log_hash};
    loaded.checkpoint_sequence = best->sequence;
    loaded.checkpoint_bytes = best->total_bytes();
    if (!mask.empty()) PLEXUS_SET(state, mask.Apply(std::move(state), executor));
  }
  StateWriter writer(std::move(state), &executor);
  std::optional<LogCursor> cursor;
  while (loaded.point.sequence < request.target) {
    if (!cursor) cursor.emplace(rocks, loaded.point);
    PLEXUS_ASSIGN(const bool more, cursor->Next());
    if (!more) break;
    loaded.point = cursor->point();
    Record& record = cursor->record().record;
    record.payloads.clear();  // vectors are fetched from the store
    if (masked_base) mask.MoveTo(record.sequence - 1);
    mask.Apply(record);
    PLEXUS_TRY(writer.Apply(record));
    loaded.tail_bytes += cursor->value().size();
    if (++loaded.replayed_records % 256 == 0 && request.progress &&
        !request.progress->Report("replay", loaded.replayed_records, 0))
      return Cancelled("replay was stopped");
  }
  if (request.target != ~Sequence{0} && loaded.point.sequence != request.target)
    return Corrupted("log record ", loaded.point.sequence + 1, ": is missing from ", rocks->path());
  writer.DropDeadVectors();
  writer.Pack(kPackAtOpen);
  loaded.state = writer.Publish();
  return loaded;
}

}  // namespace

Result<Loaded> LoadState(const std::shared_ptr<Rocks>& rocks, const LoadRequest& request) {
  Executor& executor = request.executor ? *request.executor : DefaultExecutor();
  std::vector<DamagedCheckpoint> damaged;
  PLEXUS_ASSIGN(const std::vector<Manifest> candidates, Candidates(rocks, request, damaged));
  auto finish = [&](const Manifest* best, GraphState state) -> Result<Loaded> {
    PLEXUS_ASSIGN(Loaded loaded, ReplayOver(rocks, request, best, std::move(state), executor));
    for (DamagedCheckpoint& d : damaged) {
      d.read_instead = loaded.checkpoint_sequence;
      d.replayed = loaded.replayed_records;
    }
    loaded.damaged = std::move(damaged);
    return loaded;
  };
  for (const Manifest& m : candidates) {
    auto state = ReadBase(rocks, request, m, executor);
    if (state) return finish(&m, *std::move(state));
    if (request.strict || state.error().code != ErrorCode::kCorruption)
      return std::unexpected(state.error());
    MergeDamage(damaged, {DescribeDamage(rocks, m.id, m.sequence, state.error().message)});
  }
  const std::string damage = damaged.empty() ? "" : "; " + damaged.front().what;
  if (request.floor.sequence > 0)
    return Corrupted(rocks->path(), ": the checkpoint of the history floor ",
                     request.floor.sequence, " is missing", damage);
  GraphState nothing = EmptyState();
  nothing.payload_store = request.payloads;
  auto loaded = finish(nullptr, std::move(nothing));
  if (!loaded && loaded.error().code == ErrorCode::kCorruption)
    return Corrupted(loaded.error().message, damage);
  return loaded;
}

Result<Loaded> LoadClosed(const std::shared_ptr<Rocks>& rocks, const LoadRequest& request) {
  Executor& executor = request.executor ? *request.executor : DefaultExecutor();
  const Manifest& m = request.closed->manifest;
  PLEXUS_ASSIGN(GraphState state, ReadCheckpoint(m, *request.closed->sections, request.payloads,
                                                 executor, request.progress));
  return ReplayOver(rocks, request, &m, std::move(state), executor);
}

Result<std::map<NodeId, Sequence>> ReadPurges(const std::shared_ptr<Rocks>& rocks,
                                              const char* prefix, Sequence last) {
  std::map<NodeId, Sequence> purges;
  std::unique_ptr<rocksdb::Iterator> it(rocks->db()->NewIterator(ScanOptions(), rocks->meta()));
  const std::size_t length = std::strlen(prefix);
  for (it->Seek(prefix); it->Valid() && it->key().starts_with(prefix); it->Next()) {
    const std::optional<Sequence> sequence = ParseMetaValue(it->value().ToStringView());
    if (it->key().size() != length + 4 || !sequence)
      return Corrupted(rocks->path(), ", meta: a broken purge entry");
    NodeId node = 0;
    for (int i = 0; i < 4; ++i)
      node =
          (node << 8) | static_cast<std::uint8_t>(it->key()[length + static_cast<std::size_t>(i)]);
    if (*sequence <= last) purges[node] = *sequence;
  }
  PLEXUS_TRY(Check(it->status(), rocks->path() + ", meta"));
  return purges;
}

Result<bool> HasPurges(const std::shared_ptr<Rocks>& rocks) {
  std::unique_ptr<rocksdb::Iterator> it(rocks->db()->NewIterator(ScanOptions(), rocks->meta()));
  for (const char* prefix : {kPurgedPrefix, kScrubPrefix, kForgetPrefix, kBlankPrefix}) {
    it->Seek(prefix);
    PLEXUS_TRY(Check(it->status(), rocks->path() + ", meta"));
    if (it->Valid() && it->key().starts_with(prefix)) return true;
  }
  return false;
}

}  // namespace plexus::storage_internal
