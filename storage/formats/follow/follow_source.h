// FollowSource: bytes that come in the course of time, from a file or from a pipe.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "engine/error.h"
#include "engine/monitoring/monitoring.h"
#include "storage/formats/follow/position.h"

namespace plexus::formats::internal {

class FollowSource {
 public:
  virtual ~FollowSource() = default;

  // Goes on behind `position`, or at the beginning: then the windows are empty. `head`: what the
  // file begins with, at most so many bytes. kFailedPrecondition: it is not the file that was;
  // kCancelled: `progress`, which may be null, said stop.
  virtual Result<FollowWindows> Begin(const FollowPosition* position, std::size_t head_bytes,
                                      std::string& head, Progress* progress) = 0;
  // What there is now, at most `size` bytes, after a wait of `wait_ms` at most if there is nothing;
  // 0: nothing. kFailedPrecondition: the file was truncated or replaced.
  virtual Result<std::size_t> Read(char* to, std::size_t size, int wait_ms) = 0;
  // Nothing can come any more.
  virtual bool ended() const = 0;
};

// kNotFound, kIo; kUnsupported: it is no regular file.
Result<std::unique_ptr<FollowSource>> OpenFollowedFile(const std::string& path);
// Borrows the descriptor.
std::unique_ptr<FollowSource> FollowDescriptor(const std::string& name, int fd);

}  // namespace plexus::formats::internal
