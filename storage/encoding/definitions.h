// Definitions of kinds, columns and spaces, as records and manifests carry them.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/schema.h"
#include "engine/types.h"

namespace plexus::storage_internal {

// In id order; `first_*` is the id of the first one listed.
struct DefinitionLists {
  NodeKindId first_node_kind{};
  std::vector<NodeKind> node_kinds;
  EdgeKindId first_edge_kind{};
  std::vector<EdgeKind> edge_kinds;
  ColumnId first_column{};
  std::vector<Column> columns;
  SpaceId first_space{};
  std::vector<VectorSpace> spaces;
};

// The version that a buffer with these definitions has at least: an older program would not know
// what to do with one of them. 0: any.
std::uint16_t VersionOf(const std::vector<VectorSpace>& spaces);
// What `schema` holds beyond the built-in vocabulary.
DefinitionLists UserDefinitions(const Schema& schema);
// The built-in vocabulary plus `lists`; kCorruption when an id comes out otherwise.
Result<Schema> SchemaOf(const DefinitionLists& lists, std::string_view where);

}  // namespace plexus::storage_internal
