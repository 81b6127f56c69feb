// The pre-filter of single bits against slow references: its counts, its estimates, which rows it
// measures; carried over appends, replacements, removals; what is proven and what is not.
#include <algorithm>
#include <bit>
#include <cmath>
#include <thread>

#include "algorithms/memory/recall.h"
#include "algorithms/retrieval/internal/vectors/bit_scan.h"
#include "algorithms/retrieval/nearest_neighbors.h"
#include "algorithms/retrieval/plan.h"
#include "algorithms/retrieval/rerank.h"
#include "tests/algorithms/retrieval/hostile_vectors.h"
#include "tests/support/for_each_case.h"
#include "tests/support/vector_values.h"

namespace plexus::testing {
namespace {

using namespace retrieval_internal;

constexpr SimdLevel kLevels[] = {SimdLevel::kScalar, SimdLevel::kAvx2, SimdLevel::kAvx512};

TEST(BitKernels, CountAsTheSlowLoop) {
  std::mt19937_64 random(1);
  for (const std::size_t words : {1u, 2u, 3u, 4u, 7u, 64u}) {
    const std::size_t groups = 5;
    std::vector<std::uint64_t> planes(kBitPlanes * words), rows(groups * words * kBitGroup);
    for (auto& word : planes) word = random();
    for (auto& word : rows) word = random();
    std::fill_n(planes.begin(), words, ~std::uint64_t{0});  // the most that a byte can count
    std::fill_n(rows.begin(), kBitGroup, std::uint64_t{0});
    for (const SimdLevel level : kLevels) {
      if (!HasSimdLevel(level)) continue;
      std::vector<std::uint32_t> got(groups * kBitGroup);
      PickBitDistance(level)(planes.data(), words, rows.data(), groups, got.data());
      for (std::size_t row = 0; row < got.size(); ++row) {
        std::uint32_t want = 0;
        for (std::size_t p = 0; p < kBitPlanes; ++p)
          for (std::size_t w = 0; w < words; ++w)
            for (int bit = 0; bit < 64; ++bit) {
              const std::uint64_t value =
                  rows[(row / kBitGroup * words + w) * kBitGroup + row % kBitGroup];
              if ((value >> bit & 1) != (planes[p * words + w] >> bit & 1)) want += 1u << p;
            }
        ASSERT_EQ(got[row], want) << SimdLevelName(level) << ", row " << row;
      }
    }
  }
}

TEST(BitRows, ARotationKeepsNormsAndProducts) {
  std::mt19937_64 random(2);
  for (const std::size_t dimensions : {1u, 64u, 100u, 256u, 257u, 384u, 768u, 1000u, 4096u}) {
    const std::vector<float> a = Normal(random, dimensions), b = Normal(random, dimensions);
    std::vector<float> ra(RotatedSize(dimensions)), rb(RotatedSize(dimensions));
    EXPECT_EQ(ra.size() % 64, 0u);
    EXPECT_GE(ra.size(), dimensions);
    Rotate(a, 2, ra);
    Rotate(b, 0.5f, rb);
    double aa = 0, ab = 0, raa = 0, rab = 0;
    for (std::size_t i = 0; i < dimensions; ++i) aa += a[i] * a[i], ab += a[i] * b[i];
    for (std::size_t i = 0; i < ra.size(); ++i) raa += ra[i] * ra[i], rab += ra[i] * rb[i];
    EXPECT_NEAR(raa * 4, aa, aa * 1e-4) << dimensions;
    EXPECT_NEAR(rab, ab, aa * 1e-3) << dimensions;
  }
}

// The formula of bit_rows.h with the query rounded as it says, in the obvious way.
double SlowEstimate(std::span<const float> query, std::span<const float> row, Metric metric) {
  const auto rotated = [](std::span<const float> values, double& unit) {
    std::vector<float> out(RotatedSize(values.size()));
    float largest = 0;
    for (const float x : values) largest = std::max(largest, std::abs(x));
    unit = static_cast<double>(largest);
    if (largest > 0) Rotate(values, largest, out);
    return out;
  };
  double query_unit = 0, unit = 0;
  const std::vector<float> q = rotated(query, query_unit), y = rotated(row, unit);
  double most = 0, squares = 0, sum = 0, product = 0;
  for (const float x : q) most = std::max(most, std::abs(static_cast<double>(x)));
  for (std::size_t i = 0; i < q.size() && most > 0; ++i) {
    const double step = most / 15;  // the odd multiple that is nearest
    const double k = std::nearbyint((q[i] / step + 15) / 2);
    product += (y[i] > 0 ? 1 : -1) * (2 * std::clamp(k, 0.0, 15.0) - 15) * step;
  }
  for (const float x : y) squares += static_cast<double>(x) * x, sum += std::abs(x);
  if (sum == 0) return 0;
  const double norm = unit * std::sqrt(squares);
  const double estimate = query_unit * unit * squares / sum * product;
  return metric == Metric::kInnerProduct ? estimate
         : metric == Metric::kL2         ? 2 * estimate - norm * norm
                                         : estimate / norm;
}

double Norm(std::span<const float> values) {
  double squares = 0;
  for (const float x : values) squares += static_cast<double>(x) * static_cast<double>(x);
  return std::sqrt(squares);
}

TEST(BitRows, EstimateAsTheSlowFormula) {
  for (const std::size_t dimensions : {1u, 100u, 300u}) {
    std::mt19937_64 random(dimensions);
    Vectors vectors = Hostile(random, dimensions);
    for (int i = 0; i < 50; ++i) vectors.push_back(Normal(random, dimensions));
    const auto graph = GraphOf(vectors);
    const VectorTable::View& view = *graph->snapshot().space(SpaceId{});
    const auto bits = BitRows::Make(view, SpaceId{}, nullptr, SerialExecutor());
    Vectors queries = {Normal(random, dimensions), vectors[0], vectors.back(), vectors[170]};
    for (const auto& query : queries)
      for (const Metric metric : kMetrics) {
        std::vector<double> first;
        for (const SimdLevel level : kLevels) {
          if (!HasSimdLevel(level)) continue;
          const BitQuery estimates(query, metric, level);
          std::vector<double> got(vectors.size());
          for (std::size_t b = 0; b < bits->block_count(); ++b)
            estimates.Estimate(bits->block(b), 0, bits->block(b).rows,
                               got.data() + bits->first_row(b));
          if (first.empty()) first = got;
          ASSERT_EQ(got, first) << "the same bits at every level";
        }
        for (std::uint32_t row = 0; row < vectors.size(); ++row) {
          const double want = SlowEstimate(query, RowOf(view, row), metric);
          ASSERT_TRUE(std::isfinite(first[row])) << row;
          // Norms are kept as f32, and not above its largest value. Sums of the definition cancel.
          const double size =
              Norm(query) * (metric == Metric::kCosine ? 1 : Norm(RowOf(view, row)));
          if (std::abs(RowOf(view, row)[0]) < 1e30f && std::abs(want) > 1e-30) {
            ASSERT_NEAR(first[row], want, std::abs(want) * 1e-5 + size * 1e-12 + 1e-6)
                << row << " of " << dimensions << ", metric " << static_cast<int>(metric);
          }
        }
      }
  }
}

// The best estimates measured, by sorting all of them.
std::vector<NearestHit> Slow(const Snapshot& s, const std::vector<float>& query,
                             const NearestOptions& options) {
  const VectorTable::View& view = *s.space(SpaceId{});
  const auto bits = BitRows::Make(view, SpaceId{}, nullptr, SerialExecutor());
  const Metric metric = options.metric.value_or(Metric::kCosine);
  const BitQuery estimates(query, metric, SimdLevel::kScalar);
  std::vector<std::pair<double, NodeId>> all;
  for (std::size_t b = 0; b < bits->block_count(); ++b) {
    std::vector<double> ranks(bits->block(b).rows);
    estimates.Estimate(bits->block(b), 0, ranks.size(), ranks.data());
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const NodeId node = view.node_of_row(bits->first_row(b) + static_cast<std::uint32_t>(i));
      if (node == kNoNode || node == options.skip || !s.alive(node)) continue;
      if (options.subset && !options.subset->contains(node)) continue;
      all.emplace_back(-ranks[i], node);
    }
  }
  std::ranges::sort(all);
  all.resize(std::min(all.size(), options.top * options.oversample));
  std::vector<NodeId> nodes;
  for (const auto& [rank, node] : all) nodes.push_back(node);
  const NodeSubset chosen = *NodeSubset::Of(s, nodes);
  NearestOptions exact = options;
  exact.prefilter = Prefilter::kNone;
  exact.subset = &chosen;
  return Nearest(s, SpaceId{}, query, exact)->nodes;
}

TEST(NearestBits, MeasuresTheBestEstimatesAndSaysSo) {
  static const auto executors = Executors();
  for (const std::size_t dimensions : {1u, 7u, 100u, 300u}) {
    SCOPED_TRACE(dimensions);
    std::mt19937_64 random(dimensions);
    Vectors vectors = Hostile(random, dimensions);
    for (int i = 0; i < 5000; ++i) vectors.push_back(Normal(random, dimensions));
    std::shuffle(vectors.begin(), vectors.end(), random);
    const auto graph = GraphOf(vectors);
    const Snapshot s = graph->snapshot();
    std::vector<NodeId> some;
    for (NodeId v = 0; v < s.node_count(); v += 2) some.push_back(v);
    const NodeSubset half = *NodeSubset::Of(s, some);
    Vectors queries = {Normal(random, dimensions), vectors[17]};
    for (const float scale : {0.0f, 1e-40f, 1e37f})
      queries.push_back(Normal(random, dimensions, scale));
    for (const auto& query : queries)
      for (const Metric metric : kMetrics)
        for (const SimdLevel level : kLevels)
          for (const NodeSubset* subset : {static_cast<const NodeSubset*>(nullptr), &half})
            for (const auto& e : executors) {
              if (!HasSimdLevel(level)) continue;
              const NearestOptions options{.top = 7,
                                           .metric = metric,
                                           .subset = subset,
                                           .skip = 17,
                                           .level = level,
                                           .run = {.executor = e.executor.get()},
                                           .prefilter = Prefilter::kBits,
                                           .oversample = 16};
              const auto got = Nearest(s, SpaceId{}, query, options);
              ASSERT_TRUE(got.has_value()) << got.error().ToString();
              ASSERT_EQ(got->nodes, Slow(s, query, options));
              EXPECT_FALSE(got->proven);
              EXPECT_EQ(got->exact, 7u * 16);
              EXPECT_EQ(got->measured, vectors.size());
            }
  }
}

// What reads all that could be measured, or a small subset, is proven and the plain answer.
TEST(NearestBits, SmallQuestionsAreAnsweredExactly) {
  std::mt19937_64 random(5);
  Vectors vectors;
  for (int i = 0; i < 4000; ++i) vectors.push_back(Normal(random, 48));
  const auto graph = GraphOf(vectors);
  const Snapshot s = graph->snapshot();
  const std::vector<float> query = Normal(random, 48);
  std::vector<NodeId> some;
  for (NodeId v = 0; v < s.node_count(); v += 10) some.push_back(v);
  const NodeSubset tenth = *NodeSubset::Of(s, some);
  const auto expect_plain = [&](NearestOptions options, bool proven = true) {
    options.prefilter = Prefilter::kBits;
    const auto got = Nearest(s, SpaceId{}, query, options);
    ASSERT_TRUE(got.has_value()) << got.error().ToString();
    EXPECT_EQ(got->proven, proven);
    options.prefilter = Prefilter::kNone;
    if (proven) {
      EXPECT_EQ(got->nodes, Nearest(s, SpaceId{}, query, options)->nodes);
    }
  };
  expect_plain({.top = 0});
  expect_plain({.top = 32});
  expect_plain({.top = 31}, false);
  expect_plain({.subset = &tenth});
  expect_plain({.top = 10, .proven_only = true});
  expect_plain({.oversample = std::size_t{1} << 62});
  expect_plain({.oversample = 1}, false);
  NearestOptions options{.prefilter = Prefilter::kBits};
  options.run.budget.nodes = 1000;
  EXPECT_EQ(Nearest(s, SpaceId{}, query, options)->proven, true) << "fewer than they would keep";
  const std::atomic<bool> stop = true;
  options.run.budget = {};
  options.run.budget.cancel = &stop;
  EXPECT_TRUE(Nearest(s, SpaceId{}, query, options)->truncated);
  const auto refused = Nearest(s, SpaceId{}, query, {.oversample = 0});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
}

// A question that names no pre-filter has the space's.
TEST(NearestBits, ASpaceHasItsOwnChoice) {
  std::mt19937_64 random(6);
  Vectors vectors;
  for (int i = 0; i < 3000; ++i) vectors.push_back(Normal(random, 64));
  const std::vector<float> query = Normal(random, 64);
  for (const Prefilter own : kPrefilters) {
    const auto graph = GraphOf(vectors, own);
    const Snapshot s = graph->snapshot();
    EXPECT_EQ(s.schema().spaces()[SpaceId{}].prefilter, own);
    const auto want = Nearest(s, SpaceId{}, query, {.prefilter = own});
    const auto got = Nearest(s, SpaceId{}, query);
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(got->nodes, want->nodes);
    EXPECT_EQ(got->exact, want->exact);
    EXPECT_EQ(got->proven, own != Prefilter::kBits);
    EXPECT_EQ(got->exact == got->measured, own == Prefilter::kNone);
    EXPECT_TRUE(Nearest(s, SpaceId{}, query, {.prefilter = Prefilter::kNone})->proven);
    EXPECT_EQ(Rerank(s, SpaceId{}, query, {.k = 10})->proven, own != Prefilter::kBits);
    EXPECT_TRUE(Rerank(s, SpaceId{}, query, {.k = 10, .prefilter = Prefilter::kInt8})->proven);
    // Another choice is another definition, and changes nothing.
    WriteBatch batch(kNow);
    batch.DefineSpace(
        {"s", 64, Metric::kCosine, own == Prefilter::kNone ? Prefilter::kBits : Prefilter::kNone});
    const auto refused = graph->Apply(batch);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, ErrorCode::kAlreadyExists);
    EXPECT_EQ(graph->snapshot().schema().spaces()[SpaceId{}].prefilter, own);
  }
}

// The carried copy is, bit by bit, what is made from nothing.
TEST(NearestBits, FollowsTheGraph) {
  std::mt19937_64 random(3);
  Vectors vectors;
  for (int i = 0; i < 3001; ++i) vectors.push_back(Normal(random, 33));
  const auto graph = GraphOf(vectors);
  const NearestOptions bits{.top = 1, .prefilter = Prefilter::kBits};
  for (int step = 0; step < 30; ++step) {
    SCOPED_TRACE(step);
    const std::vector<float> own = ChangeAtRandom(*graph, vectors, random, step % 7 == 6);
    const Snapshot s = graph->snapshot();
    const auto got = Nearest(s, SpaceId{}, own, bits);
    ASSERT_TRUE(got.has_value());
    EXPECT_FALSE(got->proven);
    EXPECT_EQ(s.key(got->nodes[0].node), "n" + std::to_string(vectors.size() - 1));
    const auto kept = FindDerived<BitRows>(s, 0);
    const auto made = BitRows::Make(*s.space(SpaceId{}), SpaceId{}, nullptr, SerialExecutor());
    ASSERT_NE(kept, nullptr);
    ASSERT_EQ(kept->block_count(), made->block_count());
    for (std::size_t b = 0; b < made->block_count(); ++b) {
      const BitBlock &x = kept->block(b), &y = made->block(b);
      ASSERT_EQ(x.bits.size(), y.bits.size());
      ASSERT_TRUE(std::equal(x.bits.data(), x.bits.data() + x.bits.size(), y.bits.data()));
      ASSERT_EQ(
          std::memcmp(x.factors.data(), y.factors.data(), y.factors.size() * sizeof(BitFactor)), 0);
    }
  }
}

// Readers find what a writer has just published, by every pre-filter.
TEST(NearestBits, FindsItselfWhileAWriterAppends) {
  for (const Prefilter prefilter : kPrefilters) {
    std::mt19937_64 random(8);
    Vectors vectors;
    for (int i = 0; i < 3000; ++i) vectors.push_back(Normal(random, 40));
    const auto graph = GraphOf(vectors, prefilter);
    Vectors more;
    for (int i = 0; i < 300; ++i) more.push_back(Normal(random, 40));
    std::atomic<std::size_t> written = 0;
    std::thread writer([&] {
      for (std::size_t i = 0; i < more.size(); ++i) {
        Append(*graph, {more[i]}, vectors.size() + i);
        written.store(i + 1);
      }
    });
    for (std::size_t seen = 0; seen < more.size();) {
      const std::size_t now = written.load();
      if (now == seen) continue;
      seen = now;
      const Snapshot s = graph->snapshot();
      const auto got = Nearest(s, SpaceId{}, more[seen - 1], {.top = 1});
      if (!got || s.key(got->nodes[0].node) != "n" + std::to_string(vectors.size() + seen - 1)) {
        ADD_FAILURE() << "vector " << seen - 1 << " is not its own nearest by "
                      << PrefilterName(prefilter);
        break;
      }
    }
    writer.join();
  }
}

// Plans take the space's own bits and say so; recall by a plan never does.
TEST(NearestBits, PlansSayItAndRecallDoesNotUseThem) {
  std::mt19937_64 random(11);
  Vectors vectors;
  for (int i = 0; i < 4000; ++i) vectors.push_back(Normal(random, 40));
  const auto graph = GraphOf(vectors, Prefilter::kBits);
  const Snapshot s = graph->snapshot();
  RetrievalPlan plan;
  plan.seeds = {{.by = SeedBy::kVector, .top = 10}};
  plan.score[PlanTerm::kSimilarity] = 1;
  const auto nodes = [](const auto& hits) {
    std::vector<NodeId> found;
    for (const auto& hit : hits) found.push_back(hit.node);
    return found;
  };
  const std::vector<float> query = Normal(random, 40);
  const RetrieveQuestion question{.vector = query, .space = SpaceId{}};
  const auto with_bits = Retrieve(s, plan, question);
  ASSERT_TRUE(with_bits.has_value());
  EXPECT_FALSE(with_bits->proven);
  const auto proven = Retrieve(s, plan, question, {.proven_only = true});
  const auto plain = Retrieve(s, plan, question, {.prefilter = Prefilter::kNone});
  EXPECT_TRUE(proven->proven);
  EXPECT_EQ(nodes(proven->hits), nodes(plain->hits));
  const auto recalled = Recall(s, {.vector = query}, {.now_ms = kNow, .by_plan = {.plan = &plan}});
  ASSERT_TRUE(recalled.has_value()) << recalled.error().ToString();
  EXPECT_TRUE(recalled->planned.proven);
  EXPECT_EQ(nodes(recalled->hits), nodes(plain->hits));
}

// Nearly all of the nearest of ordinary clustered vectors are found.
TEST(NearestBits, RecallOfClusteredVectors) {
  std::mt19937_64 random(9);
  Vectors centres, vectors;
  for (int i = 0; i < 50; ++i) centres.push_back(Normal(random, 128));
  for (int i = 0; i < 20'000; ++i) {
    vectors.push_back(Normal(random, 128, 0.7f));
    const std::vector<float>& centre = centres[random() % centres.size()];
    for (std::size_t j = 0; j < 128; ++j) vectors.back()[j] += centre[j];
  }
  const auto graph = GraphOf(vectors);
  const Snapshot s = graph->snapshot();
  std::size_t found = 0, wanted = 0;
  for (int q = 0; q < 50; ++q) {
    const auto& query = vectors[random() % vectors.size()];
    const auto want = Nearest(s, SpaceId{}, query),
               got = Nearest(s, SpaceId{}, query, {.prefilter = Prefilter::kBits});
    for (const NearestHit& hit : want->nodes) {
      ++wanted;
      found += static_cast<std::size_t>(std::ranges::count(got->nodes, hit));
    }
  }
  EXPECT_GE(found * 100, wanted * 95);
}

}  // namespace
}  // namespace plexus::testing
