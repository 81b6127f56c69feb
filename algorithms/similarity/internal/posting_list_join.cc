// Cutting a list by the next common term, comparing a short one, scoring what passes.
#include "algorithms/similarity/internal/posting_list_join.h"

#include <algorithm>
#include <array>

namespace plexus::similarity_internal {

namespace {

constexpr std::size_t kShort = 96;  // items of a list that is compared as it is
constexpr std::size_t kMaxChain = 24;
constexpr std::uint64_t kItemCost = 24;        // an item of a cut list, in comparisons
constexpr std::size_t kAhead = 16, kNear = 4;  // rows fetched before they are needed
constexpr std::uint64_t kCheckEvery = 1 << 20;

}  // namespace

// Units that a pair of this chain must still have in common.
std::uint32_t ListMiner::Missing() const {
  std::uint32_t missing = UnitsBelow(best_->bar().score);
  for (std::uint32_t t : chain_) missing -= std::min(missing, index_.units[t]);
  return missing;
}

void ListMiner::MineChain(std::span<const ListItem> items, std::size_t first, std::size_t last) {
  if (stop_.load(std::memory_order_relaxed)) return;
  const std::uint32_t missing = Missing();
  // A range of first rows is a piece of a list too large for one task: no cutting then.
  const bool whole = first == 0 && last == items.size();
  if (missing > 0 && whole && items.size() > kShort && chain_.size() < kMaxChain) {
    if (levels_.size() < chain_.size()) levels_.resize(chain_.size());
    Level& level = levels_[chain_.size() - 1];
    std::uint64_t leads = 0;
    for (const ListItem& item : items) leads += item.lead();
    const std::uint64_t n = items.size();
    const std::uint64_t pairs = std::min(leads * (n - 1), n * (n - 1) / 2);
    if (Cut(items, pairs, missing, level)) {
      for (std::size_t i = 0; i < level.terms.size(); ++i) {
        const std::size_t begin = level.begins[i], end = level.begins[i + 1];
        chain_.push_back(level.terms[i]);
        MineChain({level.items.data() + begin, end - begin}, 0, end - begin);
        chain_.pop_back();
      }
      return;
    }
  }
  Compare(items, first, last);
}

// False when it would not pay. Lists of fewer than two rows or without a lead are left out.
bool ListMiner::Cut(std::span<const ListItem> items, std::uint64_t pairs, std::uint32_t missing,
                    Level& level) {
  level.terms.clear();
  auto for_each_next = [&](auto&& fn) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i + kAhead < items.size()) {
        __builtin_prefetch(&index_.entries[items[i + kAhead].entry]);
        __builtin_prefetch(&index_.begins[items[i + kAhead].row() + 1]);
      }
      const std::uint32_t end = index_.begins[items[i].row() + 1];
      for (std::uint32_t e = items[i].entry + 1; e < end && index_.entries[e].rest >= missing; ++e)
        fn(items[i], e, index_.entries[e].term);
    }
  };
  for_each_next([&](const ListItem& item, std::uint32_t, std::uint32_t term) {
    Tally& tally = tallies_[term];
    if (tally.items++ == 0) level.terms.push_back(term);
    tally.leads += item.lead();
  });
  std::sort(level.terms.begin(), level.terms.end());
  std::uint64_t after = 0;
  std::uint32_t size = 0;
  std::size_t kept = 0;
  level.begins.clear();
  for (std::uint32_t term : level.terms) {
    Tally& tally = tallies_[term];
    const std::uint64_t n = tally.items;
    if (n < 2 || tally.leads == 0) {
      tally = {};
      continue;
    }
    after += std::min(tally.leads * (n - 1), n * (n - 1) / 2) + n * kItemCost;
    level.terms[kept++] = term;
    level.begins.push_back(size);
    size += tally.items;
    tally.items = size - tally.items + 1;  // where the next item goes, plus one
  }
  level.terms.resize(kept);
  level.begins.push_back(size);
  const bool pays = after < pairs / 2;
  if (pays) {
    level.items.resize(size);
    for_each_next([&](const ListItem& item, std::uint32_t e, std::uint32_t term) {
      if (tallies_[term].items != 0)
        level.items[tallies_[term].items++ - 1] = {item.row_and_lead, e};
    });
  }
  for (std::uint32_t term : level.terms) tallies_[term] = {};
  return pays;
}

void ListMiner::Compare(std::span<const ListItem> items, std::size_t first, std::size_t last) {
  bound_.Load(index_, items, chain_.back());
  const auto n = static_cast<std::uint32_t>(items.size());
  for (auto x = static_cast<std::uint32_t>(first); x < last; ++x) {
    if (!items[x].lead()) continue;
    passed_.clear();
    bound_.Scan(x, x + 1, n, Missing(), passed_);
    compared += n - x - 1;
    for (std::size_t i = 0; i < passed_.size(); ++i) {
      if (i + kNear < passed_.size()) index_.PrefetchRow(items[passed_[i + kNear]].row());
      Score(items[x], items[passed_[i]]);
    }
    unchecked_ += n - x;
    if (unchecked_ < kCheckEvery) continue;
    unchecked_ = 0;
    if (question_.budget.Interrupted()) stop_ = true;
    if (stop_) return;
  }
}

void ListMiner::Score(const ListItem& a, const ListItem& b) {
  const SharedEntry* const entries = index_.entries.data();
  // What comes after the chain, from the end, then the chain backwards.
  const SharedEntry *x = entries + index_.begins[a.row() + 1],
                    *y = entries + index_.begins[b.row() + 1];
  const SharedEntry *const from_x = entries + a.entry + 1, *const from_y = entries + b.entry + 1;
  ScoredSet<2> set;
  std::uint64_t after = 0;  // common terms
  while (x != from_x && y != from_y) {
    const std::uint32_t s = x[-1].term, t = y[-1].term;
    if (s == t) {
      set.score += index_.weights[s];
      ++after;
    }
    x -= s >= t;
    y -= t >= s;
  }
  for (std::size_t i = chain_.size(); i-- > 0;) set.score += index_.weights[chain_[i]];
  ++scored;
  const NodeId p = index_.nodes[a.row()], q = index_.nodes[b.row()];
  set.members = {std::min(p, q), std::max(p, q)};
  if (!best_->Passes(set) || chain_.size() + after < question_.least_common) return;
  // A pair with a common term outside the chain is met in another list.
  x = entries + index_.begins[a.row()];
  y = entries + index_.begins[b.row()];
  std::size_t common = 0;
  while (x != from_x && y != from_y) {
    const std::uint32_t s = x->term, t = y->term;
    common += s == t;
    x += s <= t;
    y += t <= s;
  }
  if (common != chain_.size()) return;
  if (question_.mask) {
    const std::array<std::uint32_t, 2> rows = {a.row(), b.row()};
    if (question_.events_mask ? question_.mask->Masked(rows)
                              : question_.mask->Linked(rows[0], rows[1]))
      return;
  }
  best_->Offer(set);
}

}  // namespace plexus::similarity_internal
