// Payloads and vectors that are stored elsewhere are read; edges by a merge of two sorted rows.
#include "tools/operations/graph/state_comparison.h"
#include "engine/vectors/vector_view.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace plexus::tools {
namespace {

auto Identity(const Edge& edge) { return std::tuple(edge.kind, edge.target, edge.label); }

std::vector<Edge> EdgesOf(const Snapshot& snapshot, NodeId node) {
  std::vector<Edge> edges;
  if (!IsAlive(snapshot, node)) return edges;
  snapshot.ForEachArc(Direction::kOut, node, ArcFilter::All(), [&](const Arc& arc) {
    const Edge edge = snapshot.edge(arc, node);
    if (edge.source == node) edges.push_back(edge);
  });
  std::ranges::sort(edges, {}, Identity);
  const auto rest = std::ranges::unique(edges, {}, Identity);
  edges.erase(rest.begin(), rest.end());
  return edges;
}

bool SamePayload(const Snapshot& before, PayloadRef a, const Snapshot& after, PayloadRef b) {
  if (a == b) return true;
  if (!a || !b) return false;
  const Result<std::string> then = before.Payload(a), now = after.Payload(b);
  return then && now && *then == *now;
}

PayloadRef VectorRef(const Snapshot& snapshot, SpaceId space, NodeId node) {
  const VectorView* view = snapshot.space(space);
  return view && view->has(node) ? view->ref(node) : PayloadRef{};
}

bool SameVector(const Snapshot& before, const Snapshot& after, SpaceId space, NodeId node) {
  const PayloadRef a = VectorRef(before, space, node), b = VectorRef(after, space, node);
  if (a == b) return true;
  if (!a || !b) return false;
  const Result<const VectorView*> then = before.vectors(space), now = after.vectors(space);
  if (!then || !now || (*then)->dimensions() != (*now)->dimensions()) return false;
  VectorBuffer past, present;
  const auto count = (*then)->dimensions();
  return std::ranges::equal((*then)->vector(node, past).first(count),
                            (*now)->vector(node, present).first(count));
}

}  // namespace

bool IsAlive(const Snapshot& snapshot, NodeId node) {
  return node < snapshot.node_count() && snapshot.alive(node);
}

NodeComparison CompareNode(const Snapshot& before, const Snapshot& after, NodeId node) {
  NodeComparison found{.was = IsAlive(before, node), .is = IsAlive(after, node)};
  if (!found.was || !found.is) return found;
  found.kind = before.node_kind(node) != after.node_kind(node);
  const auto& columns = after.schema().columns();
  for (std::size_t id = 0; id < columns.size(); ++id) {
    const auto column = static_cast<ColumnId>(id);
    const std::uint64_t then = id < before.schema().columns().size()
                                   ? before.column_bits(column, node)
                                   : AbsentBits(columns[id].type);
    if (then != after.column_bits(column, node)) found.columns.push_back(column);
  }
  for (const NodeField field : {NodeField::kText, NodeField::kProperties})
    if (!SamePayload(before, before.payload_ref(node, field), after,
                     after.payload_ref(node, field)))
      found.payloads.push_back(field);
  return found;
}

std::vector<SpaceId> ChangedSpaces(const Snapshot& before, const Snapshot& after, NodeId node) {
  std::vector<SpaceId> changed;
  for (std::size_t id = 0; id < after.schema().spaces().size(); ++id) {
    const auto space = static_cast<SpaceId>(id);
    if (!SameVector(before, after, space, node)) changed.push_back(space);
  }
  return changed;
}

bool SameEdgeValue(const Snapshot& before, const Edge& a, const Snapshot& after, const Edge& b) {
  return std::bit_cast<std::uint32_t>(a.weight) == std::bit_cast<std::uint32_t>(b.weight) &&
         a.created_at == b.created_at && a.created_by == b.created_by &&
         a.valid_from == b.valid_from && a.valid_until == b.valid_until &&
         SamePayload(before, a.properties, after, b.properties);
}

void CompareEdges(const Snapshot& before, const Snapshot& after, NodeId node,
                  const std::function<void(EdgeComparison)>& take) {
  const std::vector<Edge> past = EdgesOf(before, node), present = EdgesOf(after, node);
  auto then = past.begin();
  auto now = present.begin();
  while (then != past.end() || now != present.end()) {
    const bool gone =
        now == present.end() || (then != past.end() && Identity(*then) < Identity(*now));
    const bool come =
        then == past.end() || (now != present.end() && Identity(*now) < Identity(*then));
    if (gone) {
      take({.then = *then++});
    } else if (come) {
      take({.now = *now++});
    } else {
      if (!SameEdgeValue(before, *then, after, *now)) take({.then = *then, .now = *now});
      ++then, ++now;
    }
  }
}

}  // namespace plexus::tools
