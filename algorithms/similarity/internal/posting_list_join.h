// ListMiner: the pairs of one list of rows that may clear the bar.
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

class ListMiner {
 public:
  ListMiner(const SharedIndex& index, const PairQuestion& question, std::atomic<bool>& stop)
      : index_(index), question_(question), stop_(stop), tallies_(index.term_count()) {}

  // A new task: pairs are offered to `best`, and its bar is the one to clear.
  void Begin(TopSets<2>* best) {
    best_ = best;
    compared = scored = 0;
  }
  // Rows ascend; pairs whose first row is one of items [first, last).
  void Mine(std::span<const ListItem> items, std::uint32_t term, std::size_t first,
            std::size_t last) {
    chain_.assign(1, term);
    MineChain(items, first, last);
  }

  std::uint64_t compared = 0, scored = 0;

 private:
  struct Tally {
    std::uint32_t items = 0, leads = 0;
  };
  struct Level {
    std::vector<ListItem> items;
    std::vector<std::uint32_t> terms, begins;
  };
  std::uint32_t Missing() const;
  void MineChain(std::span<const ListItem> items, std::size_t first, std::size_t last);
  bool Cut(std::span<const ListItem> items, std::uint64_t pairs, std::uint32_t missing,
           Level& level);
  void Compare(std::span<const ListItem> items, std::size_t first, std::size_t last);
  void Score(const ListItem& a, const ListItem& b);

  const SharedIndex& index_;
  const PairQuestion& question_;
  std::atomic<bool>& stop_;
  TopSets<2>* best_ = nullptr;
  std::vector<std::uint32_t> chain_;  // the common terms so far
  std::vector<Tally> tallies_;        // by term, zero between cuts
  std::deque<Level> levels_;          // by depth; references stay good as it grows
  PairBound bound_;
  std::vector<std::uint32_t> passed_;
  std::uint64_t unchecked_ = 0;  // comparisons since the budget's clock was looked at
};

}  // namespace plexus::similarity_internal
