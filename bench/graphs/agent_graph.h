// The graph that agents' memories have, generated: turns in sessions and five kinds of edges.
//
// The shape is the memory-edge table's estimate (332 k turns, about five to a session):
//   temporal     turn -> next turn of its session, weight 1 / (1 + gap / 1 h); gaps are
//                exponential with a mean of ten minutes, so most weights are above 0.8
//   referential  50,000: reader -> earlier writer of the same file, weight in (0.3, 1]
//   causal        5,000: correction -> a turn before it, mostly in its session; half of
//                them with the default weight 0.5
//   categorical  20,000: two turns with one inscription, symmetric, weight in (0.3, 1]
//   trajectory      121: first -> last turn of a session, weight in (0, 1]
// Files are drawn by Zipf's law (1 / rank of 20,000), and how many files a turn mentions
// is Pareto distributed (exponent 1.1, at most 4,000): a few turns read or write half of
// the repository. Those hubs are what makes traversal hard. Smaller graphs keep the
// proportions. Identities (source, kind, target) are distinct and there are no loops.
// The same options give the same graph everywhere: Mersenne Twister, no library
// distributions.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/types.h"

namespace plexus::bench {

struct AgentGraphOptions {
  NodeId turns = 332'000;  // at least 100
  std::uint64_t seed = 5;
};

struct AgentEdge {
  NodeId source, target;
  EdgeKindId
      kind;  // kTemporal, kReferential, kCausal, kCategorical (smaller id first), kTrajectory
  float weight;
};

struct AgentGraph {
  NodeId turns = 0;
  std::vector<std::uint32_t> session;    // by turn, ascending
  std::vector<std::int64_t> created_at;  // by turn, milliseconds
  std::vector<AgentEdge> edges;          // by kind, then source and target
  struct Mention {
    NodeId turn;
    std::uint32_t file;
  };
  std::vector<Mention> mentions;  // by turn, then file; files are ranks, 0 the hottest
  std::uint32_t sessions = 0, files = 0;
};

// O(turns + edges). Ends the program when there are fewer than 100 turns.
AgentGraph MakeAgentGraph(const AgentGraphOptions& options = {});

// `count` fixed starts, ascending, stratified by out-degree (symmetric edges count at
// both ends): strata begin at the degrees 1, 2, 3, 4, 6, 8, 16, 64, 256 and 1024; every
// stratum gives the same number, evenly spaced by id, a small one all it has. So hubs,
// one turn in thousands, are a good part of the starts. Fewer when turns are lacking.
std::vector<NodeId> StratifiedStarts(const AgentGraph& graph, std::size_t count = 1000);

}  // namespace plexus::bench
