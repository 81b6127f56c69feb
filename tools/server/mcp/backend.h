// What an MCP server offers: tools, resources, prompts and completion, behind the protocol.
//
// The protocol knows the words of both eras and no graph; a backend knows what is offered and no
// JSON-RPC. Lists are JSON objects in a fixed order. What a call returns are the members of the
// result, without resultType and _meta, which the protocol adds.
#pragma once

#include <atomic>
#include <exception>
#include <expected>
#include <functional>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "tools/server/json_text.h"
#include "tools/server/service.h"

namespace plexus::tools::server {

enum class Era : std::uint8_t {
  kHandshake,  // `initialize` first: revisions up to 2025-11-25
  kStateless,  // every request says its revision: 2026-07-28
};

// JSON-RPC's own codes, and those of MCP.
enum RpcCode : int {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternalError = -32603,
  kHeaderMismatch = -32020,
  kMissingCapability = -32021,
  kUnsupportedVersion = -32022,
};

struct RpcError {
  int code = kInternalError;
  std::string message = {};
  std::string data = {};  // JSON; "" is none
};
using Outcome = std::expected<std::string, RpcError>;
inline std::unexpected<RpcError> Refused(int code, std::string message, std::string data = {}) {
  return std::unexpected(RpcError{code, std::move(message), std::move(data)});
}
inline std::unexpected<RpcError> NoResource(std::string_view uri) {
  return Refused(kInvalidParams, "no resource " + QuotedJson(uri),
                 ObjectText().Text("uri", uri).object());
}

// What is said of an exception; without memory the request may be sent again.
inline RpcError FailureOf(const std::exception& failure) {
  if (!dynamic_cast<const std::bad_alloc*>(&failure)) return {kInternalError, failure.what()};
  return {kInternalError, kNoMemory, R"({"retryable":true})"};
}

// What came with a request, and the way back to who asks.
struct Call {
  const json::object& params;
  Era era = Era::kStateless;
  const json::object* capabilities = nullptr;  // the client's; may be null
  Caller caller = {};
  // A notification that belongs to this request: its method, the members of its params.
  std::function<void(std::string_view method, std::string_view params)> notify = {};
  // A progress notification; does nothing where the client asked for none.
  std::function<void(double done, double total, std::string_view message)> progress = {};
  const std::atomic<bool>* cancel = nullptr;
};

class Backend {
 public:
  virtual ~Backend() = default;

  virtual std::string ServerInfo() const = 0;  // {"name":..,"version":..}
  virtual std::string Instructions() const = 0;
  // The members of `capabilities`.
  virtual std::string Capabilities(Era era) const = 0;
  // Of the era of the handshake, where nothing but answers can be sent: over HTTP.
  virtual std::string CapabilitiesWithoutStream() const { return Capabilities(Era::kHandshake); }

  virtual std::vector<std::string> Tools(Era era) const = 0;
  virtual bool HasTool(std::string_view name) const = 0;
  // Whether it changes nothing, so that it need not wait its turn.
  virtual bool OnlyReads(std::string_view name) const = 0;
  virtual Outcome CallTool(std::string_view name, const json::object& arguments, Call& call) = 0;

  virtual std::vector<std::string> Resources() const { return {}; }
  virtual std::vector<std::string> ResourceTemplates() const { return {}; }
  virtual Outcome ReadResource(std::string_view uri, Call&) { return NoResource(uri); }
  virtual bool MaySubscribe(std::string_view) const { return false; }
  // A number that another state of the resource most likely does not have, for who subscribes.
  virtual std::size_t ResourceState(std::string_view uri, Call& call) {
    const Outcome read = ReadResource(uri, call);
    return std::hash<std::string>()(read ? *read : read.error().message);
  }

  virtual std::vector<std::string> Prompts() const { return {}; }
  virtual Outcome GetPrompt(std::string_view name, const json::object&, Call&) {
    return Refused(kInvalidParams, "no prompt " + QuotedJson(name));
  }
  // `completion`'s members for an argument of a prompt or a template.
  virtual Outcome Complete(const json::object&, const json::object&, Call&) {
    return R"("values":[],"total":0,"hasMore":false)";
  }
  // Other methods, of a test server's; nullopt: there is no such method.
  virtual std::optional<Outcome> Other(std::string_view, Call&) { return std::nullopt; }
};

// JSON of an error that a tool ran into, as the members of a result.
inline std::string ToolError(std::string_view text) {
  return R"("content":[{"type":"text","text":)" + QuotedJson(text) + R"(}],"isError":true)";
}
// The same for a reply: text and structuredContent are the same JSON.
inline std::string ToolReply(std::string_view json) {
  std::string members = R"("content":[{"type":"text","text":)" + QuotedJson(json);
  members.append(R"(}],"structuredContent":)").append(json);
  return members + R"(,"isError":false)";
}

}  // namespace plexus::tools::server
