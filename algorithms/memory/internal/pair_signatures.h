// The signatures of a list of members, and the scan that bounds the worth of pairs by them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "algorithms/memory/internal/pair_join.h"

namespace plexus::memory_internal {

// The signatures of a list, one array a word.
struct Signatures {
  std::vector<std::uint64_t> words[4];
  std::vector<std::uint32_t> tag_slack, term_slack;
  std::vector<float> worth, need;

  void Resize(std::size_t n) {
    for (auto& word : words) word.resize(n);
    tag_slack.resize(n);
    term_slack.resize(n);
    worth.resize(n);
    need.resize(n);
  }
  void Set(std::size_t i, const MemberRow& row, float row_worth, float row_need) {
    for (std::size_t w = 0; w < 4; ++w) words[w][i] = row.signature[w];
    tag_slack[i] = row.tag_slack == 65535 ? 1u << 30 : row.tag_slack;
    term_slack[i] = row.term_slack;
    worth[i] = row_worth;
    need[i] = row_need;
  }
};

// Appends the rows of [first, last) whose pair with x may be worth what is needed.
[[gnu::always_inline]] inline void ScanRows(const Signatures& s, const WorthBound& bound,
                                            std::size_t x, std::size_t first, std::size_t last,
                                            std::vector<std::uint32_t>& out) {
  const std::uint64_t w0 = s.words[0][x], w1 = s.words[1][x], w2 = s.words[2][x],
                      w3 = s.words[3][x];
  const float worth = s.worth[x], need = s.need[x];
  const float all_terms = bound.terms(kMostAnchorTerms);
  const std::uint32_t slack = s.tag_slack[x], term_slack = s.term_slack[x];
  for (std::size_t y = first; y < last; ++y) {
    const auto common = static_cast<std::uint32_t>(std::popcount(w0 & s.words[0][y]) +
                                                   std::popcount(w1 & s.words[1][y]) +
                                                   std::popcount(w2 & s.words[2][y])) +
                        std::min(slack, s.tag_slack[y]);
    const float needed = std::min(need, s.need[y]);
    const float pair = worth + s.worth[y] + bound.tags(common);
    if (pair + all_terms < needed) continue;
    const auto terms = static_cast<std::uint32_t>(std::popcount(w3 & s.words[3][y])) +
                       std::min(term_slack, s.term_slack[y]);
    if (pair + bound.terms(terms) >= needed) out.push_back(static_cast<std::uint32_t>(y));
  }
}

}  // namespace plexus::memory_internal
