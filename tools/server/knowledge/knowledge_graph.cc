// Sets in the order of the file; small indexes over them.
#include "tools/server/knowledge/knowledge_graph.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <utility>

#include "algorithms/retrieval/terms.h"
#include "engine/vocabulary.h"
#include "storage/formats/base/mcp_records.h"
#include "storage/formats/base/properties.h"
#include "tools/server/json_text.h"

namespace plexus::tools::server {
namespace {

using formats::internal::JsonProperties;

constexpr std::uint64_t kNoPlace = std::numeric_limits<std::uint64_t>::max();

Result<JsonProperties> PropertiesOf(const Snapshot& snapshot, PayloadRef ref) {
  PLEXUS_ASSIGN(const std::string bytes, snapshot.PayloadOrEmpty(ref));
  return formats::internal::SplitProperties(bytes);
}

std::uint64_t PlaceIn(const JsonProperties& properties) {
  const auto at = properties.find(formats::internal::kFileLine);
  if (at == properties.end()) return kNoPlace;
  std::uint64_t place = 0;
  const char* end = at->second.data() + at->second.size();
  const auto [read, error] = std::from_chars(at->second.data(), end, place);
  return error == std::errc() && read == end ? place : kNoPlace;
}

// Null: no entity, but a node that only relations mention.
Result<std::optional<KnowledgeEntity>> EntityOf(const Snapshot& snapshot, NodeId node) {
  PLEXUS_ASSIGN(const JsonProperties properties,
                PropertiesOf(snapshot, snapshot.payload_ref(node, NodeField::kProperties)));
  const PayloadRef text_ref = snapshot.payload_ref(node, NodeField::kText);
  if (properties.empty() && snapshot.node_kind(node) == builtin::kNode && !text_ref)
    return std::nullopt;
  KnowledgeEntity entity;
  entity.name = snapshot.key(node);
  entity.type = snapshot.schema().node_kind(snapshot.node_kind(node)).name;
  entity.place = PlaceIn(properties);
  if (const auto type = properties.find("entityType"); type != properties.end())
    if (const auto text = ParseJson(type->second); text && text->is_string())
      entity.type = View(text->get_string());
  const auto list = properties.find("observations");
  const auto items = list != properties.end() ? ParseJson(list->second) : Result<json::value>();
  if (list != properties.end() && items && items->is_array()) {
    for (const json::value& item : items->get_array())
      if (item.is_string()) entity.observations.emplace_back(View(item.get_string()));
  } else {
    PLEXUS_ASSIGN(const std::string text, snapshot.PayloadOrEmpty(text_ref));
    for (const std::string_view one : formats::internal::SplitObservations(text))
      entity.observations.emplace_back(one);
  }
  return entity;
}

template <class Fn>
Status ForEachFactEdge(const Snapshot& snapshot, const ArcFilter& facts, NodeId node, Fn&& fn) {
  Status status;
  snapshot.ForEachArc(Direction::kOut, node, facts, [&](const Arc& arc) {
    const bool alive = snapshot.alive(arc.neighbor) && snapshot.is_fact(arc.neighbor);
    const bool twice = arc.neighbor < node && snapshot.schema().edge_kind(arc.kind).symmetric;
    if (alive && !twice) status = fn(snapshot.edge(arc, node));
    return status.has_value();
  });
  return status;
}

std::size_t HashOf(std::initializer_list<std::string_view> texts, std::uint64_t place) {
  std::size_t hash = std::hash<std::uint64_t>()(place);
  for (const std::string_view text : texts) hash = hash * 31 + std::hash<std::string_view>()(text);
  return std::hash<std::size_t>()(hash * 0x9E3779B97F4A7C15u);
}

std::size_t HashOf(const KnowledgeRelation& relation) {
  return HashOf({relation.from, relation.to, relation.type}, relation.place);
}

std::size_t HashOf(const KnowledgeEntity& entity) {
  std::size_t hash = HashOf({entity.name, entity.type}, entity.place);
  for (const std::string& one : entity.observations) hash = HashOf({one}, hash);
  return hash;
}

}  // namespace

Status CheckLimit(TimeLimit& limit) {
  if (!limit.Up()) return {};
  return Cancelled(
      "the request was cancelled, or not done within max_seconds: nothing was changed");
}

std::optional<NodeId> FindFact(const Snapshot& snapshot, std::string_view name) {
  const auto node = snapshot.FindAlive(name);
  return node && snapshot.is_fact(*node) ? node : std::nullopt;
}

ArcFilter FactArcs(const Snapshot& snapshot) {
  const EdgeKinds facts = {};
  return ArcFilter::Kinds(snapshot.schema(), facts);
}

std::vector<Edge> EdgesOfRelation(const Snapshot& snapshot, const ArcFilter& facts,
                                  std::string_view from, std::string_view to,
                                  std::string_view type) {
  std::vector<Edge> edges;
  const auto source = FindFact(snapshot, from), target = FindFact(snapshot, to);
  if (!source || !target) return edges;
  const bool shorter = snapshot.Degree(Direction::kBoth, *source, facts) <=
                       snapshot.Degree(Direction::kBoth, *target, facts);
  const NodeId row = shorter ? *source : *target, other = shorter ? *target : *source;
  const formats::internal::WrittenRelation meant{from, to, type};
  snapshot.ForEachArc(Direction::kBoth, row, facts, [&](const Arc& arc) {
    if (arc.neighbor != other) return;
    const Edge edge = snapshot.edge(arc, row);
    if (formats::internal::RelationOfEdge(snapshot, edge) == meant) edges.push_back(edge);
  });
  return edges;
}

Status KnowledgeGraph::Read(const Snapshot& snapshot, TimeLimit& limit) {
  *this = KnowledgeGraph();
  const ArcFilter facts = FactArcs(snapshot);
  for (NodeId node = 0; node < snapshot.node_count(); ++node) {
    PLEXUS_TRY(CheckLimit(limit));
    if (!snapshot.alive(node) || !snapshot.is_fact(node)) continue;
    PLEXUS_ASSIGN(auto entity, EntityOf(snapshot, node));
    if (entity) Insert(*std::move(entity));
    PLEXUS_TRY(ForEachFactEdge(snapshot, facts, node, [&](const Edge& edge) -> Status {
      const Status in_time = CheckLimit(limit);
      return in_time ? Add(snapshot, edge) : in_time;
    }));
  }
  return {};
}

void KnowledgeGraph::Insert(KnowledgeEntity entity) {
  const auto [at, added] = entities_.insert(std::move(entity));
  by_name_[at->name] = &*at;
  if (!added) return;
  state_ += HashOf(*at);
  at->folded_at = folded_.size();
  for (const std::string* text : {&at->name, &at->type})
    folded_ += retrieval::FoldText(*text) + '\0';
  for (const std::string& text : at->observations) folded_ += retrieval::FoldText(text) + '\0';
  folded_parts_.emplace(at->folded_at, Folded{&*at, folded_.size()});
}

// Half of it may be of entities that are gone.
void KnowledgeGraph::ForgetFolded(const KnowledgeEntity& entity) {
  const auto part = folded_parts_.find(entity.folded_at);
  unused_ += part->second.end - part->first;
  folded_parts_.erase(part);
  if (unused_ <= folded_.size() / 2) return;
  std::string packed;
  std::map<std::size_t, Folded> parts;
  for (const auto& [begin, one] : folded_parts_) {
    one.entity->folded_at = packed.size();
    packed.append(folded_, begin, one.end - begin);
    parts.emplace_hint(parts.end(), one.entity->folded_at, Folded{one.entity, packed.size()});
  }
  folded_ = std::move(packed);
  folded_parts_ = std::move(parts);
  unused_ = 0;
}

void KnowledgeGraph::Drop(std::string_view name) {
  const auto at = by_name_.find(name);
  if (at == by_name_.end()) return;
  const KnowledgeEntity* entity = at->second;
  by_name_.erase(at);
  state_ -= HashOf(*entity);
  ForgetFolded(*entity);
  entities_.erase(entities_.find(*entity));
}

void KnowledgeGraph::Drop(const KnowledgeRelation* relation) {
  by_triple_.erase({relation->from, relation->to, relation->type});
  for (const std::string* end : {&relation->from, &relation->to})
    if (const auto at = by_end_.find(*end); at != by_end_.end()) {
      at->second.erase(relation);
      if (at->second.empty()) by_end_.erase(at);
    }
  state_ -= HashOf(*relation);
  relations_.erase(relations_.find(*relation));
}

Status KnowledgeGraph::Add(const Snapshot& snapshot, const Edge& edge) {
  const auto [from, to, name] = formats::internal::RelationOfEdge(snapshot, edge);
  PLEXUS_ASSIGN(const JsonProperties properties, PropertiesOf(snapshot, edge.properties));
  KnowledgeRelation relation{std::string(from), std::string(to), std::string(name),
                             PlaceIn(properties)};
  // Edges that differ in what a relation does not have are one.
  if (const auto known = by_triple_.find({from, to, name}); known != by_triple_.end()) {
    if (known->second->place <= relation.place) return {};
    Drop(known->second);
  }
  const KnowledgeRelation* added = &*relations_.insert(std::move(relation)).first;
  state_ += HashOf(*added);
  by_triple_[{added->from, added->to, added->type}] = added;
  by_end_[added->from].insert(added);
  by_end_[added->to].insert(added);
  return {};
}

Status KnowledgeGraph::UpdateNode(const Snapshot& snapshot, std::string_view name) {
  const std::string kept(name);
  Drop(kept);
  const auto node = FindFact(snapshot, kept);
  if (!node) {
    for (auto at = by_end_.find(kept); at != by_end_.end(); at = by_end_.find(kept))
      Drop(*at->second.begin());
    return {};
  }
  PLEXUS_ASSIGN(auto entity, EntityOf(snapshot, *node));
  if (entity) Insert(*std::move(entity));
  return {};
}

Status KnowledgeGraph::UpdateRelation(const Snapshot& snapshot, const ArcFilter& facts,
                                      std::string_view from, std::string_view to,
                                      std::string_view type) {
  if (const auto known = by_triple_.find({from, to, type}); known != by_triple_.end())
    Drop(known->second);
  for (const Edge& edge : EdgesOfRelation(snapshot, facts, from, to, type))
    PLEXUS_TRY(Add(snapshot, edge));
  return {};
}

const KnowledgeEntity* KnowledgeGraph::Find(std::string_view name) const {
  const auto at = by_name_.find(name);
  return at == by_name_.end() ? nullptr : at->second;
}

bool KnowledgeGraph::HasRelation(std::string_view from, std::string_view to,
                                 std::string_view type) const {
  return by_triple_.contains({from, to, type});
}

KnowledgePart KnowledgeGraph::All() const {
  KnowledgePart part;
  for (const KnowledgeEntity& entity : entities_) part.entities.push_back(&entity);
  for (const KnowledgeRelation& relation : relations_) part.relations.push_back(&relation);
  return part;
}

KnowledgePart KnowledgeGraph::With(std::vector<const KnowledgeEntity*> entities) const {
  KnowledgePart part{std::move(entities), {}};
  for (const KnowledgeEntity* entity : part.entities)
    if (const auto at = by_end_.find(entity->name); at != by_end_.end())
      part.relations.insert(part.relations.end(), at->second.begin(), at->second.end());
  std::ranges::sort(part.relations, ByPlace());
  const auto twice = std::ranges::unique(part.relations);
  part.relations.erase(twice.begin(), twice.end());
  return part;
}

KnowledgePart KnowledgeGraph::Open(const std::vector<std::string_view>& names) const {
  std::set<const KnowledgeEntity*, ByPlace> found;
  for (const std::string_view name : names)
    if (const KnowledgeEntity* entity = Find(name)) found.insert(entity);
  return With({found.begin(), found.end()});
}

Result<KnowledgePart> KnowledgeGraph::Search(std::string_view words, TimeLimit& limit) const {
  std::string folded = retrieval::FoldText(words);
  if (folded.empty()) folded = words;  // of invisible characters
  const auto in_one = [&](const KnowledgeEntity& entity) {
    const auto holds = [&](const std::string& text) {
      return retrieval::FoldText(text).find(folded) != std::string::npos;
    };
    return holds(entity.name) || holds(entity.type) ||
           std::ranges::any_of(entity.observations, holds);
  };
  std::vector<const KnowledgeEntity*> found;
  // Words with a NUL would meet what is between two texts.
  if (folded.empty() || folded.find('\0') != std::string::npos) {
    for (const KnowledgeEntity& entity : entities_) {
      PLEXUS_TRY(CheckLimit(limit));
      if (in_one(entity)) found.push_back(&entity);
    }
    return With(std::move(found));
  }
  constexpr std::size_t kWindow = std::size_t{1} << 20;
  for (std::size_t at = 0; at < folded_.size();) {
    PLEXUS_TRY(CheckLimit(limit));
    const auto window = std::string_view(folded_).substr(at, kWindow + folded.size() - 1);
    const void* hit = memmem(window.data(), window.size(), folded.data(), folded.size());
    if (!hit) {
      at += kWindow;
      continue;
    }
    at += static_cast<std::size_t>(static_cast<const char*>(hit) - window.data());
    const auto next = folded_parts_.upper_bound(at);
    const bool is_part = next != folded_parts_.begin() && at < std::prev(next)->second.end;
    if (is_part) found.push_back(std::prev(next)->second.entity);
    at = is_part                       ? std::prev(next)->second.end
         : next == folded_parts_.end() ? folded_.size()
                                       : next->first;
  }
  std::ranges::sort(found, ByPlace());
  return With(std::move(found));
}

}  // namespace plexus::tools::server
