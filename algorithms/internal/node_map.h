// NodeMap: NodeId -> u32 for queries that touch few of many nodes.
//
// Open addressing with linear probing, so that a small query stays in the first
// cache level and never pays O(nodes). When it would outgrow an array over all
// nodes it becomes that array. Single-threaded to write, shared to read.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/types.h"

namespace plexus::internal {

class NodeMap {
 public:
  static constexpr std::uint32_t kAbsent = 0xFFFFFFFFu;

  explicit NodeMap(NodeId node_count = 0) { Reset(node_count); }

  // Empty again, for ids below node_count.
  void Reset(NodeId node_count) {
    node_count_ = node_count;
    slots_.assign(kFirstSlots, Slot{kNoNode, kAbsent});
    shift_ = 32 - std::countr_zero(kFirstSlots);
    size_ = 0;
    dense_ = {};
  }

  std::size_t size_bytes() const {
    return (slots_.capacity() + spare_.capacity()) * sizeof(Slot) + dense_.capacity() * 4;
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
        ++size_;
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
  }

 private:
  struct Slot {
    NodeId node;
    std::uint32_t value;
  };
  std::size_t Home(NodeId node) const { return (node * 0x9E3779B1u) >> shift_; }
  void Grow() {
    if (slots_.size() * 2 * sizeof(Slot) >= std::size_t{node_count_} * sizeof(std::uint32_t) &&
        slots_.size() >= 1024) {
      MakeDense();
      return;
    }
    spare_.assign(slots_.size() * 2, Slot{kNoNode, kAbsent});
    std::swap(spare_, slots_);
    --shift_;
    for (const Slot& s : spare_) {
      if (s.node == kNoNode) continue;
      std::size_t i = Home(s.node);
      while (slots_[i].node != kNoNode) i = (i + 1) & (slots_.size() - 1);
      slots_[i] = s;
    }
  }

  static constexpr std::uint32_t kFirstSlots = 512;

  NodeId node_count_ = 0;
  int shift_ = 0;
  std::size_t size_ = 0;
  std::vector<Slot> slots_;
  std::vector<Slot> spare_;           // the smaller table, once grown
  std::vector<std::uint32_t> dense_;  // by node once dense
};

}  // namespace plexus::internal
