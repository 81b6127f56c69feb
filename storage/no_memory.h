// No memory is an error like any other: nothing throws across the interface or out of a task
// of an executor.
#pragma once

#include <new>

#include "engine/error.h"

namespace plexus::storage {

inline constexpr char kOutOfMemory[] = "out of memory";  // fits a string without allocation

inline std::unexpected<Error> OutOfMemory() {
  return Fail(ErrorCode::kResourceExhausted, kOutOfMemory);
}

// `fn`, which returns a Status or a Result.
template <class Fn>
auto OrNoMemory(Fn&& fn) -> decltype(fn()) {
  try {
    return fn();
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  }
}

}  // namespace plexus::storage
