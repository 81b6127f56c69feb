// Arrays of a batch, one behind the other.
#include "engine/bulk/stored_batch.h"

#include <algorithm>
#include <bitset>
#include <memory>
#include <span>

namespace plexus {

namespace {

// The kinds that stand in `of`, ascending.
std::vector<KindId> Distinct(std::span<const KindId> of) {
  const auto seen = std::make_unique<std::bitset<65536>>();
  for (const KindId kind : of) seen->set(kind);
  std::vector<KindId> kinds;
  for (std::size_t kind = 0; kind < seen->size(); ++kind)
    if (seen->test(kind)) kinds.push_back(static_cast<KindId>(kind));
  return kinds;
}

}  // namespace

std::uint8_t ColumnsOf(const LoadBatch& batch) {
  unsigned columns = 0, bit = 1;
  ForEachColumn(batch, [&](const auto& array) {
    if (!array.empty()) columns |= bit;
    bit <<= 1;
  });
  return static_cast<std::uint8_t>(columns);
}

std::uint64_t ColumnBytes(const LoadBatch& batch) {
  std::uint64_t bytes = 0;
  unsigned bit = 1;
  ForEachColumn(batch, [&](const auto& array) {
    if (batch.stored.columns & bit) bytes += batch.stored.edges * sizeof(array[0]);
    bytes += array.size_bytes();
    bit <<= 1;
  });
  return bytes;
}

Status StoreBatch(LoadBatch& batch, LoadScratch& scratch) {
  if (batch.edges.empty()) return {};
  StoredBatch stored;
  stored.edges = batch.edges.size();
  stored.columns = ColumnsOf(batch);
  if (!batch.kinds.empty()) stored.kinds = Distinct(batch.kinds.span());
  if (!batch.labels.empty()) stored.strings = *std::ranges::max_element(batch.labels) + 1;
  std::uint64_t at = stored.at = scratch.Reserve(ColumnBytes(batch));
  Status status;
  ForEachColumn(batch, [&](auto& array) {
    if (status) status = scratch.Write(at, std::as_bytes(array.span()));
    at += array.size_bytes();
  });
  PLEXUS_TRY(status);
  const NodeId nodes = batch.nodes;
  batch = {};
  batch.nodes = nodes;
  batch.stored = std::move(stored);
  return {};
}

Result<LoadBatch> ReadStored(const LoadBatch& batch, LoadScratch& scratch) {
  LoadBatch read;
  read.nodes = batch.nodes;
  std::uint64_t at = batch.stored.at;
  unsigned bit = 1;
  Status status;
  ForEachColumn(read, [&]<class T>(AlignedArray<T>& array) {
    if (status && (batch.stored.columns & bit)) {
      array = AlignedArray<T>(batch.stored.edges);
      status = scratch.Read(at, std::as_writable_bytes(array.span()));
      at += array.size_bytes();
    }
    bit <<= 1;
  });
  PLEXUS_TRY(status);
  return read;
}

void ForgetStored(const LoadBatch& batch, LoadScratch& scratch) {
  scratch.Forget(batch.stored.at, ColumnBytes(batch));
}

}  // namespace plexus
