// Properties and keys as documents: after every batch the index is what indexing anew would make
// it, and nothing is in doubt.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "algorithms/retrieval/terms.h"
#include "engine/graph.h"
#include "engine/properties/properties.h"
#include "engine/vocabulary.h"
#include "tests/algorithms/retrieval/occurrences.h"
#include "tests/support/apply_to.h"

namespace plexus {
using namespace builtin;
using namespace retrieval;
namespace {

TermOptions Documents(bool all_keys) {
  TermOptions terms;
  terms.keys = terms.all_keys = all_keys;
  terms.properties = {"p", "q"};
  return terms;
}

Status Index(Graph& graph, const TermOptions& terms) {
  IndexTermsOptions options;
  options.terms = terms;
  PLEXUS_TRY(IndexTerms(graph.snapshot(), options, testing::ApplyTo(graph)));
  return {};
}

std::string Map(std::string_view p, const std::vector<std::string>& q, std::string_view other) {
  PropertyMapBuilder map;
  if (!p.empty()) map.String("p", p);
  map.BeginList("q");
  for (const std::string& one : q) map.String(one);
  map.Int(7).End().String("other", other);
  return map.Finish().value();
}

// Every operation on texts, properties and nodes, by key and by id.
void Fill(WriteBatch& batch, const Snapshot& now, std::mt19937& random) {
  const auto draw = [&](std::uint32_t below) { return random() % below; };
  const auto words = [&] {
    std::string text;
    for (std::uint32_t n = draw(4); n-- > 0;) text += "word" + std::string(1 + draw(9), 'x') + ' ';
    return text;
  };
  batch.set_links_revive(draw(2) == 0);
  for (std::uint32_t ops = 1 + draw(8); ops-- > 0;) {
    const std::string key = "node" + std::string(1 + draw(20), 'y');
    const auto id = now.Find(key);
    const NodeRef node = draw(2) == 0 && id ? NodeRef::Id(*id) : batch.Node(key);
    switch (draw(9)) {
      case 0:
        batch.RemoveNode(node);
        break;
      case 1:
        batch.PurgeNode(node);
        break;
      case 2:
        batch.ClearPayload(node, NodeField::kText);
        break;
      case 3:
        batch.ClearPayload(node, NodeField::kProperties);
        break;
      case 4:
        batch.Link(node, kCauses, batch.Node("end" + std::string(1 + draw(9), 'z')));
        break;
      case 5:
        batch.SetPayload(node, NodeField::kText, words());
        break;
      case 6:
        batch.Unlink(node, kHasTerm, batch.IndexNode(kTerm, "wordxx"));
        break;
      default: {
        const std::string p = words(), q = words();
        batch.SetPayload(node, NodeField::kProperties, Map(p, {q, words()}, "no"));
      }
    }
  }
}

TEST(BatchDocuments, AreThoseOfIndexingAnew) {
  for (const std::uint32_t seed : {1u, 2u, 3u, 4u}) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed), again(seed);
    const TermOptions terms = Documents(seed % 2 == 0);
    auto graph = Graph::InMemory(), other = Graph::InMemory();
    WriteBatch first(0);
    first.SetPayload(first.UpsertNode("first"), NodeField::kText, "wordx");
    ASSERT_TRUE(other->Apply(first));
    ASSERT_TRUE(AddTerms(graph->snapshot(), terms, first));
    ASSERT_TRUE(graph->Apply(first));
    std::size_t taken = 0;
    for (int step = 1; step < 100; ++step) {
      SCOPED_TRACE(step);
      WriteBatch batch(step), plain(step);
      Fill(batch, graph->snapshot(), random);
      Fill(plain, other->snapshot(), again);
      const bool applied = other->Apply(plain).has_value();
      taken += applied;
      const auto report = AddTerms(graph->snapshot(), batch);
      ASSERT_TRUE(report) << report.error().ToString();
      ASSERT_EQ(graph->Apply(batch).has_value(), applied);
      ASSERT_TRUE(Index(*other, terms));
      const Occurrences kept = OccurrencesOf(graph->snapshot()),
                        anew = OccurrencesOf(other->snapshot());
      Occurrences differ;
      std::ranges::set_symmetric_difference(kept, anew, std::back_inserter(differ));
      ASSERT_EQ(differ, Occurrences());
      const TermRecord record = ReadTermRecord(graph->snapshot()).value();
      ASSERT_EQ(CountNotIndexed(graph->snapshot(), record, nullptr).value().facts, 0u);
    }
    EXPECT_GT(taken, 50u);
  }
}

TEST(BatchDocuments, TheRecordSaysWhatIsIndexed) {
  auto graph = Graph::InMemory();
  WriteBatch batch(1);
  const NodeRef a = batch.UpsertNode("alpha");
  batch.SetPayload(a, NodeField::kProperties, Map("red apples", {"green pears"}, "plums"));
  batch.UpsertNode("beta");
  ASSERT_TRUE(graph->Apply(batch));
  ASSERT_TRUE(Index(*graph, Documents(true)));
  EXPECT_EQ(OccurrencesOf(graph->snapshot()), (Occurrences{{"alpha", "alpha", 1},
                                                           {"alpha", "apples", 1},
                                                           {"alpha", "green", 1},
                                                           {"alpha", "pears", 1},
                                                           {"alpha", "red", 1},
                                                           {"beta", "beta", 1}}));
  const TermRecord record = ReadTermRecord(graph->snapshot()).value();
  EXPECT_TRUE(SameOptions(record.terms, Documents(true)));
  EXPECT_FALSE(SameOptions(record.terms, Documents(false)));
  WriteBatch other(2);
  other.SetPayload(other.Node("alpha"), NodeField::kText, "x");
  TermOptions fewer = Documents(true);
  fewer.properties = {"p"};
  const auto refused = AddTerms(graph->snapshot(), fewer, other);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("another list of properties"), std::string::npos)
      << refused.error().message;
  // A phrase stands in one part, not across two of them.
  PhraseOptions in;
  in.terms = record.terms;
  const auto holds = [&](const std::string& phrase) {
    const std::string phrases[] = {phrase};
    return NodesWithPhrases(graph->snapshot(), phrases, in).value().nodes.ToList().size();
  };
  EXPECT_EQ(holds("green pears"), 1u);
  EXPECT_EQ(holds("apples green"), 0u);
}

// Where nothing of a node is indexed the index is as new as the batch all the same.
TEST(BatchDocuments, WithoutAnIndexedPartAreCompared) {
  auto graph = Graph::InMemory();
  WriteBatch first(1);
  first.SetPayload(first.UpsertNode("a"), NodeField::kText, "apples");
  ASSERT_TRUE(graph->Apply(first));
  ASSERT_TRUE(Index(*graph, Documents(false)));
  WriteBatch batch(2);
  for (int i = 0; i < 4'200; ++i)  // more than are read to be sure
    batch.SetPayload(batch.UpsertNode("n" + std::to_string(i)), NodeField::kProperties,
                     Map("", {}, "plums"));
  const auto report = AddTerms(graph->snapshot(), batch);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->texts, 0u);
  EXPECT_EQ(report->without, 4'200u);
  ASSERT_TRUE(graph->Apply(batch));
  const TermRecord record = ReadTermRecord(graph->snapshot()).value();
  const NotIndexed missed = CountNotIndexed(graph->snapshot(), record, nullptr).value();
  EXPECT_EQ(missed.facts, 0u);
  EXPECT_EQ(missed.not_compared, 4'200u);
}

TEST(BatchDocuments, APropertyThatIsNamedTwiceCountsOnce) {
  auto graph = Graph::InMemory();
  WriteBatch batch(1);
  batch.SetPayload(batch.UpsertNode("a"), NodeField::kProperties, Map("red", {}, ""));
  ASSERT_TRUE(graph->Apply(batch));
  TermOptions terms = Documents(false);
  terms.properties = {"p", "q", "p"};
  ASSERT_TRUE(Index(*graph, terms));
  EXPECT_EQ(OccurrencesOf(graph->snapshot()), (Occurrences{{"a", "red", 1}}));
}

// The record of an index of properties is written before there is a word, or a writer that comes
// next would not know.
TEST(BatchDocuments, TheirOptionsAreKeptBeforeTheFirst) {
  auto graph = Graph::InMemory();
  ASSERT_TRUE(Index(*graph, Documents(true)));
  EXPECT_TRUE(SameOptions(ReadTermRecord(graph->snapshot()).value().terms, Documents(true)));
  const Sequence once = graph->snapshot().sequence();
  ASSERT_TRUE(Index(*graph, Documents(true)));
  EXPECT_EQ(graph->snapshot().sequence(), once);
  auto plain = Graph::InMemory();  // nothing to remember
  ASSERT_TRUE(Index(*plain, TermOptions::Recommended()));
  EXPECT_EQ(plain->snapshot().sequence(), 0u);
}

}  // namespace
}  // namespace plexus
