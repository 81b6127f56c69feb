// BlockGaussSeidel: PageRank over all rows again and again, in parts.
//
// Up to 16 ranges of nodes have their turn one after the other, each going by the scores that
// the ones before have just been given (block Gauss-Seidel; for PageRank: Gleich, Zhukov,
// Berkhin, 2004), which needs two thirds of the sweeps.
//
// The first sweep sums what all neighbours send. From then on a row is told only what has
// changed since its last turn, and every node has had one turn since: so each sweep sums the
// neighbours' last changes. Few bits of a change will do, if what they leave out is kept, counted
// as not passed on, and sent along at the next turn: eight (ChangeCodes), so that gathers come
// from the second-level cache. Scores stay f64. So that rows before and after a node's in the
// order have heard the same, the first sweep tells those after it of a change in as few bits.
// Where contributions are too far apart for eight bits, or changes hardly fall, they are sent as
// Real, and so where a layout puts most gathers next to each other.
//
// After every turn it is known what is not yet passed on: the changes sent at each part's last
// turn, and what all nodes keep.
//
// Sums follow rows and ids: bits depend on the graph and the scores alone. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "algorithms/common/internal/object_pool.h"
#include "algorithms/pagerank/internal/csr_spmv.h"
#include "algorithms/pagerank/internal/delta_quantization.h"
#include "algorithms/pagerank/internal/preparation.h"
#include "algorithms/pagerank/internal/spmv.h"
#include "engine/arrays/aligned_array.h"
#include "engine/parallel.h"

namespace plexus::pagerank_internal {
using namespace internal;

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
  // Nodes from which on changes go as codes: fewer f32 stay in the second-level cache themselves.
  static constexpr NodeId kCodedNodes = 1 << 18;

  struct Problem {
    Spmv& sums;  // of `rows`, or of a layout of theirs: for all sweeps but those in codes
    CsrSpmv& rows;
    std::span<const SeedShare> seeds;
    const AlignedArray<double>& reciprocal;  // of out-strengths, 0 = dangling
    std::vector<double>& scores;             // all of them, with any sum above 0
    std::uint64_t arcs = 0;
    double damping = 0.85;
    std::uint64_t part_work = kPartWork;  // less in tests
    NodeId coded_nodes = kCodedNodes;     // as this
  };
  // Memory: 11 to 13 bytes a node (Real = double: 15 to 21), 5 (9) a node of a part, 8 a row of a
  // block and thread. May throw std::bad_alloc.
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
  using Codes = ChangeCodes<Real>;
  // Of a block of rows, or a part.
  struct Totals {
    double scores = 0, dangling = 0, absolute = 0;
    double changes =
        0;  // of nodes with out-arcs, in absolute terms: what was sent at the last turn, and `kept`
    double kept = 0;  // of changes: what nobody has been told yet
    double home = 0;  // a part: what the teleport got all together, as its rows know it
  };
  struct Part {
    std::size_t first, last;  // blocks [first, last) of p_.sums
    NodeId begin, end;        // rows; `begin` is where a block of p_.rows begins
    Totals totals;
  };
  struct Scratch {
    AlignedArray<double> sums;  // of a block's rows
    AlignedArray<Real> values;
  };
  struct Lanes;
  // kAnew is followed by codes, where they do, kAnewReal by Real; in kFirstReal what was kept goes
  // along.
  enum class Sweep : std::uint8_t { kAnew, kAnewReal, kCoded, kFirstReal, kReal };

  Totals All() const;
  double Home(const Totals& t) const {
    return (1.0 - p_.damping) * t.scores + p_.damping * t.dangling;
  }
  void Contribute();
  void SendCodes(double enough);
  void RescaleCodes();
  template <class Value>
  void SendReals(Value&& value);
  template <Sweep kSweep>
  Totals SumRows(const Part& part, double home);
  template <Sweep kSweep>
  Totals FinishRows(std::size_t begin, std::size_t end, const double* sums, std::size_t next);
  void Place(std::size_t block, const Real* values);
  Totals Fold(std::size_t count) const;

  const Problem p_;
  Executor& executor_;
  const std::size_t n_;
  Sweep sweep_ = Sweep::kAnew;
  bool began_ = false;
  const bool coded_;              // codes are to be tried
  bool wide_;                     // changes go as Real: few nodes, or codes did not do
  double pending_ = 0;            // changes when the last sweep began
  typename Codes::Key base_ = 0;  // of the codes
  std::array<double, 256> table_{};
  AlignedArray<Real>
      sent_;  // by position: contributions as they were told; in a sweep of Real changes: those
  AlignedArray<std::uint8_t> codes_;  // by node: their last changes
  AlignedArray<float> kept_;          // by node: of its score, what nobody has been told yet
  AlignedArray<std::int16_t>
      moved_;  // by node: during kAnew, keys of what rows after it were told, with the sign
  AlignedArray<Real> moved_reals_;  // during kAnewReal, what they were told
  AlignedArray<Real> next_;         // of the part at work, row by row
  AlignedArray<std::uint8_t> next_codes_;
  std::vector<Totals> blocks_;
  std::vector<Part> parts_;
  ObjectPool<Scratch> pool_;
  double lost_ = 0;  // changes that will not be passed on
};

}  // namespace plexus::pagerank_internal
