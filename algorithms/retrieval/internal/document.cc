// Parts are joined by line ends, so that no word runs over two of them.
#include "algorithms/retrieval/internal/document.h"

#include <algorithm>
#include <utility>

#include "engine/properties/properties.h"
#include "engine/vocabulary.h"

namespace plexus::retrieval::internal {

namespace {

Result<std::optional<std::string>> Stored(const Snapshot& snapshot, NodeId node, NodeField field) {
  const PayloadRef ref = snapshot.payload_ref(node, field);
  if (!ref) return std::nullopt;
  Result<std::string> bytes = snapshot.Payload(ref);
  if (bytes) return *std::move(bytes);
  if (bytes.error().code == ErrorCode::kNotFound) return std::nullopt;  // purged
  return std::unexpected(std::move(bytes.error()));
}

void AppendStrings(const PropertyView& value, std::vector<std::string>& parts) {
  if (const auto text = value.AsString()) parts.emplace_back(*text);
  if (value.type() != PropertyType::kList) return;
  for (std::size_t i = 0; i < value.size(); ++i)
    if (const auto text = value[i].AsString()) parts.emplace_back(*text);
}

}  // namespace

bool IsIndexed(const Snapshot& snapshot, NodeId node, const TermOptions& terms) {
  return snapshot.is_fact(node) ||
         (terms.event_queries && snapshot.node_kind(node) == builtin::kEvent);
}

Sequence NewestPart(const Snapshot& snapshot, NodeId node, bool properties) {
  const PayloadRef text = snapshot.payload_ref(node, NodeField::kText);
  Sequence newest = text ? text.sequence() : 0;
  if (!properties || !snapshot.is_fact(node)) return newest;
  const PayloadRef map = snapshot.payload_ref(node, NodeField::kProperties);
  return map ? std::max(newest, map.sequence()) : newest;
}

bool KeyMayHaveWords(std::string_view key) {
  std::size_t letters = 0;  // of a run of letters and digits
  bool digits = false;
  for (std::size_t i = 0; i <= key.size(); ++i) {
    const auto byte = static_cast<unsigned char>(i < key.size() ? key[i] : ' ');
    const bool digit = byte >= '0' && byte <= '9';
    const unsigned char lower = byte | 0x20U;
    if (digit || byte >= 0x80 || (lower >= 'a' && lower <= 'z')) {
      digits |= digit;
      ++letters;
      continue;
    }
    if (letters >= 3 && !digits) return true;
    letters = 0;
    digits = false;
  }
  return false;
}

Result<std::vector<std::string>> DocumentParts(const Snapshot& snapshot, NodeId node,
                                               const TermOptions& terms) {
  std::vector<std::string> parts;
  PLEXUS_ASSIGN(std::optional<std::string> text, Stored(snapshot, node, NodeField::kText));
  if (text) parts.push_back(*std::move(text));
  if (terms.properties.empty() || !snapshot.is_fact(node)) return parts;
  PLEXUS_ASSIGN(const std::optional<std::string> bytes,
                Stored(snapshot, node, NodeField::kProperties));
  if (!bytes) return parts;
  PLEXUS_ASSIGN(const PropertyMap map, PropertyMap::Read(*bytes));
  std::vector<std::string_view> names(terms.properties.begin(), terms.properties.end());
  std::ranges::sort(names);  // one that is named twice counts once
  const auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  for (const std::string_view name : names)
    if (const auto value = map.root().Find(name)) AppendStrings(*value, parts);
  return parts;
}

Result<Document> DocumentOf(const Snapshot& snapshot, NodeId node, const TermOptions& terms,
                            TermSplitter& splitter) {
  PLEXUS_ASSIGN(const std::vector<std::string> parts, DocumentParts(snapshot, node, terms));
  Document made;
  made.has_content = !parts.empty();
  const bool fact = snapshot.is_fact(node);  // words of an event's key are no terms
  if (parts.empty() && !(terms.all_keys && fact)) return made;
  std::string text;
  for (const std::string& part : parts) text.append(text.empty() ? "" : "\n").append(part);
  made.bytes = text.size();
  PLEXUS_ASSIGN(made.terms,
                splitter.CountDocument(text, fact ? snapshot.key(node) : std::string_view()));
  made.has_content |= !made.terms.empty();
  return made;
}

}  // namespace plexus::retrieval::internal
