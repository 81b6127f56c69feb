// OrientedGraph: every edge of a simple graph once, pointing to the smaller number.
//
// Where that is worthwhile (WorthOrienting), nodes are numbered by falling degree first: an edge
// then points to its busier end, rows are at most sqrt(2 edges) long, and what they hold gathers
// among the small numbers. Otherwise nodes keep their numbers. A triangle is a node, a node in its
// row, and a node in the rows of both.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/arrays/aligned_array.h"
#include "engine/arrays/views.h"
#include "engine/parallel.h"
#include "engine/types.h"

namespace plexus::community::internal {

struct OrientedGraph {
  AlignedArray<std::uint32_t> offsets;  // node_count + 1
  AlignedArray<NodeId> neighbors;       // all smaller than their row
  std::vector<NodeId> order;            // number -> node; empty = the same
  // The first `hubs` rows as bits, `hub_words` words each: rows so full that comparing
  // words beats looking up their members. 0 when nodes keep their numbers.
  NodeId hubs = 0;
  std::size_t hub_words = 0;
  AlignedArray<std::uint64_t> hub_bits;

  NodeId node_count() const { return static_cast<NodeId>(offsets.size() - 1); }
  NodeId node(NodeId number) const { return order.empty() ? number : order[number]; }
  const std::uint64_t* hub_row(NodeId v) const { return hub_bits.data() + v * hub_words; }
};

enum class Numbering {
  kByShape,  // by degree where WorthOrienting()
  kKept,
  kByDegree,
};

// REQUIRES symmetric rows, ascending, without doubles and loops. O(nodes + arcs).
OrientedGraph Orient(const CsrView& simple, Executor& executor,
                     Numbering numbering = Numbering::kByShape);

// Triangles. O(sum over arcs of the length of the row they point to), at most
// edges^1.5. Same at any thread count.
struct OrientedCount {
  std::uint64_t triangles = 0;
  bool truncated = false;  // then of some rows only
};
// Of the budget, here and below: `edges` are the graph's, whole rows from the first on; `nodes`
// does not count.
OrientedCount CountOriented(const OrientedGraph& graph, const Budget& budget, Executor& executor);

// The same without orienting: the part of a row below its own number is what an oriented
// row would hold. Cheaper where nodes keep their numbers or rows are few and short; but
// hubs are not bounded by sqrt(2 edges), so Triangles calls WorthOrienting() first.
OrientedCount CountSimple(const CsrView& simple, const Budget& budget, Executor& executor);
// A rule on degrees only. O(nodes).
bool WorthOrienting(const CsrView& simple, Executor& executor);

// In triangles_per_node.cc. By node of the simple graph: triangles it is part of, and the number of
// arcs between its neighbours, where arc a of the oriented graph represents directions[a] of them
// (1 or 2; empty: 1 each).
struct NodeTriangles {
  std::vector<std::uint64_t> triangles, arcs;
  bool truncated = false;  // then each is at most what it would be
};
NodeTriangles CountPerNode(const OrientedGraph& graph, const std::vector<std::uint8_t>& directions,
                           const Budget& budget, Executor& executor);

}  // namespace plexus::community::internal
