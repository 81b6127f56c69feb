// ResidualPush: changes of PageRank scores whose out-rows have yet to be told of them.
//
// A node's change is added to its score at once, and waits until it is pushed: passed on
// along the node's out-row, which makes changes of its neighbours. (Residual propagation:
// Berkhin, "Bookmark-coloring algorithm", 2006; Lofgren's thesis, 2015.)
//
// The teleport gets its share of every change, so that all changes on their way sum to 0 and
// what comes out is the ranking times whatever the scores sum to by now. With a fixed
// teleport that sum would have to return to 1, which takes long. What the teleport is owed
// is kept as one number and need not be spread: it changes that sum alone. A change of a
// node without out-arcs is passed on to the teleport at once.
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

namespace plexus::pagerank_internal {

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
  // What a node has pending is waiting[node], times its reciprocal. `any`: it may be anything, else
  // it is 0.
  void Attach(AlignedArray<double>& residual, bool any);

  // What came of the rows that are not those of `earlier`, and of new nodes, by the scores
  // as they are, which then need not be positive any more. False, and nothing done: the two
  // do not share a base, it is not known what rows were packed from, or those touched since
  // have more than `most_arcs`. REQUIRES waiting is all 0. O(nodes + most_arcs), and so is the
  // memory.
  bool InitFromChangedRows(const Snapshot& earlier, std::uint64_t max_arcs,
                           std::vector<double>& scores);

  struct LargeResiduals {
    std::uint64_t arcs = 0;  // of their rows
    double mass = 0;
  };
  // Nodes with more pending than `threshold`. O(nodes / 64), and those with anything.
  LargeResiduals CountAbove(double threshold) const;
  std::vector<NodeId> NodesAbove(double threshold) const;
  // Adds to the scores what all that is pending makes of its neighbours, in parallel, and no more:
  // what is pending afterwards, and owed, is not kept. Returns how many arcs their rows had; 0, and
  // nothing done: more than `most_arcs`. O(nodes + most_arcs).
  std::uint64_t PropagateAll(std::uint64_t max_arcs, std::vector<double>& scores) const;
  // Pushes `loud`, and those that get above `quiet` on the way, while their rows have no more
  // than `arcs` arcs. Returns how many they had.
  std::uint64_t Push(const std::vector<NodeId>& large, double threshold, std::uint64_t arcs,
                     std::vector<double>& scores);

  double mass() const { return changes_ + std::abs(teleport_residual_); }
  // What is to be added to the scores, spread as the teleport is: from the first push on.
  double teleport_residual() const { return sent_ ? teleport_residual_ : 0.0; }
  double sum() const { return sum_ + teleport_residual(); }  // of the scores once that is done
  // Bound on the L1 distance of these, scaled to sum 1, to the fixed point. What is pending
  // has its first step to go, and so has what is owed, whether added (with as much taken off
  // for what it sums to) or not; what rounding left out has all its steps to go.
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
  // Adds to the score, and to what waits; returns what waits.
  double Add(NodeId v, double change, std::vector<double>& scores);
  void Measure();

  const Problem p_;
  Executor& executor_;
  AlignedArray<double>* residual_ = nullptr;
  std::vector<std::uint64_t> may_have_residual_;  // a bit a node: others have nothing pending
  double changes_ = 0;                            // absolute, of nodes with out-arcs
  double teleport_residual_ = 0;                  // owed to the teleport
  double sum_ = 1;                                // of the scores
  double rounding_ = 0;  // so much was left out by rounding the scores, as changes
  bool sent_ = false;    // something was pushed, or compared
  std::vector<bool> queued_;
};

}  // namespace plexus::pagerank_internal
