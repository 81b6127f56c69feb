// ResidualPush: residuals of PageRank scores that are not yet pushed along out-rows.
//
// A node's change is added to its score at once and to its residual until it is pushed: passed on
// along the node's out-row, which adds to the residuals of its neighbours. (Residual propagation:
// Berkhin, "Bookmark-coloring algorithm", 2006; Lofgren's thesis, 2015.)
//
// The teleport gets its share of every change, so that all residuals sum to 0 and the scores
// converge to the ranking times their sum. With a fixed teleport that sum would have to return to
// 1, which takes long. The residual of the teleport is one number and need not be distributed: it
// changes that sum only. A change of a node without out-arcs is added to the teleport's residual at
// once.
//
// Pushes are serial, in the order of ids, first come first served.
// Not thread-safe.
#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/pagerank/internal/csr_spmv.h"
#include "engine/arrays/aligned_array.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"

namespace plexus::pagerank::internal {

class ResidualPush {
 public:
  struct Problem {
    const LiveCsr& rows;
    double damping = 0.85;
    bool weighted = true, uniform = true;    // uniform: no seeds
    const AlignedArray<double>& reciprocal;  // of strengths, 0 = dangling
  };
  ResidualPush(const Problem& problem, Executor& executor) : p_(problem), executor_(executor) {}

  // Of scores that sum to 1: `changes`, in absolute terms, of nodes with out-arcs, and
  // `dangling`, with its sign, of the others.
  void Set(double changes, double dangling, double rounding);
  // residual[node] is the node's residual divided by its out-strength. `any`: it may be anything,
  // else it is 0.
  void Attach(AlignedArray<double>& residual, bool any);

  // Residuals from the rows that differ from those of `earlier`, and from new nodes, at the current
  // scores, which then need not be positive any more. False, and nothing done: the two do not share
  // a base, it is not known what rows were packed from, or those touched since have more than
  // `max_arcs`. REQUIRES the residual is all 0. O(nodes + max_arcs), and so is the memory.
  bool InitFromChangedRows(const Snapshot& earlier, std::uint64_t max_arcs,
                           std::vector<double>& scores);

  struct LargeResiduals {
    std::uint64_t arcs = 0;  // of their rows
    double mass = 0;
  };
  // Nodes with a residual above `threshold`. O(nodes / 64), and those with a residual.
  LargeResiduals CountAbove(double threshold) const;
  std::vector<NodeId> NodesAbove(double threshold) const;
  // Adds all residuals to the scores of their neighbours, in parallel, once: the residuals
  // afterwards are not kept. Returns how many arcs their rows had; 0, and nothing done: more than
  // `max_arcs`. O(nodes + max_arcs).
  std::uint64_t PropagateAll(std::uint64_t max_arcs, std::vector<double>& scores) const;
  // Pushes `large`, and nodes whose residual rises above `threshold` on the way, while their rows
  // have at most `arcs` arcs. Returns how many they had.
  std::uint64_t Push(const std::vector<NodeId>& large, double threshold, std::uint64_t arcs,
                     std::vector<double>& scores);

  double mass() const { return changes_ + std::abs(teleport_residual_); }
  // To be added to the scores, distributed as the teleport is: from the first push on.
  double teleport_residual() const { return sent_ ? teleport_residual_ : 0.0; }
  double sum() const { return sum_ + teleport_residual(); }  // of the scores once that is done
  // Bound on the L1 distance of these, scaled to sum 1, to the fixed point. A residual is in the
  // scores already and d / (1 - d) of it is still to come, and so for that of the teleport; what
  // rounding left out is in no score, and 1 / (1 - d) of it is to come.
  double Error() const {
    const double d = p_.damping;
    return (d * (changes_ + std::abs(teleport_residual_)) + rounding_) / ((1.0 - d) * sum());
  }

 private:
  struct RowChange;
  static constexpr std::size_t kWords = 64;  // of may_wait_, a block
  void Read(const Snapshot& earlier, std::span<const NodeId> nodes, std::uint64_t max_arcs,
            std::atomic<std::uint64_t>& arcs, const std::vector<double>& scores,
            RowChange& to) const;
  void Prefetch(std::span<const NodeId> rows, std::size_t i) const;
  template <class Fn>
  void ForEachResidual(std::size_t first_word, std::size_t last_word, Fn&& fn) const;
  // Adds to the score and to the residual; returns the residual.
  double Add(NodeId v, double change, std::vector<double>& scores);
  void Measure();

  const Problem p_;
  Executor& executor_;
  AlignedArray<double>* residual_ = nullptr;
  std::vector<std::uint64_t> may_have_residual_;  // a bit a node: others have no residual
  double changes_ = 0;                            // absolute, of nodes with out-arcs
  double teleport_residual_ = 0;                  // residual of the teleport
  double sum_ = 1;                                // of the scores
  double rounding_ = 0;                           // what rounding the scores left out, as changes
  bool sent_ = false;                             // something was pushed, or rows were compared
  std::vector<bool> queued_;
};

}  // namespace plexus::pagerank::internal
