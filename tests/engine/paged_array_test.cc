// PagedArray: views are frozen, whatever the writer does afterwards.
#include "engine/paged_array.h"

#include <random>
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
RC_GTEST_PROP(PagedArrayProperty, EveryViewIsFrozen, (const std::vector<std::pair<std::uint16_t, std::uint32_t>>& writes)) {
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

}  // namespace
}  // namespace plexus
