// Builders against their definitions on random turns; built again, in parts, after a stop, and from
// what changed alone they make the same edges.
#include "algorithms/memory/turns/turns.h"

#include <gtest/gtest.h>

#include "engine/state.h"
#include "tests/algorithms/memory/turn_edges.h"
#include "tests/support/dump.h"
#include "tests/support/fakes.h"
#include "tests/support/memory_world.h"
#include "tests/support/vector_values.h"

namespace plexus::testing {
using namespace builtin;
using namespace memory;
using namespace retrieval;
namespace {

constexpr std::string_view kGrouped[] = {"temporal", "referential", "categorical", "trajectory"};

class Turns : public ::testing::Test {
 protected:
  void Begin(std::uint64_t seed, std::size_t turns = 30, std::size_t groups = 4) {
    store_ = std::make_shared<FakeStore>();
    GraphOptions options;
    options.executor = &SerialExecutor();
    graph_ = Graph::Open(Snapshot(), store_, options, store_);
    world_.emplace(
        seed,
        MemoryWorld::Size{.facts = 0, .events = 0, .edges = 0, .turns = turns, .groups = groups});
    ASSERT_TRUE(graph_->Apply(world_->First()));  // the space
  }
  void Change(std::size_t changes, bool removes = true) {
    using enum testing::Change;
    constexpr testing::Change kSorts[] = {
        kTurnTime, kSession, kFile,        kInscription,  kTurnVector,    kTurnVector, kTurnTime,
        kSession,  kFile,    kInscription, kLeaveSession, kClearTurnTime, kRemoveTurn};
    const auto applied =
        graph_->Apply(world_->Next(std::span(kSorts).first(removes ? 13 : 10), changes));
    ASSERT_TRUE(applied) << applied.error().message;
  }
  EdgeRecipe Recipe(std::string_view name, std::size_t window = 3) const {
    EdgeRecipe recipe = *FindRecipe(name);
    recipe.window = window;
    return recipe;
  }
  // All batches, or none after `stop_after` of them.
  Result<BuildReport> Build(const EdgeRecipe& recipe, BuildOptions options = {},
                            int stop_after = -1) {
    options.now_ms = 1'700'000'000'000;
    if (!options.run.executor) options.run.executor = &SerialExecutor();
    int batches = 0;
    return BuildEdges(graph_->snapshot(), recipe, options, [&](const WriteBatch& batch) -> Status {
      if (batches++ == stop_after) return Fail(ErrorCode::kCancelled, "stopped here");
      PLEXUS_TRY(graph_->Apply(batch));
      return {};
    });
  }
  BuildReport MustBuild(const EdgeRecipe& recipe, BuildOptions options = {}) {
    const auto report = Build(recipe, options);
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(BuildReport());
  }
  // What the log says after `since`.
  StateChanges ChangesSince(Sequence since) const {
    StateChanges changes;
    changes.first_new = graph_->snapshot().node_count();
    for (const Record& record : store_->Records())
      if (record.sequence > since) changes.Add(record);
    changes.Sort();
    return changes;
  }

  std::shared_ptr<FakeStore> store_;
  std::unique_ptr<Graph> graph_;
  std::optional<MemoryWorld> world_;
};

TEST_F(Turns, EdgesAreThoseOfTheDefinitions) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Begin(seed, seed % 3 ? 30 : 6, seed % 2 ? 4 : 1);
    Change(20 + seed * 5);
    if (seed % 4 == 0) {
      ASSERT_TRUE(graph_->Compact());
    }
    const auto two = MakeTbbExecutor(2);
    BuildOptions options;
    if (seed % 2) options.run.executor = two.get();
    options.batch_edges = 1 + seed % 7;
    MustBuild(Recipe("temporal"), options);
    EXPECT_EQ(EdgesOf(graph_->snapshot(), kTemporal), ReferenceTemporal(graph_->snapshot()));
    for (const char* name : {"referential", "categorical"}) {
      const EdgeRecipe recipe = Recipe(name, 1 + seed % 5);
      const ReferenceShared expected = ReferenceSharing(graph_->snapshot(), recipe);
      const BuildReport report = MustBuild(recipe, options);
      EXPECT_EQ(EdgesOf(graph_->snapshot(), recipe.kind), expected.edges) << name;
      EXPECT_EQ(report.added, expected.edges.size()) << name;
      EXPECT_EQ(report.dropped, expected.dropped) << name;
      EXPECT_EQ(report.skipped, expected.skipped) << name;
      EXPECT_EQ(report.capped, expected.capped) << name;
    }
    if (HasFailure()) return;
  }
}

TEST_F(Turns, AgainWritesNothing) {
  Begin(5);
  Change(400);
  const TurnTrajectory lines[] = {{"g0", "g1", 0.7, "debug", ""}, {"g2", "", 0.25, "", "rust"}};
  for (const EdgeRecipe& recipe : BuiltinRecipes()) {
    SCOPED_TRACE(recipe.name);
    BuildOptions options;
    options.trajectories = lines;
    const BuildReport first = MustBuild(recipe, options);
    EXPECT_EQ(first.same, 0u);
    const Sequence sequence = graph_->snapshot().sequence();
    const BuildReport second = MustBuild(recipe, options);
    EXPECT_EQ(graph_->snapshot().sequence(), sequence);
    EXPECT_EQ(second.same, first.added);
    EXPECT_EQ(second.added + second.changed + second.removed + second.batches, 0u);
    EXPECT_EQ(second.dropped, first.dropped);
    EXPECT_EQ(second.skipped, first.skipped);
    EXPECT_EQ(second.capped, first.capped);
  }
}

TEST_F(Turns, StoppedAfterAnyBatchAndBuiltAgainItIsTheSameGraph) {
  for (const std::string_view name : kGrouped) {
    SCOPED_TRACE(name);
    const TurnTrajectory lines[] = {{"g0", "", 0.7, "debug", ""}, {"g1", "", 0.2, "", ""}};
    BuildOptions options;
    options.batch_edges = 3;
    options.trajectories = lines;
    Begin(9);
    Change(300, false);
    const BuildReport whole = MustBuild(Recipe(name), options);
    ASSERT_GT(whole.batches, 0u);
    const TurnEdges expected = EdgesOf(graph_->snapshot(), FindRecipe(name)->kind);
    for (int stop = 0; stop < static_cast<int>(whole.batches); ++stop) {
      Begin(9);
      Change(300, false);
      ASSERT_FALSE(Build(Recipe(name), options, stop));
      const BuildReport rest = MustBuild(Recipe(name), options);
      EXPECT_EQ(EdgesOf(graph_->snapshot(), FindRecipe(name)->kind), expected);
      EXPECT_EQ(rest.added + rest.same, whole.added);
    }
  }
}

// Two graphs take the same changes; one builds everything, the other what changed.
TEST_F(Turns, FromWhatChangedItIsAsFromEverything) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    for (const std::string_view name : kGrouped) {
      SCOPED_TRACE(std::string(name) + ", seed " + std::to_string(seed));
      const TurnTrajectory lines[] = {{"g0", "", 0.7, "debug", ""}, {"g1", "", 0.2, "", ""}};
      std::vector<TurnEdges> edges[2];
      std::vector<std::uint64_t> counts[2];
      for (const bool everything : {true, false}) {
        Begin(seed, 20, 5);
        Change(150);
        BuildOptions options;
        options.trajectories = lines;
        MustBuild(Recipe(name), options);
        options.trajectories = {};
        for (int step = 0; step < 8; ++step) {
          const Sequence before = graph_->snapshot().sequence();
          Change(step % 3 == 2 ? 0 : 4);
          StateChanges changes = ChangesSince(before);
          options.changes = everything ? nullptr : &changes;
          const BuildReport r = MustBuild(Recipe(name), options);
          edges[everything].push_back(EdgesOf(graph_->snapshot(), FindRecipe(name)->kind));
          for (const std::uint64_t n : {r.added, r.changed, r.removed, r.capped})
            counts[everything].push_back(n);
          if (step % 3 == 2 && !everything) {
            EXPECT_EQ(r.groups, 0u);
          }
        }
      }
      EXPECT_EQ(edges[0], edges[1]);
      EXPECT_EQ(counts[0], counts[1]);
      if (HasFailure()) return;
    }
  }
}

TEST_F(Turns, SimilarIsEveryTurnsNearest) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Begin(seed, 200);
    Change(700);
    const Snapshot s = graph_->snapshot();
    const VectorView* space = *s.vectors(SpaceId{});
    for (const std::size_t top : {std::size_t{0}, std::size_t{3}}) {
      Begin(seed, 200);
      Change(700);
      EdgeRecipe recipe = *FindRecipe("similar");
      recipe.top = top;
      recipe.above = 0.9;
      TurnEdges expected;
      for (const NodeId v : TurnsBySlowScan(s)) {
        if (!space->has(v)) continue;
        std::vector<std::pair<double, NodeId>> near;
        for (const NodeId w : TurnsBySlowScan(s))
          if (w != v && space->has(w))
            if (const double c = Cosine(VectorOf(*space, v), VectorOf(*space, w)); c > 0.9)
              near.emplace_back(-c, w);
        std::ranges::sort(near);
        if (top != 0 && near.size() > top) near.resize(top);
        for (const auto& [cosine, w] : near)
          expected[{std::string(s.key(std::min(v, w))), std::string(s.key(std::max(v, w))), ""}] =
              std::bit_cast<std::uint32_t>(static_cast<float>(-cosine));
      }
      MustBuild(recipe);
      EXPECT_EQ(EdgesOf(graph_->snapshot(), kSimilar), expected) << "top " << top;
    }
  }
}

TEST_F(Turns, CoRetrievalCountsEventsThatNoOutcomeClosed) {
  Begin(1);
  WriteBatch batch(1'700'000'000'000);
  const NodeRef a = batch.UpsertNode("a", kMemory), b = batch.UpsertNode("b", kMemory),
                c = batch.UpsertNode("c", kMemory);
  const auto event = [&](const char* key, std::vector<NodeRef> members) {
    const NodeRef node = batch.IndexNode(kEvent, key);
    batch.UpsertNode(node);
    for (const NodeRef member : members) {
      WriteBatch::EdgeInput edge;
      edge.source = node;
      edge.kind = kMember;
      edge.target = member;
      edge.label = "supporting";
      batch.Link(edge);
    }
    return node;
  };
  event("e1", {a, b});
  event("e2", {a, b, c});
  event("e3", {a});
  const NodeRef closed = event("e4", {b, c});
  const NodeRef outcome = batch.IndexNode(kOutcome, "dead_end/1/user/e4");
  PropertyMapBuilder made;
  made.String("type", "dead_end");
  batch.UpsertNode(outcome);
  batch.SetPayload(outcome, NodeField::kProperties, *made.Finish());
  batch.Link(outcome, kLabels, closed);
  ASSERT_TRUE(graph_->Apply(batch));
  const BuildReport report = MustBuild(*FindRecipe("co-retrieval"));
  const auto bits = [](float weight) { return std::bit_cast<std::uint32_t>(weight); };
  const TurnEdges expected = {{{"a", "b", "co-retrieval"}, bits(2.0f / 3)},
                              {{"a", "c", "co-retrieval"}, bits(1.0f / 3)},
                              {{"b", "c", "co-retrieval"}, bits(1.0f / 2)}};
  EXPECT_EQ(EdgesOf(graph_->snapshot(), kRelatesTo), expected);
  EXPECT_EQ(report.skipped, 1u);

  EdgeRecipe two = *FindRecipe("co-retrieval");
  two.window = 2;
  EXPECT_EQ(MustBuild(two).capped, 2u);  // of e2, which has three pairs
}

TEST_F(Turns, ASessionIsWalkedWithAndWithoutOne) {
  Begin(1);
  WriteBatch batch(1'700'000'000'000);
  for (int i = 0; i < 45; ++i) {
    const NodeRef turn = batch.UpsertNode("t" + std::to_string(i), kTurn);
    batch.SetI64(turn, kCreatedAt, i < 3 ? 5 : i);
    batch.Link(turn, kInSession, batch.IndexNode(kSession, "s"));
  }
  for (const char* key : {"u0", "u1", "u2"}) batch.UpsertNode(key, kTurn);
  batch.Link(batch.Node("u0"), kTemporal, batch.Node("u1"));
  batch.Link(batch.Node("u1"), kTemporal, batch.Node("u2"));
  batch.Link(batch.Node("u2"), kTemporal, batch.Node("u0"));  // round
  ASSERT_TRUE(graph_->Apply(batch));
  const Snapshot s = graph_->snapshot();
  const auto middle = Session(s, *s.Find("t22"));
  ASSERT_TRUE(middle);
  ASSERT_EQ(middle->turns.size(), 41u);
  EXPECT_EQ(middle->turns.front().position, -20);
  EXPECT_EQ(s.key(middle->turns[20].node), "t22");
  EXPECT_EQ(middle->more_before + middle->more_after, 4u);
  const auto none = Session(s, *s.Find("t0"), 0, 0);
  ASSERT_EQ(none->turns.size(), 1u);
  const auto round = Session(s, *s.Find("u1"), 5, 5);
  ASSERT_EQ(round->turns.size(), 3u);
  EXPECT_EQ(round->session, kNoNode);
  EXPECT_FALSE(Session(s, s.node_count()));
}

// Nobody knows that a turn without a time was the first: the walk and the builders agree.
TEST_F(Turns, AnUntimedTurnIsNotTheFirstOfItsSession) {
  Begin(1);
  WriteBatch batch(1'700'000'000'000);
  for (const char* session : {"s", "of"})
    for (const char* turn : {"untimed", "late", "early"}) {
      const NodeRef node = batch.UpsertNode(std::string(turn) + " " + session, kTurn);
      if (turn[0] != 'u') batch.SetI64(node, kCreatedAt, turn[0] == 'e' ? 5 : 7);
      batch.Link(node, kInSession, batch.IndexNode(kSession, session));
    }
  ASSERT_TRUE(graph_->Apply(batch));
  const Snapshot s = graph_->snapshot();
  std::string walked;
  const auto session = Session(s, *s.Find("late s"));
  ASSERT_TRUE(session);
  for (const auto& turn : session->turns)
    walked += std::string(s.key(turn.node)) + " " + std::to_string(turn.position) + ", ";
  EXPECT_EQ(walked, "early s -1, late s 0, untimed s 1, ");
  TurnTrajectory line;
  line.of = "s";
  line.correction_of = "of";
  BuildOptions options;
  options.trajectories = std::span(&line, 1);
  ASSERT_TRUE(Build(*FindRecipe("causal"), options));
  EXPECT_TRUE(graph_->snapshot().FindEdge(*s.Find("early s"), kCausal, *s.Find("early of")));
}

TEST_F(Turns, RecipesAndOptionsAreChecked) {
  Begin(1);
  Change(50);
  const auto refused = [&](auto&& change) {
    EdgeRecipe recipe = *FindRecipe("referential");
    BuildOptions options;
    change(recipe, options);
    const auto report = Build(recipe, options);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, ErrorCode::kInvalidArgument) << report.error().message;
  };
  refused([](EdgeRecipe& r, BuildOptions&) { r.name = ""; });
  refused([](EdgeRecipe& r, BuildOptions&) { r.window = 0; });
  refused([](EdgeRecipe& r, BuildOptions&) { r.above = -0.5; });
  refused([](EdgeRecipe& r, BuildOptions&) { r.above = std::nan(""); });
  refused([](EdgeRecipe& r, BuildOptions&) { r.groups = kTemporal; });
  refused([](EdgeRecipe& r, BuildOptions&) { r.kind = EdgeKindId{60000}; });
  refused([](EdgeRecipe& r, BuildOptions&) { r.direction = PairDirection::kNone; });
  refused([](EdgeRecipe& r, BuildOptions&) { r.weight = PairWeight::kGap; });
  refused([](EdgeRecipe&, BuildOptions& o) { o.space = SpaceId{7}; });
  refused([](EdgeRecipe&, BuildOptions& o) { o.batch_edges = 0; });
  const TurnTrajectory bad[] = {{"g0", "g1", -1.0, "", ""}};
  refused([&](EdgeRecipe&, BuildOptions& o) { o.trajectories = bad; });
}

TEST_F(Turns, AStopIsToldAndGoesOn) {
  Begin(3);
  Change(300);
  std::atomic<bool> cancel = true;
  BuildOptions options;
  options.run.budget.cancel = &cancel;
  EdgeRecipe similar = *FindRecipe("similar");
  const BuildReport stopped = MustBuild(similar, options);
  EXPECT_TRUE(stopped.truncated);
  EXPECT_EQ(stopped.added, 0u);
  cancel = false;
  EXPECT_GT(MustBuild(similar, options).added, 0u);
}

}  // namespace
}  // namespace plexus::testing
