// Splitting a list by the next common term, comparing a short one, scoring the pairs that pass.
#include "algorithms/similarity/internal/posting_list_join.h"

#include <algorithm>
#include <array>

namespace plexus::similarity::internal {

namespace {

constexpr std::size_t kShort = 96;  // items of a list that is compared as it is
constexpr std::size_t kMaxPrefix = 24;
constexpr std::uint64_t kItemCost = 24;        // an item of a cut list, in comparisons
constexpr std::size_t kAhead = 16, kNear = 4;  // rows fetched before they are needed
constexpr std::uint64_t kCheckEvery = 1 << 20;

}  // namespace

// Units that a pair with this prefix must still have in common.
std::uint32_t PostingListJoin::RequiredOverlap() const {
  std::uint32_t required = UnitsBelow(best_->threshold().score);
  for (std::uint32_t t : prefix_) required -= std::min(required, index_.units[t]);
  return required;
}

void PostingListJoin::JoinPrefix(std::span<const ListItem> items, std::size_t first,
                                 std::size_t last) {
  if (stop_.load(std::memory_order_relaxed)) return;
  const std::uint32_t required = RequiredOverlap();
  // A range of first rows is a piece of a list too large for one task: no cutting then.
  const bool whole = first == 0 && last == items.size();
  if (required > 0 && whole && items.size() > kShort && prefix_.size() < kMaxPrefix) {
    if (levels_.size() < prefix_.size()) levels_.resize(prefix_.size());
    Level& level = levels_[prefix_.size() - 1];
    if (Cut(items, required, level)) {
      for (std::size_t i = 0; i < level.tokens.size(); ++i) {
        prefix_.push_back(level.tokens[i]);
        JoinPrefix(level.list(i), 0, level.list(i).size());
        prefix_.pop_back();
      }
      return;
    }
  }
  Compare(items, first, last);
}

bool PostingListJoin::Cut(std::span<const ListItem> items, std::uint32_t required, Level& level) {
  const auto probe = [](const ListItem& item) { return item.probe(); };
  const auto walk = [&](std::size_t i, auto&& take) {
    if (i + kAhead < items.size()) {
      __builtin_prefetch(&index_.entries[items[i + kAhead].entry]);
      __builtin_prefetch(&index_.begins[items[i + kAhead].row() + 1]);
    }
    const std::uint32_t end = index_.begins[items[i].row() + 1];
    for (std::uint32_t e = items[i].entry + 1;
         e < end && index_.entries[e].suffix_weight >= required; ++e)
      take(index_.entries[e].term, ListItem{items[i].row_and_probe, e});
  };
  return cutter_.Cut(items, kItemCost, ~std::size_t{0}, probe, walk, level);
}

void PostingListJoin::Compare(std::span<const ListItem> items, std::size_t first,
                              std::size_t last) {
  bound_.Load(index_, items, prefix_.back());
  const auto n = static_cast<std::uint32_t>(items.size());
  for (auto x = static_cast<std::uint32_t>(first); x < last; ++x) {
    if (!items[x].probe()) continue;
    passed_.clear();
    bound_.Scan(x, x + 1, n, RequiredOverlap(), passed_);
    compared += n - x - 1;
    for (std::size_t i = 0; i < passed_.size(); ++i) {
      if (i + kNear < passed_.size()) index_.PrefetchRow(items[passed_[i + kNear]].row());
      Score(items[x], items[passed_[i]]);
    }
    unchecked_ += n - x;
    if (unchecked_ < kCheckEvery) continue;
    unchecked_ = 0;
    if (query_.budget.Interrupted()) stop_ = true;
    if (stop_) return;
  }
}

void PostingListJoin::Score(const ListItem& a, const ListItem& b) {
  const IndexEntry* const entries = index_.entries.data();
  // The terms after the prefix, from the end, then the prefix backwards.
  const IndexEntry *x = entries + index_.begins[a.row() + 1],
                   *y = entries + index_.begins[b.row() + 1];
  const IndexEntry *const from_x = entries + a.entry + 1, *const from_y = entries + b.entry + 1;
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
  for (std::size_t i = prefix_.size(); i-- > 0;) set.score += index_.weights[prefix_[i]];
  ++scored;
  const NodeId p = index_.nodes[a.row()], q = index_.nodes[b.row()];
  set.members = {std::min(p, q), std::max(p, q)};
  if (!best_->Passes(set) || prefix_.size() + after < query_.least_common) return;
  // A pair with a common term outside the prefix is reported in another list.
  x = entries + index_.begins[a.row()];
  y = entries + index_.begins[b.row()];
  std::size_t common = 0;
  while (x != from_x && y != from_y) {
    const std::uint32_t s = x->term, t = y->term;
    common += s == t;
    x += s <= t;
    y += t <= s;
  }
  if (common != prefix_.size()) return;
  if (query_.mask) {
    const std::array<std::uint32_t, 2> rows = {a.row(), b.row()};
    if (query_.events_mask ? query_.mask->IsExcluded(rows)
                           : query_.mask->AreAdjacent(rows[0], rows[1]))
      return;
  }
  best_->Offer(set);
}

}  // namespace plexus::similarity::internal
