// Batches that expect a kind, a weight, a payload or the edges of a node as they were read.
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "engine/vocabulary.h"
#include "tests/engine/conditional/conditional_fixture.h"

namespace plexus {
using namespace builtin;
namespace {

using namespace testing;

TEST_F(Conditional, Kinds) {
  ASSERT_TRUE(live_.Do([](B& b) { b.UpsertNode("m", kMemory); }));
  Holds([](B& b) {
    b.ExpectKind(b.Node("a"), kNode);
    b.ExpectKind(b.Node("m"), kMemory);
    b.ExpectKind(b.IndexNode(kTag, "rust"), kTag);
  });
  Refused("expected node 'm' to be of kind 'node'; it is of kind 'memory'",
          [](B& b) { b.ExpectKind(b.Node("m"), kNode); });
  Refused("expected node 'removed' to exist; it was removed",
          [](B& b) { b.ExpectKind(b.Node("removed"), kNode); });
  Refused(
      "no node kind 999", [](B& b) { b.ExpectKind(b.Node("a"), NodeKindId(999)); },
      ErrorCode::kInvalidArgument);
}

TEST_F(Conditional, Weights) {
  Holds([](B& b) {
    b.ExpectWeight(b.Node("a"), b.EdgeKindNamed("mentors"), b.Node("c"), 1);
    b.ExpectWeight(b.Node("c"), b.EdgeKindNamed("mentored_by"), b.Node("a"), 1);
    b.ExpectWeight(b.Node("a"), kLink, b.Node("c"), 1, "x");
  });
  Refused("expected edge 'a' mentors 'c' of weight 0.5; its weight is 1",
          [](B& b) { b.ExpectWeight(b.Node("a"), b.EdgeKindNamed("mentors"), b.Node("c"), 0.5f); });
  Refused("expected edge 'a' link 'nobody' to exist; there is none",
          [](B& b) { b.ExpectWeight(b.Node("a"), kLink, b.Node("nobody"), 1); });
  Refused(
      "finite", [](B& b) { b.ExpectWeight(b.Node("a"), kLink, b.Node("c"), -1, "x"); },
      ErrorCode::kInvalidArgument);
}

TEST_F(Conditional, Payloads) {
  const auto ref = [&](NodeField field) {
    return live_.snapshot().payload_ref(live_.Id("a"), field);
  };
  ASSERT_TRUE(live_.Do([](B& b) { b.SetPayload(b.Node("a"), NodeField::kText, "one"); }));
  const PayloadRef one = ref(NodeField::kText);
  Holds([&](B& b) {
    b.ExpectPayload(b.Node("a"), NodeField::kText, one);
    b.ExpectPayload(b.Node("a"), NodeField::kProperties, {});
    b.ExpectPayload(b.Node("nobody"), NodeField::kText, {});
    b.ExpectPayload(b.Node("removed"), NodeField::kText, {});
  });
  ASSERT_TRUE(live_.Do([](B& b) { b.SetPayload(b.Node("a"), NodeField::kText, "one"); }));
  EXPECT_EQ(ref(NodeField::kText), one) << "the same text";
  ASSERT_TRUE(live_.Do([](B& b) { b.SetPayload(b.Node("a"), NodeField::kText, "two"); }));
  const auto record = [](PayloadRef of) { return std::to_string(of.sequence()); };
  const PayloadRef two = ref(NodeField::kText);
  Refused("expected text of node 'a' to be that of record " + record(one) +
              "; it is that of record " + record(two),
          [&](B& b) { b.ExpectPayload(b.Node("a"), NodeField::kText, one); });
  Refused("expected properties of node 'a' to be that of record " + record(one) + "; it is none",
          [&](B& b) { b.ExpectPayload(b.Node("a"), NodeField::kProperties, one); });
}

TEST_F(Conditional, EdgesOfAKind) {
  const Snapshot before = live_.snapshot();
  const auto expect = [&](B& b) {
    b.ExpectEdges(b.Node("a"), kRelatesTo, before, *before.Find("a"));
  };
  Holds([&](B& b) {
    expect(b);
    b.ExpectEdges(b.Node("nobody"), kRelatesTo, before, kNoNode);
    b.ExpectEdges(b.Node("removed"), kRelatesTo, before, *before.Find("removed"));
  });
  const std::string changed =
      "expected edges 'relates_to' of node 'a' to be those that were read; they have changed";
  const auto link = [&](float weight, std::optional<std::int64_t> valid_until) {
    ASSERT_TRUE(live_.Do([&](B& b) {
      b.Link({.source = b.Node("a"),
              .target = b.Node("c"),
              .kind = kRelatesTo,
              .weight = weight,
              .valid_until = valid_until});
    }));
  };
  link(1, std::nullopt);
  Refused(changed, expect);
  for (const auto& [weight, until] : {std::pair<float, std::int64_t>{2, kNoTime}, {2, 77}}) {
    const Snapshot linked = live_.snapshot();
    link(weight, until);
    Refused(changed,
            [&](B& b) { b.ExpectEdges(b.Node("a"), kRelatesTo, linked, *linked.Find("a")); });
  }
  ASSERT_TRUE(live_.Do([](B& b) { b.Unlink(b.Node("a"), kRelatesTo, b.Node("c")); }));
  ASSERT_TRUE(live_.Do([&](B& b) { expect(b); }));
  ASSERT_TRUE(live_.Do([&](B& b) {
    expect(b);
    b.ExpectSequence(1);
    b.ClearExpectations();
  }));
}

}  // namespace
}  // namespace plexus
