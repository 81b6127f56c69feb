// GraphArrays: a graph as flat arrays in the host's memory, loaded at once.
//
//   const std::string_view kinds[] = {"knows", "caused_by"};
//   GraphArrays arrays;
//   arrays.key_bytes = "annbobcat";
//   arrays.key_offsets = offsets;  // 0, 3, 6, 9
//   arrays.sources = sources;      // positions of keys
//   arrays.targets = targets;
//   arrays.kinds = kinds;
//   arrays.kind_of = kind_of;      // positions in kinds
//   auto report = LoadArrays(database->graph(), arrays);
//
// Nothing is kept of the arrays. engine/bulk/README.md compares the ways to load.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/bulk/edge_load.h"
#include "engine/error.h"
#include "engine/graph.h"
#include "engine/parallel.h"
#include "engine/types.h"

namespace plexus {

struct GraphArrays {
  // Key i is key_bytes[key_offsets[i], key_offsets[i + 1]), and its node gets the id i, with or
  // without an edge. No offsets: ends are numbers, a node's key is its number in decimal, and ids
  // are given in the order in which edges name numbers.
  std::string_view key_bytes = {};
  std::span<const std::uint64_t> key_offsets = {};
  std::span<const std::uint32_t> sources = {}, targets = {};  // positions of keys, or numbers

  // Parallel to sources, or empty.
  std::span<const float> weights = {};          // NaN: not stated
  std::span<const std::uint16_t> kind_of = {};  // positions in kinds; empty: all of kinds[0]
  std::span<const std::int64_t> created_at = {}, valid_from = {}, valid_until = {};  // kNoTime: not
  // Names of edge kinds; those of a new kind define it (fact plane, directed). Empty: link.
  std::span<const std::string_view> kinds = {};

  // Of nodes, where there are keys: parallel to them, positions in node_kinds; empty: kind node.
  std::span<const std::uint16_t> node_kind_of = {};
  std::span<const std::string_view> node_kinds = {};

  std::int64_t time_ms = kNoTime;  // as of a WriteBatch
};

// Copies the arrays into what Graph::Load takes, in batches of a million edges. kInvalidArgument:
// an array of another length, a position that is none, a key that is there twice; the rest Load
// checks. Throws std::bad_alloc.
Result<EdgeLoad> LoadOfArrays(const GraphArrays& arrays, Executor& executor);

// Loads an empty graph, in RAM or of a database. Errors: those of LoadOfArrays and of Graph::Load;
// nothing was changed.
Result<ApplyReport> LoadArrays(Graph& graph, const GraphArrays& arrays,
                               const ApplyOptions& options = {}, Progress* progress = nullptr);

}  // namespace plexus
