// PagedArray: views are frozen, whatever the writer does afterwards.
#include "engine/arrays/paged_array.h"

#include <optional>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace plexus {
namespace {

using Array = PagedArray<std::uint32_t>;
constexpr std::size_t kPage = Array::kPageSize;

std::vector<std::uint32_t> Values(const Array::View& view) {
  std::vector<std::uint32_t> values;
  for (std::size_t i = 0; i < view.size(); ++i) values.push_back(view[i]);
  return values;
}

TEST(PagedArray, EmptyReadsAbsent) {
  Array a(7);
  EXPECT_EQ(a.size(), 0u);
  EXPECT_EQ(a[0], 7u);
  EXPECT_EQ(a[1'000'000], 7u);
  Array::View v = a.Publish();
  EXPECT_EQ(v.size(), 0u);
  EXPECT_EQ(v[0], 7u);
  EXPECT_EQ(v.page_count(), 0u);
  EXPECT_TRUE(v.page(0).empty());
  Array::View none;
  EXPECT_EQ(none.size(), 0u);
  EXPECT_EQ(none[3], 0u);
}

TEST(PagedArray, GapsAreFilledWithAbsent) {
  Array a(9);
  a.Set(2 * kPage + 5, 1);
  EXPECT_EQ(a.size(), 2 * kPage + 6);
  for (std::size_t i = 0; i + 1 < a.size(); ++i) ASSERT_EQ(a[i], 9u) << i;
  EXPECT_EQ(a[2 * kPage + 5], 1u);
}

TEST(PagedArray, ViewKeepsOldValueAfterUpdate) {
  Array a(0);
  for (std::uint32_t i = 0; i < 3 * kPage; ++i) a.PushBack(i);
  Array::View before = a.Publish();
  a.Set(kPage + 1, 777);
  a.Set(kPage + 2, 778);  // the same page again: copied once
  EXPECT_EQ(before[kPage + 1], kPage + 1);
  EXPECT_EQ(before[kPage + 2], kPage + 2);
  Array::View after = a.Publish();
  EXPECT_EQ(after[kPage + 1], 777u);
  EXPECT_EQ(after[kPage + 2], 778u);
  // Untouched pages are shared, the touched one is not.
  EXPECT_EQ(before.page(0).data(), after.page(0).data());
  EXPECT_NE(before.page(1).data(), after.page(1).data());
}

TEST(PagedArray, AppendToTailPageIsInvisibleToOlderViews) {
  Array a(5);
  a.PushBack(1);
  Array::View before = a.Publish();
  a.PushBack(2);
  a.PushBack(3);
  EXPECT_EQ(before.size(), 1u);
  EXPECT_EQ(before[1], 5u);
  EXPECT_EQ(Values(a.Publish()), (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(Values(before), (std::vector<std::uint32_t>{1}));
}

// An update copies the tail page; an append made after it must land in the copy
// that later views read, and an append made before it must not be lost.
TEST(PagedArray, AppendsAroundACopyOfTheTailPage) {
  Array a(0);
  a.PushBack(1);
  a.Publish();
  a.PushBack(2);
  a.Set(0, 10);
  a.PushBack(3);
  EXPECT_EQ(Values(a.Publish()), (std::vector<std::uint32_t>{10, 2, 3}));
  a.Set(2, 30);
  a.PushBack(4);
  EXPECT_EQ(Values(a.Publish()), (std::vector<std::uint32_t>{10, 2, 30, 4}));
}

TEST(PagedArray, AppendSpanOverPageBorders) {
  Array a(0);
  std::vector<std::uint32_t> values(2 * kPage + 3);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint32_t>(i * 3);
  a.PushBack(4);
  a.Append(values);
  a.Append({});
  Array::View v = a.Publish();
  ASSERT_EQ(v.size(), values.size() + 1);
  EXPECT_EQ(v.page_count(), 3u);
  std::size_t seen = 0;
  for (std::size_t p = 0; p < v.page_count(); ++p) seen += v.page(p).size();
  EXPECT_EQ(seen, v.size());
  EXPECT_EQ(v.page(2).size(), 4u);
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(v[i + 1], values[i]);
}

TEST(PagedArray, ViewOutlivesTheArray) {
  Array::View v;
  {
    Array a(0);
    for (std::uint32_t i = 0; i < kPage + 2; ++i) a.PushBack(i);
    v = a.Publish();
  }
  EXPECT_EQ(v[kPage + 1], kPage + 1);
}

TEST(PagedArray, GoesOnFromAView) {
  Array a(3);
  for (std::uint32_t i = 0; i < kPage + 5; ++i) a.PushBack(i);
  Array::View v = a.Publish();
  Array b(v, 3);
  b.PushBack(100);
  b.Set(0, 200);
  a.PushBack(300);
  EXPECT_EQ(b[0], 200u);
  EXPECT_EQ(b[kPage + 5], 100u);
  EXPECT_EQ(a[0], 0u);
  EXPECT_EQ(a[kPage + 5], 300u);
  EXPECT_EQ(v[0], 0u);
  EXPECT_EQ(v.size(), kPage + 5);
  Array c(Array::View{}, 8);
  c.Set(1, 1);
  EXPECT_EQ(c[0], 8u);
}

// The writer replaced its spine but still appends to the page the view ends in.
TEST(PagedArray, ContinuingAViewLeavesTheWritersTailPageAlone) {
  Array a(0);
  for (std::uint32_t i = 0; i < kPage + 1; ++i) a.PushBack(i);
  Array::View v = a.Publish();
  a.Set(0, 9);  // clones page 0 and the spine; the tail page stays shared
  a.PushBack(7);
  Array::View w = a.Publish();
  Array b(std::move(v), 0);
  b.PushBack(8);
  EXPECT_EQ(w[kPage + 1], 7u);
  EXPECT_EQ(b[kPage + 1], 8u);
}

// Random writes against a vector; every view ever taken stays what it was.
RC_GTEST_PROP(PagedArrayProperty, EveryViewIsFrozen,
              (const std::vector<std::pair<std::uint16_t, std::uint32_t>>& writes)) {
  Array a(42);
  std::vector<std::uint32_t> model;
  std::vector<std::pair<Array::View, std::vector<std::uint32_t>>> views;
  for (auto [where, value] : writes) {
    if (value % 5 == 0) views.emplace_back(a.Publish(), model);
    std::size_t i = value % 3 == 0 ? model.size() : where % (4 * kPage);
    if (i >= model.size()) model.resize(i + 1, 42);
    model[i] = value;
    a.Set(i, value);
  }
  views.emplace_back(a.Publish(), model);
  for (const auto& [view, expected] : views) RC_ASSERT(Values(view) == expected);
}

// Pages of one value alone are kept once.
TEST(PagedArray, UniformPagesAreShared) {
  Array a(9);
  std::vector<std::uint32_t> values(10 * kPage + 17, 9);
  for (std::size_t i = 4 * kPage; i < 5 * kPage; ++i) values[i] = static_cast<std::uint32_t>(i);
  std::fill_n(values.begin() + 6 * kPage, 2 * kPage, 3);
  a.Append(values);
  Array::View view = a.Publish();
  EXPECT_EQ(Values(view), values);
  EXPECT_EQ(view.size_bytes(), 4 * kPage * sizeof(std::uint32_t))
      << "of 9, of 3, of others, and the last";
  EXPECT_EQ(view.page(0).data(), view.page(9).data());
  a.Set(1, 5);  // copied first, so others keep their values
  a.Set(7 * kPage, 4);
  values[1] = 5, values[7 * kPage] = 4;
  Array::View after = a.Publish();
  EXPECT_EQ(Values(after), values);
  EXPECT_EQ(view[1], 9u);
  EXPECT_EQ(after.size_bytes(), 6 * kPage * sizeof(std::uint32_t));
  Array again(after, 9);
  again.Set(2, 6);
  again.Set(20 * kPage, 1);  // a gap of whole pages
  values[2] = 6;
  values.resize(20 * kPage + 1, 9);
  values[20 * kPage] = 1;
  EXPECT_EQ(Values(again.Publish()), values);
  EXPECT_EQ(Values(after).size(), 10 * kPage + 17);
  EXPECT_LE(again.Publish().size_bytes(), 9 * kPage * sizeof(std::uint32_t));
}

// Of so many values that not all are shared: the absent one always is.
TEST(PagedArray, AbsentPagesAreSharedBesideManyOthers) {
  Array a(9);
  std::vector<std::uint32_t> values;
  for (std::uint32_t value = 100; value < 150; ++value) values.insert(values.end(), kPage, value);
  a.Append(values);
  Array::View view = a.Publish();
  EXPECT_EQ(Values(view), values);
  for (std::size_t i = 5; i < 48 * kPage; ++i) a.Set(i, values[i] = 9);
  view = a.Publish();
  a.Share(view, Array::Shared(view));
  EXPECT_EQ(Values(a.Publish()), values);
  EXPECT_EQ(a.Publish().size_bytes(), 4 * kPage * sizeof(std::uint32_t));
}

TEST(PagedArray, ValuesWrittenBeforePublishLeaveSharedPagesAlone) {
  Array a(9);
  a.Append(std::vector<std::uint32_t>(3 * kPage, 9));
  a.Set(0, 1);
  EXPECT_EQ(a[0], 1u);
  EXPECT_EQ(a[kPage], 9u);
  EXPECT_EQ(a.Publish()[2 * kPage], 9u);
}

// Random lives: sharing pages of any earlier view changes no value of anybody.
TEST(PagedArray, SharingChangesNoValue) {
  std::mt19937 random(5);
  for (int life = 0; life < 30; ++life) {
    Array a(7);
    std::vector<std::uint32_t> values;
    std::vector<std::pair<Array::View, std::vector<std::uint32_t>>> views;
    Array::View before;
    std::optional<Array::View> shared;
    for (int step = 0; step < 300; ++step) {
      const std::size_t at = random() % (6 * kPage);
      switch (random() % 6) {
        case 0:
        case 1:
          if (at >= values.size()) values.resize(at + 1, 7);
          values[at] = random() % 3 ? 7 : 8;
          a.Set(at, values[at]);
          break;
        case 2: {  // a range, to its absent value
          for (std::size_t i = at; i < std::min(values.size(), at + 2 * kPage); ++i)
            a.Set(i, values[i] = 7);
          break;
        }
        case 3:
          views.emplace_back(a.Publish(), values);
          break;
        case 4:
          if (shared) {
            a.Share(before, *shared);
            shared.reset();
          } else {
            before = a.Publish();
            shared = Array::Shared(before);
            views.emplace_back(*shared, values);
          }
          break;
        default:
          if (random() % 4 == 0) {
            a = Array(a.Publish(), 7);
            shared.reset();
          }
      }
      if (views.size() > 5) views.erase(views.begin());
    }
    ASSERT_EQ(Values(a.Publish()), values);
    for (const auto& [view, expected] : views) ASSERT_EQ(Values(view), expected);
  }
}

}  // namespace
}  // namespace plexus
