// The table of outcome types: what each adds to a score, and the groups that the signal names.
#include "algorithms/memory/ledger/internal/prior_outcomes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "engine/properties/outcome_key.h"
#include "engine/vocabulary.h"

namespace plexus::memory::internal {

namespace {

constexpr std::uint8_t kNone = 0, kSuccess = 1, kClosed = 2, kDuplicate = 4;

struct TypeRule {
  std::string_view name;
  double adjustment;
  std::uint8_t groups;
};

// In the order of BuiltinOutcomeTypes(); index = bit.
constexpr std::array<TypeRule, 19> kRules = {{
    {"accepted", 0.35, kSuccess},
    {"helpful", 0.25, kSuccess},
    {"user_promoted", 0.20, kSuccess},
    {"submitted", 0.15, kSuccess},
    {"needs_poc", -0.05, kNone},
    {"user_demoted", -0.20, kClosed},
    {"duplicate_risk", -0.35, kDuplicate},
    {"closed_by_duplicate", -0.40, kDuplicate},
    {"dead_end", -0.45, kClosed},
    {"rejected", -0.45, kClosed},
    {"bad_severity", -0.45, kClosed},
    {"closed_by_scope", -0.45, kClosed},
    {"closed_by_false_assumption", -0.45, kClosed},
    {"closed_by_user", -0.45, kClosed},
    {"expired_lane", -0.45, kClosed},
    // Plain words, with the sums of what is nearest to them.
    {"success", 0.25, kSuccess},
    {"unhelpful", -0.20, kClosed},
    {"failed", -0.45, kClosed},
    {"wrong", -0.45, kClosed},
}};
constexpr OutcomeSet kNeedsPoc = OutcomeSet{1} << 4;
static_assert(kRules[4].name == "needs_poc");

constexpr OutcomeSet Group(std::uint8_t group) {
  OutcomeSet set = 0;
  for (std::size_t i = 0; i < kRules.size(); ++i)
    if (kRules[i].groups & group) set = static_cast<OutcomeSet>(set | (1u << i));
  return set;
}

}  // namespace

OutcomeSet OutcomeBit(std::string_view type) {
  const auto types = BuiltinOutcomeTypes();
  const auto at = std::ranges::find(types, type);
  if (at == types.end()) return kOtherOutcome;
  return static_cast<OutcomeSet>(OutcomeSet{1} << (at - types.begin()));
}

std::optional<std::string> TypeInKey(std::string_view outcome_key, std::string_view event_key) {
  const auto parts = engine_internal::ParseOutcomeName(DisplayName(outcome_key));
  if (!parts || parts->event != DisplayName(event_key)) return std::nullopt;
  return parts->type;
}

double OutcomeAdjustment(OutcomeSet outcomes) {
  double sum = 0;
  for (std::size_t i = 0; i < kRules.size(); ++i)
    if (outcomes >> i & 1) sum += kRules[i].adjustment;
  return std::clamp(sum, kLeastAdjustment, kMostAdjustment);
}

// What raises a set is at most the sum of what raises its members. What lowers it lowers it at
// least as much as any one member, so as the mean over them.
double AdjustmentBound(OutcomeSet outcomes, int members) {
  double raising = 0, lowering = 0;
  for (std::size_t i = 0; i < kRules.size(); ++i)
    if (outcomes >> i & 1) (kRules[i].adjustment > 0 ? raising : lowering) += kRules[i].adjustment;
  return std::max(raising + lowering / members, kLeastAdjustment / members);
}

bool IsSuccess(OutcomeSet outcomes) { return outcomes & Group(kSuccess); }
bool IsClosed(OutcomeSet outcomes) { return outcomes & Group(kClosed); }
bool IsDuplicate(OutcomeSet outcomes) { return outcomes & Group(kDuplicate); }

std::string_view OutcomeSignal(OutcomeSet outcomes) {
  const bool closed = IsClosed(outcomes), duplicate = IsDuplicate(outcomes);
  if (outcomes == 0) return "clean";
  if ((closed || duplicate) && IsSuccess(outcomes)) return "mixed_prior_outcomes";
  if (closed) return "prior_closed_door";
  if (duplicate) return "prior_duplicate_risk";
  if (IsSuccess(outcomes)) return "prior_success";
  return outcomes & kNeedsPoc ? "prior_needs_poc" : "prior_outcome";
}

std::vector<std::string> OutcomeNames(OutcomeSet outcomes) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kRules.size(); ++i)
    if (outcomes >> i & 1) names.emplace_back(kRules[i].name);
  if (outcomes & kOtherOutcome) names.emplace_back("other");
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<NodeId> PriorEvents(const Snapshot& snapshot, const LedgerIndex& ledger,
                                std::span<const NodeId> members) {
  constexpr std::size_t kMost = 10;
  std::vector<std::pair<std::int64_t, NodeId>> found;  // by time
  for (const NodeId member : members) {
    if (ledger.member_outcomes(member) == 0) continue;
    for (const NodeId event : ledger.events(member))
      if (ledger.event_outcomes(event) != 0)
        found.emplace_back(snapshot.i64(builtin::kCreatedAt, event).value_or(kNoTime), event);
  }
  std::ranges::sort(found, std::greater<>());
  found.erase(std::ranges::unique(found).begin(), found.end());
  std::vector<NodeId> events;
  for (std::size_t i = 0; i < std::min(kMost, found.size()); ++i) events.push_back(found[i].second);
  return events;
}

}  // namespace plexus::memory::internal
