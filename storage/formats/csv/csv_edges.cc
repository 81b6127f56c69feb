// Lines of a table as edges; see csv.h.

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/schema.h"
#include "storage/formats/base/decimal.h"
#include "storage/formats/base/text.h"
#include "storage/formats/csv/csv.h"
#include "storage/formats/pipeline/token_cache.h"

namespace plexus::formats::internal {

namespace {

bool Has(std::string_view text, char c) { return std::memchr(text.data(), c, text.size()); }

// What a cell holds; without quotes, of which it has two or none.
std::string_view Unquoted(std::string_view cell) {
  if (cell.starts_with('"')) cell = cell.substr(1, cell.size() - 2);
  return WithoutFormulaGuard(cell);
}

// As a row of the general way has it: quotes keep blanks, other cells lose them.
std::string_view KeyOf(std::string_view cell) {
  return cell.starts_with('"') ? Unquoted(cell) : Trim(Unquoted(cell));
}

}  // namespace

bool CsvEdgeParser::ReadCells(std::string_view line, std::string_view* cells) const {
  for (std::size_t i = 0;; ++i) {
    std::size_t end = 0;
    if (line.starts_with('"')) {
      end = line.find('"', 1);
      if (end == std::string_view::npos) return false;
      ++end;
      if (end < line.size() && line[end] != table_.delimiter) return false;
    } else {
      end = std::min(line.find(table_.delimiter), line.size());
    }
    cells[i] = line.substr(0, end);
    if (end == line.size()) return i + 1 == table_.columns;
    if (i + 1 == table_.columns) return false;
    line.remove_prefix(end + 1);
  }
}

bool CsvEdgeParser::ReadValues(const std::string_view* cells, Row& row, RowValues& values) const {
  if (table_.weight) {
    const std::string_view cell = Unquoted(cells[*table_.weight]);
    if (!cell.empty()) {
      const auto weight = ReadF32(Trim(cell));
      if (!weight || IsBelowZero(Trim(cell))) return false;
      row.weight = *weight;
      row.weighted = true;
    }
  }
  if (table_.kind) {
    const std::string_view kind = Trim(Unquoted(cells[*table_.kind]));
    if (!kind.empty()) values.kind = kind;
  }
  if (table_.label) values.label = Unquoted(cells[*table_.label]);
  for (const auto& [column, time] : {std::pair(table_.created_at, &values.created_at),
                                     std::pair(table_.valid_from, &values.valid_from),
                                     std::pair(table_.valid_until, &values.valid_until)}) {
    if (!column) continue;
    const std::string_view cell = Unquoted(cells[*column]);
    if (cell.empty()) continue;
    const auto plain = PlainTime(Trim(cell));
    if (!plain) return false;
    *time = *plain;
  }
  return true;
}

std::size_t CsvEdgeParser::Parse(std::string_view text, std::uint64_t first_line,
                                 const ParseContext& context, Piece& piece) const {
  const bool times = table_.created_at || table_.valid_from || table_.valid_until;
  const bool values = table_.weight || times;
  const bool bare = !times && !table_.weight && !table_.kind && !table_.label;
  PieceEdgesWriter edges(piece, std::min(context.max_ops, text.size() / 4 + 1),  // "1,2\n"
                         numbers_, context.schema.get(), values);
  const Surprises surprises = LookFor(text);
  const bool quotes = Has(text, '"'), returns = Has(text, '\r'), tabs = Has(text, '\t');
  bool plain = !surprises.control && (!surprises.non_ascii || IsValidUtf8(text));
  plain = plain && (!tabs || table_.delimiter == '\t');
  std::size_t at = 0, count = 0;
  std::uint64_t line_number = first_line;
  for (; plain && at < text.size() && count < context.max_ops; ++line_number) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = std::min(end + 1, text.size());
    if (returns && line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    std::string_view cells[kMaxColumns];
    plain = line.size() < table_.line_bytes && line.find_first_not_of(' ') != line.npos &&
            !(returns && Has(line, '\r')) && ReadCells(line, cells);
    Row row = {};
    row.line = line_number;
    for (std::size_t i = 0; plain && quotes && i < table_.columns; ++i)
      plain = cells[i].starts_with('"') || !Has(cells[i], '"');
    for (std::size_t i = 0; plain && i < 2; ++i) {
      row.tokens[i] = KeyOf(cells[i == 0 ? *table_.source : *table_.target]);
      plain = !row.tokens[i].empty() && row.tokens[i].size() <= Limits::kMaxKeyBytes;
      if (plain) row.words[i] = Word(row.tokens[i]);
    }
    if (bare) {
      if (!plain) break;
      edges.Add(row);
    } else {
      RowValues stated;
      plain = plain && ReadValues(cells, row, stated) && edges.Add(row, stated);
      if (!plain) break;
    }
    ++piece.records;
    ++count;
  }
  edges.Finish();
  piece.edges->plain = plain;
  return plain ? at : text.size();
}

}  // namespace plexus::formats::internal
