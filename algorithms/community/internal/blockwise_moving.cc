// A ring of waiting nodes for each block.
#include "algorithms/community/internal/blockwise_moving.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "algorithms/common/internal/splitmix64.h"

namespace plexus::community_internal {
using namespace internal;

namespace {

constexpr NodeId kOne = 2048;   // up to so many nodes there is one block
constexpr NodeId kMost = 8192;  // nodes of a block
constexpr NodeId kSeveral = kNoNode - 1;
constexpr std::uint64_t kLook = 1 << 17;  // arcs and visits between looks at the clock
constexpr int kMaxRounds = 100;
constexpr double kNoise = 1e-11;  // as in local_moving.cc
constexpr double kNever = std::numeric_limits<double>::infinity();

// Even stretches, and an even number of them.
NodeId SizeFor(NodeId nodes) {
  if (nodes <= kOne) return nodes;
  const NodeId pairs = (nodes - 1) / (2 * kMost) + 1;
  return (nodes - 1) / (2 * pairs) + 1;
}

}  // namespace

template <bool kUnit>
class BlockMoving::Block {
 public:
  Block(BlockMoving& all, NodeId block, const CommunityGraph& graph, NodeId* communities,
        CommunitySums& sums, const Plan& plan, std::vector<std::uint8_t>& waiting)
      : graph_(graph),
        communities_(communities),
        totals_(sums.totals.data()),
        sizes_(sums.sizes.data()),
        homes_(all.homes_.data()),
        block_(block),
        begin_(block * all.size_),
        size_(std::min(graph.nodes - begin_, all.size_)),
        places_(std::bit_ceil(all.size_)),
        ring_(all.queues_.data() + std::size_t{block} * places_),
        queued_(all.queued_.data()),
        waiting_(waiting.data()),
        plan_(plan),
        unused_(begin_) {}

  Report Run(Tally& tally, Halt& halt, std::uint64_t arcs) {
    if (halt.Look()) return report_;
    FillQueue();
    const double enough = plan_.tolerance * graph_.total / 2 * size_ / graph_.nodes;
    bool stopped = false;
    std::uint64_t look = kLook;
    for (int round = 0; head_ != tail_ && round < kMaxRounds && !stopped; ++round) {
      const double before = report_.gain;
      for (const std::uint64_t last = tail_; head_ != last; ++head_) {
        const std::uint64_t spent = report_.arcs + head_;
        if (report_.arcs >= arcs || (spent >= look && halt.Look())) {
          stopped = true;
          break;
        }
        if (spent >= look) look = spent + kLook;
        const NodeId v = ring_[head_ & (places_ - 1)];
        queued_[v] = 0;
        Visit(v, tally);
      }
      if (report_.gain - before < enough) break;
    }
    for (; head_ != tail_; ++head_) waiting_[ring_[head_ & (places_ - 1)]] = 1;
    return report_;
  }

 private:
  bool Mine(NodeId label) const { return homes_[label] == block_; }
  bool Here(NodeId v) const { return v - begin_ < size_; }

  void FillQueue() {
    const std::uint64_t draw = Mix(plan_.seed + block_);
    const NodeId step = plan_.in_order ? 1 : static_cast<NodeId>(draw | 1),
                 first = plan_.in_order ? 0 : static_cast<NodeId>(draw >> 32);
    for (NodeId i = 0; i < places_; ++i) {
      const NodeId at = (first + i * step) & (places_ - 1);
      if (at >= size_) continue;
      const NodeId v = begin_ + at;
      if (graph_.degree(v) == 0) continue;
      if (Mine(communities_[v])) {
        queued_[v] = 1;
        ring_[tail_++ & (places_ - 1)] = v;
      } else {
        waiting_[v] = 1;
      }
    }
  }

  void Visit(NodeId v, Tally& tally) {
    const CommunityGraph::Row where = graph_.rows[v];
    report_.arcs += graph_.degree(v);
    const NodeId own = communities_[v];
    const double strength = graph_.strengths[v], price = plan_.scale * strength;
    bool held = false;
    typename Tally::Row<kUnit> row(tally);
    for (std::uint64_t a = where.begin; a < where.end; ++a) {
      const NodeId u = graph_.neighbors[a];
      if (Here(u))
        row.Add(communities_[u], graph_.Weight<kUnit>(a));
      else
        held = true;
    }
    const double stay = row.sum(own) - price * (totals_[own] - strength);
    double best = stay;
    NodeId target = own;
    row.Drain([&](NodeId label, double sum) {
      if (label == own) return;
      held |= !Mine(label);
      const double worth = Mine(label) ? sum - price * totals_[label] : -kNever;
      if (worth < best || (worth == best && (target == own || label > target))) return;
      best = worth;
      target = label;
    });
    Decide(v, own, stay, best, target, held);
  }

  void Decide(NodeId v, NodeId own, double stay, double best, NodeId target, bool held) {
    if (best < 0 && sizes_[own] > 1) {
      best = 0;
      target = Unused();
      held |= target == kNoNode;
    }
    if (held) waiting_[v] = 1;
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
      if (Here(own)) unused_ = std::min(unused_, own);
    }
    ++sizes_[target];
    communities_[v] = target;
    for (std::uint64_t a = graph_.rows[v].begin; a < graph_.rows[v].end; ++a) {
      const NodeId u = graph_.neighbors[a];
      if (!Here(u)) continue;
      // No branch: half of them wait already.
      const bool wakes = !queued_[u] & (communities_[u] != target) & Mine(communities_[u]);
      ring_[tail_ & (places_ - 1)] = wakes ? u : ring_[tail_ & (places_ - 1)];
      tail_ += wakes;
      queued_[u] |= wakes;
    }
  }

  // A label of nobody: the one left last, or one that is a node of this stretch, as such
  // labels are at nobody else's disposal; kNoNode when all are taken.
  NodeId Unused() {
    if (empty_ != kNoNode && sizes_[empty_] == 0) return empty_;
    for (; unused_ < begin_ + size_; ++unused_) {
      if (homes_[unused_] == kNoNode) homes_[unused_] = block_;
      if (Mine(unused_) && sizes_[unused_] == 0) return unused_;
    }
    return kNoNode;
  }

  const CommunityGraph& graph_;
  NodeId* const communities_;
  double* const totals_;
  NodeId* const sizes_;
  NodeId* const homes_;
  const NodeId block_, begin_, size_, places_;
  NodeId* const ring_;
  std::uint8_t* const queued_;
  std::uint8_t* const waiting_;
  const Plan& plan_;
  NodeId unused_, empty_ = kNoNode;
  std::uint64_t head_ = 0, tail_ = 0;
  Report report_;
};

bool BlockMoving::Suits(const CommunityGraph& graph) {
  const NodeId size = SizeFor(graph.nodes);
  if (graph.nodes == size) return true;
  constexpr NodeId kAsked = 1024;
  std::uint64_t near = 0, all = 0;
  for (NodeId i = 0; i < kAsked; ++i) {
    const auto v = static_cast<NodeId>(std::uint64_t{graph.nodes} * i / kAsked);
    const NodeId begin = v / size * size;
    for (std::uint64_t a = graph.rows[v].begin; a < graph.rows[v].end; ++a)
      near += graph.neighbors[a] - begin < size;
    all += graph.degree(v);
  }
  return 16 * near >= 15 * all;
}

BlockMoving::Report BlockMoving::Run(const CommunityGraph& graph, NodeId* communities,
                                     CommunitySums& sums, const Plan& plan, Executor& executor,
                                     Pool<Tally>& tallies, const Budget* budget,
                                     std::vector<std::uint8_t>& waiting) {
  size_ = SizeFor(graph.nodes);
  const NodeId blocks = (graph.nodes - 1) / size_ + 1;
  homes_.assign(graph.nodes, kNoNode);
  for (NodeId block = 0, v = 0; block < blocks; ++block)
    for (const NodeId end = std::min(graph.nodes, v + size_); v < end; ++v) {
      NodeId& home = homes_[communities[v]];
      home = home == kNoNode || home == block ? block : kSeveral;
    }
  queues_.assign(std::size_t{blocks} * std::bit_ceil(size_), 0);
  queued_.assign(graph.nodes, 0);
  waiting.assign(graph.nodes, 0);
  reports_.assign(blocks, {});
  Halt halt(budget);
  ParallelFor(executor, blocks, 1, [&](std::size_t b, std::size_t) {
    auto tally = tallies.Take();
    const auto block = static_cast<NodeId>(b);
    reports_[b] = graph.unit ? Block<true>(*this, block, graph, communities, sums, plan, waiting)
                                   .Run(*tally, halt, plan.arcs / blocks)
                             : Block<false>(*this, block, graph, communities, sums, plan, waiting)
                                   .Run(*tally, halt, plan.arcs / blocks);
    tallies.Give(std::move(tally));
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

}  // namespace plexus::community_internal
