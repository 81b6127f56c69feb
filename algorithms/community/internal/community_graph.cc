// Groups are counted out; rows of groups are summed up in a dense accumulator, block by block.
#include "algorithms/community/internal/community_graph.h"

#include <numeric>

#include "algorithms/common/internal/stop_flag.h"

namespace plexus::community::internal {

namespace {

constexpr std::uint64_t kBlockWork = 1 << 13;  // arcs and nodes
constexpr std::size_t kGrain = 4096;
constexpr NodeId kPollInterval = 4096;  // nodes of a group between two polls of the budget
constexpr NodeId kNone = kNoNode;

// The next `size` entries of a block, at the beginning of a line.
template <class T>
std::span<T> Cut(std::byte*& at, std::uint64_t size) {
  constexpr std::size_t kLine = 64;
  const std::span<T> array(reinterpret_cast<T*>(at), size);
  at += (array.size_bytes() + kLine - 1) / kLine * kLine;
  return array;
}

// The row of one group, from `at` on: neighbours other than itself, and what stays inside.
template <bool kUnit>
void SumGroup(const CommunityGraph& graph, const std::vector<NodeId>& labels, const Groups& groups,
              NodeId group, SparseAccumulator& accumulator, std::uint64_t& at,
              common_internal::StopFlag& stop_flag, CommunityGraph& coarse) {
  double loop = 0, strength = 0;
  std::uint64_t arcs = 0;
  coarse.rows[group].begin = at;
  for (NodeId i = groups.starts[group]; i < groups.starts[group + 1]; ++i) {
    FetchAhead(graph, groups, i, labels);
    arcs += graph.degree(groups.nodes[i]);
  }
  WithRow<kUnit>(accumulator, arcs, [&](auto& row) {
    for (NodeId i = groups.starts[group]; i < groups.starts[group + 1]; ++i) {
      if ((i - groups.starts[group]) % kPollInterval == kPollInterval - 1 && stop_flag.Poll())
        break;
      const NodeId v = groups.nodes[i];
      loop += graph.loops[v];
      strength += graph.strengths[v];
      for (std::uint64_t a = graph.rows[v].begin; a < graph.rows[v].end; ++a)
        row.Add(labels[graph.neighbors[a]], graph.Weight<kUnit>(a));
    }
    row.ForEachAndClear([&](NodeId label, double sum) {
      // Its own label's place is written over by the next: there is one, as that label had an arc.
      const bool inside = label == group;
      loop += inside ? sum : 0.0;
      coarse.neighbors[at] = label;
      coarse.weights[at] = sum;
      at += !inside;
    });
  });
  coarse.rows[group].end = at;
  coarse.loops[group] = loop;
  coarse.strengths[group] = strength;
}

}  // namespace

void CommunityGraph::Reserve(NodeId node_count, std::uint64_t arcs) {
  constexpr std::size_t kLines = 5 * 64;  // lost between arrays at most
  const std::uint64_t bytes = node_count * (sizeof(Row) + 2 * sizeof(double)) +
                              arcs * (sizeof(NodeId) + sizeof(double)) + kLines;
  if (memory.size() < bytes) {
    memory = AlignedArray<std::byte>();  // free before taking again
    memory = AlignedArray<std::byte>(bytes + bytes / 8);
  }
  nodes = node_count;
  std::byte* at = memory.data();
  rows = Cut<Row>(at, node_count);
  strengths = Cut<double>(at, node_count);
  loops = Cut<double>(at, node_count);
  neighbors = Cut<NodeId>(at, arcs);
  weights = Cut<double>(at, arcs);
}

void MakeGroups(const CommunityGraph& graph, const std::vector<NodeId>& labels, NodeId count,
                Groups& groups) {
  groups.starts.assign(std::size_t{count} + 1, 0);
  groups.nodes.resize(graph.nodes);
  std::vector<std::uint64_t>& arcs_of = groups.arcs_of;
  arcs_of.assign(count, 0);
  for (NodeId v = 0; v < graph.nodes; ++v) {
    ++groups.starts[labels[v] + 1];
    arcs_of[labels[v]] += graph.degree(v);
  }
  std::partial_sum(groups.starts.begin(), groups.starts.end(), groups.starts.begin());
  for (NodeId v = 0; v < graph.nodes; ++v) groups.nodes[groups.starts[labels[v]]++] = v;
  std::copy_backward(groups.starts.begin(), groups.starts.end() - 1, groups.starts.end());
  groups.starts[0] = 0;
  groups.blocks.assign(1, 0);
  groups.arcs.assign(1, 0);
  std::uint64_t arcs = 0;
  for (NodeId c = 0; c < count; ++c) {
    arcs += arcs_of[c];
    const std::uint64_t work =
        arcs - groups.arcs.back() + groups.starts[c + 1] - groups.starts[groups.blocks.back()];
    if (work < kBlockWork && c + 1 < count) continue;
    groups.blocks.push_back(c + 1);
    groups.arcs.push_back(arcs);
  }
}

NodeId Renumber(std::vector<NodeId>& labels, std::vector<NodeId>& numbers) {
  numbers.assign(labels.size(), kNone);
  NodeId count = 0;
  for (NodeId& label : labels) {
    NodeId& number = numbers[label];
    const bool first = number == kNone;  // no branch: it is unpredictable
    number = first ? count : number;
    count += first;
    label = number;
  }
  return count;
}

bool Aggregate(const CommunityGraph& graph, const std::vector<NodeId>& labels, const Groups& groups,
               Executor& executor, common_internal::ObjectPool<SparseAccumulator>& accumulators,
               const Budget* budget, CommunityGraph& coarse) {
  const auto count = static_cast<NodeId>(groups.starts.size() - 1);
  coarse.Reserve(count, groups.arcs.back());
  coarse.unit = false;
  coarse.total = graph.total;
  common_internal::StopFlag stop_flag(budget);
  ParallelFor(executor, groups.block_count(), 1, [&](std::size_t block, std::size_t) {
    if (stop_flag.Poll()) return;
    const auto accumulator = accumulators.Acquire();
    std::uint64_t at = groups.arcs[block];
    for (NodeId c = groups.blocks[block]; c < groups.blocks[block + 1]; ++c)
      graph.unit ? SumGroup<true>(graph, labels, groups, c, *accumulator, at, stop_flag, coarse)
                 : SumGroup<false>(graph, labels, groups, c, *accumulator, at, stop_flag, coarse);
  });
  return !stop_flag.stopped();
}

double Modularity(const CommunityGraph& graph, const std::vector<NodeId>& labels, NodeId count,
                  double resolution, Executor& executor) {
  if (!(graph.total > 0)) return 0;
  const double inside =
      ParallelSum(executor, graph.nodes, kGrain, [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t v = begin; v < end; ++v) {
          sum += graph.loops[v];
          for (std::uint64_t a = graph.rows[v].begin; a < graph.rows[v].end; ++a)
            if (labels[graph.neighbors[a]] == labels[v]) sum += graph.unit ? 1.0 : graph.weights[a];
        }
        return sum;
      });
  std::vector<double> totals(count, 0.0);
  for (NodeId v = 0; v < graph.nodes; ++v) totals[labels[v]] += graph.strengths[v];
  double squares = 0;
  for (double total : totals) squares += (total / graph.total) * (total / graph.total);
  return inside / graph.total - resolution * squares;
}

NodeId SplitIntoConnected(const CommunityGraph& graph, std::vector<NodeId>& labels, NodeId count,
                          Executor& executor) {
  Groups groups;
  MakeGroups(graph, labels, count, groups);
  // A part is named by its first node. Its nodes queue up where the group's list is.
  std::vector<NodeId> parts(graph.nodes, kNone), queue(graph.nodes);
  ParallelFor(executor, groups.block_count(), 1, [&](std::size_t block, std::size_t) {
    for (NodeId c = groups.blocks[block]; c < groups.blocks[block + 1]; ++c) {
      NodeId head = groups.starts[c], tail = head;
      for (NodeId i = groups.starts[c]; i < groups.starts[c + 1]; ++i) {
        const NodeId first = groups.nodes[i];
        if (parts[first] != kNone) continue;
        parts[first] = first;
        queue[tail++] = first;
        for (; head < tail; ++head) {
          const NodeId v = queue[head];
          for (std::uint64_t a = graph.rows[v].begin; a < graph.rows[v].end; ++a) {
            const NodeId u = graph.neighbors[a];
            if (labels[u] != c || parts[u] != kNone) continue;
            parts[u] = first;
            queue[tail++] = u;
          }
        }
      }
    }
  });
  labels = std::move(parts);
  return Renumber(labels, queue);
}

}  // namespace plexus::community::internal
