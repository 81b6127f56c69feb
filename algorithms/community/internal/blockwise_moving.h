// Local moving inside blocks of nodes that are independent of each other.
//
// Where most links are short (ids follow place, time or topic) a block of some thousand ids can
// move its nodes by itself, on one thread, out of its cache, as in the paper: one queue, every move
// by the current state. What makes blocks independent:
//   - a community belongs to a block when all its nodes are in it; only those are joined and left,
//     so no other block reads or writes their totals;
//   - of links to nodes elsewhere only the fact counts: a node that has one is visited again
//     afterwards, and so is one whose community lies in several blocks.
// So every move raises modularity by what it seems to, and the outcome is the same at any
// number of threads. A graph of one block is finished after it.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/common/internal/object_pool.h"
#include "algorithms/community/internal/community_graph.h"
#include "algorithms/community/internal/sparse_accumulator.h"
#include "engine/parallel.h"

namespace plexus::community::internal {

// A 64-bit number well mixed: splitmix64 (Steele, Lea, Flood, 2014).
inline std::uint64_t SplitMix64(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

// What moving knows of communities, by label.
struct CommunitySums {
  std::vector<double> totals;  // of their nodes' strengths
  std::vector<NodeId> sizes;
};

class BlockwiseMoving {
 public:
  struct Plan {
    double scale;      // resolution / 2m
    double tolerance;  // a block is left after a round that raised modularity by less than its
                       // share of that
    bool in_order;     // else in an order that the seed draws
    std::uint64_t seed;
    std::uint64_t arcs;  // that may be looked at; every block gets its share
  };
  struct Report {
    std::uint64_t moves = 0, arcs = 0;  // done, looked at
    double gain = 0;                    // in units of weight
    std::size_t blocks = 0;
  };

  // Whether it is worthwhile: one block, or few links from block to block.
  static bool IsWorthwhile(const CommunityGraph& graph);

  // Blocks stop when their share of plan.arcs is spent or `budget` (null = none) says to.
  // waiting[v]: v has links or communities outside its block, or was not visited any more.
  Report Run(const CommunityGraph& graph, NodeId* communities, CommunitySums& sums,
             const Plan& plan, Executor& executor,
             common_internal::ObjectPool<SparseAccumulator>& accumulators, const Budget* budget,
             std::vector<std::uint8_t>& waiting);

 private:
  template <bool kUnit>
  class Block;
  NodeId size_ = 0;  // nodes of a block
  std::vector<NodeId>
      block_of_label_;  // by label: the block of all its nodes, kNoNode: none, kManyBlocks: several
  std::vector<NodeId> queues_;
  std::vector<std::uint8_t> queued_;
  std::vector<Report> reports_;
};

}  // namespace plexus::community::internal
