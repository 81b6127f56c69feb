// One batch states all that is seen: what the part has already is the same and moves nothing.
#include "tools/operations/scope/scoped_graph.h"

#include <algorithm>
#include <bit>
#include <boost/json/serialize.hpp>
#include <utility>

#include "engine/vectors/vector_view.h"
#include "engine/vocabulary.h"
#include "storage/formats/base/properties.h"
#include "tools/operations/graph_record.h"

namespace plexus::tools {
namespace {

// How the index of terms was made: search reads words in the same way. And the rules that writes
// obey. The rest of a record counts what all scopes wrote.
constexpr std::string_view kRecords[] = {"terms", "rules"};

// fn(text) for all texts in it.
template <class Fn>
void ForEachText(const boost::json::value& value, Fn&& fn) {
  if (value.is_string()) fn(std::string_view(value.get_string()));
  if (value.is_array())
    for (const boost::json::value& one : value.get_array()) ForEachText(one, fn);
  if (value.is_object())
    for (const auto& member : value.get_object()) ForEachText(member.value(), fn);
}

void SetColumn(WriteBatch& batch, NodeRef node, const Snapshot& from, ColumnId id,
               std::uint64_t bits) {
  const Column& column = from.schema().columns()[id];
  const ColumnRef name = batch.ColumnNamed(column.name);
  if (column.type == ColumnType::kF64)
    batch.SetF64(node, name, std::bit_cast<double>(bits));
  else if (column.type == ColumnType::kI64)
    batch.SetI64(node, name, std::bit_cast<std::int64_t>(bits));
  else
    batch.SetString(node, name, from.string(static_cast<StringId>(bits)));
}

// Facts by id, then words by key: its id does not say who had a word first.
std::vector<NodeId> InOrder(const Snapshot& from, const std::vector<Seen>& seen) {
  std::vector<NodeId> order, words;
  for (NodeId v = 0; v < seen.size(); ++v)
    if (seen[v] != Seen::kNot) (from.is_fact(v) ? order : words).push_back(v);
  std::ranges::sort(words, {}, [&](NodeId v) { return from.key(v); });
  order.insert(order.end(), words.begin(), words.end());
  return order;
}

}  // namespace

ScopedGraph::ScopedGraph(Graph& whole, std::vector<std::string> scopes, Executor& executor)
    : whole_(whole), scopes_(std::move(scopes)), executor_(executor) {}

Result<std::unique_ptr<ScopedGraph>> ScopedGraph::Make(Graph& whole,
                                                       std::vector<std::string> scopes,
                                                       Executor& executor) {
  std::unique_ptr<ScopedGraph> made(new ScopedGraph(whole, std::move(scopes), executor));
  PLEXUS_TRY(made->Begin(0));
  PLEXUS_TRY(made->Refresh());
  return made;
}

Status ScopedGraph::Begin(Sequence sequence) {
  journal_ = std::make_shared<ScopedJournal>(whole_, scopes_);
  GraphOptions options = whole_.options();
  options.maintenance = Maintenance::kManual;
  options.executor = &executor_;
  options.scope = scopes_.front();
  options.on_log = {};
  options.on_compacted = {};
  part_ = Graph::Open(Snapshot().Numbered(sequence, 0), journal_, options, journal_);
  if (!part_) return Exhausted("no memory for the graph of a scope");
  journal_->set_part(part_.get());
  copied_.reset();
  for (auto& refs : refs_) refs.clear();
  return {};
}

Status ScopedGraph::Refresh() {
  constexpr std::uint64_t kReplacedBytes = std::uint64_t{4} << 20;
  const bool refused = part_->read_only();  // a write was
  if (refused || journal_->held_bytes() > 2 * begun_bytes_ + kReplacedBytes)
    PLEXUS_TRY(Begin(part_->snapshot().sequence()));
  const bool anew = !copied_;
  const Snapshot from = whole_.snapshot();
  if (copied_ == from.sequence()) return {};
  const std::vector<Seen> seen = ScopeSight(from, scopes_).All();
  const ScopedJournal::Copying copying(*journal_);
  PLEXUS_TRY(Define(from, seen));
  PLEXUS_TRY(Copy(from, seen));
  copied_ = from.sequence();
  if (anew) begun_bytes_ = journal_->held_bytes();
  return {};
}

// Kinds, columns and spaces that something seen is of, and kinds that a rule names.
Status ScopedGraph::Define(const Snapshot& from, const std::vector<Seen>& seen) {
  const Schema& theirs = from.schema();
  const Snapshot part = part_->snapshot();
  std::vector<bool> nodes(theirs.node_kinds().size()), edges(theirs.edge_kinds().size());
  std::vector<bool> columns(theirs.columns().size()), spaces(theirs.spaces().size());
  for (NodeId v = 0; v < seen.size(); ++v) {
    if (seen[v] == Seen::kNot) continue;
    nodes[from.node_kind(v)] = true;
    if (seen[v] != Seen::kAll) continue;
    for (ColumnId c{}; c < columns.size(); ++c)
      if (!columns[c] && from.column_bits(c, v) != AbsentBits(theirs.columns()[c].type))
        columns[c] = true;
    for (SpaceId s{}; s < spaces.size(); ++s)
      if (!spaces[s] && from.space(s)->has(v)) spaces[s] = true;
    from.ForEachArc(Direction::kOut, v, ArcFilter::All(), [&](const Arc& arc) {
      if (ScopeSight::EdgeSeen(seen[v], seen[arc.neighbor])) edges[arc.kind] = true;
    });
  }
  PLEXUS_ASSIGN(const auto rules, ReadRecord(from, "rules"));
  if (rules)
    ForEachText(rules->properties, [&](std::string_view name) {
      if (const auto kind = theirs.FindNodeKind(name)) nodes[*kind] = true;
      if (const auto kind = theirs.FindEdgeKind(name)) edges[kind->kind] = true;
    });
  WriteBatch batch(0);
  for (NodeKindId k{}; k < nodes.size(); ++k)
    if (nodes[k] && !part.schema().FindNodeKind(theirs.node_kind(k).name))
      batch.DefineNodeKind(theirs.node_kind(k));
  for (EdgeKindId k{}; k < edges.size(); ++k)
    if (edges[k]) DefineMissing(theirs.edge_kind(k), part.schema(), batch);
  for (ColumnId c{}; c < columns.size(); ++c) {
    const Column& column = theirs.columns()[c];
    if (!columns[c] || column.name.empty()) continue;
    const auto mine = part.schema().FindColumn(column.name);
    if (!mine || part.schema().columns()[*mine].type != column.type) batch.DefineColumn(column);
  }
  for (SpaceId s{}; s < spaces.size(); ++s)
    if (spaces[s] && !part.schema().FindSpace(theirs.spaces()[s].name))
      batch.DefineSpace(theirs.spaces()[s]);
  PLEXUS_TRY(part_->Apply(batch));
  return {};
}

Status ScopedGraph::Copy(const Snapshot& from, const std::vector<Seen>& seen) {
  const Snapshot part = part_->snapshot();
  const Schema& theirs = from.schema();
  WriteBatch batch(0);
  std::vector<NodeRef> refs(seen.size());
  for (auto& list : refs_) list.resize(seen.size());
  std::vector<const VectorView*> spaces;
  for (SpaceId s{}; s < theirs.spaces().size(); ++s) {
    const bool mine = part.schema().FindSpace(theirs.spaces()[s].name).has_value();
    spaces.push_back(nullptr);
    if (!mine) continue;
    PLEXUS_ASSIGN(spaces.back(), from.vectors(s));
  }
  VectorBuffer buffer;
  for (const NodeId v : InOrder(from, seen)) {
    const NodeRef node = refs[v] = batch.Node(from.key(v));
    const auto known = part.Find(from.key(v));
    const bool fact = from.is_fact(v);
    if (fact)
      batch.UpsertNode(node, batch.NodeKindNamed(theirs.node_kind(from.node_kind(v)).name));
    else
      batch.UpsertNode(node);
    if (seen[v] != Seen::kAll) {  // a word that scopes share has only a key
      if (!known || !part.alive(*known))
        batch.ClearColumn(node, batch.ColumnNamed("created_at"));  // not the time of this batch
      continue;
    }
    for (ColumnId c{}; c < theirs.columns().size(); ++c) {
      const Column& column = theirs.columns()[c];
      if (column.name.empty()) continue;
      const std::uint64_t bits = from.column_bits(c, v);
      if (bits != AbsentBits(column.type))
        SetColumn(batch, node, from, c, bits);
      else if (c == builtin::kScope && fact)
        batch.SetString(node, batch.ColumnNamed(column.name), builtin::kDefaultScope);
      else if (c == builtin::kCreatedAt && !(known && part.alive(*known)))
        batch.ClearColumn(node, batch.ColumnNamed(column.name));  // not the time of this batch
      else if (const auto mine = known ? part.schema().FindColumn(column.name) : std::nullopt;
               mine &&
               part.column_bits(*mine, *known) != AbsentBits(part.schema().columns()[*mine].type))
        batch.ClearColumn(node, batch.ColumnNamed(column.name));
    }
    for (int f = 0; f < kNodeFieldCount; ++f) {
      const auto field = static_cast<NodeField>(f);
      const PayloadRef ref = from.payload_ref(v, field);
      if (std::exchange(refs_[f][v], ref) == ref && known && part.alive(*known)) continue;
      const Result<std::string> bytes = ref ? from.Payload(ref) : std::string();
      if (!bytes && bytes.error().code != ErrorCode::kNotFound)
        return std::unexpected(bytes.error());
      if (ref && bytes)
        batch.SetPayload(node, field, *bytes);
      else
        batch.ClearPayload(node, field);
    }
    for (SpaceId s{}; s < spaces.size(); ++s) {
      if (!spaces[s]) continue;
      const SpaceRef space = batch.SpaceNamed(theirs.spaces()[s].name);
      if (spaces[s]->has(v))
        batch.SetVector(node, space, spaces[s]->vector(v, buffer).first(spaces[s]->dimensions()));
      else if (known)
        batch.ClearVector(node, space);
    }
  }
  PLEXUS_TRY(CopyEdges(from, seen, refs, batch));
  for (const std::string_view name : kRecords) PLEXUS_TRY(CopyRecord(from, part, name, batch));
  DropUnseen(from, seen, part, batch);
  PLEXUS_TRY(part_->Apply(batch));
  return {};
}

Status ScopedGraph::CopyEdges(const Snapshot& from, const std::vector<Seen>& seen,
                              const std::vector<NodeRef>& refs, WriteBatch& batch) {
  Status read;
  for (NodeId v = 0; v < seen.size() && read; ++v) {
    if (seen[v] == Seen::kNot) continue;
    from.ForEachArc(Direction::kOut, v, ArcFilter::All(), [&](const Arc& arc) {
      if (!ScopeSight::EdgeSeen(seen[v], seen[arc.neighbor])) return true;
      const Edge edge = from.edge(arc, v);
      if (edge.source != v) return true;  // a symmetric one is in both rows
      const Result<std::string> properties = from.PayloadOrEmpty(edge.properties);
      if (!properties) {
        read = std::unexpected(properties.error());
        return false;
      }
      batch.Link({.source = refs[v],
                  .target = refs[arc.neighbor],
                  .kind = batch.EdgeKindNamed(from.schema().edge_kind(edge.kind).name),
                  .label = from.string(edge.label),
                  .weight = edge.weight,
                  .created_at = edge.created_at,
                  .created_by = from.string(edge.created_by),
                  .valid_from = edge.valid_from,
                  .valid_until = edge.valid_until,
                  .properties = *properties});
      return true;
    });
  }
  return read;
}

Status ScopedGraph::CopyRecord(const Snapshot& from, const Snapshot& part, std::string_view name,
                               WriteBatch& batch) {
  PLEXUS_ASSIGN(std::optional<GraphRecord> record, ReadRecord(from, name));
  const std::string stored = "plexus." + std::string(name);
  if (!record) {
    const auto gone = part.FindAlive(IndexKey("inscription", stored));
    if (gone) batch.RemoveNode(NodeRef::Id(*gone));
    return {};
  }
  record->properties.erase("runs");
  PLEXUS_ASSIGN(const std::string bytes,
                formats::internal::PropertiesFromJson(boost::json::serialize(record->properties)));
  const NodeRef node = batch.IndexNode(builtin::kInscription, stored);
  batch.UpsertNode(node);
  batch.SetPayload(node, NodeField::kProperties, bytes);
  return {};
}

void ScopedGraph::DropUnseen(const Snapshot& from, const std::vector<Seen>& seen,
                             const Snapshot& part, WriteBatch& batch) {
  std::vector<NodeId> there(part.node_count(), kNoNode);
  for (NodeId v = 0; v < part.node_count(); ++v) {
    if (!part.alive(v) || ScopedJournal::IsRecord(part.key(v))) continue;
    if (const auto id = from.Find(part.key(v)); id && seen[*id] != Seen::kNot)
      there[v] = *id;
    else
      batch.RemoveNode(NodeRef::Id(v));
  }
  part.ForEachEdge(ArcFilter::All(), [&](const Edge& edge) {
    const NodeId source = there[edge.source], target = there[edge.target];
    if (source == kNoNode || target == kNoNode) return;
    const std::string& name = part.schema().edge_kind(edge.kind).name;
    const auto kind = from.schema().FindEdgeKind(name);
    const auto label = from.FindString(part.string(edge.label));
    if (!kind || !label || !ScopeSight::EdgeSeen(seen[source], seen[target]) ||
        !from.FindEdge(source, kind->kind, target, *label))
      batch.Unlink(NodeRef::Id(edge.source), batch.EdgeKindNamed(name), NodeRef::Id(edge.target),
                   part.string(edge.label));
  });
}

}  // namespace plexus::tools
