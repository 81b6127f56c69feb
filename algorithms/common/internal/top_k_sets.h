// TopKSets: the k best sets seen, with the threshold that a further one must clear.
//
// Better = larger score, then smaller ids. The buffer holds up to twice k and is cut when
// full, so offering costs O(1) on average and the threshold rises as sets come in. The kept
// list depends on what was offered only, not on the order. A set may be offered once.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "engine/types.h"

namespace plexus::common_internal {

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
class TopKSets {
 public:
  using Set = ScoredSet<kMembers>;
  // Only sets better than `threshold` are kept. The default lets any positive score pass.
  explicit TopKSets(std::size_t k, const Set& threshold = Set{}) : k_(k), threshold_(threshold) {}

  const Set& threshold() const { return threshold_; }
  std::size_t size() const { return sets_.size(); }  // held, up to 2k
  bool Passes(const Set& set) const { return Better()(set, threshold_); }

  // True when the threshold moved.
  bool Offer(const Set& set) {
    if (!Passes(set)) return false;
    sets_.push_back(set);
    if (sets_.size() < 2 * k_ && !(sets_.size() == k_ && !full_)) return false;
    Cut();
    return true;
  }
  void Join(const TopKSets& other) {
    for (const Set& set : other.sets_) Offer(set);
  }
  // Raises the threshold to the k-th best so far.
  void Cut() {
    if (sets_.size() < k_ || k_ == 0) return;
    const auto last = sets_.begin() + static_cast<std::ptrdiff_t>(k_ - 1);
    std::nth_element(sets_.begin(), last, sets_.end(), Better());
    threshold_ = *last;
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
  Set threshold_;
  bool full_ = false;
  std::vector<Set> sets_;
};

}  // namespace plexus::common_internal
