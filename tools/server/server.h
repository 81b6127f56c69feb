// A server of one directory: the service, the protocol for each choice of tools, and the doors.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/error.h"
#include "tools/server/mcp/protocol.h"
#include "tools/server/operation_backend.h"
#include "tools/server/resource_watcher.h"
#include "tools/server/service.h"
#include "tools/server/workers.h"

namespace plexus::tools::server {

// What a client of MCP is given.
struct McpDoor {
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Protocol> protocol;
  std::unique_ptr<ResourceWatcher> watcher;
};

class Server {
 public:
  static constexpr int kWorkers = 8;

  // Errors: Service's.
  static Result<std::unique_ptr<Server>> Open(const ServiceOptions& options);
  // Ends streams, waits for requests, closes the directory.
  Status Close();

  // The protocol with these sets of tools; made once. kInvalidArgument: no such set.
  Result<Protocol*> With(const std::vector<std::string>& sets);
  Service& service() { return *service_; }
  Workers& workers();

 private:
  std::unique_ptr<Service> service_;
  std::once_flag made_workers_;
  std::unique_ptr<Workers> workers_;  // many graphs share those of their door
  std::mutex mutex_;
  std::map<std::vector<std::string>, McpDoor> doors_;
};

}  // namespace plexus::tools::server
