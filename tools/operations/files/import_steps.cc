// Pairs to names; arrays by id; the operation `build` as a part of another.
#include "tools/operations/files/import_steps.h"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "algorithms/memory/turns/turns.h"
#include "storage/formats/import.h"
#include "storage/replica.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/json_writer.h"

namespace plexus::tools {

std::uintmax_t TotalBytes(const std::vector<std::string>& files) {
  namespace fs = std::filesystem;
  std::uintmax_t total = 0;
  std::error_code ignored;
  const auto add = [&](const fs::path& path) {
    const std::uintmax_t size = fs::file_size(path, ignored);
    if (!ignored) total += size;
  };
  for (const std::string& file : files) {
    if (!fs::is_directory(file, ignored)) {
      add(file);
      continue;
    }
    for (const auto& entry : fs::directory_iterator(file, ignored)) add(entry.path());
  }
  return total;
}

bool IsOneBatch(const std::vector<std::string>& files) {
  std::error_code ignored;
  if (files.size() != 1 || !std::filesystem::is_regular_file(files[0], ignored)) return false;
  std::ifstream in(files[0], std::ios::binary);
  const bool packed = in.get() == 0x1f && in.get() == 0x8b;
  return !packed && TotalBytes(files) < formats::ImportOptions().block_bytes;
}

Result<std::vector<std::pair<std::string, std::string>>> PairsOf(const Request& request,
                                                                 std::string_view name,
                                                                 std::string_view form) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& pair : request.List(name)) {
    const std::size_t equal = pair.find('=');
    if (equal == 0 || equal == std::string::npos || equal + 1 == pair.size())
      return Invalid(request.Name(name), ": ", Quoted(pair), " is not ", form);
    pairs.emplace_back(pair.substr(0, equal), pair.substr(equal + 1));
  }
  return pairs;
}

Result<std::vector<formats::ColumnName>> KindNames(const Request& request) {
  PLEXUS_ASSIGN(const auto pairs, PairsOf(request, "kind_map", "THEIRS=OURS, as IS_A=is-a"));
  std::vector<formats::ColumnName> names;
  for (const auto& [theirs, ours] : pairs) {
    names.push_back({ours, theirs});
    for (std::size_t i = 0; i + 1 < names.size(); ++i)
      if (names[i].in_file == names.back().in_file)
        return Invalid(request.Name("kind_map"), ": ", Quoted(names.back().in_file),
                       " stands there already");
  }
  return names;
}

bool IsArrays(const Request& request) {
  const std::string& format = request.Text("format");
  const std::vector<std::string>& files = request.List("files");
  return format == "array" ||
         (format == "auto" && !files.empty() && formats::IsArrayFile(files[0]));
}

Status CheckArrays(const Workspace& workspace, const Request& request) {
  if (!IsArrays(request) && request.Given("column"))
    return Invalid(request.Name("column"), " goes with ", request.Name("format", "array"));
  if (!IsArrays(request)) return {};
  for (const char* other : {"strict", "reversed_kinds", "kind_map", "columns", "terms", "dry_run",
                            "follow", "check", "on_error"})
    if (request.Given(other)) return Invalid(request.Name(other), " does not go with arrays by id");
  if (workspace.has_database()) return {};
  return Unsupported(request.Name("format", "array"),
                     " is of a graph in a directory, by the ids of all of "
                     "it: not in a session of a scope");
}

Result<formats::ImportReport> ReadArrays(Workspace& workspace, const Request& request,
                                         const formats::ImportOptions& options) {
  PLEXUS_ASSIGN(const replica::GraphIdentity identity,
                replica::IdentifyGraph(workspace.directory()));
  return formats::ImportArrays(workspace.graph(), request.List("files"),
                               {identity.high, identity.low, request.Text("column")}, options);
}

Parameter BuildParameter() {
  Parameter build =
      List("build", "RECIPE,...", "edges between turns to build afterwards, as `build` makes them");
  for (const memory::EdgeRecipe& recipe : memory::BuiltinRecipes())
    build.choices.emplace_back(recipe.name);
  return build;
}

Result<std::string> BuildAfter(Workspace& workspace, const Request& request) {
  const Operation& row = *FindOperation("build");
  Request build(row);
  PLEXUS_TRY(build.Set("recipes", request.List("build")));
  PLEXUS_TRY(build.Inherit(request, "now"));
  PLEXUS_TRY(build.Inherit(request, "dry_run"));
  PLEXUS_TRY(build.Check());
  PLEXUS_TRY(workspace.Look(build));
  PLEXUS_ASSIGN(Reply reply, row.run(workspace, build));
  return JsonObject([&](JsonWriter& json) { reply.members(json); });
}

Reply WithBuilt(Reply reply, std::string built) {
  if (built.empty()) return reply;
  reply.page += "built: " + built + "\n";
  reply.members = [members = std::move(reply.members),
                   built = std::move(built)](ReplyWriter& json) mutable {
    members(json);
    json.Key("built");
    json.Raw(built);
  };
  return reply;
}

}  // namespace plexus::tools
