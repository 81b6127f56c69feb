// Making a run of a record's edges: radix sorts, and looking into one.
#include "engine/adjacency/run.h"

#include <algorithm>
#include <utility>

#include "engine/adjacency/csr.h"
#include "engine/adjacency/heaviest_arcs.h"
#include "engine/adjacency/tombstones.h"
#include "engine/bulk/radix_sort.h"
#include "engine/snapshot.h"

namespace plexus {

namespace {

// An arc before grouping: an edge index, and whether it is the mirror arc of a
// symmetric edge.
struct Half {
  std::span<const EdgeChange> edges;
  Direction direction;
  const EdgeChange& edge(std::uint32_t half) const { return edges[half >> 1]; }
  bool source_row(std::uint32_t half) const {
    return (direction == Direction::kOut) != static_cast<bool>(half & 1);
  }
  NodeId row(std::uint32_t half) const {
    return source_row(half) ? edge(half).source : edge(half).target;
  }
  NodeId neighbor(std::uint32_t half) const {
    return source_row(half) ? edge(half).target : edge(half).source;
  }
};

// The arcs of one direction in the order of the side.
std::vector<std::uint32_t> OrderHalves(std::span<const EdgeChange> edges, const Schema& schema,
                                       Direction direction) {
  std::vector<std::uint32_t> order, scratch;
  order.reserve(edges.size());
  for (std::uint32_t i = 0; i < edges.size(); ++i) {
    order.push_back(i << 1);
    if (schema.edge_kind(edges[i].kind).symmetric && edges[i].source != edges[i].target)
      order.push_back((i << 1) | 1);
  }
  const Half half{edges, direction};
  // Edges come sorted by (source, kind, target, label). Without mirror arcs that is
  // the order of the out side, and the in side lacks only its kinds and rows.
  const bool mirrored = order.size() != edges.size();
  if (mirrored) {
    StableSortBy(order, scratch, [&](std::uint32_t h) { return half.edge(h).label; });
    StableSortBy(order, scratch, [&](std::uint32_t h) { return half.neighbor(h); });
  }
  if (mirrored || direction == Direction::kIn) {
    StableSortBy(order, scratch,
                 [&](std::uint32_t h) { return std::uint32_t{half.edge(h).kind.value()}; });
    StableSortBy(order, scratch, [&](std::uint32_t h) { return half.row(h); });
  }
  return order;
}

engine_internal::RunSide MakeSide(const Half& half, std::span<const std::uint32_t> order) {
  engine_internal::RunSide side;
  side.arcs = AlignedArray<engine_internal::DeltaArc>(order.size());
  side.rows = AlignedArray<NodeId>(order.size());
  side.offsets = AlignedArray<std::uint32_t>(order.size() + 1);
  std::uint32_t rows = 0;
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    const EdgeChange& e = half.edge(order[i]);
    const NodeId row = half.row(order[i]);
    if (rows == 0 || side.rows[rows - 1] != row) {
      side.rows[rows] = row;
      side.offsets[rows++] = i;
    }
    side.arcs[i] = {
        half.neighbor(order[i]), e.label, e.weight, e.kind,
        static_cast<std::uint16_t>(e.flags & (EdgeChange::kTombstone | EdgeChange::kHasExtra))};
  }
  side.offsets[rows] = static_cast<std::uint32_t>(order.size());
  side.rows.Truncate(rows);
  side.offsets.Truncate(rows + 1);
  side.IndexRows();
  return side;
}

}  // namespace

// A bucket for every one to two rows, so a look-up is a step or two.
void engine_internal::RunSide::IndexRows() {
  shift = 0;
  if (rows.empty()) {
    buckets = AlignedArray<std::uint32_t>(1, 0);
    return;
  }
  const NodeId last = rows[rows.size() - 1];
  while (((std::uint64_t{last} + 1) >> shift) > std::max<std::uint64_t>(rows.size(), 16)) ++shift;
  const std::uint32_t count = last >> shift;
  // Three passes without a branch on the data: none, the first row of each, and those of
  // the next bucket where a bucket has none.
  buckets = AlignedArray<std::uint32_t>(std::size_t{count} + 2, ~std::uint32_t{0});
  for (auto r = static_cast<std::uint32_t>(rows.size()); r-- > 0;) buckets[rows[r] >> shift] = r;
  auto next = static_cast<std::uint32_t>(rows.size());
  for (std::size_t b = buckets.size(); b-- > 0;) buckets[b] = next = std::min(next, buckets[b]);
}

std::uint32_t engine_internal::RunSide::LowerBound(std::uint32_t begin, std::uint32_t end,
                                                   EdgeKindId kind, NodeId neighbor,
                                                   StringId label) const {
  constexpr std::uint32_t kShort = 24;
  const engine_internal::DeltaArc wanted{neighbor, label, 0, kind, 0};
  for (std::uint32_t size = end - begin; size > kShort; size = end - begin) {
    const std::uint32_t mid = begin + size / 2;
    (ArcLess(arcs[mid], wanted) ? begin : end) = mid;
  }
  while (begin < end && ArcLess(arcs[begin], wanted)) ++begin;
  return begin;
}

std::uint64_t engine_internal::RunSide::size_bytes() const {
  return rows.size_bytes() + offsets.size_bytes() + arcs.size_bytes() + buckets.size_bytes();
}

std::uint64_t Run::size_bytes() const {
  return out.size_bytes() + in.size_bytes() + created_at.size_bytes() +
         extras.capacity() * sizeof(EdgeExtra) + heaviest.capacity() * sizeof(float);
}

std::uint32_t Run::OutPosition(Direction direction, NodeId row, std::uint32_t position) const {
  if (direction == Direction::kOut) return position;
  const engine_internal::DeltaArc& arc = in.arcs[position];
  const auto [begin, end] = out.Row(arc.neighbor);
  return out.LowerBound(begin, end, arc.kind, row, arc.label);
}

std::uint32_t Run::OutPosition(Direction direction, std::uint32_t position) const {
  if (direction == Direction::kOut) return position;
  const auto row =
      std::upper_bound(in.offsets.begin(), in.offsets.end(), position) - in.offsets.begin() - 1;
  return OutPosition(direction, in.rows[static_cast<std::size_t>(row)], position);
}

const EdgeExtra* Run::extra(std::uint32_t out_position) const {
  if (!out.arcs[out_position].has_extra()) return nullptr;
  const auto it = std::ranges::lower_bound(extras, out_position, {}, &EdgeExtra::index);
  return it != extras.end() && it->index == out_position ? &*it : nullptr;
}

std::shared_ptr<Run> MakeRun(Sequence sequence, std::span<const EdgeChange> edges,
                             std::span<const EdgeExtra> extras, const Schema& schema,
                             Executor& executor) {
  auto run = std::make_shared<Run>();
  run->first = run->last = sequence;
  std::vector<std::uint32_t> order;  // of the out side
  ParallelInvoke(
      edges.size() < kLargeRun ? SerialExecutor() : executor,
      [&] {
        order = OrderHalves(edges, schema, Direction::kOut);
        run->out = MakeSide({edges, Direction::kOut}, order);
      },
      [&] {
        run->in = MakeSide({edges, Direction::kIn}, OrderHalves(edges, schema, Direction::kIn));
      });
  run->created_at = AlignedArray<std::int64_t>(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    const std::uint32_t edge = order[i] >> 1;
    run->created_at[i] = edges[edge].created_at;
    RaiseHeaviest(run->heaviest, edges[edge].kind, edges[edge].weight);
    if (!(edges[edge].flags & EdgeChange::kHasExtra)) continue;
    run->extras.push_back(*std::ranges::lower_bound(extras, edge, {}, &EdgeExtra::index));
    run->extras.back().index = i;
  }
  return run;
}

// --- Rows of both directions, sorted as records are.

std::vector<EdgeChange> TombstonesOf(const Snapshot& now, std::span<const NodeId> nodes,
                                     const ArcFilter& filter) {
  std::vector<EdgeChange> edges;
  for (const NodeId node : nodes) {
    if (node >= now.node_count()) continue;
    for (const Direction direction : {Direction::kOut, Direction::kIn})
      now.ForEachArc(direction, node, filter, [&](const Arc& arc) {
        const Edge edge = now.edge(arc, node);
        edges.push_back(
            {edge.source, edge.target, edge.label, 0, 0, edge.kind, EdgeChange::kTombstone});
      });
  }
  std::sort(edges.begin(), edges.end(), IdentityLess);
  const auto same = [](const EdgeChange& a, const EdgeChange& b) {
    return !IdentityLess(a, b) && !IdentityLess(b, a);
  };
  edges.erase(std::unique(edges.begin(), edges.end(), same), edges.end());
  return edges;
}

}  // namespace plexus

// --- The dirty half of the row iterator: merging a row's arcs of several runs.

namespace plexus::engine_internal {

// Two sorted parts into one; of equal identities the newer (what is here) stays.
template <class Out>
std::uint32_t DeltaRow::MergeInto(const Part& older, Out&& out) const {
  std::uint32_t i = 0, j = 0, n = 0;
  while (i < count_ || j < older.count) {
    bool take_older = i == count_;
    if (i < count_ && j < older.count) {
      take_older = ArcLess(older.arcs[j], arcs_[i]);
      if (!take_older && !ArcLess(arcs_[i], older.arcs[j])) ++j;  // the same identity
    }
    if (take_older) {
      out(n++, older.arcs[j], older.first + j, older.run);
      ++j;
    } else {
      out(n++, arcs_[i], position(i), run(i));
      ++i;
    }
  }
  return n;
}

void DeltaRow::MergeOlder(const Part& older) {
  if (count_ + older.count <= kSmall) {
    Buffer& to = small_[second_];
    second_ = !second_;  // what is here may lie in the other one
    count_ = MergeInto(older, [&](std::uint32_t n, const DeltaArc& arc, std::uint32_t position,
                                  std::uint32_t run) {
      to.arcs[n] = arc;
      to.positions[n] = position;
      to.runs[n] = run;
    });
    arcs_ = to.arcs;
    positions_ = to.positions;
    runs_ = to.runs;
    return;
  }
  auto to = std::make_unique<Large>();
  to->arcs.reserve(count_ + older.count);
  to->positions.reserve(count_ + older.count);
  to->runs.reserve(count_ + older.count);
  count_ = MergeInto(
      older, [&](std::uint32_t, const DeltaArc& arc, std::uint32_t position, std::uint32_t run) {
        to->arcs.push_back(arc);
        to->positions.push_back(position);
        to->runs.push_back(run);
      });
  arcs_ = to->arcs.data();
  positions_ = to->positions.data();
  runs_ = to->runs.data();
  large_ = std::move(to);
}

StringId BaseLabel(const Csr& base, Direction direction, std::uint32_t position) {
  if (base.labels.slots.empty()) return 0;
  return base.labels.Get(base.SlotAt(direction, position), 0);
}

}  // namespace plexus::engine_internal
