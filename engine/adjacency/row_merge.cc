// The dirty half of the row iterator: merging a row's arcs of several runs.
#include "engine/adjacency/csr.h"
#include "engine/adjacency/run.h"
#include "engine/snapshot.h"

namespace plexus::engine_internal {

// Two sorted parts into one; of equal identities the newer (what is here) stays.
template <class Out>
std::uint32_t DeltaRow::MergeInto(const Part& older, Out&& out) const {
  std::uint32_t i = 0, j = 0, n = 0;
  while (i < count_ || j < older.count) {
    bool take_older = i == count_;
    if (i < count_ && j < older.count) {
      take_older = ArcLess(older.arcs[j], arcs_[i]);
      if (!take_older && !ArcLess(arcs_[i], older.arcs[j])) ++j;  // the same identity
    }
    if (take_older) {
      out(n++, older.arcs[j], older.first + j, older.run);
      ++j;
    } else {
      out(n++, arcs_[i], position(i), run(i));
      ++i;
    }
  }
  return n;
}

void DeltaRow::MergeOlder(const Part& older) {
  if (count_ + older.count <= kSmall) {
    Buffer& to = small_[second_];
    second_ = !second_;  // what is here may lie in the other one
    count_ = MergeInto(older, [&](std::uint32_t n, const DeltaArc& arc, std::uint32_t position,
                                  std::uint32_t run) {
      to.arcs[n] = arc;
      to.positions[n] = position;
      to.runs[n] = run;
    });
    arcs_ = to.arcs;
    positions_ = to.positions;
    runs_ = to.runs;
    return;
  }
  auto to = std::make_unique<Large>();
  to->arcs.reserve(count_ + older.count);
  to->positions.reserve(count_ + older.count);
  to->runs.reserve(count_ + older.count);
  count_ = MergeInto(
      older, [&](std::uint32_t, const DeltaArc& arc, std::uint32_t position, std::uint32_t run) {
        to->arcs.push_back(arc);
        to->positions.push_back(position);
        to->runs.push_back(run);
      });
  arcs_ = to->arcs.data();
  positions_ = to->positions.data();
  runs_ = to->runs.data();
  large_ = std::move(to);
}

StringId BaseLabel(const Csr& base, Direction direction, std::uint32_t position) {
  if (base.labels.slots.empty()) return 0;
  return base.labels.Get(base.SlotAt(direction, position), 0);
}

}  // namespace plexus::engine_internal
