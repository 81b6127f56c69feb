// JsonEdgeParser: JSON lines of nothing but edges, for loading at once (edge_loader.h).
//
// A piece that holds what the general way (json_lines.h) has a remark on, or text that needs more
// than a look (an escape, another record, an unknown key), is marked, and the general way reads the
// files from the start. Internal to storage/formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "storage/formats/pipeline/record_parser.h"

namespace plexus::formats_internal {

class JsonEdgeParser final : public RecordParser {
 public:
  // `numbers`: as PieceCollector::numbers; `line_bytes`: of the longest line.
  JsonEdgeParser(std::uint32_t numbers, std::size_t line_bytes)
      : numbers_(numbers), line_bytes_(line_bytes) {}

  std::size_t Parse(std::string_view text, std::uint64_t first_line, const ParseContext& context,
                    Piece& piece) const override;

 private:
  std::uint32_t numbers_;
  std::size_t line_bytes_;
};

// Whether the first record of a file is such an edge.
bool BeginsWithJsonEdge(std::string_view head);

}  // namespace plexus::formats_internal
