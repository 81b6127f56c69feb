// FakeStore: a journal and payload store in memory that fails on demand.
//
// Keeps every record it accepted, so that a test can replay them, and checks the
// caller's side of the Journal contract: one thread at a time, consecutive
// sequences, nothing after an error. Calls to Append and WaitDurable are counted
// from 1; `FailAt(n, how)` makes the n-th one fail.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/record.h"

namespace plexus::testing {

enum class FailHow {
  kNothingWritten,  // the error came before the first byte
  kPrefixWritten,   // the first half of the group reached the log
  kAllWritten,      // everything did, but the fsync failed
};

class FakeStore final : public Journal, public PayloadStore {
 public:
  Status Append(std::span<const Record> group, Durability durability) override {
    if (busy_.exchange(true)) violations_.fetch_add(1);
    Status result = AppendOne(group, durability);
    busy_.store(false);
    return result;
  }

  Status WaitDurable(Sequence sequence) override {
    std::lock_guard lock(mutex_);
    if (++calls_ == fail_at_) return Break();
    if (sequence > last_) return Fail(ErrorCode::kInternal, "waits for what was never appended");
    return {};
  }

  Result<std::string> Get(PayloadRef ref) const override {
    std::lock_guard lock(mutex_);
    if (++gets_ == fail_get_at_) return Fail(ErrorCode::kIo, "injected fault at a payload read");
    auto it = payloads_.find(ref.bits);
    if (it == payloads_.end()) return Fail(ErrorCode::kNotFound, "no such payload");
    return it->second;
  }

  void FailAt(std::uint64_t call, FailHow how = FailHow::kNothingWritten) {
    std::lock_guard lock(mutex_);
    fail_at_ = call;
    how_ = how;
  }
  // The n-th Get from now fails.
  void FailGetAt(std::uint64_t get) {
    std::lock_guard lock(mutex_);
    gets_ = 0;
    fail_get_at_ = get;
  }
  // Lets each Append take this long, so that writers queue behind it.
  void set_append_delay(std::chrono::microseconds delay) { delay_ = delay; }

  std::uint64_t calls() const { return Locked(calls_); }
  std::uint64_t appends() const { return Locked(appends_); }
  std::uint64_t largest_group() const { return Locked(largest_group_); }
  int violations() const { return violations_.load(); }
  Durability last_durability() const { return Locked(durability_); }

  // Every record in the log, without payload bytes: what a log on disk holds. A
  // replay fetches vectors from the payload store.
  std::vector<Record> Records() const {
    std::lock_guard lock(mutex_);
    return records_;
  }
  std::size_t payload_count() const {
    std::lock_guard lock(mutex_);
    return payloads_.size();
  }

 private:
  template <class T>
  T Locked(const T& value) const {
    std::lock_guard lock(mutex_);
    return value;
  }

  Status Break() {
    broken_ = true;
    return Fail(ErrorCode::kIo, "injected fault at call " + std::to_string(calls_));
  }

  Status AppendOne(std::span<const Record> group, Durability durability) {
    if (delay_.count()) std::this_thread::sleep_for(delay_);
    std::lock_guard lock(mutex_);
    durability_ = durability;
    if (broken_ || group.empty() || durability == Durability::kDefault) violations_.fetch_add(1);
    ++appends_;
    largest_group_ = std::max<std::uint64_t>(largest_group_, group.size());
    if (++calls_ == fail_at_) {
      std::size_t written = how_ == FailHow::kNothingWritten ? 0
                            : how_ == FailHow::kAllWritten   ? group.size()
                                                             : group.size() / 2;
      for (const Record& record : group.first(written)) Take(record);
      return Break();
    }
    for (const Record& record : group) Take(record);
    return {};
  }

  void Take(const Record& record) {
    if (record.sequence != last_ + 1) violations_.fetch_add(1);
    last_ = record.sequence;
    for (const Payload& p : record.payloads)
      payloads_[PayloadRef::Make(record.sequence, p.ordinal).bits] = p.bytes;
    for (const NodeChange& change : record.node_changes) {
      if (change.what != NodeChange::kPurge) continue;
      for (std::uint64_t bits : refs_of_node_[change.node]) payloads_.erase(bits);
      refs_of_node_.erase(change.node);
    }
    for (const PayloadChange& p : record.payload_changes)
      if (p.ref) refs_of_node_[p.node].insert(p.ref.bits);
    for (const VectorChange& v : record.vectors)
      if (v.ref) refs_of_node_[v.node].insert(v.ref.bits);
    records_.push_back(record);
    records_.back().payloads.clear();
  }

  mutable std::mutex mutex_;
  std::atomic<bool> busy_ = false;
  std::atomic<int> violations_ = 0;
  std::chrono::microseconds delay_{0};
  mutable std::uint64_t gets_ = 0;
  std::uint64_t fail_get_at_ = 0;
  std::uint64_t calls_ = 0, appends_ = 0, largest_group_ = 0, fail_at_ = 0;
  FailHow how_ = FailHow::kNothingWritten;
  bool broken_ = false;
  Durability durability_ = Durability::kDefault;
  Sequence last_ = 0;
  std::vector<Record> records_;
  std::map<std::uint64_t, std::string> payloads_;
  std::map<NodeId, std::set<std::uint64_t>> refs_of_node_;
};

}  // namespace plexus::testing
