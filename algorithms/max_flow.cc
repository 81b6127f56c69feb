// The network is made of what both ends reach; the cut is what the source reaches over
// what is left of it.
#include "algorithms/max_flow.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "algorithms/internal/arc_edges.h"
#include "algorithms/internal/flow_network.h"
#include "algorithms/internal/selection.h"

namespace plexus {

namespace {

constexpr std::uint32_t kOutside = 0xFFFFFFFFu;
constexpr int kSumBits = 61;
constexpr std::size_t kLook = 1u << 12;  // nodes between looks at the budget

struct Side {
  std::uint32_t target;
  std::int64_t capacity;  // 0: there is an edge the other way
};

bool Nearer(const Side& a, const Side& b) { return a.target < b.target; }

// A row comes as a few sorted stretches, one a kind and label: they are merged.
class RowOrder {
 public:
  void Sort(std::vector<Side>& row) {
    while (true) {
      starts_.assign(1, 0);
      for (std::size_t i = 1; i < row.size(); ++i)
        if (Nearer(row[i], row[i - 1])) starts_.push_back(i);
      if (starts_.size() == 1) return;
      starts_.push_back(row.size());
      other_.resize(row.size());
      for (std::size_t s = 0; s + 1 < starts_.size(); s += 2) {
        const std::size_t begin = starts_[s], middle = starts_[s + 1], end = s + 2 < starts_.size() ? starts_[s + 2] : middle;
        const auto at = [&](std::size_t i) { return row.begin() + static_cast<std::ptrdiff_t>(i); };
        std::merge(at(begin), at(middle), at(middle), at(end), other_.begin() + static_cast<std::ptrdiff_t>(begin), Nearer);
      }
      row.swap(other_);
    }
  }

 private:
  std::vector<std::size_t> starts_;  // of the stretches, and where the last one ends
  std::vector<Side> other_;
};

class Builder {
 public:
  Builder(const internal::Selection& selection, const MaxFlowOptions& options)
      : selection_(selection), options_(options), places_(selection.snapshot->node_count(), kOutside) {}

  // Nodes on a way from source to sink, ascending; none when there is no way. False, here
  // and below: the budget ran out.
  bool FindNodes(NodeId source, NodeId sink) {
    const Direction ahead = options_.undirected ? Direction::kBoth : Direction::kOut;
    const Direction behind = options_.undirected ? Direction::kBoth : Direction::kIn;
    constexpr std::uint32_t kAhead = 0, kOnTheWay = 1;  // marks, until they become places
    if (!Spread(source, ahead, kOutside, kAhead)) return false;
    if (places_[sink] == kOutside) return true;
    if (!Spread(sink, behind, kAhead, kOnTheWay)) return false;
    for (NodeId v = 0; v < places_.size(); ++v) {
      if (places_[v] == kOnTheWay) nodes_.push_back(v);
      places_[v] = places_[v] == kOnTheWay ? static_cast<std::uint32_t>(nodes_.size() - 1) : kOutside;
    }
    network_.source = places_[source];
    network_.sink = places_[sink];
    return true;
  }

  Result<bool> MakeArcs() {
    if (!ChooseUnit()) return false;
    // Growing would touch all memory twice, and first touches are what this costs.
    const std::uint64_t room = std::min(2 * arcs_, 2 * MaxFlowResult::kMostPairs);
    network_.arcs.reserve(room);
    network_.capacities.reserve(room);
    std::vector<Side> ahead, behind, row;
    RowOrder order;
    network_.offsets.push_back(0);
    for (std::uint32_t u = 0; u < nodes_.size(); ++u) {
      if (u % kLook == 0 && options_.budget.Interrupted()) return false;
      ahead.clear();
      behind.clear();
      ForEachArc(options_.undirected ? Direction::kBoth : Direction::kOut, u,
                 [&](std::uint32_t v, const Arc& arc) { ahead.push_back({v, Capacity(arc)}); });
      if (!options_.undirected)
        ForEachArc(Direction::kIn, u, [&](std::uint32_t v, const Arc&) { behind.push_back({v, 0}); });
      order.Sort(ahead);
      order.Sort(behind);
      row.resize(ahead.size() + behind.size());
      std::merge(ahead.begin(), ahead.end(), behind.begin(), behind.end(), row.begin(), Nearer);
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (i == 0 || row[i].target != row[i - 1].target) {
          network_.arcs.push_back({u, row[i].target});
          network_.capacities.push_back(0);
        }
        network_.capacities.back() += row[i].capacity;
      }
      if (network_.arcs.size() > 2 * MaxFlowResult::kMostPairs)
        return Fail(ErrorCode::kResourceExhausted, "more than " + std::to_string(MaxFlowResult::kMostPairs) +
                                                       " pairs of neighbours lie between source and sink");
      network_.offsets.push_back(static_cast<std::uint32_t>(network_.arcs.size()));
    }
    // Rows are sorted, so the arcs that arrive at a node come in the order of its row.
    network_.reverse.resize(network_.arcs.size());
    std::vector<std::uint32_t> next(network_.offsets.begin(), network_.offsets.end() - 1);
    for (std::uint32_t a = 0; a < network_.arcs.size(); ++a) network_.reverse[a] = next[network_.arcs[a].second]++;
    return true;
  }

  // The source's side of the cut, by place, when the capacities are what is left of them.
  std::vector<bool> SourceSide() const {
    std::vector<bool> reached(nodes_.size());
    std::vector<std::uint32_t> queue = {network_.source};
    reached[network_.source] = true;
    for (std::size_t head = 0; head < queue.size(); ++head)
      for (std::uint32_t a = network_.offsets[queue[head]]; a < network_.offsets[queue[head] + std::size_t{1}]; ++a)
        if (const std::uint32_t v = network_.arcs[a].second; network_.capacities[a] > 0 && !reached[v]) {
          reached[v] = true;
          queue.push_back(v);
        }
    return reached;
  }

  std::vector<PathEdge> CutEdges(const std::vector<bool>& source_side) const {
    std::vector<PathEdge> cut;
    for (std::uint32_t u = 0; u < nodes_.size(); ++u)
      if (source_side[u])
        ForEachArc(options_.undirected ? Direction::kBoth : Direction::kOut, u, [&](std::uint32_t v, const Arc& arc) {
          if (!source_side[v]) cut.push_back(internal::EdgeOf(*selection_.snapshot, arc, nodes_[u]));
        });
    return cut;
  }

  const std::vector<NodeId>& nodes() const { return nodes_; }
  internal::FlowNetwork& network() { return network_; }
  double InWeights(std::int64_t units) const { return std::ldexp(static_cast<double>(units), -shift_); }
  double error() const { return InWeights(static_cast<std::int64_t>(rounded_)); }

 private:
  // Turns the mark `from` of what is reached into `to`.
  bool Spread(NodeId start, Direction direction, std::uint32_t from, std::uint32_t to) {
    std::vector<NodeId> queue = {start};
    places_[start] = to;
    for (std::size_t head = 0; head < queue.size(); ++head) {
      if (head % kLook == 0 && options_.budget.Interrupted()) return false;
      selection_.snapshot->ForEachArc(direction, queue[head], selection_.filter, [&](const Arc& arc) {
        if (!(arc.weight > 0 || options_.unit_capacities) || places_[arc.neighbor] != from) return;
        if (from == kOutside && !selection_.contains(arc.neighbor)) return;
        places_[arc.neighbor] = to;
        queue.push_back(arc.neighbor);
      });
    }
    return true;
  }

  // fn(place of the neighbour, arc) for arcs inside the network that carry something.
  template <class Fn>
  void ForEachArc(Direction direction, std::uint32_t u, Fn&& fn) const {
    selection_.snapshot->ForEachArc(direction, nodes_[u], selection_.filter, [&](const Arc& arc) {
      const std::uint32_t v = places_[arc.neighbor];
      if (v != kOutside && v != u && (arc.weight > 0 || options_.unit_capacities)) fn(v, arc);
    });
  }

  // Looks at all arcs once: how many, and the unit that keeps their sum in range.
  bool ChooseUnit() {
    double sum = 0;
    for (std::uint32_t u = 0; u < nodes_.size(); ++u) {
      if (u % kLook == 0 && options_.budget.Interrupted()) return false;
      ForEachArc(options_.undirected ? Direction::kBoth : Direction::kOut, u,
                 [&](std::uint32_t, const Arc& arc) {
                   sum += static_cast<double>(arc.weight);
                   ++arcs_;
                 });
    }
    if (options_.undirected) arcs_ /= 2;  // each was met at both ends; a loop is in neither
    if (options_.unit_capacities) return true;
    shift_ = kSumBits - 1 - std::ilogb(sum);
    return true;
  }

  std::int64_t Capacity(const Arc& arc) {
    if (options_.unit_capacities) return 1;
    const double exact = std::ldexp(static_cast<double>(arc.weight), shift_);
    const std::int64_t units = std::max<std::int64_t>(1, std::llround(exact));
    rounded_ += static_cast<double>(units) != exact;
    return units;
  }

  const internal::Selection& selection_;
  const MaxFlowOptions& options_;
  std::vector<std::uint32_t> places_;  // by NodeId: place in nodes_
  std::vector<NodeId> nodes_;
  internal::FlowNetwork network_;
  int shift_ = 0;
  std::uint64_t arcs_ = 0;     // inside the network; at least as many as pairs
  std::uint64_t rounded_ = 0;  // arcs, each by less than a unit
};

}  // namespace

Result<MaxFlowResult> MaxFlow(const Snapshot& snapshot, NodeId source, NodeId sink, const MaxFlowOptions& options) {
  if (source == sink) return Fail(ErrorCode::kInvalidArgument, "source and sink are the same node");
  const NodeId ends[] = {source, sink};
  PLEXUS_ASSIGN(const NodeSubset with, internal::WithSources(snapshot, options.subset, ends));
  PLEXUS_ASSIGN(const internal::Selection selection,
                internal::Select(snapshot, options.kinds, options.valid_at, options.subset ? &with : nullptr));
  for (const NodeId end : ends)
    if (!selection.contains(end))
      return Fail(ErrorCode::kInvalidArgument, "node id " + std::to_string(end) + " is not among the selected nodes");
  MaxFlowResult result;
  Builder builder(selection, options);
  result.truncated = !builder.FindNodes(source, sink);
  if (builder.nodes().empty()) return result;
  PLEXUS_ASSIGN(const bool made, builder.MakeArcs());
  result.truncated = !made;
  if (!made) return result;
  result.nodes = builder.nodes().size();
  result.pairs = builder.network().arcs.size() / 2;
  std::int64_t flow = 0;
  if (!internal::AugmentPaths(builder.network(), options.budget, flow)) {
    result.truncated = true;
    return result;
  }
  result.flow = builder.InWeights(flow);
  result.error = builder.error();
  const std::vector<bool> source_side = builder.SourceSide();
  result.source_side = static_cast<std::uint64_t>(std::count(source_side.begin(), source_side.end(), true));
  result.cut = builder.CutEdges(source_side);
  return result;
}

}  // namespace plexus
