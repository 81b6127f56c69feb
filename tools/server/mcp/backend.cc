// What a backend says that has no resources and no prompts, and the forms of tools' results.
#include "tools/server/mcp/backend.h"

namespace plexus::tools::server {

Outcome Backend::ReadResource(std::string_view uri, Call&) {
  return Refused(kInvalidParams, "no resource " + QuotedJson(uri),
                 ObjectText().Text("uri", uri).object());
}

std::size_t Backend::ResourceState(std::string_view uri, Call& call) {
  const Outcome read = ReadResource(uri, call);
  return std::hash<std::string>()(read ? *read : read.error().message);
}

Outcome Backend::GetPrompt(std::string_view name, const json::object&, Call&) {
  return Refused(kInvalidParams, "no prompt " + QuotedJson(name));
}

Outcome Backend::Complete(const json::object&, const json::object&, Call&) {
  return R"("values":[],"total":0,"hasMore":false)";
}

std::string ToolError(std::string_view text) {
  return R"("content":[{"type":"text","text":)" + QuotedJson(text) + R"(}],"isError":true)";
}

std::string ToolReply(std::string_view json) {
  std::string members = R"("content":[{"type":"text","text":)" + QuotedJson(json);
  members += R"(}],"structuredContent":)";
  members += json;
  return members + R"(,"isError":false)";
}

}  // namespace plexus::tools::server
