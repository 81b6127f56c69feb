// AlignedArray: alignment, moves, and sizes from nothing to past a huge page.
#include "engine/arrays/aligned_array.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace plexus {
namespace {

TEST(AlignedArray, EmptyOwnsNothing) {
  AlignedArray<int> a;
  EXPECT_TRUE(a.empty());
  EXPECT_EQ(a.data(), nullptr);
  AlignedArray<int> b(0);
  EXPECT_EQ(b.data(), nullptr);
  EXPECT_EQ(b.begin(), b.end());
  AlignedArray<int> c{std::span<const int>{}};
  EXPECT_EQ(c.size(), 0u);
}

TEST(AlignedArray, AlignedAtEverySize) {
  for (std::size_t size :
       {1u, 15u, 63u, 64u, 4096u, (2u << 20) - 1, 2u << 20, (2u << 20) + 1, 5u << 20}) {
    AlignedArray<std::uint8_t> a(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % 64, 0u) << size;
    if (size > (2u << 20)) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % (2u << 20), 0u) << size;
    }
    a[0] = 1;
    a[size - 1] = 2;  // the last byte is ours (ASan)
    EXPECT_EQ(a[size - 1], 2);
    EXPECT_EQ(a.size_bytes(), size);
  }
}

TEST(AlignedArray, FillAndCopy) {
  AlignedArray<double> a(1000, 1.5);
  for (double x : a) ASSERT_EQ(x, 1.5);
  std::vector<std::int64_t> from = {1, 2, 3};
  AlignedArray<std::int64_t> b{std::span<const std::int64_t>(from)};
  from[0] = 99;
  EXPECT_EQ(std::vector<std::int64_t>(b.begin(), b.end()), (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(b.span().size(), 3u);
}

TEST(AlignedArray, MovesLeaveNothingBehind) {
  AlignedArray<int> a(10, 4);
  const int* data = a.data();
  AlignedArray<int> b(std::move(a));
  EXPECT_EQ(b.data(), data);
  EXPECT_EQ(a.data(), nullptr);  // NOLINT: the moved-from state is promised
  EXPECT_EQ(a.size(), 0u);
  AlignedArray<int> c(3, 1);
  c = std::move(b);
  EXPECT_EQ(c.data(), data);
  EXPECT_EQ(c.size(), 10u);
  std::vector<AlignedArray<int>> many;
  for (int i = 0; i < 50; ++i) many.emplace_back(std::size_t{5}, i);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(many[i][4], i);
}

// Freed blocks of middle size come back for the next of their size, never twice, and not for
// others.
TEST(AlignedArray, FreedBlocksAreLentOnce) {
  for (std::size_t size : {std::size_t{64} << 10, std::size_t{100'000}, (std::size_t{2} << 20) - 5,
                           std::size_t{5} << 20}) {
    std::vector<AlignedArray<std::uint8_t>> all;
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 20; ++i) {
        all.emplace_back(size, static_cast<std::uint8_t>(i));
        AlignedArray<std::uint8_t> other(size + 70'000, std::uint8_t{0xEE});
      }
      for (int i = 0; i < 20; ++i)
        for (std::size_t at : {std::size_t{0}, size / 2, size - 1})
          ASSERT_EQ(all[i][at], i) << size;
      for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) ASSERT_NE(all[i].data(), all[j].data());
      all.clear();
    }
  }
}

#if !defined(NDEBUG)
// Neither fresh arrays nor those that were in use before may be taken for filled.
TEST(AlignedArray, CheckedBuildsFillNewArrays) {
  for (std::size_t size : {std::size_t{10}, std::size_t{20'000}, std::size_t{700'000}}) {
    for (int round = 0; round < 2; ++round) {
      AlignedArray<double> numbers(size);
      for (std::size_t at : {std::size_t{0}, size / 2, size - 1})
        ASSERT_TRUE(std::isnan(numbers[at])) << size;
      for (double& x : numbers) x = 1;
      AlignedArray<float> halves(size * 2);  // the same bytes
      for (std::size_t at : {std::size_t{0}, size / 2, size - 1})
        ASSERT_TRUE(std::isnan(halves[at])) << size;
    }
    AlignedArray<std::uint32_t> ids(size);
    EXPECT_GT(ids[size / 2], 0x7FFFFFFFu / 2);
  }
}
#endif

#if defined(__has_feature)  // clang's way to say what gcc says by macros
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
// The sanitizers' own locks are not made for such a child.
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
TEST(AlignedArray, AChildOfThreadsMakesArrays) {
  std::atomic<bool> done = false;
  std::vector<std::jthread> busy;
  for (int t = 0; t < 2; ++t)
    busy.emplace_back([&] {
      while (!done) AlignedArray<std::uint8_t> block(std::size_t{64} << 10);
    });
  int wrong = 0;
  for (int i = 0; i < 40; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(5);  // a lock that nobody will give back
      for (int round = 0; round < 3; ++round)
        AlignedArray<std::uint8_t> block(std::size_t{64} << 10);
      _exit(0);
    }
    int status = -1;
    wrong += child < 0 || waitpid(child, &status, 0) != child || status != 0;
  }
  done = true;
  EXPECT_EQ(wrong, 0);
}
#endif

}  // namespace
}  // namespace plexus
