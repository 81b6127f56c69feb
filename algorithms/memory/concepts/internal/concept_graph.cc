// Names, stored arousal, decay by relation, and concepts in a batch.
#include "algorithms/memory/concepts/internal/concept_graph.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_set>

#include "engine/schema.h"

namespace plexus::memory::internal {

namespace {

constexpr std::string_view kWide[] = {"\u0085", "\u00A0", "\u1680", "\u2000", "\u2001",
                                      "\u2002", "\u2003", "\u2004", "\u2005", "\u2006",
                                      "\u2007", "\u2008", "\u2009", "\u200A", "\u2028",
                                      "\u2029", "\u202F", "\u205F", "\u3000"};

// Bytes of the white space that begins the text, as UTF-8; 0: none does.
std::size_t SpaceAtFront(std::string_view text) {
  if (text.front() == ' ' || (text.front() >= '\t' && text.front() <= '\r')) return 1;
  for (const std::string_view space : kWide)
    if (text.starts_with(space)) return space.size();
  return 0;
}

}  // namespace

bool IsBlank(std::string_view text) {
  while (!text.empty()) {
    const std::size_t bytes = SpaceAtFront(text);
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

Status CheckConceptName(std::string_view what, std::string_view name) {
  if (IsBlank(name)) return Invalid(what, ": a name must not be empty");
  if (Status status = CheckKey(name, false); !status)
    return Fail(status.error().code, std::string(what) + ": " + status.error().message);
  return {};
}

Status CheckTime(std::int64_t now_ms) {
  if (now_ms == kNoTime) return Invalid("now_ms: a time must be given");
  return {};
}

Status CheckFinite(std::string_view what, double value) {
  if (std::isfinite(value)) return {};
  return Invalid(what, " must be a finite number");
}

Status CheckShare(std::string_view what, double value) {
  if (value >= 0 && value <= 1) return {};
  return Invalid(what, " must lie in [0, 1]");
}

NodeId FindConcept(const Snapshot& snapshot, std::string_view name) {
  const std::optional<NodeId> node = snapshot.Find(name);
  if (!node || !snapshot.alive(*node) || snapshot.node_kind(*node) != builtin::kConcept)
    return kNoNode;
  return *node;
}

FoundConcepts FindConcepts(const Snapshot& snapshot, std::span<const std::string> names) {
  FoundConcepts found;
  std::unordered_set<std::string_view> seen;
  for (const std::string& given : names) {
    const std::string_view name = given;
    if (IsBlank(name) || !seen.insert(name).second) continue;
    if (const NodeId node = FindConcept(snapshot, name); node != kNoNode)
      found.nodes.push_back(node);
    else
      found.unknown.emplace_back(name);
  }
  return found;
}

double Arousals::operator()(const Snapshot& snapshot, NodeId node) const {
  const double level = std::clamp(snapshot.f64(builtin::kArousalLevel, node).value_or(0), 0.0, 1.0);
  const std::int64_t accessed = snapshot.i64(builtin::kAccessedAt, node).value_or(0);
  if (level == 0 || accessed <= 0 || accessed >= now_) return level;
  // Apart as f64: the difference of two times may not fit 64 bits.
  return level * std::exp(-(static_cast<double>(now_) - static_cast<double>(accessed)) / tau_);
}

double ValenceOf(const Snapshot& snapshot, NodeId node) {
  return snapshot.f64(builtin::kValence, node).value_or(0);
}

Result<DecayTable> DecayTable::Make(const Schema& schema, std::span<const RelationDecay> rows) {
  DecayTable table;
  for (const RelationDecay& row : rows) {
    PLEXUS_TRY(CheckShare("decay: a factor", row.factor));
    if (row.kind != kNoEdgeKind && std::ranges::find(kRelations, row.kind) == kRelations.end())
      return Invalid(
          "decay: ",
          (row.kind < schema.edge_kinds().size() ? "'" + schema.edge_kind(row.kind).name + "'"
                                                 : "edge kind " + std::to_string(row.kind.value())),
          " is no relation of concepts: is-a, part-of, evokes");
    for (const EdgeKindId kind : kRelations) {
      if (row.kind != kNoEdgeKind && row.kind != kind) continue;
      const std::size_t at = static_cast<std::size_t>(kind.value() - builtin::kIsA.value()) * 2;
      if (row.direction != Direction::kOut) table.factors_[at] = row.factor;
      if (row.direction != Direction::kIn) table.factors_[at + 1] = row.factor;
    }
  }
  return table;
}

bool Raise(const Snapshot& snapshot, NodeId node, double level, std::int64_t now_ms,
           WriteBatch& batch) {
  const bool other_level = snapshot.f64(builtin::kArousalLevel, node) != level;
  const bool other_time = snapshot.i64(builtin::kAccessedAt, node) != now_ms;
  if (!other_level && !other_time) return false;
  const NodeRef ref = NodeRef::Id(node);
  batch.ExpectKind(ref, builtin::kConcept);  // one that was removed meanwhile does not come back
  if (other_level) batch.SetF64(ref, builtin::kArousalLevel, level);
  if (other_time) batch.SetI64(ref, builtin::kAccessedAt, now_ms);
  return true;
}

void ExpectArousal(const Snapshot& snapshot, NodeId node, WriteBatch& batch) {
  const NodeRef ref = NodeRef::Id(node);
  batch.ExpectF64(ref, builtin::kArousalLevel, snapshot.f64(builtin::kArousalLevel, node));
  batch.ExpectI64(ref, builtin::kAccessedAt, snapshot.i64(builtin::kAccessedAt, node));
}

void SortRaised(const Snapshot& snapshot, std::vector<RaisedConcept>& raised) {
  std::ranges::sort(raised, [&](const RaisedConcept& a, const RaisedConcept& b) {
    if (a.level != b.level) return a.level > b.level;
    return snapshot.key(a.node) < snapshot.key(b.node);
  });
}

Result<NamedConcept> ConceptIn(const Snapshot& snapshot, std::string_view name, double level,
                               std::int64_t now_ms, WriteBatch& batch) {
  const std::optional<NodeId> node = snapshot.Find(name);
  const bool alive = node && snapshot.alive(*node);
  if (alive && snapshot.node_kind(*node) == builtin::kConcept)
    return NamedConcept{NodeRef::Id(*node), *node};
  NamedConcept made;
  if (alive) {
    const NodeKindId kind = snapshot.node_kind(*node);
    if (kind != builtin::kNode)
      return Invalid("'", name, "' is of kind ", snapshot.schema().node_kind(kind).name,
                     ", not a concept");
    made.ref = NodeRef::Id(*node);  // an edge's end of which no record says more
    batch.ExpectKind(made.ref, builtin::kNode);
  } else {
    made.ref = batch.ExpectNoNode(name);
  }
  batch.UpsertNode(made.ref, builtin::kConcept);
  batch.SetF64(made.ref, builtin::kValence, 0);
  batch.SetF64(made.ref, builtin::kArousalLevel, level);
  batch.SetI64(made.ref, builtin::kAccessedAt, now_ms);
  return made;
}

}  // namespace plexus::memory::internal
