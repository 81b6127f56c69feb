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
// Rows of the memory systems' own tables that are more than a node or an edge (memory_rows.cc) are
// turns with their sessions, files and vectors, and the three tables of a ledger of compositions:
//
//   {"id":"t1","session_id":"s1","content":"...","created_at":"...","embedding":[0.1,0.2],
//    "inscription":"fix","metadata":{"files":[{"path":"src/a.rs","operation":"write"}]}}
//   {"id":"c1","tool":"deep_reference","query":"...","query_hash":"...","metadata":{}}
//   {"event_id":"c1","memory_id":"m1","role":"primary","rank":0,"trust":0.8,"metadata":{}}
//   {"id":"o1","event_id":"c1","outcome_type":"helpful","labeled_at":"...","metadata":{}}
//
// Such a row becomes records of JSON lines, which are taken all or none. Names in snake_case or
// camelCase.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.h"
#include "storage/formats/base/field_names.h"
#include "storage/formats/base/json_tree.h"
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
bool IsJsonRow(const JsonParser& json, const JsonValue& object);

// Its records, one JSON object each; one with "id" is an element of a document (json_element.h).
// `row` has no null members. kInvalidArgument: a field of another type.
Result<std::vector<std::string>> RecordsOf(MemoryRow sort, const JsonParser& json,
                                           std::span<const JsonValue> row);

// A row whose fields metadata, tags, related_to, embedding and inscription are JSON as text, as
// databases print it, with the JSON in their place; "" where none is such.
std::string WithJsonOfTexts(const JsonParser& json, const JsonValue& root);

// memory_rows.cc
void AppendJson(const JsonParser& json, const JsonValue& value, std::string& out);

}  // namespace plexus::formats::internal
