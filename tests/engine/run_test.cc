// Runs: sorted pieces of the delta; merging many equals applying all.
#include "engine/adjacency/run.h"

#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/edge_model.h"

namespace plexus {
namespace {

using namespace testing;

std::shared_ptr<Run> ToRun(Sequence sequence, const Changes& changes, const Schema& schema) {
  Changes c = Canonical(changes);
  return MakeRun(sequence, std::move(c.edges), std::move(c.extras), schema);
}

// Changes of a run as (identity -> value or tombstone), from its out side.
std::map<EdgeIdentity, std::pair<bool, EdgeValue>> Contents(const Run& run, const Schema& schema) {
  std::map<EdgeIdentity, std::pair<bool, EdgeValue>> all;
  for (std::uint32_t r = 0; r < run.out.rows.size(); ++r) {
    for (std::uint32_t i = run.out.offsets[r]; i < run.out.offsets[r + 1]; ++i) {
      const engine_internal::DeltaArc& arc = run.out.arcs[i];
      EdgeChange e{
          .source = run.out.rows[r], .target = arc.neighbor, .label = arc.label, .kind = arc.kind};
      if (schema.edge_kind(arc.kind).symmetric && e.source > e.target)
        std::swap(e.source, e.target);
      EdgeValue v{.weight = arc.weight, .created_at = run.created_at[i]};
      if (const EdgeExtra* x = run.extra(i))
        v = {arc.weight,    run.created_at[i], x->created_by,
             x->valid_from, x->valid_until,    x->properties.bits};
      const std::pair value(arc.tombstone(), v);
      const auto [at, fresh] = all.emplace(IdentityOf(e), value);
      EXPECT_TRUE(fresh || at->second == value) << "the mirror arc differs";
    }
  }
  return all;
}

// Both sides hold the same arcs, sorted, found by Row(), and find each other.
void CheckSides(const Run& run, NodeId nodes) {
  ASSERT_EQ(run.in.arcs.size(), run.out.arcs.size());
  ASSERT_EQ(run.created_at.size(), run.out.arcs.size());
  std::size_t with_extra = 0;
  for (const engine_internal::DeltaArc& arc : run.out.arcs) with_extra += arc.has_extra();
  ASSERT_EQ(run.extras.size(), with_extra);
  for (Direction d : {Direction::kOut, Direction::kIn}) {
    const engine_internal::RunSide& side = run.side(d);
    ASSERT_EQ(side.offsets.size(), side.rows.size() + 1);
    std::size_t seen = 0;
    std::vector<bool> taken(run.out.arcs.size(), false);
    for (NodeId v = 0; v < nodes; ++v) {
      auto [begin, end] = side.Row(v);
      seen += end - begin;
      for (std::uint32_t a = begin; a < end; ++a) {
        const engine_internal::DeltaArc& arc = side.arcs[a];
        const std::uint32_t at = run.OutPosition(d, v, a);
        ASSERT_EQ(at, run.OutPosition(d, a));
        ASSERT_LT(at, run.out.arcs.size());
        ASSERT_FALSE(taken[at]);
        taken[at] = true;
        const engine_internal::DeltaArc& out = run.out.arcs[at];
        const auto [row, row_end] = run.out.Row(d == Direction::kOut ? v : arc.neighbor);
        ASSERT_TRUE(row <= at && at < row_end);
        ASSERT_EQ(out.neighbor, d == Direction::kOut ? arc.neighbor : v);
        ASSERT_EQ(std::tuple(arc.kind, arc.label, arc.weight, arc.flags),
                  std::tuple(out.kind, out.label, out.weight, out.flags));
        ASSERT_TRUE(a == begin || ArcLess(side.arcs[a - 1], arc));
      }
    }
    ASSERT_EQ(seen, side.arcs.size());
    EXPECT_EQ(side.Row(kNoNode - 1), (std::pair<std::uint32_t, std::uint32_t>{0, 0}));
  }
}

std::shared_ptr<Run> Merge(std::vector<std::shared_ptr<const plexus::Run>> runs) {
  return MergeRuns(runs);
}

TEST(Run, EmptyRun) {
  Schema schema;
  auto run = MakeRun(3, {}, {}, schema);
  EXPECT_EQ(run->first, 3u);
  EXPECT_EQ(run->last, 3u);
  EXPECT_EQ(run->arc_count(), 0u);
  EXPECT_EQ(run->out.Row(0), (std::pair<std::uint32_t, std::uint32_t>{0, 0}));
  auto both = Merge({run, MakeRun(4, {}, {}, schema)});
  EXPECT_EQ(both->first, 3u);
  EXPECT_EQ(both->last, 4u);
  EXPECT_EQ(both->arc_count(), 0u);
}

TEST(Run, SymmetricEdgesHaveTwoArcsSelfLoopsOne) {
  Schema schema;
  EdgeKindId friends =
      *schema.Define(EdgeKind{.name = "friends", .inverse = "", .symmetric = true});
  EdgeChange ab{.source = 1, .target = 4, .kind = friends},
      loop{.source = 2, .target = 2, .kind = friends};
  auto run = MakeRun(1, std::vector{ab, loop}, {}, schema);
  EXPECT_EQ(run->out.arcs.size(), 3u);
  EXPECT_EQ(run->in.arcs.size(), 3u);
  CheckSides(*run, 10);
}

TEST(Run, MakeRunEqualsItsChanges) {
  Schema schema;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 rng(seed);
    ChangeOptions o{.nodes = seed % 3 == 0 ? 100'000u : 9u, .count = rng() % 300};
    Changes changes = RandomChanges(rng, schema, o);
    auto run = ToRun(seed + 1, changes, schema);
    CheckSides(*run, o.nodes);
    const Changes canonical = Canonical(changes);
    std::map<EdgeIdentity, std::pair<bool, EdgeValue>> expected;
    std::size_t x = 0;
    for (const EdgeChange& e : canonical.edges) {
      EdgeValue v{.weight = e.weight, .created_at = e.created_at};
      if (e.flags & EdgeChange::kHasExtra) {
        const EdgeExtra& extra = canonical.extras[x++];
        v = {e.weight,         e.created_at,      extra.created_by,
             extra.valid_from, extra.valid_until, extra.properties.bits};
      }
      expected[IdentityOf(e)] = {e.tombstone(), v};
    }
    EXPECT_EQ(Contents(*run, schema), expected);
  }
}

// Rows near the top of the id range: the bucket index must not overflow.
TEST(Run, RowsAtTheEndsOfTheIdRange) {
  Schema schema;
  const NodeId top = static_cast<NodeId>(Limits::kMaxNodes - 1);
  std::vector<EdgeChange> edges;
  for (NodeId s : {NodeId{0}, NodeId{1}, NodeId{1} << 31, top - 1, top})
    edges.push_back({.source = s, .target = top - s});
  auto run = MakeRun(1, edges, {}, schema);
  for (const EdgeChange& e : edges) {
    auto [begin, end] = run->out.Row(e.source);
    ASSERT_EQ(end - begin, 1u) << e.source;
    EXPECT_EQ(run->out.arcs[begin].neighbor, e.target);
    auto [in_begin, in_end] = run->in.Row(e.target);
    ASSERT_EQ(in_end - in_begin, 1u);
  }
  EXPECT_EQ(run->out.Row(2).first, run->out.Row(2).second);
  EXPECT_EQ(run->out.Row(top - 2).first, run->out.Row(top - 2).second);
}

TEST(Run, MergeEqualsApplyingBoth) {
  Schema schema;
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 rng(seed);
    ChangeOptions o{.nodes = 3 + static_cast<NodeId>(rng() % 20), .count = rng() % 120};
    std::vector<std::shared_ptr<const plexus::Run>> runs;
    std::map<EdgeIdentity, std::pair<bool, EdgeValue>> expected;
    for (Sequence s = 1; s <= 6; ++s) {
      auto run = ToRun(s, RandomChanges(rng, schema, o), schema);
      for (const auto& [id, value] : Contents(*run, schema)) expected[id] = value;
      runs.push_back(run);
    }
    // Two orders of merging and all at once give the same run.
    std::shared_ptr<const plexus::Run> left = runs[0], right = runs[5];
    for (std::size_t i = 1; i < 6; ++i) left = Merge({left, runs[i]});
    for (std::size_t i = 5; i-- > 0;) right = Merge({runs[i], right});
    for (const auto& run : {left, right, std::shared_ptr<const plexus::Run>(Merge(runs))}) {
      CheckSides(*run, o.nodes);
      EXPECT_EQ(run->first, 1u);
      EXPECT_EQ(run->last, 6u);
      auto contents = Contents(*run, schema);
      ASSERT_EQ(contents.size(), expected.size());
      for (const auto& [id, value] : expected) {
        ASSERT_TRUE(contents.contains(id));
        ASSERT_EQ(contents[id].first, value.first);
        ASSERT_TRUE(value.first || contents[id].second == value.second);
      }
    }
  }
}

}  // namespace
}  // namespace plexus
