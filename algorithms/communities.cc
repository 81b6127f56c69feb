// Selected edges become undirected rows; what Leiden finds in them goes back to ids.
#include "algorithms/communities.h"

#include <cmath>
#include <memory>
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

LeidenResult Find(const internal::CommunityGraph& graph, const LeidenOptions& options, Executor& executor) {
  internal::LeidenPlan plan;
  plan.resolution = options.resolution;
  plan.iterations = options.iterations;
  plan.tolerance = options.tolerance;
  plan.seed = options.seed;
  plan.budget = options.budget;
  internal::LeidenOutcome found = internal::RunLeiden(graph, plan, executor);
  LeidenResult result;
  result.count = found.count;
  result.modularity = found.modularity;
  result.levels = found.levels;
  result.iterations = found.iterations;
  result.moves = found.moves;
  result.truncated = found.truncated;
  result.sizes.assign(found.count, 0);
  for (NodeId label : found.labels) ++result.sizes[label];
  result.communities = std::move(found.labels);
  return result;
}

void Prepare(NodeId nodes, Executor& executor, internal::Pool<internal::Tally>& tallies) {
  tallies.Reserve(executor, nodes);
  for (auto& tally : tallies.idle()) tally->Resize(nodes);
}

// The selected part of a snapshot, read as undirected.
struct Selected {
  std::vector<NodeId> nodes;  // dense -> node; empty and `all`: the same
  bool all = false;
  internal::CommunityGraph graph;
};

Result<Selected> MakeGraph(const Snapshot& snapshot, const LeidenOptions& options, Executor& executor) {
  PLEXUS_TRY(CheckOptions(options));
  PLEXUS_ASSIGN(const internal::Selection selection,
                internal::Select(snapshot, options.kinds, options.valid_at, options.subset));
  Selected selected;
  selected.all = selection.all_nodes;
  std::vector<NodeId>& nodes = selected.nodes;
  std::vector<NodeId> places;  // node -> dense
  if (!selected.all) {
    nodes = selection.Materialise(executor).ToList();
    places.assign(snapshot.node_count(), kNoNode);
    for (NodeId i = 0; i < nodes.size(); ++i) places[nodes[i]] = i;
  }
  const NodeId n = selected.all ? snapshot.node_count() : static_cast<NodeId>(nodes.size());
  auto node = [&](NodeId dense) { return nodes.empty() ? dense : nodes[dense]; };
  const std::uint64_t arcs = ParallelReduce(
      executor, n, 4096, std::uint64_t{0},
      [&](std::size_t begin, std::size_t end) {
        std::uint64_t sum = 0;
        for (auto v = static_cast<NodeId>(begin); v < end; ++v) sum += snapshot.Degree(Direction::kBoth, node(v), selection.filter);
        return sum;
      },
      [](std::uint64_t a, std::uint64_t b) { return a + b; });
  internal::Pool<internal::Tally> tallies;
  Prepare(n, executor, tallies);
  const auto& kinds = snapshot.schema().edge_kinds();
  selected.graph = internal::SumRows(n, arcs, executor, tallies, [&](NodeId v, auto&& fn) {
    snapshot.ForEachArc(Direction::kBoth, node(v), selection.filter, [&](const Arc& arc) {
      const NodeId u = places.empty() ? arc.neighbor : places[arc.neighbor];
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
  PLEXUS_ASSIGN(const Selected selected, MakeGraph(snapshot, options, executor));
  LeidenResult result = Find(selected.graph, options, executor);
  if (selected.all) return result;
  std::vector<std::uint32_t> by_id(snapshot.node_count(), LeidenResult::kNotSelected);
  for (std::size_t v = 0; v < selected.nodes.size(); ++v) by_id[selected.nodes[v]] = result.communities[v];
  result.communities = std::move(by_id);
  return result;
}

Result<double> Modularity(const Snapshot& snapshot, std::span<const std::uint32_t> communities,
                          const LeidenOptions& options) {
  if (communities.size() != snapshot.node_count())
    return Fail(ErrorCode::kInvalidArgument, "communities of " + std::to_string(communities.size()) + " nodes were given, the graph has " +
                                                 std::to_string(snapshot.node_count()));
  Executor& executor = internal::Pick(options.executor);
  PLEXUS_ASSIGN(const Selected selected, MakeGraph(snapshot, options, executor));
  std::unordered_map<std::uint32_t, NodeId> numbers;
  std::vector<NodeId> labels(selected.graph.nodes);
  for (NodeId v = 0; v < labels.size(); ++v)
    labels[v] = numbers.try_emplace(communities[selected.all ? v : selected.nodes[v]], static_cast<NodeId>(numbers.size())).first->second;
  return internal::Modularity(selected.graph, labels, static_cast<NodeId>(numbers.size()), options.resolution, executor);
}

Result<LeidenResult> LeidenCsr(const CsrView& symmetric, const LeidenOptions& options) {
  PLEXUS_TRY(CheckOptions(options));
  for (NodeId v = 0; v < symmetric.node_count() && !symmetric.weights.empty(); ++v)
    for (std::uint32_t a = symmetric.offsets[v]; a < symmetric.offsets[v + 1]; ++a)
      if (const float weight = symmetric.weights[a]; !(weight >= 0) || std::isinf(weight))
        return Fail(ErrorCode::kInvalidArgument, "arc " + std::to_string(v) + " -> " + std::to_string(symmetric.neighbors[a]) +
                                                     ": weight " + std::to_string(weight) + ", expected a finite one of at least 0");
  Executor& executor = internal::Pick(options.executor);
  internal::Pool<internal::Tally> tallies;
  Prepare(symmetric.node_count(), executor, tallies);
  const internal::CommunityGraph graph =
      internal::SumRows(symmetric.node_count(), symmetric.arc_count(), executor, tallies, [&](NodeId v, auto&& fn) {
        for (std::uint32_t a = symmetric.offsets[v]; a < symmetric.offsets[v + 1]; ++a)
          fn(symmetric.neighbors[a], options.weighted ? static_cast<double>(symmetric.weight(a)) : 1.0);
      });
  return Find(graph, options, executor);
}

}  // namespace plexus
