// Members and outcomes are edges; what is said of them lies in properties.
#include "tools/operations/graph/event_view.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <initializer_list>
#include <string_view>
#include <tuple>
#include <utility>

#include "engine/vocabulary.h"

namespace plexus::tools {
namespace {

Result<engine_internal::JsonProperties> Attributes(const Snapshot& snapshot, PayloadRef ref) {
  PLEXUS_ASSIGN(const std::string bytes, snapshot.PayloadOrEmpty(ref));
  return engine_internal::SplitProperties(bytes);
}

Result<EventMember> MakeMember(const Snapshot& snapshot, const Edge& edge) {
  EventMember member;
  member.node = edge.target;
  member.role = edge.label;
  PLEXUS_ASSIGN(member.attributes, Attributes(snapshot, edge.properties));
  if (const auto at = member.attributes.find("rank"); at != member.attributes.end())
    std::from_chars(at->second.data(), at->second.data() + at->second.size(), member.rank);
  return member;
}

Result<EventOutcome> MakeOutcome(const Snapshot& snapshot, NodeId node) {
  EventOutcome outcome;
  outcome.node = node;
  outcome.labeled_at = snapshot.i64(builtin::kCreatedAt, node);
  PLEXUS_ASSIGN(outcome.attributes,
                Attributes(snapshot, snapshot.payload_ref(node, NodeField::kProperties)));
  PLEXUS_ASSIGN(outcome.notes, snapshot.PayloadOrEmpty(node, NodeField::kText));
  return outcome;
}

// The attributes that a record knows as members of their own, the others below "props".
void WriteAttributes(ReplyWriter& json, const engine_internal::JsonProperties& attributes,
                     std::initializer_list<std::string_view> own) {
  for (const auto& [name, value] : attributes)
    if (std::ranges::find(own, name) != own.end()) {
      json.Key(name);
      json.Raw(value);
    }
  const auto is_own = [&](const auto& entry) {
    return std::ranges::find(own, entry.first) != own.end();
  };
  if (std::ranges::all_of(attributes, is_own)) return;
  json.BeginObject("props");
  for (const auto& entry : attributes)
    if (!is_own(entry)) {
      json.Key(entry.first);
      json.Raw(entry.second);
    }
  json.EndObject();
}

}  // namespace

Result<EventView> ViewEvent(const Snapshot& snapshot, NodeId event) {
  EventView view;
  std::vector<Edge> members;
  std::vector<NodeId> outcomes;
  snapshot.ForEachArc(Direction::kOut, event, ArcFilter::Kind(snapshot.schema(), builtin::kMember),
                      [&](const Arc& arc) { members.push_back(snapshot.edge(arc, event)); });
  snapshot.ForEachArc(Direction::kIn, event, ArcFilter::Kind(snapshot.schema(), builtin::kLabels),
                      [&](const Arc& arc) { outcomes.push_back(arc.neighbor); });
  for (const Edge& edge : members) {
    PLEXUS_ASSIGN(EventMember made, MakeMember(snapshot, edge));
    view.members.push_back(std::move(made));
  }
  for (const NodeId node : outcomes) {
    PLEXUS_ASSIGN(EventOutcome made, MakeOutcome(snapshot, node));
    view.outcomes.push_back(std::move(made));
  }
  std::ranges::sort(view.members, {}, [&](const EventMember& m) {
    return std::tuple(m.rank, snapshot.string(m.role), snapshot.key(m.node));
  });
  // The later one first where times are equal.
  std::ranges::sort(view.outcomes, std::greater(), [](const EventOutcome& o) {
    return std::pair(o.labeled_at.value_or(kNoTime), o.node);
  });
  return view;
}

void WriteEvent(ReplyWriter& json, const Snapshot& snapshot, const EventView& view) {
  json.Objects("members", view.members, [&](const EventMember& member) {
    json.Node("key", snapshot, member.node);
    json.Field("role", snapshot.string(member.role));
    WriteAttributes(json, member.attributes, {"rank", "trust", "score", "preview", "tags"});
  });
  json.Objects("outcomes", view.outcomes, [&](const EventOutcome& outcome) {
    json.Node("key", snapshot, outcome.node);
    if (outcome.labeled_at) json.Time("labeled_at", *outcome.labeled_at);
    if (!outcome.notes.empty()) json.Field("notes", outcome.notes);
    WriteAttributes(json, outcome.attributes, {"type", "source", "confidence_delta"});
  });
}

}  // namespace plexus::tools
