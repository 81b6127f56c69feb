// Recording events and labelling them: checks, then a batch with the operations that an import of
// the same line makes (storage/formats/json/json_event_records.cc).
#include <algorithm>
#include <cmath>
#include <utility>

#include "algorithms/memory/internal/fnv.h"
#include "algorithms/memory/internal/property_patch.h"
#include "algorithms/memory/ledger/internal/ledger_read.h"
#include "algorithms/memory/ledger/ledger.h"
#include "engine/out_of_memory.h"
#include "engine/properties/json_writer.h"
#include "engine/properties/outcome_key.h"
#include "engine/properties/properties.h"
#include "engine/properties/split_properties.h"
#include "engine/vocabulary.h"

namespace plexus::memory {

namespace {

using internal::DigestText;

std::string Joined(std::span<const std::string_view> names) {
  std::string text;
  for (const std::string_view name : names) (text += text.empty() ? "" : ", ") += name;
  return text;
}

Status CheckText(const char* what, std::string_view text) {
  if (text.size() > Limits::kMaxPayloadBytes)
    return Invalid(what, " is over ", Limits::kMaxPayloadBytes, " bytes");
  if (!IsValidUtf8(text)) return Invalid(what, " is not valid UTF-8");
  return {};
}

// Bytes of a text in JSON.
std::size_t JsonBytes(std::string_view text) {
  std::size_t bytes = text.size() + 2;
  for (const char c : text)
    bytes += c == '"' || c == '\\' ? 1 : static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? 5 : 0;
  return bytes;
}

Status CheckSize(const NewEvent& event) {
  constexpr std::size_t kNames = 256;  // of an object's names and numbers
  std::size_t bytes = kNames;
  for (const std::string* text : {&event.id, &event.tool, &event.mode, &event.status,
                                  &event.output_preview, &event.query, &event.props})
    bytes += JsonBytes(*text);
  for (const NewMember& member : event.members) {
    bytes += kNames + JsonBytes(member.key) + JsonBytes(member.role) + JsonBytes(member.preview) +
             JsonBytes(member.props);
    if (member.tags)
      for (const std::string& tag : *member.tags) bytes += JsonBytes(tag) + 1;
  }
  if (bytes <= kMaxEventBytes) return {};
  return Invalid("the event takes ", bytes, " bytes as a line of JSON, over ", kMaxEventBytes);
}

// Roles and numbers of members, before any of them is looked up.
Status CheckMembers(const std::vector<NewMember>& members) {
  if (members.size() > kMaxEventMembers)
    return Invalid(members.size(), " members; an event has at most ", kMaxEventMembers);
  const auto roles = BuiltinRoles();
  std::vector<std::pair<std::string_view, std::string_view>> seen;
  seen.reserve(members.size());
  for (const NewMember& member : members) {
    if (std::ranges::find(roles, member.role) == roles.end())
      return Invalid("'", member.role, "' of member '", member.key, "' is no role; roles are ",
                     Joined(roles));
    seen.emplace_back(member.key, member.role);
  }
  std::ranges::sort(seen);
  const auto twice = std::ranges::adjacent_find(seen);
  if (twice != seen.end())
    return Invalid("member '", twice->first, "' stands twice under the role '", twice->second, "'");
  return {};
}

// Free properties, added to the attributes that the map has.
Status AddProps(PropertyMapBuilder& map, std::string_view props,
                std::span<const std::string_view> attributes) {
  PLEXUS_ASSIGN(const PropertyMap free, PropertyMap::Read(props));
  for (std::size_t i = 0; i < free.root().size(); ++i)
    if (std::ranges::find(attributes, free.root().name(i)) != attributes.end())
      return Invalid("the properties must not hold '", free.root().name(i),
                     "': it is an attribute of the record itself");
  internal::CopyMembers(map, free.root());
  return {};
}

// The members' nodes where they are there, and their tags then.
struct Resolved {
  NodeId node = kNoNode;
  std::string properties;
};

Result<Resolved> Resolve(const Snapshot& snapshot, const NewMember& member, bool stubs) {
  Resolved resolved;
  const auto found = snapshot.Find(member.key);
  if (found && snapshot.alive(*found)) resolved.node = *found;
  if (!found && stubs && member.key.find(kIndexSeparator) != std::string::npos)
    return Invalid("member '", DisplayName(member.key), "': a stub is a fact");
  if (resolved.node == kNoNode && !stubs)
    return NotFound("no node '", member.key, "'", (found ? ": it was removed" : ""));
  std::vector<std::string> tags;
  if (member.tags)
    tags = *member.tags;
  else if (resolved.node != kNoNode)
    tags = internal::TagsNow(snapshot, resolved.node);
  PropertyMapBuilder map;
  if (member.rank) {
    const double rank = *member.rank;
    if (std::floor(rank) == rank && std::abs(rank) < 1e15)
      map.Int("rank", static_cast<std::int64_t>(rank));
    else
      map.Double("rank", rank);
  }
  if (member.trust) map.Double("trust", *member.trust);
  if (member.score) map.Double("score", *member.score);
  if (!member.preview.empty()) map.String("preview", member.preview);
  if (!tags.empty()) {
    map.BeginList("tags");
    for (const std::string& tag : tags) map.String(tag);
    map.End();
  }
  PLEXUS_TRY(AddProps(map, member.props, internal::MemberAttributes()));
  Result<std::string> bytes = map.Finish();
  if (!bytes)
    return Fail(bytes.error().code, "member '" + member.key + "': " + bytes.error().message);
  resolved.properties = *std::move(bytes);
  return resolved;
}

// An id that the same content and time always give.
std::string MadeId(const NewEvent& event, const std::vector<Resolved>& members,
                   std::string_view properties) {
  DigestText text;
  text.Add(std::to_string(event.created_at)).Add(event.query).Add(properties);
  for (std::size_t i = 0; i < members.size(); ++i)
    text.Add(event.members[i].key).Add(event.members[i].role).Add(members[i].properties);
  const std::uint64_t first = internal::Fnv1a64(text.bytes());
  return "e" + internal::Hex16(first) + internal::Hex16(internal::Fnv1a64(text.bytes(), first));
}

}  // namespace

std::string QueryHash(std::string_view query) {
  return "fnv1a64:" + internal::Hex16(internal::Fnv1a64(query));
}

Result<RecordedEvent> RecordEvent(const Snapshot& snapshot, const NewEvent& event) try {
  RecordedEvent recorded;
  recorded.query_hash = QueryHash(event.query);
  recorded.empty = event.members.empty();
  PLEXUS_TRY(CheckText("the query", event.query));
  PLEXUS_TRY(CheckMembers(event.members));
  PLEXUS_TRY(CheckSize(event));
  PropertyMapBuilder map;
  const auto add = [&](const char* name, const std::string& text) {
    if (!text.empty()) map.String(name, text);
  };
  add("tool", event.tool);
  add("mode", event.mode);
  add("status", event.status);
  add("output_preview", event.output_preview);
  map.String("query_hash", recorded.query_hash);
  if (event.confidence) map.Double("confidence", *event.confidence);
  PLEXUS_TRY(AddProps(map, event.props, internal::RecordAttributes()));
  PLEXUS_ASSIGN(const std::string properties, map.Finish());
  if (recorded.empty) return recorded;

  std::vector<Resolved> members;
  members.reserve(event.members.size());
  for (const NewMember& member : event.members) {
    PLEXUS_ASSIGN(Resolved resolved, Resolve(snapshot, member, event.stubs));
    members.push_back(std::move(resolved));
  }
  recorded.id = event.id.empty() ? MadeId(event, members, properties) : event.id;
  const auto known =
      snapshot.Find(IndexKey(snapshot.schema().node_kind(builtin::kEvent).name, recorded.id));
  if (!event.id.empty() && known && snapshot.alive(*known))
    return Invalid("there is an event '", recorded.id, "' already");

  WriteBatch& batch = recorded.batch;
  batch.set_time_ms(event.created_at);
  const NodeRef node = batch.IndexNode(builtin::kEvent, recorded.id);
  if (!event.id.empty()) batch.ExpectNoNode(node);
  batch.UpsertNode(node);
  batch.SetI64(node, builtin::kCreatedAt, event.created_at);
  if (!event.query.empty()) batch.SetPayload(node, NodeField::kText, event.query);
  batch.SetPayload(node, NodeField::kProperties, properties);
  std::vector<std::string_view> made;  // stubs
  for (std::size_t i = 0; i < members.size(); ++i) {
    const bool there = members[i].node != kNoNode;
    if (!there) made.push_back(event.members[i].key);
    if (there) {
      const NodeRef member = NodeRef::Id(members[i].node);
      batch.ExpectNode(member);
      if (!event.members[i].tags)
        batch.ExpectEdges(member, builtin::kHasTag, snapshot, members[i].node);
    }
    WriteBatch::EdgeInput edge;
    edge.source = node;
    edge.target = there ? NodeRef::Id(members[i].node) : batch.UpsertNode(event.members[i].key);
    edge.kind = builtin::kMember;
    edge.label = event.members[i].role;
    edge.created_at = event.created_at;
    edge.properties = members[i].properties;
    batch.Link(edge);
  }
  std::ranges::sort(made);
  made.erase(std::unique(made.begin(), made.end()), made.end());
  recorded.stubs = made.size();
  return recorded;
}
PLEXUS_CATCH_NO_MEMORY

Result<LabeledEvent> LabelEvent(const Snapshot& snapshot, NodeId event, const NewLabel& label) try {
  const auto types = BuiltinOutcomeTypes();
  if (std::ranges::find(types, label.type) == types.end())
    return Invalid("'", label.type, "' is no outcome type; types are ", Joined(types));
  if (event >= snapshot.node_count() || snapshot.node_kind(event) != builtin::kEvent ||
      !snapshot.alive(event))
    return NotFound("it is no event");
  PLEXUS_TRY(CheckText("the notes", label.notes));
  PropertyMapBuilder map;
  map.String("type", label.type);
  if (!label.source.empty()) map.String("source", label.source);
  if (label.confidence_delta) map.Double("confidence_delta", *label.confidence_delta);
  PLEXUS_TRY(AddProps(map, label.props, internal::RecordAttributes()));
  PLEXUS_ASSIGN(const std::string properties, map.Finish());

  engine_internal::OutcomeContent content;
  content.event = DisplayName(snapshot.key(event));
  content.type = label.type;
  content.source = label.source;
  content.labeled_at = label.labeled_at;
  content.notes = label.notes;
  if (label.confidence_delta)
    engine_internal::AppendJsonDouble(content.rest["confidence_delta"], *label.confidence_delta);
  if (!label.props.empty()) {
    PLEXUS_ASSIGN(engine_internal::JsonProperties props,
                  engine_internal::SplitProperties(label.props));
    std::erase_if(props, [](const auto& entry) { return entry.second == "null"; });
    content.rest.merge(props);
  }
  PLEXUS_ASSIGN(const std::string name, engine_internal::OutcomeNameIn(&snapshot, content));

  LabeledEvent labeled;
  labeled.key = IndexKey(snapshot.schema().node_kind(builtin::kOutcome).name, name);
  const auto known = snapshot.Find(labeled.key);
  labeled.known = known && snapshot.alive(*known);
  WriteBatch& batch = labeled.batch;
  batch.set_time_ms(label.labeled_at);
  batch.ExpectNode(NodeRef::Id(event));
  const NodeRef outcome = batch.IndexNode(builtin::kOutcome, name);
  batch.UpsertNode(outcome);
  batch.SetI64(outcome, builtin::kCreatedAt, label.labeled_at);
  if (!label.notes.empty()) batch.SetPayload(outcome, NodeField::kText, label.notes);
  batch.SetPayload(outcome, NodeField::kProperties, properties);
  WriteBatch::EdgeInput edge;
  edge.source = outcome;
  edge.target = NodeRef::Id(event);
  edge.kind = builtin::kLabels;
  edge.created_at = label.labeled_at;
  batch.Link(edge);
  return labeled;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::memory
