// KShortestPaths: after the cheapest path between two nodes, the next ones, one at a time.
//
// Yen (1971) with Lawler's rule (1972). Every path listed represents a set of paths: those
// that begin as it does up to the node where it left its parent and take none of the
// steps already taken there. Its next ones are split by the node where they leave it, so the sets
// are disjoint and no path is found twice. What is open is kept in a heap by a lower bound of its
// cheapest path, and only the lowest is searched. (Kurz and Mutzel, "A sidetrack-based algorithm
// for finding the k shortest simple paths in a directed graph", 2016, postpone in the same way;
// Feng, "Finding k shortest simple paths in directed graphs: a node classification algorithm",
// 2014, classifies the tree paths that avoid the beginning.)
//
// A search is A* with the bounds of an ReverseTree. It ends at the first settled node whose tree
// path avoids the beginning, mostly the first one. Once it has to look beyond the
// next best bound it is put back with what it has learnt, and may do twice as much the
// next time, so a set without a good path costs little as long as there are better ones.
// The tree grows by as much as searches expand outside of it. Where its bounds do not help, because
// its paths go back through the beginning, a second tree without the beginning is grown next to the
// search, row for row: both join, or one of them runs out of nodes and the set is empty.
//
// Memory: a heap entry (32 bytes) for each step of each path listed, the tree (about 80 bytes
// a node it has reached), one search with its tree, and paths that were found before they were
// the next: a million steps of them (24 MB) and one path more; others are searched again.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/common/internal/node_map.h"
#include "algorithms/paths/internal/path_query.h"
#include "algorithms/paths/internal/reverse_tree.h"

namespace plexus::paths::internal {

class KShortestPaths {
 public:
  // `paths` has one path, the cheapest; keeps a reference.
  KShortestPaths(PathWalk& walk, std::vector<FoundPath>& paths);

  // Appends the next path to `paths`. False when none exists or the budget ran out.
  Result<bool> Find();

 private:
  struct Listed {
    std::uint32_t leaves;       // index of the node where it left its parent
    std::vector<NodeId> taken;  // steps from there by it and those before it, ascending
  };
  // The paths that begin with nodes 0..at of a listed path and then leave it.
  struct Open {
    Length least;  // of the cheapest of them, or below
    std::uint32_t path, at;
    std::uint32_t found;  // the search is over: one more than the place in found_; else 0
    std::uint32_t tries;
  };
  struct ByBound {  // what is found goes first, that is less work
    bool operator()(const Open& a, const Open& b) const;
  };
  struct Step {
    NodeId node;
    PathEdge edge;  // that leads there
  };
  struct Found {
    std::vector<Step> steps;  // from the node where it leaves
    std::uint32_t place;      // of the last, in the tree
  };
  struct Hopeful {
    Length whole, rest;  // bounds: of the path, of what is left of it
    NodeId node;
    std::uint32_t place;
    bool operator>(const Hopeful& o) const;
  };

  Status SplitSet();  // the last listed path's set, without it
  void Load(std::uint32_t path);
  bool IsExcludedStep(const Open& open, NodeId next) const;  // as the step that leaves
  bool IsInPrefix(const Open& open, NodeId node) const { return index_.get(node) <= open.at; }
  std::uint32_t LowestIndex(std::uint32_t place);
  Result<std::optional<Length>> FirstBound(const Open& open);
  // Sets open.found, or raises open.least. False when the set is empty (or truncated).
  Result<bool> Search(Open& open, const Open* rival);
  Status ExpandRow(const Open& open, std::uint32_t place);
  // What is left from a node, by both trees.
  struct Remainder {
    Length least;
    bool unreachable;
    ReverseTree::Bound tree, second;
  };
  Remainder LowerBoundFrom(NodeId node) const;
  bool ExtendsToTarget(const Open& open,
                       const Remainder& rest);  // to the end, clear of the beginning
  Remainder Push(std::uint32_t place);
  void Keep(Open& open, std::uint32_t last, const Remainder& rest);
  void List(const Open& open);

  PathWalk& walk_;
  std::vector<FoundPath>& paths_;
  std::vector<Listed> listed_;
  ReverseTree tree_;
  MinHeap<Open, ByBound> queue_;
  std::vector<Found> found_;
  std::size_t kept_ = 0;   // steps in them
  std::uint64_t outside_;  // arcs looked at outside of the tree

  // The path that searches leave at present.
  std::uint32_t loaded_ = ReachedNodes::kNone;
  common_internal::NodeMap index_;  // of its nodes
  std::vector<Length> lengths_;  // up to each of them
  struct Lowest {
    std::uint32_t epoch = 0, index = 0;
  };
  std::vector<Lowest> lowest_;  // by place in the tree: of the path's nodes on the way
  std::vector<std::uint32_t> trail_;
  std::uint32_t epoch_ = 0;

  // One search.
  ReachedNodes reached_;
  MinHeap<Hopeful> heap_;
  std::optional<ReverseTree> second_;  // without the beginning; made when first wanted
  bool two_trees_ = false;
};

}  // namespace plexus::paths::internal
