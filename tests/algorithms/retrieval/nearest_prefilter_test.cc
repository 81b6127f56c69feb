// The pre-filter against the plain scan, bit by bit: ordinary vectors and hostile ones, every
// metric, level and thread count, subsets; carried over appends, replacements, removals.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "algorithms/retrieval/internal/vectors/candidate_search.h"
#include "algorithms/retrieval/internal/vectors/narrow_rows.h"
#include "algorithms/retrieval/vectors.h"
#include "tests/algorithms/retrieval/hostile_vectors.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace retrieval;
namespace {

void ExpectSame(const Snapshot& s, const std::vector<float>& query, NearestOptions options) {
  options.prefilter = Prefilter::kNone;
  const auto want = Nearest(s, SpaceId{}, query, options);
  ASSERT_TRUE(want.has_value()) << want.error().ToString();
  options.prefilter = Prefilter::kInt8;
  const auto got = Nearest(s, SpaceId{}, query, options);
  ASSERT_TRUE(got.has_value()) << got.error().ToString();
  EXPECT_EQ(got->hits, want->hits);
  EXPECT_EQ(got->measured, want->measured);
  EXPECT_EQ(got->truncated, want->truncated);
  EXPECT_LE(got->exact, got->measured);
}

void ExpectSameEverywhere(const Snapshot& s, const std::vector<float>& query) {
  for (const Metric metric : kMetrics)
    for (const SimdLevel level : {SimdLevel::kScalar, SimdLevel::kAvx2, SimdLevel::kAvx512})
      for (const std::size_t top : {1u, 10u, 40u}) {
        if (!HasSimdLevel(level)) continue;
        ExpectSame(
            s, query,
            {.top = top, .metric = metric, .level = level, .run = {.executor = NextExecutor()}});
        if (::testing::Test::HasFailure()) return;
      }
}

TEST(NearestPrefilter, GivesTheBitsOfThePlainScan) {
  for (const std::size_t dimensions : {1u, 7u, 32u, 100u}) {
    SCOPED_TRACE(dimensions);
    std::mt19937_64 random(dimensions);
    Vectors vectors = Hostile(random, dimensions);
    for (int i = 0; i < 6000; ++i) vectors.push_back(Normal(random, dimensions));
    std::shuffle(vectors.begin(), vectors.end(), random);
    const auto graph = GraphOf(vectors);
    const Snapshot s = graph->snapshot();
    for (int i = 0; i < 3; ++i) ExpectSameEverywhere(s, Normal(random, dimensions));
    for (int i = 0; i < 3; ++i) ExpectSameEverywhere(s, vectors[random() % vectors.size()]);
    for (const float scale : {0.0f, 1e-40f, 1e-25f, 1e25f, 1e37f})
      ExpectSameEverywhere(s, Normal(random, dimensions, scale));
    ASSERT_FALSE(::testing::Test::HasFailure());
  }
}

TEST(NearestPrefilter, SubsetsSkippedNodesAndBudgets) {
  std::mt19937_64 random(5);
  Vectors vectors;
  for (int i = 0; i < 9000; ++i) vectors.push_back(Normal(random, 48));
  const auto graph = GraphOf(vectors);
  const Snapshot s = graph->snapshot();
  const NodeId skip = *s.Find("n17");
  for (const std::uint32_t every : {1u, 2u, 3u, 100u}) {
    const NodeSubset subset = SubsetOf(s, [&](NodeId v) { return v % every == 0; });
    ExpectSame(s, vectors[17], {.subset = &subset, .skip = skip});
  }
  for (const std::uint64_t nodes : {0u, 1u, 100u, 5000u}) {
    NearestOptions options;
    options.run.budget.nodes = nodes;
    ExpectSame(s, vectors[17], options);
  }
  for (const std::size_t top : {0u, 500u, 5000u, 20'000u}) ExpectSame(s, vectors[17], {.top = top});
  const std::atomic<bool> stop = true;
  NearestOptions options;
  options.run.budget.cancel = &stop;
  ExpectSame(s, vectors[17], options);
}

// The promise of its cost: of ordinary vectors few are left to be measured.
TEST(NearestPrefilter, ExcludesNearlyAllOfOrdinaryVectors) {
  std::mt19937_64 random(9);
  Vectors vectors;
  for (int i = 0; i < 20'000; ++i) vectors.push_back(Normal(random, 100));
  const auto graph = GraphOf(vectors);
  const auto got =
      Nearest(graph->snapshot(), SpaceId{}, Normal(random, 100), {.prefilter = Prefilter::kInt8});
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->measured, 20'000u);
  EXPECT_LT(got->exact, 400u);
}

// After each change the carried copy answers as a graph that was never asked before.
TEST(NearestPrefilter, FollowsTheGraph) {
  std::mt19937_64 random(3);
  Vectors vectors;
  for (int i = 0; i < 5000; ++i) vectors.push_back(Normal(random, 33));
  const auto graph = GraphOf(vectors);
  for (int step = 0; step < 30; ++step) {
    SCOPED_TRACE(step);
    const std::vector<float> query = Normal(random, 33);
    for (const Metric metric : kMetrics) ExpectSame(graph->snapshot(), query, {.metric = metric});
    // An inserted vector is its own nearest neighbour at once.
    const std::vector<float> own = ChangeAtRandom(*graph, vectors, random, step % 7 == 6);
    const auto got = Nearest(graph->snapshot(), SpaceId{}, own, {.prefilter = Prefilter::kInt8});
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(graph->snapshot().key(got->hits[0].node), "n" + std::to_string(vectors.size() - 1));
  }
}

// Many queries at once get the answers of each alone.
TEST(NearestMany, GivesEachQueryItsOwnBits) {
  for (const std::size_t dimensions : {1u, 16u, 47u, 200u, 700u}) {
    SCOPED_TRACE(dimensions);
    std::mt19937_64 random(dimensions);
    Vectors vectors = Hostile(random, dimensions);
    for (int i = 0; i < 2500; ++i) vectors.push_back(Normal(random, dimensions));
    const auto graph = GraphOf(vectors);
    const Snapshot s = graph->snapshot();
    const NodeSubset few = SubsetOf(s, [](NodeId v) { return v % 9 == 0; });
    Vectors queries;
    for (int i = 0; i < 17; ++i) queries.push_back(Normal(random, dimensions));
    queries.push_back(vectors[0]);
    queries.push_back(Normal(random, dimensions, 1e30f));
    for (const Metric metric : kMetrics)
      for (const SimdLevel level : {SimdLevel::kScalar, SimdLevel::kAvx2, SimdLevel::kAvx512})
        for (const Prefilter prefilter : {Prefilter::kNone, Prefilter::kInt8})
          for (const NodeSubset* subset : {static_cast<const NodeSubset*>(nullptr), &few}) {
            if (!HasSimdLevel(level)) continue;
            const NearestOptions options{.metric = metric,
                                         .subset = subset,
                                         .skip = 3,
                                         .level = level,
                                         .prefilter = prefilter};
            std::vector<NearestResult> want;
            for (const std::vector<float>& query : queries)
              want.push_back(*Nearest(s, SpaceId{}, query, options));
            // One after the other from a place of their own, so that each is in groups of all
            // sizes.
            std::size_t first = 0;
            for (const std::size_t count : {0u, 1u, 2u, 3u, 4u, 5u, 19u}) {
              if (first + count > queries.size()) first = 0;
              const std::vector<std::span<const float>> asked(queries.begin() + first,
                                                              queries.begin() + first + count);
              const auto got = NearestMany(s, SpaceId{}, asked, options);
              ASSERT_TRUE(got.has_value()) << got.error().ToString();
              ASSERT_EQ(got->size(), count);
              for (std::size_t q = 0; q < count; ++q) {
                ASSERT_EQ((*got)[q].hits, want[first + q].hits) << q;
                ASSERT_EQ((*got)[q].measured, want[first + q].measured) << q;
              }
              first += count;
            }
          }
  }
}

TEST(NearestMany, RefusesABadQueryAmongGoodOnes) {
  const auto graph = GraphOf({{1, 2}, {3, 4}});
  const std::vector<float> good = {1, 1}, bad = {1};
  const std::vector<std::span<const float>> queries = {good, bad};
  const auto got = NearestMany(graph->snapshot(), SpaceId{}, queries);
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().code, ErrorCode::kInvalidArgument);
}

// The bounds themselves, row by row.
TEST(NearestPrefilter, BoundsHoldForEveryRow) {
  for (const std::size_t dimensions : {1u, 31u, 96u}) {
    std::mt19937_64 random(dimensions + 1);
    Vectors vectors = Hostile(random, dimensions);
    for (int i = 0; i < 500; ++i) vectors.push_back(Normal(random, dimensions));
    const auto graph = GraphOf(vectors);
    const Snapshot s = graph->snapshot();
    const VectorView& view = *s.space(SpaceId{});
    const auto narrow =
        retrieval::internal::NarrowRows::Make(view, SpaceId{}, nullptr, SerialExecutor());
    Vectors queries = Hostile(random, dimensions);
    for (const std::vector<float>& query : queries)
      for (const Metric metric : kMetrics)
        for (const SimdLevel level : {SimdLevel::kScalar, SimdLevel::kAvx2, SimdLevel::kAvx512}) {
          if (!HasSimdLevel(level)) continue;
          const auto exact =
              retrieval::internal::SpaceQuery::Make(s, SpaceId{}, query, metric, level);
          ASSERT_TRUE(exact.has_value());
          const retrieval::internal::NarrowQuery bounds(query, narrow->stride(), metric, level);
          for (std::size_t b = 0; b < narrow->block_count(); ++b) {
            const auto& block = narrow->block(b);
            const std::size_t rows = block.rows, group = retrieval::internal::kNarrowGroup;
            std::vector<double> upper(block.groups() * group), ranks(rows);
            std::vector<std::uint16_t> reach(block.groups());
            retrieval::internal::RowReader reader(view, level);
            ASSERT_EQ(block.source.rows.count, rows);
            exact->Rank(reader.Read(block.source.rows), ranks.data());
            const double least = ranks[random() % rows];
            bounds.Uppers(block, 0, block.groups(), least, upper.data(), reach.data());
            for (std::size_t i = 0; i < rows; ++i) {
              ASSERT_LE(bounds.Lower(block.bound(i), upper[i]), ranks[i]) << i;
              ASSERT_GE(upper[i], ranks[i]) << i;
              ASSERT_EQ((reach[i / group] >> i % group & 1) != 0, upper[i] >= least) << i;
            }
          }
        }
  }
}

// Rows that move: half of the vectors are written anew, then the space is compacted, by the caller
// or by the graph's own thread. The copies of rows were taken over as they were, and until the next
// batch questions got wrong neighbours as proven. `many`: more than a writer carries itself.
TEST(NearestPrefilter, AfterRowsMoved) {
  for (const bool many : {false, true})
    for (const bool background : {false, true}) {
      if (background && !many) continue;  // too few bytes for it to begin
      SCOPED_TRACE(many ? background ? "many, in the background" : "many" : "few");
      constexpr std::size_t kDimensions = 16;
      const std::size_t count = many ? 66'000 : 1'000;
      std::mt19937_64 random(count);
      GraphOptions options;
      options.maintenance = background ? Maintenance::kBackground : Maintenance::kManual;
      const auto graph = Graph::InMemory(options);
      const auto embed = [&](std::size_t step) {
        WriteBatch batch(1);
        batch.DefineSpace({"s", kDimensions, Metric::kCosine, Prefilter::kInt8});
        for (std::size_t i = 0; i < count; i += step)
          batch.SetVector(batch.UpsertNode("m" + std::to_string(i)), batch.SpaceNamed("s"),
                          Normal(random, kDimensions));
        ASSERT_TRUE(graph->Apply(batch));
      };
      const auto ask = [&](const Snapshot& s) {
        for (int i = 0; i < (many ? 1 : 5); ++i) ExpectSame(s, Normal(random, kDimensions), {});
      };
      embed(1);
      ask(graph->snapshot());
      embed(2);
      ask(graph->snapshot());
      if (!background) {
        ASSERT_TRUE(graph->Compact());
      }
      if (background) embed(1);  // now more than 4 MiB are dead
      while (background && graph->stats().vector_compactions == 0) {
        ExpectSame(graph->snapshot(), Normal(random, kDimensions), {});
        if (::testing::Test::HasFailure()) return;
      }
      EXPECT_GT(graph->stats().vector_compactions, 0u);
      ask(graph->snapshot());
      embed(count / 4);
      ask(graph->snapshot());
    }
}

}  // namespace
}  // namespace plexus::testing
