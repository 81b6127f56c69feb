// Rows of a table to operations; see csv.h. The record reader is in csv_row.cc.
#include "storage/formats/csv/csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/properties/json_writer.h"
#include "engine/times.h"
#include "storage/formats/base/ascii.h"
#include "storage/formats/base/decimal.h"
#include "storage/formats/base/field_names.h"
#include "storage/formats/base/json_check.h"
#include "storage/formats/base/linked_kind.h"
#include "storage/formats/base/properties.h"
#include "storage/formats/base/property_map.h"
#include "storage/formats/base/tag_list.h"

namespace plexus::formats_internal {

namespace {

std::unexpected<Error> Bad(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

std::string Quoted(std::string_view s) { return "\"" + std::string(s.substr(0, 80)) + "\""; }

template <class T>
Result<T> Number(std::string_view name, std::string_view cell) {
  cell = Trim(cell);
  T value{};
  auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  bool good = error == std::errc() && end == cell.data() + cell.size();
  if constexpr (std::is_floating_point_v<T>) good = good && std::isfinite(value);
  if constexpr (std::is_same_v<T, std::int64_t>) good = good && value != kNoTime;
  if (!good)
    return Bad("column " + Quoted(name) + ": " + Quoted(cell) + " is not " +
               (std::is_floating_point_v<T> ? "a finite number" : "an integer"));
  return value;
}

// Milliseconds, or ISO 8601.
Result<std::int64_t> Time(std::string_view name, std::string_view cell, BatchBuilder& builder) {
  cell = Trim(cell);
  if (const auto iso = ParseIsoTime(cell)) return *iso;
  std::int64_t time = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), time);
  if (error != std::errc() || end != cell.data() + cell.size() || time == kNoTime)
    return Bad("column " + Quoted(name) + ": " + Quoted(cell) +
               " is no time; expected milliseconds since 1970, or 2026-11-21T22:05:00Z");
  builder.NoteTime(name, time);
  return time;
}

// Spelled as export spells a number, so that nothing is lost by taking it for one.
bool IsCanonicalNumber(std::string_view cell) {
  if (cell.empty() || cell.size() > 32 || !(cell[0] == '-' || (cell[0] >= '0' && cell[0] <= '9')))
    return false;
  std::string spelled;
  std::int64_t i = 0;
  auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), i);
  if (error == std::errc() && end == cell.data() + cell.size()) {
    AppendNumber(spelled, i);
    return spelled == cell;
  }
  double d = 0;
  auto [dend, derror] = std::from_chars(cell.data(), cell.data() + cell.size(), d);
  if (derror != std::errc() || dend != cell.data() + cell.size() || !std::isfinite(d)) return false;
  AppendJsonDouble(spelled, d);
  return spelled == cell;
}

// Gives the header's columns the names that they mean. Another file may have what this one lacks.
void Rename(std::vector<std::string>& names, const std::vector<ColumnName>& given, ColumnUse* use) {
  std::vector<std::string> renamed = names;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto found = std::ranges::find(names, given[i].in_file);
    if (found == names.end()) continue;
    renamed[static_cast<std::size_t>(found - names.begin())] = given[i].meaning;
    if (use) use->Mark(i);
  }
  names = std::move(renamed);
}

// What of ImportOptions::columns might help a header without key and ends.
std::string Hint(const std::vector<std::string>& names) {
  static constexpr std::string_view kEnds[][2] = {
      {"source", "target"}, {"from", "to"},        {"src", "dst"},  {"src", "dest"},
      {"start", "end"},     {"subject", "object"}, {"head", "tail"}};
  const auto find = [&](std::string_view name) {  // "Source Id" is a source
    return std::ranges::find_if(names, [&](const std::string& n) {
      return Lower(n) == name || (name.size() == 6 && Lower(n).starts_with(name));
    });
  };
  for (const auto& [source, target] : kEnds)
    if (find(source) != names.end() && find(target) != names.end())
      return "source=" + *find(source) + ",target=" + *find(target);
  const auto key = std::ranges::find_if(names, [](const std::string& n) {
    return Lower(n).ends_with("id") || Lower(n).ends_with("key");
  });
  return "key=" + *(key == names.end() ? names.begin() : key);
}

Result<std::vector<std::string>> HeaderNames(const CsvRow& header) {
  std::vector<std::string> names;
  for (std::string_view cell : header.cells) {
    const std::string_view name = Trim(cell);
    const std::string column = "header: column " + std::to_string(names.size() + 1);
    if (name.empty()) return Bad(column + " has no name");
    if (!IsValidUtf8(name) || name.find('\0') != std::string_view::npos)
      return Bad(column + ": its name is not valid UTF-8 without NUL");
    names.emplace_back(name);
  }
  return names;
}

// What another system calls the ends, kind and weight of an edge, where it has both ends so.
void RenameOthers(std::vector<std::string>& names) {
  const auto find = [&](std::string_view name) { return std::ranges::find(names, name); };
  const auto has_end = [&](std::string_view end) {
    return std::ranges::any_of(EdgeFieldNames(), [&](const FieldName& name) {
      return name.meaning == end && find(name.in_file) != names.end();
    });
  };
  if (!has_end("source") || !has_end("target") ||
      (find("source") != names.end() && find("target") != names.end()))
    return;
  for (const FieldName& name : EdgeFieldNames())
    if (const auto found = find(name.in_file);
        found != names.end() && find(name.meaning) == names.end())
      *found = name.meaning;
}

}  // namespace

Result<CsvParser> CsvParser::FromHeader(std::string_view text, char delimiter,
                                        const ImportLimits& limits,
                                        const std::vector<ColumnName>& names, ColumnUse* use,
                                        std::string* hint) {
  CsvParser parser;
  parser.limits_ = limits;
  const std::size_t length = CsvRecordLength(text);
  if (!delimiter) {
    // The one that occurs most in the header, outside of quotes.
    std::size_t best = 0;
    delimiter = ',';
    for (char candidate : {',', '\t', ';', '|'}) {
      CsvRow row;
      const Status read =
          ReadCsvRow(text.substr(0, length), candidate, limits.columns, limits.field_bytes, row);
      if (!read && row.cells.size() < limits.columns)
        continue;  // too many cells: it is this one, and reported below
      if (row.cells.size() > best) {
        best = row.cells.size();
        delimiter = candidate;
      }
    }
  }
  CsvRow header;
  parser.delimiter_ = delimiter;
  const Status read = ReadCsvRow(text, delimiter, limits.columns, limits.field_bytes, header);
  parser.header_bytes_ = header.length;
  Result<std::vector<std::string>> columns = std::vector<std::string>();
  if (read)
    columns = HeaderNames(header);
  else
    columns = std::unexpected(read.error());
  if (!columns) {
    for (std::size_t i = 0; use && i < names.size(); ++i) use->Mark(i);  // it may have them all
    return std::unexpected(columns.error());
  }
  const std::vector<std::string> in_file = *columns;
  Rename(*columns, names, use);
  Status taken = parser.ReadHeader(*std::move(columns), hint);
  if (taken) return parser;
  const Status as_named = CsvParser().ReadHeader(in_file, hint);  // in the file's own words
  return std::unexpected(as_named ? taken.error() : as_named.error());
}

Status CsvParser::ReadHeader(std::vector<std::string> names, std::string* hint) {
  ambiguous_ends_ = std::ranges::any_of(names, IsAmbiguousEnd);
  const auto named = [&](std::string_view n) { return std::ranges::count(names, n) > 0; };
  rows_ = MemoryRowOf(named) != MemoryRow::kNone;
  if (!rows_) RenameOthers(names);
  auto has = [&](std::string_view wanted) {
    return std::any_of(names.begin(), names.end(), [&](auto& n) { return Lower(n) == wanted; });
  };
  edges_ = has("source") && has("target");
  add_ = rows_ ? &CsvParser::AddRow : edges_ ? &CsvParser::AddEdge : &CsvParser::AddNode;
  if (!rows_ && !edges_ && !has("key") && !has("id")) {
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "\"" : ", \"") + name + "\"";
    if (hint) *hint = Hint(names);
    return Bad(
        "header: expected source and target (an edge table) or key or id (a node table), got " +
        all.substr(0, 200) + (all.size() > 200 ? " ..." : ""));
  }
  struct Known {
    std::string_view name;
    Field field;
    bool in_edges, in_nodes;
  };
  static constexpr Known kKnown[] = {{"source", Field::kSource, true, false},
                                     {"target", Field::kTarget, true, false},
                                     {"key", Field::kKey, false, true},
                                     {"id", Field::kKey, false, true},
                                     {"kind", Field::kKind, true, true},
                                     {"type", Field::kKind, true, true},
                                     {"weight", Field::kWeight, true, false},
                                     {"created_at", Field::kCreatedAt, true, false},
                                     {"label", Field::kLabel, true, false},
                                     {"created_by", Field::kCreatedBy, true, false},
                                     {"valid_from", Field::kValidFrom, true, false},
                                     {"valid_until", Field::kValidUntil, true, false},
                                     {"text", Field::kText, false, true},
                                     {"tags", Field::kTags, false, true},
                                     {"props", Field::kProps, true, true}};
  for (const std::string& name : names) {
    HeaderColumn column{name, Field::kOther};
    const std::string lower = Lower(name);
    for (const Known& k : kKnown)
      if (!rows_ && lower == k.name && (edges_ ? k.in_edges : k.in_nodes))
        column = {lower, k.field};
    for (const HeaderColumn& other : columns_) {
      const std::string place = "header: column " + std::to_string(columns_.size() + 1) + ": ";
      if (other.name == column.name) return Bad(place + Quoted(name) + " stands twice");
      if (other.field == column.field && column.field != Field::kOther)
        return Bad(place + Quoted(other.name) + " and " + Quoted(name) + " mean the same");
    }
    directions_ |= edges_ && column.field == Field::kKind && column.name == "type";
    columns_.push_back(std::move(column));
  }
  return {};
}

std::string_view CsvParser::KeyCell(const CsvRow& row, Field field) const {
  const std::string_view cell = Cell(row, field);
  return row.quoted(cell) ? cell : Trim(cell);
}

// A graph of films has kinds DIRECTED and Directed: a column that holds other kinds, too, or one
// such word that is not spelled as Gephi spells it, holds kinds.
void CsvParser::LookAtTypes(std::string_view rows, bool whole) {
  if (!directions_) return;
  bool any = false, as_gephi = false;
  for (CsvRow row; !rows.empty();) {
    const Status read = ReadCsvRow(rows, delimiter_, limits_.columns, limits_.field_bytes, row);
    if (row.length >= rows.size() && !whole) break;
    rows.remove_prefix(std::min(row.length, rows.size()));
    if (!read || row.cells.size() != columns_.size()) continue;
    const std::string_view cell = Trim(Cell(row, Field::kKind));
    if (cell.empty()) continue;
    const std::string type = Lower(cell);
    directions_ = type == "directed" || type == "undirected";
    if (!directions_) return;
    any = true;
    as_gephi |= cell == "Directed" || type == "undirected";
  }
  const auto is_gephis = [](const HeaderColumn& column) {
    const std::string name = Lower(column.name);
    return name == "id" || name == "label" || name == "timeset";
  };
  directions_ = any ? as_gephi : std::ranges::any_of(columns_, is_gephis);
}

Result<std::string_view> CsvParser::EdgeKindOf(const CsvRow& row, BatchBuilder& builder) const {
  const std::string_view kind = Trim(Cell(row, Field::kKind));
  if (kind.empty()) return std::string_view("link");
  if (!directions_) return kind;
  const std::string type = Lower(kind);
  if (type == "directed") return std::string_view("link");
  if (type != "undirected") {
    builder.Warn("type", "the column \"type\" is read as Gephi's direction of edges, but " +
                             Quoted(kind) + " is none and read as a kind");
    return kind;
  }
  if (!builder.schema().FindEdgeKind(kLinkedKind)) PLEXUS_TRY(builder.Define(LinkedKind()));
  return kLinkedKind;
}

std::string_view CsvParser::Cell(const CsvRow& row, Field field) const {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i].field == field) return WithoutFormulaGuard(row.cells[i]);
  return {};
}

std::size_t CsvParser::Parse(std::string_view text, std::uint64_t first_line,
                             const ParseContext& context, Piece& piece) const {
  BatchBuilder builder(context, piece);
  CsvRow row;
  std::size_t at = 0;
  std::uint64_t line = first_line;
  while (at < text.size() && piece.batch.op_count() < context.max_ops) {
    const std::string_view rest = text.substr(at);
    Status ok = ReadCsvRow(rest, delimiter_, limits_.columns, limits_.field_bytes, row);
    const std::string_view record = rest.substr(0, row.length);
    const bool blank =
        ok && row.cells.size() == 1 && Trim(row.cells[0]).empty() && record[0] != '"';
    at += row.length;
    const std::uint64_t record_line = line;
    line += std::count(record.begin(), record.end(), '\n');
    if (blank) continue;
    ++piece.records;
    builder.set_line(record_line);
    if (ambiguous_ends_) builder.NoteAmbiguousEnds();
    if (ok && record.size() > limits_.line_bytes)
      ok = Bad("record over " + std::to_string(limits_.line_bytes) + " bytes");
    if (ok && row.cells.size() != columns_.size())
      ok = Bad("expected " + std::to_string(columns_.size()) + " cells as in the header, got " +
               std::to_string(row.cells.size()));
    if (ok && !IsValidUtf8(record)) ok = Bad("not valid UTF-8");
    if (ok && record.find('\0') != std::string_view::npos) ok = Bad("contains a NUL byte");
    if (ok) ok = (this->*add_)(row, builder);
    if (!ok && !NoteError(context, piece, record_line, std::move(ok.error().message))) break;
  }
  return at;
}

namespace {

// What a column that was built in later cannot hold: tables of before mean a property.
bool StaysProperty(const Schema& schema, ColumnId column, std::string_view cell) {
  if (!IsLaterColumn(column)) return false;
  return schema.columns()[column].type == ColumnType::kF64 ? !Number<double>("", cell)
                                                           : cell.size() > Limits::kMaxStringBytes;
}

}  // namespace

Result<std::optional<std::string>> CsvParser::Properties(const CsvRow& row,
                                                         const Schema* columns) const {
  std::string json = "{";
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const HeaderColumn& column = columns_[i];
    if (column.field != Field::kOther || row.cells[i].empty()) continue;
    const auto id = columns ? columns->FindColumn(column.name) : std::nullopt;
    if (id && !StaysProperty(*columns, *id, row.cells[i])) continue;
    AppendJsonKey(json, column.name);
    const std::string_view cell = row.cells[i];
    if ((column.name == "metadata" && cell[0] == '{' && CheckJson(cell)) || IsCanonicalNumber(cell))
      json += row.cells[i];
    else
      AppendJsonString(json, WithoutFormulaGuard(row.cells[i]));
  }
  json += '}';
  const std::string_view props = Cell(row, Field::kProps);
  if (props.empty()) {
    if (json.size() == 2) return std::nullopt;
    return PropertiesFromJson(json);
  }
  PLEXUS_ASSIGN(std::string base, PropertiesFromJson(props));
  if (json.size() == 2) return base;
  PLEXUS_ASSIGN(std::string over, PropertiesFromJson(json));
  return MergeProperties(base, over);
}

Status CsvParser::AddEdge(const CsvRow& row, BatchBuilder& builder) const {
  PLEXUS_ASSIGN(const std::string_view kind, EdgeKindOf(row, builder));
  PLEXUS_ASSIGN(BatchBuilder::EdgeEnds ends,
                builder.Ends(KeyCell(row, Field::kSource), KeyCell(row, Field::kTarget), kind));
  WriteBatch::EdgeInput edge;
  if (auto cell = Cell(row, Field::kWeight); !cell.empty()) {
    cell = Trim(cell);
    const auto weight = ReadF32(cell);
    if (!weight)
      return Bad("column \"weight\": " + Quoted(cell) + " is not a finite number within f32");
    if (IsBelowZero(cell)) return Bad("weight " + Quoted(cell) + " is negative");
    edge.weight = *weight + 0.0f;  // -0 becomes 0
  }
  struct TimeField {
    Field field;
    std::string_view name;
    std::optional<std::int64_t>* to;
  };
  for (const TimeField& t : {TimeField{Field::kCreatedAt, "created_at", &edge.created_at},
                             TimeField{Field::kValidFrom, "valid_from", &edge.valid_from},
                             TimeField{Field::kValidUntil, "valid_until", &edge.valid_until}}) {
    if (auto cell = Cell(row, t.field); !cell.empty()) {
      PLEXUS_ASSIGN(*t.to, Time(t.name, cell, builder));
    }
  }
  edge.label = Cell(row, Field::kLabel);
  if (auto cell = Cell(row, Field::kCreatedBy); !cell.empty()) edge.created_by = cell;
  if (edge.label.size() > Limits::kMaxStringBytes ||
      edge.created_by.value_or("").size() > Limits::kMaxStringBytes)
    return Bad("label or created_by over " + std::to_string(Limits::kMaxStringBytes) + " bytes");
  PLEXUS_ASSIGN(std::optional<std::string> properties, Properties(row, nullptr));
  if (properties) edge.properties = *properties;
  return builder.Link(ends, edge);
}

Status CsvParser::AddNode(const CsvRow& row, BatchBuilder& builder) const {
  const Schema& schema = builder.schema();
  const std::string_view kind = builder.KindCalled(Trim(Cell(row, Field::kKind)));
  std::optional<NodeKindId> known;
  if (!kind.empty()) known = schema.FindNodeKind(kind);
  if (kind.size() > Limits::kMaxStringBytes) return Bad("a node kind's name is too long");
  if (!kind.empty() && !known) PLEXUS_TRY(builder.CheckNewNodeKind(kind));
  PLEXUS_ASSIGN(NodeName name,
                builder.Name(KeyCell(row, Field::kKey), known.value_or(kNoNodeKind)));
  if (!kind.empty() && name.is_index() && name.kind != known.value_or(kNoNodeKind))
    return Bad("the key names an index node of another kind than " + Quoted(kind));

  struct Value {
    ColumnId column{};
    double f64 = 0;
    std::int64_t i64 = 0;
    std::string_view text;
  };
  std::vector<Value> values;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].field != Field::kOther || row.cells[i].empty()) continue;
    const auto id = schema.FindColumn(columns_[i].name);
    if (!id || StaysProperty(schema, *id, row.cells[i])) continue;
    Value value;
    value.column = *id;
    switch (schema.columns()[*id].type) {
      case ColumnType::kF64: {
        PLEXUS_ASSIGN(value.f64, Number<double>(columns_[i].name, row.cells[i]));
        break;
      }
      case ColumnType::kI64: {
        if (IsTimeColumn(*id)) {
          PLEXUS_ASSIGN(value.i64, Time(columns_[i].name, row.cells[i], builder));
        } else if (const auto iso = ParseIsoTime(Trim(row.cells[i]))) {
          value.i64 = *iso;
        } else {
          PLEXUS_ASSIGN(value.i64, Number<std::int64_t>(columns_[i].name, row.cells[i]));
        }
        break;
      }
      case ColumnType::kString:
        value.text = WithoutFormulaGuard(row.cells[i]);
        if (value.text.size() > Limits::kMaxStringBytes)
          return Bad("column " + Quoted(columns_[i].name) + " is over " +
                     std::to_string(Limits::kMaxStringBytes) + " bytes");
        break;
    }
    values.push_back(value);
  }
  std::vector<NodeName> tags;
  for (const std::string& tag : ReadTagList(Cell(row, Field::kTags))) {
    PLEXUS_ASSIGN(NodeName tag_name, builder.Name(tag, kTag));
    tags.push_back(std::move(tag_name));
  }
  if (tags.size() > limits_.tags) return Bad("more than " + std::to_string(limits_.tags) + " tags");
  PLEXUS_ASSIGN(std::optional<std::string> properties, Properties(row, &schema));

  std::optional<std::int64_t> from, until;
  for (const Value& v : values) {
    if (v.column == kValidFrom) from = v.i64;
    if (v.column == kValidUntil) until = v.i64;
  }
  PLEXUS_TRY(builder.CheckValidTimes(from, until));

  WriteBatch& batch = builder.batch();
  const NodeRef node = builder.Ref(name);
  PLEXUS_TRY(builder.Upsert(name, node, kind));
  if (!kind.empty()) builder.NoteNodeValue(name, "kind", kind);
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (!row.cells[i].empty() &&
        (columns_[i].field == Field::kText || columns_[i].field == Field::kOther ||
         columns_[i].field == Field::kProps))
      builder.NoteNodeValue(name, columns_[i].name, row.cells[i]);
  for (const Value& v : values) {
    const ColumnRef column = v.column < kFirstUserColumn
                                 ? ColumnRef(v.column)
                                 : batch.ColumnNamed(schema.columns()[v.column].name);
    switch (schema.columns()[v.column].type) {
      case ColumnType::kF64:
        batch.SetF64(node, column, v.f64);
        break;
      case ColumnType::kI64:
        batch.SetI64(node, column, v.i64);
        break;
      case ColumnType::kString:
        batch.SetString(node, column, v.text);
        break;
    }
  }
  if (auto text = Cell(row, Field::kText); !text.empty())
    batch.SetPayload(node, NodeField::kText, text);
  if (properties && !properties->empty()) builder.SetProperties(node, *properties);
  if (!tags.empty()) {
    std::vector<ListReplacement::Item> items;
    for (const NodeName& tag : tags) items.push_back({tag.key, ""});
    builder.ReplaceList(name, node, kHasTag, false, std::move(items));
    for (const NodeName& tag : tags) {
      WriteBatch::EdgeInput edge;
      edge.source = node;
      edge.target = builder.Ref(tag);
      edge.kind = kHasTag;
      batch.Link(edge);
    }
  }
  return {};
}

}  // namespace plexus::formats_internal
