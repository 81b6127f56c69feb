// JsonLinesParser: the records of storage/formats/RECORDS.md, one JSON object a line.
//
// The record's sort is given by the one key of node, edge, event, outcome, vector,
// unlink, remove, purge, column, space, kind that it has (the last three define and are tested
// last). Unknown keys are errors, so a typing mistake never passes for an absent key. A line is
// checked as a whole before it adds an operation.
//
// JsonRecord: one line's object being turned into operations.
//
// Members are read by name and ticked off; what is left over at the end is an
// error or, on node lines, a column. Internal to storage/formats.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/formats/base/json_tree.h"
#include "storage/formats/json/json_element.h"
#include "storage/formats/pipeline/batch_builder.h"
#include "storage/formats/pipeline/record_parser.h"

namespace plexus::formats::internal {

using Members = std::vector<JsonValue>;
inline JsonValue* FindMember(Members& members, std::string_view name) {
  const auto at = std::ranges::find(members, name, &JsonValue::key);
  return at == members.end() ? nullptr : &*at;
}

class JsonRecord {
 public:
  JsonRecord(const JsonParser& json, const JsonValue& root, BatchBuilder& builder)
      : JsonRecord(json, json.children(root), builder) {}
  // Of members that stay where they are.
  JsonRecord(const JsonParser& json, std::span<const JsonValue> members, BatchBuilder& builder)
      : json_(json), members_(members), taken_(members_.size()), builder_(builder) {}

  // Finds the record's sort and adds its operations. Nothing was added on error.
  Status Add();
  // The same for an element of a document (json_element.h).
  Status AddElementNode(std::uint64_t number);
  Status AddElementEdge(const ElementDefaults& defaults);

 private:
  // A node's line, checked.
  struct NodeRecord {
    NodeName name;
    std::string_view kind;  // "" leaves it
    const JsonValue* text = nullptr;
    std::optional<std::vector<NodeName>> tags;
    std::optional<std::string> properties;
    std::vector<ColumnValue> columns;
  };

  Status AddNode(const JsonValue& key);
  Result<NodeName> TagNamed(std::string_view tag) const;
  Status CheckTagCount(std::size_t count) const;
  Status Put(const NodeRecord& record);
  Status AddEdge(const JsonValue& ends);
  Status AddUnlink(const JsonValue& ends);
  Status AddRemoval(const JsonValue& key, bool purge);
  Status AddVector(const JsonValue& key);
  Status AddEvent(const JsonValue& key);
  Status AddOutcome(const JsonValue& key);
  Status DefineKind(const JsonValue& name);
  Status DefineNodeKind(const JsonValue& name);
  Status DefineColumn(const JsonValue& name);
  Status DefineSpace(const JsonValue& name);

  // The member, ticked off; null when absent.
  const JsonValue* Take(std::string_view key);
  // A member that must be a string (if there at all).
  Result<const JsonValue*> TakeString(std::string_view key, bool null_allowed);
  Result<std::optional<bool>> TakeBool(std::string_view key);
  // nullopt: absent; kNoTime: null.
  Result<std::optional<std::int64_t>> TakeTime(std::string_view key);
  // Milliseconds, or ISO 8601.
  Result<std::int64_t> ReadTime(const JsonValue& value) const;
  // The canonical map; nullopt: absent; "": null or {}.
  Result<std::optional<std::string>> TakeProperties();
  Result<BatchBuilder::EdgeEnds> TakeEnds(const JsonValue& ends);
  // Weight, label, times, author of an edge's line; views into the tree.
  Result<WriteBatch::EdgeInput> TakeEdgeAttributes();
  // Columns among what is left.
  // A value that does not fit its column; of one that was built in later it may stay a property.
  enum class Misfits : std::uint8_t { kRefused, kProperties };
  Result<std::vector<ColumnValue>> TakeColumnValues(Misfits misfits);
  // The same; anything else left is an error.
  Result<std::vector<ColumnValue>> TakeColumns();
  Status NothingLeft() const;
  Result<ColumnValue> ReadColumn(ColumnId id, const JsonValue& value) const;
  void SetColumns(const NodeName& name, NodeRef node, const std::vector<ColumnValue>& values);
  void SetText(NodeRef node, const JsonValue* text);
  // Elements: a member that is a string; others of that name stay for the properties.
  const JsonValue* TakeIfString(std::string_view key);
  Result<std::string> TakeElementKey(std::string_view member);
  // "props" with what is left laid over it; nullopt when there is neither.
  Result<std::optional<std::string>> TakeRest();
  Result<std::optional<std::vector<NodeName>>> TakeElementTags();

  const JsonParser& json_;
  std::span<const JsonValue> members_;
  std::vector<bool> taken_;
  BatchBuilder& builder_;
};

std::unexpected<Error> WrongType(const JsonValue& value, std::string_view expected);
// A text that the graph keeps as a string: not too long, no U+0000.
Status CheckString(const JsonValue& value);
// An integer, or a number without a fraction that f64 holds exactly.
std::optional<std::int64_t> JsonToInt(const JsonValue& value);

struct NotQuick {
  bool operator()(std::string_view, std::uint64_t, const BatchBuilder&) const { return false; }
};

// take(json, object, line number, builder) for each line that is not blank; what it returns, or
// what is wrong with the line itself, is the record's error. quick(line, line number, builder) is
// asked before: true when it took the whole line. Returns the bytes taken.
template <class Take, class Quick = NotQuick>
std::size_t TakeObjectLines(std::string_view text, std::uint64_t first_line,
                            const ParseContext& context, Piece& piece, Take&& take,
                            Quick&& quick = {}) {
  JsonParser json(context.options->limits.field_bytes);
  BatchBuilder builder(context, piece);
  const std::size_t limit = context.options->limits.line_bytes;
  const auto record = [&](std::string_view line, std::uint64_t number) -> Status {
    if (line.size() > limit) return Invalid("record over ", limit, " bytes");
    PLEXUS_ASSIGN(const JsonValue* root, json.Parse(line));
    if (root->type != JsonType::kObject)
      return Invalid("expected an object, got ", JsonTypeName(root->type));
    return take(json, *root, number, builder);
  };
  return TakeLines(text, first_line, context, piece,
                   [&](std::string_view line, std::uint64_t number) {
                     if (line.find_first_not_of(" \t\r") == std::string_view::npos) return true;
                     ++piece.records;
                     builder.set_line(number);
                     if (quick(line, number, builder)) return true;
                     Status ok = record(line, number);
                     return ok || NoteError(context, piece, number, std::move(ok.error().message));
                   });
}

class JsonLinesParser final : public RecordParser {
 public:
  std::size_t Parse(std::string_view text, std::uint64_t first_line, const ParseContext& context,
                    Piece& piece) const override;
};

// Top-level names that a user's column must not have.
bool IsReservedKey(std::string_view name);

}  // namespace plexus::formats::internal
