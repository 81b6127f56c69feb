// VectorTable: the rows of one vector space, aligned and ready to scan.
//
// Rows are f32, padded to a multiple of 16 floats with zeros and aligned to 64
// bytes, in append-only chunks. A node's vector is replaced by appending a new
// row and re-pointing the node, so snapshots stay valid; dead rows are dropped
// when a checkpoint is opened. One writer, any number of readers of Views.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/aligned_array.h"
#include "engine/paged_array.h"
#include "engine/payload.h"
#include "engine/types.h"

namespace plexus {

inline constexpr std::uint32_t kNoRow = 0xFFFFFFFFu;

class VectorTable {
  struct Chunks;

 public:
  class View {
   public:
    std::uint32_t dimensions() const { return dimensions_; }
    std::uint32_t stride() const { return stride_; }      // floats between rows
    std::uint32_t row_count() const { return row_count_; } // dead rows included
    std::uint64_t live_count() const { return live_; }
    bool has(NodeId node) const { return row_of_[node] != kNoRow; }
    // `dimensions()` floats, or empty when the node has no vector here.
    std::span<const float> vector(NodeId node) const;
    std::span<const float> row(std::uint32_t row) const;
    // Row `first` and those that lie behind it in memory, stride() floats apart, the
    // zeros at their ends included: what a scan reads at a stretch. At least one row;
    // REQUIRES first < row_count().
    std::span<const float> rows_from(std::uint32_t first) const;
    // The node a row belongs to, kNoNode when the row is dead in this view.
    NodeId node_of_row(std::uint32_t row) const;
    PayloadRef ref(NodeId node) const;
    std::uint64_t size_bytes() const;

   private:
    friend class VectorTable;
    std::uint32_t dimensions_ = 0, stride_ = 0, row_count_ = 0;
    std::uint64_t live_ = 0;
    std::shared_ptr<const Chunks> chunks_;
    PagedArray<std::uint32_t>::View row_of_;
    PagedArray<NodeId>::View node_of_;
    PagedArray<std::uint64_t>::View ref_of_;
  };

  explicit VectorTable(std::uint32_t dimensions);
  explicit VectorTable(View view);  // goes on from a view, as StringTable does
  ~VectorTable();
  VectorTable(VectorTable&&) noexcept;
  VectorTable& operator=(VectorTable&&) noexcept;

  std::uint32_t dimensions() const { return dimensions_; }
  // REQUIRES values.size() == dimensions(), all finite.
  void Set(NodeId node, std::span<const float> values, PayloadRef ref);
  void Remove(NodeId node);
  View Publish();

 private:
  void AddChunk();

  std::uint32_t dimensions_, stride_, rows_per_chunk_;
  std::uint32_t row_count_ = 0;
  std::uint64_t live_ = 0;
  std::shared_ptr<Chunks> chunks_;
  bool chunks_shared_ = false;
  // Chunks of a large space are cut from slabs on huge pages; tables that go on from the
  // same view begin slabs of their own.
  std::shared_ptr<float> slab_;
  std::size_t slab_free_ = 0;  // floats at its end
  PagedArray<std::uint32_t> row_of_{kNoRow};
  PagedArray<NodeId> node_of_{kNoNode};
  PagedArray<std::uint64_t> ref_of_{0};
};

}  // namespace plexus
