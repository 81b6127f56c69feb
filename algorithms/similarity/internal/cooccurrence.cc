// Reading events and fact edges into lists per row.
#include "algorithms/similarity/internal/cooccurrence.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "engine/vocabulary.h"

namespace plexus::similarity::internal {

namespace {

constexpr std::uint32_t kNoRow = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kGrain = 4096;

bool Contains(std::span<const std::uint32_t> list, std::uint32_t item) {
  return std::binary_search(list.begin(), list.end(), item);
}

}  // namespace

CooccurrenceIndex::CooccurrenceIndex(const Snapshot& snapshot, const InvertedIndex& index,
                                     bool links, const NodeSubset* inside, Executor& executor) {
  std::vector<std::uint32_t> row_of(snapshot.node_count(), kNoRow);
  for (std::uint32_t r = 0; r < index.row_count(); ++r) row_of[index.nodes[r]] = r;
  if (snapshot.CountNodes(builtin::kEvent) != 0) ReadEvents(snapshot, index, row_of, inside);
  if (links) ReadLinks(snapshot, index, row_of, executor);
}

// Events ascend, so a counting sort by row leaves every list ascending.
void CooccurrenceIndex::ReadEvents(const Snapshot& snapshot, const InvertedIndex& index,
                                   const std::vector<std::uint32_t>& row_of,
                                   const NodeSubset* inside) {
  const ArcFilter filter = ArcFilter::Kind(snapshot.schema(), builtin::kMember);
  std::vector<std::pair<std::uint32_t, NodeId>> members;  // row, event
  for (NodeId event = 0; event < snapshot.node_count(); ++event) {
    if (snapshot.node_kind(event) != builtin::kEvent || !snapshot.alive(event)) continue;
    NodeId last = kNoNode;  // several roles stand side by side
    bool counts = true;
    const std::size_t before = members.size();
    snapshot.ForEachArc(Direction::kOut, event, filter, [&](const Arc& arc) {
      if (arc.neighbor == last) return;
      last = arc.neighbor;
      if (inside && !inside->contains(last)) counts = false;
      if (row_of[last] != kNoRow) members.emplace_back(row_of[last], event);
    });
    if (!counts) members.resize(before);
  }
  if (members.empty()) return;
  const std::uint32_t rows = index.row_count();
  events_.begins.assign(std::size_t{rows} + 1, 0);
  for (const auto& m : members) ++events_.begins[m.first + 1];
  for (std::size_t r = 0; r < rows; ++r) events_.begins[r + 1] += events_.begins[r];
  events_.items.resize(members.size());
  std::vector<std::uint64_t> at(events_.begins.begin(), events_.begins.end() - 1);
  for (const auto& [row, event] : members) events_.items[at[row]++] = event;
}

void CooccurrenceIndex::ReadLinks(const Snapshot& snapshot, const InvertedIndex& index,
                                  const std::vector<std::uint32_t>& row_of, Executor& executor) {
  const ArcFilter facts = ArcFilter::Kinds(snapshot.schema(), {});
  const std::uint32_t rows = index.row_count();
  struct Block {
    std::vector<std::uint32_t> counts, items;
  };
  std::vector<Block> blocks((rows + kGrain - 1) / kGrain);
  ParallelFor(executor, rows, kGrain, [&](std::size_t begin, std::size_t end) {
    Block& block = blocks[begin / kGrain];
    for (std::size_t r = begin; r < end; ++r) {
      const auto first = static_cast<std::ptrdiff_t>(block.items.size());
      snapshot.ForEachArc(Direction::kBoth, index.nodes[r], facts, [&](const Arc& arc) {
        if (row_of[arc.neighbor] != kNoRow) block.items.push_back(row_of[arc.neighbor]);
      });
      std::sort(block.items.begin() + first, block.items.end());
      block.items.erase(std::unique(block.items.begin() + first, block.items.end()),
                        block.items.end());
      block.counts.push_back(static_cast<std::uint32_t>(block.items.size()) -
                             static_cast<std::uint32_t>(first));
    }
  });
  links_.begins.assign(1, 0);
  for (const Block& block : blocks) {
    for (std::uint32_t count : block.counts) links_.begins.push_back(links_.begins.back() + count);
    links_.items.insert(links_.items.end(), block.items.begin(), block.items.end());
  }
}

bool CooccurrenceIndex::HaveCommonEvent(std::span<const std::uint32_t> rows) const {
  if (events_.begins.empty()) return false;
  std::array<std::span<const std::uint32_t>, 3> lists;
  for (std::size_t i = 0; i < rows.size(); ++i) lists[i] = events_.of(rows[i]);
  for (std::size_t i = 1; i < rows.size(); ++i)  // the shortest first
    if (lists[i].size() < lists[0].size()) std::swap(lists[0], lists[i]);
  for (std::uint32_t event : lists[0]) {
    bool all = true;
    for (std::size_t i = 1; i < rows.size() && all; ++i) all = Contains(lists[i], event);
    if (all) return true;
  }
  return false;
}

bool CooccurrenceIndex::AreAdjacent(std::uint32_t a, std::uint32_t b) const {
  if (links_.begins.empty()) return false;
  const auto x = links_.of(a), y = links_.of(b);
  return x.size() <= y.size() ? Contains(x, b) : Contains(y, a);
}

bool CooccurrenceIndex::IsExcluded(std::span<const std::uint32_t> rows) const {
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = i + 1; j < rows.size(); ++j)
      if (AreAdjacent(rows[i], rows[j])) return true;
  return HaveCommonEvent(rows);
}

}  // namespace plexus::similarity::internal
