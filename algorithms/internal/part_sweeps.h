// PartSweeps: PageRank over all rows again and again, in parts.
//
// Up to 16 ranges of nodes have their turn one after the other, each going by the scores that
// the ones before have just been given (block Gauss-Seidel; for PageRank: Gleich, Zhukov,
// Berkhin, 2004), which needs two thirds of the sweeps.
//
// The first sweep sums what all neighbours send. From then on a row is told only what has
// changed since its last turn, and every node has had one turn since: so each sweep sums the
// neighbours' last changes. Changes are small, so 24 bits of them are plenty where 24 bits of
// a score are not: what is gathered is f32, half the bytes, and scores stay f64. What rounding
// keeps back from the first sweep is sent along with the second; what it loses of changes is
// counted, and when that is what is left a sweep sums everything anew.
//
// After every turn it is known what is not yet passed on: the changes at each part's last turn.
//
// Sums follow rows and ids: bits depend on the graph and the scores alone. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "algorithms/internal/block_sums.h"
#include "algorithms/internal/pagerank_prepare.h"
#include "algorithms/internal/pool.h"
#include "engine/aligned_array.h"
#include "engine/parallel.h"

namespace plexus::internal {

// Real is what is gathered: float, or double where out-strengths are beyond what f32 can hold.
template <class Real>
class PartSweeps {
 public:
  // Out-strengths that Real = float serves.
  static constexpr double kLeastStrength = 1e-18, kMostStrength = 1e18;
  // Nodes and arcs a part, of which there are 16 at most: part of the result's definition.
  // Smaller parts cost more, by the threads that wait for each other, than they save in sweeps.
  static constexpr std::uint64_t kPartWork = 1 << 18;

  struct Problem {
    BlockSums& sums;
    std::span<const SeedShare> seeds;
    const AlignedArray<double>& reciprocal;  // of out-strengths, 0 = dangling
    std::vector<double>& scores;             // all of them, with any sum above 0
    std::uint64_t arcs = 0;
    double damping = 0.85;
    std::uint64_t part_work = kPartWork;  // less in tests
  };
  // Memory: 8 bytes a node (Real = double: 16), as much a node of a part, 8 a row of a block and thread. May throw std::bad_alloc.
  PartSweeps(const Problem& problem, Executor& executor);

  std::size_t count() const { return parts_.size(); }
  // A turn of all, part by part: BeginSweep, then Turn(0) to Turn(count() - 1).
  // `enough`: the error wanted.
  void BeginSweep(double enough);
  void Turn(std::size_t number);

  // Bound on the L1 distance of the scores, which may sum to something else than 1, scaled to
  // sum 1, to the fixed point, rounding included; infinite when they do not sum to more than 0.
  // REQUIRES every part had its turn.
  double Error() const;
  // False: the sum has been lost, or is what is left of larger numbers of both signs, and
  // sweeping on leads nowhere. A turn takes a node's old score before all have been told of
  // it, so scores that are not of this graph may come to that; those that begin at the
  // teleport cannot: a part with seeds keeps 1 - d of the sum. REQUIRES as Error.
  bool Holds() const {
    const Totals all = All();
    return all.scores > 0.5 * all.absolute;
  }

 private:
  // Of a block of rows, or a part.
  struct Totals {
    double scores = 0, dangling = 0, absolute = 0;
    double changes = 0;  // absolute, at the last turn, of nodes with out-arcs
    double home = 0;     // a part: what the teleport got all together, as its rows know it
  };
  struct Part {
    std::size_t first, last;  // blocks [first, last)
    Totals totals;
  };
  struct Scratch {
    AlignedArray<double> sums;  // of a block's rows
  };
  struct Lanes;
  enum class Sweep : std::uint8_t { kAnew, kFirst, kLater };  // kFirst: after one anew

  Totals All() const;
  double Home(const Totals& t) const { return (1.0 - p_.damping) * t.scores + p_.damping * t.dangling; }
  void Contribute();
  template <Sweep kSweep>
  void SumRows(const Part& part, double home);
  void Place(std::size_t block, const Real* values);
  void PlaceMoved();
  Totals Fold(std::size_t first, std::size_t last) const;

  const Problem p_;
  Executor& executor_;
  const std::size_t n_;
  Sweep sweep_ = Sweep::kAnew;
  bool began_ = false;
  AlignedArray<Real> sent_;   // by position: contributions; from the second sweep on: their last changes
  AlignedArray<Real> next_;   // of the part at work, row by row
  AlignedArray<Real> moved_;  // by node: during a sweep anew, changes of contributions
  std::vector<Totals> blocks_;
  std::vector<Part> parts_;
  Pool<Scratch> pool_;
  double lost_ = 0;  // changes that rounding will not pass on
};

}  // namespace plexus::internal
