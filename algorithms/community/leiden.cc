// Selected edges become undirected rows; what Leiden finds in them (move, refine, aggregate, again)
// goes back to ids.
#include "algorithms/community/community.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "algorithms/common/internal/selection.h"
#include "algorithms/common/internal/stop_flag.h"
#include "algorithms/community/internal/community_csr.h"
#include "algorithms/community/internal/local_moving.h"
#include "algorithms/community/internal/node_ordering.h"
#include "algorithms/community/internal/refinement.h"
#include "algorithms/community/internal/undirected_graph.h"
#include "engine/out_of_memory.h"

namespace plexus::community {

namespace {

using internal::NodeOrdering;

constexpr int kMaxLevels = 64;
constexpr std::size_t kGrain = 1 << 14;

Status CheckOptions(const LeidenOptions& options) {
  if (!std::isfinite(options.resolution) || options.resolution < 0)
    return Invalid("resolution ", options.resolution, ": expected a finite number of at least 0");
  if (!std::isfinite(options.tolerance) || options.tolerance < 0)
    return Invalid("tolerance ", options.tolerance, ": expected a finite number of at least 0");
  if (options.iterations < 1)
    return Invalid("iterations ", options.iterations, ": expected at least 1");
  return {};
}

// The result when the budget ended before the graph was made: every node is a community.
LeidenResult Singletons(const std::vector<NodeId>& selected, NodeId all) {
  LeidenResult result;
  result.truncated = true;
  result.communities.assign(all, LeidenResult::kNotSelected);
  for (const NodeId v : selected) result.communities[v] = result.count++;
  result.sizes.assign(result.count, 1);
  return result;
}

// One iteration goes up through coarser and coarser graphs; the next begins with what it found, at
// the bottom, where single nodes can move again.
class LeidenRun {
 public:
  LeidenRun(const internal::CommunityGraph& graph, const LeidenOptions& options, Executor& executor)
      : bottom_(graph), options_(options), executor_(executor), labels_(graph.nodes) {
    spending_.budget = &options.run.budget;
    std::iota(labels_.begin(), labels_.end(), NodeId{0});
    found_.count = graph.nodes;
  }

  // Without `communities` and `sizes`: `labels`, by node of the graph, are numbered by smallest
  // member.
  LeidenResult Run(std::vector<NodeId>& labels) {
    if (bottom_.total > 0) {
      accumulators_.Reserve(executor_, bottom_.nodes);
      accumulators_.Add(
          std::make_unique<internal::SparseAccumulator>());  // of the thread that applies picks
      for (auto& accumulator : accumulators_.idle())
        bottom_.unit ? accumulator->Resize<true>(bottom_.nodes)
                     : accumulator->Resize<false>(bottom_.nodes);
      while (found_.iterations < options_.iterations && !found_.truncated)
        if (!Iterate()) break;
    }
    found_.modularity =
        internal::Modularity(bottom_, labels_, found_.count, options_.resolution, executor_);
    labels = std::move(labels_);
    return std::move(found_);
  }

 private:
  // False when nothing moved: another iteration would find the same.
  bool Iterate() {
    ++found_.iterations;
    std::uint64_t moves = 0;
    const internal::CommunityGraph* graph = &bottom_;
    communities_ = labels_;  // by node of the level
    at_.clear();             // node of the level by node; empty = the same
    for (int level = 0; level < kMaxLevels; ++level) {
      found_.levels = std::max(found_.levels, level + 1);
      const internal::MoveReport report =
          moving_.Run(*graph, communities_, OptionsOf(level), executor_, accumulators_, spending_);
      moves += report.moves;
      found_.truncated |= report.truncated;
      const NodeId count = internal::Renumber(communities_, scratch_);
      found_.count = count;
      if (count == graph->nodes || found_.truncated || !WorthGoingOn(level, report.gain)) break;
      internal::MakeGroups(*graph, communities_, count, groups_);
      if (!refinement_.Run(*graph, communities_, groups_, options_.resolution, executor_,
                           accumulators_, &options_.run.budget, parts_)) {
        found_.truncated = true;
        break;
      }
      const NodeId parts = internal::Renumber(parts_, scratch_);
      if (parts == graph->nodes) break;  // nothing held together
      internal::CommunityGraph& coarse = graph == &levels_[0] ? levels_[1] : levels_[0];
      internal::MakeGroups(*graph, parts_, parts, groups_);
      if (!internal::Aggregate(*graph, parts_, groups_, executor_, accumulators_,
                               &options_.run.budget, coarse)) {
        found_.truncated = true;
        break;
      }
      GoUp(parts);
      for (auto& accumulator : accumulators_.idle())
        accumulator->Resize<false>(parts);  // coarse graphs have weights
      graph = &coarse;
    }
    // Nodes of any level are connected below: parts grow along links. So it is enough to split
    // disconnected communities here, where nodes are few.
    if (found_.count < graph->nodes)
      found_.count = internal::SplitIntoConnected(*graph, communities_, found_.count, executor_);
    ParallelForEach(executor_, labels_.size(), kGrain,
                    [&](std::size_t v) { labels_[v] = communities_[at_.empty() ? v : at_[v]]; });
    found_.moves += moves;
    return moves > 0;
  }

  // Every level of every iteration has an order of its own.
  internal::MoveOptions OptionsOf(int level) const {
    const auto run = static_cast<std::uint64_t>(found_.iterations) * kMaxLevels +
                     static_cast<std::uint64_t>(level);
    return {options_.resolution, options_.tolerance, level > 0, found_.iterations > 1,
            options_.seed * 0x9E3779B97F4A7C15ull + run};
  }

  // After a level that gained this. Later iterations begin where little is left to gain.
  bool WorthGoingOn(int level, double gain) const {
    if (level == 0) return found_.iterations == 1 || gain >= options_.tolerance;
    return gain > options_.tolerance;
  }

  // Parts become nodes; each starts in the community that its nodes were in.
  void GoUp(NodeId parts) {
    above_.resize(parts);
    for (std::size_t v = 0; v < communities_.size(); ++v) above_[parts_[v]] = communities_[v];
    communities_.swap(above_);
    if (at_.empty()) {
      at_ = parts_;
      return;
    }
    ParallelForEach(executor_, at_.size(), kGrain, [&](std::size_t v) { at_[v] = parts_[at_[v]]; });
  }

  const internal::CommunityGraph& bottom_;
  const LeidenOptions& options_;
  Executor& executor_;
  LeidenResult found_;
  std::vector<NodeId> labels_;
  internal::CommunityGraph levels_[2];
  internal::Groups groups_;
  common_internal::ObjectPool<internal::SparseAccumulator> accumulators_;
  internal::LocalMoving moving_;
  internal::Refinement refinement_;
  internal::Spending spending_;
  std::vector<NodeId> communities_, parts_, at_, above_, scratch_;
};

// A graph read as undirected, and which node is in which row.
struct Undirected {
  std::vector<NodeId> selected;  // ascending
  NodeOrdering places;
  std::optional<internal::CommunityGraph> graph;  // none: the budget ran out before
};

// walk(node, fn(neighbour, weight)): the arcs of a node to selected ones, until fn returns
// false; degree(node): at least their number (it orders the rows, so edges that leave the
// selection are not in it). A loop's arc comes once and weighs double.
template <class Degree, class Walk>
Undirected MakeGraph(std::vector<NodeId> selected, NodeId all, bool fold, const Budget* budget,
                     Executor& executor, Degree&& degree, Walk&& walk) {
  Undirected made;
  made.selected = std::move(selected);
  common_internal::StopFlag stop_flag(budget);
  if (stop_flag.Poll()) return made;
  std::vector<std::uint64_t> degrees(made.selected.size());
  ParallelFor(executor, degrees.size(), 4096, [&](std::size_t begin, std::size_t end) {
    if (stop_flag.Poll()) return;
    for (std::size_t i = begin; i < end; ++i) degrees[i] = degree(made.selected[i]);
  });
  if (stop_flag.stopped()) return made;
  auto places =
      internal::MakeNodeOrdering(all, made.selected, degrees, fold, executor, budget, walk);
  if (!places) return made;
  made.places = *std::move(places);
  const NodeOrdering& at = made.places;
  made.graph = internal::SumRows(
      at.degrees.span(), executor, budget,
      [&](NodeId row, auto&& fn) {
        walk(at.nodes[row], [&](NodeId u, double weight) {
          fn(u, weight);
          return true;
        });
      },
      [&](NodeId row, NodeId u, double weight, auto&& put) {
        const NodeId there = at.rows[u];
        if (there >= NodeOrdering::kIsolated) return;  // rows of a csr that is not symmetric
        put(there,
            there == row && u != at.nodes[row] ? 2 * weight : weight);  // one that shares the row
      });
  return made;
}

// Of the kinds that are followed and have edges.
enum class Symmetry { kNone, kSome, kAll };
Symmetry SymmetryOf(const Snapshot& snapshot, const ArcFilter& filter) {
  bool some = false, all = true;
  for (EdgeKindId kind{}; kind < snapshot.schema().edge_kinds().size(); ++kind) {
    if (snapshot.CountEdges(kind) == 0 || !filter.allows(kind)) continue;
    const bool symmetric = snapshot.schema().edge_kind(kind).symmetric;
    some |= symmetric;
    all &= symmetric;
  }
  return some ? all ? Symmetry::kAll : Symmetry::kSome : Symmetry::kNone;
}

// The selected part of a snapshot.
Result<Undirected> MakeGraph(const Snapshot& snapshot, const LeidenOptions& options, bool fold,
                             const Budget* budget, Executor& executor) {
  PLEXUS_TRY(CheckOptions(options));
  PLEXUS_ASSIGN(const common_internal::Selection selection,
                common_internal::Select(snapshot, options.filter));
  const NodeSubset nodes = selection.Materialise(executor);
  const Symmetry symmetry = SymmetryOf(snapshot, selection.filter);
  const auto weight_of = [&](NodeId v, NodeId u, float weight) {
    const double one = options.weighted ? static_cast<double>(weight) : 1.0;
    return u == v ? 2 * one : one;  // a loop arrives once and has two ends
  };
  if (selection.whole_base && symmetry != Symmetry::kSome) {
    const StoredCsrView out = snapshot.base_rows(Direction::kOut),
                        in = snapshot.base_rows(Direction::kIn);
    const bool both = symmetry == Symmetry::kNone;
    return MakeGraph(
        nodes.ToList(), snapshot.node_count(), fold, budget, executor,
        [&](NodeId v) -> std::uint64_t {
          if (both) return std::uint64_t{out.degree(v)} + in.degree(v);
          const auto row = out.neighbors.subspan(out.offsets[v], out.degree(v));
          return row.size() + static_cast<std::uint64_t>(std::count(row.begin(), row.end(), v));
        },
        [&](NodeId v, auto&& fn) {
          for (std::uint32_t a = out.offsets[v], end = out.offsets[v + 1]; a < end; ++a)
            if (!fn(out.neighbors[a], weight_of(v, out.neighbors[a], out.weights[a]))) return;
          for (std::uint32_t a = in.offsets[v], end = both ? in.offsets[v + 1] : 0; a < end; ++a)
            if (in.neighbors[a] != v &&
                !fn(in.neighbors[a], weight_of(v, in.neighbors[a], in.weights[a])))
              return;
        });
  }
  const Direction direction = symmetry == Symmetry::kAll ? Direction::kOut : Direction::kBoth;
  return MakeGraph(
      nodes.ToList(), snapshot.node_count(), fold, budget, executor,
      [&](NodeId v) {
        std::uint64_t ends = 0;
        snapshot.ForEachArc(direction, v, selection.filter, [&](const Arc& arc) {
          if (selection.all_nodes || nodes.contains(arc.neighbor))
            ends += arc.neighbor == v ? 2 : 1;
          return true;
        });
        return ends;
      },
      [&](NodeId v, auto&& fn) {
        snapshot.ForEachArc(direction, v, selection.filter, [&](const Arc& arc) {
          if (!selection.all_nodes && !nodes.contains(arc.neighbor)) return true;
          return fn(arc.neighbor, weight_of(v, arc.neighbor, arc.weight));
        });
      });
}

// Whether leaves may share their neighbour's row.
bool MayFold(const LeidenOptions& options) { return options.resolution <= 1; }

LeidenResult Find(const Undirected& made, NodeId all, const LeidenOptions& options,
                  Executor& executor) {
  if (!made.graph) return Singletons(made.selected, all);
  std::vector<NodeId> labels;
  LeidenResult result = LeidenRun(*made.graph, options, executor).Run(labels);
  result.communities.assign(all, LeidenResult::kNotSelected);
  std::vector<std::uint32_t> numbers(std::exchange(result.count, 0), LeidenResult::kNotSelected);
  for (NodeId v = 0; v < all; ++v) {
    const NodeId row = made.places.rows[v];
    if (row == kNoNode) continue;
    std::uint32_t isolated = LeidenResult::kNotSelected;
    std::uint32_t& number = row == NodeOrdering::kIsolated ? isolated : numbers[labels[row]];
    if (number == LeidenResult::kNotSelected) {
      number = result.count++;
      result.sizes.push_back(0);
    }
    ++result.sizes[number];
    result.communities[v] = number;
  }
  return result;
}

}  // namespace

Result<LeidenResult> Leiden(const Snapshot& snapshot, const LeidenOptions& options) try {
  Executor& executor = common_internal::Pick(options.run.executor);
  PLEXUS_ASSIGN(const Undirected made,
                MakeGraph(snapshot, options, MayFold(options), &options.run.budget, executor));
  return Find(made, snapshot.node_count(), options, executor);
}
PLEXUS_CATCH_NO_MEMORY

Result<double> Modularity(const Snapshot& snapshot, std::span<const std::uint32_t> communities,
                          const LeidenOptions& options) try {
  if (communities.size() != snapshot.node_count())
    return Invalid("communities of ", communities.size(), " nodes were given, the graph has ",
                   snapshot.node_count());
  Executor& executor = common_internal::Pick(options.run.executor);
  Budget in_time;
  in_time.deadline = options.run.budget.deadline;
  in_time.cancel = options.run.budget.cancel;
  PLEXUS_ASSIGN(const Undirected made, MakeGraph(snapshot, options, false, &in_time, executor));
  if (!made.graph) return Cancelled("the modularity was not summed up");
  std::unordered_map<std::uint32_t, NodeId> numbers;
  std::vector<NodeId> labels(made.graph->nodes);
  for (NodeId v = 0; v < labels.size(); ++v)
    labels[v] =
        numbers.try_emplace(communities[made.places.nodes[v]], static_cast<NodeId>(numbers.size()))
            .first->second;
  return internal::Modularity(*made.graph, labels, static_cast<NodeId>(numbers.size()),
                              options.resolution, executor);
}
PLEXUS_CATCH_NO_MEMORY

Result<LeidenResult> LeidenCsr(const CsrView& symmetric, const LeidenOptions& options) try {
  PLEXUS_TRY(CheckOptions(options));
  for (NodeId v = 0; v < symmetric.node_count() && !symmetric.weights.empty(); ++v)
    for (std::uint32_t a = symmetric.offsets[v]; a < symmetric.offsets[v + 1]; ++a)
      if (const float weight = symmetric.weights[a]; !(weight >= 0) || std::isinf(weight))
        return Invalid("arc ", v, " -> ", symmetric.neighbors[a], ": weight ", weight,
                       ", expected a finite one of at least 0");
  Executor& executor = common_internal::Pick(options.run.executor);
  std::vector<NodeId> all(symmetric.node_count());
  std::iota(all.begin(), all.end(), NodeId{0});
  const Undirected made = MakeGraph(
      std::move(all), symmetric.node_count(), MayFold(options), &options.run.budget, executor,
      [&](NodeId v) { return symmetric.degree(v); },
      [&](NodeId v, auto&& fn) {
        for (std::uint32_t a = symmetric.offsets[v]; a < symmetric.offsets[v + 1]; ++a)
          if (!fn(symmetric.neighbors[a],
                  options.weighted ? static_cast<double>(symmetric.weight(a)) : 1.0))
            return;
      });
  return Find(made, symmetric.node_count(), options, executor);
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::community
