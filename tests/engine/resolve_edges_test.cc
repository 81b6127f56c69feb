// Resolving a batch, edges: identity, partial updates, direction, symmetric order,
// removal of nodes, the order of operations, and what the report counts.
#include <array>
#include <string>

#include <flatbuffers/flexbuffers.h>
#include <gtest/gtest.h>

#include "engine/vocabulary.h"
#include "tests/support/dump.h"
#include "tests/support/property_map.h"
#include "tests/support/writer_harness.h"

namespace plexus {
using namespace builtin;
namespace {

using namespace testing;
using B = WriteBatch;

B::EdgeInput Input(NodeRef source, EdgeKindRef kind, NodeRef target) {
  B::EdgeInput in;
  in.source = source;
  in.target = target;
  in.kind = kind;
  return in;
}

TEST(ResolveEdges, NewEdgeHasDefaults) {
  WriterHarness live;
  auto report = live.Do([](B& b) { b.Link(Input(b.Node("a"), kSupports, b.Node("b"))); });
  ASSERT_TRUE(report);
  EXPECT_EQ(Text(report->edges), "1/0/0/0");
  auto e = live.Find("a", kSupports, "b");
  ASSERT_TRUE(e);
  EXPECT_EQ(e->weight, 1.0f);
  EXPECT_EQ(e->created_at, 1000) << "the batch's time";
  EXPECT_EQ(e->created_by, 0u);
  EXPECT_EQ(e->valid_from, kNoTime);
  EXPECT_EQ(e->valid_until, kNoTime);
  EXPECT_FALSE(e->properties);
  EXPECT_FALSE(live.Find("b", kSupports, "a"));
  EXPECT_FALSE(live.Find("a", kLink, "b"));
}

TEST(ResolveEdges, PartialUpdatesKeepWhatIsStored) {
  WriterHarness live;
  ASSERT_TRUE(live.Do([](B& b) {
    auto in = Input(b.Node("a"), kSupports, b.Node("b"));
    in.label = "l";
    in.weight = 0.5f;
    in.created_at = 77;
    in.created_by = "me";
    in.valid_from = 10;
    in.valid_until = 20;
    b.Link(in);
  }));
  auto change = [&](auto set) {
    auto report = live.Do(
        [&](B& b) {
          auto in = Input(b.Node("a"), kSupports, b.Node("b"));
          in.label = "l";
          set(in);
          b.Link(in);
        },
        9000);
    EXPECT_TRUE(report);
    EXPECT_EQ(Text(report->edges), "0/1/0/0");
  };
  change([](auto& in) { in.weight = 0.75f; });
  auto e = *live.Find("a", kSupports, "b", "l");
  EXPECT_EQ(e.weight, 0.75f);
  EXPECT_EQ(e.created_at, 77);
  EXPECT_EQ(live.snapshot().string(e.created_by), "me");
  EXPECT_EQ(e.valid_from, 10);
  EXPECT_EQ(e.valid_until, 20);
  change([](auto& in) { in.valid_until = kNoTime; });
  change([](auto& in) { in.created_by = ""; });
  change([](auto& in) { in.created_at = 78; });
  e = *live.Find("a", kSupports, "b", "l");
  EXPECT_EQ(e.weight, 0.75f);
  EXPECT_EQ(e.created_at, 78);
  EXPECT_EQ(e.created_by, 0u);
  EXPECT_EQ(e.valid_from, 10);
  EXPECT_EQ(e.valid_until, kNoTime);
  change([](auto& in) { in.valid_from = kNoTime; });
  EXPECT_EQ(live.snapshot().CountEdges(Plane::kFact), 1u);
}

TEST(ResolveEdges, LabelsMakeParallelEdges) {
  WriterHarness live;
  ASSERT_TRUE(live.Do([](B& b) {
    NodeRef a = b.Node("a"), c = b.Node("b");
    for (const char* label : {"", "one", "two", "one"}) {
      auto in = Input(a, kLink, c);
      in.label = label;
      b.Link(in);
    }
  }));
  EXPECT_EQ(live.snapshot().CountEdges(Plane::kFact), 3u);
  ASSERT_TRUE(live.Do([](B& b) { b.Unlink(b.Node("a"), kLink, b.Node("b"), "one"); }));
  EXPECT_TRUE(live.Find("a", kLink, "b"));
  EXPECT_FALSE(live.Find("a", kLink, "b", "one"));
  EXPECT_TRUE(live.Find("a", kLink, "b", "two"));
}

TEST(ResolveEdges, InverseNamesAreStoredReversed) {
  WriterHarness live;
  ASSERT_TRUE(live.Do([](B& b) {
    b.DefineEdgeKind({.name = "mentors", .inverse = "mentored_by"});
    b.Link(b.Node("pupil"), b.EdgeKindNamed("mentored_by"), b.Node("teacher"), 0.5f);
    b.Link(b.Node("effect"), b.EdgeKindNamed("caused_by"), b.Node("cause"));
  }));
  EdgeKindId mentors = live.snapshot().schema().FindEdgeKind("mentors")->kind;
  ASSERT_TRUE(live.Find("teacher", mentors, "pupil"));
  EXPECT_EQ(live.Find("teacher", mentors, "pupil")->weight, 0.5f);
  EXPECT_FALSE(live.Find("pupil", mentors, "teacher"));
  EXPECT_TRUE(live.Find("cause", kCauses, "effect"));
  // The same edge under both names is one edge; unlinking works by either.
  auto report = live.Do([](B& b) {
    b.Link(b.Node("teacher"), b.EdgeKindNamed("mentors"), b.Node("pupil"), 0.5f);
    b.Unlink(b.Node("effect"), b.EdgeKindNamed("caused_by"), b.Node("cause"));
  });
  EXPECT_EQ(Text(report->edges), "0/0/1/1");
  EXPECT_FALSE(live.Find("cause", kCauses, "effect"));
}

TEST(ResolveEdges, SymmetricKindsAreOneEdgeInEitherOrder) {
  WriterHarness live;
  ASSERT_TRUE(live.Do([](B& b) {
    b.UpsertNode("a");
    b.UpsertNode("b");
    b.Link(b.Node("b"), kContradicts, b.Node("a"), 0.5f);
  }));
  Snapshot s = live.snapshot();
  EXPECT_EQ(s.CountEdges(Plane::kFact), 1u);
  auto e = live.Find("a", kContradicts, "b");
  ASSERT_TRUE(e);
  EXPECT_EQ(e->source, 0u) << "the smaller id";
  EXPECT_EQ(e->target, 1u);
  EXPECT_EQ(live.Find("b", kContradicts, "a")->source, 0u);
  for (Direction d : {Direction::kOut, Direction::kIn, Direction::kBoth})
    for (NodeId v : {0u, 1u}) EXPECT_EQ(s.Degree(d, v, ArcFilter::All()), 1u);
  auto report = live.Do([](B& b) {
    b.Link(b.Node("a"), kContradicts, b.Node("b"), 0.25f);
    b.Link(b.Node("b"), kContradicts, b.Node("a"), 0.5f);
  });
  EXPECT_EQ(Text(report->edges), "0/0/1/0") << "the last wins, which is what is stored";
  report = live.Do([](B& b) { b.Unlink(b.Node("b"), kContradicts, b.Node("a")); });
  EXPECT_EQ(Text(report->edges), "0/0/0/1");
  EXPECT_FALSE(live.Find("a", kContradicts, "b"));
}

TEST(ResolveEdges, OrderInsideABatch) {
  WriterHarness live;
  auto a_to_b = [](B& b, float w) { b.Link(b.Node("a"), kLink, b.Node("b"), w); };
  // Link then unlink of what was not there: nothing happened.
  auto report = live.Do([&](B& b) {
    b.UpsertNode("a"), b.UpsertNode("b");
    a_to_b(b, 1);
    b.Unlink(b.Node("a"), kLink, b.Node("b"));
  });
  EXPECT_EQ(Text(report->edges), "0/0/1/0");
  EXPECT_FALSE(live.Find("a", kLink, "b"));
  // Unlink then link: there, with a fresh created_at.
  ASSERT_TRUE(live.Do([&](B& b) { a_to_b(b, 1); }));
  report = live.Do(
      [&](B& b) {
        b.Unlink(b.Node("a"), kLink, b.Node("b"));
        b.Link(Input(b.Node("a"), kLink, b.Node("b")));
      },
      2000);
  EXPECT_EQ(Text(report->edges), "0/1/0/0");
  EXPECT_EQ(live.Find("a", kLink, "b")->created_at, 2000);
  // Link, then remove an endpoint: gone.
  report = live.Do(
      [&](B& b) {
        a_to_b(b, 3);
        b.Link(b.Node("a"), kSupports, b.Node("b"));
        b.RemoveNode(b.Node("b"));
      },
      2000);
  EXPECT_EQ(Text(report->edges), "0/0/1/1");
  EXPECT_FALSE(live.Find("a", kLink, "b"));
  EXPECT_FALSE(live.Alive("b"));
  // Remove, then link: the endpoint is revived, only the new edge is there.
  ASSERT_TRUE(live.Do(
      [&](B& b) {
        b.Link(b.Node("a"), kSupports, b.Node("b"));
        b.RemoveNode(b.Node("a"));
        a_to_b(b, 4);
      },
      2000));
  EXPECT_TRUE(live.Alive("a"));
  EXPECT_TRUE(live.Alive("b"));
  EXPECT_FALSE(live.Find("a", kSupports, "b"));
  EXPECT_EQ(live.Find("a", kLink, "b")->weight, 4.0f);
  EXPECT_EQ(live.snapshot().CountEdges(Plane::kFact), 1u);
  // Two removals with a link between them: gone.
  ASSERT_TRUE(live.Do([&](B& b) {
    b.RemoveNode(b.Node("a"));
    a_to_b(b, 5);
    b.RemoveNode(b.Node("b"));
    b.UpsertNode("b");
  }));
  EXPECT_FALSE(live.Find("a", kLink, "b"));
  EXPECT_TRUE(live.Alive("a"));
  EXPECT_TRUE(live.Alive("b"));
  EXPECT_EQ(live.snapshot().CountEdges(Plane::kFact), 0u);
}

TEST(ResolveEdges, RemovalTakesEveryEdgeOfBothRows) {
  WriterHarness live;
  EdgeKindId friends{};
  ASSERT_TRUE(live.Do([&](B& b) {
    b.DefineEdgeKind({.name = "friends", .inverse = "", .symmetric = true});
    NodeRef x = b.UpsertNode("x"), y = b.UpsertNode("y"), z = b.UpsertNode("z");
    b.Link(x, kLink, y);
    b.Link(y, kLink, x);
    b.Link(y, kLink, y);  // a self-loop
    b.Link(x, kContradicts, y);
    b.Link(y, kSimilar, z);
    b.Link(y, b.EdgeKindNamed("friends"), y);
    b.Link(x, kLink, z);
    auto in = Input(z, kLink, y);
    in.label = "l";
    b.Link(in);
  }));
  friends = live.snapshot().schema().FindEdgeKind("friends")->kind;
  EXPECT_EQ(live.snapshot().Degree(Direction::kOut, 1,
                                   ArcFilter::Kinds(live.snapshot().schema(), std::array{friends})),
            1u)
      << "a symmetric self-loop is one arc";
  for (bool compact : {false, true}) {
    WriterHarness copy;
    auto records = live.store->Records();
    ASSERT_TRUE(copy.writer.Apply(records[0]));
    ASSERT_TRUE(copy.store->Append(records, Durability::kSync));
    if (compact) copy.Compact();
    auto report = copy.Do([](B& b) { b.RemoveNode(b.Node("y")); });
    ASSERT_TRUE(report);
    EXPECT_EQ(Text(report->edges), "0/0/0/7");
    Snapshot s = copy.snapshot();
    EXPECT_EQ(s.CountEdges(Plane::kFact), 1u);
    for (Direction d : {Direction::kOut, Direction::kIn, Direction::kBoth})
      EXPECT_EQ(s.Degree(d, 1, ArcFilter::All()), 0u);
    EXPECT_TRUE(copy.Find("x", kLink, "z"));
  }
}

// An event's members: the edge outlives its target, not its source.
TEST(ResolveEdges, MembersSurviveTheirTarget) {
  for (bool purge : {false, true}) {
    WriterHarness live;
    ASSERT_TRUE(live.Do([](B& b) {
      NodeRef event = b.IndexNode(kEvent, "e");
      b.UpsertNode(event);
      auto in = Input(event, kMember, b.UpsertNode("m", kMemory));
      in.label = "primary";
      b.Link(in);
      b.Link(b.UpsertNode("n"), kLink, b.Node("m"));
    }));
    auto remove = [&](B& b, NodeRef x) { purge ? b.PurgeNode(x) : b.RemoveNode(x); };
    auto report = live.Do([&](B& b) { remove(b, b.Node("m")); });
    ASSERT_TRUE(report);
    EXPECT_EQ(Text(report->edges), "0/0/0/1");
    EXPECT_EQ(Text(report->index), "0/0/0/0");
    const std::string event = IndexKey("event", "e");
    EXPECT_TRUE(live.Find(event, kMember, "m", "primary"));
    EXPECT_EQ(live.snapshot().CountEdges(Plane::kIndex), 1u);
    EXPECT_EQ(live.snapshot().Degree(Direction::kIn, live.Id("m"), ArcFilter::All()), 1u);
    // A new membership of a dead memory does not bring it back.
    ASSERT_TRUE(live.Do([](B& b) {
      auto in = Input(b.IndexNode(kEvent, "e"), kMember, b.Node("m"));
      in.label = "related";
      b.Link(in);
    }));
    EXPECT_TRUE(live.Find(event, kMember, "m", "related"));
    EXPECT_FALSE(live.Alive("m"));
    // The event's removal takes them along.
    report = live.Do([&](B& b) { remove(b, b.IndexNode(kEvent, "e")); });
    EXPECT_EQ(Text(report->index), "0/0/0/2");
    EXPECT_EQ(live.snapshot().CountEdges(Plane::kIndex), 0u);
    // A member edge of a dead event revives the event.
    ASSERT_TRUE(live.Do([](B& b) { b.Link(b.IndexNode(kEvent, "e"), kMember, b.Node("m")); }));
    EXPECT_TRUE(live.Alive(event));
    EXPECT_FALSE(live.Alive("m"));
  }
}

// A purge erases the properties of edges that outlive it; equal bytes set again in
// the same batch are written anew.
TEST(ResolveEdges, PurgeTakesThePropertiesOfSurvivingEdges) {
  const std::string properties = PropertyBytes("preview", 1);
  WriterHarness live;
  auto member = [&](B& b) {
    auto in = Input(b.IndexNode(kEvent, "e"), kMember, b.Node("m"));
    in.label = "primary";
    in.properties = properties;
    b.Link(in);
  };
  ASSERT_TRUE(live.Do([&](B& b) {
    b.UpsertNode("m", kMemory);
    member(b);
  }));
  const std::string event = IndexKey("event", "e");
  const PayloadRef first = live.Find(event, kMember, "m", "primary")->properties;
  ASSERT_TRUE(first);
  auto report = live.Do([&](B& b) {
    b.PurgeNode(b.Node("m"));
    member(b);
  });
  ASSERT_TRUE(report);
  const PayloadRef second = live.Find(event, kMember, "m", "primary")->properties;
  ASSERT_TRUE(second);
  EXPECT_NE(second, first);
  EXPECT_EQ(live.snapshot().Payload(second), properties);
  ASSERT_TRUE(live.Do([&](B& b) { b.UpsertNode("m"); }));
  report = live.Do([&](B& b) { b.PurgeNode(b.Node("m")); });
  ASSERT_TRUE(report);
  EXPECT_EQ(Text(report->index), "0/1/0/0");
  auto left = live.Find(event, kMember, "m", "primary");
  ASSERT_TRUE(left) << "the edge itself stays";
  EXPECT_FALSE(left->properties);
}

// Its place in the event is nothing of a member's own.
TEST(ResolveEdges, APurgedMemberKeepsItsRankAlone) {
  WriterHarness live;
  const std::string event = IndexKey("event", "e");
  flexbuffers::Builder made;
  made.Map([&] {
    made.Int("rank", 2);
    made.Double("trust", 0.5);
    made.String("preview", "secret");
  });
  made.Finish();
  const std::string properties(made.GetBuffer().begin(), made.GetBuffer().end());
  ASSERT_TRUE(live.Do([&](B& b) {
    auto in = Input(b.IndexNode(kEvent, "e"), kMember, b.Node("m"));
    in.label = "primary";
    in.properties = properties;
    b.Link(in);
  }));
  for (int round = 0; round < 2; ++round) {  // of the next life, too
    ASSERT_TRUE(live.Do([&](B& b) { b.PurgeNode(b.Node("m")); }));
    const auto left = live.Find(event, kMember, "m", "primary");
    ASSERT_TRUE(left);
    ASSERT_TRUE(left->properties);
    EXPECT_EQ(live.snapshot().Payload(left->properties), PropertyBytes("rank", 2));
    ASSERT_TRUE(live.Do([&](B& b) { b.UpsertNode("m"); }));
  }
  // Also where the batch of the purge writes the edge, or its properties, before.
  for (const bool again : {false, true}) {
    ASSERT_TRUE(live.Do([&](B& b) {
      auto in = Input(b.IndexNode(kEvent, "e"), kMember, b.Node("m"));
      in.label = "primary";
      in.weight = again ? 0.25 : 0.5;
      if (again) in.properties = properties;
      b.Link(in);
      b.PurgeNode(b.Node("m"));
    }));
    const auto left = live.Find(event, kMember, "m", "primary");
    ASSERT_TRUE(left && left->properties) << again;
    EXPECT_EQ(live.snapshot().Payload(left->properties), PropertyBytes("rank", 2));
    ASSERT_TRUE(live.Do([&](B& b) { b.UpsertNode("m"); }));
  }
}

// A self-loop of a kind that survives its target still has a source to revive.
TEST(ResolveEdges, SurvivingSelfLoopRevivesItsSource) {
  WriterHarness live;
  ASSERT_TRUE(live.Do([](B& b) {
    b.DefineEdgeKind({.name = "keeps", .inverse = "", .survives_removal = true});
    b.UpsertNode("x");
  }));
  ASSERT_TRUE(live.Do([](B& b) { b.RemoveNode(b.Node("x")); }));
  ASSERT_TRUE(live.Do([](B& b) { b.Link(b.Node("x"), b.EdgeKindNamed("keeps"), b.Node("x")); }));
  EXPECT_TRUE(live.Alive("x"));
}

TEST(ResolveEdges, PropertiesAreAPayload) {
  const std::string one = PropertyBytes("a", 1), two = PropertyBytes("a", 2);
  WriterHarness live;
  auto set = [&](std::string_view properties) {
    return live.Do([&](B& b) {
      auto in = Input(b.Node("a"), kLink, b.Node("b"));
      in.properties = properties;
      b.Link(in);
    });
  };
  auto report = set(one);
  ASSERT_TRUE(report) << report.error().ToString();
  auto e = *live.Find("a", kLink, "b");
  ASSERT_TRUE(e.properties);
  EXPECT_EQ(live.snapshot().Payload(e.properties), one);
  EXPECT_EQ(Text(set(one)->edges), "0/0/1/0") << "equal bytes are no change";
  EXPECT_EQ(Text(set(two)->edges), "0/1/0/0");
  EXPECT_EQ(live.snapshot().Payload(live.Find("a", kLink, "b")->properties), two);
  // An update of something else keeps them.
  ASSERT_TRUE(live.Do([&](B& b) { b.Link(b.Node("a"), kLink, b.Node("b"), 0.25f); }));
  EXPECT_EQ(live.snapshot().Payload(live.Find("a", kLink, "b")->properties), two);
  EXPECT_EQ(Text(set("")->edges), "0/1/0/0");
  EXPECT_FALSE(live.Find("a", kLink, "b")->properties);
}

TEST(ResolveEdges, CountsByPlane) {
  WriterHarness live;
  auto report = live.Do([](B& b) {
    NodeRef m = b.UpsertNode("m", kMemory), n = b.UpsertNode("n", kMemory);
    b.Link(m, kSupports, n);
    b.Link(m, kHasTag, b.IndexNode(kTag, "t"));
    b.Link(n, kHasTag, b.IndexNode(kTag, "t"));
  });
  EXPECT_EQ(Text(report->nodes), "2/0/0/0");
  EXPECT_EQ(Text(report->edges), "1/0/0/0");
  EXPECT_EQ(Text(report->index), "3/0/0/0");
  report = live.Do([](B& b) {
    b.Link(b.Node("m"), kSupports, b.Node("n"));
    b.Link(b.Node("m"), kSupports, b.Node("n"), 0.5f);
    b.Unlink(b.Node("m"), kHasTag, b.IndexNode(kTag, "t"));
    b.Unlink(b.Node("m"), kHasTag, b.IndexNode(kTag, "t"));
    b.Unlink(b.Node("n"), kSupports, b.Node("m"));
  });
  EXPECT_EQ(Text(report->edges), "0/1/1/0");
  EXPECT_EQ(Text(report->index), "0/0/0/1");
  EXPECT_EQ(live.snapshot().CountEdges(Plane::kIndex), 1u);
}

}  // namespace
}  // namespace plexus
