// StatePacking: what removed nodes and unused strings leave behind, made small. Internal.
//
// Ids are for ever, so the key of a removed node and a label that no edge has any more stay known:
// used again they get the id that they had, live, replayed and reopened alike. But they are packed
// (cold_strings.h), and pages of columns and references that hold nothing are shared
// (paged_array.h). No answer changes: what is packed and what is not is no part of the graph.
//
// Made of a state while others write and read; CatchUp adds what came since;
// StateWriter::InstallPacked.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/state.h"

namespace plexus {

// From when on strings are packed: those that could be are more than `least`, and more than a
// `divisor`-th of those that are in use.
struct PackLimits {
  std::uint64_t least = 0, divisor = 1;
  bool Worth(std::uint64_t unused, std::uint64_t used) const {
    return unused > least && unused > used / divisor;
  }
};

inline constexpr PackLimits kPackAtOpen = {64, 8};

class StatePacking {
 public:
  // O(nodes + strings + labels of edges + pages). Throws std::bad_alloc.
  static StatePacking Make(const GraphState& state, const PackLimits& limits);
  // Adds the strings that `now`, a later state of the same writer, has. Returns how many.
  std::uint64_t CatchUp(const GraphState& now);

 private:
  friend class StateWriter;
  template <class T>
  struct Pages {
    PagedView<T> before, shared;
    explicit Pages(const PagedView<T>& view) : before(view), shared(PagedArray<T>::Shared(view)) {}
    void Install(PagedArray<T>& array) const { array.Share(before, shared); }
  };
  StatePacking() = default;

  std::optional<StringTable> keys_, strings_;  // none: as they are
  std::vector<Pages<KindId>> kinds_;           // one
  std::vector<Pages<std::uint8_t>> flags_;
  std::vector<Pages<std::uint64_t>> columns_, payload_refs_;
};

}  // namespace plexus
