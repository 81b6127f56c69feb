// Choices of tools are few: each has a protocol of its own.
#include "tools/server/server.h"

#include <set>

namespace plexus::tools::server {

ResourceWatcher::ResourceWatcher(Service& service, Protocol& protocol)
    : service_(service), protocol_(protocol) {
  protocol_.subscriptions().OnAdd([this](const Subscriptions::Entry& entry) {
    for (const std::string& uri : entry.uris) {
      const std::size_t state = StateOf(uri, entry.caller);
      const std::lock_guard lock(mutex_);
      known_.try_emplace({uri, entry.caller.wall}, state);
    }
  });
  // What changes from here on is seen, however late the thread begins.
  thread_ = std::thread([this, seen = service_.sequence()] { Watch(seen); });
}

ResourceWatcher::~ResourceWatcher() {
  stop_ = true;
  service_.WakeWaiting();
  thread_.join();
}

std::size_t ResourceWatcher::StateOf(const std::string& uri, const Caller& caller) {
  static const json::object none;
  Call call{.params = none, .caller = caller};
  return protocol_.backend().ResourceState(uri, call);
}

void ResourceWatcher::Watch(Sequence seen) {
  while (!stop_) {
    const Sequence now = service_.AwaitChange(seen, 1000, [&] { return stop_.load(); });
    if (now == seen) continue;
    seen = now;
    std::set<Asked> alive, changed;
    protocol_.subscriptions().UpdatedWhere(
        [&](const std::string& uri, const Subscriptions::Entry& entry) {
          const Asked asked{uri, entry.caller.wall};
          if (!alive.insert(asked).second) return changed.contains(asked);
          const std::size_t state = StateOf(uri, entry.caller);
          const std::lock_guard lock(mutex_);
          const auto [at, added] = known_.try_emplace(asked, state);
          const bool other = !added && std::exchange(at->second, state) != state;
          if (other) changed.insert(asked);
          return other;
        },
        [&] {
          const std::lock_guard lock(mutex_);
          std::erase_if(known_, [&](const auto& one) { return !alive.contains(one.first); });
        });
  }
}

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

Status Server::Close() {
  const auto end_streams = [&] {
    const std::lock_guard lock(mutex_);
    for (auto& [sets, door] : doors_)
      door.protocol->subscriptions().CloseAll(door.backend->ServerInfo());
  };
  end_streams();
  // What is queued may open a stream, which its watcher hears of.
  workers_.Stop();
  end_streams();
  for (auto& [sets, door] : doors_) door.watcher.reset();
  return service_->Close();
}

}  // namespace plexus::tools::server
