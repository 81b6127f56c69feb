// McpMemoryParser: the file of the official MCP memory server, one JSON object a line.
//
//   {"type":"entity","name":"Ada","entityType":"person","observations":["a", "b"]}
//   {"type":"relation","from":"Ada","to":"Engine","relationType":"wrote"}
//
// An entity is a node: key = name, kind = entityType, text = its observations, one a
// line. Property "observations" holds the list itself when one of them is empty or has
// a line end of its own, property "entityType" the type when it cannot be a kind (the
// empty one, or a kind of the index plane such as "file"). A relation is an edge of
// kind relationType; one that names a kind of the index plane is a `link` with the
// relation as its label. Other members become properties. So nothing is lost, and the
// server's answers can be given back.
// Source: modelcontextprotocol/servers, src/memory.
#pragma once

#include "storage/text/record_parser.h"

namespace plexus::text {

class McpMemoryParser final : public RecordParser {
 public:
  std::size_t Parse(std::string_view text, std::uint64_t first_line, const ParseContext& context,
                    Piece& piece) const override;
};

// Whether a line looks like one of these records. `cut`: it is only the beginning of a
// line, which is judged by what the server writes first.
bool IsMcpMemoryLine(std::string_view line, bool cut);

}  // namespace plexus::text
