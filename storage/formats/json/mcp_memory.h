// McpMemoryParser: the file of the official MCP memory server, one JSON object a line.
//
//   {"type":"entity","name":"Ada","entityType":"person","observations":["a", "b"]}
//   {"type":"relation","from":"Ada","to":"Engine","relationType":"wrote"}
//
// An entity is a node: key = name, kind = entityType, text = its observations, one a
// line. Property "observations" holds the list itself when one of them is empty or has
// a line end of its own, property "entityType" the type when it cannot be a kind (the
// empty one, or a kind of the index plane such as "file"). Other members become properties.
//
// A relation is an edge of kind relationType. Where the kind does not determine what was written,
// the label does, so that export writes the server's own file:
//   a kind that is stored the other way round (caused_by is causes): the name as written
//   a symmetric kind, written from the end with the larger key: "reversed"
//   a name that no edge here can have (a kind of the index plane, a kind without loops on a
//   self-relation, a kind for other ends, "link" itself): an edge `link` labelled with the name
//   the empty name: an edge `link` without a label
// Property "file_line" of nodes and edges is the line that the record stood in, of an array its
// place there: their order.
// Of entities with one name, and of relations with the same ends and type, the last one counts; of
// one that says something else a warning names (the server writes such, and keeps them all). Lines
// of another type are passed over, as the server does, and counted.
// Source: modelcontextprotocol/servers, src/memory.
#pragma once

#include <string_view>

#include "storage/formats/base/json_tree.h"
#include "storage/formats/base/mcp_records.h"
#include "storage/formats/pipeline/record_parser.h"

namespace plexus::formats::internal {

class McpMemoryParser final : public RecordParser {
 public:
  std::size_t Parse(std::string_view text, std::uint64_t first_line, const ParseContext& context,
                    Piece& piece) const override;
};

// Whether the beginning of a line looks like one of these records, by what the server writes first;
// and whether a whole object is one.
bool BeginsMcpMemoryLine(std::string_view line);
bool IsMcpMemoryRecord(const JsonParser& json, const JsonValue& object);

}  // namespace plexus::formats::internal
