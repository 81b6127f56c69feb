// Choices of tools are few: each has a protocol of its own.
#include "tools/server/server.h"

#include <utility>

namespace plexus::tools::server {

Result<std::unique_ptr<Server>> Server::Open(const ServiceOptions& options) {
  PLEXUS_ASSIGN(std::unique_ptr<Service> service, Service::Open(options));
  auto server = std::make_unique<Server>();
  server->service_ = std::move(service);
  return server;
}

Result<Protocol*> Server::With(const std::vector<std::string>& sets) {
  const std::lock_guard lock(mutex_);
  if (const auto known = doors_.find(sets); known != doors_.end())
    return known->second.protocol.get();
  PLEXUS_ASSIGN(ChosenTools tools, ChooseTools(sets));
  McpDoor door;
  door.backend = std::make_unique<OperationBackend>(*service_, std::move(tools));
  door.protocol = std::make_unique<Protocol>(*door.backend);
  door.watcher = std::make_unique<ResourceWatcher>(*service_, *door.protocol);
  return doors_.emplace(sets, std::move(door)).first->second.protocol.get();
}

Workers& Server::workers() {
  std::call_once(made_workers_, [&] { workers_ = std::make_unique<Workers>(kWorkers); });
  return *workers_;
}

Status Server::Close() {
  const auto end_streams = [&] {
    const std::lock_guard lock(mutex_);
    for (auto& [sets, door] : doors_)
      door.protocol->subscriptions().CloseAll(door.backend->ServerInfo());
  };
  end_streams();
  // What is queued may open a stream, which its watcher hears of.
  if (workers_) workers_->Stop();
  end_streams();
  for (auto& [sets, door] : doors_) door.watcher.reset();
  return service_->Close();
}

}  // namespace plexus::tools::server
