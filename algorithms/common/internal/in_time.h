// InTime: what a kernel makes before it searches, such as its rows, ends with the time of its
// budget.
#pragma once

#include <optional>
#include <utility>

#include "algorithms/common/common.h"
#include "algorithms/common/internal/selection.h"
#include "algorithms/common/internal/stoppable_executor.h"
#include "engine/error.h"

namespace plexus::common_internal {

// What make(Executor&) returns, a Result; none when the time was up before it was made. Its loops
// over the executor end by an exception. It must not keep the executor, nor share what is
// unfinished.
template <class Make>
auto InTime(const RunOptions& run, Make&& make)
    -> Result<std::optional<typename decltype(make(*run.executor))::value_type>> {
  StoppableExecutor executor(Pick(run.executor), run.budget, WhenStopped::kThrow);
  try {
    auto made = make(static_cast<Executor&>(executor));
    if (!made) return std::unexpected(std::move(made.error()));
    return std::optional(*std::move(made));
  } catch (const StoppableExecutor::Stopped&) {
    return std::nullopt;
  }
}

}  // namespace plexus::common_internal
