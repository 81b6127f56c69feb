// Writing to graph and record side by side, and reading the record back flat.
#include "tests/support/case_graph.h"

#include <gtest/gtest.h>

namespace plexus::testing {
using namespace builtin;

CaseGraph::CaseGraph()
    : graph_(Graph::InMemory()),
      batch_(std::make_unique<WriteBatch>(1000)),
      kinds_(BuiltinEdgeKinds().begin(), BuiltinEdgeKinds().end()) {}

std::size_t CaseGraph::AddNode(NodeKindId kind) {
  const std::size_t node = nodes_.size();
  std::string key = "n" + std::to_string(node);
  if (BuiltinNodeKinds()[kind].plane == Plane::kIndex) {
    batch_->UpsertNode(batch_->IndexNode(kind, key));
    key = IndexKey(BuiltinNodeKinds()[kind].name, key);
  } else {
    batch_->UpsertNode(key, kind);
  }
  nodes_.push_back({std::move(key), kind, true, kNoNode, {}});
  return node;
}

std::size_t CaseGraph::AddNodes(std::size_t count, NodeKindId kind) {
  const std::size_t first = nodes_.size();
  for (std::size_t i = 0; i < count; ++i) AddNode(kind);
  return first;
}

NodeRef CaseGraph::Ref(std::size_t node) {
  const NodeRecord& n = nodes_[node];
  if (BuiltinNodeKinds()[n.kind].plane == Plane::kIndex)
    return batch_->IndexNode(n.kind, DisplayName(n.key));
  return batch_->Node(n.key);
}

CaseGraph::Identity CaseGraph::MakeIdentity(std::size_t source, EdgeKindId kind, std::size_t target,
                                            std::string label) {
  if (kinds_[kind].symmetric && source > target) std::swap(source, target);
  Identity identity{source, kind, target, std::move(label)};
  nodes_[source].touched.push_back(identity);
  nodes_[target].touched.push_back(identity);
  return identity;
}

void CaseGraph::Link(std::size_t source, EdgeKindId kind, std::size_t target, float weight,
                     std::string label, std::int64_t created_at) {
  const NodeRef s = Ref(source), t = Ref(target);
  WriteBatch::EdgeInput input{s, t, kind, label, weight, created_at, {}, {}, {}, {}};
  batch_->Link(input);
  EdgeRecord& edge = edges_[MakeIdentity(source, kind, target, std::move(label))];
  edge.weight = weight;
  edge.created_at = created_at;
}

void CaseGraph::LinkValid(std::size_t source, EdgeKindId kind, std::size_t target,
                          std::int64_t from, std::int64_t until, std::int64_t created_at) {
  const NodeRef s = Ref(source), t = Ref(target);
  WriteBatch::EdgeInput input{s, t, kind, "", 1.0f, created_at, {}, from, until, {}};
  batch_->Link(input);
  edges_[MakeIdentity(source, kind, target, "")] = {1.0f, created_at, from, until};
}

void CaseGraph::Unlink(std::size_t source, EdgeKindId kind, std::size_t target, std::string label) {
  const NodeRef s = Ref(source), t = Ref(target);
  batch_->Unlink(s, kind, t, label);
  edges_.erase(MakeIdentity(source, kind, target, std::move(label)));
}

void CaseGraph::Remove(std::size_t node) {
  batch_->RemoveNode(Ref(node));
  nodes_[node].alive = false;
  for (const Identity& identity : nodes_[node].touched) edges_.erase(identity);
}

void CaseGraph::SetI64(std::size_t node, ColumnId column, std::int64_t value) {
  batch_->SetI64(Ref(node), ColumnRef(column), value);
}
void CaseGraph::SetF64(std::size_t node, ColumnId column, double value) {
  batch_->SetF64(Ref(node), ColumnRef(column), value);
}
void CaseGraph::SetScope(std::size_t node, std::string scope) {
  batch_->SetString(Ref(node), ColumnRef(kScope), scope);
}
void CaseGraph::SetString(std::size_t node, ColumnId column, std::string value) {
  batch_->SetString(Ref(node), ColumnRef(column), value);
}
void CaseGraph::SetVector(std::size_t node, const std::string& space,
                          const std::vector<float>& values, Metric metric) {
  if (!snapshot().schema().FindSpace(space))
    batch_->DefineSpace({space, static_cast<std::uint32_t>(values.size()), metric});
  batch_->SetVector(Ref(node), batch_->SpaceNamed(space), values);
}

EdgeKindId CaseGraph::DefineKind(EdgeKind kind) {
  batch_->DefineEdgeKind(kind);
  kinds_.push_back(std::move(kind));
  return static_cast<EdgeKindId>(kinds_.size() - 1);
}

void CaseGraph::Commit() {
  auto applied = graph_->Apply(*batch_);
  if (!applied) ADD_FAILURE() << applied.error().ToString();
  if (mirror_) {
    const auto mirrored = mirror_->Apply(*batch_);
    if (!mirrored) ADD_FAILURE() << mirrored.error().ToString();
  }
  batch_ = std::make_unique<WriteBatch>(1000);
  batch_->set_links_revive(true);
  const Snapshot s = snapshot();
  for (NodeRecord& n : nodes_) {
    if (n.id != kNoNode) continue;
    auto found = s.Find(n.key);
    if (!found) {
      ADD_FAILURE() << "node " << n.key << " was not stored";
      continue;
    }
    n.id = *found;
  }
}

void CaseGraph::Compact() {
  auto done = graph_->Compact();
  if (!done) ADD_FAILURE() << done.error().ToString();
}

bool CaseGraph::IsIndexKind(EdgeKindId kind) const { return kinds_[kind].plane == Plane::kIndex; }

reference::FlatGraph CaseGraph::Flat(const EdgeKinds& kinds, const NodeSubset* subset,
                                     std::int64_t valid_at) const {
  bool index_nodes = false;
  for (EdgeKindId k : kinds) index_nodes = index_nodes || IsIndexKind(k);
  reference::FlatGraph flat;
  flat.selected.resize(nodes_.size());
  for (const NodeRecord& n : nodes_)
    flat.selected[n.id] = n.alive &&
                          (index_nodes || BuiltinNodeKinds()[n.kind].plane == Plane::kFact) &&
                          (!subset || subset->contains(n.id));
  for (const auto& [identity, edge] : edges_) {
    const auto& [source, kind, target, label] = identity;
    const bool wanted = !kinds.given() ? !IsIndexKind(kind)
                                      : std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
    const NodeId s = nodes_[source].id, t = nodes_[target].id;
    if (!wanted || !flat.selected[s] || !flat.selected[t]) continue;
    if (valid_at != kNoTime && ((edge.valid_from != kNoTime && valid_at < edge.valid_from) ||
                                (edge.valid_until != kNoTime && valid_at >= edge.valid_until)))
      continue;
    flat.arcs.push_back({s, t, kind, edge.weight, edge.created_at, false});
    if (kinds_[kind].symmetric && s != t)
      flat.arcs.push_back({t, s, kind, edge.weight, edge.created_at, true});
  }
  return flat;
}

std::ostream& operator<<(std::ostream& out, Shape shape) {
  constexpr const char* names[] = {"clean", "delta", "runs", "compacted"};
  return out << names[static_cast<int>(shape)];
}

const CaseGraph& Large(std::size_t which, Shape shape) {
  static std::map<std::pair<std::size_t, Shape>, CaseGraph> built;
  auto it = built.find({which, shape});
  if (it == built.end())
    it = built.emplace(std::pair(which, shape), Build(LargeCases()[which], shape)).first;
  return it->second;
}

CaseGraph Build(const Case& c, Shape shape) {
  CaseGraph graph;
  for (int step = 0; step < c.steps; ++step) {
    c.fill(graph, step);
    graph.Commit();
    if (step == 0 && (shape == Shape::kDelta || shape == Shape::kCompacted)) graph.Compact();
  }
  if (shape == Shape::kClean || shape == Shape::kCompacted) graph.Compact();
  return graph;
}

}  // namespace plexus::testing
