// Every instruction level against exact sums: lengths 0 to 130 and longer, any
// alignment, numbers that f32 cannot multiply, and not a byte read past the end.
#include "algorithms/retrieval/vectors.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "algorithms/retrieval/internal/vectors/distance_kernels.h"
#include "tests/reference/oracles.h"

namespace plexus::testing {
using namespace retrieval;
namespace {

using reference::Likeness;

class Levels : public ::testing::TestWithParam<SimdLevel> {
 protected:
  void SetUp() override {
    if (!HasSimdLevel(GetParam()))
      GTEST_SKIP() << "this machine has no " << SimdLevelName(GetParam());
  }
};

std::vector<std::size_t> Lengths() {
  std::vector<std::size_t> lengths;
  for (std::size_t n = 0; n <= 130; ++n) lengths.push_back(n);
  for (std::size_t n : {255, 256, 257, 384, 511, 512, 513, 768, 1000, 1024, 1536, 4095, 4096})
    lengths.push_back(n);
  return lengths;
}

std::vector<float> RandomVector(std::mt19937_64& random, std::size_t n) {
  std::normal_distribution<float> normal;
  std::vector<float> v(n);
  for (float& x : v) x = normal(random);
  return v;
}

double Norm(const std::vector<float>& v) {
  return std::sqrt(reference::Measure(Likeness::kInnerProduct, v, v));
}

TEST_P(Levels, AreWithinAMillionthAtAnyLengthAndAlignment) {
  std::mt19937_64 random(1);
  for (std::size_t n : Lengths()) {
    const std::vector<float> a = RandomVector(random, n), b = RandomVector(random, n);
    const double dot = reference::Measure(Likeness::kInnerProduct, a, b);
    const double cosine = reference::Measure(Likeness::kCosine, a, b);
    const double distance = reference::Measure(Likeness::kDistance, a, b);
    const double product = Norm(a) * Norm(b);
    double first[3] = {0, 0, 0};
    for (std::size_t shift = 0; shift < 16; ++shift) {
      // Poison on both sides: nothing outside of the row may count.
      std::vector<float> around(n + 32, std::numeric_limits<float>::quiet_NaN());
      std::copy(b.begin(), b.end(), around.begin() + static_cast<std::ptrdiff_t>(shift));
      const std::span<const float> moved(around.data() + shift, n);
      const double got[3] = {InnerProduct(a, moved, GetParam()), Cosine(a, moved, GetParam()),
                             SquaredDistance(a, moved, GetParam())};
      ASSERT_NEAR(got[0], dot, 1e-6 * product) << n;
      ASSERT_NEAR(got[1], cosine, 1e-6) << n;
      ASSERT_NEAR(got[2], distance * distance, 1e-6 * distance * distance) << n;
      if (shift == 0) std::copy(got, got + 3, first);
      ASSERT_TRUE(std::equal(got, got + 3, first)) << "alignment changed bits at " << n;
    }
  }
}

TEST_P(Levels, AreExactWhereF32Is) {
  std::mt19937_64 random(2);
  for (std::size_t n : Lengths()) {
    std::vector<float> a(n), b(n);
    for (float& x : a) x = static_cast<float>(static_cast<int>(random() % 9) - 4);
    for (float& x : b) x = static_cast<float>(static_cast<int>(random() % 9) - 4);
    ASSERT_EQ(InnerProduct(a, b, GetParam()), reference::Measure(Likeness::kInnerProduct, a, b))
        << n;
    ASSERT_EQ(Cosine(a, b, GetParam()), reference::Measure(Likeness::kCosine, a, b)) << n;
    ASSERT_EQ(std::sqrt(SquaredDistance(a, b, GetParam())),
              reference::Measure(Likeness::kDistance, a, b))
        << n;
  }
}

TEST_P(Levels, HoldAtTheEdgesOfF32) {
  const SimdLevel level = GetParam();
  const float huge = std::numeric_limits<float>::max(), tiny = 1e-38f;
  const float least = std::numeric_limits<float>::denorm_min();
  std::mt19937_64 random(3);
  for (std::size_t n : {1u, 3u, 16u, 100u, 130u}) {
    const std::vector<float> unit = RandomVector(random, n);
    for (float scale : {huge / 8, 1e30f, 1e-18f, 1e-25f, tiny}) {
      std::vector<float> v = unit, w = RandomVector(random, n);
      for (float& x : v) x *= scale;
      EXPECT_EQ(Cosine(v, v, level), 1) << scale;
      EXPECT_NEAR(Cosine(v, w, level), reference::Measure(Likeness::kCosine, v, w), 1e-6) << scale;
      EXPECT_NEAR(Cosine(w, v, level), reference::Measure(Likeness::kCosine, v, w), 1e-6) << scale;
      const double dot = reference::Measure(Likeness::kInnerProduct, v, v);
      EXPECT_NEAR(InnerProduct(v, v, level), dot, scale > 1 ? 1e-6 * dot : 1e-30) << scale;
      const double distance = reference::Measure(Likeness::kDistance, v, w);
      EXPECT_NEAR(SquaredDistance(v, w, level), distance * distance, 1e-6 * distance * distance);
    }
    const std::vector<float> zero(n, 0.0f), minus(n, -0.0f), denormal(n, least);
    EXPECT_EQ(Cosine(zero, unit, level), 0);
    EXPECT_EQ(Cosine(unit, minus, level), 0);
    EXPECT_EQ(Cosine(zero, zero, level), 0);
    EXPECT_EQ(Cosine(denormal, denormal, level), 1);
    EXPECT_EQ(SquaredDistance(unit, unit, level), 0);
    std::vector<float> opposite = unit;
    for (float& x : opposite) x *= -2;
    EXPECT_NEAR(Cosine(unit, opposite, level), -1, 1e-6);
    EXPECT_GE(Cosine(unit, opposite, level), -1);
  }
}

TEST_P(Levels, ReadNothingBehindTheEnd) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* memory =
      ::mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* const bytes = static_cast<char*>(memory);
  ASSERT_EQ(::mprotect(bytes, page, PROT_NONE), 0);
  ASSERT_EQ(::mprotect(bytes + 2 * page, page, PROT_NONE), 0);
  auto* const first = reinterpret_cast<float*>(bytes + page);
  auto* const end = reinterpret_cast<float*>(bytes + 2 * page);
  std::fill(first, end, 1.0f);
  for (std::size_t n = 0; n <= 130; ++n) {
    const std::span<const float> front(first, n), back(end - n, n);
    EXPECT_EQ(InnerProduct(front, back, GetParam()), static_cast<double>(n));
    EXPECT_EQ(Cosine(back, back, GetParam()), n == 0 ? 0 : 1);
    EXPECT_EQ(SquaredDistance(front, back, GetParam()), 0);
  }
  ::munmap(memory, 3 * page);
}

TEST_P(Levels, RowsDoNotDependOnTheirNeighbours) {
  std::mt19937_64 random(4);
  const retrieval::internal::RowKernels* kernels = retrieval::internal::FindRowKernels(GetParam());
  ASSERT_NE(kernels, nullptr);
  for (std::size_t n : {1u, 15u, 16u, 17u, 100u, 112u, 600u}) {
    const std::size_t stride = n + 5, count = 9;
    const std::vector<float> rows = RandomVector(random, stride * count),
                             query = RandomVector(random, n);
    double dots[9], norms[9], squares[9], only[9], dot, norm, square;
    const retrieval::internal::Rows all{rows.data(), stride, count};
    kernels->dot(query.data(), n, all, only);
    kernels->dot_norm(query.data(), n, all, dots, norms);
    kernels->distance(query.data(), n, all, squares);
    for (std::size_t i = 0; i < count; ++i) {
      const retrieval::internal::Rows one{rows.data() + i * stride, stride, 1};
      kernels->dot_norm(query.data(), n, one, &dot, &norm);
      kernels->distance(query.data(), n, one, &square);
      EXPECT_EQ(dots[i], dot);
      EXPECT_EQ(only[i], dot);
      EXPECT_EQ(norms[i], norm);
      EXPECT_EQ(squares[i], square);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Levels,
                         ::testing::Values(SimdLevel::kScalar, SimdLevel::kAvx2, SimdLevel::kAvx512,
                                           SimdLevel::kBest),
                         [](const auto& level) { return std::string(SimdLevelName(level.param)); });

TEST(SimdLevel, ForcedLevelsAreDifferentCode) {
  EXPECT_TRUE(HasSimdLevel(SimdLevel::kScalar));
  EXPECT_TRUE(HasSimdLevel(SimdLevel::kBest));
  EXPECT_TRUE(HasSimdLevel(BestSimdLevel()));
  EXPECT_EQ(retrieval::internal::FindRowKernels(SimdLevel::kScalar),
            &retrieval::internal::ScalarRowKernels());
  EXPECT_EQ(retrieval::internal::FindRowKernels(SimdLevel::kBest),
            retrieval::internal::FindRowKernels(BestSimdLevel()));
  const retrieval::internal::RowKernels* const avx2 =
      retrieval::internal::FindRowKernels(SimdLevel::kAvx2);
  const retrieval::internal::RowKernels* const avx512 =
      retrieval::internal::FindRowKernels(SimdLevel::kAvx512);
  if (avx2) {
    EXPECT_NE(avx2->dot, retrieval::internal::ScalarRowKernels().dot);
  }
  if (avx512) {
    EXPECT_NE(avx512->dot, avx2 ? avx2->dot : retrieval::internal::ScalarRowKernels().dot);
  }
  EXPECT_EQ(&retrieval::internal::PickRowKernels(SimdLevel::kAvx512),
            avx512 ? avx512 : &retrieval::internal::PickRowKernels(SimdLevel::kBest));
}

}  // namespace
}  // namespace plexus::testing
