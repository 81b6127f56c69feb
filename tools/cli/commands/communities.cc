// communities: which nodes belong together, by modularity or by what neighbours say.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/community/label_propagation.h"
#include "algorithms/community/leiden.h"
#include "tools/cli/arguments.h"
#include "tools/cli/budget_option.h"
#include "tools/cli/cli.h"
#include "tools/cli/edge_options.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/human_format.h"
#include "tools/cli/output.h"
#include "tools/cli/session.h"
#include "tools/cli/table.h"
#include "tools/operations/json_writer.h"
#include "tools/operations/names.h"
#include "tools/operations/reply.h"

namespace plexus::tools {
namespace {

struct Arguments : EdgeSelection, BudgetOption {
  std::string method = "leiden";
  std::optional<double> resolution;
  std::optional<std::uint64_t> seed, iterations, top, members;
  bool unweighted = false;
};

// What both methods find, communities in the order of their smallest members.
struct Found {
  static constexpr std::uint32_t kNone = LeidenResult::kNotSelected;
  std::vector<std::uint32_t> communities;  // by NodeId
  std::uint32_t count = 0;
  int iterations = 0, levels = 0;
  double modularity = 0;
  bool truncated = false;
};

// Shared by the options of both.
template <class Options>
Status Fill(Session& session, const Arguments& given, Options& options) {
  PLEXUS_TRY(Select(session, given, options));
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(given));
  if (given.iterations)
    options.iterations = static_cast<int>(std::min<std::uint64_t>(*given.iterations, 1'000'000));
  return {};
}

Result<LeidenOptions> MakeLeidenOptions(Session& session, const Arguments& given) {
  LeidenOptions options;
  PLEXUS_TRY(Fill(session, given, options));
  options.resolution = given.resolution.value_or(1);
  options.seed = given.seed.value_or(0);
  options.weighted = !given.unweighted;
  return options;
}

Result<Found> ByLeiden(Session& session, const Arguments& given) {
  PLEXUS_ASSIGN(const LeidenOptions options, MakeLeidenOptions(session, given));
  PLEXUS_ASSIGN(LeidenResult result, Leiden(session.snapshot(), options));
  return Found{std::move(result.communities),
               result.count,
               result.iterations,
               result.levels,
               result.modularity,
               result.truncated};
}

Result<Found> ByLabels(Session& session, const Arguments& given) {
  if (given.resolution || given.seed || given.unweighted || given.max_edges)
    return Fail(ErrorCode::kInvalidArgument,
                "--resolution, --seed, --unweighted and --max-edges are of --method leiden");
  LabelPropagationOptions options;
  PLEXUS_TRY(Fill(session, given, options));
  PLEXUS_ASSIGN(const LabelPropagationResult result, LabelPropagation(session.snapshot(), options));
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
  LeidenOptions graph;  // the graph whose modularity is told
  PLEXUS_TRY(Fill(session, given, graph));
  graph.iterations = 1;  // of labels there may be none; here they mean nothing
  PLEXUS_ASSIGN(found.modularity, Modularity(session.snapshot(), found.communities, graph));
  return found;
}

struct Listed {
  std::uint32_t community;
  std::vector<NodeId> members;  // ascending
};

// Largest first, ties to the smaller first member.
std::vector<Listed> BySize(const Found& found) {
  std::vector<Listed> list(found.count);
  for (std::uint32_t c = 0; c < found.count; ++c) list[c].community = c;
  for (NodeId v = 0; v < found.communities.size(); ++v)
    if (found.communities[v] != Found::kNone) list[found.communities[v]].members.push_back(v);
  std::stable_sort(list.begin(), list.end(), [](const Listed& a, const Listed& b) {
    return a.members.size() > b.members.size();
  });
  return list;
}

void WriteJson(const Snapshot& snapshot, const Arguments& given, const Found& found,
               const std::vector<Listed>& list, std::size_t shown, std::uint64_t members) {
  JsonWriter json(Out());
  json.BeginObject();
  json.Field("truncated", found.truncated);
  json.Field("method", std::string_view(given.method));
  json.Field("count", found.count);
  json.Field("modularity", found.modularity);
  json.Field("iterations", found.iterations);
  if (given.method == "leiden") json.Field("levels", found.levels);
  json.BeginArray("communities");
  for (std::size_t i = 0; i < shown; ++i) {
    const Listed& listed = list[i];
    json.BeginObject();
    json.Field("community", listed.community);
    json.Field("size", listed.members.size());
    json.BeginArray("members");
    for (std::size_t m = 0; m < listed.members.size() && (members == 0 || m < members); ++m)
      json.Value(snapshot.key(listed.members[m]));
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  Out() << '\n';
}

Result<int> Run(const Globals& globals, const Arguments& given) {
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  const Snapshot& snapshot = session->snapshot();
  PLEXUS_ASSIGN(const Found found,
                given.method == "labels" ? ByLabels(*session, given) : ByLeiden(*session, given));
  const std::vector<Listed> list = BySize(found);
  const std::uint64_t top = given.top.value_or(20), members = given.members.value_or(5);
  const std::size_t shown = top == 0 ? list.size() : std::min<std::size_t>(top, list.size());
  if (globals.json) {
    WriteJson(snapshot, given, found, list, shown, members);
    return kDone;
  }
  const std::size_t largest = list.empty() ? 0 : list[0].members.size();
  const auto alone = static_cast<std::uint64_t>(
      std::ranges::count_if(list, [](const Listed& l) { return l.members.size() == 1; }));
  Out() << Grouped(found.count) << " communities, the largest has " << Grouped(largest)
        << " nodes, " << Grouped(alone) << " are single nodes; modularity "
        << Number(found.modularity, 6) << '\n';
  Table table;
  table.Column("community", Table::Align::kRight).Column("nodes", Table::Align::kRight);
  AddNodeColumns(table, globals, 60);
  for (std::size_t i = 0; i < shown; ++i)
    for (std::size_t m = 0; m < list[i].members.size() && (members == 0 || m < members); ++m) {
      std::vector<std::string> row = {m == 0 ? std::to_string(list[i].community) : "",
                                      m == 0 ? Grouped(list[i].members.size()) : ""};
      AddNodeCells(row, globals, snapshot, list[i].members[m]);
      table.Row(row);
    }
  table.Print(Out());
  PrintTruncated(found.truncated, "a partition as good as it was by then");
  return kDone;
}

}  // namespace

void AddCommunities(Cli& cli) {
  static Arguments given;
  Command& command =
      AddSelection(cli.Add("Ask", "communities", "Tell which nodes belong together",
                           [](const Globals& globals) { return Run(globals, given); })
                       .Choice("--method", given.method, {"leiden", "labels"},
                               "leiden: high modularity, every community connected (default); "
                               "labels: LDBC Graphalytics' label propagation"),
                   given)
          .Option("--resolution", "R", given.resolution,
                  "more and smaller communities above 1, fewer below (default 1)")
          .Option("--seed", "S", given.seed, "of the order in which nodes move (default 0)")
          .Flag("--unweighted", given.unweighted, "every edge counts 1")
          .Option("--iterations", "N", given.iterations, "rounds (default 2; labels: 10)");
  AddMaxSeconds(AddMaxEdges(command, given), given)
      .Option("--top", "K", given.top, "list the K largest; 0 = all (default 20)")
      .Option("--members", "M", given.members, "show the first M of each; 0 = all (default 5)")
      .Example("plexus communities --db g", "the twenty largest communities, five members of each")
      .Example(
          "plexus communities --db g --kinds supports,refines --resolution 2 --top 0 --members 0 "
          "--json",
          "all of a finer partition, every member, its modularity");
}

}  // namespace plexus::tools
