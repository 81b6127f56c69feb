// The paths of the HTTP door: MCP, operations, a seed's own paths, what is good for whoever runs
// it. Knows no socket.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "tools/server/http/http_server.h"
#include "tools/server/http/tokens.h"
#include "tools/server/mcp/protocol.h"
#include "tools/server/service.h"
#include "tools/server/workers.h"

namespace plexus::tools::server {

// The HTTP status that an error is answered with.
int StatusOf(ErrorCode code);

// What was counted, for /metrics.
struct HttpCounts {
  std::atomic<std::uint64_t> requests = 0, failed = 0, refused = 0, limited = 0, mcp = 0, pages = 0;
  HttpCounts* whole = nullptr;  // of all graphs of a server

  void Add(std::atomic<std::uint64_t> HttpCounts::* count) {
    ++(this->*count);
    if (whole) ++(whole->*count);
  }
};

// What is answered before the body is read: whoever may not ask, or asks too often, and /health,
// which needs no worker. `imports`: the body is a file to import.
std::optional<HttpReply> EarlyReply(const AccessRules& rules, HttpCounts& counts,
                                    const HttpRequest& request, bool imports);
// Who asks, where EarlyReply let it pass.
std::expected<Caller, HttpReply> Admit(const AccessRules& rules, const HttpRequest& request);
// Whether Content-Type is application/json, with whatever parameters.
bool IsJson(const HttpRequest& request);
// Whether the body of a request is a file to import, and not a request of JSON. `path`: the
// target's, within a graph.
bool IsImportBody(const HttpRequest& request, std::string_view path);
// Who is counted for a body that goes to a file: the token, or where none is needed the address.
std::string SpoolOwner(const AccessRules& rules, const HttpRequest& request);
// The counts as /metrics has them.
std::string CountsText(const HttpCounts& counts);

class Routes {
 public:
  // All must outlive it. `whole`: what counts besides, of a server of many graphs.
  Routes(Service& service, Protocol& protocol, AccessRules rules, HttpCounts* whole = nullptr)
      : service_(service), protocol_(protocol), rules_(std::move(rules)) {
    counts_.whole = whole;
  }

  std::optional<HttpReply> Early(const HttpRequest& request) {
    return EarlyReply(rules_, counts_, request, IsImportBody(request, PathOf(request.target)));
  }
  // HttpOptions::spools.
  std::optional<std::string> SpoolsFor(const HttpRequest& request) const {
    if (!IsImportBody(request, PathOf(request.target))) return std::nullopt;
    return SpoolOwner(rules_, request);
  }
  void Handle(const std::shared_ptr<HttpExchange>& exchange);
  // The same for who is known, of a target that may be the end of the request's.
  void Route(const std::shared_ptr<HttpExchange>& exchange, Caller caller, std::string_view target);
  HttpCounts& counts() { return counts_; }
  // Streams that wait end, and /ready is no longer.
  void BeginStop();

 private:
  static constexpr int kMostStreams = 16, kMostPolls = 32, kMostCopies = 4;
  void Mcp(const std::shared_ptr<HttpExchange>& exchange, const Caller& caller);
  void RunOperation(const std::shared_ptr<HttpExchange>& exchange, const Caller& caller,
                    std::string_view name, std::string_view query);
  void Answer(const std::shared_ptr<HttpExchange>& exchange, const Caller& caller,
              Result<Request> request);
  void Stream(const std::shared_ptr<HttpExchange>& exchange, const Caller& caller, Request request);
  void ChangesRoute(const std::shared_ptr<HttpExchange>& exchange, const Caller& caller,
                    std::string_view query);
  // changes.cc. False: another path.
  bool ReplicaRoute(const std::shared_ptr<HttpExchange>& exchange, const Caller& caller,
                    std::string_view path);
  void SendFiles(const std::shared_ptr<HttpExchange>& exchange);
  // It waits for records, or until the generation is not `generation`: something was forgotten.
  static constexpr std::uint64_t kAnyGeneration = ~std::uint64_t{0};
  void SendPage(const std::shared_ptr<HttpExchange>& exchange, Sequence since,
                const ChangesOptions& options, int wait_ms, std::uint64_t generation);
  // Runs what takes long on a thread of its own, or refuses when `most` do.
  void OnThread(const std::shared_ptr<HttpExchange>& exchange, std::atomic<int>& count, int most,
                std::function<void()> work);
  std::string Metrics();
  void Refuse(const std::shared_ptr<HttpExchange>& exchange, int status, const Error& error);
  void Refuse(const std::shared_ptr<HttpExchange>& exchange, const Error& error) {
    Refuse(exchange, StatusOf(error.code), error);
  }

  Service& service_;
  Protocol& protocol_;
  void Follow(const std::shared_ptr<HttpExchange>& exchange, Sequence next, std::uint64_t limit);

  const AccessRules rules_;
  HttpCounts counts_;
  void EndListening();
  std::atomic<bool> stopping_ = false;
  std::mutex mutex_;
  std::vector<std::weak_ptr<HttpExchange>> listening_;  // streams of subscriptions
  std::atomic<int> streaming_ = 0, polling_ = 0, copying_ = 0;
  // A stream, and a page that is waited for, takes a thread.
  Workers followers_{kMostStreams + kMostPolls + kMostCopies};
};

// The parameters behind '?' as a request; lists are separated by commas.
Result<Request> RequestOfQuery(const Operation& operation, std::string_view query);
// The OpenAPI 3.1 document, from the rows. `before`: of the paths of a graph, "/graphs/anna". With
// "{graph}" for its name: of a server of many, and how graphs are made.
std::string OpenApi(const std::string& before = "");

// Batches after `since`, as /v1/changes has them: the keys and edges that each is about, and where
// to go on. At most so many.
Result<std::string> ChangesJson(Service& service, Sequence since, std::uint64_t most,
                                Sequence* next, std::vector<std::string>* batches = nullptr);

// A request with it is answered by a state that has this record, or refused.
inline constexpr std::string_view kMinSequence = "Plexus-Min-Sequence";

// A page of records, for replicas (storage/replica.h), as /v1/changes has it where it is accepted.
inline constexpr std::string_view kChangesType = "application/vnd.plexus.changes";
std::string LineageJson(const replica::GraphLineage& lineage);
std::string FollowMetrics(const FollowStatus::Lag& lag);

// The explorer's page, with its policy: it asks this server only, and no other page holds it. It
// knows the caller's rights, or that a token is needed.
HttpReply ExplorerReply(const AccessRules& rules, const Caller& caller);
// The caller's rights: {"write":b,"history":b}, history being that of the whole graph.
std::string RightsJson(const Caller& caller);

// What a header of MCP says of the message; "" when they agree.
std::string HeaderMismatch(const HttpRequest& request, const Message& message);

}  // namespace plexus::tools::server
