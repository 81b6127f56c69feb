// Adds up the parts of a GraphState.
#include "engine/monitoring/monitoring.h"

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include "engine/arrays/freed_memory.h"
#include "engine/state.h"

namespace plexus {

metrics::ProcessBytes metrics::MeasureProcess() {
  ProcessBytes bytes;
  bytes.resident = ResidentBytes();
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 33)
  bytes.allocator_free = mallinfo2().fordblks;
#endif
#endif
  return bytes;
}

metrics::GraphBytes metrics::MeasureBytes(const Snapshot& snapshot) {
  const GraphState& state = snapshot.state();
  GraphBytes bytes;
  std::uint64_t offsets = 0, arcs = 0;
  if (state.base) {
    const Csr& base = *state.base;
    offsets = base.out_offsets.size_bytes() + base.in_offsets.size_bytes();
    arcs = base.arc_count();
    bytes.csr = base.dense_bytes();
    bytes.sparse = base.sparse_bytes();
  }
  if (state.base) bytes.derived += state.base->derived.size_bytes();
  bytes.derived += state.derived.kept.size_bytes();
  if (state.derived.lineage) bytes.derived += state.derived.lineage->size_bytes();
  for (const auto& run : state.runs) bytes.delta += run->size_bytes();
  if (state.dirty) bytes.delta += state.dirty->size_bytes();
  bytes.nodes = state.node_kinds.size_bytes() + state.node_flags.size_bytes();
  bytes.keys = state.keys.size_bytes();
  bytes.strings = state.strings.size_bytes();
  for (const auto& column : state.columns) bytes.columns += column.size_bytes();
  for (const auto& refs : state.payload_refs) bytes.payload_refs += refs.size_bytes();
  for (const auto& space : state.spaces) {
    bytes.vectors += space.size_bytes();
    bytes.vectors_not_loaded += space.not_loaded_bytes();
  }
  bytes.total = bytes.csr + bytes.sparse + bytes.delta + bytes.nodes + bytes.keys + bytes.strings +
                bytes.columns + bytes.payload_refs + bytes.vectors + bytes.derived;
  if (arcs > 0)
    bytes.per_edge = static_cast<double>(bytes.csr - offsets) / static_cast<double>(arcs);
  if (snapshot.node_count() > 0)
    bytes.per_node = static_cast<double>(offsets + bytes.nodes) / snapshot.node_count();
  return bytes;
}

}  // namespace plexus
