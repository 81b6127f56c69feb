// A kernel's options as DenseViewOptions.
#pragma once

#include "algorithms/common/dense_view.h"

namespace plexus::internal {

// Kinds, reversed ones and weights (where the kernel takes them), time, subset and executor of
// `options`; the caller sets which rows are needed.
template <class Options>
DenseViewOptions ViewOptions(const Options& options) {
  DenseViewOptions view;
  view.kinds = options.kinds;
  view.valid_at = options.valid_at;
  view.subset = options.subset;
  view.executor = options.executor;
  if constexpr (requires { options.reversed; }) view.reversed = options.reversed;
  if constexpr (requires { options.arc_weights; }) view.arc_weights = options.arc_weights;
  return view;
}

}  // namespace plexus::internal
