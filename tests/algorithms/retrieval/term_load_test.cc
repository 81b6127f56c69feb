// The index of terms by loads is what its batches make of the graph: state, records and history to
// the bit, whatever was there before, the budget and the threads.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "algorithms/retrieval/terms.h"
#include "engine/bulk/load.h"
#include "engine/graph.h"
#include "engine/vocabulary.h"
#include "engine/writer/state_writer.h"
#include "tests/engine/bulk/loaded.h"
#include "tests/support/apply_to.h"
#include "tests/support/dump.h"
#include "tests/support/fakes.h"

namespace plexus::testing {
using namespace builtin;
using namespace retrieval;
namespace {

struct World {
  std::shared_ptr<FakeStore> store = std::make_shared<FakeStore>();
  std::unique_ptr<Graph> graph;
};

World MakeWorld(Executor& executor, const std::string& scope = "") {
  World world;
  GraphOptions options;
  options.executor = &executor;
  options.scope = scope;
  world.graph = Graph::Open(Snapshot(), world.store, options, world.store);
  return world;
}

std::string Text(std::mt19937_64& random) {
  std::string text;
  for (std::uint64_t words = random() % 12; words > 0; --words)
    text += "word" + std::to_string(random() % (1 + random() % 300)) + " ";
  return text;
}

Status IndexBy(LinkWriter& writer, const Graph& graph, const IndexTermsOptions& options) {
  const auto report = IndexTerms(graph.snapshot(), options,
                                 [&](const WriteBatch& batch) { return writer.Write(batch); });
  if (!report) return std::unexpected(report.error());
  return writer.Finish();
}

// `writer`: how the index is written; batches of it are cut alike.
using Way = std::function<Status(Graph&, const IndexTermsOptions&)>;

Status ByBatches(Graph& graph, const IndexTermsOptions& options) {
  PLEXUS_TRY(IndexTerms(graph.snapshot(), options, ApplyTo(graph)));
  return {};
}

// Texts, an index of some of them, and what happens to both in a life; `way` indexes twice.
void Live(std::uint64_t seed, Graph& graph, Executor& executor, const Way& way) {
  std::mt19937_64 random(seed);
  IndexTermsOptions options;
  options.batch_ops = 1 + random() % 150;
  options.now_ms = 50;
  options.run.executor = &executor;
  const auto key = [](std::uint64_t i) { return "memory " + std::to_string(i); };
  const auto write = [&](std::uint64_t from, std::uint64_t to, std::int64_t time) {
    WriteBatch batch(time);
    for (std::uint64_t i = from; i < to; ++i) {
      const NodeRef node = batch.UpsertNode(key(i), NodeKindRef(kMemory));
      batch.SetPayload(node, NodeField::kText, Text(random));
      if (i % 3 == 0) batch.Link(node, kHasTag, batch.IndexNode(kTag, "tag" + Text(random)));
      if (i % 4 == 0 && i > 0) batch.Link(node, kSupersedes, batch.UpsertNode(key(i - 1)), 0.5f);
    }
    ASSERT_TRUE(graph.Apply(batch));
  };
  const std::uint64_t first = random() % 60, all = first + random() % 120;
  write(0, first, 10);
  if (seed % 3 == 0) {
    ASSERT_TRUE(way(graph, options));
  }
  if (seed % 4 == 1) {  // by hand, with frequencies that are wrong
    WriteBatch batch(20);
    for (std::uint64_t i = 0; i < first; ++i)
      batch.Link(batch.Node(key(i)), kHasTerm,
                 batch.IndexNode(kTerm, "word" + std::to_string(random() % 20)), 7);
    ASSERT_TRUE(graph.Apply(batch));
  }
  write(first, all, 30);
  WriteBatch removes(40);
  for (std::uint64_t i = 0; i < all; ++i)
    if (random() % 7 == 0) removes.RemoveNode(removes.Node(key(i)));
  for (int i = 0; i < 5 && seed % 5 == 0; ++i)
    removes.RemoveNode(removes.IndexNode(kTerm, "word" + std::to_string(i)));
  ASSERT_TRUE(graph.Apply(removes));
  if (seed % 2) {
    ASSERT_TRUE(graph.Compact());
  }
  ASSERT_TRUE(way(graph, options));
  if (seed % 6 == 2) {
    options.terms.stemmer = "";
    ASSERT_TRUE(way(graph, options));
  }
}

TEST(TermLoad, IsWhatItsBatchesMake) {
  const auto two = MakeThreadExecutor(2), three = MakeThreadExecutor(3);
  Executor* const executors[] = {&SerialExecutor(), two.get(), three.get()};
  std::uint64_t loads = 0;
  for (std::uint64_t seed = 0; seed < 36; ++seed) {
    SCOPED_TRACE(seed);
    const World batches = MakeWorld(SerialExecutor(), seed % 9 == 4 ? "team" : "");
    ASSERT_NO_FATAL_FAILURE(Live(seed, *batches.graph, SerialExecutor(), ByBatches));
    for (int i = 0; i < 3; ++i) {
      SCOPED_TRACE(i);
      const World loaded = MakeWorld(*executors[i], seed % 9 == 4 ? "team" : "");
      const auto way = [&](Graph& graph, const IndexTermsOptions& options) -> Status {
        LinkWriterOptions links;
        links.least = seed % 8 == 7 ? 40 : 1;
        const std::uint64_t budgets[] = {~std::uint64_t{0}, 500, 20'000};
        links.memory = budgets[(seed + static_cast<std::uint64_t>(i)) % 3];
        links.scratch = std::make_shared<MemoryScratch>();
        LinkWriter writer(graph, graph.snapshot(), links);
        PLEXUS_TRY(IndexBy(writer, graph, options));
        loads += writer.loads();
        return {};
      };
      ASSERT_NO_FATAL_FAILURE(Live(seed, *loaded.graph, *executors[i], way));
      ASSERT_TRUE(SameText(Dump(batches.graph->snapshot()), Dump(loaded.graph->snapshot())));
      ExpectSameRecords(batches.store->Records(), loaded.store->Records());
      EXPECT_EQ(loaded.store->violations(), 0);
      StateWriter replay(EmptyState());  // as a reopened graph reads its log
      replay.SetPayloadStore(loaded.store);
      for (const Record& record : loaded.store->Records()) ASSERT_TRUE(replay.Apply(record));
      ASSERT_TRUE(SameText(Dump(Snapshot(replay.Publish())), Dump(loaded.graph->snapshot())));
      ASSERT_TRUE(loaded.graph->Compact());
      if (i == 0) {
        ASSERT_TRUE(batches.graph->Compact());
      }
      ExpectSameGraphs(*batches.graph, *loaded.graph);
    }
  }
  EXPECT_GT(loads, 100u);
}

World WithTexts(int texts) {
  World world = MakeWorld(SerialExecutor());
  std::mt19937_64 random(5);
  WriteBatch batch(1);
  for (int i = 0; i < texts; ++i)
    batch.SetPayload(batch.UpsertNode("m" + std::to_string(i), NodeKindRef(kMemory)),
                     NodeField::kText, Text(random));
  EXPECT_TRUE(world.graph->Apply(batch));
  return world;
}

IndexTermsOptions SmallBatches() {
  IndexTermsOptions options;
  options.batch_ops = 50;
  options.now_ms = 2;
  return options;
}

LinkWriterOptions Loads() {
  LinkWriterOptions links;
  links.least = 1;
  return links;
}

TEST(TermLoad, StoppedItGoesOnWhenCalledAgain) {
  const World whole = WithTexts(200);
  ASSERT_TRUE(ByBatches(*whole.graph, SmallBatches()));
  int stopped = 0;
  for (const std::string_view phase : {"checking", "sorting", "writing"})
    for (int passed = 0; passed < 30; ++passed) {
      const World world = WithTexts(200);
      StopAt stop(phase, passed);
      LinkWriterOptions links = Loads();
      links.progress = &stop;
      LinkWriter writer(*world.graph, world.graph->snapshot(), links);
      const Status done = IndexBy(writer, *world.graph, SmallBatches());
      if (done) break;
      ASSERT_EQ(done.error().code, ErrorCode::kCancelled);
      EXPECT_FALSE(writer.refused());
      ++stopped;
      LinkWriter again(*world.graph, world.graph->snapshot(), Loads());
      ASSERT_TRUE(IndexBy(again, *world.graph, SmallBatches()));
      EXPECT_TRUE(SameText(Dump(whole.graph->snapshot()), Dump(world.graph->snapshot())));
    }
  EXPECT_GT(stopped, 4);
}

TEST(TermLoad, AnotherWriterIsAConflict) {
  const World world = WithTexts(100);
  LinkWriter writer(*world.graph, world.graph->snapshot(), Loads());
  bool wrote = false;
  const auto report =
      IndexTerms(world.graph->snapshot(), SmallBatches(), [&](const WriteBatch& batch) -> Status {
        if (!wrote) {
          WriteBatch other(1);
          other.SetPayload(other.UpsertNode("m1"), NodeField::kText, "another text");
          EXPECT_TRUE(world.graph->Apply(other));
        }
        wrote = true;
        return writer.Write(batch);
      });
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::kConflict);
  EXPECT_TRUE(writer.refused());
  EXPECT_FALSE(HasTerms(world.graph->snapshot()));
  ASSERT_TRUE(ByBatches(*world.graph, SmallBatches()));
}

TEST(TermLoad, FewAreApplied) {
  const World world = WithTexts(100);
  LinkWriter writer(*world.graph, world.graph->snapshot(), {});
  ASSERT_TRUE(IndexBy(writer, *world.graph, SmallBatches()));
  EXPECT_EQ(writer.loads(), 0u);
  const auto record = ReadTermRecord(world.graph->snapshot());
  ASSERT_TRUE(record);
  EXPECT_TRUE(CountNotIndexed(world.graph->snapshot(), *record, nullptr)->none());
}

TEST(TermLoad, BatchesKeepTheirTimes) {
  const World applied = WithTexts(4), loaded = WithTexts(4);
  LinkWriter writer(*loaded.graph, loaded.graph->snapshot(), Loads());
  for (const std::int64_t time : {7, 7, 9, 8, 20}) {
    WriteBatch batch(time);
    for (NodeId node = 0; node < 4; ++node)
      batch.Link(NodeRef::Id(node), kHasTerm,
                 batch.IndexNode(kTerm, std::to_string(time) + std::to_string(node % 3)), 2);
    ASSERT_TRUE(applied.graph->Apply(batch));
    ASSERT_TRUE(writer.Write(batch));
  }
  ASSERT_TRUE(writer.Finish());
  EXPECT_EQ(writer.loads(), 4u);
  EXPECT_TRUE(SameText(Dump(applied.graph->snapshot()), Dump(loaded.graph->snapshot())));
  ExpectSameRecords(applied.store->Records(), loaded.store->Records());
}

TEST(TermLoad, HooksStandAroundALoad) {
  const World world = WithTexts(100);
  std::string calls;
  LinkWriterOptions links = Loads();
  links.before = [&]() -> Status {
    calls += HasTerms(world.graph->snapshot()) ? "-" : "(";
    return {};
  };
  links.after = [&]() -> Status {
    calls += HasTerms(world.graph->snapshot()) ? ")" : "-";
    return {};
  };
  LinkWriter writer(*world.graph, world.graph->snapshot(), links);
  ASSERT_TRUE(IndexBy(writer, *world.graph, SmallBatches()));
  EXPECT_EQ(calls, "()");
}

// Loads of the index plane that a host gets wrong.
TEST(TermLoad, WrongLoadsOfTheIndexPlaneAreRefused) {
  const World world = WithTexts(2);
  const auto load = [&](std::string_view key, KindId node_kind, KindId edge_kind,
                        std::optional<Sequence> after) {
    EdgeLoad made;
    made.time_ms = 5;
    made.plane = Plane::kIndex;
    made.after = after;
    made.keys = StringTable(world.graph->snapshot().state().keys);
    made.keys.Insert(key);
    made.node_kinds = AlignedArray<KindId>(1, node_kind);
    LoadBatch batch;
    batch.edges = AlignedArray<NodePair>(1);
    batch.edges[0] = {0, 2};
    batch.kinds = AlignedArray<KindId>(1, edge_kind);
    batch.nodes = 3;
    made.batches.push_back(std::move(batch));
    const auto done = world.graph->Load(std::move(made));
    return done ? "" : done.error().message;
  };
  const std::string term = IndexKey("term", "x");
  constexpr KindId kOf = kTerm.value(), kHas = kHasTerm.value();
  EXPECT_NE(load("fact", kOf, kHas, {}).find("must be its kind"), std::string::npos);
  EXPECT_NE(load(term, kTag.value(), kHas, {}).find("is not that of its key"), std::string::npos);
  EXPECT_NE(load(term, kNode.value(), kHas, {}).find("is not that of its key"), std::string::npos);
  EXPECT_NE(load(term, kOf, kLink.value(), {}).find("is of the fact plane"), std::string::npos);
  EXPECT_NE(load(term, kOf, kHasTag.value(), {}).find("wants its target"), std::string::npos);
  EXPECT_NE(load(term, kOf, kHas, 7).find("the load expects 7"), std::string::npos);
  EXPECT_EQ(load(term, kOf, kHas, world.graph->snapshot().sequence()), "");
}

}  // namespace
}  // namespace plexus::testing
