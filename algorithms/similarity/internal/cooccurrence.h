// CooccurrenceIndex: which candidates were combined before: shared events, fact edges.
//
// Two sorted lists per row of an InvertedIndex: its events and, on request, the rows an edge
// of the fact plane joins it to. Only sets that would enter the list are tested, so a scan of the
// shorter list is cheap enough. Immutable; O(events' members + arcs) to make.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/similarity/internal/inverted_index.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"

namespace plexus::similarity::internal {

class CooccurrenceIndex {
 public:
  // `inside`: only events with all members in it count; null: all.
  CooccurrenceIndex(const Snapshot& snapshot, const InvertedIndex& index, bool links,
                    const NodeSubset* inside, Executor& executor);

  // One event has all of them. Rows of the index, two or three.
  bool HaveCommonEvent(std::span<const std::uint32_t> rows) const;
  // An edge between facts joins the two.
  bool AreAdjacent(std::uint32_t a, std::uint32_t b) const;
  // Two of them are linked, or all share an event.
  bool IsExcluded(std::span<const std::uint32_t> rows) const;

 private:
  struct Lists {
    std::vector<std::uint64_t> begins;  // rows + 1; empty: no lists at all
    std::vector<std::uint32_t> items;   // ascending in each list
    std::span<const std::uint32_t> of(std::uint32_t row) const {
      return {items.data() + begins[row], static_cast<std::size_t>(begins[row + 1] - begins[row])};
    }
  };
  void ReadEvents(const Snapshot& snapshot, const InvertedIndex& index,
                  const std::vector<std::uint32_t>& row_of, const NodeSubset* inside);
  void ReadLinks(const Snapshot& snapshot, const InvertedIndex& index,
                 const std::vector<std::uint32_t>& row_of, Executor& executor);

  Lists events_, links_;
};

}  // namespace plexus::similarity::internal
