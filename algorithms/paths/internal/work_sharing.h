// WorkSharing: lists of work, handed from threads that have much to threads that have little.
//
// One loop over as many tasks as there are threads; each takes a seat when it begins, and
// the first has all the work. No task waits for one that has not begun, so tasks may as well
// run one after the other, in any order. A list is dozens of items and more, and rare, so a
// mutex hands it over; asking whether anybody wants one is a load of a line that hardly changes.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace plexus::paths_internal {

template <class Item>
class WorkSharing {
 public:
  using List = std::vector<Item>;

  // Before a loop. REQUIRES no lists are left of the one before.
  void Open() {
    joined_ = 0;
    members_ = idle_ = 0;
    working_ = 1;  // seat 0, whoever that will be
    all_others_left_ = false;
  }
  // 0 is the seat with the work.
  std::size_t Join() {
    const std::lock_guard lock(mutex_);
    ++members_;
    if (joined_ > 0) ++working_;
    return joined_++;
  }
  // Ends what Sit began, unless Starve did.
  void Leave() {
    const std::lock_guard lock(mutex_);
    --members_, --working_;
  }

  // Somebody would take a list.
  bool wanted() const {
    return idle_.load(std::memory_order_relaxed) > offered_.load(std::memory_order_relaxed);
  }
  // All others that came have left for want of work.
  bool AllOthersLeft() const {
    return all_others_left_.load(std::memory_order_relaxed) &&
           members_.load(std::memory_order_relaxed) == 1;
  }

  void Share(List list) {
    const std::lock_guard lock(mutex_);
    lists_.push_back(std::move(list));
    offered_ = static_cast<int>(lists_.size());
  }

  // A list; empty when waits() is over, or patience is.
  template <class Waits>
  List Request(Waits&& waits) {
    List list;
    ++idle_;
    for (int spin = 0; spin < kSpinLimit && waits() && !TryTake(list, 0); ++spin) Pause(spin);
    --idle_;
    return list;
  }

  // A list for a thread that has nothing left. Empty: nobody has, or stopped() says so, or
  // nothing came for long; the thread has left then.
  template <class Stopped>
  List WaitForWork(Stopped&& stopped) {
    List list;
    ++idle_, --working_;
    for (int spin = 0;; ++spin) {
      if (TryTake(list, 1)) break;
      const bool gave_up = spin == kLongSpinLimit;
      if (gave_up || working_.load(std::memory_order_relaxed) == 0 || stopped()) {
        const std::lock_guard lock(mutex_);
        // Somebody took a list since, or gave one and left.
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

  // Those that nobody took. REQUIRES no loop at work.
  std::vector<List> DrainLists() {
    offered_ = 0;
    return std::exchange(lists_, {});
  }

 private:
  static constexpr int kPauses = 1000;     // turns before others get the processor
  static constexpr int kSpinLimit = 1500;  // turns: dozens of microseconds
  static constexpr int kLongSpinLimit = 4000;

  // `adds` to those who work: in the same moment, or others would think that nobody does.
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
  std::atomic<int> members_ = 0, working_ = 0;  // seats taken; those of them that have work
  std::atomic<bool> all_others_left_ = false;
  alignas(64) std::atomic<int> idle_ = 0, offered_ = 0;
};

}  // namespace plexus::paths_internal
