// Bridge and divergent lenses beside the reference, on random ledgers: every option, clean, with a
// delta, compacted, at every earlier state, at one and two threads, page by page.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "algorithms/memory/frontier/frontier.h"
#include "algorithms/memory/frontier/internal/bridge_lens.h"
#include "algorithms/memory/frontier/internal/divergent_lens.h"
#include "algorithms/memory/ledger/internal/prior_outcomes.h"
#include "algorithms/memory/ledger/ledger.h"
#include "algorithms/memory/visibility/visibility.h"
#include "engine/graph.h"
#include "engine/vocabulary.h"
#include "tests/reference/never_composed.h"
#include "tests/support/memory_world.h"
#include "tests/support/same_sets.h"

namespace plexus::testing {
using namespace builtin;
using namespace memory;
namespace {

using memory::internal::PagePosition;
using memory::internal::RankedPair;

NodeSubset Pool(const Snapshot& snapshot, const NeverComposedOptions& options) {
  if (options.pool) return *options.pool;
  const auto visible =
      VisibleNodes(snapshot, options.now_ms, {.include_superseded = options.include_superseded});
  std::vector<NodeId> pool;
  for (const NodeId v : visible.value()->ToList())
    if (snapshot.node_kind(v) != kTurn && snapshot.node_kind(v) != kEpisode) pool.push_back(v);
  return NodeSubset::Of(snapshot, pool).value();
}

NeverComposedPage Mine(const Snapshot& snapshot, const NeverComposedOptions& options,
                       const PagePosition& after = {}) {
  const auto index = LedgerIndex::Of(snapshot, options.run.executor);
  EXPECT_TRUE(index);
  const NodeSubset pool = Pool(snapshot, options);
  const auto page = options.lens == FrontierLens::kBridge
                        ? memory::internal::MineBridge(snapshot, **index, pool, options, after)
                        : memory::internal::MineDivergent(snapshot, **index, pool, options, after);
  EXPECT_TRUE(page) << page.error().ToString();
  return *page;
}

NeverComposedOptions RandomOptions(std::uint64_t seed, FrontierLens lens) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t n) { return random() % n; };
  NeverComposedOptions options{.lens = lens, .top = 1 + below(12), .now_ms = kLedgerNow};
  options.include_superseded = below(3) == 0;
  if (below(2) == 0) options.trust = TrustRule::kWeakest;
  if (below(3) == 0) options.tags = {"project", "queue"};
  if (below(2) == 0) options.match = TagMatch::kBoth;
  if (below(4) == 0) options.kinds = {kSupports, kSupersedes, kSimilar};
  if (below(6) == 0) options.kinds = {kHasTag};
  options.structural_fit = below(3) == 0;
  if (below(4) == 0) options.structural_fit_weight = below(2) ? 0.7 : -0.4;
  if (below(4) == 0) options.min_structural_fit = 0.5;
  if (below(9) == 0) options.level = SetLevel::kOpen;
  return options;
}

void CheckBoth(const Snapshot& snapshot, std::uint64_t seed) {
  static const auto one = MakeTbbExecutor(1), two = MakeTbbExecutor(2);
  for (const FrontierLens lens : {FrontierLens::kBridge, FrontierLens::kDivergent}) {
    SCOPED_TRACE(static_cast<int>(lens));
    NeverComposedOptions options = RandomOptions(seed, lens);
    options.run.executor = one.get();
    const auto all = reference::NeverComposed(snapshot, options);
    const NeverComposedPage page = Mine(snapshot, options);
    options.run.executor = two.get();
    ExpectPages(page, Mine(snapshot, options), all, options.top, SetLists::kSkip);
  }
}

TEST(StructuralLenses, RandomLedgersAtEveryState) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto graph = Graph::InMemory();
    std::vector<Snapshot> states;
    for (const WriteBatch& batch : RandomLedger(seed)) {
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
      CheckBoth(states[i], seed * 31 + i);
      if (HasFailure()) return;
    }
  }
}

// More members than a round has, ties everywhere, and more pairs than the sampler looks at.
TEST(StructuralLenses, LargerLedgers) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto graph = Graph::InMemory();
    RandomLedgerOptions size{.facts = 110, .events = 20, .edges = 160, .batches = 2};
    if (seed % 2 == 0) size.edges = 25;
    for (const WriteBatch& batch : RandomLedger(seed, size)) ASSERT_TRUE(graph->Apply(batch));
    for (std::uint64_t options = 0; options < 3; ++options) {
      CheckBoth(graph->snapshot(), seed * 17 + options);
      if (HasFailure()) return;
    }
  }
}

TEST(StructuralLenses, PagesAreTheListInParts) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto graph = Graph::InMemory();
    for (const WriteBatch& batch : RandomLedger(seed)) ASSERT_TRUE(graph->Apply(batch));
    for (const FrontierLens lens : {FrontierLens::kBridge, FrontierLens::kDivergent}) {
      NeverComposedOptions options = RandomOptions(seed, lens);
      options.top = 3;
      const auto all = reference::NeverComposed(graph->snapshot(), options);
      PagePosition after;
      std::size_t place = 0;
      for (bool more = true; more; place += options.top) {
        const NeverComposedPage page = Mine(graph->snapshot(), options, after);
        ExpectPlaces(page.sets, all, place, options.top, SetLists::kSkip);
        if (HasFailure()) return;
        more = !page.next.empty();
        if (!more) continue;
        const NeverComposedSet& last = page.sets.back();
        after = RankedPair{last.score, last.members[0], last.members[1]};
      }
      EXPECT_GE(place, all.size());
    }
  }
}

// The public call names what is shared, and its cursors lead through the whole list.
TEST(StructuralLenses, AskedAsUsersDo) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto graph = Graph::InMemory();
    for (const WriteBatch& batch : RandomLedger(seed)) ASSERT_TRUE(graph->Apply(batch));
    const Snapshot snapshot = graph->snapshot();
    for (const FrontierLens lens : {FrontierLens::kBridge, FrontierLens::kDivergent}) {
      NeverComposedOptions options = RandomOptions(seed, lens);
      options.level.reset();
      options.top = 4;
      if (seed % 3 == 0) options.terms = TermRule::kAscii;
      const auto all = reference::NeverComposed(snapshot, options);
      for (std::size_t place = 0; place == 0 || !options.cursor.empty(); place += options.top) {
        const auto page = NeverComposed(snapshot, options);
        ASSERT_TRUE(page) << page.error().ToString();
        ExpectPlaces(page->sets, all, place, options.top, SetLists::kCompare);
        for (const NeverComposedSet& set : page->sets) ExpectPriorEvents(snapshot, set);
        if (HasFailure()) return;
        for (const NeverComposedSet& set : page->sets) {
          EXPECT_NE(set.reason, "");
          EXPECT_NE(set.question, "");
        }
        options.cursor = page->next;
      }
      options.kinds = {EdgeKindId(999)};
      const auto refused = NeverComposed(snapshot, options);
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
    }
  }
}

// Equal members: bounds must not keep every pair alive, and ids decide.
TEST(StructuralLenses, EqualMembersArePrunedById) {
  const auto graph = Graph::InMemory();
  WriteBatch batch(1);
  constexpr int kMembers = 3000;
  for (int i = 0; i < kMembers; ++i) batch.UpsertNode("m" + std::to_string(i), kMemory);
  for (int i = 0; i < kMembers; ++i)
    for (const int step : {1, 7})
      batch.Link(batch.Node("m" + std::to_string(i)), kSupports,
                 batch.Node("m" + std::to_string((i + step) % kMembers)));
  ASSERT_TRUE(graph->Apply(batch));
  const NeverComposedPage page =
      Mine(graph->snapshot(), {.lens = FrontierLens::kBridge, .top = 20, .now_ms = 1});
  ASSERT_EQ(page.sets.size(), 20u);
  EXPECT_EQ(page.sets[0].members, (std::vector<NodeId>{0, 1}));
  EXPECT_EQ(page.sets[1].members, (std::vector<NodeId>{0, 7}));
  EXPECT_EQ(page.sets[19].hops, 1u);
  EXPECT_LT(page.compared, 2000u);  // of more than 50,000 pairs within three hops
}

TEST(StructuralLenses, SaysWhyThereIsNothing) {
  const auto graph = Graph::InMemory();
  WriteBatch batch(1);
  batch.UpsertNode("a", kMemory);
  ASSERT_TRUE(graph->Apply(batch));
  const NeverComposedOptions options{.lens = FrontierLens::kBridge, .now_ms = 1};
  EXPECT_EQ(Mine(graph->snapshot(), options).why_empty, "Fewer than two memories may be members.");
  batch = WriteBatch(1);
  batch.UpsertNode("b", kMemory);
  ASSERT_TRUE(graph->Apply(batch));
  EXPECT_EQ(Mine(graph->snapshot(), options).why_empty,
            "No edge of the walked kinds leaves a memory that may be a member.");
  batch = WriteBatch(1);
  batch.Link(batch.Node("a"), kSupports, batch.Node("b"));
  const NodeRef event = batch.IndexNode(kEvent, "e");
  batch.Link(event, kMember, batch.Node("a"));
  batch.Link(event, kMember, batch.Node("b"));
  ASSERT_TRUE(graph->Apply(batch));
  EXPECT_EQ(Mine(graph->snapshot(), options).why_empty,
            "Every pair within 3 hops was composed or has no wanted tag.");
}

TEST(PriorOutcomes, BoundsAreAboveEveryAdjustment) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 20'000; ++i) {
    OutcomeSet all = 0;
    double bound = 0;
    const int members = 2 + static_cast<int>(random() % 4);
    for (int m = 0; m < members; ++m) {
      const auto set = static_cast<OutcomeSet>(random() & random() & 0x7FFFF);
      bound += memory::internal::AdjustmentBound(set, members);
      all = static_cast<OutcomeSet>(all | set);
    }
    ASSERT_LE(memory::internal::OutcomeAdjustment(all), bound + 1e-12);
  }
}

}  // namespace
}  // namespace plexus::testing
