// Owner: the process that made an object.
//
// fork copies an object with its open files and locks, but not its threads. Only the process
// that made a database may write to its files; the copy in a child of fork serves only calls that
// need no lock, no thread and no file.
#pragma once

#include <cstdint>

#include "engine/error.h"

namespace plexus {

class Owner {
 public:
  Owner();  // this process
  // False in every child that was forked after construction. One load from memory.
  bool Here() const;
  // OK here; in a child kFailedPrecondition that begins with `what`.
  Status Check(const char* what) const;

 private:
  std::uint64_t generation_;
  std::int64_t process_;
};

}  // namespace plexus
