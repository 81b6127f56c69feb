// Web-like and road-like graphs; the agent graph as bare pairs.
#include "bench/graphs/shapes.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "bench/graphs/agent_graph.h"
#include "engine/vocabulary.h"

namespace plexus::bench {
namespace {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  double Uniform() { return static_cast<double>(random_() >> 11) * 0x1p-53; }  // [0, 1)
  NodeId Below(NodeId bound) { return static_cast<NodeId>(Uniform() * bound); }
  // Pareto from `least`, cut at `most`.
  NodeId Pareto(double least, double exponent, NodeId most) {
    return static_cast<NodeId>(
        std::min<double>(most, least * std::pow(1.0 - Uniform(), -1.0 / exponent)));
  }

 private:
  std::mt19937_64 random_;
};

PairList ListOf(NodeId nodes, const std::vector<NodePair>& pairs) {
  PairList list;
  list.node_count = nodes;
  list.pairs = AlignedArray<NodePair>(std::span<const NodePair>(pairs));
  return list;
}

}  // namespace

PairList WebPairs(int scale, std::uint64_t seed) {
  const NodeId nodes = NodeId{1} << scale;
  Draw draw(seed);
  std::vector<NodePair> links;
  std::vector<std::size_t> first;  // by page: its first link, and where the page at work began
  for (NodeId begin = 0; begin < nodes;) {
    const NodeId end = begin + std::min(nodes - begin, draw.Pareto(8, 1.2, 8192));
    for (NodeId page = begin; page < end; ++page) {
      first.push_back(links.size());
      for (NodeId degree = draw.Pareto(5, 1.5, 1024); degree > 0; --degree) {
        NodeId target;
        if (draw.Uniform() < 0.75) {
          const double place = draw.Uniform();
          target = begin + static_cast<NodeId>(place * place * place * (end - begin));
        } else if (page > 0 && draw.Uniform() < 0.9) {
          const NodeId model = draw.Below(page);
          const std::size_t count = first[model + 1] - first[model];
          target = links[first[model] + draw.Below(static_cast<NodeId>(count))].target;
        } else {
          target = draw.Below(nodes);
        }
        links.push_back({page, target});
      }
    }
    begin = end;
  }
  return ListOf(nodes, links);
}

PairList GridPairs(int scale, std::uint64_t seed) {
  const NodeId side = NodeId{1} << (scale / 2);
  Draw draw(seed);
  std::vector<NodePair> streets;
  auto both = [&](NodeId a, NodeId b) {
    streets.push_back({a, b});
    streets.push_back({b, a});
  };
  for (NodeId y = 0; y < side; ++y)
    for (NodeId x = 0; x < side; ++x) {
      const NodeId here = y * side + x;
      if (x + 1 < side && draw.Uniform() >= 0.2) both(here, here + 1);
      if (y + 1 < side && draw.Uniform() >= 0.2) both(here, here + side);
      if (x + 1 < side && y + 1 < side && draw.Uniform() < 1.0 / 64) both(here, here + side + 1);
    }
  return ListOf(side * side, streets);
}

PairList AgentPairs() {
  const AgentGraph graph = MakeAgentGraph();
  std::vector<NodePair> pairs;
  for (const AgentEdge& edge : graph.edges) {
    pairs.push_back({edge.source, edge.target});
    if (edge.kind == builtin::kCategorical) pairs.push_back({edge.target, edge.source});
  }
  return ListOf(graph.turns, pairs);
}

std::int32_t ArcWeight(NodeId a, NodeId b) {
  const std::uint64_t mixed =
      (std::uint64_t{std::min(a, b)} << 32 | std::max(a, b)) * 0x9E3779B97F4A7C15u;
  return static_cast<std::int32_t>((mixed >> 40) % 255) + 1;
}

}  // namespace plexus::bench
