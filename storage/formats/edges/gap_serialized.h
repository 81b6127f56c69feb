// The GAP Benchmark Suite's serialized graphs: .sg (ids) and .wsg (ids with weights).
//
// Layout, little endian, no padding: u8 directed; i64 arcs; i64 nodes; i64 offsets
// [nodes + 1]; then u32 neighbors [arcs], or pairs of u32 neighbor and i32 weight; of
// a directed graph the same again for the arcs that come in. Which of the two it is
// follows from the file's size. Source: the suite's writer.h and reader.h.
//
// Sizes that the file claims are compared with the bytes that are there before
// anything is allocated; offsets and ids are checked, and that an undirected graph
// has every arc in both rows. Used by import and by bench/gap.
#pragma once

#include <cstdint>
#include <string>

#include "engine/arrays/aligned_array.h"
#include "engine/error.h"
#include "engine/types.h"
#include "storage/formats/pipeline/input.h"

namespace plexus::formats::internal {

// One direction's rows.
struct GapSide {
  AlignedArray<std::int64_t> offsets;  // nodes + 1
  AlignedArray<NodeId> neighbors;
  AlignedArray<std::int32_t> weights;  // empty when the file has none
};

struct GapGraph {
  bool directed = false;
  bool weighted = false;
  NodeId node_count = 0;
  GapSide out, in;  // `in` is empty when undirected

  std::uint64_t arc_count() const { return out.neighbors.size(); }
};

// O(bytes). kCorruption names the file and what is wrong, kIo, kNotFound; kUnsupported
// when the input is no regular file.
Result<GapGraph> ReadGapGraph(const Input& input);
inline Result<GapGraph> ReadGapGraph(const std::string& path) { return ReadGapGraph(Input{path}); }

}  // namespace plexus::formats::internal
