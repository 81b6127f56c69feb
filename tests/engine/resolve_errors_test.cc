// Bad input is refused with a message that names it, and changes nothing at all.
#include <cmath>
#include <functional>
#include <limits>
#include <string>
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

// A graph with something in it; a batch that fails after many good operations
// must leave every bit of it, and of the writer behind it, as it was.
class ResolveErrors : public ::testing::Test {
 protected:
  ResolveErrors() {
    EXPECT_TRUE(live_.Do([](B& b) {
      b.DefineSpace({"s", 2, Metric::kL2});
      b.DefineSpace({.name = "h", .dimensions = 2, .element = VectorElement::kF16});
      b.DefineEdgeKind({.name = "signs",
                        .inverse = "",
                        .self_loops = false,
                        .source_kind = kConcept,
                        .target_kind = kMemory});
      NodeRef a = b.UpsertNode("a", kMemory);
      b.Link(a, kSupports, b.UpsertNode("b", kConcept), 0.5f);
      b.SetPayload(b.Node("a"), NodeField::kText, "t");
    }));
    before_ = Dump(live_.snapshot());
  }

  void Refused(const std::string& mentions, const std::function<void(B&)>& fill,
               ErrorCode code = ErrorCode::kInvalidArgument) {
    SCOPED_TRACE(mentions);
    // The bad operation stands between good ones of every sort.
    auto report = live_.Do([&](B& b) {
      b.DefineNodeKind({"robot", Plane::kFact});
      b.DefineEdgeKind({.name = "likes", .inverse = ""});
      b.DefineColumn({"stakes", ColumnType::kF64});
      NodeRef good = b.UpsertNode("good", b.NodeKindNamed("robot"));
      b.SetF64(good, b.ColumnNamed("stakes"), 1);
      b.SetString(good, kScope, "new scope");
      b.SetPayload(good, NodeField::kText, "text");
      b.Link(good, b.EdgeKindNamed("likes"), b.Node("a"));
      b.RemoveNode(b.Node("b"));
      fill(b);
      b.UpsertNode("after");
    });
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, code) << report.error().ToString();
    EXPECT_NE(report.error().message.find(mentions), std::string::npos) << report.error().message;
    EXPECT_TRUE(SameText(before_, Dump(live_.snapshot())));
    EXPECT_EQ(live_.store->appends(), 1u);
    EXPECT_FALSE(live_.snapshot().schema().FindNodeKind("robot"));
    EXPECT_FALSE(live_.snapshot().Find("good"));
    EXPECT_FALSE(live_.snapshot().FindString("new scope"));
  }

  WriterHarness live_;
  std::string before_;
};

TEST_F(ResolveErrors, Keys) {
  Refused("empty", [](B& b) { b.UpsertNode(""); });
  Refused("1025", [](B& b) { b.UpsertNode(std::string(1025, 'k')); });
  Refused("NUL", [](B& b) { b.UpsertNode(std::string("a\0b", 3)); });
  Refused("UTF-8", [](B& b) { b.UpsertNode("\xff"); });
  Refused("UTF-8", [](B& b) { b.Link(b.Node("a"), kLink, b.Node("\xc3\x28")); });
  Refused("nokind", [](B& b) { b.UpsertNode("nokind\x1fx"); });
  Refused("memory", [](B& b) { b.UpsertNode("memory\x1fx"); });
  Refused("index", [](B& b) { b.UpsertNode("tag\x1f"); });
  Refused("index", [](B& b) {
    b.UpsertNode(
        "tag\x1f"
        "a\x1f"
        "b");
  });
  Refused("index", [](B& b) { b.IndexNode(kTag, ""), b.UpsertNode(b.IndexNode(kTag, "")); });
}

TEST_F(ResolveErrors, Weights) {
  for (float w : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                  -std::numeric_limits<float>::infinity(), -1.0f, -1e-30f})
    Refused("weight", [w](B& b) { b.Link(b.Node("a"), kLink, b.Node("c"), w); });
  WriterHarness live;
  for (float w :
       {0.0f, -0.0f, std::numeric_limits<float>::denorm_min(), std::numeric_limits<float>::max()})
    EXPECT_TRUE(live.Do([w](B& b) { b.Link(b.Node("a"), kLink, b.Node("c"), w); })) << w;
}

TEST_F(ResolveErrors, SelfLoops) {
  Refused("self-loop", [](B& b) { b.Link(b.Node("a"), kSupports, b.Node("a")); });
  Refused("self-loop", [](B& b) { b.Link(b.Node("a"), kContradicts, NodeRef::Id(0)); });
  WriterHarness live;
  EXPECT_TRUE(live.Do([](B& b) { b.Link(b.Node("x"), kLink, b.Node("x")); }));
  EXPECT_TRUE(live.Find("x", kLink, "x"));
}

TEST_F(ResolveErrors, EndpointKinds) {
  Refused("source", [](B& b) { b.Link(b.Node("a"), b.EdgeKindNamed("signs"), b.Node("a2")); });
  Refused("concept", [](B& b) { b.Link(b.Node("a"), b.EdgeKindNamed("signs"), b.Node("a2")); });
  Refused("target", [](B& b) {
    b.Link(b.UpsertNode("b", kConcept), b.EdgeKindNamed("signs"), b.Node("new"));
  });
  Refused("tag", [](B& b) { b.Link(b.Node("a"), kHasTag, b.Node("b")); });
  // The kind given anywhere in the batch counts.
  EXPECT_TRUE(live_.Do([](B& b) {
    b.Link(b.Node("c"), b.EdgeKindNamed("signs"), b.Node("a"));
    b.UpsertNode("c", kConcept);
  }));
}

TEST_F(ResolveErrors, Ids) {
  Refused("2", [](B& b) { b.UpsertNode(NodeRef::Id(2)); });  // two nodes: 0 and 1
  Refused("4294967295", [](B& b) { b.Link(NodeRef::Id(kNoNode), kLink, b.Node("a")); });
  Refused("kind 5000", [](B& b) { b.Link(b.Node("a"), EdgeKindId{5000}, b.Node("b")); });
  Refused("kind 40", [](B& b) { b.Link(b.Node("a"), EdgeKindId{40}, b.Node("b")); });  // reserved
  Refused("kind 20", [](B& b) { b.UpsertNode("x", NodeKindId{20}); });
  Refused("column", [](B& b) { b.SetF64(b.Node("a"), ColumnId{20}, 1); });
  Refused("column", [](B& b) { b.SetF64(b.Node("a"), ColumnId{2000}, 1); });
  Refused("space", [](B& b) { b.SetVector(b.Node("a"), SpaceId{7}, std::vector<float>{1, 2}); });
  Refused("nothere", [](B& b) { b.SetF64(b.Node("a"), b.ColumnNamed("nothere"), 1); });
  Refused("nothere",
          [](B& b) { b.SetVector(b.Node("a"), b.SpaceNamed("nothere"), std::vector<float>{1}); });
}

TEST_F(ResolveErrors, Values) {
  for (double v : {std::nan(""), HUGE_VAL, -HUGE_VAL})
    Refused("trust", [v](B& b) { b.SetF64(b.Node("a"), kTrust, v); });
  Refused("access_count", [](B& b) { b.SetI64(b.Node("a"), kAccessCount, kNoTime); });
  Refused("i64", [](B& b) { b.SetF64(b.Node("a"), kAccessCount, 1); });
  Refused("f64", [](B& b) { b.SetI64(b.Node("a"), kTrust, 1); });
  Refused("string", [](B& b) { b.SetI64(b.Node("a"), kScope, 1); });
  Refused("trust", [](B& b) { b.SetString(b.Node("a"), kTrust, "x"); });
  Refused("1025", [](B& b) { b.SetString(b.Node("a"), kScope, std::string(1025, 's')); });
  Refused("UTF-8", [](B& b) { b.SetString(b.Node("a"), kScope, "\xff"); });
  Refused("UTF-8", [](B& b) { b.SetPayload(b.Node("a"), NodeField::kText, "\xff"); });
  Refused("1048577", [](B& b) {
    b.SetPayload(b.Node("a"), NodeField::kText, std::string((1 << 20) + 1, 't'));
  });
  Refused("FlexBuffers", [](B& b) { b.SetPayload(b.Node("a"), NodeField::kProperties, "{}"); });
  Refused("label", [](B& b) {
    std::string label(1025, 'l');
    b.Link({.source = b.Node("a"), .target = b.Node("b"), .kind = kLink, .label = label});
  });
  Refused("created_by", [](B& b) {
    b.Link({.source = b.Node("a"), .target = b.Node("b"), .kind = kLink, .created_by = "\xff"});
  });
  Refused("created_at", [](B& b) {
    b.Link({.source = b.Node("a"), .target = b.Node("b"), .kind = kLink, .created_at = kNoTime});
  });
  Refused("FlexBuffers", [](B& b) {
    b.Link({.source = b.Node("a"), .target = b.Node("b"), .kind = kLink, .properties = "junk"});
  });
}

TEST_F(ResolveErrors, Vectors) {
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              inf = std::numeric_limits<float>::infinity();
  auto set = [](std::vector<float> v) {
    return [v](B& b) { b.SetVector(b.Node("a"), b.SpaceNamed("s"), v); };
  };
  Refused("dimensions", set({}));
  Refused("dimensions", set({1}));
  Refused("dimensions", set({1, 2, 3}));
  Refused("finite", set({nan, 1}));
  Refused("finite", set({1, inf}));
  EXPECT_TRUE(live_.Do(set({0, 0})));
}

TEST_F(ResolveErrors, Halves) {
  const auto set = [](std::vector<float> v) {
    return [v](B& b) { b.SetVector(b.Node("a"), b.SpaceNamed("h"), v); };
  };
  Refused("65520 at position 1, space 'h' has f16 values", set({1, 65520}));
  Refused("-1048576 at position 0", set({-1048576, 1}));
  Refused("finite", set({1, std::numeric_limits<float>::infinity()}));
  Refused("dimensions", set({1, 2, 3}));
  Refused(
      "'h'", [](B& b) { b.DefineSpace({.name = "h", .dimensions = 2}); },
      ErrorCode::kAlreadyExists);
  // A space that this very batch defines.
  Refused("'new'", [](B& b) {
    b.DefineSpace({.name = "new", .dimensions = 1, .element = VectorElement::kF16});
    const float large[] = {7e4f};
    b.SetVector(b.Node("a"), b.SpaceNamed("new"), large);
  });
  EXPECT_TRUE(live_.Do([](B& b) {
    b.DefineSpace({.name = "h", .dimensions = 2, .element = VectorElement::kF16});
  })) << "again as it is";
  EXPECT_TRUE(live_.Do(set({65519, -65519})));
}

TEST_F(ResolveErrors, Definitions) {
  Refused(
      "signs", [](B& b) { b.DefineEdgeKind({.name = "signs", .inverse = ""}); },
      ErrorCode::kAlreadyExists);
  Refused(
      "memory", [](B& b) { b.DefineNodeKind({"memory", Plane::kIndex}); },
      ErrorCode::kAlreadyExists);
  Refused(
      "trust", [](B& b) { b.DefineColumn({"trust", ColumnType::kI64}); },
      ErrorCode::kAlreadyExists);
  Refused("'s'", [](B& b) { b.DefineSpace({"s", 3, Metric::kL2}); }, ErrorCode::kAlreadyExists);
  Refused("name", [](B& b) { b.UpsertNode("x", b.NodeKindNamed("")); });
  Refused("name", [](B& b) { b.Link(b.Node("a"), b.EdgeKindNamed("bad\nname"), b.Node("b")); });
}

// An edge holds its ends to the kinds it wants, until it goes.
TEST_F(ResolveErrors, KindsThatEdgesWant) {
  const auto signs = [](B& b) { return b.EdgeKindNamed("signs"); };
  EXPECT_TRUE(live_.Do([&](B& b) {
    b.UpsertNode("c", kConcept);
    b.Link(b.Node("c"), signs(b), b.Node("a"), 1);
  }));
  before_ = Dump(live_.snapshot());
  const auto refused = [&](const std::string& mentions, const std::function<void(B&)>& fill) {
    const auto report = live_.Do(fill);
    ASSERT_FALSE(report);
    EXPECT_NE(report.error().message.find(mentions), std::string::npos) << report.error().message;
    EXPECT_TRUE(SameText(before_, Dump(live_.snapshot())));
  };
  refused("node 'c' cannot become of kind 'node'", [](B& b) { b.UpsertNode("c", kNode); });
  refused("'c' signs 'a' wants it to be of kind 'memory'",
          [](B& b) { b.UpsertNode("a", kConcept); });
  refused("must be of kind 'concept'", [&](B& b) {  // linked anew, it is asked as any edge
    b.Unlink(b.Node("c"), signs(b), b.Node("a"));
    b.UpsertNode("c", kNode);
    b.Link(b.Node("c"), signs(b), b.Node("a"), 1);
  });
  EXPECT_TRUE(live_.Do([](B& b) { b.UpsertNode("b", kNode); }));  // no edge wants anything of b
  EXPECT_TRUE(live_.Do([&](B& b) {
    b.Unlink(b.Node("c"), signs(b), b.Node("a"));
    b.UpsertNode("c", kNode);
    b.UpsertNode("a", kConcept);
  }));
  EXPECT_TRUE(live_.Do(
      [&](B& b) { b.Link(b.UpsertNode("d", kConcept), signs(b), b.UpsertNode("e", kMemory), 1); }));
  EXPECT_TRUE(live_.Do([](B& b) {  // its edges go along
    b.RemoveNode(b.Node("d"));
    b.UpsertNode("d", kNode);
  }));
  EXPECT_EQ(live_.snapshot().node_kind(*live_.snapshot().Find("d")), kNode);
  // Of an edge that outlives its target, the target's kind stays wanted while it is gone.
  EXPECT_TRUE(live_.Do([](B& b) {
    b.DefineEdgeKind(
        {.name = "names", .inverse = "", .survives_removal = true, .target_kind = kMemory});
    b.Link(b.UpsertNode("list"), b.EdgeKindNamed("names"), b.UpsertNode("f", kMemory), 1);
  }));
  EXPECT_TRUE(live_.Do([](B& b) { b.RemoveNode(b.Node("f")); }));
  before_ = Dump(live_.snapshot());
  refused("'list' names 'f'", [](B& b) { b.UpsertNode("f", kConcept); });
  EXPECT_TRUE(live_.Do([](B& b) { b.UpsertNode("f", kMemory); }));
}

TEST_F(ResolveErrors, KindsOfIndexNodesAreFixed) {
  EXPECT_TRUE(live_.Do([](B& b) { b.UpsertNode(b.IndexNode(kTag, "t")); }));
  before_ = Dump(live_.snapshot());
  auto refuse = [&](auto fill) {
    auto r = live_.Do(fill);
    EXPECT_FALSE(r);
    EXPECT_TRUE(SameText(before_, Dump(live_.snapshot())));
  };
  refuse([](B& b) { b.UpsertNode("a", kTag); });
  refuse([](B& b) { b.UpsertNode(b.IndexNode(kTag, "t"), kMemory); });
  refuse([](B& b) { b.UpsertNode(b.IndexNode(kTag, "t"), kTerm); });
  refuse([](B& b) { b.UpsertNode("fresh", kEvent); });
}

}  // namespace
}  // namespace plexus
