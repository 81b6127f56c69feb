// What no graph takes, whatever it holds: values of a batch, each by itself.
#include "engine/resolve/batch_resolver.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/times.h"
#include "engine/vocabulary.h"

namespace plexus {

std::string BatchResolver::WrongColumn(ColumnId column, std::uint64_t bits, std::int64_t time_ms) {
  if (column == builtin::kTrust) {
    const double trust = std::bit_cast<double>(bits);
    if (trust < 0 || trust > 1) return ShownNumber(trust) + " does not lie in [0, 1]";
  }
  if (IsTimeColumn(column))
    // The graph's own time may be later: records in a log are not refused.
    if (const auto time = std::bit_cast<std::int64_t>(bits); !IsStoredTime(time) && time != time_ms)
      return OutOfTime(time);
  return {};
}

const char* BatchResolver::Unstorable(const WriteBatch::Op& op) {
  if (op.code == OpCode::kSetF64 || op.code == OpCode::kAddF64)
    return std::isfinite(std::bit_cast<double>(op.value)) ? nullptr : "must be a finite number";
  return op.code == OpCode::kSetI64 && op.value == kAbsentI64 ? "is out of range" : nullptr;
}

std::string BatchResolver::WrongEdge(const WriteBatch& batch, const WriteBatch::EdgeOp& op,
                                     std::int64_t time_ms) {
  if (op.has & WriteBatch::kWeight && (!std::isfinite(op.weight) || op.weight < 0))
    return "weight " + std::to_string(op.weight) + " must be finite and >= 0";
  if (op.has & WriteBatch::kCreatedAt && !IsStoredTime(op.created_at))
    return "created_at " + OutOfTime(op.created_at);
  if (!(op.has & WriteBatch::kHasRare)) return {};
  const auto& rare = batch.rare_[op.rare];
  for (const auto& [name, time] :
       {std::pair("valid_from ", rare.valid_from), std::pair("valid_until ", rare.valid_until)})
    if (time != kNoTime && !IsStoredTime(time) && time != time_ms) return name + OutOfTime(time);
  return {};
}

Status BatchResolver::CheckValues(const WriteBatch& batch, const Snapshot& now) {
  const Schema& schema = now.schema();
  const auto key = [&](NodeRef node) {
    return Shown(node.local() ? batch.key(node) : now.key(node.index()));
  };
  std::vector<std::optional<ColumnId>> named;
  for (const std::string& name : batch.column_names_) named.push_back(schema.FindColumn(name));
  for (const WriteBatch::Op& op : batch.ops_) {
    const auto bad = [&](const std::string& what) {
      const std::string& name =
          op.name.local ? batch.column_names_[op.name.id] : schema.columns()[op.name.id].name;
      return Invalid("column '", name, "' of node '", key(op.node), "'", what);
    };
    if (const char* what = Unstorable(op)) return bad(std::string(" ") + what);
    if (op.code != OpCode::kSetF64 && op.code != OpCode::kSetI64) continue;
    const auto column = op.name.local ? named[op.name.id] : std::optional(ColumnId(op.name.id));
    if (!column || *column >= builtin::kFirstUserColumn) continue;
    const std::string what = WrongColumn(*column, op.value, now.time_ms());
    if (what.empty()) continue;
    // Of a log: what is stored already may be stated again.
    const auto node = op.node.local() ? now.Find(batch.key(op.node)) : op.node.index();
    if (!node || now.column_bits(*column, *node) != op.value) return bad(": " + what);
  }
  constexpr int kChecked = WriteBatch::kWeight | WriteBatch::kCreatedAt | WriteBatch::kHasRare;
  for (const WriteBatch::EdgeOp& op : batch.edges_) {
    if (!(op.has & kChecked) || op.has & WriteBatch::kRemoved) continue;
    const std::string what = WrongEdge(batch, op, now.time_ms());
    if (what.empty()) continue;
    const std::string& kind = op.kind.local ? batch.edge_kind_names_[op.kind.id]
                                            : schema.edge_kind(EdgeKindId(op.kind.id)).name;
    return Invalid("edge '", key(op.source), "' ", kind, " '", key(op.target), "': ", what);
  }
  return {};
}

Status WriteBatch::CheckValues(const Snapshot& now) const {
  return BatchResolver::CheckValues(*this, now);
}

// --- Resolving a batch, fourth part: nodes of another kind than before.
//
// An edge is checked against its ends' kinds when it is written. When a node takes another
// kind, the edges it keeps are checked again: else the graph would hold what Apply refuses,
// and what was exported could not be imported.

// Whether the batch, decided by now, removes the edge. The record's edges are in this order.
bool BatchResolver::Removes(const Edge& edge) const {
  const auto identity = [](const auto& e) {
    return std::tuple(e.source, e.kind, e.target, e.label);
  };
  const auto at = std::lower_bound(
      record_.edges.begin(), record_.edges.end(), edge,
      [&](const EdgeChange& a, const Edge& b) { return identity(a) < identity(b); });
  return at != record_.edges.end() && identity(*at) == identity(edge) && at->tombstone();
}

Status BatchResolver::CheckRetyped() {
  for (const Pending& p : old_nodes_) {
    const NodeKindId before = now_.node_kind(p.node);
    if (p.kind == before || !schema().DemandsKind(before)) continue;
    Status kept;  // until an edge says otherwise
    for (const Direction direction : {Direction::kOut, Direction::kIn})
      now_.ForEachArc(direction, p.node, ArcFilter::All(), [&](const Arc& arc) {
        const EdgeKind& kind = schema().edge_kind(arc.kind);
        const bool is_source = direction == Direction::kOut;
        if ((is_source ? kind.source_kind : kind.target_kind) != before) return true;
        const Edge edge = now_.edge(arc, p.node);
        if (Removes(edge)) return true;
        kept = Invalid("node '", KeyOf(p.node), "' cannot become of kind '",
                       schema().node_kind(p.kind).name, "': its edge '", KeyOf(edge.source), "' ",
                       kind.name, " '", KeyOf(edge.target), "' wants it to be of kind '",
                       schema().node_kind(before).name, "'");
        return false;
      });
    PLEXUS_TRY(kept);
  }
  return {};
}

}  // namespace plexus
