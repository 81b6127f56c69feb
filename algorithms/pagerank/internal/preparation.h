// What PageRank of a Snapshot needs before the first iteration, for one seed set or
// many: checked options, the selection as dense arrays, out-strengths, the layout.
//
// What does not depend on the seeds is kept for the next calls with the same snapshot
// and options: with its state, the last few.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/pagerank/internal/batch_layout.h"
#include "algorithms/pagerank/internal/tile_layout.h"
#include "algorithms/pagerank/pagerank.h"

namespace plexus::pagerank::internal {

enum class PageRankUse : std::uint8_t { kOne, kSixteen };  // rankings in a sweep

// Holds no snapshot.
struct PageRankPrepared {
  // What it was prepared for.
  struct Key {
    EdgeKinds kinds;
    std::vector<EdgeKindId> reversed;
    std::int64_t valid_at = kNoTime;
    bool weighted = true;
    EdgeWeighting arc_weights;
    PageRankUse use = PageRankUse::kOne;
    bool operator==(const Key&) const = default;
  };
  Key key;
  // What was prepared.
  // The numbering, when it is not the base's own; with the in rows, when there is no layout.
  std::optional<DenseView> packed;
  std::uint64_t arcs = 0;
  bool weighted = true;           // some weight is not 1
  std::vector<double> strengths;  // sum of the out arcs' weights, by dense id
  int break_even_iterations = 0;  // of a layout for one; 0: never
  bool LayoutPays(int iterations) const {
    return break_even_iterations > 0 && iterations >= break_even_iterations;
  }
  std::shared_ptr<const PageRankTiles> layout;
  std::shared_ptr<const BatchLayout> lanes;
  std::uint64_t size_bytes() const;
};

// The dense view, and what belongs to it. A packed view has in rows only without a layout.
struct PageRankReady {
  DenseView view;
  std::shared_ptr<const PageRankPrepared> prepared;
  const PageRankTiles* layout = nullptr;  // null: pull
};

// Damping, tolerance and iterations, as pagerank.h has them.
Status CheckPageRankOptions(const PageRankOptions& options, PageRankUse use);

// kResourceExhausted: no memory for the layout.
Result<PageRankReady> PreparePageRank(const Snapshot& snapshot, const PageRankOptions& options,
                                      PageRankUse use, Executor& executor);

// f32 has 8 exponent bits: out-strengths far from 1 would flush scores to zero.
Status CheckF32Range(std::span<const float> reciprocals);

struct SeedShare {
  NodeId dense;
  double share;  // of the teleport; they sum to 1
};
// By rising dense id, a node once; `kinds` are those that selected the view. Errors: see
// pagerank.h.
Result<std::vector<SeedShare>> SeedShares(const Snapshot& snapshot, const DenseView& view,
                                          std::span<const NodeWeight> seeds,
                                          std::span<const EdgeKindId> kinds);

}  // namespace plexus::pagerank::internal
