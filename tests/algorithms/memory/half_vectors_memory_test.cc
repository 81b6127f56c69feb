// What memory operations read of vectors: over an f16 space the same as over the rounded values.
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "algorithms/memory/conflicts.h"
#include "tests/algorithms/retrieval/half_twins.h"

namespace plexus::testing {
namespace {

TEST(HalfVectorsMemory, ConflictsAndDuplicates) {
  std::mt19937_64 random(1);
  Twins twins(12);
  twins.AddAtRandom(random, 300);
  twins.Apply([](WriteBatch& batch, VectorElement) {
    for (int i = 0; i < 120; ++i)
      batch.Link(batch.Node("n" + std::to_string(2 * i)), kSupersedes,
                 batch.Node("n" + std::to_string(2 * i + 1)));
  });
  const Snapshot half = twins.half(), full = twins.full();
  const auto candidates = [](const Snapshot& s, NodeId v) {
    const auto found = ConflictCandidates(s, v, {.now_ms = kNow, .least_cosine = 0.3});
    EXPECT_TRUE(found) << found.error().ToString();
    std::vector<std::pair<NodeId, std::optional<double>>> list;
    for (const auto& c : found->candidates) list.emplace_back(c.node, c.cosine);
    return list;
  };
  std::size_t all = 0;
  for (NodeId v = 0; v < 100; ++v) {
    const auto want = candidates(full, v);
    EXPECT_EQ(candidates(half, v), want);
    all += want.size();
  }
  EXPECT_GT(all, 100u);
  const auto pairs = [](const Result<NearDuplicatesResult>& found) {
    EXPECT_TRUE(found) << found.error().ToString();
    std::vector<std::tuple<NodeId, NodeId, std::optional<double>>> list;
    for (const auto& p : found->pairs) list.emplace_back(p.superseded, p.visible, p.cosine);
    return list;
  };
  const NearDuplicatesOptions options{.now_ms = kNow, .least_cosine = 0.5};
  const auto want = pairs(NearDuplicates(full, options));
  EXPECT_GT(want.size(), 10u);
  EXPECT_EQ(pairs(NearDuplicates(half, options)), want);
  std::vector<NodeId> nodes;
  for (NodeId v = 0; v < 300; ++v) nodes.push_back(v);
  const auto near = pairs(NearSuperseded(full, nodes, options));
  EXPECT_GT(near.size(), 10u);
  EXPECT_EQ(pairs(NearSuperseded(half, nodes, options)), near);
}

}  // namespace
}  // namespace plexus::testing
