// Requests under way are known by their ids, read from the lines.
#include "tools/server/line_server.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <utility>

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
    to_holder_ = options_.hello + "\n";
    const Status ran = Copy();
    FailUnderWay();
    (void)WriteAll(options_.out, to_client_, 5000);
    return ran;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMostHeld = 2 * kMaxLine;  // of a side that takes nothing

  // Both ways at a time, so that neither side has to read before it may write.
  Status Copy() {
    while (input_ || !under_way_.empty() || !to_holder_.empty()) {
      if (stopped_ && Clock::now() > *stopped_) return {};
      pollfd holder{fd_, 0, 0}, client_in{input_ ? options_.in : -1, 0, 0};
      pollfd client_out{to_client_.empty() ? -1 : options_.out, POLLOUT, 0};
      if (to_client_.size() < kMostHeld) holder.events |= POLLIN;
      if (!to_holder_.empty()) holder.events |= POLLOUT;
      if (to_holder_.size() < kMostHeld && to_client_.size() < kMostHeld)
        client_in.events |= POLLIN;
      else
        client_in.fd = -1;  // its end is seen later
      pollfd all[4] = {holder, client_out, client_in, {stopped_ ? -1 : options_.stop, POLLIN, 0}};
      const int ready = poll(all, 4, 200);
      if (ready < 0 && errno != EINTR) return IoError("cannot wait for input");
      if (options_.ended && options_.ended()) return {};
      if (to_client_.empty()) took_ = Clock::now();
      if (Clock::now() - took_ > std::chrono::seconds(30)) return {};  // the reader is gone
      if (ready <= 0) continue;
      if (all[3].revents) {
        stopped_ = Clock::now() + std::chrono::seconds(10);
        EndInput();
      }
      if (all[1].revents && !Drain(options_.out, to_client_)) return {};
      if ((all[0].revents & POLLOUT) && !Drain(fd_, to_holder_)) to_holder_.clear();  // it ended
      if ((all[0].revents & ~POLLOUT) && !FromHolder()) {
        if (!input_) return {};
        if (!refused_.empty()) return FailedPrecondition(refused_);
        PLEXUS_TRY(Next());
        continue;
      }
      if (input_ && all[2].revents && !FromClient()) EndInput();
      if (!input_ && to_holder_.empty() && !shut_) {
        shutdown(fd_, SHUT_WR);
        shut_ = true;
      }
    }
    return {};
  }

  // A piece that poll says can be taken. False: the reader is gone.
  bool Drain(int fd, std::string& text) {
    const ssize_t written = WriteSome(fd, text);
    if (written < 0) return errno == EINTR || errno == EAGAIN;
    text.erase(0, static_cast<std::size_t>(written));
    if (&text == &to_client_) took_ = Clock::now();
    return true;
  }

  bool FromHolder() {
    if (!from_holder_.Read(fd_)) return false;
    for (std::string line; !(line = from_holder_.Next()).empty();)
      if (IsForClient(line)) to_client_ += line;
    return true;
  }

  // Notes what an answer ends. What has a method is a notification, or a request of the holder.
  bool IsForClient(const std::string& line) {
    if (line.find("\"method\":\"notifications/") < 64) return true;
    const json::object object = ObjectOfJson(line);
    const json::value* given = Member(object, "id");
    if (given && given->is_null()) {
      const json::object* error = ObjectMember(object, "error");
      const json::value* code = error ? Member(*error, "code") : nullptr;
      if (code && *code == kConnectionRefused) refused_ = TextMember(*error, "message");
      return true;
    }
    if (!given || Member(object, "method")) return true;
    const std::string id = JsonOf(*given);
    if (silent_.erase(id) > 0) return false;  // the client has the answer of the first holder
    under_way_.erase(id);
    const auto again = again_.find(id);
    if (again == again_.end()) return true;
    if (!Member(object, "result")) {
      again_.erase(again);
      return true;
    }
    // The holder ends: the next one continues the stream.
    return !input_ || again->second.method != "subscriptions/listen";
  }

  bool FromClient() {
    const bool more = from_client_.Read(options_.in);
    for (std::string line; !(line = from_client_.Next()).empty();) Hand(line);
    if (!more)
      if (std::string rest = from_client_.TakeRest(); !rest.empty()) Hand(rest + "\n");
    return more;
  }

  void Hand(const std::string& line) {
    to_holder_ += line;
    const auto message = Protocol::Read(line);
    if (!message) return;
    const json::object* params = message->params();
    if (message->is_request()) {
      under_way_.insert(message->id);
      const bool subscribes = message->method == "resources/subscribe";
      const std::string uri(params ? TextMember(*params, "uri") : std::string_view());
      if (subscribes || message->method == "resources/unsubscribe")
        std::erase_if(again_, [&](const auto& one) {
          return one.second.method == "resources/subscribe" && one.second.uri == uri;
        });
      if (subscribes || message->method == "initialize" ||
          message->method == "subscriptions/listen")
        again_[message->id] = {line, message->method, uri};
    } else if (message->method == "notifications/cancelled" && params) {
      if (const json::value* id = Member(*params, "requestId")) {
        under_way_.erase(JsonOf(*id));
        again_.erase(JsonOf(*id));
      }
    }
  }

  // A stream of changes is no request that an answer is waited for.
  void EndInput() {
    input_ = false;
    std::erase_if(under_way_, [&](const std::string& id) { return IsStream(id); });
  }

  bool IsStream(const std::string& id) const {
    const auto at = again_.find(id);
    return at != again_.end() && at->second.method == "subscriptions/listen";
  }

  void FailUnderWay() {
    for (const std::string& id : under_way_) {
      if (IsStream(id)) continue;
      const RpcError error{kTryAgain,
                           "the process that held the graph ended before it answered: look, and "
                           "try again",
                           R"({"retryable":true})"};
      to_client_ += Protocol::ErrorAnswer(id, error).text + "\n";
    }
    under_way_.clear();
  }

  // The next holder has to know what the first one knew; the answers to that go nowhere.
  Status Next() {
    close(std::exchange(fd_, -1));
    from_holder_.Clear();
    FailUnderWay();
    silent_.clear();
    PLEXUS_ASSIGN(fd_, options_.connect());
    to_holder_ = options_.hello + "\n";
    for (const auto& [id, one] : again_) {
      to_holder_ += one.line;
      if (one.method == "subscriptions/listen")
        under_way_.insert(id);
      else
        silent_.insert(id);
    }
    return {};
  }

  struct Again {
    std::string line, method, uri;
  };
  int fd_;
  const RelayOptions& options_;
  Lines from_holder_, from_client_;
  std::string to_holder_, to_client_, refused_;
  bool input_ = true, shut_ = false;
  std::optional<Clock::time_point> stopped_;  // when waiting for answers ends
  Clock::time_point took_ = Clock::now();     // when the client last took something
  std::set<std::string> under_way_, silent_;
  std::map<std::string, Again> again_;  // what a next holder has to know
};

}  // namespace

Status Relay(int fd, const RelayOptions& options) { return RelayLoop(fd, options).Run(); }

}  // namespace plexus::tools::server
