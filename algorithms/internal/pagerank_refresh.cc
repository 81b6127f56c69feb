// The sweeps are the pull kernel on changes instead of scores, in f32 as soon as what f32
// loses cannot matter; the pushes between them are serial, in the order of ids, first
// come first served, in f64.
#include "algorithms/internal/pagerank_refresh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <deque>
#include <limits>
#include <type_traits>
#include <utility>

#include "algorithms/internal/pagerank_pull.h"
#include "engine/aligned_array.h"

namespace plexus::internal {

namespace {

constexpr std::size_t kGrain = 4096;  // nodes a block; part of the result's definition

// Nodes whose pending change is above a threshold.
struct Loud {
  std::vector<NodeId> nodes;
  std::uint64_t arcs = 0;  // of their rows
  double mass = 0;
};

class Refresher {
 public:
  Refresher(const PageRankRows& rows, std::span<const SeedShare> seeds,
            const PageRankRefreshOptions& options, Executor& executor)
      : rows_(rows), seeds_(seeds), options_(options), executor_(executor), n_(rows.node_count),
        edges_left_(options.budget.edges), reciprocal_(n_), pending_(n_), next_(n_) {}

  PageRankRefreshed Run(std::vector<double> start) {
    MeasureStrengths();
    result_.scores = std::move(start);
    const double dangling = Begin();
    // What the rows make of the scores, less the scores.
    if (!MaySweep()) return Stopped();
    Sweep<true>((1.0 - options_.damping) + options_.damping * dangling, pending_, next_);
    bool narrow = false;  // f32 from here on
    while (result_.error > options_.tolerance) {
      if (result_.iterations >= options_.max_iterations) return Stopped();
      if (!narrow) {
        const Loud loud = Listen();
        if (MayPush() && loud.arcs <= Few() && loud.mass * 2 >= mass_) {
          if (edges_left_ < loud.arcs || options_.budget.Interrupted()) return Stopped();
          Push(loud);
          continue;
        }
      }
      if (!MaySweep()) return Stopped();
      if (!narrow && NarrowWillDo()) {
        Narrow();
        narrow = true;
      }
      const double home = options_.damping * (dangling_ + home_);  // see Push
      if (narrow)
        Sweep<false>(home, narrow_pending_, narrow_next_);
      else
        Sweep<false>(home, pending_, next_);
    }
    return Done();
  }

 private:
  // All that is ever pushed is at most the mass through 1 - d, and moves the sum of the
  // scores no further: it stays between 0.9 and 1.1.
  bool MayPush() const { return mass_ <= 0.1 * (1.0 - options_.damping); }
  // Arcs whose pushing costs about as much as a sweep. A pushed arc touches four arrays
  // anywhere, and on one thread; a sweep also has its nodes.
  std::uint64_t Few() const {
    const std::uint64_t pulled = n_ < (1u << 16) ? 8 : n_ < (1u << 19) ? 24 : 64;
    return (result_.arcs + 4 * n_) / pulled;
  }

  PageRankRefreshed Stopped() {
    result_.truncated = true;
    return Done();
  }
  PageRankRefreshed Done() {
    if (const double scale = sum_ + home_; scale != 1.0) {
      for (const SeedShare& seed : seeds_) result_.scores[seed.dense] += home_ * seed.share;
      const double each = seeds_.empty() ? home_ / static_cast<double>(n_) : 0.0;
      ParallelFor(executor_, n_, kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v) result_.scores[v] = (result_.scores[v] + each) / scale;
      });
    }
    return std::move(result_);
  }
  bool MaySweep() {
    if (edges_left_ < result_.arcs || options_.budget.Interrupted()) return false;
    if (edges_left_ != Budget::kUnlimited) edges_left_ -= result_.arcs;
    return true;
  }
  // The bound. What is pending, dangling nodes' changes as one, has its first step to go;
  // what is on its way home has yet to be added to the scores; what rounding left out has
  // all its steps to go.
  void SetMass(double pending) {
    const double d = options_.damping;
    mass_ = pending + std::abs(dangling_) + std::abs(home_);
    result_.error = (d * (pending + std::abs(dangling_)) + std::abs(home_) + rounding_) /
                    ((1.0 - d) * (sum_ + home_));
  }

  // fn(neighbor, weight) along a row.
  template <class Fn>
  void Row(Direction direction, NodeId v, Fn&& fn) const {
    const CsrView& csr = direction == Direction::kOut ? rows_.out : rows_.in;
    if (rows_.live && !rows_.live->clean(direction, v)) {
      static const ArcFilter all = ArcFilter::All();
      rows_.live->ForEachArc(direction, v, all, [&](const Arc& arc) { fn(arc.neighbor, static_cast<double>(arc.weight)); });
      return;
    }
    const std::uint32_t end = csr.offsets[v + 1];
    for (std::uint32_t a = csr.offsets[v]; a < end; ++a)
      fn(csr.neighbors[a], static_cast<double>(csr.weight(a)));
  }

  // Out-strengths, the number of arcs, and whether weights can be left aside.
  void MeasureStrengths() {
    struct Sum {
      std::uint64_t arcs = 0;
      bool ones = true, moderate = true;
    };
    const bool weighted = options_.weighted;
    const Sum sum = ParallelReduce(
        executor_, n_, kGrain, Sum{},
        [&](std::size_t begin, std::size_t end) {
          Sum part;
          for (std::size_t v = begin; v < end; ++v) {
            const NodeId node = static_cast<NodeId>(v);
            double strength = 0;
            std::uint64_t degree = 0;
            if (!weighted && !(rows_.live && !rows_.live->clean(Direction::kOut, node))) {
              degree = rows_.out.degree(node);
              strength = static_cast<double>(degree);
            } else {
              Row(Direction::kOut, node, [&](NodeId, double weight) {
                ++degree;
                part.ones &= weight == 1.0;
                strength += weighted ? weight : 1.0;
              });
            }
            part.arcs += degree;
            reciprocal_[v] = strength > 0 ? std::max(1.0 / strength, std::numeric_limits<double>::min()) : 0.0;
            part.moderate &= strength == 0 || (strength > 1e-9 && strength < 1e9);
          }
          return part;
        },
        [](Sum a, const Sum& b) { return Sum{a.arcs + b.arcs, a.ones && b.ones, a.moderate && b.moderate}; });
    result_.arcs = sum.arcs;
    weighted_ = weighted && !sum.ones;
    moderate_ = sum.moderate;
  }

  // The scores as contributions; the mass on dangling nodes.
  double Begin() {
    return ParallelReduce(
        executor_, n_, kGrain, 0.0,
        [&](std::size_t begin, std::size_t end) {
          double dangling = 0;
          for (std::size_t v = begin; v < end; ++v) {
            pending_[v] = result_.scores[v] * reciprocal_[v];
            if (reciprocal_[v] == 0) dangling += result_.scores[v];
          }
          return dangling;
        },
        [](double a, double b) { return a + b; });
  }

  template <bool kWeighted, class Real>
  double Sum(NodeId v, const Real* pending) const {
    if (rows_.live && !rows_.live->clean(Direction::kIn, v)) {
      std::array<double, 4> sums{};  // in turn
      std::size_t turn = 0;
      Row(Direction::kIn, v, [&](NodeId u, double weight) {
        const double change = static_cast<double>(pending[u]);
        sums[turn++ % 4] += kWeighted ? change * weight : change;
      });
      return (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
    const std::uint32_t at = rows_.in.offsets[v];
    return PullSum<kWeighted>(rows_.in.neighbors.data() + at,
                              kWeighted ? rows_.in.weights.data() + at : nullptr,
                              rows_.in.offsets[v + 1] - at, pending);
  }

  // Pulls every pending change (kFirst: the scores themselves) and makes what comes of
  // them the pending ones. `home`: what goes to the teleport.
  template <bool kFirst, class Real>
  void Sweep(double home, AlignedArray<Real>& pending, AlignedArray<Real>& next) {
    const PageRankPartial partial = ParallelReduce(
        executor_, n_, kGrain, PageRankPartial{},
        [&](std::size_t begin, std::size_t end) {
          PageRankPartial part;
          auto seed = std::lower_bound(seeds_.begin(), seeds_.end(), begin,
                                       [](const SeedShare& s, std::size_t v) { return s.dense < v; });
          for (std::size_t v = begin; v < end; ++v) {
            const NodeId node = static_cast<NodeId>(v);
            double change = options_.damping * (weighted_ ? Sum<true>(node, pending.data())
                                                          : Sum<false>(node, pending.data()));
            if (seeds_.empty()) {
              change += home / static_cast<double>(n_);
            } else if (seed != seeds_.end() && seed->dense == v) {
              change += home * seed->share;
              ++seed;
            }
            if constexpr (kFirst) change -= result_.scores[v];
            result_.scores[v] += change;
            next[v] = static_cast<Real>(change * reciprocal_[v]);
            const std::size_t lane = v % PageRankPartial::kLanes;
            if (reciprocal_[v] == 0)
              part.dangling[lane] += change;
            else
              part.step[lane] += std::abs(change);
          }
          return part;
        },
        Add);
    std::swap(pending, next);
    dangling_ = PageRankPartial::Total(partial.dangling);
    home_ = 0;
    const double changed = PageRankPartial::Total(partial.step);
    rounding_ += 0x1p-52 * sum_ + (std::is_same_v<Real, float> ? 0x1p-23 * changed : 0.0);
    SetMass(changed);
    ++result_.iterations;
  }

  // A sweep in f32 rounds every change once, which leaves out less than 2^-23 of the mass;
  // what the sweeps to come leave out is a geometric series.
  bool NarrowWillDo() const {
    const double left = 1.0 - options_.damping;
    return moderate_ && std::ldexp(mass_, -21) / (left * left) <= options_.tolerance / 8;
  }
  void Narrow() {
    rounding_ += 0x1p-23 * mass_;
    narrow_pending_ = AlignedArray<float>(n_);
    narrow_next_ = AlignedArray<float>(n_);
    ParallelFor(executor_, n_, kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) narrow_pending_[v] = static_cast<float>(pending_[v]);
    });
  }

  // The nodes that stand out by their pending change. Quiet ones, all together, may stay
  // pending for good: a quarter of what the tolerance allows.
  Loud Listen() {
    quiet_ = options_.tolerance * (1.0 - options_.damping) / (4.0 * options_.damping * static_cast<double>(n_));
    Loud loud = Above(quiet_);
    if (loud.arcs > Few()) {
      quiet_ = std::max(quiet_, 4.0 * mass_ / static_cast<double>(n_));
      loud = Above(quiet_);
    }
    return loud;
  }
  Loud Above(double threshold) const {
    std::vector<Loud> parts((n_ + kGrain - 1) / kGrain);
    ParallelFor(executor_, n_, kGrain, [&](std::size_t begin, std::size_t end) {
      Loud& part = parts[begin / kGrain];
      for (std::size_t v = begin; v < end; ++v) {
        if (pending_[v] == 0 || !IsLoud(v, threshold)) continue;
        part.nodes.push_back(static_cast<NodeId>(v));
        part.arcs += Degree(static_cast<NodeId>(v));
        part.mass += std::abs(pending_[v]) / reciprocal_[v];
      }
    });
    Loud all;
    for (const Loud& part : parts) {
      all.nodes.insert(all.nodes.end(), part.nodes.begin(), part.nodes.end());
      all.arcs += part.arcs;
      all.mass += part.mass;
    }
    return all;
  }
  // Passes on the pending changes of `loud`, and of those that become loud on the way, as
  // far as few arcs go.
  void Push(const Loud& loud) {
    const double d = options_.damping;
    std::uint64_t left = std::min(std::max(loud.arcs, Few()), edges_left_);
    if (queued_.empty()) queued_ = std::vector<bool>(n_);
    std::deque<NodeId> queue(loud.nodes.begin(), loud.nodes.end());
    for (const NodeId v : queue) queued_[v] = true;
    while (!queue.empty()) {
      const NodeId u = queue.front();
      const std::uint64_t arcs = Degree(u);
      if (arcs > left) break;
      left -= arcs;
      if (edges_left_ != Budget::kUnlimited) edges_left_ -= arcs;
      queue.pop_front();
      queued_[u] = false;
      const double pending = std::exchange(pending_[u], 0.0);
      const double going = d * pending;
      // The teleport gets its share of every change, so that all changes on their way sum
      // to 0 and what comes out is the ranking times whatever the scores sum to by now.
      // With a fixed teleport that sum would have to return to 1, which takes long. The
      // next sweep owes the teleport (1 - d) of the pending changes, -(1 - d) home_.
      home_ += (1.0 - d) * (pending / reciprocal_[u]);
      sum_ += d * (pending / reciprocal_[u]);
      Row(Direction::kOut, u, [&](NodeId v, double weight) {
        const double change = weighted_ ? going * weight : going;
        result_.scores[v] += change;
        rounding_ += 0x1p-53 * std::abs(result_.scores[v]);
        if (reciprocal_[v] == 0) {
          dangling_ += change;
          return;
        }
        pending_[v] += change * reciprocal_[v];
        if (queued_[v] || !IsLoud(v, quiet_)) return;
        queued_[v] = true;
        queue.push_back(v);
      });
    }
    for (const NodeId v : queue) queued_[v] = false;
    SetMass(ParallelReduce(
        executor_, n_, kGrain, 0.0,
        [&](std::size_t begin, std::size_t end) {
          double mass = 0;
          for (std::size_t v = begin; v < end; ++v)
            if (pending_[v] != 0) mass += std::abs(pending_[v]) / reciprocal_[v];
          return mass;
        },
        [](double a, double b) { return a + b; }));
    ++result_.iterations;
  }
  std::uint64_t Degree(NodeId v) const {
    if (!rows_.live || rows_.live->clean(Direction::kOut, v)) return rows_.out.degree(v);
    return rows_.live->Degree(Direction::kOut, v, ArcFilter::All());
  }
  bool IsLoud(std::size_t v, double threshold) const {
    return std::abs(pending_[v]) > threshold * reciprocal_[v];
  }

  const PageRankRows& rows_;
  const std::span<const SeedShare> seeds_;
  const PageRankRefreshOptions& options_;
  Executor& executor_;
  const std::size_t n_;
  std::uint64_t edges_left_;
  bool weighted_ = true, moderate_ = true;
  AlignedArray<double> reciprocal_;  // 1 / out-strength, 0 = dangling
  AlignedArray<double> pending_;     // changes not yet passed on, times the reciprocal
  AlignedArray<double> next_;
  AlignedArray<float> narrow_pending_, narrow_next_;
  double dangling_ = 0;  // sum of the pending changes of dangling nodes
  double home_ = 0;      // on its way to the teleport
  double sum_ = 1;       // of the scores
  double rounding_ = 0;  // at most so much was left out, as changes
  double mass_ = 0;      // of all that is pending
  double quiet_ = 0;     // changes up to it are not pushed
  std::vector<bool> queued_;
  PageRankRefreshed result_;
};

}  // namespace

PageRankRefreshed RefreshPageRank(const PageRankRows& rows, std::vector<double> start,
                                  std::span<const SeedShare> seeds,
                                  const PageRankRefreshOptions& options, Executor& executor) {
  return Refresher(rows, seeds, options, executor).Run(std::move(start));
}

}  // namespace plexus::internal
