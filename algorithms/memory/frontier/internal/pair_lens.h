// What the lenses over recorded structure (bridge, divergent, likely) share: terms of members,
// pairs and sets.
//
// Scores are sums of ScoreTerms in a fixed order, so that a bound and a score of the same terms
// have the same bits.
// Private to algorithms/memory.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/memory/frontier/frontier.h"
#include "algorithms/memory/ledger/ledger.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus::memory::internal {

// A score as sets are ranked by: what is equal by the formula is equal in bits.
//
// Sums of tenths and thirds differ in their last bits by the order and the terms that they are of.
// Here they are rounded to ten decimals. The middle between two steps is moved to where sums of
// tenths, of small fractions and of powers of two do not lie, so that no such sum is rounded up
// once and down once.
inline double TieScore(double score) {
  constexpr double kSteps = 1e10, kGolden = 0.6180339887498949;
  return std::floor(score * kSteps + kGolden) / kSteps;
}

// A pair as it is ranked: higher scores first, ties by smaller ids.
struct RankedPair {
  double score = 0;
  NodeId a = kNoNode, b = kNoNode;  // a < b
  std::uint32_t hops = 0;
  double divergence = 0;

  bool Better(const RankedPair& other) const {
    if (score != other.score) return score > other.score;
    return a != other.a ? a < other.a : b < other.b;
  }
};

// Where a page begins: only pairs that rank behind this one are listed.
using PagePosition = std::optional<RankedPair>;

// The best `top` pairs, best first, of `found` and what was `kept`, which becomes them.
void KeepBest(std::vector<RankedPair>& kept, std::vector<RankedPair> found, std::size_t top);

// Members of a lens: what their pairs are scored and filtered by. Arrays by NodeId.
class PairTerms {
 public:
  // Keeps the addresses of `index` and `pool`. O(nodes), in parallel.
  static PairTerms Make(const Snapshot& snapshot, const LedgerIndex& index, const NodeSubset& pool,
                        const NeverComposedOptions& options);

  bool contains(NodeId v) const { return pool_->contains(v); }
  std::vector<NodeId> members() const { return pool_->ToList(); }  // ascending

  double novelty(NodeId a, NodeId b) const { return (novelty_[a] + novelty_[b]) / 2; }
  double mean_trust(std::span<const NodeId> members) const;
  double min_trust(std::span<const NodeId> members) const;
  // Of sets of three and more the least.
  double trust(std::span<const NodeId> members) const {
    return weakest_ || members.size() > 2 ? min_trust(members) : mean_trust(members);
  }
  double trust(NodeId a, NodeId b) const { return trust({{a, b}}); }
  OutcomeSet outcomes(std::span<const NodeId> members) const;
  double adjustment(std::span<const NodeId> members) const;
  double adjustment(NodeId a, NodeId b) const { return adjustment({{a, b}}); }
  double stored_trust(NodeId v) const { return trust_[v]; }
  bool was_composed(NodeId v) const { return novelty_[v] < 1; }

  // 1.5 novelty + trust + adjustment of a pair is at most the sum of these over its two members.
  double bound(NodeId v) const;
  bool same_terms(NodeId a, NodeId b) const {
    return novelty_[a] == novelty_[b] && trust_[a] == trust_[b] && outcomes_[a] == outcomes_[b];
  }

  // Wanted by the tag filter, and no event has all.
  bool Allowed(std::span<const NodeId> members) const;
  bool Allowed(NodeId a, NodeId b) const { return Allowed({{a, b}}); }

  // Everything that does not come from the lens itself, of ascending members.
  NeverComposedSet Describe(std::span<const NodeId> members) const;

 private:
  const LedgerIndex* index_ = nullptr;
  const NodeSubset* pool_ = nullptr;
  bool weakest_ = false;
  TagMatch match_ = TagMatch::kAny;
  std::vector<double> novelty_, trust_;  // 1 / (1 + degree); as stored
  std::vector<OutcomeSet> outcomes_;
  std::optional<NodeSubset> carriers_;  // none: every tag will do
};

// Of pairs that one event has.
SetLevel LevelOf(const LedgerIndex& ledger, std::span<const NodeId> members);

// The facts that carry a tag that equals one of `wanted` or begins with it and ":", at `now_ms`.
// O(nodes + arcs of these tags).
NodeSubset TagCarriers(const Snapshot& snapshot, const std::vector<std::string>& wanted,
                       std::int64_t now_ms);

}  // namespace plexus::memory::internal
