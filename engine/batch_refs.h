// References in a WriteBatch: to a node, kind, column or space of the graph (by id), or to one
// that the batch names (by number, in order of naming).
//
// A node kind's reference is another type than an edge kind's, so a call that mixes them up does
// not compile. A reference to something named carries its batch's stamp: of another batch, or of
// this one before Clear(), it is refused when the batch is applied, and so is one that was never
// set, such as a forgotten end of an edge. A copy of a batch takes the references made before it
// was copied; a move takes all and leaves a new batch behind. Stamps come from a counter of the
// process (one would come again after 2^32 batches that name something) and reach neither records
// nor replies.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "engine/types.h"

namespace plexus {

namespace engine_internal {
// The stamp of a reference that was never set. No batch has it.
inline constexpr std::uint32_t kUnsetStamp = std::numeric_limits<std::uint32_t>::max();
}  // namespace engine_internal

class NodeRef {
 public:
  constexpr NodeRef() = default;  // none: every batch refuses it
  static constexpr NodeRef Id(NodeId id) { return NodeRef(0, id); }
  constexpr bool local() const { return stamp_ != 0; }      // a batch's (of one never set: none's)
  constexpr std::uint32_t index() const { return index_; }  // a NodeId unless local()
  constexpr std::uint32_t stamp() const { return stamp_; }  // the batch's; 0: by id
  // Of another node that the same batch has named. REQUIRES local().
  constexpr NodeRef Sibling(std::uint32_t index) const { return NodeRef(stamp_, index); }
  friend constexpr bool operator==(NodeRef, NodeRef) = default;

 private:
  friend class WriteBatch;
  constexpr NodeRef(std::uint32_t stamp, std::uint32_t index) : index_(index), stamp_(stamp) {}
  std::uint32_t index_ = 0, stamp_ = engine_internal::kUnsetStamp;
};
static_assert(sizeof(NodeRef) == 8);

// A kind, column or space.
template <class Id>
class NameRef {
 public:
  constexpr NameRef() = default;                               // none: every batch refuses it
  constexpr NameRef(Id id) : stamp_(0), index_(id.value()) {}  // NOLINT: ids of the graph convert
  constexpr bool local() const { return stamp_ != 0; }
  constexpr std::uint16_t index() const { return index_; }
  constexpr Id id() const { return Id(index_); }  // REQUIRES !local()
  constexpr std::uint32_t stamp() const { return stamp_; }
  friend constexpr bool operator==(NameRef, NameRef) = default;

 private:
  friend class WriteBatch;
  constexpr NameRef(std::uint32_t stamp, std::uint16_t index) : stamp_(stamp), index_(index) {}
  std::uint32_t stamp_ = engine_internal::kUnsetStamp;
  std::uint16_t index_ = 0;
};
using NodeKindRef = NameRef<NodeKindId>;
using EdgeKindRef = NameRef<EdgeKindId>;
using ColumnRef = NameRef<ColumnId>;
using SpaceRef = NameRef<SpaceId>;

namespace engine_internal {

// Which references are a batch's own: by its stamp, or made by the batch it is a copy of.
class BatchRefs {
 public:
  enum Table : std::uint8_t { kNodes, kNodeKinds, kEdgeKinds, kColumns, kSpaces };
  using Counts = std::array<std::uint32_t, 5>;  // by Table: how many the batch has named

  BatchRefs() = default;
  BatchRefs(const BatchRefs& other);
  BatchRefs(BatchRefs&& other) noexcept;
  BatchRefs& operator=(const BatchRefs& other) { return *this = BatchRefs(other); }
  BatchRefs& operator=(BatchRefs&& other) noexcept;

  // The stamp of references made from now on, 0 until Begin; a copy has none at first.
  std::uint32_t own() const { return own_; }
  // Takes a new stamp. `named`: what the batch had named when it was copied.
  void Begin(const Counts& named);
  // Any stamp of a reference that this batch, or the one it is a copy of, made.
  std::uint32_t some() const { return own_ ? own_ : last_.stamp; }
  // Whether the reference was made here, or before the copy; `named`: how many of its table are.
  bool Owns(std::uint32_t stamp, Table table, std::uint32_t index, std::size_t named) const {
    return stamp == own_ || Inherited(stamp, table, index, named);
  }

  // The first operation that was given a reference of another batch, or one that was never set.
  struct Foreign {
    std::size_t operation = 0;   // from 1; 0: none
    const char* what = nullptr;  // "a NodeRef"
    bool unset = false;
  };
  const Foreign& foreign() const { return foreign_; }
  void NoteForeign(const Foreign& foreign) {
    if (foreign_.operation == 0) foreign_ = foreign;
  }

 private:
  struct Origin {
    std::uint32_t stamp = 0;
    Counts named{};  // until this batch names something itself: no bound
  };
  bool Inherited(std::uint32_t stamp, Table table, std::uint32_t index, std::size_t named) const;

  std::uint32_t own_ = 0;
  Origin last_;                // of the batch this one was copied from
  std::vector<Origin> older_;  // and those that one came from
  Foreign foreign_;
};

// The names that a batch has given numbers, from 0 on. A few are compared one by one, many are
// searched for in order. Not thread-safe.
class BatchNames {
 public:
  static constexpr std::uint16_t kTooMany = 65535;

  // The name's number, a new one where it has none; kTooMany: it is one too many.
  std::uint16_t NumberOf(std::string_view name);
  const std::string& operator[](std::size_t number) const { return names_[number]; }
  std::size_t size() const { return names_.size(); }
  auto begin() const { return names_.begin(); }
  auto end() const { return names_.end(); }
  void clear() {
    names_.clear();
    by_name_.clear();
  }

 private:
  std::vector<std::string> names_;
  std::vector<std::uint16_t> by_name_;  // all numbers by rising name, once there are many
};

}  // namespace engine_internal

}  // namespace plexus
