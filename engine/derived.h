// Derived data: what was computed from an immutable part of the graph and is kept with it. Private.
//
// A csr, a run and a state each own a DerivedData: a small table of values by type. A value lives
// as long as its part (a part is shared by many snapshots), and `stats` counts its bytes. Values of
// states may be Carried: the writer brings them forward to the next state by what a batch changed
// (lineage.h). To keep a new kind of value, derive from Derived or Carried and give the type
// a `static constexpr std::string_view kName`, unique in the program.
//
// Compaction changes no content, but it moves things. What depends on edge slots, arcs of the base
// or of a run is kept with that csr or run, and goes with it; a Carried value says what it depends
// on.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/mutex.h"
#include "engine/types.h"

namespace plexus {

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

}  // namespace plexus
