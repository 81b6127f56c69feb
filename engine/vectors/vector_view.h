// The vectors of a space as a snapshot has them: how a row lies in memory, and which node's it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "engine/arrays/aligned_array.h"
#include "engine/arrays/views.h"
#include "engine/error.h"
#include "engine/schema.h"
#include "engine/types.h"

namespace plexus {

class PayloadStore;
class StoredVectors;
struct VectorChunks;

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

// A row of halves as stride() floats. REQUIRES an f16 layout.
void DecodeRow(const RowLayout& layout, const std::byte* row, float* values);

// --- VectorView: the rows of one vector space, aligned and ready to scan.
//
// Rows are f32 or f16, padded with zeros to a multiple of 64 bytes and aligned to it. Of a graph
// that was opened the first rows are in the payload store until Load reads them: which nodes have a
// vector is known before. What reads values REQUIRES that Load succeeded on this view or one of the
// same table; Snapshot::vectors does it.
//
// Complexity: O(1), live_count O(rows purged since opening), values of f16 O(dimensions).
// Threads: thread-safe, each with a buffer of its own.

inline constexpr std::uint32_t kNoRow = 0xFFFFFFFFu;

class VectorView {
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

  const RowLayout& layout() const { return layout_; }
  std::uint32_t dimensions() const { return layout_.dimensions; }
  std::uint32_t stride() const { return layout_.stride(); }  // floats of a row, zeros included
  std::uint32_t row_count() const { return row_count_; }     // dead rows included
  std::uint64_t live_count() const;
  // A stored vector that was purged after this view was made is there until it is loaded.
  bool has(NodeId node) const {
    const std::uint32_t row = row_of_[node];
    return row != kNoRow && !(stored_ && Purged(row));
  }
  // Which payload holds the node's vector, also a purged one; none when it has none.
  PayloadRef ref(NodeId node) const;

  // Reads the values of stored rows, if there are any and they are not read yet. `store`: the one
  // of the graph. Complexity: O(bytes of the space), the first time. Memory: not_loaded_bytes().
  // Errors: kCorruption: a row of this view is damaged, with its payload; kFailedPrecondition: the
  // database is closed; kResourceExhausted: no memory.
  Status Load(const PayloadStore* store) const;
  bool loaded() const;
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
  std::uint32_t stored_rows() const;
  bool Purged(std::uint32_t row) const;  // REQUIRES stored rows
  // The node's row when it has a vector, else kNoRow.
  std::uint32_t RowOf(NodeId node) const;
  const std::byte* Place(std::uint32_t row) const;
  RowLayout layout_;
  std::uint32_t row_count_ = 0;
  std::uint64_t live_ = 0;
  std::shared_ptr<StoredVectors> stored_;       // the first rows, or null
  std::shared_ptr<const VectorChunks> chunks_;  // the others
  PagedView<std::uint32_t> row_of_;             // by node
  PagedView<NodeId> node_of_;                   // by row
  PagedView<std::uint64_t> ref_of_;             // by row
};

}  // namespace plexus
