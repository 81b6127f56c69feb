// InvertedIndex: which rows have which index neighbours, laid out for top-k joins.
//
// Candidates become rows 0..n-1, index neighbours with df >= 2 become terms ordered from
// the rarest to the commonest (ties by id), so a row lists its heaviest terms first.
// Next to each term is `suffix_weight`, the weight of the row from there to its end: no set
// whose first common term is this one can score more. Bounds are integers in units of
// 2^-16, every weight rounded up and every threshold down, so a bound never lies below
// the true f64 score; kUnitsMax represents "that or more". Scores are f64 and added from
// the end of the row, so exact sums over a row's tail bound exact sums over a part of it.
//
// A Signature holds a row's terms as bits, one word per class of terms: the 64 commonest
// have a bit each in the last word, the others share the bits of three words cut so that
// each holds a third of the postings. Common bits times the largest weight of the word,
// plus the slack of terms that fell on a taken bit, bound what two rows share.
// Immutable once made.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/arrays/aligned_array.h"
#include "engine/arrays/views.h"
#include "engine/error.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"

namespace plexus::similarity::internal {

inline constexpr int kWords = 4;
inline constexpr double kUnit = 65536;                // units per 1.0
inline constexpr std::uint32_t kUnitsMax = 1u << 30;  // saturated

inline std::uint32_t AddUnits(std::uint32_t a, std::uint32_t b) {
  return std::min(a + b, kUnitsMax);
}
// Largest number of units that is not above `score`.
inline std::uint32_t UnitsBelow(double score) {
  return score <= 0                   ? 0
         : score * kUnit >= kUnitsMax ? kUnitsMax
                                      : static_cast<std::uint32_t>(score * kUnit);
}

struct IndexEntry {
  std::uint32_t term;
  std::uint32_t suffix_weight;  // units of this term and all after it
};

struct alignas(64) Signature {
  std::array<std::uint64_t, kWords> words;
  std::array<std::uint32_t, kWords> slack;  // units, of words k and after
};

struct InvertedIndex {
  std::vector<NodeId> nodes;          // by row; ascending, anchors first
  std::uint32_t anchors = 0;          // rows that are
  std::vector<std::uint32_t> begins;  // rows + 1
  AlignedArray<IndexEntry> entries;
  AlignedArray<Signature> signatures;  // by row
  std::vector<NodeId> term_nodes;      // by term
  std::vector<double> weights;         // by term; falling
  std::vector<std::uint32_t> units;    // weights, rounded up
  std::vector<std::uint8_t> cells;     // by term: word * 64 + bit; words ascend with terms
  std::array<std::uint32_t, kWords> word_units{};  // the largest of a word
  std::uint64_t wedges = 0;                        // saturating

  std::uint32_t row_count() const { return static_cast<std::uint32_t>(nodes.size()); }
  std::uint32_t term_count() const { return static_cast<std::uint32_t>(weights.size()); }
  std::span<const IndexEntry> row(std::uint32_t r) const {
    return {entries.data() + begins[r], begins[r + 1] - begins[r]};
  }
  // Both ends of a row: scoring reads it backwards, then forwards.
  void PrefetchRow(std::uint32_t r) const {
    __builtin_prefetch(entries.data() + begins[r]);
    __builtin_prefetch(entries.data() + begins[r + 1] - 1);
  }
  int word_of(std::uint32_t term) const { return cells[term] >> 6; }
  // Score of two rows, exact.
  double PairScore(std::uint32_t a, std::uint32_t b) const;
};

// `filter` as in FrontierOptions; rows of `anchors` (or null) come first. O(arcs at facts + terms
// log terms). Errors as Frontier's.
Result<InvertedIndex> MakeInvertedIndex(const Snapshot& snapshot, const GraphFilter& filter,
                                        const NodeSubset* anchors, Executor& executor);

// The same layout over any rows of neighbours (without doubles), with weights of the
// caller's: shares[w] >= 0 by node, 0 = does not count. `nodes` and `term_nodes` are then
// the row numbers. kUnsupported: 2^31 rows or more.
Result<InvertedIndex> MakeInvertedIndex(const CsrView& rows, std::span<const double> shares,
                                        Executor& executor);

}  // namespace plexus::similarity::internal
