// Lines to records, and what all records share.
#include "storage/formats/json/json_lines.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/times.h"
#include "storage/formats/base/properties.h"
#include "storage/formats/json/json_edges.h"

namespace plexus::formats::internal {

namespace {

constexpr std::array<std::string_view, 16> kReservedKeys = {
    "node", "edge",   "event", "outcome", "vector", "unlink", "remove",  "purge",
    "kind", "column", "space", "text",    "tags",   "props",  "members", "label"};

}  // namespace

bool IsReservedKey(std::string_view name) {
  return std::find(kReservedKeys.begin(), kReservedKeys.end(), name) != kReservedKeys.end();
}

std::size_t JsonLinesParser::Parse(std::string_view text, std::uint64_t first_line,
                                   const ParseContext& context, Piece& piece) const {
  const std::size_t most = PlainLineBytes(*context.options);
  return TakeObjectLines(
      text, first_line, context, piece,
      [](JsonParser& json, const JsonValue& root, std::uint64_t, BatchBuilder& builder) {
        return JsonRecord(json, root, builder).Add();
      },
      [&](std::string_view line, std::uint64_t number, BatchBuilder& builder) {
        Row row = {};
        RowValues values;
        row.line = number;
        return line.size() < most && ReadPlainEdge(line, row, values) &&
               builder.LinkPlain(row, values);
      });
}

std::unexpected<Error> WrongType(const JsonValue& value, std::string_view expected) {
  const bool number =
      value.type == JsonType::kInt || value.type == JsonType::kDouble;  // as it is written
  return Invalid(
      "\"", value.key.substr(0, 80), "\" must be ", expected, ", got ",
      (number ? std::string(value.text.substr(0, 40)) : std::string(JsonTypeName(value.type))));
}

Status CheckString(const JsonValue& value) {
  if (value.text.size() <= Limits::kMaxStringBytes &&
      value.text.find('\0') == std::string_view::npos)
    return {};
  return Invalid("\"", value.key, "\" is over ", Limits::kMaxStringBytes, " bytes or holds U+0000");
}

std::optional<std::int64_t> JsonToInt(const JsonValue& value) {
  if (value.type == JsonType::kInt) return value.i;
  if (value.type == JsonType::kDouble && std::trunc(value.d) == value.d &&
      std::fabs(value.d) < 9007199254740992.0)
    return static_cast<std::int64_t>(value.d);
  return std::nullopt;
}

Status JsonRecord::Add() {
  using Adder = Status (JsonRecord::*)(const JsonValue&);
  struct Sort {
    std::string_view key;
    Adder add;
  };
  static constexpr Sort kSorts[] = {{"node", &JsonRecord::AddNode},
                                    {"edge", &JsonRecord::AddEdge},
                                    {"event", &JsonRecord::AddEvent},
                                    {"outcome", &JsonRecord::AddOutcome},
                                    {"vector", &JsonRecord::AddVector},
                                    {"unlink", &JsonRecord::AddUnlink},
                                    {"remove", nullptr},
                                    {"purge", nullptr},
                                    {"column", &JsonRecord::DefineColumn}};
  const JsonValue* found = nullptr;
  const Sort* sort = nullptr;
  for (const Sort& s : kSorts) {
    if (s.key == "outcome" && sort && sort->key == "node") continue;  // a column of the node
    const JsonValue* v = Take(s.key);
    if (!v) continue;
    if (found)
      return Invalid("a record is one of \"", found->key, "\" and \"", v->key, "\", not both");
    found = v;
    sort = &s;
  }
  if (found && !sort->add) return AddRemoval(*found, sort->key == "purge");
  if (found) return (this->*sort->add)(*found);
  if (const JsonValue* space = Take("space")) return DefineSpace(*space);
  if (const JsonValue* kind = Take("kind")) return DefineKind(*kind);
  return Invalid(
      "not a record: expected one of the keys node, edge, event, outcome, vector, unlink, "
      "remove, purge, kind, column, space");
}

const JsonValue* JsonRecord::Take(std::string_view key) {
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (!taken_[i] && members_[i].key == key) {
      taken_[i] = true;
      return &members_[i];
    }
  return nullptr;
}

Result<const JsonValue*> JsonRecord::TakeString(std::string_view key, bool null_allowed) {
  const JsonValue* v = Take(key);
  if (v && !v->is_string() && !(null_allowed && v->is_null()))
    return WrongType(*v, null_allowed ? "a string or null" : "a string");
  return v;
}

Result<std::optional<bool>> JsonRecord::TakeBool(std::string_view key) {
  const JsonValue* v = Take(key);
  if (!v) return std::nullopt;
  if (v->type != JsonType::kBool) return WrongType(*v, "true or false");
  return v->boolean;
}

Result<std::optional<std::int64_t>> JsonRecord::TakeTime(std::string_view key) {
  const JsonValue* v = Take(key);
  if (!v) return std::nullopt;
  if (v->is_null()) return kNoTime;
  PLEXUS_ASSIGN(const std::int64_t time, ReadTime(*v));
  return time;
}

Result<std::int64_t> JsonRecord::ReadTime(const JsonValue& value) const {
  const auto time = value.is_string() ? ParseIsoTime(value.text) : JsonToInt(value);
  if (!time || *time == kNoTime)
    return WrongType(value,
                     "a time (milliseconds since 1970, or text as 2026-11-21T22:05:00Z) or null");
  builder_.NoteTime(value.key, *time);
  return *time;
}

Result<std::optional<std::string>> JsonRecord::TakeProperties() {
  const JsonValue* v = Take("props");
  if (!v) return std::nullopt;
  if (v->is_null()) return std::string();
  if (v->type != JsonType::kObject) return WrongType(*v, "an object or null");
  return EncodeObject(json_, *v);
}

Result<ColumnValue> JsonRecord::ReadColumn(ColumnId id, const JsonValue& value) const {
  ColumnValue out;
  out.column = id;
  if (value.is_null()) {
    out.clear = true;
    return out;
  }
  switch (builder_.schema().columns()[id].type) {
    case ColumnType::kF64:
      if (!value.is_number()) return WrongType(value, "a number or null");
      out.f64 = value.number();
      return out;
    case ColumnType::kI64: {
      if (IsTimeColumn(id)) {
        PLEXUS_ASSIGN(out.i64, ReadTime(value));
        return out;
      }
      auto i = value.is_string() ? ParseIsoTime(value.text) : JsonToInt(value);
      if (!i || *i == kNoTime)
        return WrongType(value, "an integer, a time as 2026-11-21T22:05:00Z, or null");
      out.i64 = *i;
      return out;
    }
    case ColumnType::kString:
      if (!value.is_string()) return WrongType(value, "a string or null");
      PLEXUS_TRY(CheckString(value));
      out.text = value.text;
      return out;
  }
  return Invalid("unknown column type");
}

Result<std::vector<ColumnValue>> JsonRecord::TakeColumns() {
  PLEXUS_ASSIGN(std::vector<ColumnValue> out, TakeColumnValues(Misfits::kRefused));
  PLEXUS_TRY(NothingLeft());
  return out;
}

Result<std::vector<ColumnValue>> JsonRecord::TakeColumnValues(Misfits misfits) {
  std::vector<ColumnValue> out;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (taken_[i]) continue;
    auto id = builder_.schema().FindColumn(members_[i].key);
    if (!id) continue;
    Result<ColumnValue> value = ReadColumn(*id, members_[i]);
    if (!value && misfits == Misfits::kProperties && IsLaterColumn(*id)) continue;
    if (!value) return std::unexpected(value.error());
    taken_[i] = true;
    out.push_back(*value);
  }
  return out;
}

Status JsonRecord::NothingLeft() const {
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (!taken_[i])
      return Invalid("unknown key \"", members_[i].key.substr(0, 80),
                     "\": not an attribute of this record and not a column; other data goes into "
                     "\"props\"");
  return {};
}

void JsonRecord::SetColumns(const NodeName& of, NodeRef node,
                            const std::vector<ColumnValue>& values) {
  builder_.SetColumns(node, values);
  for (const ColumnValue& v : values) {
    const Column& column = builder_.schema().columns()[v.column];
    const std::string number = column.type == ColumnType::kF64   ? std::to_string(v.f64)
                               : column.type == ColumnType::kI64 ? std::to_string(v.i64)
                                                                 : std::string();
    builder_.NoteNodeValue(of, column.name, v.clear ? "" : number.empty() ? v.text : number);
  }
}

void JsonRecord::SetText(NodeRef node, const JsonValue* text) {
  if (text)
    PutPayload(builder_.batch(), node, NodeField::kText,
               text->is_null() ? std::string_view() : text->text);
}

}  // namespace plexus::formats::internal
