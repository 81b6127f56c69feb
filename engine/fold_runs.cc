// Compaction: a base and the oldest runs become a new base.
//
// The runs are first merged into one. Rows that the run does not touch keep
// their arcs, so whole stretches of clean rows are copied at memory speed; touched
// rows are merged arc by arc. Sparse columns move with their slots. The in arrays
// are transposed anew. Pure: reads immutable parts, runs beside the writer.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "engine/snapshot.h"
#include "engine/state_writer.h"

namespace plexus {

namespace {

constexpr std::size_t kRows = std::size_t{1} << 14;  // rows per block

// Slots of rows that changed: where they went, and what the delta brought.
struct BlockChanges {
  std::vector<std::pair<EdgeSlot, EdgeSlot>> moved;        // old -> new, old ascending
  std::vector<std::pair<EdgeSlot, std::uint32_t>> placed;  // new slot, edge of the run
};

struct Fold {
  const Csr& base;
  const Run& run;
  Csr& out;
  bool high_kinds;

  std::uint32_t BaseDegree(NodeId v) const {
    return v < base.node_count ? base.out_offsets[v + 1] - base.out_offsets[v] : 0;
  }

  // Walks the merged row: base_arc(position) and delta_arc(index) in order.
  template <class B, class D>
  void MergeRow(NodeId v, std::uint32_t d, std::uint32_t d_end, B&& base_arc, D&& delta_arc) const {
    const CsrView view = base.out();
    std::uint32_t i = 0, end = 0;
    if (v < base.node_count) i = base.out_offsets[v], end = base.out_offsets[v + 1];
    for (; d < d_end; ++d) {
      const DeltaArc& arc = run.out.arcs[d];
      const std::uint64_t order = ArcOrder(arc.kind, arc.neighbor);
      while (i < end) {
        const std::uint64_t o = ArcOrder(view.kind(i), view.neighbors[i]);
        if (o > order) break;
        if (o == order) {
          const StringId label = base.labels.Get(i, 0);
          if (label > arc.label) break;
          if (label == arc.label) {
            ++i;
            break;
          }
        }
        base_arc(i++);
      }
      if (!arc.tombstone) delta_arc(d);
    }
    while (i < end) base_arc(i++);
  }

  void Place(std::uint32_t to, NodeId neighbor, KindId kind, float weight, std::int64_t at) {
    out.out_neighbors[to] = neighbor;
    out.out_weights[to] = weight;
    out.out_kinds[to] = static_cast<std::uint8_t>(kind);
    if (high_kinds) out.out_kinds_high[to] = static_cast<std::uint8_t>(kind >> 8);
    out.out_created_at[to] = at;
  }

  // Rows [begin, end) are clean: one stretch of the base.
  void CopyClean(NodeId begin, NodeId end) {
    end = std::min(end, base.node_count);
    if (begin >= end) return;
    const std::uint32_t from = base.out_offsets[begin], to = out.out_offsets[begin];
    const std::size_t count = base.out_offsets[end] - from;
    if (!count) return;
    std::memcpy(&out.out_neighbors[to], &base.out_neighbors[from], count * sizeof(NodeId));
    std::memcpy(&out.out_weights[to], &base.out_weights[from], count * sizeof(float));
    std::memcpy(&out.out_kinds[to], &base.out_kinds[from], count);
    std::memcpy(&out.out_created_at[to], &base.out_created_at[from], count * sizeof(std::int64_t));
    if (!high_kinds) return;
    if (base.out_kinds_high.empty())
      std::memset(&out.out_kinds_high[to], 0, count);
    else
      std::memcpy(&out.out_kinds_high[to], &base.out_kinds_high[from], count);
  }
};

// Carries a sparse column over: old values by moved slot, new ones from the run.
template <class T, class FromExtra>
SlotColumn<T> MoveColumn(const SlotColumn<T>& old, const Fold& fold,
                         const std::vector<BlockChanges>& blocks, T absent, FromExtra&& of_edge) {
  std::vector<std::pair<EdgeSlot, T>> entries;
  for (std::size_t k = 0; k < old.slots.size(); ++k) {
    const EdgeSlot slot = old.slots[k];
    const auto* offsets = fold.base.out_offsets.data();
    const NodeId row = static_cast<NodeId>(
        std::upper_bound(offsets, offsets + fold.base.node_count + 1, slot) - offsets - 1);
    auto [d, d_end] = fold.run.out.Row(row);
    if (d == d_end) {
      entries.emplace_back(slot - fold.base.out_offsets[row] + fold.out.out_offsets[row],
                           old.values[k]);
      continue;
    }
    const auto& moved = blocks[row / kRows].moved;
    auto it = std::lower_bound(moved.begin(), moved.end(), std::pair(slot, EdgeSlot{0}));
    if (it != moved.end() && it->first == slot) entries.emplace_back(it->second, old.values[k]);
  }
  for (const BlockChanges& b : blocks)
    for (auto [slot, edge] : b.placed)
      if (T value = of_edge(edge); value != absent) entries.emplace_back(slot, value);
  std::sort(entries.begin(), entries.end());
  SlotColumn<T> column;
  column.slots.reserve(entries.size());
  column.values.reserve(entries.size());
  for (auto& [slot, value] : entries) column.PushBack(slot, value);
  return column;
}

void MoveSparseColumns(Fold& fold, const std::vector<BlockChanges>& blocks) {
  const Run& run = fold.run;
  auto extra = [&](auto member, auto absent) {
    return [&run, member, absent](std::uint32_t edge) {
      const EdgeExtra* x = run.extra(edge);
      return x ? x->*member : absent;
    };
  };
  fold.out.labels = MoveColumn<StringId>(fold.base.labels, fold, blocks, 0,
                                         [&](std::uint32_t e) { return run.edges[e].label; });
  fold.out.created_by = MoveColumn<StringId>(fold.base.created_by, fold, blocks, 0,
                                             extra(&EdgeExtra::created_by, StringId{0}));
  fold.out.valid_from = MoveColumn<std::int64_t>(fold.base.valid_from, fold, blocks, kNoTime,
                                                 extra(&EdgeExtra::valid_from, kNoTime));
  fold.out.valid_until = MoveColumn<std::int64_t>(fold.base.valid_until, fold, blocks, kNoTime,
                                                  extra(&EdgeExtra::valid_until, kNoTime));
  fold.out.properties =
      MoveColumn<std::uint64_t>(fold.base.properties, fold, blocks, 0, [&](std::uint32_t e) {
        const EdgeExtra* x = run.extra(e);
        return x ? x->properties.bits : std::uint64_t{0};
      });
}

// The first `count` runs as one; null when there are none.
std::shared_ptr<const Run> MergeAll(const GraphState& state, std::size_t count) {
  std::shared_ptr<const Run> merged;
  for (std::size_t i = count; i-- > 0;)  // newest (smallest) first: tiers shrink towards the end
    merged = merged ? MergeRuns(*state.runs[i], *merged) : state.runs[i];
  return merged;
}

}  // namespace

Result<std::shared_ptr<const Csr>> FoldRuns(const GraphState& state, std::size_t run_count,
                                            Executor& executor) {
  std::shared_ptr<const Run> run = MergeAll(state, run_count);
  const NodeId nodes = state.keys.size();
  if (!run) run = std::make_shared<Run>();
  const Csr& base = *state.base;
  auto csr = std::make_shared<Csr>();
  csr->sequence = run_count ? run->last : base.sequence;
  if (run_count == state.runs.size()) csr->sequence = state.sequence;
  csr->node_count = nodes;
  csr->out_offsets = AlignedArray<std::uint32_t>(std::size_t{nodes} + 1);
  Fold fold{base, *run, *csr, state.schema->edge_kinds().size() > 256};

  // Degrees, then offsets.
  std::vector<std::uint64_t> block_arcs((std::size_t{nodes} + kRows - 1) / kRows + 1, 0);
  ParallelFor(executor, nodes, kRows, [&](std::size_t begin, std::size_t end) {
    std::uint64_t sum = 0;
    auto row = std::lower_bound(run->out.rows.begin(), run->out.rows.end(), begin);
    for (std::size_t v = begin; v < end; ++v) {
      std::uint32_t degree = fold.BaseDegree(static_cast<NodeId>(v));
      if (row != run->out.rows.end() && *row == v) {
        const std::size_t r = row++ - run->out.rows.begin();
        degree = 0;
        fold.MergeRow(static_cast<NodeId>(v), run->out.offsets[r], run->out.offsets[r + 1],
                      [&](std::uint32_t) { ++degree; }, [&](std::uint32_t) { ++degree; });
      }
      csr->out_offsets[v] = degree;
      sum += degree;
    }
    block_arcs[begin / kRows + 1] = sum;
  });
  std::partial_sum(block_arcs.begin(), block_arcs.end(), block_arcs.begin());
  const std::uint64_t arcs = block_arcs.back();
  if (arcs > Limits::kMaxArcs)
    return Fail(ErrorCode::kResourceExhausted,
                "a graph holds at most " + std::to_string(Limits::kMaxArcs) + " arcs");
  ParallelFor(executor, nodes, kRows, [&](std::size_t begin, std::size_t end) {
    std::uint32_t at = static_cast<std::uint32_t>(block_arcs[begin / kRows]);
    for (std::size_t v = begin; v < end; ++v) at += std::exchange(csr->out_offsets[v], at);
  });
  csr->out_offsets[nodes] = static_cast<std::uint32_t>(arcs);

  csr->out_neighbors = AlignedArray<NodeId>(arcs);
  csr->out_weights = AlignedArray<float>(arcs);
  csr->out_kinds = AlignedArray<std::uint8_t>(arcs);
  csr->out_created_at = AlignedArray<std::int64_t>(arcs);
  if (fold.high_kinds) csr->out_kinds_high = AlignedArray<std::uint8_t>(arcs);
  std::vector<BlockChanges> blocks(block_arcs.size());
  const bool base_sparse = base.sparse_bytes() > 0;
  ParallelFor(executor, nodes, kRows, [&](std::size_t begin, std::size_t end) {
    BlockChanges& changes = blocks[begin / kRows];
    const CsrView view = base.out();
    NodeId clean_from = static_cast<NodeId>(begin);
    auto row = std::lower_bound(run->out.rows.begin(), run->out.rows.end(), begin);
    for (; row != run->out.rows.end() && *row < end; ++row) {
      const NodeId v = *row;
      fold.CopyClean(clean_from, v);
      clean_from = v + 1;
      const std::size_t r = row - run->out.rows.begin();
      std::uint32_t to = csr->out_offsets[v];
      fold.MergeRow(
          v, run->out.offsets[r], run->out.offsets[r + 1],
          [&](std::uint32_t i) {
            if (base_sparse) changes.moved.emplace_back(i, to);
            fold.Place(to++, view.neighbors[i], view.kind(i), view.weights[i],
                       base.out_created_at[i]);
          },
          [&](std::uint32_t d) {
            const DeltaArc& arc = run->out.arcs[d];
            const std::uint32_t edge = run->out.edges[d];
            if (arc.label || run->edges[edge].flags & EdgeChange::kHasExtra)
              changes.placed.emplace_back(to, edge);
            fold.Place(to++, arc.neighbor, arc.kind, arc.weight, run->edges[edge].created_at);
          });
    }
    fold.CopyClean(clean_from, static_cast<NodeId>(end));
  });
  MoveSparseColumns(fold, blocks);
  BuildInArrays(*csr, executor);
  return std::shared_ptr<const Csr>(std::move(csr));
}

}  // namespace plexus
