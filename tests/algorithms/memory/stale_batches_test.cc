// Batches made of a snapshot, applied after another writer was faster: each is refused whole with
// kConflict, or does what is right. One row for each way in which a batch can be overtaken; without
// its expectation a batch would bring back what was removed, undo what was written, or leave words
// that find texts without them.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "algorithms/memory/concepts/concepts.h"
#include "algorithms/memory/conflicts/conflicts.h"
#include "algorithms/memory/decisions/decisions.h"
#include "algorithms/memory/ledger/ledger.h"
#include "algorithms/memory/recall/recall.h"
#include "algorithms/memory/turns/turns.h"
#include "algorithms/retrieval/terms.h"
#include "algorithms/retrieval/vectors.h"
#include "engine/graph.h"
#include "engine/vocabulary.h"
#include "tests/support/apply_to.h"

namespace plexus {
using namespace builtin;
using namespace memory;
using namespace retrieval;
namespace {

constexpr std::int64_t kNow = 1'700'000'000'000;

template <class T>
T Must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().ToString());
  return *std::move(result);
}

NodeId Id(const Snapshot& s, std::string_view key) { return s.Find(key).value(); }

// How many nodes indexing all texts would change.
std::uint64_t NotIndexed(const Snapshot& s) {
  return Must(IndexTerms(s, {}, [](const WriteBatch&) { return Status(); })).changed;
}

// The one batch that a function hands to its `apply`.
template <class Run>
WriteBatch Caught(Run&& run) {
  WriteBatch caught;
  Must(run([&](const WriteBatch& batch) -> Status {
    caught.Append(batch);
    return {};
  }));
  return caught;
}

using Write = std::function<void(WriteBatch&)>;

std::unique_ptr<Graph> SmallWorld() {
  auto graph = Graph::InMemory();
  WriteBatch b(kNow);
  for (const char* key : {"a", "b", "c"}) {
    const NodeRef node = b.UpsertNode(key, kMemory);
    b.SetPayload(node, NodeField::kText, std::string("old words of ") + key);
    b.Link(node, kHasTag, b.IndexNode(kTag, "t"));
  }
  b.Link(b.Node("a"), kContradicts, b.Node("b"));
  b.Link(b.Node("a"), kRelatesTo, b.Node("c"), 0.5f);
  b.UpsertNode("plain");
  for (const char* key : {"apple", "fruit"}) {
    const NodeRef concept_node = b.UpsertNode(key, kConcept);
    b.SetF64(concept_node, kValence, 0.25);
    b.SetF64(concept_node, kArousalLevel, key == std::string("apple") ? 0.9 : 0.25);
    b.SetI64(concept_node, kAccessedAt, kNow - 1000);
  }
  b.Link(b.Node("apple"), kIsA, b.Node("fruit"), 0.5f);
  for (const char* key : {"d1", "d2"}) {
    const NodeRef decision = b.UpsertNode(key, kDecision);
    b.SetString(decision, kCategory, "storage");
    b.SetString(decision, kDecisionOutcome, key == std::string("d1") ? "success" : "failure");
    b.SetI64(decision, kCreatedAt, kNow);
  }
  const NodeRef session = b.IndexNode(kSession, "s");
  b.UpsertNode(session);
  for (const char* key : {"t1", "t2"}) {
    const NodeRef turn = b.UpsertNode(key, kTurn);
    b.SetI64(turn, kCreatedAt, kNow + (key == std::string("t2")));
    b.Link(turn, kInSession, session);
  }
  EXPECT_TRUE(AddTerms(graph->snapshot(), {}, b));
  Must(graph->Apply(b));
  WriteBatch late(kNow);  // not indexed yet
  late.SetPayload(late.UpsertNode("late", kMemory), NodeField::kText, "late words");
  Must(graph->Apply(late));
  NewEvent event;
  event.id = "e";
  event.created_at = kNow;
  event.members = {{.key = "a"}, {.key = "b"}};
  Must(graph->Apply(Must(RecordEvent(graph->snapshot(), event)).batch));
  return graph;
}

struct Row {
  std::string name;
  std::function<WriteBatch(const Snapshot&)> make;
  std::function<void(Graph&)> other;
  bool conflict = true;
  std::function<void(const Snapshot&)> right = {};  // what holds when there is no conflict
};

std::function<void(Graph&)> Writes(Write fill) {
  return [fill = std::move(fill)](Graph& graph) {
    WriteBatch batch(kNow + 1);
    fill(batch);
    Must(graph.Apply(batch));
  };
}
std::function<void(Graph&)> WritesText(std::string key, std::string text) {
  return [=](Graph& graph) {
    WriteBatch batch(kNow + 1);
    batch.SetPayload(batch.UpsertNode(key), NodeField::kText, text);
    Must(AddTerms(graph.snapshot(), {}, batch));
    Must(graph.Apply(batch));
  };
}
std::function<void(Graph&)> Removes(std::string key) {
  return Writes([=](WriteBatch& b) { b.RemoveNode(b.Node(key)); });
}

std::vector<Row> TermRows() {
  const auto text = [](std::string key, std::string words) {
    return [=](const Snapshot& s) {
      WriteBatch b(kNow);
      b.SetPayload(b.UpsertNode(key), NodeField::kText, words);
      Must(AddTerms(s, {}, b));
      return b;
    };
  };
  const auto index_all = [](Graph& graph) {
    Must(IndexTerms(graph.snapshot(), {}, testing::ApplyTo(graph)));
  };
  const auto indexed = [](const Snapshot& s) {
    EXPECT_EQ(NotIndexed(s), 1u) << "but for the text that never was";
  };
  const auto index = [](const Snapshot& s) {
    return Caught([&](auto apply) { return IndexTerms(s, {}, apply); });
  };
  const auto vectors = [](const Snapshot& s) {
    return Caught([&](auto apply) { return MakeTextVectors(s, {.dimensions = 8}, apply); });
  };
  return {
      {"AddTerms: the text was written", text("a", "new words"), WritesText("a", "other words")},
      {"AddTerms: the same text was written", text("a", "old words of a"),
       WritesText("a", "other words")},
      {"AddTerms: the node was made", text("x", "new words"), WritesText("x", "other words")},
      {"AddTerms: the node was indexed", text("late", "new words"), index_all},
      {"AddTerms: the node was removed", text("a", "new words"), Removes("a")},
      {"AddTerms: a word was removed", text("a", "old new"),
       Writes([](WriteBatch& b) { b.RemoveNode(b.IndexNode(kTerm, "old")); })},
      {"AddTerms: another text was written", text("a", "new words"), WritesText("b", "other"),
       false, indexed},
      {"AddTerms: a text without terms was written", text("a", "new words"),
       Writes([](WriteBatch& b) { b.SetPayload(b.Node("a"), NodeField::kText, "bare"); }), false,
       indexed},
      {"IndexTerms: the text was written", index,
       Writes([](WriteBatch& b) { b.SetPayload(b.Node("late"), NodeField::kText, "bare"); })},
      {"IndexTerms: the text was indexed", index, WritesText("late", "other words")},
      {"IndexTerms: the node was removed", index, Removes("late")},
      {"IndexTerms: another text was written", index, WritesText("a", "other words"), false,
       [](const Snapshot& s) { EXPECT_EQ(NotIndexed(s), 0u); }},
      {"MakeTextVectors: a node was removed", vectors, Removes("a")},
  };
}

std::vector<Row> MemoryRows() {
  const auto resolve = [](VerdictKind kind) {
    return [=](const Snapshot& s) {
      const Verdict verdicts[] = {
          {.a = Id(s, "a"), .b = Id(s, "b"), .kind = kind, .removed = Id(s, "b")}};
      return Must(Resolve(s, verdicts, {.now_ms = kNow + 5})).batch;
    };
  };
  const auto resolves = [=](VerdictKind kind) {
    return [=](Graph& graph) { Must(graph.Apply(resolve(kind)(graph.snapshot()))); };
  };
  const auto use = [](const Snapshot& s) {
    const NodeId used[] = {Id(s, "a"), Id(s, "c")};
    return Must(ProposeReinforcement(s, used, {.now_ms = kNow})).batch;
  };
  const auto record = [](std::string id) {
    return [=](const Snapshot& s) {
      NewEvent event;
      event.id = id;
      event.created_at = kNow;
      event.members = {{.key = "a"}, {.key = "c"}};
      return Must(RecordEvent(s, event)).batch;
    };
  };
  const auto label = [](const Snapshot& s) {
    return Must(LabelEvent(s, Must(FindEvent(s, "e")), {.type = "helpful", .labeled_at = kNow}))
        .batch;
  };
  const auto rewards = [](const Snapshot& s) {
    const TurnTrajectory lines[] = {{"s", "", 0.7, "debug", ""}};
    BuildOptions options;
    options.trajectories = lines;
    return Caught(
        [&](auto apply) { return BuildEdges(s, *FindRecipe("trajectory"), options, apply); });
  };
  const auto in_order = [](const Snapshot& s) {
    return Caught([&](auto apply) { return BuildEdges(s, *FindRecipe("temporal"), {}, apply); });
  };
  const auto suggest = [](const Snapshot& s) {
    return Must(SuggestEdges(s, Id(s, "d1"), {.decisions = {.now_ms = kNow}})).batch;
  };
  const auto tiers = [](const Snapshot& s) {
    return Must(CompactionTiers(s, {.salience = {.decisions = {.now_ms = kNow}}})).batch;
  };
  return {
      {"Resolve: a side was removed", resolve(VerdictKind::kKeepBoth), Removes("b")},
      {"Resolve: the conflict was ended", resolve(VerdictKind::kSupersede),
       resolves(VerdictKind::kKeepBoth)},
      {"Resolve: ended twice", resolve(VerdictKind::kKeepBoth), resolves(VerdictKind::kKeepBoth)},
      {"Resolve: the edge was taken back", resolve(VerdictKind::kDrop),
       Writes([](WriteBatch& b) { b.Unlink(b.Node("a"), kContradicts, b.Node("b")); })},
      {"ProposeReinforcement: a memory was removed", use, Removes("c")},
      {"ProposeReinforcement: an edge was taken back", use,
       Writes([](WriteBatch& b) { b.Unlink(b.Node("a"), kRelatesTo, b.Node("c")); })},
      {"ProposeReinforcement: used twice", use, [=](Graph& g) { Must(g.Apply(use(g.snapshot()))); },
       false, [](const Snapshot& s) { EXPECT_EQ(s.i64(kAccessCount, Id(s, "a")), 2); }},
      {"RecordEvent: a member was removed", record(""), Removes("c")},
      {"RecordEvent: a member has other tags", record(""),
       Writes([](WriteBatch& b) { b.Link(b.Node("c"), kHasTag, b.IndexNode(kTag, "new")); })},
      {"RecordEvent: the id was taken", record("mine"),
       [=](Graph& g) { Must(g.Apply(record("mine")(g.snapshot()))); }},
      {"RecordEvent: recorded twice", record(""),
       [=](Graph& g) { Must(g.Apply(record("")(g.snapshot()))); }, false,
       [](const Snapshot& s) { EXPECT_EQ(Must(RecentEvents(s)).events.size(), 2u); }},
      {"LabelEvent: the event was removed", label,
       Writes([](WriteBatch& b) { b.RemoveNode(b.IndexNode(kEvent, "e")); })},
      {"LabelEvent: labelled twice", label, [=](Graph& g) { Must(g.Apply(label(g.snapshot()))); },
       false,
       [](const Snapshot& s) {
         EXPECT_EQ(Must(GetEvent(s, Must(FindEvent(s, "e")))).outcomes.size(), 1u);
       }},
      {"BuildEdges: the session's properties were written", rewards,
       [=](Graph& g) {
         const TurnTrajectory lines[] = {{"s", "", 0.2, "", "rust"}};
         BuildOptions options;
         options.trajectories = lines;
         Must(BuildEdges(g.snapshot(), *FindRecipe("trajectory"), options,
                         [&](const WriteBatch& batch) -> Status {
                           PLEXUS_TRY(g.Apply(batch));
                           return {};
                         }));
       }},
      {"BuildEdges: a turn was removed", in_order, Removes("t2")},
      {"SuggestEdges: the edge was made", suggest,
       Writes([](WriteBatch& b) { b.Link(b.Node("d1"), kContradicts, b.Node("d2"), 0.5f); })},
      {"SuggestEdges: a decision was removed", suggest, Removes("d2")},
      {"CompactionTiers: a decision was removed", tiers, Removes("d2")},
  };
}

std::vector<Row> ConceptRows() {
  const auto upsert = [](std::string name) {
    return [=](const Snapshot& s) { return Must(UpsertConcept(s, name, kNow)).batch; };
  };
  const auto affect = [](double delta) {
    return [=](const Snapshot& s) { return Must(UpdateAffect(s, "apple", delta, kNow)).batch; };
  };
  const auto episode = [](const Snapshot& s) {
    const std::string names[] = {"apple"};
    return Must(AddEpisode(s, "a summary", names, 0, kNow)).batch;
  };
  const auto relate = [](std::string from, std::string to) {
    return [=](const Snapshot& s) {
      return Must(Relate(s, from, "is-a", to, kNow, {.reinforce = true})).batch;
    };
  };
  const auto recall = [](const Snapshot& s) {
    const std::string seeds[] = {"apple"};
    return Must(RecallConcepts(s, seeds, kNow)).batch;
  };
  const auto dampen = [](const Snapshot& s) {
    return Must(DampenConcept(s, "fruit", 0.5, kNow)).batch;
  };
  const auto activate = [](const Snapshot& s) {
    const std::string sources[] = {"apple"};
    return Must(ActivateRelated(s, sources, kNow + 1'000'000'000)).batch;
  };
  const auto twice = [](auto make) { return [=](Graph& g) { Must(g.Apply(make(g.snapshot()))); }; };
  const auto raise = Writes([](WriteBatch& b) { b.SetF64(b.Node("fruit"), kArousalLevel, 0.75); });
  return {
      {"UpsertConcept: it was made", upsert("new"), twice(upsert("new"))},
      {"UpsertConcept: it became a memory", upsert("plain"),
       Writes([](WriteBatch& b) { b.UpsertNode("plain", kMemory); })},
      {"UpdateAffect: felt twice", affect(0.5), twice(affect(0.25))},
      {"UpdateAffect: it was removed", affect(0.5), Removes("apple")},
      {"AddEpisode: the key was taken", episode, twice(episode)},
      {"AddEpisode: a concept was removed", episode, Removes("apple")},
      {"Relate: reinforced twice", relate("apple", "fruit"), twice(relate("apple", "fruit"))},
      {"Relate: related twice", relate("fruit", "apple"), twice(relate("fruit", "apple"))},
      {"Relate: an end was removed", relate("fruit", "apple"), Removes("apple")},
      {"RecallConcepts: raised meanwhile", recall, raise, false,
       [](const Snapshot& s) { EXPECT_EQ(s.i64(kAccessedAt, Id(s, "fruit")), kNow); }},
      {"RecallConcepts: removed meanwhile", recall, Removes("fruit")},
      {"DampenConcept: raised meanwhile", dampen, raise},
      {"ActivateRelated: removed meanwhile", activate, Removes("fruit")},
  };
}

TEST(StaleBatches, AreRefusedOrRight) {
  std::vector<Row> rows = TermRows();
  for (auto more : {MemoryRows(), ConceptRows()}) rows.insert(rows.end(), more.begin(), more.end());
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const auto graph = SmallWorld();
    const WriteBatch batch = row.make(graph->snapshot());
    EXPECT_FALSE(batch.empty());
    {  // nobody was faster
      const auto alone = SmallWorld();
      const auto applied = alone->Apply(batch);
      EXPECT_TRUE(applied) << applied.error().ToString();
    }
    row.other(*graph);
    const Sequence before = graph->snapshot().sequence();
    const auto applied = graph->Apply(batch);
    if (row.conflict) {
      ASSERT_FALSE(applied);
      EXPECT_EQ(applied.error().code, ErrorCode::kConflict) << applied.error().ToString();
      EXPECT_EQ(graph->snapshot().sequence(), before);
      continue;
    }
    ASSERT_TRUE(applied) << applied.error().ToString();
    row.right(graph->snapshot());
  }
}

// Two threads that write texts of the same nodes, each batch made again when it is refused: every
// word finds the texts that have it, and no other.
TEST(StaleBatches, TwoWritersOfTexts) {
  const auto graph = Graph::InMemory();
  const auto write = [&](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (int i = 0; i < 400; ++i) {
      const std::string key = "n" + std::to_string(random() % 8);
      std::string text;
      for (int w = 0; w < 5; ++w) text += "w" + std::to_string(random() % 30) + " ";
      for (;;) {
        WriteBatch batch(kNow);
        batch.SetPayload(batch.UpsertNode(key), NodeField::kText, text);
        ASSERT_TRUE(AddTerms(graph->snapshot(), {}, batch, &SerialExecutor()));
        const auto applied = graph->Apply(batch);
        if (applied) break;
        ASSERT_EQ(applied.error().code, ErrorCode::kConflict) << applied.error().ToString();
      }
    }
  };
  std::thread other([&] { write(1); });
  write(2);
  other.join();
  EXPECT_EQ(NotIndexed(graph->snapshot()), 0u);
}

}  // namespace
}  // namespace plexus
