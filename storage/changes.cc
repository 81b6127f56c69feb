// ChangesSince: the log's records as a feed for replicas, caches and hosts.
#include <algorithm>

#include "engine/out_of_memory.h"
#include "storage/database_impl.h"
#include "storage/log/log_reader.h"
#include "storage/purge/purge_mask.h"

namespace plexus::storage {

namespace {

// Where the chain of running hashes is after record `sequence`.
Result<LogPoint> PointAt(const std::shared_ptr<Rocks>& rocks, const LogPoint& floor,
                         Sequence sequence) {
  if (sequence == floor.sequence) return floor;
  PLEXUS_ASSIGN(const RecordHead head, ReadRecordHead(rocks, sequence));
  return LogPoint{sequence, head.running_hash};
}

// Bytes of one payload of the record; a purged one stays empty and `ref` is cleared.
Status Fetch(const PayloadStore& store, Record& record, PayloadRef& ref, std::uint64_t& bytes) {
  if (!ref || ref.sequence() != record.sequence || ref.ordinal() >= record.payloads.size())
    return {};
  auto got = store.Get(ref);
  if (!got && got.error().code == ErrorCode::kNotFound) {
    ref = PayloadRef();
    return {};
  }
  if (!got) return std::unexpected(got.error());
  bytes += got->size();
  record.payloads[ref.ordinal()].bytes = *std::move(got);
  return {};
}

}  // namespace

Status FetchVectors(const PayloadStore& store, Record& record, std::uint64_t& bytes) {
  for (VectorChange& c : record.vectors) PLEXUS_TRY(Fetch(store, record, c.ref, bytes));
  return {};
}

Result<Changes> Database::ChangesSince(Sequence since, const ChangesOptions& options) try {
  Impl& d = *impl_;
  PLEXUS_TRY(d.Usable());
  std::shared_ptr<Rocks> rocks;
  LogPoint floor;
  Sequence end = 0;
  std::uint64_t generation = 0;
  {
    const std::shared_lock open(
        d.renewal);  // not `maintenance`: a backup may hold that for minutes
    if (d.journal) {
      PLEXUS_TRY(d.journal->FlushBulk());
      end = d.journal->synced();
    } else {
      end = d.report.sequence;
    }
    const Database::Impl::Noted noted = d.NotedFloor();
    floor = noted.floor;
    generation = noted.generation;
    rocks = d.rocks;
  }
  if (since > end)
    return Fail(ErrorCode::kNotFound, "sequence " + std::to_string(since) + " lies after " +
                                          std::to_string(end) + ", the last that is durable");
  if (since < floor.sequence)
    return Fail(ErrorCode::kFailedPrecondition, "records up to " + std::to_string(floor.sequence) +
                                                    " were trimmed; a follower at " +
                                                    std::to_string(since) +
                                                    " begins with a backup");
  Changes changes;
  changes.generation = generation;
  changes.next = since;
  PLEXUS_ASSIGN(const LogPoint point, PointAt(rocks, floor, since));
  LogCursor cursor(rocks, point);
  PurgeMask mask(d.Purged(), since);
  std::uint64_t bytes = 0;
  while (changes.next < end &&
         changes.records.size() < std::max<std::uint64_t>(options.max_records, 1) &&
         (changes.records.empty() || bytes < options.max_bytes)) {
    PLEXUS_ASSIGN(const bool more, cursor.Next());
    if (!more) break;
    Record& record = cursor.record().record;
    bytes += cursor.value().size();
    mask.MoveTo(record.sequence);
    mask.Apply(record);
    for (PayloadChange& c : record.payload_changes)
      PLEXUS_TRY(Fetch(*d.store, record, c.ref, bytes));
    PLEXUS_TRY(FetchVectors(*d.store, record, bytes));
    for (EdgeExtra& x : record.edge_extras)
      PLEXUS_TRY(Fetch(*d.store, record, x.properties, bytes));
    changes.next = record.sequence;
    changes.records.push_back(std::move(record));
  }
  changes.more = changes.next < end;
  return changes;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::storage
