// CostBuckets<T>: entries by what they cost, in buckets of one width.
//
// Some thousand buckets exist, from `base` on; what costs more waits in a heap until they are
// empty, then the window moves to the cheapest of those. So a width far too small costs time,
// never memory. A bucket that is done hands its memory to the next that begins: few are in use
// at once. Not thread-safe. delta_stepping.cc walks the lists itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "engine/types.h"

namespace plexus::paths::internal {

template <class T>
struct CostEntry {
  NodeId node;
  T cost;
};

template <class T>
struct CostBuckets {
  using Entry = CostEntry<T>;
  static constexpr std::size_t kWindow = 1024;  // buckets

  // `per_width`: 1 / a bucket's width.
  explicit CostBuckets(T width_reciprocal) : per_width(width_reciprocal) {}

  bool empty() const { return waiting == 0 && far.empty(); }

  // kWindow: beyond them.
  std::size_t Bucket(T cost) const {
    const T place = (cost - base) * per_width;
    if (!(place > 0)) return 0;
    return place < static_cast<T>(kWindow) ? static_cast<std::size_t>(place) : kWindow;
  }

  void Put(Entry entry) {
    const std::size_t bucket = Bucket(entry.cost);
    if (bucket >= kWindow) {
      far.push_back(entry);
      std::push_heap(far.begin(), far.end(), Dearer);
      return;
    }
    PutNear(bucket, entry);
  }

  // Forgets what bucket `now` holds.
  void Empty() {
    std::vector<Entry>& list = near[now];
    waiting -= list.size();
    at = 0;
    list.clear();
    if (list.capacity() > kKept) spare_.push_back(std::move(list));
  }

  // Moves `now` to the first bucket that holds something; false: none does. stale(entry): it need
  // not be kept.
  template <class Stale>
  bool Next(Stale&& stale) {
    if (waiting == 0 && !Refill(stale)) return false;
    while (near[now].empty()) ++now;
    return true;
  }

  std::vector<std::vector<Entry>> near = std::vector<std::vector<Entry>>(kWindow);
  std::vector<Entry> far;       // a heap, the cheapest in front: costs may span any range
  std::size_t waiting = 0;      // entries in `near`
  std::size_t now = 0, at = 0;  // the bucket at work, the entry in it; those below are empty
  T base = 0;                   // cost at which bucket 0 begins
  const T per_width;

 private:
  static constexpr std::size_t kKept = 16;  // entries: memory too small to be handed on

  void PutNear(std::size_t bucket, Entry entry) {
    std::vector<Entry>& list = near[bucket];
    if (list.capacity() == 0 && !spare_.empty()) {
      list = std::move(spare_.back());
      spare_.pop_back();
    }
    list.push_back(entry);
    ++waiting;
  }
  static bool Dearer(const Entry& a, const Entry& b) { return a.cost > b.cost; }
  void Pop() {
    std::pop_heap(far.begin(), far.end(), Dearer);
    far.pop_back();
  }
  // The window moves to the cheapest entry that waits beyond it; false: none does.
  template <class Stale>
  bool Refill(Stale&& stale) {
    while (!far.empty() && stale(far.front())) Pop();
    if (far.empty()) return false;
    base = far.front().cost;
    now = 0;
    for (; !far.empty() && Bucket(far.front().cost) < kWindow; Pop()) {
      if (stale(far.front())) continue;
      PutNear(Bucket(far.front().cost), far.front());
    }
    return true;
  }

  std::vector<std::vector<Entry>> spare_;  // memory of buckets that are done
};

}  // namespace plexus::paths::internal
