// Reading the ledger's nodes; see ledger_read.h.
#include "algorithms/memory/ledger/internal/ledger_read.h"

#include <algorithm>
#include <set>
#include <utility>

#include "algorithms/memory/ledger/internal/prior_outcomes.h"
#include "engine/properties/json_writer.h"
#include "engine/properties/split_properties.h"
#include "engine/vocabulary.h"

namespace plexus::memory::internal {

namespace {

std::optional<double> NumberOf(const PropertyView& map, std::string_view name) {
  const auto value = map.Find(name);
  return value ? value->AsDouble() : std::nullopt;
}

}  // namespace

Result<PropertyMap> StoredProperties(const Snapshot& snapshot, PayloadRef ref) {
  PLEXUS_ASSIGN(const std::string bytes, snapshot.PayloadOrEmpty(ref));
  return PropertyMap::Read(bytes);
}

Result<PropertyMap> PropertiesOf(const Snapshot& snapshot, NodeId node) {
  return StoredProperties(snapshot, snapshot.payload_ref(node, NodeField::kProperties));
}

std::string TextOf(const PropertyView& map, std::string_view name) {
  const auto value = map.Find(name);
  const auto text = value ? value->AsString() : std::nullopt;
  return text ? std::string(*text) : std::string();
}

std::vector<std::string> TextsOf(const PropertyView& map, std::string_view name) {
  std::vector<std::string> texts;
  const auto list = map.Find(name);
  if (!list || list->type() != PropertyType::kList) return texts;
  for (std::size_t i = 0; i < list->size(); ++i)
    if (const auto text = (*list)[i].AsString()) texts.emplace_back(*text);
  return texts;
}

std::span<const std::string_view> RecordAttributes() {
  static constexpr std::string_view kNames[] = {
      "tool",       "mode", "confidence", "status",           "output_preview",
      "query_hash", "type", "source",     "confidence_delta", "notes"};
  return kNames;
}

std::span<const std::string_view> MemberAttributes() {
  static constexpr std::string_view kNames[] = {"rank", "trust", "score", "preview", "tags"};
  return kNames;
}

std::string FreeProperties(const PropertyView& map, std::span<const std::string_view> attributes) {
  std::string json = "{";
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (std::ranges::find(attributes, map.name(i)) != attributes.end()) continue;
    engine_internal::AppendJsonKey(json, map.name(i));
    engine_internal::AppendJson(json, map[i]);
  }
  return json.size() == 1 ? std::string() : json + "}";
}

Result<LedgerEvent> ReadEvent(const Snapshot& snapshot, const LedgerIndex& index, NodeId node) {
  PLEXUS_ASSIGN(const PropertyMap map, PropertiesOf(snapshot, node));
  const PropertyView root = map.root();
  LedgerEvent event;
  event.node = node;
  event.id = DisplayName(snapshot.key(node));
  event.tool = TextOf(root, "tool");
  event.mode = TextOf(root, "mode");
  event.status = TextOf(root, "status");
  event.query_hash = TextOf(root, "query_hash");
  event.output_preview = TextOf(root, "output_preview");
  event.confidence = NumberOf(root, "confidence");
  event.props = FreeProperties(root, RecordAttributes());
  event.created_at = snapshot.i64(builtin::kCreatedAt, node);
  event.outcomes = index.event_outcomes(node);
  if (event.outcomes & kOtherOutcome) {
    PLEXUS_ASSIGN(const std::vector<LedgerOutcome> labels, ReadOutcomes(snapshot, index, node));
    std::set<std::string> others;
    for (const LedgerOutcome& label : labels)
      if (OutcomeBit(label.type) == kOtherOutcome && !label.type.empty()) others.insert(label.type);
    event.other_outcomes.assign(others.begin(), others.end());
  }
  PLEXUS_ASSIGN(event.query, snapshot.PayloadOrEmpty(node, NodeField::kText));
  return event;
}

Result<std::vector<LedgerMember>> ReadMembers(const Snapshot& snapshot, NodeId event) {
  std::vector<std::pair<NodeId, Edge>> edges;
  snapshot.ForEachArc(
      Direction::kOut, event, ArcFilter::Kind(snapshot.schema(), builtin::kMember),
      [&](const Arc& arc) { edges.emplace_back(arc.neighbor, snapshot.edge(arc, event)); });
  std::vector<LedgerMember> members;
  members.reserve(edges.size());
  for (const auto& [node, edge] : edges) {
    PLEXUS_ASSIGN(const PropertyMap map, StoredProperties(snapshot, edge.properties));
    const PropertyView root = map.root();
    LedgerMember member;
    member.node = node;
    member.role = snapshot.string(edge.label);
    member.rank = NumberOf(root, "rank").value_or(0);
    member.trust = NumberOf(root, "trust");
    member.score = NumberOf(root, "score");
    member.preview = TextOf(root, "preview");
    member.tags = TextsOf(root, "tags");
    member.props = FreeProperties(root, MemberAttributes());
    members.push_back(std::move(member));
  }
  std::sort(members.begin(), members.end(), [&](const LedgerMember& a, const LedgerMember& b) {
    if (a.rank != b.rank) return a.rank < b.rank;
    if (a.role != b.role) return a.role < b.role;
    return a.node != b.node && snapshot.key(a.node) < snapshot.key(b.node);
  });
  return members;
}

Result<std::vector<LedgerOutcome>> ReadOutcomes(const Snapshot& snapshot, const LedgerIndex& index,
                                                NodeId event) {
  std::vector<LedgerOutcome> outcomes;
  for (const NodeId node : index.labels(event)) {
    PLEXUS_ASSIGN(const PropertyMap map, PropertiesOf(snapshot, node));
    const PropertyView root = map.root();
    LedgerOutcome outcome;
    outcome.node = node;
    outcome.type = TextOf(root, "type");
    outcome.source = TextOf(root, "source");
    outcome.labeled_at = snapshot.i64(builtin::kCreatedAt, node);
    outcome.confidence_delta = NumberOf(root, "confidence_delta");
    outcome.props = FreeProperties(root, RecordAttributes());
    PLEXUS_ASSIGN(outcome.notes, snapshot.PayloadOrEmpty(node, NodeField::kText));
    outcomes.push_back(std::move(outcome));
  }
  std::sort(outcomes.begin(), outcomes.end(), [](const LedgerOutcome& a, const LedgerOutcome& b) {
    const std::int64_t at = a.labeled_at.value_or(kNoTime), bt = b.labeled_at.value_or(kNoTime);
    return at != bt ? at > bt : a.node > b.node;
  });
  return outcomes;
}

std::vector<std::string> TagsNow(const Snapshot& snapshot, NodeId node) {
  std::vector<std::string> tags;
  snapshot.ForEachArc(
      Direction::kOut, node, ArcFilter::Kind(snapshot.schema(), builtin::kHasTag),
      [&](const Arc& arc) { tags.emplace_back(DisplayName(snapshot.key(arc.neighbor))); });
  std::sort(tags.begin(), tags.end());
  tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
  return tags;
}

bool TagFilter::Matches(std::string_view tag) const {
  return std::ranges::any_of(wanted_, [&](const std::string& wanted) {
    return tag.starts_with(wanted) && (tag.size() == wanted.size() || tag[wanted.size()] == ':');
  });
}

bool TagFilter::Carries(const Snapshot& snapshot, NodeId node) const {
  bool found = false;
  snapshot.ForEachArc(Direction::kOut, node, ArcFilter::Kind(snapshot.schema(), builtin::kHasTag),
                      [&](const Arc& arc) {
                        found = Matches(DisplayName(snapshot.key(arc.neighbor)));
                        return !found;
                      });
  return found;
}

// What takes no payload comes first.
Result<bool> TagFilter::Passes(const Snapshot& snapshot, const LedgerIndex& index,
                               NodeId event) const {
  if (none() || Carries(snapshot, event)) return true;
  for (const NodeId member : index.members(event))
    if (Carries(snapshot, member)) return true;
  const auto has = [&](const PropertyMap& map) {
    return std::ranges::any_of(TextsOf(map.root(), "tags"),
                               [&](const std::string& tag) { return Matches(tag); });
  };
  PLEXUS_ASSIGN(const PropertyMap own, PropertiesOf(snapshot, event));
  if (has(own)) return true;
  std::vector<PayloadRef> refs;
  snapshot.ForEachArc(
      Direction::kOut, event, ArcFilter::Kind(snapshot.schema(), builtin::kMember),
      [&](const Arc& arc) { refs.push_back(snapshot.edge(arc, event).properties); });
  for (const PayloadRef ref : refs) {
    PLEXUS_ASSIGN(const PropertyMap map, StoredProperties(snapshot, ref));
    if (has(map)) return true;
  }
  return false;
}

}  // namespace plexus::memory::internal
