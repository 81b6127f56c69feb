// What a snapshot shows against the world, node by node and question by question.
//
// Every check gives what differs, in words; "" when all is right. Questions are answered a second
// time by brute force, over the world alone (tests/reference).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/snapshot.h"
#include "tests/reference/flat_graph.h"
#include "tests/service/script.h"
#include "tests/service/settings.h"
#include "tests/service/world.h"

namespace plexus::service_test {

inline bool Near(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)});
}

// How the nodes that a purge takes are looked at.
enum class Victims {
  kExact,
  kMayLackContent,  // a purge may have begun: texts, vectors, tags and words may be gone
  kIgnored,         // a view of the past: they may be gone altogether
};

struct Allowed {
  Victims victims = Victims::kExact;
  bool no_texts = false;    // the graph has no store of its own
  bool unreadable = false;  // payloads cannot be read: closed, or files are renewed in this moment
  bool prefilters = true;   // compare the pre-filtered answers
};

class Checker {
 public:
  // Looks at the counts at once: see wrong().
  Checker(const Snapshot& snapshot, const World& world, Allowed allowed = {});

  const std::string& wrong() const { return wrong_; }
  std::string Full() const;                // every node and edge
  std::string Some(Chance& chance) const;  // a few nodes, all that they have
  std::string Ask(Chance& chance) const;   // one question

  // --- ask_*.cc
  std::string Nearest(Chance& chance) const;
  std::string Bm25(Chance& chance) const;
  std::string Recall(Chance& chance) const;
  std::string Traverse(Chance& chance) const;
  std::string Conflicts(Chance& chance) const;
  std::string PageRank(Chance& chance) const;
  std::string NeverComposed(Chance& chance) const;
  std::string Where(Chance& chance) const;
  std::string Scan(Chance& chance) const;
  std::string Event(Chance& chance) const;

 private:
  bool Ignored(const std::string& key) const {
    return allowed_.victims == Victims::kIgnored && IsVictim(key);
  }
  bool MayLack(const std::string& key) const {
    return allowed_.victims != Victims::kExact && IsVictim(key);
  }
  std::string Node(const std::string& key, const WorldNode& node, NodeId id) const;
  std::string Content(const std::string& key, const WorldNode& node, NodeId id) const;
  std::string Words(const std::string& key, const WorldNode& node, NodeId id) const;
  std::string Arcs(const std::string& key, NodeId id) const;
  // A node that the world has, by chance; with its id.
  std::pair<std::string, NodeId> Draw(Chance& chance) const;
  std::int64_t DrawTime(Chance& chance) const;
  reference::FlatGraph Flat(std::int64_t valid_at = kNoTime) const;
  std::vector<bool> Visible(std::int64_t now) const;
  std::string KeyOf(NodeId node) const { return std::string(snapshot_.key(node)); }

  const Snapshot& snapshot_;
  const World& world_;
  const Allowed allowed_;
  std::map<std::string, NodeId> ids_;
  bool victims_ = false;  // the world has some
  std::string wrong_;
};

}  // namespace plexus::service_test
