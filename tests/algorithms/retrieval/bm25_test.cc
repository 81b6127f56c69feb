// BM25 against its formula, over clean and dirty graphs, at any thread count.
#include "algorithms/retrieval/terms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <random>

#include "engine/graph.h"
#include "engine/state.h"
#include "engine/vocabulary.h"
#include "tests/reference/oracles.h"
#include "tests/support/for_each_case.h"

namespace plexus {
using namespace builtin;
using namespace retrieval;
namespace {

using Texts = std::vector<std::map<std::string, double>>;

// Node i has the terms of texts[i]; links in several batches, some undone again.
std::unique_ptr<Graph> Make(const Texts& texts, std::mt19937_64& random) {
  auto graph = Graph::InMemory();
  WriteBatch nodes(1);
  for (std::size_t d = 0; d < texts.size(); ++d)
    nodes.UpsertNode("d" + std::to_string(d), NodeKindRef(kMemory));
  EXPECT_TRUE(graph->Apply(nodes));
  WriteBatch batch(2);
  for (std::size_t d = 0; d < texts.size(); ++d) {
    const auto node = NodeRef::Id(static_cast<NodeId>(d));
    for (const auto& [term, count] : texts[d]) {
      if (random() % 4 == 0)
        batch.Link(node, kHasTerm, batch.IndexNode(kTerm, term), 9);  // overwritten
      batch.Link(node, kHasTerm, batch.IndexNode(kTerm, term), static_cast<float>(count));
    }
    batch.Link(node, kHasTerm, batch.IndexNode(kTerm, "gone"));
    if (random() % 10 == 0) {
      EXPECT_TRUE(graph->Apply(batch));
      batch.Clear();
    }
  }
  for (std::size_t d = 0; d < texts.size(); ++d)
    batch.Unlink(NodeRef::Id(static_cast<NodeId>(d)), kHasTerm, batch.IndexNode(kTerm, "gone"));
  EXPECT_TRUE(graph->Apply(batch));
  return graph;
}

void Compare(const Snapshot& s, const Texts& texts, const std::vector<std::string>& query,
             const Bm25Options& options) {
  const auto expected = reference::Bm25(texts, query, options.k1, options.b);
  const auto result = Bm25(s, query, options);
  ASSERT_TRUE(result) << result.error().ToString();
  std::vector<std::pair<double, NodeId>> best;
  for (std::size_t d = 0; d < expected.size(); ++d)
    if (expected[d] && (!options.subset || options.subset->contains(static_cast<NodeId>(d))))
      best.push_back({-*expected[d], static_cast<NodeId>(d)});
  EXPECT_EQ(result->found, best.size());
  std::map<NodeId, double> by_node;
  for (const auto& [score, node] : best) by_node[node] = -score;
  std::sort(best.begin(), best.end());
  ASSERT_EQ(result->hits.size(), options.top ? std::min(options.top, best.size()) : best.size());
  for (std::size_t i = 0; i < result->hits.size(); ++i) {
    const Bm25Hit& match = result->hits[i];
    EXPECT_NEAR(match.score, -best[i].first, 1e-9 * (1 - best[i].first));
    EXPECT_NEAR(match.score, by_node.at(match.node), 1e-9 * (1 + match.score));
    double sum = 0;
    for (const TermShare& share : match.shares) sum += share.score;
    EXPECT_EQ(sum, match.score);  // the shares are the score
    if (i == 0) continue;
    const Bm25Hit& before = result->hits[i - 1];
    EXPECT_TRUE(before.score > match.score ||
                (before.score == match.score && before.node < match.node));
  }
}

TEST(Bm25, EqualsItsFormulaOnRandomTexts) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    Texts texts(random() % 60);
    for (auto& text : texts)
      for (std::uint64_t i = 0, n = random() % 8; i < n; ++i)
        text["t" + std::to_string(std::min(random() % 20, random() % 20))] =
            static_cast<double>(1 + random() % 4);
    const auto graph = Make(texts, random);
    const Snapshot dirty = graph->snapshot();
    const Snapshot clean = *dirty.Compacted(SerialExecutor());
    std::vector<std::string> query;
    for (std::uint64_t i = 0, n = random() % 6; i < n; ++i)
      query.push_back("t" + std::to_string(random() % 24));
    std::vector<NodeId> some;
    for (NodeId d = 0; d < texts.size(); ++d)
      if (random() % 2) some.push_back(d);
    const NodeSubset subset = *NodeSubset::Of(dirty, some);
    for (const Snapshot* s : {&dirty, &clean}) {
      Bm25Options options;
      Compare(*s, texts, query, options);
      options.top = 0;
      Compare(*s, texts, query, options);
      options.top = 3;
      options.k1 = 0.5 * static_cast<double>(random() % 5);
      options.b = 0.25 * static_cast<double>(random() % 5);
      options.subset = &subset;
      Compare(*s, texts, query, options);
    }
  }
}

TEST(Bm25, AWorkedExample) {
  std::mt19937_64 random(1);
  const auto graph = Make({{{"dog", 2}, {"cat", 1}}, {{"dog", 1}}, {{"fish", 4}}}, random);
  const std::vector<std::string> query = {"dog", "bird", "dog"};
  const auto result = Bm25(graph->snapshot(), query);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->documents, 3u);
  EXPECT_DOUBLE_EQ(result->average_length, 8.0 / 3);
  ASSERT_EQ(result->terms.size(), 2u);
  EXPECT_EQ(result->terms[0].asked, 2u);
  EXPECT_EQ(result->terms[0].df, 2u);
  EXPECT_DOUBLE_EQ(result->terms[0].idf, std::log(1.6));
  EXPECT_EQ(result->terms[1].df, 0u);
  EXPECT_EQ(result->terms[1].idf, 0);
  ASSERT_EQ(result->hits.size(), 2u);
  // tf 1 in length 1 beats tf 2 in length 3: 2 ln 1.6 * tf * 2.2 / (tf + 1.2 (0.25 + 0.75 length /
  // (8 / 3)))
  EXPECT_EQ(result->hits[0].node, 1u);
  EXPECT_NEAR(result->hits[0].score, 2 * std::log(1.6) * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 0.375)),
              1e-12);
  EXPECT_EQ(result->hits[1].node, 0u);
  EXPECT_NEAR(result->hits[1].score, 2 * std::log(1.6) * 4.4 / (2 + 1.2 * (0.25 + 0.75 * 1.125)),
              1e-12);
  EXPECT_EQ(result->hits[1].shares[0].frequency, 2.0f);
}

// The best of the first nodes that have a term, with the scores that they have in the whole.
TEST(Bm25, BudgetsCutAtTheSamePlace) {
  std::mt19937_64 random(7);
  Texts texts(9000);
  for (auto& text : texts)
    for (int i = 0; i < 2; ++i)
      text["t" + std::to_string(random() % 3)] = static_cast<double>(1 + random() % 3);
  const auto graph = Make(texts, random);
  const Snapshot s = graph->snapshot();
  const std::vector<std::string> query = {"t0", "t1"};
  const auto whole = Bm25(s, query, {.top = 0});
  ASSERT_TRUE(whole);
  std::map<NodeId, Bm25Hit> of;
  for (const Bm25Hit& match : whole->hits) of[match.node] = match;
  for (const bool by_nodes : {true, false}) {
    Bm25Options options{.top = 0};
    (by_nodes ? options.run.budget.nodes : options.run.budget.edges) = 1000;
    const auto part = Bm25(s, query, options);
    ASSERT_TRUE(part);
    EXPECT_TRUE(part->truncated);
    std::size_t expected = 0, postings = 0;
    for (auto at = of.begin(); at != of.end() && (by_nodes ? expected : postings) < 1000;
         ++at, ++expected) {
      postings += at->second.shares.size();
      EXPECT_TRUE(std::any_of(part->hits.begin(), part->hits.end(), [&](const Bm25Hit& match) {
        return match.node == at->first && match.score == at->second.score;
      })) << at->first;
    }
    EXPECT_EQ(part->found, expected);
    EXPECT_EQ(part->hits.size(), expected);
    EXPECT_EQ(part->terms[0].df, whole->terms[0].df);
    (by_nodes ? options.run.budget.nodes : options.run.budget.edges) = 1'000'000;
    EXPECT_FALSE(Bm25(s, query, options)->truncated);
  }
  // Stopped before lengths are known: nothing, and nothing wrong is kept; with lengths at hand:
  // no postings.
  const std::atomic<bool> stop = true;
  const Snapshot anew(std::make_shared<const FrozenState>(s.state()));
  for (const Snapshot& snapshot : {anew, s}) {
    Bm25Options options;
    options.run.budget.cancel = &stop;
    const auto none = Bm25(snapshot, query, options);
    ASSERT_TRUE(none);
    EXPECT_TRUE(none->truncated);
    EXPECT_EQ(none->found + none->hits.size() + none->terms.size(), 0u);
    EXPECT_EQ(CountTexts(snapshot, options.run), 0u);
  }
  EXPECT_EQ(CountTexts(anew), whole->documents);
  EXPECT_EQ(Bm25(anew, query, {.top = 0})->hits.front().score, whole->hits.front().score);
}

TEST(Bm25, WhatIsRefused) {
  const auto graph = Graph::InMemory();
  const std::vector<std::string> none;
  EXPECT_EQ(Bm25(graph->snapshot(), none)->hits.size(), 0u);
  const auto code = [&](const Bm25Options& options, const std::vector<std::string>& query = {"a"}) {
    const auto result = Bm25(graph->snapshot(), query, options);
    return result ? ErrorCode::kInternal : result.error().code;
  };
  EXPECT_EQ(code({.k1 = -1}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({.k1 = NAN}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({.b = 1.5}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({}, std::vector<std::string>(1025, "a")), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace plexus
