// Schemas to definition lists and back.
#include "storage/encoding/definitions.h"

#include <algorithm>
#include <string>

#include "engine/out_of_memory.h"
#include "engine/vocabulary.h"
#include "storage/encoding/format_versions.h"

namespace plexus::storage_internal {

namespace {

template <class T>
std::vector<T> From(const std::vector<T>& all, std::size_t first) {
  if (all.size() <= first) return {};
  return std::vector<T>(all.begin() + static_cast<std::ptrdiff_t>(first), all.end());
}

template <class T>
Status DefineAll(Schema& schema, const std::vector<T>& all, std::size_t first,
                 std::string_view where) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto id = schema.Restore(all[i]);
    if (!id && id.error().message == kOutOfMemory) return OutOfMemory();  // no damage
    if (!id || *id != first + i)
      return Corrupted(where, ": the definition of '", all[i].name, "' does not fit",
                       (id ? "" : " (" + id.error().message + ")"));
  }
  return {};
}

}  // namespace

std::uint16_t VersionOf(const std::vector<VectorSpace>& spaces) {
  std::uint16_t version = 0;
  for (const VectorSpace& space : spaces) {
    if (space.prefilter != Prefilter::kNone) version = std::max(version, kPrefilterVersion);
    if (space.element != VectorElement::kF32) version = std::max(version, kHalvesVersion);
  }
  return version;
}

DefinitionLists UserDefinitions(const Schema& schema) {
  DefinitionLists lists;
  lists.first_node_kind = builtin::kFirstUserNodeKind;
  lists.node_kinds = From(schema.node_kinds(), builtin::kFirstUserNodeKind);
  lists.first_edge_kind = builtin::kFirstUserEdgeKind;
  lists.edge_kinds = From(schema.edge_kinds(), builtin::kFirstUserEdgeKind);
  lists.first_column = builtin::kFirstUserColumn;
  lists.columns = From(schema.columns(), builtin::kFirstUserColumn);
  lists.first_space = {};
  lists.spaces = schema.spaces();
  return lists;
}

Result<Schema> SchemaOf(const DefinitionLists& lists, std::string_view where) {
  Schema schema;
  PLEXUS_TRY(DefineAll(schema, lists.node_kinds, lists.first_node_kind, where));
  PLEXUS_TRY(DefineAll(schema, lists.edge_kinds, lists.first_edge_kind, where));
  PLEXUS_TRY(DefineAll(schema, lists.columns, lists.first_column, where));
  PLEXUS_TRY(DefineAll(schema, lists.spaces, lists.first_space, where));
  return schema;
}

}  // namespace plexus::storage_internal
