// What a tool of MCP's memory server changes, as a batch and as its reply.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/error.h"
#include "engine/write_batch.h"
#include "tools/operations/framework/time_limit.h"
#include "tools/operations/framework/workspace.h"
#include "tools/server/json_text.h"
#include "tools/server/knowledge/knowledge_graph.h"

namespace plexus::tools::server {

struct KnowledgeChange {
  WriteBatch batch;
  std::string reply;  // the members of the tool's result
  // What is to be read again once the batch is applied.
  std::vector<std::string> nodes;
  std::vector<std::tuple<std::string, std::string, std::string>> relations;
};

// The change that the tool asks for. `graph` is what the workspace's snapshot holds; what is new
// gets its places from `place` on. REQUIRES arguments that were checked. kNotFound: no such entity,
// in that server's words; kInvalidArgument: a name that no node can have; kCancelled: `limit` is
// up.
Result<KnowledgeChange> MakeKnowledgeChange(std::string_view tool, const json::object& arguments,
                                            const KnowledgeGraph& graph, Workspace& workspace,
                                            std::uint64_t place, TimeLimit& limit);

// {"entities":[..],"relations":[..]}; none: it has more than `most` bytes, of which the rest is not
// written.
std::optional<std::string> JsonOfPart(const KnowledgePart& part, std::size_t most);
// JSON as JSON.stringify(value, null, 2) has it, as a text in quotes.
void AppendQuotedIndented(std::string& out, std::string_view json);
// A result: its text is `json` so indented.
std::string KnowledgeReply(std::string_view json, std::string_view structured);

}  // namespace plexus::tools::server
