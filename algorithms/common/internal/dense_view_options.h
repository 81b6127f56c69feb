// A kernel's options as DenseViewOptions.
#pragma once

#include "algorithms/common/dense_view.h"

namespace plexus::internal {

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

}  // namespace plexus::internal
