// The product: operations as tools, the graph as resources and prompts, keys as completion.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/server/knowledge/knowledge_tools.h"
#include "tools/server/mcp/backend.h"
#include "tools/server/service.h"
#include "tools/server/tool_sets.h"

namespace plexus::tools::server {

class OperationBackend final : public Backend {
 public:
  // `service` must outlive it.
  OperationBackend(Service& service, ChosenTools tools);

  std::string ServerInfo() const override;
  std::string Instructions() const override;
  std::string Capabilities(Era era) const override;
  std::string CapabilitiesWithoutStream() const override;
  std::vector<std::string> Tools(Era era) const override;
  bool HasTool(std::string_view name) const override;
  bool OnlyReads(std::string_view name) const override;
  Outcome CallTool(std::string_view name, const json::object& arguments, Call& call) override;
  std::vector<std::string> Resources() const override;
  std::vector<std::string> ResourceTemplates() const override;
  Outcome ReadResource(std::string_view uri, Call& call) override;
  std::size_t ResourceState(std::string_view uri, Call& call) override;
  bool MaySubscribe(std::string_view uri) const override;
  std::vector<std::string> Prompts() const override;
  Outcome GetPrompt(std::string_view name, const json::object& arguments, Call& call) override;
  Outcome Complete(const json::object& reference, const json::object& argument,
                   Call& call) override;

 private:
  struct Tool {
    const ToolRow* row = nullptr;
    const Operation* operation = nullptr;
    bool reads = false;
  };
  Result<std::string> RunRow(const ToolRow& row, const json::object& arguments, Call& call);
  Result<std::string> RunBranch(const ToolRow& row, const Branch& branch,
                                const json::object& arguments, std::uint64_t chars, Call& call);
  Result<std::string> RunOperation(const Operation& operation, const json::object& arguments,
                                   Call& call);
  Result<std::string> Ask(Request request, Call& call);
  Result<std::string> AskPage(Request request, std::string_view list, std::string_view cursor,
                              std::uint64_t chars, Call& call);

  Status AwaitAsked(const Call& call);
  Service& service_;
  std::unique_ptr<KnowledgeTools> knowledge_;  // null: not chosen
  std::vector<std::string> tools_;             // JSON, in order
  std::map<std::string, Tool, std::less<>> by_name_;
};

// What a resource's URI asks; kNotFound where there is no such resource.
Result<Request> RequestOfUri(std::string_view uri);
// %41 is A.
std::string Unescaped(std::string_view text);

}  // namespace plexus::tools::server
