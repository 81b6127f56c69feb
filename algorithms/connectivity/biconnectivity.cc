// The search walks out row and in row of a node. An arc back to the parent is passed over,
// however many there are: whether a narrow place is a bridge is settled afterwards, by
// counting the edges between its two ends in the child's row.
#include "algorithms/connectivity/connectivity.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

#include "algorithms/common/common.h"
#include "algorithms/common/internal/dense_view_options.h"
#include "algorithms/common/internal/selection.h"
#include "algorithms/common/internal/stored_edges.h"
#include "engine/out_of_memory.h"

namespace plexus::connectivity {

namespace {

constexpr std::uint32_t kPollInterval = 1u << 16;  // nodes and arcs between looks at the budget
constexpr std::uint32_t kAhead = 8;                // arcs

struct Found {
  std::vector<bool> points;  // by node
  // (parent, child) in the search: a bridge unless more than one edge joins the two.
  struct Pair {
    NodeId parent, child;
  };
  std::vector<Pair> narrow;
  std::vector<std::uint64_t> block_begins;  // unsorted; without list_blocks only sizes
  std::vector<NodeId> block_nodes;
  bool truncated = false;
};

class Search {
 public:
  // `in` is the transpose of `out` (the same view when rows are symmetric).
  Search(const CsrView& out, const CsrView& in, const CutPointsOptions& options)
      : out_(out),
        in_(in),
        options_(options),
        both_(out.neighbors.data() != in.neighbors.data()),
        states_(out.node_count()) {
    result_.points.resize(out.node_count());
    result_.block_begins.push_back(0);
  }

  Found Run() {
    result_.truncated = options_.run.budget.Interrupted();
    for (NodeId root = 0; root < states_.size() && !result_.truncated; ++root)
      if (states_[root].number == 0) From(root);
    return std::move(result_);
  }

 private:
  struct State {
    std::uint32_t number = 0;  // in order of discovery, from 1
    std::uint32_t low = 0;     // smallest number that the node's subtree has an arc to
  };
  struct Frame {
    NodeId node;
    std::uint32_t next, end;  // of the row being walked
    bool second;              // the in row
  };

  void Enter(NodeId v) {
    states_[v] = {++numbered_, numbered_};
    walk_.push_back({v, out_.offsets[v], out_.offsets[v + std::size_t{1}], !both_});
    open_.push_back(v);
  }

  void From(NodeId root) {
    std::uint32_t children = 0;
    Enter(root);
    while (!walk_.empty()) {
      Frame& frame = walk_.back();
      const NodeId v = frame.node;
      const NodeId parent = walk_.size() > 1 ? walk_[walk_.size() - 2].node : kNoNode;
      const CsrView& rows = frame.second && both_ ? in_ : out_;
      State& state = states_[v];
      NodeId child = kNoNode;
      const std::uint32_t from = frame.next;
      while (frame.next < frame.end) {
        const std::uint32_t arc = frame.next++;
        if (arc + kAhead < frame.end) __builtin_prefetch(&states_[rows.neighbors[arc + kAhead]]);
        const NodeId w = rows.neighbors[arc];
        if (states_[w].number == 0) {
          child = w;
          break;
        }
        if (w != parent) state.low = std::min(state.low, states_[w].number);
      }
      if ((looked_ += frame.next - from + 1) >= kPollInterval) {
        looked_ = 0;
        if (options_.run.budget.Interrupted()) {
          result_.truncated = true;
          return;
        }
      }
      if (child != kNoNode) {
        Enter(child);
        continue;
      }
      if (!frame.second) {
        frame = {v, in_.offsets[v], in_.offsets[v + std::size_t{1}], true};
        continue;
      }
      walk_.pop_back();
      if (parent == kNoNode) break;
      Leave(parent, v);
      if (parent == root && ++children == 2) result_.points[root] = true;
    }
    open_.clear();
  }

  // v is done; parent continues.
  void Leave(NodeId parent, NodeId v) {
    State& above = states_[parent];
    const State& state = states_[v];
    above.low = std::min(above.low, state.low);
    if (state.low < above.number) return;
    if (walk_.size() > 1) result_.points[parent] = true;
    if (state.low > above.number) result_.narrow.push_back({parent, v});
    std::uint64_t size = 1;  // the parent is in the block and stays open
    for (NodeId w = kNoNode; w != v; ++size) {
      w = open_.back();
      open_.pop_back();
      if (options_.list_blocks) result_.block_nodes.push_back(w);
    }
    if (options_.list_blocks) result_.block_nodes.push_back(parent);
    result_.block_begins.push_back(result_.block_begins.back() + size);
  }

  const CsrView out_, in_;
  const CutPointsOptions& options_;
  const bool both_;
  std::vector<State> states_;
  std::vector<Frame> walk_;
  std::vector<NodeId> open_;  // entered, in no finished block below their parent yet
  std::uint32_t numbered_ = 0;
  std::uint64_t looked_ = 0;  // nodes and arcs, since the last look
  Found result_;
};

// What may be a bridge: its ends, and which of them the search came to second.
struct Narrow {
  NodeId low, high;
  bool low_is_child;
};

// The only edge between two nodes, if there is only one: counted in the child's row.
std::optional<PathEdge> OnlyEdge(const common_internal::Selection& selection,
                                 const Narrow& narrow) {
  const NodeId child = narrow.low_is_child ? narrow.low : narrow.high;
  const NodeId parent = narrow.low_is_child ? narrow.high : narrow.low;
  std::optional<Arc> only;
  bool more = false;
  selection.snapshot->ForEachArc(Direction::kBoth, child, selection.filter, [&](const Arc& arc) {
    if (arc.neighbor != parent) return true;
    more = only.has_value();
    only = arc;
    return !more;
  });
  if (more || !only) return std::nullopt;
  return common_internal::EdgeOf(*selection.snapshot, *only, child);
}

void SortBlocks(const DenseView& view, const Found& found, CutPointsResult& result) {
  const std::size_t count = found.block_begins.size() - 1;
  std::vector<NodeId> nodes(found.block_nodes);
  for (NodeId& v : nodes) v = view.node(v);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto begin = [&](std::size_t b) {
    return nodes.begin() + static_cast<std::ptrdiff_t>(found.block_begins[b]);
  };
  for (std::size_t b = 0; b < count; ++b) std::sort(begin(b), begin(b + 1));
  // Two blocks share one node at most, so two nodes tell them apart.
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(begin(a)[0], begin(a)[1]) < std::tie(begin(b)[0], begin(b)[1]);
  });
  result.block_begins.push_back(0);
  for (const std::size_t b : order) {
    result.block_nodes.insert(result.block_nodes.end(), begin(b), begin(b + 1));
    result.block_begins.push_back(result.block_nodes.size());
  }
}

}  // namespace

Result<CutPointsResult> CutPoints(const Snapshot& snapshot, const CutPointsOptions& options) try {
  DenseViewOptions wanted = common_internal::ViewOptions(options);
  wanted.weights = false;
  PLEXUS_ASSIGN(const auto made, common_internal::ViewInTime(snapshot, wanted, options.run));
  CutPointsResult result;
  result.truncated = !made;
  if (!made) return result;
  const DenseView& view = *made;
  PLEXUS_ASSIGN(const common_internal::Selection selection,
                common_internal::Select(snapshot, options.filter));
  const Found found = Search(view.out(), view.in(), options).Run();
  result.nodes = view.node_count();
  result.truncated = found.truncated;
  for (NodeId v = 0; v < view.node_count(); ++v)
    if (found.points[v]) result.points.push_back(view.node(v));
  std::vector<Narrow> narrow;
  narrow.reserve(found.narrow.size());
  for (const auto& [above, below] : found.narrow) {
    const NodeId parent = view.node(above), child = view.node(below);
    narrow.push_back({std::min(parent, child), std::max(parent, child), child < parent});
  }
  std::sort(narrow.begin(), narrow.end(), [](const Narrow& x, const Narrow& y) {
    return (std::uint64_t{x.low} << 32 | x.high) < (std::uint64_t{y.low} << 32 | y.high);
  });
  for (const Narrow& ends : narrow)
    if (const auto edge = OnlyEdge(selection, ends)) result.bridges.push_back(*edge);
  result.blocks = found.block_begins.size() - 1;
  for (std::size_t b = 0; b < result.blocks; ++b)
    result.largest_block =
        std::max(result.largest_block, found.block_begins[b + 1] - found.block_begins[b]);
  if (options.list_blocks) SortBlocks(view, found, result);
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::connectivity
