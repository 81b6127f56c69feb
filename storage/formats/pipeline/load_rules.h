// What an import asks around Graph::Load. Internal to storage/formats.
#pragma once

#include <cstdint>

#include "engine/error.h"
#include "engine/graph.h"
#include "engine/snapshot.h"
#include "storage/formats/import.h"

namespace plexus::formats::internal {

// Whether edges may be loaded at once, so many of them that it costs less. Where new facts get a
// scope, or each batch is completed, they go batch by batch.
bool MayLoad(const Graph& graph, const ImportOptions& options);
// From a tenth of the graph on it costs less to sort edges apart and to merge them once.
bool AreMany(std::uint64_t edges, const Snapshot& graph);

// Whether the graph is as it was before the load, and batches may do.
bool LoadRefused(const Graph& graph, const Error& error);
// The error of a load with what the graph may have of it.
Error LoadError(const Graph& graph, Error error);

// Errors that a record can cause, as against those of the disk or the caller.
bool IsRecordError(const Graph& graph, const Error& error);

}  // namespace plexus::formats::internal
