// The rows of a load and the changes of its batches (edge_load.h). Private to the engine.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/adjacency/csr.h"
#include "engine/bulk/edge_load.h"
#include "engine/error.h"
#include "engine/monitoring/monitoring.h"
#include "engine/parallel.h"

namespace plexus::engine_internal {

struct LoadShape {
  NodeId nodes = 0;
  StringId strings = 1;
  std::int64_t time_ms = 0;
  const Schema* schema = nullptr;
  const Csr* base = nullptr;  // the edges that are there before; null: none of these kinds
  bool merges = false;        // the rows are merged with others, and need no in arrays
};

// The changes of a load that lie in its scratch. A run is what some batches in a row changed.
class LoadRuns {
 public:
  virtual ~LoadRuns() = default;
  // The changes of the run of a batch, into its batches. Returns the end of them.
  virtual Result<std::size_t> Fetch(std::vector<LoadBatch>& batches, std::size_t batch) = 0;
  // Frees what was fetched last.
  virtual void Drop(std::vector<LoadBatch>& batches) = 0;
  // The rows that the batches before `batch` make, which name so many nodes.
  virtual Result<std::shared_ptr<Csr>> RowsBefore(std::size_t batch, NodeId nodes,
                                                  const Schema& schema) = 0;
  // By batch: changes, and those of edges that were there before.
  std::vector<std::uint64_t> changes, changed;
};

struct LoadedRows {
  // All edges; where there was a base, what is new or other than there, without in arrays.
  std::shared_ptr<Csr> rows = {};
  std::uint64_t same = 0;               // edges that a batch states as they are, each once a batch
  std::shared_ptr<LoadRuns> runs = {};  // set: the changes lie there
};

// Turns the edges of each batch into its changes, and gives the rows. REQUIRES batches that were
// checked. kResourceExhausted above the limits, kInvalidArgument for an edge that is valid until a
// time before it is valid from. `scratch`, which may be null, gets what passes `memory` bytes.
// kCancelled by `progress`, which may be null.
Result<LoadedRows> BuildLoadedRows(std::vector<LoadBatch>& batches, const LoadShape& shape,
                                   std::shared_ptr<LoadScratch> scratch, std::uint64_t memory,
                                   Progress* progress, Executor& executor);

// How many edges there are of each kind of the schema; symmetric ones once.
std::vector<std::uint64_t> CountEdges(const Csr& csr, const Schema& schema, Executor& executor);

// A csr with the edges of `base` and of `added` (whose in arrays are not read), which has at least
// as many nodes; where both have an edge, that of `added`. Takes O(edges) time, and next to the
// result `memory` bytes or 4 bytes an arc, whichever is more. kResourceExhausted above
// Limits::kMaxArcs; kFailedPrecondition where an edge of `added` replaces one with properties or a
// created_by, which a load cannot state.
Result<std::shared_ptr<Csr>> MergeRows(const Csr& base, const Csr& added, std::uint64_t memory,
                                       Executor& executor);

}  // namespace plexus::engine_internal
