// Exit codes: the part of the command line's contract that scripts test first.
#pragma once

#include "engine/error.h"

namespace plexus::tools {

enum ExitCode : int {
  kDone = 0,
  kFailed = 1,
  kUsage = 2,       // wrong flags, values or names
  kMissing = 3,     // no such graph, node, edge or sequence
  kDamaged = 4,     // damage found; nothing was served from it
  kBusy = 5,        // another process holds the directory
  kConflicted = 6,  // what was expected does not hold; nothing was changed
  kInterrupted = 130,
};

// The exit code that an error ends the program with.
constexpr int ExitCodeOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return kUsage;
    case ErrorCode::kNotFound:
      return kMissing;
    case ErrorCode::kCorruption:
      return kDamaged;
    case ErrorCode::kLocked:
      return kBusy;
    case ErrorCode::kConflict:
      return kConflicted;
    case ErrorCode::kCancelled:
      return kInterrupted;
    default:
      return kFailed;
  }
}

}  // namespace plexus::tools
