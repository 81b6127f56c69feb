// The rows of a load and the changes of its batches (edge_load.h). Private to the engine.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/bulk/edge_load.h"

namespace plexus::engine_internal {

struct LoadShape {
  NodeId nodes = 0;
  StringId strings = 1;
  std::int64_t time_ms = 0;
  const Schema* schema = nullptr;
};

struct LoadedRows {
  std::shared_ptr<Csr> base = {};
  std::uint64_t same = 0;  // edges that a batch states as they are, each once a batch
};

// Turns the edges of each batch into its changes, and gives the base. REQUIRES batches that were
// checked. kResourceExhausted above the limits, kInvalidArgument for an edge that is valid until a
// time before it is valid from.
Result<LoadedRows> BuildLoadedRows(std::vector<LoadBatch>& batches, const LoadShape& shape,
                                   Executor& executor);

// How many edges there are of each kind of the schema; symmetric ones once.
std::vector<std::uint64_t> CountEdges(const Csr& csr, const Schema& schema, Executor& executor);

}  // namespace plexus::engine_internal
