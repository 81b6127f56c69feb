// The lens likely against the reference, on random ledgers: pairs and sets of up to five, every
// option, clean, with a delta, compacted, at every earlier state, at one and two threads, in pages.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "algorithms/memory/frontier/frontier.h"
#include "algorithms/memory/visibility/visibility.h"
#include "algorithms/similarity/similarity.h"
#include "engine/graph.h"
#include "engine/vocabulary.h"
#include "tests/reference/never_composed.h"
#include "tests/support/memory_world.h"
#include "tests/support/same_sets.h"

namespace plexus::testing {
using namespace builtin;
using namespace memory;
using namespace similarity;
namespace {

constexpr FrontierLens kLens = FrontierLens::kLikely;

NeverComposedOptions RandomOptions(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t n) { return random() % n; };
  NeverComposedOptions options{.lens = kLens, .top = 1 + below(12), .now_ms = kLedgerNow};
  options.arity = 2 + static_cast<int>(below(4));
  options.include_superseded = below(3) == 0;
  if (below(2) == 0) options.trust = TrustRule::kWeakest;
  if (below(3) == 0) options.tags = {"project", "queue"};
  if (below(2) == 0) options.match = TagMatch::kBoth;
  if (below(3) == 0) options.level = static_cast<SetLevel>(below(3));
  if (below(3) == 0) options.likely.half_life = below(2) ? 1.5 : 40;
  if (below(3) == 0) options.likely.shared_weight = 0;
  if (below(4) == 0) options.likely.activity_weight = 2;
  if (below(4) == 0) options.likely.outcome_weight = 3;
  if (below(3) == 0) options.likely.trust_weight = below(2) ? 0 : 4;
  options.structural_fit = below(3) == 0;
  if (below(4) == 0) options.structural_fit_weight = below(2) ? 0.7 : -0.4;
  if (below(6) == 0) options.min_structural_fit = 0.3;
  return options;
}

// `options` at one and two threads against the whole list.
void Check(const Snapshot& snapshot, NeverComposedOptions options) {
  static const auto one = MakeTbbExecutor(1), two = MakeTbbExecutor(2);
  options.run.executor = one.get();
  const auto all = reference::NeverComposed(snapshot, options);
  const NeverComposedPage page = Ask(snapshot, options);
  options.run.executor = two.get();
  ExpectPages(page, Ask(snapshot, options), all, options.top, SetLists::kCompare);
}

TEST(LikelyLens, RandomLedgersAtEveryState) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto graph = Graph::InMemory();
    std::vector<Snapshot> states;
    for (const WriteBatch& batch : RandomLedger(seed, {.facts = 14, .events = 9})) {
      const auto applied = graph->Apply(batch);
      ASSERT_TRUE(applied) << applied.error().ToString();
      states.push_back(graph->snapshot());
      if (states.size() == 1 && seed % 2 == 0) {
        ASSERT_TRUE(graph->Compact());
      }
    }
    ASSERT_TRUE(graph->Compact());
    states.push_back(graph->snapshot());
    for (std::size_t i = 0; i < states.size(); ++i) {
      SCOPED_TRACE("state " + std::to_string(i));
      Check(states[i], RandomOptions(seed * 31 + i));
      if (HasFailure()) return;
    }
  }
}

// Only events, of two members to many, some of them more than once: hubs, ties and long lists.
std::unique_ptr<Graph> Events(std::uint64_t seed, std::size_t facts, std::size_t events,
                              std::size_t most) {
  std::mt19937_64 random(seed);
  auto graph = Graph::InMemory();
  WriteBatch batch(1);
  std::vector<NodeRef> nodes;
  for (std::size_t v = 0; v < facts; ++v) {
    nodes.push_back(batch.UpsertNode("m" + std::to_string(v), kMemory));
    batch.Link(nodes.back(), kHasTag, batch.IndexNode(kTag, "t" + std::to_string(random() % 9)));
  }
  std::vector<std::vector<std::size_t>> past;
  for (std::size_t e = 0; e < events; ++e) {
    const NodeRef event = batch.IndexNode(kEvent, "e" + std::to_string(e));
    batch.UpsertNode(event);
    std::vector<std::size_t> members = {0};  // The hub.
    if (e % 3 != 0) members.clear();
    for (std::size_t m = 2 + random() % (most - 1); m-- > 0;) members.push_back(random() % facts);
    if (!past.empty() && random() % 4 == 0) members = past[random() % past.size()];
    past.push_back(members);
    for (const std::size_t v : members) batch.Link(event, kMember, nodes[v]);
  }
  EXPECT_TRUE(graph->Apply(batch));
  return graph;
}

TEST(LikelyLens, HubsTiesAndSetsOfFive) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto graph = Events(seed, 16, 8 * seed, 6);
    for (int arity = 2; arity <= 5; ++arity)
      for (const std::size_t top : {1, 20, 400}) {
        Check(graph->snapshot(), {.lens = kLens, .arity = arity, .top = top, .now_ms = 1});
        if (HasFailure()) return;
      }
  }
}

// The list is long, the answer short: bounds leave most out, and what they leave is the same.
TEST(LikelyLens, LongListsArePassedOver) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto graph = Events(seed, 240, 900, 4);
    const NeverComposedOptions options{.lens = kLens, .top = 5, .now_ms = 1};
    Check(graph->snapshot(), options);
    NeverComposedOptions whole = options;
    whole.top = kMaxNeverComposedTop;
    EXPECT_LT(Ask(graph->snapshot(), options).compared, Ask(graph->snapshot(), whole).compared / 2);
  }
}

std::unique_ptr<Graph> Ledger(std::uint64_t seed, const RandomLedgerOptions& options) {
  auto graph = Graph::InMemory();
  for (const WriteBatch& batch : RandomLedger(seed, options)) EXPECT_TRUE(graph->Apply(batch));
  return graph;
}

TEST(LikelyLens, PagesAreTheListInParts) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto graph = Ledger(seed, {.facts = 12, .events = 9});
    NeverComposedOptions options = RandomOptions(seed);
    options.top = 4;
    const auto all = reference::NeverComposed(graph->snapshot(), options);
    for (std::size_t place = 0; place == 0 || !options.cursor.empty(); place += options.top) {
      const NeverComposedPage page = Ask(graph->snapshot(), options);
      ExpectPlaces(page.sets, all, place, options.top, SetLists::kCompare);
      if (HasFailure()) return;
      options.cursor = page.next;
    }
  }
}

std::vector<NodeId> Ids(const Snapshot& snapshot) {
  std::vector<NodeId> ids(snapshot.node_count());
  std::iota(ids.begin(), ids.end(), NodeId{0});
  return ids;
}

// What others wrote, and events that hold one of them, count for nothing inside of a subset.
TEST(LikelyLens, InsideASubsetNothingElseIsThere) {
  std::size_t sets = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomLedgerOptions size = {.facts = 14, .events = 9};
    const auto mine = Ledger(seed, size), both = Ledger(seed, size);
    const Snapshot alone = mine->snapshot();
    std::mt19937_64 random(seed);
    WriteBatch others(kLedgerNow);
    for (int i = 0; i < 8; ++i) {
      const std::string name = "other" + std::to_string(i);
      const NodeRef own = others.UpsertNode(name, kMemory);
      const NodeRef event = others.IndexNode(kEvent, "of " + name);
      others.UpsertNode(event);
      others.Link(own, kHasTag, others.IndexNode(kTag, "queue"));
      others.Link(event, kMember, own);
      for (int m = 0; m < 3; ++m) {
        const auto v = static_cast<NodeId>(random() % alone.node_count());
        if (alone.node_kind(v) == kMemory) others.Link(event, kMember, NodeRef::Id(v));
      }
    }
    ASSERT_TRUE(both->Apply(others));
    const NodeSubset inside = NodeSubset::Of(both->snapshot(), Ids(alone)).value();
    NeverComposedOptions options = RandomOptions(seed);
    const NeverComposedPage want = Ask(alone, options);
    options.inside = &inside;
    const NeverComposedPage got = Ask(both->snapshot(), options);
    ASSERT_EQ(got.sets.size(), want.sets.size());
    for (std::size_t i = 0; i < want.sets.size(); ++i) {
      EXPECT_EQ(got.sets[i].members, want.sets[i].members) << i;
      EXPECT_EQ(got.sets[i].score, want.sets[i].score) << i;
    }
    sets += want.sets.size();
    if (HasFailure()) return;
  }
  EXPECT_GT(sets, 50u);
}

// A pool chooses members; ties are those of the whole ledger.
TEST(LikelyLens, APoolIsThePartOfTheListThatItHolds) {
  std::size_t sets = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto graph = Ledger(seed, {.facts = 30, .events = 14});
    const Snapshot snapshot = graph->snapshot();
    NeverComposedOptions options = RandomOptions(seed);
    options.top = kMaxNeverComposedTop;
    options.likely.shared_weight = 0;
    const NeverComposedPage all = Ask(snapshot, options);
    const auto visible =
        VisibleNodes(snapshot, options.now_ms, {.include_superseded = options.include_superseded});
    std::vector<NodeId> some = visible.value()->ToList();
    std::erase_if(some, [&](NodeId v) {
      const NodeKindId kind = snapshot.node_kind(v);
      return kind == kTurn || kind == kEpisode || (v * 2654435761u + seed) % 7 < 2;
    });
    const NodeSubset pool = NodeSubset::Of(snapshot, some).value();
    options.pool = &pool;
    const NeverComposedPage page = Ask(snapshot, options);
    std::size_t place = 0;
    for (const NeverComposedSet& set : all.sets) {
      if (!std::ranges::all_of(set.members, [&](NodeId v) { return pool.contains(v); })) continue;
      ASSERT_LT(place, page.sets.size());
      EXPECT_EQ(page.sets[place].members, set.members);
      EXPECT_EQ(page.sets[place].score, set.score);
      ++place;
    }
    EXPECT_EQ(place, page.sets.size());
    sets += place;
    if (HasFailure()) return;
  }
  EXPECT_GT(sets, 100u);
}

// Without an event all that is known are tags and terms.
TEST(LikelyLens, IsRareWhereThereIsNoLedger) {
  const auto graph = Events(7, 60, 0, 2);
  const auto rare = Frontier(graph->snapshot(), {.top = 50, .filter = {.valid_at = 1}});
  ASSERT_TRUE(rare);
  const auto page = Ask(graph->snapshot(), {.lens = kLens, .top = 50, .now_ms = 1});
  ASSERT_EQ(page.sets.size(), 50u);
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(page.sets[i].members, rare->sets[i].members) << i;
}

void Link(WriteBatch& batch, const std::string& event, const std::vector<std::string>& members) {
  const NodeRef node = batch.IndexNode(kEvent, event);
  batch.UpsertNode(node);
  for (const std::string& member : members)
    batch.Link(node, kMember, batch.UpsertNode(member, kMemory));
}

// What was lately used with the same comes before what once was, and says with whom.
TEST(LikelyLens, LateTiesCountMore) {
  const auto graph = Graph::InMemory();
  WriteBatch batch(1);
  Link(batch, "e0", {"old", "hub"});
  for (int i = 1; i < 30; ++i) Link(batch, "e" + std::to_string(i), {"x" + std::to_string(i)});
  Link(batch, "f0", {"late", "hub"});
  Link(batch, "f1", {"new", "hub"});
  ASSERT_TRUE(graph->Apply(batch));
  const Snapshot snapshot = graph->snapshot();
  const auto page = Ask(snapshot, {.lens = kLens, .now_ms = 1});
  ASSERT_EQ(page.sets.size(), 3u);
  const NodeId late = *snapshot.Find("late"), now = *snapshot.Find("new");
  EXPECT_EQ(page.sets[0].members, (std::vector<NodeId>{late, now}));
  EXPECT_EQ(page.sets[0].partners, std::vector<NodeId>{*snapshot.Find("hub")});
  EXPECT_NE(page.sets[0].reason.find("the same partners"), std::string::npos);
  // link = sqrt(2^(-1 / 3.2) x 1) / ln(2 + s of the hub)
  const double s = std::exp2(-31 / 6.4) + std::exp2(-1 / 6.4) + 1;
  EXPECT_NEAR(page.sets[0].anchor, std::exp2(-1 / 6.4) / std::log(2 + s), 1e-12);
}

TEST(LikelyLens, LargeEventsTieNobody) {
  const auto graph = Graph::InMemory();
  WriteBatch batch(1);
  std::vector<std::string> crowd;
  for (int i = 0; i < 101; ++i) crowd.push_back("m" + std::to_string(i));
  Link(batch, "large", crowd);
  Link(batch, "a", {"m0", "z"});
  Link(batch, "b", {"m1", "z"});
  Link(batch, "c", {"y", "z"});
  ASSERT_TRUE(graph->Apply(batch));
  // m0 and m1 were together; each of them and y were not.
  EXPECT_EQ(Ask(graph->snapshot(), {.lens = kLens, .now_ms = 1}).sets.size(), 2u);
  Check(graph->snapshot(), {.lens = kLens, .now_ms = 1});
}

TEST(LikelyLens, BudgetsAndKeepers) {
  const auto graph = Events(3, 40, 60, 4);
  for (int arity : {2, 3}) {
    NeverComposedOptions options{.lens = kLens, .arity = arity, .now_ms = 1};
    auto keeper = FrontierKeeper::Make(graph->snapshot(), options);
    ASSERT_TRUE(keeper);
    WriteBatch batch(2);
    Link(batch, "next" + std::to_string(arity), {"m1", "m2", "m3"});
    ASSERT_TRUE(graph->Apply(batch));
    ASSERT_TRUE(keeper->Update(graph->snapshot()));
    ExpectSameBits(keeper->page().sets, Ask(graph->snapshot(), options).sets);
    options.run.budget.edges = 0;
    EXPECT_TRUE(Ask(graph->snapshot(), options).truncated);
    options.run.budget = {};
    options.run.budget.deadline = std::chrono::steady_clock::now();
    const auto late = Ask(graph->snapshot(), options);
    EXPECT_TRUE(late.truncated);
    EXPECT_FALSE(late.why_empty.empty());
  }
}

// One tag of all: every set ties, and no round settles the list before the last.
TEST(LikelyLens, ABudgetKeepsWhatWasFound) {
  const auto graph = Graph::InMemory();
  WriteBatch batch(1);
  for (int i = 0; i < 60; ++i)
    batch.Link(batch.UpsertNode("m" + std::to_string(i), kMemory), kHasTag,
               batch.IndexNode(kTag, "all"));
  ASSERT_TRUE(graph->Apply(batch));
  NeverComposedOptions options{.lens = kLens, .arity = 3, .top = 5, .now_ms = 1};
  const NeverComposedPage all = Ask(graph->snapshot(), options);
  ASSERT_EQ(all.sets.size(), 5u);
  options.run.budget.edges = all.compared / 2;
  const NeverComposedPage some = Ask(graph->snapshot(), options);
  EXPECT_TRUE(some.truncated);
  ASSERT_EQ(some.sets.size(), 5u);
  for (const auto& set : some.sets) EXPECT_EQ(set.score, all.sets[0].score);
}

TEST(LikelyLens, RefusesWhatIsNone) {
  const auto graph = Graph::InMemory();
  const auto code = [&](NeverComposedOptions options) {
    const auto page = NeverComposed(graph->snapshot(), options);
    return page ? ErrorCode::kInternal : page.error().code;
  };
  EXPECT_EQ(code({.lens = kLens, .likely = {.half_life = -1}}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({.lens = kLens, .likely = {.shared_weight = 1e9}}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({.lens = kLens, .band = CosineBand{}}), ErrorCode::kUnsupported);
  EXPECT_EQ(code({.lens = FrontierLens::kSurface, .likely = {.half_life = 3}}),
            ErrorCode::kUnsupported);
  EXPECT_EQ(Ask(graph->snapshot(), {.lens = kLens}).why_empty, "The pool has too few memories.");
}

}  // namespace
}  // namespace plexus::testing
