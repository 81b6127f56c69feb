// Snapshot reads that the model test does not reach: filters, early stops, nested
// iteration, hub rows, clean bits, and the cost-free answers about absent things.
#include "engine/snapshot.h"

#include <array>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "engine/vocabulary.h"
#include "tests/support/dump.h"
#include "tests/support/writer_harness.h"

namespace plexus {
using namespace builtin;
namespace {

using namespace testing;
using B = WriteBatch;

std::vector<NodeId> Neighbors(const Snapshot& s, Direction d, NodeId v, const ArcFilter& filter) {
  std::vector<NodeId> all;
  s.ForEachArc(d, v, filter, [&](const Arc& a) { all.push_back(a.neighbor); });
  return all;
}

// a -link-> b, a -contradicts- c, d -supports-> a, a -has_tag-> t; then a delta.
class SnapshotRows : public ::testing::Test {
 protected:
  SnapshotRows() {
    EXPECT_TRUE(live_.Do([](B& b) {
      for (const char* key : {"a", "b", "c", "d"}) b.UpsertNode(key);
      b.Link(NodeNamed(b, "a"), kLink, NodeNamed(b, "b"), 0.5f);
      b.Link(NodeNamed(b, "a"), kContradicts, NodeNamed(b, "c"), 0.25f);
      b.Link(NodeNamed(b, "d"), kSupports, NodeNamed(b, "a"), 0.75f);
      b.Link(NodeNamed(b, "a"), kHasTag, b.IndexNode(kTag, "t"));
    }));
  }
  static NodeRef NodeNamed(B& b, const char* key) { return b.Node(key); }
  WriterHarness live_;
};

TEST_F(SnapshotRows, FiltersByKindAndPlane) {
  for (bool compact : {false, true}) {
    if (compact) live_.Compact();
    Snapshot s = live_.snapshot();
    const Schema& schema = s.schema();
    EXPECT_EQ(s.has_delta(), !compact);
    EXPECT_EQ(Neighbors(s, Direction::kOut, 0, ArcFilter::All()), (std::vector<NodeId>{1, 2, 4}));
    EXPECT_EQ(Neighbors(s, Direction::kOut, 0, ArcFilter::Kinds(schema, {})),
              (std::vector<NodeId>{1, 2}));
    EXPECT_EQ(Neighbors(s, Direction::kBoth, 0, ArcFilter::Kinds(schema, {})),
              (std::vector<NodeId>{1, 2, 3}))
        << "out row, then in row without symmetric arcs again";
    EXPECT_EQ(Neighbors(s, Direction::kOut, 0, ArcFilter::Kinds(schema, std::array{kHasTag})),
              (std::vector<NodeId>{4}));
    EXPECT_EQ(
        Neighbors(s, Direction::kIn, 0, ArcFilter::Kinds(schema, std::array{kSupports, kLink})),
        (std::vector<NodeId>{3}));
    EXPECT_EQ(
        Neighbors(s, Direction::kIn, 0, ArcFilter::Kinds(schema, std::array{EdgeKindId{60000}})),
        (std::vector<NodeId>{}))
        << "a kind that is not there matches nothing";
    EXPECT_EQ(s.Degree(Direction::kBoth, 0, ArcFilter::All()), 4u);
  }
}

TEST_F(SnapshotRows, AFunctionThatReturnsFalseStops) {
  for (bool compact : {false, true}) {
    if (compact) live_.Compact();
    Snapshot s = live_.snapshot();
    for (Direction d : {Direction::kOut, Direction::kBoth}) {
      int seen = 0;
      s.ForEachArc(d, 0, ArcFilter::All(), [&](const Arc&) { return ++seen < 2; });
      EXPECT_EQ(seen, 2);
    }
    int edges = 0;
    s.ForEachEdge(ArcFilter::All(), [&](const Edge&) { return ++edges < 3; });
    EXPECT_EQ(edges, 3);
  }
}

TEST_F(SnapshotRows, ALoopIsOneArcEitherWay) {
  EdgeKind peers;
  peers.name = "peers";
  peers.symmetric = true;
  ASSERT_TRUE(live_.Do([&](B& b) {
    b.DefineEdgeKind(peers);
    b.Link(NodeNamed(b, "b"), kLink, NodeNamed(b, "b"), 0.5f);
    b.Link(NodeNamed(b, "b"), b.EdgeKindNamed("peers"), NodeNamed(b, "b"), 0.5f);
  }));
  for (bool compact : {false, true}) {
    if (compact) live_.Compact();
    Snapshot s = live_.snapshot();
    EXPECT_EQ(Neighbors(s, Direction::kOut, 1, ArcFilter::All()), (std::vector<NodeId>{1, 1}));
    EXPECT_EQ(Neighbors(s, Direction::kIn, 1, ArcFilter::All()), (std::vector<NodeId>{0, 1, 1}));
    EXPECT_EQ(Neighbors(s, Direction::kBoth, 1, ArcFilter::All()), (std::vector<NodeId>{1, 1, 0}));
    EXPECT_EQ(s.Degree(Direction::kBoth, 1, ArcFilter::All()), 3u);
  }
}

TEST_F(SnapshotRows, IterationMayNest) {
  Snapshot s = live_.snapshot();
  std::vector<std::string> seen;
  s.ForEachArc(Direction::kBoth, 0, ArcFilter::All(), [&](const Arc& a) {
    s.ForEachArc(Direction::kBoth, a.neighbor, ArcFilter::All(), [&](const Arc& b) {
      s.ForEachArc(Direction::kOut, b.neighbor, ArcFilter::All(), [&](const Arc& c) {
        seen.push_back(std::to_string(a.neighbor) + std::to_string(b.neighbor) +
                       std::to_string(c.neighbor));
      });
    });
  });
  EXPECT_EQ(seen, (std::vector<std::string>{"101", "102", "104", "201", "202", "204", "401", "402",
                                            "404", "301", "302", "304"}));
}

TEST_F(SnapshotRows, CleanBits) {
  live_.Compact();
  EXPECT_TRUE(live_.snapshot().clean(Direction::kOut, 0));
  Snapshot before = live_.snapshot();
  ASSERT_TRUE(live_.Do([](B& b) { b.Link(b.Node("b"), kLink, b.UpsertNode("new")); }));
  Snapshot s = live_.snapshot();
  EXPECT_FALSE(s.clean(Direction::kOut, 1));
  EXPECT_TRUE(s.clean(Direction::kIn, 1));
  EXPECT_TRUE(s.clean(Direction::kOut, 0));
  EXPECT_FALSE(s.clean(Direction::kOut, *s.Find("new"))) << "a row that the base does not have";
  EXPECT_TRUE(Neighbors(s, Direction::kOut, *s.Find("new"), ArcFilter::All()).empty());
  EXPECT_TRUE(before.clean(Direction::kOut, 1)) << "no runs, no dirt";
}

TEST_F(SnapshotRows, ValidTimeIsHalfOpen) {
  ASSERT_TRUE(live_.Do([](B& b) {
    b.Link({.source = b.Node("b"),
            .target = b.Node("c"),
            .kind = kLink,
            .valid_from = 10,
            .valid_until = 20});
  }));
  for (bool compact : {false, true}) {
    if (compact) live_.Compact();
    Snapshot s = live_.snapshot();
    auto degree = [&](Direction d, NodeId v, std::int64_t at) {
      return s.Degree(d, v, ArcFilter::All().ValidAt(at));
    };
    for (auto [at, expected] : {std::pair{9, 0u}, {10, 1u}, {19, 1u}, {20, 0u}}) {
      EXPECT_EQ(degree(Direction::kOut, 1, at), expected) << at;
      EXPECT_EQ(degree(Direction::kBoth, 1, at), expected + 1u) << at;  // and a -> b, always valid
      EXPECT_EQ(degree(Direction::kIn, 2, at), expected + 1u) << at;    // and a - c
    }
    EXPECT_EQ(s.Degree(Direction::kOut, 1, ArcFilter::All()), 1u) << "no time asked, none checked";
  }
}

TEST_F(SnapshotRows, AbsentThings) {
  Snapshot s = live_.snapshot();
  EXPECT_FALSE(s.Find("nobody"));
  EXPECT_FALSE(s.Find(""));
  EXPECT_FALSE(s.FindEdge(0, kLink, 2));
  EXPECT_FALSE(s.FindEdge(0, kLink, 1, 999));
  EXPECT_FALSE(s.FindEdge(0, EdgeKindId{60000}, 1));
  EXPECT_FALSE(s.FindEdge(kNoNode, kLink, 1));
  EXPECT_FALSE(s.FindEdge(0, kLink, kNoNode));
  EXPECT_FALSE(s.f64(kTrust, 0));
  EXPECT_FALSE(s.i64(kAccessCount, 3));
  EXPECT_FALSE(s.string_column(kScope, 0));
  EXPECT_EQ(s.scope(0), "user");
  EXPECT_EQ(s.space(SpaceId{}), nullptr);
  EXPECT_EQ(s.Payload(PayloadRef{}).error().code, ErrorCode::kNotFound);
}

// A row of a hundred thousand arcs with a delta on top: right, and the scratch
// buffer it leaves behind does no harm to other rows or threads.
TEST(SnapshotHub, LargeDirtyRows) {
  WriterHarness live;
  constexpr NodeId kArms = 100'000;
  ASSERT_TRUE(live.Do([](B& b) {
    NodeRef hub = b.UpsertNode("hub");
    for (NodeId i = 0; i < kArms; ++i) b.Link(hub, kLink, b.Node("n" + std::to_string(i)), 1);
  }));
  live.Compact();
  ASSERT_TRUE(live.Do([](B& b) {
    for (NodeId i = 1; i <= kArms; i += 2) b.Link(NodeRef::Id(0), kLink, NodeRef::Id(i), 3);
    for (NodeId i = 2; i <= kArms; i += 4) b.Unlink(NodeRef::Id(0), kLink, NodeRef::Id(i));
  }));
  Snapshot s = live.snapshot();
  auto check = [&] {
    double sum = 0;
    NodeId last = 0;
    std::uint64_t count = 0;
    bool ordered = true;
    s.ForEachArc(Direction::kOut, 0, ArcFilter::All(), [&](const Arc& a) {
      ordered &= a.neighbor > last;
      last = a.neighbor;
      sum += a.weight;
      ++count;
    });
    EXPECT_TRUE(ordered);
    EXPECT_EQ(count, kArms - kArms / 4);
    EXPECT_EQ(sum, 3.0 * kArms / 2 + kArms / 4.0);
  };
  // Single edges of a long row, in the delta and in the base.
  for (NodeId i = 1; i <= kArms; i += 1 + i % 7) {
    auto e = s.FindEdge(0, kLink, i);
    ASSERT_EQ(e.has_value(), i % 4 != 2) << i;
    if (!e) continue;
    ASSERT_EQ(e->target, i);
    ASSERT_EQ(e->weight, i % 2 ? 3.0f : 1.0f);
    ASSERT_FALSE(s.FindEdge(0, kSupports, i));
  }
  check();
  std::thread other(check);
  check();
  other.join();
  EXPECT_EQ(s.Degree(Direction::kIn, 1, ArcFilter::All()), 1u);
  EXPECT_EQ(s.Degree(Direction::kIn, 2, ArcFilter::All()), 0u);
}

TEST(SnapshotCompacted, IsTheSameGraph) {
  WriterHarness live;
  Snapshot empty = live.snapshot();
  auto nothing = empty.Compacted(SerialExecutor());
  ASSERT_TRUE(nothing);
  EXPECT_EQ(nothing->shared_state(), empty.shared_state()) << "this very snapshot";
  ASSERT_TRUE(live.Do([](B& b) { b.Link(b.Node("a"), kLink, b.Node("b")); }));
  Snapshot s = live.snapshot();
  auto compacted = s.Compacted(SerialExecutor());
  ASSERT_TRUE(compacted);
  EXPECT_FALSE(compacted->has_delta());
  EXPECT_EQ(compacted->sequence(), s.sequence());
  EXPECT_TRUE(SameText(Dump(s), Dump(*compacted)));
}

}  // namespace
}  // namespace plexus
