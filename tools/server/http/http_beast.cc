// Boost.Beast behind http_server.h: the one source that compiles it. What a connection throws ends
// that connection: the loop goes round again.
//
// 1.81 ends the process on a chunked body with a long trailer and takes a coding that it does not
// know for no body. OnHeader refuses both, and what else two readers would read in two ways.
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <thread>

#include "tools/server/http/beast_connection.h"
#include "tools/server/server_log.h"

namespace plexus::tools::server {
namespace {

// Requests one behind the other. A body that goes to a file is written by the host's own threads,
// a piece at a time: a slow disk holds up this connection and no other.
class Session final : public Connection {
 public:
  // `peer`: the other end's address.
  Session(Socket socket, std::string peer, HttpHost& server)
      : Connection(std::move(socket), server), peer_(std::move(peer)) {}
  ~Session() override { DropBody(); }

  // `before`: what was read of the socket already.
  void Start(std::string_view before = {}) {
    Enlist();
    buffer_.commit(asio::buffer_copy(buffer_.prepare(before.size()), asio::buffer(before)));
    ReadHeader(server_.options.header_seconds);
  }

 private:
  std::shared_ptr<Session> Self() { return std::static_pointer_cast<Session>(shared_from_this()); }

  void ReadHeader(int wait_seconds) {
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(server_.options.max_header));
    // What goes to memory has a smaller limit, of which OnHeader sees to.
    parser_->body_limit(server_.options.spools ? server_.options.max_spooled
                                               : server_.options.max_body);
    stream_.expires_after(seconds(wait_seconds));
    http::async_read_header(
        stream_, buffer_, *parser_,
        [self = Self()](error_code error, std::size_t) { self->OnHeader(error); });
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
      parser_->get().body().reserves = false;
    } else if (length.value_or(0) > server_.options.max_body) {
      return Refuse(413, "the body is too long");
    } else if (length && !TakeBody(*length)) {
      return Refuse(503, "too many bodies are under way");
    }
    stream_.expires_after(seconds(server_.options.body_seconds));
    if (beast::iequals(header[http::field::expect], "100-continue")) {
      static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
      return asio::async_write(stream_, asio::buffer(kContinue),
                               [self = Self()](error_code failed, std::size_t) {
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
    request_.peer = peer_;
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
  void DropBody() override {
    server_.body_bytes -= std::exchange(body_bytes_, 0);
    if (!spool_) return;
    // Freeing a large file takes time, too.
    if (request_.spooled) server_.disk.Post([file = std::move(request_.spooled)] {});
    const std::lock_guard lock(server_.mutex);
    server_.spools.erase(*std::exchange(spool_, std::nullopt));
  }

  // Each piece has its own deadline.
  void ReadPieces() {
    if (parser_->is_done() || parser_->get().body().text.size() >= kPieceOfSpool)
      return KeepPieces();
    if (unrenewed_ >= kLeastOfSpoolTime) unrenewed_ = 0;
    if (unrenewed_ == 0) stream_.expires_after(seconds(server_.options.spool_seconds));
    http::async_read_some(stream_, buffer_, *parser_,
                          [self = Self()](error_code error, std::size_t bytes) {
                            if (error) return self->OnBody(error);
                            self->unrenewed_ += bytes;
                            self->ReadPieces();
                          });
  }

  // Writes what has been read, off this thread; reading waits for it.
  void KeepPieces() {
    stream_.expires_never();
    unrenewed_ = 0;
    server_.disk.Post([self = Self(), text = std::exchange(parser_->get().body().text, {})] {
      if (!self->request_.spooled) self->request_.spooled = self->server_.options.make_spooled();
      const bool kept = self->request_.spooled && self->request_.spooled->Write(text);
      asio::post(self->stream_.get_executor(), [self, kept] {
        if (self->closed_) return;
        if (!kept) return self->OnBody(asio::error::no_buffer_space);
        self->parser_->is_done() ? self->OnBody({}) : self->ReadPieces();
      });
    });
  }

  void ReadBody() {
    if (spool_) return ReadPieces();
    http::async_read(stream_, buffer_, *parser_,
                     [self = Self()](error_code error, std::size_t) { self->OnBody(error); });
  }

  void OnBody(error_code error) {
    if (error == http::error::body_limit) return Refuse(413, "the body is too long");
    if (error == beast::error::timeout) return Refuse(408, "the body did not arrive in time");
    if (error == asio::error::no_buffer_space) return Refuse(507, "there is no room for the body");
    if (error) return Close();
    request_.body = std::move(parser_->get().body().text);
    if (server_.workers.waiting() >= server_.options.max_waiting)
      return Refuse(503, "too many requests are waiting");
    BeginHandling();
    server_.workers.Post([self = Self()] { self->Handle(); });
  }

  void Handle() {
    try {
      server_.handler(shared_from_this());
    } catch (const std::bad_alloc&) {
      LogError("no memory for a request");
      Reply(ErrorReply(503, {ErrorCode::kResourceExhausted, kNoMemory}));
    } catch (const std::exception& error) {
      LogError("a request failed", {{"what", error.what()}});
      Reply(ErrorReply(500, {ErrorCode::kInternal, "the server failed at this request"}));
    }
  }

  void Again() override {
    if (!ForgetRequest()) return Close();
    request_.body = {};
    DropBody();
    ReadHeader(server_.options.idle_seconds);
  }

  static constexpr std::size_t kLeastOfSpoolTime = 64 << 10, kPieceOfSpool = 256 << 10;
  const std::string peer_;
  beast::flat_buffer buffer_{64 << 10};
  std::optional<http::request_parser<BytesBody>> parser_;
  std::optional<std::multiset<std::string>::iterator> spool_;
  std::size_t body_bytes_ = 0;
  std::size_t unrenewed_ = 0;  // bytes of a spooled body since its time began
};

class BeastServer final : public HttpServer {
 public:
  BeastServer(const HttpOptions& options, Workers& workers, Handler handler, Early early)
      : host_{options, workers, std::move(handler), std::move(early)}, acceptor_(io_) {}
  ~BeastServer() override { BeastServer::Stop(0); }

  Status Listen();
  std::uint16_t port() const override { return port_; }
  void Take(int fd, std::string before) override;
  std::size_t connections() const override { return host_.open.load(); }
  void Stop(int milliseconds) override;

 private:
  Status Bind();
  void Accept();
  void CloseAll();
  void Serve(Socket socket, std::string peer, std::string_view before);
  void Refuse(Socket socket);

  HttpHost host_;
  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_{io_.get_executor()};
  Tcp::acceptor acceptor_;
  std::uint16_t port_ = 0;
  std::thread thread_;
  std::once_flag stopped_;
};

Status BeastServer::Listen() {
  if (host_.options.listens) PLEXUS_TRY(Bind());
  thread_ = std::thread([this] {
    for (;;) {
      try {
        io_.run();
        break;
      } catch (const std::exception& thrown) {
        LogError("a connection failed", {{"what", thrown.what()}});
      }
    }
  });
  return {};
}

Status BeastServer::Bind() {
  error_code error;
  const auto address = asio::ip::make_address(host_.options.address, error);
  if (error) return Invalid("no address to listen on: ", host_.options.address);
  const Tcp::endpoint endpoint(address, host_.options.port);
  const auto fail = [&](const char* what) {
    return IoError(what, " ", host_.options.address, ":", host_.options.port, ": ",
                   error.message());
  };
  acceptor_.open(endpoint.protocol(), error);
  if (error) return fail("cannot open");
  acceptor_.set_option(asio::socket_base::reuse_address(true), error);
  acceptor_.bind(endpoint, error);
  if (error) return fail("cannot bind");
  acceptor_.listen(1024, error);
  if (error) return fail("cannot listen on");
  port_ = acceptor_.local_endpoint().port();
  Accept();
  return {};
}

void BeastServer::Accept() {
  acceptor_.async_accept([this](error_code error, Tcp::socket socket) {
    if (error == asio::error::operation_aborted || host_.stopping) return;
    if (error) {  // such as no file descriptors: others end first
      auto timer = std::make_shared<asio::steady_timer>(io_, std::chrono::milliseconds(50));
      timer->async_wait([this, timer](error_code) { Accept(); });
      return;
    }
    error_code ignored;
    socket.set_option(Tcp::no_delay(true), ignored);
    const auto peer = socket.remote_endpoint(ignored);
    Serve(std::move(socket), ignored ? std::string() : peer.address().to_string(), {});
    Accept();
  });
}

void BeastServer::Take(int fd, std::string before) {
  Socket socket(io_);
  error_code error;
  socket.assign(asio::generic::stream_protocol(AF_UNIX, SOCK_STREAM), fd, error);
  if (error) {
    ::close(fd);
    return;
  }
  asio::post(io_, [this, socket = std::move(socket), before = std::move(before)]() mutable {
    Serve(std::move(socket), {}, before);
  });
}

void BeastServer::Serve(Socket socket, std::string peer, std::string_view before) {
  if (host_.stopping) return;
  if (host_.open >= host_.options.max_connections) return Refuse(std::move(socket));
  std::make_shared<Session>(std::move(socket), std::move(peer), host_)->Start(before);
}

void BeastServer::Refuse(Socket socket) {
  static constexpr std::string_view kBusy =
      "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n"
      "Connection: close\r\n\r\n";
  error_code ignored;
  socket.non_blocking(true, ignored);
  socket.send(asio::buffer(kBusy), 0, ignored);
  socket.shutdown(Socket::shutdown_send, ignored);
}

void BeastServer::CloseAll() {
  std::vector<std::shared_ptr<Connection>> connections;
  {
    const std::lock_guard lock(host_.mutex);
    for (const auto& [at, connection] : host_.connections)
      if (auto here = connection.lock()) connections.push_back(std::move(here));
  }
  for (const auto& connection : connections) connection->Close();
}

void BeastServer::Stop(int milliseconds) {
  std::call_once(stopped_, [&] {
    if (!thread_.joinable()) return;
    host_.stopping = true;
    asio::post(io_, [this] {
      error_code ignored;
      acceptor_.close(ignored);
    });
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
    while (host_.under_way > 0 && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds > 0 ? 20 : 0));
    // What a connection keeps for its end is dropped, and whoever waits for its client wakes.
    asio::post(io_, [this] {
      io_.stop();
      CloseAll();
    });
    thread_.join();
    host_.disk.Stop();
  });
}

}  // namespace

bool SameName(std::string_view a, std::string_view b) {
  return beast::iequals({a.data(), a.size()}, {b.data(), b.size()});
}

std::string_view HttpRequest::Header(std::string_view name) const {
  for (const auto& [known, value] : headers)
    if (SameName(known, name)) return value;
  return {};
}

bool HttpRequest::Has(std::string_view name) const {
  for (const auto& [known, value] : headers)
    if (SameName(known, name)) return true;
  return false;
}

HttpReply JsonReply(int status, std::string body, HttpHeaders headers) {
  return {status, "application/json", std::move(headers), std::move(body)};
}

HttpReply ErrorReply(int status, const Error& error, HttpHeaders headers) {
  if (status == 401) headers.emplace_back("WWW-Authenticate", "Bearer");
  if (status == 503) headers.emplace_back("Retry-After", "1");
  return JsonReply(status, ErrorJson(error), std::move(headers));
}

HttpReply EventStream() { return {200, "text/event-stream", {{"X-Accel-Buffering", "no"}}, {}}; }

Result<std::unique_ptr<HttpServer>> HttpServer::Start(const HttpOptions& options, Workers& workers,
                                                      Handler handler, Early early) {
  auto server =
      std::make_unique<BeastServer>(options, workers, std::move(handler), std::move(early));
  PLEXUS_TRY(server->Listen());
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace plexus::tools::server
