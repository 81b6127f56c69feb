// Terms of pairs: novelty, trust and outcomes by member, the tag filter, the description.
#include "algorithms/memory/frontier/internal/pair_lens.h"

#include <algorithm>
#include <utility>

#include "algorithms/common/internal/selection.h"
#include "algorithms/common/internal/top_k.h"
#include "algorithms/memory/ledger/internal/ledger_read.h"
#include "algorithms/memory/ledger/internal/prior_outcomes.h"
#include "algorithms/memory/ledger/internal/trust.h"
#include "engine/vocabulary.h"

namespace plexus::memory::internal {

void KeepBest(std::vector<RankedPair>& kept, std::vector<RankedPair> found, std::size_t top) {
  kept.insert(kept.end(), found.begin(), found.end());
  common_internal::SortTopK(kept, top,
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
  ParallelFor(common_internal::Pick(options.run.executor), n, 16'384,
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

double PairTerms::mean_trust(std::span<const NodeId> members) const {
  double sum = 0;
  for (const NodeId v : members) sum += trust_[v];
  return std::clamp(sum / static_cast<double>(members.size()), 0.0, 1.0);
}

double PairTerms::min_trust(std::span<const NodeId> members) const {
  double least = 1;
  for (const NodeId v : members) least = std::min(least, trust_[v]);
  return std::max(least, 0.0);
}

OutcomeSet PairTerms::outcomes(std::span<const NodeId> members) const {
  OutcomeSet all = 0;
  for (const NodeId v : members) all = static_cast<OutcomeSet>(all | outcomes_[v]);
  return all;
}

double PairTerms::adjustment(std::span<const NodeId> members) const {
  return OutcomeAdjustment(outcomes(members));
}

double PairTerms::bound(NodeId v) const {
  return 0.75 * novelty_[v] + std::max(trust_[v], 0.0) / 2 + AdjustmentBound(outcomes_[v], 2);
}

bool PairTerms::Allowed(std::span<const NodeId> members) const {
  const auto carries = [&](NodeId v) { return carriers_->contains(v); };
  if (carriers_ && !(match_ == TagMatch::kBoth ? std::ranges::all_of(members, carries)
                                               : std::ranges::any_of(members, carries)))
    return false;
  return !index_->Composed(members);
}

NeverComposedSet PairTerms::Describe(std::span<const NodeId> members) const {
  NeverComposedSet set;
  set.members.assign(members.begin(), members.end());
  for (const NodeId v : members) set.novelty += novelty_[v];
  set.novelty /= static_cast<double>(members.size());
  set.mean_trust = mean_trust(members);
  set.min_trust = min_trust(members);
  const OutcomeSet all = outcomes(members);
  set.adjustment = OutcomeAdjustment(all);
  set.prior_outcomes = OutcomeNames(all);
  set.outcome_signal = OutcomeSignal(all);
  set.level = LevelOf(*index_, members);
  return set;
}

SetLevel LevelOf(const LedgerIndex& ledger, std::span<const NodeId> members) {
  std::size_t composed = 0, pairs = 0;
  for (std::size_t i = 0; i < members.size(); ++i)
    for (std::size_t j = i + 1; j < members.size(); ++j, ++pairs)
      composed += ledger.Composed(members[i], members[j]);
  return composed == 0       ? SetLevel::kOpen
         : composed == pairs ? SetLevel::kClosedWedge
                             : SetLevel::kPartial;
}

NodeSubset TagCarriers(const Snapshot& snapshot, const std::vector<std::string>& wanted,
                       std::int64_t now_ms) {
  const ArcFilter filter = ArcFilter::Kind(snapshot.schema(), builtin::kHasTag).ValidAt(now_ms);
  std::vector<std::uint64_t> words((std::size_t{snapshot.node_count()} + 63) / 64);
  for (NodeId tag = 0; tag < snapshot.node_count(); ++tag) {
    if (snapshot.node_kind(tag) != builtin::kTag || !snapshot.alive(tag)) continue;
    if (TagFilter(wanted).Matches(DisplayName(snapshot.key(tag))))
      snapshot.ForEachArc(Direction::kIn, tag, filter, [&](const Arc& arc) {
        words[arc.neighbor / 64] |= std::uint64_t{1} << (arc.neighbor % 64);
      });
  }
  return NodeSubset(snapshot.node_count(), std::move(words));
}

}  // namespace plexus::memory::internal
