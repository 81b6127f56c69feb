// VectorTable: aligned padded rows, replacement by a new row, frozen views.
#include "engine/vectors/vector_table.h"
#include "tests/support/vector_values.h"

#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace plexus {
namespace {

std::vector<float> Make(std::uint32_t dimensions, float first) {
  std::vector<float> v(dimensions);
  for (std::uint32_t i = 0; i < dimensions; ++i) v[i] = first + static_cast<float>(i);
  return v;
}
using testing::PayloadOf;
using testing::Rounded;
using testing::VectorOf;

RowLayout F32(std::uint32_t dimensions) { return {dimensions, VectorElement::kF32}; }

TEST(VectorTable, RowsAreAlignedAndPadded) {
  for (const VectorElement element : kVectorElements)
    for (std::uint32_t dimensions : {1u, 15u, 16u, 17u, 32u, 33u, 384u, 4096u}) {
      const RowLayout layout{dimensions, element};
      VectorTable t(layout);
      for (NodeId n = 0; n < 40; ++n)
        t.Set(n * 3, PayloadOf(Make(dimensions, static_cast<float>(n)), element),
              PayloadRef::Make(1, n));
      auto v = t.Publish();
      EXPECT_EQ(v.dimensions(), dimensions);
      EXPECT_EQ(v.layout(), layout);
      EXPECT_EQ(v.stride() % 16, 0u);
      EXPECT_GE(v.stride(), dimensions);
      EXPECT_EQ(layout.row_bytes() % 64, 0u);
      EXPECT_LT(layout.row_bytes() - layout.vector_bytes(), 64u);
      for (NodeId n = 0; n < 40; ++n) {
        VectorBuffer buffer;
        auto row = v.vector(n * 3, buffer);
        ASSERT_EQ(row.size(), dimensions);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(row.data()) % 64, 0u);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(v.bytes(n * 3).data()) % 64, 0u);
        EXPECT_EQ(VectorOf(v, n * 3), Rounded(Make(dimensions, static_cast<float>(n)), element));
        for (std::uint32_t i = dimensions; i < v.stride(); ++i) ASSERT_EQ(row.data()[i], 0.0f);
        EXPECT_EQ(v.ref(n * 3), PayloadRef::Make(1, n));
      }
      EXPECT_FALSE(v.has(1));
      EXPECT_FALSE(v.has(1'000'000));
      EXPECT_TRUE(VectorOf(v, 1'000'000).empty());
      EXPECT_TRUE(v.bytes(1'000'000).empty());
      EXPECT_FALSE(v.ref(1'000'000));
      EXPECT_GT(v.size_bytes(), 0u);
    }
}

// An f32 space is read where it lies; the rows of an f16 space take half of that.
TEST(VectorTable, NoCopyOfF32AndHalfTheBytesOfF16) {
  constexpr std::uint32_t kDimensions = 384, kRows = 20'000;
  std::uint64_t bytes[2] = {};
  for (const VectorElement element : kVectorElements) {
    VectorTable t(RowLayout{kDimensions, element});
    const std::uint64_t empty = t.Publish().size_bytes();
    const std::string values = PayloadOf(Make(kDimensions, 1), element);
    for (NodeId n = 0; n < kRows; ++n) t.Set(n, values, PayloadRef::Make(1, n));
    const auto v = t.Publish();
    const std::uint64_t rows = std::uint64_t{kRows} * kDimensions * v.layout().value_bytes();
    EXPECT_GE(v.size_bytes() - empty, rows);
    bytes[element == VectorElement::kF16] = v.size_bytes();
    VectorBuffer buffer;
    const bool in_place = static_cast<const void*>(v.vector(7, buffer).data()) == v.bytes(7).data();
    EXPECT_EQ(in_place, element == VectorElement::kF32);
  }
  EXPECT_LT(bytes[1], bytes[0] * 11 / 20);
}

TEST(VectorTable, StretchesCoverEveryRowOnceInOrder) {
  for (const VectorElement element : kVectorElements)
    for (std::uint32_t dimensions : {3u, 100u, 4096u}) {
      VectorTable t(RowLayout{dimensions, element});
      for (NodeId n = 0; n < 5000 / (dimensions / 50 + 1); ++n)
        t.Set(n, PayloadOf(Make(dimensions, static_cast<float>(n)), element), {});
      const auto v = t.Publish();
      std::uint32_t row = 0, stretches = 0;
      for (; row < v.row_count(); ++stretches) {
        const auto rows = v.rows_from(row);
        ASSERT_GT(rows.count, 0u);
        for (std::size_t i = 0; i < rows.count; ++i, ++row)
          ASSERT_EQ(static_cast<const void*>(rows.first + i * v.layout().row_bytes()),
                    v.bytes_of_row(row).data());
      }
      EXPECT_EQ(row, v.row_count());
      EXPECT_GT(stretches, dimensions == 3 ? 0u : 1u);
      // A stretch may start in the middle of another.
      EXPECT_EQ(v.rows_from(0).count, v.rows_from(1).count + 1);
    }
}

TEST(VectorTable, ReplaceAndRemoveLeaveOldViewsAlone) {
  VectorTable t(F32(3));
  t.Set(5, PayloadOf(Make(3, 1)), PayloadRef::Make(1, 0));
  t.Set(7, PayloadOf(Make(3, 2)), PayloadRef::Make(1, 1));
  auto before = t.Publish();
  t.Set(5, PayloadOf(Make(3, 10)), PayloadRef::Make(2, 0));
  t.Remove(7);
  t.Remove(7);
  t.Remove(99);
  auto after = t.Publish();
  EXPECT_EQ(VectorOf(before, 5), Make(3, 1));
  EXPECT_EQ(VectorOf(before, 7), Make(3, 2));
  EXPECT_EQ(before.live_count(), 2u);
  EXPECT_EQ(VectorOf(after, 5), Make(3, 10));
  EXPECT_FALSE(after.has(7));
  EXPECT_FALSE(after.ref(7));
  EXPECT_EQ(after.live_count(), 1u);
  EXPECT_EQ(after.row_count(), 3u);
  // Every row knows its node, dead ones say so.
  EXPECT_EQ(before.node_of_row(0), 5u);
  EXPECT_EQ(after.node_of_row(0), kNoNode);
  EXPECT_EQ(after.node_of_row(1), kNoNode);
  EXPECT_EQ(after.node_of_row(2), 5u);
}

TEST(VectorTable, EmptyView) {
  VectorTable t(F32(8));
  auto v = t.Publish();
  EXPECT_EQ(v.row_count(), 0u);
  EXPECT_EQ(v.live_count(), 0u);
  EXPECT_FALSE(v.has(0));
}

// Random sets and removals over many chunks; every view stays what it was.
TEST(VectorTable, EqualsAMap) {
  for (const VectorElement element : kVectorElements) {
    std::mt19937_64 rng(5);
    VectorTable t(RowLayout{40, element});
    std::map<NodeId, float> model;
    std::vector<std::pair<VectorView, std::map<NodeId, float>>> views;
    for (int step = 0; step < 12'000; ++step) {
      NodeId node = static_cast<NodeId>(rng() % 3000);
      if (rng() % 4 == 0) {
        t.Remove(node);
        model.erase(node);
      } else {
        float first = static_cast<float>(rng() % 10'000);
        t.Set(node, PayloadOf(Make(40, first), element),
              PayloadRef::Make(1, static_cast<std::uint32_t>(step)));
        model[node] = first;
      }
      if (step % 1500 == 0) views.emplace_back(t.Publish(), model);
    }
    views.emplace_back(t.Publish(), model);
    for (const auto& [view, expected] : views) {
      ASSERT_EQ(view.live_count(), expected.size());
      std::size_t live_rows = 0;
      for (std::uint32_t r = 0; r < view.row_count(); ++r) {
        NodeId node = view.node_of_row(r);
        if (node == kNoNode) continue;
        ++live_rows;
        ASSERT_EQ(view.bytes(node).data(), view.bytes_of_row(r).data());
      }
      ASSERT_EQ(live_rows, expected.size());
      for (NodeId n = 0; n < 3000; ++n) {
        auto it = expected.find(n);
        ASSERT_EQ(view.has(n), it != expected.end());
        if (it == expected.end()) continue;
        ASSERT_EQ(VectorOf(view, n), Rounded(Make(40, it->second), element));
      }
    }
  }
}

TEST(VectorTable, GoesOnFromAViewTwice) {
  VectorTable a(F32(4));
  for (NodeId n = 0; n < 10; ++n)
    a.Set(n, PayloadOf(Make(4, static_cast<float>(n))), PayloadRef::Make(1, n));
  auto v = a.Publish();
  a.Set(10, PayloadOf(Make(4, 100)), PayloadRef::Make(2, 0));
  VectorTable b(v), c(v);
  b.Set(11, PayloadOf(Make(4, 200)), PayloadRef::Make(2, 0));
  c.Set(12, PayloadOf(Make(4, 300)), PayloadRef::Make(2, 0));
  auto va = a.Publish(), vb = b.Publish(), vc = c.Publish();
  EXPECT_EQ(VectorOf(va, 10), Make(4, 100));
  EXPECT_EQ(VectorOf(vb, 11), Make(4, 200));
  EXPECT_EQ(VectorOf(vc, 12), Make(4, 300));
  EXPECT_FALSE(vb.has(10));
  EXPECT_EQ(vb.live_count(), 11u);
  for (NodeId n = 0; n < 10; ++n) EXPECT_EQ(VectorOf(vc, n), Make(4, static_cast<float>(n)));
}

// The view's writer replaced its list of chunks but fills the same last chunk.
TEST(VectorTable, ContinuingAViewLeavesTheWritersChunkAlone) {
  VectorTable a(F32(4096));  // 16 rows a chunk
  for (NodeId n = 0; n < 10; ++n) a.Set(n, PayloadOf(Make(4096, 1)), PayloadRef::Make(1, n));
  auto v = a.Publish();
  for (NodeId n = 10; n < 20; ++n) a.Set(n, PayloadOf(Make(4096, 2)), PayloadRef::Make(2, n));
  auto w = a.Publish();
  VectorTable b(std::move(v));
  for (NodeId n = 10; n < 20; ++n) b.Set(n, PayloadOf(Make(4096, 3)), PayloadRef::Make(2, n));
  auto x = b.Publish();
  for (NodeId n = 10; n < 20; ++n) {
    EXPECT_EQ(VectorOf(w, n)[0], 2.0f) << n;
    EXPECT_EQ(VectorOf(x, n)[0], 3.0f) << n;
  }
}

// So many rows that chunks are cut from slabs: three tables go on from one view, each its own way.
TEST(VectorTable, LargeTablesThatGoOnFromAViewShareNoNewRows) {
  constexpr std::uint32_t kDimensions = 4096;
  constexpr NodeId kBefore = 16 * 21 + 5, kAfter = kBefore + 400;
  VectorTable a(F32(kDimensions));
  for (NodeId n = 0; n < kBefore; ++n)
    a.Set(n, PayloadOf(Make(kDimensions, static_cast<float>(n))), PayloadRef::Make(1, n));
  const auto v = a.Publish();
  VectorTable b(v), c(v);
  VectorTable* const tables[] = {&a, &b, &c};
  for (NodeId n = kBefore; n < kAfter; ++n)
    for (int i = 0; i < 3; ++i)
      tables[i]->Set(n, PayloadOf(Make(kDimensions, static_cast<float>(n + 1000 * (i + 1)))),
                     PayloadRef::Make(2, n));
  for (int i = 0; i < 3; ++i) {
    const auto view = tables[i]->Publish();
    EXPECT_EQ(view.row_count(), kAfter);
    EXPECT_GE(view.size_bytes(), std::uint64_t{kAfter} * kDimensions * sizeof(float));
    for (NodeId n = 0; n < kAfter; ++n)
      ASSERT_EQ(VectorOf(view, n),
                Make(kDimensions, static_cast<float>(n < kBefore ? n : n + 1000 * (i + 1))))
          << n;
  }
  EXPECT_EQ(v.row_count(), kBefore);
}

}  // namespace
}  // namespace plexus
