// What an element's attributes become; see json_element.h and RECORDS.md.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <utility>

#include "storage/formats/base/json_tree.h"
#include "storage/formats/base/properties.h"
#include "storage/formats/base/text.h"
#include "storage/formats/json/json_edges.h"
#include "storage/formats/json/json_element.h"
#include "storage/formats/json/json_lines.h"
#include "storage/formats/pipeline/record_parser.h"

namespace plexus::formats::internal {

namespace {

Members MembersOf(const JsonParser& json, const JsonValue& object) {
  const auto members = json.children(object);
  return Members(members.begin(), members.end());
}

// What the import's options say that members mean.
Status Rename(Members& members, bool node, const ParseContext& context) {
  const std::vector<ColumnName>& columns = context.options->columns;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    JsonValue* const member = FindMember(members, columns[i].in_file);
    if (!member) continue;
    if (context.columns) context.columns->Mark(i);
    const std::string_view meaning =
        node && columns[i].meaning == "key" ? std::string_view("id") : columns[i].meaning;
    if (meaning != columns[i].in_file && FindMember(members, meaning))
      return Invalid("\"", columns[i].in_file, "\" and \"", meaning, "\" mean the same here");
    member->key = meaning;
  }
  return {};
}

// [source, neighbour] as the members of an edge. The ends stand first: attributes of the edge that
// are named as they are become properties.
Result<Members> NeighbourMembers(const JsonParser& json, const JsonValue& pair) {
  const JsonValue& neighbour = json.children(pair)[1];
  if (neighbour.type != JsonType::kObject)
    return Invalid("expected a neighbour, an object with \"id\", got ",
                   JsonTypeName(neighbour.type));
  Members members = MembersOf(json, neighbour);
  if (const auto id = std::ranges::find(members, "id", &JsonValue::key); id != members.end()) {
    id->key = "target";
    std::rotate(members.begin(), id, id + 1);
  }
  members.insert(members.begin(), json.children(pair)[0]);
  members.front().key = "source";
  return members;
}

Status ParseElement(std::string_view line, const ElementDefaults& defaults, JsonParser& json,
                    BatchBuilder& builder) {
  const char sort = line[0];
  if (sort == 'X' || sort == 'Z') return Invalid(line.substr(2));
  if (sort == 'W') {
    builder.Warn(line, std::string(line.substr(2)));
    return {};
  }
  std::uint64_t number = 0;
  const char* at = std::from_chars(line.data() + 1, line.data() + line.size(), number).ptr + 1;
  const std::string_view text = line.substr(static_cast<std::size_t>(at - line.data()));
  if (sort == 'V') {
    Status ok = CheckJson(text);
    return ok ? ok : Invalid(ok.error().message, " of the element");
  }
  auto parsed = json.Parse(text);
  if (!parsed) return Invalid(parsed.error().message, " of the element");
  const JsonValue* const root = *parsed;
  if (root->type != (sort == 'J' ? JsonType::kArray : JsonType::kObject))
    return Invalid("expected an object, got ", JsonTypeName(root->type));
  const bool renames = !defaults.renamed && !builder.context().options->columns.empty();
  if (sort != 'J' && !renames) {
    JsonRecord record(json, *root, builder);
    return sort == 'N' ? record.AddElementNode(number) : record.AddElementEdge(defaults);
  }
  Members members;
  if (sort == 'J')
    PLEXUS_SET(members, NeighbourMembers(json, *root));
  else
    members = MembersOf(json, *root);
  if (renames) PLEXUS_TRY(Rename(members, sort == 'N', builder.context()));
  JsonRecord record(json, members, builder);
  return sort == 'N' ? record.AddElementNode(number) : record.AddElementEdge(defaults);
}

}  // namespace

std::size_t ElementParser::Parse(std::string_view text, std::uint64_t first_line,
                                 const ParseContext& context, Piece& piece) const {
  JsonParser json(context.options->limits.field_bytes);
  BatchBuilder builder(context, piece);
  const bool renames = !defaults_.renamed && !context.options->columns.empty();
  const std::size_t most = renames ? 0 : PlainLineBytes(*context.options);
  const auto plain = [&](std::string_view line, std::uint64_t number) {
    Row row = {};
    RowValues values;
    row.line = number;
    return line.size() < most && line.starts_with("E ") &&
           ReadPlainElement(line.substr(2), defaults_, row, values) &&
           builder.LinkPlain(row, values);
  };
  return TakeLines(text, first_line, context, piece,
                   [&](std::string_view line, std::uint64_t number) {
                     if (line[0] != 'V' && line[0] != 'W') ++piece.records;
                     builder.set_line(number);
                     if (plain(line, number)) return true;
                     piece.unreadable |= line[0] == 'Z';
                     Status ok = ParseElement(line, defaults_, json, builder);
                     return ok || NoteError(context, piece, number, std::move(ok.error().message));
                   });
}

std::optional<Block> ElementLines::Take() {
  if (text_.empty()) return std::nullopt;
  Block block;
  block.buffer = std::make_unique_for_overwrite<char[]>(text_.size() + BlockReader::kPadding);
  std::memcpy(block.buffer.get(), text_.data(), text_.size());
  std::memset(block.buffer.get() + text_.size(), '\n', BlockReader::kPadding);
  block.text = {block.buffer.get(), text_.size()};
  block.lines = std::exchange(lines_, {});
  block.lines_before = lines_taken_;
  lines_taken_ += block.lines.size();
  text_.clear();
  return block;
}

const JsonValue* JsonRecord::TakeIfString(std::string_view key) {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (taken_[i] || members_[i].key != key) continue;
    if (!members_[i].is_string() && !members_[i].is_null()) return nullptr;
    taken_[i] = true;
    return members_[i].is_null() ? nullptr : &members_[i];
  }
  return nullptr;
}

Result<std::string> JsonRecord::TakeElementKey(std::string_view member) {
  const JsonValue* key = Take(member);
  if (!key) return Invalid("no \"", member, "\"");
  if (key->type == JsonType::kObject && member != "id")  // the node as a whole
    if (const JsonValue* id = json_.Find(*key, "id")) key = id;
  if (!key->is_string() && key->type != JsonType::kInt && key->type != JsonType::kUint)
    return WrongType(*key, "a string or an integer");
  return std::string(key->text);
}

Result<std::optional<std::string>> JsonRecord::TakeRest() {
  std::optional<std::string> base;
  if (const JsonValue* props = Take("props"); props && props->type == JsonType::kObject) {
    PLEXUS_ASSIGN(base, EncodeObject(json_, *props));
  } else if (props && props->is_string()) {  // GraphML has no objects
    PLEXUS_ASSIGN(base, PropertiesFromJson(props->text));
  } else if (props && !props->is_null()) {
    return WrongType(*props, "an object");
  }
  std::vector<const JsonValue*> members;
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (!taken_[i]) members.push_back(&members_[i]);
  if (members.empty()) return base;
  PLEXUS_ASSIGN(std::string over, EncodeProperties(json_, members));
  if (!base) return over;
  PLEXUS_ASSIGN(std::string merged, MergeProperties(*base, over));
  return merged;
}

Result<std::optional<std::vector<NodeName>>> JsonRecord::TakeElementTags() {
  const JsonValue* tags = Take("tags");
  if (!tags) return std::nullopt;
  std::vector<NodeName> names;
  const auto add = [&](std::string_view tag) -> Status {
    PLEXUS_TRY(CheckTagCount(names.size() + 1));
    PLEXUS_ASSIGN(NodeName name, TagNamed(tag));
    names.push_back(std::move(name));
    return {};
  };
  if (tags->is_string()) {  // for formats without lists
    for (const std::string& tag : ReadTagList(tags->text)) PLEXUS_TRY(add(tag));
  } else if (tags->type == JsonType::kArray) {
    for (const JsonValue& tag : json_.children(*tags)) {
      if (!tag.is_string()) return Invalid("a tag must be a string without U+001F");
      PLEXUS_TRY(add(tag.text));
    }
  } else if (!tags->is_null()) {
    return WrongType(*tags, "an array of strings");
  }
  return names;
}

Status JsonRecord::AddElementNode(std::uint64_t number) {
  std::string key = std::to_string(number);
  for (const std::string_view named : {"id", "key"}) {  // graphology's nodes have a key
    if (std::ranges::find(members_, named, &JsonValue::key) == members_.end()) continue;
    PLEXUS_ASSIGN(key, TakeElementKey(named));
    break;
  }
  const JsonValue* kind = TakeIfString("kind");
  if (!kind) kind = TakeIfString("type");
  const JsonValue* text = TakeIfString("text");
  PLEXUS_ASSIGN(auto tags, TakeElementTags());
  NodeRecord record;
  record.kind = builder_.KindCalled(kind ? kind->text : std::string_view());
  PLEXUS_ASSIGN(record.name, builder_.NameOfKind(key, record.kind));
  record.text = text;
  record.tags = std::move(tags);
  PLEXUS_ASSIGN(record.columns, TakeColumnValues(Misfits::kProperties));
  PLEXUS_ASSIGN(record.properties, TakeRest());
  return Put(record);
}

Status JsonRecord::AddElementEdge(const ElementDefaults& defaults) {
  PLEXUS_ASSIGN(const std::string source, TakeElementKey("source"));
  PLEXUS_ASSIGN(const std::string target, TakeElementKey("target"));
  const JsonValue* kind = TakeIfString("kind");
  if (!kind) kind = TakeIfString("type");
  PLEXUS_ASSIGN(const std::optional<bool> says, TakeBool("directed"));
  const bool directed = says.value_or(defaults.directed);
  bool labelled = false;
  for (std::size_t i = 0; i < members_.size(); ++i)
    labelled |= !taken_[i] && members_[i].key == "label";
  PLEXUS_ASSIGN(WriteBatch::EdgeInput edge, TakeEdgeAttributes());
  if (defaults.multigraph) {
    const JsonValue* key = Take("key");
    if (key && !labelled && !key->is_null()) {  // 0 is the first of parallel edges, or the only one
      if (!key->is_string() && key->type != JsonType::kInt)
        return WrongType(*key, "a string or an integer");
      PLEXUS_TRY(CheckString(*key));
      if (key->text != "0") edge.label = key->text;
    }
  }
  PLEXUS_ASSIGN(const std::optional<std::string> properties, TakeRest());
  const std::string name(kind && !kind->text.empty() ? kind->text
                         : directed                  ? "link"
                                                     : kLinkedKind);
  PLEXUS_ASSIGN(const BatchBuilder::EdgeEnds ends, builder_.Ends(source, target, name));
  const auto match = builder_.schema().FindEdgeKind(ends.kind_name);
  if (!match) {  // stated at its first good use, so that no later edge can mean it otherwise
    EdgeKind defined;
    defined.name = ends.kind_name;
    defined.symmetric = !directed;
    PLEXUS_TRY(builder_.Define(defined));
  } else if (!directed && !builder_.schema().edge_kind(match->kind).symmetric) {
    return Invalid("the edge is undirected, but kind \"", name, "\" is directed");
  }
  if (properties) edge.properties = *properties;
  return builder_.Link(ends, edge);
}

}  // namespace plexus::formats::internal
