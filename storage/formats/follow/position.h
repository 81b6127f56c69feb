// FollowPosition: how far a followed file is imported, as the graph keeps it.
//
// Two windows of the bytes that are done, the first and the last of them, tell whether the file is
// the same: digests of at most 4 KiB each, so that going on costs nothing however long the file is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/error.h"
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
// How people name it: inscription:plexus.follow.NAME.
std::string FollowPositionKey(std::string_view name);

}  // namespace plexus::formats::internal
