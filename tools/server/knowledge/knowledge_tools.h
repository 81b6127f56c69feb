// KnowledgeTools: the nine tools and the resource of MCP's memory server, over a service.
//
// Names, parameters, replies and sentences are that server's, so its clients and their prompts need
// not change. What differs is the table in tools/server/README.md. Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tools/server/knowledge/knowledge_graph.h"
#include "tools/server/mcp/backend.h"

namespace plexus::tools::server {

class KnowledgeTools {
 public:
  static constexpr std::string_view kSet = "server-memory";
  static constexpr std::string_view kUri = "memory://knowledge-graph";

  // `service` must outlive it.
  explicit KnowledgeTools(Service& service) : service_(service) {}

  // JSON objects as tools/list has them, in that server's order.
  static std::vector<std::string> Tools();
  static bool Has(std::string_view name);
  static bool OnlyReads(std::string_view name);
  Outcome CallTool(std::string_view name, const json::object& arguments, Call& call);
  static std::string Resource();
  Outcome ReadResource(Call& call);
  // A number that another state of the resource most likely does not have. Makes no text.
  std::size_t ResourceState(Call& call);

 private:
  struct Kept;
  struct Writing;
  using Shown = Result<Outcome>;
  using Show = std::function<Shown(Kept&, TimeLimit&)>;
  std::shared_ptr<Kept> KeptFor(const std::vector<std::string>& wall);
  static Status Fill(Kept& kept, Workspace& workspace, const Graph& whole, TimeLimit& limit);
  // The time that a request has from now on, and its cancellation.
  TimeLimit LimitOf(const Caller& caller) const;
  // What the graph holds now, as the caller sees it.
  Outcome Read(Call& call, const Show& show);
  Outcome Write(Call& call, std::string_view name, const json::object& arguments);

  Service& service_;
  std::mutex mutex_;
  std::uint64_t uses_ = 0;
  std::map<std::vector<std::string>, std::shared_ptr<Kept>> kept_;  // by wall
};

// What is wrong with the arguments by that server's words; "" when nothing is.
std::string KnowledgeArgumentsError(std::string_view tool, const json::object& arguments);

}  // namespace plexus::tools::server
