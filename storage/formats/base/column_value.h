// The value of a node's column, whatever its type.
#pragma once

#include <bit>
#include <cstdint>

#include "engine/snapshot.h"

namespace plexus::formats::internal {

// fn(value) with the double, std::int64_t or std::string_view behind the bits of a column.
template <class Fn>
void VisitColumn(const Snapshot& snapshot, ColumnId column, std::uint64_t bits, Fn&& fn) {
  switch (snapshot.schema().columns()[column].type) {
    case ColumnType::kF64:
      return fn(std::bit_cast<double>(bits));
    case ColumnType::kI64:
      return fn(static_cast<std::int64_t>(bits));
    case ColumnType::kString:
      return fn(snapshot.string(static_cast<StringId>(bits)));
  }
}

// The same of a node; false: it has none.
template <class Fn>
bool VisitColumn(const Snapshot& snapshot, NodeId node, ColumnId column, Fn&& fn) {
  const std::uint64_t bits = snapshot.column_bits(column, node);
  if (bits == AbsentBits(snapshot.schema().columns()[column].type)) return false;
  VisitColumn(snapshot, column, bits, fn);
  return true;
}

}  // namespace plexus::formats::internal
