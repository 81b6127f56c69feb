// Salience: the decisions' arcs as rows; scores, degrees and cycles from the same rows.
#include "algorithms/memory/decisions/decisions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/common/internal/dense_view_options.h"
#include "algorithms/connectivity/connectivity.h"
#include "algorithms/memory/decisions/internal/closed_cycles.h"
#include "algorithms/memory/internal/outcome_column.h"
#include "algorithms/memory/visibility/visibility.h"
#include "engine/arrays/views.h"
#include "engine/out_of_memory.h"

namespace plexus::memory {
namespace {

using internal::IsRecorded;
using internal::StringColumn;

constexpr char kTierColumn[] = "compaction_tier";
constexpr std::array<std::string_view, 5> kTierNames = {"fold", "keep", "digest", "summary",
                                                        "full"};
constexpr double kRoundingStep = 1e-15;  // of a value: below it steps are rounding
constexpr std::uint64_t kPollEvery = 4096;
constexpr std::size_t kSortedCycle = 4096;

// PageRank solved component by component, in the order in which rank flows.
//
// With a uniform teleport, to which dangling mass returns, the ranking is y / sum(y) for
//   y(v) = 1 + d * sum over arcs u->v of y(u) * w(u,v) / W(u)
// so a node's y depends only on what reaches it. Strong components are taken one after the other:
// of a single node y is one sum, a cycle is iterated by itself (block triangular form: Arasu,
// Novak, Tomkins, Tomlin, 2002). A graph without cycles takes one pass, whatever the damping. Sums
// go from the smallest term up, so nodes in like places have the same bits, however they are
// numbered; in cycles of more than kSortedCycle nodes they go by numbers. O(nodes + arcs), and an
// iteration of each cycle: O(its arcs).
class Ranking {
 public:
  // `components` of the out-rows, as StrongComponents() numbers them. Both views are of the same
  // arcs, without loops.
  Ranking(const CsrView& out, const CsrView& in, std::span<const std::uint32_t> components,
          const SalienceOptions& options)
      : in_(in),
        components_(components),
        options_(options),
        count_(out.node_count()),
        values_(count_, 1.0),
        sent_(count_, 0.0),
        strengths_(count_, 0.0) {
    for (NodeId v = 0; v < count_; ++v)
      for (std::uint32_t i = out.offsets[v]; i < out.offsets[v + 1]; ++i)
        strengths_[v] += static_cast<double>(out.weight(i));
  }

  // By node; sum 1.
  std::vector<double> Run() {
    if (components_.empty()) return {};
    GroupMembers();
    for (std::size_t c = first_.size() - 1; c-- > 0 && !truncated_;) {
      const std::span<const NodeId> members =
          std::span(members_).subspan(first_[c], first_[c + 1] - first_[c]);
      if (members.size() > 1) {
        Iterate(members);
      } else {
        values_[members[0]] = 1 + Sum(members[0]);
        Send(members[0]);
      }
      if (polled_++ % kPollEvery == 0 && options_.decisions.run.budget.Interrupted())
        truncated_ = true;
    }
    double sum = 0;
    for (const double value : values_) sum += value;
    for (double& value : values_) value /= sum;
    return std::move(values_);
  }
  bool truncated() const { return truncated_; }

 private:
  void GroupMembers() {
    std::uint32_t count = 0;
    for (const std::uint32_t c : components_) count = std::max(count, c + 1);
    first_.assign(count + std::size_t{1}, 0);
    for (const std::uint32_t c : components_) ++first_[c + std::size_t{1}];
    for (std::size_t c = 0; c < count; ++c) first_[c + 1] += first_[c];
    std::vector<std::uint32_t> at(first_.begin(), first_.end());
    members_.resize(count_);
    for (NodeId v = 0; v < count_; ++v) members_[at[components_[v]]++] = v;
  }
  void Send(NodeId v) { sent_[v] = options_.damping * values_[v]; }

  // What arrives at v. The share of an arc is rounded by itself: rows whose weights differ by a
  // factor send the same.
  double Sum(NodeId v) {
    terms_.clear();
    for (std::uint32_t i = in_.offsets[v]; i < in_.offsets[v + 1]; ++i) {
      const NodeId u = in_.neighbors[i];
      if (strengths_[u] > 0)
        terms_.push_back(sent_[u] * (static_cast<double>(in_.weight(i)) / strengths_[u]));
    }
    if (terms_.size() > 2 && sorted_) std::ranges::sort(terms_);
    double sum = 0;
    for (const double term : terms_) sum += term;
    return sum;
  }

  // All members from the values before. They begin below the fixed point and only grow, as sums
  // round the same way, so they come to rest at values that no step changes. These are what every
  // node gets to whom the same comes, in the cycle and outside: both tie to the last bit. A large
  // cycle ends at the tolerance: the error of a member is passed on with the factor 1 / (1 - d) at
  // most, that of a step to the end with d / (1 - d).
  void Iterate(std::span<const NodeId> members) {
    sorted_ = members.size() <= kSortedCycle;
    const double d = options_.damping;
    const double least =
        sorted_ ? 0
                : std::max(kRoundingStep, d > 0 ? options_.tolerance * (1 - d) * (1 - d) / d : 1.0);
    // So many from nothing to there, and as many again.
    const double most = d > 0 ? 20 + 2 * std::log(kRoundingStep) / std::log(d) : 2;
    for (double done = 0; done < most; ++done) {
      for (const NodeId v : members) Send(v);
      bool settled = true;  // of each member by itself, so that their order does not count
      next_.clear();
      for (const NodeId v : members) {
        next_.push_back(1 + Sum(v));
        settled = settled && std::abs(next_.back() - values_[v]) <= least * next_.back();
      }
      for (std::size_t m = 0; m < members.size(); ++m) values_[members[m]] = next_[m];
      if (settled) break;
      polled_ += members.size();
      if (polled_ >= kPollEvery) {
        polled_ %= kPollEvery;
        if (options_.decisions.run.budget.Interrupted()) truncated_ = true;
        if (truncated_) break;
      }
    }
    sorted_ = true;
  }

  const CsrView& in_;
  const std::span<const std::uint32_t> components_;
  const SalienceOptions& options_;
  const NodeId count_;
  std::vector<double> values_, sent_, strengths_;  // sent: d * value
  std::vector<std::uint32_t> first_;               // of each component, in members_
  std::vector<NodeId> members_;
  std::vector<double> terms_, next_;
  bool sorted_ = true, truncated_ = false;
  std::uint64_t polled_ = 0;
};

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
    Ranking ranking(out, in, components, options);
    const std::vector<double> scores = ranking.Run();
    result.truncated = ranking.truncated();
    for (NodeId v = 0; v < view.node_count(); ++v) {
      result.scores[view.node(v)] = scores[v];
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
