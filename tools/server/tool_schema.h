// A tool as tools/list shows it: schemas made from the rows, in few bytes for tools of the table.
#pragma once

#include <string>

#include "tools/operations/framework/operation.h"
#include "tools/server/tool_sets.h"

namespace plexus::tools::server {

// A reply of a tool ends there unless it is asked for more.
inline constexpr std::uint64_t kReplyChars = 20'000, kMostReplyChars = 1'000'000;

// JSON Schema of what an operation takes, and of what it replies.
std::string RequestSchema(const Operation& operation);
std::string ReplySchema(const Operation& operation);
// JSON objects of a tool.
std::string ToolJson(const ToolRow& row);
std::string ToolJson(const Operation& operation);
// Whether none of the operations changes anything, whatever the arguments.
bool OnlyReads(const ToolRow& row);
bool OnlyReads(const Operation& operation);

}  // namespace plexus::tools::server
