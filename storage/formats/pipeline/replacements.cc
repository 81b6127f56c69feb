// Records that replace or merge what is stored: tags, members, event attributes.
//
// Parsers run ahead of the graph, so a list that replaces the stored one cannot
// unlink what is missing from it; this is done here, against the snapshot that the
// batch is applied to. The unlinks go first: the batch itself then links what the
// list names. The batch expects the lists and properties of known nodes as they are: when another
// writer was faster it is made again. Within the batch the parser has kept later lines true to
// earlier ones.
#include <algorithm>

#include "storage/formats/base/properties.h"
#include "storage/formats/base/property_map.h"
#include "storage/formats/pipeline/pipeline.h"

namespace plexus::formats::internal {

namespace {

void UnlinkMissing(const Snapshot& snapshot, const ListReplacement& list, WriteBatch& before) {
  const auto id = snapshot.Find(list.node);
  if (!id || !snapshot.alive(*id)) return;
  before.ExpectEdges(NodeRef::Id(*id), list.kind, snapshot, *id);
  const ArcFilter filter = ArcFilter::Kind(snapshot.schema(), list.kind);
  snapshot.ForEachArc(Direction::kOut, *id, filter, [&](const Arc& arc) {
    const Edge edge = snapshot.edge(arc, *id);
    if (!list.labelled && edge.label != 0) return;
    ListReplacement::Item item{std::string(snapshot.key(arc.neighbor)),
                               std::string(snapshot.string(edge.label))};
    if (std::binary_search(list.items.begin(), list.items.end(), item)) return;
    before.Unlink(NodeRef::Id(*id), list.kind, NodeRef::Id(arc.neighbor), item.label);
  });
}

Status MergeStored(const Snapshot& snapshot, const PropertyPatch& patch, WriteBatch& after) {
  if (patch.fresh) return {};  // what the batch itself sets is all
  const auto id = snapshot.Find(patch.node);
  if (!id || !snapshot.alive(*id)) return {};
  after.ExpectPayload(NodeRef::Id(*id), NodeField::kProperties,
                      snapshot.payload_ref(*id, NodeField::kProperties));
  Result<std::string> stored = snapshot.Payload(*id, NodeField::kProperties);
  if (!stored) {
    if (stored.error().code == ErrorCode::kNotFound) return {};
    return std::unexpected(stored.error());
  }
  std::string base = std::move(*stored);
  if (patch.replaces_rest) PLEXUS_SET(base, KeepReserved(base));
  PLEXUS_ASSIGN(std::string merged, MergeProperties(base, patch.patch));
  if (merged.empty())
    after.ClearPayload(NodeRef::Id(*id), NodeField::kProperties);
  else
    after.SetPayload(NodeRef::Id(*id), NodeField::kProperties, merged);
  return {};
}

}  // namespace

Status PrepareReplacements(const Snapshot& snapshot, const Piece& piece, WriteBatch& before,
                           WriteBatch& after) {
  if (snapshot.node_count() == 0) return {};
  for (const ListReplacement& list : piece.lists)
    if (snapshot.CountEdges(list.kind) > 0) UnlinkMissing(snapshot, list, before);
  for (const PropertyPatch& patch : piece.patches) PLEXUS_TRY(MergeStored(snapshot, patch, after));
  return {};
}

}  // namespace plexus::formats::internal
