// Shortest paths: checks, the first path by PointSearch, the next ones by Yen.
//
// Yen: every next path leaves an earlier one at some node. For each such node the
// part before is kept, its nodes are banned, and so are the next steps of all
// earlier paths with the same beginning; the cheapest of all candidates is next.
// Paths differ in their nodes: of parallel edges only the cheapest is used.
#include "algorithms/shortest_path.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "algorithms/internal/point_search.h"
#include "algorithms/internal/selection.h"

namespace plexus {

namespace {

using internal::Bans;
using internal::NodeMap;
using internal::PointSearch;
using internal::Selection;

constexpr int kMostPaths = 1000;

Status CheckEnd(const Snapshot& snapshot, NodeId node, const char* which) {
  if (node >= snapshot.node_count())
    return Fail(ErrorCode::kInvalidArgument, std::string(which) + " node id " +
                                                 std::to_string(node) +
                                                 " is not below the graph's " +
                                                 std::to_string(snapshot.node_count()) + " nodes");
  if (!snapshot.alive(node))
    return Fail(ErrorCode::kNotFound,
                std::string(which) + " node '" + std::string(snapshot.key(node)) + "' was removed");
  return {};
}

Status CheckOptions(const Snapshot& snapshot, const ShortestPathOptions& options) {
  if (options.count < 1 || options.count > kMostPaths)
    return Fail(ErrorCode::kInvalidArgument, "count " + std::to_string(options.count) +
                                                 " is not in 1.." + std::to_string(kMostPaths));
  if (options.cost != PathCost::kColumn) return {};
  const auto& columns = snapshot.schema().columns();
  if (options.column >= columns.size() || columns[options.column].name.empty() ||
      columns[options.column].type != ColumnType::kF64)
    return Fail(ErrorCode::kInvalidArgument,
                "column " + std::to_string(options.column) + " is not a column of f64");
  return {};
}

// Summed from the start, so that the same path always has the same bits.
double CostOf(const Snapshot& snapshot, const ShortestPathOptions& options, const FoundPath& path) {
  double cost = 0;
  for (std::size_t i = 0; i < path.edges.size(); ++i) {
    const double weight = static_cast<double>(path.edges[i].weight);
    switch (options.cost) {
      case PathCost::kHops:
        cost += 1;
        break;
      case PathCost::kWeight:
        cost += weight;
        break;
      case PathCost::kLogWeight:
        cost -= std::log(weight);
        break;
      case PathCost::kColumn:
        cost += *snapshot.f64(options.column, path.nodes[i + 1]);
        break;
    }
  }
  return cost;
}

// Cheapest first; the same nodes mean the same path.
struct Cheaper {
  bool operator()(const FoundPath& a, const FoundPath& b) const {
    return std::make_tuple(a.cost, a.nodes.size(), std::cref(a.nodes)) <
           std::make_tuple(b.cost, b.nodes.size(), std::cref(b.nodes));
  }
};

class Yen {
 public:
  Yen(const Selection& selection, const ShortestPathOptions& options, NodeId to)
      : selection_(selection), options_(options), to_(to) {}

  Result<ShortestPathResult> Run(NodeId from) {
    FoundPath start;
    start.nodes = {from};
    PLEXUS_TRY(Search(start, 0, {}));
    while (!candidates_.empty() && !result_.truncated) {
      result_.paths.push_back(std::move(candidates_.extract(candidates_.begin()).value()));
      if (result_.paths.size() >= static_cast<std::size_t>(options_.count)) break;
      PLEXUS_TRY(Deviate(FoundPath(result_.paths.back())));
    }
    return std::move(result_);
  }

 private:
  // Candidates that leave `path` at each of its nodes but the last.
  Status Deviate(const FoundPath& path) {
    // How many nodes each path found so far begins with in common with this one.
    std::vector<std::size_t> common;
    for (const FoundPath& p : result_.paths) {
      auto [a, b] =
          std::mismatch(path.nodes.begin(), path.nodes.end(), p.nodes.begin(), p.nodes.end());
      common.push_back(static_cast<std::size_t>(a - path.nodes.begin()));
    }
    NodeMap before(selection_.snapshot->node_count());  // nodes of the part kept
    for (std::size_t i = 0; i + 1 < path.nodes.size() && !result_.truncated; ++i) {
      if (options_.budget.Interrupted()) {  // searches may be too short to look
        result_.truncated = true;
        break;
      }
      std::vector<NodeId> next;
      for (std::size_t p = 0; p < common.size(); ++p)
        if (common[p] > i && result_.paths[p].nodes.size() > i + 1)
          next.push_back(result_.paths[p].nodes[i + 1]);
      PLEXUS_TRY(Search(path, i, {&before, next}));
      before.at(path.nodes[i]) = 0;
    }
    return {};
  }

  // The best path that begins with nodes 0..spur of `path`, under the bans.
  Status Search(const FoundPath& path, std::size_t spur, const Bans& bans) {
    PointSearch search(selection_, options_, path.nodes[spur], to_, bans, result_.edges);
    PLEXUS_ASSIGN(std::optional<FoundPath> found, search.Run());
    result_.edges = search.edges();
    result_.truncated = result_.truncated || search.truncated();
    if (!found) return {};
    const auto kept = static_cast<std::ptrdiff_t>(spur);
    FoundPath whole;
    whole.nodes.assign(path.nodes.begin(), path.nodes.begin() + kept);
    whole.nodes.insert(whole.nodes.end(), found->nodes.begin(), found->nodes.end());
    whole.edges.assign(path.edges.begin(), path.edges.begin() + kept);
    whole.edges.insert(whole.edges.end(), found->edges.begin(), found->edges.end());
    whole.cost = CostOf(*selection_.snapshot, options_, whole);
    candidates_.insert(std::move(whole));
    // More than are still to be listed are of no use, and would not fit in memory.
    if (candidates_.size() > static_cast<std::size_t>(options_.count) - result_.paths.size())
      candidates_.erase(std::prev(candidates_.end()));
    return {};
  }

  const Selection& selection_;
  const ShortestPathOptions& options_;
  const NodeId to_;
  std::set<FoundPath, Cheaper> candidates_;
  ShortestPathResult result_;
};

}  // namespace

Result<ShortestPathResult> ShortestPath(const Snapshot& snapshot, NodeId from, NodeId to,
                                        const ShortestPathOptions& options) {
  PLEXUS_TRY(CheckEnd(snapshot, from, "start"));
  PLEXUS_TRY(CheckEnd(snapshot, to, "end"));
  PLEXUS_TRY(CheckOptions(snapshot, options));
  PLEXUS_ASSIGN(const Selection selection,
                internal::Select(snapshot, options.kinds, options.valid_at, options.subset));
  return Yen(selection, options, to).Run(from);
}

}  // namespace plexus
