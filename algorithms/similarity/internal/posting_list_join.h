// PostingListJoin: the pairs of one posting list that may pass the threshold.
//
// A posting list holds the rows that contain a given prefix of terms. A long list is split by the
// next common term: a row moves to the sublist of every later term at which its remaining weight
// can still reach the threshold. Each pair is reported only in the list whose prefix equals the
// first common terms of the pair, so no pair is reported twice. A list is split only where that
// halves the pairs, so that lists of equal rows do not grow into all their subsets. Short lists are
// compared through PairBound. One per worker at a time: it holds the scratch memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "algorithms/common/internal/token_join.h"
#include "algorithms/similarity/internal/signature_bound.h"
#include "algorithms/similarity/internal/top_pairs.h"

namespace plexus::similarity::internal {

class PostingListJoin {
 public:
  PostingListJoin(const InvertedIndex& index, const PairQuery& query, std::atomic<bool>& stop)
      : index_(index), query_(query), stop_(stop), cutter_(index.term_count()) {}

  // Begins a task: pairs are offered to `best`, whose threshold they must pass.
  void Begin(TopKSets<2>* best) {
    best_ = best;
    compared = scored = 0;
  }
  // Rows ascend; pairs whose first row is one of items [first, last).
  void Join(std::span<const ListItem> items, std::uint32_t term, std::size_t first,
            std::size_t last) {
    prefix_.assign(1, term);
    JoinPrefix(items, first, last);
  }

  std::uint64_t compared = 0, scored = 0;

 private:
  using Level = common_internal::TokenLists<ListItem>;
  std::uint32_t RequiredOverlap() const;
  void JoinPrefix(std::span<const ListItem> items, std::size_t first, std::size_t last);
  bool Cut(std::span<const ListItem> items, std::uint32_t required, Level& level);
  void Compare(std::span<const ListItem> items, std::size_t first, std::size_t last);
  void Score(const ListItem& a, const ListItem& b);

  const InvertedIndex& index_;
  const PairQuery& query_;
  std::atomic<bool>& stop_;
  TopKSets<2>* best_ = nullptr;
  std::vector<std::uint32_t> prefix_;  // the common terms of the list
  common_internal::TokenCutter cutter_;
  std::deque<Level> levels_;           // by depth; references stay good as it grows
  PairBound bound_;
  std::vector<std::uint32_t> passed_;
  std::uint64_t unchecked_ = 0;  // comparisons since the budget was polled
};

}  // namespace plexus::similarity::internal
