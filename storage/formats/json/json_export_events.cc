// Events and outcomes of a JSON lines export.
//
// An event or outcome that its own record cannot hold in full (attributes of other
// types, a key of another making) is written as a plain index node with edges.
#include <algorithm>
#include <tuple>

#include "engine/properties/json_writer.h"
#include "engine/properties/outcome_key.h"
#include "engine/vocabulary.h"
#include "storage/formats/base/properties.h"
#include "storage/formats/json/json_exporter.h"

namespace plexus::formats::internal {

using namespace engine_internal;

namespace {

constexpr std::string_view kEventAttributes[] = {"tool",   "mode",           "confidence",
                                                 "status", "output_preview", "query_hash"};
constexpr std::string_view kOutcomeAttributes[] = {"type", "source", "confidence_delta"};
constexpr std::string_view kMemberAttributes[] = {"rank", "trust", "score", "preview", "tags"};

bool IsNumber(std::string_view json) {
  return !json.empty() && (json[0] == '-' || (json[0] >= '0' && json[0] <= '9'));
}
bool IsString(std::string_view json) { return json.starts_with('"'); }

// Is `json` what the record's reader takes under `name`?
bool Fits(std::string_view name, std::string_view json) {
  if (name == "confidence" || name == "confidence_delta" || name == "rank" || name == "trust" ||
      name == "score")
    return IsNumber(json);
  if (name == "tags") return json.starts_with('[');
  return IsString(json);
}

template <std::size_t N>
bool Has(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// "helpful" out of its JSON spelling; only for strings without escapes.
std::string_view Unquoted(std::string_view json) { return json.substr(1, json.size() - 2); }

}  // namespace

Result<JsonExporter::EventShape> JsonExporter::ShapeOfEvent(NodeId node) const {
  EventShape shape;
  PLEXUS_ASSIGN(std::string properties, s_.PayloadOrEmpty(node, NodeField::kProperties));
  PLEXUS_ASSIGN(shape.props, SplitProperties(properties));
  shape.standard = TakeAttributes(kEventAttributes, shape);
  // Columns of a name that the record has for something else.
  for (std::string_view name : {"confidence", "outcome"})
    if (const auto column = s_.schema().FindColumn(name))
      shape.standard &=
          s_.column_bits(*column, node) == AbsentBits(s_.schema().columns()[*column].type);
  return shape;
}

Result<JsonExporter::EventShape> JsonExporter::ShapeOfOutcome(NodeId node) const {
  EventShape shape;
  PLEXUS_ASSIGN(std::string properties, s_.PayloadOrEmpty(node, NodeField::kProperties));
  PLEXUS_ASSIGN(shape.props, SplitProperties(properties));
  const std::vector<Edge> row = Row(node, ArcFilter::All());
  const bool good = TakeAttributes(kOutcomeAttributes, shape) && s_.alive(node) &&
                    row.size() == 1 && row[0].kind == builtin::kLabels && row[0].label == 0 &&
                    IsPlain(row[0]) && s_.node_kind(row[0].target) == builtin::kEvent &&
                    shape.attributes.contains("type");
  if (!good) return shape;
  shape.event = row[0].target;
  const std::string_view type = Unquoted(shape.attributes["type"]);
  const auto source = shape.attributes.find("source");
  const std::string_view source_text =
      source == shape.attributes.end() ? std::string_view() : Unquoted(source->second);
  const auto time = s_.i64(builtin::kCreatedAt, node);
  PLEXUS_ASSIGN(const std::string notes, s_.PayloadOrEmpty(node, NodeField::kText));
  OutcomeContent content{
      DisplayName(s_.key(shape.event)), type, source_text, time, notes, shape.props};
  for (const auto& [name, value] : shape.attributes)
    if (name != "type" && name != "source") content.rest[name] = value;
  auto named = [&](std::optional<std::int64_t> at) {
    content.labeled_at = at;
    const std::string_view name = DisplayName(s_.key(node));
    return name == OutcomeName(content) || name == OutcomeNameWithDigest(content);
  };
  shape.by_label_time = time && named(time);
  shape.standard = shape.by_label_time || named(std::nullopt);
  return shape;
}

bool JsonExporter::TakeAttributes(std::span<const std::string_view> names, EventShape& shape) {
  bool fit = true;
  for (const std::string_view name : names) {
    auto entry = shape.props.extract(std::string(name));
    if (!entry) continue;
    fit &= Fits(name, entry.mapped());
    shape.attributes.insert(std::move(entry));
  }
  for (const auto& [name, value] : shape.props) fit &= !IsReservedProperty(name);
  return fit;
}

void JsonExporter::AppendProps(const JsonProperties& map) {
  if (map.empty()) return;
  AppendJsonKey(sink_.text(), "props");
  sink_.text() += '{';
  AppendMap(map);
  sink_.text() += '}';
}

void JsonExporter::AppendMap(const JsonProperties& map) {
  for (const auto& [name, value] : map) {
    AppendJsonKey(sink_.text(), name);
    sink_.text() += value;
  }
}

// A member edge that a standard event's line holds in full.
Result<bool> JsonExporter::IsWrittenByMember(const Edge& e) const {
  Edge bare = e;
  bare.properties = {};
  if (!IsPlain(bare)) return false;
  PLEXUS_ASSIGN(std::string properties, EdgeProperties(e));
  PLEXUS_ASSIGN(JsonProperties map, SplitProperties(properties));
  return std::all_of(map.begin(), map.end(), [](const auto& entry) {
    return Has(kMemberAttributes, entry.first) && Fits(entry.first, entry.second);
  });
}

Status JsonExporter::AppendMembers(NodeId event) {
  struct Member {
    double rank;
    std::string_view role, key;
    JsonProperties attributes;
  };
  std::vector<Member> members;
  for (const Edge& e : Row(event, ArcFilter::Kind(s_.schema(), builtin::kMember))) {
    PLEXUS_ASSIGN(std::string properties, EdgeProperties(e));
    PLEXUS_ASSIGN(JsonProperties map, SplitProperties(properties));
    std::erase_if(map, [](const auto& entry) {
      return !Has(kMemberAttributes, entry.first) || !Fits(entry.first, entry.second);
    });
    double rank = 1e300;
    if (auto it = map.find("rank"); it != map.end())
      std::from_chars(it->second.data(), it->second.data() + it->second.size(), rank);
    members.push_back({rank, s_.string(e.label), s_.key(e.target), std::move(map)});
  }
  if (members.empty()) return {};
  std::sort(members.begin(), members.end(), [](const Member& a, const Member& b) {
    return std::tie(a.rank, a.role, a.key) < std::tie(b.rank, b.role, b.key);
  });
  std::string& out = sink_.text();
  AppendJsonKey(out, "members");
  AppendJsonList(out, members, [&](const Member& m) {
    out += '{';
    AppendJsonMember(out, "id", m.key);
    AppendJsonMember(out, "role", m.role);
    AppendMap(m.attributes);
    out += '}';
  });
  return {};
}

Status JsonExporter::WriteEvent(NodeId node, const EventShape& shape) {
  std::string& out = sink_.text();
  out += '{';
  AppendJsonKey(out, "event");
  AppendName(node, builtin::kEvent);
  AppendMap(shape.attributes);
  PLEXUS_TRY(AppendText(node, "query", "the query of event '", DisplayName(s_.key(node)), "' is"));
  if (s_.alive(node)) AppendColumns(node, false);
  PLEXUS_TRY(AppendMembers(node));
  AppendProps(shape.props);
  out += '}';
  return sink_.EndRow();
}

Status JsonExporter::WriteOutcome(NodeId node, const EventShape& shape) {
  std::string& out = sink_.text();
  out += '{';
  AppendJsonKey(out, "outcome");
  AppendName(shape.event, builtin::kEvent);
  AppendMap(shape.attributes);
  PLEXUS_TRY(AppendText(node, "notes", "the notes of an outcome are"));
  if (shape.by_label_time) AppendJsonMember(out, "labeled_at", *s_.i64(builtin::kCreatedAt, node));
  AppendColumns(node, shape.by_label_time);
  AppendProps(shape.props);
  out += '}';
  return sink_.EndRow();
}

Status JsonExporter::WriteEventsAndOutcomes() {
  for (NodeId v : events_) {
    PLEXUS_ASSIGN(EventShape shape, ShapeOfEvent(v));
    PLEXUS_TRY(WriteEvent(v, shape));
  }
  for (NodeId v : outcomes_) {
    PLEXUS_ASSIGN(EventShape shape, ShapeOfOutcome(v));
    PLEXUS_TRY(WriteOutcome(v, shape));
  }
  return {};
}

}  // namespace plexus::formats::internal
