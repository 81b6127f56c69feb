// What the columns of a table are, by its header and its first rows; see csv.h. One CSV record
// after RFC 4180, strictly: quotes open a cell or stand nowhere. One of a memory system as JSON.
#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/properties/json_writer.h"
#include "storage/formats/base/decimal.h"
#include "storage/formats/base/field_names.h"
#include "storage/formats/base/text.h"
#include "storage/formats/csv/csv.h"

namespace plexus::formats::internal {

namespace {

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
      {"source", "target"}, {"from", "to"},        {"src", "dst"},   {"src", "dest"},
      {"start", "end"},     {"subject", "object"}, {"head", "tail"}, {":start_id", ":end_id"}};
  const auto find = [&](std::string_view name) {  // "Source Id" is a source
    return std::ranges::find_if(names, [&](const std::string& n) {
      return Lower(n) == name || (name.size() == 6 && Lower(n).starts_with(name));
    });
  };
  for (const auto& [source, target] : kEnds)
    if (find(source) != names.end() && find(target) != names.end())
      return "source=" + *find(source) + ",target=" + *find(target) +
             (find(":type") != names.end() ? ",kind=" + *find(":type") : "");
  const auto key = std::ranges::find_if(names, [](const std::string& n) {
    return Lower(n).ends_with("id") || Lower(n).ends_with("key");
  });
  return "key=" + *(key == names.end() ? names.begin() : key);
}

Result<std::vector<std::string>> HeaderNames(const CsvRow& header) {
  std::vector<std::string> names;
  for (std::string_view cell : header.cells) {
    const std::string_view name = WithoutFormulaGuard(Trim(cell));
    const std::string column = "header: column " + std::to_string(names.size() + 1);
    if (name.empty()) return Invalid(column, " has no name");
    if (!IsValidUtf8(name) || name.find('\0') != std::string_view::npos)
      return Invalid(column, ": its name is not valid UTF-8 without NUL");
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
  const std::size_t length = QuotedRecordLength(text, delimiter).value_or(text.size());
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
    const bool data = std::ranges::all_of(
        names, [](const std::string& name) { return ReadF32(name).has_value(); });
    if (hint && !data) *hint = Hint(names);
    return Invalid(
        "header: expected source and target (an edge table) or key or id (a node table), got ",
        all.substr(0, 200), all.size() > 200 ? " ..." : "",
        (data ? ", which looks like data: the first line names the columns" : ""));
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
      if (other.name == column.name) return Invalid(place, Quoted(name), " stands twice");
      if (other.field == column.field && column.field != Field::kOther)
        return Invalid(place, Quoted(other.name), " and ", Quoted(name), " mean the same");
    }
    directions_ |= edges_ && column.field == Field::kKind && column.name == "type";
    columns_.push_back(std::move(column));
  }
  return {};
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

std::optional<CsvEdgeParser::Table> CsvParser::plain_edges() const {
  if (!edges_ || rows_ || ambiguous_ends_ || directions_ ||
      columns_.size() > CsvEdgeParser::kMaxColumns)
    return std::nullopt;
  CsvEdgeParser::Table table{.delimiter = delimiter_,
                             .columns = columns_.size(),
                             .line_bytes = std::min(limits_.line_bytes, limits_.field_bytes)};
  const std::pair<Field, std::optional<std::size_t>*> places[] = {
      {Field::kSource, &table.source},        {Field::kTarget, &table.target},
      {Field::kWeight, &table.weight},        {Field::kKind, &table.kind},
      {Field::kLabel, &table.label},          {Field::kCreatedAt, &table.created_at},
      {Field::kValidFrom, &table.valid_from}, {Field::kValidUntil, &table.valid_until}};
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const auto* const at =
        std::ranges::find(places, columns_[i].field, [](auto& p) { return p.first; });
    if (at == std::end(places)) return std::nullopt;
    *at->second = i;
  }
  return table;
}

Status ReadCsvRow(std::string_view text, char delimiter, std::size_t max_cells,
                  std::size_t max_cell_bytes, CsvRow& row) {
  row.cells.clear();
  row.unescaped.clear();
  row.length = QuotedRecordLength(text, delimiter).value_or(text.size());
  std::string_view record = text.substr(0, row.length);
  if (record.ends_with('\n')) record.remove_suffix(1);
  if (record.ends_with('\r')) record.remove_suffix(1);
  row.unescaped.reserve(record.size());  // views into it stay valid

  std::size_t at = 0;
  for (;;) {
    if (row.cells.size() == max_cells) return Invalid("more than ", max_cells, " cells");
    std::string_view cell;
    if (at < record.size() && record[at] == '"') {
      const std::size_t begin = row.unescaped.size();
      for (++at;;) {
        const std::size_t quote = record.find('"', at);
        if (quote == std::string_view::npos) return Invalid("a quoted cell is never closed");
        row.unescaped.append(record, at, quote - at);
        at = quote + 1;
        if (at >= record.size() || record[at] != '"') break;
        row.unescaped += '"';
        ++at;
      }
      if (at < record.size() && record[at] != delimiter)
        return Invalid("a closing quote must be followed by a delimiter or the line's end");
      cell = std::string_view(row.unescaped).substr(begin);
    } else {
      const std::size_t end = std::min(record.find(delimiter, at), record.size());
      cell = record.substr(at, end - at);
      if (cell.find('"') != std::string_view::npos)
        return Invalid("a quote inside a cell that does not begin with one");
      at = end;
    }
    if (cell.size() > max_cell_bytes) return Invalid("a cell is over ", max_cell_bytes, " bytes");
    row.cells.push_back(cell);
    if (at >= record.size()) return {};
    ++at;  // the delimiter
  }
}

bool NeedsFormulaGuard(std::string_view cell) {
  const std::size_t at = cell.find_first_not_of('\'');
  return at != std::string_view::npos &&
         std::string_view("=+-@\t\r").find(cell[at]) != std::string_view::npos;
}

std::string_view WithoutFormulaGuard(std::string_view cell) {
  return cell.starts_with('\'') && NeedsFormulaGuard(cell) ? cell.substr(1) : cell;
}

Status CsvParser::AddRow(const CsvRow& row, BatchBuilder& builder) const {
  std::string text = "{";
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (row.cells[i].empty()) continue;
    engine_internal::AppendJsonKey(text, columns_[i].name);
    engine_internal::AppendJsonString(text, WithoutFormulaGuard(row.cells[i]));
  }
  return add_row_(text + "}", builder);
}

}  // namespace plexus::formats::internal
