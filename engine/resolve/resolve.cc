// Resolving a batch, first part: definitions, names, strings, the frame.
#include "engine/resolve/batch_resolver.h"
#include "engine/vocabulary.h"

namespace plexus {

BatchResolver::BatchResolver(const StateWriter::Working& working, const WriteBatch& batch,
                             Snapshot now)
    : w_(working), b_(batch), now_(std::move(now)) {}

Schema& BatchResolver::MutableSchema() {
  if (!defined_) defined_ = std::make_unique<Schema>(*w_.schema);
  return *defined_;
}

// A column that was built in later gives its name away only while no node has a value there.
Status BatchResolver::CheckColumnIsFree(const Column& column) const {
  const auto old = schema().FindColumn(column.name);
  if (!old || !IsLaterColumn(*old) || schema().columns()[*old].type == column.type) return {};
  if (w_.columns[*old].size() == 0) return {};
  return Fail(ErrorCode::kAlreadyExists,
              "column '" + column.name + "' is built in and has values of another type here");
}

Status BatchResolver::Definitions() {
  for (const auto& k : b_.node_kinds_) PLEXUS_TRY(MutableSchema().Define(k));
  for (const auto& k : b_.edge_kinds_) PLEXUS_TRY(MutableSchema().Define(k));
  for (const auto& c : b_.columns_) {
    PLEXUS_TRY(CheckColumnIsFree(c));
    PLEXUS_TRY(MutableSchema().Define(c));
  }
  for (const auto& s : b_.spaces_) PLEXUS_TRY(MutableSchema().Define(s));
  for (const std::string& name : b_.node_kind_names_) {
    auto found = schema().FindNodeKind(name);
    if (!found) PLEXUS_SET(found, MutableSchema().Define(NodeKind{name, Plane::kFact}));
    node_kinds_.push_back(*found);
  }
  for (const std::string& name : b_.edge_kind_names_) {
    auto found = schema().FindEdgeKind(name);
    if (!found) {
      EdgeKind kind;
      kind.name = name;
      PLEXUS_ASSIGN(EdgeKindId id, MutableSchema().Define(kind));
      found = Schema::EdgeKindMatch{id, false};
    }
    edge_kinds_.push_back(*found);
  }
  for (const std::string& name : b_.column_names_) columns_.push_back(schema().FindColumn(name));
  for (const std::string& name : b_.space_names_) spaces_.push_back(schema().FindSpace(name));
  return {};
}

Result<NodeKindId> BatchResolver::NodeKindOf(WriteBatch::Name name) const {
  if (name.local) {
    if (name.id < node_kinds_.size()) return node_kinds_[name.id];
  } else if (name.id < schema().node_kinds().size() &&
             !schema().node_kind(NodeKindId(name.id)).name.empty()) {
    return NodeKindId(name.id);
  }
  return Invalid("unknown node kind ", name.id);
}

Result<Schema::EdgeKindMatch> BatchResolver::EdgeKindOf(WriteBatch::Name name) const {
  if (name.local) {
    if (name.id < edge_kinds_.size()) return edge_kinds_[name.id];
  } else if (name.id < schema().edge_kinds().size() &&
             !schema().edge_kind(EdgeKindId(name.id)).name.empty()) {
    return Schema::EdgeKindMatch{EdgeKindId(name.id), false};
  }
  return Invalid("unknown edge kind ", name.id);
}

Result<ColumnId> BatchResolver::ColumnOf(WriteBatch::Name name, ColumnType type,
                                         bool any_type) const {
  std::optional<ColumnId> id;
  std::string text = std::to_string(name.id);
  if (name.local) {
    if (name.id < columns_.size()) {
      id = columns_[name.id];
      text = "'" + b_.column_names_[name.id] + "'";
    }
  } else if (name.id < schema().columns().size() && !schema().columns()[name.id].name.empty()) {
    id = ColumnId(name.id);
    text = "'" + schema().columns()[name.id].name + "'";
  }
  if (!id) return Invalid("unknown column ", text, "; define it first");
  static constexpr const char* kTypes[] = {"f64", "i64", "string"};
  const ColumnType has = schema().columns()[*id].type;
  if (!any_type && has != type)
    return Invalid("column ", text, " holds ", kTypes[static_cast<int>(has)],
                   ", got a value of type ", kTypes[static_cast<int>(type)]);
  return *id;
}

Result<SpaceId> BatchResolver::SpaceOf(WriteBatch::Name name) const {
  if (name.local) {
    if (name.id < spaces_.size() && spaces_[name.id]) return *spaces_[name.id];
    return Invalid("unknown vector space '",
                   (name.id < b_.space_names_.size() ? b_.space_names_[name.id] : std::string("?")),
                   "'; define it first");
  }
  if (name.id < schema().spaces().size()) return SpaceId(name.id);
  return Invalid("unknown vector space ", name.id);
}

Status BatchResolver::CheckString(std::string_view text) {
  if (text.size() > Limits::kMaxStringBytes)
    return Invalid("a label, created_by or string value has ", text.size(), " bytes, the limit is ",
                   Limits::kMaxStringBytes);
  if (!IsValidUtf8(text) || text.find('\0') != std::string_view::npos)
    return Invalid("a label, created_by or string value is not valid UTF-8 without NUL");
  return {};
}

Result<StringId> BatchResolver::InternString(std::string_view text) {
  const HashedKey key{text, StringTable::Hash(text)};
  if (auto id = w_.strings.Find(text, key.hash)) return *id;
  if (auto it = new_strings_.find(key); it != new_strings_.end()) return it->second;
  PLEXUS_TRY(CheckString(text));
  if (record_.string_offsets.empty()) {
    record_.first_string = w_.strings.size();
    record_.string_offsets.push_back(0);
  }
  const auto id = static_cast<StringId>(w_.strings.size() + record_.string_offsets.size() - 1);
  record_.string_bytes.append(text);
  record_.string_offsets.push_back(record_.string_bytes.size());
  new_strings_.emplace(key, id);
  return id;
}

void BatchResolver::WriteDefinitions(Record& record) const {
  if (!defined_) return;
  auto rest = [](const auto& all, std::size_t from) {
    return std::vector(all.begin() + static_cast<std::ptrdiff_t>(from), all.end());
  };
  const Schema& old = *w_.schema;
  record.first_node_kind = NodeKindId(old.node_kinds().size());
  record.node_kind_definitions = rest(defined_->node_kinds(), old.node_kinds().size());
  record.first_edge_kind = EdgeKindId(old.edge_kinds().size());
  record.edge_kind_definitions = rest(defined_->edge_kinds(), old.edge_kinds().size());
  record.first_column = static_cast<ColumnId>(old.columns().size());
  record.column_definitions = rest(defined_->columns(), old.columns().size());
  record.first_space = static_cast<SpaceId>(old.spaces().size());
  record.space_definitions = rest(defined_->spaces(), old.spaces().size());
}

Result<Record> BatchResolver::Resolve(ApplyReport* report, std::int64_t time_ms,
                                      std::string_view scope) {
  if (b_.op_count() > Limits::kMaxBatchOps)
    return Exhausted("a batch has ", b_.op_count(), " operations, the limit is ",
                     Limits::kMaxBatchOps);
  record_.sequence = w_.sequence + 1;
  record_.time_ms = std::max(b_.time_ms_ == kNoTime ? time_ms : b_.time_ms_, w_.time_ms);
  report_.time_ms = record_.time_ms;
  report_.time_moved = b_.time_ms_ != kNoTime && b_.time_ms_ < record_.time_ms;
  PLEXUS_TRY(b_.CheckRefs());
  PLEXUS_TRY(Definitions());
  PLEXUS_TRY(Nodes());
  PLEXUS_TRY(Expectations());
  PLEXUS_TRY(Operations());
  PLEXUS_TRY(TouchEdges());
  PLEXUS_TRY(SetScopes(scope));
  PLEXUS_TRY(FinishColumns());
  PLEXUS_TRY(FinishPayloads());
  PLEXUS_TRY(FinishVectors());
  PLEXUS_TRY(DecideEdges(report_));
  PLEXUS_TRY(CheckRetyped());
  FinishNodes(report_);
  ReportIds(report_);
  WriteDefinitions(record_);
  if (record_.payloads.size() > 0xFFFFFF)
    return Exhausted("a batch holds at most 2^24 - 1 payloads");
  const bool nothing =
      record_.node_kinds.empty() && record_.node_changes.empty() && record_.edges.empty() &&
      record_.columns.empty() && record_.payload_changes.empty() && record_.vectors.empty() &&
      record_.node_kind_definitions.empty() && record_.edge_kind_definitions.empty() &&
      record_.column_definitions.empty() && record_.space_definitions.empty();
  report_.sequence = nothing ? w_.sequence : record_.sequence;
  if (report) *report = std::move(report_);
  if (nothing) record_ = Record();
  return std::move(record_);
}

}  // namespace plexus
