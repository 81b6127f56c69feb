// GraphFilter: the part of a graph that a kernel reads. The options of every kernel hold one.
//
//   plexus::PageRank(snapshot, {.filter = {.kinds = {causes}, .subset = &visible}});
//
// A kernel that reads a field in another way documents it in its own options.
#pragma once

#include <cstdint>

#include "algorithms/common/node_subset.h"
#include "engine/types.h"

namespace plexus {

struct GraphFilter {
  EdgeKinds kinds = {};  // Edges of these kinds. No list: the fact plane; empty: none.
  std::int64_t valid_at = kNoTime;     // Edges valid at this time, in ms. kNoTime: of any time.
  const NodeSubset* subset = nullptr;  // These nodes and the edges between them. Null: all.
};

}  // namespace plexus
