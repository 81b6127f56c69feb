// From a snapshot to a simple graph, to an oriented one, to counts.
#include "algorithms/community/community.h"

#include <algorithm>

#include "algorithms/common/internal/dense_view_options.h"
#include "algorithms/common/internal/selection.h"
#include "algorithms/common/internal/simple_graph.h"
#include "algorithms/community/internal/community_csr.h"
#include "algorithms/community/internal/oriented_graph.h"
#include "engine/out_of_memory.h"

namespace plexus::community {

namespace {

using internal::OrientedCount;
using internal::OrientedGraph;

// None: the time was up before it was made; below, too.
template <class Options>
Result<std::optional<common_internal::SimpleGraph>> SimpleGraphOf(const Snapshot& snapshot,
                                                                  const Options& options) {
  return common_internal::InTime(options.run, [&](Executor& executor) {
    DenseViewOptions wanted = common_internal::ViewOptions(options);
    wanted.executor = &executor;
    return common_internal::MakeSimpleGraph(snapshot, wanted);
  });
}

Result<std::optional<OrientedGraph>> Oriented(const CsrView& simple, const RunOptions& run,
                                              internal::Numbering numbering) {
  return common_internal::InTime(run, [&](Executor& executor) -> Result<OrientedGraph> {
    return internal::Orient(simple, executor, numbering);
  });
}

Result<OrientedCount> Count(const CsrView& simple, const RunOptions& run) {
  Executor& executor = common_internal::Pick(run.executor);
  if (!internal::WorthOrienting(simple, executor))
    return internal::CountSimple(simple, run.budget, executor);
  PLEXUS_ASSIGN(const auto oriented, Oriented(simple, run, internal::Numbering::kByDegree));
  if (!oriented) return OrientedCount{.truncated = true};
  return internal::CountOriented(*oriented, run.budget, executor);
}

// Per arc of the oriented graph: how many directions the edge has in the view.
Result<std::vector<std::uint8_t>> Directions(const common_internal::SimpleGraph& graph,
                                             const internal::OrientedGraph& oriented,
                                             Executor& executor) {
  const CsrView out = graph.view.out();
  const AlignedArray<NodePair> pairs = common_internal::PairsOf(out, executor);
  TopologyOptions options;
  options.inverse = false;
  options.executor = &executor;
  PLEXUS_ASSIGN(const Topology directed, BuildTopology(out.node_count(), pairs.span(), options));
  const CsrView rows = directed.out();
  auto has = [&](NodeId from, NodeId to) {
    return std::binary_search(rows.neighbors.begin() + rows.offsets[from],
                              rows.neighbors.begin() + rows.offsets[from + 1], to);
  };
  std::vector<std::uint8_t> directions(oriented.neighbors.size());
  ParallelFor(executor, oriented.node_count(), 1024, [&](std::size_t begin, std::size_t end) {
    for (auto u = static_cast<NodeId>(begin); u < end; ++u)
      for (std::uint32_t a = oriented.offsets[u]; a < oriented.offsets[u + 1]; ++a) {
        const NodeId from = oriented.node(u), to = oriented.node(oriented.neighbors[a]);
        directions[a] = static_cast<std::uint8_t>(int{has(from, to)} + int{has(to, from)});
      }
  });
  return directions;
}

}  // namespace

Result<std::uint64_t> TrianglesCsr(const CsrView& simple, Executor* chosen) try {
  PLEXUS_ASSIGN(const OrientedCount count, Count(simple, {.executor = chosen}));
  return count.triangles;
}
PLEXUS_CATCH_NO_MEMORY

Result<TrianglesResult> Triangles(const Snapshot& snapshot, const TrianglesOptions& options) try {
  PLEXUS_ASSIGN(const auto made, SimpleGraphOf(snapshot, options));
  TrianglesResult result;
  result.truncated = !made;
  if (!made) return result;
  const common_internal::SimpleGraph& graph = *made;
  const CsrView rows = graph.edges.out();
  result.nodes = graph.view.node_count();
  result.edges = graph.edge_count();
  for (NodeId v = 0; v < rows.node_count(); ++v)
    if (const std::uint64_t degree = rows.degree(v); degree > 1)
      result.wedges += degree * (degree - 1) / 2;
  PLEXUS_ASSIGN(const OrientedCount count, Count(rows, options.run));
  result.triangles = count.triangles;
  result.truncated = count.truncated;
  if (result.wedges > 0)
    result.transitivity =
        3.0 * static_cast<double>(result.triangles) / static_cast<double>(result.wedges);
  return result;
}
PLEXUS_CATCH_NO_MEMORY

Result<ClusteringResult> Clustering(const Snapshot& snapshot,
                                    const ClusteringOptions& options) try {
  ClusteringResult result;
  result.coefficients.assign(snapshot.node_count(), 0);
  result.triangles.assign(snapshot.node_count(), 0);
  result.degrees.assign(snapshot.node_count(), kNoNode);
  result.truncated = true;
  PLEXUS_ASSIGN(const auto made, SimpleGraphOf(snapshot, options));
  if (!made) return result;
  const common_internal::SimpleGraph& graph = *made;
  PLEXUS_ASSIGN(const auto oriented,
                Oriented(graph.edges.out(), options.run, internal::Numbering::kByShape));
  if (!oriented) return result;
  std::optional<std::vector<std::uint8_t>> directions(std::in_place);
  if (options.directed)
    PLEXUS_SET(directions, common_internal::InTime(options.run, [&](Executor& executor) {
                 return Directions(graph, *oriented, executor);
               }));
  if (!directions) return result;
  const internal::NodeTriangles counts = internal::CountPerNode(
      *oriented, *directions, options.run.budget, common_internal::Pick(options.run.executor));
  result.truncated = counts.truncated;
  double sum = 0;
  for (NodeId v = 0; v < graph.view.node_count(); ++v) {
    const NodeId node = graph.view.node(v);
    const NodeId degree = graph.edges.out().degree(v);
    result.degrees[node] = degree;
    result.triangles[node] = counts.triangles[v];
    result.total += counts.triangles[v];
    if (degree < 2) continue;
    const double arcs =
        static_cast<double>(options.directed ? counts.arcs[v] : 2 * counts.triangles[v]);
    result.coefficients[node] = arcs / (static_cast<double>(degree) * (degree - 1.0));
    sum += result.coefficients[node];
  }
  result.total /= 3;
  if (graph.view.node_count() > 0) result.average = sum / graph.view.node_count();
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::community
