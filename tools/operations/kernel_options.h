// Parameters that many operations share, and the one place that puts them into a kernel's options.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/error.h"
#include "tools/operations/framework/request.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/names.h"

namespace plexus::tools {

// kinds, valid_at.
Parameters EdgeParameters();
Parameter KindsParameter(std::string help = "only these edge kinds (default: all facts)");
Parameter ValidAtParameter();
Parameter MaxNodes(std::string help = "stop after N nodes and say truncated");
Parameter MaxEdges(std::string help = "stop after N edges and say truncated");
Parameter ResumeParameter();
// Lists: the first `count`, 0 = all.
Parameter Top(std::uint64_t count, std::string help = "list the K first; 0 = all");
// Everything, and the first 100 where people read a table.
Parameter TopForPeople(std::string help = "list the K first; 0 = all");
// Of concepts.
Parameter TauParameter();
Parameter DirectionParameter(std::vector<std::string> choices, std::string help);
Parameter IncludeSuperseded();
// show_kinds, show_where: which nodes of the answer are listed. All that rank nodes or tell how the
// graph hangs together take them; node_kinds and where say which nodes take part.
Parameters ShownParameters();
// Of a list of nodes those that the request shows.
template <class T, class NodeOf = std::identity>
void KeepShown(const Workspace& workspace, std::vector<T>& list, NodeOf node_of = {}) {
  if (workspace.shown())
    std::erase_if(list, [&](const T& t) { return !workspace.Shows(std::invoke(node_of, t)); });
}
// A choice of none, int8 without a default.
Parameter PrefilterParameter(std::string help);
std::optional<Prefilter> ReadPrefilter(const Request& request);
// A choice of f32, f16 without a default.
Parameter ElementParameter(std::string help);
std::optional<VectorElement> ReadElement(const Request& request);
// Of one question.
Parameter QuestionPrefilter();
// kinds, valid_at, show_kinds, show_where, top = 20.
Parameters RankedParameters(const char* rows = " that score above 0");

// The request's space, or "default", or the only one there is. kNotFound: none exists.
// kInvalidArgument: there are several.
Result<SpaceId> FindSpace(const Schema& schema, const Request& request);

// AsStored of the request's "direction" and "kinds" (kind_direction.h).
Result<Direction> AskedDirection(const Workspace& workspace, const Request& request);

// max_seconds; max_nodes, max_edges as far as the row has them. The seconds count from when Answer
// took the request.
Result<Budget> MakeBudget(const Request& request);

// The request's kinds, valid_at and budget, the workspace's scope and executor.
template <class Options>
Status Select(const Workspace& workspace, const Request& request, Options& options) {
  if constexpr (requires { options.filter; }) {
    if (request.Has("kinds"))
      PLEXUS_SET(options.filter.kinds, FindEdgeKinds(workspace.schema(), request.List("kinds")));
    if (request.Has("valid_at"))
      PLEXUS_SET(options.filter.valid_at, workspace.ValidAt(request.Text("valid_at")));
    options.filter.subset = workspace.scope();
  } else {
    if constexpr (requires { options.valid_at; }) {
      if (request.Has("valid_at"))
        PLEXUS_SET(options.valid_at, workspace.ValidAt(request.Text("valid_at")));
    }
    options.subset = workspace.scope();
  }
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(request));
  options.run.executor = &workspace.executor();
  return {};
}

// Nodes that are visible at that time (kNoTime: now), of the scope; superseded ones when the
// request includes them.
Result<NodeSubset> VisibleInScope(const Workspace& workspace, const Request& request,
                                  std::int64_t at = kNoTime);
// Of them those that are memories: turns and episodes only where the request names node kinds.
Result<NodeSubset> MemoriesInScope(const Workspace& workspace, const Request& request);

// Nodes by score, as far as they are listed.
struct Ranked {
  std::vector<ScoredNode> nodes;
  std::uint64_t total = 0;  // listed or not
};
// The best of `among` that are shown. `scores` by NodeId; top = 0: all.
Result<Ranked> BestOf(const Workspace& workspace, const std::vector<double>& scores,
                      const NodeSubset& among, std::uint64_t top);
// The best of the nodes for which `counts(node)`.
template <class Counts>
Result<Ranked> Best(const Workspace& workspace, const std::vector<double>& scores,
                    std::uint64_t top, Counts&& counts) {
  std::vector<std::uint64_t> words((scores.size() + 63) / 64, 0);
  for (std::size_t v = 0; v < scores.size(); ++v)
    if (counts(static_cast<NodeId>(v))) words[v / 64] |= std::uint64_t{1} << (v % 64);
  return BestOf(workspace, scores, NodeSubset(static_cast<NodeId>(scores.size()), std::move(words)),
                top);
}
// Of those that score above 0.
Result<Ranked> Best(const Workspace& workspace, const std::vector<double>& scores,
                    std::uint64_t top);

}  // namespace plexus::tools
