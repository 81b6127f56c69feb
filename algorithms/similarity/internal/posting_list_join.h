// PostingListJoin: the pairs of one list of rows that may clear the threshold.
//
// A list is a chain of common terms and the rows that have them all. A long one is cut by
// the next common term: a row goes to the list of each later term from which on it still
// weighs what is missing; a pair belongs to the one list whose chain is how its common
// terms begin, and is thrown out elsewhere. Cutting is done only where it halves the
// pairs, so that lists of equal rows do not grow into all their subsets. Short lists are
// compared through PairBound. One per worker at a time: it holds the scratch memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "algorithms/similarity/internal/signature_bound.h"
#include "algorithms/similarity/internal/top_pairs.h"

namespace plexus::similarity_internal {

class PostingListJoin {
 public:
  PostingListJoin(const InvertedIndex& index, const PairQuery& query, std::atomic<bool>& stop)
      : index_(index), query_(query), stop_(stop), counts_(index.term_count()) {}

  // A new task: pairs are offered to `best`, and its threshold is the one to clear.
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
  struct TermCount {
    std::uint32_t items = 0, probes = 0;
  };
  struct Level {
    std::vector<ListItem> items;
    std::vector<std::uint32_t> terms, begins;
  };
  std::uint32_t RequiredOverlap() const;
  void JoinPrefix(std::span<const ListItem> items, std::size_t first, std::size_t last);
  bool Cut(std::span<const ListItem> items, std::uint64_t pairs, std::uint32_t required,
           Level& level);
  void Compare(std::span<const ListItem> items, std::size_t first, std::size_t last);
  void Score(const ListItem& a, const ListItem& b);

  const InvertedIndex& index_;
  const PairQuery& query_;
  std::atomic<bool>& stop_;
  TopKSets<2>* best_ = nullptr;
  std::vector<std::uint32_t> prefix_;  // the common terms so far
  std::vector<TermCount> counts_;      // by term, zero between cuts
  std::deque<Level> levels_;           // by depth; references stay good as it grows
  PairBound bound_;
  std::vector<std::uint32_t> passed_;
  std::uint64_t unchecked_ = 0;  // comparisons since the budget's clock was looked at
};

}  // namespace plexus::similarity_internal
