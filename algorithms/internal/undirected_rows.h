// The first CommunityGraph: rows of any walk over arcs, equal neighbours added up.
//
// Not every node needs a row. One without arcs is a community of its own. And one without
// a loop whose only neighbour is u (asked of nodes with at most 8 arcs) belongs to u's community whenever the resolution is at most 1: with
// w between them it gains w by being there, and pays resolution * w K / 2m, K < 2m being
// the strength of the others in the community (Arenas, Duch, Fernandez, Gomez, "Size
// reduction of complex networks preserving modularity", 2007). So it shares u's row, as if
// an aggregation had joined them, and no best partition is lost.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/budget.h"
#include "algorithms/internal/community_graph.h"
#include "algorithms/internal/halt.h"

namespace plexus::internal {

// An order of nodes in which the busy ones stand together, so that what most arcs point
// to stays in the cache: by quarter octaves of degree, falling, then by id. Empty where
// degrees are even and the ids' own order is worth more (a rule on the graph, as
// triangles have it: the mean square degree is at most twice the squared mean).
std::vector<NodeId> HubsFirst(const std::vector<std::uint64_t>& degrees);

// Which node of the caller's is in which row.
struct Places {
  static constexpr NodeId kAlone = kNoNode - 1;
  std::vector<NodeId> rows;            // by node; kAlone = has none, kNoNode = not selected
  std::vector<NodeId> nodes;           // by row: the node that it is named by
  std::vector<std::uint64_t> degrees;  // by row: at most so many arcs, nodes that share it not counted
};

// The second half of MakePlaces, once the only neighbours are known; none: every selected node has a row.
Places PlaceRows(NodeId all, std::vector<NodeId> selected, const std::vector<std::uint64_t>& degrees,
                 const std::vector<NodeId>& only);

// `selected`: nodes below `all`, ascending; degrees[i]: the arcs of selected[i], at least
// as many as walk(selected[i], fn) calls fn(neighbour, weight) for, loops included; it may
// stop when fn returns false.
// fold: nodes with one neighbour and no loop share its row, nodes with no arcs have none;
// only nodes of up to kFoldedDegree arcs, parallel ones counted, are asked. None when `budget` (null = none) says to stop.
inline constexpr std::uint64_t kFoldedDegree = 8;
template <class Walk>
std::optional<Places> MakePlaces(NodeId all, std::vector<NodeId> selected, const std::vector<std::uint64_t>& degrees,
                                 bool fold, Executor& executor, const Budget* budget, Walk&& walk) {
  constexpr std::size_t kGrain = 4096;
  std::vector<NodeId> only(fold ? all : 0, kNoNode);  // the one neighbour
  Halt halt(budget);
  if (halt.Look()) return std::nullopt;
  ParallelFor(executor, fold ? selected.size() : 0, kGrain, [&](std::size_t begin, std::size_t end) {
    if (halt.Look()) return;
    for (std::size_t i = begin; i < end; ++i) {
      if (degrees[i] == 0 || degrees[i] > kFoldedDegree) continue;
      NodeId one = kNoNode;
      bool same = true;
      double sum = 0;
      walk(selected[i], [&](NodeId u, double weight) {
        same &= u != selected[i] && (one == kNoNode || one == u);
        one = u;
        sum += weight;
        return same;
      });
      if (same && sum > 0) only[selected[i]] = one;
    }
  });
  if (halt.said()) return std::nullopt;
  return PlaceRows(all, std::move(selected), degrees, only);
}

// A row of at most 8 arcs whose walk lists neighbours in rising order, perhaps twice (out and
// in): found without a search. Any other order is right, too.
class ListedRow {
 public:
  static constexpr std::uint64_t kMost = ShortRow<false>::kMost;
  void Add(NodeId label, double weight) {
    if (next_ < count_ && labels_[next_] == label) {
      sums_[next_++] += weight;
    } else if (rising_ && (count_ == 0 || label > labels_[count_ - 1])) {
      labels_[count_] = label;
      sums_[count_++] = weight;
    } else {
      Search(label, weight);
    }
  }
  template <class Fn>
  void Drain(Fn&& fn) const {
    for (NodeId i = 0; i < count_; ++i) fn(labels_[i], sums_[i]);
  }

 private:
  void Search(NodeId label, double weight) {
    for (NodeId i = 0; i < count_; ++i)
      if (labels_[i] == label) {
        sums_[i] += weight;
        next_ = i + 1;
        return;
      }
    rising_ = false;
    labels_[count_] = label;
    sums_[count_++] = weight;
  }

  NodeId count_ = 0, next_ = 0;  // next_: behind the one found last
  bool rising_ = true;
  NodeId labels_[kMost];
  double sums_[kMost];
};

// walk(v, fn) calls fn(u, weight) for everything at row v, in a fixed order and at most
// degrees[v] times; weights finite and >= 0, those of zero are left out, those with u == v
// go to the loops. None when `budget` (null = none) says to stop, which is asked before
// every block of rows; how much it allows to look at does not count.
template <class Walk>
std::optional<CommunityGraph> SumRows(const std::vector<std::uint64_t>& degrees, Executor& executor, const Budget* budget,
                                      Walk&& walk) {
  constexpr std::size_t kGrain = 1024;
  struct Range {
    double least = std::numeric_limits<double>::infinity(), most = 0;
  };
  Halt halt(budget);
  if (halt.Look()) return std::nullopt;
  const auto nodes = static_cast<NodeId>(degrees.size());
  // Where the rows of a block begin in memory.
  std::vector<std::uint64_t> starts = {0};
  std::uint64_t most = 0;
  for (NodeId v = 0; v < nodes; ++v) {
    if (v % kGrain == 0) starts.push_back(starts.back());
    starts.back() += degrees[v];
    most = std::max(most, degrees[v]);
  }
  Pool<Tally> tallies;
  tallies.Reserve(executor, nodes);
  if (most > ListedRow::kMost)
    for (auto& tally : tallies.idle()) tally->Resize<false>(nodes);
  // Of a block whose weights are all alike that weight is kept, and nothing is written: on
  // most graphs without weights that is fresh memory saved.
  std::vector<double> alike(starts.size() - 1, 0.0);
  CommunityGraph graph;
  graph.Reserve(nodes, starts.back(), true);
  const Range weights = ParallelReduce(
      executor, nodes, kGrain, Range(),
      [&](std::size_t begin, std::size_t end) {
        Range range;
        if (halt.Look()) return range;
        auto tally = tallies.Take();
        const std::uint64_t first = starts[begin / kGrain];
        std::uint64_t at = first;
        bool written = false;
        for (auto v = static_cast<NodeId>(begin); v < end; ++v) {
          double loop = 0, strength = 0;
          graph.rows[v].begin = at;
          auto sum_up = [&](auto&& row) {
            walk(v, [&](NodeId u, double weight) {
              if (u == v)
                loop += weight;
              else if (weight > 0)
                row.Add(u, weight);
            });
            row.Drain([&](NodeId u, double sum) {
              if (!written && range.most > 0 && sum != range.most) {
                std::fill(graph.weights.data() + first, graph.weights.data() + at, range.most);
                written = true;
              }
              if (written) graph.weights[at] = sum;
              graph.neighbors[at++] = u;
              strength += sum;
              range.least = std::min(range.least, sum);
              range.most = std::max(range.most, sum);
            });
          };
          if (degrees[v] <= ListedRow::kMost) sum_up(ListedRow());
          else sum_up(Tally::Row<false>(*tally));
          graph.rows[v].end = at;
          graph.loops[v] = loop;
          graph.strengths[v] = strength + loop;
        }
        if (!written) alike[begin / kGrain] = range.most;
        tallies.Give(std::move(tally));
        return range;
      },
      [](Range a, Range b) { return Range{std::min(a.least, b.least), std::max(a.most, b.most)}; });
  if (halt.said()) return std::nullopt;
  // All alike: counted in that unit, exactly.
  graph.unit = weights.least >= weights.most && starts.back() < (std::uint64_t{1} << 32);
  if (graph.unit && weights.most > 0) {
    for (NodeId v = 0; v < nodes; ++v) {
      graph.loops[v] /= weights.most;
      graph.strengths[v] = static_cast<double>(graph.degree(v)) + graph.loops[v];
    }
    graph.weights = AlignedArray<double>();
  } else {
    ParallelFor(executor, nodes, kGrain, [&](std::size_t begin, std::size_t end) {
      if (const double weight = alike[begin / kGrain]; weight > 0)
        std::fill(graph.weights.data() + graph.rows[begin].begin, graph.weights.data() + graph.rows[end - 1].end, weight);
    });
  }
  for (NodeId v = 0; v < nodes; ++v) graph.total += graph.strengths[v];
  return graph;
}

}  // namespace plexus::internal
