// Ids are types: what is refused by the compiler, ids of another sort, and plain numbers.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include "engine/batch_refs.h"
#include "engine/snapshot.h"
#include "engine/types.h"
#include "engine/vocabulary.h"
#include "engine/write_batch.h"

namespace plexus {
using namespace builtin;
namespace {

using B = WriteBatch;

template <class To, class From>
constexpr bool kBecomes = std::is_convertible_v<From, To>;
static_assert(kBecomes<std::uint16_t, NodeKindId> && kBecomes<std::size_t, ColumnId>);
static_assert(std::is_constructible_v<EdgeKindId, int> && !kBecomes<EdgeKindId, int>);
static_assert(!kBecomes<EdgeKindId, std::uint16_t> && !kBecomes<SpaceId, int>);
static_assert(!std::is_constructible_v<EdgeKindId, NodeKindId>);
static_assert(!std::is_constructible_v<NodeKindId, EdgeKindId>);
static_assert(!std::is_constructible_v<ColumnId, SpaceId>);
static_assert(!std::is_assignable_v<NodeKindId&, EdgeKindId>);
static_assert(!std::is_assignable_v<NodeKindId&, int>);
static_assert(std::is_trivially_copyable_v<EdgeKindId> && sizeof(EdgeKindId) == 2);

template <class A, class Other>
constexpr bool kCompares = requires(A a, Other b) { a == b; };
template <class A, class Other>
constexpr bool kOrders = requires(A a, Other b) { a < b; };
static_assert(kCompares<NodeKindId, NodeKindId> && kOrders<ColumnId, ColumnId>);
static_assert(kCompares<NodeKindId, int> && kOrders<ColumnId, std::size_t>);
static_assert(!kCompares<NodeKindId, EdgeKindId> && !kCompares<EdgeKindId, NodeKindId>);
static_assert(!kOrders<ColumnId, SpaceId> && !kOrders<SpaceId, ColumnId>);

static_assert(kBecomes<NodeKindRef, NodeKindId> && kBecomes<EdgeKindRef, EdgeKindId>);
static_assert(kBecomes<ColumnRef, ColumnId> && kBecomes<SpaceRef, SpaceId>);
static_assert(!std::is_constructible_v<NodeKindRef, EdgeKindId>);
static_assert(!std::is_constructible_v<EdgeKindRef, NodeKindId>);
static_assert(!std::is_constructible_v<EdgeKindRef, NodeKindRef>);
static_assert(!std::is_constructible_v<ColumnRef, SpaceRef>);
static_assert(!std::is_constructible_v<EdgeKindRef, int>);
static_assert(!kBecomes<NodeRef, NodeId> && !kBecomes<NodeRef, NodeKindId>);

template <class Kind>
constexpr bool kUpserts = requires(B b, Kind kind) { b.UpsertNode("a", kind); };
static_assert(kUpserts<NodeKindId> && kUpserts<NodeKindRef>);
static_assert(!kUpserts<EdgeKindId> && !kUpserts<EdgeKindRef> && !kUpserts<ColumnId>);
static_assert(!kUpserts<int> && !kUpserts<std::uint16_t>);

template <class Kind>
constexpr bool kLinks = requires(B b, NodeRef n, Kind kind) { b.Link(n, kind, n); };
template <class Kind>
constexpr bool kUnlinks = requires(B b, NodeRef n, Kind kind) { b.Unlink(n, kind, n); };
template <class Kind>
constexpr bool kExpects = requires(B b, NodeRef n, Kind kind) { b.ExpectEdge(n, kind, n); };
static_assert(kLinks<EdgeKindId> && kUnlinks<EdgeKindRef> && kExpects<EdgeKindId>);
static_assert(!kLinks<NodeKindId> && !kLinks<NodeKindRef> && !kLinks<int> && !kLinks<NodeRef>);
static_assert(!kUnlinks<NodeKindId> && !kExpects<NodeKindId> && !kExpects<ColumnRef>);

template <class Column>
constexpr bool kSets = requires(B b, NodeRef n, Column c) { b.SetF64(n, c, 1.0); };
template <class Space>
constexpr bool kClears = requires(B b, NodeRef n, Space s) { b.ClearVector(n, s); };
static_assert(kSets<ColumnId> && kSets<ColumnRef> && kClears<SpaceId> && kClears<SpaceRef>);
static_assert(!kSets<SpaceId> && !kSets<EdgeKindId> && !kSets<int> && !kClears<ColumnRef>);

template <class Kind>
constexpr bool kFinds = requires(const Snapshot s, Kind kind) { s.FindEdge(0, kind, 1); };
template <class Kind>
constexpr bool kHasTraits = requires(const Schema s, Kind kind) { s.node_kind(kind); };
template <class Kind>
constexpr bool kIndexes = requires(B b, Kind kind) { b.IndexNode(kind, "x"); };
static_assert(kFinds<EdgeKindId> && kHasTraits<NodeKindId> && kIndexes<NodeKindId>);
static_assert(!kFinds<NodeKindId> && !kHasTraits<EdgeKindId> && !kIndexes<EdgeKindId>);

// A kind, column or space where a node, or a string, is meant: they do not become one (below).
using OfRow = void (*)(NodeId, const Arc&);
constexpr Direction kOut = Direction::kOut;
template <class Node>
constexpr bool kReads = requires(const Snapshot s, Node n, ArcFilter f, OfRow fn) {
  s.alive(n);
  s.FindEdge(n, kLink, n, n);
  s.ScanArcs(kOut, n, n, f, fn);
};
static_assert(kReads<NodeId> && kReads<int> && kReads<std::size_t>);
static_assert(!kReads<NodeKindId> && !kReads<EdgeKindId> && !kReads<ColumnId> && !kReads<SpaceId>);
static_assert(!kReads<const NodeKindId&> && !kReads<NodeRef>);
static_assert(NodeRef::Id(7).index() == 7);

// Where a node is meant: members of aggregates, elements, and copies.
struct Holder {
  NodeId node = 0;
  double weight = 0;
};
struct MayHold {
  std::optional<NodeId> node = {};
};
template <class Id>
constexpr bool kHeld = requires(Id id) {
  Holder{id, 1.0};
}
|| requires(Id id) { Holder{.node = id}; }
|| requires(Id id) { MayHold{.node = id}; }
|| requires(Id id) { std::vector<NodeId>{id}; }
|| requires(Id id) { std::vector<NodeId>(id); }
|| requires(Id id) { std::vector<NodeId>(3, id); }
|| requires(Id id, std::vector<NodeId> v) { v.push_back(id); }
|| requires(Id id, NodeId n) { n = id; }
|| requires(Id id) { std::array<NodeId, 1>{id}; }
|| requires(Id id) { static_cast<NodeId>(id); }
|| requires(Id id) { NodeId{id}; };
static_assert(!kHeld<NodeKindId> && !kHeld<EdgeKindId> && !kHeld<ColumnId> && !kHeld<SpaceId>);
static_assert(!kHeld<const NodeKindId&> && !kBecomes<NodeId, NodeKindId>);
static_assert(!kBecomes<StringId, ColumnId> && !kBecomes<int, NodeKindId>);
static_assert(kHeld<NodeId>);

// A number of more than 16 bits wrapped to a kind that is there.
TEST(TypedIds, WideNumbersDoNotWrap) {
  volatile int wide = 70000, negative = -1;
  EXPECT_EQ(EdgeKindId(+wide), kNoEdgeKind);
  EXPECT_EQ(NodeKindId(+negative), kNoNodeKind);
  EXPECT_EQ(ColumnId(std::size_t{1} << 40), ColumnId(65535));
  EXPECT_EQ(EdgeKindId(65535).value(), 65535);
}

TEST(TypedIds, CountIndexAndHashAsTheirNumbers) {
  EdgeKindId kind{};
  EXPECT_EQ(++kind, EdgeKindId{1});
  EXPECT_LT(kind, kSupports);
  EXPECT_EQ((std::array{10, 11, 12}[kind]), 11);
  EXPECT_EQ((std::vector{10, 11, 12}[kind]), 11);
  EXPECT_EQ(EdgeKindId(std::size_t{300}).value(), 300);
  std::unordered_set<ColumnId> set = {kTrust, kScope, kTrust};
  EXPECT_EQ(set.size(), 2u);
  EXPECT_EQ(kNoNodeKind, 65535);
}

}  // namespace
}  // namespace plexus
