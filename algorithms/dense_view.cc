// Packing selected rows: count, prefix sum, fill; blocks of dense ids in parallel.
#include "algorithms/dense_view.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "algorithms/internal/selection.h"
#include "engine/aligned_array.h"

namespace plexus {

namespace {

constexpr std::size_t kGrain = 2048;

struct PackedRows {
  AlignedArray<std::uint32_t> offsets;
  AlignedArray<NodeId> neighbors;
  AlignedArray<float> weights;
  CsrView view() const { return {offsets.span(), neighbors.span(), weights.span(), {}, {}}; }
};

}  // namespace

struct DenseView::Parts {
  NodeSubset selected;
  std::vector<std::uint32_t> ranks;  // members before each word of `selected`
  std::vector<NodeId> nodes;         // dense -> node
  PackedRows out, in;

  NodeId dense(NodeId v) const {
    if (!selected.contains(v)) return kNoNode;
    const std::uint64_t below = selected.words()[v / 64] & ((std::uint64_t{1} << (v % 64)) - 1);
    return ranks[v / 64] + static_cast<NodeId>(std::popcount(below));
  }

  Status Pack(const internal::Selection& selection, Direction direction, bool weights,
              Executor& executor, PackedRows& rows) const;
};

Status DenseView::Parts::Pack(const internal::Selection& selection, Direction direction,
                              bool weights, Executor& executor, PackedRows& rows) const {
  const Snapshot& snapshot = *selection.snapshot;
  const std::size_t n = nodes.size();
  rows.offsets = AlignedArray<std::uint32_t>(n + 1);
  // Counting. Arcs to nodes outside the selection do not take part.
  ParallelFor(executor, n, kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::uint32_t count = 0;
      snapshot.ForEachArc(direction, nodes[i], selection.filter,
                          [&](const Arc& arc) { count += selected.contains(arc.neighbor); });
      rows.offsets[i + 1] = count;
    }
  });
  rows.offsets[0] = 0;
  std::uint64_t total = 0;
  for (std::size_t i = 1; i <= n; ++i) {
    total += rows.offsets[i];
    rows.offsets[i] = static_cast<std::uint32_t>(total);
  }
  if (total > Limits::kMaxArcs)
    return Fail(ErrorCode::kResourceExhausted, "the selected rows hold more arcs than one csr may");
  rows.neighbors = AlignedArray<NodeId>(total);
  if (weights) rows.weights = AlignedArray<float>(total);
  ParallelFor(executor, n, kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::uint32_t at = rows.offsets[i];
      snapshot.ForEachArc(direction, nodes[i], selection.filter, [&](const Arc& arc) {
        const NodeId neighbor = dense(arc.neighbor);
        if (neighbor == kNoNode) return;
        rows.neighbors[at] = neighbor;
        if (weights) rows.weights[at] = arc.weight;
        ++at;
      });
    }
  });
  return {};
}

Result<DenseView> DenseView::Make(const Snapshot& snapshot, const DenseViewOptions& options) {
  PLEXUS_ASSIGN(const internal::Selection selection,
                internal::Select(snapshot, options.kinds, options.valid_at, options.subset));
  Executor& executor = internal::Pick(options.executor);
  DenseView view;
  view.snapshot_ = snapshot;
  if (selection.whole_base) {
    view.node_count_ = snapshot.node_count();
    if (options.out) view.out_ = snapshot.base().out();
    if (options.in) view.in_ = snapshot.base().in();
    if (!options.weights) view.out_.weights = view.in_.weights = {};
    return view;
  }
  auto parts = std::make_shared<Parts>();
  parts->selected = selection.Materialise(executor);
  parts->nodes = parts->selected.ToList();
  std::uint32_t before = 0;
  for (std::uint64_t word : parts->selected.words()) {
    parts->ranks.push_back(before);
    before += static_cast<std::uint32_t>(std::popcount(word));
  }
  view.node_count_ = static_cast<NodeId>(parts->nodes.size());
  if (options.out) {
    PLEXUS_TRY(parts->Pack(selection, Direction::kOut, options.weights, executor, parts->out));
    view.out_ = parts->out.view();
  }
  if (options.in) {
    PLEXUS_TRY(parts->Pack(selection, Direction::kIn, options.weights, executor, parts->in));
    view.in_ = parts->in.view();
  }
  view.parts_ = std::move(parts);
  return view;
}

NodeId DenseView::node(NodeId dense) const { return parts_ ? parts_->nodes[dense] : dense; }

NodeId DenseView::dense(NodeId node) const {
  if (parts_) return parts_->dense(node);
  return node < node_count_ ? node : kNoNode;
}

NodeSubset DenseView::nodes() const {
  if (parts_) return parts_->selected;
  return NodeSubset(node_count_, std::vector<std::uint64_t>((std::size_t{node_count_} + 63) / 64,
                                                            ~std::uint64_t{0}));
}

}  // namespace plexus
