// The first line of a connection says what it is for: an object of ours, a request of HTTP, or else
// MCP with the default tools.
#include "tools/server/host.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ranges>
#include <sstream>

#include "tools/cli/exit_code.h"
#include "tools/cli/holder_socket.h"
#include "tools/cli/output.h"
#include "tools/cli/remote.h"
#include "tools/cli/run.h"
#include "tools/server/line_server.h"
#include "tools/server/server_log.h"
#include "tools/server/stop.h"

namespace plexus::tools::server {
namespace {

std::vector<std::string> Texts(const json::object& object, const char* name) {
  std::vector<std::string> texts;
  const json::value* list = Member(object, name);
  if (list && list->is_array())
    for (const json::value& text : list->get_array())
      if (text.is_string()) texts.emplace_back(View(text.get_string()));
  return texts;
}

// Sets a flag when the other end of a connection is closed.
class HangUp {
 public:
  HangUp(int fd, std::atomic<bool>& cancel) {
    if (pipe2(end_, 0) != 0) return;
    thread_ = std::thread([this, fd, &cancel] {
      pollfd both[2] = {{fd, POLLRDHUP, 0}, {end_[0], POLLIN, 0}};
      while (poll(both, 2, -1) < 0) {
      }
      if (both[0].revents) cancel = true;
    });
  }
  ~HangUp() {
    if (!thread_.joinable()) return;
    close(end_[1]);
    thread_.join();
    close(end_[0]);
  }
  HangUp(const HangUp&) = delete;
  HangUp& operator=(const HangUp&) = delete;

 private:
  int end_[2] = {-1, -1};
  std::thread thread_;
};

// A command of the command line, as it would have run by itself.
std::string RunCommandLine(Service& service, std::string_view text, int fd) {
  std::size_t width = 0;
  Result<CommandLine> line = ReadRemoteLine(text, &width);
  if (!line) return RemoteAnswer(kUsage, "", "plexus: error: " + line.error().message + "\n");
  line->globals.db = service.directory();
  std::atomic<bool> cancel = false;
  const HangUp watch(fd, cancel);
  Caller caller;
  caller.paths = caller.own_time = true;
  caller.wall = line->globals.wall;
  caller.cancel = &cancel;
  std::ostringstream out, err;
  int code = kFailed;
  {
    const RedirectedOutput redirected(out, err, width);
    const Status ran =
        service.RunAny(*line->request, caller, [&](Result<Reply> reply, Workspace& workspace) {
          code = PrintReply(std::move(reply), workspace, *line);
          return Status();
        });
    if (!ran) code = PrintFailure(ran.error(), *line);
  }
  return RemoteAnswer(code, out.str(), err.str());
}

// What both may. False: the walls have no scope in common.
bool Narrow(Caller& caller, const Caller& holder) {
  caller.may_read &= holder.may_read;
  caller.may_write &= holder.may_write;
  caller.may_destroy &= holder.may_destroy;
  if (holder.wall.empty()) return true;
  if (caller.wall.empty()) {
    caller.wall = holder.wall;
    return true;
  }
  std::erase_if(caller.wall, [&](const std::string& scope) {
    return std::ranges::find(holder.wall, scope) == holder.wall.end();
  });
  return !caller.wall.empty();
}

// "GET /path HTTP/1.1". No line of JSON begins with a letter and has no quote before that.
bool IsRequestLine(std::string_view line) {
  return line.size() <= HttpOptions().max_header && line.find(" HTTP/1.") < line.find('"') &&
         line.find_first_of("{[") != 0;
}

}  // namespace

Host::~Host() { (void)Close(); }

Status Host::Hold() {
  PLEXUS_ASSIGN(server_, Server::Open(options_));
  if (options_.read_only) return {};  // another process may hold it
  Result<std::unique_ptr<SocketServer>> socket = SocketServer::Start(
      server_->service().directory(), [this](int fd, int stop) { ServeConnection(fd, stop); });
  // Such as a file system without sockets: others wait for the lock, as without a server.
  if (socket)
    socket_ = *std::move(socket);
  else
    LogError(socket.error().message);
  return {};
}

void Host::ServeConnection(int fd, int stop) {
  constexpr std::size_t kMostFirst = std::size_t{64} << 20;
  const std::string first = ReadFirstLine(fd, kMostFirst);
  if (first.empty()) return;
  if (IsRequestLine(first)) {
    if (const Status served = ServeHttp(fd, first + "\n"); !served)
      LogError("no HTTP over the socket: " + served.error().message);
    return;
  }
  const json::object hello = ObjectOfJson(first);
  const std::string_view what = TextMember(hello, "plexus");
  if (what == "run") {
    // A command is of the whole graph.
    const bool walled = !caller_.wall.empty();
    const std::string answer =
        walled || !caller_.may_write
            ? RemoteAnswer(kFailed, "",
                           std::string("plexus: error: the server that holds this graph ") +
                               (walled ? "has a wall of scopes (--scope)" : "is --read-only") +
                               ": end it to write from the command line\n")
            : RunCommandLine(server_->service(), first, fd);
    (void)WriteAll(fd, answer, 30'000);
    return;
  }
  LineOptions lines{.in = fd, .out = fd, .stop = stop};
  std::vector<std::string> sets = {"memory"};
  if (what == "mcp") {
    sets = Texts(hello, "tools");
    lines.caller.wall = Texts(hello, "scopes");
    if (TrueMember(hello, "read_only")) lines.caller.may_write = lines.caller.may_destroy = false;
  } else {
    lines.before = first + "\n";
  }
  const auto refuse = [&](const std::string& why) {
    (void)WriteAll(fd, Protocol::ErrorAnswer("", {kConnectionRefused, why, {}}).text + "\n", 1000);
  };
  if (!Narrow(lines.caller, caller_))
    return refuse("the server that holds this graph has a wall of other scopes");
  const Result<Protocol*> protocol = server_->With(sets);
  if (!protocol) return refuse(protocol.error().message);
  ServeLines(**protocol, server_->workers(), lines);
}

Status Host::ServeHttp(int fd, std::string before) {
  const std::lock_guard lock(http_mutex_);
  if (!http_) {
    PLEXUS_ASSIGN(Protocol * protocol, server_->With(sets_));
    AccessRules rules;
    rules.open = caller_;
    auto routes = std::make_unique<Routes>(server_->service(), *protocol, rules);
    HttpOptions options;
    options.listens = false;
    PLEXUS_ASSIGN(http_, StartFor(*routes, options, server_->workers()));
    routes_ = std::move(routes);
  }
  const int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (own < 0) return Exhausted("no descriptor is left");
  http_->Take(own, std::move(before));
  return {};
}

std::string Host::Hello() const {
  return ObjectText()
      .Text("plexus", "mcp")
      .Raw("tools", ArrayText(sets_ | std::views::transform(QuotedJson)))
      .Raw("scopes", ArrayText(caller_.wall | std::views::transform(QuotedJson)))
      .Bool("read_only", !caller_.may_write)
      .object();
}

Result<int> Host::NextHolder(int stop) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  for (;;) {
    if (const Result<int> there = ConnectToHolder(options_.directory)) return *there;
    const Status held = Hold();
    if (held) {
      int ends[2];
      if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return IoError("no socket");
      LogInfo("took over", {{"db", options_.directory},
                            {"sequence", std::to_string(server_->service().sequence())}});
      own_ = std::thread([this, fd = ends[1], stop] {
        try {
          ServeConnection(fd, stop);
        } catch (const std::exception& failure) {
          LogError("a connection ended: " + std::string(failure.what()));
        }
        close(fd);
      });
      return ends[0];
    }
    if (held.error().code != ErrorCode::kLocked || std::chrono::steady_clock::now() > until)
      return std::unexpected(held.error());
    if (AwaitInput(stop, -1, 10) == Ready::kInput) return Cancelled("asked to end");
  }
}

Status Host::ServeStandardLines(int stop) {
  // The process that takes over an orphan has another number.
  const auto ended = [parent = getppid()] { return getppid() != parent; };
  if (holds()) {
    PLEXUS_ASSIGN(Protocol * protocol, server_->With(sets_));
    LineOptions lines{.in = STDIN_FILENO, .out = STDOUT_FILENO, .stop = stop, .caller = caller_};
    lines.ended = ended;
    ServeLines(*protocol, server_->workers(), lines);
    return {};
  }
  PLEXUS_ASSIGN(const int fd, NextHolder(stop));
  RelayOptions options{.hello = Hello(), .in = STDIN_FILENO, .out = STDOUT_FILENO, .stop = stop};
  options.ended = ended;
  options.connect = [&] { return NextHolder(stop); };
  const Status done = Relay(fd, options);
  if (own_.joinable()) own_.join();
  return done;
}

Status Host::Close() {
  if (socket_) socket_->Stop();
  socket_.reset();
  if (own_.joinable()) own_.join();
  if (!server_) return {};
  if (http_) {
    routes_->BeginStop();
    server_->service().WakeWaiting();
    http_->Stop(5000);
  }
  const Status closed = server_->Close();
  routes_.reset();
  http_.reset();
  server_.reset();
  return closed;
}

}  // namespace plexus::tools::server
