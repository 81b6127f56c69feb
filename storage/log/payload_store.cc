// Payload look-ups: cache, RocksDB, digest.
#include "storage/log/payload_store.h"

#include <cstring>
#include <exception>

#include "storage/encoding/record_codec.h"

namespace plexus::storage_internal {

namespace {

constexpr std::uint64_t kEntryOverhead = 128;  // list and map nodes
constexpr std::size_t kReadAhead = std::size_t{1} << 20;
constexpr int kSteps = 16;  // over other payloads before the index is used
constexpr const char* kDatabaseClosed = ": the database is closed";

std::string Where(PayloadRef ref) {
  return "payload (" + std::to_string(ref.sequence()) + ", " + std::to_string(ref.ordinal()) + ")";
}

// To the first key at or after `key`.
void MoveTo(rocksdb::Iterator& it, const rocksdb::Slice& key) {
  for (int step = 0; step < kSteps && it.Valid() && it.key().compare(key) < 0; ++step) it.Next();
  if (!it.Valid() || it.key().compare(key) < 0) it.Seek(key);
}

}  // namespace

std::string EncodePayload(PayloadRef ref, std::string_view bytes) {
  const std::uint64_t digest = DigestPayload(ref, bytes);
  std::string value(kPayloadHeader, '\0');
  value.reserve(kPayloadHeader + bytes.size());
  std::memcpy(value.data(), &digest, kPayloadHeader);
  value.append(bytes);
  return value;
}

Result<std::string_view> DecodePayload(PayloadRef ref, std::string_view value) {
  if (value.empty()) return NotFound(Where(ref), ": was purged");
  if (value.size() < kPayloadHeader)
    return Corrupted(Where(ref), ", offset 0: too short for its digest");
  std::uint64_t digest;
  std::memcpy(&digest, value.data(), kPayloadHeader);
  const std::string_view bytes = value.substr(kPayloadHeader);
  if (DigestPayload(ref, bytes) != digest)
    return Corrupted(Where(ref), ", offset 8: the digest does not match its ", bytes.size(),
                     " bytes");
  return bytes;
}

void RocksPayloadStore::Attach(std::shared_ptr<Rocks> rocks) {
  MutexLock lock(rocks_mutex_);
  rocks_ = std::move(rocks);
  new_.clear();
  if (rocks_) return;
  first_pending_.store(0, std::memory_order_release);
  flush_ = nullptr;  // it belongs to the database, which snapshots may outlive
}

void RocksPayloadStore::AddNew(PayloadRef ref, std::string value) {
  MutexLock lock(rocks_mutex_);
  new_[ref.bits] = std::move(value);
}

const std::string* RocksPayloadStore::New(PayloadRef ref) const {
  const auto it = new_.find(ref.bits);
  return it == new_.end() ? nullptr : &it->second;
}

void RocksPayloadStore::SetPending(Sequence first_pending, std::function<Status()> flush) {
  MutexLock lock(rocks_mutex_);
  flush_ = std::move(flush);
  first_pending_.store(first_pending, std::memory_order_release);
}

Result<std::string> RocksPayloadStore::Get(PayloadRef ref) const {
  if (!ref) return NotFound("there is no payload");
  if (owner_) PLEXUS_TRY(owner_->Check("the database"));
  std::string bytes;
  if (Cached(ref, &bytes)) {
    hits_.fetch_add(1, std::memory_order_relaxed);
    return bytes;
  }
  misses_.fetch_add(1, std::memory_order_relaxed);
  PLEXUS_TRY(FlushPending(ref));
  ReaderLock lock(rocks_mutex_);
  if (!rocks_) return FailedPrecondition(Where(ref), kDatabaseClosed);
  rocksdb::PinnableSlice value;
  const std::string* const fresh = New(ref);
  if (!fresh) {
    const rocksdb::Status status = rocks_->db()->Get(
        ScanOptions(), rocks_->payload(), PayloadKey(ref.sequence(), ref.ordinal()), &value);
    if (status.IsNotFound()) return Missing(ref);
    PLEXUS_TRY(Check(status, Where(ref)));
  }
  PLEXUS_ASSIGN(std::string_view found, DecodePayload(ref, fresh ? *fresh : value.ToStringView()));
  bytes.assign(found);
  Remember(ref, bytes);
  return bytes;
}

Status RocksPayloadStore::GetEach(std::span<const PayloadRef> refs, const EachPayload& fn) const {
  if (refs.empty()) return {};
  if (owner_) PLEXUS_TRY(owner_->Check("the database"));
  PLEXUS_TRY(FlushPending(refs.back()));
  ReaderLock lock(rocks_mutex_);
  if (!rocks_) return FailedPrecondition(Where(refs.front()), kDatabaseClosed);
  rocksdb::ReadOptions options = ScanOptions();
  options.readahead_size = kReadAhead;
  const std::unique_ptr<rocksdb::Iterator> it(
      rocks_->db()->NewIterator(options, rocks_->payload()));
  for (std::size_t i = 0; i < refs.size(); ++i) {
    if (const std::string* const fresh = New(refs[i])) {
      fn(i, DecodePayload(refs[i], *fresh));
      continue;
    }
    const std::string key = PayloadKey(refs[i].sequence(), refs[i].ordinal());
    MoveTo(*it, key);
    if (it->Valid() && it->key() == rocksdb::Slice(key)) {
      fn(i, DecodePayload(refs[i], it->value().ToStringView()));
    } else if (Status status = Check(it->status(), Where(refs[i])); status) {
      fn(i, refs[i] ? Missing(refs[i]) : NotFound("there is no payload"));
    } else if (status.error().code ==
               ErrorCode::kCorruption) {  // of its block: others may be whole
      fn(i, std::unexpected(std::move(status.error())));
    } else {
      return status;
    }
  }
  return {};
}

std::unexpected<Error> RocksPayloadStore::Missing(PayloadRef ref) const {
  const Sequence floor = trimmed_.load(std::memory_order_relaxed);
  if (ref.sequence() <= floor)
    return FailedPrecondition(Where(ref), ": was dropped when the history below record ", floor,
                              " was trimmed; take a new snapshot");
  return Corrupted(Where(ref), ": is missing from ", rocks_->path());
}

// A bulk load's records may still have to be ingested.
Status RocksPayloadStore::FlushPending(PayloadRef ref) const {
  const Sequence pending = first_pending_.load(std::memory_order_acquire);
  if (pending == 0 || ref.sequence() < pending) return {};
  std::function<Status()> flush;
  const TestHooks* hooks = nullptr;
  {
    ReaderLock lock(rocks_mutex_);
    flush = flush_;
    if (rocks_) hooks = rocks_->files()->hooks();
  }
  FailPoint(hooks, "payload.pending");
  return flush ? flush() : Status();
}

bool RocksPayloadStore::Cached(PayloadRef ref, std::string* bytes) const {
  MutexLock lock(cache_mutex_);
  const auto it = index_.find(ref.bits);
  if (it == index_.end()) return false;
  recent_.splice(recent_.begin(), recent_, it->second);
  *bytes = it->second->bytes;
  return true;
}

void RocksPayloadStore::Remember(PayloadRef ref, const std::string& bytes) const {
  const std::uint64_t cost = bytes.size() + kEntryOverhead;
  if (cost > cache_limit_ / 8) return;  // one entry must not sweep out the rest
  MutexLock lock(cache_mutex_);
  if (index_.contains(ref.bits)) return;
  try {
    recent_.push_front({ref.bits, bytes});
  } catch (const std::exception&) {  // the caller has the bytes all the same
    return;
  }
  try {
    index_[ref.bits] = recent_.begin();
  } catch (const std::exception&) {
    recent_.pop_front();
    return;
  }
  cache_bytes_ += cost;
  while (cache_bytes_ > cache_limit_) {
    cache_bytes_ -= recent_.back().bytes.size() + kEntryOverhead;
    index_.erase(recent_.back().ref);
    recent_.pop_back();
  }
}

void RocksPayloadStore::ForgetCache() {
  const MutexLock no_get_under_way(rocks_mutex_);  // it would remember what it read before
  MutexLock lock(cache_mutex_);
  recent_.clear();
  index_.clear();
  cache_bytes_ = 0;
}

}  // namespace plexus::storage_internal
