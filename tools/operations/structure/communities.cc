// communities: which nodes belong together, by modularity or by what neighbours say.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/community/community.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/reply_parts.h"

namespace plexus::tools {
namespace {

// What both methods find, communities in the order of their smallest members.
struct Found {
  static constexpr std::uint32_t kNone = community::LeidenResult::kNotSelected;
  std::vector<std::uint32_t> communities;  // by NodeId
  std::uint32_t count = 0;
  int iterations = 0, levels = 0;
  double modularity = 0;
  bool truncated = false;
};

// Shared by the options of both.
template <class Options>
Status Fill(const Workspace& workspace, const Request& request, Options& options) {
  PLEXUS_TRY(Select(workspace, request, options));
  if (const auto iterations = request.MaybeCount("iterations"))
    options.iterations = static_cast<int>(std::min<std::uint64_t>(*iterations, 1'000'000));
  return {};
}

Result<Found> ByLeiden(const Workspace& workspace, const Request& request) {
  community::LeidenOptions options;
  PLEXUS_TRY(Fill(workspace, request, options));
  options.resolution = request.Number("resolution");
  options.seed = request.Count("seed");
  options.weighted = !request.Flag("unweighted");
  PLEXUS_ASSIGN(community::LeidenResult result, community::Leiden(workspace.snapshot(), options));
  return Found{std::move(result.communities),
               result.count,
               result.iterations,
               result.levels,
               result.modularity,
               result.truncated};
}

Result<Found> ByLabels(const Workspace& workspace, const Request& request) {
  for (const char* name : {"resolution", "seed", "unweighted", "max_edges"})
    if (request.Given(name))
      return Invalid(request.Name("resolution"), ", ", request.Name("seed"), ", ",
                     request.Name("unweighted"), " and ", request.Name("max_edges"), " are of ",
                     request.Name("method", "leiden"));
  community::LabelPropagationOptions options;
  PLEXUS_TRY(Fill(workspace, request, options));
  PLEXUS_ASSIGN(const community::LabelPropagationResult result,
                community::LabelPropagation(workspace.snapshot(), options));
  Found found;
  found.iterations = result.iterations;
  found.truncated = result.truncated;
  found.communities.assign(result.labels.size(), Found::kNone);
  std::vector<std::uint32_t> numbers(result.labels.size(), Found::kNone);
  for (std::size_t v = 0; v < result.labels.size(); ++v) {
    if (result.labels[v] == kNoNode) continue;
    std::uint32_t& number = numbers[result.labels[v]];
    if (number == Found::kNone) number = found.count++;
    found.communities[v] = number;
  }
  community::LeidenOptions graph;  // the graph whose modularity is shown
  PLEXUS_TRY(Fill(workspace, request, graph));
  graph.iterations = 1;  // of labels there may be none; here they mean nothing
  const Result<double> modularity =
      community::Modularity(workspace.snapshot(), found.communities, graph);
  if (!modularity && modularity.error().code == ErrorCode::kCancelled) {
    found.truncated = true;
    found.modularity = std::numeric_limits<double>::quiet_NaN();
    return found;
  }
  PLEXUS_TRY(modularity);
  found.modularity = *modularity;
  return found;
}

struct Listed {
  std::uint32_t community = 0;
  std::size_t size = 0;
  std::vector<NodeId> members;  // that are shown, ascending
};

// Largest first, ties to the smaller first member.
std::vector<Listed> BySize(const Workspace& workspace, const Found& found) {
  std::vector<Listed> list(found.count);
  for (std::uint32_t c = 0; c < found.count; ++c) list[c].community = c;
  for (NodeId v = 0; v < found.communities.size(); ++v) {
    if (found.communities[v] == Found::kNone) continue;
    Listed& listed = list[found.communities[v]];
    ++listed.size;
    if (workspace.Shows(v)) listed.members.push_back(v);
  }
  std::ranges::stable_sort(list, std::greater(), &Listed::size);
  return list;
}

Result<Reply> RunCommunities(Workspace& workspace, const Request& request) {
  const std::string method = request.Text("method");
  PLEXUS_ASSIGN(Found found,
                method == "labels" ? ByLabels(workspace, request) : ByLeiden(workspace, request));
  std::vector<Listed> list = BySize(workspace, found);
  const std::size_t largest = list.empty() ? 0 : list[0].size;
  const auto alone = static_cast<std::uint64_t>(std::ranges::count(list, 1U, &Listed::size));
  std::string headline = Grouped(found.count) + " communities, the largest has " +
                         Grouped(largest) + " nodes, " + Grouped(alone) + " are single nodes";
  if (std::isfinite(found.modularity)) headline += "; modularity " + Number(found.modularity, 6);
  headline += '\n';
  std::erase_if(list, [](const Listed& listed) { return listed.members.empty(); });
  found.communities.clear();
  const bool truncated = found.truncated;
  Reply reply([snapshot = workspace.snapshot(), method, found = std::move(found),
               list = std::move(list), top = request.Count("top"),
               members = request.Count("members")](ReplyWriter& json) {
    json.Field("truncated", found.truncated);
    json.Field("method", method);
    json.Field("total", list.size());
    json.Field("modularity", found.modularity);
    json.Field("iterations", found.iterations);
    if (method == "leiden") json.Field("levels", found.levels);
    json.Objects("results", First(list, top), [&](const Listed& listed) {
      json.Field("community", listed.community);
      json.Field("size", listed.size);
      json.Nodes("members", snapshot, First(listed.members, members));
    });
  });
  reply.headline = std::move(headline);
  reply.closing = Truncated(truncated, "a partition as good as it was by then");
  return reply;
}

}  // namespace

void AddCommunities(Rows& rows) {
  rows.push_back(
      {.name = "communities",
       .group = "Ask",
       .title = "Communities",
       .summary = "List communities: groups of nodes with many edges between them",
       .parameters =
           Parameters{Choice("method", {"leiden", "labels"},
                             "leiden: high modularity, every community connected; labels: LDBC "
                             "Graphalytics' label propagation")} +
           EdgeParameters() +
           Parameters{Number("resolution", "R", "more and smaller communities above 1, fewer below")
                          .Default(1.0),
                      Count("seed", "S", "the seed of the order in which nodes move")
                          .Default(std::uint64_t{0}),
                      Flag("unweighted", "every edge counts 1"),
                      Count("iterations", "N", "rounds (default 2; labels: 10)"), MaxEdges(),
                      Top(20, "list the K largest; 0 = all"),
                      Count("members", "M", "show the first M of each; 0 = all")
                          .Default(std::uint64_t{5})} +
           ShownParameters(),
       .reply = "truncated:b, method:s, total:n, modularity:x, iterations:n, levels?:n, "
                "results:[{community:n, size:n, members:[k]}]",
       .tables = "results: community plain, size = nodes, members nodes",
       .examples = {{"plexus communities --db g",
                     "the twenty largest communities, five members of each"},
                    {"plexus communities --db g --kinds supports,refines --resolution 2 --top 0 "
                     "--members 0 --json",
                     "all of a finer partition, every member, its modularity"}},
       .run = RunCommunities});
}

}  // namespace plexus::tools
