// The dispatched text: Highway compiles the middle of this file once per instruction
// level (AVX3_DL counts bits in one instruction); the end chooses at run time.
#include "algorithms/community/internal/bitset_intersection.h"

#include <bit>

#include "algorithms/common/internal/cpu_features.h"
#include "algorithms/common/internal/simd_dispatch.h"

#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/community/internal/bitset_intersection.cc"
#include <hwy/foreach_target.h>  // compiles what follows once per level
#include <hwy/highway.h>

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
HWY_BEFORE_NAMESPACE();
namespace plexus::community::internal::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

std::uint64_t CountCommon(const std::uint64_t* a, const std::uint64_t* b, std::size_t words) {
  const hn::ScalableTag<std::uint64_t> tag;
  const std::size_t lanes = hn::Lanes(tag);
  auto sum = hn::Zero(tag);
  std::size_t i = 0;
  for (; i + lanes <= words; i += lanes)
    sum = hn::Add(sum, hn::PopulationCount(hn::And(hn::LoadU(tag, a + i), hn::LoadU(tag, b + i))));
  if (i < words) {
    const auto head = hn::FirstN(tag, words - i);
    sum = hn::Add(sum, hn::PopulationCount(hn::And(hn::MaskedLoad(head, tag, a + i),
                                                   hn::MaskedLoad(head, tag, b + i))));
  }
  return hn::GetLane(hn::SumOfLanes(tag, sum));
}

}  // namespace plexus::community::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace plexus::community::internal {
namespace {

std::uint64_t Scalar(const std::uint64_t* a, const std::uint64_t* b, std::size_t words) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < words; ++i)
    sum += static_cast<std::uint64_t>(std::popcount(a[i] & b[i]));
  return sum;
}

}  // namespace

CountCommonFn FindCountCommon(SimdLevel level) {
  static const common_internal::SimdTable<CountCommonFn> kernels{
      .scalar = &Scalar,
#if (HWY_TARGETS) & HWY_AVX2
      .avx2 = &N_AVX2::CountCommon,
#endif
#if (HWY_TARGETS) & HWY_AVX3_DL
      .avx512 = common_internal::CpuHasAvx3Dl() ? &N_AVX3_DL::CountCommon : &N_AVX3::CountCommon,
#elif (HWY_TARGETS) & HWY_AVX3
      .avx512 = &N_AVX3::CountCommon,
#endif
  };
  return kernels.Find(level);
}

}  // namespace plexus::community::internal
#endif
