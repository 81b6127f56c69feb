// The model's side of one batch: every rule of WriteBatch in the plainest words.
#include <algorithm>
#include <bit>
#include <utility>

#include "engine/vocabulary.h"
#include "tests/model/model.h"

namespace plexus::model {

Batch::Batch(const Model& before, std::int64_t time_ms) : before_(before), after_(before) {
  after_.time_ms = std::max(before.time_ms, time_ms);
}

std::optional<NodeId> Batch::Find(const std::string& key) const {
  auto it = after_.ids.find(key);
  return it == after_.ids.end() ? std::nullopt : std::optional(it->second);
}

Batch::Touch& Batch::Touched(NodeId node) {
  auto [it, fresh] = touches_.try_emplace(node);
  if (fresh && node < before_.nodes.size()) {
    it->second.was_alive = before_.nodes[node].alive;
    it->second.was_purged = before_.nodes[node].purged;
  }
  return it->second;
}

// A new node; the part of its key before U+001F, if any, is its kind.
NodeId Batch::Add(const std::string& key, bool implicit) {
  const auto id = static_cast<NodeId>(after_.nodes.size());
  const std::size_t separator = key.find(kIndexSeparator);
  Node node;
  node.key = key;
  node.kind = separator == std::string::npos ? "node" : key.substr(0, separator);
  after_.nodes.push_back(node);
  after_.ids[key] = id;
  Touch& t = Touched(id);
  t.is_new = true;
  t.implicit = implicit;
  return id;
}

void Batch::Revive(Node& node) {
  if (!node.alive && node.key.find(kIndexSeparator) == std::string::npos) node.kind = "node";
  node.alive = true;
  node.purged = false;
}

NodeId Batch::Endpoint(const std::string& key, bool revive) {
  auto id = Find(key);
  if (!id) return Add(key, true);
  Node& node = after_.nodes[*id];
  if (!node.alive && revive) {
    Touched(*id);
    Revive(node);
  }
  return *id;
}

NodeId Batch::Named(const std::string& key) {
  auto id = Find(key);
  if (!id) id = Add(key, true);
  Touch& t = Touched(*id);
  t.touched = true;
  Node& node = after_.nodes[*id];
  if (!node.alive || t.implicit) {  // created or revived by name: stamped
    Revive(node);
    t.implicit = false;
    node.columns["created_at"] = {static_cast<std::uint64_t>(after_.time_ms), ""};
  }
  return *id;
}

void Batch::Define(const EdgeKind& kind) {
  (void)after_.schema.Define(kind);
  schema_changed_ = true;
}

void Batch::Upsert(const std::string& key, const std::string& kind) {
  Node& node = after_.nodes[Named(key)];
  if (kind.empty()) return;
  if (!after_.schema.FindNodeKind(kind)) {
    (void)after_.schema.Define(NodeKind{kind, Plane::kFact});
    schema_changed_ = true;
  }
  node.kind = kind;
}

void Batch::Remove(const std::string& key, bool purge) {
  auto id = Find(key);
  if (!id) return unknown_ops_.push_back(key);
  Touch& t = Touched(*id);
  t.touched = true;
  t.implicit = false;
  t.purge |= purge;
  purged_something_ |= purge;
  Node& node = after_.nodes[*id];
  for (const auto& [space, values] : node.vectors) vectors_.insert({space, *id});
  if (*id < before_.nodes.size())
    for (const auto& [space, values] : before_.nodes[*id].vectors) vectors_.insert({space, *id});
  node.alive = false;
  node.purged |= purge;
  node.columns.clear();
  node.payloads = {};
  node.vectors.clear();
  auto dies = [&](const EdgeId& e) {
    if (e.source == *id) return true;
    return e.target == *id && !after_.edge_kind(e.kind).survives_removal;
  };
  for (const auto& [e, value] : before_.edges)
    if (dies(e)) edges_.insert(e);
  std::erase_if(after_.edges, [&](const auto& entry) { return dies(entry.first); });
  if (!t.purge) return;
  for (auto& [e, value] : after_.edges) {  // what outlives its target loses its properties
    if (e.target != *id) continue;
    const auto was = before_.edges.find(e);
    if (was != before_.edges.end() && !was->second.properties.empty()) scrubbed_.insert(e);
    if (value.properties.empty()) continue;
    value.properties.clear();
    edges_.insert(e);
  }
}

void Batch::Set(const std::string& key, const std::string& column, const Value& value) {
  after_.nodes[Named(key)].columns[column] = value;
}

void Batch::AddF64(const std::string& key, const std::string& column, double delta) {
  Value& value = after_.nodes[Named(key)].columns[column];  // absent: 0, of either type
  value.bits = std::bit_cast<std::uint64_t>(std::bit_cast<double>(value.bits) + delta);
}

void Batch::AddI64(const std::string& key, const std::string& column, std::int64_t delta) {
  after_.nodes[Named(key)].columns[column].bits += static_cast<std::uint64_t>(delta);
}

void Batch::Clear(const std::string& key, const std::string& column) {
  auto id = Find(key);
  if (!id) return unknown_ops_.push_back(key);
  Touched(*id).touched = true;
  after_.nodes[*id].columns.erase(column);
}

void Batch::SetPayload(const std::string& key, NodeField field, std::optional<std::string> bytes) {
  if (!bytes && !Find(key)) return unknown_ops_.push_back(key);
  const NodeId id = bytes ? Named(key) : *Find(key);
  Touched(id).touched = true;
  after_.nodes[id].payloads[static_cast<int>(field)] = std::move(bytes);
}

void Batch::SetVector(const std::string& key, const std::string& space,
                      std::optional<std::vector<float>> values) {
  if (!values && !Find(key)) return unknown_ops_.push_back(key);
  const NodeId id = values ? Named(key) : *Find(key);
  Touched(id).touched = true;
  vectors_.insert({space, id});
  if (values)
    after_.nodes[id].vectors[space] = *values;
  else
    after_.nodes[id].vectors.erase(space);
}

void Batch::Use(const std::string& edge_kind) {
  if (after_.schema.FindEdgeKind(edge_kind)) return;
  EdgeKind kind;
  kind.name = edge_kind;
  (void)after_.schema.Define(kind);
  schema_changed_ = true;
}

// The identity under which an edge is stored: inverse names reversed, symmetric
// kinds with the smaller id first. Both ends are known.
EdgeId Batch::Identity(const std::string& source, const std::string& kind,
                       const std::string& target, const std::string& label) {
  auto match = *after_.schema.FindEdgeKind(kind);
  NodeId a = *Find(source), b = *Find(target);
  if (match.reversed) std::swap(a, b);
  const EdgeKind& traits = after_.schema.edge_kind(match.kind);
  if (traits.symmetric && a > b) std::swap(a, b);
  return {a, traits.name, b, label};
}

void Batch::AddLink(const Link& link) {
  Use(link.kind);
  auto match = *after_.schema.FindEdgeKind(link.kind);
  const bool survives = after_.schema.edge_kind(match.kind).survives_removal;
  // The end that is stored as the target is not revived by a surviving kind.
  const bool loop = link.source == link.target;
  Endpoint(link.source, !survives || !match.reversed || loop);
  Endpoint(link.target, !survives || match.reversed || loop);
  const EdgeId id = Identity(link.source, link.kind, link.target, link.label);
  edges_.insert(id);
  auto [it, fresh] = after_.edges.try_emplace(id);
  EdgeValue& e = it->second;
  if (fresh) e.created_at = after_.time_ms;
  if (link.weight) e.weight = *link.weight;
  if (link.created_at) e.created_at = *link.created_at;
  if (link.created_by) e.created_by = *link.created_by;
  if (link.valid_from) e.valid_from = *link.valid_from;
  if (link.valid_until) e.valid_until = *link.valid_until;
  if (link.properties) e.properties = *link.properties;
}

void Batch::Unlink(const std::string& source, const std::string& kind, const std::string& target,
                   const std::string& label) {
  Use(kind);
  unlinks_.push_back({source, kind, target, label});  // counted at the end
  if (!Find(source) || !Find(target)) return;
  const EdgeId id = Identity(source, kind, target, label);
  after_.edges.erase(id);
}

ChangeCounts& Batch::CountsOf(const EdgeId& id, ApplyReport& report) const {
  return after_.edge_kind(id.kind).plane == Plane::kFact ? report.edges : report.index;
}

bool Batch::Finish(Model& model, ApplyReport& report) {
  report = {};
  for (const auto& u : unlinks_) {
    if (Find(u.source) && Find(u.target))
      edges_.insert(Identity(u.source, u.kind, u.target, u.label));
    else
      ++CountsOf({0, after_.schema.edge_kind(after_.schema.FindEdgeKind(u.kind)->kind).name, 0, ""},
                 report)
            .same;
  }
  bool emitted = false;
  for (const EdgeId& id : edges_) {
    const auto was = before_.edges.find(id);
    const auto is = std::as_const(after_.edges).find(id);
    const bool existed = was != before_.edges.end(), exists = is != after_.edges.end();
    ChangeCounts& c = CountsOf(id, report);
    // Equal bytes behind a new reference are a change: the old ones were erased.
    const bool rewritten = exists && scrubbed_.contains(id) && !is->second.properties.empty();
    emitted |= rewritten;
    if (existed && exists)
      ++(was->second == is->second && !rewritten ? c.same : c.changed);
    else
      ++(existed ? c.removed : exists ? c.added : c.same);
  }
  for (const auto& [space, id] : vectors_) {
    const bool had = id < before_.nodes.size() && before_.nodes[id].vectors.contains(space);
    const bool has = after_.nodes[id].vectors.contains(space);
    if (had && has)
      ++(before_.nodes[id].vectors.at(space) == after_.nodes[id].vectors.at(space)
             ? report.vectors.same
             : report.vectors.changed);
    else if (had || has)
      ++(had ? report.vectors.removed : report.vectors.added);
  }
  for (const auto& [id, t] : touches_) {
    Node& node = after_.nodes[id];
    // What a batch leaves dead stays marked by a purge, in it or before it.
    if (!node.alive) node.purged |= t.purge || (t.was_purged && !t.was_alive);
    const NodeKind& kind = after_.schema.node_kind(*after_.schema.FindNodeKind(node.kind));
    ChangeCounts& c = kind.plane == Plane::kFact ? report.nodes
                      : node.kind == "event"     ? report.events
                      : node.kind == "outcome"   ? report.outcomes
                                                 : report.index;
    if (t.is_new) {
      ++c.added;
      continue;
    }
    const Node& old = before_.nodes[id];
    const bool purge = t.purge && !(t.was_purged && !node.alive && !t.was_alive);
    const bool changed = purge || node.kind != old.kind || node.columns != old.columns ||
                         node.payloads != old.payloads;
    emitted |= purge;
    if (t.was_alive && !node.alive)
      ++c.removed;
    else if (!t.was_alive && node.alive)
      ++c.added;
    else if (changed)
      ++c.changed;
    else if (t.touched)
      ++c.same;
  }
  for (const std::string& key : unknown_ops_)
    if (!Find(key)) ++report.nodes.same;
  const bool changes =
      emitted || schema_changed_ || after_.nodes != before_.nodes || after_.edges != before_.edges;
  report.sequence = before_.sequence + changes;
  if (!changes) return false;
  after_.sequence = report.sequence;
  model = std::move(after_);
  return true;
}

}  // namespace plexus::model
