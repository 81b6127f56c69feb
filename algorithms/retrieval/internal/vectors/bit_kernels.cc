// The dispatched text, as in distance_kernels.cc. Bits are counted in bytes by table, or by
// VPOPCNTDQ where the processor has it.
#include "algorithms/retrieval/internal/vectors/bit_kernels.h"

#include <bit>

#include "algorithms/common/internal/simd_dispatch.h"

#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/retrieval/internal/vectors/bit_kernels.cc"
#include <hwy/foreach_target.h>  // compiles what follows once per level
#include <hwy/highway.h>

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
HWY_BEFORE_NAMESPACE();
namespace plexus::retrieval_internal::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Of the bits in which two words differ, 2^plane times each, added up in the bytes of a word: at
// most 8 * 15.
template <class D>
hn::Vec<hn::Repartition<std::uint8_t, D>> Weighted(D d, const std::uint64_t* planes,
                                                   std::size_t words, hn::Vec<D> row) {
  const hn::Repartition<std::uint8_t, D> bytes;
  auto sum = hn::Zero(bytes);
  for (std::size_t p = kBitPlanes; p-- > 0;) {
    const auto differ = hn::Xor(row, hn::Set(d, planes[p * words]));
    sum = hn::Add(hn::Add(sum, sum), hn::PopulationCount(hn::BitCast(bytes, differ)));
  }
  return sum;
}

void Distances(const std::uint64_t* HWY_RESTRICT planes, std::size_t words,
               const std::uint64_t* HWY_RESTRICT rows, std::size_t groups,
               std::uint32_t* HWY_RESTRICT differences) {
  const hn::CappedTag<std::uint64_t, kBitGroup> d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t g = 0; g < groups; ++g) {
    const std::uint64_t* const group = rows + g * words * kBitGroup;
    std::uint64_t sums[kBitGroup];
    for (std::size_t lane = 0; lane < kBitGroup; lane += lanes) {
      auto sum = hn::Zero(d);
      for (std::size_t w = 0; w < words; ++w) {
        const auto row = hn::LoadU(d, group + w * kBitGroup + lane);
        sum = hn::Add(sum, hn::SumsOf8(Weighted(d, planes + w, words, row)));
      }
      hn::StoreU(sum, d, sums + lane);
    }
    // TruncateTo calls hwy::Abort where nothing is optimised, and that library is not linked.
    for (std::size_t i = 0; i < kBitGroup; ++i)
      differences[g * kBitGroup + i] = static_cast<std::uint32_t>(sums[i]);
  }
}

}  // namespace plexus::retrieval_internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace plexus::retrieval_internal {
using namespace internal;
namespace {

void ScalarDistances(const std::uint64_t* planes, std::size_t words, const std::uint64_t* rows,
                     std::size_t groups, std::uint32_t* differences) {
  for (std::size_t g = 0; g < groups; ++g)
    for (std::size_t i = 0; i < kBitGroup; ++i) {
      std::uint32_t sum = 0;
      for (std::size_t w = 0; w < words; ++w)
        for (std::size_t p = 0; p < kBitPlanes; ++p) {
          const std::uint64_t row = rows[(g * words + w) * kBitGroup + i];
          sum += static_cast<std::uint32_t>(std::popcount(row ^ planes[p * words + w])) << p;
        }
      differences[g * kBitGroup + i] = sum;
    }
}

#if (HWY_TARGETS) & HWY_AVX3
BitDistance Avx512() {
#if (HWY_TARGETS) & HWY_AVX3_DL
  if (hwy::SupportedTargets() & HWY_AVX3_DL) return &N_AVX3_DL::Distances;
#endif
  return &N_AVX3::Distances;
}
#endif

}  // namespace

BitDistance PickBitDistance(SimdLevel level) {
  static const SimdTable<BitDistance> kKernels{
      .scalar = &ScalarDistances,
#if (HWY_TARGETS) & HWY_AVX2
      .avx2 = &N_AVX2::Distances,
#endif
#if (HWY_TARGETS) & HWY_AVX3
      .avx512 = Avx512(),
#endif
  };
  return kKernels.FindOrBest(level);
}

}  // namespace plexus::retrieval_internal
#endif
