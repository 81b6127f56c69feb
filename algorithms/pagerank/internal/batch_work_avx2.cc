// The work of a batched iteration, compiled for AVX2.
#include "algorithms/pagerank/internal/batch_work.h"

namespace plexus::pagerank::internal {

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx2")))
void BatchWorkAvx2(const BatchTask& task) {
  Work(task);
}
#endif

}  // namespace plexus::pagerank::internal
