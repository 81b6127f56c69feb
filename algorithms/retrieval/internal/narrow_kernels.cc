// The dispatched text, as in distance_kernels.cc: codes are widened to 16 bits, and pairs of
// products are added up in 32.
#include "algorithms/retrieval/internal/narrow_kernels.h"

#include "algorithms/common/internal/simd_dispatch.h"

#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/retrieval/internal/narrow_kernels.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // compiles what follows once per level
#include <hwy/highway.h>

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
HWY_BEFORE_NAMESPACE();
namespace plexus::retrieval_internal::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Two sums, so that the additions overlap: 32 codes a step with AVX2, with AVX-512 one sum has
// them all.
void DotRows(const std::int16_t* HWY_RESTRICT query, std::size_t n,
             const std::int8_t* HWY_RESTRICT codes, std::size_t stride, std::size_t count,
             std::int32_t* HWY_RESTRICT dots) {
  const hn::ScalableTag<std::int16_t> wide;
  const hn::Rebind<std::int8_t, decltype(wide)> narrow;
  const hn::RepartitionToWide<decltype(wide)> sums;
  const std::size_t lanes = hn::Lanes(wide);
  constexpr std::size_t kAhead = 3072;  // bytes: the hardware's own reading ahead ends at a page
  for (std::size_t r = 0; r < count; ++r) {
    const std::int8_t* row = codes + r * stride;
    auto a = hn::Zero(sums), b = hn::Zero(sums), unused = hn::Zero(sums);
    for (std::size_t i = 0; i < n; i += 2 * lanes) {
      if (count > 1) hwy::Prefetch(row + kAhead + i);
      a = hn::ReorderWidenMulAccumulate(sums, hn::PromoteTo(wide, hn::LoadU(narrow, row + i)),
                                        hn::LoadU(wide, query + i), a, unused);
      if (i + lanes < n)
        b = hn::ReorderWidenMulAccumulate(sums,
                                          hn::PromoteTo(wide, hn::LoadU(narrow, row + i + lanes)),
                                          hn::LoadU(wide, query + i + lanes), b, unused);
    }
    dots[r] = hn::GetLane(hn::SumOfLanes(sums, hn::Add(hn::Add(a, b), unused)));
  }
}

}  // namespace plexus::retrieval_internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace plexus::retrieval_internal {
using namespace internal;
namespace {

void ScalarDotRows(const std::int16_t* query, std::size_t n, const std::int8_t* codes,
                   std::size_t stride, std::size_t count, std::int32_t* dots) {
  for (std::size_t r = 0; r < count; ++r) {
    const std::int8_t* row = codes + r * stride;
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += std::int32_t{query[i]} * std::int32_t{row[i]};
    dots[r] = sum;
  }
}

}  // namespace

NarrowDot PickNarrowDot(SimdLevel level) {
  static constexpr SimdTable<NarrowDot> kKernels{
      .scalar = &ScalarDotRows,
#if (HWY_TARGETS) & HWY_AVX2
      .avx2 = &N_AVX2::DotRows,
#endif
#if (HWY_TARGETS) & HWY_AVX3
      .avx512 = &N_AVX3::DotRows,
#endif
  };
  const NarrowDot found = kKernels.Find(level);
  return found ? found : kKernels.Find(SimdLevel::kBest);
}

}  // namespace plexus::retrieval_internal
#endif
