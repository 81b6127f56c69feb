// References belong to their batch: what Apply says of others, and of those that were never set.
#include "engine/batch_refs.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/graph.h"
#include "engine/vocabulary.h"
#include "tests/support/dump.h"
#include "tests/support/fails_with.h"
#include "tests/support/writer_harness.h"

namespace plexus {
using namespace builtin;
namespace {

using testing::Dump;
using testing::FailsWith;
using testing::WriterHarness;
using B = WriteBatch;

class Refs : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(live_.Do([](B& b) {
      b.DefineSpace({"v", 2, Metric::kL2});
      b.DefineColumn({"hits", ColumnType::kI64});
      b.Link(b.Node("a"), kLink, b.Node("b"));
    }));
  }
  // Apply refuses it by that operation and type, and changes nothing.
  void Refused(const B& batch, const std::string& operation, const std::string& what = "a NodeRef",
               bool unset = false) {
    const std::string before = Dump(live_.snapshot());
    const auto applied = live_.Apply(batch);
    ASSERT_TRUE(FailsWith(applied, ErrorCode::kInvalidArgument)) << operation;
    EXPECT_EQ(
        applied.error().message,
        "operation " + operation + ": " + what +
            (unset ? " that was never set" : " of another batch, or of this one before Clear()"));
    const auto preview = Preview(live_.snapshot(), batch);
    ASSERT_FALSE(preview) << operation;
    EXPECT_EQ(preview.error().message, applied.error().message);
    EXPECT_EQ(Dump(live_.snapshot()), before);
  }
  std::string Key(NodeId node) { return std::string(live_.snapshot().key(node)); }

  WriterHarness live_;
};

// What an operation may be given: by another batch, or never set.
struct Given {
  NodeRef node = {};
  NodeKindRef node_kind = {};
  EdgeKindRef edge_kind = {};
  ColumnRef column = {};
  SpaceRef space = {};
};

// Each operation by each reference that it takes. A node that was never set is not node 0, a kind
// not the first of the graph.
TEST_F(Refs, EveryOperationRefusesThem) {
  B other;
  (void)other.Node("first");
  const Given foreign = {other.Node("b"), other.NodeKindNamed("memory"),
                         other.EdgeKindNamed("supports"), other.ColumnNamed("hits"),
                         other.SpaceNamed("v")};
  const std::vector<float> values = {1, 2};
  using Use = std::function<void(B&, NodeRef own, const Given&)>;
  const std::pair<const char*, std::vector<Use>> uses[] = {
      {"a NodeRef",
       {
           [](B& b, NodeRef, const Given& g) { b.UpsertNode(g.node); },
           [](B& b, NodeRef, const Given& g) { b.UpsertNode(g.node, kMemory); },
           [](B& b, NodeRef, const Given& g) { b.RemoveNode(g.node); },
           [](B& b, NodeRef, const Given& g) { b.PurgeNode(g.node); },
           [](B& b, NodeRef, const Given& g) { b.SetF64(g.node, kTrust, 0.5); },
           [](B& b, NodeRef, const Given& g) { b.SetI64(g.node, kAccessedAt, 5); },
           [](B& b, NodeRef, const Given& g) { b.SetString(g.node, kScope, "s"); },
           [](B& b, NodeRef, const Given& g) { b.ClearColumn(g.node, kTrust); },
           [](B& b, NodeRef, const Given& g) { b.AddF64(g.node, kTrust, 0.5); },
           [](B& b, NodeRef, const Given& g) { b.AddI64(g.node, kAccessCount, 1); },
           [](B& b, NodeRef, const Given& g) { b.SetPayload(g.node, NodeField::kText, "t"); },
           [](B& b, NodeRef, const Given& g) { b.ClearPayload(g.node, NodeField::kText); },
           [&](B& b, NodeRef, const Given& g) { b.SetVector(g.node, b.SpaceNamed("v"), values); },
           [](B& b, NodeRef, const Given& g) { b.ClearVector(g.node, b.SpaceNamed("v")); },
           [](B& b, NodeRef own, const Given& g) { b.Link(g.node, kLink, own); },
           [](B& b, NodeRef own, const Given& g) { b.Link(own, kLink, g.node); },
           [](B& b, NodeRef own, const Given& g) {
             b.Link({.source = own, .target = g.node, .kind = kLink});
           },
           [](B& b, NodeRef own, const Given& g) {
             b.Link({.source = g.node, .target = own, .kind = kLink});
           },
           [](B& b, NodeRef own, const Given& g) { b.Unlink(g.node, kLink, own); },
           [](B& b, NodeRef own, const Given& g) { b.Unlink(own, kLink, g.node); },
           [](B& b, NodeRef, const Given& g) { b.ExpectNode(g.node); },
           [](B& b, NodeRef, const Given& g) { b.ExpectNoNode(g.node); },
           [](B& b, NodeRef, const Given& g) { b.ExpectF64(g.node, kTrust, std::nullopt); },
           [](B& b, NodeRef, const Given& g) { b.ExpectI64(g.node, kAccessedAt, 1); },
           [](B& b, NodeRef, const Given& g) { b.ExpectString(g.node, kScope, "s"); },
           [](B& b, NodeRef own, const Given& g) { b.ExpectEdge(g.node, kLink, own); },
           [](B& b, NodeRef own, const Given& g) { b.ExpectEdge(own, kLink, g.node); },
           [](B& b, NodeRef own, const Given& g) { b.ExpectNoEdge(own, kLink, g.node); },
       }},
      {"a NodeKindRef", {[](B& b, NodeRef, const Given& g) { b.UpsertNode("x", g.node_kind); }}},
      {"an EdgeKindRef",
       {
           [](B& b, NodeRef own, const Given& g) { b.Link(own, g.edge_kind, own); },
           [](B& b, NodeRef own, const Given& g) { b.Unlink(own, g.edge_kind, own); },
           [](B& b, NodeRef own, const Given& g) { b.ExpectEdge(own, g.edge_kind, own); },
           [](B& b, NodeRef own, const Given& g) {
             b.Link({.source = own, .target = own, .kind = g.edge_kind});
           },
       }},
      {"a ColumnRef",
       {
           [](B& b, NodeRef own, const Given& g) { b.SetF64(own, g.column, 1); },
           [](B& b, NodeRef own, const Given& g) { b.SetI64(own, g.column, 1); },
           [](B& b, NodeRef own, const Given& g) { b.AddI64(own, g.column, 1); },
           [](B& b, NodeRef own, const Given& g) { b.ClearColumn(own, g.column); },
           [](B& b, NodeRef own, const Given& g) { b.ExpectF64(own, g.column, 1); },
           [](B& b, NodeRef own, const Given& g) { b.ExpectI64(own, g.column, 1); },
       }},
      {"a SpaceRef",
       {
           [&](B& b, NodeRef own, const Given& g) { b.SetVector(own, g.space, values); },
           [](B& b, NodeRef own, const Given& g) { b.ClearVector(own, g.space); },
       }}};
  for (const auto& [what, operations] : uses)
    for (std::size_t i = 0; i < operations.size(); ++i)
      for (const bool unset : {false, true}) {
        SCOPED_TRACE(std::string(what) + ", operation " + std::to_string(i));
        B batch(1000);
        const NodeRef own = batch.UpsertNode("a");  // operation 1, and there is one of that number
        (void)batch.Node("c");
        (void)batch.NodeKindNamed("concept");  // the same numbers stand for something here, too
        (void)batch.EdgeKindNamed("causes");
        (void)batch.ColumnNamed("trust");
        (void)batch.SpaceNamed("v");
        batch.Link(own, kLink, own);
        const Given given = unset ? Given() : foreign;
        operations[i](batch, own, given);
        operations[i](batch, own, given);
        EXPECT_FALSE(batch.CheckRefs());
        Refused(batch, "3", what, unset);
        B joined(1000), copy = batch;
        joined.UpsertNode("d");
        joined.Append(batch);
        Refused(joined, "4", what, unset);
        Refused(copy, "3", what, unset);
      }
  EXPECT_FALSE(NodeRef() == NodeRef::Id(0));
  EXPECT_FALSE(EdgeKindRef() == EdgeKindRef(EdgeKindId{}));
  EXPECT_EQ(ApplyReport().id(NodeRef()), kNoNode);
  B batch(1000);
  batch.ExpectSequence(live_.snapshot().sequence());  // of no node
  batch.UpsertNode(NodeRef::Id(0));
  EXPECT_TRUE(live_.Apply(batch));
}

TEST_F(Refs, ClearEndsAllReferences) {
  B batch(1000);
  const NodeRef kept = batch.Node("a");
  const ColumnRef hits = batch.ColumnNamed("hits");
  batch.UpsertNode(kept);
  batch.Clear();
  EXPECT_EQ(batch.op_count(), 0u);
  const NodeRef b = batch.UpsertNode("b");  // the same number
  EXPECT_NE(b, kept);
  batch.SetF64(kept, kStability, 0.5);
  Refused(batch, "2");
  batch.Clear();  // and the error
  batch.SetI64(batch.Node("a"), hits, 4);
  Refused(batch, "1", "a ColumnRef");
  batch.Clear();
  batch.SetF64(batch.Node("b"), kStability, 0.5);
  EXPECT_TRUE(live_.Apply(batch));
}

TEST_F(Refs, IdsOfTheGraphBelongToEveryBatch) {
  const NodeRef a = NodeRef::Id(*live_.snapshot().Find("a"));
  EXPECT_FALSE(a.local());
  for (int i = 0; i < 2; ++i) {
    B batch(1000);
    batch.SetF64(a, kStability, i);
    batch.Link(batch.Node("c"), kSupports, a);
    EXPECT_TRUE(live_.Apply(batch));
  }
}

TEST_F(Refs, ACopyTakesWhatWasNamedBeforeIt) {
  B origin(1000);
  const NodeRef a = origin.Node("a");
  const EdgeKindRef likes = origin.EdgeKindNamed("likes");
  B copy = origin;
  const NodeRef later = origin.Node("later");  // not the copy's, though it may name as many
  const EdgeKindRef hates = origin.EdgeKindNamed("hates");
  const NodeRef here = copy.Node("here");
  EXPECT_EQ(here.index(), later.index());
  EXPECT_NE(here, later);
  EXPECT_EQ(copy.key(a), "a");
  EXPECT_EQ(copy.key(here), "here");
  EXPECT_EQ(copy.edge_kind_name(likes), "likes");
  copy.Link(a, likes, here);
  ASSERT_TRUE(copy.CheckRefs());
  B second = copy;  // of a copy: references of both
  second.Link(here, likes, a);
  second.Link(second.Node("c"), second.EdgeKindNamed("fears"), a);
  const auto report = live_.Apply(second);
  ASSERT_TRUE(report) << report.error().ToString();
  EXPECT_EQ(Key(report->id(a)), "a");
  EXPECT_EQ(Key(report->id(here)), "here");
  EXPECT_EQ(report->id(later), kNoNode);

  B third = copy;
  third.Link(a, likes, later);
  Refused(third, "2");
  copy.Link(a, hates, here);
  Refused(copy, "2", "an EdgeKindRef");
  origin.Link(a, likes, here);
  Refused(origin, "1");

  B unnamed = origin;  // a copy that names nothing itself knows where its origin stood
  unnamed.Clear();
  unnamed.UpsertNode(a);
  Refused(unnamed, "1");
}

TEST_F(Refs, AMoveTakesAllAndLeavesANewBatch) {
  B from(1000);
  const NodeRef a = from.Node("a");
  B to = std::move(from);
  to.SetF64(a, kTrust, 0.25);
  const NodeRef more = to.UpsertNode("more");
  EXPECT_EQ(to.key(more), "more");
  EXPECT_TRUE(live_.Apply(to));
  from.UpsertNode("b");  // NOLINT: a moved-from batch is a new one
  from.SetF64(a, kTrust, 0.75);
  Refused(from, "2");
  B assigned(5);
  const NodeRef gone = assigned.Node("gone");
  assigned = std::move(to);
  assigned.UpsertNode(a);
  EXPECT_TRUE(assigned.CheckRefs());
  assigned.UpsertNode(gone);
  Refused(assigned, "4");
  const B bad = std::move(assigned);
  Refused(bad, "4");
  assigned = B(1000);
  assigned.UpsertNode("b");
  EXPECT_TRUE(live_.Apply(assigned));
}

TEST_F(Refs, AppendNamesAnewAndKeepsErrors) {
  B batch(1000), other(1000);
  batch.UpsertNode("first");
  const NodeRef theirs = other.Node("theirs");
  other.Link(theirs, other.EdgeKindNamed("likes"), other.Node("b"), 2.0f);
  other.SetPayload(theirs, NodeField::kText, "t");
  batch.Append(other);
  std::vector<std::string> seen;  // what is read back is the batch's own
  batch.ForEachEdge(0, [&](NodeRef s, EdgeKindRef kind, NodeRef t, auto&&...) {
    for (const auto name : {batch.key(s), batch.edge_kind_name(kind), batch.key(t)})
      seen.emplace_back(name);
    batch.UpsertNode(s);
  });
  batch.ForEachTextChange([&](NodeRef node, B::TextChange, std::string_view, std::size_t) {
    EXPECT_EQ(batch.key(node), "theirs");
  });
  EXPECT_EQ(seen, (std::vector<std::string>{"theirs", "likes", "b"}));
  const auto report = live_.Apply(batch);
  ASSERT_TRUE(report) << report.error().ToString();
  EXPECT_EQ(report->id(theirs), kNoNode) << "it is of the other batch";
  EXPECT_EQ(Key(report->id(batch.named_node(1))), "theirs");
  batch.SetF64(theirs, kTrust, 1);
  Refused(batch, "5");

  B bad(1000), whole(1000);
  bad.UpsertNode("x");
  bad.RemoveNode(theirs);  // its second
  whole.UpsertNode("y");
  whole.Append(bad);
  Refused(whole, "3");
}

TEST_F(Refs, AReportKnowsItsOwn) {
  B batch(1000), other(1000);
  const NodeRef a = batch.UpsertNode("new a");
  const NodeRef b = batch.UpsertNode("new b");
  const NodeRef foreign = other.Node("new a");
  auto report = live_.Apply(batch);
  ASSERT_TRUE(report);
  EXPECT_EQ(Key(report->id(a)), "new a");
  EXPECT_EQ(Key(report->id(b)), "new b");
  EXPECT_EQ(report->id(foreign), kNoNode);
  EXPECT_EQ(report->id(NodeRef::Id(0)), 0u);
  EXPECT_EQ(report->id(batch.Node("after it")), kNoNode);
  const ApplyReport kept = *report;
  EXPECT_EQ(kept.id(b), report->id(b));
  batch.Clear();
  EXPECT_EQ(kept.id(b), report->id(b)) << "of the batch as it was";
  EXPECT_EQ(kept.id(batch.Node("new a")), kNoNode);
  EXPECT_EQ(ApplyReport().id(a), kNoNode);
}

TEST(RefsDeathTest, KeyOfAForeignReferenceIsAProgrammersError) {
  B batch, other;
  (void)batch.Node("a");
  const NodeRef foreign = other.Node("b");
  const EdgeKindRef kind = other.EdgeKindNamed("likes");
  EXPECT_DEATH((void)batch.key(foreign), "a NodeRef belongs to its batch");
  EXPECT_DEATH((void)batch.key(NodeRef::Id(0)), "a NodeRef belongs to its batch");
  EXPECT_DEATH((void)batch.edge_kind_name(kind), "an EdgeKindRef belongs to its batch");
}

// The same records whatever the stamps: they depend on how many batches the process has made.
TEST(RefsRecord, DoesNotKnowStamps) {
  const auto dump = [](int before) {
    std::vector<B> others(static_cast<std::size_t>(before));
    for (B& other : others) (void)other.Node("x");
    WriterHarness live;
    EXPECT_TRUE(live.Do([](B& b) {
      b.Link(b.UpsertNode("a", b.NodeKindNamed("person")), b.EdgeKindNamed("likes"), b.Node("b"));
    }));
    return Dump(live.snapshot());
  };
  EXPECT_EQ(dump(0), dump(1000));
}

TEST(RefsThreads, NoTwoBatchesShareAStamp) {
  constexpr int kThreads = 4, kBatches = 2000;
  std::vector<std::vector<std::uint32_t>> stamps(kThreads);
  std::vector<std::thread> threads;
  for (auto& mine : stamps)
    threads.emplace_back([&mine] {
      B batch;
      for (int i = 0; i < kBatches; ++i) {
        mine.push_back(batch.Node("a").stamp());
        batch.Clear();
      }
    });
  for (auto& thread : threads) thread.join();
  std::unordered_set<std::uint32_t> all;
  for (const auto& mine : stamps) all.insert(mine.begin(), mine.end());
  EXPECT_EQ(all.size(), std::size_t{kThreads} * kBatches);
  EXPECT_FALSE(all.contains(0));
}

TEST(BatchNames, NumbersAreThoseOfAModel) {
  engine_internal::BatchNames names;
  std::map<std::string, std::uint16_t> model;
  std::mt19937 random(3);
  for (int i = 0; i < 20'000; ++i) {
    const std::string name = "kind" + std::to_string(random() % (i < 40 ? 12 : 3'000));
    const auto [at, added] = model.emplace(name, static_cast<std::uint16_t>(model.size()));
    ASSERT_EQ(names.NumberOf(name), at->second) << name;
  }
  ASSERT_EQ(names.size(), model.size());
  for (const auto& [name, number] : model) EXPECT_EQ(names[number], name);
  names.clear();
  EXPECT_EQ(names.size(), 0u);
  EXPECT_EQ(names.NumberOf("kind1"), 0);
}

TEST(BatchNames, AsManyAsApplyCanHave) {
  engine_internal::BatchNames names;
  for (int i = 0; i < engine_internal::BatchNames::kTooMany; ++i)
    ASSERT_EQ(names.NumberOf(std::to_string(i)), i);
  EXPECT_EQ(names.NumberOf("one more"), engine_internal::BatchNames::kTooMany);
  EXPECT_EQ(names.NumberOf("65534"), 65534);
  EXPECT_EQ(names.size(), engine_internal::BatchNames::kTooMany);
}

}  // namespace
}  // namespace plexus
