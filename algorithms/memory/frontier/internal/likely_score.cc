// A sum of five terms, and what each adds at most.
#include "algorithms/memory/frontier/internal/likely_score.h"

#include <algorithm>
#include <cmath>

#include "algorithms/common/internal/selection.h"
#include "algorithms/memory/frontier/internal/pair_lens.h"
#include "algorithms/memory/ledger/internal/prior_outcomes.h"

namespace plexus::memory::internal {

namespace {

constexpr double kLeastActivity = 0.1;
constexpr double kRoundingSlack = 1e-9;  // of rounding
constexpr std::size_t kShownPartners = 5;

}  // namespace

bool Precedes(const PageEnd& a, const PageEnd& b) {
  return a.score != b.score ? a.score > b.score : a.members < b.members;
}

void KeepBest(std::vector<PageEnd>& kept, std::vector<PageEnd>&& found, std::size_t top) {
  std::ranges::move(found, std::back_inserter(kept));
  std::sort(kept.begin(), kept.end(), Precedes);
  const auto same = [](const PageEnd& a, const PageEnd& b) { return a.members == b.members; };
  kept.erase(std::unique(kept.begin(), kept.end(), same), kept.end());
  if (kept.size() > top) kept.resize(top);
}

LikelyScore::LikelyScore(const LikelyRows& rows, const PairTerms& terms, const LedgerIndex& ledger,
                         const NeverComposedOptions& options,
                         const common_internal::Selection* walked,
                         const std::optional<PageEnd>& after)
    : rows_(rows),
      terms_(terms),
      ledger_(ledger),
      options_(options),
      after_(after),
      activity_(rows.nodes),
      direct_(rows.nodes, 0) {
  if (walked) profiles_.resize(rows.nodes);
  ParallelFor(common_internal::Pick(options.run.executor), rows.nodes, 4096,
              [&](std::size_t begin, std::size_t end) {
                for (auto v = static_cast<NodeId>(begin); v < end; ++v) {
                  if (!terms.contains(v)) continue;
                  activity_[v] = std::log(kLeastActivity + rows.activity[v]);
                  for (std::uint32_t arc = rows.offsets[v]; arc < rows.offsets[v + 1]; ++arc)
                    if (rows.neighbors[arc] < rows.nodes)
                      direct_[v] = std::max(direct_[v], rows.values[arc] * rows.values[arc]);
                  if (walked) profiles_[v] = ProfileOf(*walked, v);
                }
              });
  double promise = 0;  // of a member's outcomes
  for (const NodeId v : terms.members()) {
    const NodeId alone[] = {v};
    promise = std::max(promise, AdjustmentBound(terms.outcomes(alone), options.arity));
  }
  rest_ = options.likely.trust_weight +
          options.likely.outcome_weight *
              std::min(kMostAdjustment, static_cast<double>(options.arity) * promise) +
          (walked ? std::max(options.structural_fit_weight, 0.0) : 0.0) + kRoundingSlack;
}

double LikelyScore::Worth(NodeId a, NodeId b, double link) const {
  const double tie = link + rows_.Direct(a, b);
  if (!(tie > 0)) return kUntied;
  return std::log(tie) + options_.likely.activity_weight * std::min(activity_[a], activity_[b]);
}

double LikelyScore::Tie(std::span<const NodeId> members) const {
  double sum = 0, pairs = 0;
  for (std::size_t i = 0; i < members.size(); ++i)
    for (std::size_t j = i + 1; j < members.size(); ++j, ++pairs)
      sum += std::log(rows_.Link(members[i], members[j]) + rows_.Direct(members[i], members[j]));
  return sum / pairs;
}

double LikelyScore::Fit(std::span<const NodeId> members) const {
  if (profiles_.empty()) return 0;
  double sum = 0, pairs = 0;
  for (std::size_t i = 0; i < members.size(); ++i)
    for (std::size_t j = i + 1; j < members.size(); ++j, ++pairs)
      sum += FitOf(profiles_[members[i]], profiles_[members[j]]);
  return sum / pairs;
}

std::array<retrieval::ScoreTerm, 5> LikelyScore::Terms(std::span<const NodeId> members, double tie,
                                                       double fit) const {
  double activity = activity_[members[0]];
  for (const NodeId v : members) activity = std::min(activity, activity_[v]);
  const LikelyOptions& o = options_.likely;
  return {{{"tie", tie, 1},
           {"activity", activity, o.activity_weight},
           {"trust", terms_.trust(members), o.trust_weight},
           {"adjustment", terms_.adjustment(members), o.outcome_weight},
           {"structural_fit", fit, options_.structural_fit_weight}}};
}

std::optional<double> LikelyScore::Score(std::span<const NodeId> members, double tie) const {
  const double fit = Fit(members);
  if (!std::isfinite(tie) || (!profiles_.empty() && fit < options_.min_structural_fit)) return {};
  const double score = TieScore(retrieval::ScoreOf(Terms(members, tie, fit)));
  if (after_ && !Precedes(*after_, {score, {members.begin(), members.end()}})) return {};
  if (!terms_.Allowed(members)) return {};
  if (options_.level && LevelOf(ledger_, members) != *options_.level) return {};
  return score;
}

NeverComposedSet LikelyScore::Describe(const PageEnd& ranked) const {
  const std::span<const NodeId> members = ranked.members;
  NeverComposedSet set = terms_.Describe(members);
  set.score = ranked.score;
  const double tie = Tie(members), fit = Fit(members);
  set.anchor = std::exp(tie);
  for (const retrieval::ScoreTerm& term : Terms(members, tie, fit))
    if (term.name != "structural_fit" || !profiles_.empty()) set.terms.push_back(term);
  if (!profiles_.empty()) set.structural_fit = fit;
  // A reply names none that may not be a member.
  for (std::size_t i = 0; i < members.size(); ++i)
    for (std::size_t j = i + 1; j < members.size(); ++j)
      for (const NodeId z : rows_.Partners(members[i], members[j]))
        if (set.partners.size() < kShownPartners && terms_.contains(z) &&
            std::ranges::find(set.partners, z) == set.partners.end() &&
            std::ranges::find(members, z) == members.end())
          set.partners.push_back(z);
  return set;
}

}  // namespace plexus::memory::internal
