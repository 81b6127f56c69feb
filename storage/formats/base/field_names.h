// What other systems call the fields of their rows.
//
// Tables only: a field of a file and what it means here. Of several fields with one meaning the
// first in the table counts, and the others stay properties. The names are those of the decisions
// and edges of CSTP (`source_id`, `edge_type`, `decision`), of the connections and memories of
// vestige (`link_type`, `strength`, `content`) of Codewhale's edges (`from_id`, `to_id`) and of
// Mem0's memories and relations (`memory`, `destination`), in snake_case and in camelCase.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace plexus::formats::internal {

struct FieldName {
  std::string_view in_file, meaning;
};

std::span<const FieldName> EdgeFieldNames();  // meanings: storage/formats/RECORDS.md
std::span<const FieldName> NodeFieldNames();

// The kind, as a meaning, of a node whose row has such a field and names no kind.
std::span<const FieldName> NodeFieldKinds();

// Kinds that people write in both directions: `a supersedes b`, and `a, b: b supersedes a`.
bool IsAmbiguousKind(std::string_view kind);
// Names of ends that do not tell which of the two directions is meant.
bool IsAmbiguousEnd(std::string_view in_file);

// "event_id" -> "eventId".
std::string Camel(std::string_view name);

// Rows of the memory systems' own tables that are more than a node or an edge (json/json_rows.h).
enum class MemoryRow { kNone, kEvent, kMember, kOutcome, kTurn };
// What a row of these names is.
MemoryRow MemoryRowOf(const std::function<bool(std::string_view)>& has);

}  // namespace plexus::formats::internal
