// The queue of a connection is guarded by one mutex, its output by another.
#include "tools/server/line_server.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

#include "tools/server/stop.h"

namespace plexus::tools::server {
namespace {

constexpr std::size_t kMostQueued = 1024;

class LineConnection : public std::enable_shared_from_this<LineConnection> {
 public:
  LineConnection(Protocol& protocol, Workers& workers, const LineOptions& options)
      : protocol_(protocol), workers_(workers), options_(options) {}

  void Serve() {
    conversation_ = std::make_shared<Conversation>(options_.caller,
                                                   [self = weak_from_this()](std::string text) {
                                                     if (const auto here = self.lock())
                                                       here->Send(text);
                                                   });
    Read();
    Drain();
    protocol_.subscriptions().RemoveOwner(conversation_->number);
  }

 private:
  void Read() {
    std::string buffer = options_.before;
    std::size_t looked = 0;
    bool skipping = false;  // the rest of a line that is too long
    std::string piece(std::size_t{64} << 10, '\0');
    for (;;) {
      for (std::size_t end; (end = buffer.find('\n', looked)) != std::string::npos; looked = 0) {
        if (!skipping) Take(std::string_view(buffer).substr(0, end));
        skipping = false;
        buffer.erase(0, end + 1);
      }
      looked = buffer.size();
      if (buffer.size() > kMaxLine) {
        if (!skipping)
          Send(Protocol::ErrorAnswer("", {kInvalidRequest, "a line has at most 8 MiB", {}}).text);
        skipping = true;
        buffer.clear();
        looked = 0;
      }
      const Ready ready = AwaitInput(options_.in, options_.stop, 1000);
      if (ready == Ready::kStop || lost_) return;
      if (ready == Ready::kNothing) {
        if (options_.ended && options_.ended()) return;
        continue;
      }
      const ssize_t got = read(options_.in, piece.data(), piece.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) {
        if (!buffer.empty() && !skipping) Take(buffer);  // a last line without its end
        return;
      }
      buffer.append(piece.data(), static_cast<std::size_t>(got));
    }
  }

  void Take(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == std::string_view::npos) return;
    auto message = Protocol::Read(line);
    if (!message) {
      Send(message.error().text);
      return;
    }
    if (!message->is_request()) {
      (void)protocol_.Answer(*message, *conversation_);
      return;
    }
    const bool turn = protocol_.TakesTurn(*message);
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return queue_.size() < kMostQueued; });
      queue_.push_back({std::make_shared<Message>(*std::move(message)), turn});
    }
    Start();
  }

  struct Queued {
    std::shared_ptr<Message> message;
    bool turn;
  };

  // Hands on what may run now.
  void Start() {
    const std::lock_guard lock(mutex_);
    while (!queue_.empty() && !writing_) {
      const Queued next = queue_.front();
      queue_.pop_front();
      writing_ = next.turn;
      ++running_;
      workers_.Post([self = shared_from_this(), next] { self->Run(next); });
    }
    changed_.notify_all();
  }

  void Run(const Queued& next) {
    const RpcAnswer answer = protocol_.Answer(*next.message, *conversation_);
    if (answer.text.size() > kMaxLine)
      Send(Protocol::ErrorAnswer(next.message->id,
                                 {kInternalError,
                                  "the answer is longer than a line may be (8 MiB): ask for less "
                                  "with max_chars or max_bytes",
                                  {}})
               .text);
    else if (!answer.text.empty())
      Send(answer.text);
    {
      const std::lock_guard lock(mutex_);
      if (next.turn) writing_ = false;
      --running_;
    }
    Start();
  }

  void Send(std::string_view text) {
    if (lost_) return;
    std::string line(text);
    line += '\n';
    const std::lock_guard lock(out_mutex_);
    if (!lost_ && !WriteAll(options_.out, line, options_.write_ms)) {
      lost_ = true;
      conversation_->CancelAll();
    }
  }

  void Drain() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return queue_.empty() && running_ == 0; });
  }

  Protocol& protocol_;
  Workers& workers_;
  LineOptions options_;
  std::shared_ptr<Conversation> conversation_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Queued> queue_;
  bool writing_ = false;
  std::size_t running_ = 0;
  std::mutex out_mutex_;
  std::atomic<bool> lost_ = false;
};

}  // namespace

bool WriteAll(int fd, std::string_view text, int milliseconds) {
  constexpr std::size_t kPiece = 4096;  // that much never blocks where poll says so
  while (!text.empty()) {
    pollfd one{fd, POLLOUT, 0};
    const int ready = poll(&one, 1, milliseconds);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0 || (one.revents & (POLLERR | POLLNVAL))) return false;
    const ssize_t written = write(fd, text.data(), std::min(text.size(), kPiece));
    if (written < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void ServeLines(Protocol& protocol, Workers& workers, const LineOptions& options) {
  std::make_shared<LineConnection>(protocol, workers, options)->Serve();
}

}  // namespace plexus::tools::server
