// KnowledgeGraph: entities and relations as MCP's memory server has them, read from a graph and
// kept in RAM, so that its clients need not wait for the store.
//
// Which nodes and edges are entities and relations, and in which order, is what the memory file of
// that server would hold (storage/formats/json/mcp_memory.h): a node that only relations mention
// is no entity. Everything is by name, so it holds for any copy of the same graph. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "engine/error.h"
#include "engine/snapshot.h"
#include "tools/operations/framework/time_limit.h"

namespace plexus::tools::server {

struct KnowledgeEntity {
  std::string name, type;
  std::vector<std::string> observations;
  std::uint64_t place = 0;            // its order, then by name
  mutable std::size_t folded_at = 0;  // where its texts begin in what is searched
};

struct KnowledgeRelation {
  std::string from, to, type;
  std::uint64_t place = 0;
};

// What a call shows: entities, and relations with at least one end among them.
struct KnowledgePart {
  std::vector<const KnowledgeEntity*> entities;
  std::vector<const KnowledgeRelation*> relations;
};

class KnowledgeGraph {
 public:
  // Reads all of it. Errors: those of payloads, kCancelled: `limit` is up, and it is not whole.
  Status Read(const Snapshot& snapshot, TimeLimit& limit);
  // Takes what a node, or an edge between two, has become.
  Status UpdateNode(const Snapshot& snapshot, std::string_view name);
  Status UpdateRelation(const Snapshot& snapshot, const ArcFilter& facts, std::string_view from,
                        std::string_view to, std::string_view type);

  const KnowledgeEntity* Find(std::string_view name) const;
  bool HasRelation(std::string_view from, std::string_view to, std::string_view type) const;
  KnowledgePart All() const;
  KnowledgePart Open(const std::vector<std::string_view>& names) const;
  // Entities that hold the words as they stand, in any case. kCancelled: `limit` is up.
  Result<KnowledgePart> Search(std::string_view words, TimeLimit& limit) const;
  // Of equal graphs it is equal, of others most likely not. O(1).
  std::size_t state() const { return state_; }

 private:
  struct ByPlace {
    bool operator()(const KnowledgeEntity& a, const KnowledgeEntity& b) const {
      return std::tie(a.place, a.name) < std::tie(b.place, b.name);
    }
    bool operator()(const KnowledgeRelation& a, const KnowledgeRelation& b) const {
      return std::tie(a.place, a.from, a.to, a.type) < std::tie(b.place, b.from, b.to, b.type);
    }
    template <class T>
    bool operator()(const T* a, const T* b) const {
      return (*this)(*a, *b);
    }
  };
  using Triple = std::tuple<std::string_view, std::string_view, std::string_view>;
  void Insert(KnowledgeEntity entity);
  void Drop(std::string_view name);
  void Drop(const KnowledgeRelation* relation);
  Status Add(const Snapshot& snapshot, const Edge& edge);
  KnowledgePart With(std::vector<const KnowledgeEntity*> entities) const;
  void ForgetFolded(const KnowledgeEntity& entity);

  std::set<KnowledgeEntity, ByPlace> entities_;
  std::set<KnowledgeRelation, ByPlace> relations_;
  // Views of what the sets hold, whose elements stay where they are.
  std::unordered_map<std::string_view, const KnowledgeEntity*> by_name_;
  std::map<Triple, const KnowledgeRelation*> by_triple_;
  std::unordered_map<std::string, std::set<const KnowledgeRelation*, ByPlace>> by_end_;
  // What is searched: of each entity name, type and observations without regard to case, NUL behind
  // each, in one text; by its beginning the entity, and where its part ends.
  struct Folded {
    const KnowledgeEntity* entity;
    std::size_t end;
  };
  std::string folded_;
  std::map<std::size_t, Folded> folded_parts_;
  std::size_t unused_ = 0;  // bytes of it whose entities are gone
  std::size_t state_ = 0;   // the sum of the hashes of all entities and relations
};

// kCancelled: the time is up, or the request was cancelled.
Status CheckLimit(TimeLimit& limit);

// The alive fact of that key.
std::optional<NodeId> FindFact(const Snapshot& snapshot, std::string_view name);
// Arcs of facts. Costs as much as there are kinds: once a call.
ArcFilter FactArcs(const Snapshot& snapshot);
// Edges that hold the relation as it was written. `facts`: FactArcs.
std::vector<Edge> EdgesOfRelation(const Snapshot& snapshot, const ArcFilter& facts,
                                  std::string_view from, std::string_view to,
                                  std::string_view type);

}  // namespace plexus::tools::server
