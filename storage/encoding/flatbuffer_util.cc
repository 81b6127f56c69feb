// Seals and definition tables, shared by the three codecs.
#include "storage/encoding/flatbuffer_util.h"

namespace plexus::storage_internal {

Status CheckSeal(ByteSpan bytes, const fb::Seal* seal, std::string_view where) {
  if (!seal) return Corrupted(where, ": it carries no digest");
  const std::size_t offset =
      static_cast<std::size_t>(reinterpret_cast<const std::uint8_t*>(seal) - bytes.data());
  if (DigestAroundSeal(bytes, offset) == seal->digest()) return {};
  return Corrupted(where, ", offset ", offset, ": the digest does not match its ", bytes.size(),
                   " bytes");
}

std::uint64_t SetSeal(std::uint8_t* data, std::size_t size, const fb::Seal* seal) {
  const std::size_t offset =
      static_cast<std::size_t>(reinterpret_cast<const std::uint8_t*>(seal) - data);
  const std::uint64_t digest = DigestAroundSeal({data, size}, offset);
  const fb::Seal value(digest, 0);
  std::memcpy(data + offset, &value, sizeof value);
  return digest;
}

flatbuffers::Offset<fb::Definitions> BuildDefinitions(flatbuffers::FlatBufferBuilder& builder,
                                                      const DefinitionLists& lists) {
  std::vector<flatbuffers::Offset<fb::NodeKind>> node_kinds;
  for (const NodeKind& k : lists.node_kinds)
    node_kinds.push_back(fb::CreateNodeKind(builder, builder.CreateString(k.name),
                                            static_cast<std::uint8_t>(k.plane)));
  std::vector<flatbuffers::Offset<fb::EdgeKind>> edge_kinds;
  for (const EdgeKind& k : lists.edge_kinds) {
    const auto name = builder.CreateString(k.name);
    const auto inverse = builder.CreateString(k.inverse);
    edge_kinds.push_back(
        fb::CreateEdgeKind(builder, name, inverse, static_cast<std::uint8_t>(k.plane), k.symmetric,
                           k.suppresses, k.blocking, k.acyclic, k.self_loops, k.survives_removal,
                           k.source_kind, k.target_kind, k.half_life_ms));
  }
  std::vector<flatbuffers::Offset<fb::Column>> columns;
  for (const Column& c : lists.columns)
    columns.push_back(
        fb::CreateColumn(builder, builder.CreateString(c.name), static_cast<std::uint8_t>(c.type)));
  std::vector<flatbuffers::Offset<fb::VectorSpace>> spaces;
  for (const VectorSpace& s : lists.spaces)
    spaces.push_back(fb::CreateVectorSpace(
        builder, builder.CreateString(s.name), s.dimensions, static_cast<std::uint8_t>(s.metric),
        static_cast<std::uint8_t>(s.prefilter), static_cast<std::uint8_t>(s.element)));
  const auto nodes = builder.CreateVector(node_kinds);
  const auto edges = builder.CreateVector(edge_kinds);
  const auto cols = builder.CreateVector(columns);
  const auto spcs = builder.CreateVector(spaces);
  return fb::CreateDefinitions(builder, lists.first_node_kind, nodes, lists.first_edge_kind, edges,
                               lists.first_column, cols, lists.first_space, spcs);
}

namespace {

std::string Text(const flatbuffers::String* text) {
  return text ? std::string(text->c_str(), text->size()) : std::string();
}

Status OutOfRange(std::string_view where, const char* what, unsigned value) {
  return Corrupted(where, ": ", what, " ", value, " is unknown");
}

}  // namespace

Result<DefinitionLists> ReadDefinitions(const fb::Definitions* from, std::string_view where) {
  DefinitionLists lists;
  if (!from) return lists;
  lists.first_node_kind = NodeKindId(from->first_node_kind());
  lists.first_edge_kind = EdgeKindId(from->first_edge_kind());
  lists.first_column = ColumnId(from->first_column());
  lists.first_space = SpaceId(from->first_space());
  if (from->node_kinds())
    for (const fb::NodeKind* k : *from->node_kinds()) {
      if (k->plane() > 1) return std::unexpected(OutOfRange(where, "plane", k->plane()).error());
      lists.node_kinds.push_back({Text(k->name()), static_cast<Plane>(k->plane())});
    }
  if (from->edge_kinds())
    for (const fb::EdgeKind* k : *from->edge_kinds()) {
      if (k->plane() > 1) return std::unexpected(OutOfRange(where, "plane", k->plane()).error());
      EdgeKind kind;
      kind.name = Text(k->name());
      kind.inverse = Text(k->inverse());
      kind.plane = static_cast<Plane>(k->plane());
      kind.symmetric = k->symmetric();
      kind.suppresses = k->suppresses();
      kind.blocking = k->blocking();
      kind.acyclic = k->acyclic();
      kind.self_loops = k->self_loops();
      kind.survives_removal = k->survives_removal();
      kind.source_kind = NodeKindId(k->source_kind());
      kind.target_kind = NodeKindId(k->target_kind());
      kind.half_life_ms = k->half_life_ms();
      lists.edge_kinds.push_back(std::move(kind));
    }
  if (from->columns())
    for (const fb::Column* c : *from->columns()) {
      if (c->type() > 2)
        return std::unexpected(OutOfRange(where, "column type", c->type()).error());
      lists.columns.push_back({Text(c->name()), static_cast<ColumnType>(c->type())});
    }
  if (from->spaces())
    for (const fb::VectorSpace* s : *from->spaces()) {
      if (s->metric() > 2) return std::unexpected(OutOfRange(where, "metric", s->metric()).error());
      if (s->dimensions() == 0 || s->dimensions() > Limits::kMaxDimensions)
        return std::unexpected(OutOfRange(where, "vector length", s->dimensions()).error());
      if (s->prefilter() > 2)
        return std::unexpected(OutOfRange(where, "pre-filter", s->prefilter()).error());
      if (s->element() > 1)
        return std::unexpected(OutOfRange(where, "vector element", s->element()).error());
      lists.spaces.push_back({Text(s->name()), s->dimensions(), static_cast<Metric>(s->metric()),
                              s->prefilter() == 1 ? Prefilter::kInt8 : Prefilter::kNone,
                              static_cast<VectorElement>(s->element())});
    }
  return lists;
}

}  // namespace plexus::storage_internal
