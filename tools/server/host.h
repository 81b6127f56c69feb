// Who holds a directory: this process, with a socket for others, or another one, whose pipe this
// process is.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/error.h"
#include "tools/server/http/http_server.h"
#include "tools/server/http/routes.h"
#include "tools/server/server.h"
#include "tools/server/socket.h"

namespace plexus::tools::server {

class Host {
 public:
  // `sets` and `caller` are those of standard input.
  Host(ServiceOptions options, std::vector<std::string> sets, Caller caller)
      : options_(std::move(options)), sets_(std::move(sets)), caller_(std::move(caller)) {}
  ~Host();

  // Opens the directory and, where it may write, listens on its socket. kLocked: another process
  // holds it.
  Status Hold();
  bool holds() const { return server_ != nullptr; }
  Server& server() { return *server_; }

  // Standard input until its end: here, or through the process that holds the directory.
  Status ServeStandardLines(int stop);
  // Ends connections, waits for requests, closes the directory.
  Status Close();

 private:
  void ServeConnection(int fd, int stop);
  // HTTP over the socket, with the rights of who holds the directory. The descriptor stays open.
  Status ServeHttp(int fd, std::string before);
  std::string Hello() const;
  // A descriptor of the next holder, which may be this process.
  Result<int> NextHolder(int stop);

  const ServiceOptions options_;
  const std::vector<std::string> sets_;
  const Caller caller_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<SocketServer> socket_;
  std::mutex http_mutex_;             // of what is made at the first request of HTTP
  std::unique_ptr<HttpServer> http_;  // outlives who holds an exchange
  std::unique_ptr<Routes> routes_;
  std::thread own_;  // serves this process when it has taken over
};

}  // namespace plexus::tools::server
