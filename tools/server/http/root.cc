// A graph is in use where a request holds it, too.
#include "tools/server/http/root.h"

#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>

#include "tools/server/json_text.h"
#include "tools/server/server_log.h"

namespace plexus::tools::server {
namespace {

void ReplyJson(HttpExchange& exchange, int status, std::string body) {
  exchange.Reply({status, "application/json", {}, std::move(body)});
}

std::uint64_t ResidentBytes() {
  unsigned long size = 0, resident = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%lu %lu", &size, &resident) != 2) resident = 0;
    std::fclose(file);
  }
  return std::uint64_t{resident} * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

bool MayUse(const Caller& caller, std::string_view name) {
  return caller.graphs.empty() || std::ranges::find(caller.graphs, name) != caller.graphs.end();
}

// "/graphs/NAME/v1/.." to NAME and "/v1/..", the first of which need be no name.
struct GraphTarget {
  std::string name;
  std::string_view rest;
};
std::optional<GraphTarget> GraphOf(std::string_view target) {
  constexpr std::string_view kPrefix = "/graphs/";
  const std::string_view path = PathOf(target);
  if (!path.starts_with(kPrefix)) return std::nullopt;
  const std::size_t slash = std::min(path.find('/', kPrefix.size()), path.size());
  return GraphTarget{std::string(path.substr(kPrefix.size(), slash - kPrefix.size())),
                     target.substr(slash)};
}

bool ImportsInto(const std::optional<GraphTarget>& to, const HttpRequest& request) {
  return to && IsImportBody(request, PathOf(to->rest));
}

// A folder, and no link to one elsewhere.
bool IsFolder(const std::string& path) {
  struct stat status = {};
  return lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

}  // namespace

struct Root::Graph {
  std::unique_ptr<Server> server;
  std::unique_ptr<Routes> routes;
  ~Graph() {
    if (routes) routes->BeginStop();
    if (server) server->service().WakeWaiting();
    routes.reset();
    if (!server) return;
    if (const Status closed = server->Close(); !closed) LogError(closed.error().message);
  }
};

// The end of what a thread does with a name: whoever waits for it wakes.
struct Root::Busy {
  Root& root;
  const std::string name;
  ~Busy() {
    {
      const std::lock_guard lock(root.mutex_);
      root.busy_.erase(name);
    }
    root.free_.notify_all();
  }
};

bool IsGraphName(std::string_view name) {
  return !name.empty() && name.size() <= 100 && name.front() != '.' &&
         std::ranges::all_of(name, [](unsigned char c) {
           return std::isalnum(c) || c == '.' || c == '_' || c == '-';
         });
}

Result<std::unique_ptr<Root>> Root::Open(const RootOptions& options, AccessRules rules) {
  if (!IsFolder(options.directory)) return NotFound("--root: no directory ", options.directory);
  PLEXUS_TRY(ChooseTools(options.tools));
  return std::unique_ptr<Root>(new Root(options, std::move(rules)));
}

void Root::Refuse(HttpExchange& exchange, int status, ErrorCode code, std::string why) {
  ++counts_.failed;
  ReplyJson(exchange, status, ErrorJson({code, std::move(why)}));
}

// A graph is more than the scopes of a wall.
bool Root::MayMakeAndDrop(HttpExchange& exchange, const Caller& caller) {
  if (!caller.may_destroy)
    Refuse(exchange, 403, ErrorCode::kFailedPrecondition,
           "making and dropping needs the right admin");
  else if (!caller.wall.empty())
    Refuse(exchange, 403, ErrorCode::kFailedPrecondition, "not with a token of some scopes");
  return caller.may_destroy && caller.wall.empty();
}

// A body that nothing takes has no place in a file.
std::optional<HttpReply> Root::Early(const HttpRequest& request) {
  const std::optional<GraphTarget> to = GraphOf(request.target);
  const bool imports = ImportsInto(to, request);
  if (std::optional<HttpReply> reply = EarlyReply(rules_, counts_, request, imports)) return reply;
  if (!imports) return std::nullopt;
  const auto caller = Admit(rules_, request);
  if (caller && IsGraphName(to->name) && MayUse(*caller, to->name) &&
      IsFolder(GraphPath(to->name)) && Database::Exists(GraphPath(to->name)))
    return std::nullopt;
  ++counts_.failed;
  return HttpReply{404,
                   "application/json",
                   {},
                   ErrorJson({ErrorCode::kNotFound, "no graph of that name"})};
}

std::optional<std::string> Root::SpoolsFor(const HttpRequest& request) const {
  if (!ImportsInto(GraphOf(request.target), request)) return std::nullopt;
  return SpoolOwner(rules_, request);
}

std::size_t Root::open() const {
  const std::lock_guard lock(mutex_);
  return graphs_.size();
}

// The last one asked stays.
void Root::CloseIdle() {
  for (;;) {
    std::string name;
    std::shared_ptr<Graph> graph;
    {
      const std::lock_guard lock(mutex_);
      const bool too_much = graphs_.size() > options_.max_open ||
                            (graphs_.size() > 1 && ResidentBytes() > options_.max_resident);
      auto at = too_much ? used_.end() : used_.begin();
      while (at != used_.begin())
        if (graphs_.at(*--at).graph.use_count() == 1) break;
      if (at == used_.begin()) return;
      name = *at;
      const auto entry = graphs_.find(name);
      graph = std::move(entry->second.graph);
      graphs_.erase(entry);
      used_.erase(at);
      busy_.insert(name);
    }
    const Busy busy{*this, name};
    graph.reset();
    malloc_trim(0);
  }
}

Result<std::shared_ptr<Root::Graph>> Root::OpenGraph(const std::string& name, bool create) {
  if (!create && (!IsFolder(GraphPath(name)) || !Database::Exists(GraphPath(name))))
    return NotFound("no graph ", name);
  ServiceOptions options;
  options.directory = GraphPath(name);
  options.create = create;
  options.max_seconds = options_.max_seconds;
  auto graph = std::make_shared<Graph>();
  PLEXUS_ASSIGN(graph->server, Server::Open(options));
  PLEXUS_ASSIGN(Protocol * protocol, graph->server->With(options_.tools));
  graph->routes = std::make_unique<Routes>(graph->server->service(), *protocol, rules_, &counts_);
  return graph;
}

Result<std::shared_ptr<Root::Graph>> Root::Find(const std::string& name, bool create) {
  {
    std::unique_lock lock(mutex_);
    free_.wait(lock, [&] { return !busy_.contains(name); });
    if (closed_) return Fail(ErrorCode::kLocked, "the server is closing: try again");
    if (const auto known = graphs_.find(name); known != graphs_.end()) {
      if (create) return Fail(ErrorCode::kAlreadyExists, "there is a graph " + name);
      used_.splice(used_.begin(), used_, known->second.at);
      return known->second.graph;
    }
    busy_.insert(name);
  }
  const Busy busy{*this, name};
  PLEXUS_ASSIGN(std::shared_ptr<Graph> graph, OpenGraph(name, create));
  const std::lock_guard lock(mutex_);
  if (closed_) graph->routes->BeginStop();
  used_.push_front(name);
  graphs_[name] = {graph, used_.begin()};
  return graph;
}

std::string Root::Metrics() const {
  return CountsText(counts_) +
         "# HELP plexus_graphs_open Graphs that are open.\n# TYPE plexus_graphs_open gauge\n"
         "plexus_graphs_open " +
         std::to_string(open()) +
         "\n# HELP process_resident_memory_bytes Memory of the process.\n"
         "# TYPE process_resident_memory_bytes gauge\nprocess_resident_memory_bytes " +
         std::to_string(ResidentBytes()) + "\n";
}

void Root::Handle(const std::shared_ptr<HttpExchange>& exchange) {
  const HttpRequest& request = exchange->request();
  const auto caller = Admit(rules_, request);
  if (!caller) return exchange->Reply(caller.error());
  const std::string_view path = PathOf(request.target);
  if (request.method == "GET" || request.method == "HEAD") {
    if (path == "/ready") {
      const bool ready = IsReady();
      return ReplyJson(*exchange, ready ? 200 : 503,
                       ready ? R"({"ready":true})" : R"({"ready":false})");
    }
    static const std::string document = OpenApi("/graphs/{graph}");
    if (path == "/openapi.json") return ReplyJson(*exchange, 200, document);
    if (path == "/metrics") {
      if (!caller->wall.empty() || !caller->graphs.empty())
        return Refuse(*exchange, 403, ErrorCode::kFailedPrecondition,
                      "not with a token of some graphs or scopes");
      return exchange->Reply({200, "text/plain; version=0.0.4; charset=utf-8", {}, Metrics()});
    }
  }
  if (path == "/graphs" && request.method == "GET") return List(exchange, *caller);
  if (path == "/graphs" && request.method == "POST") return Make(exchange, *caller);
  const std::optional<GraphTarget> to = GraphOf(request.target);
  if (!to) return Refuse(*exchange, 404, ErrorCode::kNotFound, "no path; /graphs lists graphs");
  const auto& [name, rest] = *to;
  if (!IsGraphName(name) || !MayUse(*caller, name))
    return Refuse(*exchange, 404, ErrorCode::kNotFound, "no graph of that name");
  if (!rest.starts_with('/')) {
    if (request.method == "DELETE") return Drop(exchange, *caller, name);
    return Refuse(*exchange, 404, ErrorCode::kNotFound, "say what is asked of it: /graphs/N/v1/..");
  }
  ToGraph(exchange, *caller, name, rest);
  CloseIdle();
}

void Root::ToGraph(const std::shared_ptr<HttpExchange>& exchange, const Caller& caller,
                   const std::string& name, std::string_view target) {
  const Result<std::shared_ptr<Graph>> graph = Find(name, false);
  if (!graph)
    return Refuse(*exchange, StatusOf(graph.error().code), graph.error().code,
                  graph.error().message);
  CloseIdle();
  // Whoever keeps the exchange keeps the graph open.
  struct Held {
    std::shared_ptr<HttpExchange> exchange;
    std::shared_ptr<Graph> graph;
  };
  const auto held = std::make_shared<Held>(exchange, *graph);
  ++(*graph)->routes->counts().requests;
  (*graph)->routes->Route(std::shared_ptr<HttpExchange>(held, exchange.get()), caller, target);
}

void Root::List(const std::shared_ptr<HttpExchange>& exchange, const Caller& caller) {
  std::vector<std::string> names;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(options_.directory, failed)) {
    const std::string name = entry.path().filename();
    if (IsGraphName(name) && MayUse(caller, name) && IsFolder(GraphPath(name)) &&
        Database::Exists(GraphPath(name)))
      names.push_back(QuotedJson(name));
  }
  std::ranges::sort(names);
  std::uint64_t is_open = 0;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, entry] : graphs_) is_open += MayUse(caller, name);
  }
  ReplyJson(*exchange, 200,
            ObjectText().Raw("graphs", ArrayText(names)).Number("open", is_open).object());
}

void Root::Make(const std::shared_ptr<HttpExchange>& exchange, const Caller& caller) {
  const Result<json::value> value = ParseJson(exchange->request().body);
  const json::object* object = value ? value->if_object() : nullptr;
  const std::string name(object ? TextMember(*object, "name") : std::string_view());
  if (!MayMakeAndDrop(*exchange, caller)) return;
  if (!IsGraphName(name) || !MayUse(caller, name))
    return Refuse(*exchange, 400, ErrorCode::kInvalidArgument,
                  "name has letters, digits, '.', '_', '-', at most 100, the first no dot");
  if (std::error_code failed; std::filesystem::exists(GraphPath(name), failed))
    return Refuse(*exchange, 409, ErrorCode::kAlreadyExists, "there is a graph " + name);
  const Result<std::shared_ptr<Graph>> made = Find(name, true);
  if (!made)
    return Refuse(*exchange, StatusOf(made.error().code), made.error().code, made.error().message);
  CloseIdle();
  ReplyJson(*exchange, 201, ObjectText().Text("name", name).object());
}

void Root::Drop(const std::shared_ptr<HttpExchange>& exchange, const Caller& caller,
                const std::string& name) {
  if (!MayMakeAndDrop(*exchange, caller)) return;
  std::shared_ptr<Graph> graph;
  {
    std::unique_lock lock(mutex_);
    free_.wait(lock, [&] { return !busy_.contains(name); });
    if (const auto known = graphs_.find(name); known != graphs_.end()) {
      if (known->second.graph.use_count() > 1)
        return Refuse(*exchange, 409, ErrorCode::kFailedPrecondition,
                      "the graph is in use: try again");
      graph = std::move(known->second.graph);
      used_.erase(known->second.at);
      graphs_.erase(known);
    }
    busy_.insert(name);
  }
  const Busy busy{*this, name};
  graph.reset();
  RemoveFiles(*exchange, name);
}

// The name is busy.
void Root::RemoveFiles(HttpExchange& exchange, const std::string& name) {
  if (!IsFolder(GraphPath(name)) || !Database::Exists(GraphPath(name)))
    return Refuse(exchange, 404, ErrorCode::kNotFound, "no graph " + name);
  // Out of the way first: a name that begins with a dot is none of a graph.
  const std::string gone = options_.directory + "/.dropped-" + name;
  std::error_code failed;
  std::filesystem::remove_all(gone, failed);  // of a server that ended meanwhile
  std::filesystem::rename(GraphPath(name), gone, failed);
  if (failed) return Refuse(exchange, 500, ErrorCode::kIo, "cannot drop: " + failed.message());
  std::filesystem::remove_all(gone, failed);
  ReplyJson(exchange, 200, ObjectText().Text("dropped", name).object());
}

bool Root::IsReady() const {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return false;
  }
  return access(options_.directory.c_str(), R_OK | W_OK | X_OK) == 0;
}

void Root::BeginStop() {
  std::vector<std::shared_ptr<Graph>> graphs;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    for (const auto& [name, entry] : graphs_) graphs.push_back(entry.graph);
  }
  for (const auto& graph : graphs) {
    graph->routes->BeginStop();
    graph->server->service().WakeWaiting();
  }
}

Status Root::Close() {
  BeginStop();
  std::map<std::string, Entry> closed;
  const std::lock_guard lock(mutex_);
  used_.clear();
  closed.swap(graphs_);
  return {};
}

}  // namespace plexus::tools::server
