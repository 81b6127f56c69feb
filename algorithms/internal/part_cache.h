// PartCache: what was worked out about a part of a graph, a csr or a run, while that part lives.
//
// Parts never change and are shared by many snapshots, so what is known of one is known for
// all of them. Entries are found by address; whether the part there is still the same is
// told by its control block, which a weak pointer keeps from being used anew. Entries of dead
// parts are dropped whenever the table has doubled, or by DropDead. Thread-safe; two threads
// that miss at once both work, and the first to Keep wins.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace plexus::internal {

template <class Value>
class PartCache {
 public:
  // Up to `few` entries are never looked through for dead ones: for values that are small.
  // 0: all are at every Keep.
  explicit PartCache(std::size_t few) : few_(few), next_sweep_(few) {}

  // Null when nothing is kept.
  template <class Part>
  std::shared_ptr<Value> Find(const std::shared_ptr<const Part>& part) {
    const std::lock_guard lock(mutex_);
    return At(part);
  }
  // What is kept from now on: `made`, or what another thread kept meanwhile.
  template <class Part>
  std::shared_ptr<Value> Keep(const std::shared_ptr<const Part>& part, std::shared_ptr<Value> made) {
    std::vector<std::shared_ptr<Value>> dead;  // freed when the lock is
    const std::lock_guard lock(mutex_);
    if (std::shared_ptr<Value> there = At(part)) return there;
    if (entries_.size() >= next_sweep_) dead = Sweep();
    entries_.insert_or_assign(part.get(), Entry{part, made});
    size_.store(entries_.size(), std::memory_order_relaxed);
    return made;
  }
  void DropDead() {
    if (size_.load(std::memory_order_relaxed) == 0) return;
    std::vector<std::shared_ptr<Value>> dead;
    const std::lock_guard lock(mutex_);
    dead = Sweep();
  }

 private:
  struct Entry {
    std::weak_ptr<const void> part;
    std::shared_ptr<Value> value;
  };
  template <class Part>
  std::shared_ptr<Value> At(const std::shared_ptr<const Part>& part) {
    const auto at = entries_.find(part.get());
    if (at == entries_.end() || at->second.part.owner_before(part) || part.owner_before(at->second.part)) return nullptr;
    return at->second.value;
  }

  std::vector<std::shared_ptr<Value>> Sweep() {
    std::vector<std::shared_ptr<Value>> dead;
    std::erase_if(entries_, [&](const auto& e) {
      if (!e.second.part.expired()) return false;
      dead.push_back(e.second.value);
      return true;
    });
    next_sweep_ = few_ == 0 ? 0 : std::max(few_, 2 * entries_.size());
    size_.store(entries_.size(), std::memory_order_relaxed);
    return dead;
  }

  const std::size_t few_;
  std::mutex mutex_;
  std::atomic<std::size_t> size_ = 0;  // of entries_
  std::unordered_map<const void*, Entry> entries_;
  std::size_t next_sweep_;
};

}  // namespace plexus::internal
