// A ring of waiting nodes for each block.
#include "algorithms/community/internal/blockwise_moving.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "algorithms/common/internal/stop_flag.h"

namespace plexus::community::internal {

namespace {

constexpr NodeId kMaxSingleBlock = 2048;  // up to so many nodes there is one block
constexpr NodeId kMaxBlockNodes = 8192;   // nodes of a block
constexpr NodeId kManyBlocks = kNoNode - 1;
constexpr std::uint64_t kPollInterval = 1 << 17;  // arcs and visits between two polls of the budget
constexpr int kMaxRounds = 100;
constexpr double kNoise = 1e-11;  // as in local_moving.cc
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Blocks of equal size, and an even number of them.
NodeId SizeFor(NodeId nodes) {
  if (nodes <= kMaxSingleBlock) return nodes;
  const NodeId pairs = (nodes - 1) / (2 * kMaxBlockNodes) + 1;
  return (nodes - 1) / (2 * pairs) + 1;
}

}  // namespace

template <bool kUnit>
class BlockwiseMoving::Block {
 public:
  Block(BlockwiseMoving& all, NodeId block, const CommunityGraph& graph, NodeId* communities,
        CommunitySums& sums, const Plan& plan, std::vector<std::uint8_t>& waiting)
      : graph_(graph),
        communities_(communities),
        totals_(sums.totals.data()),
        sizes_(sums.sizes.data()),
        block_of_label_(all.block_of_label_.data()),
        block_(block),
        begin_(block * all.size_),
        size_(std::min(graph.nodes - begin_, all.size_)),
        places_(std::bit_ceil(all.size_)),
        ring_(all.queues_.data() + std::size_t{block} * places_),
        queued_(all.queued_.data()),
        waiting_(waiting.data()),
        plan_(plan),
        unused_(begin_) {}

  Report Run(SparseAccumulator& accumulator, common_internal::StopFlag& stop_flag,
             std::uint64_t arcs) {
    if (stop_flag.Poll()) return report_;
    FillQueue();
    const double enough = plan_.tolerance * graph_.total / 2 * size_ / graph_.nodes;
    bool stopped = false;
    std::uint64_t next_poll = kPollInterval;
    for (int round = 0; head_ != tail_ && round < kMaxRounds && !stopped; ++round) {
      const double before = report_.gain;
      for (const std::uint64_t last = tail_; head_ != last; ++head_) {
        const std::uint64_t spent = report_.arcs + head_;
        if (report_.arcs >= arcs || (spent >= next_poll && stop_flag.Poll())) {
          stopped = true;
          break;
        }
        if (spent >= next_poll) next_poll = spent + kPollInterval;
        const NodeId v = ring_[head_ & (places_ - 1)];
        queued_[v] = 0;
        Visit(v, accumulator);
      }
      if (report_.gain - before < enough) break;
    }
    for (; head_ != tail_; ++head_) waiting_[ring_[head_ & (places_ - 1)]] = 1;
    return report_;
  }

 private:
  bool IsOwn(NodeId label) const { return block_of_label_[label] == block_; }
  bool IsInside(NodeId v) const { return v - begin_ < size_; }

  void FillQueue() {
    const std::uint64_t draw = SplitMix64(plan_.seed + block_);
    const NodeId step = plan_.in_order ? 1 : static_cast<NodeId>(draw | 1),
                 first = plan_.in_order ? 0 : static_cast<NodeId>(draw >> 32);
    for (NodeId i = 0; i < places_; ++i) {
      const NodeId at = (first + i * step) & (places_ - 1);
      if (at >= size_) continue;
      const NodeId v = begin_ + at;
      if (graph_.degree(v) == 0) continue;
      if (IsOwn(communities_[v])) {
        queued_[v] = 1;
        ring_[tail_++ & (places_ - 1)] = v;
      } else {
        waiting_[v] = 1;
      }
    }
  }

  void Visit(NodeId v, SparseAccumulator& accumulator) {
    const CommunityGraph::Row where = graph_.rows[v];
    report_.arcs += graph_.degree(v);
    const NodeId own = communities_[v];
    const double strength = graph_.strengths[v], price = plan_.scale * strength;
    bool constrained = false;
    typename SparseAccumulator::Row<kUnit> row(accumulator);
    for (std::uint64_t a = where.begin; a < where.end; ++a) {
      const NodeId u = graph_.neighbors[a];
      if (IsInside(u))
        row.Add(communities_[u], graph_.Weight<kUnit>(a));
      else
        constrained = true;
    }
    const double stay = row.sum(own) - price * (totals_[own] - strength);
    double best = stay;
    NodeId target = own;
    row.ForEachAndClear([&](NodeId label, double sum) {
      if (label == own) return;
      constrained |= !IsOwn(label);
      const double worth = IsOwn(label) ? sum - price * totals_[label] : -kInfinity;
      if (worth < best || (worth == best && (target == own || label > target))) return;
      best = worth;
      target = label;
    });
    Decide(v, own, stay, best, target, constrained);
  }

  void Decide(NodeId v, NodeId own, double stay, double best, NodeId target, bool constrained) {
    if (best < 0 && sizes_[own] > 1) {
      best = 0;
      target = Unused();
      constrained |= target == kNoNode;
    }
    if (constrained) waiting_[v] = 1;
    const double strength = graph_.strengths[v];
    if (target == own || target == kNoNode || !(best - stay > kNoise * strength)) return;
    report_.gain += best - stay;
    Move(v, own, target, strength);
  }

  void Move(NodeId v, NodeId own, NodeId target, double strength) {
    ++report_.moves;
    totals_[own] -= strength;
    totals_[target] += strength;
    if (--sizes_[own] == 0) {
      totals_[own] = 0;  // no dust
      empty_ = own;
      if (IsInside(own)) unused_ = std::min(unused_, own);
    }
    ++sizes_[target];
    communities_[v] = target;
    for (std::uint64_t a = graph_.rows[v].begin; a < graph_.rows[v].end; ++a) {
      const NodeId u = graph_.neighbors[a];
      if (!IsInside(u)) continue;
      // No branch: half of them are queued already.
      const bool wakes = !queued_[u] & (communities_[u] != target) & IsOwn(communities_[u]);
      ring_[tail_ & (places_ - 1)] = wakes ? u : ring_[tail_ & (places_ - 1)];
      tail_ += wakes;
      queued_[u] |= wakes;
    }
  }

  // An unused label: the one left last, or one that is a node of this block, since no other block
  // uses those; kNoNode when all are in use.
  NodeId Unused() {
    if (empty_ != kNoNode && sizes_[empty_] == 0) return empty_;
    for (; unused_ < begin_ + size_; ++unused_) {
      if (block_of_label_[unused_] == kNoNode) block_of_label_[unused_] = block_;
      if (IsOwn(unused_) && sizes_[unused_] == 0) return unused_;
    }
    return kNoNode;
  }

  const CommunityGraph& graph_;
  NodeId* const communities_;
  double* const totals_;
  NodeId* const sizes_;
  NodeId* const block_of_label_;
  const NodeId block_, begin_, size_, places_;
  NodeId* const ring_;
  std::uint8_t* const queued_;
  std::uint8_t* const waiting_;
  const Plan& plan_;
  NodeId unused_, empty_ = kNoNode;
  std::uint64_t head_ = 0, tail_ = 0;
  Report report_;
};

bool BlockwiseMoving::IsWorthwhile(const CommunityGraph& graph) {
  const NodeId size = SizeFor(graph.nodes);
  if (graph.nodes == size) return true;
  constexpr NodeId kSampledNodes = 1024;
  std::uint64_t near = 0, all = 0;
  for (NodeId i = 0; i < kSampledNodes; ++i) {
    const auto v = static_cast<NodeId>(std::uint64_t{graph.nodes} * i / kSampledNodes);
    const NodeId begin = v / size * size;
    for (std::uint64_t a = graph.rows[v].begin; a < graph.rows[v].end; ++a)
      near += graph.neighbors[a] - begin < size;
    all += graph.degree(v);
  }
  return 16 * near >= 15 * all;
}

BlockwiseMoving::Report BlockwiseMoving::Run(
    const CommunityGraph& graph, NodeId* communities, CommunitySums& sums, const Plan& plan,
    Executor& executor, common_internal::ObjectPool<SparseAccumulator>& accumulators,
    const Budget* budget, std::vector<std::uint8_t>& waiting) {
  size_ = SizeFor(graph.nodes);
  const NodeId blocks = (graph.nodes - 1) / size_ + 1;
  block_of_label_.assign(graph.nodes, kNoNode);
  for (NodeId block = 0, v = 0; block < blocks; ++block)
    for (const NodeId end = std::min(graph.nodes, v + size_); v < end; ++v) {
      NodeId& block_of = block_of_label_[communities[v]];
      block_of = block_of == kNoNode || block_of == block ? block : kManyBlocks;
    }
  queues_.assign(std::size_t{blocks} * std::bit_ceil(size_), 0);
  queued_.assign(graph.nodes, 0);
  waiting.assign(graph.nodes, 0);
  reports_.assign(blocks, {});
  common_internal::StopFlag stop_flag(budget);
  ParallelFor(executor, blocks, 1, [&](std::size_t b, std::size_t) {
    const auto accumulator = accumulators.Acquire();
    const auto block = static_cast<NodeId>(b);
    reports_[b] = graph.unit ? Block<true>(*this, block, graph, communities, sums, plan, waiting)
                                   .Run(*accumulator, stop_flag, plan.arcs / blocks)
                             : Block<false>(*this, block, graph, communities, sums, plan, waiting)
                                   .Run(*accumulator, stop_flag, plan.arcs / blocks);
  });
  Report report;
  report.blocks = blocks;
  for (const Report& each : reports_) {
    report.moves += each.moves;
    report.arcs += each.arcs;
    report.gain += each.gain;
  }
  return report;
}

}  // namespace plexus::community::internal
