// No memory is an error like any other: nothing throws across the interface.
//
// A public function that may allocate and returns a Status or a Result is a function-try-block
// that ends in PLEXUS_CATCH_NO_MEMORY. Inside the library std::bad_alloc is thrown on,
// out of tasks of a parallel loop, too (parallel.h), so that nothing between must care.
//
//   Result<Answer> Ask(const Snapshot& snapshot) try {
//     ...
//   } PLEXUS_CATCH_NO_MEMORY
#pragma once

#include <new>
#include <stdexcept>
#include <system_error>

#include "engine/error.h"

namespace plexus {

inline constexpr char kOutOfMemory[] = "out of memory";  // fits a string without allocation

inline std::unexpected<Error> OutOfMemory() { return Exhausted(kOutOfMemory); }

// The handlers of a function-try-block: no memory, a container beyond its largest size, and a
// thread that the system does not give.
#define PLEXUS_CATCH_NO_MEMORY       \
  catch (const std::bad_alloc&) {    \
    return ::plexus::OutOfMemory();  \
  }                                  \
  catch (const std::length_error&) { \
    return ::plexus::OutOfMemory();  \
  }                                  \
  catch (const std::system_error&) { \
    return ::plexus::OutOfMemory();  \
  }

// `fn`, which returns a Status or a Result.
template <class Fn>
auto OrNoMemory(Fn&& fn) -> decltype(fn()) try {
  return fn();
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus
