// An f16 space against an f32 space of the rounded values: every answer is the same, bit by bit, at
// every level and thread count, over appends, replacements, removals and compactions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "algorithms/eigen.h"
#include "algorithms/retrieval/internal/vectors/row_reader.h"
#include "algorithms/retrieval/plan.h"
#include "algorithms/retrieval/vectors.h"
#include "tests/algorithms/retrieval/half_twins.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace retrieval;
namespace {

constexpr SimdLevel kLevels[] = {SimdLevel::kScalar, SimdLevel::kAvx2, SimdLevel::kAvx512};

TEST(HalfDecode, AllHalvesAtEveryLevel) {
  constexpr std::size_t kStride = 48, kRowBytes = 128, kRows = 65'536 / kStride + 1;
  std::vector<std::uint16_t> rows(kRows * kRowBytes / 2, 0xFFFF);
  for (std::size_t i = 0; i < 65'536; ++i)
    rows[i / kStride * kRowBytes / 2 + i % kStride] = static_cast<std::uint16_t>(i);
  for (const SimdLevel level : kLevels) {
    const auto decode = retrieval::internal::FindHalfDecode(level);
    if (!decode) continue;
    for (const std::size_t count : {std::size_t{1}, kRows}) {
      std::vector<float> values(count * kStride);
      decode(reinterpret_cast<const std::byte*>(rows.data()), kRowBytes, count, kStride,
             values.data());
      for (std::size_t i = 0; i < std::min<std::size_t>(values.size(), 65'536); ++i) {
        const float want = FloatFromHalf(static_cast<std::uint16_t>(i));
        if (std::isnan(want))
          ASSERT_TRUE(std::isnan(values[i])) << i;
        else
          ASSERT_EQ(std::bit_cast<std::uint32_t>(values[i]), std::bit_cast<std::uint32_t>(want))
              << i << " at " << SimdLevelName(level);
      }
    }
  }
}

void ExpectSame(const Result<NearestResult>& half, const Result<NearestResult>& full) {
  ASSERT_TRUE(half.has_value()) << half.error().ToString();
  ASSERT_TRUE(full.has_value()) << full.error().ToString();
  EXPECT_EQ(half->hits, full->hits);
  EXPECT_EQ(half->measured, full->measured);
  EXPECT_EQ(half->exact, full->exact);
  EXPECT_EQ(half->truncated, full->truncated);
}

// The same question of both, whole and inside subsets.
void ExpectNearestSame(const Twins& twins, const std::vector<float>& query,
                       std::mt19937_64& random) {
  const Snapshot half = twins.half(), full = twins.full();
  std::vector<NodeId> some;
  for (NodeId v = 0; v < half.node_count(); ++v)
    if (half.alive(v) && random() % 8 == 0) some.push_back(v);
  const NodeSubset few_half = *NodeSubset::Of(half, some), few_full = *NodeSubset::Of(full, some);
  for (const Metric metric : kMetrics)
    for (const SimdLevel level : kLevels) {
      if (!HasSimdLevel(level)) continue;
      for (const Prefilter prefilter : kPrefilters) {
        NearestOptions options{.top = 1 + random() % 30,
                               .metric = metric,
                               .level = level,
                               .run = {.executor = NextExecutor()},
                               .prefilter = prefilter};
        if (random() % 4 == 0) options.top = 0;
        if (random() % 3 == 0) options.skip = static_cast<NodeId>(random() % half.node_count());
        NearestOptions inside = options;
        ExpectSame(Nearest(half, SpaceId{}, query, options),
                   Nearest(full, SpaceId{}, query, options));
        options.subset = &few_half;
        inside.subset = &few_full;
        ExpectSame(Nearest(half, SpaceId{}, query, options),
                   Nearest(full, SpaceId{}, query, inside));
        options.subset = inside.subset = nullptr;
        options.run.budget.nodes = inside.run.budget.nodes = random() % 3000;
        ExpectSame(Nearest(half, SpaceId{}, query, options),
                   Nearest(full, SpaceId{}, query, inside));
        if (::testing::Test::HasFailure()) return;
      }
    }
}

TEST(HalfVectors, NearestGivesTheBitsOfTheRoundedValues) {
  for (const std::uint32_t dimensions : {1u, 15u, 16u, 33u, 100u, 384u}) {
    SCOPED_TRACE(dimensions);
    std::mt19937_64 random(dimensions);
    Twins twins(dimensions);
    twins.AddAtRandom(random, dimensions == 1 ? 9000 : 1500);
    for (int round = 0; round < 3; ++round) {
      ExpectNearestSame(twins, Normal(random, dimensions), random);
      ExpectNearestSame(twins, Normal(random, dimensions, 1e-6f), random);
      ExpectNearestSame(twins, twins.Random(random), random);
      ASSERT_FALSE(::testing::Test::HasFailure());
      twins.ChangeAtRandom(random, round == 1);
    }
  }
}

TEST(HalfVectors, EigenSeesTheValues) {
  std::mt19937_64 random(5);
  Twins twins(19);
  twins.AddAtRandom(random, 9000);
  const auto s = twins.half();
  const VectorView& vectors = **s.vectors(SpaceId{});
  std::uint32_t rows = 0;
  ForEachVectorMap(vectors, [&](std::uint32_t first, const EigenVectorMap& map) {
    ASSERT_EQ(first, rows);
    ASSERT_EQ(map.cols(), 19);
    for (Eigen::Index i = 0; i < map.rows(); ++i) {
      const auto want = RowOf(vectors, first + static_cast<std::uint32_t>(i));
      for (std::size_t k = 0; k < 19; ++k) ASSERT_EQ(map(i, static_cast<Eigen::Index>(k)), want[k]);
    }
    rows += static_cast<std::uint32_t>(map.rows());
  });
  EXPECT_EQ(rows, vectors.row_count());
  const NodeId nodes[] = {0, 17, 8999};
  EXPECT_EQ(GatherVectors(vectors, nodes), GatherVectors(**twins.full().vectors(SpaceId{}), nodes));
}

// Vectors of texts in an f16 space: made again they are the same, and answers are those of the
// rounded ones.
TEST(HalfVectors, OfTexts) {
  std::unique_ptr<Graph> graphs[2] = {Graph::InMemory(), Graph::InMemory()};
  for (const auto& graph : graphs) {
    WriteBatch batch(kNow);
    std::mt19937_64 random(6);
    for (int i = 0; i < 60; ++i)
      for (int w = 0; w < 6; ++w)
        batch.Link(batch.UpsertNode("n" + std::to_string(i), kMemory), kHasTerm,
                   batch.IndexNode(kTerm, "w" + std::to_string(random() % 40)),
                   static_cast<float>(1 + random() % 3));
    ASSERT_TRUE(graph->Apply(batch));
  }
  const auto make = [](Graph& graph, std::optional<VectorElement> element) {
    TextVectorOptions options;
    options.dimensions = 48;
    options.element = element;
    options.now_ms = kNow;
    return MakeTextVectors(graph.snapshot(), options, [&](const WriteBatch& batch) -> Status {
      PLEXUS_TRY(graph.Apply(batch));
      return {};
    });
  };
  ASSERT_EQ(make(*graphs[0], VectorElement::kF16)->added, 60u);
  ASSERT_EQ(make(*graphs[1], {})->added, 60u);
  EXPECT_EQ(graphs[0]->snapshot().schema().spaces()[SpaceId{}].element, VectorElement::kF16);
  for (const auto element : {std::optional<VectorElement>(), std::optional(VectorElement::kF16)}) {
    const auto again = make(*graphs[0], element);
    ASSERT_TRUE(again) << again.error().ToString();
    EXPECT_EQ(again->same, 60u);
    EXPECT_EQ(again->changed, 0u);
  }
  const auto refused = make(*graphs[0], VectorElement::kF32);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "the vector space 'text' has f16 values, not f32");
  const Snapshot half = graphs[0]->snapshot(), full = graphs[1]->snapshot();
  for (NodeId v = 0; v < half.node_count(); ++v)
    EXPECT_EQ(VectorOf(*half.space(SpaceId{}), v),
              Rounded(VectorOf(*full.space(SpaceId{}), v), VectorElement::kF16));
}

}  // namespace
}  // namespace plexus::testing
