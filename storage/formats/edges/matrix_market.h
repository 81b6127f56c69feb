// Matrix Market coordinate files: an adjacency matrix, one entry a line.
//
// Entry (i, j, a) is an edge from node "i" to node "j" with weight a; all the rows
// are nodes, named by their numbers from "1" on, also those without entries.
//   general         kind `link`, i -> j
//   symmetric       kind `linked` (symmetric); an entry may stand on either side
//   skew-symmetric  kind `link`, along the positive direction: a > 0 is i -> j,
//                   a < 0 is j -> i with weight -a
// Fields real, integer and pattern (no value: the weight stays, or is 1). Refused:
// other fields, dense arrays, rectangular matrices, negative entries elsewhere, two
// entries at one place, values outside of what a "%%GraphBLAS type" line declares.
// Source: Boisvert, Pozo, Remington, "The Matrix Market Exchange Formats", 1996.
#pragma once

#include <cstdint>
#include <string_view>

#include "storage/formats/pipeline/record_parser.h"

namespace plexus::formats::internal {

class BlockReader;

struct MatrixHeader {
  enum class Field { kReal, kInteger, kPattern };
  enum class Symmetry { kGeneral, kSymmetric, kSkew };
  Field field = Field::kReal;
  Symmetry symmetry = Symmetry::kGeneral;
  std::uint64_t nodes = 0, entries = 0;
  std::uint64_t line = 1;   // of the size line; of the bad line, after an error
  std::uint64_t bytes = 0;  // of all header lines
  // Values that "%%GraphBLAS type" allows; its name, "" without such a line.
  double lowest = 0, highest = 0;
  std::string_view type;
};

// Reads banner, comments and size line, and moves `reader` behind them.
// kInvalidArgument, kUnsupported: `header.line` is where.
Status ReadMatrixHeader(BlockReader& reader, std::size_t line_limit, MatrixHeader& header);

class MatrixMarketParser final : public RecordParser {
 public:
  // Lines that are a second entry at a place, with the line of the first; sorted.
  using Seconds = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  explicit MatrixMarketParser(const MatrixHeader& header, Seconds seconds = {})
      : header_(header), seconds_(std::move(seconds)) {}
  std::size_t Parse(std::string_view text, std::uint64_t first_line, const ParseContext& context,
                    Piece& piece) const override;

 private:
  MatrixHeader header_;
  Seconds seconds_;
};

// Which of `entries` are not the first at their place. Sorts them.
MatrixMarketParser::Seconds SecondEntries(std::vector<EntryAt>& entries);
std::string SecondEntry(std::uint64_t first_line);  // the message

}  // namespace plexus::formats::internal
