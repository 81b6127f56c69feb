// DenseView: the selected nodes of a Snapshot renumbered 0..k-1, as bare arrays.
//
// Kernels over the whole graph want one csr of exactly their nodes and arcs, without removed nodes,
// hidden kinds or a delta. Where the base arrays are that csr, the view points at them, and at
// weights as floats, which are made once for each base that holds codes. Otherwise the rows are
// packed once, in parallel. Ids and rows keep their order, so sums have the same bits
// either way.
//
// Threads: immutable, freely shared. An unpacked view keeps its Snapshot alive.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/adjacency/csr_view.h"
#include "engine/error.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

struct DenseViewOptions {
  bool out = true;  // Directions to make.
  bool in = true;
  bool weights = true;  // Rows that are not packed have none when all weights are 1.
  // Other weights than stored ones. Rows are then packed. REQUIRES `weights`.
  EdgeWeighting arc_weights = {};
  GraphFilter filter = {};
  // Kinds followed from target to source. Rows are then packed.
  std::vector<EdgeKindId> reversed = {};
  Executor* executor = nullptr;
};

class DenseView {
 public:
  // Computes: the view of the selected part of a snapshot.
  // Complexity: O(nodes + arcs). O(kinds) when the base arrays serve and weights lie as floats, or
  //   when no rows are wanted and no node is left out.
  // Memory: the packed rows, 4 bytes an arc and direction, 4 more with weights. Of a base that
  //   holds its weights as codes 4 with weights, kept with it.
  // Errors: kInvalidArgument: a kind out of range, a reversed kind that is not followed, or
  //   arc_weights out of range (common.h) or without `weights`. kResourceExhausted: more
  //   arcs than a csr holds, or no memory.
  // Threads: thread-safe.
  static Result<DenseView> Make(const Snapshot& snapshot, const DenseViewOptions& options = {});

  NodeId node_count() const { return node_count_; }
  CsrView out() const { return out_; }  // Packed rows hold no kinds.
  CsrView in() const { return in_; }
  bool packed() const { return parts_ != nullptr; }

  // The snapshot's node of a dense id. REQUIRES dense < node_count().
  NodeId node(NodeId dense) const;
  // The dense id of a snapshot's node, kNoNode when it is not selected.
  NodeId dense(NodeId node) const;
  // The selected nodes. O(1) when packed, else O(nodes / 64).
  NodeSubset nodes() const;

  // The same view without the packed rows of a direction. They are freed unless other views share
  // them. Unpacked views stay as they are.
  DenseView WithoutRows(Direction direction) const;
  std::uint64_t size_bytes() const;  // Of the packed rows.

 private:
  struct Parts;
  struct PackedRows;
  Snapshot snapshot_;
  NodeId node_count_ = 0;
  CsrView out_, in_;
  std::shared_ptr<const Parts> parts_;
  std::shared_ptr<const PackedRows> packed_out_, packed_in_;
  std::shared_ptr<const void> out_weights_, in_weights_;  // Of rows that are not packed.
};

}  // namespace plexus
