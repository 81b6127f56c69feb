// The table of a space's vectors: rows of the store, then rows in memory. Private.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/arrays/aligned_array.h"
#include "engine/arrays/paged_array.h"
#include "engine/error.h"
#include "engine/mutex.h"
#include "engine/record.h"
#include "engine/schema.h"
#include "engine/types.h"
#include "engine/vectors/vector_view.h"

namespace plexus {

// REQUIRES vector_bytes() there.
bool AllFinite(const RowLayout& layout, const void* values);
// The f32 values of `floats` rounded to halves. REQUIRES that they are below kHalfOverflow.
std::string RoundedToHalves(std::string_view floats);

// --- StoredVectors: rows of a vector space whose values are still in the payload store.
//
// A graph that is opened knows at once which nodes have a vector and which payload holds it; the
// values are read at the first use: all rows, in the order in which they are stored, several blocks
// at once, into one array. Views of one table share the object, so the values are read once.
// Thread-safe.

class StoredVectors {
 public:
  using Refs = PagedView<std::uint64_t>;  // of rows
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

// --- VectorTable: the rows of one vector space, for its writer.
//
// Rows lie in append-only chunks. A node's vector is replaced by appending a new
// row and re-pointing the node, so snapshots stay valid; a compaction drops dead
// rows (vector_compaction.h). One writer, any number of readers of views. The first rows of a graph
// that was opened are stored ones; adding and removing vectors needs no values.

class VectorTable {
 public:
  explicit VectorTable(RowLayout layout);
  explicit VectorTable(VectorView view);  // continues from a view, as StringTable does
  // Of stored rows: nodes[i] has the vector refs[i]. REQUIRES nodes ascending, each once.
  VectorTable(RowLayout layout, std::span<const NodeId> nodes, std::span<const std::uint64_t> refs);
  ~VectorTable();
  VectorTable(VectorTable&&) noexcept;
  VectorTable& operator=(VectorTable&&) noexcept;

  const RowLayout& layout() const { return layout_; }
  // `values`: as payloads have them. REQUIRES layout().vector_bytes() of them, all finite.
  void Set(NodeId node, std::string_view values, PayloadRef ref);
  void Remove(NodeId node);
  // A vector whose values are in the payload store and stay there until they are loaded.
  // REQUIRES all_stored().
  void SetStored(NodeId node, PayloadRef ref);
  // No row has its values here.
  bool all_stored() const { return row_count_ == stored_rows_; }
  // Bytes of rows that no node points at, in RAM. Not those of stored rows before they are loaded.
  std::uint64_t dead_bytes() const;
  // True when dead rows are more than `least` bytes and a `divisor`-th of what the live ones take.
  bool WorthCompacting(std::uint64_t least, std::uint64_t divisor) const;
  // The same of all dead rows, also of stored ones that are not loaded.
  bool WorthDropping(std::uint64_t least, std::uint64_t divisor) const;
  VectorView Publish();

 private:
  void AddChunk();
  void Point(NodeId node, PayloadRef ref);  // at the row that is added

  RowLayout layout_;
  std::uint32_t rows_per_chunk_;
  std::uint32_t row_count_ = 0;
  std::uint32_t stored_rows_ = 0;  // the first rows
  std::uint64_t live_ = 0;
  std::shared_ptr<StoredVectors> stored_;  // of so many rows as at the last Publish
  std::shared_ptr<VectorChunks> chunks_;
  bool chunks_shared_ = false;
  // Chunks of a large space are cut from slabs on huge pages; tables that go on from the
  // same view begin slabs of their own.
  std::shared_ptr<std::byte> slab_;
  std::size_t slab_free_ = 0;  // bytes at its end
  PagedArray<std::uint32_t> row_of_{kNoRow};
  PagedArray<NodeId> node_of_{kNoNode};
  PagedArray<std::uint64_t> ref_of_{0};
};

}  // namespace plexus
