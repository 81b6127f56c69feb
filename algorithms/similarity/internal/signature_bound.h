// PairBound: bounds on what the rows of one list share, as arrays, and the loop over them.
//
// For a list of rows that have some terms in common, and are known to share none between
// those and nothing before, what each row has after its last common term is laid out one
// array per signature word. The bound of two rows is the common bits of each word times
// the largest weight that can occur there, plus the smaller slack. The loop is compiled
// twice, with and without the popcount instruction, and picked at run time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/similarity/internal/inverted_index.h"

namespace plexus::similarity::internal {

// A row inside a list: the entry of the last common term, and whether pairs may start with it (the
// probe of FindTopPairs).
struct ListItem {
  std::uint32_t row_and_probe;
  std::uint32_t entry;
  std::uint32_t row() const { return row_and_probe & 0x7FFFFFFFu; }
  bool probe() const { return row_and_probe >> 31; }
};

class PairBound {
 public:
  // Lays out `items`, whose last common term is `term`. O(items).
  void Load(const InvertedIndex& index, std::span<const ListItem> items, std::uint32_t term);
  // Appends to `out` every y in [first, last) whose bound with x is at least `need` units.
  void Scan(std::uint32_t x, std::uint32_t first, std::uint32_t last, std::uint32_t need,
            std::vector<std::uint32_t>& out) const;

 private:
  int from_ = 0;  // words before are empty
  std::uint32_t units_[kWords] = {};
  std::vector<std::uint64_t> words_[kWords];
  std::vector<std::uint32_t> slack_;
};

// Appends to `out` those of `rows` whose bounds with rows a and b add up to `need` units
// or more.
void ScanThirds(const InvertedIndex& index, std::uint32_t a, std::uint32_t b,
                std::span<const std::uint32_t> rows, std::uint32_t need,
                std::vector<std::uint32_t>& out);

}  // namespace plexus::similarity::internal
