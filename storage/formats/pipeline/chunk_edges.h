// PieceEdges: the edges of a piece whose keys, kinds and labels have no ids yet; see edge_loader.h.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/bulk/edge_load.h"

namespace plexus::formats::internal {

struct PieceEdges {
  static constexpr std::uint32_t kNamed = 1u << 31;
  struct Name {
    std::string_view text;  // in the block
    std::uint64_t hash = 0;
  };
  // Endpoints are numbers below kNamed, keys by themselves, or kNamed | position in `names`. Kinds
  // are built-in ones, kReversed added where the edge is stored the other way round, or
  // kFirstUserEdgeKind + position in `kinds`; labels are 0 or 1 + position in `labels`.
  static constexpr KindId kReversed = 1u << 15;
  LoadBatch batch;
  std::vector<Name> names, labels;
  std::vector<std::string_view> kinds;  // distinct, by first appearance
  std::uint32_t largest = 0;  // number
  bool reversed = false;  // some kind is
  bool plain = true;          // false: the piece holds more than such edges
};

}  // namespace plexus::formats::internal
