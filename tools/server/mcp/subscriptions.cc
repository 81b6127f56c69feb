// Few entries: they are searched one by one. What is sent is sent without the lock.
#include "tools/server/mcp/subscriptions.h"

#include <algorithm>
#include <utility>

namespace plexus::tools::server {

bool Subscriptions::Add(Entry entry) {
  std::uint64_t ended;
  {
    const std::lock_guard lock(mutex_);
    ended = ended_;
  }
  if (on_add_) on_add_(entry);
  const Entry added = entry;
  bool missed = false;
  {
    const std::lock_guard lock(mutex_);
    missed = begun_ != ended;
    std::size_t of_owner = 0;
    Entry* known = nullptr;
    for (Entry& one : entries_) {
      of_owner += one.owner == entry.owner;
      if (one.owner == entry.owner && one.id == entry.id) known = &one;
    }
    if (entry.uris.size() + (known ? known->uris.size() : 0) > kMostUris) return false;
    if (!known && (of_owner >= kMostOfOwner || entries_.size() >= kMost)) return false;
    if (known)
      known->uris.merge(entry.uris);
    else
      entries_.push_back(std::move(entry));
  }
  if (!missed) return true;
  // Who looked for changes meanwhile did not see it: it may have changed since its state was noted.
  if (on_add_) on_add_(added);
  for (const std::string& uri : added.uris) added.send(UpdateOf(added, uri));
  return true;
}

bool Subscriptions::HasRoom(std::uint64_t owner) const {
  const std::lock_guard lock(mutex_);
  const auto of_owner =
      std::ranges::count_if(entries_, [&](const Entry& one) { return one.owner == owner; });
  return static_cast<std::size_t>(of_owner) < kMostOfOwner && entries_.size() < kMost;
}

bool Subscriptions::Remove(std::uint64_t owner, std::string_view id) {
  const std::lock_guard lock(mutex_);
  return std::erase_if(entries_, [&](const Entry& entry) {
           return entry.owner == owner && entry.id == id;
         }) > 0;
}

void Subscriptions::RemoveUri(std::uint64_t owner, std::string_view uri) {
  const std::lock_guard lock(mutex_);
  for (Entry& entry : entries_)
    if (entry.owner == owner && entry.id.empty()) entry.uris.erase(std::string(uri));
}

void Subscriptions::RemoveOwner(std::uint64_t owner) {
  const std::lock_guard lock(mutex_);
  std::erase_if(entries_, [&](const Entry& entry) { return entry.owner == owner; });
}

std::string Subscriptions::Notification(const Entry& entry, std::string_view method,
                                        std::string_view params) {
  ObjectText members;
  if (!entry.id.empty())
    members.Raw("_meta",
                ObjectText().Raw("io.modelcontextprotocol/subscriptionId", entry.id).object());
  members.Members(params);
  ObjectText message;
  message.Text("jsonrpc", "2.0").Text("method", method);
  if (!members.members().empty()) message.Raw("params", members.object());
  return message.object();
}

void Subscriptions::ListChanged(Listed list) {
  const std::string_view method = list == Listed::kTools ? "notifications/tools/list_changed"
                                  : list == Listed::kPrompts
                                      ? "notifications/prompts/list_changed"
                                      : "notifications/resources/list_changed";
  std::vector<Entry> told;
  {
    const std::lock_guard lock(mutex_);
    for (const Entry& entry : entries_)
      if (entry.id.empty() || entry.lists.contains(list)) told.push_back(entry);
  }
  for (const Entry& entry : told) entry.send(Notification(entry, method, ""));
}

void Subscriptions::UpdatedWhere(
    const std::function<bool(const std::string& uri, const Entry& entry)>& changed,
    const std::function<void()>& forget) {
  std::vector<Entry> entries;
  {
    const std::lock_guard lock(mutex_);
    entries = entries_;
    ++begun_;
  }
  for (const Entry& entry : entries)
    for (const std::string& uri : entry.uris)
      if (changed(uri, entry)) entry.send(UpdateOf(entry, uri));
  if (forget) forget();
  const std::lock_guard lock(mutex_);
  ++ended_;
}

std::string Subscriptions::UpdateOf(const Entry& entry, const std::string& uri) {
  return Notification(entry, "notifications/resources/updated",
                      ObjectText().Text("uri", uri).members());
}

bool Subscriptions::AnyUris() const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(entries_, [](const Entry& entry) { return !entry.uris.empty(); });
}

void Subscriptions::CloseAll(std::string_view server_info) {
  std::vector<Entry> closed;
  {
    const std::lock_guard lock(mutex_);
    closed.swap(entries_);
  }
  for (const Entry& entry : closed) {
    if (entry.id.empty()) continue;
    ObjectText meta;
    meta.Raw("io.modelcontextprotocol/subscriptionId", entry.id)
        .Raw("io.modelcontextprotocol/serverInfo", server_info);
    entry.send(
        ObjectText()
            .Text("jsonrpc", "2.0")
            .Raw("id", entry.id)
            .Raw("result",
                 ObjectText().Text("resultType", "complete").Raw("_meta", meta.object()).object())
            .object());
  }
}

}  // namespace plexus::tools::server
