// Parts of an import: how large it is, names of kinds, and what is built of the graph afterwards.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/error.h"
#include "storage/formats/import.h"
#include "tools/operations/framework/operation.h"
#include "tools/operations/framework/request.h"
#include "tools/operations/framework/workspace.h"

namespace plexus::tools {

// Of files and of what lies in folders.
std::uintmax_t TotalBytes(const std::vector<std::string>& files);
// One file that is read and applied as a whole. What is packed may be any size.
bool IsOneBatch(const std::vector<std::string>& files);

// The two sides of the '=' of each element of a list; `form`: how an element looks.
Result<std::vector<std::pair<std::string, std::string>>> PairsOf(const Request& request,
                                                                 std::string_view name,
                                                                 std::string_view form);
// "kind_map": "IS_A=is-a" says that what the file calls IS_A is the kind is-a.
Result<std::vector<formats::ColumnName>> KindNames(const Request& request);

// Results of jobs by id (storage/formats/import.h), by name or by what they hold.
bool IsArrays(const Request& request);
// kInvalidArgument: they do not go with other parameters, nor "column" with other files.
Status CheckArrays(const Workspace& workspace, const Request& request);
Result<formats::ImportReport> ReadArrays(Workspace& workspace, const Request& request,
                                         const formats::ImportOptions& options);

// "build": recipes, as the operation of that name has them.
Parameter BuildParameter();
// What it says of them, asked of the graph as it is now, as JSON.
Result<std::string> BuildAfter(Workspace& workspace, const Request& request);
// The reply of an import, with what BuildAfter made, if anything.
Reply WithBuilt(Reply reply, std::string built);

}  // namespace plexus::tools
