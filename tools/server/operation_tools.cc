// Calls of tools: arguments become requests, replies stay the bytes that they are.
#include <algorithm>
#include <chrono>
#include <mutex>

#include "tools/operations/framework/arguments.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/request_json.h"
#include "tools/operations/reply/human_format.h"
#include "tools/server/operation_backend.h"
#include "tools/server/tool_reply.h"
#include "tools/server/tool_sets.h"

namespace plexus::tools::server {
namespace {

// Reports of kernels as progress of a call: ten a second at most, and numbers that only grow.
class CallProgress final : public Progress {
 public:
  explicit CallProgress(Call& call) : call_(call) {}
  bool Report(std::string_view phase, std::uint64_t done, std::uint64_t total) override {
    const bool goes_on = !call_.cancel || !call_.cancel->load();
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (!goes_on || now < next_) return goes_on;
    next_ = now + std::chrono::milliseconds(100);
    if (phase_ != phase) {
      phase_ = phase;
      before_ = last_ + 1;
    }
    last_ = std::max(last_, before_ + static_cast<double>(done));
    std::string what(phase);
    if (total > 0) what += " " + std::to_string(done) + " of " + std::to_string(total);
    if (call_.progress) call_.progress(last_, 0, what);
    return goes_on;
  }

 private:
  Call& call_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point next_ = {};
  std::string phase_;
  double before_ = 0, last_ = 0;
};

// Messages name parameters as the tool does.
Error InToolsWords(Error error, const ToolRow& row, const Branch& branch) {
  for (const ToolParameter& parameter : row.parameters) {
    const std::string own(Taken(branch, parameter.name));
    if (own.empty() || own == parameter.name) continue;
    for (const char* behind : {" ", ":"})
      if (error.message.starts_with(own + behind)) {
        error.message.replace(0, own.size(), parameter.name);
        return error;
      }
  }
  return error;
}

// What the caller did not say.
Status SetFixed(Request& request, std::string_view sets) {
  while (!sets.empty()) {
    const std::string_view one = TakeItem(sets, ';');
    const std::size_t equals = one.find('=');
    if (request.Given(one.substr(0, equals))) continue;
    PLEXUS_TRY(request.SetFromText(one.substr(0, equals), one.substr(equals + 1)));
  }
  return {};
}

// How much a reply says of each node.
Status SetDetail(Request& request, std::string_view detail) {
  const Operation& operation = request.operation();
  if (operation.effect != Effect::kRead) return {};
  if (const Parameter* cut = operation.Find("max_chars")) {
    if (detail == "full") return {};
    const std::uint64_t none = cut->least && *cut->least > 0 ? 1 : 0;
    return request.Set("max_chars", detail == "keys" ? none : std::uint64_t{200});
  }
  if (detail == "keys" || operation.group != "Ask") return {};
  return request.Set("details", std::vector<std::string>{detail == "full" ? "text" : "line"});
}

}  // namespace

Result<std::string> OperationBackend::Ask(Request request, Call& call) {
  CallProgress progress(call);
  Caller caller = call.caller;
  caller.progress = &progress;
  PLEXUS_ASSIGN(Answered answered, service_.Ask(std::move(request), caller));
  return std::move(answered.json);
}

// One more than the page shows whether there is another one.
Result<std::string> OperationBackend::AskPage(Request request, std::string_view list,
                                              std::string_view cursor, std::uint64_t chars,
                                              Call& call) {
  constexpr std::uint64_t kPage = 20;
  std::uint64_t from = 0;
  if (!cursor.empty()) PLEXUS_SET(from, PlaceOfCursor(cursor));
  const std::uint64_t asked = request.Count("top");
  if (asked == 0 && request.Given("top")) return Ask(std::move(request), call);  // all
  const std::uint64_t most = asked > 0 ? asked : kPage;
  Request longer = request;
  std::uint64_t top = from + most + 1;
  if (const auto bound = request.operation().Find("top")->most)
    top = std::min(top, static_cast<std::uint64_t>(*bound));
  PLEXUS_TRY(longer.Set("top", top));
  PLEXUS_TRY(longer.Set("max_bytes", kMostReplyChars));
  PLEXUS_ASSIGN(const std::string reply, Ask(std::move(longer), call));
  bool first_is_long = false;
  PLEXUS_ASSIGN(std::string page, PageOfReply(reply, list, from, most, chars, &first_is_long));
  // One element is longer than all that was asked for: its texts are cut.
  if (from == 0 && first_is_long) return Ask(std::move(request), call);
  return page;
}

Result<std::string> OperationBackend::RunOperation(const Operation& operation,
                                                   const json::object& arguments, Call& call) {
  PLEXUS_ASSIGN(Request request, RequestFromJson(operation, JsonOf(arguments)));
  if (!request.Given("max_bytes")) {
    PLEXUS_TRY(request.Set("max_bytes", kReplyChars));
  } else if (request.Count("max_bytes") == 0 || request.Count("max_bytes") > kMostReplyChars) {
    PLEXUS_TRY(request.Set("max_bytes", kMostReplyChars));
  }
  return Ask(std::move(request), call);
}

Result<std::string> OperationBackend::RunBranch(const ToolRow& row, const Branch& branch,
                                                const json::object& arguments, std::uint64_t chars,
                                                Call& call) {
  const Operation* operation = FindOperation(branch.operation);
  if (!operation) return Fail(ErrorCode::kInternal, "no operation ", branch.operation);
  json::object own;
  for (const auto& [key, value] : arguments) {
    const std::string_view name(key.data(), key.size());
    const std::string_view taken = Taken(branch, name);
    if (taken.empty()) continue;
    const Parameter* parameter = operation->Find(taken);
    const json::array* list = value.if_array();
    const bool one = parameter && parameter->type == Type::kText && list && list->size() == 1;
    const auto said = std::ranges::find(row.parameters, name, &ToolParameter::name);
    json::value given = one ? list->front() : value;
    if (said != row.parameters.end() && said->flag && value.is_bool()) {
      if (value.get_bool()) continue;
      given = 0;
    }
    own[json::string_view(taken.data(), taken.size())] = std::move(given);
  }
  Result<Request> request = RequestFromJson(*operation, JsonOf(own));
  if (!request) return std::unexpected(InToolsWords(std::move(request.error()), row, branch));
  PLEXUS_TRY(SetFixed(*request, branch.sets));
  const std::string_view detail = TextMember(arguments, "detail");
  PLEXUS_TRY(SetDetail(*request, detail.empty() ? "summary" : detail));
  PLEXUS_TRY(request->Set("max_bytes", chars));
  call.caller.keeps_terms = true;
  Result<std::string> reply =
      branch.list.empty()
          ? Ask(*std::move(request), call)
          : AskPage(*std::move(request), branch.list, TextMember(arguments, "cursor"), chars, call);
  if (!reply) return std::unexpected(InToolsWords(std::move(reply.error()), row, branch));
  PLEXUS_ASSIGN(std::string renamed, RenamedReply(*reply, branch.names));
  if (row.says_action) renamed.replace(0, 1, "{\"action\":" + QuotedJson(branch.action) + ",");
  return renamed;
}

Result<std::string> OperationBackend::RunRow(const ToolRow& row, const json::object& arguments,
                                             Call& call) {
  const bool acts = row.runs == Runs::kOne && row.branches.size() > 1;
  std::uint64_t chars = kReplyChars;
  std::vector<std::string> names = {"detail", "max_chars"};
  if (acts) names.push_back("action");
  const auto pages = [](const Branch& branch) { return !branch.list.empty(); };
  if (std::ranges::any_of(row.branches, pages)) names.push_back("cursor");
  for (const ToolParameter& parameter : row.parameters) names.emplace_back(parameter.name);
  for (const auto& [key, value] : arguments) {
    const std::string name(key.data(), key.size());
    if (std::ranges::find(names, name) == names.end())
      return Invalid(row.name, " has no parameter ", Quoted(name), DidYouMean(name, names));
    const bool is_text = name == "detail" || name == "action" || name == "cursor";
    if (is_text && !value.is_string()) return Invalid(name, " is a text");
    if (name != "max_chars") continue;
    if (!value.is_int64() || value.get_int64() < 1)
      return Invalid("max_chars is a whole number >= 1");
    chars = std::min<std::uint64_t>(static_cast<std::uint64_t>(value.get_int64()), kMostReplyChars);
  }
  const std::string_view detail = TextMember(arguments, "detail");
  if (!detail.empty() && detail != "keys" && detail != "summary" && detail != "full")
    return Invalid("detail: ", Quoted(detail), " is not one of keys|summary|full");

  if (row.runs == Runs::kAll) {
    ObjectText replies;
    for (const Branch& branch : row.branches) {
      PLEXUS_ASSIGN(const std::string reply,
                    RunBranch(row, branch, arguments, chars / row.branches.size(), call));
      replies.Raw(branch.action, reply);
    }
    return replies.object();
  }
  if (row.runs == Runs::kThen) {
    PLEXUS_ASSIGN(std::string reply, RunBranch(row, row.branches[0], arguments, chars, call));
    const bool more = std::ranges::any_of(arguments, [&](const auto& argument) {
      return !Taken(row.branches[1], {argument.key().data(), argument.key().size()}).empty();
    });
    if (!more) return reply;
    PLEXUS_ASSIGN(const json::value event, ParseJson(reply));
    Branch label = row.branches[1];
    const std::string fixed = "event=" + std::string(TextMember(event.get_object(), "event_id"));
    json::object second = arguments;
    second["event_id"] = json::string(fixed.substr(6));
    const std::string takes = std::string(label.takes) + ", event_id=event";
    label.takes = takes;
    Result<std::string> labelled = RunBranch(row, label, second, chars, call);
    if (!labelled)
      return Fail(labelled.error().code, "the use is recorded as event " + fixed.substr(6) +
                                             "; its outcome is not: " + labelled.error().message);
    reply.pop_back();
    return reply + ",\"label\":" + *labelled + "}";
  }
  const std::string_view action = acts ? TextMember(arguments, "action") : "";
  const Branch* chosen = &row.branches.front();
  if (!action.empty()) {
    const auto at = std::ranges::find(row.branches, action, &Branch::action);
    std::vector<std::string> actions;
    for (const Branch& branch : row.branches) actions.emplace_back(branch.action);
    if (at == row.branches.end())
      return Invalid("action: ", Quoted(action), " is none of this tool",
                     DidYouMean(action, actions));
    chosen = &*at;
  }
  for (const auto& [key, value] : arguments) {
    const std::string_view name(key.data(), key.size());
    if (name == "action" || name == "detail" || name == "max_chars" || value.is_null()) continue;
    if (Taken(*chosen, name).empty() && !(name == "cursor" && pages(*chosen)))
      return Invalid(name, " does not go with action ", chosen->action);
  }
  return RunBranch(row, *chosen, arguments, chars, call);
}

// _meta says which record the answer has to have.
Status OperationBackend::AwaitAsked(const Call& call) {
  const json::object* meta = ObjectMember(call.params, "_meta");
  const json::value* least = meta ? Member(*meta, "plexus/minSequence") : nullptr;
  if (!least) return {};
  if (!least->is_int64() || least->get_int64() < 0)
    return Invalid("_meta plexus/minSequence is the sequence of a write");
  return service_.AwaitSequence(static_cast<Sequence>(least->get_int64()), kSequenceWaitMs,
                                [&] { return call.cancel && call.cancel->load(); });
}

Outcome OperationBackend::CallTool(std::string_view name, const json::object& arguments,
                                   Call& call) {
  if (const Status there = AwaitAsked(call); !there) return ToolError(ErrorJson(there.error()));
  if (knowledge_ && KnowledgeTools::Has(name)) return knowledge_->CallTool(name, arguments, call);
  const auto at = by_name_.find(name);
  if (at == by_name_.end()) return Refused(kInvalidParams, "no tool " + QuotedJson(name));
  const Tool& tool = at->second;
  const Result<std::string> reply = tool.row ? RunRow(*tool.row, arguments, call)
                                             : RunOperation(*tool.operation, arguments, call);
  if (!reply) return ToolError(ErrorJson(reply.error()));
  return ToolReply(*reply);
}

}  // namespace plexus::tools::server
