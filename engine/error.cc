// Names of error codes, and the end of the program for programmer errors.
#include "engine/error.h"

#include <cstdio>
#include <cstdlib>

namespace plexus {

std::string_view ErrorCodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "invalid_argument";
    case ErrorCode::kNotFound:
      return "not_found";
    case ErrorCode::kAlreadyExists:
      return "already_exists";
    case ErrorCode::kFailedPrecondition:
      return "failed_precondition";
    case ErrorCode::kConflict:
      return "conflict";
    case ErrorCode::kResourceExhausted:
      return "resource_exhausted";
    case ErrorCode::kIo:
      return "io";
    case ErrorCode::kCorruption:
      return "corruption";
    case ErrorCode::kLocked:
      return "locked";
    case ErrorCode::kReadOnly:
      return "read_only";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kCancelled:
      return "cancelled";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "unknown";
}

std::string Error::ToString() const { return std::string(ErrorCodeName(code)) + ": " + message; }

void CheckFailed(const char* condition, const char* why, const char* file, int line) {
  std::fprintf(stderr, "plexus: check failed at %s:%d: %s (%s)\n", file, line, condition, why);
  std::abort();
}

}  // namespace plexus
