// What writes concepts: upsert, affect, episode, relate, dampen, activate; and search.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/memory/concepts/concepts.h"
#include "engine/graph.h"
#include "engine/vocabulary.h"
#include "tests/algorithms/memory/concept_world.h"

namespace plexus::testing {
using namespace builtin;
using namespace memory;
namespace {

using Names = std::vector<std::string>;

class ConceptChanges : public ::testing::Test {
 protected:
  Snapshot snapshot() const { return graph_->snapshot(); }
  // Applies the batch of a result; the sequence it leads to.
  Sequence Apply(const WriteBatch& batch) {
    const auto report = graph_->Apply(batch);
    EXPECT_TRUE(report) << report.error().ToString();
    return report ? report->sequence : 0;
  }
  NodeId Id(const std::string& name) const { return *snapshot().Find(name); }
  double F64(const std::string& name, ColumnId column) const {
    return snapshot().f64(column, Id(name)).value_or(-99);
  }
  template <class R>
  static void ExpectRefused(const R& result, const std::string& part,
                            ErrorCode code = ErrorCode::kInvalidArgument) {
    ASSERT_FALSE(result) << part;
    EXPECT_EQ(result.error().code, code) << result.error().message;
    EXPECT_NE(result.error().message.find(part), std::string::npos) << result.error().message;
  }

  const std::unique_ptr<Graph> graph_ = Graph::InMemory();
};

TEST_F(ConceptChanges, UpsertMakesOnceAndLeavesAlone) {
  auto made = UpsertConcept(snapshot(), "cold fusion", kT).value();
  EXPECT_TRUE(made.created);
  EXPECT_EQ(made.concept_id, "cold fusion");
  const Sequence sequence = Apply(made.batch);
  EXPECT_EQ(snapshot().node_kind(Id("cold fusion")), kConcept);
  EXPECT_EQ(F64("cold fusion", kArousalLevel), 0.5);
  EXPECT_EQ(F64("cold fusion", kValence), 0);
  EXPECT_EQ(snapshot().i64(kAccessedAt, Id("cold fusion")), kT);
  made = UpsertConcept(snapshot(), "cold fusion", kT + kHour).value();
  EXPECT_FALSE(made.created);
  EXPECT_TRUE(made.batch.empty());
  EXPECT_EQ(Apply(made.batch), sequence);
}

TEST_F(ConceptChanges, NamesAreTakenAsTheyAre) {
  const std::string name = "\u3000 Cold  fusion\t";
  const auto made = UpsertConcept(snapshot(), name, kT).value();
  EXPECT_EQ(made.concept_id, name);
  Apply(made.batch);
  EXPECT_TRUE(UpsertConcept(snapshot(), "Cold  fusion", kT)->created);
  const auto related = Relate(snapshot(), name, "is-a", " dream", kT).value();
  EXPECT_EQ(related.from, name);
  EXPECT_EQ(related.to, " dream");
  Apply(related.batch);
  EXPECT_EQ(UpdateAffect(snapshot(), " dream", 0.5, kT)->concept_id, " dream");
  EXPECT_FALSE(UpdateAffect(snapshot(), " dream", 0.5, kT)->created);
  const auto episode = AddEpisode(snapshot(), " slept ", Names{" dream", "dream"}, 0, kT).value();
  EXPECT_EQ(episode.linked_concepts, (Names{" dream", "dream"}));
  ExpectRefused(Relate(snapshot(), name, " is-a", " dream", kT), "is-a, part-of, evokes");
}

TEST_F(ConceptChanges, NamesThatAreNone) {
  for (const char* name : {"", "  ", "\u00A0\u2003"}) {
    ExpectRefused(UpsertConcept(snapshot(), name, kT), "empty");
    ExpectRefused(UpdateAffect(snapshot(), name, 0.5, kT), "empty");
    ExpectRefused(Relate(snapshot(), name, "is-a", "b", kT), "empty");
    ExpectRefused(Relate(snapshot(), "a", "is-a", name, kT), "empty");
  }
  ExpectRefused(UpsertConcept(snapshot(),
                              "a\x1f"
                              "b",
                              kT),
                "U+001F");
  ExpectRefused(UpsertConcept(snapshot(), "\xff\xfe", kT), "UTF-8");
  ExpectRefused(UpsertConcept(snapshot(), std::string(2000, 'x'), kT), "limit");
  ExpectRefused(UpsertConcept(snapshot(), "a", kNoTime), "time");
}

TEST_F(ConceptChanges, OtherKindsOfNodesStayWhatTheyAre) {
  WriteBatch batch(kT);
  batch.UpsertNode("m1", kMemory);
  batch.Link(batch.Node("apple"), kCauses, batch.Node("pie"));  // plain nodes
  Apply(batch);
  ExpectRefused(UpsertConcept(snapshot(), "m1", kT), "of kind memory");
  ExpectRefused(Relate(snapshot(), "m1", "is-a", "x", kT), "of kind memory");
  const auto made = UpsertConcept(snapshot(), "apple", kT).value();
  EXPECT_TRUE(made.created);
  Apply(made.batch);
  EXPECT_EQ(snapshot().node_kind(Id("apple")), kConcept);
  EXPECT_EQ(snapshot().Degree(Direction::kOut, Id("apple"), ArcFilter::All()), 1u);
}

TEST_F(ConceptChanges, AffectMovesValenceAndOnlyRaises) {
  Apply(UpsertConcept(snapshot(), "apple", kT)->batch);
  auto result = UpdateAffect(snapshot(), "apple", 0.8, kT + 6 * kHour).value();
  EXPECT_NEAR(result.valence, 0.8, 1e-9);
  EXPECT_NEAR(result.arousal, 0.8, 1e-9);
  EXPECT_EQ(result.accessed_at, kT + 6 * kHour);
  EXPECT_FALSE(result.clamped);
  Apply(result.batch);
  result = UpdateAffect(snapshot(), "apple", -0.3, kT + 7 * kHour).value();
  EXPECT_NEAR(result.valence, 0.5, 1e-9);
  EXPECT_NEAR(result.arousal, 0.767351566, 1e-9);
  EXPECT_EQ(result.accessed_at, kT + 6 * kHour);
  Apply(result.batch);
  EXPECT_EQ(F64("apple", kArousalLevel), 0.8);
  result = UpdateAffect(snapshot(), "apple", 0.9, kT + 7 * kHour).value();
  EXPECT_EQ(result.valence, 1);
  EXPECT_NEAR(result.arousal, 0.9, 1e-9);
  EXPECT_EQ(result.accessed_at, kT + 7 * kHour);
  EXPECT_TRUE(result.clamped);
  Apply(result.batch);
  // Nothing to change: no record.
  result = UpdateAffect(snapshot(), "apple", 0.1, kT + 7 * kHour).value();
  EXPECT_FALSE(result.changed);
  EXPECT_TRUE(result.batch.empty());
}

TEST_F(ConceptChanges, AffectMakesAndClamps) {
  auto result = UpdateAffect(snapshot(), "x", 1.5, kT).value();
  EXPECT_TRUE(result.created && result.clamped && result.changed);
  EXPECT_EQ(result.valence, 1);
  EXPECT_EQ(result.arousal, 1);
  Apply(result.batch);
  EXPECT_EQ(F64("x", kValence), 1);
  EXPECT_EQ(F64("x", kArousalLevel), 1);
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()})
    ExpectRefused(UpdateAffect(snapshot(), "x", bad, kT), "finite");
}

TEST_F(ConceptChanges, ABatchExpectsWhatItWasMadeFrom) {
  const auto one = UpdateAffect(snapshot(), "x", 0.5, kT).value();
  const auto two = UpdateAffect(snapshot(), "x", 0.25, kT).value();
  Apply(one.batch);
  const auto late = graph_->Apply(two.batch);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kConflict);
  const auto three = UpdateAffect(snapshot(), "x", 0.25, kT).value();
  const auto four = UpdateAffect(snapshot(), "x", 0.125, kT).value();
  Apply(three.batch);
  EXPECT_FALSE(graph_->Apply(four.batch));
  EXPECT_EQ(F64("x", kValence), 0.75);
}

TEST_F(ConceptChanges, EpisodesHaveTheDaysKeys) {
  auto made =
      AddEpisode(snapshot(), "Baked with grandma", Names{"apple", "pie", "", "apple"}, 0.6, kT)
          .value();
  EXPECT_EQ(made.episode_id, "20231114/apple");
  EXPECT_EQ(made.linked_concepts, (Names{"apple", "pie"}));
  EXPECT_EQ(made.created, 2u);
  EXPECT_FALSE(made.clamped);
  const auto same_time = AddEpisode(snapshot(), "Another", Names{"apple"}, 0, kT).value();
  Apply(made.batch);
  EXPECT_FALSE(graph_->Apply(same_time.batch));  // the key is taken meanwhile
  EXPECT_EQ(snapshot().node_kind(Id("20231114/apple")), kEpisode);
  EXPECT_EQ(snapshot().Payload(Id("20231114/apple"), NodeField::kText).value(),
            "Baked with grandma");
  EXPECT_EQ(F64("apple", kArousalLevel), 0.25);
  for (int n = 2; n <= 12; ++n) {
    made = AddEpisode(snapshot(), "Baked with grandma", Names{"apple"}, -7, kT).value();
    EXPECT_EQ(made.episode_id, "20231114/apple-" + std::to_string(n));
    EXPECT_TRUE(made.clamped);
    EXPECT_EQ(made.valence, -1);
    Apply(made.batch);
  }
  // A key that was removed is not taken again.
  WriteBatch removal(kT);
  removal.PurgeNode(NodeRef::Id(Id("20231114/apple-12")));
  Apply(removal);
  EXPECT_EQ(AddEpisode(snapshot(), "s", Names{"apple"}, 0, kT)->episode_id, "20231114/apple-13");
  EXPECT_EQ(AddEpisode(snapshot(), "s", Names{"apple"}, 0, kT + 2 * kHour)->episode_id,
            "20231115/apple");
  const std::string longest(1000, 'x');
  EXPECT_EQ(AddEpisode(snapshot(), "s", Names{longest}, 0, -1)->episode_id.substr(0, 11),
            "19691231/xx");
}

TEST_F(ConceptChanges, EpisodesThatAreNone) {
  ExpectRefused(AddEpisode(snapshot(), "  ", Names{"apple"}, 0, kT), "summary");
  ExpectRefused(AddEpisode(snapshot(), "s", Names{}, 0, kT), "needs a concept");
  ExpectRefused(AddEpisode(snapshot(), "s", Names{" "}, 0, kT), "needs a concept");
  ExpectRefused(AddEpisode(snapshot(), "s", Names{"a"}, std::nan(""), kT), "finite");
  ExpectRefused(AddEpisode(snapshot(), "s", Names{"a"}, 0, 300'000'000'000'000), "9999");
  ExpectRefused(AddEpisode(snapshot(), "s", Names{"a"}, 0, kT, {2}), "[0, 1]");
}

TEST_F(ConceptChanges, RelateOnceAndAgain) {
  auto made = Relate(snapshot(), "apple", "is-a", "fruit", kT).value();
  EXPECT_TRUE(made.created && made.changed);
  EXPECT_EQ(made.concepts, 2u);
  Apply(made.batch);
  EXPECT_EQ(F64("fruit", kArousalLevel), 0.25);
  made = Relate(snapshot(), "apple", "is-a", "fruit", kT + kHour).value();
  EXPECT_FALSE(made.created || made.changed);
  EXPECT_TRUE(made.batch.empty());
  ExpectRefused(Relate(snapshot(), "apple", "is-a", "apple", kT), "itself");
  ExpectRefused(Relate(snapshot(), "a", "likes", "b", kT), "is-a, part-of, evokes");
  ExpectRefused(Relate(snapshot(), "a", "causes", "b", kT), "is-a, part-of, evokes");
  ExpectRefused(Relate(snapshot(), "a", "", "b", kT), "is-a, part-of, evokes");
}

TEST_F(ConceptChanges, ARelationThatExpiredHoldsAgain) {
  Apply(Relate(snapshot(), "apple", "is-a", "fruit", kT)->batch);
  WriteBatch batch(kT);
  WriteBatch::EdgeInput edge;
  edge.source = NodeRef::Id(Id("apple")), edge.target = NodeRef::Id(Id("fruit"));
  edge.kind = kIsA;
  edge.valid_until = kT + kHour;
  batch.Link(edge);
  Apply(batch);
  EXPECT_TRUE(Relate(snapshot(), "apple", "is-a", "fruit", kT)->batch.empty());
  const auto again = Relate(snapshot(), "apple", "is-a", "fruit", kT + 2 * kHour).value();
  EXPECT_TRUE(again.changed);
  EXPECT_FALSE(again.created);
  Apply(again.batch);
  EXPECT_EQ(snapshot().FindEdge(Id("apple"), kIsA, Id("fruit"))->valid_until, kNoTime);
}

TEST_F(ConceptChanges, OnlyEvokesReachesAnEpisode) {
  const auto episode = AddEpisode(snapshot(), "It rained", Names{"rain"}, 0, kT).value();
  Apply(episode.batch);
  const auto made = Relate(snapshot(), "umbrella", "evokes", episode.episode_id, kT).value();
  EXPECT_EQ(made.concepts, 1u);
  Apply(made.batch);
  EXPECT_EQ(RecallConcepts(snapshot(), Names{"umbrella"}, kT)->propositions[0].text,
            "umbrella evokes It rained");
  ExpectRefused(Relate(snapshot(), "umbrella", "is-a", episode.episode_id, kT), "of kind episode");
  ExpectRefused(Relate(snapshot(), episode.episode_id, "evokes", "rain", kT), "of kind episode");
}

TEST_F(ConceptChanges, Dampen) {
  Apply(UpsertConcept(snapshot(), "apple", kT)->batch);
  auto result = DampenConcept(snapshot(), "apple", 0.5, kT + 24 * kHour).value();
  EXPECT_NEAR(result.arousal, 0.5 * std::exp(-1) / 2, 1e-12);
  Apply(result.batch);
  EXPECT_NEAR(Arousal(snapshot(), Id("apple"), kT + 24 * kHour), result.arousal, 1e-12);
  result = DampenConcept(snapshot(), "apple", 7, kT + 24 * kHour).value();
  EXPECT_TRUE(result.clamped);
  EXPECT_EQ(result.arousal, 0);
  ExpectRefused(DampenConcept(snapshot(), "nobody", 0.5, kT), "nobody", ErrorCode::kNotFound);
  ExpectRefused(DampenConcept(snapshot(), "apple", std::nan(""), kT), "finite");
}

TEST_F(ConceptChanges, ActivateAddsUpWhatFlows) {
  for (const char* name : {"hunger", "noon"}) Apply(UpsertConcept(snapshot(), name, kT)->batch);
  Apply(Relate(snapshot(), "hunger", "evokes", "action:eat", kT)->batch);
  Apply(Relate(snapshot(), "noon", "evokes", "action:eat", kT)->batch);
  Apply(Relate(snapshot(), "action:rest", "part-of", "noon", kT)->batch);
  Apply(Relate(snapshot(), "noon", "is-a", "time", kT)->batch);
  const std::int64_t later = kT + 6 * kHour;
  ActivateRelatedOptions options;
  options.prefix = "action:";
  const Names sources = {"noon", "hunger", "nobody"};
  const auto result = ActivateRelated(snapshot(), sources, later, options).value();
  EXPECT_EQ(result.unknown, Names{"nobody"});
  ASSERT_EQ(result.raised.size(), 2u);
  EXPECT_EQ(result.raised[0].node, Id("action:eat"));
  EXPECT_NEAR(result.raised[0].level, 2 * 0.5 * std::exp(-0.25), 1e-12);
  // Against the edge half flows: 0.1947, which is what is there, so it is accessed now.
  EXPECT_EQ(result.raised[1].node, Id("action:rest"));
  EXPECT_NEAR(result.raised[1].level, 0.25 * std::exp(-0.25), 1e-12);
  Apply(result.batch);
  EXPECT_EQ(snapshot().i64(kAccessedAt, Id("action:eat")), later);
  options.run.budget.edges = 1;
  EXPECT_TRUE(ActivateRelated(snapshot(), sources, later, options)->truncated);
}

TEST_F(ConceptChanges, SearchByVectorAndArousal) {
  WriteBatch batch(kT);
  batch.DefineSpace({"default", 2, Metric::kInnerProduct});
  const SpaceRef space = batch.SpaceNamed("default");
  const auto add = [&](const char* name, double level, std::vector<float> vector) {
    const NodeRef node = batch.UpsertNode(name, kConcept);
    batch.SetF64(node, kArousalLevel, level);
    batch.SetI64(node, kAccessedAt, kT);
    if (!vector.empty()) batch.SetVector(node, space, vector);
  };
  add("near", 0, {2, 0});
  add("warm", 1, {0, 1});
  add("both", 0.5, {1, 1});
  add("bare", 0.25, {});
  add("bald", 0.25, {});
  batch.SetVector(batch.UpsertNode("no concept", kMemory), space, std::vector<float>{1, 0});
  Apply(batch);
  const std::vector<float> query = {1, 0};
  SearchConceptsOptions options;
  options.space = SpaceId{0};
  options.query = query;
  auto hits = SearchConcepts(snapshot(), kT, options)->hits;
  ASSERT_EQ(hits.size(), 5u);
  const char* const order[] = {"near", "both", "warm", "bald", "bare"};
  const double scores[] = {0.75, 0.75 * std::sqrt(0.5) + 0.125, 0.25, 0.0625, 0.0625};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(snapshot().key(hits[i].node), order[i]);
    EXPECT_NEAR(hits[i].score, scores[i], 1e-6);
    EXPECT_EQ(hits[i].cosine.has_value(), i < 3);
  }
  options.top = 2;
  EXPECT_EQ(SearchConcepts(snapshot(), kT, options)->hits.size(), 2u);
  SearchConceptsOptions aroused;
  aroused.top = 3;
  hits = SearchConcepts(snapshot(), kT, aroused)->hits;
  ASSERT_EQ(hits.size(), 3u);
  EXPECT_EQ(snapshot().key(hits[0].node), "warm");
  EXPECT_EQ(snapshot().key(hits[2].node), "bald");
  EXPECT_EQ(hits[0].score, 1);
  aroused.query = query;
  ExpectRefused(SearchConcepts(snapshot(), kT, aroused), "space");
  aroused.cosine_share = 2;
  ExpectRefused(SearchConcepts(snapshot(), kT, aroused), "[0, 1]");
}

}  // namespace
}  // namespace plexus::testing
