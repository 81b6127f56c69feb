// CsrSpmv: the sparse matrix-vector product over in-rows, read where they are.
//
// A loop per row mispredicts the end of nearly every row, which costs more than the row. So 64 rows
// are summed as one list of arcs, whose running sum is kept; a row's sum is the difference of two
// of its values. Groups of rows begin at multiples of 64, so a sum's bits depend on the rows of its
// group only: not on threads, nor on where rows lie.
//
// Values may be f32 as well; sums are f64. Rounding: of all rows see Rounding.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/common/internal/object_pool.h"
#include "engine/arrays/views.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"

namespace plexus::pagerank::internal {

// Rows by dense id: those of `out` and `in`, or of `live` where the delta touches them.
struct LiveCsr {
  CsrView out, in;
  const Snapshot* live = nullptr;  // null: `out` and `in` are all; else dense ids are NodeIds
  NodeId node_count = 0;
  // Packed rows: what they were packed from, where arcs are as stored there; for comparing with
  // earlier states.
  const Snapshot* packed_from = nullptr;
  const DenseView* numbering = nullptr;  // null: dense ids are NodeIds
  const ArcFilter* filter = nullptr;     // null: all arcs

  bool clean(Direction direction, NodeId v) const { return !live || live->clean(direction, v); }
  // fn(neighbor, weight) along a row.
  template <class Fn>
  void ForEachArc(Direction direction, NodeId v, Fn&& fn) const {
    if (!clean(direction, v)) {
      static const ArcFilter all = ArcFilter::All();
      live->ForEachArc(direction, v, all,
                       [&](const Arc& arc) { fn(arc.neighbor, static_cast<double>(arc.weight)); });
      return;
    }
    const CsrView& csr = direction == Direction::kOut ? out : in;
    const std::uint32_t end = csr.offsets[v + 1];
    for (std::uint32_t a = csr.offsets[v]; a < end; ++a)
      fn(csr.neighbors[a], static_cast<double>(csr.weight(a)));
  }
  // Rows that the delta may differ in from the base, ascending, and those the base has not.
  // O(delta).
  std::vector<NodeId> Touched(Direction direction) const;
  // Of a state of theirs, on the same base.
  const Snapshot* state() const { return live ? live : packed_from; }
  // Rows that may differ from those of an earlier state on the same base, ascending: those of the
  // runs that it has not. O(arcs of these). REQUIRES state().
  std::vector<NodeId> TouchedSince(const Snapshot& earlier, Direction direction) const;
  // As many rows were there in an earlier state, if none of its nodes went. O(log nodes).
  NodeId CountIn(const Snapshot& earlier) const;
  // fn(neighbor, weight) along a row as it was in an earlier state.
  template <class Fn>
  void ForEachArcIn(const Snapshot& earlier, Direction direction, NodeId v, Fn&& fn) const {
    const NodeId node = numbering ? numbering->node(v) : v;
    if (node >= earlier.node_count()) return;
    static const ArcFilter all = ArcFilter::All();
    earlier.ForEachArc(direction, node, filter ? *filter : all, [&](const Arc& arc) {
      const NodeId neighbor = numbering ? numbering->dense(arc.neighbor) : arc.neighbor;
      if (neighbor != kNoNode) fn(neighbor, static_cast<double>(arc.weight));
    });
  }
  std::uint64_t Degree(Direction direction, NodeId v) const {
    if (clean(direction, v)) return (direction == Direction::kOut ? out : in).degree(v);
    return live->Degree(direction, v, ArcFilter::All());
  }
};

// Sparse matrix-vector product, y = A'x, one block of in-rows at a time, over the csr (CsrSpmv) or
// over a tiled layout (BaseTileSpmv).
class Spmv {
 public:
  virtual ~Spmv() = default;
  // Blocks follow each other without gaps.
  virtual std::size_t block_count() const = 0;
  // First row of a block; of block_count(): how many rows there are.
  virtual std::size_t first_row(std::size_t block) const = 0;
  virtual std::size_t max_rows() const = 0;  // of a block
  // Where Pull looks for the value of a node, node by node from the block's first row on;
  // null: at its number.
  virtual const std::uint32_t* positions(std::size_t block) const = 0;
  // Before a parallel loop over blocks, of which `at_once` may be at work at a time: what Pull
  // needs is taken from what was reserved.
  virtual void Reserve(const Executor& executor, std::size_t at_once) = 0;
  // At most so much are all sums together off, as a share of the sum of all absolute terms.
  virtual double Rounding() const = 0;
  // sums[i] = sum over the arcs u -> row i of the block of the value of u times the arc's weight.
  // Callable from several threads at once.
  virtual void Pull(std::size_t block, const float* values, double* sums) = 0;
  virtual void Pull(std::size_t block, const double* values, double* sums) = 0;
};

class CsrSpmv final : public Spmv {
 public:
  static constexpr std::size_t kGroup = 64;
  static constexpr std::size_t kBlock = 16 * kGroup;  // rows
  // Keeps a reference to `rows`. O(nodes), and the arcs of groups that the delta touches.
  CsrSpmv(const LiveCsr& rows, bool weighted, Executor& executor);

  std::size_t block_count() const override { return (rows_.node_count + kBlock - 1) / kBlock; }
  std::size_t first_row(std::size_t block) const override {
    return std::min<std::size_t>(block * kBlock, rows_.node_count);
  }
  std::size_t max_rows() const override { return kBlock; }
  const std::uint32_t* positions(std::size_t) const override { return nullptr; }
  void Reserve(const Executor& executor, std::size_t at_once) override;

  // In a chunk of arcs an addition for every eight, seven at its end, three for every eight that
  // stay among them, and five for every row, below 600; and a row that continues into the next
  // chunk is carried over.
  double Rounding() const override {
    return 0x1p-53 * (720.0 + static_cast<double>(longest_) / kChunk);
  }

  void Pull(std::size_t block, const float* values, double* sums) override {
    PullBlock(block, values, sums);
  }
  void Pull(std::size_t block, const double* values, double* sums) override {
    PullBlock(block, values, sums);
  }

 private:
  static constexpr std::size_t kChunk = 2048;  // arcs
  struct Scratch {
    std::array<double, kChunk + 1> running;
    std::vector<double> terms;  // of a group that the delta touches
    std::array<std::uint32_t, kGroup> ends;
  };

  // Values: values[node] is a number.
  template <class Values>
  void PullBlock(std::size_t block, Values values, double* sums);
  template <bool kWeighted, class Values>
  void PullClean(std::size_t begin, std::size_t end, Values values, double* sums,
                 Scratch& scratch) const;
  template <class Values>
  void PullTouched(std::size_t begin, std::size_t end, std::span<const NodeId> touched,
                   Values values, double* sums, Scratch& scratch) const;

  const LiveCsr& rows_;
  const bool weighted_;
  const std::vector<NodeId> touched_;  // rows that the delta may differ in
  std::uint64_t max_arcs_ = 0;         // of a group with such a row
  std::uint64_t longest_ = 0;          // row
  common_internal::ObjectPool<Scratch> pool_;
};

}  // namespace plexus::pagerank::internal
