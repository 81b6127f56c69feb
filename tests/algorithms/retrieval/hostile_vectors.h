// Vectors for tests of nearest neighbours, and graphs of them: node n0, n1, ... in space "s".
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine/graph.h"

namespace plexus::testing {

using Vectors = std::vector<std::vector<float>>;
inline constexpr Metric kMetrics[] = {Metric::kCosine, Metric::kInnerProduct, Metric::kL2};
inline constexpr std::int64_t kNow = 1'700'000'000'000;

inline std::vector<float> Normal(std::mt19937_64& random, std::size_t dimensions, float scale = 1) {
  std::normal_distribution<float> normal;
  std::vector<float> v(dimensions);
  for (float& x : v) x = scale * normal(random);
  return v;
}

// What loses most in 8 bits, or has no bound there.
inline Vectors Hostile(std::mt19937_64& random, std::size_t dimensions) {
  Vectors made;
  for (const float scale : {0.0f, 1e-44f, 1e-38f, 1e-30f, 1e-20f, 1.0f, 1e15f, 1e30f, 1e37f})
    for (int i = 0; i < 20; ++i) made.push_back(Normal(random, dimensions, scale));
  for (int i = 0; i < 20; ++i) {  // one value hides all others
    made.push_back(Normal(random, dimensions));
    made.back()[0] = 1e6f;
  }
  for (int i = 0; i < 20; ++i) made.push_back(made[100]);  // ties
  made.emplace_back(dimensions, std::numeric_limits<float>::max());
  made.emplace_back(dimensions, std::numeric_limits<float>::denorm_min());
  return made;
}

inline void Append(Graph& graph, const Vectors& vectors, std::size_t first = 0,
                   Prefilter prefilter = Prefilter::kNone) {
  WriteBatch batch(kNow);
  if (first == 0)
    batch.DefineSpace(
        {"s", static_cast<std::uint32_t>(vectors[0].size()), Metric::kCosine, prefilter});
  for (std::size_t i = 0; i < vectors.size(); ++i)
    batch.SetVector(batch.Node("n" + std::to_string(first + i)), batch.SpaceNamed("s"), vectors[i]);
  ASSERT_TRUE(graph.Apply(batch).has_value());
}

inline std::unique_ptr<Graph> GraphOf(const Vectors& vectors,
                                      Prefilter prefilter = Prefilter::kNone) {
  auto graph = Graph::InMemory();
  Append(*graph, vectors, 0, prefilter);
  return graph;
}

// Appends some, replaces and removes others, compacts if asked to. The last vector that it appends.
inline std::vector<float> ChangeAtRandom(Graph& graph, Vectors& vectors, std::mt19937_64& random,
                                         bool compact) {
  const std::size_t dimensions = vectors[0].size();
  const auto append = [&](const Vectors& more) {
    Append(graph, more, vectors.size());
    vectors.insert(vectors.end(), more.begin(), more.end());
  };
  Vectors more;
  for (std::size_t i = 0; i < 1 + random() % 200; ++i) more.push_back(Normal(random, dimensions));
  append(more);
  WriteBatch batch(kNow);
  for (int i = 0; i < 40; ++i) {
    const std::string key = "n" + std::to_string(random() % vectors.size());
    if (i % 8 == 0)
      batch.RemoveNode(batch.Node(key));
    else
      batch.SetVector(batch.Node(key), batch.SpaceNamed("s"), Normal(random, dimensions));
  }
  EXPECT_TRUE(graph.Apply(batch).has_value());
  if (compact) {
    EXPECT_TRUE(graph.Compact().has_value());
  }
  append({Normal(random, dimensions)});
  return vectors.back();
}

}  // namespace plexus::testing
