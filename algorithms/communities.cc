// Selected edges become undirected rows; what Leiden finds in them goes back to ids.
#include "algorithms/communities.h"

#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "algorithms/internal/leiden.h"
#include "algorithms/internal/selection.h"
#include "algorithms/internal/undirected_rows.h"

namespace plexus {

namespace {

Status CheckOptions(const LeidenOptions& options) {
  if (!std::isfinite(options.resolution) || options.resolution < 0)
    return Fail(ErrorCode::kInvalidArgument, "resolution " + std::to_string(options.resolution) + ": expected a finite number of at least 0");
  if (!std::isfinite(options.tolerance) || options.tolerance < 0)
    return Fail(ErrorCode::kInvalidArgument, "tolerance " + std::to_string(options.tolerance) + ": expected a finite number of at least 0");
  if (options.iterations < 1)
    return Fail(ErrorCode::kInvalidArgument, "iterations " + std::to_string(options.iterations) + ": expected at least 1");
  return {};
}

// Which node is which row. Both empty: each its own.
struct Places {
  std::vector<NodeId> nodes;  // by row
  std::vector<NodeId> rows;   // by node; kNoNode = not selected
  NodeId node(NodeId row) const { return nodes.empty() ? row : nodes[row]; }
  NodeId row(NodeId node) const { return rows.empty() ? node : rows[node]; }

  // Rows in this order of the rows so far; empty = as they are. Of `all` nodes.
  void Reorder(const std::vector<NodeId>& order, NodeId all) {
    if (order.empty()) return;
    std::vector<NodeId> sorted(order.size());
    for (NodeId i = 0; i < order.size(); ++i) sorted[i] = node(order[i]);
    nodes = std::move(sorted);
    rows.assign(all, kNoNode);
    for (NodeId i = 0; i < nodes.size(); ++i) rows[nodes[i]] = i;
  }
};

// Of a graph that the budget did not let be made: every node is alone.
LeidenResult Alone(const Places& places, NodeId all) {
  LeidenResult result;
  result.truncated = true;
  result.communities.assign(all, LeidenResult::kNotSelected);
  for (NodeId v = 0; v < all; ++v)
    if (places.row(v) != kNoNode) result.communities[v] = result.count++;
  result.sizes.assign(result.count, 1);
  return result;
}

LeidenResult Find(const internal::CommunityGraph& graph, const Places& places, NodeId all, const LeidenOptions& options,
                  Executor& executor) {
  internal::LeidenPlan plan;
  plan.resolution = options.resolution;
  plan.iterations = options.iterations;
  plan.tolerance = options.tolerance;
  plan.seed = options.seed;
  plan.budget = options.budget;
  const internal::LeidenOutcome found = internal::RunLeiden(graph, plan, executor);
  LeidenResult result;
  result.modularity = found.modularity;
  result.levels = found.levels;
  result.iterations = found.iterations;
  result.moves = found.moves;
  result.truncated = found.truncated;
  result.communities.assign(all, LeidenResult::kNotSelected);
  std::vector<std::uint32_t> numbers(found.count, LeidenResult::kNotSelected);
  for (NodeId v = 0; v < all; ++v) {
    const NodeId row = places.row(v);
    if (row == kNoNode) continue;
    std::uint32_t& number = numbers[found.labels[row]];
    if (number == LeidenResult::kNotSelected) {
      number = result.count++;
      result.sizes.push_back(0);
    }
    ++result.sizes[number];
    result.communities[v] = number;
  }
  return result;
}

// The selected part of a snapshot, read as undirected.
struct Selected {
  Places places;
  std::optional<internal::CommunityGraph> graph;  // none: the budget ran out before
};

Result<Selected> MakeGraph(const Snapshot& snapshot, const LeidenOptions& options, const Budget* budget,
                           Executor& executor) {
  PLEXUS_TRY(CheckOptions(options));
  PLEXUS_ASSIGN(const internal::Selection selection,
                internal::Select(snapshot, options.kinds, options.valid_at, options.subset));
  Selected selected;
  Places& places = selected.places;
  if (!selection.all_nodes) {
    places.nodes = selection.Materialise(executor).ToList();
    places.rows.assign(snapshot.node_count(), kNoNode);
    for (NodeId i = 0; i < places.nodes.size(); ++i) places.rows[places.nodes[i]] = i;
  }
  if (budget && budget->Interrupted()) return selected;
  const NodeId n = selection.all_nodes ? snapshot.node_count() : static_cast<NodeId>(places.nodes.size());
  std::vector<std::uint64_t> degrees(n);
  ParallelFor(executor, n, 4096, [&](std::size_t begin, std::size_t end) {
    for (auto v = static_cast<NodeId>(begin); v < end; ++v)
      degrees[v] = snapshot.Degree(Direction::kBoth, places.node(v), selection.filter);
  });
  places.Reorder(internal::HubsFirst(degrees), snapshot.node_count());
  const auto& kinds = snapshot.schema().edge_kinds();
  const std::uint64_t arcs = std::accumulate(degrees.begin(), degrees.end(), std::uint64_t{0});
  selected.graph = internal::SumRows(n, arcs, executor, budget, [&](NodeId v, auto&& fn) {
    snapshot.ForEachArc(Direction::kBoth, places.node(v), selection.filter, [&](const Arc& arc) {
      const NodeId u = places.row(arc.neighbor);
      if (u == kNoNode) return;
      double weight = options.weighted ? static_cast<double>(arc.weight) : 1.0;
      // A loop arrives twice, out and in; that of a symmetric kind once.
      if (u == v && kinds[arc.kind].symmetric) weight *= 2;
      fn(u, weight);
    });
  });
  return selected;
}

}  // namespace

Result<LeidenResult> Leiden(const Snapshot& snapshot, const LeidenOptions& options) {
  Executor& executor = internal::Pick(options.executor);
  PLEXUS_ASSIGN(const Selected selected, MakeGraph(snapshot, options, &options.budget, executor));
  if (!selected.graph) return Alone(selected.places, snapshot.node_count());
  return Find(*selected.graph, selected.places, snapshot.node_count(), options, executor);
}

Result<double> Modularity(const Snapshot& snapshot, std::span<const std::uint32_t> communities,
                          const LeidenOptions& options) {
  if (communities.size() != snapshot.node_count())
    return Fail(ErrorCode::kInvalidArgument, "communities of " + std::to_string(communities.size()) + " nodes were given, the graph has " +
                                                 std::to_string(snapshot.node_count()));
  Executor& executor = internal::Pick(options.executor);
  PLEXUS_ASSIGN(const Selected selected, MakeGraph(snapshot, options, nullptr, executor));
  std::unordered_map<std::uint32_t, NodeId> numbers;
  std::vector<NodeId> labels(selected.graph->nodes);
  for (NodeId v = 0; v < labels.size(); ++v)
    labels[v] = numbers.try_emplace(communities[selected.places.node(v)], static_cast<NodeId>(numbers.size())).first->second;
  return internal::Modularity(*selected.graph, labels, static_cast<NodeId>(numbers.size()), options.resolution, executor);
}

Result<LeidenResult> LeidenCsr(const CsrView& symmetric, const LeidenOptions& options) {
  PLEXUS_TRY(CheckOptions(options));
  for (NodeId v = 0; v < symmetric.node_count() && !symmetric.weights.empty(); ++v)
    for (std::uint32_t a = symmetric.offsets[v]; a < symmetric.offsets[v + 1]; ++a)
      if (const float weight = symmetric.weights[a]; !(weight >= 0) || std::isinf(weight))
        return Fail(ErrorCode::kInvalidArgument, "arc " + std::to_string(v) + " -> " + std::to_string(symmetric.neighbors[a]) +
                                                     ": weight " + std::to_string(weight) + ", expected a finite one of at least 0");
  Executor& executor = internal::Pick(options.executor);
  const NodeId n = symmetric.node_count();
  std::vector<std::uint64_t> degrees(n);
  for (NodeId v = 0; v < n; ++v) degrees[v] = symmetric.degree(v);
  Places places;
  places.Reorder(internal::HubsFirst(degrees), n);
  const auto graph = internal::SumRows(n, symmetric.arc_count(), executor, &options.budget, [&](NodeId v, auto&& fn) {
    const NodeId node = places.node(v);
    for (std::uint32_t a = symmetric.offsets[node]; a < symmetric.offsets[node + 1]; ++a)
      fn(places.row(symmetric.neighbors[a]), options.weighted ? static_cast<double>(symmetric.weight(a)) : 1.0);
  });
  if (!graph) return Alone(places, n);
  return Find(*graph, places, n, options, executor);
}

}  // namespace plexus
