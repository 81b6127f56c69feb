// The tables of built-in kinds and columns. Append only; numbers are on disk.
#include "engine/vocabulary.h"

#include <array>

namespace plexus {

namespace {

std::vector<NodeKind> MakeNodeKinds() {
  std::vector<NodeKind> kinds(builtin::kFirstUserNodeKind.value());
  auto put = [&](NodeKindId id, const char* name, Plane plane) { kinds[id] = {name, plane}; };
  put(builtin::kNode, "node", Plane::kFact);
  put(builtin::kMemory, "memory", Plane::kFact);
  put(builtin::kConcept, "concept", Plane::kFact);
  put(builtin::kDecision, "decision", Plane::kFact);
  put(builtin::kTurn, "turn", Plane::kFact);
  put(builtin::kEpisode, "episode", Plane::kFact);
  put(builtin::kTag, "tag", Plane::kIndex);
  put(builtin::kTerm, "term", Plane::kIndex);
  put(builtin::kFile, "file", Plane::kIndex);
  put(builtin::kSession, "session", Plane::kIndex);
  put(builtin::kInscription, "inscription", Plane::kIndex);
  put(builtin::kEvent, "event", Plane::kIndex);
  put(builtin::kOutcome, "outcome", Plane::kIndex);
  return kinds;
}

EdgeKind Fact(const char* name, const char* inverse = "") {
  EdgeKind k;
  k.name = name;
  k.inverse = inverse;
  k.self_loops = false;
  return k;
}
EdgeKind Symmetric(const char* name) {
  EdgeKind k = Fact(name);
  k.symmetric = true;
  return k;
}
EdgeKind Index(const char* name, NodeKindId source, NodeKindId target) {
  EdgeKind k = Fact(name);
  k.plane = Plane::kIndex;
  k.source_kind = source;
  k.target_kind = target;
  return k;
}

std::vector<EdgeKind> MakeEdgeKinds() {
  std::vector<EdgeKind> kinds(builtin::kFirstUserEdgeKind.value());
  kinds[builtin::kLink] = Fact("link");
  kinds[builtin::kLink].self_loops = true;  // plain graphs have them
  kinds[builtin::kSupersedes] = Fact("supersedes", "superseded_by");
  kinds[builtin::kSupersedes].suppresses = true;
  kinds[builtin::kCauses] = Fact("causes", "caused_by");
  kinds[builtin::kSupports] = Fact("supports", "supported_by");
  kinds[builtin::kPromotedFrom] = Fact("promoted_from", "promoted_to");
  kinds[builtin::kDependsOn] = Fact("depends_on", "depended_on_by");
  kinds[builtin::kDependsOn].acyclic = true;
  kinds[builtin::kRefines] = Fact("refines", "refined_by");
  kinds[builtin::kBlocks] = Fact("blocks", "blocked_by");
  kinds[builtin::kBlocks].blocking = true;
  kinds[builtin::kDerivedFrom] = Fact("derived_from");
  kinds[builtin::kIsA] = Fact("is-a");
  kinds[builtin::kPartOf] = Fact("part-of");
  kinds[builtin::kEvokes] = Fact("evokes");
  kinds[builtin::kTemporal] = Fact("temporal");
  kinds[builtin::kReferential] = Fact("referential");
  kinds[builtin::kCausal] = Fact("causal");
  kinds[builtin::kTrajectory] = Fact("trajectory");
  kinds[builtin::kContradicts] = Symmetric("contradicts");
  kinds[builtin::kRelatesTo] = Symmetric("relates_to");
  kinds[builtin::kDuplicates] = Symmetric("duplicates");
  kinds[builtin::kSimilar] = Symmetric("similar");
  kinds[builtin::kAntonym] = Symmetric("antonym");
  kinds[builtin::kCategorical] = Symmetric("categorical");
  kinds[builtin::kHasTag] = Index("has_tag", kNoNodeKind, builtin::kTag);
  kinds[builtin::kHasTerm] = Index("has_term", kNoNodeKind, builtin::kTerm);
  kinds[builtin::kMentions] = Index("mentions", kNoNodeKind, builtin::kFile);
  kinds[builtin::kInSession] = Index("in_session", kNoNodeKind, builtin::kSession);
  kinds[builtin::kMember] = Index("member", builtin::kEvent, kNoNodeKind);
  kinds[builtin::kMember].survives_removal = true;
  kinds[builtin::kLabels] = Index("labels", builtin::kOutcome, builtin::kEvent);
  kinds[builtin::kInscribed] = Index("inscribed", kNoNodeKind, builtin::kInscription);
  return kinds;
}

std::vector<Column> MakeColumns() {
  std::vector<Column> columns(builtin::kFirstUserColumn.value());
  columns[builtin::kTrust] = {"trust", ColumnType::kF64};
  columns[builtin::kRetention] = {"retention", ColumnType::kF64};
  columns[builtin::kValence] = {"valence", ColumnType::kF64};
  columns[builtin::kArousalLevel] = {"arousal_level", ColumnType::kF64};
  columns[builtin::kAccessedAt] = {"accessed_at", ColumnType::kI64};
  columns[builtin::kAccessCount] = {"access_count", ColumnType::kI64};
  columns[builtin::kCreatedAt] = {"created_at", ColumnType::kI64};
  columns[builtin::kValidFrom] = {"valid_from", ColumnType::kI64};
  columns[builtin::kValidUntil] = {"valid_until", ColumnType::kI64};
  columns[builtin::kScope] = {"scope", ColumnType::kString};
  columns[builtin::kCategory] = {"category", ColumnType::kString};
  columns[builtin::kStakes] = {"stakes", ColumnType::kString};
  columns[builtin::kConfidence] = {"confidence", ColumnType::kF64};
  columns[builtin::kDecisionOutcome] = {"outcome", ColumnType::kString};
  columns[builtin::kMemoryType] = {"memory_type", ColumnType::kString};
  columns[builtin::kStability] = {"stability", ColumnType::kF64};
  return columns;
}

}  // namespace

// Never destroyed: objects of static storage may still read it while the process ends.
std::span<const NodeKind> BuiltinNodeKinds() {
  static const auto* const kinds = new std::vector<NodeKind>(MakeNodeKinds());
  return *kinds;
}
std::span<const EdgeKind> BuiltinEdgeKinds() {
  static const auto* const kinds = new std::vector<EdgeKind>(MakeEdgeKinds());
  return *kinds;
}
std::span<const Column> BuiltinColumns() {
  static const auto* const columns = new std::vector<Column>(MakeColumns());
  return *columns;
}

std::string IndexKey(std::string_view kind_name, std::string_view name) {
  std::string key;
  key.reserve(kind_name.size() + 1 + name.size());
  key.append(kind_name).push_back(kIndexSeparator);
  key.append(name);
  return key;
}

std::string_view DisplayName(std::string_view key) {
  std::size_t at = key.find(kIndexSeparator);
  return at == std::string_view::npos ? key : key.substr(at + 1);
}

std::span<const std::string_view> BuiltinRoles() {
  static constexpr std::array<std::string_view, 5> kRoles = {
      "primary", "supporting", "contradicting", "superseded", "related"};
  return kRoles;
}

std::span<const std::string_view> BuiltinOutcomeTypes() {
  static constexpr std::array<std::string_view, 19> kTypes = {"accepted",
                                                              "helpful",
                                                              "user_promoted",
                                                              "submitted",
                                                              "needs_poc",
                                                              "user_demoted",
                                                              "duplicate_risk",
                                                              "closed_by_duplicate",
                                                              "dead_end",
                                                              "rejected",
                                                              "bad_severity",
                                                              "closed_by_scope",
                                                              "closed_by_false_assumption",
                                                              "closed_by_user",
                                                              "expired_lane",
                                                              "success",
                                                              "unhelpful",
                                                              "failed",
                                                              "wrong"};
  return kTypes;
}

}  // namespace plexus
