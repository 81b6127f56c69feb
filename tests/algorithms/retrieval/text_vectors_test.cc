// Text vectors against their formula, whatever the ids, the delta and the threads.
#include "algorithms/retrieval/vectors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <utility>

#include "engine/graph.h"
#include "engine/vocabulary.h"
#include "tests/reference/oracles.h"
#include "tests/support/for_each_case.h"
#include "tests/support/vector_values.h"

namespace plexus {
using namespace builtin;
using namespace retrieval;
namespace {

using Texts = std::vector<std::map<std::string, double>>;

// Fact "d<i>" has the terms of texts[i]; facts and their terms come in the order given.
std::unique_ptr<Graph> Make(const Texts& texts, const std::vector<std::size_t>& order) {
  auto graph = Graph::InMemory();
  WriteBatch batch(1);
  for (const std::size_t d : order) {
    const NodeRef node = batch.UpsertNode("d" + std::to_string(d), NodeKindRef(kMemory));
    for (const auto& [term, tf] : texts[d])
      batch.Link(node, kHasTerm, batch.IndexNode(kTerm, term), static_cast<float>(tf));
    batch.Link(node, kHasTerm, batch.IndexNode(kTerm, "gone"));
    if (d % 7 != 0) continue;
    EXPECT_TRUE(graph->Apply(batch));
    batch.Clear();
  }
  // A removed fact, a tag and a node without terms are no documents.
  batch.Link(batch.UpsertNode("removed"), kHasTerm, batch.IndexNode(kTerm, "t0"));
  batch.RemoveNode(batch.Node("removed"));
  batch.Link(batch.UpsertNode("tagged"), kHasTag, batch.IndexNode(kTag, "t0"));
  for (std::size_t d = 0; d < texts.size(); ++d)
    batch.Unlink(batch.Node("d" + std::to_string(d)), kHasTerm, batch.IndexNode(kTerm, "gone"));
  EXPECT_TRUE(graph->Apply(batch));
  return graph;
}

std::unique_ptr<Graph> Make(const Texts& texts) {
  std::vector<std::size_t> order(texts.size());
  for (std::size_t d = 0; d < order.size(); ++d) order[d] = d;
  return Make(texts, order);
}

Texts RandomTexts(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Texts texts(count);
  for (auto& text : texts)
    for (std::uint64_t i = 0, n = random() % 8; i < n; ++i)
      text["t" + std::to_string(std::min(random() % 40, random() % 40))] =
          static_cast<double>(1 + random() % 4);
  return texts;
}

TextVectorReport Embed(Graph& graph, const TextVectorOptions& options = {}) {
  const auto report =
      MakeTextVectors(graph.snapshot(), options, [&](const WriteBatch& batch) -> Status {
        EXPECT_FALSE(batch.empty());
        const auto applied = graph.Apply(batch);
        if (!applied) return std::unexpected(applied.error());
        return {};
      });
  EXPECT_TRUE(report) << report.error().ToString();
  return report.value_or(TextVectorReport());
}

std::vector<float> VectorOf(const Snapshot& s, std::string_view key,
                            std::string_view space = "text") {
  const auto id = s.schema().FindSpace(space);
  if (!id) return {};
  const auto values = testing::VectorOf(*s.space(*id), *s.Find(key));
  return {values.begin(), values.end()};
}

TEST(TextVectors, EqualTheFormulaOnRandomTexts) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const Texts texts = RandomTexts(seed % 50, seed);
    TextVectorOptions options;
    options.seed = seed * 0x9E3779B97F4A7C15u;
    options.dimensions = static_cast<std::uint32_t>(1 + seed * 5);
    options.batch_floats = seed % 3 == 0 ? 1 : 2000;
    const auto expected = reference::TextVectors(texts, options.dimensions, options.seed);
    const auto graph = Make(texts);
    const TextVectorReport report = Embed(*graph, options);
    std::uint64_t documents = 0, made = 0;
    const Snapshot s = graph->snapshot();
    for (std::size_t d = 0; d < texts.size(); ++d) {
      documents += !texts[d].empty();
      made += !expected[d].empty();
      const std::vector<float> vector = VectorOf(s, "d" + std::to_string(d));
      ASSERT_EQ(vector.size(), expected[d].size()) << d;
      for (std::size_t j = 0; j < vector.size(); ++j) ASSERT_NEAR(vector[j], expected[d][j], 1e-6);
    }
    EXPECT_EQ(report.documents, documents);
    EXPECT_EQ(report.added, made);
    EXPECT_EQ(report.without, texts.size() + 1 - made);
    EXPECT_EQ(report.changed + report.same + report.removed, 0u);
    if (made == 0) continue;
    EXPECT_EQ(s.schema().spaces()[*s.schema().FindSpace("text")].metric, Metric::kCosine);
  }
}

TEST(TextVectors, TheSecondRunReportsTheSameAndChangesFollow) {
  const Texts texts = RandomTexts(300, 5);
  const auto graph = Make(texts);
  const TextVectorReport first = Embed(*graph);
  const Sequence before = graph->snapshot().sequence();
  const TextVectorReport again = Embed(*graph);
  EXPECT_EQ(graph->snapshot().sequence(), before);
  EXPECT_EQ(again.same, first.added);
  EXPECT_EQ(again.added + again.changed + again.removed, 0u);

  WriteBatch batch(3);
  std::string emptied;
  for (std::size_t d = 0; d < texts.size() && emptied.empty(); ++d)
    if (!texts[d].empty()) emptied = "d" + std::to_string(d);
  for (const auto& [term, tf] : texts[std::stoul(emptied.substr(1))])
    batch.Unlink(batch.Node(emptied), kHasTerm, batch.IndexNode(kTerm, term));
  batch.Link(batch.UpsertNode("fresh"), kHasTerm, batch.IndexNode(kTerm, "unheard"));
  ASSERT_TRUE(graph->Apply(batch));
  const TextVectorReport changed = Embed(*graph);
  EXPECT_EQ(changed.removed, 1u);
  EXPECT_EQ(changed.added, 1u);
  EXPECT_TRUE(VectorOf(graph->snapshot(), emptied).empty());
  EXPECT_FALSE(VectorOf(graph->snapshot(), "fresh").empty());
  EXPECT_EQ(Embed(*graph).same, first.added);
}

// Stopped before anything, and after the first batch: what was made stays, the next run goes on.
TEST(TextVectors, ABudgetStopsBetweenBatches) {
  const auto graph = Make(RandomTexts(300, 6));
  std::atomic<bool> stop = true;
  TextVectorOptions options;
  options.batch_floats = std::size_t{128} * 50;
  options.run.budget.cancel = &stop;
  const TextVectorReport none = Embed(*graph, options);
  EXPECT_TRUE(none.truncated);
  EXPECT_EQ(none.added, 0u);
  const std::vector<TermCount> terms = {{"t1", 1}};
  EXPECT_TRUE(TextVector(graph->snapshot(), terms, options)->truncated);
  stop = false;
  const auto some =
      MakeTextVectors(graph->snapshot(), options, [&](const WriteBatch& batch) -> Status {
        EXPECT_TRUE(graph->Apply(batch));
        stop = true;
        return {};
      });
  ASSERT_TRUE(some);
  EXPECT_TRUE(some->truncated);
  EXPECT_GT(some->added, 0u);
  EXPECT_LE(some->added, 50u);
  const TextVectorReport rest = Embed(*graph);
  EXPECT_FALSE(rest.truncated);
  EXPECT_EQ(rest.same, some->added);
  EXPECT_EQ(rest.changed, 0u);
  EXPECT_GT(rest.added, 0u);
}

TEST(TextVectors, IdsOrderThreadsAndBatchesDoNotShow) {
  const Texts texts = RandomTexts(2000, 9);
  std::vector<std::size_t> order(texts.size());
  for (std::size_t d = 0; d < order.size(); ++d) order[d] = d;
  std::vector<std::vector<float>> vectors;
  std::mt19937_64 random(1);
  for (const auto& executor : testing::Executors()) {
    const auto graph = Make(texts, order);
    std::shuffle(order.begin(), order.end(), random);
    TextVectorOptions options;
    options.run.executor = executor.executor.get();
    options.batch_floats = 1000 + random() % 100'000;
    Embed(*graph, options);
    const Snapshot s = graph->snapshot();
    std::vector<std::vector<float>> now;
    for (std::size_t d = 0; d < texts.size(); ++d)
      now.push_back(VectorOf(s, "d" + std::to_string(d)));
    if (vectors.empty()) vectors = now;
    EXPECT_EQ(now, vectors) << executor.name;  // the same bits
  }
}

// The cosine of two projections is that of the texts, give or take what the header says.
TEST(TextVectors, CosinesAreKept) {
  const Texts texts = RandomTexts(120, 11);
  const auto graph = Make(texts);
  TextVectorOptions options;
  options.dimensions = 1024;
  Embed(*graph, options);
  const Snapshot s = graph->snapshot();
  double documents = 0;
  std::map<std::string, double> df;
  for (const auto& text : texts) {
    documents += !text.empty();
    for (const auto& [term, tf] : text) ++df[term];
  }
  const auto dot = [&](std::size_t a, std::size_t b) {
    double sum = 0;
    for (const auto& [term, tf] : texts[a])
      if (const auto at = texts[b].find(term); at != texts[b].end())
        sum +=
            std::log1p(tf) * std::log1p(at->second) * std::pow(std::log1p(documents / df[term]), 2);
    return sum;
  };
  double error = 0;
  int pairs = 0;
  for (std::size_t a = 0; a < texts.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      if (texts[a].empty() || texts[b].empty()) continue;
      const double exact = dot(a, b) / std::sqrt(dot(a, a) * dot(b, b));
      const auto x = VectorOf(s, "d" + std::to_string(a)), y = VectorOf(s, "d" + std::to_string(b));
      double cosine = 0;
      for (std::size_t j = 0; j < x.size(); ++j) cosine += static_cast<double>(x[j]) * y[j];
      error += (cosine - exact) * (cosine - exact);
      ++pairs;
    }
  EXPECT_LT(std::sqrt(error / pairs), 1.1 / std::sqrt(1024.0));
  EXPECT_GT(std::sqrt(error / pairs), 0.3 / std::sqrt(1024.0));  // it is a projection all the same
}

TEST(TextVectors, AQueryIsTheVectorThatItsTextWouldGet) {
  const Texts texts = {{{"dog", 2}, {"cat", 1}}, {{"dog", 1}, {"bird", 1}}, {{"fish", 4}}};
  const auto graph = Make(texts);
  Embed(*graph);
  const Snapshot s = graph->snapshot();
  const std::vector<TermCount> same = {{"cat", 1}, {"dog", 2}, {"unheard", 3}};
  const auto query = TextVector(s, same);
  ASSERT_TRUE(query);
  EXPECT_EQ(query->known, 2u);
  EXPECT_EQ(query->values, VectorOf(s, "d0"));
  const auto nothing = TextVector(s, std::vector<TermCount>{{"unheard", 1}});
  ASSERT_TRUE(nothing);
  EXPECT_TRUE(nothing->values.empty());
}

TEST(TextVectors, SubsetSpaceAndWhatIsRefused) {
  const auto graph = Make({{{"a", 1}}, {{"b", 1}}});
  const Snapshot s = graph->snapshot();
  const NodeId only[] = {*s.Find("d1")};
  const NodeSubset subset = *NodeSubset::Of(s, only);
  TextVectorOptions options;
  options.subset = &subset;
  options.space = "mine";
  options.dimensions = 16;
  const TextVectorReport report = Embed(*graph, options);
  EXPECT_EQ(report.documents, 2u);
  EXPECT_EQ(report.added, 1u);
  EXPECT_TRUE(VectorOf(graph->snapshot(), "d0", "mine").empty());
  EXPECT_EQ(VectorOf(graph->snapshot(), "d1", "mine").size(), 16u);

  const auto refused = [&](const TextVectorOptions& asked) {
    const auto result =
        MakeTextVectors(graph->snapshot(), asked, [](const WriteBatch&) { return Status(); });
    return result ? ErrorCode::kInternal : result.error().code;
  };
  EXPECT_EQ(refused({.space = "mine", .dimensions = 17}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused({.dimensions = 0}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused({.dimensions = 4097}), ErrorCode::kInvalidArgument);
  struct Stop : Progress {
    bool Report(std::string_view, std::uint64_t, std::uint64_t) override { return false; }
  } stop;
  EXPECT_EQ(refused({.progress = &stop}), ErrorCode::kCancelled);
  const auto failed = MakeTextVectors(graph->snapshot(), {}, [](const WriteBatch&) -> Status {
    return Fail(ErrorCode::kReadOnly, "no");
  });
  EXPECT_EQ(failed.error().code, ErrorCode::kReadOnly);
  EXPECT_EQ(Embed(*Graph::InMemory()), TextVectorReport());
}

}  // namespace
}  // namespace plexus
