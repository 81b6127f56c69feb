// Concepts: what is written, what is recalled, against the definition and the worked numbers.
#include "algorithms/memory/concepts/concepts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>

#include "tests/algorithms/memory/concept_world.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace memory;
namespace {

using Names = std::vector<std::string>;

// A graph that takes what the functions propose.
class Mind {
 public:
  Snapshot snapshot() const { return graph_->snapshot(); }
  Graph& graph() { return *graph_; }
  ApplyReport Apply(const WriteBatch& batch) {
    auto report = graph_->Apply(batch);
    EXPECT_TRUE(report) << report.error().ToString();
    return report.value_or(ApplyReport());
  }
  void Upsert(const std::string& name, std::int64_t now = kT) {
    Apply(UpsertConcept(snapshot(), name, now).value().batch);
  }
  void Relate(const std::string& a, const std::string& kind, const std::string& b,
              std::int64_t now = kT) {
    Apply(memory::Relate(snapshot(), a, kind, b, now).value().batch);
  }
  std::string Episode(const std::string& summary, const Names& names, double valence = 0,
                      std::int64_t now = kT) {
    auto made = AddEpisode(snapshot(), summary, names, valence, now).value();
    Apply(made.batch);
    return made.episode_id;
  }
  RecallConceptsResult Recall(const Names& seeds, std::int64_t now,
                              const RecallConceptsOptions& options = {}) const {
    return RecallConcepts(snapshot(), seeds, now, options).value();
  }
  NodeId Id(const std::string& name) const { return *snapshot().Find(name); }

 private:
  std::unique_ptr<Graph> graph_ = Graph::InMemory();
};

void FillPie(Mind& mind) {
  mind.Upsert("apple");
  mind.Upsert("fruit");
  mind.Relate("apple", "is-a", "fruit");
  mind.Relate("apple", "part-of", "pie");
  mind.Relate("pie", "evokes", "grandma");
  mind.Episode("Baked with grandma", {"apple", "pie"}, 0.6);
}

struct Want {
  std::string text;
  double score, valence;
};
void ExpectPropositions(const RecallConceptsResult& result, const std::vector<Want>& want) {
  ASSERT_EQ(result.propositions.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(result.propositions[i].text, want[i].text);
    EXPECT_NEAR(result.propositions[i].score, want[i].score, 1e-6) << want[i].text;
    EXPECT_NEAR(result.propositions[i].valence, want[i].valence, 1e-9) << want[i].text;
  }
}
std::string Raised(const Mind& mind, const RecallConceptsResult& result) {
  std::string text;
  for (const RaisedConcept& one : result.raised)
    text += std::string(mind.snapshot().key(one.node)) + " " +
            std::to_string(std::lround(one.level * 1000)) + ", ";
  return text;
}

TEST(Arousal, FadesByTau) {
  Mind mind;
  mind.Upsert("apple");
  const Snapshot s = mind.snapshot();
  const NodeId apple = mind.Id("apple");
  EXPECT_EQ(Arousal(s, apple, kT), 0.5);
  EXPECT_NEAR(Arousal(s, apple, kT + 24 * kHour), 0.183940, 1e-6);
  EXPECT_EQ(Arousal(s, apple, kT - kHour), 0.5);  // not before it was accessed
  EXPECT_NEAR(Arousal(s, apple, kT + 6 * kHour, 6 * kHour), 0.5 * std::exp(-1), 1e-12);
  EXPECT_NEAR(Arousal(s, apple, kT + 1, 0), 0.5 * std::exp(-1), 1e-12);  // a tau of 1 ms
  EXPECT_NEAR(Arousal(s, apple, kT + 1, -5), 0.5 * std::exp(-1), 1e-12);
  EXPECT_EQ(Arousal(s, apple, std::numeric_limits<std::int64_t>::max(), 1), 0);
  WriteBatch batch(kT);
  batch.SetI64(NodeRef::Id(apple), kAccessedAt, -3);
  batch.SetF64(NodeRef::Id(apple), kArousalLevel, 7);
  mind.Apply(batch);
  EXPECT_EQ(Arousal(mind.snapshot(), apple, kT + 99 * kHour), 1);  // accessed now, level at most 1
}

TEST(RecallConcepts, WorkedExample) {
  Mind mind;
  FillPie(mind);
  const std::int64_t later = kT + 6 * kHour;
  const auto first = mind.Recall({"apple"}, later);
  ExpectPropositions(first, {{"apple evokes Baked with grandma", 0.389400, 0.6},
                             {"apple is-a fruit", 0.389400, 0},
                             {"apple part-of pie", 0.194700, 0},
                             {"pie evokes Baked with grandma", 0.097350, 0.6},
                             {"pie evokes grandma", 0.097350, 0}});
  EXPECT_EQ(Raised(mind, first), "fruit 1000, pie 1000, grandma 500, ");
  EXPECT_EQ(first.propositions[3].hop, 2);
  EXPECT_EQ(first.concepts, 4u);
  const Sequence before = mind.snapshot().sequence();
  EXPECT_EQ(mind.Apply(first.batch).sequence, before + 1);
  const auto second = mind.Recall({"apple"}, later);
  ExpectPropositions(second, {{"apple is-a fruit", 1, 0},
                              {"apple part-of pie", 1, 0},
                              {"pie evokes Baked with grandma", 0.5, 0.6},
                              {"apple evokes Baked with grandma", 0.389400, 0.6},
                              {"pie evokes grandma", 0.25, 0}});
  EXPECT_TRUE(second.batch.empty());
  EXPECT_TRUE(second.raised.empty());
}

TEST(RecallConcepts, WorkedExampleAgainstEdges) {
  Mind mind;
  FillPie(mind);
  const std::int64_t later = kT + 6 * kHour;
  const auto first = mind.Recall({"fruit"}, later);
  ExpectPropositions(first, {{"apple evokes Baked with grandma", 0.194700, 0.6},
                             {"apple is-a fruit", 0.194700, 0},
                             {"apple part-of pie", 0.097350, 0}});
  EXPECT_EQ(Raised(mind, first), "apple 500, fruit 500, pie 500, ");
  mind.Apply(first.batch);
  ExpectPropositions(mind.Recall({"fruit"}, later), {{"apple evokes Baked with grandma", 0.25, 0.6},
                                                     {"apple is-a fruit", 0.25, 0},
                                                     {"apple part-of pie", 0.25, 0}});
}

TEST(RecallConcepts, WithoutSeedsOrHopsNothing) {
  Mind mind;
  FillPie(mind);
  EXPECT_TRUE(mind.Recall({}, kT).propositions.empty());
  EXPECT_TRUE(mind.Recall({"", " \t"}, kT).propositions.empty());
  RecallConceptsOptions none;
  none.hops = 0;
  const auto result = mind.Recall({"apple", "nobody", "grandpa"}, kT, none);
  EXPECT_TRUE(result.propositions.empty());
  EXPECT_TRUE(result.batch.empty());
  EXPECT_EQ(result.unknown, (Names{"nobody", "grandpa"}));
}

// Random graphs, every storage, three orders of insertion; what was raised is written and asked
// again.
TEST(RecallConcepts, EqualsItsDefinition) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const RandomWorld made = MakeWorld(seed, 8 + seed % 30, 20 + seed % 70);
    for (const Storage storage : kStorages) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", storage " +
                   std::to_string(static_cast<int>(storage)));
      auto graph = InMemory(made, seed * 3 + static_cast<std::uint64_t>(storage), storage);
      ConceptWorld world = made.world;
      std::mt19937_64 random(seed);
      for (int round = 0; round < 6; ++round) {
        const ConceptQuestion question = DrawQuestion(random, made);
        const auto want = reference::RecallByDefinition(world, question);
        const Snapshot s = graph->snapshot();
        const auto got =
            RecallConcepts(s, question.seeds, question.now_ms, OptionsOf(question)).value();
        ASSERT_EQ(Shown(s, got), Shown(want));
        if (round % 2 == 0) continue;
        ASSERT_EQ(got.batch.empty(), got.raised.empty());
        if (got.batch.empty()) continue;
        ASSERT_TRUE(graph->Apply(got.batch));
        reference::ApplyRaised(world, want, question.now_ms);
        // The batch's time moves the graph's; valid times of later questions do not depend on it.
        const auto again =
            RecallConcepts(graph->snapshot(), question.seeds, question.now_ms, OptionsOf(question));
        ASSERT_TRUE(again->batch.empty());  // a rise that changes no value writes none
      }
    }
  }
}

TEST(RecallConcepts, SameBesideOthers) {
  const RandomWorld made = MakeWorld(7, 60, 300);
  const auto graph = InMemory(made, 1, Storage::kDelta);
  const Snapshot s = graph->snapshot();
  const Names seeds = {"a", "n9", "n20"};
  RecallConceptsOptions options;
  options.hops = 4;
  const std::string want = Shown(s, RecallConcepts(s, seeds, kT + kHour, options).value());
  std::vector<std::thread> threads;
  std::vector<std::string> got(2);
  for (std::size_t i = 0; i < got.size(); ++i)
    threads.emplace_back([&, i] {
      RecallConceptsOptions mine;
      mine.hops = 4;
      for (int n = 0; n < 20; ++n)
        got[i] = Shown(s, RecallConcepts(s, seeds, kT + kHour, mine).value());
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(got[0], want);
  EXPECT_EQ(got[1], want);
}

TEST(RecallConcepts, TopIsTheBeginningOfTheWhole) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const RandomWorld made = MakeWorld(seed, 30, 150);
    const auto graph = InMemory(made, seed, Storage::kRuns);
    const Snapshot s = graph->snapshot();
    const Names seeds = {"a", "b", "n7"};
    RecallConceptsOptions options;
    options.hops = 3;
    auto whole = RecallConcepts(s, seeds, kT + kHour, options).value();
    for (std::size_t top : {1, 2, 3, 7, 20, 100}) {
      options.top = top;
      auto part = RecallConcepts(s, seeds, kT + kHour, options).value();
      auto want = whole;
      want.propositions.resize(std::min(top, whole.propositions.size()));
      EXPECT_EQ(Shown(s, part), Shown(s, want)) << seed << " " << top;
    }
  }
}

TEST(RecallConcepts, ASubsetIsWhatIsMet) {
  Mind mind;
  FillPie(mind);
  const NodeId ids[] = {mind.Id("apple"), mind.Id("pie"), mind.Id("grandma")};
  const NodeSubset subset = *NodeSubset::Of(mind.snapshot(), ids);
  RecallConceptsOptions options;
  options.subset = &subset;
  ExpectPropositions(mind.Recall({"apple"}, kT, options),
                     {{"apple part-of pie", 0.25, 0}, {"pie evokes grandma", 0.125, 0}});
  // A seed need not be in it.
  EXPECT_EQ(mind.Recall({"fruit"}, kT, options).propositions.size(), 2u);
}

TEST(RecallConcepts, OptionsOfTheSecondGeneration) {
  Mind mind;
  RelateOptions growing;
  growing.reinforce = true;
  const double weights[] = {0.25, 0.4, 0.52, 0.616, 0.6928};
  for (const double weight : weights) {
    const auto related = Relate(mind.snapshot(), "pie", "evokes", "submodule:oven", kT, growing);
    EXPECT_NEAR(related->weight, weight, 1e-7);
    mind.Apply(related->batch);
  }
  RecallConceptsOptions options;
  options.weighted = true;
  options.six_decimals = true;
  const std::int64_t later = kT + 6 * kHour;
  auto result = mind.Recall({"pie"}, later, options);
  ASSERT_EQ(result.propositions.size(), 1u);
  EXPECT_EQ(result.propositions[0].score, 0.134888);  // 0.25 e^-0.25 0.6928
  EXPECT_EQ(Raised(mind, result), "submodule:oven 693, ");
  options.not_raised = {"submodule:"};
  EXPECT_TRUE(mind.Recall({"pie"}, later, options).batch.empty());
  options.decay = {{kEvokes, Direction::kOut, 0}};
  EXPECT_TRUE(mind.Recall({"pie"}, later, options).propositions.empty());
  options.decay = {{kNoEdgeKind, Direction::kIn, 1}};
  options.weighted = false;
  EXPECT_NEAR(mind.Recall({"submodule:oven"}, kT, options).propositions[0].score, 0.25, 1e-6);
}

TEST(RecallConcepts, AHubStopsAtTheBudget) {
  constexpr std::uint64_t kDegree = 100'000;
  Mind mind;
  WriteBatch batch(kT);
  const NodeRef hub = batch.UpsertNode("hub", kConcept);
  for (std::uint64_t i = 0; i < kDegree; ++i)
    batch.Link(batch.UpsertNode("leaf " + std::to_string(i), kConcept), kIsA, hub);
  mind.Apply(batch);
  const auto whole = mind.Recall({"hub"}, kT);
  EXPECT_EQ(whole.propositions.size(), kDegree);
  EXPECT_FALSE(whole.truncated);
  RecallConceptsOptions options;
  options.run.budget.edges = 1000;
  auto cut = mind.Recall({"hub"}, kT, options);
  EXPECT_TRUE(cut.truncated);
  EXPECT_EQ(cut.edges, 1000u);
  EXPECT_EQ(cut.propositions.size(), 1000u);
  options.run.budget = {};
  options.run.budget.nodes = 50;
  cut = mind.Recall({"hub"}, kT, options);
  EXPECT_TRUE(cut.truncated);
  EXPECT_EQ(cut.concepts, 50u);
  EXPECT_EQ(cut.raised.size(), 49u);
  options.run.budget = {};
  const std::atomic<bool> cancel = true;
  options.run.budget.cancel = &cancel;
  cut = mind.Recall({"hub"}, kT, options);
  EXPECT_TRUE(cut.truncated);
  EXPECT_LT(cut.edges, 2048u);
}

TEST(RecallConcepts, Refusals) {
  Mind mind;
  FillPie(mind);
  const Names seeds = {"apple"};
  const auto refused = [&](auto change, std::int64_t now = kT) {
    RecallConceptsOptions options;
    change(options);
    const auto result = RecallConcepts(mind.snapshot(), seeds, now, options);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
  };
  refused([](auto& o) { o.hops = -1; });
  refused([](auto& o) { o.hops = 17; });
  refused([](auto& o) { o.hop_decay = std::nan(""); });
  refused([](auto& o) { o.hop_decay = 1.5; });
  refused([](auto& o) { o.decay = {{kIsA, Direction::kIn, -1}}; });
  refused([](auto& o) { o.decay = {{kCauses, Direction::kIn, 1}}; });
  refused([](auto& o) { o.decay = {{EdgeKindId(60000), Direction::kIn, 1}}; });
  refused([](auto&) {}, kNoTime);
}

TEST(RecallConcepts, ARaisedConceptThatWentAwayDoesNotComeBack) {
  Mind mind;
  FillPie(mind);
  const auto result = mind.Recall({"apple"}, kT + kHour);
  WriteBatch removal(kT);
  removal.RemoveNode(NodeRef::Id(mind.Id("pie")));
  mind.Apply(removal);
  const auto applied = mind.graph().Apply(result.batch);
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().code, ErrorCode::kConflict);
}

}  // namespace
}  // namespace plexus::testing
