// States are read from columns, supersession and visibility; nothing is kept.
#include "algorithms/memory/decisions/decisions.h"

#include <algorithm>
#include <string>

#include "algorithms/memory/internal/outcome_column.h"
#include "algorithms/memory/visibility/internal/suppression.h"
#include "algorithms/memory/visibility/visibility.h"
#include "engine/out_of_memory.h"

namespace plexus::memory {
namespace {

using internal::IsRecorded;
using internal::StringColumn;

Status CheckNodes(const Snapshot& snapshot, std::span<const NodeId> nodes) {
  for (const NodeId node : nodes)
    if (node >= snapshot.node_count()) return Invalid("no node ", node);
  return {};
}

}  // namespace

Result<NodeSubset> Decisions(const Snapshot& snapshot, const NodeSubset* within,
                             bool keep_orders) try {
  constexpr NodeKindId kKinds[] = {builtin::kDecision};
  NodeSubset all = NodeSubset::OfKinds(snapshot, kKinds, keep_orders);
  return within ? all.Intersect(*within) : all;
}
PLEXUS_CATCH_NO_MEMORY

Result<std::vector<DecisionStatus>> StatusOf(const Snapshot& snapshot,
                                             std::span<const NodeId> nodes,
                                             std::int64_t now_ms) try {
  // Of many nodes one scan is cheaper than what leads to each.
  PLEXUS_TRY(CheckNodes(snapshot, nodes));
  const bool many = nodes.size() > 4096 && nodes.size() > snapshot.node_count() / 64;
  PLEXUS_ASSIGN(const SupersessionHeads heads,
                many ? AllHeads(snapshot, now_ms) : HeadsOf(snapshot, now_ms, nodes));
  const internal::Suppression active(snapshot, now_ms);
  const StringColumn outcomes(snapshot, builtin::kDecisionOutcome);
  std::vector<DecisionStatus> list;
  list.reserve(nodes.size());
  for (const NodeId node : nodes) {
    DecisionStatus status;
    status.node = node;
    const NodeId head = heads.HeadOf(node);
    if (head != node) status.superseded_by = head;
    status.outcome = outcomes[node];
    status.recorded = IsRecorded(status.outcome);
    status.resolved = status.recorded || head != node;
    // Visible, without a set of all nodes: valid, and its own head.
    status.active =
        head == node && active.IsValid(node, [](std::int64_t) {}) && status.outcome != "abandoned";
    list.push_back(status);
  }
  return list;
}
PLEXUS_CATCH_NO_MEMORY

Result<OpenConflictsResult> DecisionContradictions(const Snapshot& snapshot,
                                                   const DecisionOptions& options) try {
  OpenConflictsOptions open;
  open.now_ms = snapshot.TimeOr(options.now_ms);
  open.run = options.run;
  NodeSubset decisions;
  if (!options.subset) PLEXUS_SET(decisions, Decisions(snapshot));
  open.subset = options.subset ? options.subset : &decisions;
  PLEXUS_ASSIGN(OpenConflictsResult result, OpenConflicts(snapshot, open));
  const StringColumn outcomes(snapshot, builtin::kDecisionOutcome);
  std::erase_if(result.conflicts, [&](const Conflict& c) {
    return outcomes[c.a] == "abandoned" || outcomes[c.b] == "abandoned";
  });
  return result;
}
PLEXUS_CATCH_NO_MEMORY

Result<std::vector<EdgeQuality>> QualityOf(const Snapshot& snapshot, std::span<const NodeId> nodes,
                                           std::int64_t now_ms, const NodeSubset* inside) try {
  PLEXUS_TRY(CheckNodes(snapshot, nodes));
  const ArcFilter filter = ArcFilter::Kinds(snapshot.schema(), {}).ValidAt(now_ms);
  std::vector<EdgeQuality> list;
  list.reserve(nodes.size());
  std::vector<std::uint32_t> seen;  // of each arc its kind and direction
  for (const NodeId node : nodes) {
    seen.clear();
    for (const Direction direction : {Direction::kOut, Direction::kIn})
      snapshot.ForEachArc(direction, node, filter, [&](const Arc& arc) {
        const bool symmetric = snapshot.schema().edge_kind(arc.kind).symmetric;
        const bool in = direction == Direction::kIn;
        if (in && (symmetric || arc.neighbor == node)) return;  // its out row had them
        if (inside && !inside->contains(arc.neighbor)) return;
        seen.push_back(std::uint32_t{arc.kind.value()} * 2 + (in ? 1 : 0));
      });
    std::ranges::sort(seen);
    EdgeQuality quality;
    quality.edges = seen.size();
    double squares = 0;
    for (std::size_t begin = 0; begin < seen.size();) {
      std::size_t end = begin;
      while (end < seen.size() && seen[end] == seen[begin]) ++end;
      const double share = static_cast<double>(end - begin) / static_cast<double>(seen.size());
      squares += share * share;
      ++quality.kinds;
      begin = end;
    }
    if (quality.edges > 0) quality.diversity = 1 - squares;
    list.push_back(quality);
  }
  return list;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::memory
