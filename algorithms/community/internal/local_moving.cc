// Class by class: propose in parallel, apply in order, mark the neighbours in parallel.
#include "algorithms/community/internal/local_moving.h"

#include <atomic>
#include <bit>
#include <cstring>

#include "algorithms/common/internal/stop_flag.h"

namespace plexus::community::internal {

namespace {

constexpr int kClassBits = 12;
constexpr NodeId kPerClass = 1u << kClassBits;  // nodes of a class, about
constexpr int kRunBits = 4;                     // ids that stand together: a few cache lines
constexpr std::size_t kAhead = 6;  // nodes: each step of fetching comes so much before the next
constexpr std::size_t kGrain = 64;
constexpr std::size_t kProposeGrain = 2048;
constexpr std::size_t kSerialLimit = 256;  // so many are moved one by one
constexpr int kMaxSweeps = 100;
// Gains below this share of a node's strength may be rounding.
constexpr double kNoise = 1e-11;

}  // namespace

// The best community for v by the state as it is; its own when none is better, kNoNode
// when a community of its own is better. Ties go to the smaller label.
template <bool kUnit, bool kStalenessBound>
LocalMoving::Proposal LocalMoving::Best(NodeId v, SparseAccumulator& accumulator) const {
  const CommunityGraph& g = *graph_;
  return WithRow<kUnit>(accumulator, g.degree(v), [&](auto& row) {
    const NodeId own = communities_[v];
    typename SparseAccumulator::Row<kUnit>::Sum staleness_bound = 0;
    const NodeId* neighbors = g.neighbors.data();
    const NodeId* communities = communities_;
    const NodeId mask = mask_ << run_bits_;
    for (std::uint64_t a = g.rows[v].begin, end = g.rows[v].end; a < end; ++a) {
      const NodeId u = neighbors[a];
      const auto weight = g.Weight<kUnit>(a);
      row.Add(communities[u], weight);
      if (kStalenessBound)
        staleness_bound += ((u ^ v) & mask) == 0 ? weight : 0;  // of the same class
    }
    const double strength = g.strengths[v], price = scale_ * strength;
    const double links_own = row.sum(own);
    const double stay = links_own - price * (sums_.totals[own] - strength);
    double best = stay, links = 0;
    NodeId target = own;
    row.ForEachAndClear([&](NodeId label, double sum) {
      const double worth = sum - price * sums_.totals[label];
      if (worth < best || label == own || (worth == best && (target == own || label > target)))
        return;
      best = worth;
      links = sum - links_own;
      target = label;
    });
    if (best < 0 && sums_.sizes[own] > 1) {
      target = kNoNode;
      links = -links_own;
    }
    return Proposal{v, target, links, static_cast<double>(staleness_bound)};
  });
}

LocalMoving::Proposal LocalMoving::Best(NodeId v, bool staleness_bound,
                                        SparseAccumulator& accumulator) const {
  if (staleness_bound)
    return graph_->unit ? Best<true, true>(v, accumulator) : Best<false, true>(v, accumulator);
  return graph_->unit ? Best<true, false>(v, accumulator) : Best<false, false>(v, accumulator);
}

void LocalMoving::FetchRow(NodeId v) const {
  const std::uint64_t begin = graph_->rows[v].begin;
  __builtin_prefetch(&graph_->neighbors[begin]);
  if (!graph_->unit) __builtin_prefetch(&graph_->weights[begin]);
  __builtin_prefetch(&graph_->strengths[v]);
  __builtin_prefetch(&communities_[v]);
}

void LocalMoving::FetchSums(const Proposal& proposal) const {
  if (proposal.target == kNoNode) return;
  __builtin_prefetch(&sums_.totals[proposal.target]);
  __builtin_prefetch(&sums_.sizes[proposal.target]);
}

// Of a proposal, by the current totals, in units of weight.
double LocalMoving::Gain(const Proposal& proposal) const {
  const double strength = graph_->strengths[proposal.node];
  const double there = proposal.target == kNoNode ? 0.0 : sums_.totals[proposal.target];
  return proposal.links -
         scale_ * strength * (there - sums_.totals[communities_[proposal.node]] + strength);
}

NodeId LocalMoving::EmptyCommunity() {
  while (!empty_.empty()) {
    const NodeId last = empty_.back();
    empty_.pop_back();
    if (sums_.sizes[last] == 0) return last;
  }
  while (sums_.sizes[never_used_] != 0) ++never_used_;  // there is one: a community has two nodes
  return never_used_;
}

void LocalMoving::Apply(const Proposal& proposal) {
  const NodeId own = communities_[proposal.node];
  const NodeId target = proposal.target == kNoNode ? EmptyCommunity() : proposal.target;
  const double strength = graph_->strengths[proposal.node];
  sums_.totals[own] -= strength;
  sums_.totals[target] += strength;
  if (--sums_.sizes[own] == 0) {
    sums_.totals[own] = 0;  // no dust
    empty_.push_back(own);
  }
  ++sums_.sizes[target];
  communities_[proposal.node] = target;
}

void LocalMoving::MarkNeighbors(NodeId v) {
  const NodeId home = communities_[v];
  for (std::uint64_t a = graph_->rows[v].begin; a < graph_->rows[v].end; ++a) {
    const NodeId u = graph_->neighbors[a];
    if (communities_[u] == home) continue;
    // Several threads may store the same.
    std::atomic_ref<std::uint8_t> wait(waiting_[place(u)]);
    if (!wait.load(std::memory_order_relaxed)) wait.store(1, std::memory_order_relaxed);
  }
}

void LocalMoving::CollectWaiting(NodeId cls) {
  list_.clear();
  std::uint8_t* waiting = waiting_.data() + cls * per_class_;
  for (std::size_t i = 0; i < per_class_; ++i) {
    if (i % 8 == 0 && i + 8 <= per_class_) {  // mostly none of eight
      std::uint64_t eight;
      std::memcpy(&eight, waiting + i, 8);
      if (eight == 0) {
        i += 7;
        continue;
      }
    }
    if (!waiting[i]) continue;
    waiting[i] = 0;
    const auto run = static_cast<NodeId>(i >> run_bits_),
               rest = static_cast<NodeId>(i & ((1u << run_bits_) - 1));
    list_.push_back(((run << class_bits_ | cls) << run_bits_) | rest);
  }
}

void LocalMoving::MoveOneByOne(SparseAccumulator& accumulator, Spending& spending,
                               MoveReport& report) {
  for (NodeId v : list_) {
    spending.arcs += graph_->degree(v);
    const Proposal proposal = Best(v, false, accumulator);
    if (proposal.target == communities_[v]) continue;
    const double gain = Gain(proposal);
    if (gain <= kNoise * graph_->strengths[v]) continue;
    Apply(proposal);
    MarkNeighbors(v);
    ++report.moves;
    report.gain += gain;
  }
}

void LocalMoving::ApplyProposals(SparseAccumulator& accumulator, Spending& spending,
                                 MoveReport& report) {
  moved_.clear();
  for (std::size_t i = 0; i < list_.size(); ++i) {
    if (i + kAhead < list_.size()) FetchSums(proposals_[i + kAhead]);
    Proposal proposal = proposals_[i];
    spending.arcs += graph_->degree(proposal.node);
    if (proposal.target == communities_[proposal.node]) continue;
    const double noise = kNoise * graph_->strengths[proposal.node];
    double gain = Gain(proposal);
    if (gain - 2 * proposal.staleness_bound <= noise) {
      spending.arcs += graph_->degree(proposal.node);
      proposal = Best(proposal.node, false, accumulator);
      if (proposal.target == communities_[proposal.node]) continue;
      gain = Gain(proposal);
      if (gain <= noise) continue;
    }
    Apply(proposal);
    moved_.push_back(proposal.node);
    ++report.moves;
    report.gain += gain;
  }
}

void LocalMoving::Sweep(const MoveOptions& options, Executor& executor,
                        common_internal::ObjectPool<SparseAccumulator>& accumulators,
                        Spending& spending, MoveReport& report) {
  const std::uint64_t draw = SplitMix64(options.seed);
  const NodeId step = options.in_order ? 1 : static_cast<NodeId>(draw | 1);
  const NodeId first = options.in_order ? 0 : static_cast<NodeId>(draw >> 32);
  const auto own_accumulator = accumulators.Acquire();
  for (NodeId k = 0; k <= mask_; ++k) {
    if (spending.RanOut()) {
      report.truncated = true;
      break;
    }
    CollectWaiting((first + k * step) & mask_);
    if (list_.size() < kSerialLimit) {
      MoveOneByOne(*own_accumulator, spending, report);
      continue;
    }
    ParallelFor(executor, list_.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      const auto accumulator = accumulators.Acquire();
      for (std::size_t i = begin; i < end; ++i) {
        if (i + 3 * kAhead < end) __builtin_prefetch(&graph_->rows[list_[i + 3 * kAhead]]);
        if (i + 2 * kAhead < end) FetchRow(list_[i + 2 * kAhead]);
        if (i + kAhead < end) FetchLabels(*graph_, list_[i + kAhead], communities_);
        proposals_[i] = Best(list_[i], true, *accumulator);
      }
    });
    ApplyProposals(*own_accumulator, spending, report);
    ParallelFor(executor, moved_.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (i + kAhead < end) FetchLabels(*graph_, moved_[i + kAhead], communities_);
        MarkNeighbors(moved_[i]);
      }
    });
  }
}

void LocalMoving::CutIntoClasses(bool in_order) {
  const NodeId n = graph_->nodes;
  run_bits_ = n <= kPerClass ? 0 : in_order ? kClassBits : kRunBits;
  const NodeId classes = std::bit_ceil(n <= kPerClass ? n : (n + kPerClass - 1) / kPerClass);
  mask_ = classes - 1;
  class_bits_ = std::countr_zero(classes);
  const NodeId runs_apart = classes << run_bits_;
  per_class_ = ((std::size_t{n} + runs_apart - 1) / runs_apart) << run_bits_;
  if (waiting_.size() < per_class_ * classes)
    waiting_ = AlignedArray<std::uint8_t>(per_class_ * classes);
  std::fill_n(waiting_.data(), per_class_ * classes, std::uint8_t{0});
  for (NodeId v = 0; v < n; ++v)
    if (first_[v]) waiting_[place(v)] = 1;
  proposals_.resize(per_class_);
  list_.reserve(per_class_);
  moved_.reserve(per_class_);
}

// Whether v has a neighbour in another community, or could be better off in a community of its own.
bool LocalMoving::CanMove(NodeId v) const {
  const CommunityGraph& g = *graph_;
  const NodeId own = communities_[v];
  bool inside = true;
  for (std::uint64_t a = g.rows[v].begin; a < g.rows[v].end; ++a)
    inside &= communities_[g.neighbors[a]] == own;
  const double links = g.strengths[v] - g.loops[v];
  return !inside || links - scale_ * g.strengths[v] * (sums_.totals[own] - g.strengths[v]) <
                        kNoise * g.strengths[v];
}

// first_: the nodes that would move in the current state.
void LocalMoving::ProposeAll(Executor& executor,
                             common_internal::ObjectPool<SparseAccumulator>& accumulators,
                             Spending& spending) {
  first_.resize(graph_->nodes);
  common_internal::StopFlag stop_flag(spending.budget);
  spending.arcs +=
      ParallelSum(executor, graph_->nodes, kProposeGrain, [&](std::size_t begin, std::size_t end) {
        std::uint64_t arcs = 0;
        if (stop_flag.Poll()) return arcs;
        const auto accumulator = accumulators.Acquire();
        for (auto v = static_cast<NodeId>(begin); v < end; ++v) {
          arcs += graph_->degree(v);
          first_[v] = CanMove(v) && Best(v, false, *accumulator).target != communities_[v];
        }
        return arcs;
      });
}

MoveReport LocalMoving::Run(const CommunityGraph& graph, std::vector<NodeId>& communities,
                            const MoveOptions& options, Executor& executor,
                            common_internal::ObjectPool<SparseAccumulator>& accumulators,
                            Spending& spending) {
  const NodeId n = graph.nodes;
  graph_ = &graph;
  communities_ = communities.data();
  scale_ = options.resolution / graph.total;
  sums_.totals.assign(n, 0.0);
  sums_.sizes.assign(n, 0);
  std::uint64_t arcs = 0;
  for (NodeId v = 0; v < n; ++v) {
    arcs += graph.degree(v);
    sums_.totals[communities[v]] += graph.strengths[v];
    ++sums_.sizes[communities[v]];
  }
  empty_.clear();
  never_used_ = 0;

  MoveReport report;
  report.truncated = spending.RanOut();
  if (report.truncated) return report;
  bool done = false;
  if (options.settled && arcs <= spending.left()) {
    ProposeAll(executor, accumulators, spending);
  } else if (!options.settled && BlockwiseMoving::IsWorthwhile(graph)) {
    const BlockwiseMoving::Plan plan = {scale_, options.tolerance, options.in_order, options.seed,
                                        spending.left()};
    const BlockwiseMoving::Report found = blocks_.Run(graph, communities_, sums_, plan, executor,
                                                      accumulators, spending.budget, first_);
    spending.arcs += found.arcs;
    report.moves = found.moves;
    report.gain = found.gain;
    report.truncated = spending.RanOut();
    done = found.blocks == 1;
  } else {
    first_.resize(n);
    for (NodeId v = 0; v < n; ++v) first_[v] = graph.degree(v) > 0;
  }
  if (!done) CutIntoClasses(options.in_order);
  for (int sweep = 0; !done && sweep < kMaxSweeps && !report.truncated; ++sweep) {
    const MoveReport before = report;
    Sweep(options, executor, accumulators, spending, report);
    const double gain = 2 * (report.gain - before.gain) / graph.total;
    done = report.moves == before.moves || gain < options.tolerance;
  }
  report.gain *= 2 / graph.total;
  return report;
}

}  // namespace plexus::community::internal
