// conformance_server DIR: the fixtures on a port of this machine, which it prints; ends with its
// input.
#include <unistd.h>

#include <cstdio>

#include "tests/tools/server/conformance_backend.h"
#include "tools/server/http/http_server.h"
#include "tools/server/http/routes.h"
#include "tools/server/workers.h"

int main(int argc, char** argv) {
  using namespace plexus::tools::server;
  if (argc != 2) return 2;
  ServiceOptions options;
  options.directory = argv[1];
  auto service = Service::Open(options);
  if (!service) return 1;
  ConformanceBackend backend;
  Protocol protocol(backend);
  backend.subscriptions = &protocol.subscriptions();
  Routes routes(**service, protocol, {});
  Workers workers(8);
  auto http = HttpServer::Start(
      {}, workers, [&](std::shared_ptr<HttpExchange> exchange) { routes.Handle(exchange); });
  if (!http) return 1;
  std::printf("%d\n", (*http)->port());
  std::fflush(stdout);
  char byte;
  while (read(STDIN_FILENO, &byte, 1) > 0) {
  }
  routes.BeginStop();
  (*http)->Stop(1000);
  workers.Stop();
  return 0;
}
