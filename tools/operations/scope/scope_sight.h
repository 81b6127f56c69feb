// Which nodes and edges belong only to scopes, and which of the index plane they may see.
//
// Facts are seen by their scope. Of a tag, term, file or session, which scopes share, the key alone
// is seen, where a fact of the scopes or an event that is seen has it. Any other index node, such
// as an event, is seen when all facts that it names are of the scopes and none was removed (those
// have no scope); an outcome, which names no fact, by its events. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/snapshot.h"

namespace plexus::tools {

enum class Seen : std::uint8_t {
  kNot,
  kShared,  // its key, and its edges to what is seen whole
  kAll,
};

class ScopeSight {
 public:
  ScopeSight(Snapshot snapshot, std::span<const std::string> scopes)
      : snapshot_(std::move(snapshot)), scopes_(scopes.begin(), scopes.end()) {}

  const Snapshot& snapshot() const { return snapshot_; }
  // Whether the node's scope is one of them. REQUIRES it is alive: a removed one has none.
  bool InScopes(NodeId node) const;
  // What is seen of a node. Cost: its row, or as much of it as decides.
  Seen Of(NodeId node) const { return Of(node, false); }
  // Of all nodes. O(nodes and edges of the scopes, and rows of the index nodes there).
  std::vector<Seen> All() const;
  // An edge between nodes of which so much is seen. One between shared words says nothing about
  // whose it is.
  static bool EdgeSeen(Seen source, Seen target) {
    return source != Seen::kNot && target != Seen::kNot &&
           (source == Seen::kAll || target == Seen::kAll);
  }
  // tag, term, file, session.
  static bool IsShared(NodeKindId kind);

 private:
  Seen Of(NodeId node, bool has_fact) const;

  Snapshot snapshot_;
  std::vector<std::string> scopes_;
};

}  // namespace plexus::tools
