// Recall: one list, two lists fused, and the event that records them.
#include "algorithms/memory/recall/recall.h"

#include <gtest/gtest.h>

#include "algorithms/retrieval/plan.h"
#include "algorithms/retrieval/terms.h"
#include "algorithms/retrieval/vectors.h"
#include "engine/graph.h"
#include "engine/vocabulary.h"
#include "tests/support/apply_to.h"

namespace plexus::testing {
using namespace builtin;
using namespace memory;
using namespace retrieval;
namespace {

TEST(FuseRanks, IsTheSumOfReciprocalRanks) {
  const std::vector<NodeId> lists[] = {{0, 1, 2}, {1, 3}};
  const auto fused = FuseRanks(lists);
  ASSERT_EQ(fused.size(), 4u);
  const double expected[] = {0.032522475, 0.016393443, 0.016129032, 0.015873016};
  const NodeId nodes[] = {1, 0, 3, 2};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(fused[i].node, nodes[i]);
    EXPECT_NEAR(fused[i].score, expected[i], 1e-9);
  }
  EXPECT_TRUE(FuseRanks({}).empty());
  const std::vector<NodeId> ties[] = {{5}, {3}};
  EXPECT_EQ(FuseRanks(ties)[0].node, 3u);
}

class Recalled : public ::testing::Test {
 protected:
  void SetUp() override {
    WriteBatch batch(10);
    VectorSpace space;
    space.name = "default";
    space.dimensions = 2;
    batch.DefineSpace(space);
    const auto add = [&](const char* key, const char* text, float x, float y) {
      const NodeRef node = batch.UpsertNode(key, NodeKindRef(kMemory));
      batch.SetPayload(node, NodeField::kText, text);
      const float values[] = {x, y};
      batch.SetVector(node, batch.SpaceNamed("default"), values);
      return node;
    };
    batch.SetF64(add("a", "gateway keys", 1, 0), kRetention, 0.8);
    batch.SetF64(add("b", "gateway", 0, 1), kTrust, 0.4);
    add("c", "something else", 0.9f, 0.1f);
    ASSERT_TRUE(graph_->Apply(batch));
    ASSERT_TRUE(IndexTerms(graph_->snapshot(), {}, ApplyTo(*graph_)));
  }
  std::vector<std::string> Keys(const RecallResult& result) const {
    std::vector<std::string> keys;
    for (const RecallHit& hit : result.hits) keys.emplace_back(graph_->snapshot().key(hit.node));
    return keys;
  }
  using K = std::vector<std::string>;

  std::unique_ptr<Graph> graph_ = Graph::InMemory();
};

TEST_F(Recalled, ByWordsByVectorAndByBoth) {
  const Snapshot s = graph_->snapshot();
  const std::string terms[] = {"gateway", "keys"};
  const float vector[] = {0, 1};
  RecallQuery words, near, both;
  words.terms = both.terms = terms;
  near.vector = both.vector = vector;
  EXPECT_EQ(Keys(Recall(s, words).value()), (K{"a", "b"}));
  EXPECT_EQ(Keys(Recall(s, near).value()), (K{"b", "c", "a"}));
  const RecallResult fused = Recall(s, both).value();
  // b: second word, first vector; a: first word, third vector; c: second vector.
  EXPECT_EQ(Keys(fused), (K{"b", "a", "c"}));
  EXPECT_NEAR(fused.hits[0].score, 1.0 / 62 + 1.0 / 61, 1e-12);
  EXPECT_TRUE(fused.hits[0].measured.words && fused.hits[0].measured.similarity);
  EXPECT_FALSE(fused.hits[2].measured.words);
  RecallOptions one;
  one.top = 1;
  EXPECT_EQ(Keys(Recall(s, both, one).value()), (K{"b"}));
  EXPECT_EQ(Recall(s, {}).error().code, ErrorCode::kInvalidArgument);
}

// As the command line has it.
TEST_F(Recalled, ByThePlanRecallWhereNothingElseIsSaid) {
  const auto of_texts = [](std::uint64_t count) {
    auto graph = Graph::InMemory();
    WriteBatch batch(1);
    std::vector<NodeRef> nodes;
    for (std::uint64_t i = 0; i < count; ++i) {
      nodes.push_back(batch.UpsertNode("m" + std::to_string(i), NodeKindRef(kMemory)));
      batch.SetPayload(nodes.back(), NodeField::kText, i % 7 == 0 ? "gateway keys" : "gateway");
    }
    batch.Link(nodes[0], kRelatesTo, nodes[3], 1);
    EXPECT_TRUE(AddTerms(graph->snapshot(), batch));
    EXPECT_TRUE(graph->Apply(batch));
    return graph;
  };
  const RecallQuery question{.text = "keys"};
  const auto planned = [&](const Snapshot& s, const RecallOptions& options) {
    return Recall(s, question, options).value().plan == kRecallPlan;
  };
  const auto few = of_texts(kRecallPlanTexts - 1), many = of_texts(kRecallPlanTexts);
  EXPECT_FALSE(HasRecallPlan(few->snapshot(), 10));
  EXPECT_FALSE(planned(few->snapshot(), {}));
  const Snapshot s = many->snapshot();
  EXPECT_TRUE(HasRecallPlan(s, 10));
  EXPECT_TRUE(HasRecallPlan(s, kRecallPlanTop));
  EXPECT_FALSE(HasRecallPlan(s, kRecallPlanTop + 1));
  EXPECT_TRUE(planned(s, {}));
  EXPECT_FALSE(planned(s, {.top = 0}));  // all: by lists
  EXPECT_EQ(Recall(s, question, {.top = 20'000}).value().plan, kListsPlan);
  RetrievalPlan plan = FindPlan(kRecallPlan)->plan;
  plan.top = 30;
  RecallOptions named;
  named.plan = &plan;
  const RecallResult want = Recall(s, question, named).value(),
                     got = Recall(s, question, {.top = 30}).value();
  ASSERT_EQ(got.hits.size(), want.hits.size());
  EXPECT_GT(got.hits.size(), 15u);  // those with the word, and what m0 is tied to
  for (std::size_t i = 0; i < want.hits.size(); ++i) {
    EXPECT_EQ(got.hits[i].node, want.hits[i].node);
    EXPECT_EQ(got.hits[i].score, want.hits[i].score);
  }
  // Fewer hits are the first of ten.
  const RecallResult ten = Recall(s, question, {}).value(),
                     three = Recall(s, question, {.top = 3}).value();
  ASSERT_EQ(three.hits.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(three.hits[i].node, ten.hits[i].node);
    EXPECT_EQ(three.hits[i].score, ten.hits[i].score);
  }
}

TEST_F(Recalled, EvidenceBecomesAnEvent) {
  const std::string terms[] = {"gateway", "keys"};
  RecallQuery words;
  words.terms = terms;
  const Snapshot s = graph_->snapshot();
  const RecallResult result = Recall(s, words).value();
  EvidenceOptions all;
  all.min_share = 0;
  const NewEvent event = EventOfRecall(s, result.hits, "gateway keys", 99, all).value();
  const RecordedEvent recorded = RecordEvent(s, event).value();
  ASSERT_TRUE(graph_->Apply(recorded.batch));
  const Snapshot after = graph_->snapshot();
  const EventDetails details = GetEvent(after, FindEvent(after, recorded.id).value()).value();
  EXPECT_EQ(details.event.tool, "recall");
  EXPECT_EQ(details.event.query, "gateway keys");
  ASSERT_EQ(details.members.size(), 2u);
  EXPECT_EQ(details.members[0].role, "primary");
  EXPECT_EQ(details.members[0].trust, 0.8);
  EXPECT_EQ(details.members[0].preview, "gateway keys");
  EXPECT_EQ(details.members[0].score, result.hits[0].score);
  EXPECT_EQ(details.members[1].role, "supporting");
  EXPECT_EQ(details.members[1].rank, 1);
  EXPECT_EQ(details.members[1].trust, 0.4);
  EXPECT_EQ(details.event.status, "resolved");
  EXPECT_TRUE(RecordEvent(s, EventOfRecall(s, {}, "nothing", 99).value()).value().empty);
  // By default half of the best score is wanted.
  EXPECT_EQ(EventOfRecall(s, result.hits, "gateway keys", 99).value().members.size(), 1u);
  all.min_share = 2;
  EXPECT_EQ(EventOfRecall(s, result.hits, "", 99, all).error().code, ErrorCode::kInvalidArgument);
}

TEST(Preview, IsCutAtACharacter) {
  EXPECT_EQ(PreviewOf("a\nb"), "a b");
  EXPECT_EQ(PreviewOf(std::string(160, 'x')), std::string(160, 'x'));
  EXPECT_EQ(PreviewOf(std::string(161, 'x')), std::string(160, 'x') + "...");
  EXPECT_EQ(PreviewOf(std::string(159, 'x') + "\xc3\xa9tail"), std::string(159, 'x') + "...");
}

}  // namespace
}  // namespace plexus::testing
