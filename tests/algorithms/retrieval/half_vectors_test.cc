// An f16 space against an f32 space of the rounded values: every answer is the same, bit by bit, at
// every level and thread count, over appends, replacements, removals and compactions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "algorithms/eigen.h"
#include "algorithms/retrieval/internal/vectors/half_decode.h"
#include "algorithms/retrieval/nearest_neighbors.h"
#include "algorithms/retrieval/plan.h"
#include "algorithms/retrieval/rerank.h"
#include "algorithms/retrieval/text_vectors.h"
#include "algorithms/retrieval/vector_index.h"
#include "algorithms/retrieval/vector_join.h"
#include "tests/algorithms/retrieval/half_twins.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
namespace {

constexpr SimdLevel kLevels[] = {SimdLevel::kScalar, SimdLevel::kAvx2, SimdLevel::kAvx512};

TEST(HalfDecode, AllHalvesAtEveryLevel) {
  constexpr std::size_t kStride = 48, kRowBytes = 128, kRows = 65'536 / kStride + 1;
  std::vector<std::uint16_t> rows(kRows * kRowBytes / 2, 0xFFFF);
  for (std::size_t i = 0; i < 65'536; ++i)
    rows[i / kStride * kRowBytes / 2 + i % kStride] = static_cast<std::uint16_t>(i);
  for (const SimdLevel level : kLevels) {
    const auto decode = retrieval_internal::FindHalfDecode(level);
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
  EXPECT_EQ(half->nodes, full->nodes);
  EXPECT_EQ(half->measured, full->measured);
  EXPECT_EQ(half->exact, full->exact);
  EXPECT_EQ(half->truncated, full->truncated);
}

// The same question of both, whole and inside subsets.
void ExpectNearestSame(const Twins& twins, const std::vector<float>& query,
                       std::mt19937_64& random) {
  static const auto executors = Executors();
  const Snapshot half = twins.half(), full = twins.full();
  std::vector<NodeId> some;
  for (NodeId v = 0; v < half.node_count(); ++v)
    if (half.alive(v) && random() % 8 == 0) some.push_back(v);
  const NodeSubset few_half = *NodeSubset::Of(half, some), few_full = *NodeSubset::Of(full, some);
  for (const Metric metric : kMetrics)
    for (const SimdLevel level : kLevels) {
      if (!HasSimdLevel(level)) continue;
      for (const Prefilter prefilter : kPrefilters)
        for (const auto& e : executors) {
          NearestOptions options{.top = 1 + random() % 30,
                                 .metric = metric,
                                 .level = level,
                                 .run = {.executor = e.executor.get()},
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

TEST(HalfVectors, ManyQueriesAtOnce) {
  for (const std::uint32_t dimensions : {7u, 128u}) {
    std::mt19937_64 random(dimensions);
    Twins twins(dimensions);
    twins.AddAtRandom(random, 5000);
    twins.ChangeAtRandom(random, false);
    for (const std::size_t count : {1u, 2u, 5u, 16u, 19u})
      for (const auto& e : Executors())
        for (const Metric metric : kMetrics) {
          Vectors vectors;
          for (std::size_t q = 0; q < count; ++q) vectors.push_back(twins.Random(random));
          const std::vector<std::span<const float>> queries(vectors.begin(), vectors.end());
          const NearestOptions options{.metric = metric, .run = {.executor = e.executor.get()}};
          const auto half = NearestMany(twins.half(), SpaceId{}, queries, options);
          const auto full = NearestMany(twins.full(), SpaceId{}, queries, options);
          ASSERT_TRUE(half && full);
          for (std::size_t q = 0; q < count; ++q) {
            ASSERT_EQ((*half)[q].nodes, (*full)[q].nodes);
            ASSERT_EQ((*half)[q].measured, (*full)[q].measured);
          }
        }
  }
}

TEST(HalfVectors, RerankPlansAndMmr) {
  std::mt19937_64 random(3);
  Twins twins(20);
  twins.AddAtRandom(random, 800);
  twins.LinkAtRandom(random);
  for (int round = 0; round < 4; ++round) {
    const Snapshot half = twins.half(), full = twins.full();
    const std::vector<float> query = twins.Random(random);
    std::vector<NodeId> candidates;
    for (int i = 0; i < 200; ++i)
      candidates.push_back(static_cast<NodeId>(random() % half.node_count()));
    for (const auto& e : Executors())
      for (const Metric metric : kMetrics) {
        RerankOptions options;
        options.top = 20;
        options.k = 50;
        options.metric = metric;
        options.run.executor = e.executor.get();
        EXPECT_EQ(Rerank(half, SpaceId{}, query, options)->hits,
                  Rerank(full, SpaceId{}, query, options)->hits);
        EXPECT_EQ(RerankCandidates(half, SpaceId{}, query, candidates, options)->hits,
                  RerankCandidates(full, SpaceId{}, query, candidates, options)->hits);
      }
    for (const Fusion fusion : {Fusion::kSum, Fusion::kRrf, Fusion::kMmr}) {
      RetrievalPlan plan;
      plan.seeds = {{.by = SeedBy::kVector, .top = 30}};
      plan.expand.hops = 1;
      plan.score[PlanTerm::kSimilarity] = 0.8;
      plan.score[PlanTerm::kPath] = 0.2;
      plan.fuse = fusion;
      plan.top = 15;
      const RetrieveQuestion question{.vector = query, .space = SpaceId{}};
      const auto a = Retrieve(half, plan, question), b = Retrieve(full, plan, question);
      ASSERT_TRUE(a && b) << a.error().ToString();
      ASSERT_EQ(a->hits.size(), b->hits.size());
      ASSERT_GT(a->hits.size(), 0u);
      for (std::size_t i = 0; i < a->hits.size(); ++i) {
        EXPECT_EQ(a->hits[i].node, b->hits[i].node);
        EXPECT_EQ(a->hits[i].score, b->hits[i].score);
        EXPECT_EQ(a->hits[i].terms, b->hits[i].terms);
      }
      EXPECT_EQ(a->stages, b->stages);
    }
    twins.ChangeAtRandom(random, round == 2);
  }
}

TEST(HalfVectors, Joins) {
  for (const std::uint32_t dimensions : {5u, 70u}) {
    std::mt19937_64 random(dimensions);
    Twins twins(dimensions);
    twins.AddAtRandom(random, 400);
    twins.ChangeAtRandom(random, false);
    for (const auto& e : Executors())
      for (const std::size_t top : {0u, 3u})
        for (const SimdLevel level : kLevels) {
          if (!HasSimdLevel(level)) continue;
          const VectorJoinOptions options{
              .top = top, .above = 0.2, .level = level, .run = {.executor = e.executor.get()}};
          const auto pairs = [&](const Snapshot& s) {
            std::vector<VectorJoinPair> all;
            EXPECT_TRUE(JoinVectors(s, SpaceId{}, options, [&](auto some) -> Result<bool> {
              all.insert(all.end(), some.begin(), some.end());
              return true;
            }));
            return all;
          };
          const auto want = pairs(twins.full());
          EXPECT_GT(want.size(), 100u);
          EXPECT_EQ(pairs(twins.half()), want);
        }
  }
}

TEST(HalfVectors, IndexesAreTheSameGraphs) {
  std::mt19937_64 random(4);
  Twins twins(24);
  twins.AddAtRandom(random, 2000);
  const VectorIndexOptions quick{.links = 8, .build_width = 40};
  for (const Metric metric : kMetrics) {
    VectorIndexOptions options = quick;
    options.metric = metric;
    const auto half = *VectorIndex::Make(twins.half(), SpaceId{}, options);
    const auto full = *VectorIndex::Make(twins.full(), SpaceId{}, options);
    for (int round = 0; round < 3; ++round) {
      const Snapshot of_half = twins.half(), of_full = twins.full();
      if (round != 1) {  // once the new rows are scanned
        EXPECT_EQ(half->Update(of_half)->added, full->Update(of_full)->added);
      }
      EXPECT_EQ(half->size_bytes(), full->size_bytes()) << "its copies are f32";
      for (int i = 0; i < 20; ++i) {
        const std::vector<float> query = Normal(random, 24);
        const auto got = half->Nearest(of_half, query), want = full->Nearest(of_full, query);
        ASSERT_TRUE(got && want);
        EXPECT_EQ(got->nodes, want->nodes);
        EXPECT_EQ(got->scanned, want->scanned);
        EXPECT_EQ(got->width, want->width);
      }
      const auto a = half->MeasureRecall(of_half, {.sample = 10}),
                 b = full->MeasureRecall(of_full, {.sample = 10});
      EXPECT_EQ(a->recall, b->recall);
      EXPECT_EQ(a->least, b->least);
      twins.ChangeAtRandom(random, round == 1);
    }
  }
}

TEST(HalfVectors, EigenSeesTheValues) {
  std::mt19937_64 random(5);
  Twins twins(19);
  twins.AddAtRandom(random, 9000);
  const auto s = twins.half();
  const VectorTable::View& vectors = **s.vectors(SpaceId{});
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
