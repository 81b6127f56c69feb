// PieceEdges: the edges of a piece whose keys have no ids yet; see edge_loader.h.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/bulk/edge_load.h"

namespace plexus::formats_internal {

struct PieceEdges {
  static constexpr std::uint32_t kNamed = 1u << 31;
  struct Name {
    std::string_view text;  // in the block
    std::uint64_t hash = 0;
  };
  // Endpoints are numbers below kNamed, keys by themselves, or kNamed | position in `names`.
  LoadBatch batch;
  std::vector<Name> names;
  std::uint32_t largest = 0;  // number
  bool plain = true;          // false: the piece holds what edges and weights do not say
};

}  // namespace plexus::formats_internal
