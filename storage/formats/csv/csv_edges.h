// CsvEdgeParser: tables of edges with kinds, weights, labels and times, for loading at once
// (edge_loader.h).
//
// A piece that holds what the general way (csv.h) has a remark on (an error, a quote inside a cell,
// a kind that wants its ends to be of some kind, times that look like seconds) is marked, and the
// general way reads the files from the start.
// Internal to storage/formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "storage/formats/pipeline/piece_edges.h"
#include "storage/formats/pipeline/record_parser.h"

namespace plexus::formats::internal {

class CsvEdgeParser final : public RecordParser {
 public:
  // Where a header has what.
  struct Table {
    char delimiter = ',';
    std::size_t columns = 0, source = 0, target = 0;
    std::optional<std::size_t> weight = {}, kind = {}, label = {}, created_at = {}, valid_from = {},
                               valid_until = {};
    std::size_t line_bytes = 0;  // of the longest line
  };
  // `numbers`: as PieceCollector::numbers.
  CsvEdgeParser(const Table& table, std::uint32_t numbers) : table_(table), numbers_(numbers) {}

  std::size_t Parse(std::string_view text, std::uint64_t first_line, const ParseContext& context,
                    Piece& piece) const override;
  std::size_t RecordLength(std::string_view text) const override;

  static constexpr std::size_t kMaxColumns = 8;

 private:
  // The cells of a line; false when it has another number of them, or a quote inside one.
  bool ReadCells(std::string_view line, std::string_view* cells) const;
  // What the cells state next to the ends; false: the general way has more to say of it.
  bool ReadValues(const std::string_view* cells, Row& row, RowValues& values) const;

  Table table_;
  std::uint32_t numbers_;
};

}  // namespace plexus::formats::internal
