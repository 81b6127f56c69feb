// Events in the index of terms, apart from facts; phrases that count as one more term.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "algorithms/retrieval/terms.h"
#include "engine/graph.h"
#include "engine/vocabulary.h"
#include "tests/support/apply_to.h"

namespace plexus {
using namespace builtin;
using namespace retrieval;
namespace {

const std::vector<std::string> kEventWords = {"snow", "leopard", "cat", "dog", "rust"};

std::string FewWords(std::mt19937_64& random) {
  std::string text;
  for (std::size_t i = 0, n = 1 + random() % 6; i < n; ++i)
    text += kEventWords[random() % kEventWords.size()] + " ";
  return text;
}

// Texts of facts and events, some of them taken back.
void Fill(WriteBatch& batch, std::mt19937_64& random, bool with_events) {
  for (int i = 0; i < 20; ++i) {
    const std::string name = std::to_string(random() % 30);
    const NodeRef fact = batch.UpsertNode("n" + name, kMemory);
    batch.SetPayload(fact, NodeField::kText, FewWords(random));
    const std::string query = FewWords(random);
    if (!with_events) continue;
    const NodeRef event = batch.IndexNode(kEvent, "e" + name);
    batch.UpsertNode(event);
    if (random() % 6 == 0)
      batch.RemoveNode(event);
    else
      batch.SetPayload(event, NodeField::kText, query);
  }
}

std::uint64_t Reindexed(Graph& graph, const TermOptions& terms) {
  IndexTermsOptions options;
  options.terms = terms;
  options.now_ms = 5000;
  const auto report = IndexTerms(graph.snapshot(), options, testing::ApplyTo(graph));
  EXPECT_TRUE(report);
  return report ? report->changed : 0;
}

TEST(EventTerms, BatchesKeepThemAndFactsRankAsWithoutThem) {
  TermOptions with;
  with.event_queries = true;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto graph = Graph::InMemory();
    std::mt19937_64 random(seed);
    for (int round = 0; round < 4; ++round) {
      WriteBatch batch(1000 + round);
      Fill(batch, random, true);
      ASSERT_TRUE(AddTerms(graph->snapshot(), with, batch));
      ASSERT_TRUE(graph->Apply(batch));
    }
    EXPECT_EQ(Reindexed(*graph, with), 0u) << "seed " << seed;
    const Snapshot s = graph->snapshot();
    Bm25Options options;
    options.top = 0;
    const auto of_facts = Bm25(s, kEventWords, options);
    options.events = true;
    const auto of_events = Bm25(s, kEventWords, options);
    ASSERT_TRUE(of_facts);
    ASSERT_TRUE(of_events);
    std::uint64_t events = 0;
    for (NodeId v = 0; v < s.node_count(); ++v)
      events += s.alive(v) && s.node_kind(v) == kEvent &&
                static_cast<bool>(s.payload_ref(v, NodeField::kText));
    EXPECT_EQ(of_events->documents, events);
    EXPECT_EQ(of_events->found, events);
    for (const Bm25Hit& match : of_events->hits) EXPECT_EQ(s.node_kind(match.node), kEvent);
    // Without the switch events lose their terms, and facts rank by the same bits.
    EXPECT_EQ(Reindexed(*graph, TermOptions()), events);
    options.events = false;
    const auto without = Bm25(graph->snapshot(), kEventWords, options);
    ASSERT_TRUE(without);
    ASSERT_EQ(without->hits.size(), of_facts->hits.size());
    for (std::size_t i = 0; i < without->hits.size(); ++i) {
      EXPECT_EQ(without->hits[i].node, of_facts->hits[i].node);
      EXPECT_EQ(without->hits[i].score, of_facts->hits[i].score);
    }
    options.events = true;
    EXPECT_EQ(Bm25(graph->snapshot(), kEventWords, options)->documents, 0u);
  }
}

TEST(EventTerms, APhraseScoresAsATermOfFrequencyOne) {
  const auto graph = Graph::InMemory();
  std::mt19937_64 random(3);
  WriteBatch batch(1000);
  Fill(batch, random, false);
  ASSERT_TRUE(AddTerms(graph->snapshot(), {}, batch));
  ASSERT_TRUE(graph->Apply(batch));
  const Snapshot s = graph->snapshot();
  const std::vector<std::string> terms = {"snow"};
  Bm25Options options;
  options.top = 0;
  const auto plain = Bm25(s, terms, options);
  ASSERT_TRUE(plain);
  ASSERT_GT(plain->hits.size(), 2u);
  const NodeId holding[] = {plain->hits.back().node, plain->hits.front().node};
  const auto nodes = NodeSubset::Of(s, holding);
  const auto none = NodeSubset::Of(s, {});
  const Bm25Phrase phrases[] = {{"\"snow leopard\"", &*nodes}, {"\"nowhere\"", &*none}};
  options.phrases = phrases;
  const auto result = Bm25(s, terms, options);
  ASSERT_TRUE(result);
  ASSERT_EQ(result->terms.size(), 2u);  // one that nobody holds is left out
  EXPECT_EQ(result->terms[1].term, "\"snow leopard\"");
  EXPECT_EQ(result->terms[1].df, 2u);
  const double n = static_cast<double>(result->documents);
  for (const Bm25Hit& match : result->hits) {
    double expected = 0;
    for (const Bm25Hit& before : plain->hits)
      if (before.node == match.node) expected = before.score;
    if (match.node == holding[0] || match.node == holding[1])
      expected += std::log(1 + (n - 2 + 0.5) / 2.5) * 2.2 /
                  (1 + 1.2 * (0.25 + 0.75 * match.length / result->average_length));
    EXPECT_NEAR(match.score, expected, 1e-12);
  }
}

}  // namespace
}  // namespace plexus
