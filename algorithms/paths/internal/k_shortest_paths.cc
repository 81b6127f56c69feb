// The heap of open sets, the search in one of them, and the spelling out of what it finds.
#include "algorithms/paths/internal/k_shortest_paths.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace plexus::paths::internal {

namespace {

constexpr std::uint32_t kNone = ReachedNodes::kNone;
// Rows and arcs that a search may look at once it is beyond the next best bound, and before it
// gets a tree of its own.
constexpr std::uint64_t kFirstEffort = 64;
constexpr std::uint64_t kSecondTreeWork = 256;
constexpr std::size_t kMaxKeptSteps = std::size_t{1}
                                      << 20;  // steps of paths found before they are the best

}  // namespace

bool KShortestPaths::ByBound::operator()(const Open& a, const Open& b) const {
  if (a.least != b.least) return a.least > b.least;
  return std::make_tuple(a.found == 0, a.path, ~a.at) >
         std::make_tuple(b.found == 0, b.path, ~b.at);
}

// Of equally good ones the one nearest to the end, so that a search walks straight.
bool KShortestPaths::Hopeful::operator>(const Hopeful& o) const {
  if (whole != o.whole) return whole > o.whole;
  return rest != o.rest ? rest > o.rest : node > o.node;
}

KShortestPaths::KShortestPaths(PathWalk& walk, std::vector<FoundPath>& paths)
    : walk_(walk),
      paths_(paths),
      tree_(walk),
      outside_(walk.edges()),
      index_(walk.snapshot().node_count()) {
  listed_.push_back({0, {}});
  if (paths[0].nodes.size() > 1) listed_[0].taken.push_back(paths[0].nodes[1]);
}

Result<bool> KShortestPaths::Find() {
  PLEXUS_TRY(SplitSet());
  while (!queue_.empty() && !walk_.Interrupted()) {
    Open open = queue_.Pop();
    const Open* rival = queue_.empty() ? nullptr : &queue_.front();
    if (open.found == 0) {
      Load(open.path);
      PLEXUS_ASSIGN(const bool any, Search(open, rival));
      if (!any) continue;
    }
    if (open.found != 0 && (!rival || open.least <= rival->least)) {
      List(open);
      return true;
    }
    queue_.Push(open);
  }
  return false;
}

Status KShortestPaths::SplitSet() {
  const auto path = static_cast<std::uint32_t>(paths_.size() - 1);
  const auto steps = static_cast<std::uint32_t>(paths_[path].edges.size());
  if (steps == 0) return {};
  PLEXUS_TRY(tree_.Grow(outside_));
  Load(path);
  for (std::uint32_t at = listed_[path].leaves; at < steps; ++at) {
    if (walk_.Interrupted()) break;  // rows may be too short to look
    Open open{{}, path, at, 0, 0};
    PLEXUS_ASSIGN(const std::optional<Length> least, FirstBound(open));
    if (!least) continue;
    open.least = *least;
    queue_.Push(open);
  }
  return {};
}

void KShortestPaths::Load(std::uint32_t path) {
  if (loaded_ == path) return;
  loaded_ = path;
  ++epoch_;
  const FoundPath& p = paths_[path];
  index_.Reset(walk_.snapshot().node_count());
  lengths_.assign(1, {});
  index_.at(p.nodes[0]) = 0;
  for (std::uint32_t i = 0; i < p.edges.size(); ++i) {
    index_.at(p.nodes[i + 1]) = i + 1;
    lengths_.push_back(lengths_[i] + Length{walk_.Cost(p.edges[i].weight, p.nodes[i + 1]), 1});
  }
}

bool KShortestPaths::IsExcludedStep(const Open& open, NodeId next) const {
  if (IsInPrefix(open, next)) return true;
  const Listed& listed = listed_[open.path];
  if (open.at > listed.leaves) return next == paths_[open.path].nodes[open.at + 1];
  return std::binary_search(listed.taken.begin(), listed.taken.end(), next);
}

// The least index in the loaded path of the nodes on the way from a settled place to the
// end. Every place is looked up once while a path is loaded.
std::uint32_t KShortestPaths::LowestIndex(std::uint32_t place) {
  if (lowest_.size() < tree_.size()) lowest_.resize(tree_.size());
  trail_.clear();
  std::uint32_t lowest = kNone;
  for (; place != kNone; place = tree_.next(place)) {
    if (lowest_[place].epoch == epoch_) {
      lowest = lowest_[place].index;
      break;
    }
    trail_.push_back(place);
  }
  for (; !trail_.empty(); trail_.pop_back()) {
    lowest = std::min(lowest, index_.get(tree_.node(trail_.back())));
    lowest_[trail_.back()] = {epoch_, lowest};
  }
  return lowest;
}

// By its first steps; and no path of the set is shorter than the one it was parted from, so that
// there is nothing to look for beyond that.
Result<std::optional<Length>> KShortestPaths::FirstBound(const Open& open) {
  const Length floor = lengths_.back();
  std::optional<Length> least;
  PLEXUS_TRY(walk_.ForEachStep(
      false, paths_[open.path].nodes[open.at], [&] { return tree_.size(); },
      [&](const Arc& arc, Length step) {
        if (IsExcludedStep(open, arc.neighbor)) return true;
        const ReverseTree::Bound rest = tree_.LowerBound(arc.neighbor);
        if (rest.unreachable) return true;
        const Length whole = lengths_[open.at] + step + rest.least;
        if (!least || whole < *least) least = std::max(whole, floor);
        return *least > floor;
      }));
  return least;
}

Result<bool> KShortestPaths::Search(Open& open, const Open* rival) {
  reached_.Begin(walk_.snapshot().node_count(), paths_[open.path].nodes[open.at], lengths_[open.at],
                 true);
  heap_.clear();
  two_trees_ = false;
  std::uint64_t work = 0;  // rows and their arcs
  const std::uint64_t effort = open.tries == 0 ? 0 : kFirstEffort << std::min(open.tries, 40u);
  PLEXUS_TRY(ExpandRow(open, 0));
  while (!heap_.empty() && !walk_.truncated()) {
    const Hopeful open_node = heap_.Pop();
    ReachedNodes::Reach& reach = reached_[open_node.place];
    if (reach.settled) continue;
    const Remainder rest = LowerBoundFrom(open_node.node);
    if (rest.unreachable) continue;
    const Length whole = reach.length + rest.least;
    if (whole > open_node.whole) {  // a tree has grown since
      Push(open_node.place);
      continue;
    }
    if (rival && whole > rival->least && work >= effort) {
      open.least = std::max(open.least, whole);
      if (open.tries < 40) ++open.tries;
      return true;
    }
    if (ExtendsToTarget(open, rest)) {
      open.least = std::max(open.least, whole);
      // Else it is searched again when it is the best.
      if (!rival || whole <= rival->least || kept_ < kMaxKeptSteps)
        Keep(open, open_node.place, rest);
      return true;
    }
    if (!rest.tree.exact() && tree_.arcs() < outside_ && !tree_.finished()) {
      PLEXUS_TRY(tree_.Grow(outside_ + outside_ / 4));
      Push(open_node.place);
      continue;
    }
    reach.settled = true;
    const std::uint64_t before = walk_.edges();
    PLEXUS_TRY(ExpandRow(open, open_node.place));
    const std::uint64_t spent = 1 + walk_.edges() - before;
    work += spent;
    if (!rest.tree.exact()) outside_ += spent;
    if (work < kSecondTreeWork) continue;
    if (!two_trees_) {
      if (!second_) second_.emplace(walk_);
      second_->Restart(&index_, open.at);
      two_trees_ = true;
    }
    PLEXUS_TRY(second_->Grow(work));
  }
  return false;
}

KShortestPaths::Remainder KShortestPaths::LowerBoundFrom(NodeId node) const {
  Remainder rest{{}, false, tree_.LowerBound(node), {}};
  rest.least = rest.tree.least;
  rest.unreachable = rest.tree.unreachable;
  if (!two_trees_) return rest;
  rest.second = second_->LowerBound(node);
  rest.least = std::max(rest.least, rest.second.least);
  rest.unreachable = rest.unreachable || rest.second.unreachable;
  return rest;
}

// Relaxes the arcs of a node that was reached.
Status KShortestPaths::ExpandRow(const Open& open, std::uint32_t place) {
  const NodeId node = reached_[place].node;
  const Length length = reached_[place].length;
  return walk_.ForEachStep(
      false, node, [&] { return tree_.size() + reached_.size(); },
      [&](const Arc& arc, Length step) {
        if (place == 0 ? IsExcludedStep(open, arc.neighbor) : IsInPrefix(open, arc.neighbor))
          return true;
        const Length whole = length + step;
        const std::uint32_t known = reached_.Offer(arc, place, whole);
        if (known == kNone) return true;
        const Remainder rest = Push(known);
        // Nothing in the set is shorter than open.least: no need to see the rest of the row.
        return whole + rest.least > open.least || !ExtendsToTarget(open, rest);
      });
}

bool KShortestPaths::ExtendsToTarget(const Open& open, const Remainder& rest) {
  return rest.second.exact() || (rest.tree.exact() && LowestIndex(rest.tree.place) > open.at);
}

KShortestPaths::Remainder KShortestPaths::Push(std::uint32_t place) {
  const ReachedNodes::Reach& reach = reached_[place];
  const Remainder rest = LowerBoundFrom(reach.node);
  if (!rest.unreachable) heap_.Push({reach.length + rest.least, rest.least, reach.node, place});
  return rest;
}

void KShortestPaths::Keep(Open& open, std::uint32_t last, const Remainder& rest) {
  Found found{{}, rest.tree.place};
  for (; last != 0; last = reached_[last].parent)
    found.steps.push_back(
        {reached_[last].node, common_internal::EdgeOf(walk_.snapshot(), reached_[last].arc,
                                                      reached_[reached_[last].parent].node)});
  std::reverse(found.steps.begin(), found.steps.end());
  if (rest.second.exact()) {  // it will not be there any more
    for (std::uint32_t p = rest.second.place; p != 0; p = second_->next(p))
      found.steps.push_back({second_->node(second_->next(p)), second_->edge(p)});
    found.place = 0;
  }
  kept_ += found.steps.size();
  found_.push_back(std::move(found));
  open.found = static_cast<std::uint32_t>(found_.size());
}

// Spells out what was found: the beginning, the steps of the search, the tree's path.
void KShortestPaths::List(const Open& open) {
  const Found found = std::move(found_[open.found - 1]);
  kept_ -= found.steps.size();
  FoundPath path;
  const auto kept = static_cast<std::ptrdiff_t>(open.at);
  path.nodes.assign(paths_[open.path].nodes.begin(), paths_[open.path].nodes.begin() + kept + 1);
  path.edges.assign(paths_[open.path].edges.begin(), paths_[open.path].edges.begin() + kept);
  // Where sums are rounded, the parts may join early at the same cost: then the cycle between is
  // left out.
  common_internal::NodeMap index_of(walk_.snapshot().node_count());
  auto step = [&](NodeId node, const PathEdge& edge, bool note) {
    path.nodes.push_back(node);
    path.edges.push_back(edge);
    const std::uint32_t index = note ? index_of.at(node) : index_of.get(node);
    if (index < path.nodes.size() && path.nodes[index] == node) {
      path.nodes.resize(index + 1);
      path.edges.resize(index);
    } else if (note) {
      index_of.at(node) = static_cast<std::uint32_t>(path.nodes.size() - 1);
    }
  };
  for (const Step& s : found.steps) step(s.node, s.edge, true);
  for (std::uint32_t p = found.place; p != 0; p = tree_.next(p))
    step(tree_.node(tree_.next(p)), tree_.edge(p), false);  // a tree's own differ
  path.cost = walk_.CostOf(path);
  Listed listed{open.at, {}};
  const Listed& parent = listed_[open.path];
  if (open.at == parent.leaves)
    listed.taken = parent.taken;
  else
    listed.taken = {paths_[open.path].nodes[open.at + 1]};
  const NodeId next = path.nodes[open.at + 1];
  listed.taken.insert(std::lower_bound(listed.taken.begin(), listed.taken.end(), next), next);
  listed_.push_back(std::move(listed));
  paths_.push_back(std::move(path));
}

}  // namespace plexus::paths::internal
