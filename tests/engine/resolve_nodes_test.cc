// Resolving a batch, nodes: creation, kinds, columns, payloads, vectors, removal,
// purge, revival, and what the report counts.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/vocabulary.h"
#include "tests/support/dump.h"
#include "tests/support/vector_values.h"
#include "tests/support/writer_harness.h"

namespace plexus {
using namespace builtin;
namespace {

using namespace testing;
using B = WriteBatch;

TEST(ResolveNodes, IdsInOrderOfTheCallsThatCreate) {
  WriterHarness live;
  auto report = live.Do([](B& b) {
    b.Node("only named");
    NodeRef z = b.Node("z");
    b.UpsertNode("a", kMemory);
    NodeRef m = b.Node("m");
    b.Link(m, kLink, z);
  });
  ASSERT_TRUE(report);
  EXPECT_EQ(report->sequence, 1u);
  EXPECT_EQ(Text(report->nodes), "3/0/0/0");
  EXPECT_EQ(live.Id("z"), 0u);
  EXPECT_EQ(live.Id("a"), 1u);
  EXPECT_EQ(live.Id("m"), 2u);
  EXPECT_EQ(live.Id("only named"), kNoNode);
  Snapshot s = live.snapshot();
  EXPECT_EQ(s.node_kind(0), kNode);
  EXPECT_EQ(s.node_kind(1), kMemory);
  EXPECT_EQ(s.CountNodes(Plane::kFact), 3u);
  EXPECT_EQ(s.i64(kCreatedAt, 1), 1000) << "an upserted node is stamped";
  EXPECT_FALSE(s.i64(kCreatedAt, 0)) << "an implicit endpoint is not";
}

TEST(ResolveNodes, TheSameKeyTwiceIsOneNode) {
  WriterHarness live;
  auto report = live.Do([](B& b) {
    NodeRef x = b.UpsertNode("x"), y = b.UpsertNode("x", kConcept);
    b.SetF64(x, kTrust, 0.5);
    b.SetF64(y, kTrust, 0.75);
  });
  ASSERT_TRUE(report);
  Snapshot s = live.snapshot();
  EXPECT_EQ(s.node_count(), 1u);
  EXPECT_EQ(s.node_kind(0), kConcept);
  EXPECT_EQ(s.f64(kTrust, 0), 0.75) << "the last one wins";
}

TEST(ResolveNodes, ByIdAndByKeyAreTheSame) {
  WriterHarness live;
  ASSERT_TRUE(live.Do([](B& b) { b.UpsertNode("x"); }));
  ASSERT_TRUE(live.Do([](B& b) {
    b.SetF64(NodeRef::Id(0), kTrust, 0.5);
    b.SetF64(b.Node("x"), kRetention, 0.25);
  }));
  EXPECT_EQ(live.snapshot().f64(kTrust, 0), 0.5);
  EXPECT_EQ(live.snapshot().f64(kRetention, 0), 0.25);
}

TEST(ResolveNodes, PartialUpdatesKeepWhatIsStored) {
  WriterHarness live;
  const std::vector<float> v = {1, 2, 3};
  ASSERT_TRUE(live.Do([&](B& b) {
    b.DefineColumn({"stakes", ColumnType::kF64});
    b.DefineColumn({"count", ColumnType::kI64});
    b.DefineSpace({"s", 3, Metric::kL2});
    NodeRef x = b.UpsertNode("x", kMemory);
    b.SetF64(x, b.ColumnNamed("stakes"), 1.5);
    b.SetI64(x, b.ColumnNamed("count"), -7);
    b.SetString(x, kScope, "project");
    b.SetPayload(x, NodeField::kText, "hello");
    b.SetVector(x, b.SpaceNamed("s"), v);
  }));
  auto report = live.Do([](B& b) { b.SetF64(b.Node("x"), kTrust, 0.9); }, 2000);
  ASSERT_TRUE(report);
  EXPECT_EQ(Text(report->nodes), "0/1/0/0");
  Snapshot s = live.snapshot();
  EXPECT_EQ(s.node_kind(0), kMemory);
  EXPECT_EQ(s.f64(*s.schema().FindColumn("stakes"), 0), 1.5);
  EXPECT_EQ(s.i64(*s.schema().FindColumn("count"), 0), -7);
  EXPECT_EQ(s.scope(0), "project");
  EXPECT_EQ(s.Payload(0, NodeField::kText), "hello");
  EXPECT_EQ(testing::VectorOf(*s.space(SpaceId{}), 0)[2], 3.0f);
  EXPECT_EQ(s.i64(kCreatedAt, 0), 1000);
  EXPECT_EQ(s.f64(kTrust, 0), 0.9);
}

TEST(ResolveNodes, ClearRemovesAValue) {
  WriterHarness live;
  ASSERT_TRUE(live.Do([](B& b) {
    b.DefineSpace({"s", 2, Metric::kL2});
    NodeRef x = b.UpsertNode("x");
    b.SetF64(x, kTrust, 0.5);
    b.SetString(x, kScope, "p");
    b.SetPayload(x, NodeField::kText, "t");
    b.SetVector(x, b.SpaceNamed("s"), std::vector<float>{1, 2});
  }));
  auto report = live.Do([](B& b) {
    NodeRef x = b.Node("x");
    b.ClearColumn(x, kTrust);
    b.ClearColumn(x, kScope);
    b.ClearColumn(x, kRetention);  // was never set
    b.ClearPayload(x, NodeField::kText);
    b.ClearPayload(x, NodeField::kProperties);
    b.ClearVector(x, b.SpaceNamed("s"));
  });
  ASSERT_TRUE(report);
  EXPECT_EQ(Text(report->nodes), "0/1/0/0");
  EXPECT_EQ(Text(report->vectors), "0/0/0/1");
  Snapshot s = live.snapshot();
  EXPECT_FALSE(s.f64(kTrust, 0));
  EXPECT_EQ(s.scope(0), kDefaultScope);
  EXPECT_EQ(s.Payload(0, NodeField::kText).error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(s.space(SpaceId{})->has(0));
  // Set and clear in one batch: the last wins, either way.
  ASSERT_TRUE(live.Do([](B& b) {
    NodeRef x = b.Node("x");
    b.SetF64(x, kTrust, 1);
    b.ClearColumn(x, kTrust);
    b.ClearColumn(x, kRetention);
    b.SetF64(x, kRetention, 2);
  }));
  EXPECT_FALSE(live.snapshot().f64(kTrust, 0));
  EXPECT_EQ(live.snapshot().f64(kRetention, 0), 2.0);
}

TEST(ResolveNodes, ABatchThatChangesNothingGivesNoRecord) {
  WriterHarness live;
  auto fill = [](B& b) {
    b.DefineSpace({"s", 2, Metric::kL2});
    b.DefineEdgeKind({.name = "mentors", .inverse = ""});
    NodeRef x = b.UpsertNode("x", kMemory);
    b.SetF64(x, kTrust, 0.5);
    b.SetI64(x, kAccessCount, 3);
    b.SetString(x, kScope, "p");
    b.SetPayload(x, NodeField::kText, "text");
    b.SetVector(x, b.SpaceNamed("s"), std::vector<float>{1, -0.0f});
    NodeRef y = b.UpsertNode("y");
    b.Link({.source = x,
            .target = y,
            .kind = b.EdgeKindNamed("mentors"),
            .label = "l",
            .weight = 0.5f,
            .created_at = 5,
            .created_by = "me",
            .valid_from = 1,
            .valid_until = 2});
    b.Link(x, kContradicts, y, 0.25f);
  };
  ASSERT_TRUE(live.Do(fill));
  std::string before = Dump(live.snapshot());
  auto report = live.Do(fill, 5000);  // later: created_at stays
  ASSERT_TRUE(report) << report.error().ToString();
  EXPECT_EQ(live.record.sequence, 0u);
  EXPECT_EQ(report->sequence, 1u);
  EXPECT_EQ(Text(report->nodes), "0/0/2/0");
  EXPECT_EQ(Text(report->edges), "0/0/2/0");
  EXPECT_EQ(Text(report->vectors), "0/0/1/0");
  EXPECT_TRUE(SameText(before, Dump(live.snapshot())));
  EXPECT_EQ(live.store->appends(), 1u);
  // The empty batch, too.
  auto none = live.Do([](B&) {});
  ASSERT_TRUE(none);
  EXPECT_EQ(live.record.sequence, 0u);
  EXPECT_EQ(none->sequence, 1u);
}

TEST(ResolveNodes, DefinitionsAloneAreARecord) {
  WriterHarness live;
  auto report = live.Do([](B& b) { b.DefineNodeKind({"robot", Plane::kFact}); });
  ASSERT_TRUE(report);
  EXPECT_EQ(report->sequence, 1u);
  EXPECT_TRUE(live.snapshot().schema().FindNodeKind("robot"));
}

TEST(ResolveNodes, RemovalDropsValuesKeepsIdKeyAndKind) {
  WriterHarness live;
  ASSERT_TRUE(live.Do([](B& b) {
    b.DefineSpace({"s", 2, Metric::kL2});
    NodeRef x = b.UpsertNode("x", kMemory);
    b.SetF64(x, kTrust, 0.5);
    b.SetPayload(x, NodeField::kText, "t");
    b.SetVector(x, b.SpaceNamed("s"), std::vector<float>{1, 2});
    b.Link(x, kLink, b.UpsertNode("y"));
  }));
  auto report = live.Do([](B& b) { b.RemoveNode(b.Node("x")); });
  ASSERT_TRUE(report);
  EXPECT_EQ(Text(report->nodes), "0/0/0/1");
  EXPECT_EQ(Text(report->edges), "0/0/0/1");
  Snapshot s = live.snapshot();
  EXPECT_EQ(s.Find("x"), 0u);
  EXPECT_EQ(s.key(0), "x");
  EXPECT_FALSE(s.alive(0));
  EXPECT_FALSE(s.purged(0));
  EXPECT_EQ(s.node_kind(0), kMemory);
  EXPECT_FALSE(s.f64(kTrust, 0));
  EXPECT_FALSE(s.i64(kCreatedAt, 0));
  EXPECT_FALSE(s.payload_ref(0, NodeField::kText));
  EXPECT_FALSE(s.space(SpaceId{})->has(0));
  EXPECT_EQ(s.CountNodes(Plane::kFact), 1u);
  EXPECT_EQ(s.CountEdges(Plane::kFact), 0u);
  // Removing again changes nothing.
  auto again = live.Do([](B& b) { b.RemoveNode(b.Node("x")); });
  EXPECT_EQ(Text(again->nodes), "0/0/1/0");
  EXPECT_EQ(live.record.sequence, 0u);
}

TEST(ResolveNodes, RevivalIsAFreshNodeUnderTheSameId) {
  WriterHarness live;
  ASSERT_TRUE(live.Do([](B& b) {
    NodeRef x = b.UpsertNode("x", kMemory);
    b.SetF64(x, kTrust, 0.5);
    b.Link(x, kLink, b.UpsertNode("y"));
  }));
  ASSERT_TRUE(live.Do([](B& b) { b.RemoveNode(b.Node("x")); }));
  auto report = live.Do([](B& b) { b.UpsertNode("x"); }, 3000);
  EXPECT_EQ(Text(report->nodes), "1/0/0/0");
  Snapshot s = live.snapshot();
  EXPECT_EQ(s.Find("x"), 0u);
  EXPECT_TRUE(s.alive(0));
  EXPECT_EQ(s.node_kind(0), kNode);
  EXPECT_FALSE(s.f64(kTrust, 0));
  EXPECT_EQ(s.i64(kCreatedAt, 0), 3000);
  EXPECT_EQ(s.Degree(Direction::kOut, 0, ArcFilter::All()), 0u) << "edges do not come back";
}

TEST(ResolveNodes, EveryCreatingOperationRevives) {
  auto revives = [](auto fill) {
    WriterHarness live;
    EXPECT_TRUE(live.Do([](B& b) {
      b.DefineSpace({"s", 1, Metric::kL2});
      b.UpsertNode("x");
      b.UpsertNode("y");
    }));
    EXPECT_TRUE(live.Do([](B& b) { b.RemoveNode(b.Node("x")); }));
    auto report = live.Do([&](B& b) { fill(b, b.Node("x")); });
    EXPECT_TRUE(report);
    return live.Alive("x");
  };
  EXPECT_TRUE(revives([](B& b, NodeRef x) { b.UpsertNode(x); }));
  EXPECT_TRUE(revives([](B& b, NodeRef x) { b.SetF64(x, kTrust, 1); }));
  EXPECT_TRUE(revives([](B& b, NodeRef x) { b.SetI64(x, kAccessCount, 1); }));
  EXPECT_TRUE(revives([](B& b, NodeRef x) { b.SetString(x, kScope, "a"); }));
  EXPECT_TRUE(revives([](B& b, NodeRef x) { b.SetPayload(x, NodeField::kText, "a"); }));
  EXPECT_TRUE(
      revives([](B& b, NodeRef x) { b.SetVector(x, b.SpaceNamed("s"), std::vector<float>{1}); }));
  EXPECT_TRUE(revives([](B& b, NodeRef x) { b.Link(x, kLink, b.Node("y")); }));
  EXPECT_TRUE(revives([](B& b, NodeRef x) { b.Link(b.Node("y"), kLink, x); }));
  EXPECT_FALSE(revives([](B& b, NodeRef x) { b.Unlink(x, kLink, b.Node("y")); }));
  EXPECT_FALSE(revives([](B& b, NodeRef x) { b.ClearColumn(x, kTrust); }));
  EXPECT_FALSE(revives([](B& b, NodeRef x) { b.ClearPayload(x, NodeField::kText); }));
  EXPECT_FALSE(revives([](B& b, NodeRef x) { b.ClearVector(x, b.SpaceNamed("s")); }));
  EXPECT_FALSE(revives([](B& b, NodeRef x) { b.RemoveNode(x); }));
  EXPECT_FALSE(revives([](B& b, NodeRef x) { b.PurgeNode(x); }));
  EXPECT_FALSE(revives([](B&, NodeRef) {}));
}

TEST(ResolveNodes, OperationsOnUnknownKeysCreateNothing) {
  WriterHarness live;
  auto report = live.Do([](B& b) {
    NodeRef x = b.Node("unknown");
    b.RemoveNode(x);
    b.PurgeNode(x);
    b.ClearColumn(x, kTrust);
    b.ClearPayload(x, NodeField::kText);
    b.Unlink(x, kLink, b.Node("also unknown"));
  });
  ASSERT_TRUE(report) << report.error().ToString();
  EXPECT_EQ(live.record.sequence, 0u);
  EXPECT_EQ(Text(report->nodes), "0/0/4/0");
  EXPECT_EQ(Text(report->edges), "0/0/1/0");
  EXPECT_EQ(live.snapshot().node_count(), 0u);
}

TEST(ResolveNodes, OrderInsideABatch) {
  WriterHarness live;
  ASSERT_TRUE(live.Do([](B& b) { b.SetF64(b.UpsertNode("x"), kTrust, 0.5); }));
  // Remove, then add again: alive, old values gone.
  ASSERT_TRUE(live.Do(
      [](B& b) {
        NodeRef x = b.Node("x");
        b.SetF64(x, kRetention, 1);
        b.RemoveNode(x);
        b.UpsertNode(x);
        b.SetF64(x, kValence, 2);
      },
      4000));
  Snapshot s = live.snapshot();
  EXPECT_TRUE(s.alive(0));
  EXPECT_FALSE(s.f64(kTrust, 0));
  EXPECT_FALSE(s.f64(kRetention, 0));
  EXPECT_EQ(s.f64(kValence, 0), 2.0);
  EXPECT_EQ(s.i64(kCreatedAt, 0), 4000);
  // Add, then remove: dead. A new node too, and its id is spent.
  ASSERT_TRUE(live.Do([](B& b) {
    NodeRef y = b.UpsertNode("y");
    b.SetF64(y, kTrust, 1);
    b.RemoveNode(y);
    b.UpsertNode("z");
  }));
  EXPECT_FALSE(live.Alive("y"));
  EXPECT_EQ(live.Id("y"), 1u);
  EXPECT_EQ(live.Id("z"), 2u);
  EXPECT_FALSE(live.snapshot().f64(kTrust, 1));
}

// Removing what is not there yet is nothing, as if it stood in a batch of its own.
TEST(ResolveNodes, RemovalBeforeCreationIsNothing) {
  WriterHarness live;
  ASSERT_TRUE(live.Do([](B& b) {
    b.RemoveNode(b.Node("m"));
    b.PurgeNode(b.Node("m"));
    b.Link(b.IndexNode(kEvent, "e"), kMember, b.Node("m"));
    b.RemoveNode(b.Node("n"));
    b.Link(b.Node("n"), kLink, b.Node("m"));
  }));
  EXPECT_TRUE(live.Alive("m"));
  EXPECT_TRUE(live.Alive("n"));
  EXPECT_FALSE(live.snapshot().purged(live.Id("m")));
}

TEST(ResolveNodes, PurgeMarksAndErases) {
  WriterHarness live;
  ASSERT_TRUE(live.Do([](B& b) {
    NodeRef x = b.UpsertNode("x", kMemory);
    b.SetPayload(x, NodeField::kText, "secret");
  }));
  Snapshot past = live.snapshot();
  PayloadRef ref = past.payload_ref(0, NodeField::kText);
  ASSERT_TRUE(live.Do([](B& b) { b.PurgeNode(b.Node("x")); }));
  Snapshot s = live.snapshot();
  EXPECT_TRUE(s.purged(0));
  EXPECT_FALSE(s.alive(0));
  EXPECT_EQ(s.Payload(0, NodeField::kText).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(past.Payload(ref).error().code, ErrorCode::kNotFound) << "gone in the past as well";
  ASSERT_TRUE(live.Do([](B& b) { b.UpsertNode("x"); }));
  EXPECT_FALSE(live.snapshot().purged(0));
  EXPECT_TRUE(live.snapshot().alive(0));
  // Purging a removed node still erases.
  ASSERT_TRUE(live.Do([](B& b) { b.RemoveNode(b.Node("x")); }));
  ASSERT_TRUE(live.Do([](B& b) { b.PurgeNode(b.Node("x")); }));
  EXPECT_NE(live.record.sequence, 0u);
  EXPECT_TRUE(live.snapshot().purged(0));
  auto again = live.Do([](B& b) { b.PurgeNode(b.Node("x")); });
  EXPECT_EQ(live.record.sequence, 0u);
  EXPECT_EQ(Text(again->nodes), "0/0/1/0");
}

// The old reference's bytes die with the purge: equal bytes must be written anew.
TEST(ResolveNodes, PurgeThenTheSameBytesInOneBatch) {
  WriterHarness live;
  const std::vector<float> v = {1, 2};
  auto set = [&](B& b, NodeRef x) {
    b.SetPayload(x, NodeField::kText, "same");
    b.SetVector(x, b.SpaceNamed("s"), v);
  };
  ASSERT_TRUE(live.Do([&](B& b) {
    b.DefineSpace({"s", 2, Metric::kL2});
    set(b, b.UpsertNode("x"));
  }));
  PayloadRef old_vector = live.snapshot().space(SpaceId{})->ref(0);
  ASSERT_TRUE(live.Do([&](B& b) {
    NodeRef x = b.Node("x");
    b.PurgeNode(x);
    b.UpsertNode(x);
    set(b, x);
  }));
  Snapshot s = live.snapshot();
  ASSERT_TRUE(s.alive(0));
  EXPECT_EQ(s.Payload(0, NodeField::kText), "same");
  ASSERT_TRUE(s.space(SpaceId{})->has(0));
  EXPECT_NE(s.space(SpaceId{})->ref(0), old_vector);
  EXPECT_TRUE(s.Payload(s.space(SpaceId{})->ref(0)));
}

TEST(ResolveNodes, IndexNodes) {
  WriterHarness live;
  auto report = live.Do([](B& b) {
    NodeRef rust = b.IndexNode(kTag, "rust");
    b.Link(b.UpsertNode("m", kMemory), kHasTag, rust);
    b.UpsertNode(b.IndexNode(kEvent, "e1"));
  });
  ASSERT_TRUE(report) << report.error().ToString();
  EXPECT_EQ(Text(report->nodes), "1/0/0/0");
  EXPECT_EQ(Text(report->events), "1/0/0/0");
  EXPECT_EQ(Text(report->index), "2/0/0/0") << "the tag and its edge";
  Snapshot s = live.snapshot();
  NodeId rust = *s.Find(IndexKey("tag", "rust"));
  EXPECT_EQ(s.node_kind(rust), kTag);
  EXPECT_FALSE(s.is_fact(rust));
  EXPECT_FALSE(s.Find("rust"));
  EXPECT_EQ(s.CountNodes(Plane::kFact), 1u);
  EXPECT_EQ(s.CountNodes(Plane::kIndex), 2u);
  EXPECT_EQ(s.CountEdges(Plane::kFact), 0u);
  EXPECT_EQ(s.CountEdges(Plane::kIndex), 1u);
}

TEST(ResolveNodes, AppendedBatchesActInOrder) {
  WriterHarness once, joined;
  WriteBatch a(1000), b(1000), c(1000);
  NodeRef x = a.UpsertNode("x", a.NodeKindNamed("robot"));
  a.SetF64(x, kTrust, 0.5);
  a.Link({.source = x,
          .target = a.Node("y"),
          .kind = a.EdgeKindNamed("likes"),
          .label = "l1",
          .weight = 1.0f,
          .created_by = "me"});
  NodeRef x2 = b.Node("x");
  b.DefineColumn({"stakes", ColumnType::kI64});
  b.DefineSpace({"s", 2, Metric::kL2});
  b.RemoveNode(x2);
  b.UpsertNode(b.Node("q"), b.NodeKindNamed("other"));
  b.SetI64(b.Node("q"), b.ColumnNamed("stakes"), 3);
  b.SetVector(b.Node("q"), b.SpaceNamed("s"), std::vector<float>{1, 2});
  b.SetPayload(b.Node("q"), NodeField::kText, "t");
  b.Link({.source = b.Node("q"),
          .target = b.Node("y"),
          .kind = b.EdgeKindNamed("hates"),
          .label = "l2",
          .weight = 2.0f,
          .created_by = "you",
          .valid_from = 1});
  c.UpsertNode("x", c.NodeKindNamed("robot"));
  c.Link(c.Node("x"), c.EdgeKindNamed("likes"), c.Node("q"));
  for (const WriteBatch* batch : {&a, &b, &c}) ASSERT_TRUE(once.Apply(*batch));
  WriteBatch all(1000);
  for (const WriteBatch* batch : {&a, &b, &c}) all.Append(*batch);
  EXPECT_EQ(all.op_count(), a.op_count() + b.op_count() + c.op_count());
  auto report = joined.Apply(all);
  ASSERT_TRUE(report) << report.error().ToString();
  // Ids and sequences may differ; look by name.
  for (WriterHarness* live : {&once, &joined}) {
    Snapshot s = live->snapshot();
    EXPECT_TRUE(live->Alive("x"));
    EXPECT_FALSE(s.f64(kTrust, *s.Find("x")));
    EdgeKindId likes = s.schema().FindEdgeKind("likes")->kind,
               hates = s.schema().FindEdgeKind("hates")->kind;
    EXPECT_FALSE(live->Find("x", likes, "y", "l1"));
    auto e = live->Find("q", hates, "y", "l2");
    ASSERT_TRUE(e);
    EXPECT_EQ(s.string(e->created_by), "you");
    EXPECT_EQ(e->valid_from, 1);
    EXPECT_TRUE(live->Find("x", likes, "q"));
    NodeId q = *s.Find("q");
    EXPECT_EQ(s.schema().node_kind(s.node_kind(q)).name, "other");
    EXPECT_EQ(s.i64(*s.schema().FindColumn("stakes"), q), 3);
    EXPECT_EQ(s.Payload(q, NodeField::kText), "t");
    EXPECT_EQ(testing::VectorOf(*s.space(SpaceId{}), q)[1], 2.0f);
  }
}

TEST(ResolveNodes, BatchClearAndEmpty) {
  WriteBatch b(7);
  EXPECT_TRUE(b.empty());
  b.UpsertNode("x");
  EXPECT_FALSE(b.empty());
  EXPECT_EQ(b.op_count(), 1u);
  b.Clear();
  EXPECT_TRUE(b.empty());
  EXPECT_EQ(b.time_ms(), 7);
  EXPECT_EQ(b.op_count(), 0u);
}

TEST(ResolveNodes, TimeNeverRunsBackward) {
  WriterHarness live;
  ASSERT_TRUE(live.Do([](B& b) { b.UpsertNode("a"); }, 5000));
  ASSERT_TRUE(live.Do([](B& b) { b.UpsertNode("b"); }, 100));
  Snapshot s = live.snapshot();
  EXPECT_EQ(s.time_ms(), 5000);
  EXPECT_EQ(s.i64(kCreatedAt, 1), 5000);
  ASSERT_TRUE(live.Do([](B& b) { b.UpsertNode("c"); }, 6000));
  EXPECT_EQ(live.snapshot().time_ms(), 6000);
}

}  // namespace
}  // namespace plexus
