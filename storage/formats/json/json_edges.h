// Plain edges: JSON lines, and lines of documents, that state an edge and nothing that needs more
// than a look: no escape, no other record, no unknown key, nothing that the general way
// (json_lines.h, json_element.h) has a remark on. It reads a line several times faster.
//
// JsonEdgeParser reads JSON lines of nothing else, for loading at once (edge_loader.h): a piece
// that holds another line is marked, and the general way reads the files from the start. Internal
// to storage/formats.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "storage/formats/json/json_element.h"
#include "storage/formats/pipeline/piece_edges.h"
#include "storage/formats/pipeline/record_parser.h"

namespace plexus::formats::internal {

// Lines of so many bytes and more need the general way: a look at limits, or at the options.
inline std::size_t PlainLineBytes(const ImportOptions& options) {
  if (!LeavesEdges(options)) return 0;
  return std::min(options.limits.line_bytes, options.limits.field_bytes);
}

// Views into the line. False: another record, or one that needs the general way. 8 bytes at each
// key can be read.
bool ReadPlainEdge(std::string_view line, Row& row, RowValues& values);
// The same of an element's JSON.
bool ReadPlainElement(std::string_view json, const ElementDefaults& defaults, Row& row,
                      RowValues& values);

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

}  // namespace plexus::formats::internal
