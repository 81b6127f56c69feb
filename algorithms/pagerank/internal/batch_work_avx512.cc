// The work of a batched iteration, compiled for AVX-512.
#include "algorithms/pagerank/internal/batch_work.h"

namespace plexus::pagerank::internal {

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx512f,avx512dq,prefer-vector-width=512")))
void BatchWorkAvx512(const BatchTask& task) {
  Work(task);
}
#endif

}  // namespace plexus::pagerank::internal
