// Suggestions look at a bounded number of keys, so a typo stays cheap.
#include "tools/operations/names.h"

#include <algorithm>

#include "engine/vocabulary.h"
#include "tools/operations/framework/arguments.h"
#include "tools/operations/reply/human_format.h"

namespace plexus::tools {
namespace {

constexpr NodeId kKeysLookedAt = 1'000'000;
constexpr std::size_t kHeadBytes = 256;
constexpr std::string_view kVerbatim = "key:";

std::string NearestKey(const Snapshot& snapshot, std::string_view key) {
  constexpr std::size_t kLongest = 128;  // bytes; nobody slips in what is longer and looks at it
  if (key.size() > kLongest) return {};
  const NodeId end = std::min(snapshot.node_count(), kKeysLookedAt);
  std::size_t best = key.size() < 4 ? 2 : key.size() < 9 ? 3 : 4;  // edits, exclusive
  std::optional<NodeId> nearest;
  for (NodeId node = 0; node < end && best > 1; ++node) {
    if (!snapshot.alive(node)) continue;
    const std::size_t distance = EditDistance(key, snapshot.key(node), best - 1);
    if (distance >= best || distance >= snapshot.key(node).size()) continue;
    best = distance;
    nearest = node;
  }
  return nearest ? "; did you mean '" + ShownKey(snapshot, *nearest) + "'?" : std::string();
}

// The index node that is shown as `key` and alive.
std::optional<NodeId> ShownIndexNode(const Snapshot& snapshot, std::string_view key) {
  const std::string stored = StoredKey(snapshot.schema(), key);
  if (stored == key) return std::nullopt;
  const auto node = snapshot.Find(stored);
  return node && snapshot.alive(*node) ? node : std::nullopt;
}

}  // namespace

std::string StoredKey(const Schema& schema, std::string_view key) {
  const std::size_t colon = key.find(':');
  if (colon == std::string_view::npos || colon + 1 == key.size()) return std::string(key);
  const auto kind = schema.FindNodeKind(key.substr(0, colon));
  if (!kind || schema.node_kind(*kind).plane != Plane::kIndex) return std::string(key);
  return IndexKey(schema.node_kind(*kind).name, key.substr(colon + 1));
}

// Every node stays reachable: a key that means another node is
// that node's with "key:" before it, however many of these the key begins with itself. One
// look-up for each.
std::optional<NodeId> MeantNode(const Snapshot& snapshot, std::string_view key) {
  if (key.size() > kVerbatim.size() + plexus::Limits::kMaxKeyBytes) return std::nullopt;
  if (key.starts_with(kVerbatim)) {
    const std::string_view rest = key.substr(kVerbatim.size());
    const auto node = snapshot.Find(rest);
    // An index node of that name, gone or not.
    const std::string stored = StoredKey(snapshot.schema(), rest);
    const bool was_index = stored != rest && snapshot.Find(stored);
    if (node && (was_index || MeantNode(snapshot, rest) != node)) return node;
  }
  if (const auto node = ShownIndexNode(snapshot, key)) return node;
  if (const auto node = snapshot.Find(key)) return node;
  return snapshot.Find(StoredKey(snapshot.schema(), key));
}

Result<NodeId> FindNode(const Snapshot& snapshot, std::string_view key) {
  if (const auto node = MeantNode(snapshot, key)) return *node;
  return NotFound("no node ", Quoted(key), NearestKey(snapshot, key));
}

Result<NodeId> FindAliveNode(const Snapshot& snapshot, std::string_view key) {
  PLEXUS_ASSIGN(const NodeId node, FindNode(snapshot, key));
  if (snapshot.alive(node)) return node;
  const char* how = snapshot.purged(node) ? "purged" : "removed";
  return NotFound("node ", Quoted(key), " was ", how, "; 'plexus history' tells when");
}

Result<std::vector<NodeId>> FindAliveNodes(const Snapshot& snapshot,
                                           std::span<const std::string> keys) {
  std::vector<NodeId> nodes;
  for (const std::string& key : keys) {
    PLEXUS_ASSIGN(const NodeId node, FindAliveNode(snapshot, key));
    nodes.push_back(node);
  }
  return nodes;
}

Result<std::vector<NodeWeight>> FindSeeds(const Snapshot& snapshot,
                                          std::span<const std::string> texts) {
  std::vector<NodeWeight> seeds;
  for (const std::string& text : texts) {
    const WeightedKey given = SplitWeight(text);
    PLEXUS_ASSIGN(const NodeId node, FindAliveNode(snapshot, given.key));
    seeds.push_back({node, given.weight});
  }
  return seeds;
}

std::string UnknownTag(const Snapshot& snapshot, std::span<const std::string> tags) {
  const auto is_tag = [&](NodeId v) {
    return snapshot.alive(v) && snapshot.node_kind(v) == builtin::kTag;
  };
  std::vector<std::string> names;  // of all tags, once they are asked for
  for (const std::string& tag : tags) {
    const auto exact = snapshot.Find(IndexKey("tag", tag));
    if (exact && snapshot.alive(*exact)) continue;
    if (names.empty())
      for (NodeId v = 0; v < snapshot.node_count(); ++v)
        if (is_tag(v)) names.emplace_back(DisplayName(snapshot.key(v)));
    const std::string begin = tag + ":";
    const auto begins = [&](const std::string& name) { return name.starts_with(begin); };
    if (std::ranges::any_of(names, begins)) continue;
    return "no tag " + Quoted(tag) + DidYouMean(tag, names);
  }
  return "";
}

std::vector<std::string> EdgeKindNames(const Schema& schema) {
  std::vector<std::string> names;
  for (const EdgeKind& kind : schema.edge_kinds()) {
    if (!kind.name.empty()) names.push_back(kind.name);
    if (!kind.inverse.empty()) names.push_back(kind.inverse);
  }
  return names;
}

std::vector<std::string> NodeKindNames(const Schema& schema) {
  std::vector<std::string> names;
  for (const NodeKind& kind : schema.node_kinds())
    if (!kind.name.empty()) names.push_back(kind.name);
  return names;
}

Result<Schema::EdgeKindMatch> FindEdgeKind(const Schema& schema, const std::string& name) {
  if (const auto match = schema.FindEdgeKind(name)) return *match;
  return Invalid("no edge kind ", Quoted(name), DidYouMean(name, EdgeKindNames(schema)));
}

Result<EdgeKinds> FindEdgeKinds(const Schema& schema, std::span<const std::string> names) {
  EdgeKinds kinds;
  for (const std::string& name : names) {
    PLEXUS_ASSIGN(const auto match, FindEdgeKind(schema, name));
    if (std::ranges::find(kinds, match.kind) == kinds.end()) kinds.push_back(match.kind);
  }
  return kinds;
}

Result<std::vector<NodeKindId>> FindNodeKinds(const Schema& schema,
                                              std::span<const std::string> names) {
  std::vector<NodeKindId> kinds;
  for (const std::string& name : names) {
    const auto kind = schema.FindNodeKind(name);
    if (!kind)
      return Invalid("no node kind ", Quoted(name), DidYouMean(name, NodeKindNames(schema)));
    kinds.push_back(*kind);
  }
  return kinds;
}

void NoteIndexNodes(std::vector<Note>& notes, const Snapshot& snapshot,
                    std::span<const NodeId> nodes, const EdgeKinds& kinds) {
  const Schema& schema = snapshot.schema();
  const ArcFilter followed = ArcFilter::Kinds(schema, kinds);
  for (const NodeId node : nodes) {
    if (snapshot.is_fact(node)) continue;
    bool meets = false;
    std::string hint;  // a kind that it has an edge of
    snapshot.ForEachArc(Direction::kBoth, node, ArcFilter::All(), [&](const Arc& arc) {
      meets = followed.allows(arc.kind);
      if (hint.empty()) hint = ", such as " + schema.edge_kind(arc.kind).name;
      return !meets;
    });
    if (!meets)
      notes.push_back(
          {"'" + ShownKey(snapshot, node) +
           "' is of the index plane, and none of the edge kinds followed touches it; name one "
           "that does" +
           hint});
  }
}

std::string ShownKey(const Snapshot& snapshot, NodeId node) {
  std::string key(snapshot.key(node));
  const std::size_t at = key.find(kIndexSeparator);
  if (at != std::string::npos)
    key[at] = ':';
  else if (key.find(':') != std::string::npos && MeantNode(snapshot, key) != node)
    key.insert(0, kVerbatim);
  return key;
}

std::string TextHead(const Snapshot& snapshot, NodeId node) {
  if (!snapshot.payload_ref(node, NodeField::kText)) return {};
  const Result<std::string> text = snapshot.Payload(node, NodeField::kText);
  if (!text) return {};
  std::string head = text->substr(0, text->find('\n'));
  if (head.size() > kHeadBytes) {
    std::size_t end = kHeadBytes;  // back to the start of a character
    while (end > 0 && (static_cast<unsigned char>(head[end]) & 0xC0) == 0x80) --end;
    head.resize(end);
  }
  return head;
}

std::string ShownName(const Snapshot& snapshot, NodeId node) {
  std::string head = TextHead(snapshot, node);
  return head.empty() ? ShownKey(snapshot, node) : head;
}

std::string ShortName(const Snapshot& snapshot, NodeId node) {
  const std::string head = TextHead(snapshot, node);
  if (head.empty()) return ShownKey(snapshot, node);
  return Cut(head.substr(0, head.find(", ")), 40);
}

}  // namespace plexus::tools
