// SnapshotCache: the last few answers worked out for snapshots, newest first.
//
// An entry names its snapshot's state without keeping it; entries of states that are
// gone are dropped at the next Keep. What an entry holds must therefore not hold the
// snapshot either. Thread-safe; two threads that miss at once both work.
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
    std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < kEntries; ++i) {
      const Entry& e = entries_[i];
      if (!e.answer || e.state.lock() != snapshot.shared_state() || !fits(*e.answer)) continue;
      std::rotate(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(i),
                  entries_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      return entries_[0].answer;
    }
    return nullptr;
  }
  void Keep(const Snapshot& snapshot, std::shared_ptr<const Answer> answer) {
    std::lock_guard lock(mutex_);
    std::rotate(entries_.begin(), entries_.end() - 1, entries_.end());
    entries_[0] = {snapshot.shared_state(), std::move(answer)};
    for (Entry& e : entries_)
      if (e.state.expired()) e = Entry{};
  }

 private:
  struct Entry {
    std::weak_ptr<const GraphState> state;
    std::shared_ptr<const Answer> answer;
  };
  std::mutex mutex_;
  std::array<Entry, kEntries> entries_;
};

}  // namespace plexus::internal
