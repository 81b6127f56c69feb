// Batches of a load that lie in its scratch: written once, read again. Used by who collects a load
// and by the engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/bulk/edge_load.h"
#include "engine/error.h"

namespace plexus {

// fn(array) for each array of a batch, in a fixed order; the first one is the edges.
template <class Batch, class Fn>
void ForEachColumn(Batch& batch, Fn&& fn) {
  fn(batch.edges);
  fn(batch.weights);
  fn(batch.kinds);
  fn(batch.labels);
  fn(batch.created_at);
  fn(batch.valid_from);
  fn(batch.valid_until);
}

// Bytes of its arrays, wherever they lie.
std::uint64_t ColumnBytes(const LoadBatch& batch);
// Which arrays are not empty, as StoredBatch::columns.
std::uint8_t ColumnsOf(const LoadBatch& batch);
// Writes the arrays of a batch with edges, of which none is longer than the edges, and frees them.
Status StoreBatch(LoadBatch& batch, LoadScratch& scratch);
// The batch with its arrays, not stored. REQUIRES a stored one. kCorruption: they are not as they
// were written.
Result<LoadBatch> ReadStored(const LoadBatch& batch, LoadScratch& scratch);
// What is stored of it is not needed again; `stored` stays as it is.
void ForgetStored(const LoadBatch& batch, LoadScratch& scratch);

// XXH3-64 of what is written to a scratch, going on from `before`.
std::uint64_t ScratchDigest(std::span<const std::byte> bytes, std::uint64_t before);
// What is read has another digest: kCorruption.
std::unexpected<Error> DamagedScratch();

}  // namespace plexus
