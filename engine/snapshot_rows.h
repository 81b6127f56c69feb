// The row iterator: base row and runs merged on the fly. Included by snapshot.h.
//
// Clean rows take one bit test and then a tight loop over the base arrays. A
// dirty row first merges its (few) delta arcs, newest wins, into a small buffer
// and then walks base and buffer side by side. Order is (kind, neighbor, label)
// on every path, so sums come out in the same order, and with the same bits,
// whether the graph is clean, has a delta, was compacted or reopened.
#pragma once

#include <type_traits>

#include "engine/snapshot.h"

namespace plexus {

namespace internal {

// A delta arc with the place it came from.
struct MergedArc {
  DeltaArc arc;
  ArcRef ref;
};

// Collects the newest version of every delta arc of a row, tombstones included.
// The result lives in `scratch` (or is empty).
void MergeDeltaRow(const GraphState& state, Direction direction, NodeId node,
                   std::vector<MergedArc>& scratch);
// Label of a base arc (0 when the base has no labels).
StringId BaseLabel(const Csr& base, Direction direction, std::uint32_t position);

// A per-thread buffer that survives nesting: each use takes one off a stack.
class RowScratch {
 public:
  RowScratch();
  ~RowScratch();
  RowScratch(const RowScratch&) = delete;
  RowScratch& operator=(const RowScratch&) = delete;
  std::vector<MergedArc>& arcs() { return *arcs_; }

 private:
  std::vector<MergedArc>* arcs_;
};

template <class Fn, class A>
inline bool Call(Fn& fn, const A& value) {
  if constexpr (std::is_void_v<std::invoke_result_t<Fn&, const A&>>) {
    fn(value);
    return true;
  } else {
    return fn(value);
  }
}

}  // namespace internal

template <class Fn>
bool Snapshot::VisitRow(Direction direction, NodeId node, const ArcFilter& filter,
                        bool skip_symmetric, Fn&& fn) const {
  const GraphState& s = *state_;
  const CsrView view = s.base->view(direction);
  std::uint32_t begin = 0, end = 0;
  if (node < s.base->node_count) {
    begin = view.offsets[node];
    end = view.offsets[node + 1];
  }
  const bool plain = filter.all_kinds() && !filter.checks_time() && !skip_symmetric;
  auto emit = [&](NodeId neighbor, KindId kind, float weight, ArcRef ref) -> bool {
    if (!plain) {
      if (!filter.allows(kind)) return true;
      if (skip_symmetric && s.schema->edge_kind(kind).symmetric) return true;
      if (filter.checks_time() && !PassesTime(ref, filter.valid_at())) return true;
    }
    return internal::Call(fn, Arc{neighbor, kind, weight, ref});
  };
  if (clean(direction, node)) {
    for (std::uint32_t i = begin; i < end; ++i)
      if (!emit(view.neighbors[i], view.kind(i), view.weights[i], ArcRef{0, i, direction}))
        return false;
    return true;
  }
  internal::RowScratch scratch;
  auto& delta = scratch.arcs();
  internal::MergeDeltaRow(s, direction, node, delta);
  std::uint32_t i = begin;
  for (const internal::MergedArc& d : delta) {
    const std::uint64_t order = ArcOrder(d.arc.kind, d.arc.neighbor);
    while (i < end) {
      const KindId kind = view.kind(i);
      const std::uint64_t base_order = ArcOrder(kind, view.neighbors[i]);
      if (base_order > order) break;
      if (base_order == order) {
        StringId label = internal::BaseLabel(*s.base, direction, i);
        if (label > d.arc.label) break;
        if (label == d.arc.label) {  // replaced or removed
          ++i;
          break;
        }
      }
      if (!emit(view.neighbors[i], kind, view.weights[i], ArcRef{0, i, direction})) return false;
      ++i;
    }
    if (!d.arc.tombstone && !emit(d.arc.neighbor, d.arc.kind, d.arc.weight, d.ref)) return false;
  }
  for (; i < end; ++i)
    if (!emit(view.neighbors[i], view.kind(i), view.weights[i], ArcRef{0, i, direction}))
      return false;
  return true;
}

template <class Fn>
void Snapshot::ForEachArc(Direction direction, NodeId node, const ArcFilter& filter,
                          Fn&& fn) const {
  if (direction != Direction::kBoth) {
    VisitRow(direction, node, filter, false, fn);
    return;
  }
  if (VisitRow(Direction::kOut, node, filter, false, fn))
    VisitRow(Direction::kIn, node, filter, true, fn);
}

template <class Fn>
void Snapshot::ForEachEdge(const ArcFilter& filter, Fn&& fn) const {
  bool go_on = true;
  for (NodeId v = 0; v < node_count() && go_on; ++v) {
    ForEachArc(Direction::kOut, v, filter, [&](const Arc& arc) {
      // A symmetric edge is listed at its smaller end only.
      if (arc.neighbor < v && schema().edge_kind(arc.kind).symmetric) return true;
      go_on = internal::Call(fn, edge(arc, v));
      return go_on;
    });
  }
}

}  // namespace plexus
