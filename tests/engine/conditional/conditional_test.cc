// Conditional batches: what a batch expects holds of the graph before it, or nothing of it happens.
// Additions add up; the report has the ids of what was named. Threads: conditional_threads_test.cc.
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "engine/graph.h"
#include "engine/vocabulary.h"
#include "tests/engine/conditional/conditional_fixture.h"

namespace plexus {
using namespace builtin;
namespace {

using namespace testing;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

TEST_F(Conditional, Sequence) {
  Holds([this](B& b) { b.ExpectSequence(live_.snapshot().sequence()); });
  const std::string now = std::to_string(live_.snapshot().sequence());
  Refused("expected sequence 1; the graph is at " + now, [](B& b) { b.ExpectSequence(1); });
  Refused("expected sequence 99; the graph is at " + now, [](B& b) { b.ExpectSequence(99); });
  WriterHarness empty;
  EXPECT_TRUE(empty.Do([](B& b) {
    b.ExpectSequence(0);
    b.UpsertNode("first");
  }));
  EXPECT_TRUE(empty.Alive("first"));
}

TEST_F(Conditional, Existence) {
  Holds([](B& b) {
    b.ExpectNode("a");
    b.ExpectNode(NodeRef::Id(0));
    b.ExpectNode(b.IndexNode(kTag, "rust"));
    b.ExpectNoNode("nobody");
    b.ExpectNoNode("removed");
    b.ExpectNoNode("purged");
    b.ExpectNoNode(b.IndexNode(kTag, "go"));
    b.ExpectNoNode("tag:rust");  // a fact of that very name
  });
  Refused("expected node 'nobody' to exist; there is none", [](B& b) { b.ExpectNode("nobody"); });
  Refused("expected node 'removed' to exist; it was removed",
          [](B& b) { b.ExpectNode("removed"); });
  Refused("expected node 'purged' to exist; it was purged", [](B& b) { b.ExpectNode("purged"); });
  Refused("expected no node 'a'; it exists", [](B& b) { b.ExpectNoNode("a"); });
  Refused("expected no node 'a'; it exists", [](B& b) { b.ExpectNoNode(NodeRef::Id(0)); });
  Refused("expected no node 'tag:rust'; it exists",
          [](B& b) { b.ExpectNoNode(b.IndexNode(kTag, "rust")); });
  Refused("expected node 'tag:go' to exist; there is none",
          [](B& b) { b.ExpectNode(b.IndexNode(kTag, "go")); });
  Refused(
      "empty", [](B& b) { b.ExpectNoNode(""); }, ErrorCode::kInvalidArgument);
  Refused(
      "UTF-8", [](B& b) { b.ExpectNode("\xff"); }, ErrorCode::kInvalidArgument);
  Refused(
      "out of range", [](B& b) { b.ExpectNoNode(NodeRef::Id(1000)); }, ErrorCode::kInvalidArgument);
}

// The graph before the batch is meant, wherever in the batch the expectation stands.
TEST_F(Conditional, OwnOperationsDoNotCount) {
  Refused("expected node 'mine' to exist; there is none", [](B& b) {
    b.UpsertNode("mine");
    b.ExpectNode("mine");
  });
  Refused("expected column 'hits' of node 'a' to be 6; it is 5", [](B& b) {
    b.SetI64(b.Node("a"), b.ColumnNamed("hits"), 6);
    b.ExpectI64(b.Node("a"), b.ColumnNamed("hits"), 6);
  });
  const auto made = live_.Do([](B& b) {
    NodeRef node = b.UpsertNode("once");
    b.SetF64(node, b.ColumnNamed("stakes"), 1);
    b.Link(node, kLink, b.Node("a"));
    b.DefineColumn({"later", ColumnType::kF64});
    b.ExpectF64(node, b.ColumnNamed("later"), std::nullopt);
    b.ExpectNoNode(node);
    b.ExpectF64(node, b.ColumnNamed("stakes"), std::nullopt);
    b.ExpectNoEdge(node, kLink, b.Node("a"));
    b.ExpectNoEdge(node, b.EdgeKindNamed("brandnew"), b.Node("a"));
  });
  ASSERT_TRUE(made) << made.error().ToString();
  Refused("expected no node 'once'; it exists", [](B& b) { b.ExpectNoNode("once"); });
}

TEST_F(Conditional, Columns) {
  Holds([](B& b) {
    NodeRef a = b.Node("a"), c = b.Node("c");
    b.ExpectI64(a, b.ColumnNamed("hits"), 5);
    b.ExpectF64(a, b.ColumnNamed("stakes"), 0.25);
    b.ExpectString(a, b.ColumnNamed("state"), "open");
    b.ExpectI64(c, b.ColumnNamed("hits"), std::nullopt);
    b.ExpectF64(c, b.ColumnNamed("stakes"), std::nullopt);
    b.ExpectString(c, b.ColumnNamed("state"), std::nullopt);
    b.ExpectI64(b.Node("nobody"), b.ColumnNamed("hits"), std::nullopt);
    b.ExpectI64(b.Node("removed"), kCreatedAt, std::nullopt);
    b.ExpectI64(NodeRef::Id(0), kCreatedAt, 1000);
  });
  Refused("expected column 'hits' of node 'a' to be 4; it is 5",
          [](B& b) { b.ExpectI64(b.Node("a"), b.ColumnNamed("hits"), 4); });
  Refused("expected column 'hits' of node 'a' to be absent; it is 5",
          [](B& b) { b.ExpectI64(b.Node("a"), b.ColumnNamed("hits"), std::nullopt); });
  Refused("expected column 'hits' of node 'c' to be -4; it is absent",
          [](B& b) { b.ExpectI64(b.Node("c"), b.ColumnNamed("hits"), -4); });
  Refused("expected column 'stakes' of node 'a' to be 0.1; it is 0.25",
          [](B& b) { b.ExpectF64(b.Node("a"), b.ColumnNamed("stakes"), 0.1); });
  Refused("expected column 'state' of node 'a' to be 'shut'; it is 'open'",
          [](B& b) { b.ExpectString(b.Node("a"), b.ColumnNamed("state"), "shut"); });
  Refused("expected column 'state' of node 'nobody' to be 'shut'; it is absent",
          [](B& b) { b.ExpectString(b.Node("nobody"), b.ColumnNamed("state"), "shut"); });
  Refused("expected column 'state' of node 'a' to be ''; it is 'open'",
          [](B& b) { b.ExpectString(b.Node("a"), b.ColumnNamed("state"), ""); });
  const auto invalid = ErrorCode::kInvalidArgument;
  Refused(
      "nothere", [](B& b) { b.ExpectF64(b.Node("a"), b.ColumnNamed("nothere"), std::nullopt); },
      invalid);
  Refused(
      "holds i64", [](B& b) { b.ExpectF64(b.Node("a"), b.ColumnNamed("hits"), 5); }, invalid);
  Refused(
      "holds string", [](B& b) { b.ExpectI64(b.Node("a"), b.ColumnNamed("state"), std::nullopt); },
      invalid);
  Refused(
      "finite", [](B& b) { b.ExpectF64(b.Node("a"), b.ColumnNamed("stakes"), HUGE_VAL); }, invalid);
  Refused(
      "out of range", [](B& b) { b.ExpectI64(b.Node("a"), b.ColumnNamed("hits"), kNoTime); },
      invalid);
  Refused(
      "1025",
      [](B& b) { b.ExpectString(b.Node("a"), b.ColumnNamed("state"), std::string(1025, 's')); },
      invalid);
  ASSERT_TRUE(live_.Do([](B& b) { b.SetF64(b.Node("a"), b.ColumnNamed("stakes"), -0.0); }));
  Holds([](B& b) { b.ExpectF64(b.Node("a"), b.ColumnNamed("stakes"), 0.0); });
}

TEST_F(Conditional, Edges) {
  Holds([](B& b) {
    NodeRef a = b.Node("a"), c = b.Node("c");
    b.ExpectEdge(a, b.EdgeKindNamed("mentors"), c);
    b.ExpectEdge(c, b.EdgeKindNamed("mentored_by"), a);
    b.ExpectNoEdge(c, b.EdgeKindNamed("mentors"), a);
    b.ExpectEdge(a, b.EdgeKindNamed("friends"), c);  // symmetric: either way round
    b.ExpectEdge(c, b.EdgeKindNamed("friends"), a);
    b.ExpectEdge(a, kLink, c, "x");
    b.ExpectNoEdge(a, kLink, c, "never seen");
    b.ExpectNoEdge(a, kLink, b.Node("nobody"));
    b.ExpectNoEdge(b.Node("removed"), kLink, a);
  });
  Refused("expected edge 'a' link 'c' with label 'y' to exist; there is none",
          [](B& b) { b.ExpectEdge(b.Node("a"), kLink, b.Node("c"), "y"); });
  Refused("expected no edge 'a' link 'c' with label 'x'; it exists",
          [](B& b) { b.ExpectNoEdge(b.Node("a"), kLink, b.Node("c"), "x"); });
  Refused("expected no edge 'c' mentored_by 'a'; it exists",
          [](B& b) { b.ExpectNoEdge(b.Node("c"), b.EdgeKindNamed("mentored_by"), b.Node("a")); });
  Refused("expected edge 'nobody' mentors 'a' to exist; there is none",
          [](B& b) { b.ExpectEdge(b.Node("nobody"), b.EdgeKindNamed("mentors"), b.Node("a")); });
  Refused(
      "kind 5000", [](B& b) { b.ExpectEdge(b.Node("a"), EdgeKindId{5000}, b.Node("c")); },
      ErrorCode::kInvalidArgument);
  Refused(
      "label", [](B& b) { b.ExpectNoEdge(b.Node("a"), kLink, b.Node("c"), "\xff"); },
      ErrorCode::kInvalidArgument);
  live_.Compact();  // in the base as in the delta
  Holds([](B& b) { b.ExpectEdge(b.Node("a"), kLink, b.Node("c"), "x"); });
  ASSERT_TRUE(live_.Do([](B& b) { b.Unlink(b.Node("a"), kLink, b.Node("c"), "x"); }));
  Refused("expected edge 'a' link 'c' with label 'x' to exist; there is none",
          [](B& b) { b.ExpectEdge(b.Node("a"), kLink, b.Node("c"), "x"); });
}

TEST_F(Conditional, RemovedAndAddedAgain) {
  const auto again = live_.Do(
      [](B& b) {
        b.ExpectNoNode("removed");
        b.ExpectNoNode("purged");
        for (const char* key : {"removed", "purged"})
          b.AddI64(b.Node(key), b.ColumnNamed("hits"), 2);
      },
      2000);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->nodes.added, 2u);
  Holds([](B& b) {
    for (const char* key : {"removed", "purged"}) {
      b.ExpectNode(key);
      b.ExpectI64(b.Node(key), b.ColumnNamed("hits"), 2);
      b.ExpectI64(b.Node(key), kCreatedAt, 2000);
    }
  });
  Refused("expected no node 'purged'; it exists", [](B& b) { b.ExpectNoNode("purged"); });
}

// The first of several that do not hold is named; a batch that was appended brings its own.
TEST_F(Conditional, SeveralAndAppended) {
  Refused("expected column 'hits' of node 'a' to be 1; it is 5", [](B& b) {
    b.ExpectI64(b.Node("a"), b.ColumnNamed("hits"), 1);
    b.ExpectNoNode("a");
  });
  B other(0);
  other.ExpectNode(other.Node("c"));
  other.ExpectEdge(other.Node("a"), other.EdgeKindNamed("friends"), other.Node("c"));
  other.AddI64(other.Node("c"), other.ColumnNamed("hits"), 3);
  EXPECT_FALSE(other.empty());
  EXPECT_EQ(other.op_count(), 3u);
  B whole(1000);
  whole.UpsertNode("before");
  (void)whole.EdgeKindNamed("mentors");
  (void)whole.ColumnNamed("stakes");
  whole.Append(other);
  ASSERT_TRUE(live_.Apply(whole));
  EXPECT_EQ(live_.snapshot().i64(*live_.snapshot().schema().FindColumn("hits"), live_.Id("c")), 3);
  other.ExpectI64(other.Node("c"), other.ColumnNamed("hits"), 2);
  whole.Append(other);
  const auto refused = live_.Apply(whole);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "expected column 'hits' of node 'c' to be 2; it is 3");
  other.Clear();
  EXPECT_TRUE(other.empty());
  EXPECT_TRUE(live_.Apply(other));
}

TEST_F(Conditional, Additions) {
  const auto hits = [&](std::string_view key) {
    return live_.snapshot().i64(*live_.snapshot().schema().FindColumn("hits"), live_.Id(key));
  };
  ASSERT_TRUE(live_.Do([](B& b) {
    const ColumnRef column = b.ColumnNamed("hits");
    NodeRef a = b.Node("a"), c = b.Node("c"), fresh = b.Node("fresh");
    b.AddI64(a, column, 2);   // 5 + 2 + 3
    b.AddI64(c, column, -7);  // absent: 0
    b.AddI64(a, column, 3);
    b.AddI64(fresh, column, 0);  // creates the node; 0 is a value
  }));
  EXPECT_EQ(hits("a"), 10);
  EXPECT_EQ(hits("c"), -7);
  EXPECT_EQ(hits("fresh"), 0);
  EXPECT_TRUE(live_.Alive("fresh"));
  ASSERT_EQ(live_.record.columns.size(), 4u);  // what results is logged: three sums, one created_at
  ASSERT_TRUE(live_.Do([](B& b) {
    const ColumnRef column = b.ColumnNamed("hits");
    NodeRef a = b.Node("a"), c = b.Node("c"), fresh = b.Node("fresh");
    b.AddI64(a, column, 100);
    b.SetI64(a, column, 1);
    b.AddI64(a, column, 1);
    b.ClearColumn(c, column);
    b.AddI64(c, column, 4);
    b.AddI64(fresh, column, 9);
    b.RemoveNode(fresh);
    b.AddI64(fresh, column, 6);
  }));
  EXPECT_EQ(hits("a"), 2);
  EXPECT_EQ(hits("c"), 4);
  EXPECT_EQ(hits("fresh"), 6);
  const auto same = live_.Do([](B& b) { b.AddI64(b.Node("a"), b.ColumnNamed("hits"), 0); });
  EXPECT_EQ(same->nodes.same, 1u);
  ASSERT_TRUE(live_.Do([](B& b) {
    b.AddI64(b.Node("fresh"), b.ColumnNamed("hits"), 1);
    b.RemoveNode(b.Node("fresh"));
  }));
  EXPECT_EQ(hits("fresh"), std::nullopt);
}

TEST_F(Conditional, AdditionsThatLeaveTheRange) {
  const auto invalid = ErrorCode::kInvalidArgument;
  Refused(
      "'hits' of node 'a': 5 and 9223372036854775807 add up",
      [](B& b) { b.AddI64(b.Node("a"), b.ColumnNamed("hits"), kMost); }, invalid);
  Refused(
      "'hits' of node 'c': -1 and -9223372036854775807 add up",
      [](B& b) {  // the absent value
        b.AddI64(b.Node("c"), b.ColumnNamed("hits"), -1);
        b.AddI64(b.Node("c"), b.ColumnNamed("hits"), -kMost);
      },
      invalid);
  Refused(
      "'stakes' of node 'a': 1e+308 and 1e+308 add up",
      [](B& b) {
        b.SetF64(b.Node("a"), b.ColumnNamed("stakes"), 1e308);
        b.AddF64(b.Node("a"), b.ColumnNamed("stakes"), 1e308);
      },
      invalid);
  Refused(
      "finite", [](B& b) { b.AddF64(b.Node("a"), b.ColumnNamed("stakes"), std::nan("")); },
      invalid);
  Refused(
      "holds f64", [](B& b) { b.AddI64(b.Node("a"), b.ColumnNamed("stakes"), 1); }, invalid);
  Refused(
      "holds string", [](B& b) { b.AddF64(b.Node("a"), b.ColumnNamed("state"), 1); }, invalid);
  Refused(
      "nothere", [](B& b) { b.AddF64(b.Node("a"), b.ColumnNamed("nothere"), 1); }, invalid);
  ASSERT_TRUE(live_.Do([](B& b) {  // to the last value of the range
    b.SetI64(b.Node("c"), b.ColumnNamed("hits"), -kMost + 1);
    b.AddI64(b.Node("c"), b.ColumnNamed("hits"), -1);
  }));
}

TEST_F(Conditional, IdsOfWhatWasNamed) {
  B b(1000);
  NodeRef known = b.Node("a"), made = b.UpsertNode("made"), twice = b.Node("made"),
          nobody = b.Node("nobody");
  NodeRef removed = b.Node("removed"), goes = b.Node("c"), back = b.UpsertNode("purged");
  NodeRef tag = b.IndexNode(kTag, "rust"), end = b.Node("end");
  b.RemoveNode(goes);
  b.Unlink(known, kLink, nobody);
  b.Link(known, kLink, end);
  const auto report = live_.Apply(b);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->id(known), 0u);
  EXPECT_EQ(report->id(made), live_.Id("made"));
  EXPECT_EQ(report->id(twice), live_.Id("made"));
  EXPECT_EQ(report->id(nobody), kNoNode);
  EXPECT_EQ(report->id(removed), kNoNode);
  EXPECT_EQ(report->id(goes), kNoNode);
  EXPECT_EQ(report->id(back), live_.Id("purged"));
  EXPECT_EQ(report->id(tag), live_.Id(IndexKey("tag", "rust")));
  EXPECT_EQ(report->id(end), live_.Id("end"));
  EXPECT_EQ(report->id(NodeRef::Id(7)), 7u);
  EXPECT_EQ(report->ids.size(), 9u);
}

}  // namespace
}  // namespace plexus
