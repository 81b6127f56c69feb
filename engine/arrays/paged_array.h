// PagedArray<T>: a growing array with O(1) snapshots, for per-node values.
//
// The idea: values live in fixed pages of 8 KiB. A snapshot is a shared pointer
// to the spine (the list of pages). The single writer
//   - appends in place: slots past every published count are visible to no reader;
//   - updates by copy: the page (once per epoch) and the spine are cloned, so
//     published snapshots keep the old value.
// Readers index through View, which never locks and never changes.
//
// Full pages that hold a single value (what removed nodes leave) are kept once for each such
// value: as they are appended, and by View::Shared and Share. A writer copies the page first.
//
// One writer, any number of readers of views taken before. A View sees exactly
// the values below the size it was taken at.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
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
  static constexpr std::size_t kMaxUniform = 16;
  struct Spine {
    std::vector<std::shared_ptr<Page>> pages;
    std::vector<std::shared_ptr<Page>> uniform;  // pages that stand in more than one place
    std::size_t uniform_places = 0;

    bool IsUniform(std::size_t page) const {
      return std::find(uniform.begin(), uniform.end(), pages[page]) != uniform.end();
    }
    // The page that is `value` all through; null: there are too many, and it is not `absent`.
    std::shared_ptr<Page> Uniform(const T& value, const T& absent) {
      for (const auto& page : uniform)
        if (std::memcmp(&page->values[0], &value, sizeof(T)) == 0) return page;
      if (uniform.size() >= kMaxUniform && std::memcmp(&value, &absent, sizeof(T)) != 0)
        return nullptr;
      auto page = std::make_shared<Page>();
      std::fill_n(page->values, kPageSize, value);
      uniform.push_back(page);
      return page;
    }
    // Counts places, and forgets pages that have none.
    void CountUniform() {
      std::vector<std::shared_ptr<Page>> used;
      uniform_places = 0;
      for (std::size_t page = 0; !uniform.empty() && page < pages.size(); ++page) {
        if (!IsUniform(page)) continue;
        ++uniform_places;
        if (std::find(used.begin(), used.end(), pages[page]) == used.end())
          used.push_back(pages[page]);
      }
      uniform = std::move(used);
    }
  };
  // All kPageSize values have the same bits.
  static bool OneValue(const T* values) {
    return std::memcmp(values, values + kPageSize - 1, sizeof(T)) == 0 &&
           std::memcmp(values, values + 1, (kPageSize - 1) * sizeof(T)) == 0;
  }

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
    std::size_t size_bytes() const {
      if (!spine_) return 0;
      return (page_count() - spine_->uniform_places + spine_->uniform.size()) * sizeof(Page);
    }
    // An equal view whose full pages of one value are shared; this one when there is nothing
    // to share. O(size).
    View Shared() const {
      std::shared_ptr<Spine> made;
      for (std::size_t page = 0; page < size_ / kPageSize; ++page) {
        const T* values = spine_->pages[page]->values;
        if (!OneValue(values) || spine_->IsUniform(page)) continue;
        if (!made) {
          made = std::make_shared<Spine>(*spine_);
          made->CountUniform();
        }
        if (auto uniform = made->Uniform(values[0], absent_))
          made->pages[page] = std::move(uniform);
      }
      if (!made) return *this;
      made->CountUniform();
      View shared = *this;
      shared.spine_ = std::move(made);
      return shared;
    }

   private:
    friend class PagedArray;
    std::shared_ptr<const Spine> spine_;
    std::size_t size_ = 0;
    T absent_{};
  };

  explicit PagedArray(T absent = T{}) : absent_(absent), spine_(std::make_shared<Spine>()) {}

  // Goes on from a view. Shared parts are copied before they are written to, so a view may be
  // continued twice.
  PagedArray(View view, T absent) : PagedArray(absent) {
    if (!view.spine_) return;
    size_ = published_ = view.size_;
    if (size_ == 0) return;
    const std::size_t last = (size_ - 1) / kPageSize;
    const bool exclusive =
        view.spine_.use_count() == 1 && view.spine_->pages[last].use_count() == 1;
    *spine_ = *view.spine_;
    if (spine_->pages.size() > last + 1) {
      spine_->pages.resize(last + 1);
      spine_->CountUniform();
    }
    if (!exclusive && size_ % kPageSize) {  // never append to a page another may append to
      auto tail = std::make_shared<Page>();
      for (std::size_t i = 0; i < size_ % kPageSize; ++i)
        tail->values[i] = spine_->pages.back()->values[i];
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
    const std::size_t page = i / kPageSize;
    if (i < published_ || (spine_->uniform_places > 0 && spine_->IsUniform(page)))
      MakePrivate(page);
    spine_->pages[page]->values[i % kPageSize] = value;
  }

  // Appends all of `values`.
  void Append(std::span<const T> values) {
    while (!values.empty()) {
      const std::size_t at = size_ % kPageSize;
      const std::size_t count = std::min(values.size(), kPageSize - at);
      if (at > 0 || count < kPageSize || !OneValue(values.data()) || !PushUniform(values[0])) {
        if (at == 0) PushPage(std::make_shared<Page>());
        std::memcpy(spine_->pages.back()->values + at, values.data(), count * sizeof(T));
        size_ += count;
      }
      values = values.subspan(count);
    }
  }

  // Takes over pages of `shared`, which is before.Shared(), where this array still has those of
  // `before`, a view of it. O(pages).
  void Share(const View& before, const View& shared) {
    if (before.spine_ == shared.spine_ || !shared.spine_) return;
    const std::size_t end = std::min(before.size_ / kPageSize, spine_->pages.size());
    auto made = std::make_shared<Spine>(*spine_);
    for (const auto& page : shared.spine_->uniform)
      if (std::find(made->uniform.begin(), made->uniform.end(), page) == made->uniform.end())
        made->uniform.push_back(page);
    for (std::size_t page = 0; page < end; ++page)
      if (made->pages[page] == before.spine_->pages[page])
        made->pages[page] = shared.spine_->pages[page];
    made->CountUniform();
    spine_ = std::move(made);
    spine_shared_ = false;
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
    while (size_ < size) {
      const std::size_t at = size_ % kPageSize;
      const std::size_t count = std::min(size - size_, kPageSize - at);
      // The last value of a gap is written next, so its page would be copied at once.
      if (at == 0 && size - size_ > kPageSize && PushUniform(absent_)) continue;
      if (at == 0) PushPage(std::make_shared<Page>());
      std::fill_n(spine_->pages.back()->values + at, count, absent_);
      size_ += count;
    }
  }
  void PushPage(std::shared_ptr<Page> page) {
    MakeSpinePrivate();
    spine_->pages.push_back(std::move(page));
  }
  // A whole page of one value; false: it must have a page of its own.
  bool PushUniform(const T& value) {
    MakeSpinePrivate();
    auto page = spine_->Uniform(value, absent_);
    if (!page) return false;
    spine_->pages.push_back(std::move(page));
    ++spine_->uniform_places;
    size_ += kPageSize;
    return true;
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
    if (spine_->uniform_places > 0 && spine_->IsUniform(page)) --spine_->uniform_places;
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
