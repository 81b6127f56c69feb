// Methods are dispatched by name; what is left is the forms of the two eras.
#include "tools/server/mcp/protocol.h"

#include <algorithm>
#include <charconv>
#include <exception>
#include <utility>

namespace plexus::tools::server {
namespace {

constexpr std::string_view kMeta = "io.modelcontextprotocol/";
constexpr std::size_t kPage = 100;
const json::object kNoMembers;

std::string MetaName(std::string_view name) { return std::string(kMeta) + std::string(name); }

std::string Response(std::string_view id, std::string_view members) {
  std::string text;
  text.reserve(id.size() + members.size() + 64);  // large ones are copied once
  text.append(R"({"jsonrpc":"2.0","id":)").append(id).append(R"(,"result":{)");
  return text.append(members).append("}}");
}

std::string Notification(std::string_view method, std::string_view params) {
  std::string text = R"({"jsonrpc":"2.0","method":)" + QuotedJson(method) + R"(,"params":{)";
  text += params;
  return text + "}}";
}

// Lists, and what a resource holds, may be kept by a client for a while.
std::string CacheMembers(std::string_view method) {
  if (method == "resources/read") return R"("ttlMs":0,"cacheScope":"private")";
  return R"("ttlMs":300000,"cacheScope":"private")";
}

bool IsCached(std::string_view method) {
  return method == "server/discover" || method == "resources/read" || method.ends_with("/list");
}

}  // namespace

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

struct Protocol::Asked {
  const Message& message;
  Conversation& conversation;
  const json::object& params;
  Era era;
  Call call;
  bool streams = false;
};

const json::object* Message::params() const { return ObjectMember(whole, "params"); }

RpcAnswer Protocol::ErrorAnswer(std::string_view id, const RpcError& error, int status) {
  ObjectText body;
  body.Raw("code", std::to_string(error.code)).Text("message", error.message);
  if (!error.data.empty()) body.Raw("data", error.data);
  ObjectText answer;
  answer.Text("jsonrpc", "2.0").Raw("id", id.empty() ? "null" : id).Raw("error", body.object());
  return {answer.object(), status, false};
}

std::expected<Message, RpcAnswer> Protocol::Read(std::string_view text) {
  const auto refuse = [](int code, std::string why, std::string_view id = {}) {
    return std::unexpected(ErrorAnswer(id, {code, std::move(why), {}}, 400));
  };
  Result<json::value> value = ParseJson(text);
  if (!value) return refuse(kParseError, value.error().message);
  if (value->is_array())
    return refuse(kInvalidRequest, "a message is one object: batches are not taken");
  if (!value->is_object()) return refuse(kInvalidRequest, "a message is an object");
  Message message;
  message.whole = std::move(value->get_object());
  if (const json::value* id = Member(message.whole, "id")) {
    // A client that writes 1.0 is a client whose ids are not kept.
    if (!id->is_string() && !id->is_int64() && !id->is_uint64())
      return refuse(kInvalidRequest, "id is a text or a whole number");
    message.id = JsonOf(*id);
    if (message.id.size() > 256) return refuse(kInvalidRequest, "id is longer than 256 bytes");
  }
  if (TextMember(message.whole, "jsonrpc") != "2.0")
    return refuse(kInvalidRequest, "jsonrpc is not \"2.0\"", message.id);
  message.method = TextMember(message.whole, "method");
  if (message.method.empty()) {
    if (Member(message.whole, "result") || Member(message.whole, "error")) return message;
    return refuse(kInvalidRequest, "method is missing", message.id);
  }
  const json::value* params = Member(message.whole, "params");
  if (params && !params->is_object())
    return refuse(kInvalidParams, "params is no object", message.id);
  return message;
}

bool Protocol::TakesTurn(const Message& message) const {
  if (message.method == "initialize") return true;
  if (message.method != "tools/call" || !message.params()) return false;
  return !backend_.OnlyReads(TextMember(*message.params(), "name"));
}

std::optional<RpcError> Protocol::CheckStateless(const Asked& asked) const {
  const json::object* meta = ObjectMember(asked.params, "_meta");
  const std::string_view revision = meta ? TextMember(*meta, MetaName("protocolVersion")) : "";
  if (revision.empty())
    return RpcError{kInvalidParams, "_meta." + MetaName("protocolVersion") + " is missing", {}};
  if (revision != kStatelessRevision) {
    ObjectText data;
    data.Raw("supported", ArrayText(std::vector{QuotedJson(kStatelessRevision)}))
        .Text("requested", revision);
    return RpcError{kUnsupportedVersion, "Unsupported protocol version", data.object()};
  }
  if (!ObjectMember(*meta, MetaName("clientCapabilities")))
    return RpcError{kInvalidParams, "_meta." + MetaName("clientCapabilities") + " is missing", {}};
  return std::nullopt;
}

RpcAnswer Protocol::Answer(const Message& message, Conversation& conversation,
                           std::string_view revision, const Conversation::Send* notify) {
  const json::object* given = message.params();
  const json::object& params = given ? *given : kNoMembers;
  if (!message.is_request()) {  // a response is to nothing that we asked
    if (message.method == "notifications/cancelled")
      if (const json::value* id = Member(params, "requestId")) {
        const std::string text = JsonOf(*id);
        conversation.Cancel(text);
        subscriptions_.Remove(conversation.number, text);
      }
    return {"", 202, false};
  }
  const json::object* meta = ObjectMember(params, "_meta");
  const bool said = meta && Member(*meta, MetaName("protocolVersion"));
  const bool stateless =
      said || revision == kStatelessRevision || message.method == "server/discover";
  Asked asked{message,
              conversation,
              params,
              stateless ? Era::kStateless : Era::kHandshake,
              {.params = params}};
  Call& call = asked.call;
  call.era = asked.era;
  call.caller = conversation.caller;
  const std::shared_ptr<std::atomic<bool>> cancel = conversation.Begin(message.id);
  if (!cancel)
    return ErrorAnswer(message.id, {kInvalidRequest, "this id is under way already", {}}, 400);
  if (stateless) {
    if (const auto wrong = CheckStateless(asked)) {
      conversation.End(message.id);
      return ErrorAnswer(message.id, *wrong, 400);
    }
    call.capabilities = ObjectMember(*meta, MetaName("clientCapabilities"));
  }
  call.cancel = call.caller.cancel = cancel.get();
  const Conversation::Send& send = notify ? *notify : conversation.send;
  call.notify = [&](std::string_view method, std::string_view members) {
    if (!cancel->load()) send(Notification(method, members));
  };
  const json::value* token = meta ? Member(*meta, "progressToken") : nullptr;
  const std::string token_text =
      token && (token->is_string() || token->is_int64() || token->is_uint64()) ? JsonOf(*token)
                                                                               : "";
  std::mutex progress_mutex;
  double last = -1;
  call.progress = [&](double done, double total, std::string_view what) {
    const std::lock_guard lock(progress_mutex);
    if (token_text.empty() || done <= last) return;
    last = done;
    ObjectText members;
    members.Raw("progressToken", token_text).Raw("progress", JsonOf(json::value(done)));
    if (total > 0) members.Raw("total", JsonOf(json::value(total)));
    if (!what.empty()) members.Text("message", what);
    call.notify("notifications/progress", members.members());
  };

  Outcome outcome = "";
  if (!cancel->load()) try {
      outcome = Dispatch(asked);
    } catch (const std::exception& failure) {
      outcome = std::unexpected(FailureOf(failure));
    }
  if (asked.streams && outcome) {
    conversation.End(message.id);
    return {"", 200, true};
  }
  if (conversation.End(message.id)) return {"", 200, false};  // cancelled: nothing is sent
  if (!outcome) {
    const int code = outcome.error().code;
    const bool missing = code == kMethodNotFound && stateless;
    const bool bad = code == kMissingCapability;
    return ErrorAnswer(message.id, outcome.error(), missing ? 404 : bad ? 400 : 200);
  }
  if (!stateless) return {Response(message.id, *outcome), 200, false};
  ObjectText result;
  const bool complete = !outcome->starts_with("\"resultType\"");
  if (complete) result.Text("resultType", "complete");
  result.Members(*outcome);
  if (complete && IsCached(message.method)) result.Members(CacheMembers(message.method));
  result.Raw("_meta", ObjectText().Raw(MetaName("serverInfo"), backend_.ServerInfo()).object());
  return {Response(message.id, result.members()), 200, false};
}

Outcome Protocol::Dispatch(Asked& asked) {
  const std::string& method = asked.message.method;
  const bool stateless = asked.era == Era::kStateless;
  if (method == "tools/call") return CallNamed(asked, true);
  if (method == "tools/list") return ListPage(asked, "tools", backend_.Tools(asked.era));
  if (method == "resources/list") return ListPage(asked, "resources", backend_.Resources());
  if (method == "resources/templates/list")
    return ListPage(asked, "resourceTemplates", backend_.ResourceTemplates());
  if (method == "prompts/list") return ListPage(asked, "prompts", backend_.Prompts());
  if (method == "resources/read") {
    const std::string_view uri = TextMember(asked.params, "uri");
    if (uri.empty()) return Refused(kInvalidParams, "uri is missing");
    return backend_.ReadResource(uri, asked.call);
  }
  if (method == "prompts/get") return CallNamed(asked, false);
  if (method == "completion/complete") return Complete(asked);
  if (stateless) {
    if (method == "server/discover") return Discover(asked);
    if (method == "subscriptions/listen") return Listen(asked);
  } else {
    if (method == "initialize") return Initialize(asked);
    if (method == "ping" || method == "logging/setLevel") return "";
    if (method == "resources/subscribe") return Subscribe(asked, true);
    if (method == "resources/unsubscribe") return Subscribe(asked, false);
  }
  if (std::optional<Outcome> other = backend_.Other(method, asked.call)) return *std::move(other);
  return Refused(kMethodNotFound, "no method " + QuotedJson(method));
}

Outcome Protocol::Initialize(Asked& asked) {
  const std::string_view wanted = TextMember(asked.params, "protocolVersion");
  const bool known =
      std::ranges::find(kHandshakeRevisions, wanted) != std::end(kHandshakeRevisions);
  return ObjectText()
      .Text("protocolVersion", known ? wanted : kHandshakeRevisions[0])
      .Raw("capabilities", "{" +
                               (asked.conversation.send ? backend_.Capabilities(Era::kHandshake)
                                                        : backend_.CapabilitiesWithoutStream()) +
                               "}")
      .Raw("serverInfo", backend_.ServerInfo())
      .Text("instructions", backend_.Instructions())
      .members();
}

Outcome Protocol::Discover(Asked&) {
  return ObjectText()
      .Raw("supportedVersions", ArrayText(std::vector{QuotedJson(kStatelessRevision)}))
      .Raw("capabilities", "{" + backend_.Capabilities(Era::kStateless) + "}")
      .Text("instructions", backend_.Instructions())
      .members();
}

// A cursor is the place in the list, which never changes its order.
Outcome Protocol::ListPage(Asked& asked, std::string_view name,
                           const std::vector<std::string>& all) {
  std::size_t from = 0;
  if (const json::value* cursor = Member(asked.params, "cursor")) {
    const json::string* text = cursor->if_string();
    const char* end = text ? text->data() + text->size() : nullptr;
    const auto read = text && text->size() > 1 && (*text)[0] == 'p'
                          ? std::from_chars(text->data() + 1, end, from)
                          : std::from_chars_result{nullptr, std::errc::invalid_argument};
    if (read.ec != std::errc() || read.ptr != end || from >= all.size())
      return Refused(kInvalidParams, "cursor is not one of this list's");
  }
  const std::size_t to = std::min(all.size(), from + kPage);
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(from);
  ObjectText page;
  page.Raw(name, ArrayText(std::vector(begin, all.begin() + static_cast<std::ptrdiff_t>(to))));
  if (to < all.size()) page.Text("nextCursor", "p" + std::to_string(to));
  return page.members();
}

// A tool, or else a prompt.
Outcome Protocol::CallNamed(Asked& asked, bool tool) {
  const std::string_view name = TextMember(asked.params, "name");
  const json::value* given = Member(asked.params, "arguments");
  if (name.empty()) return Refused(kInvalidParams, "name is missing");
  if (tool && !backend_.HasTool(name))
    return Refused(kInvalidParams, "no tool " + QuotedJson(name));
  if (given && !given->is_object()) return Refused(kInvalidParams, "arguments is no object");
  const json::object& arguments = given ? given->get_object() : kNoMembers;
  return tool ? backend_.CallTool(name, arguments, asked.call)
              : backend_.GetPrompt(name, arguments, asked.call);
}

Outcome Protocol::Complete(Asked& asked) {
  const json::object* reference = ObjectMember(asked.params, "ref");
  const json::object* argument = ObjectMember(asked.params, "argument");
  if (!reference || !argument || TextMember(*argument, "name").empty())
    return Refused(kInvalidParams, "ref and argument are objects, argument with a name");
  Outcome found = backend_.Complete(*reference, *argument, asked.call);
  if (!found) return found;
  return R"("completion":{)" + *found + "}";
}

Outcome Protocol::Subscribe(Asked& asked, bool subscribe) {
  const std::string_view uri = TextMember(asked.params, "uri");
  if (uri.empty()) return Refused(kInvalidParams, "uri is missing");
  if (!subscribe) {
    subscriptions_.RemoveUri(asked.conversation.number, uri);
    return "";
  }
  if (!backend_.MaySubscribe(uri)) return NoResource(uri);
  if (!asked.conversation.send) return "";  // HTTP without a stream: the client reads it again
  if (!subscriptions_.Add({.owner = asked.conversation.number,
                           .uris = {std::string(uri)},
                           .caller = asked.conversation.caller,
                           .send = asked.conversation.send}))
    return Refused(kInternalError, "too many subscriptions");
  return "";
}

Outcome Protocol::Listen(Asked& asked) {
  const json::object* filter = ObjectMember(asked.params, "notifications");
  if (!filter) return Refused(kInvalidParams, "notifications is missing");
  if (!asked.conversation.send) return Refused(kInvalidRequest, "there is no stream to send to");
  Subscriptions::Entry entry{.owner = asked.conversation.number,
                             .id = asked.message.id,
                             .caller = asked.conversation.caller,
                             .send = asked.conversation.send};
  ObjectText agreed;
  for (const auto& [name, list] : {std::pair("toolsListChanged", Listed::kTools),
                                   std::pair("promptsListChanged", Listed::kPrompts),
                                   std::pair("resourcesListChanged", Listed::kResources)}) {
    if (!TrueMember(*filter, name)) continue;
    entry.lists.insert(list);
    agreed.Bool(name, true);
  }
  if (const json::value* uris = Member(*filter, "resourceSubscriptions")) {
    if (!uris->is_array()) return Refused(kInvalidParams, "resourceSubscriptions is no list");
    std::vector<std::string> taken;
    for (const json::value& uri : uris->get_array()) {
      if (!uri.is_string()) return Refused(kInvalidParams, "a URI is a text");
      const std::string text(View(uri.get_string()));
      if (entry.uris.contains(text) || !backend_.MaySubscribe(text)) continue;
      if (entry.uris.size() == Subscriptions::kMostUris)
        return Refused(kInvalidParams, "resourceSubscriptions has more than " +
                                           std::to_string(Subscriptions::kMostUris) + " URIs");
      entry.uris.insert(text);
      taken.push_back(QuotedJson(text));
    }
    agreed.Raw("resourceSubscriptions", ArrayText(taken));
  }
  const auto acknowledged = Notification(
      "notifications/subscriptions/acknowledged",
      ObjectText()
          .Raw("_meta", ObjectText().Raw(MetaName("subscriptionId"), entry.id).object())
          .Raw("notifications", agreed.object())
          .members());
  if (!subscriptions_.HasRoom(entry.owner))
    return Refused(kInternalError, "too many subscriptions");
  // Nothing may come before the acknowledgment, so it is sent first.
  asked.conversation.send(acknowledged);
  if (!subscriptions_.Add(std::move(entry)))
    return Refused(kInternalError, "too many subscriptions");
  // A cancellation before Add has found no stream to end.
  if (asked.call.cancel->load()) {
    subscriptions_.Remove(asked.conversation.number, asked.message.id);
    return "";
  }
  asked.streams = true;
  return "";
}

}  // namespace plexus::tools::server
