// Packing selected rows: blocks of dense ids in parallel, each walked once. Weights of a base are
// decoded in one pass; what was made is found by its direction.
#include "algorithms/common/common.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include "algorithms/common/internal/base_weights.h"
#include "algorithms/common/internal/edge_weigher.h"
#include "algorithms/common/internal/reversed_kinds.h"
#include "algorithms/common/internal/selection.h"
#include "engine/arrays/aligned_array.h"
#include "engine/out_of_memory.h"

namespace plexus {

namespace {

constexpr std::size_t kGrain = 2048;

struct FloatWeights final : Derived {
  static constexpr std::string_view kName = "weights of arcs";
  explicit FloatWeights(std::size_t size) : values(size) {}
  std::uint64_t size_bytes() const override { return values.size_bytes(); }
  AlignedArray<float> values;
};

}  // namespace

CsrView common_internal::BaseRowsOf(const Csr& base, Direction direction, bool weighted,
                                    Executor& executor, std::shared_ptr<const void>& weights) {
  constexpr std::size_t kDecodeGrain = std::size_t{1} << 18;
  const bool in = direction == Direction::kIn;
  const WeightColumn& column = in ? base.in_weights : base.out_weights;
  CsrView rows = base.view(direction).Unweighted();
  if (!weighted || (column.one_value() && column[0] == 1.0f)) return rows;
  if (column.codes().empty() && !column.one_value()) {
    rows.weights = column.values();
    return rows;
  }
  std::shared_ptr<const FloatWeights> kept = base.derived.Find<FloatWeights>(in);
  if (!kept) {
    const auto made = std::make_shared<FloatWeights>(column.size());
    ParallelFor(executor, column.size(), kDecodeGrain, [&](std::size_t begin, std::size_t end) {
      column.view().Copy(begin, end, made->values.data() + begin);
    });
    kept = base.derived.Keep<FloatWeights>(made, in);
  }
  rows.weights = kept->values.span();
  weights = std::move(kept);
  return rows;
}

struct DenseView::PackedRows {
  AlignedArray<std::uint32_t> offsets;
  AlignedArray<NodeId> neighbors;
  AlignedArray<float> weights;
  CsrView view() const { return {offsets.span(), neighbors.span(), weights.span(), {}, {}}; }
};

struct DenseView::Parts {
  NodeSubset selected;
  std::vector<std::uint32_t> ranks;  // members before each word of `selected`
  std::vector<NodeId> nodes;         // dense -> node

  NodeId dense(NodeId v) const {
    if (!selected.contains(v)) return kNoNode;
    const std::uint64_t below = selected.word(v / 64) & ((std::uint64_t{1} << (v % 64)) - 1);
    return ranks[v / 64] + static_cast<NodeId>(std::popcount(below));
  }
};

namespace {

// Packs the rows of one direction. A block of nodes is walked once into its own
// buffers, whose sizes then say where they go.
template <class PackedRows>
class Packer {
 public:
  Packer(const common_internal::Selection& selection, const std::vector<NodeId>& nodes,
         const std::vector<NodeId>& places, bool weights,
         const common_internal::EdgeWeigher* weigher,
         const common_internal::ReversedKinds& reversed, Executor& executor)
      : selection_(selection),
        nodes_(nodes),
        places_(places),
        weights_(weights),
        weigher_(weigher),
        reversed_(reversed),
        executor_(executor),
        as_stored_(!selection.filter.checks_time() && !weigher && reversed.none()),
        last_kind_(LastKind(selection)) {}

  Status Pack(Direction direction, PackedRows& rows) const {
    const std::size_t n = nodes_.size();
    std::vector<Block> blocks((n + kGrain - 1) / kGrain);
    rows.offsets = AlignedArray<std::uint32_t>(n + 1);
    rows.offsets[0] = 0;
    std::atomic<bool> out_of_memory = false;  // tasks must not throw
    ParallelFor(executor_, n, kGrain, [&](std::size_t begin, std::size_t end) {
      Block& block = blocks[begin / kGrain];
      try {
        const auto done = [&](std::size_t i) {
          rows.offsets[i + 1] = static_cast<std::uint32_t>(block.size);
        };
        if (as_stored_) return StoredRows(direction, begin, end, block, done);
        for (std::size_t i = begin; i < end; ++i) {
          Row(direction, nodes_[i], block);
          done(i);
        }
      } catch (const std::bad_alloc&) {
        out_of_memory = true;
      }
    });
    if (out_of_memory) return Exhausted("no memory for the selected rows");
    std::vector<std::uint64_t> starts;
    std::uint64_t total = 0;
    for (const Block& block : blocks) {
      starts.push_back(total);
      total += block.size;
    }
    if (total > Limits::kMaxArcs)
      return Exhausted("the selected rows hold more arcs than one csr may");
    rows.neighbors = AlignedArray<NodeId>(total);
    if (weights_) rows.weights = AlignedArray<float>(total);
    ParallelFor(executor_, n, kGrain, [&](std::size_t begin, std::size_t end) {
      Block& block = blocks[begin / kGrain];
      const std::uint64_t start = starts[begin / kGrain];
      for (std::size_t i = begin; i < end; ++i)
        rows.offsets[i + 1] += static_cast<std::uint32_t>(start);
      std::copy_n(block.neighbors.begin(), block.size, rows.neighbors.begin() + start);
      if (weights_) std::copy_n(block.weights.begin(), block.size, rows.weights.begin() + start);
      block = Block();
    });
    return {};
  }

 private:
  // `size` arcs, and room for more.
  struct Block {
    std::vector<NodeId> neighbors;
    std::vector<float> weights;
    std::size_t size = 0;
    void MakeRoom(std::size_t more, bool weighted) {
      if (size + more <= neighbors.size()) return;
      const std::size_t room = std::max(size + more, 2 * neighbors.size());
      if (weighted) weights.resize(room);
      neighbors.resize(room);
    }
  };

  void Row(Direction direction, NodeId v, Block& block) const {
    reversed_.ForEachArc(
        *selection_.snapshot, direction, v, selection_.filter, [&](const Arc& arc) {
          return Add(arc.neighbor, weigher_ ? (*weigher_)(arc) : arc.weight, block);
        });
  }
  // Arcs to nodes outside the selection do not take part.
  bool Add(NodeId neighbor, float weight, Block& block) const {
    const NodeId place = places_.empty() ? neighbor : places_[neighbor];
    if (place == kNoNode) return true;
    block.MakeRoom(1, weights_);
    block.neighbors[block.size] = place;
    if (weights_) block.weights[block.size] = weight;
    ++block.size;
    return true;
  }

  // Rows of dense ids [begin, end): of the base, and with the runs in step where these have them.
  template <class Done>
  void StoredRows(Direction direction, std::size_t begin, std::size_t end, Block& block,
                  Done&& done) const {
    const engine_internal::BaseRows rows(*selection_.snapshot, direction);
    engine_internal::DirtyRows dirty(selection_.snapshot->tables(), direction, nodes_[begin]);
    for (std::size_t i = begin; i < end; ++i) {
      const NodeId v = nodes_[i];
      dirty.SkipTo(v);
      if (dirty.next() != v) {
        CleanRow(rows, v, block);
      } else {
        engine_internal::DeltaRow delta;
        dirty.Take(delta);
        rows.Merge(rows.begin(v), rows.end(v), delta,
                   [&](NodeId neighbor, EdgeKindId kind, float weight, const ArcRef&) {
                     return !selection_.filter.allows(kind) || Add(neighbor, weight, block);
                   });
      }
      done(i);
    }
  }

  // A row that is the base's, without the arcs that are not selected. No branch on these: which
  // they are is anyone's guess.
  void CleanRow(const engine_internal::BaseRows& rows, NodeId v, Block& block) const {
    const std::uint32_t begin = rows.begin(v), end = rows.end(v);
    block.MakeRoom(end - begin, weights_);
    NodeId* const neighbors = block.neighbors.data();
    float* const weights = block.weights.data();
    std::size_t to = block.size;
    for (std::uint32_t i = begin; i < end; ++i) {
      const EdgeKindId kind = rows.kind(i);
      if (kind > last_kind_) break;  // rows are sorted by kind
      const NodeId place = places_.empty() ? rows.neighbors[i] : places_[rows.neighbors[i]];
      neighbors[to] = place;
      if (weights_) weights[to] = rows.weights[i];
      to += static_cast<std::size_t>(selection_.filter.allows(kind)) &
            static_cast<std::size_t>(place != kNoNode);
    }
    block.size = to;
  }

  // The last kind that is selected.
  static EdgeKindId LastKind(const common_internal::Selection& selection) {
    std::size_t kinds = selection.snapshot->schema().edge_kinds().size();
    while (kinds > 1 && !selection.filter.allows(static_cast<EdgeKindId>(kinds - 1))) --kinds;
    return static_cast<EdgeKindId>(kinds - 1);
  }

  const common_internal::Selection& selection_;
  const std::vector<NodeId>& nodes_;
  const std::vector<NodeId>& places_;  // node -> dense; empty = the same
  const bool weights_;
  const common_internal::EdgeWeigher* weigher_;  // null: as stored
  const common_internal::ReversedKinds& reversed_;
  Executor& executor_;
  const bool as_stored_;  // arcs need only their kind to be selected
  const EdgeKindId last_kind_;
};

}  // namespace

Result<DenseView> DenseView::Make(const Snapshot& snapshot, const DenseViewOptions& options) try {
  PLEXUS_ASSIGN(const common_internal::Selection selection,
                common_internal::Select(snapshot, options.filter));
  Executor& executor = common_internal::Pick(options.executor);
  PLEXUS_ASSIGN(
      const std::optional<common_internal::EdgeWeigher> weigher,
      common_internal::EdgeWeigher::MakeIfAny(snapshot, options.arc_weights, options.weights));
  PLEXUS_ASSIGN(const common_internal::ReversedKinds reversed,
                common_internal::ReversedKinds::Make(snapshot.schema(), options.reversed,
                                                     options.filter.kinds));
  DenseView view;
  const bool numbering_only = selection.all_nodes && !options.out && !options.in;
  if ((selection.whole_base || numbering_only) && !weigher && reversed.none()) {
    view.snapshot_ = snapshot;
    view.node_count_ = snapshot.node_count();
    const auto rows_of = [&](Direction direction, std::shared_ptr<const void>& weights) {
      return common_internal::BaseRowsOf(snapshot.base(), direction, options.weights, executor,
                                         weights);
    };
    if (options.out) view.out_ = rows_of(Direction::kOut, view.out_weights_);
    if (options.in) view.in_ = rows_of(Direction::kIn, view.in_weights_);
    return view;
  }
  auto parts = std::make_shared<Parts>();
  parts->selected = selection.Materialise(executor);
  parts->nodes = parts->selected.ToList();
  std::uint32_t before = 0;
  for (std::size_t w = 0; w < parts->selected.word_count(); ++w) {
    parts->ranks.push_back(before);
    before += static_cast<std::uint32_t>(std::popcount(parts->selected.word(w)));
  }
  view.node_count_ = static_cast<NodeId>(parts->nodes.size());
  std::vector<NodeId> places;
  if (!selection.all_nodes) {
    places.assign(snapshot.node_count(), kNoNode);
    for (NodeId i = 0; i < view.node_count_; ++i) places[parts->nodes[i]] = i;
  }
  const Packer<PackedRows> packer(selection, parts->nodes, places, options.weights,
                                  weigher ? &*weigher : nullptr, reversed, executor);
  if (options.out) {
    auto rows = std::make_shared<PackedRows>();
    PLEXUS_TRY(packer.Pack(Direction::kOut, *rows));
    view.out_ = rows->view();
    view.packed_out_ = std::move(rows);
  }
  if (options.in) {
    auto rows = std::make_shared<PackedRows>();
    PLEXUS_TRY(packer.Pack(Direction::kIn, *rows));
    view.in_ = rows->view();
    view.packed_in_ = std::move(rows);
  }
  view.parts_ = std::move(parts);
  return view;
}
PLEXUS_CATCH_NO_MEMORY

DenseView DenseView::WithoutRows(Direction direction) const {
  DenseView view = *this;
  if (!packed()) return view;
  if (direction != Direction::kIn) {
    view.packed_out_.reset();
    view.out_ = {};
  }
  if (direction != Direction::kOut) {
    view.packed_in_.reset();
    view.in_ = {};
  }
  return view;
}

std::uint64_t DenseView::size_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& rows : {packed_out_, packed_in_})
    if (rows)
      bytes +=
          rows->offsets.size_bytes() + rows->neighbors.size_bytes() + rows->weights.size_bytes();
  if (parts_)
    bytes += parts_->selected.size_bytes() + parts_->ranks.capacity() * sizeof(std::uint32_t) +
             parts_->nodes.capacity() * sizeof(NodeId);
  return bytes;
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
