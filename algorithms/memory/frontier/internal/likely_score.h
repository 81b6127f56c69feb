// The score of the lens likely: exact numbers of a pair or set, and bounds above them.
//
//   score = tie + activity weight x activity + trust weight x trust + outcome weight x adjustment
//         + weight x structural fit
// tie is the mean over the pairs of ln(link + w) (likely_rows.h; a pair that was never composed has
// no w), activity = ln(0.1 + the least act). So a product of powers, as a sum. What a pair's
// `Worth` leaves out is at most `rest`, and no set scores more than the mean worth of its pairs and
// `rest`. Private to algorithms/memory.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/memory/frontier/frontier.h"
#include "algorithms/memory/frontier/internal/frontier_cursor.h"
#include "algorithms/memory/frontier/internal/likely_rows.h"
#include "algorithms/memory/frontier/internal/pair_lens.h"
#include "algorithms/memory/frontier/internal/structural_fit.h"
#include "engine/types.h"

namespace plexus::memory::internal {

inline constexpr double kUntied = -std::numeric_limits<double>::infinity();

// Higher scores first, ties by smaller ids.
bool Precedes(const PageEnd& a, const PageEnd& b);
// The best `top`, best first; each once.
void KeepBest(std::vector<PageEnd>& kept, std::vector<PageEnd>&& found, std::size_t top);

class LikelyScore {
 public:
  // Keeps the addresses. `walked`: for structural fit, null without.
  LikelyScore(const LikelyRows& rows, const PairTerms& terms, const LedgerIndex& ledger,
              const NeverComposedOptions& options, const common_internal::Selection* walked,
              const std::optional<PageEnd>& after);

  const LikelyRows& rows() const { return rows_; }
  const PairTerms& terms() const { return terms_; }
  const NeverComposedOptions& options() const { return options_; }

  // What a pair is worth; kUntied without a tie. `link` of both.
  double Worth(NodeId a, NodeId b, double link) const;
  double Worth(NodeId a, NodeId b) const { return Worth(a, b, rows_.Link(a, b)); }
  // Of the activity of all pairs with `a`, at most.
  double MostActivity(NodeId a) const { return options_.likely.activity_weight * activity_[a]; }
  double MostDirect(NodeId a) const { return direct_[a]; }
  double rest() const { return rest_; }

  // The mean over the pairs; kUntied when one has no tie. `links` as `members`: of a pair its own.
  double Tie(std::span<const NodeId> members) const;
  // Nothing when the set may not be listed. Thread-safe.
  std::optional<double> Score(std::span<const NodeId> members, double tie) const;
  NeverComposedSet Describe(const PageEnd& set) const;

 private:
  std::array<retrieval::ScoreTerm, 5> Terms(std::span<const NodeId> members, double tie,
                                            double fit) const;
  double Fit(std::span<const NodeId> members) const;

  const LikelyRows& rows_;
  const PairTerms& terms_;
  const LedgerIndex& ledger_;
  const NeverComposedOptions& options_;
  const std::optional<PageEnd>& after_;
  std::vector<double> activity_, direct_;    // by node: ln(0.1 + act); the largest w
  std::vector<StructuralProfile> profiles_;  // by node; empty: fit does not matter
  double rest_ = 0;
};

}  // namespace plexus::memory::internal
