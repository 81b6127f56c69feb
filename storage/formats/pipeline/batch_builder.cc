// Names, definitions and lists of one piece; see batch_builder.h.
#include "storage/formats/pipeline/batch_builder.h"

#include <algorithm>
#include <functional>

#include "engine/times.h"
#include "storage/formats/base/properties.h"
#include "storage/formats/base/text.h"
#include "storage/formats/pipeline/dry_run.h"

namespace plexus::formats::internal {

std::uint64_t MixHash(std::uint64_t hash, std::string_view bytes) {
  hash = (hash ^ std::hash<std::string_view>{}(bytes)) * kHashPrime;
  return hash ^ (hash >> 29);
}

Schema& BatchBuilder::MutableSchema() {
  if (!local_) local_ = std::make_shared<Schema>(*context_.schema);
  piece_.schema_after = local_;
  return *local_;
}

Status BatchBuilder::Define(const NodeKind& kind) {
  PLEXUS_TRY(MutableSchema().Define(kind));
  batch().DefineNodeKind(kind);
  return {};
}
Status BatchBuilder::Define(const EdgeKind& kind) {
  PLEXUS_TRY(MutableSchema().Define(kind));
  plain_kinds_.clear();  // an inverse name may have given way
  batch().DefineEdgeKind(kind);
  return {};
}
Status BatchBuilder::Define(const Column& column) {
  PLEXUS_TRY(MutableSchema().Define(column));
  batch().DefineColumn(column);
  return {};
}
Status BatchBuilder::Define(const VectorSpace& space) {
  PLEXUS_TRY(MutableSchema().Define(space));
  batch().DefineSpace(space);
  return {};
}

Schema& BatchBuilder::TrialSchema() {
  if (!trial_) trial_ = std::make_unique<Schema>(schema());
  return *trial_;
}

Result<NodeName> BatchBuilder::Name(std::string_view name, NodeKindId expected) const {
  const std::size_t separator = name.find(kIndexSeparator);
  const bool index_expected =
      expected != kNoNodeKind && schema().node_kind(expected).plane == Plane::kIndex;
  NodeName out;
  if (separator != std::string_view::npos) {
    const std::string_view kind = name.substr(0, separator);
    const auto id = schema().FindNodeKind(kind);
    if (!id || schema().node_kind(*id).plane != Plane::kIndex)
      return Invalid("node key ", InQuotes(name), " holds U+001F, but ", InQuotes(kind),
                     " is not a node kind of the index plane");
    if (index_expected && *id != expected)
      return Invalid("expected a node of kind ", InQuotes(schema().node_kind(expected).name),
                     ", got ", InQuotes(kind));
    out = {std::string(name), *id};
  } else if (index_expected) {
    out = {IndexKey(schema().node_kind(expected).name, name), expected};
  } else {
    out = {std::string(name), kNoNodeKind};
  }
  PLEXUS_TRY(CheckKey(out.key, out.is_index()));
  return out;
}

Result<NodeName> BatchBuilder::NameOfKind(std::string_view name, std::string_view kind) {
  if (kind.empty()) return Name(name);
  const NodeKindId known = schema().FindNodeKind(kind).value_or(kNoNodeKind);
  if (kind.size() > Limits::kMaxStringBytes)
    return Invalid("a node kind's name has 1 to ", Limits::kMaxStringBytes, " bytes");
  if (known == kNoNodeKind) PLEXUS_TRY(CheckNew<NodeKind>(kind));
  PLEXUS_ASSIGN(NodeName named, Name(name, known));
  if (named.is_index() && named.kind != known)
    return Invalid("the key names an index node of another kind than ", Quoted(kind));
  return named;
}

NodeRef BatchBuilder::Ref(const NodeName& name) {
  if (!name.is_index()) {
    if (context_.touched) context_.touched->Mark(name.key);
    return batch().Node(name.key);
  }
  if (name.kind < builtin::kFirstUserNodeKind)
    return batch().IndexNode(name.kind, DisplayName(name.key));
  return batch().UpsertNode(name.key, batch().NodeKindNamed(schema().node_kind(name.kind).name));
}

Status BatchBuilder::Upsert(const NodeName& name, NodeRef node, std::string_view kind) {
  if (context_.check && context_.options->strict && !name.is_index())
    piece_.notes.stated.push_back(name.key);
  if (kind.empty() || name.is_index()) {
    batch().UpsertNode(node);
    return {};
  }
  const auto known = schema().FindNodeKind(kind);
  if (!known) {
    NodeKind defined;
    defined.name = kind;
    PLEXUS_TRY(Define(defined));
  }
  batch().UpsertNode(node, known && *known < builtin::kFirstUserNodeKind
                               ? NodeKindRef(*known)
                               : batch().NodeKindNamed(kind));
  piece_.notes.states_kinds = true;
  if (context_.check && context_.check->watches_kinds())
    piece_.notes.kinds.push_back({name.key, std::string(kind)});
  return {};
}

std::string_view BatchBuilder::KindCalled(std::string_view name) const {
  const std::vector<ColumnName>& names = context_.options->kind_names;
  const auto at = std::ranges::find(names, name, &ColumnName::in_file);
  return at == names.end() ? name : std::string_view(at->meaning);
}

void BatchBuilder::NoteEnd(const NodeName& node) {
  if (context_.check && context_.options->strict && !node.is_index())
    piece_.notes.ends.push_back({node.key, line_});
}

void BatchBuilder::Remove(const NodeName& name, bool purge) {
  const NodeRef node = Ref(name);
  if (purge)
    batch().PurgeNode(node);
  else
    batch().RemoveNode(node);
  removed_.insert(name.key);
  ForgetSaid();
  piece_.node_values.clear();
  piece_.removes = true;
  if (const auto at = patches_.find(name.key); at != patches_.end()) {
    piece_.patches[at->second] = {};  // of what is gone
    patches_.erase(at);
  }
  if (context_.check) piece_.notes.removed.push_back(name.key);
}

void BatchBuilder::ReplaceList(const NodeName& node, NodeRef ref, EdgeKindId kind, bool labelled,
                               std::vector<ListReplacement::Item> items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
  const ListKey key{node.key, kind};
  for (const auto& item : linked_[key]) {
    if ((!labelled && !item.label.empty()) || std::binary_search(items.begin(), items.end(), item))
      continue;
    if (auto name = Name(item.target)) batch().Unlink(ref, kind, Ref(*name), item.label);
  }
  auto& linked = linked_[key];
  linked.insert(linked.end(), items.begin(), items.end());
  auto [at, is_new] = lists_.try_emplace(key, piece_.lists.size());
  if (is_new) piece_.lists.emplace_back();
  piece_.lists[at->second] = {node.key, kind, labelled, std::move(items)};
}

Status BatchBuilder::CheckValidTimes(const std::vector<ColumnValue>& values) {
  std::optional<std::int64_t> from, until;
  for (const ColumnValue& v : values) {
    if (v.clear) continue;
    if (v.column == builtin::kValidFrom) from = v.i64;
    if (v.column == builtin::kValidUntil) until = v.i64;
  }
  return CheckValidTimes(from, until);
}

void BatchBuilder::SetColumns(NodeRef node, const std::vector<ColumnValue>& values) {
  for (const ColumnValue& v : values) {
    const Column& column = schema().columns()[v.column];
    const ColumnRef name = v.column < builtin::kFirstUserColumn ? ColumnRef(v.column)
                                                                : batch().ColumnNamed(column.name);
    if (v.clear)
      batch().ClearColumn(node, name);
    else if (column.type == ColumnType::kF64)
      batch().SetF64(node, name, v.f64);
    else if (column.type == ColumnType::kI64)
      batch().SetI64(node, name, v.i64);
    else
      batch().SetString(node, name, v.text);
  }
}

void BatchBuilder::ReplaceTags(const NodeName& node, NodeRef ref,
                               const std::vector<NodeName>& tags) {
  std::vector<ListReplacement::Item> items;
  std::set<std::string_view> said;
  for (const NodeName& tag : tags) {
    items.push_back({tag.key, ""});
    said.insert(tag.key);
  }
  std::string list;
  for (const std::string_view tag : said) list.append(tag).append("\n");
  NoteNodeValue(node, "list of tags", list);
  ReplaceList(node, ref, builtin::kHasTag, false, std::move(items));
  for (const NodeName& tag : tags) {
    WriteBatch::EdgeInput edge;
    edge.source = ref;
    edge.target = Ref(tag);
    edge.kind = builtin::kHasTag;
    batch().Link(edge);
  }
}

Status BatchBuilder::PatchProperties(const NodeName& node, NodeRef ref, std::string patch,
                                     bool replaces_rest) {
  if (patch.empty() && !replaces_rest) return {};
  auto [at, is_new] = patches_.try_emplace(node.key, piece_.patches.size());
  std::string whole = patch;
  if (!is_new) {  // an earlier line of this piece: lay this one over it
    const PropertyPatch& earlier = piece_.patches[at->second];
    PLEXUS_ASSIGN(JsonProperties merged, SplitProperties(earlier.patch));
    if (replaces_rest)
      std::erase_if(merged, [](const auto& e) { return !IsReservedProperty(e.first); });
    PLEXUS_ASSIGN(JsonProperties over, SplitProperties(patch));
    for (auto& [k, v] : over) merged[k] = std::move(v);
    PLEXUS_ASSIGN(whole, JoinProperties(merged));
    replaces_rest |= earlier.replaces_rest;
  } else {
    piece_.patches.emplace_back();
  }
  // For a node that is new, what the patch sets is the map.
  PLEXUS_ASSIGN(const std::string alone, MergeProperties("", whole));
  PutPayload(batch(), ref, NodeField::kProperties, alone);
  piece_.patches[at->second] = {node.key, std::move(whole), replaces_rest,
                                removed_.contains(node.key)};
  return {};
}

void BatchBuilder::NoteNodeValue(const NodeName& node, std::string_view field,
                                 std::string_view value) {
  // A file that grows states changes.
  if (!context_.applies() || context_.options->position) return;
  const std::uint64_t digest = MixHash(3, value);
  const auto [at, is_new] = piece_.node_values.try_emplace(MixHash(MixHash(4, field), node.key),
                                                           std::pair{digest, line_});
  if (is_new) return;
  const auto [before, line] = std::exchange(at->second, std::pair{digest, line_});
  std::string key = node.key;
  if (node.is_index()) key[key.find(kIndexSeparator)] = ':';
  if (before != digest)
    Warn("node", line,
         "the node " + InQuotes(key) + " stands again with another " + std::string(field) +
             ", which replaces this one");
}

void BatchBuilder::Warn(std::string_view topic, std::uint64_t line, std::string says) {
  WarnOf(piece_, topic, line, line == line_ ? 0 : line_, std::move(says));
}

void BatchBuilder::NoteDoubt(std::string_view field, std::int64_t time_ms,
                             std::optional<std::int64_t> until) {
  for (DoubtfulTime& noted : piece_.doubtful_times) {
    if (noted.field != field || noted.until.has_value() != until.has_value() || !noted.says.empty())
      continue;
    ++noted.count;
    return;
  }
  piece_.doubtful_times.push_back({std::string(field), line_, time_ms, 1, until});
}

void BatchBuilder::NoteTime(std::string_view field, std::int64_t time_ms) {
  if (LooksLikeSeconds(time_ms)) NoteDoubt(field, time_ms, std::nullopt);
}

Status BatchBuilder::CheckValidTimes(std::optional<std::int64_t> from,
                                     std::optional<std::int64_t> until) {
  const bool open = !from || !until || *from == kNoTime || *until == kNoTime;
  if (open || *from < *until) return {};
  // The graph takes none that ends before it begins.
  if (context_.options->strict || *from > *until)
    return Invalid("\"valid_from\" ", NeverValid(*from, *until));
  NoteDoubt("valid_from", *from, until);
  return {};
}

std::string NeverValid(std::int64_t from, std::int64_t until) {
  return IsoTime(from) + " is not before \"valid_until\" " + IsoTime(until) +
         ": it would never be valid";
}

}  // namespace plexus::formats::internal
