// A server of one directory: the service, the protocol for each choice of tools, and the doors.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/error.h"
#include "tools/cli/command_line.h"
#include "tools/server/mcp/protocol.h"
#include "tools/server/operation_backend.h"
#include "tools/server/service.h"
#include "tools/server/workers.h"

namespace plexus::tools::server {

// Says which subscribed resources have changed: reads them again after each change of the graph,
// and compares what they hold, which is kept as a number. One thread.
class ResourceWatcher {
 public:
  // Both must outlive it.
  ResourceWatcher(Service& service, Protocol& protocol);
  ~ResourceWatcher();

 private:
  using Asked = std::pair<std::string, std::vector<std::string>>;  // URI, wall
  std::size_t StateOf(const std::string& uri, const Caller& caller);
  void Watch(Sequence seen);

  Service& service_;
  Protocol& protocol_;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  std::map<Asked, std::size_t> known_;
  std::thread thread_;
};

// What a client of MCP is given.
struct McpDoor {
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Protocol> protocol;
  std::unique_ptr<ResourceWatcher> watcher;
};

class Server {
 public:
  static constexpr std::size_t kWorkers = 8;

  // Errors: Service's.
  static Result<std::unique_ptr<Server>> Open(const ServiceOptions& options);
  // Ends streams, waits for requests, closes the directory.
  Status Close();

  // The protocol with these sets of tools; made once. kInvalidArgument: no such set.
  Result<Protocol*> With(const std::vector<std::string>& sets);
  Service& service() { return *service_; }
  Workers& workers() { return workers_; }

 private:
  std::unique_ptr<Service> service_;
  Workers workers_{kWorkers};  // many graphs share those of their door
  std::mutex mutex_;
  std::map<std::vector<std::string>, McpDoor> doors_;
};

// `plexus serve`, `explore` and `follow`: the words of the command line, and the life of the
// process (serve_command.cc). The exit code. Returns when the server ends.
int RunServe(const CommandLine& line);

}  // namespace plexus::tools::server
