// Derived data: values computed from a part of the graph, kept with it and carried to later states.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/mutex.h"
#include "engine/record.h"
#include "engine/types.h"

namespace plexus {

// --- Derived data: what was computed from an immutable part and is kept with it.
//
// A csr, a run and a state each own a DerivedData: a small table of values by type. A value lives
// as long as its part (a part is shared by many snapshots), and `stats` counts its bytes. Values of
// states may be Carried: the writer brings them forward to the next state by what a batch changed
// (Lineage, below). To keep a new kind of value, derive from Derived or Carried and give the type
// a `static constexpr std::string_view kName`, unique in the program.
//
// Compaction changes no content, but it moves things. What depends on edge slots, arcs of the base
// or of a run is kept with that csr or run, and goes with it; a Carried value says what it depends
// on.

class Snapshot;
struct StateChanges;

// Immutable, or its own lock inside. Must hold neither a snapshot nor the part it is kept with.
class Derived {
 public:
  virtual ~Derived();
  virtual std::uint64_t size_bytes() const = 0;
};

// What a Carried value depends on.
enum class MadeOf : std::uint8_t {
  kContent,     // ids, keys, values, edges: stays as it is when only places change
  kVectorRows,  // also on where the rows of a vector space lie: carried when they move
};

// A value of a state that can follow the state's changes.
class Carried : public Derived {
 public:
  // The value of `now`, bit for bit what is made of `now` from nothing; `changes` lead from the
  // state that this is the value of; there are none when only rows moved. Time O(changes), not
  // O(nodes). Null: it is made again when it is read. May throw std::bad_alloc, which counts as
  // null. Any thread.
  virtual std::shared_ptr<const Carried> Carry(const Snapshot& now,
                                               const StateChanges& changes) const = 0;
  virtual MadeOf made_of() const = 0;

  // True if it was read since it was built or carried over.
  bool was_read() const { return was_read_.load(std::memory_order_relaxed); }
  void MarkAsked() const {
    if (!was_read()) was_read_.store(true, std::memory_order_relaxed);
  }

 private:
  mutable std::atomic<bool> was_read_ = false;
};

// Where a value is found: its type's name, and which one of that type.
struct DerivedKey {
  std::string_view name;
  std::uint32_t variant = 0;
  bool operator==(const DerivedKey&) const = default;
};

// Thread-safe, and const: keeping a value does not change the part. At most kMaxValues values; what
// comes after is not kept. Nothing is computed or freed under the lock. A copy starts empty, as
// its part may be changed.
class DerivedData {
 public:
  static constexpr std::size_t kMaxValues = 32;

  DerivedData() = default;
  DerivedData(const DerivedData&) noexcept {}
  DerivedData& operator=(const DerivedData&);

  // Null when none exists.
  template <class T>
  std::shared_ptr<const T> Find(std::uint32_t variant = 0) const {
    return std::static_pointer_cast<const T>(Get({T::kName, variant}));
  }
  // What is kept from now on: `made`, or what another thread kept before.
  template <class T>
  std::shared_ptr<const T> Keep(std::shared_ptr<const T> made, std::uint32_t variant = 0) const {
    return std::static_pointer_cast<const T>(Add({T::kName, variant}, std::move(made), false));
  }
  std::shared_ptr<const Derived> Get(DerivedKey key) const;
  // As Keep; `replace`: takes the place of what was kept before.
  std::shared_ptr<const Derived> Add(DerivedKey key, std::shared_ptr<const Derived> made,
                                     bool replace) const;
  std::uint64_t size_bytes() const;
  // All that is kept, in the order of keeping.
  std::vector<std::pair<DerivedKey, std::shared_ptr<const Derived>>> Values() const;

 private:
  using Entry = std::pair<DerivedKey, std::shared_ptr<const Derived>>;
  mutable Mutex mutex_;
  mutable std::vector<Entry> entries_ PLEXUS_GUARDED_BY(mutex_);
};

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

struct GraphState;

// What differs between an earlier state and a later one, by identity; values are read from the
// later state. It may name what is the same in both, but leaves nothing out.
struct StateChanges {
  struct Edge {
    NodeId source, target;
    StringId label;
    EdgeKindId kind;
    auto operator<=>(const Edge&) const = default;
  };
  struct Column {
    ColumnId column;
    NodeId node;
    auto operator<=>(const Column&) const = default;
  };
  struct Payload {
    NodeField field;
    NodeId node;
    auto operator<=>(const Payload&) const = default;
  };
  struct Vector {
    SpaceId space;
    NodeId node;
    auto operator<=>(const Vector&) const = default;
  };

  NodeId first_new = 0;         // nodes from this id on are new; below it:
  std::vector<NodeId> nodes;    // removed, purged, revived, or of another kind
  std::vector<Column> columns;  // values of columns
  std::vector<Payload> payloads;
  std::vector<Vector> vectors;
  std::vector<Edge> edges;  // of all nodes: added, changed, removed

  bool empty(NodeId node_count) const { return size() == 0 && first_new == node_count; }
  std::size_t size() const {
    return nodes.size() + columns.size() + payloads.size() + vectors.size() + edges.size();
  }
  std::uint64_t size_bytes() const;
  void Add(const Record& record);
  void Add(const StateChanges& later);
  void Sort();  // every list ascending, each entry once: so they are handed to Carry
};

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
  void Advance(const std::shared_ptr<GraphState>& state, std::shared_ptr<StateChanges> changes,
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
  void CarryTo(const std::shared_ptr<GraphState>& state);

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
