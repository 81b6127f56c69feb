// Resolving a batch, last part: what differs from the snapshot goes to the record.
#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/resolve/batch_resolver.h"
#include "engine/times.h"
#include "engine/vocabulary.h"

namespace plexus {

// The value that an addition leaves; absent counts as 0.
Result<std::uint64_t> BatchResolver::Sum(const ColumnOp& op, std::uint64_t before) const {
  const Column& column = schema().columns()[op.column];
  const bool absent = before == AbsentBits(column.type);
  const auto bad = [&](const std::string& have, const std::string& more) {
    return Invalid("column '", column.name, "' of node '", KeyOf(op.node), "': ", have, " and ",
                   more, " add up to what is out of range");
  };
  if (column.type == ColumnType::kF64) {
    const double have = absent ? 0 : std::bit_cast<double>(before),
                 more = std::bit_cast<double>(op.bits);
    if (!std::isfinite(have + more)) return bad(ShownNumber(have), ShownNumber(more));
    return std::bit_cast<std::uint64_t>(have + more);
  }
  const std::int64_t have = absent ? 0 : std::bit_cast<std::int64_t>(before),
                     more = std::bit_cast<std::int64_t>(op.bits);
  std::int64_t sum;
  if (__builtin_add_overflow(have, more, &sum) || std::bit_cast<std::uint64_t>(sum) == kAbsentI64)
    return bad(std::to_string(have), std::to_string(more));
  return std::bit_cast<std::uint64_t>(sum);
}

// The value that the operations on one column of a node leave, in order.
Result<std::uint64_t> BatchResolver::ColumnAfter(std::span<const ColumnOp> ops,
                                                 std::uint64_t before) const {
  std::uint64_t bits = before;
  for (const ColumnOp& op : ops) {
    if (op.what == ColumnOp::kAdd)
      PLEXUS_SET(bits, Sum(op, bits));
    else
      bits = op.what == ColumnOp::kSet ? op.bits : AbsentBits(schema().columns()[op.column].type);
  }
  return bits;
}

Status BatchResolver::CheckColumn(const ColumnChange& c) const {
  if (c.cleared) return {};
  const std::string what = WrongColumn(c.column, c.bits, record_.time_ms);
  if (what.empty()) return {};
  return Invalid("column '", schema().columns()[c.column].name, "' of node '", KeyOf(c.node),
                 "': ", what);
}

// Of nodes whose validity changes. REQUIRES the record's columns are complete.
Status BatchResolver::CheckValidity() const {
  const auto key = [](const ColumnChange& c) { return std::pair(c.column, c.node); };
  const auto after = [&](NodeId node, ColumnId column) -> std::int64_t {
    const auto at = std::ranges::lower_bound(record_.columns, std::pair(column, node), {}, key);
    if (at != record_.columns.end() && key(*at) == std::pair(column, node))
      return at->cleared ? kNoTime : std::bit_cast<std::int64_t>(at->bits);
    return node < now_.node_count() ? now_.i64(column, node).value_or(kNoTime) : kNoTime;
  };
  auto at =
      std::ranges::lower_bound(record_.columns, std::pair(builtin::kValidFrom, NodeId{0}), {}, key);
  for (; at != record_.columns.end() && at->column <= builtin::kValidUntil; ++at) {
    const std::int64_t from = after(at->node, builtin::kValidFrom),
                       until = after(at->node, builtin::kValidUntil);
    if (from != kNoTime && until != kNoTime && from > until)
      return Invalid("node '", KeyOf(at->node), "': ", InvertedValidity(from, until));
  }
  return {};
}

Status BatchResolver::SetScopes(std::string_view scope) {
  if (scope.empty() || scope == builtin::kDefaultScope) return {};
  for (const std::vector<Pending>* nodes : {&new_nodes_, &old_nodes_})
    for (const Pending& p : *nodes) {
      const bool begins = p.alive && (!p.was_alive || p.removed_at != kNever);
      const bool fact = schema().node_kind(p.kind).plane == Plane::kFact;
      if (!begins || !fact ||
          std::ranges::find(p.set_columns, builtin::kScope) != p.set_columns.end())
        continue;
      PLEXUS_ASSIGN(const StringId id, InternString(scope));
      column_ops_.push_back({p.node, builtin::kScope, ColumnOp::kSet, id});
    }
  return {};
}

Status BatchResolver::FinishColumns() {
  auto key = [](const ColumnOp& c) { return std::pair(c.column, c.node); };
  std::ranges::stable_sort(column_ops_, {}, key);
  for (std::size_t i = 0, end = 0; i < column_ops_.size(); i = end) {
    const ColumnOp& c = column_ops_[i];
    for (end = i + 1; end < column_ops_.size() && key(column_ops_[end]) == key(c);) ++end;
    const std::uint64_t absent = AbsentBits(schema().columns()[c.column].type);
    const bool known = c.node < now_.node_count() && c.column < now_.schema().columns().size();
    const std::uint64_t before = known ? now_.column_bits(c.column, c.node) : absent;
    PLEXUS_ASSIGN(const std::uint64_t after,
                  ColumnAfter(std::span(column_ops_).subspan(i, end - i), before));
    if (after == before) continue;
    const bool cleared = after == absent;
    record_.columns.push_back({c.node, c.column, cleared, cleared ? 0 : after});
    PLEXUS_TRY(CheckColumn(record_.columns.back()));
    PendingOf(c.node).changed = true;
  }
  return CheckValidity();
}

PayloadRef BatchResolver::StorePayload(std::string_view bytes) {
  const auto ordinal = static_cast<std::uint32_t>(record_.payloads.size());
  record_.payloads.push_back({ordinal, std::string(bytes)});
  return PayloadRef::Make(record_.sequence, ordinal);
}

Result<bool> BatchResolver::SamePayload(PayloadRef ref, std::string_view bytes) const {
  if (!ref) return false;
  auto got = now_.Payload(ref);
  if (got) return *got == bytes;
  if (got.error().code == ErrorCode::kNotFound) return false;  // purged: write again
  return std::unexpected(got.error());
}

Status BatchResolver::FinishPayloads() {
  auto key = [](const PayloadOp& p) { return std::pair(p.node, p.field); };
  std::ranges::stable_sort(payload_ops_, {}, key);
  for (std::size_t i = 0; i < payload_ops_.size(); ++i) {
    const PayloadOp& p = payload_ops_[i];
    if (i + 1 < payload_ops_.size() && key(payload_ops_[i + 1]) == key(p)) continue;
    const PayloadRef before = p.node < now_.node_count()
                                  ? now_.payload_ref(p.node, static_cast<NodeField>(p.field))
                                  : PayloadRef{};
    const bool purged = PendingOf(p.node).purged;  // what is stored will be erased: write again
    PayloadChange change{p.node, p.field, {}};
    if (p.bytes) {
      PLEXUS_ASSIGN(bool same, SamePayload(before, *p.bytes));
      if (same && !purged) continue;
      change.ref = StorePayload(*p.bytes);
    } else if (!before) {
      continue;
    }
    record_.payload_changes.push_back(change);
    PendingOf(p.node).changed = true;
  }
  return {};
}

Status BatchResolver::FinishVectors() {
  auto key = [](const VectorOp& v) { return std::pair(v.space, v.node); };
  std::ranges::stable_sort(vector_ops_, {}, key);
  for (std::size_t i = 0; i < vector_ops_.size(); ++i) {
    const VectorOp& v = vector_ops_[i];
    if (i + 1 < vector_ops_.size() && key(vector_ops_[i + 1]) == key(v)) continue;
    const VectorView* table = v.node < now_.node_count() ? now_.space(v.space) : nullptr;
    const bool had = table && table->has(v.node);
    VectorChange change{v.node, v.space.value(), {}};
    if (v.bytes) {
      std::string halves;
      std::string_view bytes = *v.bytes;
      if (schema().spaces()[v.space].element == VectorElement::kF16)
        bytes = halves = RoundedToHalves(bytes);
      bool same = false;
      if (had && !PendingOf(v.node).purged)
        PLEXUS_SET(same, table->Equals(v.node, bytes, now_.state().payload_store.get()));
      if (same) {
        ++report_.vectors.same;
        continue;
      }
      change.ref = StorePayload(bytes);
      ++(had ? report_.vectors.changed : report_.vectors.added);
    } else {
      if (!had) continue;
      ++report_.vectors.removed;
    }
    record_.vectors.push_back(change);
  }
  return {};
}

void BatchResolver::FinishNodes(ApplyReport& report) {
  auto counts = [&](NodeKindId kind) -> ChangeCounts& {
    if (schema().node_kind(kind).plane == Plane::kFact) return report.nodes;
    return kind == builtin::kEvent     ? report.events
           : kind == builtin::kOutcome ? report.outcomes
                                       : report.index;
  };
  for (const Pending& p : new_nodes_) {
    record_.node_kinds.push_back(p.kind);
    if (p.purged)
      record_.node_changes.push_back({p.node, NodeChange::kPurge, 0});
    else if (!p.alive)
      record_.node_changes.push_back({p.node, NodeChange::kRemove, 0});
    if (p.purged && p.alive) record_.node_changes.push_back({p.node, NodeChange::kRevive, 0});
    ++counts(p.kind).added;
  }
  std::vector<const Pending*> old;
  for (const Pending& p : old_nodes_) old.push_back(&p);
  std::ranges::sort(old, {}, &Pending::node);
  for (const Pending* p : old) {
    const std::size_t before = record_.node_changes.size();
    if (p->kind != now_.node_kind(p->node))
      record_.node_changes.push_back({p->node, NodeChange::kSetKind, p->kind});
    const bool purge =
        p->purged && (p->changed || !now_.purged(p->node) || p->alive || p->was_alive);
    if (purge) record_.node_changes.push_back({p->node, NodeChange::kPurge, 0});
    if (p->alive && (purge || !p->was_alive))
      record_.node_changes.push_back({p->node, NodeChange::kRevive, 0});
    if (!p->alive && p->was_alive && !purge)
      record_.node_changes.push_back({p->node, NodeChange::kRemove, 0});
    if (Forgets(*p)) record_.node_changes.push_back({p->node, NodeChange::kForget, 0});
    const bool changed = p->changed || record_.node_changes.size() != before;
    ChangeCounts& c = counts(p->kind);
    if (p->was_alive && !p->alive)
      ++c.removed;
    else if (!p->was_alive && p->alive)
      ++c.added;
    else if (changed)
      ++c.changed;
    else if (p->touched)
      ++c.same;
  }
}

std::vector<NodeId> BatchResolver::Removed() const {
  std::vector<NodeId> removed;
  for (const Pending& p : old_nodes_)
    if (p.was_alive && p.removed_at != kNever) removed.push_back(p.node);
  std::sort(removed.begin(), removed.end());
  return removed;
}

void BatchResolver::ReportIds(ApplyReport& report) {
  const auto alive = [&](NodeId id) {
    const Pending* p = FindPending(id);
    return p ? p->alive : now_.alive(id);
  };
  if (some_dead_)
    for (NodeId& id : locals_)
      if (id != kNoNode && !alive(id)) id = kNoNode;
  report.ids = std::move(locals_);
  report.refs_ = b_.refs_;
}

}  // namespace plexus
