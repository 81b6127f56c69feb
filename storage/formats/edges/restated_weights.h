// RestatedWeights: which edges of a piece a later line states with another weight.
//
// A batch takes the last value of each edge, so the graph cannot tell that one was replaced. Lines
// without a weight say nothing of it and are not noted. Open addressing, one look-up a line with a
// weight. Not thread-safe; internal to storage/formats.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace plexus::formats_internal {

class RestatedWeights {
 public:
  // The next piece begins.
  void Reset() {
    std::ranges::fill(slots_, Slot{});
    count_ = 0;
  }

  // `edge`: a hash of its ends. The line that stated another weight, or 0.
  std::uint64_t Note(std::uint64_t edge, float weight, std::uint64_t line) {
    if (2 * (count_ + 1) > slots_.size()) Grow();
    edge = std::max<std::uint64_t>(edge, 1);
    Slot& slot = Find(slots_, edge);
    if (slot.edge == 0) {
      slot = {edge, line, weight};
      ++count_;
      return 0;
    }
    const std::uint64_t before = std::exchange(slot.line, line);
    return std::exchange(slot.weight, weight) == weight ? 0 : before;
  }

 private:
  struct Slot {
    std::uint64_t edge = 0, line = 0;  // 0: free
    float weight = 0;
  };
  static Slot& Find(std::vector<Slot>& in, std::uint64_t edge) {
    const std::size_t mask = in.size() - 1;
    const std::uint64_t hash = edge * 0x9E3779B97F4A7C15ull;
    std::size_t at = (hash ^ (hash >> 32)) & mask;
    while (in[at].edge != 0 && in[at].edge != edge) at = (at + 1) & mask;
    return in[at];
  }
  void Grow() {
    std::vector<Slot> larger(std::max<std::size_t>(2 * slots_.size(), 256));
    for (const Slot& slot : slots_)
      if (slot.edge != 0) Find(larger, slot.edge) = slot;
    slots_ = std::move(larger);
  }

  std::vector<Slot> slots_;  // a power of two of them
  std::size_t count_ = 0;
};

}  // namespace plexus::formats_internal
