// Salience: the decisions' arcs as rows; scores, degrees and cycles from the same rows.
#include "algorithms/memory/decisions/decisions.h"

#include <algorithm>
#include <array>
#include <string>

#include "algorithms/common/common.h"
#include "algorithms/common/internal/dense_view_options.h"
#include "algorithms/connectivity/connectivity.h"
#include "algorithms/memory/decisions/internal/component_ranking.h"
#include "algorithms/memory/decisions/internal/cycles.h"
#include "algorithms/memory/internal/outcome_column.h"
#include "algorithms/memory/visibility/visibility.h"
#include "engine/out_of_memory.h"

namespace plexus::memory {
namespace {

using internal::IsRecorded;
using internal::StringColumn;

constexpr char kTierColumn[] = "compaction_tier";
constexpr std::array<std::string_view, 5> kTierNames = {"fold", "keep", "digest", "summary",
                                                        "full"};

}  // namespace

Result<SalienceResult> Salience(const Snapshot& snapshot, const SalienceOptions& options) try {
  if (!(options.damping >= 0 && options.damping < 1))
    return Invalid("damping is 0 or more, and below 1");
  if (!(options.tolerance > 0 && options.tolerance <= 1))
    return Invalid("tolerance is above 0 and at most 1");
  NodeSubset decisions;
  if (!options.decisions.subset) PLEXUS_SET(decisions, Decisions(snapshot));
  DenseViewOptions rows;
  rows.filter.kinds = {builtin::kDependsOn, builtin::kRefines, builtin::kCauses,
                       builtin::kSupports};
  rows.filter.valid_at = snapshot.TimeOr(options.decisions.now_ms);
  rows.filter.subset = options.decisions.subset ? options.decisions.subset : &decisions;
  rows.reversed = {builtin::kCauses, builtin::kSupports};
  PLEXUS_ASSIGN(const auto made,
                common_internal::ViewInTime(snapshot, rows, options.decisions.run));
  SalienceResult result;
  result.truncated = !made;
  const DenseView view = made.value_or(DenseView());
  const CsrView in = view.in(), out = view.out();
  result.nodes = made ? view.nodes() : *rows.filter.subset;
  result.scores.assign(snapshot.node_count(), 0);
  result.in_arcs.assign(snapshot.node_count(), 0);
  if (!out.offsets.empty()) {
    const std::vector<std::uint32_t> components =
        connectivity::StrongComponents(out.offsets, out.neighbors);
    const internal::ComponentRanking ranking = internal::RankByComponents(
        out, in, components, {options.damping, options.tolerance, options.decisions.run.budget});
    result.truncated = ranking.truncated;
    for (NodeId v = 0; v < view.node_count(); ++v) {
      result.scores[view.node(v)] = ranking.scores[v];
      result.in_arcs[view.node(v)] = in.degree(v);
    }
    result.cycles = internal::Cycles(components);
    for (std::vector<NodeId>& cycle : result.cycles)
      for (NodeId& v : cycle) v = view.node(v);
  }
  if (!made)  // as if there were no edges
    for (const NodeId v : result.nodes.ToList())
      result.scores[v] = 1.0 / static_cast<double>(result.nodes.count());
  PLEXUS_ASSIGN(result.scaled, ScaleByMaximum(result.scores, result.nodes));
  PLEXUS_ASSIGN(result.percentiles, PercentileRanks(result.scores, result.nodes));
  return result;
}
PLEXUS_CATCH_NO_MEMORY

std::string_view TierName(CompactionTier tier) {
  return kTierNames[static_cast<std::size_t>(tier)];
}

Result<CompactionResult> CompactionTiers(const Snapshot& snapshot,
                                         const CompactionOptions& options) try {
  if (!(options.keep_percentile >= 0 && options.keep_percentile <= 1))
    return Invalid("keep_percentile is 0 to 1");
  if (options.digest_age_ms < 0 || options.summary_age_ms < 0)
    return Invalid("an age is not negative");
  const auto column = snapshot.schema().FindColumn(kTierColumn);
  if (column && snapshot.schema().columns()[*column].type != ColumnType::kString)
    return Fail(ErrorCode::kAlreadyExists,
                std::string("the column '") + kTierColumn + "' is not one of strings");
  const std::int64_t now = snapshot.TimeOr(options.salience.decisions.now_ms);
  PLEXUS_ASSIGN(const SalienceResult salience, Salience(snapshot, options.salience));
  PLEXUS_ASSIGN(const SupersessionHeads heads, AllHeads(snapshot, now));
  CompactionResult result;
  result.truncated = salience.truncated;
  result.batch.set_time_ms(now);
  const StringColumn outcomes(snapshot, builtin::kDecisionOutcome);
  const NodeSubset* const inside = options.salience.decisions.inside;
  bool defined = column.has_value();
  for (const NodeId node : salience.nodes.ToList()) {
    CompactionEntry entry;
    entry.node = node;
    entry.percentile = salience.percentiles[node];
    // A created_at far from now: the difference of two times fits no 64 bits then.
    if (const auto created = snapshot.i64(builtin::kCreatedAt, node)) {
      std::int64_t age = 0;
      entry.age_ms = __builtin_sub_overflow(now, *created, &age) ? (*created > now ? 0 : INT64_MAX)
                                                                 : std::max<std::int64_t>(age, 0);
    }
    const std::int64_t age = entry.age_ms.value_or(-1);
    const bool arrives = salience.in_arcs[node] > 0;
    const NodeId head = heads.HeadOf(node);
    if (head != node && (!inside || inside->contains(head))) {
      entry.tier = CompactionTier::kFold;
      entry.into = head;
    } else if (entry.percentile >= options.keep_percentile) {
      entry.tier = CompactionTier::kKeep;
    } else if (!arrives && IsRecorded(outcomes[node]) && age >= options.digest_age_ms) {
      entry.tier = CompactionTier::kDigest;
    } else if (arrives && age >= options.summary_age_ms) {
      entry.tier = CompactionTier::kSummary;
    }
    const auto stored = column ? snapshot.string_column(*column, node) : std::nullopt;
    if (!stored || snapshot.string(*stored) != TierName(entry.tier)) {
      if (!defined) result.batch.DefineColumn({kTierColumn, ColumnType::kString});
      defined = true;
      result.batch.ExpectNode(NodeRef::Id(node));
      result.batch.SetString(NodeRef::Id(node), result.batch.ColumnNamed(kTierColumn),
                             TierName(entry.tier));
    }
    result.entries.push_back(entry);
  }
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::memory
