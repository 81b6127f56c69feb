// The scalar vocabulary of the engine: ids, directions, limits.
//
// Users name nodes by string key; everything inside speaks dense 32-bit ids, so
// that arrays are small and kernels index them directly. Ids are handed out by
// the log in order of first appearance and are permanent.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace plexus {

// A number that says of what it is one. It is made from an integer explicitly and read as one
// freely (an index, a bit, text); an id of another sort neither becomes it nor compares with it.
template <class Sort>
class TypedId {
 public:
  constexpr TypedId() = default;  // 0
  template <std::integral Integer>
  explicit constexpr TypedId(Integer value) : value_(static_cast<std::uint16_t>(value)) {}
  constexpr operator std::uint16_t() const { return value_; }  // NOLINT: an index as it is
  constexpr std::uint16_t value() const { return value_; }
  constexpr TypedId& operator++() {
    ++value_;
    return *this;
  }
  friend constexpr bool operator==(TypedId, TypedId) = default;
  friend constexpr auto operator<=>(TypedId, TypedId) = default;
  friend std::size_t hash_value(TypedId id) { return id.value_; }  // of Boost's containers

 private:
  std::uint16_t value_ = 0;
};
template <class A, class B>
  requires(!std::same_as<A, B>)
bool operator==(TypedId<A>, TypedId<B>) = delete;
template <class A, class B>
  requires(!std::same_as<A, B>)
std::strong_ordering operator<=>(TypedId<A>, TypedId<B>) = delete;

using NodeKindId = TypedId<struct NodeKindSort>;  // dense per graph, as the three below
using EdgeKindId = TypedId<struct EdgeKindSort>;
using ColumnId = TypedId<struct ColumnSort>;  // node column
using SpaceId = TypedId<struct SpaceSort>;    // vector space

using NodeId = std::uint32_t;    // dense, permanent, below Snapshot::node_count(); kernels' index
using KindId = std::uint16_t;    // either kind's number, as arrays and files hold it
using StringId = std::uint32_t;  // interned label, created_by, scope; 0 is ""
using EdgeSlot = std::uint32_t;  // position in a csr's out arrays; one Snapshot only
using Sequence = std::uint64_t;  // position of a batch in the log; the first is 1

// A NodeId or StringId as a parameter: any integer becomes it, a TypedId does not, so that a kind
// where a node is meant does not compile. Costs what the integer does.
class PlainId {
 public:
  constexpr PlainId(std::uint32_t id) : id_(id) {}  // NOLINT: as the integer would be
  template <class Sort>
  PlainId(TypedId<Sort>) = delete;
  constexpr operator std::uint32_t() const { return id_; }  // NOLINT

 private:
  std::uint32_t id_;
};
using NodeArg = PlainId;
using StringArg = PlainId;

inline constexpr NodeId kNoNode = std::numeric_limits<NodeId>::max();
inline constexpr NodeKindId kNoNodeKind{std::numeric_limits<KindId>::max()};
inline constexpr EdgeKindId kNoEdgeKind{std::numeric_limits<KindId>::max()};
inline constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::min();

// What arcs a row holds: those leaving the node or those arriving at it.
enum class Direction : std::uint8_t { kOut = 0, kIn = 1, kBoth = 2 };

// Facts are what users store; index nodes (tags, terms, events ...) are what
// makes "shared X" a common-neighbour question. Kernels see facts by default.
enum class Plane : std::uint8_t { kFact = 0, kIndex = 1 };

// Limits on everything that is fed from outside. Exceeding one is an error that
// names it, never a crash.
struct Limits {
  static constexpr std::size_t kMaxKeyBytes = 1024;
  static constexpr std::size_t kMaxStringBytes = 1024;      // labels, created_by, names
  static constexpr std::size_t kMaxPayloadBytes = 1 << 20;  // one text or property map
  static constexpr std::size_t kMaxKinds = 65535;
  static constexpr std::size_t kMaxColumns = 1024;
  static constexpr std::size_t kMaxSpaces = 64;
  static constexpr std::size_t kMaxDimensions = 4096;
  static constexpr std::size_t kMaxBatchOps = std::size_t{1} << 24;
  static constexpr std::uint64_t kMaxArcs = 0xFFFFFFFEull;  // per direction
  static constexpr std::uint64_t kMaxNodes = 0xFFFFFFF0ull;
};

}  // namespace plexus

template <class Sort>
struct std::hash<plexus::TypedId<Sort>> {
  std::size_t operator()(plexus::TypedId<Sort> id) const noexcept { return id.value(); }
};
