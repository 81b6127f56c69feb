// Arrays of a batch, one behind the other, and behind them a digest of all.
#include "engine/bulk/stored_batch.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <bitset>
#include <memory>

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
  std::uint64_t digest = 0;
  std::uint64_t at = stored.at = scratch.Reserve(ColumnBytes(batch) + sizeof digest);
  Status status;
  ForEachColumn(batch, [&](auto& array) {
    const auto bytes = std::as_bytes(array.span());
    if (status && !bytes.empty()) status = scratch.Write(at, bytes);
    digest = ScratchDigest(bytes, digest);
    at += array.size_bytes();
  });
  PLEXUS_TRY(status);
  PLEXUS_TRY(scratch.Write(at, std::as_bytes(std::span(&digest, 1))));
  const NodeId nodes = batch.nodes;
  batch = {};
  batch.nodes = nodes;
  batch.stored = std::move(stored);
  return {};
}

Result<LoadBatch> ReadStored(const LoadBatch& batch, LoadScratch& scratch) {
  LoadBatch read;
  read.nodes = batch.nodes;
  std::uint64_t at = batch.stored.at, digest = 0, written = 0;
  unsigned bit = 1;
  Status status;
  ForEachColumn(read, [&]<class T>(AlignedArray<T>& array) {
    if (status && (batch.stored.columns & bit)) {
      array = AlignedArray<T>(batch.stored.edges);
      status = scratch.Read(at, std::as_writable_bytes(array.span()));
      at += array.size_bytes();
    }
    digest = ScratchDigest(std::as_bytes(array.span()), digest);
    bit <<= 1;
  });
  PLEXUS_TRY(status);
  PLEXUS_TRY(scratch.Read(at, std::as_writable_bytes(std::span(&written, 1))));
  if (digest != written) return DamagedScratch();
  return read;
}

void ForgetStored(const LoadBatch& batch, LoadScratch& scratch) {
  scratch.Forget(batch.stored.at, ColumnBytes(batch) + sizeof(std::uint64_t));
}

std::uint64_t ScratchDigest(std::span<const std::byte> bytes, std::uint64_t before) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), before);
}

std::unexpected<Error> DamagedScratch() {
  return Corrupted(
      "the scratch of a load has other bytes than were written there: its disk or the "
      "memory is damaged");
}

}  // namespace plexus
