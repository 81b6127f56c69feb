// Progress: how long work reports to its caller, and is cancelled.
//
// Handed to imports, checkpoints, verification and other work over a second as a
// pointer (null = no report). It never changes a result.
#pragma once

#include <cstdint>
#include <string_view>

namespace plexus {

class Progress {
 public:
  virtual ~Progress() = default;
  // `done` of `total` units (0 = unknown) of a phase, e.g. "reading". Called a few
  // times a second at most per thread, from any thread. False = stop: the work
  // returns kCancelled and leaves whole batches behind, never half of one.
  virtual bool Report(std::string_view phase, std::uint64_t done, std::uint64_t total) = 0;
};

}  // namespace plexus
