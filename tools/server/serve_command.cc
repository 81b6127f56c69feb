// Order of things: rules, directory, doors, log line; then wait; then the same backwards.
#include <charconv>
#include <optional>
#include <stop_token>
#include <thread>

#include "tools/cli/exit_code.h"
#include "tools/cli/output.h"
#include "tools/cli/run.h"
#include "tools/operations/files/explorer_page.h"
#include "tools/server/host.h"
#include "tools/server/http/http_server.h"
#include "tools/server/http/root.h"
#include "tools/server/http/routes.h"
#include "tools/server/replica/follower.h"
#include "tools/server/server.h"
#include "tools/server/server_log.h"
#include "tools/server/stop.h"

namespace plexus::tools::server {
namespace {

struct Doors {
  bool mcp = false;
  std::optional<HttpOptions> http = {};
  AccessRules rules = {};
  std::vector<std::string> tools = {};
  Caller caller = {};
  bool check = false, explorer = false;
  bool once = false;                         // the page of one visit; a replica's one round
  std::string source = {}, token_file = {};  // of a replica
};

// "8080", "127.0.0.1:8080", "[::1]:8080".
Status ReadAddress(std::string_view text, HttpOptions& options) {
  const std::size_t colon = text.rfind(':');
  std::string_view port = text;
  if (colon != std::string_view::npos) {
    std::string_view host = text.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    options.address = host == "localhost" ? "127.0.0.1" : std::string(host);
    port = text.substr(colon + 1);
  }
  unsigned number = 0;
  const auto read = std::from_chars(port.data(), port.data() + port.size(), number);
  if (read.ec != std::errc() || read.ptr != port.data() + port.size() || number > 65535)
    return Invalid("--http: say PORT, ADDRESS:PORT or [ADDRESS]:PORT; port 0 is any that is free");
  options.port = static_cast<std::uint16_t>(number);
  return {};
}

// Who asks behind --scope, or everything.
Status ReadWall(const Request& request, Caller& caller) {
  caller.wall = request.List("scope");
  if (request.Given("scope") && caller.wall.empty()) return Invalid("--scope: names no scope");
  return {};
}

// No token: without the parameter.
Result<std::vector<Token>> TokensOf(const Request& request) {
  if (!request.Given("tokens")) return std::vector<Token>();
  PLEXUS_ASSIGN(std::vector<Token> tokens, ReadTokens(request.Text("tokens")));
  const bool many = request.Has("root") && request.Given("root");
  for (const Token& token : tokens)
    if (!token.caller.graphs.empty() && !many)
      return Invalid("--tokens: the token '", token.name,
                     "' names graphs, which are those below --root DIR");
  return tokens;
}

// `plexus explore`: HTTP for this machine, with the page.
Result<Doors> ExplorerDoors(const Request& request) {
  if (ExplorerPage().empty()) return Unsupported(std::string(kNoExplorer));
  Doors doors;
  doors.explorer = true;
  doors.tools = {"memory"};
  PLEXUS_TRY(ReadWall(request, doors.caller));
  doors.caller.may_write = request.Flag("write");
  doors.caller.may_destroy = false;
  doors.rules.open = doors.caller;
  doors.rules.gives_page = true;
  doors.once = request.Flag("once");
  PLEXUS_ASSIGN(doors.rules.tokens, TokensOf(request));
  if (!doors.rules.tokens.empty() && !doors.caller.wall.empty())
    return Invalid("--scope: with --tokens a token names its scopes");
  for (Token& token : doors.rules.tokens) {
    token.caller.may_write = token.caller.may_write && doors.caller.may_write;
    token.caller.may_destroy = false;
  }
  doors.http.emplace();
  PLEXUS_TRY(ReadAddress(std::to_string(request.Count("port")), *doors.http));
  return doors;
}

// `plexus follow`: no door but the socket.
Doors FollowDoors(const Request& request) {
  Doors doors;
  doors.tools = {"memory"};
  doors.source = request.Text("source");
  doors.token_file = request.Text("token_file");
  doors.once = request.Flag("once");
  return doors;
}

Result<Doors> ReadDoors(const CommandLine& line) {
  const Request& request = *line.request;
  Doors doors;
  doors.check = request.Flag("check");
  doors.mcp = request.Flag("mcp");
  doors.tools = request.List("tools");
  if (doors.tools.empty()) doors.tools = {"memory"};
  PLEXUS_TRY(ChooseTools(doors.tools));
  PLEXUS_TRY(ReadWall(request, doors.caller));
  if (request.Flag("read_only")) doors.caller.may_write = doors.caller.may_destroy = false;
  doors.rules.open = doors.caller;
  if (const std::uint64_t rate = request.Count("max_rate"); rate > 0)
    for (auto* rates : {&doors.rules.peers, &doors.rules.refused})
      *rates = std::make_shared<PeerRates>(static_cast<double>(rate));
  doors.rules.hosts = request.List("allow_host");
  PLEXUS_ASSIGN(doors.rules.tokens, TokensOf(request));
  for (Token& token : doors.rules.tokens)
    if (const std::uint64_t rate = request.Count("max_rate"); rate > 0 && !token.caller.rate)
      token.caller.rate = std::make_shared<RateLimit>(static_cast<double>(rate));
  if (request.Given("http")) {
    doors.http.emplace();
    PLEXUS_TRY(ReadAddress(request.Text("http"), *doors.http));
    if (!IsLoopback(doors.http->address) && doors.rules.tokens.empty())
      return Invalid("--http: ", doors.http->address,
                     " is seen by other machines, and needs --tokens FILE");
  }
  doors.source = request.Text("follow");
  doors.token_file = request.Text("follow_token");
  if (!doors.source.empty() && request.Given("root"))
    return Invalid("--follow is of one graph: --db, not --root");
  if (!doors.mcp && !doors.http && !doors.check)
    return Invalid("serve needs --mcp, --http ADDRESS or both");
  return doors;
}

// What came of it, as a line on standard output. The exit code.
int PrintObject(const ObjectText& text) {
  Out() << text.object() << '\n';
  return FlushOut() ? kDone : kFailed;
}

// What --check says: that it could serve, and how.
int PrintCheck(const CommandLine& line, Server& server, const Doors& doors) {
  const Result<Protocol*> protocol = server.With(doors.tools);
  const std::vector<std::string> list =
      protocol ? (*protocol)->backend().Tools(Era::kStateless) : std::vector<std::string>();
  std::size_t bytes = 0;
  for (const std::string& tool : list) bytes += tool.size();
  return PrintObject(ObjectText()
                         .Text("db", line.globals.db)
                         .Number("sequence", server.service().sequence())
                         .Number("tools", list.size())
                         .Number("tools_bytes", bytes)
                         .Number("tokens", doors.rules.tokens.size()));
}

// Without a client on standard input a signal ends it, or with --once the end of a visit. What
// another process writes is seen within a second.
Status AwaitEnd(const Doors& doors, Stop& stop, Service& service, Routes& routes,
                const HttpServer* http) {
  const bool follows = doors.explorer && !doors.caller.may_write;
  const int wait_ms = doors.once ? 200 : follows ? 1000 : 60'000;
  int quiet = 0;        // times in a row that a visitor had no connection
  std::string failure;  // the last one logged
  while (AwaitInput(stop.fd(), -1, wait_ms) == Ready::kNothing) {
    if (doors.once) {
      quiet = routes.counts().pages > 0 && http->connections() == 0 ? quiet + 1 : 0;
      if (quiet > 2) return {};
    }
    if (!follows) continue;
    const auto refreshed = service.Refresh();
    const std::string now = refreshed ? "" : refreshed.error().message;
    if (now != failure && !now.empty()) LogError("an older state is shown: " + now);
    failure = now;
  }
  if (doors.once && routes.counts().pages == 0) return Cancelled("nobody opened the page");
  return {};
}

// The exit code of what was served, and is closed.
Result<int> Ended(const Status& served, const Status& closed) {
  LogInfo("ended");
  PLEXUS_TRY(served);
  PLEXUS_TRY(closed);
  return kDone;
}

// The exit code, as of the next ones. An error is printed by who calls.
Result<int> Serve(const CommandLine& line, Host& host, const Doors& doors, Stop& stop,
                  Follower* follower) {
  if (!host.holds()) {
    LogInfo("serving", {{"db", line.globals.db}, {"mcp", "stdio"}, {"through", "its holder"}});
    const Status served = host.ServeStandardLines(stop.fd());
    return Ended(served, host.Close());
  }
  Server& server = host.server();
  PLEXUS_ASSIGN(Protocol* const protocol, server.With(doors.tools));
  std::unique_ptr<HttpServer> http;  // outlives who holds an exchange
  Routes routes(server.service(), *protocol, doors.rules);
  LogFields fields = {{"db", server.service().directory()},
                      {"sequence", std::to_string(server.service().sequence())}};
  if (doors.mcp) fields.emplace_back("mcp", "stdio");
  if (doors.http) {
    PLEXUS_ASSIGN(http, StartFor(routes, *doors.http, server.workers()));
    fields.emplace_back("http",
                        "http://" + doors.http->address + ":" + std::to_string(http->port()));
  }
  if (!server.service().opening().empty()) LogInfo(server.service().opening());
  LogInfo("serving", fields);
  std::jthread following;  // from when the graph is open until it is closed
  if (follower)
    following = std::jthread([&](const std::stop_token& ends) {
      const std::stop_callback ask(ends, [&] { stop.Ask(); });
      (void)follower->Run(server.service(), false);
    });
  const Status served = doors.mcp ? host.ServeStandardLines(stop.fd())
                                  : AwaitEnd(doors, stop, server.service(), routes, http.get());
  routes.BeginStop();
  server.service().WakeWaiting();
  following = {};  // ends it
  if (http) http->Stop(5000);
  return Ended(served, host.Close());
}

// One graph.
Result<int> ServeDirectory(const CommandLine& line, const Doors& doors, Stop& stop) {
  ServiceOptions options;
  options.directory = line.globals.db;
  options.create = !doors.explorer;
  options.read_only = doors.explorer && !doors.caller.may_write;
  // The page draws up to 50,000 nodes with their edges, for one person.
  if (doors.explorer) options.max_bytes = std::uint64_t{64} << 20;
  const auto wait_ms = static_cast<std::int64_t>(line.globals.wait_seconds * 1000);
  // A second server of MCP is a pipe to the first.
  const bool may_relay = doors.mcp && !doors.http;
  options.lock_wait_ms = may_relay ? 0 : wait_ms;
  if (const auto most = line.request->MaybeNumber("max_seconds")) options.max_seconds = *most;
  std::unique_ptr<Follower> follower;
  if (!doors.source.empty()) {
    PLEXUS_ASSIGN(std::string token, ReadTokenFile(doors.token_file));
    PLEXUS_ASSIGN(follower, Follower::Make(doors.source, std::move(token), line.globals.db,
                                           [&stop] { return stop.asked(); }));
    const Status begun = follower->Begin(doors.once);
    if (!begun && stop.asked()) return kDone;
    PLEXUS_TRY(begun);
    options.follows = follower->status();
    options.create = false;
  }
  Host host(options, doors.tools, doors.caller);
  const Status held = host.Hold();
  if (doors.check || !may_relay || held || held.error().code != ErrorCode::kLocked)
    PLEXUS_TRY(held);
  if (doors.check) return PrintCheck(line, host.server(), doors);
  if (follower && doors.once) {
    const Status caught_up = follower->Run(host.server().service(), true);
    const Sequence sequence = host.server().service().sequence();
    const Status closed = host.Close();
    PLEXUS_TRY(caught_up);
    PLEXUS_TRY(closed);
    return PrintObject(ObjectText().Text("db", line.globals.db).Number("sequence", sequence));
  }
  return Serve(line, host, doors, stop, follower.get());
}

// Many graphs, over HTTP.
Result<int> ServeRoot(const CommandLine& line, const Doors& doors, Stop& stop) {
  if (!doors.http || doors.mcp || !line.globals.db.empty())
    return Invalid("--root needs --http ADDRESS, and takes neither --db nor --mcp");
  RootOptions options;
  options.directory = line.request->Text("root");
  options.tools = doors.tools;
  options.max_open = line.request->Count("max_open");
  options.max_resident = line.request->Count("max_memory") << 20;
  if (const auto most = line.request->MaybeNumber("max_seconds")) options.max_seconds = *most;
  PLEXUS_ASSIGN(const std::unique_ptr<Root> root, Root::Open(options, doors.rules));
  Workers workers(Server::kWorkers);
  PLEXUS_ASSIGN(const std::unique_ptr<HttpServer> http, StartFor(*root, *doors.http, workers));
  LogInfo("serving",
          {{"root", options.directory},
           {"http", "http://" + doors.http->address + ":" + std::to_string(http->port())}});
  while (AwaitInput(stop.fd(), -1, 60'000) == Ready::kNothing) {
  }
  root->BeginStop();
  http->Stop(5000);
  workers.Stop();
  return Ended({}, root->Close());
}

Result<int> ServeLine(const CommandLine& line) {
  const std::string& name = line.request->operation().name;
  const bool explores = name == "explore", follows = name == "follow";
  const bool json = !explores && line.request->Text("log_format") == "json";
  SetLogForm(line.globals.quiet ? LogForm::kQuiet : json ? LogForm::kJson : LogForm::kWords);
  const bool many = !explores && !follows && line.request->Given("root");
  if (line.globals.db.empty() && !many)
    return Invalid("which graph? --db DIR (or PLEXUS_DB) names its directory");
  PLEXUS_ASSIGN(const Doors doors, explores  ? ExplorerDoors(*line.request)
                                   : follows ? FollowDoors(*line.request)
                                             : ReadDoors(line));
  PLEXUS_ASSIGN(Stop* const stop, Stop::Install());
  return many ? ServeRoot(line, doors, *stop) : ServeDirectory(line, doors, *stop);
}

}  // namespace

int RunServe(const CommandLine& line) {
  const Result<int> code = ServeLine(line);
  return code ? *code : PrintFailure(code.error(), line);
}

}  // namespace plexus::tools::server
