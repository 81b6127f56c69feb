// PagedArray<T>: a growing array with O(1) snapshots, for per-node values.
//
// The idea: values live in fixed pages of 8 KiB. A snapshot is a shared pointer
// to the spine (the list of pages). The single writer
//   - appends in place: slots past every published count are seen by nobody;
//   - updates by copy: the page (once per epoch) and the spine are cloned, so
//     published snapshots keep the old value.
// Readers index through View, which never locks and never changes.
//
// One writer, any number of readers of views taken before. A View sees exactly
// the values below the size it was taken at.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace plexus {

template <class T>
class PagedArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  static constexpr std::size_t kPageSize = 8192 / sizeof(T);  // values per page
  static_assert((kPageSize & (kPageSize - 1)) == 0);

 private:
  struct Page {
    T values[kPageSize];
  };
  struct Spine {
    std::vector<std::shared_ptr<Page>> pages;
  };

 public:
  // What a snapshot holds. Values at or past `size()` read as `absent`.
  class View {
   public:
    View() = default;
    std::size_t size() const { return size_; }
    T operator[](std::size_t i) const {
      return i < size_ ? spine_->pages[i / kPageSize]->values[i % kPageSize] : absent_;
    }
    // Values [page * kPageSize, ...) that exist, for dense scans.
    std::span<const T> page(std::size_t page) const {
      std::size_t begin = page * kPageSize;
      if (begin >= size_) return {};
      return {spine_->pages[page]->values, std::min(kPageSize, size_ - begin)};
    }
    std::size_t page_count() const { return (size_ + kPageSize - 1) / kPageSize; }
    std::size_t size_bytes() const { return page_count() * sizeof(Page); }

   private:
    friend class PagedArray;
    std::shared_ptr<const Spine> spine_;
    std::size_t size_ = 0;
    T absent_{};
  };

  explicit PagedArray(T absent = T{}) : absent_(absent), spine_(std::make_shared<Spine>()) {}

  // Goes on from a view. Parts that somebody else holds are copied before they
  // are written to, so a view may be continued twice.
  PagedArray(View view, T absent) : PagedArray(absent) {
    if (!view.spine_) return;
    size_ = published_ = view.size_;
    if (size_ == 0) return;
    const std::size_t last = (size_ - 1) / kPageSize;
    const bool exclusive =
        view.spine_.use_count() == 1 && view.spine_->pages[last].use_count() == 1;
    *spine_ = *view.spine_;
    spine_->pages.resize(last + 1);
    if (!exclusive && size_ % kPageSize) {  // never append to a page another may append to
      auto tail = std::make_shared<Page>();
      for (std::size_t i = 0; i < size_ % kPageSize; ++i) tail->values[i] = spine_->pages.back()->values[i];
      spine_->pages.back() = std::move(tail);
    }
  }

  std::size_t size() const { return size_; }
  T operator[](std::size_t i) const {
    return i < size_ ? spine_->pages[i / kPageSize]->values[i % kPageSize] : absent_;
  }

  void PushBack(T value) { Set(size_, value); }

  // Sets value i; the gap from size() to i is filled with `absent`.
  void Set(std::size_t i, T value) {
    if (i >= size_) {
      Grow(i + 1);
      spine_->pages[i / kPageSize]->values[i % kPageSize] = value;
      return;
    }
    if (i < published_) MakePrivate(i / kPageSize);
    spine_->pages[i / kPageSize]->values[i % kPageSize] = value;
  }

  // Appends all of `values`.
  void Append(std::span<const T> values) {
    std::size_t at = size_;
    Grow(size_ + values.size());
    for (T v : values) {
      spine_->pages[at / kPageSize]->values[at % kPageSize] = v;
      ++at;
    }
  }

  // Everything up to now becomes immutable for readers of the returned view.
  View Publish() {
    if (published_ < size_) published_ = size_;
    private_.clear();
    View v;
    v.spine_ = spine_;
    v.size_ = size_;
    v.absent_ = absent_;
    spine_shared_ = true;
    return v;
  }

 private:
  void Grow(std::size_t size) {
    std::size_t pages = (size + kPageSize - 1) / kPageSize;
    if (pages > spine_->pages.size()) {
      MakeSpinePrivate();
      // Reserving geometrically is safe: the spine is private here.
      while (spine_->pages.size() < pages) spine_->pages.push_back(std::make_shared<Page>());
    }
    for (std::size_t i = size_; i < size; ++i)
      spine_->pages[i / kPageSize]->values[i % kPageSize] = absent_;
    size_ = size;
  }
  void MakeSpinePrivate() {
    if (!spine_shared_) return;
    spine_ = std::make_shared<Spine>(*spine_);
    spine_shared_ = false;
  }
  void MakePrivate(std::size_t page) {
    if (private_.size() < spine_->pages.size()) private_.resize(spine_->pages.size(), 0);
    if (private_[page]) return;
    MakeSpinePrivate();
    auto copy = std::make_shared<Page>();
    // Copy only what was published or written: the rest of a tail page is unset.
    std::size_t begin = page * kPageSize;
    std::size_t count = std::min(kPageSize, size_ - begin);
    const T* from = spine_->pages[page]->values;
    for (std::size_t k = 0; k < count; ++k) copy->values[k] = from[k];
    spine_->pages[page] = std::move(copy);
    private_[page] = 1;
  }

  T absent_;
  std::shared_ptr<Spine> spine_;
  std::size_t size_ = 0;
  std::size_t published_ = 0;
  bool spine_shared_ = false;
  std::vector<std::uint8_t> private_;  // pages copied since the last Publish
};

}  // namespace plexus
