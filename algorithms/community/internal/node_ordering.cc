// A counting sort by rounded degree, blocks of nodes counting and placing in parallel.
#include "algorithms/community/internal/node_ordering.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

namespace plexus::community::internal {

namespace {

// Octave and the next two bits, the busiest first.
constexpr std::size_t kKeys = 4 * 65;
constexpr std::uint16_t kNoRow = kKeys;
std::uint16_t KeyOf(std::uint64_t degree) {
  if (degree == 0) return kKeys - 1;
  const int octave = static_cast<int>(std::bit_width(degree)) - 1;
  const std::uint64_t quarter =
      octave >= 2 ? degree >> (octave - 2) & 3 : degree << (2 - octave) & 3;
  return static_cast<std::uint16_t>(kKeys - 2 - (4 * static_cast<std::size_t>(octave) + quarter));
}

// What a block of nodes has to place.
struct Counts {
  std::array<NodeId, kKeys + 1> of{};  // by key; then where the next node of that key goes
  NodeId rows = 0;
  double sum = 0, squares = 0;  // of degrees
};

struct Order {
  NodeId rows = 0;
  bool by_key = false;  // else by id, all nodes under key 0
};

// Turns numbers of nodes into places.
Order Begin(std::vector<Counts>& blocks) {
  Order order;
  double sum = 0, squares = 0;
  for (const Counts& block : blocks) {
    order.rows += block.rows;
    sum += block.sum;
    squares += block.squares;
  }
  order.by_key = squares * static_cast<double>(order.rows) > 2 * sum * sum;
  NodeId at = 0;
  if (!order.by_key)
    for (Counts& block : blocks) at += block.rows, block.of[0] = at - block.rows;
  for (std::size_t key = 0; key < (order.by_key ? kKeys : 0); ++key)
    for (Counts& block : blocks) at += std::exchange(block.of[key], at);
  return order;
}

}  // namespace

std::optional<NodeOrdering> OrderRows(NodeId all, std::span<const NodeId> selected,
                                      std::span<const std::uint64_t> degrees,
                                      const AlignedArray<NodeId>& only, Executor& executor,
                                      common_internal::StopFlag& stop_flag) {
  const bool fold = !only.empty();
  // Of two that have only each other the smaller keeps its row.
  auto folded = [&](NodeId v) {
    const NodeId u = only[v];
    return u != kNoNode && (only[u] == kNoNode || (only[u] == v && u < v));
  };
  const std::size_t grain = std::max<std::size_t>(4096, selected.size() / 256);
  std::vector<Counts> blocks((selected.size() + grain - 1) / grain);
  AlignedArray<std::uint16_t> keys(selected.size());
  ParallelFor(executor, selected.size(), grain, [&](std::size_t begin, std::size_t end) {
    if (stop_flag.Poll()) return;
    Counts counts;
    for (std::size_t i = begin; i < end; ++i) {
      const bool none = fold && (degrees[i] == 0 || folded(selected[i]));
      const auto degree = none ? 0.0 : static_cast<double>(degrees[i]);
      keys[i] = none ? kNoRow : KeyOf(degrees[i]);
      ++counts.of[keys[i]];
      counts.rows += !none;
      counts.sum += degree;
      counts.squares += degree * degree;
    }
    blocks[begin / grain] = counts;
  });
  if (stop_flag.Poll()) return std::nullopt;
  const Order order = Begin(blocks);
  NodeOrdering places;
  places.rows = AlignedArray<NodeId>(all);
  places.nodes = AlignedArray<NodeId>(order.rows);
  places.degrees = AlignedArray<std::uint64_t>(order.rows);
  if (selected.size() < all) std::fill(places.rows.begin(), places.rows.end(), kNoNode);
  ParallelFor(executor, selected.size(), grain, [&](std::size_t begin, std::size_t end) {
    if (stop_flag.Poll()) return;
    Counts next = blocks[begin / grain];
    for (std::size_t i = begin; i < end; ++i) {
      const NodeId v = selected[i];
      places.rows[v] = NodeOrdering::kIsolated;
      if (keys[i] == kNoRow) continue;
      const NodeId row = next.of[order.by_key ? keys[i] : 0]++;
      places.rows[v] = row;
      places.nodes[row] = v;
      places.degrees[row] = degrees[i];
    }
  });
  if (stop_flag.Poll()) return std::nullopt;
  // A node whose row is shared has one, or (rows of a csr that is not symmetric) no node shares it.
  ParallelFor(executor, fold ? selected.size() : 0, grain, [&](std::size_t begin, std::size_t end) {
    if (stop_flag.Poll()) return;
    for (std::size_t i = begin; i < end; ++i)
      if (const NodeId v = selected[i]; keys[i] == kNoRow && only[v] != kNoNode)
        places.rows[v] = places.rows[only[v]];
  });
  if (stop_flag.Poll()) return std::nullopt;
  return places;
}

}  // namespace plexus::community::internal
