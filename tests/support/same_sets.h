// Never-composed sets beside those of the reference: the best ones, in order, term by term.
//
// Sums of the same terms in another order differ in their last bits, so scores are compared to
// 1e-9, and sets of nearly equal scores may trade places. What is listed must still be ordered by
// its own scores and ids.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

#include "algorithms/memory/frontier/frontier.h"
#include "algorithms/memory/ledger/ledger.h"
#include "engine/snapshot.h"

namespace plexus::testing {

inline memory::NeverComposedPage Ask(const Snapshot& snapshot,
                                     const memory::NeverComposedOptions& options) {
  const auto page = memory::NeverComposed(snapshot, options);
  EXPECT_TRUE(page) << page.error().ToString();
  return page.value_or(memory::NeverComposedPage());
}

// The events behind a set's outcomes by definition: the newest first, at most ten.
inline void ExpectPriorEvents(const Snapshot& snapshot, const memory::NeverComposedSet& set) {
  const auto ledger = memory::LedgerIndex::Of(snapshot).value();
  std::vector<NodeId> want;
  for (const NodeId event : ledger->newest()) {
    const auto of = ledger->members(event);
    const bool has = std::ranges::any_of(
        set.members, [&](NodeId v) { return std::ranges::binary_search(of, v); });
    if (has && ledger->event_outcomes(event) != 0 && want.size() < 10) want.push_back(event);
  }
  EXPECT_EQ(set.prior_events, want);
  EXPECT_EQ(set.prior_events.empty(), set.prior_outcomes.empty());
}

enum class SetLists : bool { kSkip, kCompare };  // Of tags and terms.

inline void ExpectSameSet(const memory::NeverComposedSet& got, const memory::NeverComposedSet& want,
                          SetLists lists) {
  constexpr double kNear = 1e-9;
  EXPECT_NEAR(got.score, want.score, kNear);
  EXPECT_NEAR(got.novelty, want.novelty, kNear);
  EXPECT_NEAR(got.bridge, want.bridge, kNear);
  EXPECT_NEAR(got.anchor, want.anchor, kNear);
  EXPECT_NEAR(got.adjustment, want.adjustment, kNear);
  EXPECT_NEAR(got.mean_trust, want.mean_trust, kNear);
  EXPECT_NEAR(got.min_trust, want.min_trust, kNear);
  EXPECT_NEAR(got.divergence, want.divergence, kNear);
  EXPECT_EQ(got.hops, want.hops);
  EXPECT_EQ(got.proof, want.proof);
  EXPECT_EQ(got.level, want.level);
  EXPECT_EQ(got.prior_outcomes, want.prior_outcomes);
  EXPECT_EQ(got.outcome_signal, want.outcome_signal);
  if (got.structural_fit) {
    EXPECT_NEAR(*got.structural_fit, want.structural_fit.value_or(-9), kNear);
  }
  if (lists == SetLists::kCompare) {
    EXPECT_EQ(got.shared_tags, want.shared_tags);
    EXPECT_EQ(got.boundary_tags, want.boundary_tags);
    EXPECT_EQ(got.shared_terms, want.shared_terms);
    EXPECT_EQ(got.cosine.has_value(), want.cosine.has_value());
    if (got.cosine && want.cosine) {
      EXPECT_NEAR(*got.cosine, *want.cosine, 1e-6);
    }
  }
  double sum = 0;
  for (const retrieval::ScoreTerm& term : got.terms) sum += term.value * term.weight;
  EXPECT_NEAR(sum, got.score, kNear);
}

// `got`: places [first, first + top) of `all`, which is the whole list.
inline void ExpectPlaces(const std::vector<memory::NeverComposedSet>& got,
                         const std::vector<memory::NeverComposedSet>& all, std::size_t first,
                         std::size_t top, SetLists lists) {
  const std::size_t rest = all.size() - std::min(first, all.size());
  ASSERT_EQ(got.size(), std::min(top, rest));
  std::map<std::vector<NodeId>, const memory::NeverComposedSet*> known;
  for (const memory::NeverComposedSet& set : all) known[set.members] = &set;
  for (std::size_t i = 0; i < got.size(); ++i) {
    SCOPED_TRACE(i);
    ASSERT_TRUE(known.contains(got[i].members));
    ASSERT_NEAR(got[i].score, all[first + i].score, 1e-9);
    ExpectSameSet(got[i], *known[got[i].members], lists);
    if (i > 0) {
      const memory::NeverComposedSet& before = got[i - 1];
      EXPECT_TRUE(before.score > got[i].score ||
                  (before.score == got[i].score && before.members < got[i].members));
    }
  }
}

// The same bits.
inline void ExpectSameBits(const std::vector<memory::NeverComposedSet>& a,
                           const std::vector<memory::NeverComposedSet>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].members, b[i].members);
    EXPECT_EQ(a[i].score, b[i].score);
    EXPECT_EQ(a[i].proof, b[i].proof);
    EXPECT_EQ(a[i].structural_fit, b[i].structural_fit);
  }
}

// First pages at one and two threads: the same bits and work, and the first places of `all`.
inline void ExpectPages(const memory::NeverComposedPage& one, const memory::NeverComposedPage& two,
                        const std::vector<memory::NeverComposedSet>& all, std::size_t top,
                        SetLists lists) {
  ExpectPlaces(one.sets, all, 0, top, lists);
  EXPECT_EQ(one.next.empty(), all.size() <= top);
  EXPECT_EQ(one.why_empty.empty(), !one.sets.empty());
  EXPECT_FALSE(one.truncated);
  ExpectSameBits(one.sets, two.sets);
  EXPECT_EQ(one.compared, two.compared);
  EXPECT_EQ(one.scored, two.scored);
  EXPECT_EQ(one.pruned, two.pruned);
}

}  // namespace plexus::testing
