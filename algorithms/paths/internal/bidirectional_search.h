// PointSearch: one cheapest path between two nodes, searched from both ends.
//
// Each end keeps the nodes it reached in one array and a map from node to place.
// By hops it grows whole levels, the smaller one first: the first level that reaches the other side
// is exact. By cost it is Dijkstra with labels (cost, hops) in lexicographic order, which also
// makes edges of cost 0 harmless; it stops when the two smallest open labels together cannot beat
// the best meeting.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/common/internal/node_map.h"
#include "algorithms/paths/internal/path_query.h"

namespace plexus::paths::internal {

class PointSearch {
 public:
  explicit PointSearch(PathWalk& walk);

  // The path, or nothing when none exists or the budget ran out.
  Result<std::optional<FoundPath>> Run();

 private:
  // A node reached from one end; the arc was seen in the row of its parent.
  struct Reach {
    NodeId node = kNoNode;
    std::uint32_t parent = common_internal::NodeMap::kAbsent;
    Length length;
    bool settled = false;
    Arc arc{};
  };
  struct Open {
    Length length;
    NodeId node;
    std::uint32_t place;
    bool operator>(const Open& o) const {
      return length != o.length ? length > o.length : node > o.node;
    }
  };
  struct Side {
    explicit Side(NodeId node_count) : places(node_count) {}
    common_internal::NodeMap places;
    std::vector<Reach> reached;
    std::vector<Open> heap;
    bool backward = false;
    std::size_t level = 0;  // by hops: the open level begins here
  };
  struct Meeting {
    Length length;
    std::uint32_t forward, backward;
  };

  void ByHops();
  Status ByCost();
  void GrowLevel(Side& side, Side& other);
  Status Settle(Side& side, Side& other);
  void Reached(Side& side, Side& other, NodeId node, std::uint32_t parent, Length length,
               const Arc& arc);
  std::size_t Held() const;  // nodes reached from both ends
  FoundPath Spell() const;

  PathWalk& walk_;
  Side forward_, backward_;
  std::optional<Meeting> best_;
};

}  // namespace plexus::paths::internal
