// VectorTable: the rows of one vector space, aligned and ready to scan.
//
// Rows are f32 or f16 (row_layout.h), padded with zeros to a multiple of 64 bytes and aligned to
// it, in append-only chunks. A node's vector is replaced by appending a new
// row and re-pointing the node, so snapshots stay valid; a compaction drops dead
// rows (vector_compaction.h). One writer, any number of readers of Views.
//
// The first rows of a graph that was opened are stored ones (stored_vectors.h): which nodes have a
// vector is known, the values are read by View::Load. What reads values REQUIRES that Load
// succeeded on this view or one of the same table; Snapshot::vectors does it. Adding and removing
// vectors needs no values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/arrays/aligned_array.h"
#include "engine/arrays/paged_array.h"
#include "engine/payload.h"
#include "engine/types.h"
#include "engine/vectors/row_layout.h"
#include "engine/vectors/stored_vectors.h"

namespace plexus {

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
