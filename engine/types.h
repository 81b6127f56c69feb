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
#include <initializer_list>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace plexus {

// A typed id: an integer tagged with what it identifies. It is made from an integer explicitly; it
// indexes arrays and compares with sizes, and converts to nothing else: no id of another sort, no
// NodeId, no StringId. A number of more than 16 bits is the last one, which no kind, column or
// space has (kNoNodeKind ...); in a constant it does not compile.
template <class Sort>
class TypedId {
 public:
  constexpr TypedId() = default;  // 0
  template <std::integral Integer>
  explicit constexpr TypedId(Integer value) : value_(Narrow(value)) {}
  template <class T>
  requires(std::same_as<T, std::size_t> || std::same_as<T, std::uint16_t>) constexpr operator T()
      const {  // NOLINT: an index as it is
    return value_;
  }
  // Never called: with it vector<NodeId>{builtin::kTag}, kTag nodes of id 0, is ambiguous.
  template <class T>
  operator std::allocator<T>() const = delete;
  constexpr std::uint16_t value() const { return value_; }
  constexpr TypedId& operator++() {
    ++value_;
    return *this;
  }
  friend constexpr bool operator==(TypedId, TypedId) = default;
  friend constexpr auto operator<=>(TypedId, TypedId) = default;
  template <std::integral Integer>
  friend constexpr bool operator==(TypedId id, Integer number) {
    return std::int64_t{id.value_} == static_cast<std::int64_t>(number);
  }
  template <std::integral Integer>
  friend constexpr std::strong_ordering operator<=>(TypedId id, Integer number) {
    return std::int64_t{id.value_} <=> static_cast<std::int64_t>(number);
  }
  template <class Stream>
  requires(std::is_class_v<Stream>) friend Stream& operator<<(Stream& out, TypedId id) {
    out << id.value_;
    return out;
  }
  friend std::size_t hash_value(TypedId id) { return id.value_; }  // of Boost's containers

 private:
  static std::uint16_t OutOfRange() { return std::numeric_limits<std::uint16_t>::max(); }
  template <class Integer>
  static constexpr std::uint16_t Narrow(Integer value) {
    if constexpr (std::same_as<Integer, bool> || std::same_as<Integer, char>)
      return static_cast<std::uint16_t>(value);
    else
      return std::in_range<std::uint16_t>(value) ? static_cast<std::uint16_t>(value) : OutOfRange();
  }

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

inline constexpr NodeId kNoNode = std::numeric_limits<NodeId>::max();
inline constexpr NodeKindId kNoNodeKind{std::numeric_limits<KindId>::max()};
inline constexpr EdgeKindId kNoEdgeKind{std::numeric_limits<KindId>::max()};
inline constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::min();

// The last millisecond of the year 9999, in UTC. No batch has a later time: the time of a graph
// never runs backward, so one batch in microseconds would stop it for thousands of years. Times of
// edges and columns lie between -kMaxTimeMs and kMaxTimeMs.
inline constexpr std::int64_t kMaxTimeMs = 253'402'300'799'999;

// Which kinds: those of a list, none if it is empty, or, made without a list, what the place that
// takes it means by that (of edges: all of the fact plane).
template <class Id>
class KindList {
 public:
  KindList() = default;  // no list
  KindList(std::initializer_list<Id> kinds) : kinds_(kinds), given_(true) {}
  template <class List>  // a vector, a span, an array
    requires(std::constructible_from<std::span<const Id>, const List&> &&
             !std::same_as<List, KindList>)
  KindList(const List& kinds)  // NOLINT: it is one
      : KindList(std::span<const Id>(kinds), true) {}
  void push_back(Id kind) {
    kinds_.push_back(kind);
    given_ = true;
  }
  bool given() const { return given_; }
  bool empty() const { return kinds_.empty(); }
  std::size_t size() const { return kinds_.size(); }
  auto begin() const { return kinds_.begin(); }
  auto end() const { return kinds_.end(); }
  const Id& operator[](std::size_t i) const { return kinds_[i]; }
  bool operator==(const KindList&) const = default;

 private:
  KindList(std::span<const Id> kinds, bool given)
      : kinds_(kinds.begin(), kinds.end()), given_(given) {}
  std::vector<Id> kinds_;
  bool given_ = false;
};
using EdgeKinds = KindList<EdgeKindId>;
using NodeKinds = KindList<NodeKindId>;

struct NodePair {
  NodeId source;
  NodeId target;
};
static_assert(sizeof(NodePair) == 8);

// What arcs a row holds: those leaving the node or those arriving at it.
enum class Direction : std::uint8_t { kOut = 0, kIn = 1, kBoth = 2 };
constexpr Direction Opposite(Direction direction) {
  if (direction == Direction::kBoth) return direction;
  return direction == Direction::kOut ? Direction::kIn : Direction::kOut;
}

// Facts are what users store; index nodes (tags, terms, events ...) are what
// makes "shared X" a common-neighbour question. Kernels see facts by default.
enum class Plane : std::uint8_t { kFact = 0, kIndex = 1 };

// 40 bits of sequence, 24 bits of ordinal in the batch. 0 = no payload.
struct PayloadRef {
  std::uint64_t bits = 0;
  static PayloadRef Make(Sequence sequence, std::uint32_t ordinal) {
    return {(sequence << 24) | (ordinal & 0xFFFFFFu)};
  }
  Sequence sequence() const { return bits >> 24; }
  std::uint32_t ordinal() const { return static_cast<std::uint32_t>(bits & 0xFFFFFFu); }
  explicit operator bool() const { return bits != 0; }
  bool operator==(const PayloadRef&) const = default;
};

// Which payload of a node.
enum class NodeField : std::uint8_t { kText = 0, kProperties = 1 };
inline constexpr int kNodeFieldCount = 2;

// When a batch is acknowledged.
enum class Durability : std::uint8_t {
  kDefault = 0,   // what the graph was opened with
  kSync = 1,      // acknowledged after fsync
  kBuffered = 2,  // reached the kernel: survives kill -9; fsync within 50 ms
  kNone = 3,      // no promise until WaitDurable or close
};

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
