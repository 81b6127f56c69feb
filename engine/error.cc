// Names of error codes, and the end of the program for programmer errors.
#include "engine/error.h"

#include <cstdio>
#include <cstdlib>

namespace plexus {

std::string_view ErrorCodeName(ErrorCode code) {
  constexpr std::string_view kNames[] = {"invalid_argument",
                                         "not_found",
                                         "already_exists",
                                         "failed_precondition",
                                         "conflict",
                                         "resource_exhausted",
                                         "io",
                                         "corruption",
                                         "locked",
                                         "read_only",
                                         "unsupported",
                                         "cancelled",
                                         "internal"};
  static_assert(std::size(kNames) == std::size_t(ErrorCode::kInternal) + 1);
  const auto at = static_cast<std::size_t>(code);
  return at < std::size(kNames) ? kNames[at] : "unknown";
}

std::string Error::ToString() const { return std::string(ErrorCodeName(code)) + ": " + message; }

void CheckFailed(const char* condition, const char* why, const char* file, int line) {
  std::fprintf(stderr, "plexus: check failed at %s:%d: %s (%s)\n", file, line, condition, why);
  std::abort();
}

}  // namespace plexus
