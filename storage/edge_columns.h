// The edges of a log record by column: most columns of a batch say one thing.
//
// A batch links with one kind, at one time, without labels: such columns are left out and
// their value stands once. Sorted edges share their sources, so where rows have two edges
// and more on average, rows are kept in place of a source for each edge. A loaded edge takes
// 4 to 12 bytes, a struct 32. The form follows from the edges alone. Internal.
#pragma once

#include <string_view>
#include <vector>

#include "engine/error.h"
#include "engine/record.h"
#include "record_generated.h"
#include "storage/digest.h"

namespace plexus::storage {

// REQUIRES edges. What they have as `reserved` is not kept. O(edges).
flatbuffers::Offset<fb::EdgeColumns> EncodeEdges(flatbuffers::FlatBufferBuilder& builder,
                                                 const std::vector<EdgeChange>& edges);

// `columns` lies in `record`, whose structure is verified. kCorruption, with column and offset,
// for what is no edges: columns that are too short or too long, rows that do not end with the
// edges, more edges than anything tells apart. So what is made is at most 16 times as large
// as the record. That ids and values fit the graph is checked by StateWriter::Apply.
Result<std::vector<EdgeChange>> DecodeEdges(const fb::EdgeColumns& columns, ByteSpan record,
                                            std::string_view where);

}  // namespace plexus::storage
