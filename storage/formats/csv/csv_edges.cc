// Lines of a table as edges; see csv_edges.h.
#include "storage/formats/csv/csv_edges.h"

#include <algorithm>
#include <cstring>

#include "engine/schema.h"
#include "storage/formats/base/ascii.h"
#include "storage/formats/base/decimal.h"
#include "storage/formats/csv/csv.h"
#include "storage/formats/pipeline/piece_edges.h"
#include "storage/formats/pipeline/token_cache.h"

namespace plexus::formats_internal {

namespace {

bool Has(std::string_view text, char c) { return std::memchr(text.data(), c, text.size()); }

// As a row of the general way has it: quotes keep blanks, other cells lose them.
std::string_view KeyOf(std::string_view cell) {
  const bool quoted = cell.starts_with('"');
  if (quoted) cell = cell.substr(1, cell.size() - 2);
  cell = WithoutFormulaGuard(cell);
  return quoted ? cell : Trim(cell);
}

bool ReadWeight(std::string_view cell, Row& row) {
  cell = KeyOf(cell);
  const auto weight = ReadF32(cell);
  row.weighted = weight && !IsBelowZero(cell);
  row.weight = weight.value_or(0);
  return row.weighted;
}

}  // namespace

std::size_t CsvEdgeParser::RecordLength(std::string_view text) const {
  return CsvRecordLength(text);
}

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

std::size_t CsvEdgeParser::Parse(std::string_view text, std::uint64_t first_line,
                                 const ParseContext& context, Piece& piece) const {
  PieceEdgesWriter edges(piece, std::min(context.max_ops, text.size() / 4 + 1),  // "1,2\n"
                         numbers_);
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
    for (std::size_t i = 0; plain && i < 2; ++i) {
      const std::string_view cell = cells[i == 0 ? table_.source : table_.target];
      row.tokens[i] = KeyOf(cell);
      plain = !row.tokens[i].empty() && row.tokens[i].size() <= Limits::kMaxKeyBytes &&
              (!quotes || cell.starts_with('"') || !Has(cell, '"'));
      if (plain) row.words[i] = Word(row.tokens[i]);
    }
    plain = plain && (!table_.weight || ReadWeight(cells[*table_.weight], row));
    if (plain && table_.kind) {
      const std::string_view kind = KeyOf(cells[*table_.kind]);
      plain = kind.empty() || kind == "link";
    }
    if (!plain) break;
    edges.Add(row);
    ++piece.records;
    ++count;
  }
  edges.Finish();
  piece.edges->plain = plain;
  return plain ? at : text.size();
}

}  // namespace plexus::formats_internal
