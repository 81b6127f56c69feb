// One connection of the HTTP server, on Boost.Beast: included by http_beast.cc, by nothing else.
//
// 1.81 ends the process on a chunked body with a long trailer and takes a coding that it does not
// know for no body. OnHeader refuses both, and what else two readers would read in two ways.
#pragma once

#include <poll.h>

#include "tools/server/http/http_host.h"
#include "tools/server/server_log.h"
#include "tools/server/service.h"

namespace plexus::tools::server {

// One connection: requests one behind the other. All of it runs on the thread of the loop but for
// the members of HttpExchange.
class Session : public HttpExchange, public std::enable_shared_from_this<Session> {
 public:
  Session(Tcp::socket socket, HttpHost& server)
      : stream_(std::move(socket)),
        server_(server),
        timer_(stream_.get_executor()),
        watch_timer_(stream_.get_executor()) {
    ++server_.open;
  }
  ~Session() override {
    DropBody();
    const std::lock_guard lock(server_.mutex);
    server_.sessions.erase(this);
    --server_.open;
  }

  void Start() {
    {
      const std::lock_guard lock(server_.mutex);
      server_.sessions.emplace(this, weak_from_this());
    }
    ReadHeader(server_.options.header_seconds);
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
    stream_.socket().shutdown(Tcp::socket::shutdown_both, ignored);
    stream_.socket().close(ignored);
  }

 private:
  void ReadHeader(int wait_seconds) {
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(server_.options.max_header));
    // What goes to memory has a smaller limit, of which OnHeader sees to.
    parser_->body_limit(server_.options.spools ? server_.options.max_spooled
                                               : server_.options.max_body);
    stream_.expires_after(seconds(wait_seconds));
    http::async_read_header(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](error_code error, std::size_t) { self->OnHeader(error); });
  }

  void OnHeader(error_code error) {
    if (error == http::error::end_of_stream || error == beast::error::timeout || server_.stopping)
      return Close();
    if (error == http::error::header_limit) return Refuse(431, "the header is too long");
    if (error == http::error::body_limit) return Refuse(413, "the body is too long");
    if (error) {
      if (error.category() != http::make_error_code(http::error::bad_method).category())
        return Close();
      return Refuse(400, "no HTTP request: " + error.message());
    }
    const auto& header = parser_->get();
    if (const auto wrong = WrongHeader(header)) return Refuse(wrong->first, wrong->second);
    TakeHeader(header);
    const auto length = parser_->content_length();
    if (std::optional<HttpReply> reply = server_.early ? server_.early(request_) : std::nullopt) {
      linger_ = length.value_or(0) > 0;  // the body is not read
      return Write(*std::move(reply), keep_alive_ && !linger_);
    }
    const auto spools_for = length && server_.options.spools ? server_.options.spools(request_)
                                                             : std::optional<std::string>();
    if (spools_for) {
      if (!TakeSpool(*spools_for)) return Refuse(503, "too many imports are under way");
      request_.spooled = parser_->get().body().file = SpooledBody::Make();
      if (!request_.spooled) return Refuse(507, "there is no room for the body");
    } else if (length.value_or(0) > server_.options.max_body) {
      return Refuse(413, "the body is too long");
    } else if (length && !TakeBody(*length)) {
      return Refuse(503, "too many bodies are under way");
    }
    stream_.expires_after(seconds(server_.options.body_seconds));
    if (beast::iequals(header[http::field::expect], "100-continue")) {
      static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
      return asio::async_write(stream_, asio::buffer(kContinue),
                               [self = shared_from_this()](error_code failed, std::size_t) {
                                 if (failed) return self->Close();
                                 self->ReadBody();
                               });
    }
    ReadBody();
  }

  template <class Header>
  void TakeHeader(const Header& header) {
    keep_alive_ = parser_->keep_alive();
    is_head_ = header.method() == http::verb::head;
    version_ = header.version();
    request_ = {};
    request_.method = std::string(header.method_string());
    request_.target = std::string(header.target());
    error_code ignored;
    if (const auto peer = stream_.socket().remote_endpoint(ignored); !ignored)
      request_.peer = peer.address().to_string();
    for (const auto& field : header)
      request_.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
  }

  // Bodies of all connections have one budget; false: it is used up.
  bool TakeBody(std::size_t bytes) {
    if (server_.body_bytes + bytes > server_.options.max_bodies) return false;
    server_.body_bytes += bytes;
    body_bytes_ = bytes;
    return true;
  }
  // False: all of them, or all that one may have, are taken.
  bool TakeSpool(const std::string& owner) {
    const std::lock_guard lock(server_.mutex);
    if (server_.spools.size() >= server_.options.max_spools ||
        server_.spools.count(owner) >= server_.options.max_spools_of_one)
      return false;
    spool_ = server_.spools.insert(owner);
    return true;
  }
  void DropBody() {
    server_.body_bytes -= std::exchange(body_bytes_, 0);
    request_.spooled.reset();
    if (!spool_) return;
    const std::lock_guard lock(server_.mutex);
    server_.spools.erase(*std::exchange(spool_, std::nullopt));
  }

  // Each piece has its own deadline.
  void ReadPieces() {
    if (parser_->is_done()) return OnBody({});
    if (unrenewed_ >= kLeastOfSpoolTime) unrenewed_ = 0;
    if (unrenewed_ == 0) stream_.expires_after(seconds(server_.options.spool_seconds));
    http::async_read_some(stream_, buffer_, *parser_,
                          [self = shared_from_this()](error_code error, std::size_t bytes) {
                            if (error) return self->OnBody(error);
                            self->unrenewed_ += bytes;
                            self->ReadPieces();
                          });
  }

  void ReadBody() {
    if (spool_) return ReadPieces();
    http::async_read(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](error_code error, std::size_t) { self->OnBody(error); });
  }

  void OnBody(error_code error) {
    if (error == http::error::body_limit) return Refuse(413, "the body is too long");
    if (error == beast::error::timeout) return Refuse(408, "the body did not arrive in time");
    if (error == asio::error::no_buffer_space) return Refuse(507, "there is no room for the body");
    if (error) return Close();
    request_.body = std::move(parser_->get().body().text);
    parser_->get().body().file.reset();
    if (server_.workers.waiting() >= server_.options.max_waiting)
      return Refuse(503, "too many requests are waiting");
    stream_.expires_never();
    WatchClient();
    ++server_.under_way;
    handling_ = true;
    server_.workers.Post([self = shared_from_this()] { self->Handle(); });
  }

  void Handle() {
    try {
      server_.handler(shared_from_this());
    } catch (const std::exception& error) {
      LogError("a request failed", {{"what", error.what()}});
      Reply({500,
             "application/json",
             {},
             ErrorJson({ErrorCode::kInternal, "the server failed at this request"})});
    }
  }

  // While a request is under way, an end of input is a client that went away. Behind bytes that
  // wait to be read an end is no event: it is looked for now and then.
  void WatchClient() {
    watching_ = true;
    stream_.socket().async_wait(Tcp::socket::wait_read,
                                [self = shared_from_this()](error_code error) {
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

  // Says why, and reads on for a moment, so that the client sees the answer and no reset.
  void Refuse(int status, const std::string& why) {
    HttpReply reply{status, "application/json", {}, ErrorJson({ErrorCode::kInvalidArgument, why})};
    if (status == 503) {
      reply.body = ErrorJson({ErrorCode::kResourceExhausted, why});
      reply.headers.emplace_back("Retry-After", "1");
    }
    linger_ = true;
    Write(std::move(reply), false);
  }

  void Write(HttpReply reply, bool keep_alive) {
    if (streaming_) return Close();  // the head was sent: an end without the last chunk
    if (std::exchange(answered_, true)) return;
    StopWatching();
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

  void Again() {
    std::function<void()> dropped;  // outside of the lock, as Close takes it
    {
      const std::lock_guard lock(mutex_);
      dropped.swap(on_gone_);
    }
    if (gone_) return Close();
    request_.body = {};
    DropBody();
    is_head_ = answered_ = false;
    ReadHeader(server_.options.idle_seconds);
  }

  void Linger() {
    error_code ignored;
    stream_.socket().shutdown(Tcp::socket::shutdown_send, ignored);
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

  beast::tcp_stream stream_;
  HttpHost& server_;
  asio::steady_timer timer_, watch_timer_;
  beast::flat_buffer buffer_{64 << 10};
  std::optional<http::request_parser<BytesBody>> parser_;
  std::optional<std::multiset<std::string>::iterator> spool_;
  HttpRequest request_;
  std::size_t body_bytes_ = 0;
  static constexpr std::size_t kLeastOfSpoolTime = 64 << 10;
  std::size_t unrenewed_ = 0;  // bytes of a spooled body since its time began
  unsigned version_ = 11;
  bool keep_alive_ = false, is_head_ = false, linger_ = false, answered_ = false;
  bool watching_ = false, handling_ = false, streaming_ = false;
  bool writing_ = false, closed_ = false, silent_ = true, event_stream_ = false;
  PieceQueue pieces_;
  std::vector<char> away_;
  std::mutex mutex_;
  std::condition_variable drained_;
  std::size_t queued_ = 0;
  std::atomic<bool> gone_ = false;
  std::function<void()> on_gone_;
};

}  // namespace plexus::tools::server
