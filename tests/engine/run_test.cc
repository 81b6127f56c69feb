// Runs: sorted pieces of the delta; merging many equals applying all.
#include "engine/run.h"

#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "tests/engine/edge_model.h"

namespace plexus {
namespace {

using namespace testing;

std::shared_ptr<Run> ToRun(Sequence sequence, const Changes& changes, const Schema& schema) {
  Changes c = Canonical(changes);
  return MakeRun(sequence, std::move(c.edges), std::move(c.extras), schema);
}

// Changes of a run as (identity -> value or tombstone), from its edges.
std::map<EdgeIdentity, std::pair<bool, EdgeValue>> Contents(const Run& run) {
  std::map<EdgeIdentity, std::pair<bool, EdgeValue>> all;
  for (std::uint32_t i = 0; i < run.edges.size(); ++i) {
    const EdgeChange& e = run.edges[i];
    EdgeValue v{.weight = e.weight, .created_at = e.created_at};
    if (const EdgeExtra* x = run.extra(i))
      v = {e.weight, e.created_at, x->created_by, x->valid_from, x->valid_until, x->properties.bits};
    all[IdentityOf(e)] = {e.tombstone(), v};
  }
  return all;
}

// Each side holds exactly the arcs its edges imply, sorted, found by Row().
void CheckSides(const Run& run, const Schema& schema, NodeId nodes) {
  for (std::size_t i = 1; i < run.edges.size(); ++i)
    ASSERT_TRUE(IdentityLess(run.edges[i - 1], run.edges[i]));
  for (Direction d : {Direction::kOut, Direction::kIn}) {
    const RunSide& side = run.side(d);
    std::size_t expected = 0;
    for (const EdgeChange& e : run.edges)
      expected += 1 + (schema.edge_kind(e.kind).symmetric && e.source != e.target);
    ASSERT_EQ(side.arcs.size(), expected);
    ASSERT_EQ(side.edges.size(), expected);
    ASSERT_EQ(side.offsets.size(), side.rows.size() + 1);
    std::size_t seen = 0;
    for (NodeId v = 0; v < nodes; ++v) {
      auto [begin, end] = side.Row(v);
      seen += end - begin;
      for (std::uint32_t a = begin; a < end; ++a) {
        const DeltaArc& arc = side.arcs[a];
        const EdgeChange& e = run.edges[side.edges[a]];
        ASSERT_EQ(arc.kind, e.kind);
        ASSERT_EQ(arc.label, e.label);
        ASSERT_EQ(arc.weight, e.weight);
        ASSERT_EQ(arc.tombstone != 0, e.tombstone());
        const bool forward = (d == Direction::kOut ? e.source : e.target) == v &&
                             (d == Direction::kOut ? e.target : e.source) == arc.neighbor;
        const bool mirrored = schema.edge_kind(e.kind).symmetric &&
                              (d == Direction::kOut ? e.target : e.source) == v &&
                              (d == Direction::kOut ? e.source : e.target) == arc.neighbor;
        ASSERT_TRUE(forward || mirrored);
        if (a > begin) {
          const DeltaArc& p = side.arcs[a - 1];
          ASSERT_LT(std::tuple(p.kind, p.neighbor, p.label),
                    std::tuple(arc.kind, arc.neighbor, arc.label));
        }
      }
    }
    ASSERT_EQ(seen, expected);
    EXPECT_EQ(side.Row(kNoNode - 1), (std::pair<std::uint32_t, std::uint32_t>{0, 0}));
  }
}

TEST(Run, EmptyRun) {
  Schema schema;
  auto run = MakeRun(3, {}, {}, schema);
  EXPECT_EQ(run->first, 3u);
  EXPECT_EQ(run->last, 3u);
  EXPECT_EQ(run->arc_count(), 0u);
  EXPECT_EQ(run->out.Row(0), (std::pair<std::uint32_t, std::uint32_t>{0, 0}));
  auto both = MergeRuns(*run, *MakeRun(4, {}, {}, schema));
  EXPECT_EQ(both->first, 3u);
  EXPECT_EQ(both->last, 4u);
  EXPECT_EQ(both->arc_count(), 0u);
}

TEST(Run, SymmetricEdgesHaveTwoArcsSelfLoopsOne) {
  Schema schema;
  KindId friends = *schema.Define(EdgeKind{.name = "friends", .inverse = "", .symmetric = true});
  EdgeChange ab{.source = 1, .target = 4, .kind = friends}, loop{.source = 2, .target = 2, .kind = friends};
  auto run = MakeRun(1, {ab, loop}, {}, schema);
  EXPECT_EQ(run->out.arcs.size(), 3u);
  EXPECT_EQ(run->in.arcs.size(), 3u);
  CheckSides(*run, schema, 10);
}

TEST(Run, MakeRunEqualsItsChanges) {
  Schema schema;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 rng(seed);
    ChangeOptions o{.nodes = seed % 3 == 0 ? 100'000u : 9u, .count = rng() % 300};
    Changes changes = RandomChanges(rng, schema, o);
    auto run = ToRun(seed + 1, changes, schema);
    CheckSides(*run, schema, o.nodes);
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
      for (const auto& [id, value] : Contents(*run)) expected[id] = value;
      runs.push_back(run);
    }
    // Two orders of merging give the same run.
    std::shared_ptr<const plexus::Run> left = runs[0], right = runs[5];
    for (std::size_t i = 1; i < 6; ++i) left = MergeRuns(*left, *runs[i]);
    for (std::size_t i = 5; i-- > 0;) right = MergeRuns(*runs[i], *right);
    for (const auto& run : {left, right}) {
      CheckSides(*run, schema, o.nodes);
      EXPECT_EQ(run->first, 1u);
      EXPECT_EQ(run->last, 6u);
      auto contents = Contents(*run);
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
