// One iteration of 16 PageRanks at once over the same arcs.
//
// One PageRank uses little of every cache line it fetches: a line holds 16
// values of f32 and one is used. Here node v's line holds the contributions of v to 16
// rankings, so each line fetched is used whole, and the arcs are read once for all.
//
// A ranking that begins at few nodes reaches few in its first iterations. While that is so
// a sweep gets a bitmap of the lines that can be other than zero: it tests a bit an arc instead of
// fetching a line and leaves out all other rows. Leaving out zeros changes no sum, so no bit
// either.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/pagerank/internal/batch_layout.h"
#include "engine/parallel.h"

namespace plexus::pagerank::internal {

inline constexpr std::uint32_t kBatchWidth = 16;

struct alignas(64) Batch16 {
  std::array<float, kBatchWidth> at{};
};

// Where a lane's teleport goes; sorted by (position, lane).
struct BatchSeed {
  std::uint32_t position, lane;
  float share;
};

struct BatchPartial {
  std::array<double, kBatchWidth> step{};      // sum of |new - old|
  std::array<double, kBatchWidth> dangling{};  // mass on nodes without arcs
  double reached =
      0;  // strength of the nodes whose lines can be other than zero; a sparse step's only
};
BatchPartial Add(BatchPartial a, const BatchPartial& b);

// Arrays by position, of those with arcs. A node's line holds its contributions, score /
// strength; that of a node without out arcs, which no row reads, the scores themselves.
// So the scores need no array of their own, and `next` is where rows are summed.
struct BatchStep {
  double damping = 0;
  std::array<float, kBatchWidth> base{};     // mass that teleports, by lane
  std::array<float, kBatchWidth> uniform{};  // share of it that every node gets
  const std::vector<BatchSeed>* seeds = nullptr;
  const float* strength = nullptr;  // 0 = no out arcs
  const Batch16* now = nullptr;
  Batch16* next = nullptr;
  bool measured = true;  // the sums of |new - old| are wanted; else they are 0 and cost nothing
  // A sparse step, where both are given: bits by position, of the lines of `now` that can be
  // other than zero, and a place, all 0, for those of `next`. Other lines are neither read
  // nor written. REQUIRES that `uniform` is 0.
  const std::uint64_t* live = nullptr;
  std::uint64_t* live_next = nullptr;
  const Budget* budget = nullptr;  // polled between the blocks
};

// One block and segment of a step; compiled for three instruction levels (batch_work.h).
struct BatchTask {
  const BatchLayout* rows;
  const BatchStep* step;
  std::size_t block, segment;
  BatchPartial* partial;
};
void BatchWorkScalar(const BatchTask& task);
void BatchWorkAvx2(const BatchTask& task);
void BatchWorkAvx512(const BatchTask& task);

class BatchStepper {
 public:
  explicit BatchStepper(const BatchLayout& rows) : rows_(rows), partials_(rows.blocks().size()) {}
  // Nothing: the budget interrupted, and what `next` holds must be discarded.
  // All levels give the same bits. REQUIRES a level that the machine has.
  std::optional<BatchPartial> Step(const BatchStep& step, Executor& executor,
                                   SimdLevel level = SimdLevel::kBest);

 private:
  const BatchLayout& rows_;
  std::vector<BatchPartial> partials_;  // by block
};

}  // namespace plexus::pagerank::internal
