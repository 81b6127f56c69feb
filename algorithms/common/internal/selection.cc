// Resolving kinds, planes and subsets into a Selection.
#include "algorithms/common/internal/selection.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/state.h"
#include "engine/vocabulary.h"

namespace plexus::common_internal {

namespace {

// True when every kind that has alive edges is allowed.
template <class Allows>
bool RefusesNothing(const Snapshot& snapshot, Allows&& allows) {
  const std::vector<std::uint64_t>& by_kind = snapshot.state().edges_by_kind;
  for (EdgeKindId kind{}; kind < by_kind.size(); ++kind)
    if (by_kind[kind] != 0 && !allows(kind)) return false;
  return true;
}

bool HasValidTimes(const Snapshot& snapshot) {
  return snapshot.has_delta() || !snapshot.base().valid_from.slots.empty() ||
         !snapshot.base().valid_until.slots.empty();
}

}  // namespace

Result<Selection> Select(const Snapshot& snapshot, const GraphFilter& given) {
  const auto& [kinds, valid_at, subset] = given;
  const auto& edge_kinds = snapshot.schema().edge_kinds();
  Selection s;
  s.snapshot = &snapshot;
  s.subset = subset;
  for (EdgeKindId kind : kinds) {
    if (kind >= edge_kinds.size() || edge_kinds[kind].name.empty())
      return Invalid("edge kind ", kind, " is not defined in this graph");
    if (edge_kinds[kind].plane == Plane::kIndex) s.both_planes = true;
  }
  const bool all_facts = !kinds.given() && RefusesNothing(snapshot, [&](EdgeKindId kind) {
    return kind < edge_kinds.size() && edge_kinds[kind].plane == Plane::kFact;
  });
  if (!all_facts) {  // a filter is memory of its own, a good part of a small query
    ArcFilter named = ArcFilter::Kinds(snapshot.schema(), kinds);
    if (!RefusesNothing(snapshot, [&](EdgeKindId kind) { return named.allows(kind); }))
      s.filter = std::move(named);
  }
  if (valid_at != kNoTime && HasValidTimes(snapshot)) s.filter = s.filter.ValidAt(valid_at);

  std::uint64_t selectable = snapshot.CountNodes(Plane::kFact);
  if (s.both_planes) selectable += snapshot.CountNodes(Plane::kIndex);
  s.all_nodes = !subset && selectable == snapshot.node_count();
  s.whole_base = s.all_nodes && !snapshot.has_delta() && s.filter.all_kinds() &&
                 !s.filter.checks_time() && snapshot.base_node_count() == snapshot.node_count();
  return s;
}

bool OneSortedRow(const Selection& selection, Direction direction) {
  const std::vector<std::uint64_t>& by_kind = selection.snapshot->state().edges_by_kind;
  std::size_t kinds = 0;
  for (EdgeKindId kind{}; kind < by_kind.size(); ++kind)
    kinds += by_kind[kind] != 0 && selection.filter.allows(kind);
  return kinds <= 1 && direction != Direction::kBoth;
}

std::string NodeName(const Snapshot& snapshot, NodeId node) {
  std::string name = "'" + std::string(snapshot.key(node)) + "'";
  if (const std::size_t at = name.find(kIndexSeparator); at != std::string::npos) name[at] = ':';
  return name;
}

std::unexpected<Error> NotSelected(const Snapshot& snapshot, std::string_view what, NodeId node,
                                   const EdgeKinds& kinds) {
  const std::string one = (what.empty() ? std::string() : std::string(what) + " ") + "node ";
  if (node >= snapshot.node_count())
    return Invalid(one, "id ", node, " is not below the graph's ", snapshot.node_count(), " nodes");
  const std::string named = one + NodeName(snapshot, node);
  if (!snapshot.alive(node)) return NotFound(named, " was removed");
  const auto& known = snapshot.schema().edge_kinds();
  const bool index_followed = std::ranges::any_of(kinds, [&](EdgeKindId kind) {
    return kind < known.size() && known[kind].plane == Plane::kIndex;
  });
  if (!snapshot.is_fact(node) && !index_followed)
    return Invalid(
        named, " is of the index plane, and none of the edge kinds followed is: name one that is");
  return Invalid(named, " is outside the subset or scope that is looked at");
}

Result<NodeSubset> WithSources(const Snapshot& snapshot, const NodeSubset* subset,
                               std::span<const NodeId> sources) {
  for (const NodeId source : sources) {
    if (source >= snapshot.node_count() || !snapshot.alive(source))
      return NotSelected(snapshot, "source", source, {});
  }
  if (!subset) return NodeSubset();
  PLEXUS_ASSIGN(const NodeSubset named, NodeSubset::Of(snapshot, sources));
  return named.Unite(*subset);
}

NodeSubset Selection::Materialise(Executor& executor) const {
  const NodeId n = snapshot->node_count();
  std::vector<std::uint64_t> words((std::size_t{n} + 63) / 64);
  ParallelForEach(executor, words.size(), 1024, [&](std::size_t w) {
    std::uint64_t bits = 0;
    const NodeId first = static_cast<NodeId>(w * 64);
    const NodeId count = std::min<NodeId>(64, n - first);
    for (NodeId i = 0; i < count; ++i) bits |= std::uint64_t{contains(first + i)} << i;
    words[w] = bits;
  });
  return NodeSubset(n, std::move(words));
}

}  // namespace plexus::common_internal
