// Rows to records, as text: the parser of JSON lines checks what they say.
#include "storage/formats/json/json_rows.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/properties/json_writer.h"
#include "storage/formats/base/properties.h"
#include "storage/formats/base/text.h"
#include "storage/formats/json/json_lines.h"

namespace plexus::formats::internal {

namespace {

bool IsKey(const JsonValue& value) {
  return value.is_string() || value.type == JsonType::kInt || value.type == JsonType::kUint;
}

class RowFields {
 public:
  RowFields(const JsonParser& json, std::span<const JsonValue> row)
      : json_(json), row_(row), taken_(row.size()) {}

  // The field under the first of these names that it has, taken; null when it has none.
  const JsonValue* Take(std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names)
      for (std::size_t i = 0; i < row_.size(); ++i)
        if (!taken_[i] && (row_[i].key == name || row_[i].key == Camel(name))) {
          taken_[i] = true;
          return &row_[i];
        }
    return nullptr;
  }
  Result<std::string> Key(std::initializer_list<std::string_view> names) {
    const JsonValue* value = Take(names);
    if (!value) return Invalid("no \"", *names.begin(), "\"");
    if (!IsKey(*value)) return WrongType(*value, "a string or an integer");
    return std::string(value->text);
  }
  // The fields that are not taken.
  template <class Fn>
  void ForEachLeft(Fn&& fn) const {
    for (std::size_t i = 0; i < row_.size(); ++i)
      if (!taken_[i]) fn(row_[i]);
  }
  const JsonParser& json() const { return json_; }

 private:
  const JsonParser& json_;
  std::span<const JsonValue> row_;
  std::vector<bool> taken_;
};

// A record being written: members one after the other.
class Record {
 public:
  void Text(std::string_view name, std::string_view text) { Raw(name, JsonString(text)); }
  void Raw(std::string_view name, std::string_view json) {
    Name(name);
    out_ += json;
  }
  void Value(std::string_view name, const JsonParser& json, const JsonValue* value) {
    if (!value) return;
    Name(name);
    AppendJson(json, *value, out_);
  }
  // A number, also one that a table holds as text; a time, too.
  void Number(std::string_view name, const JsonParser& json, const JsonValue* value) {
    if (value && value->is_string()) {
      const std::string_view digits = Trim(value->text);
      JsonParser parser;
      const auto number = parser.Parse(digits);
      if (number && (*number)->is_number()) return Raw(name, digits);
    }
    Value(name, json, value);
  }
  std::string Done() { return out_ + "}"; }
  bool Has(std::string_view name) const { return std::ranges::find(names_, name) != names_.end(); }
  bool empty() const { return names_.empty(); }

 private:
  void Name(std::string_view name) {
    names_.emplace_back(name);
    AppendJsonKey(out_, name);
  }
  std::string out_ = "{";
  std::vector<std::string> names_;
};

// `props` with a row's free data: its other fields, and the members of its metadata. Names that
// `props` has, or that a record's own attributes have (`reserved`), stay in a property "metadata".
std::string WithFreeData(Record props, RowFields& row, bool reserved) {
  const JsonParser& json = row.json();
  const JsonValue* metadata = row.Take({"metadata"});
  Record nested;
  const auto add = [&](const JsonValue& value) {
    const bool own = reserved && IsReservedProperty(value.key);
    if (value.key != "metadata" && !own && !props.Has(value.key))
      return props.Value(value.key, json, &value);
    std::string name(value.key);
    while (nested.Has(name)) name += "_";
    nested.Value(name, json, &value);
  };
  row.ForEachLeft(add);
  if (metadata && metadata->type == JsonType::kObject) {
    for (const JsonValue& member : json.children(*metadata)) add(member);
  } else if (metadata && nested.empty()) {
    props.Value("metadata", json, metadata);
  } else if (metadata) {
    nested.Value("metadata", json, metadata);
  }
  if (!nested.empty()) props.Raw("metadata", nested.Done());
  return props.Done();
}

std::string EdgeRecord(std::string_view source, std::string_view target, std::string_view kind,
                       std::string_view more = {}) {
  return std::string("{\"edge\":[") + JsonString(source) + ',' + JsonString(target) +
         "],\"kind\":" + JsonString(kind) + std::string(more) + "}";
}

Result<std::string> EventOf(RowFields& row) {
  const JsonParser& json = row.json();
  Record event;
  PLEXUS_ASSIGN(const std::string id, row.Key({"id", "event_id"}));
  event.Text("event", id);
  for (const std::string_view name :
       {"tool", "mode", "query", "query_hash", "status", "output_preview"})
    event.Value(name, json, row.Take({name}));
  event.Number("confidence", json, row.Take({"confidence"}));
  event.Number("created_at", json, row.Take({"created_at"}));
  event.Raw("props", WithFreeData({}, row, true));
  return event.Done();
}

Result<std::string> MemberOf(RowFields& row) {
  const JsonParser& json = row.json();
  Record props;
  PLEXUS_ASSIGN(const std::string event, row.Key({"event_id"}));
  PLEXUS_ASSIGN(const std::string memory, row.Key({"memory_id"}));
  const JsonValue* role = row.Take({"role"});
  if (role && !role->is_string()) return WrongType(*role, "a string");
  for (const std::string_view name : {"rank", "trust", "score"})
    props.Number(name, json, row.Take({name}));
  props.Value("preview", json, row.Take({"preview"}));
  return EdgeRecord(event, memory, "member",
                    ",\"label\":" + JsonString(role ? role->text : "related") +
                        ",\"props\":" + WithFreeData(std::move(props), row, false));
}

Result<std::string> OutcomeOf(RowFields& row) {
  const JsonParser& json = row.json();
  Record outcome;
  PLEXUS_ASSIGN(const std::string event, row.Key({"event_id"}));
  outcome.Text("outcome", event);
  outcome.Value("type", json, row.Take({"outcome_type"}));
  outcome.Value("source", json, row.Take({"label_source"}));
  outcome.Value("notes", json, row.Take({"notes"}));
  outcome.Number("labeled_at", json, row.Take({"labeled_at", "created_at"}));
  outcome.Number("confidence_delta", json, row.Take({"confidence_delta"}));
  outcome.Raw("props", WithFreeData({}, row, true));
  return outcome.Done();
}

// A file of a turn's metadata: a path, or an object with one and what was done to it.
Result<std::string> FileEdge(const JsonParser& json, std::string_view turn, const JsonValue& file) {
  if (file.is_string()) return EdgeRecord(turn, file.text, "mentions");
  if (file.type != JsonType::kObject) return WrongType(file, "a path, or an object with \"path\"");
  const JsonValue *path = nullptr, *operation = nullptr;
  for (const std::string_view name : {"path", "file_path", "filePath", "file", "name"})
    if (!path) path = json.Find(file, name);
  for (const std::string_view name : {"operation", "op", "action"})
    if (!operation) operation = json.Find(file, name);
  if (!path || !path->is_string()) return Invalid("\"files\": a file needs a \"path\", a string");
  Record props;
  if (operation) props.Value("operation", json, operation);
  return EdgeRecord(turn, path->text, "mentions", ",\"props\":" + props.Done());
}

// "fix", or {"inscription" or "name": "fix", "category": "..."}; or a list of such.
Status InscriptionEdges(const JsonParser& json, std::string_view turn, const JsonValue& value,
                        std::vector<std::string>& records) {
  if (value.is_string()) {
    if (!value.text.empty()) records.push_back(EdgeRecord(turn, value.text, "inscribed"));
    return {};
  }
  if (value.type == JsonType::kArray) {
    for (const JsonValue& one : json.children(value))
      PLEXUS_TRY(InscriptionEdges(json, turn, one, records));
    return {};
  }
  const JsonValue *name = nullptr, *category = nullptr;
  if (value.type == JsonType::kObject) {
    for (const std::string_view member : {"inscription", "name", "type"})
      if (!name) name = json.Find(value, member);
    category = json.Find(value, "category");
  }
  if (!name || !name->is_string())
    return Invalid("\"inscription\" is a name, or an object with \"name\" and \"category\"");
  Record props;
  if (category) props.Value("category", json, category);
  records.push_back(EdgeRecord(turn, name->text, "inscribed", ",\"props\":" + props.Done()));
  return {};
}

// What a turn's other field is called as a field of a node: validFrom is valid_from.
std::string_view NameInNode(const Record& turn, std::string_view name) {
  for (const FieldName& known : NodeFieldNames())
    if (known.in_file == name && !turn.Has(known.meaning)) return known.meaning;
  return name;
}

Status TurnOf(RowFields& row, std::vector<std::string>& records) {
  const JsonParser& json = row.json();
  Record turn;
  PLEXUS_ASSIGN(const std::string id, row.Key({"id", "turn_id", "message_id"}));
  PLEXUS_ASSIGN(const std::string session, row.Key({"session_id"}));
  turn.Text("id", id);
  turn.Text("kind", "turn");
  row.Take({"kind", "type"});  // another one is no turn
  const JsonValue* text = row.Take({"text", "content", "message"});
  if (text && !text->is_string()) return WrongType(*text, "a string");
  turn.Value("text", json, text);
  turn.Number("created_at", json, row.Take({"created_at", "timestamp"}));
  if (const JsonValue* tags = row.Take({"tags"})) turn.Value("tags", json, tags);
  const JsonValue* embedding = row.Take({"embedding", "vector"});
  const JsonValue* inscription = row.Take({"inscription", "inscriptions"});
  const JsonValue* metadata = row.Take({"metadata"});
  std::vector<std::string> edges = {EdgeRecord(id, session, "in_session")};
  if (metadata && metadata->type == JsonType::kObject) {
    Record rest;
    for (const JsonValue& member : json.children(*metadata)) {
      if (member.key == "files" && member.type == JsonType::kArray) {
        for (const JsonValue& file : json.children(member)) {
          PLEXUS_ASSIGN(std::string edge, FileEdge(json, id, file));
          edges.push_back(std::move(edge));
        }
      } else if (member.key == "inscription" && !inscription) {
        inscription = &member;
      } else {
        rest.Value(member.key, json, &member);
      }
    }
    const std::string left = rest.Done();
    if (left != "{}") turn.Raw("metadata", left);
  } else {
    turn.Value("metadata", json, metadata);
  }
  if (inscription && !inscription->is_null())
    PLEXUS_TRY(InscriptionEdges(json, id, *inscription, edges));
  row.ForEachLeft([&](const JsonValue& left) {
    const std::string_view name = NameInNode(turn, left.key);
    turn.Value(turn.Has(name) ? left.key : name, json, &left);
  });
  records.push_back(turn.Done());
  records.insert(records.end(), edges.begin(), edges.end());
  if (embedding) {
    Record vector;
    vector.Text("vector", id);
    vector.Value("values", json, embedding);
    records.push_back(vector.Done());
  }
  return {};
}

}  // namespace

void AppendJson(const JsonParser& json, const JsonValue& value, std::string& out) {
  switch (value.type) {
    case JsonType::kNull:
      out += "null";
      return;
    case JsonType::kBool:
      out += value.boolean ? "true" : "false";
      return;
    case JsonType::kInt:
    case JsonType::kUint:
    case JsonType::kDouble:
      out += value.text;
      return;
    case JsonType::kString:
      return AppendJsonString(out, value.text);
    case JsonType::kArray:
      return AppendJsonList(out, json.children(value),
                            [&](const JsonValue& child) { AppendJson(json, child, out); });
    case JsonType::kObject:
      out += '{';
      for (const JsonValue& child : json.children(value)) {
        AppendJsonKey(out, child.key);
        AppendJson(json, child, out);
      }
      out += '}';
  }
}

Result<std::vector<std::string>> RecordsOf(MemoryRow sort, const JsonParser& json,
                                           std::span<const JsonValue> row) {
  RowFields fields(json, row);
  std::vector<std::string> records;
  if (sort == MemoryRow::kTurn) {
    PLEXUS_TRY(TurnOf(fields, records));
    return records;
  }
  PLEXUS_ASSIGN(std::string record, sort == MemoryRow::kEvent    ? EventOf(fields)
                                    : sort == MemoryRow::kMember ? MemberOf(fields)
                                                                 : OutcomeOf(fields));
  records.push_back(std::move(record));
  return records;
}

std::string WithJsonOfTexts(const JsonParser& json, const JsonValue& root) {
  constexpr std::array<std::string_view, 8> kNames = {"metadata",    "tags",    "related_to",
                                                      "relatedTo",   "props",   "embedding",
                                                      "inscription", "vector"};
  const auto holds_json = [&](const JsonValue& member) {
    const std::string_view value = member.is_string() ? Trim(member.text) : std::string_view();
    return (value.starts_with('{') || value.starts_with('[')) &&
           std::ranges::find(kNames, member.key) != kNames.end() && JsonParser().Parse(value);
  };
  if (std::ranges::none_of(json.children(root), holds_json)) return {};
  std::string text = "{";
  for (const JsonValue& member : json.children(root)) {
    AppendJsonKey(text, member.key);
    if (holds_json(member))
      text += Trim(member.text);
    else
      AppendJson(json, member, text);
  }
  return text + "}";
}

}  // namespace plexus::formats::internal
