// Who hears of what changes: the subscriptions of all conversations of a process.
//
// The era of the handshake subscribes to one resource a time, that of stateless requests opens a
// stream with a filter (subscriptions/listen), whose messages carry its id. Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tools/server/mcp/backend.h"

namespace plexus::tools::server {

enum class Listed : std::uint8_t { kTools, kPrompts, kResources };

class Subscriptions {
 public:
  using Send = std::function<void(std::string)>;

  struct Entry {
    std::uint64_t owner = 0;  // the conversation
    std::string id = {};      // JSON of the request's id; "" in the era of the handshake
    std::set<Listed> lists = {};
    std::set<std::string> uris = {};
    Caller caller = {};
    Send send = {};
  };
  static constexpr std::size_t kMostOfOwner = 16, kMostUris = 64, kMost = 1024;

  // False: there are too many. An entry of the same owner and id takes the new URIs in addition.
  bool Add(Entry entry);
  // Whether Add may take another stream of the owner.
  bool HasRoom(std::uint64_t owner) const;
  // Whether there was one.
  bool Remove(std::uint64_t owner, std::string_view id);
  void RemoveUri(std::uint64_t owner, std::string_view uri);
  void RemoveOwner(std::uint64_t owner);

  void ListChanged(Listed list);
  // To who subscribes to the resources whose state `changed` says has changed for that caller.
  // `forget` is called behind the last: it may drop what is known of resources that were not asked
  // for. Who is added meanwhile is asked about again.
  void UpdatedWhere(const std::function<bool(const std::string& uri, const Entry& entry)>& changed,
                    const std::function<void()>& forget = {});
  bool AnyUris() const;
  // Called with what is added, before it is; set once, before the first.
  void OnAdd(std::function<void(const Entry&)> call) { on_add_ = std::move(call); }
  // Ends all streams with their results.
  void CloseAll(std::string_view server_info);

 private:
  std::function<void(const Entry&)> on_add_;
  static std::string Notification(const Entry& entry, std::string_view method,
                                  std::string_view params);
  static std::string UpdateOf(const Entry& entry, const std::string& uri);
  // How often UpdatedWhere began and ended: what is added meanwhile may have missed a change.
  std::uint64_t begun_ = 0, ended_ = 0;
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
};

}  // namespace plexus::tools::server
