// Most of it follows from the parameters and the group of a row.
#include "tools/operations/framework/limits.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "tools/operations/framework/request.h"
#include "tools/operations/framework/workspace.h"

namespace plexus::tools {
namespace {

std::string TimeOf(const Operation& operation) {
  if (const std::string_view little = ShortWork(operation.name); !little.empty())
    return "reads " + std::string(little);
  std::string time = FlagName("max_seconds");
  for (const char* name : {"max_nodes", "max_edges", "max_compared", "max_steps", "max_roots"})
    if (operation.Find(name)) time += ", " + FlagName(name);
  return time;
}

bool Reads(const Operation& operation, Means means) {
  return std::ranges::find(operation.parameters, means, &Parameter::means) !=
         operation.parameters.end();
}

std::string MemoryOf(const Operation& operation) {
  const auto times = [](std::uint64_t multiple, const char* what) {
    return std::to_string(multiple) + " times " + what;
  };
  if (operation.name == "import") return times(kMemoryOfImport, "the files, with the graph");
  if (operation.group == "Care") return "a second graph";
  std::string memory = operation.group == "Look"     ? "a few numbers a node; what is shown"
                       : operation.group == "Change" ? "a few numbers a node; the batch"
                                                     : "a few numbers a node and edge";
  if (Reads(operation, Means::kContent)) memory += "; " + times(kMemoryOfContent, "the input");
  return memory;
}

}  // namespace

std::string_view ShortWork(std::string_view operation) {
  constexpr std::pair<std::string_view, std::string_view> kRows[] = {
      {"stats", "counts that the graph keeps"},
      {"kinds", "the schema"},
      {"schema", "the rows of the program"},
      {"session", "one session once"},
      {"ledger_get", "one event"},
      {"ledger_neighbors", "the events of one memory once"}};
  const auto at = std::ranges::find(kRows, operation, [](const auto& row) { return row.first; });
  return at == std::end(kRows) ? std::string_view() : at->second;
}

Limits LimitsOf(const Operation& operation) {
  return {.time = TimeOf(operation),
          .reply = operation.name == "export"
                       ? "a file: none, unless " + FlagName("max_bytes") + " is given"
                       : FlagName("max_bytes"),
          .memory = MemoryOf(operation),
          .scope = SelectsNodes(operation) ? "filter" : "not taken"};
}

}  // namespace plexus::tools
