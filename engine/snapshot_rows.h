// The row iterator: base row and runs merged on the fly. Included by snapshot.h.
//
// Clean rows take one bit test and then a tight loop over the base arrays. A
// dirty row walks base and delta side by side; when several runs have the row,
// their arcs are merged first, newest wins, in a small buffer on the stack. Order is (kind,
// neighbor, label) on every path, so sums come out in the same order, and with the same bits,
// whether the graph is clean, has a delta, was compacted or reopened.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/snapshot.h"

namespace plexus {

namespace engine_internal {

// The first of [begin, end) whose kind, which ascends, is not below `least`.
template <class KindAt>
std::uint32_t FirstNotBelow(std::uint32_t begin, std::uint32_t end, std::uint32_t least,
                            const KindAt& kind) {
  while (begin < end) {
    const std::uint32_t mid = begin + (end - begin) / 2;
    if (kind(mid) < least)
      begin = mid + 1;
    else
      end = mid;
  }
  return begin;
}

// The delta arcs of one row: the newest version of each identity, in order,
// tombstones included. Points into a run when only one has the row, else into
// its own small buffer, or into heap memory for rows with many delta arcs.
class DeltaRow {
 public:
  // The arcs of these kinds.
  DeltaRow(const engine_internal::SnapshotTables& tables, Direction direction, NodeId node,
           ArcFilter::Range kinds) {
    for (std::size_t r = tables.runs_rows.size(); r-- > 0;) {  // newest first
      const engine_internal::RunSide& side = tables.run_rows(r, direction);
      auto [begin, end] = side.Row(node);
      const auto kind = [&](std::uint32_t i) { return KindId{side.arcs[i].kind}; };
      if (kinds.first > 0) begin = FirstNotBelow(begin, end, kinds.first, kind);
      if (kinds.last < std::numeric_limits<KindId>::max())
        end = FirstNotBelow(begin, end, std::uint32_t{kinds.last} + 1, kind);
      if (begin == end) continue;
      const Part part{side.arcs.data() + begin, begin, end - begin,
                      static_cast<std::uint32_t>(r + 1)};
      if (count_ == 0)
        TakeFirst(part);
      else
        MergeOlder(part);
    }
  }
  DeltaRow() = default;  // no arcs; Add some, newest run first
  DeltaRow(const DeltaRow&) = delete;
  DeltaRow& operator=(const DeltaRow&) = delete;

  // The row at index `row` of a run's side; `run` counts from 1, as in ArcRef.
  void Add(const engine_internal::RunSide& side, std::size_t row, std::uint32_t run) {
    const std::uint32_t begin = side.offsets[row];
    const Part part{side.arcs.data() + begin, begin, side.offsets[row + 1] - begin, run};
    if (count_ == 0)
      TakeFirst(part);
    else
      MergeOlder(part);
  }

  std::uint32_t size() const { return count_; }
  const engine_internal::DeltaArc& arc(std::uint32_t i) const { return arcs_[i]; }
  std::uint32_t position(std::uint32_t i) const { return positions_ ? positions_[i] : first_ + i; }
  std::uint32_t run(std::uint32_t i) const { return runs_ ? runs_[i] : run_; }

 private:
  static constexpr std::uint32_t kSmall = 16;
  struct Part {
    const engine_internal::DeltaArc* arcs;
    std::uint32_t first, count, run;
  };
  struct Buffer {
    engine_internal::DeltaArc arcs[kSmall];
    std::uint32_t positions[kSmall], runs[kSmall];
  };
  void TakeFirst(const Part& part) {
    arcs_ = part.arcs;
    first_ = part.first;
    count_ = part.count;
    run_ = part.run;
  }
  void MergeOlder(const Part& older);
  template <class Out>
  std::uint32_t MergeInto(const Part& older, Out&& out) const;

  const engine_internal::DeltaArc* arcs_ = nullptr;
  const std::uint32_t* positions_ = nullptr;  // null: first_, first_ + 1, ...
  const std::uint32_t* runs_ = nullptr;       // null: all from run_
  std::uint32_t count_ = 0, run_ = 0, first_ = 0;
  bool second_ = false;  // which small buffer is in use
  Buffer small_[2];      // not initialised
  struct Large {
    std::vector<engine_internal::DeltaArc> arcs;
    std::vector<std::uint32_t> positions, runs;
  };
  std::unique_ptr<Large> large_;
};
// Walks the rows that any run has, in ascending order, for scans.
class DirtyRows {
 public:
  DirtyRows(const engine_internal::SnapshotTables& tables, Direction direction, NodeId first) {
    for (std::size_t r = tables.runs_rows.size(); r-- > 0;) {  // newest first
      const engine_internal::RunSide& side = tables.run_rows(r, direction);
      const auto at = std::lower_bound(side.rows.begin(), side.rows.end(), first);
      if (at == side.rows.end()) continue;
      heads_[count_] = *at;
      cursors_[count_++] = {&side, static_cast<std::size_t>(at - side.rows.begin()),
                            static_cast<std::uint32_t>(r + 1)};
    }
    FindNext();
  }
  NodeId next() const { return next_; }  // kNoNode at the end
  // Moves past the present row; fills `delta` with its arcs.
  void Take(DeltaRow& delta) {
    Pass([&](const Cursor& c) { delta.Add(*c.side, c.row, c.run); });
  }
  // Moves past the rows before `node`.
  void SkipTo(NodeId node) {
    while (next_ < node) Pass([](const Cursor&) {});
  }

 private:
  struct Cursor {
    const engine_internal::RunSide* side;
    std::size_t row;
    std::uint32_t run;
  };
  // fn(cursor) of every run that has the present row.
  template <class Fn>
  void Pass(Fn&& fn) {
    for (std::size_t i = 0; i < count_; ++i) {
      if (heads_[i] != next_) continue;
      Cursor& c = cursors_[i];
      fn(c);
      ++c.row;
      heads_[i] = c.row < c.side->rows.size() ? c.side->rows[c.row] : kNoNode;
    }
    FindNext();
  }
  void FindNext() {
    next_ = kNoNode;
    for (std::size_t i = 0; i < count_; ++i) next_ = std::min(next_, heads_[i]);
  }
  std::size_t count_ = 0;
  NodeId next_ = kNoNode;
  NodeId heads_[engine_internal::kMaxRuns + 2];
  Cursor cursors_[engine_internal::kMaxRuns + 2];
};

// Label of a base arc (0 when the base has no labels).
StringId BaseLabel(const Csr& base, Direction direction, std::uint32_t position);

template <class Fn, class A>
inline bool Call(Fn& fn, const A& value) {
  if constexpr (std::is_void_v<std::invoke_result_t<Fn&, const A&>>) {
    fn(value);
    return true;
  } else {
    return fn(value);
  }
}

// One direction of the base as raw pointers.
struct BaseRows {
  BaseRows(const Snapshot& snapshot, Direction d)
      : BaseRows(snapshot.base(), snapshot.base_rows(d), d) {}
  // `view`: the rows of `csr` in that direction.
  BaseRows(const Csr& csr, const StoredCsrView& view, Direction d)
      : base(csr),
        direction(d),
        nodes(view.node_count()),
        offsets(view.offsets.data()),
        neighbors(view.neighbors.data()),
        weights(view.weights),
        low(view.kinds.data()),
        high(view.kinds_high.empty() ? nullptr : view.kinds_high.data()) {}
  std::uint32_t begin(NodeId v) const { return v < nodes ? offsets[v] : 0; }
  std::uint32_t end(NodeId v) const { return v < nodes ? offsets[v + 1] : 0; }
  EdgeKindId kind(std::uint32_t i) const {
    return EdgeKindId(high ? low[i] | (high[i] << 8) : low[i]);
  }

  // The positions in [begin, end), of one row, that are of these kinds.
  std::pair<std::uint32_t, std::uint32_t> Part(std::uint32_t begin, std::uint32_t end,
                                               ArcFilter::Range kinds) const {
    const auto at = [&](std::uint32_t i) { return kind(i).value(); };
    begin = FirstNotBelow(begin, end, kinds.first, at);
    return {begin, FirstNotBelow(begin, end, std::uint32_t{kinds.last} + 1, at)};
  }

  // Fetches what merging needs and a scan of weights would not have read.
  void Prefetch(NodeId v) const {
    if (v >= nodes || offsets[v] == offsets[v + 1]) return;
    __builtin_prefetch(neighbors + offsets[v]);
    __builtin_prefetch(neighbors + offsets[v + 1] - 1);
    __builtin_prefetch(low + offsets[v]);
  }

  // Base arcs [i, end) merged with `delta`, in order; false when emit stopped.
  template <class Emit>
  bool Merge(std::uint32_t i, std::uint32_t end, const DeltaRow& delta, Emit&& emit) const {
    for (std::uint32_t d = 0; d < delta.size(); ++d) {
      const engine_internal::DeltaArc& arc = delta.arc(d);
      const std::uint64_t order = engine_internal::ArcOrder(arc.kind, arc.neighbor);
      while (i < end) {
        const std::uint64_t base_order = engine_internal::ArcOrder(kind(i), neighbors[i]);
        if (base_order >= order) {
          if (base_order > order) break;
          const StringId label = BaseLabel(base, direction, i);
          if (label > arc.label) break;
          if (label == arc.label) {  // replaced or removed
            ++i;
            break;
          }
        }
        if (!emit(neighbors[i], kind(i), weights[i], ArcRef{0, i, direction})) return false;
        ++i;
      }
      if (!arc.tombstone() && !emit(arc.neighbor, arc.kind, arc.weight,
                                    ArcRef{delta.run(d), delta.position(d), direction}))
        return false;
    }
    for (; i < end; ++i)
      if (!emit(neighbors[i], kind(i), weights[i], ArcRef{0, i, direction})) return false;
    return true;
  }

  const Csr& base;
  Direction direction;
  NodeId nodes;
  const std::uint32_t* offsets;
  const NodeId* neighbors;
  WeightView weights;
  const std::uint8_t* low;
  const std::uint8_t* high;
};

}  // namespace engine_internal

template <class Fn>
bool Snapshot::VisitRow(Direction direction, NodeId node, const ArcFilter& filter, bool after_out,
                        Fn&& fn) const {
  const engine_internal::BaseRows rows(*this, direction);
  const bool plain = filter.all_kinds() && !filter.checks_time() && !after_out;
  auto emit = [&](NodeId neighbor, EdgeKindId kind, float weight, ArcRef ref) -> bool {
    if (!plain) {
      if (!filter.allows(kind)) return true;
      // The out row has had loops and edges of symmetric kinds.
      if (after_out && (neighbor == node || schema().edge_kind(kind).symmetric)) return true;
      if (filter.checks_time() && !PassesTime(ref, filter.valid_at())) return true;
    }
    return engine_internal::Call(fn, Arc{neighbor, kind, weight, ref});
  };
  constexpr std::uint32_t kLong = 64;  // rows that are searched for the kinds of a filter
  constexpr ArcFilter::Range kAllKinds{0, std::numeric_limits<KindId>::max()};
  const std::uint32_t begin = rows.begin(node), end = rows.end(node);
  const bool is_clean = clean(direction, node);
  // Of a row in the delta the length is not known; one range costs as many look-ups as all.
  const std::span<const ArcFilter::Range> ranges = filter.ranges();
  const bool searched =
      !ranges.empty() && (end - begin > kLong || (!is_clean && ranges.size() == 1));
  for (std::size_t r = 0; r < (searched ? ranges.size() : 1); ++r) {
    const ArcFilter::Range kinds = searched ? ranges[r] : kAllKinds;
    auto [i, last] = searched ? rows.Part(begin, end, kinds) : std::pair(begin, end);
    if (is_clean) {
      for (; i < last; ++i)
        if (!emit(rows.neighbors[i], rows.kind(i), rows.weights[i], ArcRef{0, i, direction}))
          return false;
    } else if (!rows.Merge(i, last, engine_internal::DeltaRow(*tables_, direction, node, kinds),
                           emit)) {
      return false;
    }
  }
  return true;
}

template <class Fn>
void Snapshot::ScanArcs(Direction direction, NodeId first, NodeId last, const ArcFilter& filter,
                        Fn&& fn) const {
  const engine_internal::BaseRows rows(*this, direction);
  const bool plain = filter.all_kinds() && !filter.checks_time();
  auto clean_rows = [&](NodeId begin, NodeId end, auto&& emit) {
    end = std::min(end, rows.nodes);
    for (NodeId v = begin; v < end; ++v)
      for (std::uint32_t i = rows.offsets[v]; i < rows.offsets[v + 1]; ++i)
        emit(v, Arc{rows.neighbors[i], rows.kind(i), rows.weights[i], ArcRef{0, i, direction}});
  };
  auto scan = [&](auto&& emit) {
    engine_internal::DirtyRows dirty(*tables_, direction, first);
    for (NodeId v = first; v < last;) {
      const NodeId stop = std::min<NodeId>(dirty.next(), last);
      clean_rows(v, stop, emit);
      if (stop == last) return;
      engine_internal::DeltaRow delta;
      dirty.Take(delta);
      rows.Prefetch(dirty.next());
      rows.Merge(rows.begin(stop), rows.end(stop), delta,
                 [&](NodeId neighbor, EdgeKindId kind, float weight, ArcRef ref) {
                   emit(stop, Arc{neighbor, kind, weight, ref});
                   return true;
                 });
      v = stop + 1;
    }
  };
  if (plain) {
    scan([&](NodeId v, const Arc& arc) { fn(v, arc); });
  } else {
    scan([&](NodeId v, const Arc& arc) {
      if (!filter.allows(arc.kind)) return;
      if (filter.checks_time() && !PassesTime(arc.ref, filter.valid_at())) return;
      fn(v, arc);
    });
  }
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
      go_on = engine_internal::Call(fn, edge(arc, v));
      return go_on;
    });
  }
}

}  // namespace plexus
