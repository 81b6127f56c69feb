// WorkSharing: lists of work, handed from threads that have much to threads that have little.
//
// One loop over as many tasks as there are threads; each joins when it begins, and the first has
// all the work. No task waits for one that has not begun, so tasks may as well run one after the
// other, in any order. A list is dozens of items and more, and rare, so a mutex hands it over;
// wanted() is a load of a line that hardly changes.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace plexus::paths::internal {

template <class Item>
class WorkSharing {
 public:
  using List = std::vector<Item>;

  // Before a loop. REQUIRES no lists are left of the one before.
  void Open() {
    joined_ = 0;
    members_ = idle_ = 0;
    working_ = 1;  // the first to join
    all_others_left_ = false;
  }
  // 0 for the first, which has the work.
  std::size_t Join() {
    const std::lock_guard lock(mutex_);
    ++members_;
    if (joined_ > 0) ++working_;
    return joined_++;
  }
  // Ends what Join began, unless WaitForWork did.
  void Leave() {
    const std::lock_guard lock(mutex_);
    --members_, --working_;
  }

  // A worker waits for a list.
  bool wanted() const {
    return idle_.load(std::memory_order_relaxed) > offered_.load(std::memory_order_relaxed);
  }
  // All other workers have left without work.
  bool AllOthersLeft() const {
    return all_others_left_.load(std::memory_order_relaxed) &&
           members_.load(std::memory_order_relaxed) == 1;
  }

  void Share(List list) {
    const std::lock_guard lock(mutex_);
    lists_.push_back(std::move(list));
    offered_ = static_cast<int>(lists_.size());
  }

  // A list; empty when waits() returns false or the spin limit is reached.
  template <class Waits>
  List Request(Waits&& waits) {
    List list;
    ++idle_;
    for (int spin = 0; spin < kSpinLimit && waits() && !TryTake(list, 0); ++spin) Pause(spin);
    --idle_;
    return list;
  }

  // A list for a worker that has nothing left. Empty, and the worker has left: no worker has work,
  // stopped() returns true, or the long spin limit is reached.
  template <class Stopped>
  List WaitForWork(Stopped&& stopped) {
    List list;
    ++idle_, --working_;
    for (int spin = 0;; ++spin) {
      if (TryTake(list, 1)) break;
      const bool gave_up = spin == kLongSpinLimit;
      if (gave_up || working_.load(std::memory_order_relaxed) == 0 || stopped()) {
        const std::lock_guard lock(mutex_);
        // Another worker took a list since, or shared one and left.
        if (!gave_up && !stopped() && (working_ > 0 || !lists_.empty())) continue;
        if (gave_up) all_others_left_ = true;
        --members_;
        break;
      }
      Pause(spin);
    }
    --idle_;
    return list;
  }

  // The lists that no worker took. REQUIRES no loop at work.
  std::vector<List> DrainLists() {
    offered_ = 0;
    return std::exchange(lists_, {});
  }

 private:
  static constexpr int kPauses = 1000;     // spins before the thread yields
  static constexpr int kSpinLimit = 1500;  // spins: dozens of microseconds
  static constexpr int kLongSpinLimit = 4000;

  // Adds `adds` to working_ under the same lock, so that no worker sees 0 in between.
  bool TryTake(List& list, int adds) {
    if (offered_.load(std::memory_order_relaxed) == 0) return false;
    const std::lock_guard lock(mutex_);
    if (lists_.empty()) return false;
    list = std::move(lists_.back());
    lists_.pop_back();
    working_ += adds;
    offered_ = static_cast<int>(lists_.size());
    return true;
  }

  static void Pause(int spin) {
    if (spin >= kPauses) return std::this_thread::yield();
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  std::mutex mutex_;
  std::vector<List> lists_;
  std::size_t joined_ = 0;
  std::atomic<int> members_ = 0,
                   working_ = 0;  // workers that have not left; those of them that have work
  std::atomic<bool> all_others_left_ = false;
  alignas(64) std::atomic<int> idle_ = 0, offered_ = 0;
};

}  // namespace plexus::paths::internal
