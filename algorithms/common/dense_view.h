// DenseView: the selected nodes of a Snapshot renumbered 0..k-1, as bare arrays.
//
// Global kernels (PageRank, adaptors to other libraries) want one tight csr of
// exactly what they work on: no removed nodes, no hidden kinds, no delta. When the
// base arrays are already that, the view points at them and costs nothing;
// otherwise the rows are packed once, in parallel. Renumbering keeps the order of
// ids and rows keep theirs, so a sum over a row, or over blocks of nodes, comes
// out with the same bits on either path.
//
// Keeps its Snapshot alive unless it is packed. Immutable; share freely.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "algorithms/common/edge_weighting.h"
#include "algorithms/common/graph_filter.h"
#include "algorithms/common/node_subset.h"
#include "engine/adjacency/csr_view.h"
#include "engine/error.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

struct DenseViewOptions {
  bool out = true;  // which directions to make
  bool in = true;
  bool weights = true;
  EdgeWeighting arc_weights;  // other than as stored: rows are packed; needs `weights`
  GraphFilter filter = {};
  std::vector<EdgeKindId> reversed;  // of these, followed from target to source; rows are packed
  Executor* executor = nullptr;
};

class DenseView {
 public:
  // O(nodes + arcs), or O(kinds) when the base arrays serve, or no rows are asked for and no node
  // is left out. kInvalidArgument: a kind out of range or reversed and not followed, arc_weights
  // that are wrong (edge_weighting.h) or that no weights were asked for.
  static Result<DenseView> Make(const Snapshot& snapshot, const DenseViewOptions& options = {});

  NodeId node_count() const { return node_count_; }
  CsrView out() const { return out_; }  // packed rows carry no kinds
  CsrView in() const { return in_; }
  bool packed() const { return parts_ != nullptr; }

  // Dense id -> node of the snapshot. REQUIRES dense < node_count().
  NodeId node(NodeId dense) const;
  // Node of the snapshot -> dense id; kNoNode when it is not selected.
  NodeId dense(NodeId node) const;
  // The selected nodes. O(1) when packed, else O(nodes / 64).
  NodeSubset nodes() const;

  // The same view without the packed rows of a direction, for those who keep it for its
  // numbering: frees them unless others share them. Unpacked views stay as they are.
  DenseView WithoutRows(Direction direction) const;
  std::uint64_t size_bytes() const;  // of what is packed

 private:
  struct Parts;
  struct PackedRows;
  Snapshot snapshot_;
  NodeId node_count_ = 0;
  CsrView out_, in_;
  std::shared_ptr<const Parts> parts_;
  std::shared_ptr<const PackedRows> packed_out_, packed_in_;
};

}  // namespace plexus
