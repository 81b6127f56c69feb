// Says which subscribed resources have changed: reads them again after each change of the graph,
// and compares what they hold. One thread.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tools/server/mcp/protocol.h"
#include "tools/server/service.h"

namespace plexus::tools::server {

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

}  // namespace plexus::tools::server
