// AlignedArray<T>: a fixed-size array of trivial values for large flat data.
//
// 64-byte aligned, NOT initialised (a serial memset of a gigabyte is a silly
// cost and would place all pages on one node), and from 1 MiB on a mapping of its own,
// aligned to and advised for huge pages, which removes most TLB misses of random access.
// Checked builds (no NDEBUG) fill new arrays with NaN and ids beyond every end, so that code that
// counts on zeroes fails in a test. A child forked while threads run may make arrays.
// Move-only; not thread-safe while being filled, freely shared once const.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

namespace plexus {

namespace engine_internal {
// Throws std::bad_alloc. `Free` must get the same byte count.
void* AllocateAligned(std::size_t bytes);
void FreeAligned(void* data, std::size_t bytes) noexcept;
// What FreeAligned kept for the next of its size, back to the system.
void DropKeptBlocks() noexcept;
}  // namespace engine_internal

template <class T>
class AlignedArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  AlignedArray() = default;
  explicit AlignedArray(std::size_t size)
      : data_(size ? static_cast<T*>(engine_internal::AllocateAligned(size * sizeof(T))) : nullptr),
        size_(size),
        allocated_(size) {}
  AlignedArray(std::size_t size, T fill) : AlignedArray(size) {
    for (std::size_t i = 0; i < size_; ++i) data_[i] = fill;
  }
  explicit AlignedArray(std::span<const T> from) : AlignedArray(from.size()) {
    if (!from.empty()) std::memcpy(data_, from.data(), from.size_bytes());
  }
  AlignedArray(AlignedArray&& o) noexcept
      : data_(std::exchange(o.data_, nullptr)),
        size_(std::exchange(o.size_, 0)),
        allocated_(std::exchange(o.allocated_, 0)) {}
  AlignedArray& operator=(AlignedArray&& o) noexcept {
    std::swap(data_, o.data_);
    std::swap(size_, o.size_);
    std::swap(allocated_, o.allocated_);
    return *this;
  }
  ~AlignedArray() {
    if (data_) engine_internal::FreeAligned(data_, allocated_ * sizeof(T));
  }

  // Forgets all but the first `size` elements; their memory stays.
  void Truncate(std::size_t size) { size_ = size < size_ ? size : size_; }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t size_bytes() const { return size_ * sizeof(T); }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  std::span<const T> span() const { return {data_, size_}; }
  std::span<T> span() { return {data_, size_}; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t allocated_ = 0;  // elements
};

}  // namespace plexus
