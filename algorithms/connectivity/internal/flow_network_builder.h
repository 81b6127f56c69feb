// NetworkBuilder: the part of a snapshot between two nodes, made a FlowNetwork.
//
// First the nodes on some way from source to sink: what the source reaches and what of that
// reaches the sink. Reaching spreads from a list of nodes while that is short; when it is
// not, every node outside scans its neighbours for one inside, and stops at the first. Then rows
// are read twice in parallel: once for their lengths and the sum that decides the unit of
// capacities, once to write them, so that no array grows.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/common/internal/selection.h"
#include "algorithms/connectivity/connectivity.h"
#include "algorithms/connectivity/internal/flow_network.h"

namespace plexus::connectivity::internal {

class NetworkBuilder {
 public:
  NetworkBuilder(const common_internal::Selection& selection, const MaxFlowOptions& options,
                 Executor& executor);

  // Nodes on a way from source to sink, ascending; none when there is no way. False, here
  // and below: the budget ran out.
  bool FindNodes(NodeId source, NodeId sink);
  // REQUIRES nodes. kResourceExhausted: more than kMaxPairs pairs.
  Result<bool> MakeArcs();

  // Of the network once its capacities are what a maximum flow leaves: the source's side of
  // the cut, by place; and the edges from there to the other side.
  std::vector<bool> SourceSide() const;
  std::vector<PathEdge> CutEdges(const std::vector<bool>& source_side) const;

  const std::vector<NodeId>& nodes() const { return nodes_; }
  FlowNetwork& network() { return network_; }
  std::uint64_t pairs() const { return network_.targets.size() / 2; }
  double InWeights(std::int64_t units) const;
  double error() const { return InWeights(static_cast<std::int64_t>(rounded_)); }

 private:
  struct Side {
    std::uint32_t target;
    std::int64_t capacity;  // 0: there is an edge the other way
  };
  struct Scratch;

  Direction ahead() const { return options_.undirected ? Direction::kBoth : Direction::kOut; }
  Direction behind() const { return options_.undirected ? Direction::kBoth : Direction::kIn; }
  bool carries(const Arc& arc) const { return arc.weight > 0 || options_.unit_capacities; }
  bool PushReach(NodeId start, Direction direction, std::uint32_t from, std::uint32_t to);
  bool PullReach(Direction direction, std::uint32_t from, std::uint32_t to,
                 std::vector<NodeId>& list);
  template <class Fn>
  void ForEachArc(Direction direction, std::uint32_t u, Fn&& fn) const;
  template <class Fn>
  void ReadRow(std::uint32_t u, Scratch& scratch, Fn&& capacity) const;
  std::int64_t Capacity(const Arc& arc, std::uint64_t& rounded) const;

  const common_internal::Selection& selection_;
  const MaxFlowOptions& options_;
  Executor& executor_;
  std::vector<std::uint32_t> places_;  // by NodeId: place in nodes_; before, marks
  std::vector<NodeId> nodes_;
  FlowNetwork network_;
  int shift_ = 0;
  std::uint64_t rounded_ = 0;  // arcs, each by less than a unit
};

}  // namespace plexus::connectivity::internal
