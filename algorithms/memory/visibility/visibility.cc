// Visible nodes: which of the sets that a state keeps serves a time, or how to get one that does.
//
// Two sets are kept, so that questions about two times that come in turn (now, and some other
// day) do not drive each other out.
//
// Heads by strong components: a component's number is smaller than that of those that reach it, so
// in falling order what enters a component has its head already.
#include "algorithms/memory/visibility/visibility.h"

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "algorithms/common/internal/selection.h"
#include "algorithms/memory/internal/edge_components.h"
#include "algorithms/memory/visibility/internal/suppression.h"
#include "algorithms/memory/visibility/internal/visible_set.h"
#include "engine/out_of_memory.h"

namespace plexus::memory {

Result<std::shared_ptr<const NodeSubset>> VisibleNodes(const Snapshot& snapshot,
                                                       std::int64_t now_ms,
                                                       const VisibleOptions& options) try {
  auto make = [&] {
    return internal::VisibleSet::Make(snapshot, now_ms, options.include_superseded,
                                      common_internal::Pick(options.run.executor),
                                      options.run.budget);
  };
  const auto late = [] { return Cancelled("which nodes are visible was not found in time"); };
  if (!options.use_cache) {
    const auto set = make();
    if (!set) return late();
    return set->nodes();
  }
  const std::uint32_t first = options.include_superseded ? 2 : 0;
  std::array<std::shared_ptr<const internal::VisibleSet>, 2> sets;
  for (std::uint32_t slot = 0; slot < 2; ++slot) {
    sets[slot] = FindDerived<internal::VisibleSet>(snapshot, first + slot);
    if (!sets[slot] || !sets[slot]->Holds(now_ms)) continue;
    if (!sets[slot]->recent) sets[slot]->recent = true;
    return sets[slot]->nodes();
  }
  std::shared_ptr<const internal::VisibleSet> made;
  for (const auto& set : sets)
    if (!made && set) made = set->AtTime(snapshot, now_ms);
  if (!made) made = make();
  if (!made) return late();
  std::uint32_t to = 1;  // a free place, or that of the set that was not used of late
  if (!sets[0] || (sets[1] && sets[1]->recent && !sets[0]->recent)) to = 0;
  if (sets[1 - to]) sets[1 - to]->recent = false;
  ReplaceDerived<internal::VisibleSet>(snapshot, made, first + to);
  return made->nodes();
}
PLEXUS_CATCH_NO_MEMORY

Result<Visible> VisibleIn(const Snapshot& snapshot, std::int64_t now_ms, const NodeSubset* scope,
                          const VisibleOptions& options) try {
  now_ms = snapshot.TimeOr(now_ms);
  PLEXUS_ASSIGN(const auto nodes, VisibleNodes(snapshot, now_ms, options));
  return Visible{scope ? nodes->Intersect(*scope) : *nodes, scope, now_ms};
}
PLEXUS_CATCH_NO_MEMORY

namespace {

using internal::ComponentsOf;
using internal::EdgeComponents;
using internal::SuppressingEdge;
using internal::Suppression;

constexpr std::size_t kStepsBetweenPolls = 1024;  // steps between two polls of the deadline

Status CheckIsNode(const Snapshot& snapshot, NodeId node) {
  if (node < snapshot.node_count()) return {};
  return Invalid("no node ", node);
}

// A newer edge before an older one, ties by the smaller source.
bool Newer(const SuppressingEdge& a, const SuppressingEdge& b) {
  return a.created_at != b.created_at ? a.created_at > b.created_at : a.source < b.source;
}

// Every edge with both ends, of a set of edges that holds all that enter its nodes.
SupersessionHeads Settle(const std::vector<SuppressingEdge>& edges) {
  std::vector<std::pair<NodeId, NodeId>> arcs;
  arcs.reserve(edges.size());
  for (const SuppressingEdge& e : edges) arcs.emplace_back(e.source, e.target);
  EdgeComponents graph = ComponentsOf(std::move(arcs));
  const std::vector<std::uint32_t>& components = graph.components;

  // Of each component the newest edge that enters it, and the newest inside.
  const std::size_t count =
      components.empty() ? 0 : std::size_t{*std::ranges::max_element(components)} + 1;
  std::vector<const SuppressingEdge*> entering(count), inner(count);
  for (const SuppressingEdge& e : edges) {
    const std::uint32_t from = graph.of(e.source), to = graph.of(e.target);
    const SuppressingEdge*& kept = from == to ? inner[to] : entering[to];
    if (!kept || Newer(e, *kept)) kept = &e;
  }
  std::vector<NodeId> single(count, kNoNode), head(count, kNoNode);
  for (std::size_t i = 0; i < components.size(); ++i) single[components[i]] = graph.nodes[i];
  for (std::size_t c = count; c-- > 0;)
    head[c] = entering[c] ? head[graph.of(entering[c]->source)]
              : inner[c]  ? inner[c]->source
                          : single[c];
  SupersessionHeads result;
  result.heads.reserve(components.size());
  for (const std::uint32_t component : components) result.heads.push_back(head[component]);
  result.nodes = std::move(graph.nodes);
  return result;
}

struct Walked {
  std::vector<SupersessionStep> steps;
  bool truncated = false;
};

// Breadth first along active edges, level by level.
Walked Walk(const Suppression& active, NodeId from, Direction direction, std::size_t limit,
            const Budget& budget) {
  Walked walked;
  std::unordered_set<NodeId> seen = {from};
  std::vector<NodeId> level = {from}, next;
  for (std::uint32_t hops = 1; !level.empty() && !walked.truncated; ++hops) {
    const std::size_t first = walked.steps.size();
    next.clear();
    for (const NodeId node : level) {
      active.ForEach(direction, node, [&](NodeId other, std::int64_t created_at) {
        const std::size_t steps = walked.steps.size();
        if (steps == limit || (steps % kStepsBetweenPolls == 0 && budget.Interrupted())) {
          walked.truncated = true;
          return false;
        }
        const bool in = direction == Direction::kIn;
        walked.steps.push_back({in ? other : node, in ? node : other, created_at, false, hops});
        if (seen.insert(other).second) next.push_back(other);
        return true;
      });
    }
    std::sort(walked.steps.begin() + static_cast<std::ptrdiff_t>(first), walked.steps.end(),
              [](const SupersessionStep& a, const SupersessionStep& b) {
                return std::tie(a.older, a.newer, a.created_at) <
                       std::tie(b.older, b.newer, b.created_at);
              });
    std::ranges::sort(next);
    std::swap(level, next);
  }
  return walked;
}

// Both sides are known: a step whose ends reach each other is in a cycle.
void MarkCycles(SupersessionWalk& walk) {
  std::vector<std::pair<NodeId, NodeId>> arcs;
  for (auto* steps : {&walk.newer, &walk.older})
    for (const SupersessionStep& step : *steps) arcs.emplace_back(step.newer, step.older);
  const EdgeComponents graph = ComponentsOf(std::move(arcs));
  for (auto* steps : {&walk.newer, &walk.older})
    for (SupersessionStep& step : *steps)
      step.in_cycle = graph.of(step.newer) == graph.of(step.older);
}

}  // namespace

NodeId SupersessionHeads::HeadOf(NodeId node) const {
  const auto at = std::ranges::lower_bound(nodes, node);
  if (at == nodes.end() || *at != node) return node;
  return heads[static_cast<std::size_t>(at - nodes.begin())];
}

Result<SupersessionHeads> HeadsOf(const Snapshot& snapshot, std::int64_t now_ms,
                                  std::span<const NodeId> of) try {
  const Suppression active(snapshot, now_ms);
  std::vector<SuppressingEdge> edges;
  std::vector<NodeId> stack;
  std::unordered_set<NodeId> seen;
  for (const NodeId node : of) {
    PLEXUS_TRY(CheckIsNode(snapshot, node));
    if (seen.insert(node).second) stack.push_back(node);
  }
  while (!stack.empty()) {
    const NodeId node = stack.back();
    stack.pop_back();
    active.ForEach(Direction::kIn, node, [&](NodeId source, std::int64_t created_at) {
      edges.push_back({source, node, created_at});
      if (seen.insert(source).second) stack.push_back(source);
      return true;
    });
  }
  return Settle(std::move(edges));
}
PLEXUS_CATCH_NO_MEMORY

Result<SupersessionHeads> AllHeads(const Snapshot& snapshot, std::int64_t now_ms) try {
  const Suppression active(snapshot, now_ms);
  std::vector<SuppressingEdge> edges;
  if (active.none()) return SupersessionHeads();
  for (NodeId node = 0; node < snapshot.node_count(); ++node)
    active.ForEach(Direction::kOut, node, [&](NodeId target, std::int64_t created_at) {
      edges.push_back({node, target, created_at});
      return true;
    });
  return Settle(std::move(edges));
}
PLEXUS_CATCH_NO_MEMORY

Result<std::optional<NodeId>> SupersededBy(const Snapshot& snapshot, NodeId node,
                                           std::int64_t now_ms) try {
  const NodeId nodes[] = {node};
  PLEXUS_ASSIGN(const SupersessionHeads heads, HeadsOf(snapshot, now_ms, nodes));
  const NodeId head = heads.HeadOf(node);
  return head == node ? std::nullopt : std::optional(head);
}
PLEXUS_CATCH_NO_MEMORY

Result<SupersessionWalk> WalkSupersession(const Snapshot& snapshot, NodeId node,
                                          std::int64_t now_ms, std::size_t limit,
                                          const Budget& budget) try {
  if (limit == 0) return Invalid("a limit of 0 steps");
  const NodeId nodes[] = {node};
  PLEXUS_ASSIGN(const SupersessionHeads heads, HeadsOf(snapshot, now_ms, nodes));
  const Suppression active(snapshot, now_ms);
  SupersessionWalk walk;
  walk.head = heads.HeadOf(node);
  Walked newer = Walk(active, node, Direction::kIn, limit, budget);
  Walked older = Walk(active, node, Direction::kOut, limit, budget);
  walk.newer = std::move(newer.steps);
  walk.older = std::move(older.steps);
  walk.truncated = newer.truncated || older.truncated;
  MarkCycles(walk);
  return walk;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::memory
