// The network is made of what both ends reach: marks while nodes are found, places once they are;
// rows merged from sorted stretches. The cut is what the source reaches over what is left of it.
#include "algorithms/connectivity/connectivity.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "algorithms/common/internal/object_pool.h"
#include "algorithms/common/internal/selection.h"
#include "algorithms/common/internal/stop_flag.h"
#include "algorithms/common/internal/stored_edges.h"
#include "algorithms/connectivity/internal/flow_network.h"
#include "engine/out_of_memory.h"

namespace plexus::connectivity {

namespace {

constexpr std::uint32_t kOutside = 0xFFFFFFFFu;
constexpr int kSumBits = 61;
constexpr std::size_t kPollInterval = 1u << 12;  // nodes between looks at the budget
constexpr std::size_t kGrain = 1u << 10;         // rows of a block
constexpr std::size_t kLongList = 32;            // a list of more than 1/32 of the nodes is long

// The part of a snapshot between two nodes, made a FlowNetwork.
//
// First the nodes on some way from source to sink: what the source reaches and what of that
// reaches the sink. Reaching spreads from a list of nodes while that is short; when it is
// not, every node outside scans its neighbours for one inside, and stops at the first. Then rows
// are read twice in parallel: once for their lengths and the sum that decides the unit of
// capacities, once to write them, so that no array grows.
class NetworkBuilder {
 public:
  NetworkBuilder(const common_internal::Selection& selection, const MaxFlowOptions& options,
                 Executor& executor)
      : selection_(selection),
        options_(options),
        executor_(executor),
        places_(selection.snapshot->node_count(), kOutside) {}

  // Nodes on a way from source to sink, ascending; none when there is no way. False, here
  // and below: the budget ran out.
  bool FindNodes(NodeId source, NodeId sink) {
    constexpr std::uint32_t kAhead = 0, kOnTheWay = 1;  // marks, until they become places
    if (!PushReach(source, ahead(), kOutside, kAhead)) return false;
    if (places_[sink] == kOutside) return true;
    if (!PushReach(sink, behind(), kAhead, kOnTheWay)) return false;
    for (NodeId v = 0; v < places_.size(); ++v) {
      if (places_[v] == kOnTheWay) nodes_.push_back(v);
      places_[v] =
          places_[v] == kOnTheWay ? static_cast<std::uint32_t>(nodes_.size() - 1) : kOutside;
    }
    network_.source = places_[source];
    network_.sink = places_[sink];
    return true;
  }

  // REQUIRES nodes. kResourceExhausted: more than kMaxPairs pairs.
  Result<bool> MakeArcs() {
    common_internal::ObjectPool<Scratch> scratches;
    scratches.Reserve(executor_, nodes_.size());
    common_internal::StopFlag stop_flag(&options_.run.budget);
    std::vector<std::uint32_t>& offsets = network_.offsets;
    offsets.assign(nodes_.size() + 1, 0);
    const double sum =
        ParallelSum(executor_, nodes_.size(), kGrain, [&](std::size_t begin, std::size_t end) {
          double weights = 0;
          if (stop_flag.Poll()) return weights;
          const auto scratch = scratches.Acquire();
          for (auto u = static_cast<std::uint32_t>(begin); u < end; ++u) {
            ReadRow(u, *scratch, [&](const Arc& arc) {
              weights += static_cast<double>(arc.weight);
              return 1;
            });
            offsets[u + std::size_t{1}] = static_cast<std::uint32_t>(scratch->row.size());
          }
          return weights;
        });
    if (stop_flag.stopped()) return false;
    if (!options_.unit_capacities) shift_ = kSumBits - 1 - std::ilogb(sum);
    std::uint64_t arcs = 0;
    for (std::size_t u = 1; u < offsets.size(); ++u) {
      arcs += offsets[u];
      offsets[u] = static_cast<std::uint32_t>(arcs);
      if (arcs > 2 * MaxFlowResult::kMaxPairs)
        return Exhausted("more than ", MaxFlowResult::kMaxPairs,
                         " pairs of neighbours lie between source and sink");
    }
    network_.targets = AlignedArray<std::uint32_t>(arcs);
    network_.reverse = AlignedArray<std::uint32_t>(arcs);
    network_.capacities = AlignedArray<std::int64_t>(arcs);
    rounded_ =
        ParallelSum(executor_, nodes_.size(), kGrain, [&](std::size_t begin, std::size_t end) {
          std::uint64_t rounded = 0;
          if (stop_flag.Poll()) return rounded;
          const auto scratch = scratches.Acquire();
          for (auto u = static_cast<std::uint32_t>(begin); u < end; ++u) {
            ReadRow(u, *scratch, [&](const Arc& arc) { return Capacity(arc, rounded); });
            std::uint32_t a = offsets[u];
            for (const Side& side : scratch->row) {
              network_.targets[a] = side.target;
              network_.capacities[a++] = side.capacity;
            }
          }
          return rounded;
        });
    if (stop_flag.stopped()) return false;
    // Rows are sorted, so the arcs that arrive at a node come in the order of its row.
    std::vector<std::uint32_t> next(offsets.begin(), offsets.end() - 1);
    for (std::uint32_t u = 0; u < nodes_.size(); ++u) {
      if (u % kPollInterval == 0 && options_.run.budget.Interrupted()) return false;
      const std::uint32_t* begin = network_.targets.data() + offsets[u];
      const std::uint32_t* end = network_.targets.data() + offsets[u + std::size_t{1}];
      for (const std::uint32_t* target = std::upper_bound(begin, end, u); target < end; ++target) {
        const auto a = static_cast<std::uint32_t>(target - network_.targets.data());
        const std::uint32_t b = next[*target]++;
        network_.reverse[a] = b;
        network_.reverse[b] = a;
      }
    }
    return true;
  }

  // Of the network once its capacities are what a maximum flow leaves: the source's side of
  // the cut, by place; and the edges from there to the other side.
  std::vector<bool> SourceSide() const {
    std::vector<bool> reached(nodes_.size());
    std::vector<std::uint32_t> queue = {network_.source};
    reached[network_.source] = true;
    for (std::size_t head = 0; head < queue.size(); ++head)
      for (std::uint32_t a = network_.offsets[queue[head]];
           a < network_.offsets[queue[head] + std::size_t{1}]; ++a)
        if (const std::uint32_t v = network_.targets[a];
            network_.capacities[a] > 0 && !reached[v]) {
          reached[v] = true;
          queue.push_back(v);
        }
    return reached;
  }
  std::vector<PathEdge> CutEdges(const std::vector<bool>& source_side) const {
    std::vector<PathEdge> cut;
    for (std::uint32_t u = 0; u < nodes_.size(); ++u)
      if (source_side[u])
        ForEachArc(ahead(), u, [&](std::uint32_t v, const Arc& arc) {
          if (!source_side[v])
            cut.push_back(common_internal::EdgeOf(*selection_.snapshot, arc, nodes_[u]));
        });
    return cut;
  }

  const std::vector<NodeId>& nodes() const { return nodes_; }
  internal::FlowNetwork& network() { return network_; }
  std::uint64_t pairs() const { return network_.targets.size() / 2; }
  double InWeights(std::int64_t units) const {
    return std::ldexp(static_cast<double>(units), -shift_);
  }
  double error() const { return InWeights(static_cast<std::int64_t>(rounded_)); }

 private:
  struct Side {
    std::uint32_t target;
    std::int64_t capacity;  // 0: there is an edge the other way
  };
  struct Scratch {
    std::vector<Side> ahead, behind, row, other;
    std::vector<std::size_t> starts;  // of the stretches, and where the last one ends

    static bool Nearer(const Side& a, const Side& b) { return a.target < b.target; }
    // A row comes as a few sorted stretches, one a kind and label: they are merged.
    void Sort(std::vector<Side>& sides) {
      while (true) {
        starts.assign(1, 0);
        for (std::size_t i = 1; i < sides.size(); ++i)
          if (Nearer(sides[i], sides[i - 1])) starts.push_back(i);
        if (starts.size() == 1) return;
        starts.push_back(sides.size());
        other.resize(sides.size());
        for (std::size_t s = 0; s + 1 < starts.size(); s += 2) {
          const std::size_t begin = starts[s], middle = starts[s + 1],
                            end = s + 2 < starts.size() ? starts[s + 2] : middle;
          const auto at = [&](std::size_t i) {
            return sides.begin() + static_cast<std::ptrdiff_t>(i);
          };
          std::merge(at(begin), at(middle), at(middle), at(end),
                     other.begin() + static_cast<std::ptrdiff_t>(begin), Nearer);
        }
        sides.swap(other);
      }
    }
  };

  Direction ahead() const { return options_.undirected ? Direction::kBoth : Direction::kOut; }
  Direction behind() const { return options_.undirected ? Direction::kBoth : Direction::kIn; }
  bool carries(const Arc& arc) const { return arc.weight > 0 || options_.unit_capacities; }

  // Turns the mark `from` of what is reached into `to`.
  bool PushReach(NodeId start, Direction direction, std::uint32_t from, std::uint32_t to) {
    const Direction back = Opposite(direction);
    std::vector<NodeId> list = {start}, next;
    places_[start] = to;
    while (!list.empty()) {
      if (list.size() > places_.size() / kLongList) {
        if (!PullReach(back, from, to, list)) return false;
        continue;
      }
      next.clear();
      for (std::size_t i = 0; i < list.size(); ++i) {
        if (i % kPollInterval == 0 && options_.run.budget.Interrupted()) return false;
        selection_.snapshot->ForEachArc(direction, list[i], selection_.filter, [&](const Arc& arc) {
          if (!carries(arc) || places_[arc.neighbor] != from) return;
          if (from == kOutside && !selection_.contains(arc.neighbor)) return;
          places_[arc.neighbor] = to;
          next.push_back(arc.neighbor);
        });
      }
      list.swap(next);
    }
    return true;
  }

  // Nodes marked `from` that have a neighbour marked `to` are marked so, too, and make the new
  // list. Which of them another one sees at once depends on threads, what is reached in the
  // end does not.
  bool PullReach(Direction direction, std::uint32_t from, std::uint32_t to,
                 std::vector<NodeId>& list) {
    common_internal::StopFlag stop_flag(&options_.run.budget);
    std::vector<NodeId> found(places_.size());
    std::vector<std::size_t> counts((places_.size() + kPollInterval - 1) / kPollInterval);
    ParallelFor(executor_, places_.size(), kPollInterval, [&](std::size_t begin, std::size_t end) {
      if (stop_flag.Poll()) return;
      std::size_t count = 0;
      for (auto v = static_cast<NodeId>(begin); v < end; ++v) {
        std::atomic_ref<std::uint32_t> mark(places_[v]);
        if (mark.load(std::memory_order_relaxed) != from ||
            (from == kOutside && !selection_.contains(v)))
          continue;
        bool reached = false;
        selection_.snapshot->ForEachArc(direction, v, selection_.filter, [&](const Arc& arc) {
          std::atomic_ref<std::uint32_t> theirs(places_[arc.neighbor]);
          reached = carries(arc) && theirs.load(std::memory_order_relaxed) == to;
          return !reached;
        });
        if (!reached) continue;
        mark.store(to, std::memory_order_relaxed);
        found[begin + count++] = v;
      }
      counts[begin / kPollInterval] = count;
    });
    if (stop_flag.stopped()) return false;
    list.clear();
    for (std::size_t block = 0; block < counts.size(); ++block) {
      const auto first = found.begin() + static_cast<std::ptrdiff_t>(block * kPollInterval);
      list.insert(list.end(), first, first + static_cast<std::ptrdiff_t>(counts[block]));
    }
    return true;
  }

  // fn(place of the neighbour, arc) for arcs inside the network that carry something.
  template <class Fn>
  void ForEachArc(Direction direction, std::uint32_t u, Fn&& fn) const {
    selection_.snapshot->ForEachArc(direction, nodes_[u], selection_.filter, [&](const Arc& arc) {
      const std::uint32_t v = places_[arc.neighbor];
      if (v != kOutside && v != u && carries(arc)) fn(v, arc);
    });
  }

  // scratch.row: the neighbours of u, ascending, each with what arcs carry there in all.
  template <class Fn>
  void ReadRow(std::uint32_t u, Scratch& scratch, Fn&& capacity) const {
    scratch.ahead.clear();
    scratch.behind.clear();
    ForEachArc(ahead(), u, [&](std::uint32_t v, const Arc& arc) {
      scratch.ahead.push_back({v, capacity(arc)});
    });
    if (!options_.undirected)
      ForEachArc(Direction::kIn, u,
                 [&](std::uint32_t v, const Arc&) { scratch.behind.push_back({v, 0}); });
    scratch.Sort(scratch.ahead);
    scratch.Sort(scratch.behind);
    std::vector<Side>& row = scratch.row;
    row.resize(scratch.ahead.size() + scratch.behind.size());
    std::merge(scratch.ahead.begin(), scratch.ahead.end(), scratch.behind.begin(),
               scratch.behind.end(), row.begin(), Scratch::Nearer);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (kept > 0 && row[i].target == row[kept - 1].target)
        row[kept - 1].capacity += row[i].capacity;
      else
        row[kept++] = row[i];
    }
    row.resize(kept);
  }

  std::int64_t Capacity(const Arc& arc, std::uint64_t& rounded) const {
    if (options_.unit_capacities) return 1;
    const double exact = std::ldexp(static_cast<double>(arc.weight), shift_);
    const std::int64_t units = std::max<std::int64_t>(1, std::llround(exact));
    rounded += static_cast<double>(units) != exact;
    return units;
  }

  const common_internal::Selection& selection_;
  const MaxFlowOptions& options_;
  Executor& executor_;
  std::vector<std::uint32_t> places_;  // by NodeId: place in nodes_; before, marks
  std::vector<NodeId> nodes_;
  internal::FlowNetwork network_;
  int shift_ = 0;
  std::uint64_t rounded_ = 0;  // arcs, each by less than a unit
};

}  // namespace

Result<MaxFlowResult> MaxFlow(const Snapshot& snapshot, NodeId source, NodeId sink,
                              const MaxFlowOptions& options) try {
  if (source == sink) return Invalid("source and sink are the same node");
  const NodeId ends[] = {source, sink};
  PLEXUS_ASSIGN(const NodeSubset with,
                common_internal::WithSources(snapshot, options.filter.subset, ends));
  PLEXUS_ASSIGN(
      const common_internal::Selection selection,
      common_internal::Select(snapshot, GraphFilter{options.filter.kinds, options.filter.valid_at,
                                                    options.filter.subset ? &with : nullptr}));
  MaxFlowResult result;
  for (const NodeId end : ends)
    if (!selection.contains(end)) return result;  // an index node, and only facts are followed
  NetworkBuilder builder(selection, options, common_internal::Pick(options.run.executor));
  result.truncated = !builder.FindNodes(source, sink);
  if (builder.nodes().empty()) return result;
  PLEXUS_ASSIGN(const bool made, builder.MakeArcs());
  result.truncated = !made;
  if (!made) return result;
  result.nodes = builder.nodes().size();
  result.pairs = builder.pairs();
  std::int64_t flow = 0;
  if (!internal::AugmentPaths(builder.network(), options.run.budget, flow)) {
    result.truncated = true;
    return result;
  }
  result.flow = builder.InWeights(flow);
  result.error = builder.error();
  const std::vector<bool> source_side = builder.SourceSide();
  result.source_side =
      static_cast<std::uint64_t>(std::count(source_side.begin(), source_side.end(), true));
  result.cut = builder.CutEdges(source_side);
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::connectivity
