// The index against the exact scan: recall, and what must be exact whatever the index knows:
// measures, what a snapshot sees, rows that are not indexed yet.
#include "algorithms/retrieval/vectors.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <random>
#include <thread>

#include "engine/graph.h"
#include "tests/support/vector_values.h"

namespace plexus::testing {
using namespace retrieval;
namespace {

using Vectors = std::vector<std::vector<float>>;
constexpr Metric kMetrics[] = {Metric::kCosine, Metric::kInnerProduct, Metric::kL2};
constexpr std::int64_t kNow = 1'700'000'000'000;
constexpr VectorIndexOptions kQuick = {.links = 12, .build_width = 60};

// Vectors around centres of their own.
class Clusters {
 public:
  Clusters(std::size_t count, std::size_t dimensions, std::uint64_t seed) : random_(seed) {
    for (std::size_t i = 0; i < count; ++i) centres_.push_back(Normal(dimensions));
  }
  std::vector<float> Draw() {
    std::vector<float> v = centres_[random_() % centres_.size()];
    for (float& x : v) x += 0.5f * normal_(random_);
    return v;
  }
  Vectors Draw(std::size_t count) {
    Vectors made;
    while (made.size() < count) made.push_back(Draw());
    return made;
  }
  std::uint64_t Number() { return random_(); }

 private:
  std::vector<float> Normal(std::size_t dimensions) {
    std::vector<float> v(dimensions);
    for (float& x : v) x = normal_(random_);
    return v;
  }
  std::mt19937_64 random_;
  std::normal_distribution<float> normal_;
  Vectors centres_;
};

std::string Key(std::size_t i) { return "n" + std::to_string(i); }

void Append(Graph& graph, const Vectors& vectors, std::size_t first = 0) {
  WriteBatch batch(kNow);
  if (first == 0)
    batch.DefineSpace({"s", static_cast<std::uint32_t>(vectors[0].size()), Metric::kCosine});
  for (std::size_t i = 0; i < vectors.size(); ++i)
    batch.SetVector(batch.Node(Key(first + i)), batch.SpaceNamed("s"), vectors[i]);
  ASSERT_TRUE(graph.Apply(batch).has_value());
}

std::unique_ptr<Graph> GraphOf(const Vectors& vectors) {
  auto graph = Graph::InMemory();
  Append(*graph, vectors);
  return graph;
}

std::unique_ptr<VectorIndex> IndexOf(const Snapshot& s, VectorIndexOptions options = kQuick) {
  auto index = VectorIndex::Make(s, SpaceId{}, options);
  EXPECT_TRUE(index.has_value()) << index.error().ToString();
  const auto update = (*index)->Update(s);
  EXPECT_TRUE(update.has_value()) << update.error().ToString();
  EXPECT_EQ(update->pending, 0u);
  return *std::move(index);
}

IndexNearestResult Ask(const VectorIndex& index, const Snapshot& s, std::span<const float> query,
                       const IndexNearestOptions& options = {}) {
  const auto got = index.Nearest(s, query, options);
  EXPECT_TRUE(got.has_value()) << got.error().ToString();
  return got ? *got : IndexNearestResult{};
}

// How much of the exact answer was found. Every hit is one of the snapshot, with its exact measure.
double Recall(const VectorIndex& index, const Snapshot& s, std::span<const float> query,
              Metric metric, const IndexNearestOptions& options = {}) {
  const auto all =
      Nearest(s, SpaceId{}, query,
              {.top = 0, .metric = metric, .subset = options.subset, .skip = options.skip});
  EXPECT_TRUE(all.has_value());
  const auto got = Ask(index, s, query, options).hits;
  const std::size_t wanted = std::min(options.top, all->hits.size());
  EXPECT_EQ(got.size(), wanted);
  std::size_t hits = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_NE(std::ranges::find(all->hits, got[i]), all->hits.end()) << got[i].node;
    EXPECT_LE(got[i].similarity, got[i == 0 ? 0 : i - 1].similarity);
    hits += got[i].similarity >= all->hits[wanted - 1].similarity;
  }
  return wanted == 0 ? 1 : static_cast<double>(hits) / static_cast<double>(wanted);
}

TEST(VectorIndex, FindsNearlyAllOfTheExactAnswer) {
  Clusters clusters(40, 32, 1);
  const auto graph = GraphOf(clusters.Draw(6000));
  const Snapshot s = graph->snapshot();
  for (const Metric metric : kMetrics) {
    VectorIndexOptions options = kQuick;
    options.metric = metric;
    const auto index = IndexOf(s, options);
    EXPECT_EQ(index->rows(), 6000u);
    EXPECT_GT(index->size_bytes(), 6000u * 32 * sizeof(float));
    double recall = 0;
    for (int q = 0; q < 50; ++q)
      recall += Recall(*index, s, clusters.Draw(), metric, {.width = 100}) / 50;
    EXPECT_GE(recall, 0.9) << static_cast<int>(metric);
    const auto measured = index->MeasureRecall(s, {.sample = 50});
    ASSERT_TRUE(measured.has_value());
    EXPECT_EQ(measured->queries, 50u);
    EXPECT_GE(measured->recall, 0.9);
    EXPECT_LE(measured->least, measured->recall);
    EXPECT_EQ(index->MeasureRecall(s, {.sample = 50})->recall, measured->recall);
  }
}

TEST(VectorIndex, MeasuresFewVectors) {
  Clusters clusters(40, 32, 2);
  const auto graph = GraphOf(clusters.Draw(6000));
  const auto index = IndexOf(graph->snapshot());
  const auto got = Ask(*index, graph->snapshot(), clusters.Draw());
  EXPECT_EQ(got.width, 100u);
  EXPECT_EQ(got.measured, 100u);
  EXPECT_EQ(got.scanned, 0u);
}

// Appends, removals, replaced vectors and compactions; updates now and then, by parts.
TEST(VectorIndex, FollowsTheGraph) {
  Clusters clusters(30, 24, 3);
  Vectors vectors = clusters.Draw(4000);
  const auto graph = GraphOf(vectors);
  const auto index = IndexOf(graph->snapshot());
  std::vector<Snapshot> older = {graph->snapshot()};
  std::vector<double> recalls;
  int searched = 0;
  for (int step = 0; step < 60; ++step) {
    SCOPED_TRACE(step);
    const Vectors more = clusters.Draw(1 + clusters.Number() % 60);
    Append(*graph, more, vectors.size());
    vectors.insert(vectors.end(), more.begin(), more.end());
    WriteBatch batch(kNow);
    for (int i = 0; i < 30; ++i) {
      const std::string key = Key(clusters.Number() % vectors.size());
      if (i % 5 == 0)
        batch.RemoveNode(batch.Node(key));
      else
        batch.SetVector(batch.Node(key), batch.SpaceNamed("s"), clusters.Draw());
    }
    ASSERT_TRUE(graph->Apply(batch).has_value());
    if (step % 20 == 19) {
      ASSERT_TRUE(graph->Compact().has_value());
    }
    const Snapshot s = graph->snapshot();
    if (step % 3 == 2) {
      RunOptions run;
      if (step % 2 == 0) run.budget.nodes = 50;
      const auto update = index->Update(s, run);
      ASSERT_TRUE(update.has_value()) << update.error().ToString();
      EXPECT_LE(update->added, run.budget.nodes);
      EXPECT_EQ(update->truncated, update->pending > 0);
    }
    if (step % 10 == 0) older.push_back(s);
    // A vector set just now is its own nearest neighbour; so is one of the last steps.
    for (const std::size_t back : {std::size_t{1}, more.size(), std::size_t{200}}) {
      const auto node = s.Find(Key(vectors.size() - back));
      if (!node || !s.alive(*node)) continue;
      const std::vector<float> own = VectorOf(**s.vectors(SpaceId{}), *node);
      const auto got = Ask(*index, s, own);
      ASSERT_FALSE(got.hits.empty());
      EXPECT_EQ(got.hits[0].node, *node);
    }
    for (const Snapshot& each : {s, older[clusters.Number() % older.size()]})
      recalls.push_back(Recall(*index, each, clusters.Draw(), Metric::kCosine));
    searched += Ask(*index, s, clusters.Draw()).width > 0;
    ASSERT_FALSE(::testing::Test::HasFailure());
  }
  EXPECT_GE(searched, 30);  // after a compaction the scan answers until the next update
  double sum = 0;
  for (const double recall : recalls) sum += recall;
  EXPECT_GE(sum / static_cast<double>(recalls.size()), 0.9);
}

TEST(VectorIndex, PassesOverWhatASnapshotDoesNotSee) {
  Clusters clusters(10, 16, 4);
  Vectors vectors = clusters.Draw(4000);
  const auto graph = GraphOf(vectors);
  const auto index = IndexOf(graph->snapshot());
  const Snapshot before = graph->snapshot();
  // The whole neighbourhood of a query goes or moves away; the index is not told.
  const auto near = Ask(*index, before, vectors[7], {.top = 400, .width = 400});
  WriteBatch batch(kNow);
  for (std::size_t i = 0; i < near.hits.size(); ++i) {
    const NodeRef node = batch.Node(std::string(before.key(near.hits[i].node)));
    if (i % 2 == 0)
      batch.RemoveNode(node);
    else
      batch.SetVector(node, batch.SpaceNamed("s"), std::vector<float>(16, -5.0f));
  }
  ASSERT_TRUE(graph->Apply(batch).has_value());
  const Snapshot after = graph->snapshot();
  for (int told = 0; told < 2; ++told) {
    EXPECT_EQ(Recall(*index, before, vectors[7], Metric::kCosine), 1.0);
    EXPECT_GE(Recall(*index, after, vectors[7], Metric::kCosine), 0.9);
    const auto moved =
        Ask(*index, after, std::vector<float>(16, -5.0f), {.top = 200, .width = 300});
    EXPECT_EQ(moved.hits.size(), 200u);
    EXPECT_GT(moved.hits[199].measure, 0.999);
    ASSERT_TRUE(index->Update(after).has_value());
  }
}

// A row that was replaced before the index came to it is left out; an older snapshot sees it.
TEST(VectorIndex, RowsThatDiedBetweenTwoUpdates) {
  Clusters clusters(10, 16, 12);
  const Vectors vectors = clusters.Draw(3000);
  const auto graph = GraphOf(vectors);
  const auto index = IndexOf(graph->snapshot());
  const std::vector<float> first(16, 9.0f), second(16, -9.0f);
  Append(*graph, {first}, 3000);
  const Snapshot between = graph->snapshot();
  WriteBatch batch(kNow);
  batch.SetVector(batch.Node(Key(3000)), batch.SpaceNamed("s"), second);
  ASSERT_TRUE(graph->Apply(batch).has_value());
  ASSERT_EQ(index->Update(graph->snapshot())->added, 1u);
  const NodeId node = *between.Find(Key(3000));
  EXPECT_EQ(Ask(*index, between, first).hits[0].node, node);
  EXPECT_NE(Ask(*index, between, second).hits[0].node, node);
  EXPECT_EQ(Ask(*index, graph->snapshot(), second).hits[0].node, node);
  EXPECT_NE(Ask(*index, graph->snapshot(), first).hits[0].node, node);
}

TEST(VectorIndex, SubsetsAndSkippedNodes) {
  Clusters clusters(20, 16, 5);
  const Vectors vectors = clusters.Draw(5000);
  const auto graph = GraphOf(vectors);
  const Snapshot s = graph->snapshot();
  const auto index = IndexOf(s);
  for (const std::uint32_t every : {1u, 2u, 3u, 50u}) {
    std::vector<NodeId> some;
    for (NodeId v = 0; v < s.node_count(); v += every) some.push_back(v);
    const NodeSubset subset = *NodeSubset::Of(s, some);
    double recall = 0;
    for (int i = 0; i < 20; ++i)
      recall += Recall(*index, s, vectors[i], Metric::kCosine,
                       {.subset = &subset, .skip = static_cast<NodeId>(i)}) /
                20;
    EXPECT_GE(recall, 0.9) << every;
  }
}

// A space that is scanned has the answer of the scan.
TEST(VectorIndex, SmallAndHostileSpaces) {
  const float huge = std::numeric_limits<float>::max();
  std::vector<Vectors> spaces = {
      {{1, 2, 3}}, {{0, 0, 0}}, Vectors(3000, {1, 2, 3}), Vectors(3000, {0, 0, 0})};
  spaces.push_back(Clusters(4, 3, 6).Draw(3000));
  for (int i = 0; i < 300; ++i) {
    spaces.back().push_back({0, 0, 0});
    spaces.back().push_back({huge, -huge, huge});
    spaces.back().push_back({1e-44f, 0, 1e-40f});
  }
  for (const Vectors& vectors : spaces) {
    const auto graph = GraphOf(vectors);
    const Snapshot s = graph->snapshot();
    for (const Metric metric : kMetrics) {
      VectorIndexOptions options = kQuick;
      options.metric = metric;
      const auto index = IndexOf(s, options);
      for (const std::vector<float>& query :
           {std::vector<float>{1, 2, 3}, {0, 0, 0}, {-1, 0, 1}, {huge, huge, huge}}) {
        const auto want = Nearest(s, SpaceId{}, query, {.top = 5000, .metric = metric});
        EXPECT_EQ(Ask(*index, s, query, {.top = 5000}).hits, want->hits);
        EXPECT_EQ(Ask(*index, s, query, {.top = 0}).hits, want->hits);
        EXPECT_EQ(Ask(*index, s, query).hits.size(), std::min<std::size_t>(10, vectors.size()));
      }
    }
  }
}

TEST(VectorIndex, AnEmptySpaceAndOneThatWasEmpty) {
  const auto graph = Graph::InMemory();
  WriteBatch batch(kNow);
  batch.DefineSpace({"s", 3, Metric::kL2});
  ASSERT_TRUE(graph->Apply(batch).has_value());
  const auto index = IndexOf(graph->snapshot());
  const std::vector<float> query = {1, 2, 3};
  EXPECT_TRUE(Ask(*index, graph->snapshot(), query).hits.empty());
  EXPECT_EQ(index->MeasureRecall(graph->snapshot())->queries, 0u);
  WriteBatch more(kNow);
  more.SetVector(more.Node("a"), more.SpaceNamed("s"), query);
  ASSERT_TRUE(graph->Apply(more).has_value());
  EXPECT_EQ(Ask(*index, graph->snapshot(), query).hits.size(), 1u);
  EXPECT_EQ(index->Update(graph->snapshot())->added, 1u);
  EXPECT_EQ(index->rows(), 1u);
}

TEST(VectorIndex, PartsMakeTheSameIndexAsOneUpdate) {
  Clusters clusters(20, 16, 7);
  const Vectors vectors = clusters.Draw(3000);
  const auto graph = GraphOf(vectors);
  const Snapshot s = graph->snapshot();
  const auto whole = IndexOf(s);
  const auto parts = *VectorIndex::Make(s, SpaceId{}, kQuick);
  for (std::uint64_t pending = 3000; pending > 0;) {
    RunOptions run;
    run.budget.nodes = 1 + clusters.Number() % 700;
    const auto update = parts->Update(s, run);
    ASSERT_TRUE(update.has_value());
    EXPECT_EQ(update->pending + update->added, pending);
    pending = update->pending;
  }
  for (int q = 0; q < 30; ++q) {
    const std::vector<float> query = clusters.Draw();
    EXPECT_EQ(Ask(*whole, s, query, {.width = 15}).hits, Ask(*parts, s, query, {.width = 15}).hits);
  }
}

// Of a graph of which it knows nothing it says what the scan says.
TEST(VectorIndex, AnotherGraph) {
  Clusters clusters(20, 16, 8);
  const auto one = GraphOf(clusters.Draw(2000)), other = GraphOf(clusters.Draw(2000));
  const auto index = IndexOf(one->snapshot());
  for (int q = 0; q < 10; ++q)
    EXPECT_EQ(Recall(*index, other->snapshot(), clusters.Draw(), Metric::kCosine), 1.0);
  const auto update = index->Update(other->snapshot());
  ASSERT_TRUE(update.has_value());
  EXPECT_TRUE(update->rebuilt);
  EXPECT_EQ(update->added, 2000u);
}

TEST(VectorIndex, ManyDeadRowsBeginItAnew) {
  Clusters clusters(10, 8, 9);
  const Vectors vectors = clusters.Draw(1000);
  const auto graph = GraphOf(vectors);
  const auto index = IndexOf(graph->snapshot());
  for (int round = 0; round < 4; ++round) {
    WriteBatch batch(kNow);
    for (std::size_t i = 0; i < 200; ++i)
      batch.SetVector(batch.Node(Key(i)), batch.SpaceNamed("s"), clusters.Draw());
    ASSERT_TRUE(graph->Apply(batch).has_value());
    const auto update = index->Update(graph->snapshot());
    ASSERT_TRUE(update.has_value());
    EXPECT_LE(index->rows(), 1500u);
    EXPECT_FALSE(index->Update(graph->snapshot())->rebuilt);
  }
}

TEST(VectorIndex, RefusesWhatItCannotDo) {
  const auto graph = GraphOf({{1, 2}, {3, 4}});
  const Snapshot s = graph->snapshot();
  const auto refused = [&](const VectorIndexOptions& options, std::string_view text) {
    const auto made = VectorIndex::Make(s, SpaceId{}, options);
    ASSERT_FALSE(made.has_value());
    EXPECT_EQ(made.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(made.error().message.find(text), std::string::npos) << made.error().message;
  };
  refused({.links = 1}, "links must be 2 to 128, not 1");
  refused({.links = 129}, "links");
  refused({.links = 16, .build_width = 15}, "build_width must be 16 to 10000, not 15");
  refused({.build_width = 10'001}, "build_width");
  EXPECT_FALSE(VectorIndex::Make(s, SpaceId{5}).has_value());
  const auto index = IndexOf(s);
  const std::vector<float> good = {1, 1}, bad = {1}, nan = {1, std::nanf("")};
  for (const std::size_t width : {std::size_t{0}, std::size_t{1'000'001}})
    EXPECT_EQ(index->Nearest(s, good, {.width = width}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(index->Nearest(s, bad).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(index->Nearest(s, nan).error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(index->MeasureRecall(s, {.sample = 0}).has_value());
  EXPECT_FALSE(index->MeasureRecall(s, {.top = 0}).has_value());
}

TEST(VectorIndex, StopsWhenAsked) {
  Clusters clusters(10, 8, 10);
  const auto graph = GraphOf(clusters.Draw(1000));
  const Snapshot s = graph->snapshot();
  const auto index = *VectorIndex::Make(s, SpaceId{}, kQuick);
  const std::atomic<bool> stop = true;
  RunOptions run;
  run.budget.cancel = &stop;
  const auto update = index->Update(s, run);
  ASSERT_TRUE(update.has_value());
  EXPECT_TRUE(update->truncated);
  EXPECT_EQ(update->pending, 1000u);
  ASSERT_TRUE(index->Update(s).has_value());
  EXPECT_TRUE(Ask(*index, s, clusters.Draw(), {.run = run}).truncated);
  EXPECT_EQ(index->MeasureRecall(s, {.run = run}).error().code, ErrorCode::kCancelled);
}

// One writes, one updates the index, two ask: what was written is found at once.
TEST(VectorIndex, QuestionsWhileItGrows) {
  Clusters clusters(20, 16, 11);
  const auto graph = GraphOf(clusters.Draw(1500));
  const auto index = *VectorIndex::Make(graph->snapshot(), SpaceId{}, kQuick);
  std::atomic<bool> done = false;
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    while (!done) EXPECT_TRUE(index->Update(graph->snapshot()).has_value());
  });
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      std::mt19937_64 random(static_cast<std::uint64_t>(t));
      while (!done) {
        const Snapshot s = graph->snapshot();
        const auto node = static_cast<NodeId>(random() % s.node_count());
        if (!s.alive(node)) continue;
        const auto got = Ask(*index, s, VectorOf(**s.vectors(SpaceId{}), node));
        ASSERT_FALSE(got.hits.empty());
        EXPECT_EQ(got.hits[0].measure, 1.0);
        for (const NearestHit& hit : got.hits) EXPECT_TRUE(s.alive(hit.node));
      }
    });
  for (std::size_t i = 0; i < 300; ++i) {
    const std::vector<float> own = clusters.Draw();
    Append(*graph, {own}, 1500 + i);
    WriteBatch batch(kNow);
    batch.RemoveNode(batch.Node(Key(i)));
    ASSERT_TRUE(graph->Apply(batch).has_value());
    const Snapshot s = graph->snapshot();
    const auto got = Ask(*index, s, own);
    ASSERT_FALSE(got.hits.empty());
    EXPECT_EQ(s.key(got.hits[0].node), Key(1500 + i));
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace plexus::testing
