// A kernel's options as DenseViewOptions, and its view within the time of its budget.
#pragma once

#include <optional>

#include "algorithms/common/common.h"
#include "algorithms/common/internal/in_time.h"

namespace plexus::common_internal {

// Filter, executor and, where the kernel takes them, reversed kinds and weights of `options`; the
// caller sets which rows are needed.
template <class Options>
DenseViewOptions ViewOptions(const Options& options) {
  DenseViewOptions view;
  view.filter = options.filter;
  view.executor = options.run.executor;
  if constexpr (requires { options.reversed; }) view.reversed = options.reversed;
  if constexpr (requires { options.arc_weights; }) view.arc_weights = options.arc_weights;
  return view;
}

// None: the time was up before the rows were made.
inline Result<std::optional<DenseView>> ViewInTime(const Snapshot& snapshot,
                                                   DenseViewOptions wanted, const RunOptions& run) {
  return InTime(run, [&](Executor& executor) {
    wanted.executor = &executor;
    return DenseView::Make(snapshot, wanted);
  });
}

}  // namespace plexus::common_internal
