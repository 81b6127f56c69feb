// BlockGaussSeidel: PageRank over all rows again and again, in parts.
//
// Up to 16 ranges of nodes have their turn one after the other, each going by the scores that
// the ones before have just been given (block Gauss-Seidel; for PageRank: Gleich, Zhukov,
// Berkhin, 2004), which needs two thirds of the sweeps.
//
// The first sweep sums the contributions of all neighbours. From then on a row receives the changes
// only since its last turn, and every node has had one turn since: so each sweep sums the
// neighbours' last changes. What rounding to Real leaves out of a change stays at the node, counts
// in the error, and is sent at the next turn. Scores stay f64.
//
// After every turn it is known what is not yet passed on: the changes sent at each part's last
// turn, and what all nodes keep.
//
// Sums follow rows and ids: bits depend only on the graph and the scores. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/common/internal/object_pool.h"
#include "algorithms/pagerank/internal/csr_spmv.h"
#include "algorithms/pagerank/internal/preparation.h"
#include "engine/arrays/aligned_array.h"
#include "engine/parallel.h"

namespace plexus::pagerank::internal {

// Real is what contributions are: float, or double where out-strengths are beyond what f32 can
// hold.
template <class Real>
class BlockGaussSeidel {
 public:
  // Out-strengths that Real = float serves.
  static constexpr double kMinStrength = 1e-18, kMaxStrength = 1e18;
  // Nodes and arcs a part, of which there are 16 at most: part of the result's definition.
  // Smaller parts cost more, by the threads that wait for each other, than they save in sweeps.
  static constexpr std::uint64_t kPartWork = 1 << 18;

  struct Problem {
    Spmv& sums;  // of the rows, or of a layout of theirs
    std::span<const SeedShare> seeds;
    const AlignedArray<double>& reciprocal;  // of out-strengths, 0 = dangling
    std::vector<double>& scores;             // all of them, with any sum above 0
    std::uint64_t arcs = 0;
    double damping = 0.85;
    std::uint64_t part_work = kPartWork;  // less in tests
  };
  // Memory: 12 bytes a node (Real = double: 20), 4 (8) a node of a part, 8 a row of a block and
  // thread. May throw std::bad_alloc.
  BlockGaussSeidel(const Problem& problem, Executor& executor);

  std::size_t count() const { return parts_.size(); }
  // A turn of all, part by part: BeginSweep, then Turn(0) to Turn(count() - 1).
  // `enough`: the error wanted.
  void BeginSweep(double enough);
  void UpdateBlock(std::size_t number);

  // Bound on the L1 distance of the scores, which may sum to something else than 1, scaled to
  // sum 1, to the fixed point, rounding included; infinite when they do not sum to more than 0.
  // REQUIRES every part had its turn.
  double Error() const;
  // False: the sum has been lost, or is what is left of larger numbers of both signs, and
  // sweeping on leads nowhere. A turn takes a node's old score before all have been told of
  // it, so scores that are not of this graph may come to that; those that begin at the
  // teleport cannot: a part with seeds keeps 1 - d of the sum. REQUIRES as Error.
  bool IsStable() const {
    const Totals all = All();
    return all.scores > 0.5 * all.absolute;
  }

 private:
  // Of a block of rows, or a part.
  struct Totals {
    double scores = 0, dangling = 0, absolute = 0;
    double changes =
        0;  // of nodes with out-arcs, in absolute terms: what was sent at the last turn, and `kept`
    double kept = 0;  // of changes: what was not passed on yet
    double home = 0;  // a part: what the teleport got all together, as its rows know it
    void Add(const Totals& other) {  // but for `home`
      scores += other.scores;
      dangling += other.dangling;
      absolute += other.absolute;
      changes += other.changes;
      kept += other.kept;
    }
  };
  struct Part {
    std::size_t first, last;  // blocks [first, last) of p_.sums
    NodeId begin, end;        // rows
    Totals totals;
  };
  struct Scratch {
    AlignedArray<double> sums;  // of a block's rows
    AlignedArray<Real> values;
  };
  struct Lanes;
  // kFull: of all contributions. kFirstChanges: of the changes since, and of what was kept.
  // kChanges: only of changes.
  enum class Sweep : std::uint8_t { kFull, kFirstChanges, kChanges };

  Totals All() const;
  double Home(const Totals& t) const {
    return (1.0 - p_.damping) * t.scores + p_.damping * t.dangling;
  }
  void Contribute();
  void SendChanges();
  template <Sweep kSweep>
  Totals SumRows(const Part& part, double home);
  template <Sweep kSweep>
  Totals FinishRows(std::size_t begin, std::size_t end, const double* sums, std::size_t next);
  void Place(std::size_t block, const Real* values);
  Totals Fold(std::size_t count) const;

  const Problem p_;
  Executor& executor_;
  const std::size_t n_;
  Sweep sweep_ = Sweep::kFull;
  bool began_ = false;
  // By position: contributions as they were sent; in a sweep of changes: those.
  AlignedArray<Real> sent_;
  AlignedArray<float> kept_;  // by node: of its score, what was not sent yet
  AlignedArray<Real> moved_;  // by node: during kFull, what rows after it were sent as a change
  AlignedArray<Real> next_;   // of the part at work, row by row
  std::vector<Totals> blocks_;
  std::vector<Part> parts_;
  common_internal::ObjectPool<Scratch> pool_;
  double lost_ = 0;  // changes that will not be passed on
};

}  // namespace plexus::pagerank::internal
