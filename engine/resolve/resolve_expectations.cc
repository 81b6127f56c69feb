// Resolving a batch: what it expects of the graph before it changes anything.
//
// Expectations are checked against the state, not against what the batch makes of it: nodes,
// columns and kinds that the batch itself adds are not there yet. Nothing is interned or created,
// so what was expected leaves no trace in the record.
#include <bit>
#include <charconv>
#include <cmath>

#include "engine/internal/edges_digest.h"
#include "engine/resolve/batch_resolver.h"
#include "engine/vocabulary.h"

namespace plexus {

namespace {

std::unexpected<Error> Conflict(const std::string& expected, const std::string& found) {
  return Fail(ErrorCode::kConflict, "expected " + expected + "; " + found);
}

}  // namespace

std::string BatchResolver::ShownNumber(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof(text), value).ptr;
  return {text, end};
}

Status BatchResolver::Expectations() const {
  using Expected = WriteBatch::Expected;
  for (const WriteBatch::Expectation& e : b_.expectations_) switch (e.what) {
      case Expected::kSequence:
        if (e.value == now_.sequence()) break;
        return Conflict("sequence " + std::to_string(e.value),
                        "the graph is at " + std::to_string(now_.sequence()));
      case Expected::kAlive:
      case Expected::kNotAlive:
        PLEXUS_TRY(NodeAsExpected(e));
        break;
      case Expected::kF64:
      case Expected::kI64:
      case Expected::kString:
        PLEXUS_TRY(ColumnAsExpected(e));
        break;
      case Expected::kLinked:
      case Expected::kNotLinked:
      case Expected::kWeight:
        PLEXUS_TRY(EdgeAsExpected(e));
        break;
      case Expected::kKind:
        PLEXUS_TRY(KindAsExpected(e));
        break;
      case Expected::kPayload:
        PLEXUS_TRY(PayloadAsExpected(e));
        break;
      case Expected::kEdges:
        PLEXUS_TRY(EdgesAsExpected(e));
        break;
    }
  return {};
}

Result<NodeId> BatchResolver::KnownNode(NodeRef ref) const {
  PLEXUS_ASSIGN(const NodeId node, NodeOf(ref));
  if (node != kNoNode && node < now_.node_count()) return node;
  const std::string_view key = b_.key(ref);
  PLEXUS_TRY(CheckKey(key, key.find(kIndexSeparator) != std::string_view::npos));
  return kNoNode;
}

std::string BatchResolver::NameOf(NodeRef ref) const {
  return "'" + (ref.local() ? Shown(b_.key(ref)) : KeyOf(ref.index())) + "'";
}

Status BatchResolver::NodeAsExpected(const WriteBatch::Expectation& e) const {
  PLEXUS_ASSIGN(const NodeId node, KnownNode(e.node));
  const bool exists = node != kNoNode && now_.alive(node);
  if (exists == (e.what != WriteBatch::Expected::kNotAlive)) return {};
  if (exists) return Conflict("no node " + NameOf(e.node), "it exists");
  return Conflict("node " + NameOf(e.node) + " to exist", node == kNoNode     ? "there is none"
                                                          : now_.purged(node) ? "it was purged"
                                                                              : "it was removed");
}

Status BatchResolver::KindAsExpected(const WriteBatch::Expectation& e) const {
  const auto kind = NodeKindId(static_cast<KindId>(e.value));
  if (kind >= schema().node_kinds().size() || schema().node_kind(kind).name.empty())
    return Invalid("no node kind ", e.value);
  PLEXUS_TRY(NodeAsExpected(e));
  PLEXUS_ASSIGN(const NodeId node, KnownNode(e.node));
  const NodeKindId is = now_.node_kind(node);
  if (is == kind) return {};
  return Conflict(
      "node " + NameOf(e.node) + " to be of kind '" + schema().node_kind(kind).name + "'",
      "it is of kind '" + schema().node_kind(is).name + "'");
}

Status BatchResolver::PayloadAsExpected(const WriteBatch::Expectation& e) const {
  PLEXUS_ASSIGN(const NodeId node, KnownNode(e.node));
  const PayloadRef has = node == kNoNode ? PayloadRef() : now_.payload_ref(node, e.field);
  if (has.bits == e.value) return {};
  const auto shown = [](PayloadRef ref) {
    return ref ? "that of record " + std::to_string(ref.sequence()) : std::string("none");
  };
  return Conflict(std::string(e.field == NodeField::kText ? "text" : "properties") + " of node " +
                      NameOf(e.node) + " to be " + shown(PayloadRef{e.value}),
                  "it is " + shown(has));
}

Status BatchResolver::EdgesAsExpected(const WriteBatch::Expectation& e) const {
  PLEXUS_ASSIGN(const auto kind, EdgeKindOf(e.name));
  PLEXUS_ASSIGN(const NodeId node, KnownNode(e.node));
  if (engine_internal::EdgesDigest(now_, node, kind.kind) == e.value) return {};
  return Conflict("edges '" + schema().edge_kind(kind.kind).name + "' of node " + NameOf(e.node) +
                      " to be those that were read",
                  "they have changed");
}

Status BatchResolver::ColumnAsExpected(const WriteBatch::Expectation& e) const {
  using Expected = WriteBatch::Expected;
  const ColumnType type = e.what == Expected::kF64   ? ColumnType::kF64
                          : e.what == Expected::kI64 ? ColumnType::kI64
                                                     : ColumnType::kString;
  PLEXUS_ASSIGN(const NodeId node, KnownNode(e.node));
  PLEXUS_ASSIGN(const ColumnId column, ColumnOf(e.name, type, false));
  const std::string what =
      "column '" + schema().columns()[column].name + "' of node " + NameOf(e.node);
  const std::string_view wanted_string = b_.View(e.bytes);
  if (type == ColumnType::kString) PLEXUS_TRY(CheckString(wanted_string));
  if (!e.absent && type == ColumnType::kF64 && !std::isfinite(std::bit_cast<double>(e.value)))
    return Invalid(what, ": the value expected must be a finite number");
  if (!e.absent && type == ColumnType::kI64 && e.value == kAbsentI64)
    return Invalid(what, ": the value expected is out of range");

  const bool stored = node != kNoNode && column < now_.schema().columns().size();
  const std::uint64_t has = stored ? now_.column_bits(column, node) : AbsentBits(type);
  const bool absent = has == AbsentBits(type);
  if (absent && e.absent) return {};
  if (!absent && !e.absent) {
    if (type == ColumnType::kF64 && std::bit_cast<double>(has) == std::bit_cast<double>(e.value))
      return {};
    if (type == ColumnType::kI64 && has == e.value) return {};
    if (type == ColumnType::kString && now_.string(static_cast<StringId>(has)) == wanted_string)
      return {};
  }
  const auto number = [&](std::uint64_t bits) {
    return type == ColumnType::kF64 ? ShownNumber(std::bit_cast<double>(bits))
                                    : std::to_string(std::bit_cast<std::int64_t>(bits));
  };
  const auto quoted = [](std::string_view text) { return "'" + std::string(text) + "'"; };
  const bool is_string = type == ColumnType::kString;
  return Conflict(what + " to be " +
                      (e.absent    ? "absent"
                       : is_string ? quoted(wanted_string)
                                   : number(e.value)),
                  "it is " + (absent      ? "absent"
                              : is_string ? quoted(now_.string(static_cast<StringId>(has)))
                                          : number(has)));
}

Status BatchResolver::EdgeAsExpected(const WriteBatch::Expectation& e) const {
  PLEXUS_ASSIGN(const auto kind, EdgeKindOf(e.name));
  PLEXUS_ASSIGN(NodeId source, KnownNode(e.node));
  PLEXUS_ASSIGN(NodeId target, KnownNode(e.target));
  const std::string_view label = b_.View(e.bytes);
  PLEXUS_TRY(CheckString(label));
  const std::optional<StringId> label_id = w_.strings.Find(label, StringTable::Hash(label));
  if (kind.reversed) std::swap(source, target);
  std::optional<Edge> found;
  if (source != kNoNode && target != kNoNode && label_id &&
      kind.kind < now_.schema().edge_kinds().size())
    found = now_.FindEdge(source, kind.kind, target, *label_id);
  const bool exists = found.has_value();
  const auto weight = std::bit_cast<float>(static_cast<std::uint32_t>(e.value));
  const bool weighs = e.what == WriteBatch::Expected::kWeight;
  if (weighs && !(std::isfinite(weight) && weight >= 0))
    return Invalid("the weight expected must be finite and >= 0");
  if (exists == (e.what != WriteBatch::Expected::kNotLinked) &&
      (!weighs || found->weight == weight))
    return {};
  const std::string edge = NameOf(e.node) + " " +
                           (e.name.local ? b_.edge_kind_names_[e.name.id]
                                         : schema().edge_kind(EdgeKindId(e.name.id)).name) +
                           " " + NameOf(e.target) +
                           (label.empty() ? "" : " with label '" + std::string(label) + "'");
  if (exists && weighs)
    return Conflict("edge " + edge + " of weight " + ShownNumber(static_cast<double>(weight)),
                    "its weight is " + ShownNumber(static_cast<double>(found->weight)));
  return exists ? Conflict("no edge " + edge, "it exists")
                : Conflict("edge " + edge + " to exist", "there is none");
}

}  // namespace plexus
