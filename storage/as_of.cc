// The past: AsOf by sequence and by time.
#include <algorithm>
#include <optional>

#include "engine/arrays/freed_memory.h"
#include "engine/monitoring/monitoring.h"
#include "engine/out_of_memory.h"
#include "engine/times.h"
#include "storage/database_impl.h"

namespace plexus {

using namespace storage_internal;

namespace {

constexpr std::size_t kPastKept = 4;

Status BelowFloor(const std::string& directory, Sequence floor, const std::string& what) {
  return NotFound(directory, ": ", what, " lies below the history floor, record ", floor,
                  ": what was before is trimmed");
}

}  // namespace

bool Database::Impl::KeepPast(const Snapshot& state) {
  if (options.past_cache_bytes == 0) return false;
  past.push_front(state);
  // What was read of a state since it was loaded counts, too.
  std::uint64_t bytes = 0;
  std::size_t kept = 0;
  auto it = past.begin();
  for (; it != past.end() && kept < kPastKept; ++it, ++kept) {
    bytes += metrics::MeasureBytes(*it).total;
    if (kept > 0 && bytes > options.past_cache_bytes) break;
  }
  const bool dropped = it != past.end();
  past.erase(it, past.end());
  return dropped;
}

Status Database::Impl::CheckReached(const Reading& reading, Sequence sequence) const {
  if (const Sequence last = reading.now.sequence(); sequence > last)
    return NotFound("sequence ", sequence, " lies in the future, the last record is ", last);
  const Sequence floor = reading.request.floor.sequence;
  if (sequence >= floor) return {};
  return BelowFloor(directory, floor, "record " + std::to_string(sequence));
}

Result<Snapshot> Database::AsOf(Sequence sequence, Progress* progress) try {
  Impl& d = *impl_;
  PLEXUS_TRY(d.Usable());
  if (const Snapshot now = d.graph->snapshot(); sequence == now.sequence()) return now;
  auto cached = [&]() -> std::optional<Snapshot> {
    MutexLock guard(d.past_mutex);
    const auto it = std::ranges::find(d.past, sequence, &Snapshot::sequence);
    if (it == d.past.end()) return std::nullopt;
    d.past.splice(d.past.begin(), d.past, it);
    return d.past.front();
  };
  if (const auto found = cached()) return *found;
  MutexLock alone(d.past_load);
  if (const auto found = cached()) return *found;  // another thread just loaded it
  const ReaderLock kept(d.erase_mutex);
  PLEXUS_TRY(d.Usable());
  PLEXUS_ASSIGN(Database::Impl::Reading reading, d.WholeLog());
  LoadRequest& request = reading.request;
  PLEXUS_TRY(d.CheckReached(reading, sequence));
  if (d.journal) PLEXUS_TRY(d.journal->FlushBulk());
  const std::map<NodeId, Sequence> purged = d.Purged();
  request.target = sequence;
  request.progress = progress;
  request.purged = &purged;
  request.present = &reading.now;
  PLEXUS_ASSIGN(const Loaded loaded, LoadState(reading.rocks, request));
  const Snapshot past(loaded.state);
  const ReaderLock open(d.renewal);
  MutexLock guard(d.past_mutex);
  MergeDamage(d.past_damage, loaded.damaged);
  // A purge empties the cache, and so does a refresh that opens again: what came while we loaded
  // must not be undone.
  if (d.Purged() != purged || d.rocks != reading.rocks) return past;
  if (d.KeepPast(past) && d.options.graph.return_freed_memory) ReturnMoreFreedMemory();
  return past;
}
PLEXUS_CATCH_NO_MEMORY

// Times never run backward along the log, so the last record at or before a time
// is found by bisection.
Result<Sequence> Database::SequenceAtTime(std::int64_t time_ms) try {
  Impl& d = *impl_;
  PLEXUS_TRY(d.Usable());
  const auto is_past = [&](const Snapshot& now) {
    return now.sequence() == 0 || now.time_ms() > time_ms;
  };
  if (const Snapshot now = d.graph->snapshot(); !is_past(now)) return now.sequence();
  const ReaderLock kept(d.erase_mutex);
  PLEXUS_TRY(d.Usable());
  PLEXUS_ASSIGN(const Database::Impl::Reading reading, d.WholeLog());
  if (d.journal) PLEXUS_TRY(d.journal->FlushBulk());  // all of reading.now can be read then
  const auto& rocks = reading.rocks;
  if (!is_past(reading.now)) return reading.now.sequence();  // it was renewed meanwhile
  Sequence low = reading.request.floor.sequence;
  Sequence high = reading.now.sequence();  // time(high) > time_ms
  if (low > 0) {
    std::int64_t floor_time = 0;
    std::vector<DamagedCheckpoint> damaged;
    PLEXUS_ASSIGN(const std::vector<Manifest> manifests, ListSoundCheckpoints(rocks, damaged));
    for (const Manifest& m : manifests)
      if (m.sequence == low) floor_time = m.time_ms;
    if (time_ms < floor_time)
      return std::unexpected(BelowFloor(d.directory, low, IsoTime(time_ms)).error());
  }
  while (low + 1 < high) {
    const Sequence middle = low + (high - low) / 2;
    PLEXUS_ASSIGN(const RecordHead head, ReadRecordHead(rocks, middle));
    (head.time_ms <= time_ms ? low : high) = middle;
  }
  if (low == 0) return NotFound(IsoTime(time_ms), " lies before the first record");
  return low;
}
PLEXUS_CATCH_NO_MEMORY

Result<Snapshot> Database::AsOfTime(std::int64_t time_ms) try {
  PLEXUS_ASSIGN(const Sequence sequence, SequenceAtTime(time_ms));
  return AsOf(sequence);
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus
