// Attributes are set to absent in copied pages; edges go as a run of tombstones that is folded.
#include "storage/purge/forgotten_nodes.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "engine/adjacency/run.h"
#include "engine/adjacency/tombstones.h"
#include "engine/compaction/run_compaction.h"
#include "engine/vocabulary.h"

namespace plexus::storage_internal {

namespace {

// The shortest placeholder of a node; longer ones end in dashes.
std::string FirstPlaceholder(NodeId node, const NodeKind& kind) {
  const std::string name = "purged-" + std::to_string(node);
  return kind.plane == Plane::kIndex ? IndexKey(kind.name, name) : name;
}

}  // namespace

bool IsForgotten(const Snapshot& now, NodeId node) {
  if (now.alive(node) || !now.purged(node)) return false;
  if (!now.key_forgotten(node)) {
    const std::string first = FirstPlaceholder(node, now.schema().node_kind(now.node_kind(node)));
    std::string_view key = now.key(node);
    if (!key.starts_with(first)) return false;
    key.remove_prefix(first.size());
    if (key.find_first_not_of('-') != std::string_view::npos) return false;
  }
  bool has_arc = false;
  now.ForEachArc(Direction::kBoth, node, ArcFilter::All(), [&](const Arc&) {
    has_arc = true;
    return false;
  });
  return !has_arc;
}

std::string StringPlaceholder(StringId id) {
  return ("purged-string-" + std::to_string(id)).append(1, '\0');
}

ForgottenNodes::ForgottenNodes(const std::set<NodeId>& nodes, const Snapshot& now)
    : now_(now), list_(nodes.begin(), nodes.end()) {
  if (list_.empty()) return;
  marks_.resize(std::size_t{list_.back()} + 1);
  for (const NodeId node : list_) marks_[node] = true;
}

void ForgottenNodes::TakeStrings(std::vector<bool> strings) {
  if (std::ranges::find(strings, true) != strings.end()) strings_ = std::move(strings);
}

StringTable::View ForgottenNodes::Blanked(const StringTable::View& strings) const {
  StringTable::Cursor before(strings);
  StringTable blanked;
  blanked.Reserve(strings.size(), 0);
  for (StringId id = 0; id < strings.size(); ++id)
    blanked.Insert(has_string(id) ? StringPlaceholder(id) : before[id]);
  return blanked.Publish();
}

std::string ForgottenNodes::Placeholder(NodeId node, KindId kind) const {
  const NodeKind& traits = now_.schema().node_kind(NodeKindId(kind));
  for (std::string key = FirstPlaceholder(node, traits);; key += "-") {
    const auto found = now_.Find(key);
    if (!found || *found == node) return key;  // its own: it was forgotten before
  }
}

Status ForgottenNodes::DropEdges(GraphState& state, Executor& executor) const {
  const Snapshot snapshot(std::make_shared<const FrozenState>(state));
  const std::vector<EdgeChange> edges = TombstonesOf(snapshot, list_, ArcFilter::All());
  for (const EdgeChange& e : edges) --state.edges_by_kind[e.kind];
  if (!edges.empty())
    state.runs.push_back(MakeRun(state.sequence, edges, {}, *state.schema, executor));
  if (state.runs.empty() && state.base->node_count == state.keys.size()) return {};
  PLEXUS_ASSIGN(state.base, CompactRuns(state, state.runs.size(), executor));
  state.runs.clear();
  state.dirty = std::make_shared<DirtyBits>(0);
  return {};
}

Result<GraphState> ForgottenNodes::Without(const GraphState& from, Executor& executor) const {
  GraphState state = from;
  const NodeId nodes = state.keys.size();
  StringTable::Cursor before(from.keys);
  std::uint64_t key_bytes = 0;
  for (NodeId v = 0; v < nodes; ++v) key_bytes += before[v].size();
  StringTable keys;
  keys.Reserve(nodes, key_bytes);
  PagedArray<std::uint8_t> flags(std::move(state.node_flags), 0);
  PagedArray<KindId> kinds(std::move(state.node_kinds), 0);
  for (NodeId v = 0; v < nodes; ++v) {
    if (!contains(v)) {
      if (from.keys.forgotten(v))
        keys.InsertForgotten();
      else
        keys.Insert(before[v]);
      continue;
    }
    if (flags[v] & engine_internal::kAlive) --state.nodes_by_kind[kinds[v]];
    const auto birth = births_.find(v);
    if (birth != births_.end() && birth->second != kinds[v]) kinds.Set(v, birth->second);
    flags.Set(v, engine_internal::kPurged);
    keys.Insert(Placeholder(v, kinds[v]));
  }
  state.keys = keys.Publish();
  if (!strings_.empty()) state.strings = Blanked(from.strings);
  state.node_flags = flags.Publish();
  state.node_kinds = kinds.Publish();
  const auto clear = [&](PagedView<std::uint64_t>& view, std::uint64_t absent) {
    PagedArray<std::uint64_t> values(std::move(view), absent);
    for (const NodeId v : list_)
      if (v < values.size() && values[v] != absent) values.Set(v, absent);
    view = values.Publish();
  };
  for (std::size_t c = 0; c < state.columns.size(); ++c)
    clear(state.columns[c], AbsentBits(state.schema->columns()[c].type));
  for (auto& refs : state.payload_refs) clear(refs, 0);
  for (auto& view : state.spaces) {
    VectorTable table(std::move(view));
    for (const NodeId v : list_) table.Remove(v);
    view = table.Publish();
  }
  PLEXUS_TRY(DropEdges(state, executor));
  return state;
}

}  // namespace plexus::storage_internal
