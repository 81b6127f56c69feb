// Every question a loop over every list; see ledger.h.
#include "tests/reference/ledger.h"

#include <algorithm>
#include <set>

#include "engine/properties/properties.h"
#include "engine/vocabulary.h"

namespace plexus::reference {
using namespace builtin;

namespace {

std::vector<NodeId> ToList(const std::set<NodeId>& ids) { return {ids.begin(), ids.end()}; }

}  // namespace

FlatLedger FlatLedger::Of(const Snapshot& s) {
  FlatLedger flat;
  for (NodeId v = 0; v < s.node_count(); ++v)
    if (s.alive(v) && s.node_kind(v) == kEvent) flat.events.push_back({v, s.i64(kCreatedAt, v)});
  s.ForEachEdge(ArcFilter::All(), [&](const Edge& e) {
    if (e.kind == kMember && flat.IsEvent(e.source))
      flat.members.push_back({e.source, e.target, std::string(s.string(e.label))});
    if (e.kind != kLabels || !flat.IsEvent(e.target)) return;
    std::string type;
    if (s.payload_ref(e.source, NodeField::kProperties)) {
      const PropertyMap map =
          PropertyMap::Read(s.Payload(e.source, NodeField::kProperties).value()).value();
      const auto found = map.root().Find("type");
      if (found && found->AsString()) type = *found->AsString();
    }
    flat.labels.push_back({e.source, e.target, type, s.i64(kCreatedAt, e.source)});
  });
  return flat;
}

bool FlatLedger::IsEvent(NodeId node) const {
  return std::ranges::any_of(events, [&](const Event& e) { return e.node == node; });
}

std::optional<std::int64_t> FlatLedger::TimeOf(NodeId event) const {
  for (const Event& e : events)
    if (e.node == event) return e.created_at;
  return std::nullopt;
}

std::vector<NodeId> FlatLedger::Newest() const {
  std::vector<NodeId> ids;
  for (const Event& e : events) ids.push_back(e.node);
  std::ranges::sort(ids, [&](NodeId a, NodeId b) {
    const auto at = TimeOf(a), bt = TimeOf(b);  // no time is before every time
    return at != bt ? at > bt : a > b;
  });
  return ids;
}

std::vector<NodeId> FlatLedger::EventsOf(NodeId member) const {
  std::set<NodeId> ids;
  for (const Member& m : members)
    if (m.node == member) ids.insert(m.event);
  return ToList(ids);
}

std::vector<NodeId> FlatLedger::NewestOf(NodeId member) const {
  const std::vector<NodeId> of = EventsOf(member);
  std::vector<NodeId> ids;
  for (const NodeId event : Newest())
    if (std::ranges::binary_search(of, event)) ids.push_back(event);
  return ids;
}

std::vector<NodeId> FlatLedger::MembersOf(NodeId event) const {
  std::set<NodeId> ids;
  for (const Member& m : members)
    if (m.event == event) ids.insert(m.node);
  return ToList(ids);
}

std::vector<NodeId> FlatLedger::LabelsOf(NodeId event) const {
  std::set<NodeId> ids;
  for (const Label& l : labels)
    if (l.event == event) ids.insert(l.outcome);
  return ToList(ids);
}

std::vector<std::string> FlatLedger::TypesOf(NodeId event) const {
  std::set<std::string> types;
  for (const Label& l : labels)
    if (l.event == event) types.insert(l.type);
  return {types.begin(), types.end()};
}

std::vector<std::string> FlatLedger::TypesAround(NodeId member) const {
  std::set<std::string> types;
  for (const NodeId event : EventsOf(member))
    for (const std::string& type : TypesOf(event)) types.insert(type);
  return {types.begin(), types.end()};
}

std::vector<FlatLedger::Neighbor> FlatLedger::ComposedWith(NodeId member) const {
  std::vector<Neighbor> found;
  std::set<NodeId> others;
  for (const NodeId event : EventsOf(member))
    for (const NodeId other : MembersOf(event))
      if (other != member) others.insert(other);
  for (const NodeId other : others) {
    Neighbor neighbor{other, 0, std::nullopt};
    for (const NodeId event : EventsOf(member)) {
      const auto with = MembersOf(event);
      if (!std::ranges::binary_search(with, other)) continue;
      ++neighbor.composed;
      neighbor.latest = std::max(neighbor.latest, TimeOf(event));
    }
    found.push_back(neighbor);
  }
  std::ranges::sort(found, [](const Neighbor& a, const Neighbor& b) {
    if (a.composed != b.composed) return a.composed > b.composed;
    if (a.latest != b.latest) return a.latest > b.latest;
    return a.node < b.node;
  });
  return found;
}

}  // namespace plexus::reference
