// Who may ask, and how often: what is answered before a body is read, and counted.
#include <chrono>

#include "tools/server/http/routes.h"

namespace plexus::tools::server {

std::expected<Caller, HttpReply> Admit(const AccessRules& rules, const HttpRequest& request) {
  const auto caller = WhoAsks(rules, request);
  if (caller) return *caller;
  HttpReply reply{caller.error().status,
                  "application/json",
                  {},
                  ErrorJson({ErrorCode::kFailedPrecondition, caller.error().why})};
  if (reply.status == 401) reply.headers.emplace_back("WWW-Authenticate", "Bearer");
  return std::unexpected(std::move(reply));
}

std::optional<HttpReply> EarlyReply(const AccessRules& rules, HttpCounts& counts,
                                    const HttpRequest& request) {
  ++counts.requests;
  const auto caller = Admit(rules, request);
  if (!caller) {
    ++counts.failed;
    ++counts.refused;
    return caller.error();
  }
  const std::string_view target = request.target;
  const bool gets = request.method == "GET" || request.method == "HEAD";
  if (gets && target.substr(0, target.find('?')) == "/health")
    return HttpReply{200, "application/json", {}, R"({"ok":true})"};
  if (IsImportBody(request) && !caller->may_write) {
    ++counts.failed;
    return HttpReply{
        403,
        "application/json",
        {},
        ErrorJson({ErrorCode::kFailedPrecondition, "this request needs the right to write"})};
  }
  if (!caller->rate || caller->rate->Take(std::chrono::steady_clock::now())) return std::nullopt;
  ++counts.failed;
  ++counts.limited;
  return HttpReply{429,
                   "application/json",
                   {{"Retry-After", "1"}},
                   ErrorJson({ErrorCode::kResourceExhausted,
                              "more requests a second than are allowed: try again"})};
}

bool IsImportBody(const HttpRequest& request) {
  const std::string_view target = request.target;
  return request.method == "POST" && target.substr(0, target.find('?')).ends_with("/v1/import") &&
         !request.Header("Content-Type").starts_with("application/json");
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
