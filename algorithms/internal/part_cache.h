// PartCache: what was worked out about a part of a graph, a csr or a run, while that part lives.
//
// Parts never change and are shared by many snapshots, so what is known of one is known for
// all of them. Entries are found by address; whether the part there is still the same is
// told by its control block, which a weak pointer keeps from being used anew. Entries of dead
// parts are dropped whenever the table has doubled. Thread-safe; two threads that miss at
// once both work, and the first to Keep wins.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace plexus::internal {

template <class Value>
class PartCache {
 public:
  // Up to `few` entries are never looked through for dead ones: for values that are small.
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
    const std::lock_guard lock(mutex_);
    if (std::shared_ptr<Value> there = At(part)) return there;
    if (entries_.size() >= next_sweep_) {
      std::erase_if(entries_, [](const auto& e) { return e.second.part.expired(); });
      next_sweep_ = std::max(few_, 2 * entries_.size());
    }
    entries_.insert_or_assign(part.get(), Entry{part, made});
    return made;
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

  const std::size_t few_;
  std::mutex mutex_;
  std::unordered_map<const void*, Entry> entries_;
  std::size_t next_sweep_;
};

}  // namespace plexus::internal
