// SnapshotCache: the last few answers worked out for snapshots, newest first.
//
// An entry names its snapshot's state without keeping it; entries of states that are
// gone are dropped at the next Find or Keep of any snapshot. What an entry holds must
// therefore not hold the snapshot either. Thread-safe; two threads that miss at once
// both work. Nothing is freed under the lock.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

#include "engine/snapshot.h"

namespace plexus::internal {

template <class Answer, std::size_t kEntries>
class SnapshotCache {
 public:
  // The newest answer of `snapshot` that `fits(answer)`, or null.
  template <class Fits>
  std::shared_ptr<const Answer> Find(const Snapshot& snapshot, Fits&& fits) {
    Entries gone;
    std::lock_guard lock(mutex_);
    DropExpired(gone);
    const std::weak_ptr<const GraphState> state = snapshot.shared_state();
    for (std::size_t i = 0; i < kEntries; ++i) {
      const Entry& e = entries_[i];
      if (!e.answer || !Same(e.state, state) || !fits(*e.answer)) continue;
      std::rotate(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(i),
                  entries_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      return entries_[0].answer;
    }
    return nullptr;
  }
  void Keep(const Snapshot& snapshot, std::shared_ptr<const Answer> answer) {
    Entries gone;
    Entry added{snapshot.shared_state(), std::move(answer)};
    std::lock_guard lock(mutex_);
    DropExpired(gone);
    std::rotate(entries_.begin(), entries_.end() - 1, entries_.end());
    std::swap(entries_[0], added);  // what fell out goes after the lock
  }

 private:
  struct Entry {
    std::weak_ptr<const GraphState> state;
    std::shared_ptr<const Answer> answer;
  };
  using Entries = std::array<Entry, kEntries>;

  // The same control block, which a weak pointer keeps from being used anew.
  static bool Same(const std::weak_ptr<const GraphState>& a, const std::weak_ptr<const GraphState>& b) {
    return !a.owner_before(b) && !b.owner_before(a);
  }
  void DropExpired(Entries& gone) {
    for (std::size_t i = 0; i < kEntries; ++i)
      if (entries_[i].state.expired()) std::swap(entries_[i], gone[i]);
  }

  std::mutex mutex_;
  Entries entries_;
};

}  // namespace plexus::internal
