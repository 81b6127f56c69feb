// JsonRowsParser: rows of another system's tables as JSON, one flat object a line.
//
//   {"source_id":"d2","target_id":"d1","edge_type":"depends_on","weight":0.8,"context":"..."}
//   {"id":"d1","decision":"Use RocksDB","category":"storage","stakes":"high","tags":["db"]}
//
// A row with two ends is an edge, any other with a key is a node. base/field_names.h says what its
// fields mean, ImportOptions::columns says more; every other field is a property, and null is an
// absent field. Renamed so, a row is an element of a document (json_element.h). A decision's
// `related_to` (a list of {"id", "distance"}) makes edges `relates_to` of weight
// max(0.01, 1 - distance) to three decimals, as CSTP's graph does.
#pragma once

#include <string_view>
#include <vector>

#include "storage/formats/import.h"
#include "storage/formats/pipeline/record_parser.h"

namespace plexus::formats_internal {

class JsonRowsParser final : public RecordParser {
 public:
  std::size_t Parse(std::string_view text, std::uint64_t first_line, const ParseContext& context,
                    Piece& piece) const override;
};

// Whether a line is such a row and no record of JSON lines, by the names that only other systems
// give to ends and keys; with `any_names` by any of the names.
bool IsJsonRow(std::string_view line, bool any_names = false);

}  // namespace plexus::formats_internal
