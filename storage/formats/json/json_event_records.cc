// Lines about what was done and how it turned out: event, outcome.
//
// An event is an index node: the query is its text, other attributes share its
// property map with "props", members are edges. An outcome's key is made of its
// content, so outcomes accumulate and a repeated line is the same outcome.
#include <algorithm>
#include <span>

#include "engine/properties/outcome_key.h"
#include "storage/formats/base/properties.h"
#include "storage/formats/json/json_lines.h"

namespace plexus::formats::internal {

namespace {

using MemberList = std::vector<const JsonValue*>;

// "props" of an event or outcome, appended to `patch`.
Status AppendProps(const JsonParser& json, const JsonValue* props, MemberList& patch) {
  if (!props || props->is_null()) return {};
  if (props->type != JsonType::kObject) return WrongType(*props, "an object or null");
  for (const JsonValue& m : json.children(*props)) {
    if (IsReservedProperty(m.key))
      return Invalid("\"props\" must not hold \"", m.key,
                     "\": it is an attribute of the record itself");
    patch.push_back(&m);
  }
  return {};
}

std::string Joined(std::span<const std::string_view> names) {
  std::string list;
  for (const std::string_view name : names) list.append(list.empty() ? "" : ", ").append(name);
  return list;
}

// How many names (0 or 1) are none of `known`, which a strict import refuses.
Result<std::uint64_t> CountUnknown(std::string_view name, const char* what,
                                   std::span<const std::string_view> known,
                                   const BatchBuilder& builder) {
  if (std::ranges::find(known, name) != known.end()) return 0;
  if (builder.context().options->strict)
    return Invalid("'", name.substr(0, 80), "' is no ", what, "; there are ", Joined(known));
  return 1;
}

bool IsMemberAttribute(std::string_view name) {
  return name == "rank" || name == "trust" || name == "score" || name == "preview" ||
         name == "tags";
}

struct Member {
  NodeName node;
  std::string_view role;
  std::string properties;
};

Result<Member> ReadMember(const JsonParser& json, const JsonValue& value,
                          const BatchBuilder& builder) {
  if (value.type != JsonType::kObject) return Invalid("a member must be an object with an \"id\"");
  Member member;
  member.role = "related";
  MemberList attributes;
  const JsonValue* id = nullptr;
  for (const JsonValue& m : json.children(value)) {
    if (m.key == "id") {
      if (!m.is_string()) return WrongType(m, "a node's key");
      id = &m;
    } else if (m.key == "role") {
      if (!m.is_string() || m.text.size() > Limits::kMaxStringBytes ||
          m.text.find('\0') != std::string_view::npos)
        return WrongType(
            m, "a string of at most " + std::to_string(Limits::kMaxStringBytes) + " bytes");
      member.role = m.text;
    } else if (m.is_null()) {
      continue;
    } else if (m.key == "rank" || m.key == "trust" || m.key == "score") {
      if (!m.is_number()) return WrongType(m, "a number");
      attributes.push_back(&m);
    } else if (m.key == "preview") {
      if (!m.is_string()) return WrongType(m, "a string");
      attributes.push_back(&m);
    } else if (m.key == "tags") {
      if (m.type != JsonType::kArray) return WrongType(m, "an array of strings");
      for (const JsonValue& tag : json.children(m))
        if (!tag.is_string()) return Invalid("a member's tags must be strings");
      attributes.push_back(&m);
    } else if (m.key == "props" && m.type == JsonType::kObject) {
      for (const JsonValue& own : json.children(m)) {
        if (IsMemberAttribute(own.key))
          return Invalid("\"props\" of a member must not hold \"", own.key,
                         "\": it is an attribute of the member itself");
        attributes.push_back(&own);
      }
    } else {
      return Invalid("unknown key \"", m.key.substr(0, 80), "\" of a member");
    }
  }
  if (!id) return Invalid("a member needs an \"id\"");
  PLEXUS_ASSIGN(member.node, builder.Name(id->text));
  PLEXUS_ASSIGN(member.properties, EncodeProperties(json, attributes));
  return member;
}

}  // namespace

Status JsonRecord::AddEvent(const JsonValue& key) {
  if (!key.is_string()) return WrongType(key, "an event's id");
  PLEXUS_ASSIGN(NodeName name, builder_.Name(key.text, builtin::kEvent));
  PLEXUS_ASSIGN(const JsonValue* query, TakeString("query", true));
  MemberList patch;
  for (std::string_view attribute : {"tool", "mode", "status", "output_preview", "query_hash"}) {
    PLEXUS_ASSIGN(const JsonValue* v, TakeString(attribute, true));
    if (v) patch.push_back(v);
  }
  if (const JsonValue* v = Take("confidence")) {
    if (!v->is_number() && !v->is_null()) return WrongType(*v, "a number or null");
    patch.push_back(v);
  }
  const JsonValue* props = Take("props");
  PLEXUS_TRY(AppendProps(json_, props, patch));
  const JsonValue* list = Take("members");
  PLEXUS_ASSIGN(std::vector<ColumnValue> columns, TakeColumns());
  PLEXUS_TRY(builder_.CheckValidTimes(columns));
  PLEXUS_ASSIGN(std::string properties, EncodeProperties(json_, patch));

  std::vector<Member> members;
  std::vector<ListReplacement::Item> items;
  std::uint64_t unknown = 0;
  if (list && !list->is_null()) {
    if (list->type != JsonType::kArray) return WrongType(*list, "an array of members or null");
    const std::size_t limit = builder_.context().options->limits.members;
    if (list->count > limit) return Invalid("more than ", limit, " members");
    for (const JsonValue& v : json_.children(*list)) {
      PLEXUS_ASSIGN(Member member, ReadMember(json_, v, builder_));
      PLEXUS_ASSIGN(const std::uint64_t more,
                    CountUnknown(member.role, "role", BuiltinRoles(), builder_));
      unknown += more;
      items.push_back({member.node.key, std::string(member.role)});
      members.push_back(std::move(member));
    }
    std::sort(items.begin(), items.end());
    auto twice = std::adjacent_find(items.begin(), items.end());
    if (twice != items.end())
      return Invalid("member '", twice->target, "' stands twice under the role '", twice->label,
                     "'");
  }

  WriteBatch& batch = builder_.batch();
  const NodeRef event = builder_.Ref(name);
  batch.UpsertNode(event);
  SetColumns(name, event, columns);
  SetText(event, query);
  if (query) builder_.NoteNodeValue(name, "query", query->text);
  for (const JsonValue* v : patch)
    if (v->is_string() || v->is_number()) builder_.NoteNodeValue(name, v->key, v->text);
  if (list) {
    std::string all;
    for (const ListReplacement::Item& item : items) all += item.target + '\0' + item.label + '\0';
    builder_.NoteNodeValue(name, "list of members", all);
  }
  PLEXUS_TRY(builder_.PatchProperties(name, event, std::move(properties), props != nullptr));
  if (list) {
    std::optional<std::int64_t> created_at;
    for (const ColumnValue& c : columns)
      if (c.column == builtin::kCreatedAt && !c.clear) created_at = c.i64;
    builder_.ReplaceList(name, event, builtin::kMember, true, std::move(items));
    for (const Member& member : members) {
      WriteBatch::EdgeInput edge;
      edge.source = event;
      edge.target = builder_.Ref(member.node);
      builder_.NoteEnd(member.node);
      edge.kind = builtin::kMember;
      edge.label = member.role;
      edge.created_at = created_at;
      edge.properties = member.properties;
      batch.Link(edge);
    }
  }
  ++builder_.piece().events;
  builder_.piece().unknown += unknown;
  return {};
}

Status JsonRecord::AddOutcome(const JsonValue& key) {
  if (!key.is_string()) return WrongType(key, "an event's id");
  PLEXUS_ASSIGN(NodeName event_name, builder_.Name(key.text, builtin::kEvent));
  PLEXUS_ASSIGN(const JsonValue* type, TakeString("type", false));
  PLEXUS_ASSIGN(const JsonValue* source, TakeString("source", false));
  PLEXUS_ASSIGN(const JsonValue* notes, TakeString("notes", true));
  PLEXUS_ASSIGN(std::optional<std::int64_t> labeled_at, TakeTime("labeled_at"));
  if (!type || type->text.empty()) return Invalid("an outcome needs a \"type\"");
  PLEXUS_ASSIGN(const std::uint64_t unknown,
                CountUnknown(type->text, "outcome type", BuiltinOutcomeTypes(), builder_));
  if (labeled_at == kNoTime) labeled_at.reset();
  MemberList patch = {type};
  if (source) patch.push_back(source);
  if (const JsonValue* v = Take("confidence_delta")) {
    if (!v->is_number() && !v->is_null()) return WrongType(*v, "a number or null");
    patch.push_back(v);
  }
  const JsonValue* props = Take("props");
  PLEXUS_TRY(AppendProps(json_, props, patch));
  PLEXUS_ASSIGN(std::vector<ColumnValue> columns, TakeColumns());
  for (const ColumnValue& c : columns)
    if (c.column == builtin::kCreatedAt && labeled_at)
      return Invalid("an outcome's time is \"labeled_at\"; \"created_at\" is for one without");
  PLEXUS_ASSIGN(std::string properties, EncodeProperties(json_, patch));
  OutcomeContent content;
  content.event = DisplayName(event_name.key);
  content.type = type->text;
  if (source) content.source = source->text;
  content.labeled_at = labeled_at;
  if (notes && !notes->is_null()) content.notes = notes->text;
  PLEXUS_ASSIGN(content.rest, SplitProperties(properties));
  std::erase_if(content.rest, [](const auto& entry) {
    return entry.first == "type" || entry.first == "source" || entry.second == "null";
  });
  PLEXUS_ASSIGN(const std::string own_name, OutcomeNameIn(builder_.context().start, content));
  PLEXUS_ASSIGN(NodeName name, builder_.Name(own_name, builtin::kOutcome));

  WriteBatch& batch = builder_.batch();
  const NodeRef outcome = builder_.Ref(name);
  batch.UpsertNode(outcome);
  SetColumns(name, outcome, columns);
  if (labeled_at) batch.SetI64(outcome, builtin::kCreatedAt, *labeled_at);
  SetText(outcome, notes);
  PLEXUS_TRY(builder_.PatchProperties(name, outcome, std::move(properties), props != nullptr));
  WriteBatch::EdgeInput edge;
  edge.source = outcome;
  edge.target = builder_.Ref(event_name);
  edge.kind = builtin::kLabels;
  edge.created_at = labeled_at;
  batch.Link(edge);
  ++builder_.piece().outcomes;
  builder_.piece().unknown += unknown;
  return {};
}

}  // namespace plexus::formats::internal
