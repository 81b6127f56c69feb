// GraphState: everything a snapshot sees, as plain immutable parts.
//
// Private: the interface for code that makes or takes apart a graph as a whole (Graph, checkpoints,
// replay). Everyone else reads through Snapshot. StateWriter turns records into
// successive states. A state is edited as a GraphState and read as a FrozenState: only there are
// the tables of rows right, which a copy that is edited still has of what it was copied from.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/adjacency/csr.h"
#include "engine/adjacency/run.h"
#include "engine/arrays/string_table.h"
#include "engine/arrays/views.h"
#include "engine/lineage.h"
#include "engine/record.h"
#include "engine/schema.h"
#include "engine/snapshot_tables.h"
#include "engine/types.h"
#include "engine/vectors/vector_table.h"

namespace plexus {

// One bit per node and direction: its row has arcs in some run. SnapshotTables::is_dirty reads
// them. Bits are set by the writer while older snapshots read them: an extra bit only sends a
// reader to the slow path, which has the same answer.
class DirtyBits {
 public:
  explicit DirtyBits(std::size_t nodes)
      : capacity_((nodes + 63) / 64 * 64), words_(capacity_ / 64 * 2) {}
  std::size_t capacity() const { return capacity_; }
  const std::atomic<std::uint64_t>* words() const { return words_.data(); }
  void set(Direction d, NodeId v) {
    auto& word = words_[Word(d, v)];  // one writer: no read-modify-write needed
    word.store(word.load(std::memory_order_relaxed) | std::uint64_t{1} << (v & 63),
               std::memory_order_relaxed);
  }
  std::uint64_t size_bytes() const { return words_.size() * 8; }

 private:
  std::size_t Word(Direction d, NodeId v) const {
    return (d == Direction::kIn ? capacity_ / 64 : 0) + v / 64;
  }
  std::size_t capacity_;
  std::vector<std::atomic<std::uint64_t>> words_;
};

struct GraphState : engine_internal::SnapshotTables {
  StringTable::View keys;     // NodeId -> key
  StringTable::View strings;  // StringId -> label, created_by, scope; 0 is ""
  std::vector<PagedView<std::uint64_t>> columns;  // by ColumnId; unused ones are empty
  std::array<PagedView<std::uint64_t>, kNodeFieldCount> payload_refs;
  std::vector<VectorView> spaces;                // by SpaceId
  std::vector<std::shared_ptr<const Run>> runs;  // oldest first
  std::shared_ptr<const DirtyBits> dirty;
  std::vector<std::uint64_t> nodes_by_kind;           // alive, by node kind
  std::vector<std::uint64_t> edges_by_kind;           // alive, by edge kind; symmetric edges once
  std::shared_ptr<const PayloadStore> payload_store;  // null: no payloads to be had
  StateDerived derived;                               // what was computed from all this
};

// A state that is done: of it snapshots are made. Only its derived data grows.
struct FrozenState final : GraphState {
  explicit FrozenState(GraphState state);  // REQUIRES a schema, a base and dirty bits
};

// The state before the first record.
GraphState EmptyState();

}  // namespace plexus
