// Every change in the plainest words.
#include "tests/service/world.h"

#include <algorithm>
#include <sstream>

namespace plexus::service_test {
using namespace builtin;

bool Symmetric(EdgeKindId kind) { return kind == kContradicts; }
bool IsVictim(const std::string& key) { return key.starts_with("victim"); }

WorldEdge Stored(std::string source, EdgeKindId kind, std::string target, std::string label) {
  if (Symmetric(kind) && target < source) std::swap(source, target);
  return {std::move(source), kind, std::move(target), std::move(label)};
}

std::map<std::string, double> WordsOf(const std::string& text) {
  std::map<std::string, double> words;
  std::istringstream in(text);
  for (std::string word; in >> word;) ++words[word];
  return words;
}

WorldNode& World::Make(const std::string& key) {
  WorldNode& node = nodes[key];
  if (node.alive) return node;
  node.alive = true;
  node.created_at = time_ms;
  return node;
}

void World::Remove(const std::string& key) {
  nodes.erase(key);
  std::erase_if(edges,
                [&](const auto& e) { return e.first.source == key || e.first.target == key; });
}

void World::Do(const std::vector<Op>& ops, std::int64_t time) {
  time_ms = std::max(time_ms, time);
  for (const Op& op : ops) {
    const bool makes = op.what != Op::kRemove && op.what != Op::kUntag && op.what != Op::kCut &&
                       op.what != Op::kClearText && op.what != Op::kClearVector &&
                       op.what != Op::kClearTrust && op.what != Op::kUse && op.what != Op::kOutcome;
    if (makes) Make(op.key);
    const auto found = nodes.find(op.key);
    WorldNode* node = found == nodes.end() ? nullptr : &found->second;
    switch (op.what) {
      case Op::kMake:
        break;
      case Op::kRemove:
        Remove(op.key);
        break;
      case Op::kText:
        node->text = op.text;
        node->terms = WordsOf(op.text);
        break;
      case Op::kClearText:
        if (node) node->text.reset(), node->terms.clear();
        break;
      case Op::kVector:
        node->vectors[static_cast<std::size_t>(op.number)] = op.values;
        break;
      case Op::kClearVector:
        if (node) node->vectors[static_cast<std::size_t>(op.number)].clear();
        break;
      case Op::kTag:
        node->tags.insert(op.text);
        break;
      case Op::kUntag:
        if (node) node->tags.erase(op.text);
        break;
      case Op::kConnect: {
        Make(op.other);
        const auto [it, fresh] =
            edges.try_emplace(Stored(op.key, kKinds[op.number], op.other, op.text));
        if (fresh) it->second.created_at = time_ms;
        it->second.weight = static_cast<float>(op.value);
        it->second.valid_from = op.from;
        it->second.valid_until = op.until;
        break;
      }
      case Op::kCut:
        edges.erase(Stored(op.key, kKinds[op.number], op.other, op.text));
        break;
      case Op::kTrustIs:
        node->trust = op.value;
        break;
      case Op::kClearTrust:
        if (node) node->trust.reset();
        break;
      case Op::kCount:
        node->count = node->count.value_or(0) + static_cast<std::int64_t>(op.value);
        break;
      case Op::kScopeIs:
        node->scope = op.text;
        break;
      case Op::kUse: {
        WorldEvent& event = events[op.text];
        event.created_at = op.from;
        event.members.insert(op.members.begin(), op.members.end());
        break;
      }
      case Op::kOutcome:
        events[op.key].outcomes.insert({op.text, op.from});
        break;
    }
  }
}

}  // namespace plexus::service_test
