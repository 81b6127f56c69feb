// The requests of one connection, on Boost.Beast: included by http_beast.cc, by nothing else.
//
// 1.81 ends the process on a chunked body with a long trailer and takes a coding that it does not
// know for no body. OnHeader refuses both, and what else two readers would read in two ways.
#pragma once

#include "tools/server/http/beast_connection.h"
#include "tools/server/server_log.h"

namespace plexus::tools::server {

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
    if (request_.spooled) server_.disk().Post([file = std::move(request_.spooled)] {});
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
    server_.disk().Post([self = Self(), text = std::exchange(parser_->get().body().text, {})] {
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
      Reply({503,
             "application/json",
             {{"Retry-After", "1"}},
             ErrorJson({ErrorCode::kResourceExhausted, kNoMemory})});
    } catch (const std::exception& error) {
      LogError("a request failed", {{"what", error.what()}});
      Reply({500,
             "application/json",
             {},
             ErrorJson({ErrorCode::kInternal, "the server failed at this request"})});
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

}  // namespace plexus::tools::server
