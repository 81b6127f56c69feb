// Local moving: nodes go to the neighbouring community that raises modularity most.
//
// The fast variant of Leiden (Traag, Waltman, van Eck, 2019, algorithm A.2): a node is visited
// again only after a neighbour moved. Here in sweeps, and inside a sweep by classes of nodes, so
// that threads can work and the outcome is still one:
//   1. every waiting node of the class proposes its best community, all from the same state;
//   2. one thread applies the proposals in order. Earlier moves of the class are in the totals of
//      the communities, and a proposal carries an upper bound on its links to nodes of the class
//      (`staleness_bound`): where the gain exceeds it the move is valid, else the node proposes
//      again. So every move raises modularity, at any number of threads;
//   3. the neighbours of moved nodes are marked as waiting.
// Up to some thousand nodes every node is a class of its own.
//
// Where links are short, blocks of nodes move by themselves first (blockwise_moving.h), and sweeps
// begin with the nodes that were constrained there. Where most nodes are settled, sweeps begin with
// the nodes that would move: one pass over all nodes, in parallel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/common/internal/object_pool.h"
#include "algorithms/community/internal/blockwise_moving.h"
#include "algorithms/community/internal/community_graph.h"
#include "algorithms/community/internal/sparse_accumulator.h"
#include "engine/parallel.h"

namespace plexus::community::internal {

struct MoveOptions {
  double resolution = 1;
  double tolerance = 0;  // stop after a sweep that raised modularity by less
  // true: classes are ranges of nodes, taken in order. false: of short runs that stand
  // far apart, in an order that the seed draws.
  bool in_order = false;
  bool settled = false;  // most nodes are where they belong
  std::uint64_t seed = 0;
};

struct MoveReport {
  std::uint64_t moves = 0;
  double gain = 0;  // of modularity
  bool truncated = false;
};

// What is left of the budget; checked between classes.
struct Spending {
  const Budget* budget = nullptr;
  std::uint64_t arcs = 0;  // looked at so far
  std::uint64_t left() const {
    return !budget ? Budget::kUnlimited : budget->edges - std::min(budget->edges, arcs);
  }
  bool RanOut() const { return budget && (arcs >= budget->edges || budget->Interrupted()); }
};

class LocalMoving {
 public:
  // Moves nodes of `graph` between communities until nothing is gained. Communities are
  // labels below graph.nodes; some may be empty, before and after.
  MoveReport Run(const CommunityGraph& graph, std::vector<NodeId>& communities,
                 const MoveOptions& options, Executor& executor,
                 common_internal::ObjectPool<SparseAccumulator>& accumulators, Spending& spending);

 private:
  struct Proposal {
    NodeId node, target;
    double links;            // weight to the target's nodes less that to its own community's
    double staleness_bound;  // at most this much of `links` may have changed before it is applied
  };
  template <bool kUnit, bool kStalenessBound>
  Proposal Best(NodeId v, SparseAccumulator& accumulator) const;
  Proposal Best(NodeId v, bool staleness_bound, SparseAccumulator& accumulator) const;
  void FetchRow(NodeId v) const;
  void FetchSums(const Proposal& proposal) const;
  double Gain(const Proposal& proposal) const;
  void Apply(const Proposal& proposal);
  void MarkNeighbors(NodeId v);
  NodeId EmptyCommunity();
  void CutIntoClasses(bool in_order);
  bool CanMove(NodeId v) const;
  void ProposeAll(Executor& executor, common_internal::ObjectPool<SparseAccumulator>& accumulators,
                  Spending& spending);
  void Sweep(const MoveOptions& options, Executor& executor,
             common_internal::ObjectPool<SparseAccumulator>& accumulators, Spending& spending,
             MoveReport& report);
  void CollectWaiting(NodeId cls);
  void ApplyProposals(SparseAccumulator& accumulator, Spending& spending, MoveReport& report);
  void MoveOneByOne(SparseAccumulator& accumulator, Spending& spending, MoveReport& report);

  NodeId class_of(NodeId v) const { return (v >> run_bits_) & mask_; }
  // Waiting flags lie class by class.
  std::size_t place(NodeId v) const {
    const NodeId run = v >> (run_bits_ + class_bits_);
    return class_of(v) * per_class_ +
           (std::size_t{run} << run_bits_ | (v & ((1u << run_bits_) - 1)));
  }

  const CommunityGraph* graph_ = nullptr;
  NodeId* communities_ = nullptr;
  double scale_ = 0;  // resolution / 2m
  NodeId mask_ = 0;   // number of classes - 1
  int class_bits_ = 0, run_bits_ = 0;
  std::size_t per_class_ = 0;
  CommunitySums sums_;
  std::vector<NodeId> empty_;           // communities that became empty
  NodeId never_used_ = 0;               // communities from here on were looked at as empty
  AlignedArray<std::uint8_t> waiting_;  // by place
  std::vector<NodeId> list_, moved_;
  std::vector<Proposal> proposals_;
  BlockwiseMoving blocks_;
  std::vector<std::uint8_t> first_;  // by node: waits when the sweeps begin
};

}  // namespace plexus::community::internal
