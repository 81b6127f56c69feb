// Forward push in rounds: within a round every node whose residual exceeds a threshold
// is pushed, first come first served; the threshold falls from round to round, so large
// residuals go first and few nodes are pushed often. A limit of arcs ends it where a whole
// ranking is cheaper.
#include "algorithms/pagerank/pagerank.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "algorithms/common/internal/edge_weigher.h"
#include "algorithms/common/internal/node_map.h"
#include "algorithms/common/internal/reversed_kinds.h"
#include "algorithms/common/internal/selection.h"
#include "engine/out_of_memory.h"

namespace plexus::pagerank {

namespace {

struct Entry {
  NodeId node;
  bool queued = false;
  double placed = 0, residual = 0;
};
static_assert(sizeof(Entry) == 24);  // the header says what is moved

// The best of the listed ones, and whether no other can belong among them.
void TakeTop(std::vector<ScoredNode> ranked, const PageRankPushOptions& options,
             PageRankPushResult& result) {
  if (options.listed)
    std::erase_if(ranked, [&](const ScoredNode& s) { return !options.listed->contains(s.node); });
  const std::size_t top = options.top == 0 ? ranked.size() : std::min(options.top, ranked.size());
  auto better = [](const ScoredNode& a, const ScoredNode& b) {
    return a.score != b.score ? a.score > b.score : a.node < b.node;
  };
  const std::size_t shown = std::min(top + 1, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(shown),
                    ranked.end(), better);
  // A node outside, touched or not, has at most its p plus all that is left. Of a whole run the
  // errors of two nodes together are at most that.
  const double outside = top < ranked.size() ? ranked[top].score : 0.0;
  result.certain_top =
      options.top != 0 && top == options.top && ranked[top - 1].score >= outside + result.error;
  ranked.resize(top);
  result.top = std::move(ranked);
}

class Pusher {
 public:
  // `weigher` null: weights as stored. `limit`: arcs, behind which it stops.
  Pusher(const common_internal::Selection& selection, const common_internal::EdgeWeigher* weigher,
         const common_internal::ReversedKinds& reversed, const PageRankPushOptions& options,
         std::uint64_t limit)
      : selection_(selection),
        weigher_(weigher),
        reversed_(reversed),
        options_(options),
        limit_(limit),
        places_(selection.snapshot->node_count()) {}

  // REQUIRES a node that was not added before, and a share above 0.
  void AddSeed(NodeId node, double share) {
    const std::uint32_t place = Place(node);
    entries_[place].residual = share;
    seeds_.push_back({place, share});
  }

  // Whether the limit was met.
  bool met_limit() const { return met_limit_; }

  PageRankPushResult Run() {
    double threshold = 0.25;
    for (;; threshold /= 4) {
      for (std::uint32_t i = 0; i < entries_.size(); ++i) Enqueue(i, threshold);
      while (!queue_.empty() && Push(queue_.front(), threshold)) queue_.pop_front();
      for (const std::uint32_t i : queue_) entries_[i].queued = false;
      queue_.clear();
      Measure();
      if (result_.truncated || result_.converged) break;
      if (options_.stop_at_certain_top && result_.certain_top) break;
    }
    if (met_limit_) Settle();
    result_.nodes = entries_.size();
    result_.bytes =
        result_.edges * (9 + 8 + 2 * sizeof(Entry)) + result_.pushes * (8 + 2 * sizeof(Entry));
    return std::move(result_);
  }

 private:
  std::uint32_t Place(NodeId node) {
    std::uint32_t& place = places_.at(node);
    if (place == common_internal::NodeMap::kAbsent) {
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
  bool Truncate() {
    result_.truncated = true;
    return false;
  }

  double Weight(const Arc& arc) const {
    if (!options_.weighted) return 1.0;
    return static_cast<double>(weigher_ ? (*weigher_)(arc) : arc.weight);
  }

  // The selected arcs of a row, as far as the budget goes; false when it does not go to
  // the end.
  bool ReadRow(NodeId node) {
    constexpr std::uint64_t kPollInterval = 4096;  // arcs, for the deadline
    row_.clear();
    if (result_.pushes % 256 == 0 && options_.run.budget.Interrupted()) return false;
    bool whole = true;
    reversed_.ForEachArc(
        *selection_.snapshot, Direction::kOut, node, selection_.filter, [&](const Arc& arc) {
          met_limit_ = result_.edges >= limit_;
          if (met_limit_ || result_.edges >= options_.run.budget.edges ||
              (result_.edges % kPollInterval == 0 && options_.run.budget.Interrupted()))
            return whole = false;
          ++result_.edges;
          if (selection_.all_nodes || selection_.contains(arc.neighbor))
            row_.push_back({arc.neighbor, Weight(arc)});
          return true;
        });
    return whole;
  }
  bool NodesAreLeft() {
    if (options_.run.budget.nodes == Budget::kUnlimited) return true;
    std::uint64_t left = options_.run.budget.nodes -
                         std::min<std::uint64_t>(entries_.size(), options_.run.budget.nodes);
    for (const auto& [neighbor, weight] : row_)
      if (places_.get(neighbor) == common_internal::NodeMap::kAbsent && left-- == 0) return false;
    return true;
  }

  // False, and nothing is changed: the budget ran out.
  bool Push(std::uint32_t i, double threshold) {
    const NodeId node = entries_[i].node;
    if (!ReadRow(node) || !NodesAreLeft()) return Truncate();
    ++result_.pushes;
    entries_[i].queued = false;
    const double residual = std::exchange(entries_[i].residual, 0.0);
    entries_[i].placed += (1.0 - options_.damping) * residual;
    const double going = options_.damping * residual;
    double strength = 0;
    for (const auto& [neighbor, weight] : row_) strength += weight;
    if (strength > 0)
      for (const auto& [neighbor, weight] : row_)
        AddResidual(Place(neighbor), going * (weight / strength), threshold);
    else
      for (const Seed& seed : seeds_) AddResidual(seed.place, going * seed.share, threshold);
    return true;
  }
  void AddResidual(std::uint32_t i, double residual, double threshold) {
    entries_[i].residual += residual;
    Enqueue(i, threshold);
  }

  // The top, and how sure it is.
  // Of what is left at a node, this share ends there in any case. A hub whose row is longer than
  // the limit has a score so, too.
  void Settle() {
    for (Entry& e : entries_) {
      e.placed += (1.0 - options_.damping) * e.residual;
      e.residual *= options_.damping;
    }
    Measure();
  }
  void Measure() {
    double left = 0;
    for (const Entry& e : entries_) left += e.residual;
    result_.error = left;
    result_.converged = left <= options_.max_error;
    std::vector<ScoredNode> ranked;
    ranked.reserve(entries_.size());
    for (const Entry& e : entries_) ranked.push_back({e.node, e.placed});
    TakeTop(std::move(ranked), options_, result_);
  }

  const common_internal::Selection& selection_;
  const common_internal::EdgeWeigher* weigher_;
  const common_internal::ReversedKinds& reversed_;
  const PageRankPushOptions& options_;
  std::uint64_t limit_;
  bool met_limit_ = false;
  common_internal::NodeMap places_;
  std::vector<Entry> entries_;
  struct Seed {
    std::uint32_t place;
    double share;
  };
  std::vector<Seed> seeds_;
  std::deque<std::uint32_t> queue_;  // a node once at most
  struct RowArc {
    NodeId neighbor;
    double weight;
  };
  std::vector<RowArc> row_;  // the one being pushed
  PageRankPushResult result_;
};

Status Check(std::span<const NodeWeight> seeds, const PageRankPushOptions& o,
             const common_internal::Selection& selection, double& total) {
  if (!(o.damping >= 0 && o.damping <= 0.9999))
    return Invalid("damping ", o.damping, " is not in [0, 0.9999], as push needs it");
  if (!(o.max_error >= 1e-9 && o.max_error <= 1))
    return Invalid("the largest error allowed is 1e-9 to 1");
  if (seeds.empty()) return Invalid("push starts at seeds; none was given");
  total = 0;
  for (const NodeWeight& seed : seeds) {
    if (seed.node >= selection.snapshot->node_count() || !selection.contains(seed.node))
      return common_internal::NotSelected(*selection.snapshot, "seed", seed.node, o.filter.kinds);
    if (!(seed.weight >= 0) || !std::isfinite(seed.weight))
      return Invalid("weight ", seed.weight, " of seed node ",
                     common_internal::NodeName(*selection.snapshot, seed.node),
                     " is not a finite number >= 0");
    total += seed.weight;
  }
  if (!(total > 0) || !std::isfinite(total))
    return Invalid("the seeds' weights do not have a finite sum above 0");
  return {};
}

// How many arcs push may follow before a whole run is cheaper; kUnlimited: one is not to be had.
// An arc of push moves eight times the bytes of an arc of an iteration, and of the iterations that
// damping^n = max_error allows a ranking mostly needs a quarter, near damping 1 far less.
std::uint64_t ArcLimit(const Snapshot& snapshot, const common_internal::Selection& selection,
                       const PageRankPushOptions& o) {
  if (o.run.budget.nodes != Budget::kUnlimited ||
      o.max_error < LeastTolerance(Precision::kF64, o.damping))
    return Budget::kUnlimited;
  constexpr std::uint64_t kLeast = 1 << 14;  // what a whole run costs besides
  std::uint64_t arcs = 0;
  for (EdgeKindId kind{}; kind < snapshot.schema().edge_kinds().size(); ++kind)
    if (selection.filter.allows(kind)) arcs += snapshot.CountEdges(kind);
  const double iterations =
      o.damping > 0 ? std::max(1.0, std::log(o.max_error) / std::log(o.damping)) : 1.0;
  const double whole = static_cast<double>(arcs) * iterations;
  constexpr double kMostIterations = 128;  // 32 are paid for
  const std::uint64_t limit =
      kLeast + static_cast<std::uint64_t>(static_cast<double>(arcs) *
                                          std::min(iterations, kMostIterations) / 32);
  // What push leaves of the budget has to pay for a whole run.
  return static_cast<double>(o.run.budget.edges) < static_cast<double>(limit) + whole
             ? Budget::kUnlimited
             : limit;
}

// The same vector by PageRank(), within what push left of the budget. Where that ends early with a
// larger error, the vector of push.
Result<PageRankPushResult> RunWhole(const Snapshot& snapshot, std::span<const NodeWeight> seeds,
                                    const PageRankPushOptions& o, PageRankPushResult pushed) {
  PageRankOptions whole;
  whole.damping = o.damping;
  whole.tolerance = o.max_error;
  whole.max_iterations = 1'000'000;
  whole.weighted = o.weighted;
  whole.seeds.assign(seeds.begin(), seeds.end());
  whole.filter = o.filter;
  whole.reversed = o.reversed;
  whole.arc_weights = o.arc_weights;
  whole.run = o.run;
  if (whole.run.budget.edges != Budget::kUnlimited) whole.run.budget.edges -= pushed.edges;
  PLEXUS_ASSIGN(const PageRankResult ranked, PageRank(snapshot, whole));
  if (ranked.truncated && ranked.error >= pushed.error) {
    pushed.truncated = true;
    return pushed;
  }
  PageRankPushResult result;
  result.whole = true;
  result.error = ranked.error;
  result.converged = ranked.converged;
  result.truncated = ranked.truncated;
  result.pushes = pushed.pushes;
  const auto iterations = static_cast<std::uint64_t>(ranked.iterations);
  result.edges = pushed.edges + ranked.edges * iterations;
  result.bytes = pushed.bytes + ranked.stats.bytes_per_iteration * iterations;
  std::vector<ScoredNode> scored;
  for (NodeId v = 0; v < ranked.scores.size(); ++v)
    if (ranked.scores[v] > 0) scored.push_back({v, ranked.scores[v]});
  result.nodes = scored.size();
  TakeTop(std::move(scored), o, result);
  return result;
}

}  // namespace

Result<PageRankPushResult> PageRankPush(const Snapshot& snapshot, std::span<const NodeWeight> seeds,
                                        const PageRankPushOptions& options) try {
  PLEXUS_ASSIGN(const common_internal::Selection selection,
                common_internal::Select(snapshot, options.filter));
  double total = 0;
  PLEXUS_TRY(Check(seeds, options, selection, total));
  std::map<NodeId, double> weights;  // the same node twice adds up
  for (const NodeWeight& seed : seeds) weights[seed.node] += seed.weight;
  PLEXUS_ASSIGN(
      const std::optional<common_internal::EdgeWeigher> weigher,
      common_internal::EdgeWeigher::MakeIfAny(snapshot, options.arc_weights, options.weighted));
  PLEXUS_ASSIGN(const common_internal::ReversedKinds reversed,
                common_internal::ReversedKinds::Make(snapshot.schema(), options.reversed,
                                                     options.filter.kinds));
  const std::uint64_t until_whole = ArcLimit(snapshot, selection, options);
  Pusher pusher(selection, weigher ? &*weigher : nullptr, reversed, options,
                std::min(until_whole, options.most_arcs));
  for (const auto& [node, weight] : weights)
    if (weight / total > 0) pusher.AddSeed(node, weight / total);
  PageRankPushResult result = pusher.Run();
  if (!pusher.met_limit()) return result;
  if (until_whole <= options.most_arcs)
    return RunWhole(snapshot, seeds, options, std::move(result));
  result.truncated = false;
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::pagerank
