// The first CommunityGraph: rows of any walk over arcs, equal neighbours added up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/common/internal/stop_flag.h"
#include "algorithms/community/internal/community_graph.h"

namespace plexus::community::internal {

// A row of at most 8 arcs whose walk lists neighbours in rising order, perhaps twice (out and
// in): found without a search. Any other order is right, too.
class SortedAccumulator {
 public:
  static constexpr std::uint64_t kMaxArcs = SmallAccumulator<false>::kMaxArcs;
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
  void ForEachAndClear(Fn&& fn) const {
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
  NodeId labels_[kMaxArcs];
  double sums_[kMaxArcs];
};

// What one block of rows is made with, and what it finds out.
struct RowRange {
  double least = std::numeric_limits<double>::infinity(), most = 0;  // sums of weights
  double strength = 0;                                               // of all rows
};

// The rows of one block, written one behind the other from `first` on. Of a block whose weights
// are all alike that weight is kept, and nothing is written: on most graphs without weights
// that is fresh memory saved.
class RowWriter {
 public:
  RowWriter(CommunityGraph& graph, std::uint64_t first)
      : graph_(graph), first_(first), at_(first) {}
  const RowRange& range() const { return range_; }
  bool written() const { return written_; }

  void Begin(NodeId v) {
    graph_.rows[v].begin = at_;
    loop_ = strength_ = 0;
  }
  void AddLoop(double weight) { loop_ += weight; }
  void Add(NodeId neighbor, double sum) {
    if (!written_ && range_.most > 0 && sum != range_.most) {
      std::fill(graph_.weights.data() + first_, graph_.weights.data() + at_, range_.most);
      written_ = true;
    }
    if (written_) graph_.weights[at_] = sum;
    graph_.neighbors[at_++] = neighbor;
    strength_ += sum;
    range_.least = std::min(range_.least, sum);
    range_.most = std::max(range_.most, sum);
  }
  void End(NodeId v) {
    graph_.rows[v].end = at_;
    graph_.loops[v] = loop_;
    graph_.strengths[v] = strength_ + loop_;
    range_.strength += strength_ + loop_;
  }

 private:
  CommunityGraph& graph_;
  const std::uint64_t first_;
  std::uint64_t at_;
  double loop_ = 0, strength_ = 0;
  RowRange range_;
  bool written_ = false;
};

// walk(v, fn) calls fn(u, weight) for everything at row v, in a fixed order and at most
// degrees[v] times; weights finite and >= 0, those of zero are left out. at(v, u, weight, put)
// calls put(row, weight) with the row that u is in, v itself for a loop, or not at all. Two u of
// one walk are in one row only when that is v. Short rows are added up by u, which need be no row.
// None when `budget` (null = none) interrupts, which is polled before every block of rows; its
// limits do not count.
template <class Walk, class At>
std::optional<CommunityGraph> SumRows(std::span<const std::uint64_t> degrees, Executor& executor,
                                      const Budget* budget, Walk&& walk, At&& at) {
  constexpr std::size_t kGrain = 1024;
  common_internal::StopFlag stop_flag(budget);
  if (stop_flag.Poll()) return std::nullopt;
  const auto nodes = static_cast<NodeId>(degrees.size());
  // Where the rows of a block begin in memory.
  std::vector<std::uint64_t> starts((nodes + kGrain - 1) / kGrain + 1, 0);
  std::uint64_t longest = 0;
  for (std::size_t block = 0, v = 0; block + 1 < starts.size(); ++block) {
    std::uint64_t arcs = 0;
    for (const std::size_t end = std::min<std::size_t>(nodes, v + kGrain); v < end; ++v) {
      arcs += degrees[v];
      longest = std::max(longest, degrees[v]);
    }
    starts[block + 1] = starts[block] + arcs;
  }
  common_internal::ObjectPool<SparseAccumulator> accumulators;
  accumulators.Reserve(executor, nodes);
  if (longest > SortedAccumulator::kMaxArcs)
    for (auto& accumulator : accumulators.idle()) accumulator->Resize<false>(nodes);
  std::vector<double> alike(starts.size() - 1, 0.0);
  CommunityGraph graph;
  graph.Reserve(nodes, starts.back());
  auto make = [&](std::size_t begin, std::size_t end) {
    if (stop_flag.Poll()) return RowRange();
    const auto accumulator = accumulators.Acquire();
    RowWriter writer(graph, starts[begin / kGrain]);
    for (auto v = static_cast<NodeId>(begin); v < end; ++v) {
      writer.Begin(v);
      if (degrees[v] <= SortedAccumulator::kMaxArcs) {
        SortedAccumulator row;
        walk(v, [&](NodeId u, double weight) {
          if (weight > 0) row.Add(u, weight);
        });
        row.ForEachAndClear([&](NodeId u, double sum) {
          at(v, u, sum, [&](NodeId there, double weight) {
            there == v ? writer.AddLoop(weight) : writer.Add(there, weight);
          });
        });
      } else {
        SparseAccumulator::Row<false> row(*accumulator);
        walk(v, [&](NodeId u, double one) {
          at(v, u, one, [&](NodeId there, double weight) {
            if (there == v)
              writer.AddLoop(weight);
            else if (weight > 0)
              row.Add(there, weight);
          });
        });
        row.ForEachAndClear([&](NodeId there, double sum) { writer.Add(there, sum); });
      }
      writer.End(v);
    }
    if (!writer.written()) alike[begin / kGrain] = writer.range().most;
    return writer.range();
  };
  const RowRange all = ParallelReduce(
      executor, nodes, kGrain, RowRange(), make, [](const RowRange& a, const RowRange& b) {
        return RowRange{std::min(a.least, b.least), std::max(a.most, b.most),
                        a.strength + b.strength};
      });
  if (stop_flag.stopped()) return std::nullopt;
  // All alike: counted in that unit, exactly.
  graph.unit = all.least >= all.most && starts.back() < (std::uint64_t{1} << 32);
  graph.total = all.strength;
  if (graph.unit && all.most > 0) {
    graph.weights = {};
    if (all.most != 1)
      graph.total = ParallelSum(executor, nodes, kGrain, [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (auto v = static_cast<NodeId>(begin); v < end; ++v) {
          graph.loops[v] /= all.most;
          sum += graph.strengths[v] = static_cast<double>(graph.degree(v)) + graph.loops[v];
        }
        return sum;
      });
  } else {
    ParallelFor(executor, nodes, kGrain, [&](std::size_t begin, std::size_t end) {
      if (const double weight = alike[begin / kGrain]; weight > 0)
        std::fill(graph.weights.data() + graph.rows[begin].begin,
                  graph.weights.data() + graph.rows[end - 1].end, weight);
    });
  }
  return graph;
}

// A walk over rows themselves.
template <class Walk>
std::optional<CommunityGraph> SumRows(std::span<const std::uint64_t> degrees, Executor& executor,
                                      const Budget* budget, Walk&& walk) {
  return SumRows(degrees, executor, budget, walk,
                 [](NodeId, NodeId u, double weight, auto&& put) { put(u, weight); });
}

}  // namespace plexus::community::internal
