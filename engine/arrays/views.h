// Views: arrays of a snapshot, and the rows of a graph, read where they lie and without locks.
//
// The values never change. Thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "engine/types.h"

namespace plexus {

// A weight for each arc, read where it lies. Valid as long as the column that it is of
// (weight_column.h).
class WeightView {
 public:
  WeightView() = default;
  WeightView(const float* values, const std::uint8_t* codes, std::size_t size, bool one_value)
      : values_(values), codes_(codes), size_(size), mask_(one_value ? 0 : ~std::size_t{0}) {}

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  float operator[](std::size_t i) const { return codes_ ? values_[codes_[i]] : values_[i & mask_]; }
  // Where that of `i` is read, for prefetching.
  const void* at(std::size_t i) const {
    return codes_ ? static_cast<const void*>(codes_ + i) : values_ + (i & mask_);
  }
  // True when all have one value.
  bool one_value() const { return mask_ == 0; }
  // Those of [begin, end) to `to`.
  void Copy(std::size_t begin, std::size_t end, float* to) const;

 private:
  const float* values_ = nullptr;
  const std::uint8_t* codes_ = nullptr;  // null: one value, or one for each arc
  std::size_t size_ = 0;
  std::size_t mask_ = ~std::size_t{0};  // 0: one value
};

// One direction of a compressed sparse row graph as bare spans. Kernels that need no delta run on
// this only, so tests and bench/gap can hand them plain arrays. Row of node v = positions
// [offsets[v], offsets[v + 1]), sorted by (kind, neighbor, label).
template <class Weights>
struct BasicCsrView {
  std::span<const std::uint32_t> offsets;    // node_count + 1 entries, or empty
  std::span<const NodeId> neighbors;         // one per arc
  Weights weights;                           // one per arc; empty = all 1
  std::span<const std::uint8_t> kinds;       // low byte of the kind; empty = all 0
  std::span<const std::uint8_t> kinds_high;  // high byte; empty while < 256 kinds

  NodeId node_count() const {
    return offsets.empty() ? 0 : static_cast<NodeId>(offsets.size() - 1);
  }
  std::uint64_t arc_count() const { return neighbors.size(); }
  std::uint32_t degree(NodeId v) const { return offsets[v + 1] - offsets[v]; }
  float weight(std::uint32_t arc) const { return weights.empty() ? 1.0f : weights[arc]; }
  EdgeKindId kind(std::uint32_t arc) const {
    const KindId low = kinds.empty() ? 0 : kinds[arc];
    return EdgeKindId(kinds_high.empty() ? low : low | (kinds_high[arc] << 8));
  }
  // The same without weights.
  BasicCsrView<std::span<const float>> Unweighted() const {
    return {offsets, neighbors, {}, kinds, kinds_high};
  }
};
using CsrView = BasicCsrView<std::span<const float>>;
// A direction of a snapshot's base.
using StoredCsrView = BasicCsrView<WeightView>;

template <class T>
class PagedArray;

// Values for each node as a snapshot holds them: pages of 8 KiB, which other views may share. Made
// by a PagedArray (paged_array.h). One that was moved from is not read.
template <class T>
class PagedView {
 public:
  static constexpr std::size_t kPageSize = 8192 / sizeof(T);  // values per page
  static_assert((kPageSize & (kPageSize - 1)) == 0);

  PagedView() = default;
  std::size_t size() const { return size_; }
  // Values at or past `size()` read as the array's absent value.
  T operator[](std::size_t i) const {
    return i < size_ ? pages_[i / kPageSize][i % kPageSize] : absent_;
  }
  // Values [page * kPageSize, ...) that exist, for dense scans.
  std::span<const T> page(std::size_t page) const {
    const std::size_t begin = page * kPageSize;
    if (begin >= size_) return {};
    return {pages_[page], std::min(kPageSize, size_ - begin)};
  }
  std::size_t page_count() const { return (size_ + kPageSize - 1) / kPageSize; }
  // Of its pages, each once.
  std::size_t size_bytes() const { return held_pages_ * kPageSize * sizeof(T); }

 private:
  friend class PagedArray<T>;
  std::shared_ptr<const void> spine_;  // owns the pages
  const T* const* pages_ = nullptr;
  std::size_t size_ = 0;
  std::size_t held_pages_ = 0;
  T absent_{};
};

}  // namespace plexus
