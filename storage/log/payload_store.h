// RocksPayloadStore: payload bytes by reference, with a cache of bounded size.
//
// A stored value is the XXH3-64 of the bytes (seeded with the reference, so that
// a value under the wrong key is noticed) followed by the bytes. An empty value
// means purged. A missing key is damage: every reference that a graph holds was
// written together with its record. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "engine/arrays/owner.h"
#include "engine/mutex.h"
#include "engine/record.h"
#include "storage/log/rocks_db.h"

namespace plexus::storage_internal {

// digest, then bytes.
std::string EncodePayload(PayloadRef ref, std::string_view bytes);
// kNotFound when purged, kCorruption when the digest does not match.
Result<std::string_view> DecodePayload(PayloadRef ref, std::string_view value);
inline constexpr std::size_t kPayloadHeader = 8;

class RocksPayloadStore : public PayloadStore {
 public:
  explicit RocksPayloadStore(std::uint64_t cache_bytes) : cache_limit_(cache_bytes) {}

  // Where to read from; null after a close: Get is kFailedPrecondition then.
  void Attach(std::shared_ptr<Rocks> rocks);
  // A payload that what is attached does not have yet, as it is stored. Kept until Attach.
  void AddNew(PayloadRef ref, std::string value);
  // From now on payloads are read only by this process, by no child of fork. The first time no
  // reader is there yet; a store that is attached again has its owner.
  void Own() {
    if (!owner_) owner_.emplace();
  }
  // Called before a look-up of a payload of that or a later sequence: bulk records
  // may have to be ingested first. 0 = nothing is pending.
  void SetPending(Sequence first_pending, std::function<Status()> flush);

  // Payloads at or below `floor` are dropped unless the present graph needs them: a missing
  // one is then no damage (kFailedPrecondition, the snapshot is too old).
  void NoteTrim(Sequence floor) { trimmed_.store(floor, std::memory_order_relaxed); }

  Result<std::string> Get(PayloadRef ref) const override;
  // One pass in key order, past the cache.
  Status GetEach(std::span<const PayloadRef> refs, const EachPayload& fn) const override;
  void ForgetCache();
  std::uint64_t hits() const { return hits_.load(std::memory_order_relaxed); }
  std::uint64_t misses() const { return misses_.load(std::memory_order_relaxed); }
  std::uint64_t cache_bytes() const {
    const MutexLock lock(cache_mutex_);
    return cache_bytes_;
  }

 private:
  struct Entry {
    std::uint64_t ref;
    std::string bytes;
  };
  Status FlushPending(PayloadRef ref) const;
  // REQUIRES rocks_ set.
  std::unexpected<Error> Missing(PayloadRef ref) const PLEXUS_REQUIRES_SHARED(rocks_mutex_);
  const std::string* New(PayloadRef ref) const PLEXUS_REQUIRES_SHARED(rocks_mutex_);
  bool Cached(PayloadRef ref, std::string* bytes) const;
  void Remember(PayloadRef ref, const std::string& bytes) const;

  std::optional<Owner> owner_;
  mutable SharedMutex rocks_mutex_ PLEXUS_ACQUIRED_BEFORE(cache_mutex_);
  std::shared_ptr<Rocks> rocks_ PLEXUS_GUARDED_BY(rocks_mutex_);
  std::unordered_map<std::uint64_t, std::string> new_ PLEXUS_GUARDED_BY(rocks_mutex_);
  std::atomic<Sequence> first_pending_{0};
  std::function<Status()> flush_ PLEXUS_GUARDED_BY(rocks_mutex_) = {};
  std::atomic<Sequence> trimmed_{0};

  const std::uint64_t cache_limit_;
  mutable Mutex cache_mutex_;
  mutable std::list<Entry> recent_ PLEXUS_GUARDED_BY(cache_mutex_);  // newest first
  mutable std::unordered_map<std::uint64_t, std::list<Entry>::iterator> index_
      PLEXUS_GUARDED_BY(cache_mutex_);
  mutable std::uint64_t cache_bytes_ PLEXUS_GUARDED_BY(cache_mutex_) = 0;
  mutable std::atomic<std::uint64_t> hits_{0}, misses_{0};
};

}  // namespace plexus::storage_internal
