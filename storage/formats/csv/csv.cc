// Rows of a table to operations; see csv.h. Header and records are read in csv_header.cc.
#include "storage/formats/csv/csv.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "engine/properties/json_writer.h"
#include "engine/times.h"
#include "storage/formats/base/decimal.h"
#include "storage/formats/base/json_tree.h"
#include "storage/formats/base/properties.h"
#include "storage/formats/base/text.h"
#include "storage/formats/pipeline/record_parser.h"

namespace plexus::formats::internal {

using namespace engine_internal;

namespace {

template <class T>
Result<T> Number(std::string_view name, std::string_view cell) {
  cell = Trim(cell);
  T value{};
  bool good = ReadWhole(cell, value);
  if constexpr (std::is_floating_point_v<T>) good = good && std::isfinite(value);
  if constexpr (std::is_same_v<T, std::int64_t>) good = good && value != kNoTime;
  if (!good)
    return Invalid("column ", Quoted(name), ": ", Quoted(cell), " is not ",
                   std::is_floating_point_v<T> ? "a finite number" : "an integer");
  return value;
}

// Milliseconds, or ISO 8601.
Result<std::int64_t> Time(std::string_view name, std::string_view cell, BatchBuilder& builder) {
  cell = Trim(cell);
  if (const auto iso = ParseIsoTime(cell)) return *iso;
  std::int64_t time = 0;
  if (!ReadWhole(cell, time) || time == kNoTime)
    return Invalid("column ", Quoted(name), ": ", Quoted(cell),
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
  if (ReadWhole(cell, i)) {
    AppendNumber(spelled, i);
    return spelled == cell;
  }
  double d = 0;
  if (!ReadWhole(cell, d) || !std::isfinite(d)) return false;
  AppendJsonDouble(spelled, d);
  return spelled == cell;
}

}  // namespace

std::string_view CsvParser::KeyCell(const CsvRow& row, Field field) const {
  const std::string_view cell = Cell(row, field);
  return row.quoted(cell) ? cell : Trim(cell);
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
      ok = Invalid("record over ", limits_.line_bytes, " bytes");
    if (ok && row.cells.size() != columns_.size())
      ok = Invalid("expected ", columns_.size(), " cells as in the header, got ", row.cells.size());
    if (ok && !IsValidUtf8(record)) ok = Invalid("not valid UTF-8");
    if (ok && record.find('\0') != std::string_view::npos) ok = Invalid("contains a NUL byte");
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
      return Invalid("column \"weight\": ", Quoted(cell), " is not a finite number within f32");
    if (IsBelowZero(cell)) return Invalid("weight ", Quoted(cell), " is negative");
    edge.weight = *weight + 0.0f;  // -0 becomes 0
  }
  for (const auto& [field, name, to] :
       {std::tuple(Field::kCreatedAt, "created_at", &edge.created_at),
        std::tuple(Field::kValidFrom, "valid_from", &edge.valid_from),
        std::tuple(Field::kValidUntil, "valid_until", &edge.valid_until)})
    if (const auto cell = Cell(row, field); !cell.empty())
      PLEXUS_SET(*to, Time(name, cell, builder));
  edge.label = Cell(row, Field::kLabel);
  if (auto cell = Cell(row, Field::kCreatedBy); !cell.empty()) edge.created_by = cell;
  if (edge.label.size() > Limits::kMaxStringBytes ||
      edge.created_by.value_or("").size() > Limits::kMaxStringBytes)
    return Invalid("label or created_by over ", Limits::kMaxStringBytes, " bytes");
  PLEXUS_ASSIGN(std::optional<std::string> properties, Properties(row, nullptr));
  if (properties) edge.properties = *properties;
  return builder.Link(ends, edge);
}

Status CsvParser::AddNode(const CsvRow& row, BatchBuilder& builder) const {
  const Schema& schema = builder.schema();
  const std::string_view kind = builder.KindCalled(Trim(Cell(row, Field::kKind)));
  PLEXUS_ASSIGN(const NodeName name, builder.NameOfKind(KeyCell(row, Field::kKey), kind));
  std::vector<ColumnValue> values;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].field != Field::kOther || row.cells[i].empty()) continue;
    const auto id = schema.FindColumn(columns_[i].name);
    if (!id || StaysProperty(schema, *id, row.cells[i])) continue;
    ColumnValue value;
    value.column = *id;
    switch (schema.columns()[*id].type) {
      case ColumnType::kF64: {
        PLEXUS_ASSIGN(value.f64, Number<double>(columns_[i].name, row.cells[i]));
        break;
      }
      case ColumnType::kI64: {
        if (IsTimeColumn(*id))
          PLEXUS_SET(value.i64, Time(columns_[i].name, row.cells[i], builder));
        else if (const auto iso = ParseIsoTime(Trim(row.cells[i])))
          value.i64 = *iso;
        else
          PLEXUS_SET(value.i64, Number<std::int64_t>(columns_[i].name, row.cells[i]));
        break;
      }
      case ColumnType::kString:
        value.text = WithoutFormulaGuard(row.cells[i]);
        if (value.text.size() > Limits::kMaxStringBytes)
          return Invalid("column ", Quoted(columns_[i].name), " is over ", Limits::kMaxStringBytes,
                         " bytes");
        break;
    }
    values.push_back(value);
  }
  std::vector<NodeName> tags;
  for (const std::string& tag : ReadTagList(Cell(row, Field::kTags))) {
    PLEXUS_ASSIGN(NodeName tag_name, builder.Name(tag, builtin::kTag));
    tags.push_back(std::move(tag_name));
  }
  if (tags.size() > limits_.tags) return Invalid("more than ", limits_.tags, " tags");
  PLEXUS_ASSIGN(std::optional<std::string> properties, Properties(row, &schema));

  PLEXUS_TRY(builder.CheckValidTimes(values));

  WriteBatch& batch = builder.batch();
  const NodeRef node = builder.Ref(name);
  PLEXUS_TRY(builder.Upsert(name, node, kind));
  if (!kind.empty()) builder.NoteNodeValue(name, "kind", kind);
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (!row.cells[i].empty() &&
        (columns_[i].field == Field::kText || columns_[i].field == Field::kOther ||
         columns_[i].field == Field::kProps))
      builder.NoteNodeValue(name, columns_[i].name, row.cells[i]);
  builder.SetColumns(node, values);
  if (auto text = Cell(row, Field::kText); !text.empty())
    batch.SetPayload(node, NodeField::kText, text);
  if (properties && !properties->empty())
    batch.SetPayload(node, NodeField::kProperties, *properties);
  if (!tags.empty()) builder.ReplaceTags(name, node, tags);
  return {};
}

}  // namespace plexus::formats::internal
