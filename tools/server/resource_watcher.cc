// What a resource held is kept as a number.
#include "tools/server/resource_watcher.h"

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

}  // namespace plexus::tools::server
