// Compaction: a base and the oldest runs become a new base.
//
// The runs are first merged into one. Rows that the run does not touch keep their
// arcs, so whole stretches of clean rows are copied at memory speed; touched rows
// are merged arc by arc, in both directions. The out pass writes down where each
// arc went (SlotMap); sparse columns and in arcs of touched sources find their new slots
// there, which is several times cheaper than transposing the new out arrays. Pure: reads
// immutable parts, while the writer runs.
#include "engine/compaction/run_compaction.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "engine/adjacency/heaviest_arcs.h"
#include "engine/snapshot.h"

namespace plexus {

namespace {

constexpr std::size_t kRows = std::size_t{1} << 14;  // rows per block
constexpr EdgeSlot kGone = 0xFFFFFFFFu;              // replaced or removed

struct SlotMap {
  AlignedArray<EdgeSlot> of_base;   // by old slot
  AlignedArray<EdgeSlot> of_delta;  // by position in the run's out arcs
};

// The arrays of one direction of the new base that both directions have.
struct NewRows {
  AlignedArray<std::uint32_t>& offsets;
  AlignedArray<NodeId>& neighbors;
  WeightColumn& weights;
  AlignedArray<std::uint8_t>& kinds;
  AlignedArray<std::uint8_t>& kinds_high;
};

// Merges one direction.
class DirectionFold {
 public:
  DirectionFold(const Csr& base, const Run& run, Direction direction, NodeId nodes, bool high_kinds,
                NewRows to)
      : rows_(base, base.view(direction), direction),
        view_(base.view(direction)),
        side_(run.side(direction)),
        nodes_(nodes),
        high_kinds_(high_kinds),
        to_(to) {}

  // Offsets of the new rows; false when there would be too many arcs.
  bool FillOffsets(Executor& executor) {
    to_.offsets = AlignedArray<std::uint32_t>(std::size_t{nodes_} + 1);
    std::vector<std::uint64_t> block_arcs((std::size_t{nodes_} + kRows - 1) / kRows + 1, 0);
    ParallelFor(executor, nodes_, kRows, [&](std::size_t begin, std::size_t end) {
      std::uint64_t sum = 0;
      std::size_t row = FirstRow(begin);
      for (std::size_t v = begin; v < end; ++v) {
        const auto node = static_cast<NodeId>(v);
        std::uint32_t degree = rows_.end(node) - rows_.begin(node);
        if (row < side_.rows.size() && side_.rows[row] == node) {
          degree = 0;
          MergeRow(
              row++, [&](std::uint32_t) { ++degree; }, [&](std::uint32_t) { ++degree; },
              [](std::uint32_t) {}, [](std::uint32_t) {});
        }
        to_.offsets[v] = degree;
        sum += degree;
      }
      block_arcs[begin / kRows + 1] = sum;
    });
    std::partial_sum(block_arcs.begin(), block_arcs.end(), block_arcs.begin());
    const std::uint64_t arcs = block_arcs.back();
    if (arcs > Limits::kMaxArcs) return false;
    ParallelFor(executor, nodes_, kRows, [&](std::size_t begin, std::size_t end) {
      auto at = static_cast<std::uint32_t>(block_arcs[begin / kRows]);
      for (std::size_t v = begin; v < end; ++v) at += std::exchange(to_.offsets[v], at);
    });
    to_.offsets[nodes_] = static_cast<std::uint32_t>(arcs);
    to_.neighbors = AlignedArray<NodeId>(arcs);
    weights_ = AlignedArray<float>(arcs);
    to_.kinds = AlignedArray<std::uint8_t>(arcs);
    if (high_kinds_) to_.kinds_high = AlignedArray<std::uint8_t>(arcs);
    return true;
  }

  // Fills the arrays, telling where arcs go: stretch(from, to, count) for arcs of
  // clean rows; base_arc(from, to), gone(from) and delta_arc(position, to),
  // removed(position) for those of touched rows.
  template <class Stretch, class BaseArc, class Gone, class DeltaArcFn, class Removed>
  void Fill(Executor& executor, Stretch&& stretch, BaseArc&& base_arc, Gone&& gone,
            DeltaArcFn&& delta_arc, Removed&& removed) {
    ParallelFor(executor, nodes_, kRows, [&](std::size_t begin, std::size_t end) {
      auto clean_from = static_cast<NodeId>(begin);
      auto clean = [&](NodeId until) {
        until = std::min(until, rows_.nodes);
        if (clean_from >= until) return;
        const std::uint32_t from = rows_.offsets[clean_from], to = to_.offsets[clean_from];
        const std::uint32_t count = rows_.offsets[until] - from;
        CopyStretch(from, to, count);
        stretch(from, to, count);
      };
      for (std::size_t r = FirstRow(begin); r < side_.rows.size() && side_.rows[r] < end; ++r) {
        const NodeId v = side_.rows[r];
        clean(v);
        clean_from = v + 1;
        std::uint32_t to = to_.offsets[v];
        MergeRow(
            r,
            [&](std::uint32_t i) {
              base_arc(i, to);
              Place(to++, rows_.neighbors[i], rows_.kind(i), rows_.weights[i]);
            },
            [&](std::uint32_t d) {
              const engine_internal::DeltaArc& arc = side_.arcs[d];
              delta_arc(d, to);
              Place(to++, arc.neighbor, arc.kind, arc.weight);
            },
            gone, removed);
      }
      clean(static_cast<NodeId>(end));
    });
    to_.weights = WeightColumn(std::move(weights_), executor);
  }

 private:
  std::size_t FirstRow(std::size_t node) const {
    return static_cast<std::size_t>(std::lower_bound(side_.rows.begin(), side_.rows.end(), node) -
                                    side_.rows.begin());
  }

  // Walks the merged row `r` of the run in order.
  template <class BaseArc, class DeltaArcFn, class Gone, class Removed>
  void MergeRow(std::size_t r, BaseArc&& base_arc, DeltaArcFn&& delta_arc, Gone&& gone,
                Removed&& removed) const {
    const NodeId v = side_.rows[r];
    std::uint32_t i = rows_.begin(v);
    const std::uint32_t end = rows_.end(v);
    for (std::uint32_t d = side_.offsets[r]; d < side_.offsets[r + 1]; ++d) {
      const engine_internal::DeltaArc& arc = side_.arcs[d];
      const std::uint64_t order = engine_internal::ArcOrder(arc.kind, arc.neighbor);
      while (i < end) {
        const std::uint64_t o = engine_internal::ArcOrder(rows_.kind(i), rows_.neighbors[i]);
        if (o > order) break;
        if (o == order) {
          const StringId label = engine_internal::BaseLabel(rows_.base, rows_.direction, i);
          if (label > arc.label) break;
          if (label == arc.label) {
            gone(i++);
            break;
          }
        }
        base_arc(i++);
      }
      if (arc.tombstone())
        removed(d);
      else
        delta_arc(d);
    }
    while (i < end) base_arc(i++);
  }

  void Place(std::uint32_t to, NodeId neighbor, KindId kind, float weight) {
    to_.neighbors[to] = neighbor;
    weights_[to] = weight;
    to_.kinds[to] = static_cast<std::uint8_t>(kind);
    if (high_kinds_) to_.kinds_high[to] = static_cast<std::uint8_t>(kind >> 8);
  }

  void CopyStretch(std::uint32_t from, std::uint32_t to, std::size_t count) {
    if (!count) return;
    std::memcpy(&to_.neighbors[to], &view_.neighbors[from], count * sizeof(NodeId));
    view_.weights.Copy(from, from + count, &weights_[to]);
    std::memcpy(&to_.kinds[to], &view_.kinds[from], count);
    if (!high_kinds_) return;
    if (view_.kinds_high.empty())
      std::memset(&to_.kinds_high[to], 0, count);
    else
      std::memcpy(&to_.kinds_high[to], &view_.kinds_high[from], count);
  }

  engine_internal::BaseRows rows_;
  StoredCsrView view_;
  const engine_internal::RunSide& side_;
  NodeId nodes_;
  bool high_kinds_;
  NewRows to_;
  AlignedArray<float> weights_;  // of the new rows
};

// Carries a sparse column over: old values by their new slot, new ones from the run.
template <class T, class OfDelta>
SlotColumn<T> MoveColumn(const SlotColumn<T>& old, const SlotMap& map,
                         const std::vector<std::uint32_t>& delta, T absent, OfDelta&& of_delta) {
  std::vector<std::pair<EdgeSlot, T>> entries;
  for (std::size_t k = 0; k < old.slots.size(); ++k)
    if (const EdgeSlot slot = map.of_base[old.slots[k]]; slot != kGone)
      entries.emplace_back(slot, old.values[k]);
  for (const std::uint32_t d : delta)
    if (T value = of_delta(d); value != absent) entries.emplace_back(map.of_delta[d], value);
  std::sort(entries.begin(), entries.end());
  SlotColumn<T> column;
  column.slots.reserve(entries.size());
  column.values.reserve(entries.size());
  for (auto& [slot, value] : entries) column.PushBack(slot, value);
  return column;
}

void MoveSparseColumns(const Csr& base, const Run& run, const SlotMap& map, Csr& out) {
  std::vector<std::uint32_t> delta;  // arcs that have a label or extras
  for (std::uint32_t d = 0; d < run.arc_count(); ++d)
    if (const engine_internal::DeltaArc& arc = run.out.arcs[d];
        !arc.tombstone() && (arc.label || arc.has_extra()))
      delta.push_back(d);
  auto extra = [&](auto member, auto absent) {
    return [&run, member, absent](std::uint32_t d) {
      const EdgeExtra* x = run.extra(d);
      return x ? x->*member : absent;
    };
  };
  out.labels = MoveColumn<StringId>(base.labels, map, delta, 0,
                                    [&](std::uint32_t d) { return run.out.arcs[d].label; });
  out.created_by = MoveColumn<StringId>(base.created_by, map, delta, 0,
                                        extra(&EdgeExtra::created_by, StringId{0}));
  out.valid_from = MoveColumn<std::int64_t>(base.valid_from, map, delta, kNoTime,
                                            extra(&EdgeExtra::valid_from, kNoTime));
  out.valid_until = MoveColumn<std::int64_t>(base.valid_until, map, delta, kNoTime,
                                             extra(&EdgeExtra::valid_until, kNoTime));
  out.properties = MoveColumn<std::uint64_t>(base.properties, map, delta, 0, [&](std::uint32_t d) {
    const EdgeExtra* x = run.extra(d);
    return x ? x->properties.bits : std::uint64_t{0};
  });
}

// The new slots of the run's in arcs. Each is one look-up in the out side, far from
// the last; fetching ahead hides most of that.
AlignedArray<EdgeSlot> SlotsOfInArcs(const Run& run, const SlotMap& map, Executor& executor) {
  const AlignedArray<engine_internal::DeltaArc>& arcs = run.in.arcs;
  AlignedArray<EdgeSlot> slots(arcs.size());
  ParallelFor(executor, run.in.rows.size(), kRows, [&](std::size_t begin, std::size_t end) {
    const std::uint32_t last = run.in.offsets[end];
    for (std::size_t r = begin; r < end; ++r)
      for (std::uint32_t d = run.in.offsets[r]; d < run.in.offsets[r + 1]; ++d) {
        if (d + 24 < last) run.out.Prefetch(arcs[d + 24].neighbor, false);
        if (d + 16 < last) run.out.Prefetch(arcs[d + 16].neighbor, true);
        if (d + 8 < last)
          __builtin_prefetch(&run.out.arcs[run.out.Row(arcs[d + 8].neighbor).first]);
        slots[d] = map.of_delta[run.OutPosition(Direction::kIn, run.in.rows[r], d)];
      }
  });
  return slots;
}

// Values derived from the old base are derived from the new one here, so that no query has to after
// a compaction.
std::shared_ptr<const Csr> Finish(const Csr& base, std::shared_ptr<Csr> csr, Executor& executor) {
  if (base.derived.Find<HeaviestArcs>()) csr->derived.Keep(FindHeaviestArcs(*csr, executor));
  return csr;
}

}  // namespace

Result<std::shared_ptr<const Csr>> CompactRuns(const GraphState& state, std::size_t run_count,
                                               Executor& executor) {
  std::shared_ptr<const Run> run = std::make_shared<Run>();
  if (run_count == 1) run = state.runs[0];
  if (run_count > 1) run = MergeRuns(std::span(state.runs).first(run_count), executor);
  const NodeId nodes = state.keys.size();
  const Csr& base = *state.base;
  auto csr = std::make_shared<Csr>();
  csr->sequence = run_count ? run->last : base.sequence;
  if (run_count == state.runs.size()) csr->sequence = state.sequence;
  csr->node_count = nodes;
  const bool high_kinds = state.schema->edge_kinds().size() > 256;

  DirectionFold out(base, *run, Direction::kOut, nodes, high_kinds,
                    {csr->out_offsets, csr->out_neighbors, csr->out_weights, csr->out_kinds,
                     csr->out_kinds_high});
  if (!out.FillOffsets(executor))
    return Exhausted("a graph holds at most ", Limits::kMaxArcs, " arcs");
  AlignedArray<std::int64_t> times(csr->arc_count());
  SlotMap map{AlignedArray<EdgeSlot>(base.arc_count()), AlignedArray<EdgeSlot>(run->arc_count())};
  out.Fill(
      executor,
      [&](std::uint32_t from, std::uint32_t to, std::uint32_t count) {
        base.out_created_at.Copy(from, from + count, times.data() + to);
        for (std::uint32_t i = 0; i < count; ++i) map.of_base[from + i] = to + i;
      },
      [&](std::uint32_t from, std::uint32_t to) {
        times[to] = base.out_created_at[from];
        map.of_base[from] = to;
      },
      [&](std::uint32_t from) { map.of_base[from] = kGone; },
      [&](std::uint32_t d, std::uint32_t to) {
        times[to] = run->created_at[d];
        map.of_delta[d] = to;
      },
      [&](std::uint32_t d) { map.of_delta[d] = kGone; });
  csr->out_created_at = SteppedColumn(times.span(), executor);
  times = {};
  MoveSparseColumns(base, *run, map, *csr);

  // A delta as large as the base: look-ups for its in arcs would cost more than
  // transposing everything.
  if (run->arc_count() > csr->arc_count() / 2) {
    BuildInArrays(*csr, executor);
    return Finish(base, std::move(csr), executor);
  }
  DirectionFold in(
      base, *run, Direction::kIn, nodes, high_kinds,
      {csr->in_offsets, csr->in_neighbors, csr->in_weights, csr->in_kinds, csr->in_kinds_high});
  if (!in.FillOffsets(executor)) return Fail(ErrorCode::kInternal, "in arcs outnumber out arcs");
  csr->in_places = AlignedArray<std::uint8_t>(csr->arc_count());
  const AlignedArray<EdgeSlot> in_slots = SlotsOfInArcs(*run, map, executor);
  std::vector<std::uint64_t> touched((std::size_t{nodes} + 63) / 64, 0);  // a bit for each source
  for (const NodeId v : run->out.rows) touched[v / 64] |= std::uint64_t{1} << v % 64;
  // Where its row is as it was, an arc has the place that it had.
  const auto carry = [&](std::uint32_t from, std::uint32_t to) {
    const NodeId source = base.in_neighbors[from];
    if ((touched[source / 64] >> source % 64 & 1) == 0)
      csr->in_places[to] = base.in_places[from];
    else if (csr->LongRow(source))
      csr->in_places[to] = 0;
    else
      csr->in_places[to] = csr->PlaceOf(source, map.of_base[base.OutSlot(from)]);
  };
  in.Fill(
      executor,
      [&](std::uint32_t from, std::uint32_t to, std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i) carry(from + i, to + i);
      },
      carry, [](std::uint32_t) {},
      [&](std::uint32_t d, std::uint32_t to) {
        csr->in_places[to] = csr->PlaceOf(run->in.arcs[d].neighbor, in_slots[d]);
      },
      [](std::uint32_t) {});
  return Finish(base, std::move(csr), executor);
}

}  // namespace plexus
