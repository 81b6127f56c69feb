// Who may ask, and how often: what is answered before a body is read, and counted.
#include <chrono>

#include "tools/server/http/routes.h"

namespace plexus::tools::server {

namespace {

// Whether the rate of who asks allows it: the token's, else the address's.
bool MayPass(const AccessRules& rules, const std::expected<Caller, HttpReply>& caller,
             const std::string& peer) {
  const auto now = std::chrono::steady_clock::now();
  if (caller && !rules.tokens.empty()) return !caller->rate || caller->rate->Take(now);
  const auto& rates = caller ? rules.peers : rules.refused;
  return !rates || rates->Take(peer, now);
}

}  // namespace

std::expected<Caller, HttpReply> Admit(const AccessRules& rules, const HttpRequest& request) {
  const auto caller = WhoAsks(rules, request);
  if (caller) return *caller;
  const auto& [status, why] = caller.error();
  return std::unexpected(ErrorReply(status, {ErrorCode::kFailedPrecondition, why}));
}

std::optional<HttpReply> EarlyReply(const AccessRules& rules, HttpCounts& counts,
                                    const HttpRequest& request, bool imports) {
  ++counts.requests;
  const auto caller = Admit(rules, request);
  const std::string_view path = PathOf(request.target);
  const bool gets = request.method == "GET" || request.method == "HEAD";
  if (caller && gets && path == "/health") return JsonReply(200, R"({"ok":true})");
  // Who watches is not limited; who is refused is, so that tokens cannot be tried in a row.
  const bool watches = caller && gets && (path == "/ready" || path == "/metrics");
  if (!watches && !MayPass(rules, caller, request.peer)) {
    ++counts.failed;
    ++counts.limited;
    return ErrorReply(
        429, {ErrorCode::kResourceExhausted, "more requests a second than are allowed: try again"},
        {{"Retry-After", "1"}});
  }
  if (!caller) {
    ++counts.failed;
    ++counts.refused;
    return caller.error();
  }
  if (!imports || caller->may_write) return std::nullopt;
  ++counts.failed;
  return ErrorReply(403, {ErrorCode::kFailedPrecondition, "this request needs the right to write"});
}

bool IsJson(const HttpRequest& request) {
  const std::string_view type = request.Header("Content-Type");
  return SameName(type.substr(0, type.find_first_of("; \t")), "application/json");
}

bool IsImportBody(const HttpRequest& request, std::string_view path) {
  return request.method == "POST" && path == "/v1/import" && !IsJson(request);
}

std::string SpoolOwner(const AccessRules& rules, const HttpRequest& request) {
  if (rules.tokens.empty()) return request.peer;
  return std::string(request.Header("Authorization"));
}

std::string CountsText(const HttpCounts& counts) {
  std::string text;
  const auto add = [&](const char* name, const char* help, std::uint64_t value) {
    text += std::string("# HELP ") + name + " " + help + "\n# TYPE " + name + " counter\n" + name +
            " " + std::to_string(value) + "\n";
  };
  add("plexus_http_requests_total", "Requests over HTTP.", counts.requests);
  add("plexus_http_failed_total", "Requests that were answered with an error.", counts.failed);
  add("plexus_http_refused_total", "Requests refused for Host, Origin or token.", counts.refused);
  add("plexus_http_limited_total", "Requests above the rate of who asked.", counts.limited);
  add("plexus_mcp_messages_total", "Messages of MCP over HTTP.", counts.mcp);
  return text;
}

}  // namespace plexus::tools::server
