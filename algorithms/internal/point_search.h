// PointSearch: one cheapest path between two nodes, searched from both ends.
//
// Each end keeps the nodes it reached in one array and a map from node to place.
// By hops it grows whole levels, the smaller one first: the first level that meets
// the other side is exact. By cost it is Dijkstra with labels (cost, hops) in
// lexicographic order, which also makes edges of cost 0 harmless; it stops when
// the two smallest open labels together cannot beat the best meeting.
//
// `Bans` is what Yen's algorithm takes away before it searches again.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/internal/node_map.h"
#include "algorithms/internal/selection.h"
#include "algorithms/shortest_path.h"

namespace plexus::internal {

struct Bans {
  const NodeMap* nodes = nullptr;  // its keys are not entered
  std::span<const NodeId> next;    // not entered directly from the start
};

class PointSearch {
 public:
  PointSearch(const Selection& selection, const ShortestPathOptions& options, NodeId from,
              NodeId to, const Bans& bans, std::uint64_t edges_before);

  // The path, or nothing when there is none or the budget ran out.
  Result<std::optional<FoundPath>> Run();

  bool truncated() const { return truncated_; }
  std::uint64_t edges() const { return edges_; }  // edges_before included

 private:
  struct Length {
    double cost = 0;
    std::uint32_t hops = 0;
    auto operator<=>(const Length&) const = default;
    Length operator+(const Length& o) const { return {cost + o.cost, hops + o.hops}; }
  };
  // A node reached from one end; the arc was seen in the row of its parent.
  struct Reach {
    NodeId node = kNoNode;
    std::uint32_t parent = NodeMap::kAbsent;
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
    NodeMap places;
    std::vector<Reach> reached;
    std::vector<Open> heap;
    Direction direction = Direction::kOut;
    bool backward = false;
    std::size_t level = 0;  // by hops: the open level begins here
  };
  struct Meeting {
    Length length;
    std::uint32_t forward, backward;
  };

  Status ByHops();
  Status ByCost();
  void GrowLevel(Side& side, Side& other);
  Status Settle(Side& side, Side& other);
  void Reached(Side& side, Side& other, NodeId node, std::uint32_t parent, Length length,
               const Arc& arc);
  bool MayEnter(const Side& side, NodeId from, NodeId to) const;
  bool Spend();  // one arc; false when the budget is gone
  bool Look();   // the same of the time
  // Cost of an arc between `from` and `to` in walking order; nullopt = closed.
  Result<std::optional<double>> Cost(const Arc& arc, NodeId from, NodeId to) const;
  FoundPath Spell() const;

  const Selection& selection_;
  const ShortestPathOptions& options_;
  const NodeId from_, to_;
  const Bans& bans_;
  Side forward_, backward_;
  std::optional<Meeting> best_;
  bool truncated_ = false;
  std::uint64_t edges_, looked_;
};

}  // namespace plexus::internal
