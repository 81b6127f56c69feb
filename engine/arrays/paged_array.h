// PagedArray<T>: a growing array with O(1) snapshots, for per-node values.
//
// The idea: values live in fixed pages of 8 KiB. A snapshot is a shared pointer
// to the spine (the list of pages). The single writer
//   - appends in place: slots past every published count are visible to no reader;
//   - updates by copy: the page (once per epoch) and the spine are cloned, so
//     published snapshots keep the old value.
// Readers index through PagedView, which never locks and never changes.
//
// Full pages that hold a single value (what removed nodes leave) are kept once for each such
// value: as they are appended, and by Shared and Share. A writer copies the page first.
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
#include <utility>
#include <vector>

#include "engine/arrays/views.h"

namespace plexus {

template <class T>
class PagedArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using View = PagedView<T>;  // what a snapshot holds
  static constexpr std::size_t kPageSize = View::kPageSize;

  explicit PagedArray(T absent = T{}) : absent_(absent), spine_(std::make_shared<Spine>()) {}

  // Goes on from a view. Shared parts are copied before they are written to, so a view may be
  // continued twice.
  PagedArray(View view, T absent) : PagedArray(absent) {
    if (!view.spine_) return;
    size_ = published_ = view.size_;
    if (size_ == 0) return;
    const std::size_t last = (size_ - 1) / kPageSize;
    const bool exclusive =
        view.spine_.use_count() == 1 && SpineOf(view).pages[last].use_count() == 1;
    *spine_ = SpineOf(view);
    if (spine_->pages.size() > last + 1) {
      spine_->Truncate(last + 1);
      spine_->CountUniform();
    }
    if (!exclusive && size_ % kPageSize) {  // never append to a page another may append to
      auto tail = std::make_shared<Page>();
      std::copy_n(spine_->values[last], size_ % kPageSize, tail->values);
      spine_->Put(last, std::move(tail));
    }
  }

  std::size_t size() const { return size_; }
  T operator[](std::size_t i) const {
    return i < size_ ? spine_->values[i / kPageSize][i % kPageSize] : absent_;
  }

  void PushBack(T value) { Set(size_, value); }

  // Sets value i; the gap from size() to i is filled with `absent`.
  void Set(std::size_t i, T value) {
    const std::size_t page = i / kPageSize;
    if (i >= size_)
      Grow(i + 1);
    else if (i < published_ || (spine_->uniform_places > 0 && spine_->IsUniform(page)))
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

  // An equal view whose full pages of one value are shared; `view` when there is nothing to share.
  // O(size).
  static View Shared(const View& view) {
    std::shared_ptr<Spine> made;
    for (std::size_t page = 0; page < view.size_ / kPageSize; ++page) {
      const T* const values = view.pages_[page];
      if (!OneValue(values) || SpineOf(view).IsUniform(page)) continue;
      if (!made) {
        made = std::make_shared<Spine>(SpineOf(view));
        made->CountUniform();
      }
      if (auto uniform = made->Uniform(values[0], view.absent_))
        made->Put(page, std::move(uniform));
    }
    if (!made) return view;
    made->CountUniform();
    return Of(std::move(made), view.size_, view.absent_);
  }
  // Takes over pages of `shared`, which is Shared(before), where this array still has those of
  // `before`, a view of it. O(pages).
  void Share(const View& before, const View& shared) {
    if (before.spine_ == shared.spine_ || !shared.spine_) return;
    const Spine &from = SpineOf(before), &to = SpineOf(shared);
    const std::size_t end = std::min(before.size_ / kPageSize, spine_->pages.size());
    auto made = std::make_shared<Spine>(*spine_);
    for (const auto& page : to.uniform)
      if (std::find(made->uniform.begin(), made->uniform.end(), page) == made->uniform.end())
        made->uniform.push_back(page);
    for (std::size_t page = 0; page < end; ++page)
      if (made->pages[page] == from.pages[page]) made->Put(page, to.pages[page]);
    made->CountUniform();
    spine_ = std::move(made);
    spine_shared_ = false;
  }

  // Everything up to now becomes immutable for readers of the returned view.
  View Publish() {
    if (published_ < size_) published_ = size_;
    private_.clear();
    spine_shared_ = true;
    return Of(spine_, size_, absent_);
  }

 private:
  struct Page {
    T values[kPageSize];
  };
  static constexpr std::size_t kMaxUniform = 16;
  struct Spine {
    std::vector<std::shared_ptr<Page>> pages;
    std::vector<const T*> values;                // of each page, for views
    std::vector<std::shared_ptr<Page>> uniform;  // pages that stand in more than one place
    std::size_t uniform_places = 0;

    void Push(std::shared_ptr<Page> page) {
      values.resize(pages.size());  // if there was no memory for the page before
      values.push_back(page->values);
      pages.push_back(std::move(page));
    }
    void Put(std::size_t at, std::shared_ptr<Page> page) {
      values[at] = page->values;
      pages[at] = std::move(page);
    }
    void Truncate(std::size_t count) {
      pages.resize(count);
      values.resize(count);
    }
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
  // REQUIRES a view that was published.
  static const Spine& SpineOf(const View& view) {
    return *static_cast<const Spine*>(view.spine_.get());
  }
  static View Of(std::shared_ptr<const Spine> spine, std::size_t size, const T& absent) {
    View view;
    view.size_ = size;
    view.absent_ = absent;
    view.held_pages_ = view.page_count() - spine->uniform_places + spine->uniform.size();
    view.pages_ = spine->values.data();
    view.spine_ = std::move(spine);
    return view;
  }
  // All kPageSize values have the same bits.
  static bool OneValue(const T* values) {
    return std::memcmp(values, values + kPageSize - 1, sizeof(T)) == 0 &&
           std::memcmp(values, values + 1, (kPageSize - 1) * sizeof(T)) == 0;
  }
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
    spine_->Push(std::move(page));
  }
  // A whole page of one value; false: it must have a page of its own.
  bool PushUniform(const T& value) {
    MakeSpinePrivate();
    auto page = spine_->Uniform(value, absent_);
    if (!page) return false;
    spine_->Push(std::move(page));
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
    std::copy_n(spine_->values[page], std::min(kPageSize, size_ - page * kPageSize), copy->values);
    if (spine_->uniform_places > 0 && spine_->IsUniform(page)) --spine_->uniform_places;
    spine_->Put(page, std::move(copy));
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
