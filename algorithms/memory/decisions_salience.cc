// Salience: the kernel of PageRank on the decisions' arcs; degrees and cycles from the same rows.
#include "algorithms/memory/decisions_salience.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "algorithms/common/dense_view.h"
#include "algorithms/common/score_ranking.h"
#include "algorithms/connectivity/components.h"
#include "algorithms/memory/internal/cycles.h"
#include "algorithms/memory/supersession.h"
#include "algorithms/pagerank/pagerank.h"
#include "algorithms/pagerank/refresh_pagerank.h"
#include "engine/out_of_memory.h"

namespace plexus {
namespace {

constexpr char kTierColumn[] = "compaction_tier";
constexpr std::array<std::string_view, 5> kTierNames = {"fold", "keep", "digest", "summary",
                                                        "full"};

// What arrives where, and cycles.
Status ReadArcs(const Snapshot& snapshot, const PageRankOptions& rank, SalienceResult& result) {
  DenseViewOptions options;
  options.weights = false;
  options.filter = rank.filter;
  options.reversed = rank.reversed;
  options.executor = rank.run.executor;
  PLEXUS_ASSIGN(const DenseView view, DenseView::Make(snapshot, options));
  const CsrView in = view.in(), out = view.out();
  result.arriving.assign(snapshot.node_count(), 0);
  if (out.offsets.empty()) return {};
  for (NodeId v = 0; v < view.node_count(); ++v) result.arriving[view.node(v)] = in.degree(v);
  result.cycles = memory_internal::Cycles(out.offsets, out.neighbors);
  for (std::vector<NodeId>& cycle : result.cycles)
    for (NodeId& v : cycle) v = view.node(v);
  return {};
}

}  // namespace

Result<SalienceResult> Salience(const Snapshot& snapshot, const SalienceOptions& options) try {
  SalienceResult result;
  NodeSubset facts;
  if (!options.decisions.subset) {
    PLEXUS_ASSIGN(facts, Decisions(snapshot));
  }
  PageRankOptions rank;
  rank.damping = options.damping;
  rank.tolerance = options.tolerance;
  rank.filter.kinds = {kDependsOn, kRefines, kCauses, kSupports};
  rank.filter.valid_at = options.decisions.now_ms;
  rank.filter.subset = options.decisions.subset ? options.decisions.subset : &facts;
  rank.reversed = {kCauses, kSupports};
  rank.run = options.decisions.run;
  PLEXUS_ASSIGN(PageRankResult ranked,
                options.earlier.empty()
                    ? PageRank(snapshot, rank)
                    : RefreshPageRank(snapshot, {.scores = options.earlier}, rank));
  result.nodes = std::move(ranked.nodes);
  result.scores = std::move(ranked.scores);
  result.truncated = ranked.truncated;
  PLEXUS_ASSIGN(result.scaled, ScaleByMaximum(result.scores, result.nodes));
  PLEXUS_ASSIGN(result.percentiles, PercentileRanks(result.scores, result.nodes));
  PLEXUS_TRY(ReadArcs(snapshot, rank, result));
  return result;
}
PLEXUS_CATCH_NO_MEMORY

std::string_view TierName(CompactionTier tier) {
  return kTierNames[static_cast<std::size_t>(tier)];
}

Result<CompactionResult> CompactionTiers(const Snapshot& snapshot,
                                         const CompactionOptions& options) try {
  if (!(options.keep_percentile >= 0 && options.keep_percentile <= 1))
    return Fail(ErrorCode::kInvalidArgument, "keep_percentile is 0 to 1");
  if (options.digest_age_ms < 0 || options.summary_age_ms < 0)
    return Fail(ErrorCode::kInvalidArgument, "an age is not negative");
  const auto column = snapshot.schema().FindColumn(kTierColumn);
  if (column && snapshot.schema().columns()[*column].type != ColumnType::kString)
    return Fail(ErrorCode::kAlreadyExists,
                std::string("the column '") + kTierColumn + "' is not one of strings");
  const std::int64_t now = options.salience.decisions.now_ms;
  PLEXUS_ASSIGN(const SalienceResult salience, Salience(snapshot, options.salience));
  PLEXUS_ASSIGN(const SupersessionHeads heads, AllHeads(snapshot, now));
  CompactionResult result;
  result.truncated = salience.truncated;
  result.batch.set_time_ms(now);
  const StringColumn outcomes(snapshot, kDecisionOutcome);
  bool defined = column.has_value();
  for (const NodeId node : salience.nodes.ToList()) {
    CompactionEntry entry;
    entry.node = node;
    entry.percentile = salience.percentiles[node];
    // A created_at far from now: the difference of two times fits no 64 bits then.
    if (const auto created = snapshot.i64(kCreatedAt, node)) {
      std::int64_t age = 0;
      entry.age_ms = __builtin_sub_overflow(now, *created, &age) ? (*created > now ? 0 : INT64_MAX)
                                                                 : std::max<std::int64_t>(age, 0);
    }
    const std::int64_t age = entry.age_ms.value_or(-1);
    const bool arrives = salience.arriving[node] > 0;
    const NodeId head = heads.HeadOf(node);
    if (head != node) {
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

}  // namespace plexus
