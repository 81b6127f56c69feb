// Rows to elements: names first, then the element parser's rules; see json_rows.h.
#include "storage/formats/json/json_rows.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "storage/formats/base/field_names.h"
#include "storage/formats/base/text.h"
#include "storage/formats/json/json_lines.h"

namespace plexus::formats::internal {

namespace {

// A field that was given another name, and what it was called.
struct Renamed {
  std::string_view meaning, in_file;
};

class JsonRow {
 public:
  JsonRow(const JsonParser& json, const JsonValue& root, BatchBuilder& builder)
      : json_(json), builder_(builder) {
    for (const JsonValue& member : json.children(root))
      (member.is_null() ? nulls_ : fields_).push_back(member);
  }

  Status Add() {
    Status ok = AddNamed();
    if (ok) return ok;
    std::string message = std::move(ok.error().message);
    for (const Renamed& r : renamed_)  // errors speak of what the field means
      if (message.contains("\"" + std::string(r.meaning) + "\""))
        message += " (\"" + std::string(r.meaning) + "\" is \"" + std::string(r.in_file) +
                   "\" in the row)";
    return Invalid(message);
  }

 private:
  Status AddNamed() {
    const std::size_t limit = builder_.context().options->limits.columns;
    if (fields_.size() > limit) return Invalid("more than ", limit, " fields");
    PLEXUS_TRY(RenameGiven());
    TakeApoc();
    MemoryRow sort = MemoryRowOf(
        [&](std::string_view n) { return FindMember(fields_, n) || FindMember(nulls_, n); });
    if (sort == MemoryRow::kTurn) {
      ReadNumbers();
      if (!MayBeTurn()) sort = MemoryRow::kNone;
    }
    if (sort != MemoryRow::kNone) return AddMemoryRow(sort);
    const bool edge = Has(EdgeFieldNames(), "source") && Has(EdgeFieldNames(), "target");
    if (!edge && !Has(NodeFieldNames(), "id"))
      return Invalid(
          "expected two ends (source_id and target_id, from_id and to_id, source and target) or "
          "a key (id, key)");
    RenameOthers(edge ? EdgeFieldNames() : NodeFieldNames());
    PLEXUS_TRY(CheckText("kind"));
    if (edge) {
      PLEXUS_TRY(CheckKey("source", EdgeFieldNames(), true));
      PLEXUS_TRY(CheckKey("target", EdgeFieldNames(), true));
      return AddEdge();
    }
    PLEXUS_TRY(CheckKey("id", NodeFieldNames(), false));
    PLEXUS_TRY(CheckText("text"));
    return AddNode();
  }

  // What Neo4j's APOC calls node and relationship. The ids of the two are apart: an edge has none.
  void TakeApoc() {
    const JsonValue* type = FindMember(fields_, "type");
    if (!type || !type->is_string()) return;
    const auto end_of = [&](std::string_view name) {
      const JsonValue* end = FindMember(fields_, name);
      return end && end->type == JsonType::kObject ? json_.Find(*end, "id") : nullptr;
    };
    const JsonValue *start = end_of("start"), *end = end_of("end");
    const bool edge = type->text == "relationship" && start && end;
    JsonValue* labels = FindMember(fields_, "labels");
    if (!edge && (type->text != "node" || !labels || labels->type != JsonType::kArray)) return;
    Members made;
    const auto add = [&](JsonValue value, std::string_view key) {
      value.key = key;
      made.push_back(value);
    };
    if (edge) {
      add(*start, "source");
      add(*end, "target");
      if (const JsonValue* kind = FindMember(fields_, "label")) add(*kind, "kind");
    } else {
      if (const JsonValue* id = FindMember(fields_, "id")) add(*id, "id");
      if (labels->count > 0) add(json_.children(*labels)[0], "kind");
      if (labels->count > 1) add(*labels, "labels");
    }
    if (const JsonValue* properties = FindMember(fields_, "properties")) add(*properties, "props");
    fields_ = std::move(made);
  }

  // All records of the row or none: they are tried on a piece of their own first.
  Status AddMemoryRow(MemoryRow sort) {
    PLEXUS_ASSIGN(const std::vector<std::string> records, RecordsOf(sort, json_, fields_));
    Piece trial;
    trial.schema_after = std::make_shared<const Schema>(builder_.schema());
    ParseContext context = builder_.context();
    context.touched = nullptr;
    BatchBuilder alone(context, trial);
    JsonParser json(builder_.context().options->limits.field_bytes);
    if (records.size() > 1)
      for (const std::string& record : records) PLEXUS_TRY(AddRecord(record, json, alone));
    for (const std::string& record : records) PLEXUS_TRY(AddRecord(record, json, builder_));
    return {};
  }
  static Status AddRecord(const std::string& record, JsonParser& json, BatchBuilder& builder) {
    PLEXUS_ASSIGN(const JsonValue* root, json.Parse(record));
    JsonRecord parsed(json, *root, builder);
    return json.Find(*root, "id") ? parsed.AddElementNode(0) : parsed.Add();
  }

  // Whether the row states no kind, or that of turns.
  bool MayBeTurn() {
    const JsonValue* kind = FindMember(fields_, "kind");
    if (!kind || !kind->is_string()) kind = FindMember(fields_, "type");
    if (!kind || !kind->is_string() || kind->text.empty() || kind->text == "turn") return true;
    for (const ColumnName& name : builder_.context().options->kind_names)
      if (name.in_file == kind->text) return name.meaning == "turn";
    return false;
  }

  // Numbers of columns that a table holds as text.
  void ReadNumbers() {
    const auto column_of = [&](std::string_view field) {
      for (const FieldName& name : NodeFieldNames())
        if (name.in_file == field) field = name.meaning;
      return builder_.schema().FindColumn(field);
    };
    for (JsonValue& field : fields_) {
      if (!field.is_string()) continue;
      const auto column = column_of(field.key);
      if (!column || builder_.schema().columns()[*column].type == ColumnType::kString) continue;
      JsonParser parser;
      const std::string_view key = field.key, digits = Trim(field.text);
      const auto number = parser.Parse(digits);
      if (!number || !(*number)->is_number()) continue;
      field = **number;
      field.key = key;
      field.text = digits;  // the parser's own go with it
    }
  }

  // What the import's options say that fields mean.
  Status RenameGiven() {
    const std::vector<ColumnName>& columns = builder_.context().options->columns;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const ColumnName& name = columns[i];
      std::string_view meaning = name.meaning;
      if (meaning == "key") meaning = "id";
      JsonValue* field = FindMember(fields_, name.in_file);
      if (builder_.context().columns && (field || FindMember(nulls_, name.in_file)))
        builder_.context().columns->Mark(i);
      if (!field || name.in_file == meaning) continue;
      if (FindMember(fields_, meaning))
        return Invalid("\"", name.in_file, "\" and \"", meaning, "\" mean the same here");
      Rename(*field, meaning);
    }
    return {};
  }

  // Whether a field, null or not, has one of the names for `meaning`.
  bool Has(std::span<const FieldName> names, std::string_view meaning) {
    return std::ranges::any_of(names, [&](const FieldName& name) {
      return name.meaning == meaning &&
             (FindMember(fields_, name.in_file) || FindMember(fields_, meaning) ||
              FindMember(nulls_, name.in_file));
    });
  }

  void RenameOthers(std::span<const FieldName> names) {
    for (const FieldName& name : names)
      if (!FindMember(fields_, name.meaning))
        if (JsonValue* field = FindMember(fields_, name.in_file)) Rename(*field, name.meaning);
  }

  void Rename(JsonValue& field, std::string_view meaning) {
    renamed_.push_back({meaning, field.key});
    field.key = meaning;
  }

  Status CheckText(std::string_view meaning) {
    const JsonValue* field = FindMember(fields_, meaning);
    if (field && !field->is_string()) return WrongType(*field, "a string");
    return {};
  }

  // A key that is null, or that the row has under a second name.
  Status CheckKey(std::string_view meaning, std::span<const FieldName> names, bool once) {
    const bool given = FindMember(fields_, meaning) != nullptr;
    for (const FieldName& name : names) {
      if (name.meaning != meaning) continue;
      if (!given && FindMember(nulls_, name.in_file))
        return Invalid("\"", name.in_file, "\" is null");
      if (once && name.in_file != meaning && FindMember(fields_, name.in_file))
        return Invalid("\"", name.in_file, "\" and \"", Spelling(meaning), "\" mean the same");
    }
    return {};
  }

  std::string Spelling(std::string_view meaning) const {
    const auto at = std::ranges::find(renamed_, meaning, &Renamed::meaning);
    return std::string(at == renamed_.end() ? meaning : at->in_file);
  }

  Status AddEdge() {
    if (IsAmbiguousEnd(Spelling("source")) || IsAmbiguousEnd(Spelling("target")))
      builder_.NoteAmbiguousEnds();
    return JsonRecord(json_, fields_, builder_).AddElementEdge({});
  }

  Status AddNode() {
    if (!FindMember(fields_, "kind") && !FindMember(fields_, "type")) AddKind();
    PLEXUS_ASSIGN(const std::vector<Related> related, TakeRelated());
    std::string key;
    if (const JsonValue* id = FindMember(fields_, "id")) key = id->text;
    std::vector<BatchBuilder::EdgeEnds> ends;
    for (const Related& other : related) {
      PLEXUS_ASSIGN(BatchBuilder::EdgeEnds two, builder_.Ends(key, other.key, "relates_to"));
      ends.push_back(std::move(two));
    }
    PLEXUS_TRY(JsonRecord(json_, fields_, builder_).AddElementNode(0));
    for (std::size_t i = 0; i < related.size(); ++i) {
      WriteBatch::EdgeInput edge;
      edge.weight = related[i].weight;
      PLEXUS_TRY(builder_.Link(ends[i], edge));
    }
    return {};
  }

  // The kind that a field of its own says.
  void AddKind() {
    const auto renamed = [&](std::string_view name) {
      return std::ranges::find(renamed_, name, &Renamed::in_file) != renamed_.end();
    };
    for (const FieldName& known : NodeFieldKinds()) {
      if (!FindMember(fields_, known.in_file) && !renamed(known.in_file)) continue;
      JsonValue kind;
      kind.type = JsonType::kString;
      kind.key = "kind";
      kind.text = known.meaning;
      fields_.push_back(kind);
      return;
    }
  }

  struct Related {
    std::string_view key;
    float weight = 1;
  };

  // What a decision's `related_to` names, if it is a list of ids or of objects with one; else it
  // stays a property.
  Result<std::vector<Related>> TakeRelated() {
    std::vector<Related> all;
    const JsonValue* list = FindMember(fields_, "related_to");
    if (!list || list->type != JsonType::kArray) return all;
    for (const JsonValue& item : json_.children(*list)) {
      if (item.is_string()) {
        all.push_back({item.text, 1});
        continue;
      }
      if (item.type != JsonType::kObject) return std::vector<Related>();
      const JsonValue* key = json_.Find(item, "id");
      const JsonValue* distance = json_.Find(item, "distance");
      if (!key || !key->is_string())
        return Invalid("\"related_to\": an item needs an \"id\", a string");
      if (distance && !distance->is_null() && !distance->is_number())
        return Invalid("\"related_to\": \"distance\" must be a number");
      const double away = distance && distance->is_number() ? distance->number() : 0.5;
      all.push_back({key->text, static_cast<float>(
                                    std::round(std::clamp(1 - away, 0.01, 1e6) * 1000) / 1000)});
    }
    std::erase_if(fields_, [](const JsonValue& field) { return field.key == "related_to"; });
    return all;
  }

  const JsonParser& json_;
  BatchBuilder& builder_;
  Members fields_, nulls_;
  std::vector<Renamed> renamed_;
};

}  // namespace

std::size_t JsonRowsParser::Parse(std::string_view text, std::uint64_t first_line,
                                  const ParseContext& context, Piece& piece) const {
  return TakeObjectLines(text, first_line, context, piece,
                         [](JsonParser& json, const JsonValue& root, std::uint64_t,
                            BatchBuilder& builder) { return AddJsonRow(json, root, builder); });
}

Status AddJsonRow(const JsonParser& json, const JsonValue& root, BatchBuilder& builder) {
  const std::string whole = WithJsonOfTexts(json, root);
  if (whole.empty()) return JsonRow(json, root, builder).Add();
  JsonParser parser(builder.context().options->limits.field_bytes);
  PLEXUS_ASSIGN(const JsonValue* row, parser.Parse(whole));
  return JsonRow(parser, *row, builder).Add();
}

Status AddJsonRow(std::string_view row, BatchBuilder& builder) {
  JsonParser json(builder.context().options->limits.field_bytes);
  PLEXUS_ASSIGN(const JsonValue* root, json.Parse(row));
  return AddJsonRow(json, *root, builder);
}

bool IsJsonRow(const JsonParser& json, const JsonValue& object) {
  const auto has = [&](std::string_view name) { return json.Find(object, name) != nullptr; };
  for (const std::string_view ours : {"node", "edge", "event", "vector", "unlink", "remove",
                                      "purge", "column", "space", "nodes", "links", "edges"})
    if (has(ours)) return false;
  if (MemoryRowOf(has) != MemoryRow::kNone) return true;
  const auto named = [&](std::span<const FieldName> names, std::string_view meaning) {
    return std::ranges::any_of(
        names, [&](const FieldName& name) { return name.meaning == meaning && has(name.in_file); });
  };
  return named(NodeFieldNames(), "id") ||
         (named(EdgeFieldNames(), "source") && named(EdgeFieldNames(), "target"));
}

}  // namespace plexus::formats::internal
