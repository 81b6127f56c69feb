// The vectors of a space: how a row lies in memory, rows of the store, and the table of both.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/arrays/aligned_array.h"
#include "engine/arrays/paged_array.h"
#include "engine/error.h"
#include "engine/mutex.h"
#include "engine/payload.h"
#include "engine/schema.h"
#include "engine/types.h"

namespace plexus {

// --- RowLayout: how the values of a vector lie, in a payload and in a row in RAM.
//
// A payload has the values behind each other, f32 or f16 (half.h), little-endian. A row is the same
// bytes and zeros up to a multiple of 64. Readers of an f16 space see f32: each half is one
// exactly, so what is computed of them is what an f32 space of the rounded values has.

struct RowLayout {
  std::uint32_t dimensions = 0;
  VectorElement element = VectorElement::kF32;

  static RowLayout Of(const VectorSpace& space) { return {space.dimensions, space.element}; }

  std::size_t value_bytes() const { return element == VectorElement::kF16 ? 2 : 4; }
  std::size_t vector_bytes() const { return dimensions * value_bytes(); }  // of a payload
  std::size_t row_bytes() const { return (vector_bytes() + 63) / 64 * 64; }
  // Floats of a row as readers see it: the values and zeros up to a multiple of 16.
  std::uint32_t stride() const { return (dimensions + 15) / 16 * 16; }
  bool operator==(const RowLayout&) const = default;
};

// Room for the values of one vector of an f16 space; one of an f32 space does not use it.
class VectorBuffer {
 public:
  float* Room(std::size_t floats) {  // throws std::bad_alloc
    if (floats > values_.size()) values_ = AlignedArray<float>(floats);
    return values_.data();
  }

 private:
  AlignedArray<float> values_;
};

// REQUIRES vector_bytes() there.
bool AllFinite(const RowLayout& layout, const void* values);
// A row of halves as stride() floats. REQUIRES an f16 layout.
void DecodeRow(const RowLayout& layout, const std::byte* row, float* values);
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

// --- VectorTable: the rows of one vector space, aligned and ready to scan.
//
// Rows are f32 or f16, padded with zeros to a multiple of 64 bytes and aligned to
// it, in append-only chunks. A node's vector is replaced by appending a new
// row and re-pointing the node, so snapshots stay valid; a compaction drops dead
// rows (vector_compaction.h). One writer, any number of readers of Views.
//
// The first rows of a graph that was opened are stored ones: which nodes have a
// vector is known, the values are read by View::Load. What reads values REQUIRES that Load
// succeeded on this view or one of the same table; Snapshot::vectors does it. Adding and removing
// vectors needs no values.

inline constexpr std::uint32_t kNoRow = 0xFFFFFFFFu;

class VectorTable {
  struct Chunks;

 public:
  // Rows that lie behind each other in memory, layout().row_bytes() each.
  struct Stretch {
    const std::byte* first;
    std::uint32_t count;
  };
  // A stretch and what keeps it there. Rows never change in place, so an address that is kept alive
  // names their values.
  struct Block {
    Stretch rows;
    std::shared_ptr<const void> owner;
  };

  class View {
   public:
    const RowLayout& layout() const { return layout_; }
    std::uint32_t dimensions() const { return layout_.dimensions; }
    std::uint32_t stride() const { return layout_.stride(); }  // floats of a row, zeros included
    std::uint32_t row_count() const { return row_count_; }     // dead rows included
    std::uint64_t live_count() const;
    // A stored vector that was purged after this view was made is there until it is loaded.
    bool has(NodeId node) const {
      const std::uint32_t row = row_of_[node];
      return row != kNoRow && !(stored_ && stored_->purged(row));
    }
    // Which payload holds the node's vector, also a purged one; none when it has none.
    PayloadRef ref(NodeId node) const;

    // Reads the values of stored rows, if there are any and they are not read yet. kCorruption: a
    // row of this view is damaged, with its payload; kFailedPrecondition: the database is closed.
    // Thread-safe. `store`: the one of the graph.
    Status Load(const PayloadStore* store) const;
    bool loaded() const { return !stored_ || stored_->loaded(); }
    // Is this the node's vector, bit by bit, as payloads have it? Without Load it reads this row
    // only, until so many were read that loading is cheaper.
    Result<bool> Equals(NodeId node, std::string_view bytes, const PayloadStore* store) const;

    // --- values. REQUIRES loaded().
    // `dimensions()` floats, with zeros up to stride() behind them; none when the node has no
    // vector here. An f32 space's lie in the row, an f16 space's in `buffer` until its next use.
    // Throws std::bad_alloc.
    std::span<const float> vector(NodeId node, VectorBuffer& buffer) const;
    std::span<const float> row(std::uint32_t row, VectorBuffer& buffer) const;
    // The values as the row and payloads have them; none when the node has no vector here.
    std::string_view bytes(NodeId node) const;
    std::string_view bytes_of_row(std::uint32_t row) const;
    // Row `first` and those that lie behind it in memory: what a scan reads at a stretch. At least
    // one row; REQUIRES first < row_count().
    Stretch rows_from(std::uint32_t first) const;
    // All rows, in order, cut where memory is.
    std::size_t block_count() const;
    Block block(std::size_t i) const;
    // The node a row belongs to, kNoNode when the row is dead in this view.
    NodeId node_of_row(std::uint32_t row) const;

    std::uint64_t size_bytes() const;        // in RAM
    std::uint64_t not_loaded_bytes() const;  // what Load would add

   private:
    friend class VectorTable;
    friend class VectorCompaction;
    std::uint32_t stored_rows() const { return stored_ ? stored_->rows() : 0; }
    // The node's row when it has a vector, else kNoRow.
    std::uint32_t RowOf(NodeId node) const;
    const std::byte* Place(std::uint32_t row) const;
    RowLayout layout_;
    std::uint32_t row_count_ = 0;
    std::uint64_t live_ = 0;
    std::shared_ptr<StoredVectors> stored_;   // the first rows, or null
    std::shared_ptr<const Chunks> chunks_;    // the others
    PagedArray<std::uint32_t>::View row_of_;  // by node
    PagedArray<NodeId>::View node_of_;        // by row
    PagedArray<std::uint64_t>::View ref_of_;  // by row
  };

  explicit VectorTable(RowLayout layout);
  explicit VectorTable(View view);  // continues from a view, as StringTable does
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
  View Publish();

 private:
  void AddChunk();
  void Point(NodeId node, PayloadRef ref);  // at the row that is added

  RowLayout layout_;
  std::uint32_t rows_per_chunk_;
  std::uint32_t row_count_ = 0;
  std::uint32_t stored_rows_ = 0;  // the first rows
  std::uint64_t live_ = 0;
  std::shared_ptr<StoredVectors> stored_;  // of so many rows as at the last Publish
  std::shared_ptr<Chunks> chunks_;
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
