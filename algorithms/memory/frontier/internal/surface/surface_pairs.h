// The best never-composed pairs and sets of a pool, exactly.
//
// A threshold is guessed from the best pairs of a sample of the rows, the join finds all pairs
// above it, and while these are too few it falls. Within a guess the k-th best pair so far is the
// threshold of the next round.
// Private to algorithms/memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/memory/frontier/frontier.h"
#include "algorithms/memory/frontier/internal/frontier_cursor.h"
#include "algorithms/memory/frontier/internal/surface/surface_score.h"
#include "engine/parallel.h"

namespace plexus::memory::internal {

// Rows ascend; nodes do, too, so rows decide ties.
struct RankedRows {
  double score = 0;
  std::vector<Row> rows;
};
bool RanksBefore(const RankedRows& a, const RankedRows& b);
// Of the set that a page ended with.
RankedRows RowsOf(const SurfacePool& pool, const PageEnd& end);

struct ListQuery {
  std::size_t k = 10;
  const RankedRows* after = nullptr;  // only what ranks behind it; null: all
};

struct RankedList {
  std::vector<RankedRows> sets;  // best first
  bool truncated = false;
  bool more = false;  // There may be further ones.
  std::uint64_t compared = 0, scored = 0;
};

struct ScoredPair {
  double score = 0;
  Row a = 0, b = 0;  // a < b
  bool operator==(const ScoredPair&) const = default;
};
bool Better(const ScoredPair& x, const ScoredPair& y);

// What a pair must be to be listed, and the bar that it must pass.
struct PairBar {
  const SurfaceScore* score = nullptr;
  std::size_t k = 0;
  std::optional<ScoredPair> worst;  // of k pairs: others rank before it
  std::optional<ScoredPair> after;

  // Scores the pair; nothing when it is none to list.
  std::optional<ScoredPair> Try(Row a, Row b, std::uint64_t& scored) const;
};

RankedList TopPairs(const SurfaceScore& score, const ListQuery& query, Executor& executor);

// The best never-composed sets of three to five members, exactly.
//
// No set scores more than the mean worth of its pairs (surface_score.h). Where that is at least a
// threshold, taking out the member with the smallest sum of worths leaves a set of which the same
// holds, down to a pair. So all sets come from pairs worth the threshold, one member at a time, and
// the next member must have a pair with one of the others that is worth what the mean still needs.
// The threshold is guessed and falls, as for pairs.
//
// Sets whose pairs are all composed (closed wedges), asked for alone, are found in the ledger.
RankedList TopSets(const SurfaceScore& score, const ListQuery& query, Executor& executor);

// Parts of the pairs (i, j), i < j, in that order.
std::vector<PairParts> PartsOf(const SurfaceScore& score, std::span<const Row> members);
std::vector<NodeId> NodesOf(const SurfacePool& pool, std::span<const Row> rows);

}  // namespace plexus::memory::internal
