// Phrases against reading every text; what a query in quotes means.
#include "algorithms/retrieval/terms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "engine/graph.h"
#include "engine/vocabulary.h"
#include "tests/support/for_each_case.h"

namespace plexus {
using namespace retrieval;
namespace {

TEST(Phrases, QuotesOfAQuery) {
  const auto parsed = [](std::string_view query) {
    const PhraseQuery q = ParsePhrases(query);
    std::string out = q.words;
    for (const std::string& phrase : q.phrases) out += "|" + phrase;
    return out;
  };
  EXPECT_EQ(parsed("snow leopard"), "snow leopard");
  EXPECT_EQ(parsed("\"snow leopard\""), " snow leopard |snow leopard");
  EXPECT_EQ(parsed("a \"b c\" d \"e\""), "a  b c  d  e |b c|e");
  EXPECT_EQ(parsed("5\" disk"), "5\" disk");
  EXPECT_EQ(parsed("\"\""), "  ");
}

TEST(Phrases, EqualReadingEveryText) {
  const std::vector<std::string> words = {
      "snow", "leopard", "the",       "get_user",           "getUser",
      "user", "a",       "caf\u00e9", "\u6771\u4eac\u90fd", "\u4eac\u90fd"};
  const auto executors = testing::Executors();
  std::uint64_t found = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    std::mt19937_64 random(seed);
    const auto text = [&](std::size_t most) {
      std::string out;
      for (std::size_t i = 0, n = 1 + random() % most; i < n; ++i)
        out += (random() % 5 ? " " : ", ") + words[random() % words.size()];
      return out;
    };
    PhraseOptions options;
    if (seed % 3) options.terms = TermOptions::Recommended();
    const auto graph = Graph::InMemory();
    WriteBatch batch(1000);
    for (int i = 0; i < 60; ++i)
      batch.SetPayload(batch.Node("n" + std::to_string(i)), NodeField::kText, text(8));
    ASSERT_TRUE(AddTerms(graph->snapshot(), options.terms, batch));
    ASSERT_TRUE(graph->Apply(batch));
    const Snapshot s = graph->snapshot();
    auto splitter = TermSplitter::Make(options.terms);
    for (int round = 0; round < 20; ++round) {
      std::vector<std::string> phrases = {text(3)};
      if (random() % 3 == 0) phrases.push_back(text(2));
      options.run.executor = executors[random() % executors.size()].executor.get();
      const auto result = NodesWithPhrases(s, phrases, options);
      ASSERT_TRUE(result) << result.error().message;
      std::vector<NodeId> expected;
      for (NodeId v = 0; v < s.node_count(); ++v) {
        const auto stored = s.Payload(v, NodeField::kText);
        if (!stored) continue;
        const auto have = *splitter->Words(*stored);
        if (std::ranges::all_of(phrases, [&](const std::string& phrase) {
              return !std::ranges::search(have, *splitter->Words(phrase)).empty();
            }))
          expected.push_back(v);
      }
      ASSERT_EQ(result->nodes.ToList(), expected) << "seed " << seed << ": " << phrases[0];
      found += expected.size();
    }
  }
  EXPECT_GT(found, 500u);
}

TEST(Phrases, Refusals) {
  const auto graph = Graph::InMemory();
  const std::string punctuation[] = {"?!"};
  EXPECT_EQ(NodesWithPhrases(graph->snapshot(), punctuation, {}).error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(NodesWithPhrases(graph->snapshot(), {}, {}).error().code, ErrorCode::kInvalidArgument);
  // Each costs a look at all texts: few, and equal ones once.
  std::vector<std::string> many(300, "the same of every text");
  EXPECT_TRUE(NodesWithPhrases(graph->snapshot(), many, {}));
  for (std::size_t i = 0; i < many.size(); ++i) many[i] += std::to_string(i);
  EXPECT_TRUE(NodesWithPhrases(graph->snapshot(), std::span(many).first(kMaxPhrases), {}));
  EXPECT_EQ(
      NodesWithPhrases(graph->snapshot(), std::span(many).first(kMaxPhrases + 1), {}).error().code,
      ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace plexus
