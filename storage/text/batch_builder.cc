// Names, edges and lists of one piece; see batch_builder.h.
#include "storage/text/batch_builder.h"

#include <algorithm>

#include "storage/text/properties.h"
#include "storage/text/property_map.h"

namespace plexus::text {

namespace {

std::string Quoted(std::string_view s) { return "'" + std::string(s.substr(0, 80)) + "'"; }

}  // namespace

Schema& BatchBuilder::MutableSchema() {
  if (!local_) local_ = std::make_unique<Schema>(*context_.schema);
  return *local_;
}

Status BatchBuilder::Define(const NodeKind& kind) {
  PLEXUS_TRY(MutableSchema().Define(kind));
  batch().DefineNodeKind(kind);
  return {};
}
Status BatchBuilder::Define(const EdgeKind& kind) {
  PLEXUS_TRY(MutableSchema().Define(kind));
  batch().DefineEdgeKind(kind);
  return {};
}
Status BatchBuilder::Define(const Column& column) {
  PLEXUS_TRY(MutableSchema().Define(column));
  batch().DefineColumn(column);
  return {};
}
Status BatchBuilder::Define(const VectorSpace& space) {
  PLEXUS_TRY(MutableSchema().Define(space));
  batch().DefineSpace(space);
  return {};
}

Schema& BatchBuilder::TrialSchema() {
  if (!trial_) trial_ = std::make_unique<Schema>(schema());
  return *trial_;
}

Status BatchBuilder::CheckNewNodeKind(std::string_view name) {
  NodeKind kind;
  kind.name = name;
  PLEXUS_TRY(TrialSchema().Define(kind));
  return {};
}
Status BatchBuilder::CheckNewEdgeKind(std::string_view name) {
  EdgeKind kind;
  kind.name = name;
  PLEXUS_TRY(TrialSchema().Define(kind));
  return {};
}

Result<NodeName> BatchBuilder::Name(std::string_view name, KindId expected) const {
  const std::size_t separator = name.find(kIndexSeparator);
  const bool index_expected =
      expected != kNoKind && schema().node_kind(expected).plane == Plane::kIndex;
  NodeName out;
  if (separator != std::string_view::npos) {
    const std::string_view kind = name.substr(0, separator);
    const auto id = schema().FindNodeKind(kind);
    if (!id || schema().node_kind(*id).plane != Plane::kIndex)
      return Fail(ErrorCode::kInvalidArgument,
                  "node key " + Quoted(name) + " holds U+001F, but " + Quoted(kind) +
                      " is not a node kind of the index plane");
    if (index_expected && *id != expected)
      return Fail(ErrorCode::kInvalidArgument, "expected a node of kind " +
                                                   Quoted(schema().node_kind(expected).name) +
                                                   ", got " + Quoted(kind));
    out = {std::string(name), *id};
  } else if (index_expected) {
    out = {IndexKey(schema().node_kind(expected).name, name), expected};
  } else {
    out = {std::string(name), kNoKind};
  }
  PLEXUS_TRY(CheckKey(out.key, out.is_index()));
  return out;
}

NodeRef BatchBuilder::Ref(const NodeName& name) {
  if (!name.is_index()) {
    if (context_.touched) context_.touched->Mark(name.key);
    return batch().Node(name.key);
  }
  if (name.kind < kFirstUserNodeKind) return batch().IndexNode(name.kind, DisplayName(name.key));
  return batch().UpsertNode(name.key, batch().NodeKindNamed(schema().node_kind(name.kind).name));
}

Result<BatchBuilder::EdgeEnds> BatchBuilder::Ends(std::string_view source, std::string_view target,
                                                  std::string_view kind_name) {
  EdgeEnds ends;
  ends.kind_name = std::string(kind_name);
  KindId source_kind = kNoKind, target_kind = kNoKind;
  if (auto match = schema().FindEdgeKind(kind_name)) {
    const EdgeKind& kind = schema().edge_kind(match->kind);
    ends.stored = match->kind;
    ends.reversed = match->reversed;
    ends.index_plane = kind.plane == Plane::kIndex;
    source_kind = match->reversed ? kind.target_kind : kind.source_kind;
    target_kind = match->reversed ? kind.source_kind : kind.target_kind;
    if (!kind.self_loops && source == target && source_kind == target_kind)
      return Fail(ErrorCode::kInvalidArgument, "an edge of kind " + Quoted(kind.name) +
                                                   " cannot join " + Quoted(source) + " to itself");
  } else if (kind_name.empty() || kind_name.size() > Limits::kMaxStringBytes) {
    return Fail(ErrorCode::kInvalidArgument, "an edge kind's name has 1 to " +
                                                 std::to_string(Limits::kMaxStringBytes) + " bytes");
  } else {
    PLEXUS_TRY(CheckNewEdgeKind(kind_name));
  }
  PLEXUS_ASSIGN(ends.source, Name(source, source_kind));
  PLEXUS_ASSIGN(ends.target, Name(target, target_kind));
  return ends;
}

NameRef BatchBuilder::KindRef(const EdgeEnds& ends) {
  return ends.stored < kFirstUserEdgeKind && !ends.reversed ? NameRef(ends.stored)
                                                            : batch().EdgeKindNamed(ends.kind_name);
}

void BatchBuilder::Link(const EdgeEnds& ends, WriteBatch::EdgeInput edge) {
  edge.source = Ref(ends.source);
  edge.target = Ref(ends.target);
  edge.kind = KindRef(ends);
  batch().Link(edge);
  if (!ends.index_plane) ++piece_.fact_edges;
  if (ends.stored == kHasTag || ends.stored == kMember)
    linked_[{ends.source.key, ends.stored}].push_back({ends.target.key, std::string(edge.label)});
}

void BatchBuilder::Unlink(const EdgeEnds& ends, std::string_view label) {
  const NodeRef source = Ref(ends.source);
  const NodeRef target = Ref(ends.target);
  batch().Unlink(source, KindRef(ends), target, label);
}

void BatchBuilder::ReplaceList(const NodeName& node, NodeRef ref, KindId kind, bool labelled,
                               std::vector<ListReplacement::Item> items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
  const ListKey key{node.key, kind};
  for (const auto& item : linked_[key]) {
    if ((!labelled && !item.label.empty()) || std::binary_search(items.begin(), items.end(), item))
      continue;
    if (auto name = Name(item.target)) batch().Unlink(ref, kind, Ref(*name), item.label);
  }
  auto& linked = linked_[key];
  linked.insert(linked.end(), items.begin(), items.end());
  auto [at, is_new] = lists_.try_emplace(key, piece_.lists.size());
  if (is_new) piece_.lists.emplace_back();
  piece_.lists[at->second] = {node.key, kind, labelled, std::move(items)};
}

Status BatchBuilder::PatchProperties(const NodeName& node, NodeRef ref, std::string patch,
                                     bool replaces_rest) {
  if (patch.empty() && !replaces_rest) return {};
  auto [at, is_new] = patches_.try_emplace(node.key, piece_.patches.size());
  std::string whole = patch;
  if (!is_new) {  // an earlier line of this piece: lay this one over it
    const PropertyPatch& earlier = piece_.patches[at->second];
    PLEXUS_ASSIGN(PropertyMap merged, SplitProperties(earlier.patch));
    if (replaces_rest)
      std::erase_if(merged, [](const auto& e) { return !IsReservedProperty(e.first); });
    PLEXUS_ASSIGN(PropertyMap over, SplitProperties(patch));
    for (auto& [k, v] : over) merged[k] = std::move(v);
    PLEXUS_ASSIGN(whole, JoinProperties(merged));
    replaces_rest |= earlier.replaces_rest;
  } else {
    piece_.patches.emplace_back();
  }
  // For a node that is new, what the patch sets is the map.
  PLEXUS_ASSIGN(std::string alone, MergeProperties("", whole));
  if (alone.empty())
    batch().ClearPayload(ref, NodeField::kProperties);
  else
    batch().SetPayload(ref, NodeField::kProperties, alone);
  piece_.patches[at->second] = {node.key, std::move(whole), replaces_rest};
  return {};
}

}  // namespace plexus::text
