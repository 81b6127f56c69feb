// Boost.Beast's parser over a socket whose reads and writes have a deadline.
#include "tools/server/http/http_client.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <optional>
#include <utility>

namespace plexus::tools::server {
namespace {

namespace wire = boost::beast::http;
using WireError = boost::system::error_code;

constexpr int kConnectMs = 5000;
constexpr std::size_t kPieceBytes = 256 << 10;

// A connected socket as Beast reads and writes it.
class DeadlineSocket {
 public:
  DeadlineSocket(int fd, HttpClient::Stop stop) : fd_(fd), stop_(std::move(stop)) {}
  ~DeadlineSocket() { close(fd_); }
  DeadlineSocket(const DeadlineSocket&) = delete;
  DeadlineSocket& operator=(const DeadlineSocket&) = delete;

  void SetLimit(int milliseconds) { limit_ms_ = milliseconds; }
  // Whether it is ready within the limit. `events`: POLLIN or POLLOUT.
  WireError Await(short events) const {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(limit_ms_);
    for (;;) {
      if (stop_()) return boost::asio::error::operation_aborted;
      pollfd one{fd_, events, 0};
      const int ready = poll(&one, 1, 100);
      if (ready > 0) return {};
      if (ready < 0 && errno != EINTR) return {errno, boost::system::system_category()};
      if (std::chrono::steady_clock::now() > until) return boost::asio::error::timed_out;
    }
  }
  template <class Buffers>
  std::size_t read_some(const Buffers& buffers, WireError& error) {
    const boost::asio::mutable_buffer to = *boost::asio::buffer_sequence_begin(buffers);
    if (to.size() == 0) return 0;
    for (;;) {
      const ssize_t got = recv(fd_, to.data(), to.size(), MSG_DONTWAIT);
      if (got > 0) return error = {}, static_cast<std::size_t>(got);
      if (got == 0) return error = boost::asio::error::eof, 0;
      if (Failed(POLLIN, error)) return 0;
    }
  }
  template <class Buffers>
  std::size_t read_some(const Buffers& buffers) {
    WireError error;
    const std::size_t got = read_some(buffers, error);
    if (error) throw boost::system::system_error(error);
    return got;
  }
  Status SendAll(std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = send(fd_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      WireError error;
      if (sent > 0)
        text.remove_prefix(static_cast<std::size_t>(sent));
      else if (Failed(POLLOUT, error))
        return IoError(error.message());
    }
    return {};
  }

 private:
  // After a call that gave nothing: false, try again.
  bool Failed(short events, WireError& error) const {
    if (errno == EINTR) return false;
    error = errno == EAGAIN || errno == EWOULDBLOCK
                ? Await(events)
                : WireError(errno, boost::system::system_category());
    return error.failed();
  }
  const int fd_;
  const HttpClient::Stop stop_;
  int limit_ms_ = kConnectMs;
};

std::unexpected<Error> Lost(const WireError& error) {
  if (error == boost::asio::error::operation_aborted) return Cancelled("asked to end");
  if (error == boost::asio::error::eof || error == wire::error::end_of_stream ||
      error == wire::error::partial_message)
    return IoError("the connection ended");
  return IoError(error.message());
}

class BeastClient final : public HttpClient {
 public:
  BeastClient(std::unique_ptr<DeadlineSocket> socket, const HttpUrl& url, const std::string& token)
      : socket_(std::move(socket)) {
    head_ = "Host: " + url.host + ":" + url.port + "\r\n";
    if (!token.empty()) head_ += "Authorization: Bearer " + token + "\r\n";
  }

  Result<int> Begin(std::string_view target, std::string_view accept, int milliseconds) override {
    socket_->SetLimit(milliseconds);
    PLEXUS_TRY(socket_->SendAll("GET " + std::string(target) + " HTTP/1.1\r\n" + head_ +
                                "Accept: " + std::string(accept) + "\r\n\r\n"));
    parser_.emplace();
    parser_->header_limit(16 << 10);
    parser_->body_limit(boost::none);
    WireError error;
    wire::read_header(*socket_, buffer_, *parser_, error);
    if (error) return Lost(error);
    return static_cast<int>(parser_->get().result_int());
  }

  Result<std::string> NextPiece() override {
    std::string piece(kPieceBytes, '\0');
    if (parser_->is_done()) return std::string();
    for (;;) {
      auto& body = parser_->get().body();
      body.data = piece.data();
      body.size = piece.size();
      WireError error;
      wire::read_some(*socket_, buffer_, *parser_, error);
      if (error && error != wire::error::need_buffer) return Lost(error);
      const std::size_t got = piece.size() - body.size;
      if (got > 0 || parser_->is_done()) {
        piece.resize(got);
        return piece;
      }
    }
  }

 private:
  std::unique_ptr<DeadlineSocket> socket_;
  std::string head_;
  boost::beast::flat_buffer buffer_;
  std::optional<wire::response_parser<wire::buffer_body>> parser_;
};

Result<std::unique_ptr<DeadlineSocket>> ConnectTo(const addrinfo& address,
                                                  const HttpClient::Stop& stop) {
  const int fd = socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return Exhausted("no descriptor is left");
  auto made = std::make_unique<DeadlineSocket>(fd, stop);
  const int on = 1;
  (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(fd, address.ai_addr, address.ai_addrlen) != 0) {
    if (errno != EINPROGRESS) return Lost(WireError(errno, boost::system::system_category()));
    if (const WireError error = made->Await(POLLOUT)) return Lost(error);
    int failed = 0;
    socklen_t size = sizeof failed;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &size) != 0) failed = errno;
    if (failed != 0) return Lost(WireError(failed, boost::system::system_category()));
  }
  return made;
}

}  // namespace

Result<HttpUrl> ParseUrl(std::string_view text) {
  const auto refuse = [&] {
    return Invalid("'" + std::string(text) +
                   "' is no address of a source; say http://HOST:PORT, or "
                   "http://HOST:PORT/graphs/NAME; TLS needs a proxy");
  };
  std::string_view rest = text;
  if (!rest.starts_with("http://")) return refuse();
  rest.remove_prefix(7);
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  HttpUrl url;
  url.path = rest.substr(slash);
  while (url.path.ends_with('/')) url.path.pop_back();
  std::string_view host = rest.substr(0, slash);
  const std::size_t bracket = host.rfind(']');
  const std::size_t colon = host.rfind(':');
  url.port = "80";
  if (colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket)) {
    url.port = host.substr(colon + 1);
    host = host.substr(0, colon);
  }
  url.host = host;
  const auto plain = [](const std::string& of) {
    return std::ranges::all_of(of, [](unsigned char c) { return c > ' ' && c < 0x7f && c != '@'; });
  };
  const bool digits =
      std::ranges::all_of(url.port, [](unsigned char c) { return std::isdigit(c) != 0; });
  if (url.host.empty() || url.port.empty() || !digits || !plain(url.host) || !plain(url.path) ||
      url.path.find_first_of("?#") != std::string::npos)
    return refuse();
  return url;
}

Result<std::unique_ptr<HttpClient>> HttpClient::Connect(const HttpUrl& url,
                                                        const std::string& token, Stop stop) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  std::string host = url.host;
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  const int failed = getaddrinfo(host.c_str(), url.port.c_str(), &hints, &found);
  if (failed != 0) return IoError(url.host, ": ", gai_strerror(failed));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> list(found, freeaddrinfo);
  Error last{ErrorCode::kIo, url.host + ": has no address"};
  for (const addrinfo* address = found; address; address = address->ai_next) {
    auto socket = ConnectTo(*address, stop);
    if (socket) return std::make_unique<BeastClient>(*std::move(socket), url, token);
    last = socket.error();
    if (last.code == ErrorCode::kCancelled) break;
  }
  return std::unexpected(last);
}

Result<HttpClient::Answer> HttpClient::Get(std::string_view target, std::string_view accept,
                                           int milliseconds, std::uint64_t most) {
  Answer answer;
  PLEXUS_ASSIGN(answer.status, Begin(target, accept, milliseconds));
  for (;;) {
    PLEXUS_ASSIGN(const std::string piece, NextPiece());
    if (piece.empty()) return answer;
    answer.body += piece;
    if (answer.body.size() > most) return Exhausted("an answer of the source is too long");
  }
}

}  // namespace plexus::tools::server
