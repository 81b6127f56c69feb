// One community after the other; all it touches belongs to its own nodes.
#include "algorithms/community/internal/refinement.h"

#include "algorithms/common/internal/stop_flag.h"

namespace plexus::community::internal {

template <bool kUnit>
class Refinement::OneCommunity {
 public:
  OneCommunity(const CommunityGraph& graph, const std::vector<NodeId>& communities,
               const Groups& groups, double scale, std::vector<NodeId>& parts,
               AlignedArray<Part>& by_part, common_internal::StopFlag& stop_flag)
      : graph_(graph),
        communities_(communities),
        groups_(groups),
        scale_(scale),
        parts_(parts),
        by_part_(by_part),
        stop_flag_(stop_flag) {}

  void Run(NodeId c, SparseAccumulator& accumulator) const {
    const NodeId begin = groups_.starts[c], end = groups_.starts[c + 1];
    double total = 0;
    for (NodeId i = begin; i < end; ++i) total += graph_.strengths[groups_.nodes[i]];
    for (NodeId i = begin; i < end; ++i) {
      if (Stops(i - begin)) return;
      FetchAhead(graph_, groups_, i, communities_);
      Begin(groups_.nodes[i], c);
    }
    if (end - begin < 2) return;
    for (NodeId i = begin; i < end && !Stops(i - begin); ++i)
      Join(groups_.nodes[i], c, total, accumulator);
  }

 private:
  bool Stops(NodeId done) const {
    return done % kPollInterval == kPollInterval - 1 && stop_flag_.Poll();
  }
  auto weight(std::uint64_t arc) const { return graph_.Weight<kUnit>(arc); }
  // A set of nodes with this strength and this weight to the rest of its community.
  bool WellConnected(const Part& part, double total) const {
    return part.outside >= scale_ * part.total() * (total - part.total());
  }

  void Begin(NodeId v, NodeId c) const {
    typename SparseAccumulator::Row<kUnit>::Sum outside = 0;
    for (std::uint64_t a = graph_.rows[v].begin; a < graph_.rows[v].end; ++a)
      outside += communities_[graph_.neighbors[a]] == c ? weight(a) : 0;
    parts_[v] = v;
    by_part_[v] = {graph_.strengths[v], static_cast<double>(outside)};
  }

  void Join(NodeId v, NodeId c, double total, SparseAccumulator& accumulator) const {
    Part& mine = by_part_[v];
    if (!mine.alone() || !(mine.outside > 0) || !WellConnected(mine, total)) return;
    double best = 0, links = 0;
    NodeId target = v;
    WithRow<kUnit>(accumulator, graph_.degree(v), [&](auto& row) {
      for (std::uint64_t a = graph_.rows[v].begin; a < graph_.rows[v].end; ++a) {
        const NodeId u = graph_.neighbors[a];
        if (communities_[u] == c) row.Add(parts_[u], weight(a));
      }
      row.ForEachAndClear([&](NodeId part, double sum) {
        const double gain = sum - scale_ * mine.strength * by_part_[part].total();
        if (!(gain > 0) || gain < best || (gain == best && part > target)) return;
        if (!WellConnected(by_part_[part], total)) return;
        best = gain;
        links = sum;
        target = part;
      });
    });
    if (target == v) return;
    Part& theirs = by_part_[target];
    theirs.strength = -(theirs.total() + mine.strength);
    theirs.outside += mine.outside - 2 * links;
    mine.strength = -mine.strength;
    parts_[v] = target;
  }

  const CommunityGraph& graph_;
  const std::vector<NodeId>& communities_;
  const Groups& groups_;
  const double scale_;
  std::vector<NodeId>& parts_;
  AlignedArray<Part>& by_part_;
  common_internal::StopFlag& stop_flag_;
};

bool Refinement::Run(const CommunityGraph& graph, const std::vector<NodeId>& communities,
                     const Groups& groups, double resolution, Executor& executor,
                     common_internal::ObjectPool<SparseAccumulator>& accumulators,
                     const Budget* budget, std::vector<NodeId>& parts) {
  parts.resize(graph.nodes);
  if (by_part_.size() < graph.nodes) by_part_ = AlignedArray<Part>(graph.nodes);
  common_internal::StopFlag stop_flag(budget);
  auto run = [&](const auto& one) {
    ParallelFor(executor, groups.block_count(), 1, [&](std::size_t block, std::size_t) {
      if (stop_flag.Poll()) return;
      const auto accumulator = accumulators.Acquire();
      for (NodeId c = groups.blocks[block]; c < groups.blocks[block + 1]; ++c)
        one.Run(c, *accumulator);
    });
  };
  const double scale = resolution / graph.total;
  if (graph.unit)
    run(OneCommunity<true>(graph, communities, groups, scale, parts, by_part_, stop_flag));
  else
    run(OneCommunity<false>(graph, communities, groups, scale, parts, by_part_, stop_flag));
  return !stop_flag.stopped();
}

}  // namespace plexus::community::internal
