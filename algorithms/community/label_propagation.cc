// Two arrays of labels in turns; a row is counted in a dense accumulator.
#include "algorithms/community/community.h"

#include <numeric>

#include "algorithms/common/common.h"
#include "algorithms/common/internal/dense_view_options.h"
#include "algorithms/common/internal/object_pool.h"
#include "algorithms/common/internal/selection.h"
#include "algorithms/common/internal/stop_flag.h"
#include "algorithms/community/internal/sparse_accumulator.h"
#include "engine/out_of_memory.h"

namespace plexus::community {

namespace {

constexpr std::size_t kGrain = 1024;

// The label of v after this iteration.
NodeId Next(const CsrView& out, const CsrView& in, NodeId v, const std::vector<NodeId>& labels,
            internal::SparseAccumulator& accumulator) {
  internal::SparseAccumulator::Row<true> row(accumulator);
  for (const CsrView* rows : {&out, &in})
    for (std::uint32_t a = rows->offsets[v]; a < rows->offsets[v + 1]; ++a)
      row.Add(labels[rows->neighbors[a]], 1);
  NodeId best = labels[v];
  double most = 0;
  row.ForEachAndClear([&](NodeId label, double count) {
    if (count < most || (count == most && label > best)) return;
    most = count;
    best = label;
  });
  return best;
}

// The labels of dense ids; rows of both directions. May throw std::bad_alloc.
Result<LabelPropagationResult> Propagate(const CsrView& out, const CsrView& in,
                                         const LabelPropagationOptions& options) {
  if (options.iterations < 0)
    return Invalid("iterations ", options.iterations, ": expected at least 0");
  Executor& executor = common_internal::Pick(options.run.executor);
  const NodeId n = out.node_count();
  LabelPropagationResult result;
  std::vector<NodeId>& labels = result.labels;
  labels.resize(n);
  std::iota(labels.begin(), labels.end(), NodeId{0});
  std::vector<NodeId> next(n);
  common_internal::ObjectPool<internal::SparseAccumulator> accumulators;
  accumulators.Reserve(executor, n);
  for (auto& accumulator : accumulators.idle()) accumulator->Resize<true>(n);
  while (result.iterations < options.iterations && !result.converged) {
    common_internal::StopFlag stop(&options.run.budget);
    const std::uint64_t changed =
        ParallelSum(executor, n, kGrain, [&](std::size_t begin, std::size_t end) {
          const auto accumulator = accumulators.Acquire();
          std::uint64_t count = 0;
          if (stop.Poll()) return count;
          for (auto v = static_cast<NodeId>(begin); v < end; ++v) {
            next[v] = Next(out, in, v, labels, *accumulator);
            count += next[v] != labels[v];
          }
          return count;
        });
    if (stop.stopped()) {  // some blocks were left out
      result.truncated = true;
      break;
    }
    labels.swap(next);
    ++result.iterations;
    result.converged = changed == 0;
  }
  std::vector<bool> seen(n);
  for (NodeId label : labels) {
    result.count += !seen[label];
    seen[label] = true;
  }
  return result;
}

}  // namespace

Result<LabelPropagationResult> LabelPropagation(const Snapshot& snapshot,
                                                const LabelPropagationOptions& options) try {
  DenseViewOptions wanted = common_internal::ViewOptions(options);
  wanted.weights = false;
  PLEXUS_ASSIGN(const auto made, common_internal::ViewInTime(snapshot, wanted, options.run));
  if (!made) {
    LabelPropagationResult nothing;
    nothing.labels.assign(snapshot.node_count(), kNoNode);
    nothing.truncated = true;
    return nothing;
  }
  const DenseView& view = *made;
  PLEXUS_ASSIGN(LabelPropagationResult result, Propagate(view.out(), view.in(), options));
  if (!view.packed()) return result;
  // Dense ids keep the order of ids, so the smallest label is the smallest in either.
  std::vector<NodeId> by_id(snapshot.node_count(), kNoNode);
  for (NodeId v = 0; v < view.node_count(); ++v) by_id[view.node(v)] = view.node(result.labels[v]);
  result.labels = std::move(by_id);
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::community
