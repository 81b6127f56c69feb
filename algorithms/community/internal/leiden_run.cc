// One iteration goes up through coarser and coarser graphs; the next begins with what it
// found, at the bottom, where single nodes can move again.
#include "algorithms/community/internal/leiden_run.h"

#include <algorithm>
#include <numeric>

#include "algorithms/community/internal/local_moving.h"
#include "algorithms/community/internal/refinement.h"

namespace plexus::community::internal {

namespace {

constexpr int kMaxLevels = 64;
constexpr std::size_t kGrain = 1 << 14;

class Leiden {
 public:
  Leiden(const CommunityGraph& graph, const LeidenPlan& plan, Executor& executor)
      : bottom_(graph), plan_(plan), executor_(executor) {
    spending_.budget = &plan_.budget;
    found_.labels.resize(graph.nodes);
    std::iota(found_.labels.begin(), found_.labels.end(), NodeId{0});
    found_.count = graph.nodes;
  }

  LeidenOutcome Run() {
    if (bottom_.total > 0) {
      accumulators_.Reserve(executor_, bottom_.nodes);
      accumulators_.Add(std::make_unique<SparseAccumulator>());  // of the thread that applies picks
      for (auto& accumulator : accumulators_.idle())
        bottom_.unit ? accumulator->Resize<true>(bottom_.nodes)
                     : accumulator->Resize<false>(bottom_.nodes);
      while (found_.iterations < plan_.iterations && !found_.truncated)
        if (!Iterate()) break;
    }
    found_.modularity =
        Modularity(bottom_, found_.labels, found_.count, plan_.resolution, executor_);
    return std::move(found_);
  }

 private:
  // False when nothing moved: another iteration would find the same.
  bool Iterate() {
    ++found_.iterations;
    std::uint64_t moves = 0;
    const CommunityGraph* graph = &bottom_;
    communities_ = found_.labels;  // by node of the level
    at_.clear();                   // node of the level by node; empty = the same
    for (int level = 0; level < kMaxLevels; ++level) {
      found_.levels = std::max(found_.levels, level + 1);
      const MoveReport report =
          moving_.Run(*graph, communities_, OptionsOf(level), executor_, accumulators_, spending_);
      moves += report.moves;
      found_.truncated |= report.truncated;
      const NodeId count = Renumber(communities_, scratch_);
      found_.count = count;
      if (count == graph->nodes || found_.truncated || !WorthGoingOn(level, report.gain)) break;
      MakeGroups(*graph, communities_, count, groups_);
      if (!refinement_.Run(*graph, communities_, groups_, plan_.resolution, executor_,
                           accumulators_, &plan_.budget, parts_)) {
        found_.truncated = true;
        break;
      }
      const NodeId parts = Renumber(parts_, scratch_);
      if (parts == graph->nodes) break;  // nothing held together
      CommunityGraph& coarse = graph == &levels_[0] ? levels_[1] : levels_[0];
      MakeGroups(*graph, parts_, parts, groups_);
      if (!Aggregate(*graph, parts_, groups_, executor_, accumulators_, &plan_.budget, coarse)) {
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
      found_.count = SplitIntoConnected(*graph, communities_, found_.count, executor_);
    ParallelForEach(executor_, found_.labels.size(), kGrain, [&](std::size_t v) {
      found_.labels[v] = communities_[at_.empty() ? v : at_[v]];
    });
    found_.moves += moves;
    return moves > 0;
  }

  // Every level of every iteration has an order of its own.
  MoveOptions OptionsOf(int level) const {
    const auto run = static_cast<std::uint64_t>(found_.iterations) * kMaxLevels +
                     static_cast<std::uint64_t>(level);
    return {plan_.resolution, plan_.tolerance, level > 0, found_.iterations > 1,
            plan_.seed * 0x9E3779B97F4A7C15ull + run};
  }

  // After a level that gained this. Later iterations begin where little is left to gain.
  bool WorthGoingOn(int level, double gain) const {
    if (level == 0) return found_.iterations == 1 || gain >= plan_.tolerance;
    return gain > plan_.tolerance;
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

  const CommunityGraph& bottom_;
  const LeidenPlan& plan_;
  Executor& executor_;
  LeidenOutcome found_;
  CommunityGraph levels_[2];
  Groups groups_;
  common_internal::ObjectPool<SparseAccumulator> accumulators_;
  LocalMoving moving_;
  Refinement refinement_;
  Spending spending_;
  std::vector<NodeId> communities_, parts_, at_, above_, scratch_;
};

}  // namespace

LeidenOutcome RunLeiden(const CommunityGraph& graph, const LeidenPlan& plan, Executor& executor) {
  return Leiden(graph, plan, executor).Run();
}

}  // namespace plexus::community::internal
