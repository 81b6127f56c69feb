// A small graph, and what is said of batches that expect something of it.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "engine/graph.h"
#include "engine/vocabulary.h"
#include "tests/support/dump.h"
#include "tests/support/writer_harness.h"

namespace plexus::testing {

using B = WriteBatch;

class Conditional : public ::testing::Test {
 protected:
  Conditional() {
    EXPECT_TRUE(live_.Do([](B& b) {
      b.DefineColumn({"hits", ColumnType::kI64});
      b.DefineColumn({"stakes", ColumnType::kF64});
      b.DefineColumn({"state", ColumnType::kString});
      b.DefineEdgeKind({.name = "friends", .inverse = "", .symmetric = true});
      b.DefineEdgeKind({.name = "mentors", .inverse = "mentored_by"});
      NodeRef a = b.UpsertNode("a"), c = b.UpsertNode("c");
      b.SetI64(a, b.ColumnNamed("hits"), 5);
      b.SetF64(a, b.ColumnNamed("stakes"), 0.25);
      b.SetString(a, b.ColumnNamed("state"), "open");
      b.UpsertNode(b.IndexNode(builtin::kTag, "rust"));
      b.Link(a, b.EdgeKindNamed("mentors"), c);
      b.Link(c, b.EdgeKindNamed("friends"), a);
      b.Link({.source = a, .target = c, .kind = builtin::kLink, .label = "x"});
    }));
    EXPECT_TRUE(live_.Do([](B& b) {
      b.UpsertNode("removed");
      b.UpsertNode("purged");
    }));
    EXPECT_TRUE(live_.Do([](B& b) {
      b.RemoveNode(b.Node("removed"));
      b.PurgeNode(b.Node("purged"));
    }));
  }

  using Fill = std::function<void(B&)>;

  // The batch is applied, and leaves nothing of its expectations: it changes nothing else.
  void Holds(const Fill& fill) {
    const std::string before = Dump(live_.snapshot());
    const std::uint64_t appends = live_.store->appends();
    auto report = live_.Do(fill);
    ASSERT_TRUE(report) << report.error().ToString();
    EXPECT_EQ(live_.store->appends(), appends);
    EXPECT_TRUE(SameText(before, Dump(live_.snapshot())));
    EXPECT_TRUE(live_.Do(
        [&](B& b) {  // and what comes after them takes place
          fill(b);
          b.AddI64(b.Node("a"), b.ColumnNamed("hits"), 0);
          b.Link(b.Node("a"), builtin::kLink, b.Node("c"), static_cast<float>(++applied_));
        },
        1000));
    EXPECT_EQ(live_.Find("a", builtin::kLink, "c")->weight, static_cast<float>(applied_));
  }

  // Refused with exactly this message, among operations that would change everything.
  void Refused(const std::string& message, const Fill& fill,
               ErrorCode code = ErrorCode::kConflict) {
    SCOPED_TRACE(message);
    const std::string before = Dump(live_.snapshot());
    const std::uint64_t appends = live_.store->appends();
    auto report = live_.Do(
        [&](B& b) {
          b.DefineNodeKind({"robot", Plane::kFact});
          b.DefineColumn({"fresh", ColumnType::kF64});
          b.SetF64(b.UpsertNode("good", b.NodeKindNamed("robot")), b.ColumnNamed("fresh"), 1);
          b.SetString(b.Node("a"), builtin::kScope, "new scope");
          b.ExpectNode("a");
          fill(b);
          b.RemoveNode(b.Node("a"));
          b.AddI64(b.Node("c"), b.ColumnNamed("hits"), 1);
        },
        5000);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, code);
    if (code == ErrorCode::kConflict) {
      EXPECT_EQ(report.error().message, message);
    } else {
      EXPECT_NE(report.error().message.find(message), std::string::npos) << report.error().message;
    }
    EXPECT_EQ(live_.store->appends(), appends);
    EXPECT_TRUE(SameText(before, Dump(live_.snapshot())));
    EXPECT_FALSE(live_.snapshot().Find("good"));
    EXPECT_FALSE(live_.snapshot().FindString("new scope"));
  }

  WriterHarness live_;
  int applied_ = 0;
};

}  // namespace plexus::testing
