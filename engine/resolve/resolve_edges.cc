// Resolving a batch, third part: edges.
//
// Every operation becomes a touch of an identity; touches are radix-sorted by
// identity (stable, so operations stay in order) and each identity is decided
// once: what is stored now, wiped if an endpoint was removed, changed by the
// operations after that. What equals the stored edge is left out of the record.
#include <algorithm>
#include <numeric>

#include <flatbuffers/flexbuffers.h>

#include "engine/adjacency/tombstones.h"
#include "engine/bulk/radix_sort.h"
#include "engine/properties/split_properties.h"
#include "engine/resolve/batch_resolver.h"
#include "engine/times.h"
#include "engine/vocabulary.h"

namespace plexus {

namespace {

// A purged member keeps its place in the event, which says nothing of itself. "": it has none.
Result<std::string> StoredRank(const Snapshot& snapshot, PayloadRef properties) {
  if (!properties) return std::string();
  const Result<std::string> bytes = snapshot.Payload(properties);
  if (bytes) return engine_internal::RankAlone(*bytes);
  const ErrorCode code = bytes.error().code;
  if (code == ErrorCode::kIo || code == ErrorCode::kResourceExhausted)  // it may be read later
    return std::unexpected(bytes.error());
  return std::string();
}

}  // namespace

Status BatchResolver::TouchEdges() {
  label_ids_.reserve(b_.labels_.size());
  for (const auto& label : b_.labels_) {
    PLEXUS_ASSIGN(StringId id, InternString(b_.View(label)));
    label_ids_.push_back(id);
  }
  touches_.reserve(b_.edges_.size());
  for (std::uint32_t i = 0; i < b_.edges_.size(); ++i) {
    const auto& e = b_.edges_[i];
    PLEXUS_ASSIGN(auto kind, EdgeKindOf(e.kind));
    PLEXUS_ASSIGN(NodeId source, NodeOf(e.source));
    PLEXUS_ASSIGN(NodeId target, NodeOf(e.target));
    if (source == kNoNode || target == kNoNode) {  // unlinking what was never there
      ++(schema().edge_kind(kind.kind).plane == Plane::kFact ? report_.edges : report_.index).same;
      continue;
    }
    if (kind.reversed) std::swap(source, target);
    EdgeTouch touch{source, target, e.label ? label_ids_[e.label - 1] : 0, kind.kind, i};
    if (!(e.has & WriteBatch::kRemoved)) PLEXUS_TRY(CheckEdge(e, touch));
    if (source > target && schema().edge_kind(kind.kind).symmetric)
      std::swap(touch.source, touch.target);
    touches_.push_back(touch);
  }
  if (some_dead_) TouchRemoved();
  return {};
}

Status BatchResolver::CheckEdge(const WriteBatch::EdgeOp& op, const EdgeTouch& t) {
  const EdgeKind& kind = schema().edge_kind(t.kind);
  auto bad = [&](const std::string& what) {
    return Invalid("edge '", KeyOf(t.source), "' ", kind.name, " '", KeyOf(t.target), "': ", what);
  };
  if (const std::string what = WrongEdge(b_, op, w_.time_ms); !what.empty()) return bad(what);
  if (t.source == t.target && !kind.self_loops) return bad("this kind allows no self-loops");
  auto endpoint = [&](NodeId node, NodeKindId wanted, const char* which) -> Status {
    if (wanted == kNoNodeKind || KindOfNode(node) == wanted) return {};
    return bad(std::string("its ") + which + " must be of kind '" +
               schema().node_kind(wanted).name + "', not '" +
               schema().node_kind(KindOfNode(node)).name + "'");
  };
  PLEXUS_TRY(endpoint(t.source, kind.source_kind, "source"));
  PLEXUS_TRY(endpoint(t.target, kind.target_kind, "target"));
  if (op.has & WriteBatch::kProperties) {
    std::string_view p = b_.View(b_.rare_[op.rare].properties);
    if (p.size() > Limits::kMaxPayloadBytes)
      return bad("properties have " + std::to_string(p.size()) + " bytes, the limit is " +
                 std::to_string(Limits::kMaxPayloadBytes));
    if (!p.empty() && !flexbuffers::VerifyBuffer(reinterpret_cast<const std::uint8_t*>(p.data()),
                                                 p.size(), nullptr))
      return bad("properties are not a FlexBuffers map");
  }
  return {};
}

// A removed node touches every edge it has, except those that outlive it; a purged
// one those too, since their properties go.
void BatchResolver::TouchRemoved() {
  for (const Pending& p : old_nodes_) {
    if (p.removed_at == kNever) continue;
    for (Direction d : {Direction::kOut, Direction::kIn})
      now_.ForEachArc(d, p.node, ArcFilter::All(), [&](const Arc& arc) {
        const EdgeKind& kind = schema().edge_kind(arc.kind);
        const Edge e = now_.edge(arc, p.node);
        if (kind.survives_removal && e.source != p.node && !p.purged) return;
        touches_.push_back({e.source, e.target, e.label, e.kind, kByRemoval});
      });
  }
}

// Puts touches_ in the order of (source, kind, target, label), then operation.
void BatchResolver::SortTouches() {
  if (touches_.empty()) return;
  const std::size_t count = touches_.size();
  const EdgeTouch& first = touches_.front();
  const bool plain = std::all_of(touches_.begin(), touches_.end(), [&](const EdgeTouch& t) {
    return t.kind == first.kind && t.label == first.label;
  });
  std::vector<EdgeTouch> sorted;
  sorted.reserve(count);
  if (plain) {  // one kind, one label: a single key
    std::vector<KeyedPosition> keyed(count), spare;
    for (std::uint32_t i = 0; i < count; ++i)
      keyed[i] = {(std::uint64_t{touches_[i].source} << 32) | touches_[i].target, i};
    StableSortBy(keyed, spare, [](const KeyedPosition& k) { return k.key; });
    for (const KeyedPosition& k : keyed) sorted.push_back(touches_[k.position]);
  } else {
    std::vector<std::uint32_t> order(count), scratch;
    std::iota(order.begin(), order.end(), 0u);
    StableSortBy(order, scratch, [&](std::uint32_t i) { return touches_[i].label; });
    StableSortBy(order, scratch, [&](std::uint32_t i) { return touches_[i].target; });
    StableSortBy(order, scratch,
                 [&](std::uint32_t i) { return std::uint32_t{touches_[i].kind.value()}; });
    StableSortBy(order, scratch, [&](std::uint32_t i) { return touches_[i].source; });
    for (const std::uint32_t i : order) sorted.push_back(touches_[i]);
  }
  touches_.swap(sorted);
}

Status BatchResolver::DecideEdges(ApplyReport& report) {
  SortTouches();
  const std::size_t count = touches_.size();
  record_.edges.reserve(count);
  auto prefetch = [&](std::size_t i, bool near) {
    if (i >= count) return;
    const EdgeTouch& t = touches_[i];
    if (near && t.op != kByRemoval) __builtin_prefetch(&b_.edges_[t.op]);
    if (t.source >= now_.node_count()) return;
    now_.PrefetchBaseRow(t.source, near);
    if (!near) w_.PrefetchFilter(HashOf(t));
  };
  auto prefetch_delta = [&](std::size_t i, bool near) {
    if (i < count && w_.MayBeInRuns(HashOf(touches_[i])))
      now_.PrefetchDeltaRow(touches_[i].source, near);
  };
  for (std::size_t begin = 0; begin < count;) {
    prefetch(begin + 32, false);
    prefetch(begin + 16, true);
    prefetch_delta(begin + 16, false);
    prefetch_delta(begin + 8, true);
    const EdgeTouch& t = touches_[begin];
    std::size_t end = begin + 1;
    for (; end < count; ++end) {
      const EdgeTouch& u = touches_[end];
      if (u.source != t.source || u.kind != t.kind || u.target != t.target || u.label != t.label)
        break;
    }
    PLEXUS_TRY(DecideEdge(std::span(touches_).subspan(begin, end - begin), report));
    begin = end;
  }
  return {};
}

std::int64_t BatchResolver::LastRemoval(const EdgeTouch& t) {
  if (!some_dead_) return kNever;
  std::int64_t last = kNever;
  if (const Pending* p = FindPending(t.source)) last = p->removed_at;
  if (schema().edge_kind(t.kind).survives_removal) return last;
  if (const Pending* p = FindPending(t.target)) last = std::max(last, p->removed_at);
  return last;
}

std::int64_t BatchResolver::LastPurge(const EdgeTouch& t) {
  std::int64_t last = kNever;
  if (!some_dead_) return last;
  for (NodeId node : {t.source, t.target})
    if (const Pending* p = FindPending(node); p && p->purged) last = std::max(last, p->removed_at);
  return last;
}

Status BatchResolver::DecideEdge(std::span<const EdgeTouch> touches, ApplyReport& report) {
  const EdgeTouch& t = touches.front();
  EdgeValue before, value;
  bool existed = false;
  if (t.source < now_.node_count() && t.target < now_.node_count()) {
    const bool in_delta = w_.MayBeInRuns(HashOf(t));
    if (auto e = in_delta ? now_.FindEdge(t.source, t.kind, t.target, t.label)
                          : now_.FindBaseEdge(t.source, t.kind, t.target, t.label)) {
      existed = true;
      before = {e->weight,      e->created_at, e->created_by, e->valid_from,
                e->valid_until, e->properties, std::nullopt};
    }
  }
  if (!existed && !some_dead_ && touches.size() == 1) {  // the common case: one new edge
    const auto& e = b_.edges_[t.op];
    if (!(e.has & (WriteBatch::kRemoved | WriteBatch::kHasRare))) {
      ++(schema().edge_kind(t.kind).plane == Plane::kFact ? report.edges : report.index).added;
      EdgeChange change{t.source, t.target,           t.label, 1.0f, record_.time_ms,
                        t.kind,   EdgeChange::kIsNew, 0};
      if (e.has & WriteBatch::kWeight) change.weight = e.weight + 0.0f;  // -0 is 0
      if (e.has & WriteBatch::kCreatedAt) change.created_at = e.created_at;
      record_.edges.push_back(change);
      return {};
    }
  }
  const std::int64_t removal = LastRemoval(t);
  const std::int64_t scrub = LastPurge(t);  // properties from before it are erased
  bool exists = existed && removal == kNever;
  if (exists) value = before;
  std::string rank;
  if (scrub != kNever) {
    value.properties = {};
    if (exists && t.kind == builtin::kMember) PLEXUS_SET(rank, StoredRank(now_, before.properties));
    if (!rank.empty()) value.new_properties = rank;
  }
  bool named = false;  // by an operation, not only by a removal
  for (const EdgeTouch& touch : touches) {
    const std::uint32_t op = touch.op;
    if (op == kByRemoval) continue;
    named = true;
    if (op < removal) continue;
    const auto& e = b_.edges_[op];
    if (e.has & WriteBatch::kRemoved) {
      exists = false;
      continue;
    }
    PLEXUS_TRY(ApplyEdgeOp(e, !exists, value));
    exists = true;
    if (op < scrub && value.new_properties) {
      rank = t.kind == builtin::kMember ? engine_internal::RankAlone(*value.new_properties) : "";
      value.new_properties.reset();
      if (!rank.empty()) value.new_properties = rank;
    }
  }
  ChangeCounts& counts =
      schema().edge_kind(t.kind).plane == Plane::kFact ? report.edges : report.index;
  if (!exists) {
    if (!existed) {
      ++counts.same;
      return {};
    }
    ++counts.removed;
    EmitEdge(t, EdgeChange::kTombstone, {});
    return {};
  }
  if (value.valid_from != kNoTime && value.valid_until != kNoTime &&
      value.valid_from > value.valid_until &&
      !(existed && value.valid_from == before.valid_from &&
        value.valid_until == before.valid_until))
    return Invalid("edge '", KeyOf(t.source), "' ", schema().edge_kind(t.kind).name, " '",
                   KeyOf(t.target), "': ", InvertedValidity(value.valid_from, value.valid_until));
  if (scrub != kNever && existed && before.properties)  // the store must apply this purge
    for (NodeId node : {t.source, t.target})
      if (Pending* p = FindPending(node); p && p->purged) p->changed = true;
  if (value.new_properties) {
    if (existed && scrub == kNever) {
      PLEXUS_ASSIGN(bool same_bytes, SamePayload(before.properties, *value.new_properties));
      if (same_bytes) {
        value.properties = before.properties;
        value.new_properties.reset();
      }
    }
  }
  const bool same = existed && value == before;
  if (same && named) ++counts.same;
  // What a purge took and the batch states again is kept: a follower may not have it.
  if (same && (removal == kNever || scrub == kNever || !TellsWords(t.kind))) return {};
  if (value.new_properties) value.properties = StorePayload(*value.new_properties);
  if (!same) ++(existed ? counts.changed : counts.added);
  EmitEdge(t, existed ? 0 : EdgeChange::kIsNew, value);
  return {};
}

Status BatchResolver::ApplyEdgeOp(const WriteBatch::EdgeOp& op, bool fresh, EdgeValue& value) {
  if (fresh) {
    value = EdgeValue();
    value.created_at = record_.time_ms;
  }
  if (op.has & WriteBatch::kWeight) value.weight = op.weight + 0.0f;  // -0 is 0
  if (op.has & WriteBatch::kCreatedAt) value.created_at = op.created_at;
  if (!(op.has & WriteBatch::kHasRare)) return {};
  const auto& rare = b_.rare_[op.rare];
  if (op.has & WriteBatch::kCreatedBy)
    PLEXUS_SET(value.created_by, InternString(b_.View(rare.created_by)));
  if (op.has & WriteBatch::kValidFrom) value.valid_from = rare.valid_from;
  if (op.has & WriteBatch::kValidUntil) value.valid_until = rare.valid_until;
  if (op.has & WriteBatch::kProperties) {
    value.properties = {};
    value.new_properties.reset();
    if (std::string_view p = b_.View(rare.properties); !p.empty()) value.new_properties = p;
  }
  return {};
}

void BatchResolver::EmitEdge(const EdgeTouch& t, std::uint16_t flags, const EdgeValue& v) {
  EdgeChange e;
  e.source = t.source;
  e.target = t.target;
  e.kind = t.kind;
  e.label = t.label;
  e.flags = flags;
  e.weight = e.tombstone() ? 0 : v.weight;
  e.created_at = e.tombstone() ? 0 : v.created_at;
  EdgeExtra x;
  x.index = static_cast<std::uint32_t>(record_.edges.size());
  x.created_by = v.created_by;
  x.valid_from = v.valid_from;
  x.valid_until = v.valid_until;
  x.properties = v.properties;
  if (!e.tombstone() &&
      (x.created_by || x.valid_from != kNoTime || x.valid_until != kNoTime || x.properties)) {
    e.flags |= EdgeChange::kHasExtra;
    record_.edge_extras.push_back(x);
  }
  record_.edges.push_back(e);
}

}  // namespace plexus
