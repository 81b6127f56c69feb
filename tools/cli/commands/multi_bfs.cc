// Level sizes of many searches, to a table or JSON; more than 64 go 64 at a time.
#include "tools/cli/commands/multi_bfs.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "tools/cli/budget_option.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/human_format.h"
#include "tools/cli/output.h"
#include "tools/cli/table.h"
#include "tools/operations/json_writer.h"
#include "tools/operations/reply.h"

namespace plexus::tools {

Result<int> RunBfsEach(const Globals& globals, const Session& session,
                       std::span<const NodeId> sources, const MultiBfsOptions& options) {
  const Snapshot& snapshot = session.snapshot();
  std::vector<std::vector<std::uint64_t>> levels;
  bool truncated = false;
  for (std::size_t first = 0; first < sources.size(); first += kBfsLanes) {
    const auto some = sources.subspan(first, std::min(kBfsLanes, sources.size() - first));
    PLEXUS_ASSIGN(MultiBfsResult result, MultiBfs(snapshot, some, options));
    truncated |= result.truncated;
    for (auto& sizes : result.levels) levels.push_back(std::move(sizes));
  }
  const auto reached = [](const std::vector<std::uint64_t>& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  };
  if (globals.json) {
    JsonWriter json(Out());
    json.BeginObject();
    json.Field("truncated", truncated);
    json.BeginArray("sources");
    for (std::size_t i = 0; i < sources.size(); ++i) {
      json.BeginObject();
      json.Field("key", snapshot.key(sources[i]));
      json.Field("reached", reached(levels[i]));
      json.BeginArray("levels");
      for (const std::uint64_t size : levels[i]) json.Value(size);
      json.EndArray();
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
    Out() << '\n';
    return kDone;
  }
  constexpr std::size_t kShown = 12;  // levels
  Table table;
  table.Column("reached", Table::Align::kRight).Column("by depth");
  AddNodeColumns(table, globals, 60);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    std::string sizes;
    for (std::size_t d = 0; d < std::min(levels[i].size(), kShown); ++d)
      sizes += (d ? " " : "") + Grouped(levels[i][d]);
    if (levels[i].size() > kShown) sizes += " ... to " + Grouped(levels[i].size() - 1);
    std::vector<std::string> row = {Grouped(reached(levels[i])), sizes};
    AddNodeCells(row, globals, snapshot, sources[i]);
    table.Row(row);
  }
  table.Print(Out());
  PrintTruncated(truncated, "deeper levels may be missing");
  return kDone;
}

}  // namespace plexus::tools
