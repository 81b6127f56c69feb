// Bytes to the port: the server lives on, and what it answers is HTTP.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "tests/fuzz/server_fuzz.h"
#include "tools/server/http/http_server.h"
#include "tools/server/http/routes.h"

namespace {

using namespace plexus::tools::server;

struct FuzzedPort {
  FuzzedPort() {
    HttpOptions options;
    options.header_seconds = options.body_seconds = options.idle_seconds = 1;
    rules.open = fuzzed.reader;
    routes = std::make_unique<Routes>(fuzzed.server().service(), *fuzzed.protocol, rules);
    auto started =
        HttpServer::Start(options, fuzzed.server().workers(),
                          [this](std::shared_ptr<HttpExchange> one) { routes->Handle(one); });
    if (!started) std::abort();
    http = *std::move(started);
  }
  ~FuzzedPort() {
    routes->BeginStop();
    http->Stop(1000);
    fuzzed.server().workers().Stop();
  }
  FuzzedServer fuzzed;
  AccessRules rules;
  std::unique_ptr<Routes> routes;
  std::unique_ptr<HttpServer> http;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static FuzzedPort port;
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port.http->port());
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) std::abort();
  (void)!send(fd, data, size, MSG_NOSIGNAL);
  shutdown(fd, SHUT_WR);
  std::string answer;
  char piece[4096];
  for (ssize_t got; (got = recv(fd, piece, sizeof piece, 0)) > 0;)
    answer.append(piece, static_cast<std::size_t>(got));
  close(fd);
  if (!answer.empty() && !answer.starts_with("HTTP/1.")) std::abort();
  return 0;
}
