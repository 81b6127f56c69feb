// Terms in the batch of their text: after every batch the index is what indexing all texts anew
// would make it.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "algorithms/retrieval/terms.h"
#include "engine/graph.h"
#include "engine/parallel.h"
#include "engine/vocabulary.h"
#include "tests/algorithms/retrieval/occurrences.h"
#include "tests/support/apply_to.h"

namespace plexus {
using namespace builtin;
using namespace retrieval;
namespace {

// How many nodes indexing all texts would change.
std::uint64_t NotIndexed(const Snapshot& s) {
  const auto report = IndexTerms(s, {}, [](const WriteBatch&) { return Status(); });
  EXPECT_TRUE(report);
  return report ? report->changed : 1;
}

IndexTermsReport ApplyWithTerms(Graph& graph, WriteBatch& batch) {
  const auto report = AddTerms(graph.snapshot(), {}, batch);
  EXPECT_TRUE(report) << report.error().ToString();
  const auto applied = graph.Apply(batch);
  EXPECT_TRUE(applied) << applied.error().ToString();
  return report.value_or(IndexTermsReport());
}

TEST(BatchTerms, ComeWithTheirText) {
  auto graph = Graph::InMemory();
  WriteBatch batch(1);
  batch.SetPayload(batch.UpsertNode("a", NodeKindRef(kMemory)), NodeField::kText,
                   "The dog barks; the Dog bites.");
  batch.SetPayload(batch.IndexNode(kTag, "t"), NodeField::kText, "not a fact");
  EXPECT_EQ(ApplyWithTerms(*graph, batch), (IndexTermsReport{1, 1, 3, 0}));
  EXPECT_EQ(OccurrencesOf(graph->snapshot()),
            (Occurrences{{"a", "barks", 1}, {"a", "bites", 1}, {"a", "dog", 2}}));

  WriteBatch same(2);  // the stored text again: nothing to do, whatever the index holds
  same.SetPayload(same.Node("a"), NodeField::kText, "The dog barks; the Dog bites.");
  EXPECT_EQ(ApplyWithTerms(*graph, same), IndexTermsReport());

  WriteBatch changed(3);
  changed.SetPayload(changed.Node("a"), NodeField::kText, "A cat.");
  changed.SetPayload(NodeRef::Id(*graph->snapshot().Find("a")), NodeField::kText,
                     "A dog.");  // the last one counts
  EXPECT_EQ(ApplyWithTerms(*graph, changed), (IndexTermsReport{1, 1, 1, 2}));
  EXPECT_EQ(OccurrencesOf(graph->snapshot()), (Occurrences{{"a", "dog", 1}}));

  WriteBatch cleared(4);
  cleared.ClearPayload(cleared.Node("a"), NodeField::kText);
  cleared.ClearPayload(cleared.Node("nobody"), NodeField::kText);
  EXPECT_EQ(ApplyWithTerms(*graph, cleared), (IndexTermsReport{0, 1, 0, 1}));
  EXPECT_TRUE(OccurrencesOf(graph->snapshot()).empty());
}

TEST(BatchTerms, TheTextDecidesNotTheEdgesOfTheBatch) {
  auto graph = Graph::InMemory();
  WriteBatch batch(1);
  const NodeRef a = batch.UpsertNode("a", NodeKindRef(kMemory)),
                b = batch.UpsertNode("b", NodeKindRef(kMemory));
  batch.SetPayload(a, NodeField::kText, "red apples");
  batch.Link(a, kHasTerm, batch.IndexNode(kTerm, "apples"), 7);
  batch.Link(batch.Node("a"), batch.EdgeKindNamed("has_term"), batch.IndexNode(kTerm, "pears"), 1);
  batch.Link(b, kHasTerm, batch.IndexNode(kTerm, "plums"),
             1);  // no text of b is written: its edges are its own
  ApplyWithTerms(*graph, batch);
  EXPECT_EQ(OccurrencesOf(graph->snapshot()),
            (Occurrences{{"a", "apples", 1}, {"a", "red", 1}, {"b", "plums", 1}}));

  WriteBatch again(2);  // taken back by the batch, wanted by the text
  const NodeRef same = again.Node("a");
  again.SetPayload(same, NodeField::kText, "red apples");
  again.Unlink(same, kHasTerm, again.IndexNode(kTerm, "apples"));
  ApplyWithTerms(*graph, again);
  EXPECT_EQ(OccurrencesOf(graph->snapshot()),
            (Occurrences{{"a", "apples", 1}, {"a", "red", 1}, {"b", "plums", 1}}));
}

TEST(BatchTerms, AnErrorLeavesTheBatchAsItWas) {
  auto graph = Graph::InMemory();
  WriteBatch batch(1);
  batch.SetPayload(batch.UpsertNode("a"), NodeField::kText, "words");
  const std::size_t before = batch.op_count();
  TermOptions absurd;
  absurd.max_term_bytes = 100'000;
  EXPECT_FALSE(AddTerms(graph->snapshot(), absurd, batch));
  EXPECT_EQ(batch.op_count(), before);
}

// Random batches of every operation on texts, in any order, by key and by id, on nodes new, alive
// and removed.
TEST(BatchTerms, AreThoseOfIndexingAnew) {
  for (const std::uint32_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto draw = [&](std::uint32_t below) { return random() % below; };
    const auto text = [&] {
      std::string words;
      for (std::uint32_t n = draw(6); n-- > 0;) words += "w" + std::to_string(draw(12)) + ' ';
      return words;
    };
    auto graph = Graph::InMemory(), other = Graph::InMemory();
    for (int step = 0; step < 120; ++step) {
      SCOPED_TRACE(step);
      WriteBatch batch(step);
      const Snapshot now = graph->snapshot();
      for (std::uint32_t ops = 1 + draw(12); ops-- > 0;) {
        const std::string key = "n" + std::to_string(draw(30));
        const auto id = now.Find(key);
        const NodeRef node = id && draw(2) == 0 ? NodeRef::Id(*id) : batch.Node(key);
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
            batch.Link(node, kCauses, batch.Node("n" + std::to_string(draw(30)) + "x"));
            break;
          case 4:
            batch.UpsertNode(node, NodeKindRef(kMemory));
            break;
          case 5:
            batch.SetPayload(node, NodeField::kProperties, "");
            break;
          default:
            batch.SetPayload(node, NodeField::kText, text());
        }
      }
      // Beside the text, edges that are not its terms, and one that is taken back.
      if (draw(3) == 0) {
        const NodeRef node = batch.Node("n" + std::to_string(draw(30)));
        batch.SetPayload(node, NodeField::kText, text());
        batch.Link(node, kHasTerm, batch.IndexNode(kTerm, "w" + std::to_string(draw(14))), 3);
        batch.Unlink(node, kHasTerm, batch.IndexNode(kTerm, "w" + std::to_string(draw(12))));
      }
      WriteBatch copy = batch;
      const bool taken = other->Apply(copy).has_value();
      const auto report =
          AddTerms(graph->snapshot(), {}, batch, draw(2) == 0 ? &SerialExecutor() : nullptr);
      ASSERT_TRUE(report) << report.error().ToString();
      ASSERT_EQ(graph->Apply(batch).has_value(), taken);
      ASSERT_EQ(NotIndexed(graph->snapshot()), 0u);
      // The other graph is indexed after the fact: same occurrences.
      ASSERT_TRUE(IndexTerms(other->snapshot(), {}, testing::ApplyTo(*other)));
      ASSERT_EQ(OccurrencesOf(graph->snapshot()), OccurrencesOf(other->snapshot()));
      if (step % 10 != 9) continue;
      const std::string query[] = {"w1", "w3", "w7"};
      const auto a = Bm25(graph->snapshot(), query, {.top = 0}),
                 b = Bm25(other->snapshot(), query, {.top = 0});
      ASSERT_TRUE(a && b);
      std::map<std::string, double> scores_a, scores_b;
      for (const Bm25Hit& m : a->hits)
        scores_a[std::string(graph->snapshot().key(m.node))] = m.score;
      for (const Bm25Hit& m : b->hits)
        scores_b[std::string(other->snapshot().key(m.node))] = m.score;
      EXPECT_EQ(scores_a, scores_b);
    }
  }
}

// A term node that the batch removes takes the occurrences of before with it: those still wanted
// are linked again.
TEST(BatchTerms, OutliveTheRemovalOfATermNode) {
  for (const bool purge : {false, true}) {
    for (const bool before : {false, true}) {
      SCOPED_TRACE(purge * 2 + before);
      auto graph = Graph::InMemory();
      WriteBatch first(1);
      first.SetPayload(first.UpsertNode("a"), NodeField::kText, "red apples");
      ApplyWithTerms(*graph, first);
      WriteBatch batch(2);
      const NodeRef term = batch.IndexNode(kTerm, "apples");
      const auto remove = [&] { purge ? batch.PurgeNode(term) : batch.RemoveNode(term); };
      if (before) remove();
      batch.SetPayload(batch.Node("a"), NodeField::kText, "green apples");
      if (!before) remove();
      ApplyWithTerms(*graph, batch);
      EXPECT_EQ(NotIndexed(graph->snapshot()), 0u);
      EXPECT_EQ(OccurrencesOf(graph->snapshot()),
                (Occurrences{{"a", "apples", 1}, {"a", "green", 1}}));
    }
  }
}

// Edges that a batch gives a node and takes with its removal are none of the node that comes after.
TEST(BatchTerms, AreThoseOfTheNodeAfterItsRemoval) {
  auto graph = Graph::InMemory();
  WriteBatch batch(1);
  const NodeRef a = batch.UpsertNode("a");
  batch.Link(a, kHasTerm, batch.IndexNode(kTerm, "apples"), 1);
  batch.RemoveNode(a);
  batch.SetPayload(a, NodeField::kText, "apples");
  ApplyWithTerms(*graph, batch);
  EXPECT_EQ(NotIndexed(graph->snapshot()), 0u);
}

// Many texts at once, on all threads: the batch does not depend on them.
TEST(BatchTerms, DoNotDependOnThreads) {
  auto graph = Graph::InMemory();
  std::mt19937 random(5);
  WriteBatch one(1);
  for (int i = 0; i < 3'000; ++i) {
    std::string text;
    for (int w = 0; w < 20; ++w) text += "w" + std::to_string(random() % 500) + ' ';
    one.SetPayload(one.UpsertNode("n" + std::to_string(i)), NodeField::kText, text);
  }
  WriteBatch two = one;
  ASSERT_TRUE(AddTerms(graph->snapshot(), {}, one, &SerialExecutor()));
  ASSERT_TRUE(AddTerms(graph->snapshot(), {}, two, &DefaultExecutor()));
  ASSERT_EQ(one.op_count(), two.op_count());
  auto other = Graph::InMemory();
  ASSERT_TRUE(graph->Apply(one));
  ASSERT_TRUE(other->Apply(two));
  const Snapshot a = graph->snapshot(), b = other->snapshot();
  ASSERT_EQ(a.node_count(), b.node_count());
  for (NodeId v = 0; v < a.node_count(); ++v) ASSERT_EQ(a.key(v), b.key(v));
  EXPECT_EQ(OccurrencesOf(a), OccurrencesOf(b));
}

}  // namespace
}  // namespace plexus
