// Selection: which nodes and arcs of a Snapshot a kernel works on, resolved once.
//
// Kinds named by the caller become an ArcFilter, and an empty list the fact
// plane. Nodes are the alive ones of the plane those kinds live in, inside the
// caller's subset. Tests that cannot fail are dropped here (no index edges: every
// kind passes), so that kernels get their short loops without asking why.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>

#include "algorithms/common/common.h"
#include "engine/error.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"

namespace plexus::common_internal {

struct Selection {
  const Snapshot* snapshot = nullptr;
  const NodeSubset* subset = nullptr;
  ArcFilter filter = ArcFilter::All();
  bool both_planes = false;
  bool all_nodes = false;   // every id of the snapshot is selected
  bool whole_base = false;  // base arrays, as they are, are the whole selection

  bool contains(NodeId v) const {
    if (all_nodes) return true;
    if (subset && !subset->contains(v)) return false;
    return snapshot->alive(v) && (both_planes || snapshot->is_fact(v));
  }
  // All of them as bits. O(nodes), in parallel.
  NodeSubset Materialise(Executor& executor) const;
};

// kInvalidArgument: a kind that the schema does not have. Keeps pointers to the snapshot and the
// subset. O(kinds).
Result<Selection> Select(const Snapshot& snapshot, const GraphFilter& given);

// Rows are sorted by neighbor only: one kind with edges, seen from one side.
bool OneSortedRow(const Selection& selection, Direction direction);

// A node as messages name it: its key in quotes, 'tag:rust' for an index node. REQUIRES that it is
// a node of the snapshot.
std::string NodeName(const Snapshot& snapshot, NodeId node);

// Why a node that a caller named as his `what` ("seed", "root", or nothing) is not among those that
// `kinds` and a subset select. kNotFound: it was removed. kInvalidArgument: there is no such node,
// it is an index node and no index kind is followed, or else it is outside the subset.
std::unexpected<Error> NotSelected(const Snapshot& snapshot, std::string_view what, NodeId node,
                                   const EdgeKinds& kinds);

// `subset` and the sources, which need not be inside of it (README, "What every kernel
// agrees on"); an empty one when there is no subset. kInvalidArgument: a source that is
// no node; kNotFound: one that was removed.
Result<NodeSubset> WithSources(const Snapshot& snapshot, const NodeSubset* subset,
                               std::span<const NodeId> sources);

inline Executor& Pick(Executor* executor) { return executor ? *executor : DefaultExecutor(); }

}  // namespace plexus::common_internal
