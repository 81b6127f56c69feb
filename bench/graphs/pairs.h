// Edge lists for benches: the GAP suite's generators and its file formats.
//
// The generators give, number for number, the edge list that the GAP Benchmark Suite
// (Beamer, Asanovic, Patterson, 2015) makes from the same scale and degree: blocks of
// 2^18 edges, each with a Mersenne Twister seeded by a fixed seed plus the block's
// number; Kronecker by R-MAT with Graph500's probabilities (0.57, 0.19, 0.19), ids
// permuted afterwards; uniform by two unbiased draws an edge. So both programs build
// the same graph, and results can be compared before times are.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/arrays/aligned_array.h"
#include "engine/bulk/topology.h"
#include "engine/error.h"
#include "engine/parallel.h"

namespace plexus::bench {

inline constexpr std::int64_t kGapSeed = 27491095;

struct PairList {
  NodeId node_count = 0;
  AlignedArray<NodePair> pairs;
  std::span<const NodePair> span() const { return pairs.span(); }
};

// 2^scale nodes, degree * 2^scale pairs. REQUIRES 1 <= scale <= 26.
PairList KroneckerPairs(int scale, int degree, Executor& executor);
PairList UniformPairs(int scale, int degree, Executor& executor);

// The weights that the suite's sssp gives a generated graph: 1 to 255 for each pair of `list`, of
// pairs that are one arc the least; one per out arc. REQUIRES `graph` built of `list`, symmetrized.
// O(pairs * log(degree)).
AlignedArray<float> GeneratedWeights(const PairList& list, const Topology& graph,
                                     Executor& executor);

// Reads a text edge list: "u v" a line (.el) or "u v weight" (.wel; the weight is
// checked and dropped). Node count = largest id + 1. Errors name file and line.
Result<PairList> ReadPairs(const std::string& path);

// Reads a serialized graph of the suite: .sg (ids), .wsg (ids with i32 weights, given in
// `out_weights` when asked for, one per out arc; none in a .sg). Sizes are checked against
// the file's before anything is allocated.
Result<Topology> ReadSerialized(const std::string& path,
                                AlignedArray<float>* out_weights = nullptr);

// An arc's weight, a function of its ends.
using WeightFn = std::int32_t (*)(NodeId source, NodeId target);

// Writes `topology` as .sg, or a text edge list (.el) of its out arcs; with `weight` as
// .wsg and .wel.
Status WriteSerialized(const Topology& topology, const std::string& path,
                       WeightFn weight = nullptr);
Status WritePairs(std::span<const NodePair> pairs, const std::string& path,
                  WeightFn weight = nullptr);

}  // namespace plexus::bench
