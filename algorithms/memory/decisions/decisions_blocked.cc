// Rows lead from who waits to what it waits for. Roots are spread back along them breadth first;
// root lists are merged over the components in the order in which blockers come first.
#include "algorithms/memory/decisions/decisions.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "algorithms/common/common.h"
#include "algorithms/connectivity/connectivity.h"
#include "algorithms/memory/decisions/internal/closed_cycles.h"
#include "algorithms/memory/internal/outcome_column.h"
#include "algorithms/memory/visibility/visibility.h"
#include "engine/out_of_memory.h"

namespace plexus::memory {
namespace {

using internal::IsRecorded;
using internal::StringColumn;

std::vector<EdgeKindId> BlockingKinds(const Schema& schema) {
  std::vector<EdgeKindId> kinds;
  for (std::size_t k = 0; k < schema.edge_kinds().size(); ++k)
    if (schema.edge_kinds()[k].blocking) kinds.push_back(EdgeKindId(k));
  return kinds;
}

// Who waits for whom, at a time and in any state, read from rows.
class WaitRows {
 public:
  WaitRows(const Snapshot& snapshot, std::int64_t now_ms)
      : snapshot_(snapshot),
        depends_(Filter(snapshot, std::span(&builtin::kDependsOn, 1), now_ms)),
        blocks_(Filter(snapshot, BlockingKinds(snapshot.schema()), now_ms)) {}

  // fn(other, kind) for what `node` waits for, or for what waits for it.
  template <class Fn>
  void ForEach(NodeId node, bool back, Fn&& fn) const {
    const auto walk = [&](Direction direction, const std::optional<ArcFilter>& filter) {
      if (!filter) return;
      snapshot_.ForEachArc(direction, node, *filter, [&](const Arc& arc) {
        if (arc.neighbor != node) fn(arc.neighbor, arc.kind);
      });
    };
    walk(back ? Direction::kIn : Direction::kOut, depends_);
    walk(back ? Direction::kOut : Direction::kIn, blocks_);
  }

 private:
  // Nothing: there are no such kinds.
  static std::optional<ArcFilter> Filter(const Snapshot& snapshot,
                                         std::span<const EdgeKindId> kinds, std::int64_t now_ms) {
    if (kinds.empty()) return std::nullopt;
    return ArcFilter::Kinds(snapshot.schema(), kinds).ValidAt(now_ms);
  }

  const Snapshot& snapshot_;
  const std::optional<ArcFilter> depends_, blocks_;
};

class Blocked {
 public:
  // The view is of unresolved decisions.
  Blocked(const Snapshot& snapshot, const DenseView& view)
      : snapshot_(snapshot), view_(view), count_(view.node_count()) {
    KeepRows(view.out(), offsets_, targets_);
    KeepRows(view.in(), back_offsets_, back_targets_);
  }

  BlockedChainsResult Run(std::uint32_t max_roots, std::int64_t now_ms) {
    SpreadRoots();
    const std::vector<std::uint32_t> component = connectivity::StrongComponents(offsets_, targets_);
    MergeRootLists(component, max_roots);
    BlockedChainsResult result;
    result.cycles = internal::Cycles(component);
    std::vector<std::uint8_t> in_cycle(count_, 0);
    for (std::vector<NodeId>& cycle : result.cycles)
      for (NodeId& v : cycle) {
        in_cycle[v] = 1;
        v = view_.node(v);
      }
    std::vector<std::uint64_t> holds(count_, 0);
    for (NodeId v = 0; v < count_; ++v) {
      if (!IsBlocked(v)) continue;
      BlockedDecision entry{.node = view_.node(v), .in_cycle = in_cycle[v] != 0};
      if (root_[v] != kNoNode) {
        ++holds[root_[v]];
        entry.next = view_.node(next_[v]);
        entry.root = view_.node(root_[v]);
        entry.hops = hops_[v];
      }
      const RootList& list = lists_[component[v]];
      entry.more_roots = list.count > max_roots;
      entry.first_root = static_cast<std::uint32_t>(result.root_lists.size());
      entry.root_count = std::min(list.count, max_roots);
      for (std::uint32_t i = 0; i < entry.root_count; ++i)
        result.root_lists.push_back(view_.node(roots_[list.first + i]));
      result.blocked.push_back(entry);
    }
    const WaitRows rows(snapshot_, now_ms);
    for (NodeId v = 0; v < count_; ++v)
      if (IsRoot(v)) result.roots.push_back({view_.node(v), holds[v], KindOf(v, rows)});
    std::ranges::sort(result.roots, {},
                      [](const BlockingRoot& r) { return std::tuple(~r.blocked_count, r.node); });
    return result;
  }

 private:
  struct RootList {
    std::size_t first = 0;
    std::uint32_t count = 0;
  };

  // Arcs between different nodes, each once.
  void KeepRows(const CsrView& rows, std::vector<std::uint32_t>& offsets,
                std::vector<NodeId>& targets) const {
    offsets.assign(count_ + std::size_t{1}, 0);
    std::vector<NodeId> row;
    for (NodeId v = 0; v < count_ && !rows.offsets.empty(); ++v) {
      row.clear();
      for (std::uint32_t i = rows.offsets[v]; i < rows.offsets[v + 1]; ++i)
        if (rows.neighbors[i] != v) row.push_back(rows.neighbors[i]);
      std::ranges::sort(row);
      row.erase(std::unique(row.begin(), row.end()), row.end());
      targets.insert(targets.end(), row.begin(), row.end());
      offsets[v + 1] = static_cast<std::uint32_t>(targets.size());
    }
  }
  bool IsBlocked(NodeId v) const { return offsets_[v] != offsets_[v + 1]; }
  bool IsRoot(NodeId v) const { return !IsBlocked(v) && back_offsets_[v] != back_offsets_[v + 1]; }

  // Breadth first from all roots; then of each node the smallest next step.
  void SpreadRoots() {
    hops_.assign(count_, 0);
    root_.assign(count_, kNoNode);
    next_.assign(count_, kNoNode);
    std::vector<NodeId> queue;
    for (NodeId v = 0; v < count_; ++v)
      if (IsRoot(v)) {
        root_[v] = v;
        queue.push_back(v);
      }
    for (std::size_t at = 0; at < queue.size(); ++at) {
      const NodeId v = queue[at];
      if (IsBlocked(v)) {  // all nearer nodes are settled
        for (std::uint32_t i = offsets_[v]; i < offsets_[v + 1] && next_[v] == kNoNode; ++i) {
          const NodeId w = targets_[i];
          if (root_[w] != kNoNode && hops_[w] + 1 == hops_[v]) next_[v] = w;
        }
        root_[v] = root_[next_[v]];
      }
      for (std::uint32_t i = back_offsets_[v]; i < back_offsets_[v + 1]; ++i) {
        const NodeId w = back_targets_[i];
        if (root_[w] != kNoNode) continue;
        root_[w] = w;  // settled when it is taken from the queue
        hops_[w] = hops_[v] + 1;
        queue.push_back(w);
      }
    }
  }

  // The smallest max + 1 roots that each component reaches. Blockers have smaller numbers.
  void MergeRootLists(const std::vector<std::uint32_t>& component, std::uint32_t max) {
    const std::size_t components =
        component.empty() ? 0 : std::size_t{*std::ranges::max_element(component)} + 1;
    lists_.assign(components, {});
    std::vector<std::uint32_t> first(components + 1, 0);
    std::vector<NodeId> members(count_);
    for (const std::uint32_t c : component) ++first[c + 1];
    for (std::size_t c = 0; c < components; ++c) first[c + 1] += first[c];
    std::vector<std::uint32_t> at(first.begin(), first.end());
    for (NodeId v = 0; v < count_; ++v) members[at[component[v]]++] = v;
    std::vector<NodeId> merged;
    for (std::size_t c = 0; c < components; ++c) {
      merged.clear();
      for (std::uint32_t m = first[c]; m < first[c + 1]; ++m) {
        const NodeId v = members[m];
        if (IsRoot(v)) merged.push_back(v);
        for (std::uint32_t i = offsets_[v]; i < offsets_[v + 1]; ++i) {
          const std::uint32_t to = component[targets_[i]];
          if (to == c) continue;
          const auto list = roots_.begin() + static_cast<std::ptrdiff_t>(lists_[to].first);
          merged.insert(merged.end(), list, list + lists_[to].count);
          if (merged.size() > std::size_t{64} * (max + 1)) Shorten(merged, max + 1);
        }
      }
      Shorten(merged, max + 1);
      lists_[c] = {roots_.size(), static_cast<std::uint32_t>(merged.size())};
      roots_.insert(roots_.end(), merged.begin(), merged.end());
    }
  }
  static void Shorten(std::vector<NodeId>& list, std::size_t most) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
    if (list.size() > most) list.resize(most);
  }

  EdgeKindId KindOf(NodeId v, const WaitRows& rows) const {
    EdgeKindId least = kNoEdgeKind;
    rows.ForEach(view_.node(v), true, [&](NodeId other, EdgeKindId kind) {
      if (view_.dense(other) != kNoNode) least = std::min(least, kind);
    });
    return least;
  }

  const Snapshot& snapshot_;
  const DenseView& view_;
  const NodeId count_;
  std::vector<std::uint32_t> offsets_, back_offsets_;
  std::vector<NodeId> targets_, back_targets_;
  std::vector<std::uint32_t> hops_;
  std::vector<NodeId> root_, next_;
  std::vector<RootList> lists_;  // by component
  std::vector<NodeId> roots_;
};

// The decisions that are not resolved. O(nodes).
NodeSubset Unresolved(const Snapshot& snapshot, const NodeSubset* within,
                      const SupersessionHeads& heads) {
  const StringColumn outcomes(snapshot, builtin::kDecisionOutcome);
  const NodeId count = snapshot.node_count();
  std::vector<std::uint64_t> words((std::size_t{count} + 63) / 64, 0);
  std::size_t replaced = 0;  // the next of heads.nodes
  for (NodeId node = 0; node < count; ++node) {
    if (within ? !within->contains(node)
               : snapshot.node_kind(node) != builtin::kDecision || !snapshot.alive(node))
      continue;
    while (replaced < heads.nodes.size() && heads.nodes[replaced] < node) ++replaced;
    const bool superseded = replaced < heads.nodes.size() && heads.nodes[replaced] == node &&
                            heads.heads[replaced] != node;
    if (!superseded && !IsRecorded(outcomes[node]))
      words[node / 64] |= std::uint64_t{1} << (node % 64);
  }
  return NodeSubset(count, std::move(words));
}

}  // namespace

const BlockedDecision* BlockedChainsResult::Find(NodeId node) const {
  const auto at = std::ranges::lower_bound(blocked, node, {}, &BlockedDecision::node);
  return at != blocked.end() && at->node == node ? &*at : nullptr;
}

Result<BlockedChainsResult> BlockedChains(const Snapshot& snapshot,
                                          const BlockedChainsOptions& options) try {
  if (options.max_roots == 0 || options.max_roots > 1024) return Invalid("max_roots is 1 to 1024");
  const std::int64_t now = snapshot.TimeOr(options.decisions.now_ms);
  PLEXUS_ASSIGN(const SupersessionHeads heads, AllHeads(snapshot, now));
  const NodeSubset unresolved = Unresolved(snapshot, options.decisions.subset, heads);
  DenseViewOptions rows;
  rows.weights = false;
  rows.reversed = BlockingKinds(snapshot.schema());
  rows.filter.kinds = rows.reversed;
  rows.filter.kinds.push_back(builtin::kDependsOn);
  rows.filter.valid_at = now;
  rows.filter.subset = &unresolved;
  rows.executor = options.decisions.run.executor;
  PLEXUS_ASSIGN(const DenseView view, DenseView::Make(snapshot, rows));
  return Blocked(snapshot, view).Run(options.max_roots, now);
}
PLEXUS_CATCH_NO_MEMORY

Result<std::vector<ChainStep>> ChainOf(const Snapshot& snapshot, const BlockedChainsResult& result,
                                       NodeId node, std::int64_t now_ms, std::size_t limit) try {
  const WaitRows rows(snapshot, now_ms);
  std::vector<ChainStep> chain;
  for (const BlockedDecision* at = result.Find(node);
       at && at->next != kNoNode && chain.size() < limit; at = result.Find(at->next)) {
    ChainStep step{at->node, at->next, kNoEdgeKind};
    rows.ForEach(at->node, false, [&](NodeId other, EdgeKindId kind) {
      if (other == step.next) step.kind = std::min(step.kind, kind);
    });
    chain.push_back(step);
  }
  return chain;
}
PLEXUS_CATCH_NO_MEMORY

Result<std::vector<ChainStep>> BlockersOf(const Snapshot& snapshot, NodeId node,
                                          const DecisionOptions& options) try {
  const NodeId nodes[] = {node};
  PLEXUS_ASSIGN(const auto own, StatusOf(snapshot, nodes, snapshot.TimeOr(options.now_ms)));
  std::vector<ChainStep> steps;
  if (own[0].resolved || !snapshot.alive(node)) return steps;
  std::vector<NodeId> others;
  const WaitRows rows(snapshot, snapshot.TimeOr(options.now_ms));
  rows.ForEach(node, false, [&](NodeId other, EdgeKindId kind) {
    const bool decision = options.subset ? options.subset->contains(other)
                                         : snapshot.node_kind(other) == builtin::kDecision;
    if (!decision || !snapshot.alive(other)) return;
    steps.push_back({node, other, kind});
    others.push_back(other);
  });
  PLEXUS_ASSIGN(const auto states, StatusOf(snapshot, others, snapshot.TimeOr(options.now_ms)));
  std::size_t kept = 0;
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (!states[i].resolved) steps[kept++] = steps[i];
  steps.resize(kept);
  std::ranges::sort(steps, {}, [](const ChainStep& s) { return std::tuple(s.next, s.kind); });
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::memory
