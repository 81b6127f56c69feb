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
#include <exception>
#include <memory>
#include <mutex>
#include <utility>

#include "tools/server/server_log.h"
#include "tools/server/stop.h"

namespace plexus::tools::server {
namespace {

constexpr std::size_t kMostQueued = 1024;
constexpr std::size_t kMostQueuedBytes = std::size_t{16} << 20;  // lines that wait
constexpr std::size_t kMostRunning = 16;                         // requests of a connection
constexpr std::size_t kMostNotices = 1024;                       // changes that are not sent yet
constexpr int kWriteMs = 30'000;  // a reader that takes nothing so long is given up

class LineConnection : public std::enable_shared_from_this<LineConnection> {
 public:
  LineConnection(Protocol& protocol, Workers& workers, const LineOptions& options)
      : protocol_(protocol), workers_(workers), options_(options) {}

  void Serve() {
    conversation_ = std::make_shared<Conversation>(options_.caller,
                                                   [self = weak_from_this()](std::string text) {
                                                     if (const auto here = self.lock())
                                                       here->SendLater(std::move(text));
                                                   });
    try {
      Read();
    } catch (const std::exception& failure) {
      LogError("a connection ended: " + std::string(failure.what()));
    }
    Drain();
    protocol_.subscriptions().RemoveOwner(conversation_->number);
    EndNotices();
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
        if (!skipping) SendError("", {kInvalidRequest, "a line has at most 8 MiB"});
        skipping = true;
        buffer.clear();
        looked = 0;
      }
      const Ready ready = AwaitInput(options_.in, options_.stop, 1000);
      if (ready == Ready::kStop) conversation_->CancelAll();
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

  void Take(std::string_view line) try {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == std::string_view::npos) return;
    auto message = Protocol::Read(line);
    if (!message) return Send(message.error().text);
    if (!message->is_request()) return (void)protocol_.Answer(*message, *conversation_);
    const bool turn = protocol_.TakesTurn(*message);
    const std::string id = message->id;
    if (!AwaitRoom(line.size()))
      return SendError(id, {kInternalError, "the server ends: try again", R"({"retryable":true})"});
    // From here on it can be cancelled.
    if (!conversation_->Await(id))
      return SendError(id, {kInvalidRequest, "this id is under way already"});
    {
      const std::lock_guard lock(mutex_);
      queued_bytes_ += line.size();
      queue_.push_back({std::make_shared<Message>(*std::move(message)), turn, line.size()});
    }
    Start();
  } catch (const std::exception& failure) {  // no memory for it
    SendError("", FailureOf(failure));
  }

  // Waits until little is queued. False: it ends.
  bool AwaitRoom(std::size_t bytes) {
    const auto room = [&] {
      return queue_.size() < kMostQueued &&
             (queue_.empty() || queued_bytes_ + bytes <= kMostQueuedBytes);
    };
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, std::chrono::milliseconds(50), room)) {
      if (lost_) return false;
      if (options_.stop >= 0 && AwaitInput(options_.stop, -1, 0) == Ready::kInput) return false;
    }
    return true;
  }

  struct Queued {
    std::shared_ptr<Message> message;
    bool turn;
    std::size_t bytes;
  };

  // Hands on what may run now.
  void Start() {
    const std::lock_guard lock(mutex_);
    while (!queue_.empty() && !writing_ && running_ < kMostRunning) {
      const Queued next = queue_.front();
      queue_.pop_front();
      queued_bytes_ -= next.bytes;
      writing_ = next.turn;
      ++running_;
      workers_.Post([self = shared_from_this(), next] { self->Run(next); });
    }
    changed_.notify_all();
  }

  void Run(const Queued& next) {
    try {
      AnswerTo(*next.message);
    } catch (const std::exception& failure) {  // no memory for the answer
      conversation_->End(next.message->id);
      SendError(next.message->id, FailureOf(failure));
    }
    {
      const std::lock_guard lock(mutex_);
      if (next.turn) writing_ = false;
      --running_;
    }
    Start();
  }

  void AnswerTo(const Message& message) {
    // What belongs to a request is sent in order with its answer.
    const Conversation::Send now = [this](std::string text) { Send(std::move(text)); };
    RpcAnswer answer = protocol_.Answer(message, *conversation_, {}, &now);
    if (answer.text.size() > kMaxLine)
      SendError(message.id, {kInternalError,
                             "the answer is longer than a line may be (8 MiB): "
                             "ask for less with max_chars or max_bytes"});
    else if (!answer.text.empty())
      Send(std::move(answer.text));
  }

  // What subscriptions send: a reader that is slow holds up no other connection.
  void SendLater(std::string text) {
    {
      const std::lock_guard lock(notices_mutex_);
      if (lost_ || ended_) return;
      if (notices_.size() >= kMostNotices) {
        if (!std::exchange(dropped_, true))
          LogError("a client reads too slowly: it is not sent all changes");
        return;
      }
      dropped_ = false;
      notices_.push_back(std::move(text));
      if (std::exchange(sending_, true)) return;
    }
    workers_.Post([self = shared_from_this()] { self->SendNotices(); });
  }

  void SendNotices() {
    std::unique_lock lock(notices_mutex_);
    while (!notices_.empty() && !lost_) {
      std::string text = std::move(notices_.front());
      notices_.pop_front();
      lock.unlock();
      Send(std::move(text));
      lock.lock();
    }
    notices_.clear();
    sending_ = false;
    sent_.notify_all();
  }

  void EndNotices() {
    std::unique_lock lock(notices_mutex_);
    ended_ = true;
    sent_.wait(lock, [&] { return !sending_; });
  }

  void Send(std::string line) {
    if (lost_) return;
    line += '\n';
    const std::lock_guard lock(out_mutex_);
    if (!lost_ && !WriteAll(options_.out, line, kWriteMs)) {
      lost_ = true;
      conversation_->CancelAll();
    }
  }

  void SendError(std::string_view id, const RpcError& error) {
    Send(Protocol::ErrorAnswer(id, error).text);
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
  std::size_t queued_bytes_ = 0;
  bool writing_ = false;
  std::size_t running_ = 0;
  std::mutex notices_mutex_;
  std::condition_variable sent_;
  std::deque<std::string> notices_;
  bool sending_ = false, dropped_ = false, ended_ = false;
  std::mutex out_mutex_;
  std::atomic<bool> lost_ = false;
};

}  // namespace

ssize_t WriteSome(int fd, std::string_view text) {
  const ssize_t sent = send(fd, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent >= 0 || errno != ENOTSOCK) return sent;
  constexpr std::size_t kPiece = 4096;  // that much never blocks where poll says so
  return write(fd, text.data(), std::min(text.size(), kPiece));
}

bool WriteAll(int fd, std::string_view text, int milliseconds) {
  while (!text.empty()) {
    pollfd one{fd, POLLOUT, 0};
    const int ready = poll(&one, 1, milliseconds);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0 || (one.revents & (POLLERR | POLLNVAL))) return false;
    const ssize_t written = WriteSome(fd, text);
    if (written < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void ServeLines(Protocol& protocol, Workers& workers, const LineOptions& options) {
  workers.Reserve();
  std::make_shared<LineConnection>(protocol, workers, options)->Serve();
}

}  // namespace plexus::tools::server
