// FollowSource: bytes that come in the course of time, from a file or from a pipe.
// FollowPosition: how far a followed file is imported, as the graph keeps it.
//
// Two windows of the bytes that are done, the first and the last of them, tell whether the file is
// the same: digests of at most 4 KiB each, so that going on costs nothing however long the file is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/error.h"
#include "engine/monitoring/monitoring.h"
#include "engine/snapshot.h"
#include "engine/write_batch.h"

namespace plexus::formats::internal {

struct FollowPosition {
  static constexpr std::size_t kWindow = 4096;
  std::uint64_t offset = 0, lines = 0;
  std::string head, tail;  // digests
};

// Of the bytes that are done: what they begin and end with.
class FollowWindows {
 public:
  void Add(std::string_view bytes);
  std::uint64_t size() const { return size_; }
  // As they would be with `more` behind them.
  FollowPosition At(std::string_view more, std::uint64_t lines) const;
  // Those of a file that is read at both ends.
  FollowWindows(std::uint64_t size, std::string head, std::string tail);
  FollowWindows() = default;

 private:
  std::uint64_t size_ = 0;
  std::string head_, tail_;
};

// nullopt: none exists. kCorruption: it cannot be read.
Result<std::optional<FollowPosition>> ReadFollowPosition(const Snapshot& snapshot,
                                                         std::string_view name);
Status WriteFollowPosition(WriteBatch& batch, std::string_view name,
                           const FollowPosition& position);

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
