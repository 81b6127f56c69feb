// The dispatched text, as in distance_kernels.cc.
#include "algorithms/retrieval/internal/vectors/narrow_rows.h"

#include <cstring>

#include "algorithms/common/internal/simd_dispatch.h"

#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/retrieval/internal/vectors/narrow_kernels.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // compiles what follows once per level
#include <hwy/highway.h>

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
HWY_BEFORE_NAMESPACE();
namespace plexus::retrieval::internal::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Wide = hn::ScalableTag<std::int16_t>;
using Sums = hn::ScalableTag<std::int32_t>;
using Bounds = hn::ScalableTag<double>;

constexpr std::size_t kStepBytes = kNarrowGroup * kNarrowStep;
constexpr std::size_t kWideLanes = HWY_MAX_BYTES / sizeof(std::int16_t);
constexpr std::size_t kParts = kStepBytes / kWideLanes;  // vectors of a step in 16 bits
constexpr std::size_t kAhead = 4096;  // bytes: the hardware's own reading ahead ends at a page

// dots[r] = query . row r of the group.
HWY_INLINE void GroupDots(const std::int16_t* HWY_RESTRICT query,
                          const std::int8_t* HWY_RESTRICT codes, std::size_t steps,
                          std::int32_t* HWY_RESTRICT dots) {
  const Wide wide;
  const Sums sums;
  const hn::Rebind<std::int8_t, Wide> narrow;
  hn::Vec<Sums> part[kParts], unused = hn::Zero(sums);
  for (std::size_t p = 0; p < kParts; ++p) part[p] = hn::Zero(sums);
  for (std::size_t s = 0; s < steps; ++s, codes += kStepBytes) {
    hwy::Prefetch(codes + kAhead);
    std::int64_t four;
    std::memcpy(&four, query + s * kNarrowStep, sizeof(four));
    const auto q = hn::BitCast(wide, hn::Set(hn::ScalableTag<std::int64_t>(), four));
    for (std::size_t p = 0; p < kParts; ++p)
      part[p] = hn::ReorderWidenMulAccumulate(
          sums, hn::PromoteTo(wide, hn::LoadU(narrow, codes + p * kWideLanes)), q, part[p], unused);
  }
  // A row has two sums, side by side.
  for (std::size_t p = 0; p < kParts; ++p) part[p] = hn::Add(part[p], hn::Shuffle2301(part[p]));
  for (std::size_t p = 0; p < kParts; p += 2)
    hn::StoreU(hn::ConcatEven(sums, part[p + 1], part[p]), sums, dots + p * kWideLanes / 4);
}

template <Metric kMetric>
void Uppers(const NarrowForm& form, const NarrowGroups& groups, double least,
            double* HWY_RESTRICT upper, std::uint16_t* HWY_RESTRICT reach) {
  const Bounds d;
  const hn::Rebind<float, Bounds> f;
  const hn::Rebind<std::int32_t, Bounds> whole;
  const std::size_t lanes = hn::Lanes(d);
  const auto scale = hn::Set(d, form.scale), norm = hn::Set(d, form.norm);
  const auto of_error = hn::Set(d, form.of_error), of_norm = hn::Set(d, form.of_norm);
  const auto vanishing = hn::Set(d, form.vanishing), limit = hn::Set(d, least);
  const std::size_t bytes = groups.steps * kStepBytes;
  for (std::size_t g = 0; g < groups.count; ++g) {
    std::int32_t dots[kNarrowGroup];
    GroupDots(form.codes, groups.codes + g * bytes, groups.steps, dots);
    const float* const bounds = groups.bounds + g * 3 * kNarrowGroup;
    for (std::size_t line = 0; line < 3; ++line)
      hwy::Prefetch(bounds + kAhead / sizeof(float) + line * kNarrowGroup);
    unsigned reached = 0;
    for (std::size_t r = 0; r < kNarrowGroup; r += lanes) {
      const auto x = hn::PromoteTo(d, hn::LoadU(f, bounds + kNarrowGroup + r));
      const auto slack =
          hn::MulAdd(of_error, hn::PromoteTo(d, hn::LoadU(f, bounds + 2 * kNarrowGroup + r)),
                     hn::Mul(of_norm, x));
      const auto middle = hn::Mul(hn::Mul(scale, hn::PromoteTo(d, hn::LoadU(f, bounds + r))),
                                  hn::PromoteTo(d, hn::LoadU(whole, dots + r)));
      const auto product = hn::Add(middle, slack);
      auto rank = hn::Add(product, vanishing);
      if constexpr (kMetric == Metric::kCosine)
        rank = hn::IfThenElseZero(hn::Gt(x, hn::Zero(d)), hn::Div(product, hn::Mul(norm, x)));
      if constexpr (kMetric == Metric::kL2) {
        const auto both = hn::MulAdd(x, x, hn::Mul(norm, norm));
        rank = hn::Add(hn::Sub(hn::Add(product, product), both),
                       hn::MulAdd(hn::Set(d, form.kernel), both, vanishing));
      }
      hn::StoreU(rank, d, upper + g * kNarrowGroup + r);
      std::uint8_t bits[8];
      hn::StoreMaskBits(d, hn::Ge(rank, limit), bits);
      reached |= unsigned{bits[0]} << r;
    }
    reach[g] = static_cast<std::uint16_t>(reached);
  }
}

void AnyUppers(const NarrowForm& form, const NarrowGroups& groups, double least, double* upper,
               std::uint16_t* reach) {
  const auto uppers = form.metric == Metric::kCosine         ? &Uppers<Metric::kCosine>
                      : form.metric == Metric::kInnerProduct ? &Uppers<Metric::kInnerProduct>
                                                             : &Uppers<Metric::kL2>;
  uppers(form, groups, least, upper, reach);
}

}  // namespace plexus::retrieval::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace plexus::retrieval::internal {
namespace {

double ScalarUpper(const NarrowForm& form, std::int32_t dot, const float* bound) {
  const double norm = static_cast<double>(bound[kNarrowGroup]);
  const double error = static_cast<double>(bound[2 * kNarrowGroup]);
  const double product = form.scale * static_cast<double>(bound[0]) * dot +
                         (form.of_error * error + form.of_norm * norm);
  if (form.metric == Metric::kInnerProduct) return product + form.vanishing;
  if (form.metric == Metric::kCosine) return norm > 0 ? product / (form.norm * norm) : 0;
  const double both = form.norm * form.norm + norm * norm;
  return 2 * product - both + (form.kernel * both + form.vanishing);
}

void ScalarUppers(const NarrowForm& form, const NarrowGroups& groups, double least, double* upper,
                  std::uint16_t* reach) {
  const std::int8_t* codes = groups.codes;
  for (std::size_t g = 0; g < groups.count; ++g) {
    std::int32_t dots[kNarrowGroup] = {};
    for (std::size_t s = 0; s < groups.steps; ++s)
      for (std::size_t r = 0; r < kNarrowGroup; ++r)
        for (std::size_t i = 0; i < kNarrowStep; ++i)
          dots[r] += std::int32_t{form.codes[s * kNarrowStep + i]} * std::int32_t{*codes++};
    unsigned reached = 0;
    for (std::size_t r = 0; r < kNarrowGroup; ++r) {
      const double rank = ScalarUpper(form, dots[r], groups.bounds + g * 3 * kNarrowGroup + r);
      upper[g * kNarrowGroup + r] = rank;
      reached |= static_cast<unsigned>(rank >= least) << r;
    }
    reach[g] = static_cast<std::uint16_t>(reached);
  }
}

}  // namespace

NarrowUppers PickNarrowUppers(SimdLevel level) {
  static constexpr common_internal::SimdTable<NarrowUppers> kKernels{
      .scalar = &ScalarUppers,
#if (HWY_TARGETS) & HWY_AVX2
      .avx2 = &N_AVX2::AnyUppers,
#endif
#if (HWY_TARGETS) & HWY_AVX3
      .avx512 = &N_AVX3::AnyUppers,
#endif
  };
  return kKernels.FindOrBest(level);
}

}  // namespace plexus::retrieval::internal
#endif
