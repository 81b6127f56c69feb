// JsonRowsParser: rows of another system's tables as JSON, one flat object a line.
//
//   {"source_id":"d2","target_id":"d1","edge_type":"depends_on","weight":0.8,"context":"..."}
//   {"id":"d1","decision":"Use RocksDB","category":"storage","stakes":"high","tags":["db"]}
//
// A row with two ends is an edge, any other with a key is a node. base/field_names.h says what its
// fields mean, ImportOptions::columns says more; every other field is a property, and null is an
// absent field. Renamed so, a row is an element of a document (json_element.h). A decision's
// `related_to` (a list of {"id", "distance"}) makes edges `relates_to` of weight
// max(0.01, 1 - distance) to three decimals, as CSTP's graph does; a list of ids, of weight 1.
// APOC's exports of Neo4j have nodes and relationships as objects of their own:
//
//   {"type":"node","id":"0","labels":["User"],"properties":{...}}
//   {"type":"relationship","id":"0","label":"KNOWS","start":{"id":"0"},"end":{"id":"1"}}
//
// Turns and the tables of a ledger are more than a node: memory_rows.h.
#pragma once

#include <string_view>

#include "storage/formats/base/json_tree.h"
#include "storage/formats/import.h"
#include "storage/formats/pipeline/batch_builder.h"
#include "storage/formats/pipeline/record_parser.h"

namespace plexus::formats::internal {

class JsonRowsParser final : public RecordParser {
 public:
  std::size_t Parse(std::string_view text, std::uint64_t first_line, const ParseContext& context,
                    Piece& piece) const override;
};

// One row, of whatever table; also as the text of an object.
Status AddJsonRow(const JsonParser& json, const JsonValue& root, BatchBuilder& builder);
Status AddJsonRow(std::string_view row, BatchBuilder& builder);

// Whether an object is such a row and no record of JSON lines, by the names of its fields.
bool IsJsonRow(std::string_view object);

}  // namespace plexus::formats::internal
