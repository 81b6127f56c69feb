// Sorted arrays throughout: members by community, discs by size, a tree by depth.
#include "algorithms/community/community.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "algorithms/common/internal/dense_view_options.h"
#include "algorithms/common/internal/in_time.h"
#include "algorithms/common/internal/simple_graph.h"
#include "engine/out_of_memory.h"

namespace plexus::community {

namespace {

using Disc = CommunityLayoutResult::Disc;
using Place = CommunityLayoutResult::Place;

constexpr double kTurn = 2 * std::numbers::pi;
constexpr std::size_t kLookEvery = 4096;  // nodes between two looks at the clock
constexpr double kFill = 0.85;  // of a disc's radius; the rest is the gap between two discs

// The nodes of each community, ascending.
struct Members {
  std::vector<NodeId> nodes;
  std::vector<std::size_t> begin;
  std::span<const NodeId> of(std::uint32_t community) const {
    return std::span(nodes).subspan(begin[community], begin[community + 1] - begin[community]);
  }
};

struct Parts {
  const CsrView& rows;
  const std::vector<std::uint32_t>& communities;  // by dense id
  Members members;
};

Members MembersOf(const std::vector<std::uint32_t>& communities, std::uint32_t count) {
  Members members;
  members.begin.assign(count + std::size_t{1}, 0);
  for (const std::uint32_t c : communities) ++members.begin[c + 1];
  std::partial_sum(members.begin.begin(), members.begin.end(), members.begin.begin());
  members.nodes.resize(communities.size());
  std::vector<std::size_t> next(members.begin.begin(), members.begin.end() - 1);
  for (NodeId v = 0; v < communities.size(); ++v) members.nodes[next[communities[v]]++] = v;
  return members;
}

// A disc of a ring that is being filled.
struct Held {
  std::uint32_t community;
  double half;    // of the angle that it takes
  bool pulled;    // it shares edges with discs further in
  double wanted;  // the angle at which they lie
};

// Where the placed communities that c shares edges with lie, seen from the middle.
void Pull(const Parts& parts, const std::vector<Disc>& discs, const std::vector<bool>& placed,
          Held& held) {
  double x = 0, y = 0;
  for (const NodeId v : parts.members.of(held.community))
    for (std::uint32_t a = parts.rows.offsets[v]; a < parts.rows.offsets[v + 1]; ++a) {
      const std::uint32_t other = parts.communities[parts.rows.neighbors[a]];
      if (!placed[other]) continue;
      x += discs[other].x;
      y += discs[other].y;
    }
  held.pulled = x != 0 || y != 0;
  held.wanted = held.pulled ? std::atan2(y, x) : 0;
}

// Puts a ring's discs at `middle` from the centre, in the order of the angles that they want, with
// equal gaps, turned as a whole to where those angles are nearest.
void FillRing(std::vector<Held>& ring, double middle, std::vector<Disc>& discs) {
  std::ranges::sort(ring, [](const Held& a, const Held& b) {
    if (a.pulled != b.pulled) return a.pulled;
    return a.wanted != b.wanted ? a.wanted < b.wanted : a.community < b.community;
  });
  double taken = 0;
  for (const Held& held : ring) taken += 2 * held.half;
  const double gap = std::max(0.0, kTurn - taken) / static_cast<double>(ring.size());
  std::vector<double> angles;
  double at = 0, x = 0, y = 0;
  for (const Held& held : ring) {
    angles.push_back(at + held.half);
    at += 2 * held.half + gap;
    if (!held.pulled) continue;
    x += std::cos(held.wanted - angles.back());
    y += std::sin(held.wanted - angles.back());
  }
  const double turn = x != 0 || y != 0 ? std::atan2(y, x) : 0;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    Disc& disc = discs[ring[i].community];
    disc.x = static_cast<float>(middle * std::cos(angles[i] + turn));
    disc.y = static_cast<float>(middle * std::sin(angles[i] + turn));
  }
}

// Largest first: a ring is as wide as its first disc. Two discs that touch the same circle around
// the centre, and whose half angles asin(radius / middle) do not overlap, do not overlap either.
bool PlaceDiscs(const Parts& parts, const Budget& budget, std::vector<Disc>& discs) {
  std::vector<std::uint32_t> order(discs.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::greater(), [&](std::uint32_t c) { return discs[c].radius; });
  std::vector<bool> placed(discs.size());
  double inner = 0;  // nothing lies further out than this
  std::vector<Held> ring;
  for (std::size_t i = 0; i < order.size();) {
    const double widest = discs[order[i]].radius;
    const double middle = i == 0 ? 0 : inner + widest;
    ring.clear();
    double taken = 0;
    for (; i < order.size(); ++i) {
      const double half = middle == 0 ? kTurn / 2 : std::asin(discs[order[i]].radius / middle);
      if (!ring.empty() && taken + 2 * half > kTurn) break;
      if (budget.Interrupted()) return false;
      taken += 2 * half;
      ring.push_back({order[i], half, false, 0});
      Pull(parts, discs, placed, ring.back());
    }
    FillRing(ring, middle, discs);
    for (const Held& held : ring) placed[held.community] = true;
    inner = middle + widest;
  }
  return true;
}

// The breadth-first tree of a community, whose arrays are used again for the next one.
class Tree {
 public:
  Tree(const Parts& parts, const Budget& budget)
      : parts_(parts), budget_(budget), number_(parts.communities.size(), kNoNode) {}

  // False: the budget ended it.
  bool Place(std::uint32_t community, const Disc& disc,
             std::vector<CommunityLayoutResult::Place>& places) {
    if (!Grow(community)) return false;
    const std::size_t count = nodes_.size();
    width_.assign(count, 0);
    from_.assign(count, 0);
    const double unit = kFill * disc.radius / std::sqrt(static_cast<double>(count));
    std::size_t ring = 0;  // the first of its depth
    for (std::size_t i = 0; i < count; ++i) {
      if (depth_[i] != depth_[ring]) ring = i;
      const std::size_t parent = parent_[i];
      width_[i] = i == 0 ? kTurn : width_[parent] * Leaves(i) / Leaves(parent);
      from_[i] = i == 0 ? 0 : from_[parent];
      if (i > 0) from_[parent] += width_[i];
      double whole = 0;
      const double share =
          std::modf((static_cast<double>(i - ring) + 0.5) / std::numbers::phi, &whole);
      const double radius =
          i == 0 ? 0 : unit * std::sqrt(static_cast<double>(ring) + share * DepthCount(ring));
      const double angle = from_[i] + width_[i] / 2;
      places[nodes_[i]] = {static_cast<float>(disc.x + radius * std::cos(angle)),
                           static_cast<float>(disc.y + radius * std::sin(angle))};
    }
    for (const NodeId v : nodes_) number_[v] = kNoNode;
    return true;
  }

 private:
  double Leaves(std::size_t i) const { return std::max(below_[i], 1.0); }
  // How many nodes have the depth of `first`, which is the first of them.
  double DepthCount(std::size_t first) {
    if (first != counted_) {
      counted_ = first;
      const auto end = std::ranges::upper_bound(depth_, depth_[first]);
      count_ = static_cast<double>(end - depth_.begin()) - static_cast<double>(first);
    }
    return count_;
  }

  bool Inside(NodeId v, std::uint32_t community) const {
    return parts_.communities[v] == community;
  }
  void Add(NodeId v, std::size_t parent) {
    number_[v] = static_cast<NodeId>(nodes_.size());
    nodes_.push_back(v);
    parent_.push_back(parent);
    depth_.push_back(nodes_.size() == 1 ? 0 : depth_[parent] + 1);
  }
  template <class Fn>
  void ForEachInside(NodeId v, std::uint32_t community, Fn&& fn) const {
    for (std::uint32_t a = parts_.rows.offsets[v]; a < parts_.rows.offsets[v + 1]; ++a)
      if (const NodeId other = parts_.rows.neighbors[a]; Inside(other, community)) fn(other);
  }

  // nodes_ in the order of depth, the children of a node side by side.
  bool Grow(std::uint32_t community) {
    nodes_.clear();
    parent_.clear();
    depth_.clear();
    counted_ = kNoNode;
    NodeId centre = kNoNode;
    std::size_t most = 0;
    for (const NodeId v : parts_.members.of(community)) {
      std::size_t inside = 0;
      ForEachInside(v, community, [&](NodeId) { ++inside; });
      if (centre != kNoNode && inside <= most) continue;
      centre = v;
      most = inside;
    }
    Add(centre, 0);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (i % kLookEvery == 0 && budget_.Interrupted()) return false;
      ForEachInside(nodes_[i], community, [&](NodeId other) {
        if (number_[other] == kNoNode) Add(other, i);
      });
    }
    below_.assign(nodes_.size(), 0);
    for (std::size_t i = nodes_.size(); i-- > 1;) below_[parent_[i]] += Leaves(i);
    return true;
  }

  const Parts& parts_;
  const Budget& budget_;
  std::vector<NodeId> number_;  // by dense id; kNoNode: not in this tree
  std::vector<NodeId> nodes_;
  std::vector<std::size_t> parent_;
  std::vector<std::uint32_t> depth_;
  std::vector<double> below_;         // leaves below
  std::vector<double> width_, from_;  // its sector, and where its next child's begins
  std::size_t counted_ = 0;
  double count_ = 0;
};

// Nothing: the budget ended it.
std::optional<CommunityLayoutResult> PlaceAll(const common_internal::SimpleGraph& graph,
                                              LeidenResult&& found,
                                              const CommunityLayoutOptions& options) {
  CommunityLayoutResult result;
  result.truncated = found.truncated;
  result.discs.resize(found.count);
  for (std::uint32_t c = 0; c < found.count; ++c)
    result.discs[c].radius =
        static_cast<float>(options.spacing * std::sqrt(static_cast<double>(found.sizes[c])));
  const NodeId count = graph.view.node_count();
  std::vector<std::uint32_t> communities(count);
  for (NodeId v = 0; v < count; ++v) communities[v] = found.communities[graph.view.node(v)];
  const CsrView rows = graph.edges.out();
  const Parts parts{rows, communities, MembersOf(communities, found.count)};
  if (!PlaceDiscs(parts, options.run.budget, result.discs)) return std::nullopt;
  std::vector<Place> dense(count);
  Tree tree(parts, options.run.budget);
  for (std::uint32_t c = 0; c < found.count; ++c)
    if (!tree.Place(c, result.discs[c], dense)) return std::nullopt;
  result.places.resize(found.communities.size());
  for (NodeId v = 0; v < count; ++v) result.places[graph.view.node(v)] = dense[v];
  result.communities = std::move(found.communities);
  return result;
}

}  // namespace

Result<CommunityLayoutResult> CommunityLayout(const Snapshot& snapshot,
                                              const CommunityLayoutOptions& options) try {
  if (!std::isfinite(options.spacing) || options.spacing <= 0)
    return Invalid("spacing ", options.spacing, ": expected a finite number above 0");
  PLEXUS_ASSIGN(
      LeidenResult found,
      Leiden(snapshot, {.seed = options.seed, .filter = options.filter, .run = options.run}));
  CommunityLayoutResult nothing;
  nothing.truncated = true;
  DenseViewOptions wanted = common_internal::ViewOptions(options);
  wanted.weights = false;
  PLEXUS_ASSIGN(const auto graph, common_internal::InTime(options.run, [&](Executor& executor) {
                  wanted.executor = &executor;
                  return common_internal::MakeSimpleGraph(snapshot, wanted);
                }));
  if (!graph) return nothing;
  auto placed = PlaceAll(*graph, std::move(found), options);
  return placed ? *std::move(placed) : std::move(nothing);
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::community
