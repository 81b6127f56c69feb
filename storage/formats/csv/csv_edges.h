// CsvEdgeParser: tables of nothing but edges and weights, for loading at once (edge_loader.h).
//
// A piece that holds more than plain edges (an error, a quote inside a cell, another kind, a
// weight in some rows only) is marked, and the general way (csv.h) reads the files from the start.
// Internal to storage/formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "storage/formats/pipeline/record_parser.h"

namespace plexus::formats_internal {

class CsvEdgeParser final : public RecordParser {
 public:
  // Where a header has what; `kind`: a column that may say `link` or nothing.
  struct Table {
    char delimiter = ',';
    std::size_t columns = 0, source = 0, target = 0;
    std::optional<std::size_t> weight = {}, kind = {};
    std::size_t line_bytes = 0;  // of the longest line
  };
  // `numbers`: as PieceCollector::numbers.
  CsvEdgeParser(const Table& table, std::uint32_t numbers) : table_(table), numbers_(numbers) {}

  std::size_t Parse(std::string_view text, std::uint64_t first_line, const ParseContext& context,
                    Piece& piece) const override;
  std::size_t RecordLength(std::string_view text) const override;
  bool quoted() const override { return true; }

  static constexpr std::size_t kMaxColumns = 4;

 private:
  // The cells of a line; false when it has another number of them, or a quote inside one.
  bool ReadCells(std::string_view line, std::string_view* cells) const;

  Table table_;
  std::uint32_t numbers_;
};

}  // namespace plexus::formats_internal
