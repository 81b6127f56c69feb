// Snapshot: the graph at one sequence number. Every read goes through one.
//
// A Snapshot is two pointers: copy it freely, keep it as long as you like, read it
// from any thread. It never changes, never locks, never waits for a writer.
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
#include "engine/state.h"
#include "engine/types.h"

namespace plexus {

// Which arcs a kernel follows: kinds, and optionally only those valid at a time.
class ArcFilter {
 public:
  // Every kind of both planes.
  static ArcFilter All() { return ArcFilter(); }
  // No kinds named = the fact plane of `schema`.
  static ArcFilter Kinds(const Schema& schema, std::span<const EdgeKindId> kinds);
  // Also require valid_from <= now_ms < valid_until (absent = unbounded).
  ArcFilter ValidAt(std::int64_t now_ms) const;

  bool all_kinds() const { return allowed_.empty(); }
  bool allows(EdgeKindId kind) const {
    return allowed_.empty() || (kind < allowed_.size() && allowed_[kind]);
  }
  bool checks_time() const { return valid_at_ != kNoTime; }
  std::int64_t valid_at() const { return valid_at_; }

 private:
  std::vector<std::uint8_t> allowed_;  // by kind; empty = all
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
  NodeId neighbor;
  EdgeKindId kind{};
  float weight;
  ArcRef ref;
};

// An edge with everything but its properties' bytes.
struct Edge {
  NodeId source = kNoNode, target = kNoNode;
  EdgeKindId kind{};
  StringId label = 0;
  float weight = 1;
  std::int64_t created_at = 0;
  StringId created_by = 0;
  std::int64_t valid_from = kNoTime, valid_until = kNoTime;
  PayloadRef properties;
};

class Snapshot {
 public:
  Snapshot() = default;
  explicit Snapshot(std::shared_ptr<const GraphState> state) : state_(std::move(state)) {}

  const GraphState& state() const { return *state_; }
  const std::shared_ptr<const GraphState>& shared_state() const { return state_; }
  Sequence sequence() const { return state_->sequence; }
  std::int64_t time_ms() const { return state_->time_ms; }
  const Schema& schema() const { return *state_->schema; }

  // --- nodes. Ids are [0, node_count()), alive or not.
  NodeId node_count() const { return state_->keys.size(); }
  std::optional<NodeId> Find(std::string_view key) const { return state_->keys.Find(key); }
  // Of removed nodes it may have to be unpacked (string_table.h), which takes memory the first
  // time. Empty when it is forgotten (WriteBatch::ForgetKey).
  std::string_view key(NodeArg node) const { return state_->keys[node]; }
  bool key_forgotten(NodeArg node) const { return state_->keys.forgotten(node); }
  std::string_view string(StringArg id) const { return state_->strings[id]; }
  NodeKindId node_kind(NodeArg node) const { return NodeKindId(state_->node_kinds[node]); }
  bool alive(NodeArg node) const { return state_->node_flags[node] & kAlive; }
  bool purged(NodeArg node) const { return state_->node_flags[node] & kPurged; }
  bool is_fact(NodeArg node) const {
    return schema().node_kind(node_kind(node)).plane == Plane::kFact;
  }
  // Alive nodes of a plane. O(kinds).
  std::uint64_t CountNodes(Plane plane) const;
  // Alive edges of a plane, symmetric ones once. O(kinds).
  std::uint64_t CountEdges(Plane plane) const;

  // --- columns; nullopt when absent. REQUIRES a column of that type.
  std::optional<double> f64(ColumnId column, NodeArg node) const;
  std::optional<std::int64_t> i64(ColumnId column, NodeArg node) const;
  std::optional<StringId> string_column(ColumnId column, NodeArg node) const;
  std::uint64_t column_bits(ColumnId column, NodeArg node) const;  // AbsentBits when absent
  // The node's scope, kDefaultScope when it has none.
  std::string_view scope(NodeArg node) const;

  // --- payloads, fetched from the store. kNotFound: none, or purged.
  PayloadRef payload_ref(NodeArg node, NodeField field) const {
    return PayloadRef{state_->payload_refs[static_cast<int>(field)][node]};
  }
  Result<std::string> Payload(PayloadRef ref) const;
  Result<std::string> Payload(NodeArg node, NodeField field) const;

  // --- vectors. `space`: who has one, of a space that may not be loaded; null: there is no
  // such space. `vectors`: loaded, so that values can be read; from RAM, except for the
  // first who asks after the graph was opened. kInvalidArgument: no such space; else as
  // VectorTable::View::Load.
  Result<const VectorTable::View*> vectors(SpaceId id) const;
  const VectorTable::View* space(SpaceId id) const {
    return id < state_->spaces.size() ? &state_->spaces[id] : nullptr;
  }

  // --- edges
  bool has_delta() const { return !state_->runs.empty(); }
  const Csr& base() const { return *state_->base; }
  // True when the row of `node` is exactly its row in base() (one bit test).
  bool clean(Direction direction, NodeArg node) const {
    return node < state_->base->node_count &&
           (state_->runs.empty() || !state_->dirty->test(direction, node));
  }

  // Calls fn(const Arc&) for every arc of a row that passes the filter, in order
  // of (kind, neighbor, label); kBoth gives the out row, then the in row (arcs of
  // symmetric kinds, and loops, once). fn may return bool: false stops. Cost: the row, plus
  // a look-up in each run when the row is not clean.
  template <class Fn>
  void ForEachArc(Direction direction, NodeArg node, const ArcFilter& filter, Fn&& fn) const;

  // Calls fn(NodeId row, const Arc&) for every arc of rows [first, last), row by
  // row in the order of ForEachArc; not for kBoth. The way to scan a graph: between
  // two rows that the delta touches it is one tight loop over the base.
  template <class Fn>
  void ScanArcs(Direction direction, NodeArg first, NodeArg last, const ArcFilter& filter,
                Fn&& fn) const;

  // Number of arcs ForEachArc would visit.
  std::uint64_t Degree(Direction direction, NodeArg node, const ArcFilter& filter) const;

  // valid_from <= at < valid_until of a stored arc; what a filter with a time asks.
  bool PassesTime(const ArcRef& ref, std::int64_t at) const;

  // What edge() says, without the rest of it.
  std::int64_t created_at(const ArcRef& ref) const;
  Edge edge(const Arc& arc, NodeArg row) const;
  // The edge of that identity, if alive. For symmetric kinds in either order.
  std::optional<Edge> FindEdge(NodeArg source, EdgeKindId kind, NodeArg target,
                               StringArg label = 0) const;

  // The same for an edge of whose identity no run says anything.
  std::optional<Edge> FindBaseEdge(NodeArg source, EdgeKindId kind, NodeArg target,
                                   StringArg label) const;

  // Hide the latency of many look-ups: call for a source some 32 look-ups ahead with
  // near = false, some 16 ahead with near = true. The first fetches for
  // FindBaseEdge, both together for FindEdge.
  void PrefetchBaseRow(NodeArg source, bool near) const;
  void PrefetchDeltaRow(NodeArg source, bool near) const;

  // Every alive edge once, by source, then as in the out row.
  template <class Fn>
  void ForEachEdge(const ArcFilter& filter, Fn&& fn) const;

  // The same graph with the delta folded into a new base. O(arcs); this very
  // snapshot when there is no delta.
  Result<Snapshot> Compacted(Executor& executor) const;

 private:
  template <class Fn>
  bool VisitRow(Direction direction, NodeId node, const ArcFilter& filter, bool after_out,
                Fn&& fn) const;

  std::shared_ptr<const GraphState> state_;
};

}  // namespace plexus

#include "engine/snapshot_rows.h"  // the row iterator's templates
