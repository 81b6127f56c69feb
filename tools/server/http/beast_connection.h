// One connection of the HTTP server and what it sends: whole replies and streams of pieces; and
// what the connections of one server share. Included by http_beast.cc, by nothing else.
#pragma once

#include <poll.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>

#include "tools/server/http/http_server.h"
#include "tools/server/service.h"

namespace plexus::tools::server {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using Tcp = asio::ip::tcp;
// Of a port, or of a file.
using Stream = beast::basic_stream<asio::generic::stream_protocol>;
using Socket = Stream::socket_type;
using boost::system::error_code;
using std::chrono::seconds;

class Connection;

struct HttpHost {
  const HttpOptions options;
  Workers& workers;
  const HttpServer::Handler handler;
  const HttpServer::Early early;
  std::atomic<std::size_t> open = 0, streams = 0, under_way = 0, body_bytes = 0;
  std::atomic<bool> stopping = false;
  std::mutex mutex = {};
  std::multiset<std::string> spools = {};  // whose bodies go to files now; behind the mutex
  std::map<const Connection*, std::weak_ptr<Connection>> connections = {};
  Workers disk{options.max_spools};  // that write bodies to files
};

// The bytes of a body that were read and not taken yet.
struct BytesBody {
  struct value_type {
    std::string text = {};
    bool reserves = true;  // room for all of it at once
  };
  class reader {
   public:
    template <bool kRequest, class Fields>
    reader(http::header<kRequest, Fields>&, value_type& value) : value_(value) {}
    void init(const boost::optional<std::uint64_t>& length, error_code& error) {
      error = {};
      if (length && value_.reserves) value_.text.reserve(static_cast<std::size_t>(*length));
    }
    template <class Buffers>
    std::size_t put(const Buffers& buffers, error_code& error) {
      error = {};
      const std::size_t before = value_.text.size();
      for (const asio::const_buffer buffer : beast::buffers_range_ref(buffers))
        value_.text.append(static_cast<const char*>(buffer.data()), buffer.size());
      return value_.text.size() - before;
    }
    void finish(error_code& error) { error = {}; }

   private:
    value_type& value_;
  };
};

// What two readers would read in two ways: a status, and why.
template <class Header>
std::optional<std::pair<int, const char*>> WrongHeader(const Header& header) {
  using Wrong = std::pair<int, const char*>;
  if (header.count(http::field::transfer_encoding) > 0)
    return Wrong(411, "send Content-Length, not Transfer-Encoding");
  if (header.count(http::field::content_length) > 1)
    return Wrong(400, "there is more than one Content-Length");
  if (header.count(http::field::host) != 1) return Wrong(400, "there is not exactly one Host");
  if (header.version() != 11 && header.version() != 10)
    return Wrong(505, "HTTP/1.1 is spoken here");
  return std::nullopt;
}

// The pieces of a stream, in order, as they go over the wire.
class PieceQueue {
 public:
  struct Piece {
    std::string text;
    std::size_t counted = 0;  // bytes that Send has counted
  };
  void Begin(std::string head, bool chunked) {
    chunked_ = chunked;
    pieces_.push_front({std::move(head)});
  }
  void Push(std::string_view text, bool counted) {
    if (text.empty()) return;  // a chunk without bytes is the last one
    std::string wire(text);
    if (chunked_) {
      char size[24];
      std::snprintf(size, sizeof size, "%zx\r\n", text.size());
      wire = size + wire + "\r\n";
    }
    pieces_.push_back({std::move(wire), counted ? text.size() : 0});
  }
  void End() {
    if (!std::exchange(ended_, true) && chunked_) pieces_.push_back({"0\r\n\r\n"});
  }
  bool ended() const { return ended_; }
  std::optional<Piece> Next() {
    if (pieces_.empty()) return std::nullopt;
    Piece piece = std::move(pieces_.front());
    pieces_.pop_front();
    return piece;
  }

 private:
  std::deque<Piece> pieces_;
  bool chunked_ = false, ended_ = false;
};

// All of it runs on the thread of the loop but for the members of HttpExchange.
class Connection : public HttpExchange, public std::enable_shared_from_this<Connection> {
 public:
  Connection(Socket socket, HttpHost& server)
      : stream_(std::move(socket)),
        server_(server),
        timer_(stream_.get_executor()),
        watch_timer_(stream_.get_executor()) {
    ++server_.open;
  }
  ~Connection() override {
    const std::lock_guard lock(server_.mutex);
    server_.connections.erase(this);
    --server_.open;
  }

  const HttpRequest& request() const override { return request_; }
  const std::atomic<bool>& gone() const override { return gone_; }

  void OnGone(std::function<void()> call) override {
    {
      const std::lock_guard lock(mutex_);
      if (!gone_) {
        on_gone_ = std::move(call);
        return;
      }
    }
    call();
  }

  void Reply(HttpReply reply) override {
    asio::post(stream_.get_executor(),
               [self = shared_from_this(), reply = std::move(reply)]() mutable {
                 self->Write(std::move(reply), self->keep_alive_);
               });
  }

  void Begin(HttpReply head) override {
    asio::post(stream_.get_executor(),
               [self = shared_from_this(), head = std::move(head)] { self->BeginStream(head); });
  }

  bool Send(std::string piece) override {
    constexpr std::size_t kMostQueued = std::size_t{4} << 20;
    {
      std::unique_lock lock(mutex_);
      const bool room = drained_.wait_for(lock, seconds(server_.options.write_seconds),
                                          [&] { return gone_.load() || queued_ < kMostQueued; });
      if (!room || gone_) return false;
      queued_ += piece.size();
    }
    asio::post(stream_.get_executor(),
               [self = shared_from_this(), piece = std::move(piece)] { self->Push(piece); });
    return true;
  }

  void End() override {
    asio::post(stream_.get_executor(), [self = shared_from_this()] {
      self->pieces_.End();
      self->WritePieces();
    });
  }

  void Abort() override {
    asio::post(stream_.get_executor(), [self = shared_from_this()] { self->Close(); });
  }

  // On the thread of the loop.
  void Close() {
    if (closed_) return;
    closed_ = true;
    if (streaming_) --server_.streams;
    StopWatching();
    timer_.cancel();
    Gone();
    error_code ignored;
    stream_.socket().shutdown(Socket::shutdown_both, ignored);
    stream_.socket().close(ignored);
  }

 protected:
  // Reads the next request.
  virtual void Again() = 0;
  // What its body took is for others: the request is answered.
  virtual void DropBody() = 0;

  void Enlist() {
    const std::lock_guard lock(server_.mutex);
    server_.connections.emplace(this, weak_from_this());
  }

  // A handler has the request from here on.
  void BeginHandling() {
    stream_.expires_never();
    ++server_.under_way;
    handling_ = true;
    WatchClient();
  }

  // False: the client went away. What it called when it did is dropped.
  bool ForgetRequest() {
    std::function<void()> dropped;  // outside of the lock, as Close takes it
    {
      const std::lock_guard lock(mutex_);
      dropped.swap(on_gone_);
    }
    if (gone_) return false;
    is_head_ = answered_ = false;
    return true;
  }

  // Says why, and reads on for a moment, so that the client sees the answer and no reset.
  void Refuse(int status, const std::string& why) {
    linger_ = true;
    const bool busy = status == 503;
    Write(ErrorReply(status,
                     {busy ? ErrorCode::kResourceExhausted : ErrorCode::kInvalidArgument, why}),
          false);
  }

  void Write(HttpReply reply, bool keep_alive) {
    if (streaming_) return Close();  // the head was sent: an end without the last chunk
    if (std::exchange(answered_, true)) return;
    StopWatching();
    // Of who is gone, also of a stream that was not begun, the handler may still read it.
    if (!gone_) DropBody();
    auto message = std::make_shared<http::response<http::string_body>>();
    message->version(version_);
    message->result(static_cast<unsigned>(reply.status));
    SetHeaders(*message, reply);
    message->keep_alive(keep_alive && !server_.stopping);
    message->body() = std::move(reply.body);
    message->prepare_payload();
    if (is_head_) message->body().clear();
    stream_.expires_after(seconds(server_.options.write_seconds));
    http::async_write(stream_, *message,
                      [self = shared_from_this(), message](error_code error, std::size_t) {
                        if (error) return self->Close();
                        if (message->keep_alive()) return self->Again();
                        if (self->linger_) return self->Linger();
                        self->Close();
                      });
  }

  template <class Message>
  void SetHeaders(Message& message, const HttpReply& reply) {
    if (!reply.type.empty()) message.set(http::field::content_type, reply.type);
    message.set("X-Content-Type-Options", "nosniff");
    message.set(http::field::cache_control, "no-store");
    for (const auto& [name, value] : reply.headers) message.set(name, value);
  }

  Stream stream_;
  HttpHost& server_;
  HttpRequest request_;
  unsigned version_ = 11;
  bool keep_alive_ = false, is_head_ = false, linger_ = false;
  bool closed_ = false;

 private:
  // While a request is under way, an end of input is a client that went away. Behind bytes that
  // wait to be read an end is no event: it is looked for now and then.
  void WatchClient() {
    watching_ = true;
    stream_.socket().async_wait(Socket::wait_read, [self = shared_from_this()](error_code error) {
      self->watching_ = false;
      if (!error) self->LookForEnd();
    });
  }
  void LookForEnd() {
    if (!handling_ || closed_) return;
    pollfd one{stream_.socket().native_handle(), POLLRDHUP, 0};
    if (poll(&one, 1, 0) > 0) return Gone();
    watch_timer_.expires_after(std::chrono::milliseconds(200));
    watch_timer_.async_wait([weak = weak_from_this()](error_code error) {
      const auto self = weak.lock();
      if (!error && self) self->LookForEnd();
    });
  }

  void StopWatching() {
    if (handling_) --server_.under_way;
    handling_ = false;
    error_code ignored;
    watch_timer_.cancel();
    if (watching_) stream_.socket().cancel(ignored);
  }

  void Gone() {
    std::function<void()> call;
    {
      const std::lock_guard lock(mutex_);
      if (gone_.exchange(true)) return;
      call = std::move(on_gone_);
    }
    drained_.notify_all();
    if (call) call();
    if (streaming_) Close();
  }

  void Linger() {
    error_code ignored;
    stream_.socket().shutdown(Socket::shutdown_send, ignored);
    stream_.expires_after(seconds(1));
    ReadAway(64);
  }
  void ReadAway(int pieces) {
    away_.resize(64 << 10);
    stream_.async_read_some(asio::buffer(away_),
                            [self = shared_from_this(), pieces](error_code error, std::size_t) {
                              if (error || pieces == 0) return self->Close();
                              self->ReadAway(pieces - 1);
                            });
  }

  void BeginStream(const HttpReply& head) {
    if (streaming_ || answered_ || gone_) return;
    const bool full = server_.streams >= server_.options.max_streams;
    if (full || is_head_) {
      Gone();  // nothing that is sent goes anywhere
      if (full) return Refuse(503, "too many streams are open");
      return Write(head, false);
    }
    streaming_ = true;
    ++server_.streams;
    http::response<http::empty_body> message;
    message.version(version_);
    message.result(static_cast<unsigned>(head.status));
    SetHeaders(message, head);
    const bool chunked = version_ == 11;
    event_stream_ = head.type == "text/event-stream";
    message.keep_alive(false);
    if (chunked) message.chunked(true);
    std::ostringstream text;
    text << message.base();
    pieces_.Begin(text.str(), chunked);
    KeepAlive();
    WritePieces();
  }

  void Push(const std::string& piece) {
    pieces_.Push(piece, true);
    silent_ = false;
    WritePieces();
  }

  void WritePieces() {
    if (writing_ || !streaming_ || closed_) return;
    std::optional<PieceQueue::Piece> piece = pieces_.Next();
    if (!piece) {
      if (pieces_.ended()) Close();
      return;
    }
    writing_ = true;
    const auto text = std::make_shared<std::string>(std::move(piece->text));
    stream_.expires_after(seconds(server_.options.write_seconds));
    asio::async_write(
        stream_, asio::buffer(*text),
        [self = shared_from_this(), text, taken = piece->counted](error_code error, std::size_t) {
          self->writing_ = false;
          {
            const std::lock_guard lock(self->mutex_);
            self->queued_ -= taken;
          }
          self->drained_.notify_all();
          if (error) return self->Close();
          self->stream_.expires_never();
          self->WritePieces();
        });
  }

  // A comment now and then, so that what is in between keeps the connection.
  void KeepAlive() {
    timer_.expires_after(seconds(server_.options.keep_alive_seconds));
    timer_.async_wait([weak = weak_from_this()](error_code error) {
      const auto self = weak.lock();
      if (error || !self || self->closed_ || self->pieces_.ended()) return;
      if (self->silent_ && self->event_stream_) {
        self->pieces_.Push(":\n\n", false);
        self->WritePieces();
      }
      self->silent_ = true;
      self->KeepAlive();
    });
  }

  asio::steady_timer timer_, watch_timer_;
  bool answered_ = false, watching_ = false, handling_ = false, streaming_ = false;
  bool writing_ = false, silent_ = true, event_stream_ = false;
  PieceQueue pieces_;
  std::vector<char> away_;
  std::mutex mutex_;
  std::condition_variable drained_;
  std::size_t queued_ = 0;
  std::atomic<bool> gone_ = false;
  std::function<void()> on_gone_;
};

}  // namespace plexus::tools::server
