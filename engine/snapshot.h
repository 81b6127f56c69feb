// Snapshot: the graph at one sequence number. Every read goes through one.
//
// A Snapshot is two pointers: copy it freely, keep it as long as you like. It never changes.
//
// Complexity: O(1), or O(log) for what few edges have (labels, times, makers, properties); a member
//   says where it is more. Memory: none but the answer's.
// Errors: none but where a Result is returned. Ids are those of this snapshot (not checked).
// Threads: thread-safe; no locks, no waiting for a writer.
//
// Removed nodes keep their id and key (`alive` is false) and have no arcs but
// those of kinds that survive removal. Nothing is hidden here: visibility is a
// question for algorithms/memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/error.h"
#include "engine/schema.h"
#include "engine/snapshot_tables.h"
#include "engine/types.h"

namespace plexus {

struct FrozenState;
struct GraphState;
struct Record;
class Executor;
class VectorView;

// Which arcs a kernel follows: kinds, and optionally only those valid at a time.
class ArcFilter {
 public:
  // Every kind of both planes.
  static ArcFilter All() { return ArcFilter(); }
  // Of these kinds: of an empty list no arc. `{}`, no list: the fact plane of `schema`. O(kinds);
  // throws std::bad_alloc.
  static ArcFilter Kinds(const Schema& schema, const EdgeKinds& kinds);
  static ArcFilter Kind(const Schema& schema, EdgeKindId kind) {
    return Kinds(schema, std::span<const EdgeKindId>(&kind, 1));
  }
  // Also require valid_from <= now_ms < valid_until (absent = unbounded).
  ArcFilter ValidAt(std::int64_t now_ms) const;

  bool all_kinds() const { return allowed_.empty(); }
  bool allows(EdgeKindId kind) const {
    return allowed_.empty() || (kind < allowed_.size() && allowed_[kind]);
  }
  bool checks_time() const { return valid_at_ != kNoTime; }
  std::int64_t valid_at() const { return valid_at_; }

  // The kinds as few ranges, ascending, by which a long row is not walked but searched; none: walk.
  struct Range {
    KindId first, last;
  };
  std::span<const Range> ranges() const { return {ranges_, range_count_}; }

 private:
  static constexpr std::size_t kMaxRanges = 4;
  std::vector<std::uint8_t> allowed_;  // by kind; empty = all
  Range ranges_[kMaxRanges] = {};
  std::uint8_t range_count_ = 0;
  std::int64_t valid_at_ = kNoTime;
};

// Where an arc is stored; resolves to its Edge. Valid for one Snapshot.
struct ArcRef {
  std::uint32_t run = 0;       // 0 = base, i = runs[i - 1]
  std::uint32_t position = 0;  // arc position in that direction, of base or run
  Direction direction = Direction::kOut;
};

// One arc of a row, seen from the row's node.
struct Arc {
  NodeId neighbor = kNoNode;
  EdgeKindId kind = {};
  float weight = 1;
  ArcRef ref = {};
};

// An edge with everything but its properties' bytes.
struct Edge {
  NodeId source = kNoNode, target = kNoNode;
  EdgeKindId kind = {};
  StringId label = 0;
  float weight = 1;
  std::int64_t created_at = 0;
  StringId created_by = 0;
  std::int64_t valid_from = kNoTime, valid_until = kNoTime;
  PayloadRef properties = {};
};

class Snapshot {
 public:
  Snapshot();  // of an empty graph
  explicit Snapshot(std::shared_ptr<const FrozenState> state);

  // Private (engine/state.h): all that the snapshot sees, for code that takes a graph apart.
  const GraphState& state() const;
  std::shared_ptr<const FrozenState> shared_state() const;
  const engine_internal::SnapshotTables& tables() const { return *tables_; }

  Sequence sequence() const { return tables_->sequence; }
  std::int64_t time_ms() const { return tables_->time_ms; }
  // A question's own time, this graph's last where it has none (kNoTime).
  std::int64_t TimeOr(std::int64_t now_ms) const { return now_ms == kNoTime ? time_ms() : now_ms; }
  const Schema& schema() const { return *tables_->schema; }

  // The same contents under another sequence and time. O(nodes / 64 + delta). Throws
  // std::bad_alloc.
  Snapshot Numbered(Sequence sequence, std::int64_t time_ms) const;

  // --- nodes. Ids are [0, node_count()), alive or not.
  NodeId node_count() const { return tables_->node_count; }
  // The node of a key, removed or not.
  std::optional<NodeId> Find(std::string_view key) const;
  std::optional<NodeId> FindAlive(std::string_view key) const {
    const auto node = Find(key);
    return node && alive(*node) ? node : std::nullopt;
  }
  // Of removed nodes it may have to be unpacked (string_table.h), which takes memory the first
  // time. Empty when it is forgotten (WriteBatch::ForgetKey).
  std::string_view key(NodeId node) const;
  bool key_forgotten(NodeId node) const;
  // Labels, makers and scopes are interned: each has an id.
  std::string_view string(StringId id) const;
  std::optional<StringId> FindString(std::string_view text) const;
  NodeKindId node_kind(NodeId node) const { return NodeKindId(tables_->node_kinds[node]); }
  bool alive(NodeId node) const { return tables_->node_flags[node] & engine_internal::kAlive; }
  bool purged(NodeId node) const { return tables_->node_flags[node] & engine_internal::kPurged; }
  bool is_fact(NodeId node) const {
    return schema().node_kind(node_kind(node)).plane == Plane::kFact;
  }
  // Alive nodes of a kind; alive edges of one, symmetric ones once. 0 of a kind that is not there.
  std::uint64_t CountNodes(NodeKindId kind) const;
  std::uint64_t CountEdges(EdgeKindId kind) const;
  // Alive nodes of a plane. O(kinds).
  std::uint64_t CountNodes(Plane plane) const;
  // Alive edges of a plane, symmetric ones once. O(kinds).
  std::uint64_t CountEdges(Plane plane) const;

  // --- columns; nullopt when absent. REQUIRES a column of the schema, of that type (checked).
  std::optional<double> f64(ColumnId column, NodeId node) const;
  std::optional<std::int64_t> i64(ColumnId column, NodeId node) const;
  std::optional<StringId> string_column(ColumnId column, NodeId node) const;
  std::uint64_t column_bits(ColumnId column, NodeId node) const;  // AbsentBits when absent
  // The node's scope, kDefaultScope when it has none.
  std::string_view scope(NodeId node) const;

  // --- payloads, fetched from the store: O(bytes), and from disk a search.
  // Errors: kNotFound: none, or purged; kCorruption; kIo; kFailedPrecondition: the database is
  // closed; kResourceExhausted: no memory.
  PayloadRef payload_ref(NodeId node, NodeField field) const;
  Result<std::string> Payload(PayloadRef ref) const;
  Result<std::string> Payload(NodeId node, NodeField field) const;
  // "" for none, and for a purged one.
  Result<std::string> PayloadOrEmpty(PayloadRef ref) const;
  Result<std::string> PayloadOrEmpty(NodeId node, NodeField field) const {
    return purged(node) ? std::string() : PayloadOrEmpty(payload_ref(node, field));
  }

  // --- vectors. `space`: the nodes that have a vector; the values may not be loaded; null: no
  // such space. `vectors`: the values too; from RAM, except for the first call after the graph
  // was opened. kInvalidArgument: no such space; else as
  // VectorView::Load (engine/vectors/vector_view.h).
  Result<const VectorView*> vectors(SpaceId id) const;
  const VectorView* space(SpaceId id) const;

  // --- edges
  bool has_delta() const { return !tables_->runs_rows.empty(); }
  // The base of the rows: a row of it is one of the snapshot where it is clean. `base`: private
  // (engine/adjacency/csr.h).
  const StoredCsrView& base_rows(Direction direction) const { return tables_->rows(direction); }
  NodeId base_node_count() const { return tables_->base_rows[0].node_count(); }
  const Csr& base() const { return *tables_->base; }
  // True when the row of `node` is exactly its row in base() (one bit test).
  bool clean(Direction direction, NodeId node) const {
    return node < base_node_count() && (!has_delta() || !tables_->is_dirty(direction, node));
  }

  // Calls fn(const Arc&) for every arc of a row that passes the filter, in order
  // of (kind, neighbor, label); kBoth has the out row, then the in row (arcs of
  // symmetric kinds, and loops, once). fn may return bool: false stops. Cost: the row, of a filter
  // of few kinds their part of it and a binary search, plus a look-up in each run when the row is
  // not clean.
  template <class Fn>
  void ForEachArc(Direction direction, NodeId node, const ArcFilter& filter, Fn&& fn) const;

  // Calls fn(NodeId row, const Arc&) for every arc of rows [first, last), row by
  // row in the order of ForEachArc; not for kBoth. The way to scan a graph: between
  // two rows that the delta touches it is one tight loop over the base. O(rows + arcs).
  template <class Fn>
  void ScanArcs(Direction direction, NodeId first, NodeId last, const ArcFilter& filter,
                Fn&& fn) const;

  // Number of arcs ForEachArc would visit. O(1) of one direction of a clean row and all kinds at
  // any time, else as ForEachArc.
  std::uint64_t Degree(Direction direction, NodeId node, const ArcFilter& filter) const;

  // valid_from <= at < valid_until of a stored arc; what a filter with a time asks.
  bool PassesTime(const ArcRef& ref, std::int64_t at) const;

  // What edge() says, without the rest of it.
  std::int64_t created_at(const ArcRef& ref) const;
  Edge edge(const Arc& arc, NodeId row) const;
  // The edge of that identity, if alive. For symmetric kinds in either order. O(runs * log degree).
  std::optional<Edge> FindEdge(NodeId source, EdgeKindId kind, NodeId target,
                               StringId label = 0) const;

  // Searches the base only. REQUIRES: no run contains this edge.
  std::optional<Edge> FindBaseEdge(NodeId source, EdgeKindId kind, NodeId target,
                                   StringId label) const;

  // Hide the latency of many look-ups: call for a source some 32 look-ups ahead with
  // near = false, some 16 ahead with near = true. The first fetches for
  // FindBaseEdge, both together for FindEdge. O(runs).
  void PrefetchBaseRow(NodeId source, bool near) const;
  void PrefetchDeltaRow(NodeId source, bool near) const;

  // Every alive edge once, by source, then as in the out row. O(nodes + arcs).
  template <class Fn>
  void ForEachEdge(const ArcFilter& filter, Fn&& fn) const;

  // The same graph with the delta folded into a new base; this very snapshot when there is no
  // delta. Complexity: O(nodes + arcs), parallel. Memory: the new base. Errors: kResourceExhausted.
  Result<Snapshot> Compacted(Executor& executor) const;

 private:
  static const std::shared_ptr<const FrozenState>& EmptyGraph();
  template <class Fn>
  bool VisitRow(Direction direction, NodeId node, const ArcFilter& filter, bool after_out,
                Fn&& fn) const;

  std::shared_ptr<const engine_internal::SnapshotTables> tables_;  // of a FrozenState
};

// What differs between an earlier snapshot and a later one, by identity; values are read from the
// later one. It may name what is the same in both, but leaves nothing out.
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

}  // namespace plexus

#include "engine/snapshot_rows.h"  // the row iterator's templates
