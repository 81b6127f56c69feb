// The tables of field_names.h.
#include "storage/formats/base/field_names.h"

#include <algorithm>

namespace plexus::formats::internal {

namespace {

constexpr FieldName kEdges[] = {
    {"source", "source"},
    {"source_id", "source"},
    {"sourceId", "source"},
    {"from_id", "source"},
    {"fromId", "source"},
    {"target", "target"},
    {"target_id", "target"},
    {"targetId", "target"},
    {"destination", "target"},
    {"to_id", "target"},
    {"toId", "target"},
    {"kind", "kind"},
    {"edge_type", "kind"},
    {"edgeType", "kind"},
    {"link_type", "kind"},
    {"linkType", "kind"},
    {"relationship", "kind"},
    {"weight", "weight"},
    {"strength", "weight"},
    {"created_at", "created_at"},
    {"createdAt", "created_at"},
    {"created_by", "created_by"},
    {"createdBy", "created_by"},
    {"created_by_run", "created_by"},
    {"createdByRun", "created_by"},
    {"valid_from", "valid_from"},
    {"validFrom", "valid_from"},
    {"valid_until", "valid_until"},
    {"validUntil", "valid_until"},
};

constexpr FieldName kNodes[] = {
    {"key", "id"},
    {"id", "id"},
    {"node_id", "id"},
    {"nodeId", "id"},
    {"decision_id", "id"},
    {"decisionId", "id"},
    {"memory_id", "id"},
    {"memoryId", "id"},
    {"text", "text"},
    {"decision", "text"},
    {"content", "text"},
    {"summary", "text"},
    {"memory", "text"},
    {"tags", "tags"},
    {"categories", "tags"},
    {"created_at", "created_at"},
    {"createdAt", "created_at"},
    {"date", "created_at"},
    {"memory_type", "memory_type"},
    {"node_type", "memory_type"},
    {"nodeType", "memory_type"},
    {"retention", "retention"},
    {"retention_strength", "retention"},
    {"retentionStrength", "retention"},
    {"accessed_at", "accessed_at"},
    {"last_accessed", "accessed_at"},
    {"lastAccessed", "accessed_at"},
    {"valid_from", "valid_from"},
    {"validFrom", "valid_from"},
    {"valid_until", "valid_until"},
    {"validUntil", "valid_until"},
};

constexpr FieldName kKinds[] = {
    {"decision", "decision"}, {"stakes", "decision"}, {"content", "memory"}, {"memory", "memory"}};

}  // namespace

std::span<const FieldName> EdgeFieldNames() { return kEdges; }
std::span<const FieldName> NodeFieldNames() { return kNodes; }
std::span<const FieldName> NodeFieldKinds() { return kKinds; }

bool IsAmbiguousKind(std::string_view kind) {
  return kind == "supersedes" || kind == "supports" || kind == "promoted_from";
}
bool IsAmbiguousEnd(std::string_view in_file) {
  return in_file == "from_id" || in_file == "fromId" || in_file == "to_id" || in_file == "toId";
}

std::string Camel(std::string_view name) {
  std::string camel;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '_' && i + 1 < name.size())
      camel += static_cast<char>(name[++i] - 'a' + 'A');
    else
      camel += name[i];
  }
  return camel;
}

MemoryRow MemoryRowOf(const std::function<bool(std::string_view)>& has) {
  const auto any = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::any_of(names, [&](std::string_view n) { return has(n) || has(Camel(n)); });
  };
  if (any({"event_id"}) && any({"memory_id"})) return MemoryRow::kMember;
  if (any({"event_id"}) && any({"outcome_type"})) return MemoryRow::kOutcome;
  if (any({"id", "event_id"}) && (any({"query_hash"}) || (has("tool") && has("query"))))
    return MemoryRow::kEvent;
  if (any({"session_id"}) && any({"id", "turn_id", "message_id"}) && !has("decision") &&
      any({"content", "text", "message", "embedding", "inscription", "metadata"}))
    return MemoryRow::kTurn;
  return MemoryRow::kNone;
}

}  // namespace plexus::formats::internal
