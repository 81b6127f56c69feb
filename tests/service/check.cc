// Every node with all that it has, and no other.
#include "tests/service/check.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "algorithms/memory/ledger/ledger.h"
#include "tests/support/vector_values.h"

namespace plexus::service_test {
using namespace builtin;

namespace {

std::string Text(const WorldEdge& edge, const WorldEdgeValue& value) {
  std::ostringstream out;
  out << edge.source << " -" << edge.kind << "-> " << edge.target << " '" << edge.label
      << "' weight " << value.weight << " made " << value.created_at << " valid "
      << value.valid_from << ".." << value.valid_until;
  return out.str();
}

template <class T>
std::string Difference(const std::set<T>& expected, const std::set<T>& seen) {
  for (const T& e : expected)
    if (!seen.contains(e)) return "lacks " + e;
  for (const T& e : seen)
    if (!expected.contains(e)) return "has " + e + " too many";
  return "";
}

}  // namespace

Checker::Checker(const Snapshot& snapshot, const World& world, Allowed allowed)
    : snapshot_(snapshot), world_(world), allowed_(allowed) {
  std::uint64_t nodes = 0, edges = 0;
  for (const auto& [key, node] : world.nodes) {
    victims_ |= IsVictim(key);
    const auto found = snapshot.Find(key);
    if (Ignored(key)) continue;
    ++nodes;
    if (found && snapshot.alive(*found))
      ids_[key] = *found;
    else if (wrong_.empty())
      wrong_ = key + " is not there";
  }
  for (const auto& [edge, value] : world.edges)
    edges += !Ignored(edge.source) && !Ignored(edge.target);
  if (!wrong_.empty() || allowed.victims == Victims::kIgnored) return;
  if (snapshot.CountNodes(Plane::kFact) != nodes)
    wrong_ = std::to_string(snapshot.CountNodes(Plane::kFact)) + " nodes instead of " +
             std::to_string(nodes);
  else if (snapshot.CountEdges(Plane::kFact) != edges)
    wrong_ = std::to_string(snapshot.CountEdges(Plane::kFact)) + " edges instead of " +
             std::to_string(edges);
}

std::pair<std::string, NodeId> Checker::Draw(Chance& chance) const {
  const auto it = std::next(ids_.begin(), static_cast<std::ptrdiff_t>(chance.Below(ids_.size())));
  return *it;
}

std::int64_t Checker::DrawTime(Chance& chance) const {
  return world_.time_ms - 6000 + static_cast<std::int64_t>(chance.Below(12000));
}

std::string Checker::Node(const std::string& key, const WorldNode& node, NodeId id) const {
  const auto bad = [&](const std::string& what) { return key + ": " + what; };
  if (snapshot_.key(id) != key) return bad("another key");
  if (snapshot_.node_kind(id) != kMemory) return bad("another kind");
  if (snapshot_.i64(kCreatedAt, id) != node.created_at)
    return bad("created_at " + std::to_string(snapshot_.i64(kCreatedAt, id).value_or(0)) +
               " instead of " + std::to_string(node.created_at));
  if (snapshot_.f64(kTrust, id) != node.trust) return bad("trust");
  if (snapshot_.i64(kAccessCount, id) != node.count)
    return bad("access_count " + std::to_string(snapshot_.i64(kAccessCount, id).value_or(-1)) +
               " instead of " + std::to_string(node.count.value_or(-1)));
  if (snapshot_.scope(id) != node.scope.value_or("user")) return bad("scope");
  std::string wrong = Content(key, node, id);
  if (wrong.empty()) wrong = Words(key, node, id);
  if (wrong.empty()) wrong = Arcs(key, id);
  return wrong.empty() ? "" : bad(wrong);
}

std::string Checker::Content(const std::string& key, const WorldNode& node, NodeId id) const {
  if (!allowed_.no_texts) {
    const auto text = snapshot_.Payload(id, NodeField::kText);
    const bool none = !text && text.error().code == ErrorCode::kNotFound;
    const bool unreadable =
        !text && allowed_.unreadable && text.error().code == ErrorCode::kFailedPrecondition;
    if (unreadable) {
      ++TheBoard().excused;
    } else if (node.text) {
      if (!text && !(none && MayLack(key)))
        return "text '" + *node.text + "' cannot be read: " + text.error().ToString();
      if (text && *text != *node.text)
        return "text '" + *text + "' instead of '" + *node.text + "'";
    } else if (!none) {
      return text ? "text '" + *text + "' where there is none" : text.error().ToString();
    }
  }
  for (int i = 0; i < kSpaces; ++i) {
    const auto space = snapshot_.schema().FindSpace(kSpaceNames[i]);
    if (!space) return "there is no space";
    const auto view = snapshot_.vectors(*space);
    if (!view && allowed_.unreadable && view.error().code == ErrorCode::kFailedPrecondition)
      continue;
    if (!view) return "vectors: " + view.error().ToString();
    const std::vector<float> seen = testing::VectorOf(**view, id);
    if (seen.empty() && MayLack(key)) continue;
    if (seen != node.vectors[static_cast<std::size_t>(i)])
      return std::string("vector of ") + kSpaceNames[i] +
             (seen.empty()                                        ? " is not there"
              : node.vectors[static_cast<std::size_t>(i)].empty() ? " is there"
                                                                  : " is another");
  }
  return "";
}

std::string Checker::Words(const std::string& key, const WorldNode& node, NodeId id) const {
  std::set<std::string> tags, words;
  const EdgeKindId kinds[] = {kHasTag, kHasTerm};
  snapshot_.ForEachArc(Direction::kOut, id, ArcFilter::Kinds(snapshot_.schema(), kinds),
                       [&](const Arc& arc) {
                         const std::string name(DisplayName(snapshot_.key(arc.neighbor)));
                         if (arc.kind == kHasTag)
                           tags.insert(name);
                         else
                           words.insert(name + "*" + std::to_string(static_cast<int>(arc.weight)));
                       });
  if (MayLack(key)) return "";  // a feed tells no tags and words of what is purged later
  std::set<std::string> terms;
  for (const auto& [word, times] : node.terms)
    terms.insert(word + "*" + std::to_string(static_cast<int>(times)));
  if (const std::string wrong = Difference(node.tags, tags); !wrong.empty())
    return "tags: " + wrong;
  if (const std::string wrong = Difference(terms, words); !wrong.empty()) return "words: " + wrong;
  return "";
}

std::string Checker::Arcs(const std::string& key, NodeId id) const {
  for (const Direction direction : {Direction::kOut, Direction::kIn}) {
    std::set<std::string> expected, seen;
    for (const auto& [edge, value] : world_.edges) {
      const bool here = edge.source == key, there = edge.target == key;
      if (!here && !there) continue;
      if (!Symmetric(edge.kind) && !(direction == Direction::kOut ? here : there)) continue;
      if (Ignored(edge.source) || Ignored(edge.target)) continue;
      expected.insert(Text(edge, value));
    }
    snapshot_.ForEachArc(
        direction, id, ArcFilter::Kinds(snapshot_.schema(), {}), [&](const Arc& arc) {
          const Edge e = snapshot_.edge(arc, id);
          const std::string source = KeyOf(e.source), target = KeyOf(e.target);
          if (Ignored(source) || Ignored(target)) return;
          seen.insert(Text(Stored(source, e.kind, target, std::string(snapshot_.string(e.label))),
                           {e.weight, e.created_at, e.valid_from, e.valid_until}));
        });
    if (const std::string wrong = Difference(expected, seen); !wrong.empty())
      return direction == Direction::kOut ? "out arcs: " + wrong : "in arcs: " + wrong;
  }
  return "";
}

std::string Checker::Full() const {
  ++TheBoard().full;
  for (const auto& [key, id] : ids_)
    if (std::string wrong = Node(key, world_.nodes.at(key), id); !wrong.empty()) return wrong;
  std::uint64_t edges = 0;
  snapshot_.ForEachEdge(ArcFilter::Kinds(snapshot_.schema(), {}), [&](const Edge&) { ++edges; });
  if (allowed_.victims != Victims::kIgnored && edges != world_.edges.size())
    return "a scan gives " + std::to_string(edges) + " edges instead of " +
           std::to_string(world_.edges.size());
  return "";
}

std::string Checker::Some(Chance& chance) const {
  for (int i = 0; i < 10; ++i) {
    const auto [key, id] = Draw(chance);
    if (std::string wrong = Node(key, world_.nodes.at(key), id); !wrong.empty()) return wrong;
  }
  const std::string absent = MemoryKey(chance.Below(1000));
  const auto found = snapshot_.Find(absent);
  if (!world_.nodes.contains(absent) && found && snapshot_.alive(*found))
    return absent + " is there";
  return "";
}

std::string Checker::Event(Chance& chance) const {
  if (world_.events.empty() || allowed_.no_texts) return "";
  const auto& [id, event] = *std::next(
      world_.events.begin(), static_cast<std::ptrdiff_t>(chance.Below(world_.events.size())));
  const auto node = memory::FindEvent(snapshot_, id);
  if (!node) return "event " + id + ": " + node.error().ToString();
  const auto details = memory::GetEvent(snapshot_, *node);
  if (!details) {
    if (allowed_.unreadable && details.error().code == ErrorCode::kFailedPrecondition) return "";
    return "event " + id + ": " + details.error().ToString();
  }
  if (details->event.created_at != event.created_at) return "event " + id + ": created_at";
  std::set<std::string> expected, seen;
  for (const auto& [key, role] : event.members) expected.insert(key + " as " + role);
  for (const memory::LedgerMember& m : details->members)
    seen.insert(KeyOf(m.node) + " as " + m.role);
  if (const std::string wrong = Difference(expected, seen); !wrong.empty())
    return "event " + id + ": " + wrong;
  expected.clear();
  seen.clear();
  for (const auto& [type, at] : event.outcomes) expected.insert(type + " " + std::to_string(at));
  for (const memory::LedgerOutcome& o : details->outcomes)
    seen.insert(o.type + " " + std::to_string(o.labeled_at.value_or(0)));
  if (const std::string wrong = Difference(expected, seen); !wrong.empty())
    return "outcomes of event " + id + ": " + wrong;
  return "";
}

std::string Checker::Ask(Chance& chance) const {
  ++TheBoard().questions;
  const std::uint64_t drawn = chance.Below(64);
  // What is dear is asked seldom.
  if (drawn < 20) return Nearest(chance);
  if (drawn < 28) return Bm25(chance);
  if (drawn < 36) return Traverse(chance);
  if (drawn < 41) return Recall(chance);
  if (drawn < 47) return Where(chance);
  if (drawn < 52) return Scan(chance);
  if (drawn < 57) return Event(chance);
  if (drawn < 60) return Conflicts(chance);
  if (drawn < 63) return PageRank(chance);
  return NeverComposed(chance);
}

}  // namespace plexus::service_test
