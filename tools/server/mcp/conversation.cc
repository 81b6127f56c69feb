// What is under way in a conversation, by the ids of its requests.
#include <atomic>
#include <utility>

#include "tools/server/mcp/protocol.h"

namespace plexus::tools::server {

Conversation::Conversation(Caller who, Send where)
    : number([] {
        static std::atomic<std::uint64_t> last = 0;
        return ++last;
      }()),
      caller(std::move(who)),
      send(std::move(where)) {}

bool Conversation::Await(const std::string& id) {
  const std::lock_guard lock(mutex_);
  return under_way_.try_emplace(id, std::make_shared<std::atomic<bool>>(false), true).second;
}

std::shared_ptr<std::atomic<bool>> Conversation::Begin(const std::string& id) {
  const std::lock_guard lock(mutex_);
  auto [at, added] = under_way_.try_emplace(id, std::make_shared<std::atomic<bool>>(false), false);
  if (!added && !at->second.waits) return nullptr;
  at->second.waits = false;
  return at->second.cancel;
}

bool Conversation::End(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto at = under_way_.find(id);
  if (at == under_way_.end()) return false;
  const bool cancelled = at->second.cancel->load();
  under_way_.erase(at);
  return cancelled;
}

bool Conversation::Cancel(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto at = under_way_.find(id);
  if (at != under_way_.end()) at->second.cancel->store(true);
  return at != under_way_.end();
}

void Conversation::CancelAll() {
  const std::lock_guard lock(mutex_);
  for (auto& [id, one] : under_way_) one.cancel->store(true);
}

std::size_t Conversation::under_way() const {
  const std::lock_guard lock(mutex_);
  return under_way_.size();
}

}  // namespace plexus::tools::server
