// What rankings hit, how sure that is, and tables of it.
//
// An interval is one of 95 % by bootstrap over elements: a resample draws as many files as there
// are, with replacement; a set counts as often as the product of its files' draws, and hits are
// those of the list's length. What two rankings differ by is taken from the same resamples.
#pragma once

#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "bench/frontier_eval/dataset.h"
#include "bench/frontier_eval/rankings.h"
#include "bench/interval.h"

namespace plexus::bench {

inline constexpr std::array<std::size_t, 2> kDepths = {100, 1000};

struct Measured {
  std::string name;
  double seconds = 0;  // of the processor, to rank
  std::array<std::size_t, kDepths.size()> hits{}, listed{};
  std::array<Interval, kDepths.size()> sure{};    // of the hits
  std::array<Interval, kDepths.size()> behind{};  // of the hits that the first ranking has more
};

// One history, cut and arity.
struct Evaluation {
  std::string history;
  double share = 0;
  int arity = 2;
  std::size_t candidates = 0, positives = 0;
  std::vector<Measured> rankings;  // the first one is compared with the others
};

Evaluation Measure(const std::vector<Ranking>& rankings, const std::set<FileSet>& positives,
                   std::size_t files, int arity);

// One evaluation: a row for each ranking, with intervals.
void PrintEvaluation(const Evaluation& evaluation);
// All of one arity: hits by ranking and history at one cut, then how often the first ranking is
// ahead of each other one, and behind it by more than chance; then each history and cut: the first
// ranking, the best of all others (not of "... without ..."), and what the first one has more.
void PrintSummary(const std::vector<Evaluation>& all, int arity);

}  // namespace plexus::bench
