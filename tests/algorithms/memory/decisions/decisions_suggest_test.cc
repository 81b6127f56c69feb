// Edges that a decision may be missing: by outcomes, words, tags, vectors and properties.
#include "algorithms/memory/decisions/decisions.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/graph.h"
#include "engine/properties/properties.h"
#include "tests/algorithms/memory/decision_graph.h"

namespace plexus::testing {
using namespace builtin;
using namespace memory;
namespace {

class Suggestions : public ::testing::Test {
 protected:
  void SetUp() override {
    graph_ = Graph::InMemory();
    WriteBatch b(kDecisionsNow);
    const auto decision = [&](const char* key, const char* category, const char* outcome,
                              const char* text) {
      const NodeRef node = b.UpsertNode(key, kDecision);
      if (*category) b.SetString(node, kCategory, category);
      if (*outcome) b.SetString(node, kDecisionOutcome, outcome);
      if (*text) b.SetPayload(node, NodeField::kText, text);
      return node;
    };
    decision("d1", "infra", "success", "");
    decision("d2", "", "pending", "");
    decision("d6", "ui", "success", "");
    decision("d7", "", "failure", "");
    const NodeRef old = decision("d8", "infra", "success", "");
    b.Link(decision("d9", "", "", ""), kSupersedes, old);
    decision("d12", "infra", "failure", "undo d1 after its outcome");
    decision("d13", "", "", "Because of (d2), d13 and nobody; see d7's end.");
    ASSERT_TRUE(graph_->Apply(b));
  }
  SuggestResult Ask(const char* key) {
    const Snapshot s = graph_->snapshot();
    return SuggestEdges(s, *s.Find(key)).value();
  }
  std::vector<std::string> Shown(const SuggestResult& r) {
    std::vector<std::string> list;
    for (const SuggestedEdge& e : r.edges)
      list.push_back(std::string(e.relation) + " " + std::string(graph_->snapshot().key(e.other)));
    return list;
  }
  std::unique_ptr<Graph> graph_;
};

TEST_F(Suggestions, D6OpposingOutcomesAndNames) {
  const SuggestResult r = Ask("d12");
  EXPECT_EQ(Shown(r), (std::vector<std::string>{"contradicts d1", "caused_by d1"}));
  for (const SuggestedEdge& e : r.edges) {
    EXPECT_FALSE(e.reason.empty());
    EXPECT_FALSE(e.evidence.empty());
  }
  ASSERT_TRUE(graph_->Apply(r.batch));
  const Snapshot s = graph_->snapshot();
  EXPECT_TRUE(s.FindEdge(*s.Find("d12"), kContradicts, *s.Find("d1")));
  EXPECT_TRUE(s.FindEdge(*s.Find("d1"), kCauses, *s.Find("d12")));
  EXPECT_TRUE(Ask("d12").edges.empty());  // what is there is not suggested
  EXPECT_TRUE(Ask("d12").batch.empty());
}

// Superseded ones, though nearer, do not fill the list.
TEST_F(Suggestions, NearAndActive) {
  WriteBatch b(kDecisionsNow);
  b.DefineSpace({.name = "v", .dimensions = 2, .metric = Metric::kCosine});
  const auto vector = [&](const std::string& key, float x, float y) {
    const float values[] = {x, y};
    const NodeRef node = b.UpsertNode(key, kDecision);
    b.SetVector(node, b.SpaceNamed("v"), values);
    return node;
  };
  vector("d6", 1, 0);
  vector("d2", 0.9f, 0.3f);
  for (int i = 0; i < 9; ++i)
    b.Link(b.UpsertNode("d9", kDecision), kSupersedes, vector("o" + std::to_string(i), 1, 0));
  ASSERT_TRUE(graph_->Apply(b));
  const Snapshot s = graph_->snapshot();
  SuggestOptions options;
  options.top = 1;
  options.space = "v";
  const SuggestResult r = SuggestEdges(s, *s.Find("d6"), options).value();
  EXPECT_EQ(Shown(r), std::vector<std::string>{"relates_to d2"});
}

TEST_F(Suggestions, WordsThatAreKeys) {
  EXPECT_EQ(Shown(Ask("d13")), (std::vector<std::string>{"caused_by d7", "relates_to d2"}));
}

TEST_F(Suggestions, SharedTags) {
  WriteBatch b(kDecisionsNow);
  for (const char* key : {"d2", "d13"})
    for (const char* tag : {"a", "b"}) b.Link(b.Node(key), kHasTag, b.IndexNode(kTag, tag));
  b.SetString(b.Node("d2"), kCategory, "ops");
  b.SetString(b.Node("d13"), kCategory, "ops");
  b.ClearPayload(b.Node("d13"), NodeField::kText);
  b.SetI64(b.Node("d2"), kCreatedAt, 5);
  b.SetI64(b.Node("d13"), kCreatedAt, 9);
  ASSERT_TRUE(graph_->Apply(b));
  EXPECT_EQ(Shown(Ask("d13")), (std::vector<std::string>{"refines d2"}));
  EXPECT_EQ(Shown(Ask("d2")), (std::vector<std::string>{"relates_to d13"}));
}

// Near vectors, and the same text in a property or a column; of those that nothing links yet.
TEST_F(Suggestions, NearVectorsAndSameProperties) {
  WriteBatch b(kDecisionsNow);
  b.DefineSpace({"default", 2, Metric::kCosine});
  const SpaceRef space = b.SpaceNamed("default");
  const auto vector = [&](const char* key, float x, float y) {
    const float values[] = {x, y};
    b.SetVector(b.Node(key), space, values);
  };
  b.ClearPayload(b.Node("d13"), NodeField::kText);
  vector("d13", 1, 0);
  vector("d2", 0.9f, 0.1f);
  vector("d6", 0.78f, 0.62f);  // a cosine below 0.8
  vector("d7", 0, 1);
  vector("d8", 1, 0);  // superseded
  const auto pattern = [&](const char* key, const char* value) {
    PropertyMapBuilder made;
    made.String("pattern", value);
    b.SetPayload(b.Node(key), NodeField::kProperties, made.Finish().value());
  };
  pattern("d13", "one source of truth");
  pattern("d7", "one source of truth");
  pattern("d6", "cache aside");
  b.SetString(b.Node("d13"), kStakes, "high");
  b.SetString(b.Node("d9"), kStakes, "high");
  ASSERT_TRUE(graph_->Apply(b));
  const Snapshot s = graph_->snapshot();
  const auto ask = [&](SuggestOptions options) {
    return Shown(SuggestEdges(s, *s.Find("d13"), options).value());
  };
  using List = std::vector<std::string>;
  EXPECT_EQ(ask({}), (List{"relates_to d2"}));
  EXPECT_EQ(ask({.min_cosine = 0.7}), (List{"relates_to d2", "relates_to d6"}));
  EXPECT_EQ(ask({.min_cosine = 2}), List{});
  EXPECT_EQ(ask({.space = "nosuch"}), List{});
  EXPECT_EQ(ask({.min_cosine = 2, .properties = {"pattern"}}), (List{"relates_to d7"}));
  EXPECT_EQ(ask({.properties = {"pattern", "stakes"}}),
            (List{"relates_to d2", "relates_to d7", "relates_to d9"}));
  const SuggestResult r = SuggestEdges(s, *s.Find("d13"), {.properties = {"pattern"}}).value();
  EXPECT_EQ(r.edges[1].reason, "has the same pattern");
  EXPECT_EQ(r.edges[1].evidence[0].second, "one source of truth");
  WriteBatch link(kDecisionsNow);
  link.Link(link.Node("d2"), kDependsOn, link.Node("d13"));
  ASSERT_TRUE(graph_->Apply(link));
  EXPECT_EQ(Shown(Ask("d13")), List{});
}

TEST_F(Suggestions, Refusals) {
  const Snapshot s = graph_->snapshot();
  EXPECT_EQ(SuggestEdges(s, 999).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(SuggestEdges(s, 0, {.top = 0}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(SuggestEdges(s, 0, {.min_shared = 0}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(SuggestEdges(s, 0, {.min_cosine = 0}).error().code, ErrorCode::kInvalidArgument);
  WriteBatch b;
  b.RemoveNode(b.Node("d1"));
  ASSERT_TRUE(graph_->Apply(b));
  const Snapshot now = graph_->snapshot();
  EXPECT_EQ(SuggestEdges(now, *now.Find("d1")).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace plexus::testing
