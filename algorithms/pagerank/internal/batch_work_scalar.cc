// The work of a batched iteration, compiled for any processor.
#include "algorithms/pagerank/internal/batch_work.h"

namespace plexus::pagerank::internal {

void BatchWorkScalar(const BatchTask& task) {
  Work(task);
}

}  // namespace plexus::pagerank::internal
