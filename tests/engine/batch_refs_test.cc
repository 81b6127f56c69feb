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

#include "engine/preview.h"
#include "engine/vocabulary.h"
#include "tests/support/dump.h"
#include "tests/support/writer_harness.h"

namespace plexus {
namespace {

using testing::Dump;
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
    ASSERT_FALSE(applied) << operation;
    EXPECT_EQ(applied.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(
        applied.error().message,
        "operation " + operation + ": " + what +
            (unset ? " that was never set" : " of another batch, or of this one before Clear()"));
    const auto preview = Preview(live_.snapshot(), batch);
    ASSERT_FALSE(preview) << operation;
    EXPECT_EQ(preview.error().message, applied.error().message);
    EXPECT_EQ(Dump(live_.snapshot()), before);
  }
  void RefusedUnset(const B& batch, const std::string& operation, const std::string& what) {
    Refused(batch, operation, what, true);
  }
  std::string Key(NodeId node) { return std::string(live_.snapshot().key(node)); }

  WriterHarness live_;
};

TEST_F(Refs, EveryOperationRefusesAForeignNode) {
  B other;
  (void)other.Node("first");
  const NodeRef foreign = other.Node("b");
  const std::vector<float> values = {1, 2};
  const std::vector<std::function<void(B&, NodeRef own)>> operations = {
      [&](B& b, NodeRef) { b.UpsertNode(foreign); },
      [&](B& b, NodeRef) { b.UpsertNode(foreign, kMemory); },
      [&](B& b, NodeRef) { b.RemoveNode(foreign); },
      [&](B& b, NodeRef) { b.PurgeNode(foreign); },
      [&](B& b, NodeRef) { b.SetF64(foreign, kTrust, 0.5); },
      [&](B& b, NodeRef) { b.SetI64(foreign, kAccessedAt, 5); },
      [&](B& b, NodeRef) { b.SetString(foreign, kScope, "s"); },
      [&](B& b, NodeRef) { b.ClearColumn(foreign, kTrust); },
      [&](B& b, NodeRef) { b.AddF64(foreign, kTrust, 0.5); },
      [&](B& b, NodeRef) { b.AddI64(foreign, kAccessCount, 1); },
      [&](B& b, NodeRef) { b.SetPayload(foreign, NodeField::kText, "t"); },
      [&](B& b, NodeRef) { b.ClearPayload(foreign, NodeField::kText); },
      [&](B& b, NodeRef) { b.SetVector(foreign, b.SpaceNamed("v"), values); },
      [&](B& b, NodeRef) { b.ClearVector(foreign, b.SpaceNamed("v")); },
      [&](B& b, NodeRef own) { b.Link(foreign, kLink, own); },
      [&](B& b, NodeRef own) { b.Link(own, kLink, foreign); },
      [&](B& b, NodeRef own) {
        B::EdgeInput edge;
        edge.source = own;
        edge.target = foreign;
        b.Link(edge);
      },
      [&](B& b, NodeRef own) { b.Unlink(foreign, kLink, own); },
      [&](B& b, NodeRef own) { b.Unlink(own, kLink, foreign); },
      [&](B& b, NodeRef) { b.ExpectNode(foreign); },
      [&](B& b, NodeRef) { b.ExpectNoNode(foreign); },
      [&](B& b, NodeRef) { b.ExpectF64(foreign, kTrust, std::nullopt); },
      [&](B& b, NodeRef) { b.ExpectI64(foreign, kAccessedAt, 1); },
      [&](B& b, NodeRef) { b.ExpectString(foreign, kScope, "s"); },
      [&](B& b, NodeRef own) { b.ExpectEdge(foreign, kLink, own); },
      [&](B& b, NodeRef own) { b.ExpectEdge(own, kLink, foreign); },
      [&](B& b, NodeRef own) { b.ExpectNoEdge(own, kLink, foreign); },
  };
  for (std::size_t i = 0; i < operations.size(); ++i) {
    SCOPED_TRACE(i);
    B batch(1000);
    const NodeRef own = batch.UpsertNode("a");  // operation 1, and there is a node of that number
    (void)batch.Node("c");
    batch.Link(own, kLink, own);
    operations[i](batch, own);
    operations[i](batch, own);
    EXPECT_FALSE(batch.CheckRefs());
    Refused(batch, "3");
  }
}

TEST_F(Refs, EveryKindColumnAndSpaceIsItsBatchsOwn) {
  B other;
  const NodeKindRef node_kind = other.NodeKindNamed("memory");
  const EdgeKindRef edge_kind = other.EdgeKindNamed("supports");
  const ColumnRef column = other.ColumnNamed("hits");
  const SpaceRef space = other.SpaceNamed("v");
  const std::vector<float> values = {1, 2};
  const auto refused = [&](const char* what, const std::function<void(B&)>& fill) {
    SCOPED_TRACE(what);
    B batch(1000);
    (void)batch.NodeKindNamed("concept");  // the same numbers stand for something here, too
    (void)batch.EdgeKindNamed("causes");
    (void)batch.ColumnNamed("trust");
    (void)batch.SpaceNamed("v");
    fill(batch);
    Refused(batch, "1", what);
  };
  refused("a NodeKindRef", [&](B& b) { b.UpsertNode("x", node_kind); });
  refused("an EdgeKindRef", [&](B& b) { b.Link(b.Node("a"), edge_kind, b.Node("b")); });
  refused("an EdgeKindRef", [&](B& b) { b.Unlink(b.Node("a"), edge_kind, b.Node("b")); });
  refused("an EdgeKindRef", [&](B& b) { b.ExpectEdge(b.Node("a"), edge_kind, b.Node("b")); });
  refused("an EdgeKindRef", [&](B& b) {
    B::EdgeInput edge;
    edge.source = edge.target = NodeRef::Id(0);
    edge.kind = edge_kind;
    b.Link(edge);
  });
  refused("a ColumnRef", [&](B& b) { b.SetI64(b.Node("a"), column, 1); });
  refused("a ColumnRef", [&](B& b) { b.AddI64(b.Node("a"), column, 1); });
  refused("a ColumnRef", [&](B& b) { b.ClearColumn(b.Node("a"), column); });
  refused("a ColumnRef", [&](B& b) { b.ExpectI64(b.Node("a"), column, 1); });
  refused("a SpaceRef", [&](B& b) { b.SetVector(b.Node("a"), space, values); });
  refused("a SpaceRef", [&](B& b) { b.ClearVector(b.Node("a"), space); });
}

// A forgotten end is not node 0, a forgotten kind not the first of the graph.
TEST_F(Refs, OneThatWasNeverSetIsRefused) {
  const auto link = [](B& b, bool source, bool target, bool kind) {
    B::EdgeInput edge;
    if (source) edge.source = b.Node("a");
    if (target) edge.target = b.Node("c");
    if (kind) edge.kind = kLink;
    b.Link(edge);
  };
  const std::vector<float> values = {1, 2};
  struct Case {
    std::string what;
    std::function<void(B&)> fill;
  };
  const std::vector<Case> cases = {
      {"a NodeRef", [&](B& b) { link(b, false, true, true); }},
      {"a NodeRef", [&](B& b) { link(b, true, false, true); }},
      {"an EdgeKindRef", [&](B& b) { link(b, true, true, false); }},
      {"a NodeRef", [](B& b) { b.Link(b.Node("a"), kLink, {}); }},
      {"an EdgeKindRef", [](B& b) { b.Link(b.Node("a"), {}, b.Node("b")); }},
      {"an EdgeKindRef", [](B& b) { b.Unlink(b.Node("a"), {}, b.Node("b")); }},
      {"an EdgeKindRef", [](B& b) { b.ExpectEdge(b.Node("a"), {}, b.Node("b")); }},
      {"a NodeRef", [](B& b) { b.ExpectNoEdge(b.Node("a"), kLink, {}); }},
      {"a NodeRef", [](B& b) { b.RemoveNode({}); }},
      {"a NodeRef", [](B& b) { b.ExpectNode(NodeRef()); }},
      {"a NodeRef", [](B& b) { b.UpsertNode(NodeRef()); }},
      {"a NodeKindRef", [](B& b) { b.UpsertNode("x", NodeKindRef()); }},
      {"a ColumnRef", [](B& b) { b.SetF64(b.Node("a"), {}, 1); }},
      {"a ColumnRef", [](B& b) { b.ExpectF64(b.Node("a"), {}, 1); }},
      {"a SpaceRef", [&](B& b) { b.SetVector(b.Node("a"), {}, values); }},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(i);
    B batch(1000);
    batch.UpsertNode("c");
    cases[i].fill(batch);
    RefusedUnset(batch, "2", cases[i].what);
    B joined(1000), copy = batch;
    joined.UpsertNode("d");
    joined.Append(batch);
    RefusedUnset(joined, "3", cases[i].what);
    RefusedUnset(copy, "2", cases[i].what);
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
  BatchNames names;
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
  BatchNames names;
  for (int i = 0; i < BatchNames::kTooMany; ++i) ASSERT_EQ(names.NumberOf(std::to_string(i)), i);
  EXPECT_EQ(names.NumberOf("one more"), BatchNames::kTooMany);
  EXPECT_EQ(names.NumberOf("65534"), 65534);
  EXPECT_EQ(names.size(), BatchNames::kTooMany);
}

}  // namespace
}  // namespace plexus
