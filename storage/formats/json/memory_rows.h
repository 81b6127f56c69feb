// Rows of the memory systems' own tables that are more than a node or an edge: turns with their
// sessions, files and vectors, and the three tables of a ledger of compositions.
//
//   {"id":"t1","session_id":"s1","content":"...","created_at":"...","embedding":[0.1,0.2],
//    "inscription":"fix","metadata":{"files":[{"path":"src/a.rs","operation":"write"}]}}
//   {"id":"c1","tool":"deep_reference","query":"...","query_hash":"...","metadata":{}}
//   {"event_id":"c1","memory_id":"m1","role":"primary","rank":0,"trust":0.8,"metadata":{}}
//   {"id":"o1","event_id":"c1","outcome_type":"helpful","labeled_at":"...","metadata":{}}
//
// Such a row becomes records of JSON lines, which are taken all or none. Names in snake_case or
// camelCase.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/error.h"
#include "storage/formats/base/field_names.h"
#include "storage/formats/base/json_tree.h"

namespace plexus::formats::internal {

// Its records, one JSON object each; one with "id" is an element of a document (json_element.h).
// `row` has no null members. kInvalidArgument: a field of another type.
Result<std::vector<std::string>> RecordsOf(MemoryRow sort, const JsonParser& json,
                                           std::span<const JsonValue> row);

// A row whose fields metadata, tags, related_to, embedding and inscription are JSON as text, as
// databases print it, with the JSON in their place; "" where none is such.
std::string WithJsonOfTexts(const JsonParser& json, const JsonValue& root);

void AppendJson(const JsonParser& json, const JsonValue& value, std::string& out);

}  // namespace plexus::formats::internal
