// Applying purge masks to records and to loaded states.
#include "storage/purge/purge_mask.h"

#include <algorithm>

#include "engine/adjacency/tombstones.h"
#include "engine/vocabulary.h"

namespace plexus::storage_internal {

PurgeMask::PurgeMask(const std::map<NodeId, Sequence>& purged, Sequence at) : at_(at) {
  for (const auto& [node, sequence] : purged) {
    if (sequence <= at) continue;
    purges_.push_back({node, sequence});
    last_ = std::max(last_, sequence);
  }
}

PurgeMask::PurgeMask(std::vector<NodeId> nodes) {
  std::sort(nodes.begin(), nodes.end());
  if (!nodes.empty()) last_ = ~Sequence{0};
  for (NodeId node : nodes) purges_.push_back({node, last_});
}

Sequence PurgeMask::PurgeOf(NodeId node) const {
  const auto found = std::lower_bound(purges_.begin(), purges_.end(), node,
                                      [](const Purge& purge, NodeId v) { return purge.node < v; });
  return found != purges_.end() && found->node == node ? found->sequence : 0;
}

bool PurgeMask::hides(NodeId node) const { return PurgeOf(node) > at_; }

PayloadRef PurgeMask::RankLeft(const EdgeChange& edge) const {
  if (!present_ || edge.kind != builtin::kMember) return {};
  if (std::max(edge.source, edge.target) >= present_->node_count()) return {};
  const auto left = present_->FindEdge(edge.source, edge.kind, edge.target, edge.label);
  if (!left || !left->properties) return {};
  const Sequence wrote = left->properties.sequence();  // the purge, or a life after it
  return wrote == PurgeOf(edge.source) || wrote == PurgeOf(edge.target) ? left->properties
                                                                        : PayloadRef();
}

void PurgeMask::Hide(Record& record, bool feed) const {
  if (empty()) return;
  const auto hidden = [&](NodeId node, bool gives) {
    const Sequence purge = PurgeOf(node);
    return purge > at_ && (purge > record.sequence || !gives);
  };
  const auto ends = [&](NodeId node) { return feed && PurgeOf(node) > record.sequence; };
  const auto hide = [&](auto& changes) {
    std::erase_if(changes, [&](const auto& c) {
      return hidden(c.node, static_cast<bool>(c.ref)) && !ends(c.node);
    });
    for (auto& c : changes)
      if (ends(c.node)) c.ref = {};
  };
  hide(record.payload_changes);
  hide(record.vectors);
  FilterEdges(record.edges, record.edge_extras, [&](EdgeChange& e, EdgeExtra* extra) {
    if (TellsWords(e.kind) && hides(e.source)) {
      if (hidden(e.source, !e.tombstone())) {
        if (ends(e.source) && !e.is_new()) record.words_dropped.push_back(e.source);
        return true;
      }
      e.flags |= EdgeChange::kIsNew;  // what was there before is hidden
    }
    if (extra && (hidden(e.source, true) || hidden(e.target, true)))
      extra->properties = RankLeft(e);
    return false;
  });
  auto& dropped = record.words_dropped;
  std::sort(dropped.begin(), dropped.end());
  dropped.erase(std::unique(dropped.begin(), dropped.end()), dropped.end());
}

// Of a checkpoint that was written masked: it could not refer to what a later purge left.
bool PurgeMask::AddRanks(EdgeList& list) const {
  if (!present_) return false;
  std::vector<EdgeExtra> extras;
  std::size_t x = 0;
  bool added = false;
  for (std::size_t i = 0; i < list.edges.size(); ++i) {
    EdgeChange& edge = list.edges[i];
    const bool has = x < list.extras.size() && list.extras[x].index == i;
    EdgeExtra extra = has ? list.extras[x++] : EdgeExtra();
    if (!extra.properties && (hides(edge.source) || hides(edge.target))) {
      extra.properties = RankLeft(edge);
      added |= static_cast<bool>(extra.properties);
    }
    if (!has && !extra.properties) continue;
    extra.index = static_cast<std::uint32_t>(i);
    edge.flags |= EdgeChange::kHasExtra;
    extras.push_back(extra);
  }
  list.extras = std::move(extras);
  return added;
}

Result<GraphState> PurgeMask::Apply(GraphState state, Executor& executor) const {
  std::vector<NodeId> nodes;
  for (const Purge& purge : purges_)
    if (purge.node < state.keys.size() && purge.sequence > at_) nodes.push_back(purge.node);
  if (nodes.empty()) return state;
  for (auto& view : state.payload_refs) {
    PagedArray<std::uint64_t> refs(std::move(view), 0);
    for (NodeId v : nodes)
      if (refs[v] != 0) refs.Set(v, 0);
    view = refs.Publish();
  }
  for (auto& view : state.spaces) {
    VectorTable table(std::move(view));
    for (NodeId v : nodes) table.Remove(v);
    view = table.Publish();
  }
  PLEXUS_CHECK(state.runs.empty(), "masks are applied to a state without a delta");
  EdgeList list = ListEdges(*state.base, *state.schema);
  bool changed = false;
  FilterEdges(list.edges, list.extras, [&](const EdgeChange& e, EdgeExtra* extra) {
    if (TellsWords(e.kind) && hides(e.source)) {
      --state.edges_by_kind[e.kind];
      return changed = true;
    }
    if (extra && extra->properties && (hides(e.source) || hides(e.target))) {
      extra->properties = RankLeft(e);
      changed = true;
    }
    return false;
  });
  changed |= AddRanks(list);
  if (!changed) return state;
  PLEXUS_ASSIGN(std::shared_ptr<Csr> base, BuildCsr(state.base->node_count, list.edges, list.extras,
                                                    *state.schema, state.base->sequence, executor));
  state.base = std::move(base);
  return state;
}

}  // namespace plexus::storage_internal
