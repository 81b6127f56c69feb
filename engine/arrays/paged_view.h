// PagedView<T>: values for each node as a snapshot holds them, read without locks.
//
// Pages of 8 KiB, which other views may share. Made by a PagedArray (paged_array.h). The values
// never change. Thread-safe. One that was moved from is not read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace plexus {

template <class T>
class PagedArray;

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
