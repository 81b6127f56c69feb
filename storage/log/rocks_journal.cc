// Appending records: encode, one RocksDB write per group, fsync as requested.
#include "storage/log/rocks_journal.h"

#include <chrono>
#include <exception>
#include <utility>

#include <rocksdb/write_batch.h>

#include "engine/out_of_memory.h"
#include "storage/base/digest.h"
#include "storage/log/payload_store.h"

namespace plexus::storage_internal {

namespace {

constexpr std::size_t kMaxWriteBytes = std::size_t{256} << 20;  // a group is cut here
constexpr std::size_t kKeyBytes = 20;  // at most, with the value of the meta family
constexpr std::uint64_t kBulkStepBytes = std::uint64_t{256} << 20;
constexpr auto kSyncDelay = std::chrono::milliseconds(30);  // promise: within 50 ms
constexpr const char* kClosed = "the database is closed";

}  // namespace

std::string MetaValue(Sequence sequence) {
  std::string value;
  AppendLittleEndian(value, sequence, 8);
  return value;
}

std::optional<Sequence> ParseMetaValue(std::string_view value) {
  if (value.size() != 8) return std::nullopt;
  return ReadLittleEndian(value);
}

std::string OriginValue(const Origin& origin) {
  return MetaValue(origin.generation) + MetaValue(origin.sequence) + MetaValue(origin.hash);
}

std::optional<Origin> ParseOrigin(std::string_view value) {
  if (value.size() != 24) return std::nullopt;
  return Origin{*ParseMetaValue(value.substr(0, 8)), *ParseMetaValue(value.substr(8, 8)),
                *ParseMetaValue(value.substr(16, 8))};
}

std::string NodeMetaKey(const char* prefix, NodeId node) {
  std::string key = prefix;
  for (int i = 3; i >= 0; --i) key.push_back(static_cast<char>(node >> (8 * i)));
  return key;
}

RocksJournal::RocksJournal(std::shared_ptr<Rocks> rocks, Sequence sequence, std::uint64_t hash,
                           Options options)
    : rocks_(std::move(rocks)),
      options_(std::move(options)),
      position_{sequence, hash},
      synced_(sequence) {}

RocksJournal::~RocksJournal() { (void)Close(); }

// An append from its look at the position to its last use of the database.
class RocksJournal::Appending {
 public:
  explicit Appending(RocksJournal& journal) : journal_(journal) {}  // with the mutex held
  ~Appending() {
    const MutexLock lock(journal_.mutex_);
    journal_.appending_ = false;
    journal_.append_ended_.notify_all();
  }
  Appending(const Appending&) = delete;
  Appending& operator=(const Appending&) = delete;

 private:
  RocksJournal& journal_;
};

Status RocksJournal::Refused() const {
  if (failure_)
    return Fail(ErrorCode::kReadOnly,
                "the database is read-only until reopened, because " + failure_->message);
  if (closed_) return FailedPrecondition(kClosed);
  return {};
}

Status RocksJournal::RefusedToAppend() const {
  PLEXUS_TRY(Refused());
  return Accepts();
}

Status RocksJournal::Accepts() const { return stopped_ ? FailedPrecondition(kClosed) : Status(); }

void RocksJournal::FailWith(const Error& error) noexcept {
  try {
    if (!failure_) failure_ = error;
  } catch (const std::bad_alloc&) {
    failure_ = OutOfMemory().error();
  }
  synced_changed_.notify_all();
}

// One thread at a time syncs: RocksDB would make the second wait for the first.
Status RocksJournal::Write(rocksdb::WriteBatch& batch, bool sync) {
  FailPoint(rocks_->files()->hooks(), "journal.before_write");
  const auto take_turn = [&](bool syncs) {
    MutexLock lock(mutex_);
    while (syncs && syncing_) mutex_.Wait(synced_changed_);
    syncing_ = syncs;
    if (!syncs) synced_changed_.notify_all();
  };
  if (sync) take_turn(true);
  Status status = OrNoMemory(
      [&] { return Check(rocks_->db()->Write(WriteSynced(sync), &batch), rocks_->path()); });
  if (sync) take_turn(false);
  FailPoint(rocks_->files()->hooks(), "journal.after_write");
  return status;
}

Status RocksJournal::AppendGroup(std::span<const Record> group, Durability durability,
                                 bool replayed) {
  MutexLock lock(mutex_);
  PLEXUS_TRY(RefusedToAppend());
  if (bulk_)
    return AppendBulk([&] {
      mutex_.AssertHeld();
      return AddBulk(group, replayed);
    });
  const Position at = position_;
  appending_ = true;
  const Appending appending(*this);
  lock.Unlock();
  return WriteGroup(group, durability, replayed, at);
}

void RocksJournal::SetOrigin(const Origin& origin) {
  const MutexLock lock(mutex_);
  origin_ = OriginValue(origin);
}

Status RocksJournal::WriteGroup(std::span<const Record> group, Durability durability, bool replayed,
                                Position at) {
  if (durability == Durability::kDefault) durability = options_.durability;
  std::vector<std::pair<NodeId, Sequence>> purges;
  std::vector<EncodedRecord> encoded;  // those of `group` that are to be written next
  std::size_t written = 0, entries = 0, bytes = 0;
  std::string origin;
  if (replayed) {
    const MutexLock lock(mutex_);
    origin = origin_;
  }
  auto write = [&](bool sync) -> Status {
    const std::span<const Record> part = group.subspan(written, encoded.size());
    // With all memory that it will need, as RocksDB ends the process where a batch cannot grow.
    rocksdb::WriteBatch batch = ReservedBatch(entries, bytes + entries * kKeyBytes);
    const auto put = [&](rocksdb::ColumnFamilyHandle* family, const rocksdb::Slice& key,
                         const rocksdb::Slice& value) {
      batch.Put(family, key, value).PermitUncheckedError();  // in memory: it cannot fail
    };
    std::uint64_t log_bytes = 0;
    for (std::size_t i = 0; i < part.size(); ++i) {
      const Record& record = part[i];
      for (const Payload& p : record.payloads)
        put(rocks_->payload(), PayloadKey(record.sequence, p.ordinal),
            EncodePayload(PayloadRef::Make(record.sequence, p.ordinal), p.bytes));
      put(rocks_->log(), LogKey(record.sequence), encoded[i].bytes);
      log_bytes += encoded[i].bytes.size();
      for (const NodeChange& c : record.node_changes) {
        if (c.what != NodeChange::kPurge) continue;
        for (const char* prefix : {kPurgedPrefix, kScrubPrefix})
          put(rocks_->meta(), NodeMetaKey(prefix, c.node), MetaValue(record.sequence));
        purges.emplace_back(c.node, record.sequence);
      }
    }
    if (replayed) put(rocks_->meta(), kReplayedKey, MetaValue(at.sequence));
    if (!origin.empty()) put(rocks_->meta(), kOriginKey, origin);
    Status status = Write(batch, sync);
    MutexLock lock(mutex_);
    if (!status) {
      FailWith(status.error());
      return status;
    }
    position_ = at;
    tail_bytes_ += log_bytes;
    if (sync) synced_ = std::max(synced_, at.sequence);
    written += encoded.size();
    encoded.clear();
    entries = bytes = 0;
    return {};
  };
  const bool sync = durability == Durability::kSync;
  for (const Record& record : group) {
    PLEXUS_CHECK(record.sequence == at.sequence + 1, "records follow one another");
    auto got = EncodeRecord(record, at.hash);
    if (!got) {
      MutexLock lock(mutex_);
      FailWith(got.error());
      return std::unexpected(got.error());
    }
    at = {record.sequence, got->running_hash};
    // Two of the meta family for each change, and two for all.
    entries += 3 + record.payloads.size() + 2 * record.node_changes.size();
    bytes += got->bytes.size() + origin.size();
    for (const Payload& p : record.payloads) bytes += kPayloadHeader + p.bytes.size();
    encoded.push_back(*std::move(got));
    if (bytes > kMaxWriteBytes && &record != &group.back()) PLEXUS_TRY(write(false));
  }
  PLEXUS_TRY(write(sync));
  if (options_.on_purge)
    for (const auto& [node, sequence] : purges) options_.on_purge(node, sequence);
  if (durability == Durability::kBuffered) {
    MutexLock lock(mutex_);
    WakeSyncer(sync_wanted_);
  }
  if (options_.on_append) options_.on_append(tail_bytes());
  return {};
}

// `encode(i, encoder)`, for each of them at once.
template <class Encode>
Status RocksJournal::AddBulkRecords(Sequence first, std::size_t count, Encode&& encode) {
  PLEXUS_CHECK(first == position_.sequence + 1, "records follow one another");
  Executor& executor = options_.executor ? *options_.executor : DefaultExecutor();
  while (encoders_.size() < count) encoders_.emplace_back();
  const std::span<RecordEncoder> encoders(encoders_);
  std::vector<Status> encoded(count);
  ParallelFor(executor, count, 1, [&](std::size_t i, std::size_t) {
    encoded[i] = OrNoMemory([&] { return encode(i, encoders[i]); });
  });
  Position at = position_;
  std::vector<std::string_view> values;
  for (std::size_t i = 0; i < count; ++i) {
    PLEXUS_TRY(encoded[i]);
    at = {first + i, encoders[i].Seal(at.hash)};
    values.push_back(encoders[i].bytes());
    tail_bytes_ += values.back().size();
  }
  PLEXUS_TRY(bulk_->AddRecords(first, values, executor));
  position_ = at;
  return {};
}

Status RocksJournal::AddBulk(std::span<const Record> group, bool replayed) {
  PLEXUS_TRY(AddBulkRecords(
      group.front().sequence, group.size(),
      [&](std::size_t i, RecordEncoder& encoder) { return encoder.Encode(group[i]); }));
  for (const Record& record : group) {
    for (const Payload& p : record.payloads)
      PLEXUS_TRY(
          bulk_->AddPayload(record.sequence, p.ordinal,
                            EncodePayload(PayloadRef::Make(record.sequence, p.ordinal), p.bytes)));
    for (const NodeChange& c : record.node_changes) {
      if (c.what != NodeChange::kPurge) continue;
      bulk_->AddMeta(NodeMetaKey(kPurgedPrefix, c.node), MetaValue(record.sequence));
      bulk_->AddMeta(NodeMetaKey(kScrubPrefix, c.node), MetaValue(record.sequence));
      if (options_.on_purge) options_.on_purge(c.node, record.sequence);
    }
  }
  if (replayed) bulk_->AddMeta(kReplayedKey, MetaValue(group.back().sequence));
  if (replayed && !origin_.empty()) bulk_->AddMeta(kOriginKey, origin_);
  return {};
}

Status RocksJournal::AppendLoad(const LoadedEdges& loaded, std::span<const std::size_t> batches,
                                Sequence first, Durability durability) {
  {
    const MutexLock lock(mutex_);
    PLEXUS_TRY(RefusedToAppend());
    if (bulk_)
      return AppendBulk([&] {
        mutex_.AssertHeld();
        return AddBulkRecords(first, batches.size(), [&](std::size_t i, RecordEncoder& encoder) {
          return encoder.Encode(loaded, batches[i], first + i);
        });
      });
  }
  return Journal::AppendLoad(loaded, batches, first, durability);
}

// What `add` adds is one step with all that is pending.
template <class Add>
Status RocksJournal::AppendBulk(Add&& add) {
  if (Status status = OrNoMemory(add); !status) {
    FailWith(status.error());
    return status;
  }
  if (options_.on_bulk) options_.on_bulk(bulk_->first_pending(), weak_from_this());
  return bulk_->pending_bytes() < kBulkStepBytes ? Status() : IngestBulk();
}

// REQUIRES bulk_ set. A step that ends half way has lost track of its files.
Status RocksJournal::IngestBulk() {
  if (Status status = OrNoMemory([&, bulk = bulk_.get()] { return bulk->Ingest(); }); !status) {
    FailWith(status.error());
    return status;
  }
  synced_ = position_.sequence;
  if (options_.on_bulk) options_.on_bulk(0, weak_from_this());
  return {};
}

Status RocksJournal::BeginBulk() {
  PLEXUS_TRY(WaitDurable(position().sequence));  // what is ingested must not outrun the log
  MutexLock lock(mutex_);
  PLEXUS_TRY(RefusedToAppend());
  if (bulk_) return FailedPrecondition("bulk mode has begun already");
  bulk_ = std::make_unique<BulkWriter>(rocks_, options_.bulk_scratch);
  return {};
}

Status RocksJournal::FlushBulk() {
  MutexLock lock(mutex_);
  if (!bulk_) return {};
  PLEXUS_TRY(Refused());
  return IngestBulk();
}

Status RocksJournal::EndBulk() {
  PLEXUS_TRY(FlushBulk());
  MutexLock lock(mutex_);
  bulk_.reset();
  encoders_.clear();
  return {};
}

// Syncs the write-ahead log up to what is appended now. One thread at a time calls RocksDB, the
// others wait for it.
Status RocksJournal::Sync() {
  while (syncing_) mutex_.Wait(synced_changed_);
  PLEXUS_TRY(Refused());
  const Sequence target = position_.sequence;
  if (synced_ >= target) return {};
  syncing_ = true;
  MutexUnlock unlocked(mutex_);
  const Status status =
      OrNoMemory([&] { return Check(rocks_->db()->FlushWAL(true), rocks_->path()); });
  unlocked.Lock();
  syncing_ = false;
  if (status)
    synced_ = std::max(synced_, target);
  else
    FailWith(status.error());
  synced_changed_.notify_all();
  return status;
}

void RocksJournal::WakeSyncer(bool& wanted) {
  if (closed_) return;  // and synced
  if (!syncer_.joinable()) syncer_ = std::thread([this] { SyncLoop(); });
  wanted = true;
  wake_.notify_all();
}

Status RocksJournal::BeginAppend(std::span<const Record> group, Durability durability) {
  if (durability == Durability::kDefault) durability = options_.durability;
  if (durability != Durability::kSync || bulk()) return Append(group, durability);
  PLEXUS_TRY(Append(group, Durability::kNone));
  MutexLock lock(mutex_);
  unsynced_ = position_.sequence;
  try {
    WakeSyncer(sync_now_);
  } catch (const std::exception&) {  // without the thread EndAppend syncs
  }
  return {};
}

Status RocksJournal::EndAppend() {
  const Sequence sequence = std::exchange(unsynced_, 0);
  return sequence == 0 ? Status() : WaitDurable(sequence);
}

Status RocksJournal::WaitDurable(Sequence sequence) {
  MutexLock lock(mutex_);
  if (sequence > position_.sequence) return Invalid("sequence ", sequence, " is not written yet");
  if (bulk_) {
    PLEXUS_TRY(Refused());
    return IngestBulk();
  }
  while (synced_ < sequence) PLEXUS_TRY(Sync());
  return {};
}

void RocksJournal::SyncLoop() {
  MutexLock lock(mutex_);
  while (!closed_) {
    while (!closed_ && !sync_wanted_ && !sync_now_) mutex_.Wait(wake_);
    if (closed_) return;
    const auto until = std::chrono::steady_clock::now() + kSyncDelay;
    while (!closed_ && !sync_now_ && mutex_.WaitUntil(wake_, until)) continue;
    sync_wanted_ = sync_now_ = false;
    if (!bulk_ && !failure_)
      (void)OrNoMemory([&] {  // FailWith remembers an error, and of no memory
        mutex_.AssertHeld();
        return Sync();
      });
  }
}

void RocksJournal::ResetTail(std::uint64_t bytes) {
  MutexLock lock(mutex_);
  tail_bytes_ = bytes;
}
bool RocksJournal::bulk() const {
  MutexLock lock(mutex_);
  return bulk_ != nullptr;
}

void RocksJournal::StopAppends() {
  MutexLock lock(mutex_);
  stopped_ = true;
  while (appending_) mutex_.Wait(append_ended_);
}

Status RocksJournal::Close() {
  StopAppends();
  Status status;
  {
    MutexLock lock(mutex_);
    if (closed_) return {};
    if (bulk_ && !failure_)
      status = IngestBulk();
    else
      status = OrNoMemory([&] {
        mutex_.AssertHeld();
        return failure_ ? Refused() : Sync();
      });
    bulk_.reset();
    closed_ = true;
    wake_.notify_all();
  }
  if (syncer_.joinable()) syncer_.join();
  return status;
}

}  // namespace plexus::storage_internal
