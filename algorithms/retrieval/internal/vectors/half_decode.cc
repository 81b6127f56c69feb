// The dispatched text, as in distance_kernels.cc.
#include "algorithms/retrieval/internal/vectors/half_decode.h"

#include "algorithms/common/internal/simd_dispatch.h"
#include "engine/vectors/half.h"

#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/retrieval/internal/vectors/half_decode.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // compiles what follows once per level
#include <hwy/highway.h>

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
HWY_BEFORE_NAMESPACE();
namespace plexus::retrieval::internal::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kLanes = HWY_MAX_BYTES / sizeof(float);
constexpr std::size_t kHalvesOfLine = 32;
constexpr std::size_t kAhead = 3072;  // bytes, as in distance_kernels.cc

void Decode(const std::byte* rows, std::size_t row_bytes, std::size_t count, std::size_t stride,
            float* HWY_RESTRICT values) {
  const hn::ScalableTag<float> tag;
  const hn::Rebind<hwy::float16_t, decltype(tag)> halves;
  for (std::size_t r = 0; r < count; ++r) {
    const std::byte* const row = rows + r * row_bytes;
    const auto* const from = reinterpret_cast<const hwy::float16_t*>(row);
    for (std::size_t i = 0; i < stride; i += kLanes) {
      if (count > 1 && i % kHalvesOfLine == 0) hwy::Prefetch(row + 2 * i + kAhead);
      hn::StoreU(hn::PromoteTo(tag, hn::LoadU(halves, from + i)), tag, values + i);
    }
    values += stride;
  }
}

}  // namespace plexus::retrieval::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace plexus::retrieval::internal {
namespace {

void DecodeScalar(const std::byte* rows, std::size_t row_bytes, std::size_t count,
                  std::size_t stride, float* values) {
  for (std::size_t r = 0; r < count; ++r) {
    const auto* const from = reinterpret_cast<const std::uint16_t*>(rows + r * row_bytes);
    for (std::size_t i = 0; i < stride; ++i) *values++ = FloatFromHalf(from[i]);
  }
}

constexpr common_internal::SimdTable<HalfDecode> kDecodes{
    .scalar = &DecodeScalar,
#if (HWY_TARGETS) & HWY_AVX2
    .avx2 = &N_AVX2::Decode,
#endif
#if (HWY_TARGETS) & HWY_AVX3
    .avx512 = &N_AVX3::Decode,
#endif
};

}  // namespace

HalfDecode FindHalfDecode(SimdLevel level) { return kDecodes.Find(level); }
HalfDecode PickHalfDecode(SimdLevel level) { return kDecodes.FindOrBest(level); }

}  // namespace plexus::retrieval::internal
#endif
