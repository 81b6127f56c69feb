// Refresh: a read-only view continues from the record it has, or is opened again.
//
// Three ways, the first that can: the end of the write-ahead log is read where the last refresh
// stopped (log_tail.h), and RocksDB stays as it was opened; RocksDB is opened over the files of now
// and asked for the records after the view's; the database is opened again. What the first way has
// read is kept as it is stored (payloads in the store, records in `news`) until RocksDB is opened
// again: by the second way, at the latest after kMostNewsBytes, or by who needs more (CatchUp).
#include <algorithm>
#include <vector>

#include "engine/out_of_memory.h"
#include "storage/base/lock_file.h"
#include "storage/database_impl.h"
#include "storage/log/log_reader.h"
#include "storage/log/log_tail.h"

namespace plexus {

using namespace storage_internal;

namespace {

// Behind a newer checkpoint by more than this, reading that is sooner.
constexpr Sequence kManyRecords = 100'000;
constexpr std::size_t kGroupRecords = 256;
constexpr std::uint64_t kMostNewsBytes = std::uint64_t{8} << 20;

}  // namespace

// Whether the log that `now` shows continues from the record that this view has.
Result<bool> Database::Impl::Continues(const std::shared_ptr<Rocks>& now,
                                       const Anchor& next) const {
  if (next.floor_sequence > point.sequence) return false;
  if (point.sequence == next.floor_sequence) return point.hash == FloorOf(next).hash;
  PLEXUS_ASSIGN(const std::optional<RecordHead> last, LastRecord(now));
  if (!last || last->sequence < point.sequence || last->sequence < next.sequence) return false;
  if (next.checkpoint_sequence > point.sequence && last->sequence - point.sequence > kManyRecords)
    return false;
  PLEXUS_ASSIGN(const RecordHead head, ReadRecordHead(now, point.sequence));
  return head.running_hash == point.hash;
}

// `grown`: the files of now, of which only the newest log has moved. Nothing: RocksDB must be
// asked, nothing has changed. False: the view must be opened again.
std::optional<bool> Database::Impl::FollowLog(const std::shared_ptr<const PinnedFiles>& grown) {
  if (!at_log_end) return std::nullopt;
  const PinnedFile& log = *grown->NewestLog()->file;
  const std::uint64_t begin = pinned->NewestLog()->file->size();
  if (log.size() < begin) return std::nullopt;
  if (const ReaderLock open(renewal); news_bytes + (log.size() - begin) > kMostNewsBytes)
    return std::nullopt;
  std::string bytes(log.size() - begin, '\0');
  if (log.Read(begin, bytes.data(), bytes.size()) != static_cast<std::int64_t>(bytes.size()))
    return std::nullopt;
  std::optional<LogTail> tail;
  {
    const ReaderLock open(renewal);
    if (closed || !rocks->meta()) return std::nullopt;
    tail = ReadLogTail(bytes, begin, point, *rocks);
  }
  // The end of a writer that is gone is for the report of an opening.
  if (!tail || (tail->cut && !LockFile::IsHeld(directory))) return std::nullopt;
  if (tail->records.empty()) return true;
  at_log_end = false;  // unless all goes well
  std::vector<LogPoint> points;
  std::vector<Record> records;
  {
    const MutexLock renewing(renewal);
    if (news.empty()) news_after = point;
    for (LogTail::NewRecord& r : tail->records) {
      points.push_back(r.point);
      records.push_back(std::move(r.record));
      news.push_back(std::move(r.value));
    }
    for (LogTail::NewPayload& p : tail->payloads) store->AddNew(p.ref, std::move(p.value));
    news_bytes += tail->end - begin;
    pinned = pinned->WithLogEnd(tail->end);
  }
  std::uint64_t fetched = 0;
  for (Record& record : records)
    if (!FetchVectors(*store, record, fetched)) return false;
  for (std::size_t done = 0; done < records.size();) {
    const std::size_t count = std::min(records.size() - done, kGroupRecords);
    if (!graph->Replay(std::span(records).subspan(done, count),
                       {.durability = Durability::kDefault, .skip_journal = true}))
      return false;
    done += count;
    point = points[done - 1];
    const MutexLock renewing(renewal);
    report.sequence = point.sequence;
    report.replayed_records += count;
  }
  at_log_end = true;
  FailPoint(options.hooks, "follow.log_end");
  return true;
}

Result<Database::Impl::Reading> Database::Impl::WholeLog() {
  FailPoint(options.hooks, "log.asked");
  {
    const ReaderLock open(renewal);
    PLEXUS_TRY(Usable());
    if (news.empty()) return Reading{rocks, Request(), graph->snapshot()};
  }
  const MutexLock renewing(renewal);
  PLEXUS_TRY(Usable());
  if (news.empty()) return Reading{rocks, Request(), graph->snapshot()};
  PLEXUS_ASSIGN(auto now,
                Rocks::Open(GenerationPath(directory, NotedAnchor().generation),
                            Rocks::Mode::kReadOnly, std::make_shared<Files>(*files, pinned)));
  PLEXUS_ASSIGN(const RecordHead last, DecodeRecordHead(AsBytes(news.back()), "log record"));
  PLEXUS_ASSIGN(const RecordHead read, ReadRecordHead(now, last.sequence));
  if (read.running_hash != last.running_hash)
    return Corrupted(now->path(), ": the log is not what the view has read");
  store->Attach(now);
  rocks = std::move(now);
  news.clear();
  news_bytes = 0;
  return Reading{rocks, Request(), graph->snapshot()};
}

// False: the view must be opened again, because the log does not go on from it (another
// generation, records that a crash took or a trim dropped) or cannot be read.
Result<bool> Database::Impl::Follow() {
  {
    const ReaderLock open(renewal);
    if (rocks->failed()) return false;
  }
  if (const auto grown = pinned->Grown()) {
    const PinnedEntry *const now = grown->NewestLog(), *const before = pinned->NewestLog();
    if (!now || now->file->size() == before->file->size()) return true;
    if (const std::optional<bool> followed = FollowLog(grown)) return *followed;
  }
  PLEXUS_ASSIGN(const auto moment, PinnedFiles::Take(directory));
  const Anchor& next = moment->anchor();
  if (next.generation != anchor.generation || next.graph_id != anchor.graph_id) return false;
  auto look = Rocks::Open(generation_path(), Rocks::Mode::kReadOnly,
                          std::make_shared<Files>(*files, moment));
  if (!look) return false;
  const auto continues = Continues(*look, next);
  if (!continues || !*continues) return false;
  const bool trimmed = next.floor_sequence != anchor.floor_sequence;
  {
    // Before the records are in the graph, so that none is looked for in files that lack it.
    const MutexLock renewing(renewal);
    PLEXUS_TRY(Usable());
    store->Attach(*look);  // the same payloads and more, less what was purged
    rocks = *look;
    news.clear();
    news_bytes = 0;
    pinned = moment;
    at_log_end = false;  // unless all goes well
    anchor = next;
    NoteAnchor();
  }
  LogCursor cursor(*look, point);
  bool purges = false;
  std::vector<Record> group;
  std::uint64_t replayed = 0;
  for (bool more = true; more;) {
    auto got = cursor.Next();
    if (!got) return false;
    more = *got;
    if (more) {
      group.push_back(std::move(cursor.record().record));
      // Here, and not by the graph: loaded vectors stay loaded.
      std::uint64_t bytes = 0;
      if (!FetchVectors(*store, group.back(), bytes)) return false;
      purges = purges || Purges(group.back());
    }
    if (group.empty() || (more && group.size() < kGroupRecords)) continue;
    if (!graph->Replay(group, {.durability = Durability::kDefault, .skip_journal = true}))
      return false;
    replayed += group.size();
    point = cursor.point();
    group.clear();
  }
  if (purges) {
    store->ForgetCache();
    PLEXUS_ASSIGN(auto now_purged, ReadPurges(*look, kPurgedPrefix, point.sequence));
    PLEXUS_ASSIGN(auto now_to_scrub, ReadPurges(*look, kScrubPrefix, point.sequence));
    const MutexLock guard(purge_mutex);
    purged = std::move(now_purged);
    to_scrub = std::move(now_to_scrub);
  }
  if (purges || trimmed) {
    const MutexLock guard(past_mutex);
    past.clear();
  }
  {
    const MutexLock renewing(renewal);
    at_log_end = true;
    report.sequence = point.sequence;
    report.replayed_records += replayed;
    report.live_writer = !anchor.clean;
    report.tail_dropped = false;
    report.tail_message.clear();
  }
  FailPoint(options.hooks, "follow.opened");
  return true;
}

// What another opening has takes the place of what this view has. Snapshots of before keep the old
// store, and through it the old files.
Status Database::Impl::ReadAnew() {
  PLEXUS_ASSIGN(const auto opened, Database::Open(directory, options));
  Impl& fresh = *opened->impl_;
  const MutexLock nobody_knows_it(fresh.maintenance);
  {
    // Together with the graph, so that its records are not looked for in the old files.
    const MutexLock renewing(renewal);
    PLEXUS_TRY(Usable());
    const MutexLock its(fresh.renewal);  // the end of the process may close it
    PLEXUS_TRY(fresh.Usable());
    PLEXUS_TRY(graph->Renew([&]() -> Result<std::optional<Graph::Renewal>> {
      return Graph::Renewal{fresh.graph->snapshot(), nullptr};
    }));
    store = std::move(fresh.store);
    rocks = std::move(fresh.rocks);
    pinned = std::move(fresh.pinned);
    at_log_end = fresh.at_log_end;
    news.clear();
    news_bytes = 0;
    anchor = std::move(fresh.anchor);
    NoteAnchor();
    shown_generation = anchor.generation;
    point = fresh.point;
    report = std::move(fresh.report);
  }
  {
    const MutexLock its(fresh.purge_mutex);
    const MutexLock guard(purge_mutex);
    purged = std::move(fresh.purged);
    to_scrub = std::move(fresh.to_scrub);
  }
  const MutexLock guard(past_mutex);
  past.clear();
  past_damage.clear();
  return {};
}

Status Database::Refresh() try {
  Impl& d = *impl_;
  PLEXUS_TRY(d.Usable());
  if (!d.options.read_only) return FailedPrecondition("Refresh is for read-only databases");
  const MutexLock guard(d.maintenance);
  PLEXUS_TRY(d.Usable());  // it may have been closed meanwhile
  PLEXUS_ASSIGN(const bool followed, d.Follow());
  if (followed) return {};
  PLEXUS_TRY(d.ReadAnew());
  Log(d.options.graph.on_log, LogLevel::kInfo, "refresh.reopened",
      "the log did not go on from the view", {{"sequence", d.report.sequence}});
  return {};
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus
