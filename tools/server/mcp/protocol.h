// MCP on JSON-RPC 2.0, of both eras, without a transport.
//
// A request that carries its revision in _meta is served without state (2026-07-28); others follow
// the handshake (up to 2025-11-25). Which era it is is decided for each request. A transport hands
// in one message at a time with the conversation that it belongs to, and sends what comes back.
//
// Thread-safety: Answer may run for several messages of one conversation at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/server/mcp/backend.h"
#include "tools/server/mcp/subscriptions.h"

namespace plexus::tools::server {

inline constexpr std::string_view kStatelessRevision = "2026-07-28";
inline constexpr std::string_view kHandshakeRevisions[] = {"2025-11-25", "2025-06-18", "2025-03-26",
                                                           "2024-11-05"};

// A message that was read.
struct Message {
  json::object whole = {};
  std::string id = {};      // JSON; "" of a notification
  std::string method = {};  // "" of a response
  const json::object* params() const;
  bool is_request() const { return !id.empty() && !method.empty(); }
};

// What a message is answered with. `status` is HTTP's.
struct RpcAnswer {
  std::string text = {};  // "" : nothing is to be sent
  int status = 200;
  bool streams = false;  // more follows through Conversation::send until the stream is closed
};

// One client's: a process on stdio, a connection of a socket, one request of HTTP.
class Conversation {
 public:
  using Send = std::function<void(std::string)>;

  Conversation(Caller caller, Send send);
  const std::uint64_t number;
  const Caller caller;
  const Send send;  // one message; may be called from any thread

  // Notes a request that waits for its turn, so that it can be cancelled. False: an id that is
  // under way already.
  bool Await(const std::string& id);
  // The flag that ends the request, until it is answered; null: an id that is under way already.
  std::shared_ptr<std::atomic<bool>> Begin(const std::string& id);
  // Whether it was cancelled.
  bool End(const std::string& id);
  // False where there is no such request.
  bool Cancel(const std::string& id);
  void CancelAll();
  std::size_t under_way() const;

 private:
  mutable std::mutex mutex_;
  struct UnderWay {
    std::shared_ptr<std::atomic<bool>> cancel;
    bool waits = false;
  };
  std::map<std::string, UnderWay> under_way_;
};

class Protocol {
 public:
  explicit Protocol(Backend& backend) : backend_(backend) {}

  // One message out of its text. The error is the answer that says what is wrong with it.
  static std::expected<Message, RpcAnswer> Read(std::string_view text);
  // `revision` is what a transport says of it (a header of HTTP); "" is nothing.
  RpcAnswer Answer(const Message& message, Conversation& conversation,
                   std::string_view revision = {}, const Conversation::Send* notify = nullptr);
  // Whether requests behind it wait until it is answered.
  bool TakesTurn(const Message& message) const;

  Subscriptions& subscriptions() { return subscriptions_; }
  Backend& backend() { return backend_; }
  static RpcAnswer ErrorAnswer(std::string_view id, const RpcError& error, int status = 200);

 private:
  struct Asked;
  Outcome Dispatch(Asked& asked);
  Outcome Initialize(Asked& asked);
  Outcome Discover(Asked& asked);
  Outcome ListPage(Asked& asked, std::string_view name, const std::vector<std::string>& all);
  Outcome CallNamed(Asked& asked, bool tool);
  Outcome Listen(Asked& asked);
  Outcome Subscribe(Asked& asked, bool subscribe);
  Outcome Complete(Asked& asked);
  std::optional<RpcError> CheckStateless(const Asked& asked) const;

  Backend& backend_;
  Subscriptions subscriptions_;
};

}  // namespace plexus::tools::server
