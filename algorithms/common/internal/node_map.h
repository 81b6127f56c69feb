// NodeMap: NodeId -> u32 for queries that touch few of many nodes.
//
// Open addressing with linear probing, so that a small query stays in the first
// cache level and never costs O(nodes). When it would outgrow an array over all
// nodes it becomes that array. Which slots were taken is listed, so that a map that is
// used again is emptied at the cost of what was in it. Single-threaded to write, shared
// to read.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/types.h"

namespace plexus::common_internal {

class NodeMap {
 public:
  static constexpr std::uint32_t kAbsent = 0xFFFFFFFFu;

  explicit NodeMap(NodeId node_count = 0) { Reset(node_count); }

  // Empty again, for ids below node_count.
  void Reset(NodeId node_count) {
    node_count_ = node_count;
    dense_ = {};
    if (slots_.empty() || slots_.size() > kMaxKeptSlots || size_ * 4 > slots_.size())
      Start();
    else
      for (std::size_t i = 0; i < size_; ++i) slots_[taken_[i]] = Slot{kNoNode, kAbsent};
    size_ = 0;
  }

  std::size_t size_bytes() const {
    return (slots_.capacity() + spare_.capacity()) * sizeof(Slot) +
           (taken_.capacity() + dense_.capacity()) * 4;
  }

  // The value, or kAbsent.
  std::uint32_t get(NodeId node) const {
    if (!dense_.empty()) return dense_[node];
    for (std::size_t i = Home(node);; i = (i + 1) & (slots_.size() - 1)) {
      if (slots_[i].node == node) return slots_[i].value;
      if (slots_[i].node == kNoNode) return kAbsent;
    }
  }

  // The value's place, made with kAbsent when new. Valid until the next call.
  std::uint32_t& at(NodeId node) {
    if (!dense_.empty()) return dense_[node];
    if (size_ * 2 >= slots_.size()) {
      Grow();
      if (!dense_.empty()) return dense_[node];
    }
    std::size_t i = Home(node);
    while (slots_[i].node != node) {
      if (slots_[i].node == kNoNode) {
        slots_[i].node = node;
        taken_[size_++] = static_cast<std::uint32_t>(i);
        break;
      }
      i = (i + 1) & (slots_.size() - 1);
    }
    return slots_[i].value;
  }

  // Worth the array now: many nodes are about to be touched.
  void MakeDense() {
    if (!dense_.empty() || node_count_ == 0) return;
    dense_.assign(node_count_, kAbsent);
    for (const Slot& s : slots_)
      if (s.node != kNoNode) dense_[s.node] = s.value;
    slots_ = {};
    taken_ = {};
  }

 private:
  struct Slot {
    NodeId node;
    std::uint32_t value;
  };
  std::size_t Home(NodeId node) const { return (node * 0x9E3779B1u) >> shift_; }
  void Start() {
    const std::size_t kept = slots_.size() > kMaxKeptSlots ? 0 : slots_.size();
    slots_.assign(std::max<std::size_t>(kept, kFirstSlots), Slot{kNoNode, kAbsent});
    taken_.resize(slots_.size() / 2);
    shift_ = 32 - std::countr_zero(slots_.size());
  }
  [[gnu::noinline]] void Grow() {
    if (slots_.size() * 2 * sizeof(Slot) >= std::size_t{node_count_} * sizeof(std::uint32_t) &&
        slots_.size() >= 1024) {
      MakeDense();
      return;
    }
    spare_.assign(slots_.size() * 2, Slot{kNoNode, kAbsent});
    std::swap(spare_, slots_);
    --shift_;
    taken_.resize(slots_.size() / 2);
    for (std::size_t k = 0; k < size_; ++k) {
      const Slot s = spare_[taken_[k]];
      std::size_t i = Home(s.node);
      while (slots_[i].node != kNoNode) i = (i + 1) & (slots_.size() - 1);
      slots_[i] = s;
      taken_[k] = static_cast<std::uint32_t>(i);
    }
  }

  static constexpr std::size_t kFirstSlots = 512;
  static constexpr std::size_t kMaxKeptSlots = 4096;  // slots that the next search begins with

  NodeId node_count_ = 0;
  int shift_ = 0;
  std::size_t size_ = 0;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> taken_;  // the first size_: slots in use; room for half of them
  std::vector<Slot> spare_;           // the smaller table, once grown
  std::vector<std::uint32_t> dense_;  // by node once dense
};

}  // namespace plexus::common_internal
