// Breadth first, level by level; texts are made for what is listed.
#include "algorithms/memory/recall/recall.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "engine/out_of_memory.h"
#include "engine/vocabulary.h"

namespace plexus::memory {
namespace {

Status CheckNode(const Snapshot& snapshot, NodeId node) {
  if (node < snapshot.node_count()) return {};
  return Invalid("no node ", node);
}

struct Found {
  Arc arc;
  NodeId from;
  int hop;
  Direction direction;
  std::string_view key, from_key;
};

class Walk {
 public:
  Walk(const Snapshot& snapshot, const RelatedOptions& options)
      : snapshot_(snapshot),
        options_(options),
        filter_(ArcFilter::Kinds(snapshot.schema(), options.filter.kinds)) {}

  void Run(NodeId start) {
    start_ = start;
    std::vector<NodeId> level = {start};
    hops_.emplace(start, 0);
    for (int hop = 0; hop < options_.hops && !level.empty() && !truncated_; ++hop) {
      full_ = found_.size() >= options_.top;
      next_.clear();
      for (const NodeId node : level) {
        if (truncated_) break;
        ReadRow(node, hop);
      }
      std::ranges::sort(next_);
      std::swap(level, next_);
    }
  }

  std::vector<Found>& found() { return found_; }
  bool truncated() const { return truncated_; }
  std::uint64_t edges() const { return edges_; }

 private:
  void ReadRow(NodeId from, int hop) {
    const std::string_view from_key = snapshot_.key(from);
    snapshot_.ForEachArc(Direction::kBoth, from, filter_, [&](const Arc& arc) {
      if (edges_ >= options_.max_edges ||
          (edges_ % 256 == 0 && options_.run.budget.Interrupted())) {
        truncated_ = true;
        return false;
      }
      ++edges_;
      if (arc.neighbor == from ||
          !snapshot_.PassesTime(arc.ref, snapshot_.TimeOr(options_.filter.valid_at)))
        return true;
      const bool stands = Stands(arc.neighbor);
      if (!stands && !IsReplaced(arc)) return true;
      if (stands) {
        const auto [at, is_new] = hops_.emplace(arc.neighbor, hop + 1);
        // Seen from a nearer end already, or from the smaller id of two at the same hop.
        if (at->second < hop || (at->second == hop && arc.neighbor < from)) return true;
        if (is_new) next_.push_back(arc.neighbor);
      }
      if (full_) {  // Some relation is beyond those that are listed.
        truncated_ = true;
        return false;
      }
      const bool symmetric = snapshot_.schema().edge_kind(arc.kind).symmetric;
      found_.push_back({arc, from, hop + 1, symmetric ? Direction::kBoth : arc.ref.direction,
                        snapshot_.key(arc.neighbor), from_key});
      return true;
    });
  }

  bool Stands(NodeId node) const {
    if (node == start_) return true;
    return options_.filter.subset ? options_.filter.subset->contains(node)
                                  : snapshot_.alive(node) && snapshot_.is_fact(node);
  }
  // What the row's node itself has replaced.
  bool IsReplaced(const Arc& arc) const {
    const NodeId old = arc.neighbor;
    return arc.ref.direction == Direction::kOut &&
           snapshot_.schema().edge_kind(arc.kind).suppresses && snapshot_.alive(old) &&
           snapshot_.is_fact(old) && (!options_.scope || options_.scope->contains(old));
  }

  const Snapshot& snapshot_;
  const RelatedOptions& options_;
  ArcFilter filter_;
  NodeId start_ = kNoNode;
  std::unordered_map<NodeId, int> hops_;
  std::vector<NodeId> next_;
  std::vector<Found> found_;
  bool full_ = false, truncated_ = false;
  std::uint64_t edges_ = 0;
};

// The best of the list in the order of RelatedResult, as far as kinds and keys tell; labels settle
// parallel edges.
std::vector<Relation> InOrder(const Snapshot& snapshot, std::vector<Found>& found,
                              std::size_t top) {
  const Schema& schema = snapshot.schema();
  const auto order = [&](const Found& f) {
    return std::tuple(f.hop, f.key, std::string_view(schema.edge_kind(f.arc.kind).name), f.from_key,
                      f.direction);
  };
  std::ranges::stable_sort(found, {}, order);
  std::size_t end = std::min(top, found.size());
  while (end > 0 && end < found.size() && order(found[end]) == order(found[end - 1])) ++end;
  std::vector<Relation> relations;
  relations.reserve(end);
  for (const Found& f : std::span(found).first(end)) {
    const Edge edge = snapshot.edge(f.arc, f.from);
    // The order in which a symmetric kind has its ends is the order of writing.
    std::string_view source = snapshot.key(edge.source), target = snapshot.key(edge.target);
    if (schema.edge_kind(edge.kind).symmetric && target < source) std::swap(source, target);
    std::string text(DisplayName(source));
    text.append(" ").append(schema.edge_kind(edge.kind).name).append(" ");
    text.append(DisplayName(target));
    relations.push_back({f.arc.neighbor, f.from, f.arc.kind, f.direction, f.hop, edge.weight,
                         edge.label, std::move(text)});
  }
  for (std::size_t first = 0; first < end;) {
    std::size_t last = first + 1;
    while (last < end && order(found[last]) == order(found[first])) ++last;
    std::ranges::sort(relations.begin() + static_cast<std::ptrdiff_t>(first),
                      relations.begin() + static_cast<std::ptrdiff_t>(last), {},
                      [&](const Relation& r) { return snapshot.string(r.label); });
    first = last;
  }
  relations.resize(std::min(top, relations.size()));
  return relations;
}

}  // namespace

Result<RelatedResult> RelatedTo(const Snapshot& snapshot, NodeId node,
                                const RelatedOptions& options) try {
  PLEXUS_TRY(CheckNode(snapshot, node));
  if (options.hops < 0 || options.hops > kMaxRelatedHops)
    return Invalid("relations are of 0 to ", kMaxRelatedHops, " hops");
  if (options.top == 0 || options.top > kMaxRelated)
    return Invalid("1 to ", kMaxRelated, " relations are listed of a memory");
  Walk walk(snapshot, options);
  walk.Run(node);
  RelatedResult result;
  result.truncated = walk.truncated() || walk.found().size() > options.top;
  result.edges = walk.edges();
  result.relations = InOrder(snapshot, walk.found(), options.top);
  return result;
}
PLEXUS_CATCH_NO_MEMORY

Result<ContradictionsOfNode> ContradictionsOf(const Snapshot& snapshot, NodeId node,
                                              const Visible& visible, std::uint64_t max_edges) try {
  PLEXUS_TRY(CheckNode(snapshot, node));
  ContradictionsOfNode result;
  if (!visible.contains(node)) return result;
  const ArcFilter filter = ArcFilter::Kind(snapshot.schema(), builtin::kContradicts);
  std::vector<Conflict>& found = result.conflicts;
  std::uint64_t read = 0;
  snapshot.ForEachArc(Direction::kOut, node, filter, [&](const Arc& arc) {
    if (read++ == max_edges) {
      result.truncated = true;
      return false;
    }
    const NodeId other = arc.neighbor;
    if (other != node && visible.contains(other) && snapshot.PassesTime(arc.ref, visible.now_ms))
      found.push_back(
          {std::min(node, other), std::max(node, other), snapshot.created_at(arc.ref), 1});
    return true;
  });
  std::ranges::sort(found, {}, [](const Conflict& c) { return std::tuple(c.a, c.b, c.since); });
  std::size_t kept = 0;
  for (const Conflict& c : found) {
    if (kept > 0 && found[kept - 1].a == c.a && found[kept - 1].b == c.b)
      ++found[kept - 1].edges;
    else
      found[kept++] = c;
  }
  found.resize(kept);
  std::ranges::sort(found, {}, [](const Conflict& c) { return std::tuple(c.since, c.a, c.b); });
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::memory
