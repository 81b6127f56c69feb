// MatchPattern: layers of (node, state) labels, each made from one of the layer before.
//
// The newest label of every pair is found through a map from node to a row of states,
// made when the node is first visited, so the cost of a small query depends on what it touches.
// Rows of arcs are walked once per label and direction; the steps that an arc can take are the word
// `next(state) & steps of its kind`. Labels know the label and arc they came from, so the
// array is the proof.
#include "algorithms/traversal/traversal.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "algorithms/common/internal/interruptible_arcs.h"
#include "algorithms/common/internal/node_map.h"
#include "algorithms/common/internal/selection.h"
#include "algorithms/common/internal/stored_edges.h"
#include "algorithms/common/internal/top_k.h"
#include "algorithms/traversal/internal/resume_token.h"
#include "engine/out_of_memory.h"

namespace plexus::traversal {

namespace {

using common_internal::NodeMap;

constexpr std::uint32_t kExcluded = NodeMap::kAbsent - 1;
constexpr std::uint32_t kNone = 0xFFFFFFFFu;
constexpr std::uint8_t kStart = 0xFF;  // the state before the first step
constexpr double kMaxValue = std::numeric_limits<double>::max();
constexpr std::uint32_t kDefaultProductHops = 16;

struct Label {
  double value = 0;
  NodeId node = kNoNode;
  std::uint32_t parent = kNone;
  ArcRef ref;
  std::uint32_t hop = 0;
  std::uint8_t state = kStart;
  NodeId seed = kNoNode;  // the start of its walk
};

// Steps by what they accept.
struct StepMasks {
  std::vector<std::uint64_t> out, in;  // by kind
  std::uint64_t any_out = 0, any_in = 0;
  std::vector<EdgeKindId> kinds;  // all that are followed
};

Result<StepMasks> Masks(const Schema& schema, const PathPattern& pattern) {
  const auto& traits = schema.edge_kinds();
  StepMasks masks;
  masks.out.resize(traits.size());
  masks.in.resize(traits.size());
  auto accept = [&](std::size_t kind, std::uint64_t bit, bool inverse) {
    const bool in = inverse && !traits[kind].symmetric;
    (in ? masks.in : masks.out)[kind] |= bit;
    (in ? masks.any_in : masks.any_out) |= bit;
  };
  for (std::size_t i = 0; i < pattern.steps().size(); ++i) {
    const PathPattern::Step& step = pattern.steps()[i];
    const std::uint64_t bit = std::uint64_t{1} << i;
    if (step.kind == kNoEdgeKind) {
      for (std::size_t kind = 0; kind < traits.size(); ++kind)
        if (traits[kind].plane == Plane::kFact && !traits[kind].name.empty())
          accept(kind, bit, step.inverse);
      continue;
    }
    if (step.kind >= traits.size())
      return Invalid("pattern: edge kind ", step.kind, " is not defined in this graph");
    accept(step.kind, bit, step.inverse);
  }
  for (std::size_t kind = 0; kind < traits.size(); ++kind)
    if (masks.out[kind] | masks.in[kind]) masks.kinds.push_back(static_cast<EdgeKindId>(kind));
  return masks;
}

class PatternSearch {
 public:
  PatternSearch(const common_internal::Selection& selection, const PathPattern& pattern,
                const StepMasks& masks, const PatternOptions& options, const Budget& budget)
      : selection_(selection),
        pattern_(pattern),
        masks_(masks),
        options_(options),
        budget_(budget),
        places_(selection.snapshot->node_count()),
        best_(selection.snapshot->node_count()) {}

  void Run(std::span<const NodeWeight> starts, std::uint32_t hops) {
    for (const NodeWeight& start : starts) {
      if (labels_.size() >= most_labels()) return void(truncated_ = true);
      Place(start.node, true);
      labels_.push_back({start.weight, start.node, kNone, {}, 0, kStart, start.node});
      if (pattern_.matches_empty()) Matched(static_cast<std::uint32_t>(labels_.size() - 1));
    }
    std::size_t begin = 0;
    for (std::uint32_t hop = 1; hop <= hops; ++hop) {
      const std::size_t end = labels_.size();
      // Later layers only add nodes that are farther away.
      const bool enough = by_hops() && options_.top != 0 && matched_.size() >= options_.top;
      if (begin == end || enough) return;
      for (std::size_t i = begin; i < end; ++i)
        if (!Expand(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(end)))
          return void(truncated_ = true);
      // Values of a layer may rise until it is whole, so it is listed then.
      for (std::size_t i = end; i < labels_.size(); ++i)
        if (pattern_.accept() >> labels_[i].state & 1) Matched(static_cast<std::uint32_t>(i));
      begin = end;
    }
  }

  TraverseResult Take() {
    if (truncated_)  // the layer that was cut
      for (std::size_t i = 0; i < labels_.size(); ++i)
        if (labels_[i].state != kStart && pattern_.accept() >> labels_[i].state & 1)
          Matched(static_cast<std::uint32_t>(i));
    common_internal::SortTopK(matched_, options_.top, [&](std::uint32_t a, std::uint32_t b) {
      const Label &x = labels_[a], &y = labels_[b];
      if (by_hops() && x.hop != y.hop) return x.hop < y.hop;
      if (!by_hops() && x.value != y.value) return x.value > y.value;
      return x.node < y.node;
    });
    TraverseResult result;
    result.truncated = truncated_;
    result.nodes = labels_.size();
    result.edges = edges_;
    result.hits.resize(matched_.size());
    std::uint64_t steps_left = options_.paths ? PatternOptions::kMaxPathSteps : 0;
    for (std::size_t i = 0; i < matched_.size(); ++i) {
      const Label& label = labels_[matched_[i]];
      TraverseHit& hit = result.hits[i];
      hit.node = label.node;
      hit.score = label.value;
      hit.hops = static_cast<int>(label.hop);
      hit.seed = label.seed;
      if (label.hop <= steps_left) {
        steps_left -= label.hop;
        FillPath(matched_[i], hit);
      } else if (options_.paths) {
        ++result.paths_left_out;
      }
    }
    return result;
  }

 private:
  bool by_hops() const { return options_.order == PatternOrder::kFewestHops; }
  std::uint64_t most_labels() const {
    return std::min<std::uint64_t>(budget_.nodes, kExcluded - 1);
  }

  // The node's row of newest labels; kExcluded when it is not selected.
  std::uint32_t Place(NodeId node, bool wanted) {
    std::uint32_t& place = places_.at(node);
    if (place == NodeMap::kAbsent || (wanted && place == kExcluded)) {
      if (!wanted && !selection_.contains(node)) return place = kExcluded;
      place = static_cast<std::uint32_t>(newest_.size() / pattern_.steps().size());
      newest_.resize(newest_.size() + pattern_.steps().size(), kNone);
    }
    return place;
  }

  // False when the budget ran out.
  bool Expand(std::uint32_t index, std::uint32_t layer) {
    if (budget_.Interrupted()) return false;
    const Label from = labels_[index];
    const std::uint64_t next =
        from.state == kStart ? pattern_.first() : pattern_.steps()[from.state].next;
    bool go_on = true;
    auto walk = [&](Direction direction, const std::vector<std::uint64_t>& accepted) {
      go_on = common_internal::ForEachArcInterruptible(
          *selection_.snapshot, direction, from.node, selection_.filter,
          [&] { return (++scanned_ & 4095) != 0 || !budget_.Interrupted(); },
          [&](const Arc& arc) {
            if (edges_ >= budget_.edges) return false;
            ++edges_;
            const std::uint64_t steps = next & accepted[arc.kind];
            return !steps || Take(from, index, layer, arc, steps);
          });
    };
    if (next & masks_.any_out) walk(Direction::kOut, masks_.out);
    if (go_on && next & masks_.any_in) walk(Direction::kIn, masks_.in);
    return go_on;
  }

  bool Take(const Label& from, std::uint32_t index, std::uint32_t layer, const Arc& arc,
            std::uint64_t steps) {
    const std::uint32_t place = Place(arc.neighbor, false);
    if (place == kExcluded) return true;
    const double value = std::min(from.value * static_cast<double>(arc.weight), kMaxValue);
    for (; steps; steps &= steps - 1) {
      const auto state = static_cast<std::uint8_t>(std::countr_zero(steps));
      std::uint32_t& newest = newest_[std::size_t{place} * pattern_.steps().size() + state];
      const Label made{value, arc.neighbor, index, arc.ref, from.hop + 1, state, from.seed};
      if (newest != kNone) {
        if (by_hops() || value <= labels_[newest].value) continue;
        if (newest >= layer) {
          labels_[newest] = made;
          continue;
        }
      }
      if (labels_.size() >= most_labels()) return false;
      newest = static_cast<std::uint32_t>(labels_.size());
      labels_.push_back(made);
    }
    return true;
  }

  // Of a node's labels the best is kept, the earlier one among equals.
  void Matched(std::uint32_t index) {
    std::uint32_t& place = best_.at(labels_[index].node);
    if (place == NodeMap::kAbsent) {
      place = static_cast<std::uint32_t>(matched_.size());
      matched_.push_back(index);
      return;
    }
    const Label &old = labels_[matched_[place]], &now = labels_[index];
    if (!by_hops() && now.value > old.value) matched_[place] = index;
  }

  void FillPath(std::uint32_t index, TraverseHit& hit) const {
    hit.path.resize(labels_[index].hop);
    for (; labels_[index].parent != kNone; index = labels_[index].parent) {
      const Label& label = labels_[index];
      hit.path[label.hop - 1] = common_internal::ArcAsEdge(
          *selection_.snapshot, labels_[label.parent].node, label.node, label.ref);
    }
  }

  const common_internal::Selection& selection_;
  const PathPattern& pattern_;
  const StepMasks& masks_;
  const PatternOptions& options_;
  const Budget& budget_;
  std::vector<Label> labels_;
  NodeMap places_;                      // node -> row of newest_, or kExcluded
  std::vector<std::uint32_t> newest_;   // by place and state
  NodeMap best_;                        // node -> place in matched_
  std::vector<std::uint32_t> matched_;  // labels
  bool truncated_ = false;
  std::uint64_t edges_ = 0, scanned_ = 0;  // looked at: also what the filter hides
};

// Ascending, each node once with its largest weight.
Result<std::vector<NodeWeight>> CheckStarts(const Snapshot& snapshot,
                                            std::span<const NodeWeight> starts) {
  std::vector<NodeId> nodes;
  for (const NodeWeight& s : starts) nodes.push_back(s.node);
  PLEXUS_TRY(common_internal::WithSources(snapshot, nullptr, nodes));
  for (const NodeWeight& s : starts)
    if (!(s.weight > 0) || !std::isfinite(s.weight))
      return Invalid("weight ", s.weight, " of start ", common_internal::NodeName(snapshot, s.node),
                     " is not a finite number above 0");
  std::vector<NodeWeight> sorted(starts.begin(), starts.end());
  std::sort(sorted.begin(), sorted.end(), [](const NodeWeight& a, const NodeWeight& b) {
    return a.node != b.node ? a.node < b.node : a.weight > b.weight;
  });
  sorted.erase(
      std::unique(sorted.begin(), sorted.end(),
                  [](const NodeWeight& a, const NodeWeight& b) { return a.node == b.node; }),
      sorted.end());
  return sorted;
}

internal::QueryDigest MakeDigest(const Snapshot& snapshot, const PathPattern& pattern,
                                 std::span<const NodeWeight> starts, const PatternOptions& o) {
  internal::QueryDigest digest(snapshot, internal::SearchKind::kPattern);
  digest.Add(pattern.text());
  digest.Add(static_cast<std::uint64_t>(o.order));
  digest.Add(std::uint64_t{o.hops});
  digest.Add(std::uint64_t{o.top});
  digest.Add(static_cast<std::uint64_t>(o.valid_at));
  digest.Add(o.subset);
  for (const NodeWeight& s : starts) {
    digest.AddNode(s.node);
    digest.Add(s.weight);
  }
  return digest;
}

}  // namespace

Result<TraverseResult> MatchPattern(const Snapshot& snapshot, const PathPattern& pattern,
                                    std::span<const NodeWeight> starts,
                                    const PatternOptions& options) try {
  if (pattern.steps().empty()) return Invalid("a pattern that was never parsed");
  std::uint32_t hops = options.hops;
  if (options.order == PatternOrder::kBestProduct) {
    if (hops == PatternOptions::kNoLimit) hops = kDefaultProductHops;
    if (hops > PatternOptions::kMaxProductHops)
      return Invalid("hops ", hops, " is not in 0..", PatternOptions::kMaxProductHops);
  }
  PLEXUS_ASSIGN(const StepMasks masks, Masks(snapshot.schema(), pattern));
  PLEXUS_ASSIGN(const common_internal::Selection selection,
                common_internal::Select(
                    snapshot, GraphFilter{masks.kinds, options.valid_at, options.subset}));
  PLEXUS_ASSIGN(const std::vector<NodeWeight> sorted, CheckStarts(snapshot, starts));
  Budget budget = options.run.budget;
  if (!options.resume.empty())
    PLEXUS_SET(budget,
               MakeDigest(snapshot, pattern, sorted, options).BudgetFrom(options.resume, budget));
  PatternSearch search(selection, pattern, masks, options, budget);
  search.Run(sorted, hops);
  TraverseResult result = search.Take();
  if (result.truncated)
    result.resume =
        MakeDigest(snapshot, pattern, sorted, options).TokenAt({result.nodes, result.edges});
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::traversal
