// Sets are looked up by name; the groups of operations make the rest.
#include "tools/server/tool_sets.h"

#include <algorithm>

#include "tools/operations/framework/arguments.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/reply/human_format.h"
#include "tools/server/knowledge/knowledge_tools.h"
#include "tools/server/reply_names.h"

namespace plexus::tools::server {
namespace {

constexpr std::string_view kSets[] = {"memory", "ledger", "concepts",      "decisions", "retrieval",
                                      "graph",  "admin",  "server-memory", "all"};

// Operations that are tools themselves; what reads or replaces files of this machine is none.
bool IsTool(const Operation& operation, std::string_view set) {
  static constexpr std::string_view kNone[] = {"import", "export", "restore",
                                               "repair", "schema", "backup"};
  if (std::ranges::find(kNone, operation.name) != std::end(kNone)) return false;
  if (set == "all") return true;
  const bool admin = operation.group == "Care" || operation.effect == Effect::kDestroy;
  return set == "admin" ? admin : !admin && operation.name.find('_') == std::string::npos;
}

}  // namespace

std::span<const std::string_view> ToolSetNames() { return kSets; }

Result<ChosenTools> ChooseTools(const std::vector<std::string>& sets) {
  ChosenTools chosen;
  const auto add_operation = [&](const Operation& operation) {
    if (std::ranges::find(chosen.operations, &operation) == chosen.operations.end())
      chosen.operations.push_back(&operation);
  };
  for (const std::string& set : sets) {
    if (std::ranges::find(kSets, set) == std::end(kSets)) {
      const std::vector<std::string> names(std::begin(kSets), std::end(kSets));
      return Invalid("no set of tools ", Quoted(set), DidYouMean(set, names));
    }
    chosen.knowledge |= set == KnowledgeTools::kSet;
    for (const ToolRow& row : ToolRows())
      if (row.set == set && std::ranges::find(chosen.rows, &row) == chosen.rows.end())
        chosen.rows.push_back(&row);
    if (set == "graph" || set == "admin" || set == "all")
      for (const Operation& operation : AllOperations())
        if (IsTool(operation, set)) add_operation(operation);
  }
  // One name is one tool: the operation's own form is left out.
  std::erase_if(chosen.operations, [&](const Operation* operation) {
    return std::ranges::any_of(chosen.rows,
                               [&](const ToolRow* row) { return row->name == operation->name; });
  });
  return chosen;
}

std::string_view Taken(const Branch& branch, std::string_view parameter) {
  std::string_view left = branch.takes;
  while (!left.empty()) {
    const std::size_t comma = std::min(left.find(','), left.size());
    const std::string_view one = Trimmed(left.substr(0, comma));
    left.remove_prefix(std::min(comma + 1, left.size()));
    const std::size_t equals = one.find('=');
    if (one.substr(0, equals) == parameter)
      return equals == std::string_view::npos ? one : one.substr(equals + 1);
  }
  return {};
}

}  // namespace plexus::tools::server
