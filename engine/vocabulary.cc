// The tables of built-in kinds and columns. Append only; numbers are on disk.
#include "engine/vocabulary.h"

#include <array>

namespace plexus {

namespace {

std::vector<NodeKind> MakeNodeKinds() {
  std::vector<NodeKind> kinds(kFirstUserNodeKind.value());
  auto put = [&](NodeKindId id, const char* name, Plane plane) { kinds[id] = {name, plane}; };
  put(kNode, "node", Plane::kFact);
  put(kMemory, "memory", Plane::kFact);
  put(kConcept, "concept", Plane::kFact);
  put(kDecision, "decision", Plane::kFact);
  put(kTurn, "turn", Plane::kFact);
  put(kEpisode, "episode", Plane::kFact);
  put(kTag, "tag", Plane::kIndex);
  put(kTerm, "term", Plane::kIndex);
  put(kFile, "file", Plane::kIndex);
  put(kSession, "session", Plane::kIndex);
  put(kInscription, "inscription", Plane::kIndex);
  put(kEvent, "event", Plane::kIndex);
  put(kOutcome, "outcome", Plane::kIndex);
  return kinds;
}

EdgeKind Fact(const char* name) {
  EdgeKind k;
  k.name = name;
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
  std::vector<EdgeKind> kinds(kFirstUserEdgeKind.value());
  kinds[kLink] = Fact("link");
  kinds[kLink].self_loops = true;  // plain graphs have them
  kinds[kSupersedes] = Fact("supersedes");
  kinds[kSupersedes].inverse = "superseded_by";
  kinds[kSupersedes].suppresses = true;
  kinds[kCauses] = Fact("causes");
  kinds[kCauses].inverse = "caused_by";
  kinds[kSupports] = Fact("supports");
  kinds[kSupports].inverse = "supported_by";
  kinds[kPromotedFrom] = Fact("promoted_from");
  kinds[kPromotedFrom].inverse = "promoted_to";
  kinds[kDependsOn] = Fact("depends_on");
  kinds[kDependsOn].inverse = "depended_on_by";
  kinds[kDependsOn].acyclic = true;
  kinds[kRefines] = Fact("refines");
  kinds[kRefines].inverse = "refined_by";
  kinds[kBlocks] = Fact("blocks");
  kinds[kBlocks].inverse = "blocked_by";
  kinds[kBlocks].blocking = true;
  kinds[kDerivedFrom] = Fact("derived_from");
  kinds[kIsA] = Fact("is-a");
  kinds[kPartOf] = Fact("part-of");
  kinds[kEvokes] = Fact("evokes");
  kinds[kTemporal] = Fact("temporal");
  kinds[kReferential] = Fact("referential");
  kinds[kCausal] = Fact("causal");
  kinds[kTrajectory] = Fact("trajectory");
  kinds[kContradicts] = Symmetric("contradicts");
  kinds[kRelatesTo] = Symmetric("relates_to");
  kinds[kDuplicates] = Symmetric("duplicates");
  kinds[kSimilar] = Symmetric("similar");
  kinds[kAntonym] = Symmetric("antonym");
  kinds[kCategorical] = Symmetric("categorical");
  kinds[kHasTag] = Index("has_tag", kNoNodeKind, kTag);
  kinds[kHasTerm] = Index("has_term", kNoNodeKind, kTerm);
  kinds[kMentions] = Index("mentions", kNoNodeKind, kFile);
  kinds[kInSession] = Index("in_session", kNoNodeKind, kSession);
  kinds[kMember] = Index("member", kEvent, kNoNodeKind);
  kinds[kMember].survives_removal = true;
  kinds[kLabels] = Index("labels", kOutcome, kEvent);
  kinds[kInscribed] = Index("inscribed", kNoNodeKind, kInscription);
  return kinds;
}

std::vector<Column> MakeColumns() {
  std::vector<Column> columns(kFirstUserColumn.value());
  columns[kTrust] = {"trust", ColumnType::kF64};
  columns[kRetention] = {"retention", ColumnType::kF64};
  columns[kValence] = {"valence", ColumnType::kF64};
  columns[kArousalLevel] = {"arousal_level", ColumnType::kF64};
  columns[kAccessedAt] = {"accessed_at", ColumnType::kI64};
  columns[kAccessCount] = {"access_count", ColumnType::kI64};
  columns[kCreatedAt] = {"created_at", ColumnType::kI64};
  columns[kValidFrom] = {"valid_from", ColumnType::kI64};
  columns[kValidUntil] = {"valid_until", ColumnType::kI64};
  columns[kScope] = {"scope", ColumnType::kString};
  columns[kCategory] = {"category", ColumnType::kString};
  columns[kStakes] = {"stakes", ColumnType::kString};
  columns[kConfidence] = {"confidence", ColumnType::kF64};
  columns[kDecisionOutcome] = {"outcome", ColumnType::kString};
  columns[kMemoryType] = {"memory_type", ColumnType::kString};
  columns[kStability] = {"stability", ColumnType::kF64};
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
