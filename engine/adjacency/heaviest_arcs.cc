// One pass over the weights of a csr. Rows are sorted by kind, so arcs of one kind stand together.
#include "engine/adjacency/heaviest_arcs.h"

#include <atomic>

namespace plexus {

std::shared_ptr<const HeaviestArcs> FindHeaviestArcs(const Csr& csr, Executor& executor,
                                                     const std::function<bool()>& stop) {
  constexpr std::size_t kGrain = std::size_t{1} << 18;
  const StoredCsrView out = csr.out();
  std::atomic<bool> stopped = false;
  auto block = [&](std::size_t begin, std::size_t end) {
    std::vector<float> found;
    if (stopped.load(std::memory_order_relaxed) || (stop && stop())) {
      stopped = true;
      return found;
    }
    for (std::size_t i = begin; i < end;) {
      const EdgeKindId kind = out.kind(static_cast<std::uint32_t>(i));
      float most = 0;
      for (; i < end && out.kind(static_cast<std::uint32_t>(i)) == kind; ++i)
        most = std::max(most, out.weights[i]);
      RaiseHeaviest(found, kind, most);
    }
    return found;
  };
  auto join = [](std::vector<float> all, const std::vector<float>& one) {
    for (std::size_t kind = 0; kind < one.size(); ++kind)
      RaiseHeaviest(all, static_cast<KindId>(kind), one[kind]);
    return all;
  };
  auto made = std::make_shared<HeaviestArcs>();
  made->by_kind =
      ParallelReduce(executor, csr.arc_count(), kGrain, std::vector<float>(), block, join);
  if (stopped) return nullptr;
  return made;
}

}  // namespace plexus
