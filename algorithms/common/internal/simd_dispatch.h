// SimdTable: a kernel compiled for several instruction levels, and the choice among them.
//
//   constexpr SimdTable<WorkFn> kWork{&WorkScalar, &WorkAvx2, &WorkAvx512};
//   static const WorkFn best = kWork.Find(SimdLevel::kBest);
//
// A level that a kernel is not compiled for falls back to the level below it, when the best one is
// asked for.
#pragma once

#include "algorithms/common/common.h"

namespace plexus::common_internal {

template <class Kernel>  // a pointer
struct SimdTable {
  Kernel scalar;
  Kernel avx2 = nullptr, avx512 = nullptr;  // Null: not compiled.

  // Null: the kernel or the machine does not have the level. kScalar and kBest are always there.
  constexpr Kernel Find(SimdLevel level) const {
    switch (level) {
      case SimdLevel::kScalar:
        return scalar;
      case SimdLevel::kAvx2:
        return HasSimdLevel(level) ? avx2 : nullptr;
      case SimdLevel::kAvx512:
        return HasSimdLevel(level) ? avx512 : nullptr;
      case SimdLevel::kBest:
        break;
    }
    const SimdLevel best = BestSimdLevel();
    if (best == SimdLevel::kAvx512 && avx512) return avx512;
    return best >= SimdLevel::kAvx2 && avx2 ? avx2 : scalar;
  }
  // Of that level, or of the best one where Find has none.
  constexpr Kernel FindOrBest(SimdLevel level) const {
    const Kernel found = Find(level);
    return found ? found : Find(SimdLevel::kBest);
  }
};

}  // namespace plexus::common_internal
