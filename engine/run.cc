// Making and merging the delta's runs: radix sorts and linear merges.
#include "engine/run.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "engine/radix_sort.h"

namespace plexus {

namespace {

// The bucket index: about one bucket per row, so a look-up is a step or two.
void IndexRows(RunSide& side) {
  side.buckets.clear();
  side.shift = 0;
  if (side.rows.empty()) {
    side.buckets.assign(1, 0);
    return;
  }
  const std::uint64_t span = std::uint64_t{side.rows.back()} + 1;
  while ((span >> side.shift) > std::max<std::uint64_t>(2 * side.rows.size(), 16)) ++side.shift;
  const std::size_t buckets = (side.rows.back() >> side.shift) + 1;
  side.buckets.assign(buckets + 1, 0);
  for (NodeId row : side.rows) ++side.buckets[(row >> side.shift) + 1];
  for (std::size_t b = 0; b < buckets; ++b) side.buckets[b + 1] += side.buckets[b];
}

// Starts a new row in `side` when `row` differs from the last.
void PushRow(RunSide& side, NodeId row) {
  if (side.rows.empty() || side.rows.back() != row) {
    side.rows.push_back(row);
    side.offsets.push_back(static_cast<std::uint32_t>(side.arcs.size()));
  }
}

// An arc of the run before grouping: edge index, and whether it is the mirror
// arc of a symmetric edge.
struct Half {
  const EdgeChange* edges;
  Direction direction;
  std::uint32_t edge(std::uint32_t half) const { return half >> 1; }
  bool source_row(std::uint32_t half) const {
    return (direction == Direction::kOut) != static_cast<bool>(half & 1);
  }
  NodeId row(std::uint32_t half) const {
    const EdgeChange& e = edges[half >> 1];
    return source_row(half) ? e.source : e.target;
  }
  NodeId neighbor(std::uint32_t half) const {
    const EdgeChange& e = edges[half >> 1];
    return source_row(half) ? e.target : e.source;
  }
};

RunSide MakeSide(const std::vector<EdgeChange>& edges, const Schema& schema, Direction direction) {
  std::vector<std::uint32_t> order, scratch;
  order.reserve(edges.size());
  for (std::uint32_t i = 0; i < edges.size(); ++i) {
    order.push_back(i << 1);
    if (schema.edge_kind(edges[i].kind).symmetric && edges[i].source != edges[i].target)
      order.push_back((i << 1) | 1);
  }
  const Half half{edges.data(), direction};
  // Edges come sorted by (source, kind, target, label). Without mirror arcs that is
  // the order of the out side, and the in side lacks only its kinds and rows.
  const bool mirrored = order.size() != edges.size();
  if (mirrored) {
    StableSortBy(order, scratch, [&](std::uint32_t h) { return edges[h >> 1].label; });
    StableSortBy(order, scratch, [&](std::uint32_t h) { return half.neighbor(h); });
  }
  if (mirrored || direction == Direction::kIn) {
    StableSortBy(order, scratch, [&](std::uint32_t h) { return std::uint32_t{edges[h >> 1].kind}; });
    StableSortBy(order, scratch, [&](std::uint32_t h) { return half.row(h); });
  }
  RunSide side;
  side.arcs.reserve(order.size());
  side.edges.reserve(order.size());
  for (std::uint32_t h : order) {
    const EdgeChange& e = edges[h >> 1];
    PushRow(side, half.row(h));
    side.arcs.push_back({half.neighbor(h), e.label, e.weight, e.kind,
                         static_cast<std::uint16_t>(e.tombstone())});
    side.edges.push_back(h >> 1);
  }
  side.offsets.push_back(static_cast<std::uint32_t>(side.arcs.size()));
  IndexRows(side);
  return side;
}

bool ArcLess(const DeltaArc& a, const DeltaArc& b) {
  const std::uint64_t oa = ArcOrder(a.kind, a.neighbor), ob = ArcOrder(b.kind, b.neighbor);
  return oa != ob ? oa < ob : a.label < b.label;
}

// Where the arcs of a merged side go: raw cursors over arrays of the largest
// possible size, cut to length at the end.
class SideWriter {
 public:
  SideWriter(std::size_t rows, std::size_t arcs) {
    side_.rows.resize(rows);
    side_.offsets.resize(rows + 1);
    side_.arcs.resize(arcs);
    side_.edges.resize(arcs);
  }
  void Row(NodeId row) {
    side_.rows[rows_] = row;
    side_.offsets[rows_++] = static_cast<std::uint32_t>(arcs_);
  }
  void Arc(const DeltaArc& arc, std::uint32_t edge) {
    side_.arcs[arcs_] = arc;
    side_.edges[arcs_++] = edge;
  }
  RunSide Finish() {
    side_.offsets[rows_] = static_cast<std::uint32_t>(arcs_);
    side_.rows.resize(rows_);
    side_.offsets.resize(rows_ + 1);
    side_.arcs.resize(arcs_);
    side_.edges.resize(arcs_);
    IndexRows(side_);
    return std::move(side_);
  }

 private:
  RunSide side_;
  std::size_t rows_ = 0, arcs_ = 0;
};

RunSide MergeSides(const RunSide& older, const std::vector<std::uint32_t>& older_map,
                   const RunSide& newer, const std::vector<std::uint32_t>& newer_map) {
  SideWriter side(older.rows.size() + newer.rows.size(), older.arcs.size() + newer.arcs.size());
  std::size_t a = 0, b = 0;
  const std::size_t a_rows = older.rows.size(), b_rows = newer.rows.size();
  std::uint32_t i = 0, j = 0;  // arcs follow the rows
  while (a < a_rows || b < b_rows) {
    const NodeId row_a = a < a_rows ? older.rows[a] : kNoNode;
    const NodeId row_b = b < b_rows ? newer.rows[b] : kNoNode;
    side.Row(std::min(row_a, row_b));
    const std::uint32_t i_end = row_a <= row_b ? older.offsets[++a] : i;
    const std::uint32_t j_end = row_b <= row_a ? newer.offsets[++b] : j;
    while (i < i_end && j < j_end) {
      if (ArcLess(older.arcs[i], newer.arcs[j])) {
        side.Arc(older.arcs[i], older_map[older.edges[i]]);
        ++i;
      } else {
        if (!ArcLess(newer.arcs[j], older.arcs[i])) ++i;  // the same identity: newest wins
        side.Arc(newer.arcs[j], newer_map[newer.edges[j]]);
        ++j;
      }
    }
    for (; i < i_end; ++i) side.Arc(older.arcs[i], older_map[older.edges[i]]);
    for (; j < j_end; ++j) side.Arc(newer.arcs[j], newer_map[newer.edges[j]]);
  }
  return side.Finish();
}

}  // namespace

std::uint64_t RunSide::size_bytes() const {
  return rows.capacity() * sizeof(NodeId) + offsets.capacity() * 4 +
         arcs.capacity() * sizeof(DeltaArc) + edges.capacity() * 4 + buckets.capacity() * 4;
}

std::uint64_t Run::size_bytes() const {
  return edges.capacity() * sizeof(EdgeChange) + extras.capacity() * sizeof(EdgeExtra) +
         out.size_bytes() + in.size_bytes();
}

const EdgeExtra* Run::extra(std::uint32_t edge) const {
  if (!(edges[edge].flags & EdgeChange::kHasExtra)) return nullptr;
  auto it = std::lower_bound(extras.begin(), extras.end(), edge,
                             [](const EdgeExtra& x, std::uint32_t e) { return x.index < e; });
  return it != extras.end() && it->index == edge ? &*it : nullptr;
}

std::shared_ptr<Run> MakeRun(Sequence sequence, std::vector<EdgeChange> edges,
                             std::vector<EdgeExtra> extras, const Schema& schema) {
  auto run = std::make_shared<Run>();
  run->first = run->last = sequence;
  run->edges = std::move(edges);
  run->extras = std::move(extras);
  run->out = MakeSide(run->edges, schema, Direction::kOut);
  run->in = MakeSide(run->edges, schema, Direction::kIn);
  return run;
}

std::shared_ptr<Run> MergeRuns(const Run& older, const Run& newer) {
  auto run = std::make_shared<Run>();
  run->first = older.first;
  run->last = newer.last;
  run->edges.reserve(older.edges.size() + newer.edges.size());
  std::vector<std::uint32_t> older_map(older.edges.size()), newer_map(newer.edges.size());
  auto push = [&](const Run& from, std::uint32_t i) {
    const auto at = static_cast<std::uint32_t>(run->edges.size());
    run->edges.push_back(from.edges[i]);
    if (const EdgeExtra* x = from.extra(i)) {
      run->extras.push_back(*x);
      run->extras.back().index = at;
    }
    return at;
  };
  std::uint32_t i = 0, j = 0;
  const auto ni = static_cast<std::uint32_t>(older.edges.size());
  const auto nj = static_cast<std::uint32_t>(newer.edges.size());
  while (i < ni || j < nj) {
    if (j == nj || (i < ni && IdentityLess(older.edges[i], newer.edges[j]))) {
      older_map[i] = push(older, i);
      ++i;
    } else {
      if (i < ni && !IdentityLess(newer.edges[j], older.edges[i])) ++i;  // replaced
      newer_map[j] = push(newer, j);
      ++j;
    }
  }
  run->out = MergeSides(older.out, older_map, newer.out, newer_map);
  run->in = MergeSides(older.in, older_map, newer.in, newer_map);
  return run;
}

}  // namespace plexus
