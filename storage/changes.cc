// ChangesSince: the log's records as a feed for replicas, caches and hosts.
#include <algorithm>
#include <optional>
#include <span>

#include "engine/out_of_memory.h"
#include "storage/database_impl.h"
#include "storage/log/log_reader.h"
#include "storage/purge/purge_mask.h"

namespace plexus {

using namespace storage_internal;

namespace {

// Records after a point, from the log or from those that a view has read past it (follow.cc).
class Records {
 public:
  explicit Records(LogCursor cursor) : cursor_(std::move(cursor)) {}
  // `news` outlive this.
  Records(std::span<const std::string> news, LogPoint after) : news_(news), point_(after) {}
  Result<bool> Next() {
    if (cursor_) return cursor_->Next();
    if (at_ == news_.size()) return false;
    PLEXUS_ASSIGN(decoded_, DecodeNext(news_[at_], point_));
    point_ = {decoded_.head.sequence, decoded_.head.running_hash};
    ++at_;
    return true;
  }
  LogPoint point() const { return cursor_ ? cursor_->point() : point_; }
  Record& record() { return cursor_ ? cursor_->record().record : decoded_.record; }
  std::size_t size() const { return cursor_ ? cursor_->value().size() : news_[at_ - 1].size(); }

 private:
  std::optional<LogCursor> cursor_;
  std::span<const std::string> news_;
  std::size_t at_ = 0;
  LogPoint point_;
  DecodedRecord decoded_;
};

Result<Records> LogAfter(const std::shared_ptr<Rocks>& rocks, const LogPoint& floor,
                         Sequence since) {
  PLEXUS_ASSIGN(const LogPoint point, PointAt(rocks, floor, since));
  return Records(LogCursor(rocks, point));
}

// `news` follow `after`. REQUIRES `since` to be one of them, or `after`.
Result<Records> NewsAfter(std::span<const std::string> news, LogPoint after, Sequence since) {
  const auto skipped = static_cast<std::size_t>(since - after.sequence);
  if (skipped > 0) {
    PLEXUS_ASSIGN(const RecordHead head, DecodeRecordHead(AsBytes(news[skipped - 1]),
                                                          "log record " + std::to_string(since)));
    after = {head.sequence, head.running_hash};
  }
  return Records(news.subspan(skipped), after);
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

Status storage_internal::FetchVectors(const PayloadStore& store, Record& record,
                                      std::uint64_t& bytes) {
  for (VectorChange& c : record.vectors) PLEXUS_TRY(Fetch(store, record, c.ref, bytes));
  return {};
}

namespace {

Status CheckFloor(Sequence since, Sequence floor) {
  if (since >= floor) return {};
  return FailedPrecondition("records up to ", floor, " were trimmed; a follower at ", since,
                            " begins with a backup");
}

Result<Changes> ReadChanges(Database::Impl& d, Sequence since, const ChangesOptions& options) {
  // Not `maintenance`: a backup may hold that for minutes. Held to the end, so that no call closes
  // what is read.
  ReaderLock open(d.renewal);
  PLEXUS_TRY(d.Usable());
  if (!d.news.empty() && since < d.news_after.sequence) {
    open.Unlock();
    PLEXUS_TRY(d.WholeLog());
    open.Lock();
    PLEXUS_TRY(d.Usable());
  }
  const bool from_news = !d.news.empty() && since >= d.news_after.sequence;
  Sequence end = d.report.sequence;
  if (d.journal) {
    PLEXUS_TRY(d.journal->FlushBulk());
    // A follower that begins with a view may have read what was not synced yet.
    if (since <= d.journal->position().sequence) PLEXUS_TRY(d.journal->WaitDurable(since));
    end = d.journal->synced();
  }
  const Database::Impl::Noted noted = d.NotedAnchor();
  const auto& store = d.store;
  if (since > end)
    return NotFound("sequence ", since, " lies after ", end, ", the last that is durable");
  PLEXUS_TRY(CheckFloor(since, noted.floor.sequence));
  FailPoint(d.options.hooks, "changes.floor_read");
  Changes changes;
  changes.generation = noted.generation;
  changes.next = since;
  PLEXUS_ASSIGN(Records log, from_news ? NewsAfter(d.news, d.news_after, since)
                                       : LogAfter(d.rocks, noted.floor, since));
  changes.since_hash = log.point().hash;
  PurgeMask mask(d.Purged(), since);
  std::uint64_t bytes = 0;
  while (changes.next < end &&
         changes.records.size() < std::max<std::uint64_t>(options.max_records, 1) &&
         (changes.records.empty() || bytes < options.max_bytes)) {
    PLEXUS_ASSIGN(const bool more, log.Next());
    if (!more)
      return Corrupted("log record ", changes.next + 1, ": is missing from ", d.rocks->path());
    Record& record = log.record();
    bytes += log.size();
    mask.MoveTo(record.sequence);
    mask.ApplyForFeed(record);
    for (PayloadChange& c : record.payload_changes) PLEXUS_TRY(Fetch(*store, record, c.ref, bytes));
    PLEXUS_TRY(FetchVectors(*store, record, bytes));
    for (EdgeExtra& x : record.edge_extras) PLEXUS_TRY(Fetch(*store, record, x.properties, bytes));
    changes.next = record.sequence;
    changes.records.push_back(std::move(record));
  }
  changes.has_more = changes.next < end;
  changes.next_hash = log.point().hash;
  changes.last = end;
  return changes;
}

}  // namespace

Result<Changes> Database::ChangesSince(Sequence since, const ChangesOptions& options) try {
  Impl& d = *impl_;
  PLEXUS_TRY(d.Usable());
  auto changes = ReadChanges(d, since, options);
  // A trim that came meanwhile takes away what is read.
  if (!changes) PLEXUS_TRY(CheckFloor(since, d.NotedAnchor().floor.sequence));
  return changes;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus
