// What runs in tasks of an executor must not throw: running out of memory becomes a Status.
#pragma once

#include <new>

#include "engine/error.h"

namespace plexus::storage {

template <class Fn>
Status OrNoMemory(Fn&& fn) {
  try {
    return fn();
  } catch (const std::bad_alloc&) {
    return Fail(ErrorCode::kResourceExhausted, "out of memory");
  }
}

}  // namespace plexus::storage
