// ledger record, label: an event that was, an outcome of one.
#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <utility>

#include "algorithms/memory/ledger/ledger.h"
#include "engine/vocabulary.h"
#include "storage/formats/base/properties.h"
#include "tools/operations/change.h"
#include "tools/operations/framework/arguments.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/ledger/ledger_reply.h"
#include "tools/operations/ledger/recording.h"
#include "tools/operations/names.h"

namespace plexus::tools {
namespace {

bool IsRole(std::string_view name) {
  return std::ranges::find(BuiltinRoles(), name) != BuiltinRoles().end();
}

// The stored key of the node that is meant; of none, the text.
std::string KeyMeant(const Snapshot& snapshot, std::string_view key) {
  const auto node = MeantNode(snapshot, key);
  return node ? std::string(snapshot.key(*node)) : StoredKey(snapshot.schema(), key);
}

// "KEY:ROLE" or "KEY". A key may hold colons: what follows the last one is a role when it is the
// name of one, or when the key is that of a node only without it.
memory::NewMember MemberFrom(const Snapshot& snapshot, const std::string& given) {
  memory::NewMember member;
  std::string_view key = given;
  const std::size_t at = key.rfind(':');
  if (at != std::string_view::npos) {
    const std::string_view last = key.substr(at + 1);
    if (IsRole(last) || (!MeantNode(snapshot, key) && MeantNode(snapshot, key.substr(0, at)))) {
      member.role = last;
      key = key.substr(0, at);
    }
  }
  member.key = KeyMeant(snapshot, key);
  return member;
}

// One object of a file of members.
Result<memory::NewMember> MemberFrom(const Snapshot& snapshot, const boost::json::value& value,
                                     const std::string& where) {
  const auto bad = [&](const std::string& why) { return Invalid(where, ": ", why); };
  const boost::json::object* object = value.if_object();
  if (!object) return bad("a member is an object with an \"id\"");
  memory::NewMember member;
  bool named = false;
  for (const auto& [key, attribute] : *object) {
    const std::string name(key.data(), key.size());
    if (attribute.is_null()) continue;
    const boost::json::string* text = attribute.if_string();
    if (name == "id" || name == "role" || name == "preview") {
      if (!text) return bad("\"" + name + "\" must be a text");
      if (name == "id") {
        member.key = KeyMeant(snapshot, std::string_view(text->data(), text->size()));
        named = true;
      } else {
        (name == "role" ? member.role : member.preview) = std::string(text->data(), text->size());
      }
    } else if (name == "rank" || name == "trust" || name == "score") {
      if (!attribute.is_number()) return bad("\"" + name + "\" must be a number");
      (name == "rank"    ? member.rank
       : name == "trust" ? member.trust
                         : member.score) = attribute.to_number<double>();
    } else if (name == "tags") {
      member.tags.emplace();
      const boost::json::array* tags = attribute.if_array();
      if (!tags) return bad("\"tags\" must be a list of texts");
      for (const boost::json::value& tag : *tags) {
        if (!tag.is_string()) return bad("\"tags\" must be a list of texts");
        member.tags->emplace_back(tag.get_string().data(), tag.get_string().size());
      }
    } else if (name == "props") {
      if (!attribute.is_object()) return bad("\"props\" must be an object");
      PLEXUS_ASSIGN(member.props,
                    formats::internal::PropertiesFromJson(boost::json::serialize(attribute)));
    } else {
      return bad("unknown key \"" + name.substr(0, 80) + "\" of a member");
    }
  }
  if (!named) return bad("a member needs an \"id\"");
  return member;
}

Status AddMembers(const Snapshot& snapshot, const Request& request, memory::NewEvent& event) {
  for (const std::string& given : request.List("member"))
    event.members.push_back(MemberFrom(snapshot, given));
  if (!request.Given("members")) return {};
  boost::system::error_code failed;
  const boost::json::value list = boost::json::parse(request.Text("members"), failed);
  if (failed || !list.is_array())
    return Invalid(request.Source("members"), ": it is no JSON array of members");
  PLEXUS_TRY(CheckJson(request.Source("members"), request.Text("members")));
  if (list.get_array().size() + event.members.size() > memory::kMaxEventMembers)
    return Invalid(request.Source("members"), ": more than ", memory::kMaxEventMembers, " members");
  for (std::size_t i = 0; i < list.get_array().size(); ++i) {
    PLEXUS_ASSIGN(memory::NewMember member,
                  MemberFrom(snapshot, list.get_array()[i],
                             request.Source("members") + ", member " + std::to_string(i + 1)));
    event.members.push_back(std::move(member));
  }
  return {};
}

Result<std::string> PropsOf(const Request& request) {
  if (!request.Given("props")) return std::string();
  return formats::internal::PropertiesFromJson(request.Text("props"));
}

Parameter PropsParameter() { return Text("props", "JSON", "an object: other properties"); }

// A door that closed says more than that it is closed.
void NoteSpecificLabels(Workspace& workspace, const Request& request) {
  if (request.Text("type") != "dead_end" || request.Given("notes")) return;
  workspace.notes().push_back(
      {"a reason helps later: " + request.Name("notes") +
       ", or instead of dead_end one of closed_by_scope, closed_by_duplicate, "
       "closed_by_false_assumption, closed_by_user, expired_lane"});
}

Result<Reply> RunRecord(Workspace& workspace, const Request& request) {
  memory::NewEvent event;
  event.id = request.Text("id");
  event.tool = request.Text("tool");
  event.mode = request.Text("mode");
  event.query = request.Text("query");
  event.status = request.Text("status");
  event.output_preview = request.Text("output_preview");
  event.confidence = request.MaybeNumber("confidence");
  PLEXUS_ASSIGN(event.props, PropsOf(request));
  event.created_at = workspace.now_ms();
  event.stubs = request.Flag("stubs");
  PLEXUS_TRY(AddMembers(workspace.snapshot(), request, event));
  PLEXUS_ASSIGN(Recording recording, RecordInLedger(workspace, request, event));
  std::string page = recording.status == "skipped_empty"
                         ? "no members: nothing to record\n"
                         : std::string(recording.status) + ": event " + recording.event_id + "\n";
  Reply reply([recording = std::move(recording)](ReplyWriter& json) {
    if (!recording.event_id.empty()) json.Field("event_id", recording.event_id);
    json.Field("query_hash", recording.query_hash);
    json.Field("compositionWriteStatus", recording.status);
    json.Field("stubs", recording.stubs);
    WriteWritten(json, recording.written);
  });
  reply.page = std::move(page);
  return reply;
}

Result<Reply> RunLabel(Workspace& workspace, const Request& request) {
  const Snapshot& before = workspace.snapshot();
  memory::NewLabel label;
  label.type = request.Text("type");
  label.source = request.Text("source");
  label.notes = request.Text("notes");
  label.labeled_at = workspace.now_ms();
  label.confidence_delta = request.MaybeNumber("confidence_delta");
  PLEXUS_ASSIGN(label.props, PropsOf(request));
  PLEXUS_ASSIGN(const NodeId event, EventNamed(before, request.Text("event")));
  PLEXUS_ASSIGN(memory::LabeledEvent labeled, memory::LabelEvent(before, event, label));
  PLEXUS_ASSIGN(Written written, ApplyToLedger(workspace, request, labeled.batch));
  NoteSpecificLabels(workspace, request);
  memory::LedgerOutcome outcome{.node = written.snapshot.Find(labeled.key).value_or(event),
                                .type = label.type,
                                .source = label.source,
                                .notes = label.notes,
                                .labeled_at = label.labeled_at,
                                .confidence_delta = label.confidence_delta,
                                .props = {}};
  if (!label.props.empty())
    PLEXUS_SET(outcome.props, formats::internal::JsonFromProperties(label.props));
  std::string id(DisplayName(before.key(event)));
  std::string page = "event " + id + ": " + label.type +
                     (labeled.known     ? ", as it is known already\n"
                      : written.dry_run ? ", a dry run: nothing was written\n"
                                        : "\n");
  Reply reply([written = std::move(written), id = std::move(id),
               outcome = std::move(outcome)](ReplyWriter& json) {
    json.Field("event_id", id);
    json.BeginObject("outcome");
    WriteOutcomeFields(json, written.snapshot, outcome);
    json.EndObject();
    WriteWritten(json, written);
  });
  reply.page = std::move(page);
  return reply;
}

}  // namespace

void AddLedgerWrites(Rows& rows) {
  const std::string outcomes = OutcomesShape();
  rows.push_back(
      {.name = "ledger_record",
       .group = "Change",
       .title = "Record an event",
       .summary = "Record that memories were used together",
       .effect = Effect::kWrite,
       .parameters =
           {Text("tool", "NAME", "the tool that used them"),
            Text("mode", "NAME", "the mode of use").Default(std::string(memory::kDefaultEventMode)),
            Text("query", "TEXT", "what was asked").MayBeEmpty(),
            Optional(Repeated("member", "KEY[:ROLE]",
                              "a memory that was used, as primary, supporting, contradicting, "
                              "superseded or related (default: supporting); repeatable")
                         .Named(Means::kKey)
                         .OrPositional()),
            Text("members", "FILE",
                 "more of them: a JSON array of {\"id\", \"role\", \"rank\", \"trust\", \"score\", "
                 "\"preview\", \"tags\", \"props\"}; - is stdin")
                .Named(Means::kContent)
                .MayBeEmpty(),
            Text("id", "ID", "the event's id (default: made of its content and time)"),
            Text("status", "TEXT", "how it ended"),
            Text("output_preview", "TEXT", "how the answer began"),
            Number("confidence", "X", "of the answer"), PropsParameter(),
            Flag("stubs", "make members that do not exist"), DryRunParameter(),
            ExpectSequenceParameter()},
       .reply = "event_id?:s, query_hash:s, compositionWriteStatus:s, stubs:n, " +
                std::string(kChangeShape),
       .examples = {{"plexus ledger record --db g --tool recall --query \"why twice\" "
                     "--member m1:primary --member m3",
                     "one event, durable when it returns"},
                    {"plexus ledger record --db g --member m1 --member m2 --dry-run --json",
                     "what it would write"}},
       .run = RunRecord,
       .access = ChangesGraph});
  rows.push_back({.name = "ledger_label",
                  .group = "Change",
                  .title = "Label an event",
                  .summary = "Add an outcome to an event",
                  .effect = Effect::kWrite,
                  .parameters = {Text("event", "EVENT", "the event's id").Positional(),
                                 Text("type", "TYPE",
                                      "helpful, dead_end ..., or success, failed, unhelpful, "
                                      "wrong; the error for another one lists all")
                                     .Positional(),
                                 Text("notes", "TEXT", "why").MayBeEmpty(),
                                 Text("source", "NAME", "who says so").Default(std::string("user")),
                                 Number("confidence_delta", "X", "how it changed the confidence"),
                                 PropsParameter(), DryRunParameter(), ExpectSequenceParameter()},
                  .reply = "event_id:s, outcome:" + outcomes.substr(1, outcomes.size() - 2) + ", " +
                           std::string(kChangeShape),
                  .examples = {{"plexus ledger label --db g c1 helpful --notes \"found the cause\"",
                                "labels accumulate; none is overwritten"},
                               {"plexus ledger label --db g c1 dead_end --source tool --json",
                                "what a program found out"}},
                  .run = RunLabel,
                  .access = ChangesGraph});
}

}  // namespace plexus::tools
