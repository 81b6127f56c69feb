// Vectors for the case graphs: what the tests of Nearest and Rerank search.
//
// Values are small whole numbers, so that f32 sums are exact at every level and equal
// the oracle's to the last bit, ties included, of which there are many.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "tests/reference/oracles.h"
#include "tests/support/case_graph.h"

namespace plexus::testing {

inline constexpr const char* kSpace = "words";
inline constexpr Metric kMetrics[] = {Metric::kCosine, Metric::kInnerProduct, Metric::kL2};

inline reference::Likeness LikenessOf(Metric metric) {
  return metric == Metric::kCosine         ? reference::Likeness::kCosine
         : metric == Metric::kInnerProduct ? reference::Likeness::kInnerProduct
                                           : reference::Likeness::kDistance;
}

inline std::vector<float> SmallVector(std::mt19937_64& random, std::size_t dimensions) {
  std::vector<float> v(dimensions);
  for (float& x : v) x = static_cast<float>(static_cast<int>(random() % 5) - 2);
  return v;
}

struct VectorCase {
  CaseGraph graph;
  std::size_t dimensions;
  std::vector<std::vector<float>> vectors;  // by NodeId, empty = none

  SpaceId space() const { return graph.snapshot().schema().FindSpace(kSpace).value(); }
};

// Most alive nodes get a vector, some get it replaced, some lose their node afterwards.
inline VectorCase WithVectors(const Case& c, Shape shape, std::size_t dimensions) {
  VectorCase made{Build(c, shape), dimensions, {}};
  CaseGraph& g = made.graph;
  std::mt19937_64 random(dimensions);
  if (g.size() == 0) g.AddNode();
  g.Commit();
  made.vectors.resize(g.snapshot().node_count());
  auto give = [&](std::size_t node) {
    made.vectors[g.id(node)] = SmallVector(random, dimensions);
    g.SetVector(node, kSpace, made.vectors[g.id(node)]);
  };
  // The space is defined even if chance gives nobody a vector.
  for (std::size_t node = 0; node < g.size(); ++node)
    if (g.alive(node) && (node == 0 || random() % 8)) give(node);
  g.Commit();
  for (std::size_t node = 0; node < g.size(); ++node)
    if (g.alive(node) && random() % 6 == 0) give(node);
  if (!g.snapshot().schema().FindSpace(kSpace)) give(g.AddNode());
  g.Commit();
  made.vectors.resize(g.snapshot().node_count());
  for (std::size_t node = 1; node < g.size(); ++node)
    if (g.alive(node) && random() % 16 == 0) g.Remove(node);
  g.Commit();
  if (shape == Shape::kClean || shape == Shape::kCompacted) g.Compact();
  return made;
}

}  // namespace plexus::testing
