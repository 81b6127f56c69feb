// Everything is done on preorder numbers, so the arrays are as long as what was reached.
#include "algorithms/connectivity/connectivity.h"

#include <algorithm>
#include <utility>

#include "algorithms/common/common.h"
#include "algorithms/common/internal/dense_view_options.h"
#include "algorithms/common/internal/selection.h"
#include "engine/out_of_memory.h"

namespace plexus::connectivity {

namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFu;
constexpr std::uint64_t kPollInterval = 1u << 16;  // nodes and arcs between looks at the budget
constexpr std::uint32_t kAhead = 8;                // arcs

class LengauerTarjan {
 public:
  LengauerTarjan(const CsrView& out, const CsrView& in, const Budget& budget)
      : out_(out), in_(in), budget_(budget), number_(out.node_count(), kNone) {}

  bool Run(NodeId root) { return !budget_.Interrupted() && Number(root) && Dominate(); }
  // By preorder number: the node, and its dominator's number (the root's is its own).
  const std::vector<NodeId>& nodes() const { return nodes_; }
  const std::vector<std::uint32_t>& dominators() const { return dominators_; }

 private:
  // After so many nodes and arcs more. False: the budget has run out.
  bool MayGoOn(std::uint64_t more) {
    if ((looked_ += more) < kPollInterval) return true;
    looked_ = 0;
    return !budget_.Interrupted();
  }

  // Depth first from the root.
  bool Number(NodeId root) {
    struct Frame {
      std::uint32_t number, next;
    };
    std::vector<Frame> walk;
    const auto enter = [&](NodeId v, std::uint32_t parent) {
      number_[v] = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back(v);
      parents_.push_back(parent);
      walk.push_back({number_[v], out_.offsets[v]});
    };
    enter(root, 0);
    while (!walk.empty()) {
      Frame& frame = walk.back();
      const NodeId v = nodes_[frame.number];
      NodeId child = kNoNode;
      const std::uint32_t from = frame.next;
      while (child == kNoNode && frame.next < out_.offsets[v + std::size_t{1}]) {
        const NodeId w = out_.neighbors[frame.next++];
        if (number_[w] == kNone) child = w;
      }
      if (!MayGoOn(frame.next - from + 1)) return false;
      if (child == kNoNode)
        walk.pop_back();
      else
        enter(child, frame.number);
    }
    return true;
  }

  // The node of least semidominator on the way from v up to below its tree's root.
  std::uint32_t Evaluate(std::uint32_t v) {
    if (ancestors_[v] == kNone) return v;
    path_.clear();
    for (std::uint32_t at = v; ancestors_[ancestors_[at]] != kNone; at = ancestors_[at])
      path_.push_back(at);
    while (!path_.empty()) {  // from the top down, each linked under the root
      const std::uint32_t at = path_.back(), above = ancestors_[at];
      path_.pop_back();
      if (semi_[best_[above]] < semi_[best_[at]]) best_[at] = best_[above];
      ancestors_[at] = ancestors_[above];
    }
    return best_[v];
  }

  bool Dominate() {
    const auto n = static_cast<std::uint32_t>(nodes_.size());
    semi_.resize(n);
    best_.resize(n);
    for (std::uint32_t v = 0; v < n; ++v) semi_[v] = best_[v] = v;
    ancestors_.assign(n, kNone);
    dominators_.assign(n, 0);
    // Nodes by their semidominator, in lists.
    std::vector<std::uint32_t> first(n, kNone), next(n, kNone);
    for (std::uint32_t w = n - 1; w > 0; --w) {
      const NodeId node = nodes_[w];
      const std::uint32_t end = in_.offsets[node + std::size_t{1}];
      for (std::uint32_t arc = in_.offsets[node]; arc < end; ++arc) {
        if (arc + kAhead < end) __builtin_prefetch(&number_[in_.neighbors[arc + kAhead]]);
        const std::uint32_t v = number_[in_.neighbors[arc]];
        if (v == kNone) continue;
        // Only nodes after w have ancestors yet; the others stand for themselves.
        semi_[w] = std::min(semi_[w], v <= w ? v : semi_[Evaluate(v)]);
      }
      next[w] = first[semi_[w]];
      first[semi_[w]] = w;
      const std::uint32_t parent = parents_[w];
      ancestors_[w] = parent;
      for (std::uint32_t v = std::exchange(first[parent], kNone); v != kNone; v = next[v]) {
        const std::uint32_t u = Evaluate(v);
        dominators_[v] = semi_[u] < semi_[v] ? u : parent;
      }
      if (!MayGoOn(end - in_.offsets[node] + 1)) return false;
    }
    for (std::uint32_t w = 1; w < n; ++w)
      if (dominators_[w] != semi_[w]) dominators_[w] = dominators_[dominators_[w]];
    return true;
  }

  const CsrView out_, in_;
  const Budget& budget_;
  std::uint64_t looked_ = 0;
  std::vector<std::uint32_t> number_;  // by node
  std::vector<NodeId> nodes_;
  std::vector<std::uint32_t> parents_, semi_, best_, ancestors_, dominators_, path_;
};

}  // namespace

Result<DominatorsResult> Dominators(const Snapshot& snapshot, NodeId root,
                                    const DominatorsOptions& options) try {
  if (options.direction == Direction::kBoth)
    return Invalid("dominators need a direction: out or in");
  DenseViewOptions wanted = common_internal::ViewOptions(options);
  wanted.weights = false;
  PLEXUS_ASSIGN(const NodeSubset with,
                common_internal::WithSources(snapshot, options.filter.subset, {&root, 1}));
  if (options.filter.subset) wanted.filter.subset = &with;
  PLEXUS_ASSIGN(const auto made, common_internal::ViewInTime(snapshot, wanted, options.run));
  DominatorsResult result;
  result.truncated = !made;
  if (!made) return result;
  const DenseView& view = *made;
  const NodeId start = view.dense(root);
  if (start == kNoNode) {  // an index node, and only facts are followed
    result.dominators.assign(snapshot.node_count(), kNoNode);
    result.dominated.assign(snapshot.node_count(), 0);
    result.reached = 1;
    return result;
  }
  const bool out = options.direction == Direction::kOut;
  LengauerTarjan tree(out ? view.out() : view.in(), out ? view.in() : view.out(),
                      options.run.budget);
  result.truncated = !tree.Run(start);
  result.reached = tree.nodes().size();
  if (result.truncated) return result;
  result.dominators.assign(snapshot.node_count(), kNoNode);
  result.dominated.assign(snapshot.node_count(), 0);
  const auto node = [&](std::uint32_t number) { return view.node(tree.nodes()[number]); };
  for (auto w = static_cast<std::uint32_t>(result.reached - 1); w > 0;
       --w) {  // a dominator's number is smaller
    const NodeId v = node(w), d = node(tree.dominators()[w]);
    result.dominators[v] = d;
    result.dominated[d] += result.dominated[v] + 1;
  }
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::connectivity
