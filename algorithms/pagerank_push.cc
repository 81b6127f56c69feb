// Forward push in rounds: within a round every node whose residual exceeds a threshold
// is pushed, first come first served; the threshold falls from round to round, so large
// residuals go first and few nodes are pushed often.
#include "algorithms/pagerank_push.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "algorithms/internal/node_map.h"
#include "algorithms/internal/selection.h"

namespace plexus {

namespace {

struct Entry {
  NodeId node;
  bool queued = false;
  double placed = 0, residual = 0;
  double strength = -1;  // of the selected out arcs; below 0: not summed yet
};

class Pusher {
 public:
  Pusher(const internal::Selection& selection, const PageRankPushOptions& options)
      : selection_(selection), options_(options), places_(selection.snapshot->node_count()) {}

  void AddSeed(NodeId node, double share) {
    Entry& entry = entries_[Place(node)];
    if (entry.residual == 0) seeds_.push_back(static_cast<std::uint32_t>(&entry - entries_.data()));
    entry.residual += share;
  }

  PageRankPushResult Run() {
    for (const std::uint32_t s : seeds_) shares_.push_back(entries_[s].residual);
    double threshold = 0.25;
    for (;; threshold /= 4) {
      for (std::uint32_t i = 0; i < entries_.size(); ++i) Enqueue(i, threshold);
      for (std::size_t head = 0; head < queue_.size() && Affordable(); ++head) Push(queue_[head], threshold);
      for (const std::uint32_t i : queue_) entries_[i].queued = false;
      queue_.clear();
      Measure();
      if (result_.truncated || result_.converged) break;
      if (options_.stop_at_certain_top && result_.certain_top) break;
    }
    result_.nodes = entries_.size();
    return std::move(result_);
  }

 private:
  std::uint32_t Place(NodeId node) {
    std::uint32_t& place = places_.at(node);
    if (place == internal::NodeMap::kAbsent) {
      place = static_cast<std::uint32_t>(entries_.size());
      entries_.push_back({.node = node});
    }
    return place;
  }
  void Enqueue(std::uint32_t i, double threshold) {
    if (entries_[i].queued || !(entries_[i].residual > threshold)) return;
    entries_[i].queued = true;
    queue_.push_back(i);
  }
  bool Affordable() {
    if (result_.edges > options_.budget.edges || entries_.size() > options_.budget.nodes ||
        ((result_.pushes & 255) == 0 && options_.budget.Interrupted()))
      result_.truncated = true;
    return !result_.truncated;
  }

  template <class Fn>
  void ForEachSelectedArc(NodeId node, Fn&& fn) {
    selection_.snapshot->ForEachArc(Direction::kOut, node, selection_.filter, [&](const Arc& arc) {
      ++result_.edges;
      if (selection_.all_nodes || selection_.contains(arc.neighbor))
        fn(arc.neighbor, options_.weighted ? static_cast<double>(arc.weight) : 1.0);
    });
  }

  void Push(std::uint32_t i, double threshold) {
    ++result_.pushes;
    const NodeId node = entries_[i].node;
    entries_[i].queued = false;
    const double residual = std::exchange(entries_[i].residual, 0.0);
    entries_[i].placed += (1.0 - options_.damping) * residual;
    const double going = options_.damping * residual;
    if (entries_[i].strength < 0) {
      double strength = 0;
      ForEachSelectedArc(node, [&](NodeId, double weight) { strength += weight; });
      entries_[i].strength = strength;
    }
    const double strength = entries_[i].strength;
    if (!(strength > 0)) {
      for (std::size_t s = 0; s < seeds_.size(); ++s) Give(seeds_[s], going * shares_[s], threshold);
      return;
    }
    ForEachSelectedArc(node, [&](NodeId neighbor, double weight) {
      Give(Place(neighbor), going * (weight / strength), threshold);
    });
  }
  void Give(std::uint32_t i, double residual, double threshold) {
    entries_[i].residual += residual;
    Enqueue(i, threshold);
  }

  // The top, and how sure it is.
  void Measure() {
    double left = 0;
    for (const Entry& e : entries_) left += e.residual;
    result_.error = left;
    result_.converged = left <= options_.max_error;
    const std::size_t top = options_.top == 0 ? entries_.size() : std::min(options_.top, entries_.size());
    std::vector<ScoredNode> ranked;
    ranked.reserve(entries_.size());
    for (const Entry& e : entries_) ranked.push_back({e.node, e.placed});
    auto better = [](const ScoredNode& a, const ScoredNode& b) {
      return a.score != b.score ? a.score > b.score : a.node < b.node;
    };
    const std::size_t shown = std::min(top + 1, ranked.size());
    std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(shown), ranked.end(), better);
    // A node outside, touched or not, has at most its p plus all that is left.
    const double outside = top < ranked.size() ? ranked[top].score : 0.0;
    result_.certain_top = options_.top != 0 && top == options_.top && ranked[top - 1].score >= outside + left;
    ranked.resize(top);
    result_.top = std::move(ranked);
  }

  const internal::Selection& selection_;
  const PageRankPushOptions& options_;
  internal::NodeMap places_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> seeds_;  // entries
  std::vector<double> shares_;        // of the teleport, by seed
  std::vector<std::uint32_t> queue_;
  PageRankPushResult result_;
};

Status Check(std::span<const PageRankSeed> seeds, const PageRankPushOptions& o,
             const internal::Selection& selection, double& total) {
  auto bad = [](const std::string& what) { return Fail(ErrorCode::kInvalidArgument, what); };
  if (!(o.damping >= 0 && o.damping < 1))
    return bad("damping " + std::to_string(o.damping) + " is not in [0, 1)");
  if (!(o.max_error >= 1e-9 && o.max_error <= 1)) return bad("the largest error allowed is 1e-9 to 1");
  if (seeds.empty()) return bad("push starts at seeds; none was given");
  total = 0;
  for (const PageRankSeed& seed : seeds) {
    if (seed.node >= selection.snapshot->node_count() || !selection.contains(seed.node))
      return bad("seed node " + std::to_string(seed.node) + " is not among the selected nodes");
    if (!(seed.weight >= 0) || !std::isfinite(seed.weight))
      return bad("weight " + std::to_string(seed.weight) + " of seed node " +
                 std::to_string(seed.node) + " is not a finite number >= 0");
    total += seed.weight;
  }
  if (!(total > 0) || !std::isfinite(total))
    return bad("the seeds' weights do not have a finite sum above 0");
  return {};
}

}  // namespace

Result<PageRankPushResult> PageRankPush(const Snapshot& snapshot, std::span<const PageRankSeed> seeds,
                                        const PageRankPushOptions& options) {
  PLEXUS_ASSIGN(const internal::Selection selection,
                internal::Select(snapshot, options.kinds, options.valid_at, options.subset));
  double total = 0;
  PLEXUS_TRY(Check(seeds, options, selection, total));
  Pusher pusher(selection, options);
  for (const PageRankSeed& seed : seeds)
    if (seed.weight > 0) pusher.AddSeed(seed.node, seed.weight / total);
  return pusher.Run();
}

}  // namespace plexus
