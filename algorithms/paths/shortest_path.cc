// Shortest paths: checks, the first path from both ends, the next ones as they are wanted.
#include "algorithms/paths/paths.h"

#include <optional>
#include <string>
#include <utility>

#include "algorithms/common/internal/selection.h"
#include "algorithms/paths/internal/bidirectional_search.h"
#include "algorithms/paths/internal/k_shortest_paths.h"
#include "algorithms/paths/internal/path_query.h"
#include "engine/out_of_memory.h"

namespace plexus::paths {

namespace {

constexpr int kMaxPaths = 1000;

Status CheckEnd(const Snapshot& snapshot, NodeId node, const char* which) {
  if (node >= snapshot.node_count())
    return Invalid(which, " node id ", node, " is not below the graph's ", snapshot.node_count(),
                   " nodes");
  if (!snapshot.alive(node)) return NotFound(which, " node '", snapshot.key(node), "' was removed");
  return {};
}

Status CheckOptions(const Snapshot& snapshot, const ShortestPathOptions& options) {
  if (options.count < 1 || options.count > kMaxPaths)
    return Invalid("count ", options.count, " is not in 1..", kMaxPaths);
  if (options.max_hops != UINT32_MAX && options.cost != PathCost::kHops)
    return Invalid("max_hops is for paths by hops");
  if (options.cost != PathCost::kColumn) return {};
  const auto& columns = snapshot.schema().columns();
  if (options.column >= columns.size() || columns[options.column].name.empty() ||
      columns[options.column].type != ColumnType::kF64)
    return Invalid("column ", options.column, " is not a column of f64");
  return {};
}

}  // namespace

Result<ShortestPathResult> ShortestPath(const Snapshot& snapshot, NodeId from, NodeId to,
                                        const ShortestPathOptions& options) try {
  PLEXUS_TRY(CheckEnd(snapshot, from, "start"));
  PLEXUS_TRY(CheckEnd(snapshot, to, "end"));
  PLEXUS_TRY(CheckOptions(snapshot, options));
  PLEXUS_ASSIGN(const common_internal::Selection selection,
                common_internal::Select(snapshot, options.filter));
  internal::PathWalk walk(selection, options, from, to);
  ShortestPathResult result;
  PLEXUS_ASSIGN(std::optional<FoundPath> first, internal::PointSearch(walk).Run());
  if (first) {
    result.paths.push_back(*std::move(first));
    if (options.count > 1) {
      internal::KShortestPaths next(walk, result.paths);
      for (bool more = true;
           more && result.paths.size() < static_cast<std::size_t>(options.count);) {
        PLEXUS_ASSIGN(more, next.Find());
        if (!more || result.paths.back().edges.size() <= options.max_hops) continue;
        result.paths.pop_back();
        more = false;
      }
    }
  }
  result.truncated = walk.truncated();
  result.edges = walk.edges();
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::paths
