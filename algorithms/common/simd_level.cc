// What the processor has, and what PLEXUS_SIMD allows.
#include "algorithms/common/common.h"

#include <algorithm>
#include <cstdlib>

#include "algorithms/common/internal/cpu_features.h"

namespace plexus {

namespace {

SimdLevel FindBest() {
  SimdLevel best = SimdLevel::kScalar;
  if (HasSimdLevel(SimdLevel::kAvx2)) best = SimdLevel::kAvx2;
  if (HasSimdLevel(SimdLevel::kAvx512)) best = SimdLevel::kAvx512;
  const char* const limit = std::getenv("PLEXUS_SIMD");
  if (!limit) return best;
  for (const SimdLevel level : {SimdLevel::kScalar, SimdLevel::kAvx2})
    if (limit == SimdLevelName(level)) best = std::min(best, level);
  return best;
}

}  // namespace

bool HasSimdLevel(SimdLevel level) {
  switch (level) {
    case SimdLevel::kAvx2:
      return common_internal::CpuHasAvx2();
    case SimdLevel::kAvx512:
      return common_internal::CpuHasAvx3();
    case SimdLevel::kBest:
    case SimdLevel::kScalar:
      break;
  }
  return true;
}

SimdLevel BestSimdLevel() {
  static const SimdLevel best = FindBest();
  return best;
}

std::string_view SimdLevelName(SimdLevel level) {
  switch (level) {
    case SimdLevel::kBest:
      return "best";
    case SimdLevel::kScalar:
      return "scalar";
    case SimdLevel::kAvx2:
      return "avx2";
    case SimdLevel::kAvx512:
      return "avx512";
  }
  return "";
}

}  // namespace plexus
