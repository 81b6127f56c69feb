// A digest of a node's edges of one kind, for batches that expect them as they were.
#pragma once

#include <bit>
#include <cstdint>

#include "engine/snapshot.h"

namespace plexus::engine_internal {

// Of the edges from `node` with all they have but created_at; 0 for a node that is not there.
inline std::uint64_t EdgesDigest(const Snapshot& snapshot, NodeId node, EdgeKindId kind) {
  if (node == kNoNode || node >= snapshot.node_count() || !snapshot.alive(node)) return 0;
  if (kind >= snapshot.schema().edge_kinds().size()) return 0;
  std::uint64_t digest = 0;
  const auto add = [&](std::uint64_t value) {
    digest = (digest ^ value) * 0x9E37'79B9'7F4A'7C15ull;
    digest ^= digest >> 32;
  };
  snapshot.ForEachArc(Direction::kOut, node, ArcFilter::Kind(snapshot.schema(), kind),
                      [&](const Arc& arc) {
                        const Edge edge = snapshot.edge(arc, node);
                        add(arc.neighbor + std::uint64_t{1});
                        add(std::uint64_t{edge.label} << 32 | edge.created_by);
                        add(std::bit_cast<std::uint32_t>(edge.weight));
                        add(static_cast<std::uint64_t>(edge.valid_from));
                        add(static_cast<std::uint64_t>(edge.valid_until));
                        add(edge.properties.bits);
                      });
  return digest;
}

}  // namespace plexus::engine_internal
