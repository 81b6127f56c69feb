// Terms of pairs: novelty, trust and outcomes by member, the tag filter, the description.
#include "algorithms/memory/internal/frontier/pair_lens.h"

#include <algorithm>
#include <utility>

#include "algorithms/common/internal/selection.h"
#include "algorithms/common/internal/top_k.h"
#include "algorithms/memory/internal/ledger/ledger_read.h"
#include "algorithms/memory/internal/ledger/prior_outcomes.h"
#include "algorithms/memory/internal/trust.h"
#include "engine/vocabulary.h"

namespace plexus::memory_internal {

void KeepBest(std::vector<RankedPair>& kept, std::vector<RankedPair> found, std::size_t top) {
  kept.insert(kept.end(), found.begin(), found.end());
  internal::SortTopK(kept, top,
                     [](const RankedPair& x, const RankedPair& y) { return x.Better(y); });
}

PairTerms PairTerms::Make(const Snapshot& snapshot, const LedgerIndex& index,
                          const NodeSubset& pool, const NeverComposedOptions& options) {
  PairTerms terms;
  terms.index_ = &index;
  terms.pool_ = &pool;
  terms.weakest_ = options.trust == TrustRule::kWeakest;
  terms.match_ = options.match;
  const NodeId n = snapshot.node_count();
  terms.novelty_.resize(n);
  terms.trust_.resize(n);
  terms.outcomes_.resize(n);
  ParallelFor(internal::Pick(options.run.executor), n, 16'384,
              [&](std::size_t begin, std::size_t end) {
                for (auto v = static_cast<NodeId>(begin); v < end; ++v) {
                  if (!pool.contains(v)) continue;
                  terms.novelty_[v] = 1 / (1 + static_cast<double>(index.events(v).size()));
                  terms.trust_[v] = TrustOf(snapshot, v);
                  terms.outcomes_[v] = index.member_outcomes(v);
                }
              });
  if (!options.tags.empty()) terms.carriers_ = TagCarriers(snapshot, options.tags, options.now_ms);
  return terms;
}

double PairTerms::mean_trust(NodeId a, NodeId b) const {
  return std::clamp((trust_[a] + trust_[b]) / 2, 0.0, 1.0);
}

double PairTerms::least_trust(NodeId a, NodeId b) const {
  return std::clamp(std::min(trust_[a], trust_[b]), 0.0, 1.0);
}

double PairTerms::adjustment(NodeId a, NodeId b) const {
  return OutcomeAdjustment(static_cast<OutcomeSet>(outcomes_[a] | outcomes_[b]));
}

double PairTerms::bound(NodeId v) const {
  return 0.75 * novelty_[v] + std::max(trust_[v], 0.0) / 2 + AdjustmentBound(outcomes_[v], 2);
}

bool PairTerms::Wanted(NodeId a, NodeId b) const {
  if (!carriers_) return true;
  const bool first = carriers_->contains(a), second = carriers_->contains(b);
  return match_ == TagMatch::kBoth ? first && second : first || second;
}

NeverComposedSet PairTerms::Describe(NodeId a, NodeId b) const {
  NeverComposedSet set;
  set.members = {a, b};
  set.novelty = novelty(a, b);
  set.mean_trust = mean_trust(a, b);
  set.least_trust = least_trust(a, b);
  set.adjustment = adjustment(a, b);
  const auto outcomes = static_cast<OutcomeSet>(outcomes_[a] | outcomes_[b]);
  set.prior_outcomes = OutcomeNames(outcomes);
  set.outcome_signal = OutcomeSignal(outcomes);
  return set;
}

NodeSubset TagCarriers(const Snapshot& snapshot, const std::vector<std::string>& wanted,
                       std::int64_t now_ms) {
  constexpr EdgeKindId kKinds[] = {kHasTag};
  const ArcFilter filter = ArcFilter::Kinds(snapshot.schema(), kKinds).ValidAt(now_ms);
  std::vector<std::uint64_t> words((std::size_t{snapshot.node_count()} + 63) / 64);
  for (NodeId tag = 0; tag < snapshot.node_count(); ++tag) {
    if (snapshot.node_kind(tag) != kTag || !snapshot.alive(tag)) continue;
    if (TagFilter(wanted).Matches(DisplayName(snapshot.key(tag))))
      snapshot.ForEachArc(Direction::kIn, tag, filter, [&](const Arc& arc) {
        words[arc.neighbor / 64] |= std::uint64_t{1} << (arc.neighbor % 64);
      });
  }
  return NodeSubset(snapshot.node_count(), std::move(words));
}

}  // namespace plexus::memory_internal
