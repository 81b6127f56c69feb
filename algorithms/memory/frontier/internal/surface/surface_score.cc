// The formula, term by term, and its bounds.
#include "algorithms/memory/frontier/internal/surface/surface_score.h"

#include <algorithm>

#include "algorithms/memory/frontier/internal/pair_lens.h"
#include "algorithms/memory/ledger/internal/prior_outcomes.h"

namespace plexus::memory::internal {

namespace {

constexpr float kRoundUp = 1e-5f;
constexpr std::uint32_t kLongestTable = 65535;

}  // namespace

SurfaceScore::SurfaceScore(const SurfacePool& pool, const NeverComposedOptions& options,
                           const SurfaceExtras& extras)
    : pool_(pool),
      options_(options),
      extras_(extras),
      fit_most_(std::max(options.structural_fit_weight, 0.0)) {
  potentials_.resize(pool.count());
  for (Row r = 0; r < pool.count(); ++r) UpdatePotential(r);
}

// Twice the sum over m members of this, by m, is at least novelty, trust and adjustment of the set.
void SurfaceScore::UpdatePotential(Row r) {
  if (r >= potentials_.size()) potentials_.resize(r + 1);
  const double half = options_.arity / 2.0;
  potentials_[r] = kNoveltyWeight / 2 * pool_.novelty(r) + std::max(pool_.trust[r], 0.0) / 2 +
                   half * AdjustmentBound(pool_.rows[r].outcomes, options_.arity);
}

PairParts SurfaceScore::Parts(Row a, Row b) const {
  PairParts parts;
  parts.shared = pool_.Shared(a, b);
  if (extras_.cosine) parts.cosine = extras_.cosine(a, b);
  if (parts.cosine) parts.band = 1 + 2 * (*parts.cosine - options_.band->least);
  const MemberRow &x = pool_.rows[a], &y = pool_.rows[b];
  const double shared = parts.shared.tags;
  const std::uint32_t all = x.tags + y.tags - parts.shared.tags;
  const double distance = all == 0 ? 0 : 1 - shared / all;
  const double boundaries = std::min(parts.shared.boundaries / 4.0, 1.0);
  parts.bridge = std::clamp(kTagDistance * distance + kTypesDiffer * (x.type != y.type) +
                                kBoundaries * boundaries + kTermsShared * (parts.shared.terms > 0) +
                                kTagsShared * (parts.shared.tags > 0),
                            0.0, 1.0);
  parts.anchor = kTagAnchor * shared + kTermAnchor * std::min(parts.shared.terms, kMostAnchorTerms);
  return parts;
}

SetNumbers SurfaceScore::Numbers(std::span<const Row> members,
                                 std::span<const PairParts> pairs) const {
  SetNumbers n;
  const auto count = static_cast<double>(members.size());
  const auto pair_count = static_cast<double>(pairs.size());
  for (const PairParts& pair : pairs) {
    n.anchor += pair.anchor;
    n.band += pair.band;
    n.bridge += pair.bridge;
  }
  n.anchor /= pair_count;
  n.band /= pair_count;
  n.bridge /= pair_count;
  double trust = 0;
  n.min_trust = pool_.trust[members[0]];
  for (const Row r : members) {
    n.novelty += pool_.novelty(r);
    trust += pool_.trust[r];
    n.min_trust = std::min(n.min_trust, pool_.trust[r]);
    n.outcomes |= pool_.rows[r].outcomes;
  }
  n.novelty /= count;
  n.mean_trust = std::clamp(trust / count, 0.0, 1.0);
  n.min_trust = std::clamp(n.min_trust, 0.0, 1.0);
  n.adjustment = OutcomeAdjustment(n.outcomes);
  n.least = options_.trust == TrustRule::kWeakest || members.size() > 2;
  if (extras_.fit) {
    for (std::size_t i = 0; i < members.size(); ++i)
      for (std::size_t j = i + 1; j < members.size(); ++j)
        n.fit += extras_.fit(members[i], members[j]);
    n.fit /= pair_count;
  }
  n.score = TieScore(n.anchor + n.band + n.bridge * kBridgeWeight + n.novelty * kNoveltyWeight +
                     (n.least ? n.min_trust : n.mean_trust) + n.adjustment +
                     n.fit * options_.structural_fit_weight);
  return n;
}

double SurfaceScore::FromWorths(std::span<const Row> members, double worths) const {
  const auto count = static_cast<double>(members.size());
  const double pairs = count * (count - 1) / 2;
  double potentials = 0, novelty = 0, least = 1;
  OutcomeSet outcomes = 0;
  for (const Row r : members) {
    potentials += potentials_[r];
    novelty += pool_.novelty(r);
    least = std::min(least, pool_.trust[r]);
    outcomes |= pool_.rows[r].outcomes;
  }
  return (worths - (count - 1) * potentials) / pairs + kNoveltyWeight * novelty / count +
         std::max(least, 0.0) + OutcomeAdjustment(outcomes);
}

WorthBound::WorthBound(const SurfaceScore& score) : score_(score) {
  const SurfacePool& pool = score.pool();
  const std::uint32_t most = std::min(pool.most_tags, kLongestTable - 1);
  double constant = score.fit_most_ + kRoundUp;
  if (pool.types.size() > 1) constant += kBridgeWeight * kTypesDiffer;
  if (score.extras().cosine)
    constant += 1 + 2 * (score.options().band->below - score.options().band->least);
  double best = kBridgeWeight * kTagDistance;
  tags_.push_back(static_cast<float>(constant + best));
  // Of two rows with all the tags that a row has here: the tag distance is largest then.
  for (std::uint32_t t = 1; t <= most; ++t) {
    const std::uint32_t common = t == most ? pool.most_tags : t;
    for (std::uint32_t c = t; c <= common; c += std::max(1u, common - t)) {
      const double distance = 1 - static_cast<double>(t) / (2.0 * pool.most_tags - t);
      best =
          std::max(best, kTagAnchor * c + kBridgeWeight * (kTagDistance * distance + kTagsShared));
    }
    tags_.push_back(static_cast<float>(constant + best));
  }
  for (std::uint32_t w = 0; w <= kMostAnchorTerms; ++w)
    terms_[w] = static_cast<float>(kTermAnchor * w + (w > 0 ? kBridgeWeight * kTermsShared : 0));
  rows_.resize(pool.count());
  for (Row r = 0; r < pool.count(); ++r) Update(r);
}

void WorthBound::Update(Row r) {
  if (r >= rows_.size()) rows_.resize(r + 1);
  const double boundaries = std::min(score_.pool().rows[r].boundaries, 4u);
  rows_[r] =
      static_cast<float>(score_.potential(r) + kBridgeWeight * kBoundaries / 4 * boundaries) +
      kRoundUp;
  most_ = std::max(most_, rows_[r]);
}

std::uint32_t WorthBound::TagsFor(float worth) const {
  const auto at = std::lower_bound(tags_.begin(), tags_.end(), worth);
  return static_cast<std::uint32_t>(at - tags_.begin());
}

}  // namespace plexus::memory::internal
