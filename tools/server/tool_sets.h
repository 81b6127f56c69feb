// Tools as a model sees them: a table of names over the operations.
//
// All operations are 70,000 tokens of schemas, so a model is given a set. A tool of the table is
// one operation, or a few that belong together: `action` says which. Its parameters are those of
// the operations under names of its own, and few. The sets `graph`, `admin` and `all` are the
// operations themselves, with all of their parameters.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.h"
#include "tools/operations/framework/operation.h"

namespace plexus::tools::server {

struct ToolParameter {
  std::string_view name;
  std::string_view help = {};  // "" : what the operation says
  bool flag = false;           // true leaves the operation's number as it is, false makes it 0
};

// An operation that a tool runs.
struct Branch {
  std::string_view action;  // the value of `action`; the first one is the default
  std::string_view operation;
  std::string_view takes;       // "key, query=words": the tool's names, and the operation's
  std::string_view sets = {};   // "hops=2; plan=rag": what the tool says by itself
  std::string_view names = {};  // of the reply's members (tool_reply.h)
  std::string_view list = {};   // the member of which `top` elements are a page (tool_reply.h)
};

enum class Runs : std::uint8_t {
  kOne,   // the branch that `action` names
  kAll,   // every one, each reply under its action
  kThen,  // the first; the second with the event of the first, where its parameters are given
};

struct ToolRow {
  std::string_view name;
  std::string_view title;
  std::string_view description;  // when to use it, and one example
  std::vector<ToolParameter> parameters = {};
  std::vector<Branch> branches = {};
  bool says_action = false;  // the reply begins with the action
  bool draws = false;        // a host that shows MCP apps draws the reply (kGraphApp)
  Runs runs = Runs::kOne;
  std::string_view set = {};  // ToolRows() names it
};

const std::vector<ToolRow>& ToolRows();

// The resource that draws replies: the explorer's page, as an MCP app (SEP-1865, 2026-01-26).
inline constexpr std::string_view kGraphApp = "ui://plexus/graph.html";
inline constexpr std::string_view kAppType = "text/html;profile=mcp-app";

// Names of sets, in the order of help.
std::span<const std::string_view> ToolSetNames();
// What `--tools A,B` chooses: rows of the table, and operations that are tools themselves.
struct ChosenTools {
  std::vector<const ToolRow*> rows = {};
  std::vector<const Operation*> operations = {};
  bool knowledge = false;  // those of MCP's memory server (knowledge/knowledge_tools.h)
};
// kInvalidArgument names a set that there is not.
Result<ChosenTools> ChooseTools(const std::vector<std::string>& sets);

// The operation's name for a parameter of the tool; "" where the branch does not take it.
std::string_view Taken(const Branch& branch, std::string_view parameter);

// A reply of a tool ends there unless it is asked for more.
inline constexpr std::uint64_t kReplyChars = 20'000, kMostReplyChars = 1'000'000;

// JSON Schema of what an operation takes, and of what it replies.
std::string RequestSchema(const Operation& operation);
std::string ReplySchema(const Operation& operation);
// JSON objects of a tool as tools/list shows it, with schemas made from the rows.
std::string ToolJson(const ToolRow& row);
std::string ToolJson(const Operation& operation);
// Whether none of the operations changes anything, whatever the arguments.
bool OnlyReads(const ToolRow& row);
bool OnlyReads(const Operation& operation);

}  // namespace plexus::tools::server
