// Requests under way are known by their ids, read from the lines.
#include "tools/server/relay.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <map>
#include <thread>

#include "tools/server/line_server.h"
#include "tools/server/mcp/protocol.h"

namespace plexus::tools::server {
namespace {

// -32000: of this server; the request may be sent again.
constexpr int kTryAgain = -32000;

class Lines {
 public:
  // False at the end of the stream.
  bool Read(int fd) {
    char piece[65536];
    ssize_t got;
    do got = read(fd, piece, sizeof piece);
    while (got < 0 && errno == EINTR);
    if (got <= 0) return false;
    held_.append(piece, static_cast<std::size_t>(got));
    return true;
  }
  // The next whole line with its end; "" before it is whole.
  std::string Next() {
    const std::size_t end = held_.find('\n', looked_);
    if (end == std::string::npos) {
      looked_ = held_.size();
      if (held_.size() <= kMaxLine) return {};
      looked_ = 0;  // the holder refuses it
      return std::exchange(held_, {});
    }
    std::string line = held_.substr(0, end + 1);
    held_.erase(0, end + 1);
    looked_ = 0;
    return line;
  }
  void Clear() {
    held_.clear();
    looked_ = 0;
  }
  std::string TakeRest() { return std::exchange(held_, {}); }

 private:
  std::string held_;
  std::size_t looked_ = 0;
};

class RelayLoop {
 public:
  RelayLoop(int fd, const RelayOptions& options) : fd_(fd), options_(options) {}
  ~RelayLoop() {
    if (fd_ >= 0) close(fd_);
  }

  Status Run() {
    (void)WriteAll(fd_, options_.hello + "\n", 30'000);
    bool input = true;
    while (input || !under_way_.empty()) {
      pollfd all[3] = {{fd_, POLLIN, 0}, {options_.stop, POLLIN, 0}, {options_.in, POLLIN, 0}};
      const int ready = poll(all, input ? 3 : 2, 1000);
      if (ready < 0 && errno != EINTR) break;
      if (options_.ended && options_.ended()) return {};
      if (ready <= 0) continue;
      if (all[0].revents && !FromHolder()) {
        if (!input) {
          FailUnderWay();
          return {};
        }
        PLEXUS_TRY(Next());
        continue;
      }
      if (all[1].revents) {
        if (!input) return {};
        input = false;
        EndInput();
      }
      if (input && all[2].revents && !FromClient()) {
        input = false;
        EndInput();
      }
    }
    return {};
  }

 private:
  bool FromHolder() {
    if (!from_holder_.Read(fd_)) return false;
    for (std::string line; !(line = from_holder_.Next()).empty();) {
      Answered(line);
      if (!WriteAll(options_.out, line, 30'000)) return false;
    }
    return true;
  }

  // A line without a parse: an answer has its id, and no method.
  void Answered(const std::string& line) {
    if (line.find("\"method\":\"notifications/") < 64) return;
    const auto value = ParseJson(line);
    const json::object* object = value ? value->if_object() : nullptr;
    const json::value* id = object ? Member(*object, "id") : nullptr;
    if (id) under_way_.erase(JsonOf(*id));
  }

  bool FromClient() {
    const bool more = from_client_.Read(options_.in);
    for (std::string line; !(line = from_client_.Next()).empty();) Hand(line);
    if (!more)
      if (std::string rest = from_client_.TakeRest(); !rest.empty()) Hand(rest + "\n");
    return more;
  }

  void Hand(const std::string& line) {
    const auto message = Protocol::Read(line);
    if (message && message->is_request()) {
      under_way_.emplace(message->id, true);
      if (message->method == "initialize" || message->method == "subscriptions/listen" ||
          message->method == "resources/subscribe")
        again_[message->id] = {line, message->method};
    }
    if (message && message->method == "notifications/cancelled" && message->params())
      if (const json::value* id = Member(*message->params(), "requestId")) {
        under_way_.erase(JsonOf(*id));
        again_.erase(JsonOf(*id));
      }
    // Where the holder is gone its end is read next.
    (void)WriteAll(fd_, line, 30'000);
  }

  // A stream of changes is no request that an answer is waited for.
  void EndInput() {
    shutdown(fd_, SHUT_WR);
    std::erase_if(under_way_, [&](const auto& one) { return IsStream(one.first); });
  }

  bool IsStream(const std::string& id) const {
    const auto at = again_.find(id);
    return at != again_.end() && at->second.method == "subscriptions/listen";
  }

  void FailUnderWay() {
    for (const auto& [id, unused] : under_way_) {
      if (IsStream(id)) continue;
      const RpcError error{kTryAgain,
                           "the process that held the graph ended before it answered: look, and "
                           "try again",
                           R"({"retryable":true})"};
      (void)WriteAll(options_.out, Protocol::ErrorAnswer(id, error).text + "\n", 30'000);
    }
    under_way_.clear();
  }

  // The answers to what the next holder has to know go nowhere.
  Status Next() {
    close(std::exchange(fd_, -1));
    from_holder_.Clear();
    FailUnderWay();
    PLEXUS_ASSIGN(fd_, options_.connect());
    (void)WriteAll(fd_, options_.hello + "\n", 30'000);
    std::map<std::string, bool> silent;
    for (const auto& [id, one] : again_) {
      (void)WriteAll(fd_, one.line, 30'000);
      if (one.method == "subscriptions/listen")
        under_way_.emplace(id, true);
      else
        silent.emplace(id, true);
    }
    // Their answers were had from the first holder.
    while (!silent.empty()) {
      std::string line;
      while ((line = from_holder_.Next()).empty())
        if (!from_holder_.Read(fd_)) return {};
      const auto value = ParseJson(line);
      const json::object* object = value ? value->if_object() : nullptr;
      const json::value* id = object ? Member(*object, "id") : nullptr;
      if (id && silent.erase(JsonOf(*id)) > 0) continue;
      (void)WriteAll(options_.out, line, 30'000);
    }
    return {};
  }

  struct Again {
    std::string line, method;
  };
  int fd_;
  const RelayOptions& options_;
  Lines from_holder_, from_client_;
  std::map<std::string, bool> under_way_;
  std::map<std::string, Again> again_;  // what a next holder has to know
};

}  // namespace

Status Relay(int fd, const RelayOptions& options) { return RelayLoop(fd, options).Run(); }

}  // namespace plexus::tools::server
