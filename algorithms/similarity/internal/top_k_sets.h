// TopSets: the k best sets seen, with the bar that a further one must clear.
//
// Better = larger score, then smaller ids. The buffer holds up to twice k and is cut when
// full, so offering costs O(1) on average and the bar rises as sets come in. The kept
// list depends on what was offered only, not on the order. A set may be offered once.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "engine/types.h"

namespace plexus::similarity_internal {

template <int kMembers>
struct ScoredSet {
  double score = 0;
  std::array<NodeId, kMembers> members{};  // ascending

  bool operator==(const ScoredSet&) const = default;
};

struct Better {
  template <int kMembers>
  bool operator()(const ScoredSet<kMembers>& a, const ScoredSet<kMembers>& b) const {
    return a.score != b.score ? a.score > b.score : a.members < b.members;
  }
};

template <int kMembers>
class TopSets {
 public:
  using Set = ScoredSet<kMembers>;
  // Only sets better than `bar` are kept. The default lets any positive score pass.
  explicit TopSets(std::size_t k, const Set& bar = Set{}) : k_(k), bar_(bar) {}

  const Set& bar() const { return bar_; }
  std::size_t size() const { return sets_.size(); }  // held, up to 2k
  bool Passes(const Set& set) const { return Better()(set, bar_); }

  // True when the bar moved.
  bool Offer(const Set& set) {
    if (!Passes(set)) return false;
    sets_.push_back(set);
    if (sets_.size() < 2 * k_ && !(sets_.size() == k_ && !full_)) return false;
    Cut();
    return true;
  }
  void Join(const TopSets& other) {
    for (const Set& set : other.sets_) Offer(set);
  }
  // Raises the bar to the k-th best so far.
  void Cut() {
    if (sets_.size() < k_ || k_ == 0) return;
    const auto last = sets_.begin() + static_cast<std::ptrdiff_t>(k_ - 1);
    std::nth_element(sets_.begin(), last, sets_.end(), Better());
    bar_ = *last;
    sets_.resize(k_);
    full_ = true;
  }
  // Best first.
  std::vector<Set> Take() {
    Cut();
    std::sort(sets_.begin(), sets_.end(), Better());
    return std::move(sets_);
  }

 private:
  std::size_t k_;
  Set bar_;
  bool full_ = false;
  std::vector<Set> sets_;
};

}  // namespace plexus::similarity_internal
