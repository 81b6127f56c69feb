// The words of the ledger's replies; see ledger_reply.h.
#include "tools/operations/ledger/ledger_reply.h"

#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "engine/times.h"
#include "engine/vocabulary.h"
#include "tools/operations/framework/arguments.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"

namespace plexus::tools {
namespace {

void WriteText(ReplyWriter& json, std::string_view name, const std::string& text) {
  if (!text.empty()) json.Field(name, text);
}

void WriteProps(ReplyWriter& json, const std::string& props) {
  if (props.empty()) return;
  json.Key("props");
  json.Raw(props);
}

template <class T>
void WriteMaybe(ReplyWriter& json, std::string_view name, const std::optional<T>& value) {
  if (value) json.Field(name, *value);
}

std::vector<std::string_view> TypeNames(const memory::LedgerEvent& event) {
  std::vector<std::string_view> names;
  const auto types = BuiltinOutcomeTypes();
  for (std::size_t i = 0; i < types.size(); ++i)
    if (event.outcomes >> i & 1) names.push_back(types[i]);
  names.insert(names.end(), event.other_outcomes.begin(), event.other_outcomes.end());
  if (event.outcomes & memory::kOtherOutcome && event.other_outcomes.empty())
    names.emplace_back("other");  // its name was purged
  return names;
}

constexpr const char* kEvent =
    "{key:k, event_id:s, created_at?:t, tool?:s, mode?:s, query?:s, query_hash?:s, confidence?:x, "
    "status?:s, output_preview?:s, outcomes:[s], props?:{*:j}}";

}  // namespace

std::string EventShape() { return kEvent; }
std::string EventsShape() { return "[" + EventShape() + "]"; }
std::string MembersShape() {
  return "[{key:k, role:s, rank:x, trust?:x, score?:x, preview?:s, tags:[s], props?:{*:j}, "
         "removed?:b, purged?:b}]";
}
std::string OutcomesShape() {
  return "[{key:k, type:s, source?:s, labeled_at?:t, notes?:s, confidence_delta?:x, "
         "props?:{*:j}}]";
}

void WriteEventFields(ReplyWriter& json, const Snapshot& snapshot,
                      const memory::LedgerEvent& event) {
  json.Node("key", snapshot, event.node);
  json.Field("event_id", event.id);
  if (event.created_at) json.Time("created_at", *event.created_at);
  WriteText(json, "tool", event.tool);
  WriteText(json, "mode", event.mode);
  WriteText(json, "query", event.query);
  WriteText(json, "query_hash", event.query_hash);
  WriteMaybe(json, "confidence", event.confidence);
  WriteText(json, "status", event.status);
  WriteText(json, "output_preview", event.output_preview);
  json.Values("outcomes", TypeNames(event));
  WriteProps(json, event.props);
}

void WriteMembers(ReplyWriter& json, const Snapshot& snapshot,
                  const memory::EventDetails& details) {
  json.Objects("members", details.members, [&](const memory::LedgerMember& member) {
    json.Node("key", snapshot, member.node);
    json.Field("role", member.role);
    if (member.rank == std::floor(member.rank) && std::abs(member.rank) < 1e15)
      json.Field("rank", static_cast<std::int64_t>(member.rank));
    else
      json.Field("rank", member.rank);
    WriteMaybe(json, "trust", member.trust);
    WriteMaybe(json, "score", member.score);
    WriteText(json, "preview", member.preview);
    json.Values("tags", member.tags);
    WriteProps(json, member.props);
    if (!snapshot.alive(member.node)) json.Field("removed", true);
    if (snapshot.purged(member.node)) json.Field("purged", true);
  });
}

void WriteOutcomeFields(ReplyWriter& json, const Snapshot& snapshot,
                        const memory::LedgerOutcome& outcome) {
  json.Node("key", snapshot, outcome.node);
  json.Field("type", outcome.type);
  WriteText(json, "source", outcome.source);
  if (outcome.labeled_at) json.Time("labeled_at", *outcome.labeled_at);
  WriteText(json, "notes", outcome.notes);
  WriteMaybe(json, "confidence_delta", outcome.confidence_delta);
  WriteProps(json, outcome.props);
}

void WriteOutcomes(ReplyWriter& json, const Snapshot& snapshot,
                   const memory::EventDetails& details) {
  json.Objects("outcomes", details.outcomes, [&](const memory::LedgerOutcome& outcome) {
    WriteOutcomeFields(json, snapshot, outcome);
  });
}

Result<NodeId> EventNamed(const Snapshot& snapshot, std::string_view name) {
  Result<NodeId> by_id = memory::FindEvent(snapshot, name);
  if (by_id) return by_id;
  const auto meant = MeantNode(snapshot, name);
  const bool is_event =
      meant && snapshot.node_kind(*meant) == plexus::builtin::kEvent && snapshot.alive(*meant);
  return is_event ? Result<NodeId>(*meant) : by_id;
}

Result<PageState> StateOfPage(Workspace& workspace, const Request& request) {
  PageState page{workspace.snapshot(), request.Text("cursor"), {}, {}};
  Request asked = request;
  const std::size_t at = page.cursor.find('@');
  bool same = true;  // the workspace shows it already, but for the sequence
  if (request.Given("event_time")) {
    std::int64_t time = workspace.now_ms();
    if (request.Given("now")) PLEXUS_SET(time, ParseTime(request.Text("event_time"), time));
    if (at != std::string::npos) {
      std::int64_t then = 0;
      const char* const end = page.cursor.data() + page.cursor.size();
      const auto read = std::from_chars(page.cursor.data() + at + 1, end, then);
      if (read.ec != std::errc() || read.ptr != end)
        return Invalid(request.Name("cursor"), ": ", Quoted(page.cursor), " is no cursor");
      page.cursor.resize(at);
      same = then == time;
      time = then;
      PLEXUS_TRY(asked.Set("event_time", std::to_string(time)));
    }
    page.ending = "@" + std::to_string(time);
    page.state = request.Text("event_time") + page.ending;
  } else if (at != std::string::npos) {
    return Invalid(request.Name("cursor"), " is of an event time: give ",
                   request.Name("event_time"), " as before");
  }
  if (page.cursor.empty()) return page;
  PLEXUS_ASSIGN(const Sequence sequence, memory::LedgerCursorSequence(page.cursor));
  const bool here = sequence == workspace.snapshot().sequence();
  if (here && same) return page;
  if (request.Given("as_of") && !here)
    return Invalid(request.Name("cursor"), " goes on in sequence ", sequence, ", and ",
                   request.Name("as_of"), " names sequence ", workspace.snapshot().sequence(),
                   ": leave the latter out");
  PLEXUS_ASSIGN(View then, workspace.ViewAt(
                               here ? request.Text("as_of") : std::to_string(sequence), asked));
  page.snapshot = std::move(then.snapshot);
  return page;
}

Parameter LimitParameter() {
  return Count("limit", "N", "at most N, from 1 to 100").Default(std::uint64_t{10});
}
Parameter CursorParameter() {
  return Text("cursor", "CURSOR",
              "continue behind the page with this 'next', in the same state of the graph");
}

}  // namespace plexus::tools
