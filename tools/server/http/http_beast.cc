// Boost.Beast behind http_server.h: the one source that compiles it. What a connection throws ends
// that connection: the loop goes round again.
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <thread>

#include "tools/server/http/beast_session.h"

namespace plexus::tools::server {
namespace {

class BeastServer final : public HttpServer {
 public:
  BeastServer(const HttpOptions& options, Workers& workers, Handler handler, Early early)
      : host_{options, workers, std::move(handler), std::move(early)}, acceptor_(io_) {}
  ~BeastServer() override { BeastServer::Stop(0); }

  Status Listen();
  std::uint16_t port() const override { return port_; }
  void Take(int fd, std::string before) override;
  std::size_t connections() const override { return host_.open.load(); }
  std::uint64_t refused() const override { return refused_.load(); }
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
  std::atomic<std::uint64_t> refused_ = 0;
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
  ++refused_;
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
    if (host_.disk_workers) host_.disk_workers->Stop();
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

Result<std::unique_ptr<HttpServer>> HttpServer::Start(const HttpOptions& options, Workers& workers,
                                                      Handler handler, Early early) {
  auto server =
      std::make_unique<BeastServer>(options, workers, std::move(handler), std::move(early));
  PLEXUS_TRY(server->Listen());
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace plexus::tools::server
