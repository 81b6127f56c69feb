// The edges of a log record by column: most columns of a batch hold one value.
//
// A batch links with one kind, at one time, without labels: such columns are left out and
// their value is stored once. Sorted edges share their sources, so where rows have two edges
// and more on average, rows are kept in place of a source for each edge. A loaded edge takes
// 4 to 14 bytes, a struct 32. The form follows from the edges only. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "engine/bulk/edge_load.h"
#include "engine/error.h"
#include "engine/record.h"
#include "record_generated.h"
#include "storage/base/digest.h"

namespace plexus::storage_internal {

namespace fb = plexus::storage::fb;

// One value an edge, `step` bytes apart; 0: all edges have the one at `first`.
template <class T>
struct EdgeValues {
  const T* first = nullptr;
  std::size_t step = 0;
  T operator[](std::size_t i) const {
    T value;
    std::memcpy(&value, reinterpret_cast<const char*>(first) + i * step, sizeof value);
    return value;
  }
};

struct EdgeArrays {
  std::size_t count = 0;
  EdgeValues<NodeId> sources, targets;
  EdgeValues<StringId> labels;
  EdgeValues<float> weights;
  EdgeValues<std::int64_t> created_at;
  EdgeValues<EdgeKindId> kinds;
  EdgeValues<std::uint16_t> flags;
};

// Views of `edges`, with step 0 wherever all are equal. REQUIRES edges.
EdgeArrays ArraysOf(const std::vector<EdgeChange>& edges);

// What a load made of one batch, as `edges` would be in its record, and the memory for it.
class LoadedArrays {
 public:
  // REQUIRES a batch with changes; `loaded` stays as it is while the arrays are in use.
  const EdgeArrays& Of(const LoadedEdges& loaded, std::size_t batch);

 private:
  EdgeArrays arrays_;
  EdgeChange alike_;  // what all edges have in common
  std::vector<float> weights_;
  std::vector<std::uint16_t> flags_;
};

// REQUIRES count > 0, and step 0 wherever all values are the same. O(edges).
flatbuffers::Offset<fb::EdgeColumns> EncodeEdges(flatbuffers::FlatBufferBuilder& builder,
                                                 const EdgeArrays& edges);

// `columns` lies in `record`, whose structure is verified. kCorruption, with column and offset,
// for what is no edges: columns that are too short or too long, rows that do not end with the
// edges, more edges than can be distinguished or than one record can have. So what is made is at
// most 16 times as large as the record, and 2 GiB. That ids and values fit the graph is checked by
// StateWriter::Apply.
Result<std::vector<EdgeChange>> DecodeEdges(const fb::EdgeColumns& columns, ByteSpan record,
                                            std::string_view where);

// Of the same, those at `node`: appended to `edges` in their order; returned is where they are
// among all. O(edges), at the speed of a search for a number in an array.
Result<std::vector<std::uint32_t>> FindEdges(const fb::EdgeColumns& columns, ByteSpan record,
                                             std::string_view where, NodeId node,
                                             std::vector<EdgeChange>& edges);
// Their sources and targets, some more than once.
Status AddEdgeEnds(const fb::EdgeColumns& columns, ByteSpan record, std::string_view where,
                   std::vector<NodeId>& nodes);

}  // namespace plexus::storage_internal
