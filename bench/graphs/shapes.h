// Shapes of graphs that kernels meet beside Kronecker and uniform ones, generated.
//
//   web    Pages in hosts. A host is a block of consecutive ids; its size is Pareto
//          distributed (exponent 1.2, 8 to 8,192 pages). Out-degrees are, too (exponent 1.5,
//          least 5, at most 1,024: some 14 at the mean). Of a page's links three quarters stay
//          in its host, mostly with its first pages, as a host's index pages are linked most.
//          Of the others nine in ten copy a target of a page drawn at random from those made
//          before, and one leads anywhere (the copying model: Kumar, Raghavan, Rajagopalan,
//          Sivakumar, Tomkins, Upfal, "Stochastic models for the web graph", 2000), so
//          in-degrees follow a power law. Directed.
//   grid   Roads: a square of 2^scale crossings, ids row by row, neighbours in four
//          directions; a fifth of the streets is missing and one crossing in 64 has a
//          diagonal. Symmetric, some 3.2 arcs a node, a diameter of about two sides.
//   agent  agent_graph.h's edges without their kinds; symmetric kinds go both ways. Directed.
//
// One Mersenne Twister, no library distributions: the same scale and seed give the same
// graph everywhere. Weights are functions of a pair's ends, not of its direction.
#pragma once

#include <cstdint>

#include "bench/graphs/pairs.h"
#include "engine/arrays/views.h"

namespace plexus::bench {

inline constexpr std::uint64_t kShapeSeed = 8;

// REQUIRES 4 <= scale <= 24 (grid: even).
PairList WebPairs(int scale, std::uint64_t seed = kShapeSeed);
PairList GridPairs(int scale, std::uint64_t seed = kShapeSeed);
PairList AgentPairs();

// Whole numbers from 1 to 255 by a hash of the two ends, as the suite's range is.
std::int32_t ArcWeight(NodeId a, NodeId b);

}  // namespace plexus::bench
