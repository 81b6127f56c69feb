// One step over all blocks; the work of a block is picked by instruction level at run time.
#include "algorithms/pagerank/internal/batch_iteration.h"

#include "algorithms/common/internal/simd_dispatch.h"
#include "algorithms/common/internal/stop_flag.h"

namespace plexus::pagerank::internal {

namespace {

using WorkFn = void (*)(const BatchTask&);
#if defined(__x86_64__) && defined(__GNUC__)
constexpr common_internal::SimdTable<WorkFn> kWork{&BatchWorkScalar, &BatchWorkAvx2,
                                                   &BatchWorkAvx512};
#else
constexpr common_internal::SimdTable<WorkFn> kWork{&BatchWorkScalar};
#endif

}  // namespace

BatchPartial Add(BatchPartial a, const BatchPartial& b) {
  for (std::uint32_t k = 0; k < kBatchWidth; ++k) {
    a.step[k] += b.step[k];
    a.dangling[k] += b.dangling[k];
  }
  a.reached += b.reached;
  return a;
}

// All blocks of a segment before the next one: the threads share the third-level cache.
std::optional<BatchPartial> BatchStepper::Step(const BatchStep& step, Executor& executor,
                                               SimdLevel level) {
  const WorkFn work = kWork.Find(level);
  common_internal::StopFlag stop_flag(step.budget);
  for (std::size_t s = 0; s < rows_.segment_count() && !stop_flag.stopped(); ++s)
    ParallelFor(executor, partials_.size(), 1, [&](std::size_t b, std::size_t) {
      if (!stop_flag.Poll()) work({&rows_, &step, b, s, &partials_[b]});
    });
  if (stop_flag.stopped()) return std::nullopt;
  BatchPartial total;
  for (const BatchPartial& p : partials_) total = Add(total, p);
  return total;
}

}  // namespace plexus::pagerank::internal
