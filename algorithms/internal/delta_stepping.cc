// The loop over buckets; the work inside one is cut into blocks of its nodes.
#include "algorithms/internal/delta_stepping.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "algorithms/internal/pool.h"

namespace plexus::internal {

namespace {

constexpr std::size_t kWindow = 4096;
constexpr std::size_t kGrain = 128;        // nodes a block
constexpr std::size_t kFuseAtMost = 1000;  // nodes that a block works off itself
constexpr std::size_t kAloneNodes = 512;  // a frontier of one thread
constexpr std::uint64_t kAloneArcs = 1024;
constexpr std::size_t kFillGrain = 1 << 16;

struct Bins {
  std::vector<std::vector<NodeId>> near = std::vector<std::vector<NodeId>>(kWindow);
  std::vector<NodeId> far;
  std::vector<NodeId> again;  // what a block works off itself
};

template <class T>
class Stepping {
 public:
  Stepping(std::span<const CostedRows> rows, T delta, const Budget& budget, Executor& executor)
      : rows_(rows), delta_(delta), budget_(budget), executor_(executor) {
    result_.costs = AlignedArray<T>(rows[0].rows.node_count());
    ParallelFor(executor_, result_.costs.size(), kFillGrain, [&](std::size_t begin, std::size_t end) {
      std::fill(result_.costs.begin() + begin, result_.costs.begin() + end, kInfinity);
    });
  }

  DeltaResult<T> Run(NodeId source) {
    pool_.Reserve(executor_, static_cast<std::size_t>(executor_.thread_count()));
    result_.costs[source] = 0;
    frontier_.assign(1, source);
    do {
      while (!frontier_.empty()) {
        if (budget_.Interrupted()) {
          Truncate();
          return std::move(result_);
        }
        Relax();
        if (stop_) {  // the bucket at work is still the one that was
          Truncate();
          return std::move(result_);
        }
        Gather();
      }
    } while (Refill());
    return std::move(result_);
  }

 private:
  static constexpr T kInfinity = std::numeric_limits<T>::infinity();

  std::size_t Bucket(T cost) const {
    const T place = (cost - base_) / delta_;
    if (!(place > 0)) return 0;
    return place < static_cast<T>(kWindow) ? static_cast<std::size_t>(place) : kWindow;
  }
  T Cost(NodeId v) { return std::atomic_ref(result_.costs[v]).load(std::memory_order_relaxed); }

  // A small frontier is one thread's: waking another costs more than it. Road networks have
  // nothing else.
  bool Alone() const {
    if (frontier_.size() <= kGrain) return true;
    if (frontier_.size() > kAloneNodes) return false;
    std::uint64_t arcs = 0;
    for (std::size_t i = 0; i < frontier_.size() && arcs <= kAloneArcs; ++i)
      for (const CostedRows& side : rows_) arcs += side.rows.degree(frontier_[i]);
    return arcs <= kAloneArcs;
  }

  void Relax() {
    if (Alone()) {
      Block(0, frontier_.size());
      return;
    }
    ParallelFor(executor_, frontier_.size(), kGrain,
                [&](std::size_t begin, std::size_t end) { Block(begin, end); });
  }

  void Block(std::size_t begin, std::size_t end) {
    std::unique_ptr<Bins> bins = pool_.Take();
    for (std::size_t i = begin; i < end; ++i) Node(frontier_[i], *bins);
    std::vector<NodeId>& again = bins->again;
    int rounds = 0;
    while (!bins->near[now_].empty() && bins->near[now_].size() < kFuseAtMost) {
      if (++rounds % 64 == 0 && budget_.Interrupted()) stop_ = true;
      if (stop_.load(std::memory_order_relaxed)) break;
      again.clear();
      std::swap(again, bins->near[now_]);
      for (NodeId u : again) Node(u, *bins);
    }
    pool_.Give(std::move(bins));
  }

  void Node(NodeId u, Bins& bins) {
    const T cost = Cost(u);
    if (Bucket(cost) < now_) return;  // got cheaper since, and was relaxed then
    for (const CostedRows& side : rows_) {
      const std::uint32_t past = side.rows.offsets[u + 1];
      std::uint32_t a = side.rows.offsets[u];
      if (!side.costs.empty()) {
        for (; a < past; ++a) Arc(side.rows.neighbors[a], cost + static_cast<T>(side.costs[a]), bins);
      } else if (!side.rows.weights.empty()) {
        for (; a < past; ++a) Arc(side.rows.neighbors[a], cost + static_cast<T>(side.rows.weights[a]), bins);
      } else {
        for (; a < past; ++a) Arc(side.rows.neighbors[a], cost + 1, bins);
      }
    }
  }

  void Arc(NodeId v, T cost, Bins& bins) {
    std::atomic_ref<T> slot(result_.costs[v]);
    T old = slot.load(std::memory_order_relaxed);
    while (cost < old) {
      if (!slot.compare_exchange_weak(old, cost, std::memory_order_relaxed)) continue;
      const std::size_t bucket = Bucket(cost);
      (bucket < kWindow ? bins.near[bucket] : bins.far).push_back(v);
      return;
    }
  }

  // The first bucket that is not empty becomes the frontier; none: an empty one.
  void Gather() {
    frontier_.clear();
    for (; now_ < kWindow; ++now_) {
      for (const auto& bins : pool_.idle()) {
        std::vector<NodeId>& bin = bins->near[now_];
        frontier_.insert(frontier_.end(), bin.begin(), bin.end());
        bin.clear();
      }
      if (!frontier_.empty()) return;
    }
  }

  // The window moves to the cheapest node that waits; false: none does.
  bool Refill() {
    std::vector<NodeId> waiting;
    T least = kInfinity;
    for (const auto& bins : pool_.idle()) {
      for (NodeId v : bins->far) {
        const T cost = result_.costs[v];
        if (Bucket(cost) < kWindow) continue;
        least = std::min(least, cost);
        waiting.push_back(v);
      }
      bins->far.clear();
    }
    if (waiting.empty()) return false;
    base_ = least;
    now_ = 0;
    Bins& bins = *pool_.idle().front();
    for (NodeId v : waiting) {
      const std::size_t bucket = Bucket(result_.costs[v]);
      (bucket < kWindow ? bins.near[bucket] : bins.far).push_back(v);
    }
    Gather();
    return true;
  }

  // Costs below the bucket at work are final.
  void Truncate() {
    result_.truncated = true;
    for (T& cost : result_.costs)
      if (cost >= base_ && Bucket(cost) >= now_) cost = kInfinity;
  }

  const std::span<const CostedRows> rows_;
  const T delta_;
  const Budget& budget_;
  Executor& executor_;
  DeltaResult<T> result_;
  T base_ = 0;           // cost at which bucket 0 begins
  std::size_t now_ = 0;  // the bucket at work
  std::vector<NodeId> frontier_;
  Pool<Bins> pool_;
  std::atomic<bool> stop_ = false;  // the budget ran out inside a bucket
};

}  // namespace

template <class T>
DeltaResult<T> DeltaStepping(std::span<const CostedRows> rows, NodeId source, T delta,
                             const Budget& budget, Executor& executor) {
  return Stepping<T>(rows, delta, budget, executor).Run(source);
}
template DeltaResult<float> DeltaStepping(std::span<const CostedRows>, NodeId, float, const Budget&, Executor&);
template DeltaResult<double> DeltaStepping(std::span<const CostedRows>, NodeId, double, const Budget&, Executor&);

double ChooseDelta(std::span<const CostedRows> rows) {
  double sum = 0, arcs = 0;
  std::vector<double> sample;
  const double nodes = rows[0].rows.node_count();
  for (const CostedRows& side : rows) {
    arcs += static_cast<double>(side.rows.arc_count());
    for (std::size_t a = 0; a < side.rows.arc_count(); a += 61) {
      const double cost = side.costs.empty() ? static_cast<double>(side.rows.weight(static_cast<std::uint32_t>(a)))
                                             : side.costs[a];
      if (!std::isfinite(cost)) continue;
      sum += cost;
      sample.push_back(cost);
    }
  }
  // Eight medians at most: a few roads that are closed by a huge cost must not put all
  // others into one bucket.
  double typical = sample.empty() ? 0 : sum / static_cast<double>(sample.size());
  if (!sample.empty()) {
    const auto middle = sample.begin() + static_cast<std::ptrdiff_t>(sample.size() / 2);
    std::nth_element(sample.begin(), middle, sample.end());
    if (*middle > 0) typical = std::min(typical, 8 * *middle);
  }
  const double delta = typical == 0 ? 1 : typical / std::max(1.0, arcs / nodes);
  // Tiny costs must not make a width that vanishes in f32 or f64.
  return std::max(delta, 1e-30);
}

}  // namespace plexus::internal
