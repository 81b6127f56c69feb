// Paths are few: they are compared one by one.
#include "tools/server/http/routes.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <sstream>

#include "tools/operations/files/explorer_page.h"
#include "tools/operations/framework/arguments.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/request_json.h"
#include "tools/operations/reply/human_format.h"
#include "tools/server/json_text.h"
#include "tools/server/operation_backend.h"

namespace plexus::tools::server {
namespace {

// "/a/b" behind the prefix "/a/"; false: another path.
bool TakePrefix(std::string_view& path, std::string_view prefix) {
  if (!path.starts_with(prefix)) return false;
  path.remove_prefix(prefix.size());
  return true;
}

// The next NAME=VALUE of a query, unescaped.
bool NextPair(std::string_view& query, std::string& name, std::string& value) {
  while (query.starts_with('&')) query.remove_prefix(1);
  if (query.empty()) return false;
  const std::size_t end = std::min(query.find('&'), query.size());
  std::string one(query.substr(0, end));
  query.remove_prefix(end);
  std::ranges::replace(one, '+', ' ');
  const std::size_t equals = std::min(one.find('='), one.size());
  name = Unescaped(std::string_view(one).substr(0, equals));
  value = equals < one.size() ? Unescaped(std::string_view(one).substr(equals + 1)) : "true";
  return true;
}

// Calls `take` with each name and value of a query. A name occurs once.
Status ForEachPair(std::string_view query,
                   const std::function<Status(const std::string&, const std::string&)>& take) {
  std::set<std::string> names;
  for (std::string name, value; NextPair(query, name, value);) {
    if (!names.insert(name).second) return Invalid(Quoted(name), " stands twice in the query");
    PLEXUS_TRY(take(name, value));
  }
  return {};
}

class EventProgress final : public Progress {
 public:
  EventProgress(HttpExchange& exchange, const std::atomic<bool>& cancel)
      : exchange_(exchange), cancel_(cancel) {}
  bool Report(std::string_view phase, std::uint64_t done, std::uint64_t total) override {
    const auto now = std::chrono::steady_clock::now();
    const std::lock_guard lock(mutex_);
    if (now < next_ || cancel_) return !cancel_;
    next_ = now + std::chrono::milliseconds(100);
    ObjectText object;
    object.Text("phase", phase).Number("done", done).Number("total", total);
    return exchange_.Send("event: progress\ndata: " + object.object() + "\n\n");
  }

 private:
  HttpExchange& exchange_;
  const std::atomic<bool>& cancel_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point next_ = {};
};

// The rights and the wall are those of the caller; a reply of this door is what a file would be.
class ExchangeStream final : public std::streambuf {
 public:
  explicit ExchangeStream(HttpExchange& exchange) : exchange_(exchange) {}
  ~ExchangeStream() override { Flush(); }
  bool begun() const { return begun_; }
  void Flush() {
    if (held_.empty()) return;
    if (!begun_) exchange_.Begin({200, "application/octet-stream", {}, {}});
    begun_ = true;
    lost_ = !exchange_.Send(std::exchange(held_, {}));
  }

 protected:
  int overflow(int c) override {
    if (c != traits_type::eof()) {
      const char byte = static_cast<char>(c);
      xsputn(&byte, 1);
    }
    return lost_ ? traits_type::eof() : c;
  }
  std::streamsize xsputn(const char* text, std::streamsize count) override {
    held_.append(text, static_cast<std::size_t>(count));
    if (held_.size() > (std::size_t{256} << 10)) Flush();
    return lost_ ? 0 : count;
  }

 private:
  HttpExchange& exchange_;
  std::string held_;
  bool begun_ = false, lost_ = false;
};

}  // namespace

// The page is one file; its own policy (in its head) names its script and style by their digests.
HttpReply ExplorerReply(const AccessRules& rules, const Caller& caller) {
  ObjectText data;
  if (rules.tokens.empty())
    data.Raw("server", RightsJson(caller));
  else
    data.Raw("server", ObjectText().Bool("token", true).object());

  return {200,
          "text/html; charset=utf-8",
          {{"Content-Security-Policy", "frame-ancestors 'none'"},
           {"Cross-Origin-Opener-Policy", "same-origin"},
           {"Cross-Origin-Resource-Policy", "same-origin"},
           {"Referrer-Policy", "no-referrer"},
           {"X-Content-Type-Options", "nosniff"},
           {"Cache-Control", "no-cache"}},
          ExplorerPageWith(data.object())};
}

std::string RightsJson(const Caller& caller) {
  return ObjectText().Bool("write", caller.may_write).Bool("history", caller.wall.empty()).object();
}

int StatusOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return 400;
    case ErrorCode::kNotFound:
      return 404;
    case ErrorCode::kConflict:
    case ErrorCode::kAlreadyExists:
    case ErrorCode::kFailedPrecondition:
      return 409;
    case ErrorCode::kLocked:
    case ErrorCode::kResourceExhausted:
    case ErrorCode::kReadOnly:  // a write has just failed
      return 503;
    case ErrorCode::kUnsupported:
      return 501;
    case ErrorCode::kCancelled:
      return 499;
    default:
      return 500;
  }
}

Result<Request> RequestOfQuery(const Operation& operation, std::string_view query) {
  Request request(operation);
  const auto set = [&](const auto& name, const auto& value) -> Status {
    PLEXUS_TRY(request.SetFromText(name, value));
    const Parameter* parameter = operation.Find(name);
    if (parameter && parameter->means == Means::kContent) request.SetSource(name, name);
    return {};
  };
  PLEXUS_TRY(ForEachPair(query, set));
  PLEXUS_TRY(request.Check());
  return request;
}

void Routes::Refuse(const std::shared_ptr<HttpExchange>& exchange, int status, const Error& error) {
  counts_.Add(&HttpCounts::failed);
  exchange->Reply(ErrorReply(status, error));
}

void Routes::Handle(const std::shared_ptr<HttpExchange>& exchange) {
  const auto caller = Admit(rules_, exchange->request());
  if (!caller) return exchange->Reply(caller.error());
  Route(exchange, *caller, exchange->request().target);
}

void Routes::BeginStop() {
  stopping_ = true;
  EndListening();
}

void Routes::EndListening() {
  protocol_.subscriptions().CloseAll(protocol_.backend().ServerInfo());
  std::vector<std::weak_ptr<HttpExchange>> ended;
  {
    const std::lock_guard lock(mutex_);
    ended.swap(listening_);
  }
  for (const auto& weak : ended)
    if (const auto exchange = weak.lock()) exchange->End();
}

void Routes::Route(const std::shared_ptr<HttpExchange>& exchange, Caller caller,
                   std::string_view target) {
  const HttpRequest& request = exchange->request();
  const std::string_view path = PathOf(target);
  const std::string_view query =
      path.size() < target.size() ? target.substr(path.size() + 1) : std::string_view();
  if (request.Has(kMinSequence) &&
      (path == "/mcp" || path.starts_with("/v1/") || path.starts_with("/api/"))) {
    const auto least = ParseCount(std::string(request.Header(kMinSequence)));
    if (!least)
      return Refuse(
          exchange, 400,
          {ErrorCode::kInvalidArgument, std::string(kMinSequence) + " is the sequence of a write"});
    const Status there = service_.AwaitSequence(*least, kSequenceWaitMs,
                                                [&] { return stopping_ || exchange->gone(); });
    if (!there) return Refuse(exchange, 503, there.error());
  }
  if (path == "/mcp") return Mcp(exchange, caller);
  const bool post = request.method == "POST";
  // HEAD is for documents: an operation would run, and its answer be dropped.
  const bool head = request.method == "HEAD";
  const bool runs = path.starts_with("/v1/") || path.starts_with("/api/");
  if (!post && request.method != "GET" && (!head || runs))
    return exchange->Reply(
        ErrorReply(405, {ErrorCode::kUnsupported, "GET or POST"}, {{"Allow", "GET, POST"}}));
  std::string_view rest = path;
  if (!post) {
    if (path == "/health") return exchange->Reply(JsonReply(200, R"({"ok":true})"));
    if (path == "/ready") {
      const bool ready = !stopping_ && service_.snapshot().has_value();
      return exchange->Reply(
          JsonReply(ready ? 200 : 503, ObjectText().Bool("ready", ready).object()));
    }
    if (path == "/openapi.json") {
      static const std::string document = OpenApi();
      const std::string before = request.target.substr(0, request.target.size() - target.size());
      return exchange->Reply(JsonReply(200, before.empty() ? document : OpenApi(before)));
    }
    if (path == "/metrics") {
      if (!caller.wall.empty())
        return Refuse(exchange, 403, {ErrorCode::kFailedPrecondition, "not behind a scope"});
      return exchange->Reply({200, "text/plain; version=0.0.4; charset=utf-8", {}, Metrics()});
    }
    if (rules_.gives_page && path == "/") {
      ++counts_.pages;
      return exchange->Reply(ExplorerReply(rules_, caller));
    }
    if (rules_.gives_page && path == "/access")
      return exchange->Reply(JsonReply(200, RightsJson(caller)));
    if (path == "/v1/changes") return ChangesRoute(exchange, caller, query);
    // With parameters it is the operation of that name.
    const bool asks_operation = path == "/v1/history" && !query.empty();
    if (!asks_operation && ReplicaRoute(exchange, caller, path)) return;
    if (TakePrefix(rest, "/api/graph/neighbors/")) {
      Request neighbors(*FindOperation("neighborhood"));
      (void)neighbors.Set("hops", std::uint64_t{1});
      if (const Status from = neighbors.Set("from", Unescaped(rest)); !from)
        return Refuse(exchange, 400, from.error());
      // Two names of one parameter are that parameter twice.
      std::set<std::string> given = {"from"};
      const Status set = ForEachPair(query, [&](const auto& name, const auto& value) -> Status {
        const std::string parameter = name == "max_hops"    ? "hops"
                                      : name == "edge_type" ? "kinds"
                                                            : name;
        if (!given.insert(parameter).second) return Invalid(Quoted(parameter), " is given twice");
        return neighbors.SetFromText(parameter, value);
      });
      if (!set) return Refuse(exchange, 400, set.error());
      return Answer(exchange, caller, std::move(neighbors));
    }
    if (TakePrefix(rest, "/api/graph/path/")) {
      const std::size_t slash = std::min(rest.find('/'), rest.size());
      Request ends(*FindOperation("path"));
      Status set = ends.Set("from", Unescaped(rest.substr(0, slash)));
      if (set) set = ends.Set("to", Unescaped(rest.substr(std::min(slash + 1, rest.size()))));
      if (!set) return Refuse(exchange, 400, set.error());
      return Answer(exchange, caller, std::move(ends));
    }
  }
  if (post && path == "/api/graph/search") {
    const Operation& rerank = *FindOperation("rerank");
    return Answer(exchange, caller, RequestFromJson(rerank, request.body));
  }
  if (TakePrefix(rest, "/v1/")) return RunOperation(exchange, caller, rest, query);
  Refuse(exchange, 404, {ErrorCode::kNotFound, "no path " + std::string(path.substr(0, 200))});
}

void Routes::RunOperation(const std::shared_ptr<HttpExchange>& exchange, const Caller& caller,
                          std::string_view name, std::string_view query) {
  const HttpRequest& request = exchange->request();
  const Operation* operation = FindOperation(name);
  if (!operation)
    return Refuse(exchange, 404,
                  {ErrorCode::kInvalidArgument, NoSuchOperation(name.substr(0, 200))});
  if (request.spooled) {
    Caller with_body = caller;
    with_body.input = request.spooled->fd();
    const std::string more = query.empty() ? "" : "&" + std::string(query);
    return Answer(exchange, with_body, RequestOfQuery(*operation, "files=-" + more));
  }
  if (request.method == "POST") {
    if (!IsJson(request))
      return Refuse(exchange, 415,
                    {ErrorCode::kInvalidArgument, "Content-Type is not application/json"});
    return Answer(exchange, caller, RequestFromJson(*operation, request.body));
  }
  Result<Request> asked = RequestOfQuery(*operation, query);
  // A link must change nothing.
  if (asked) {
    const Access access = operation->AccessFor(*asked);
    if (operation->effect != Effect::kRead || operation->group == "Care" ||
        access == Access::kWrite || access == Access::kCreate)
      return exchange->Reply(
          ErrorReply(405, {ErrorCode::kUnsupported, "what writes or takes care is sent by POST"},
                     {{"Allow", "POST"}}));
  }
  Answer(exchange, caller, std::move(asked));
}

void Routes::Answer(const std::shared_ptr<HttpExchange>& exchange, const Caller& who,
                    Result<Request> request) {
  if (!request) return Refuse(exchange, request.error());
  if (const Status may = CheckRights(request->operation(), who); !may)
    return Refuse(exchange, 403, may.error());
  const Access access = request->operation().AccessFor(*request);
  const bool writes = access == Access::kWrite || access == Access::kCreate;
  if (!who.may_write && writes)
    return Refuse(exchange, 403,
                  {ErrorCode::kFailedPrecondition, "this request needs the right to write"});
  if (exchange->request().Header("Accept").starts_with("text/event-stream"))
    return Stream(exchange, who, *std::move(request));
  Caller caller = who;
  caller.cancel = &exchange->gone();
  ExchangeStream pieces(*exchange);
  std::ostream out(&pieces);
  const Result<Answered> answered = service_.Ask(*std::move(request), caller, &out);
  pieces.Flush();
  if (pieces.begun()) {
    if (answered) return exchange->End();
    counts_.Add(&HttpCounts::failed);
    return exchange->Abort();
  }
  if (!answered) return Refuse(exchange, answered.error());
  // What a question finds or not is an answer; what should be written and was not is none.
  const bool refused = answered->failure && writes;
  if (refused) counts_.Add(&HttpCounts::failed);
  exchange->Reply(JsonReply(refused ? 422 : 200, answered->json));
}

void Routes::Stream(const std::shared_ptr<HttpExchange>& exchange, const Caller& who,
                    Request request) {
  exchange->Begin(EventStream());
  Caller caller = who;
  caller.cancel = &exchange->gone();
  EventProgress progress(*exchange, exchange->gone());
  caller.progress = &progress;
  const Result<Answered> answered = service_.Ask(std::move(request), caller);
  const std::string data = answered ? answered->json : ErrorJson(answered.error());
  (void)exchange->Send(std::string("event: ") + (answered ? "reply" : "error") + "\ndata: " + data +
                       "\n\n");
  exchange->End();
}

void Routes::ChangesRoute(const std::shared_ptr<HttpExchange>& exchange, const Caller& caller,
                          std::string_view query) {
  if (!caller.wall.empty() || !caller.may_read)
    return Refuse(exchange, 403,
                  {ErrorCode::kFailedPrecondition, "changes are those of the whole graph"});
  std::uint64_t since = 0, limit = 100, wait_ms = 0, generation = kAnyGeneration;
  const Status set = ForEachPair(query, [&](const auto& name, const auto& value) -> Status {
    const auto number = ParseCount(value);
    std::uint64_t* const into = name == "since"        ? &since
                                : name == "limit"      ? &limit
                                : name == "wait_ms"    ? &wait_ms
                                : name == "generation" ? &generation
                                                       : nullptr;
    if (!into || !number) return Invalid("since, limit, wait_ms and generation are whole numbers");
    *into = *number;
    return {};
  });
  if (!set) return Refuse(exchange, 400, set.error());
  if (exchange->request().Header("Accept") == kChangesType) {
    const ChangesOptions options{.max_records = std::clamp<std::uint64_t>(limit, 1, 100'000),
                                 .max_bytes = std::uint64_t{4} << 20};
    const int wait = static_cast<int>(std::min<std::uint64_t>(wait_ms, 20'000));
    return OnThread(exchange, polling_, kMostPolls,
                    [=, this] { SendPage(exchange, since, options, wait, generation); });
  }
  limit = std::clamp<std::uint64_t>(limit, 1, 1000);
  Sequence next = since;
  if (!exchange->request().Header("Accept").starts_with("text/event-stream")) {
    const Result<std::string> changes = ChangesJson(service_, since, limit, &next);
    if (!changes) return Refuse(exchange, changes.error());
    return exchange->Reply(JsonReply(200, *changes));
  }
  // What a client has seen last goes before what it asked for at first.
  if (const auto seen = ParseCount(std::string(exchange->request().Header("Last-Event-ID"))))
    next = *seen;
  if (const auto first = ChangesJson(service_, next, 1, &since); !first)
    return Refuse(exchange, first.error());
  OnThread(exchange, streaming_, kMostStreams, [this, exchange, next, limit] {
    exchange->Begin(EventStream());
    Follow(exchange, next, limit);
  });
}

std::string Routes::Metrics() {
  Request request(*FindOperation("stats"));
  (void)request.Set("metrics", true);
  std::ostringstream out;
  (void)service_.Ask(std::move(request), {}, &out);
  std::string text = std::move(out).str();
  if (const std::size_t end = text.find("# EOF"); end != std::string::npos) text.resize(end);
  if (service_.follows()) text += FollowMetrics(service_.follows()->Now(service_.sequence()));
  return text + CountsText(counts_);
}

}  // namespace plexus::tools::server
