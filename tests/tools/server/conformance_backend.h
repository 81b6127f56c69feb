// The fixtures that the official conformance suite of MCP asks for, over the product's protocol.
#pragma once

#include "tools/server/mcp/protocol.h"

namespace plexus::tools::server {

class ConformanceBackend final : public Backend {
 public:
  // Sends what changes its lists; set before the first call.
  Subscriptions* subscriptions = nullptr;

  std::string ServerInfo() const override;
  std::string Instructions() const override { return "fixtures"; }
  std::string Capabilities(Era era) const override;
  std::vector<std::string> Tools(Era era) const override;
  bool HasTool(std::string_view name) const override;
  bool OnlyReads(std::string_view) const override { return true; }
  Outcome CallTool(std::string_view name, const json::object& arguments, Call& call) override;
  std::vector<std::string> Resources() const override;
  std::vector<std::string> ResourceTemplates() const override;
  Outcome ReadResource(std::string_view uri, Call& call) override;
  bool MaySubscribe(std::string_view) const override { return true; }
  std::vector<std::string> Prompts() const override;
  Outcome GetPrompt(std::string_view name, const json::object& arguments, Call& call) override;

 private:
  Outcome AskForInput(std::string_view name, Call& call);
};

}  // namespace plexus::tools::server
