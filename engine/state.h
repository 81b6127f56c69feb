// GraphState: everything a snapshot sees, as plain immutable parts.
//
// The interface for code that makes or takes apart a graph as a whole (Graph, checkpoints,
// replay). Everyone else reads through Snapshot. StateWriter turns records into
// successive states.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/adjacency/csr.h"
#include "engine/adjacency/run.h"
#include "engine/arrays/paged_array.h"
#include "engine/arrays/string_table.h"
#include "engine/lineage.h"
#include "engine/payload.h"
#include "engine/record.h"
#include "engine/schema.h"
#include "engine/types.h"
#include "engine/vectors/vector_table.h"

namespace plexus {

enum NodeFlag : std::uint8_t { kAlive = 1, kPurged = 2 };

// Absent column values. NaN and INT64_MIN are refused as input.
inline constexpr std::uint64_t kAbsentF64 = 0x7FF8'0000'0000'0001ull;
inline constexpr std::uint64_t kAbsentI64 = 0x8000'0000'0000'0000ull;
inline constexpr std::uint64_t kAbsentString = ~std::uint64_t{0};
constexpr std::uint64_t AbsentBits(ColumnType type) {
  return type == ColumnType::kF64   ? kAbsentF64
         : type == ColumnType::kI64 ? kAbsentI64
                                    : kAbsentString;
}

// One bit per node and direction: its row has arcs in some run. Bits are set
// by the writer while older snapshots read them: an extra bit only sends a
// reader to the slow path, which has the same answer.
class DirtyBits {
 public:
  explicit DirtyBits(std::size_t nodes)
      : capacity_((nodes + 63) / 64 * 64), words_(capacity_ / 64 * 2) {}
  std::size_t capacity() const { return capacity_; }
  bool test(Direction d, NodeId v) const {
    return v < capacity_ && (words_[Word(d, v)].load(std::memory_order_relaxed) >> (v & 63)) & 1;
  }
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

struct GraphState {
  Sequence sequence = 0;     // last record applied
  std::int64_t time_ms = 0;  // its time
  std::shared_ptr<const Schema> schema;
  StringTable::View keys;     // NodeId -> key
  StringTable::View strings;  // StringId -> label, created_by, scope; 0 is ""
  PagedArray<KindId>::View node_kinds;
  PagedArray<std::uint8_t>::View node_flags;
  std::vector<PagedArray<std::uint64_t>::View> columns;  // by ColumnId; unused ones are empty
  std::array<PagedArray<std::uint64_t>::View, kNodeFieldCount> payload_refs;
  std::vector<VectorTable::View> spaces;  // by SpaceId
  std::shared_ptr<const Csr> base;
  std::vector<std::shared_ptr<const Run>> runs;  // oldest first
  std::shared_ptr<const DirtyBits> dirty;
  std::vector<std::uint64_t> nodes_by_kind;           // alive, by node kind
  std::vector<std::uint64_t> edges_by_kind;           // alive, by edge kind; symmetric edges once
  std::shared_ptr<const PayloadStore> payload_store;  // null: no payloads to be had
  StateDerived derived;                               // what was computed from all this
};

}  // namespace plexus
