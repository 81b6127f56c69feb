// Pairs to names; the operation `build` as a part of another.
#include "tools/operations/files/import_steps.h"

#include <sstream>
#include <utility>

#include "algorithms/memory/turns.h"
#include "tools/operations/registry.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/json_writer.h"

namespace plexus::tools {

Result<std::vector<ColumnName>> KindNames(const Request& request) {
  std::vector<ColumnName> names;
  for (const std::string& pair : request.List("kind_map")) {
    const std::size_t equal = pair.find('=');
    if (equal == 0 || equal == std::string::npos || equal + 1 == pair.size())
      return Fail(ErrorCode::kInvalidArgument, request.Name("kind_map") + ": " + Quoted(pair) +
                                                   " is not THEIRS=OURS, as IS_A=is-a");
    names.push_back({pair.substr(equal + 1), pair.substr(0, equal)});
    for (std::size_t i = 0; i + 1 < names.size(); ++i)
      if (names[i].in_file == names.back().in_file)
        return Fail(ErrorCode::kInvalidArgument, request.Name("kind_map") + ": " +
                                                     Quoted(names.back().in_file) +
                                                     " stands there already");
  }
  return names;
}

Parameter BuildParameter() {
  Parameter build =
      List("build", "RECIPE,...", "edges between turns to build afterwards, as `build` makes them");
  for (const EdgeRecipe& recipe : BuiltinRecipes()) build.choices.emplace_back(recipe.name);
  return build;
}

Result<std::string> BuildAfter(Workspace& workspace, const Request& request) {
  const Operation& row = *FindOperation("build");
  Request build(row);
  PLEXUS_TRY(build.Set("recipes", request.List("build")));
  PLEXUS_TRY(build.Inherit(request, "now"));
  PLEXUS_TRY(build.Check());
  PLEXUS_TRY(workspace.Look(build));
  PLEXUS_ASSIGN(Reply reply, row.run(workspace, build));
  std::ostringstream text;
  JsonWriter json(text);
  json.BeginObject();
  reply.members(json);
  json.EndObject();
  return std::move(text).str();
}

}  // namespace plexus::tools
