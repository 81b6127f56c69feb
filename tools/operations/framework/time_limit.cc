// One sentence for all operations whose time was up.
#include "tools/operations/framework/time_limit.h"

#include <utility>

#include "tools/operations/kernel_options.h"

namespace plexus::tools {

bool TimeIsUp(const Request& request) {
  if (request.cancel() && *request.cancel()) return false;
  const Result<Budget> budget = MakeBudget(request);
  return budget && budget->Interrupted();
}

Status CheckTime(const Request& request) {
  PLEXUS_ASSIGN(const Budget budget, MakeBudget(request));
  if (!budget.Interrupted()) return {};
  return std::unexpected(
      TimedError(request, {ErrorCode::kCancelled, "stopped before anything was written"}));
}

Error TimedError(const Request& request, Error error) {
  if (error.code != ErrorCode::kCancelled || !TimeIsUp(request)) return error;
  return {ErrorCode::kResourceExhausted,
          request.Name("max_seconds") + ": the time was up: " + std::move(error.message)};
}

}  // namespace plexus::tools
