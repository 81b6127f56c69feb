// The dirty half of the row iterator: a row's delta arcs, newest version first.
#include <algorithm>
#include <memory>

#include "engine/snapshot.h"

namespace plexus::internal {

namespace {

bool Less(const DeltaArc& a, const DeltaArc& b) {
  const std::uint64_t oa = ArcOrder(a.kind, a.neighbor), ob = ArcOrder(b.kind, b.neighbor);
  return oa != ob ? oa < ob : a.label < b.label;
}

// Buffers in use by this thread, innermost last; kept for the next row.
struct ScratchStack {
  std::vector<std::unique_ptr<std::vector<MergedArc>>> buffers;
  std::size_t depth = 0;
};
thread_local ScratchStack scratch_stack;

}  // namespace

RowScratch::RowScratch() {
  ScratchStack& stack = scratch_stack;
  if (stack.depth == stack.buffers.size())
    stack.buffers.push_back(std::make_unique<std::vector<MergedArc>>());
  arcs_ = stack.buffers[stack.depth++].get();
}

RowScratch::~RowScratch() {
  constexpr std::size_t kKeep = std::size_t{1} << 16;  // a hub's row is not kept for ever
  if (arcs_->capacity() > kKeep) {
    arcs_->clear();
    arcs_->shrink_to_fit();
  }
  --scratch_stack.depth;
}

void MergeDeltaRow(const GraphState& state, Direction direction, NodeId node,
                   std::vector<MergedArc>& merged) {
  merged.clear();
  for (std::size_t r = state.runs.size(); r-- > 0;) {  // newest first
    const RunSide& side = state.runs[r]->side(direction);
    auto [begin, end] = side.Row(node);
    if (begin == end) continue;
    const std::size_t newer = merged.size();
    for (std::uint32_t i = begin; i < end; ++i)
      merged.push_back({side.arcs[i], ArcRef{static_cast<std::uint32_t>(r + 1), side.edges[i],
                                             direction}});
    if (newer == 0) continue;
    // Newer arcs come first among equals, so the first of each identity stays.
    std::inplace_merge(merged.begin(), merged.begin() + newer, merged.end(),
                       [](const MergedArc& a, const MergedArc& b) { return Less(a.arc, b.arc); });
    auto same = [](const MergedArc& a, const MergedArc& b) {
      return !Less(a.arc, b.arc) && !Less(b.arc, a.arc);
    };
    merged.erase(std::unique(merged.begin(), merged.end(), same), merged.end());
  }
}

StringId BaseLabel(const Csr& base, Direction direction, std::uint32_t position) {
  if (base.labels.slots.empty()) return 0;
  return base.labels.Get(direction == Direction::kIn ? base.in_slots[position] : position, 0);
}

}  // namespace plexus::internal
