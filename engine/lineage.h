// Lineage: the states that one writer published, and what changed between them. Private.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "engine/derived.h"
#include "engine/mutex.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

// --- Lineage: the states that one writer published, and what changed between them.
//
// A Carried value is computed from nothing once. From then on the writer brings it forward when it
// publishes, so the first read on a new snapshot is a look-up. A value that a reader
// computed on an older state, while the writer went on, is adopted: the next writer or reader that
// needs it carries it over all changes in between. A version counts published changes; compaction
// changes no content and so no version. But a compaction of vectors moves rows, which is counted
// apart: values that are made of rows (MadeOf) are carried then, too, and never read by a state
// whose rows lie elsewhere.
//
// Bounds: changes are kept as far back as ChangeLimit(nodes) entries go; older values are dropped
// and made again when read. So is everything when one step changes more than that (a bulk load). A
// value that was not read in kIdleSteps steps waits for a reader to carry it.
//
// Thread-safe: one writer, any number of readers. Values are carried and freed outside the lock.

struct FrozenState;

// Entries of changes that are kept, of a graph of that many nodes.
std::size_t ChangeLimit(NodeId nodes);

// A state's place in its lineage: published changes, and moves of rows, before it.
struct LineagePlace {
  std::uint64_t version = 0;
  std::uint64_t moves = 0;
  auto operator<=>(const LineagePlace&) const = default;
};

class Lineage {
 public:
  static constexpr int kIdleSteps = 1024;

  // --- the writer
  // `state` becomes the newest, `changes` ahead of the one before; null: too much changed.
  // `moved`: rows of vectors lie elsewhere than before. Carries what is kept. Throws std::bad_alloc
  // only before anything changed.
  void Advance(const std::shared_ptr<FrozenState>& state, std::shared_ptr<StateChanges> changes,
               bool moved = false);

  // --- readers
  // The value of that key for `snapshot`, carried from an earlier state; null when none can be.
  std::shared_ptr<const Carried> CatchUp(const Snapshot& snapshot, DerivedKey key);
  // A value of `place` to go on from, unless there is one of a later place.
  void Offer(DerivedKey key, LineagePlace place, std::shared_ptr<const Carried> value);

  std::uint64_t size_bytes() const;  // of the changes; values count with their states

 private:
  struct Newest {
    DerivedKey key;
    LineagePlace place;
    std::shared_ptr<const Carried> value;
    int idle = 0;  // steps since the last read
  };
  using Steps = std::vector<std::shared_ptr<const StateChanges>>;

  // Changes from a place to another; false when they are no longer kept.
  bool StepsFrom(const LineagePlace& from, const LineagePlace& to, Steps& steps) const
      PLEXUS_REQUIRES(mutex_);
  Newest* Find(DerivedKey key) PLEXUS_REQUIRES(mutex_);
  void CarryTo(const std::shared_ptr<FrozenState>& state);

  mutable Mutex mutex_;
  // The last leads to place_.
  std::deque<std::shared_ptr<const StateChanges>> steps_ PLEXUS_GUARDED_BY(mutex_);
  std::size_t entries_ PLEXUS_GUARDED_BY(mutex_) = 0;  // of steps_
  LineagePlace place_ PLEXUS_GUARDED_BY(mutex_);
  std::vector<Newest> newest_ PLEXUS_GUARDED_BY(mutex_);
};

// A state's derived data and its place in a lineage. A copy has neither: it may be changed.
struct StateDerived {
  DerivedData kept;
  std::shared_ptr<Lineage> lineage;  // null: nothing is carried to or from this state
  LineagePlace place;

  StateDerived() = default;
  StateDerived(const StateDerived&) noexcept {}
  StateDerived& operator=(const StateDerived&);
};

std::shared_ptr<const Carried> FindCarried(const Snapshot& snapshot, DerivedKey key);
std::shared_ptr<const Carried> KeepCarried(const Snapshot& snapshot, DerivedKey key,
                                           std::shared_ptr<const Carried> made, bool replace);

// The value of type T (a Carried) for `snapshot`: kept with its state, or carried from an earlier
// one in O(changes). Null: make it and keep it.
template <class T>
std::shared_ptr<const T> FindDerived(const Snapshot& snapshot, std::uint32_t variant = 0) {
  return std::static_pointer_cast<const T>(FindCarried(snapshot, {T::kName, variant}));
}
// Keeps `made` with the snapshot's state and offers it to the states to come. Returns what is kept:
// `made`, or what another thread kept before.
template <class T>
std::shared_ptr<const T> KeepDerived(const Snapshot& snapshot, std::shared_ptr<const T> made,
                                     std::uint32_t variant = 0) {
  return std::static_pointer_cast<const T>(
      KeepCarried(snapshot, {T::kName, variant}, std::move(made), false));
}
// The same, in the place of what was kept before.
template <class T>
void ReplaceDerived(const Snapshot& snapshot, std::shared_ptr<const T> made,
                    std::uint32_t variant = 0) {
  KeepCarried(snapshot, {T::kName, variant}, std::move(made), true);
}

}  // namespace plexus
