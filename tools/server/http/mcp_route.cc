// MCP over HTTP: a message a POST. The answer is one JSON object, or a stream of events where
// something comes before it.
#include <mutex>

#include "tools/server/http/routes.h"
#include "tools/server/json_text.h"

namespace plexus::tools::server {
namespace {

std::string Event(std::string_view data) { return "data: " + std::string(data) + "\n\n"; }

std::string Base64Text(std::string_view text) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string plain;
  unsigned value = 0;
  int bits = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) break;
    value = (value << 6 | static_cast<unsigned>(digit)) & 0xFFFFFF;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      plain += static_cast<char>(value >> bits);
    }
  }
  return plain;
}

// =?base64?...?= is a text that a header cannot hold.
std::string HeaderText(std::string_view value) {
  constexpr std::string_view kBegin = "=?base64?", kEnd = "?=";
  if (!value.starts_with(kBegin) || !value.ends_with(kEnd)) return std::string(value);
  value.remove_prefix(kBegin.size());
  value.remove_suffix(kEnd.size());
  return Base64Text(value);
}

}  // namespace

std::string HeaderMismatch(const HttpRequest& request, const Message& message) {
  const json::object* params = message.params();
  const json::object* meta = params ? ObjectMember(*params, "_meta") : nullptr;
  const std::string_view said =
      meta ? TextMember(*meta, "io.modelcontextprotocol/protocolVersion") : std::string_view();
  const std::string_view revision = request.Header("MCP-Protocol-Version");
  if (said.empty()) return {};  // the protocol says what is missing
  if (revision.empty()) return "the header MCP-Protocol-Version is missing";
  if (revision != said) return "MCP-Protocol-Version and _meta name different revisions";
  if (request.Header("Mcp-Method").empty()) return "the header Mcp-Method is missing";
  if (request.Header("Mcp-Method") != message.method) return "Mcp-Method and method differ";
  const char* source = message.method == "tools/call" || message.method == "prompts/get" ? "name"
                       : message.method == "resources/read"                              ? "uri"
                                                                                         : nullptr;
  if (!source) return {};
  if (!request.Has("Mcp-Name")) return "the header Mcp-Name is missing";
  if (HeaderText(request.Header("Mcp-Name")) != TextMember(*params, source))
    return std::string("Mcp-Name and params.") + source + " differ";
  return {};
}

void Routes::Mcp(const std::shared_ptr<HttpExchange>& exchange, const Caller& caller) {
  const HttpRequest& request = exchange->request();
  counts_.Add(&HttpCounts::mcp);
  const auto reply = [&](RpcAnswer answer) {
    if (answer.status == 202 || answer.text.empty())
      exchange->Reply(
          {answer.text.empty() && answer.status == 200 ? 202 : answer.status, "", {}, {}});
    else
      exchange->Reply(JsonReply(answer.status, std::move(answer.text)));
  };
  if (request.method != "POST")
    return exchange->Reply(ErrorReply(405, {ErrorCode::kUnsupported, "MCP is spoken by POST alone"},
                                      {{"Allow", "POST"}}));
  if (!IsJson(request))
    return exchange->Reply(
        ErrorReply(415, {ErrorCode::kInvalidArgument, "Content-Type is not application/json"}));
  auto message = Protocol::Read(request.body);
  if (!message) return reply(message.error());
  if (message->is_request()) {
    if (const std::string wrong = HeaderMismatch(request, *message); !wrong.empty())
      return reply(Protocol::ErrorAnswer(message->id, {kHeaderMismatch, wrong, {}}, 400));
    const std::string_view revision = request.Header("MCP-Protocol-Version");
    bool known = revision.empty() || revision == kStatelessRevision;
    for (const std::string_view handshake : kHandshakeRevisions) known |= revision == handshake;
    const json::object* params = message->params();
    const bool said =
        params && ObjectMember(*params, "_meta") &&
        Member(*ObjectMember(*params, "_meta"), "io.modelcontextprotocol/protocolVersion");
    if (!known && !said)
      return reply(Protocol::ErrorAnswer(
          message->id, {kInvalidRequest, "MCP-Protocol-Version is not one of this server's", {}},
          400));
  }
  // The stream begins with the first thing that is sent before the answer.
  struct Stream {
    std::mutex mutex;
    bool begun = false;
  };
  const auto stream = std::make_shared<Stream>();
  const std::weak_ptr<HttpExchange> weak = exchange;
  const Conversation::Send send = [stream, weak](std::string text) {
    const auto here = weak.lock();
    if (!here) return;
    const std::lock_guard lock(stream->mutex);
    if (!stream->begun) here->Begin(EventStream());
    stream->begun = true;
    (void)here->Send(Event(text));
  };
  const bool listens = message->method == "subscriptions/listen";
  const auto conversation =
      std::make_shared<Conversation>(caller, listens ? send : Conversation::Send());
  // It holds the exchange, too, as long as a stream is open: whoever ends the stream drops it.
  exchange->OnGone([this, conversation, exchange] {
    conversation->CancelAll();
    protocol_.subscriptions().RemoveOwner(conversation->number);
  });
  RpcAnswer answer =
      protocol_.Answer(*message, *conversation, request.Header("MCP-Protocol-Version"), &send);
  if (answer.streams) {
    if (exchange->gone()) protocol_.subscriptions().RemoveOwner(conversation->number);
    {
      const std::lock_guard lock(mutex_);
      std::erase_if(listening_, [](const auto& one) { return one.expired(); });
      listening_.push_back(exchange);
    }
    if (stopping_) EndListening();
    return;
  }
  const std::lock_guard lock(stream->mutex);
  if (!stream->begun) return reply(std::move(answer));
  if (!answer.text.empty()) (void)exchange->Send(Event(answer.text));
  exchange->End();
}

}  // namespace plexus::tools::server
