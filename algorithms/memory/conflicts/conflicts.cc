// The queue: edges `contradicts` between visible nodes, one entry a pair.
#include "algorithms/memory/conflicts/conflicts.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "algorithms/common/internal/interruptible_arcs.h"
#include "algorithms/memory/visibility/visibility.h"
#include "engine/out_of_memory.h"
#include "engine/vocabulary.h"

namespace plexus::memory {
namespace {

constexpr std::array<std::string_view, 7> kVerdictNames = {
    "agrees", "contradicts", "refines", "unrelated", "supersede", "keep_both", "drop"};
constexpr std::uint32_t kPollEvery = 1024;  // arcs between two polls of the deadline
constexpr NodeId kRowsAtOnce = 1 << 16;

}  // namespace

std::string_view VerdictName(VerdictKind kind) {
  return kVerdictNames[static_cast<std::size_t>(kind)];
}

std::optional<VerdictKind> VerdictNamed(std::string_view name) {
  const auto at = std::ranges::find(kVerdictNames, name);
  if (at == kVerdictNames.end()) return std::nullopt;
  return static_cast<VerdictKind>(at - kVerdictNames.begin());
}

Result<OpenConflictsResult> OpenConflicts(const Snapshot& snapshot,
                                          const OpenConflictsOptions& options) try {
  const bool one = options.of != kNoNode;
  if (one && options.of >= snapshot.node_count()) return Invalid("no node ", options.of);
  OpenConflictsResult result;
  const auto found_visible =
      VisibleIn(snapshot, options.now_ms, options.subset, {.run = options.run});
  result.truncated = RanOut(found_visible);
  if (result.truncated) return result;
  PLEXUS_ASSIGN(const Visible visible, found_visible);
  const ArcFilter filter =
      ArcFilter::Kind(snapshot.schema(), builtin::kContradicts).ValidAt(visible.now_ms);
  std::vector<Conflict> found;
  const Budget& budget = options.run.budget;
  std::uint64_t read = 0, polled = 0;
  const auto poll = [&] {
    if (polled++ % kPollEvery == 0 && budget.Interrupted()) result.truncated = true;
    return !result.truncated;
  };
  const auto take = [&](NodeId row, const Arc& arc) {
    if (!visible.contains(row) || !visible.contains(arc.neighbor)) return true;
    if (read++ >= budget.edges) {
      result.truncated = true;
      return false;
    }
    found.push_back({std::min(row, arc.neighbor), std::max(row, arc.neighbor),
                     snapshot.created_at(arc.ref), 1});
    return true;
  };
  if (budget.Interrupted()) result.truncated = true;
  if (one && !result.truncated) {
    common_internal::ForEachArcInterruptible(snapshot, Direction::kOut, options.of, filter, poll,
                                             [&](const Arc& arc) { return take(options.of, arc); });
  }
  for (NodeId first = 0; !one && first < snapshot.node_count() && !result.truncated;) {
    const NodeId last = std::min(snapshot.node_count(), first + kRowsAtOnce);
    snapshot.ScanArcs(Direction::kOut, first, last, filter, [&](NodeId row, const Arc& arc) {
      // A symmetric edge is in both rows.
      if (row < arc.neighbor && !result.truncated) take(row, arc);
    });
    first = last;
    if (budget.Interrupted()) result.truncated = first < snapshot.node_count();
  }
  std::ranges::sort(found, {}, [](const Conflict& c) { return std::tuple(c.a, c.b, c.since); });
  std::vector<Conflict>& conflicts = result.conflicts;
  for (const Conflict& c : found) {
    if (!conflicts.empty() && conflicts.back().a == c.a && conflicts.back().b == c.b)
      ++conflicts.back().edges;
    else
      conflicts.push_back(c);
  }
  std::ranges::sort(conflicts, {}, [](const Conflict& c) { return std::tuple(c.since, c.a, c.b); });
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::memory
