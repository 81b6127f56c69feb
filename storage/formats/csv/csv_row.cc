// One CSV record after RFC 4180, strictly: quotes open a cell or stand nowhere. One of a memory
// system as JSON.
#include <algorithm>

#include "engine/properties/json_writer.h"
#include "storage/formats/base/quoted_record.h"
#include "storage/formats/base/refusal.h"
#include "storage/formats/csv/csv.h"

namespace plexus::formats::internal {

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
    if (row.cells.size() == max_cells)
      return Bad("more than " + std::to_string(max_cells) + " cells");
    std::string_view cell;
    if (at < record.size() && record[at] == '"') {
      const std::size_t begin = row.unescaped.size();
      for (++at;;) {
        const std::size_t quote = record.find('"', at);
        if (quote == std::string_view::npos) return Bad("a quoted cell is never closed");
        row.unescaped.append(record, at, quote - at);
        at = quote + 1;
        if (at >= record.size() || record[at] != '"') break;
        row.unescaped += '"';
        ++at;
      }
      if (at < record.size() && record[at] != delimiter)
        return Bad("a closing quote must be followed by a delimiter or the line's end");
      cell = std::string_view(row.unescaped).substr(begin);
    } else {
      const std::size_t end = std::min(record.find(delimiter, at), record.size());
      cell = record.substr(at, end - at);
      if (cell.find('"') != std::string_view::npos)
        return Bad("a quote inside a cell that does not begin with one");
      at = end;
    }
    if (cell.size() > max_cell_bytes)
      return Bad("a cell is over " + std::to_string(max_cell_bytes) + " bytes");
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
