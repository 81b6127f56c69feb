// StoredVectors: rows of a vector space whose values are still in the payload store.
//
// A graph that is opened knows at once which nodes have a vector and which payload holds it; the
// values are read at the first use: all rows, in the order in which they are stored, several blocks
// at once, into one array. Views of one table share the object, so the values are read once.
// Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/arrays/aligned_array.h"
#include "engine/arrays/paged_array.h"
#include "engine/error.h"
#include "engine/mutex.h"
#include "engine/payload.h"
#include "engine/vectors/row_layout.h"

namespace plexus {

class StoredVectors {
 public:
  using Refs = PagedArray<std::uint64_t>::View;  // of rows
  struct Damaged {
    std::uint32_t row;
    Error error;
  };

  StoredVectors(std::uint32_t rows, RowLayout layout) : rows_(rows), layout_(layout) {}

  std::uint32_t rows() const { return rows_; }
  bool loaded() const { return values_.load(std::memory_order_acquire) != nullptr; }
  std::uint64_t size_bytes() const { return rows_ * std::uint64_t{layout_.row_bytes()}; }

  // Reads all rows if that was not done. What keeps it from reading at all (a closed
  // database, I/O, memory) is its error and may be tried again; rows whose bytes were
  // purged or are damaged are noted and hold zeros.
  Status Load(const Refs& refs, const PayloadStore* store);

  // REQUIRES loaded().
  const std::byte* Row(std::uint32_t row) const {
    const std::byte* const values = values_.load(std::memory_order_acquire);
    PLEXUS_CHECK(values, "vectors are loaded (Snapshot::vectors) before they are read");
    return values + row * layout_.row_bytes();
  }
  // Known once it is loaded; false before.
  bool purged(std::uint32_t row) const {
    return row < rows_ && loaded() && !purged_.empty() && IsPurged(row);
  }
  // Ascending. REQUIRES loaded().
  const std::vector<std::uint32_t>& purged() const { return purged_; }
  const std::vector<Damaged>& damaged() const { return damaged_; }

  // Counts a single look-up; true when so many were made that reading all is cheaper.
  bool WorthLoading() {
    return single_reads_.fetch_add(1, std::memory_order_relaxed) >= rows_ / kRowsPerSingleRead;
  }

 private:
  static constexpr std::uint32_t kRowsPerSingleRead =
      16;  // one look-up costs as many rows in order
  struct Block;

  bool IsPurged(std::uint32_t row) const;
  void Fill(const PayloadStore& store, Block& block, std::byte* values) const;

  const std::uint32_t rows_;
  const RowLayout layout_;
  std::atomic<std::uint32_t> single_reads_{0};
  Mutex mutex_;  // of loading; what is below is written before values_ is
  AlignedArray<std::byte> array_;
  std::vector<std::uint32_t> purged_;
  std::vector<Damaged> damaged_;
  std::atomic<const std::byte*> values_{nullptr};
};

}  // namespace plexus
