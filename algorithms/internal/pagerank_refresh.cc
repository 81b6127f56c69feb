// Everything but the pushes runs in parallel over blocks of nodes; these are serial, in
// the order of ids, first come first served.
#include "algorithms/internal/pagerank_refresh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <deque>
#include <limits>
#include <utility>

#include "engine/aligned_array.h"

namespace plexus::internal {

namespace {

// Nodes a block, and at least so many a part; part of the result's definition.
constexpr std::size_t kGrain = 16 * RowSums::kGroup, kLeastPart = 64 * kGrain, kMostParts = 16;

// Nodes whose pending change is above a threshold.
struct Loud {
  std::vector<NodeId> nodes;
  std::uint64_t arcs = 0;  // of their rows
  double mass = 0;
};

// Of a block of nodes, or a part.
struct Totals {
  double scores = 0, dangling = 0;
  double changes = 0;  // absolute, at the last turn, of nodes with out-arcs
  double home = 0;     // what the changes at the last turn owe the teleport
};

class Refresher {
 public:
  Refresher(const LiveRows& rows, std::span<const SeedShare> seeds, const PageRankRefreshOptions& options,
            Executor& executor)
      : rows_(rows), seeds_(seeds), options_(options), executor_(executor), n_(rows.node_count),
        edges_left_(options.budget.edges), reciprocal_(n_), contribution_(n_), next_(n_),
        blocks_((n_ + kGrain - 1) / kGrain) {}

  PageRankRefreshed Run(std::vector<double> start) {
    const bool weighted = MeasureStrengths();
    RowSums sums(rows_, weighted, executor_);
    sums.Reserve(executor_, blocks_.size());
    sums_ = &sums;
    result_.scores = std::move(start);
    Begin(0);
    if (!MaySweep()) return Stopped();
    FirstSweep();
    PushWhileLocal();
    if (result_.error <= options_.tolerance) return Done(sum_ + home_, home_);
    if (result_.truncated) return Stopped();
    return SweepParts();
  }

 private:
  PageRankRefreshed Stopped() {
    result_.truncated = true;
    return Done(sum_ + home_, home_);
  }
  // Scores sum to `scale` once the teleport has got `home`.
  PageRankRefreshed Done(double scale, double home) {
    for (const SeedShare& seed : seeds_) result_.scores[seed.dense] += home * seed.share;
    const double each = seeds_.empty() ? home / static_cast<double>(n_) : 0.0;
    ParallelFor(executor_, n_, kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) result_.scores[v] = (result_.scores[v] + each) / scale;
    });
    return std::move(result_);
  }
  bool MaySweep() {
    if (edges_left_ < result_.arcs || options_.budget.Interrupted()) return false;
    if (edges_left_ != Budget::kUnlimited) edges_left_ -= result_.arcs;
    ++result_.iterations;
    return true;
  }

  // Out-strengths and the number of arcs. False: weights can be left aside.
  bool MeasureStrengths() {
    struct Sum {
      std::uint64_t arcs = 0;
      bool ones = true;
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
            if (!weighted) {
              degree = rows_.Degree(Direction::kOut, node);
              strength = static_cast<double>(degree);
            } else {
              rows_.ForEachArc(Direction::kOut, node, [&](NodeId, double weight) {
                ++degree;
                part.ones &= weight == 1.0;
                strength += weight;
              });
            }
            part.arcs += degree;
            reciprocal_[v] = strength > 0 ? std::max(1.0 / strength, std::numeric_limits<double>::min()) : 0.0;
          }
          return part;
        },
        [](Sum a, const Sum& b) { return Sum{a.arcs + b.arcs, a.ones && b.ones}; });
    result_.arcs = sum.arcs;
    return weighted && !sum.ones;
  }

  // Contributions and totals of the scores, after the teleport has got `home`.
  void Begin(double home) {
    for (const SeedShare& seed : seeds_) result_.scores[seed.dense] += home * seed.share;
    const double each = seeds_.empty() ? home / static_cast<double>(n_) : 0.0;
    ParallelFor(executor_, n_, kGrain, [&](std::size_t begin, std::size_t end) {
      Totals& totals = blocks_[begin / kGrain] = Totals{};
      for (std::size_t v = begin; v < end; ++v) {
        const double score = result_.scores[v] += each;
        contribution_[v] = score * reciprocal_[v];
        totals.scores += score;
        totals.dangling += reciprocal_[v] == 0 ? score : 0.0;
      }
    });
  }
  Totals Fold(std::size_t begin, std::size_t end) const {
    Totals all;
    for (std::size_t b = begin / kGrain; b * kGrain < end; ++b) {
      all.scores += blocks_[b].scores;
      all.dangling += blocks_[b].dangling;
      all.changes += blocks_[b].changes;
    }
    return all;
  }
  double Home(const Totals& t) const { return (1.0 - options_.damping) * t.scores + options_.damping * t.dangling; }

  // Nodes [first, last) anew from contribution_; theirs go to next_, totals to blocks_.
  void Sweep(std::size_t first, std::size_t last, double home) {
    const double d = options_.damping, each = seeds_.empty() ? home / static_cast<double>(n_) : 0.0;
    ParallelFor(executor_, last - first, kGrain, [&](std::size_t begin, std::size_t end) {
      begin += first, end += first;
      std::array<double, kGrain> sums;
      sums_->Pull(begin, end, contribution_.data(), sums.data());
      for (std::size_t i = 0; i < end - begin; ++i) sums[i] = each + d * sums[i];
      if (!seeds_.empty()) {
        auto seed = std::lower_bound(seeds_.begin(), seeds_.end(), begin,
                                     [](const SeedShare& s, std::size_t v) { return s.dense < v; });
        for (; seed != seeds_.end() && seed->dense < end; ++seed) sums[seed->dense - begin] += home * seed->share;
      }
      std::array<Totals, 4> lanes;  // short chains of additions
      for (std::size_t v = begin; v < end; ++v) {
        Totals& lane = lanes[v % 4];
        const double score = sums[v - begin], r = reciprocal_[v];
        const double change = std::abs(score - result_.scores[v]);
        lane.scores += score;
        lane.dangling += r == 0 ? score : 0.0;
        lane.changes += r == 0 ? 0.0 : change;
        result_.scores[v] = score;
        next_[v] = score * r;
      }
      Totals& totals = blocks_[begin / kGrain] = lanes[0];
      for (std::size_t i = 1; i < 4; ++i) {
        totals.scores += lanes[i].scores;
        totals.dangling += lanes[i].dangling;
        totals.changes += lanes[i].changes;
      }
    });
  }
  // Of rows, strengths and scores, as a change that is left out.
  double SweepRounding() const { return sums_->Rounding() + 0x1p-50; }

  // What the rows make of the scores. What is pending is next_ less contribution_.
  void FirstSweep() {
    const Totals before = Fold(0, n_);
    Sweep(0, n_, Home(before));
    const Totals after = Fold(0, n_);
    dangling_ = after.dangling - before.dangling;
    rounding_ = SweepRounding();
    SetMass(after.changes);
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

  // Arcs whose pushing costs about as much as a sweep. A pushed arc touches four arrays
  // anywhere, and on one thread; a sweep also has its nodes.
  std::uint64_t Few() const {
    const std::uint64_t pulled = n_ < (1u << 16) ? 16 : n_ < (1u << 19) ? 32 : 128;
    return (result_.arcs + 4 * n_) / pulled;
  }
  // All that is ever pushed is at most the mass through 1 - d, and moves the sum of the
  // scores no further: it stays between 0.9 and 1.1.
  void PushWhileLocal() {
    const double d = options_.damping;
    if (result_.error <= options_.tolerance || mass_ > 0.1 * (1.0 - d)) return;
    while (result_.error > options_.tolerance) {
      const Loud loud = Listen();
      if (loud.arcs > Few() || loud.mass * 2 < mass_) return;
      result_.truncated = result_.iterations >= options_.max_iterations || edges_left_ < loud.arcs ||
                          options_.budget.Interrupted();
      if (result_.truncated) return;
      Push(loud);
    }
  }
  // The nodes that stand out by their pending change; with them those that are not quiet, if
  // these are few, too. Quiet ones, all together, may stay pending for good: a quarter of
  // what the tolerance allows.
  Loud Listen() {
    const double nodes = static_cast<double>(n_);
    const double quiet = options_.tolerance * (1.0 - options_.damping) / (4.0 * options_.damping * nodes);
    quiet_ = std::max(quiet, 4.0 * mass_ / nodes);
    Loud loud = Above(quiet_);
    if (quiet == quiet_ || loud.arcs > Few()) return loud;
    Loud all = Above(quiet);
    if (all.arcs > Few()) return loud;
    quiet_ = quiet;
    return all;
  }
  Loud Above(double threshold) const {
    std::vector<Loud> parts((n_ + kGrain - 1) / kGrain);
    ParallelFor(executor_, n_, kGrain, [&](std::size_t begin, std::size_t end) {
      Loud& part = parts[begin / kGrain];
      for (std::size_t v = begin; v < end; ++v) {
        const double pending = Pending(v);
        if (!(std::abs(pending) > threshold * reciprocal_[v])) continue;
        part.nodes.push_back(static_cast<NodeId>(v));
        part.arcs += rows_.Degree(Direction::kOut, static_cast<NodeId>(v));
        part.mass += std::abs(pending) / reciprocal_[v];
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
  double Pending(std::size_t v) const { return pushed_ ? contribution_[v] : next_[v] - contribution_[v]; }
  // From the first push on contribution_ holds what is pending.
  void BeginToPush() {
    ParallelFor(executor_, n_, kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) contribution_[v] = next_[v] - contribution_[v];
    });
    queued_ = std::vector<bool>(n_);
    pushed_ = true;
  }
  // Passes on the pending changes of `loud`, and of those that become loud on the way, as
  // far as few arcs go.
  void Push(const Loud& loud) {
    if (!pushed_) BeginToPush();
    AlignedArray<double>& waiting = contribution_;
    const double d = options_.damping;
    std::uint64_t left = std::min(std::max(loud.arcs, Few()), edges_left_);
    std::deque<NodeId> queue(loud.nodes.begin(), loud.nodes.end());
    for (const NodeId v : queue) queued_[v] = true;
    while (!queue.empty()) {
      const NodeId u = queue.front();
      const std::uint64_t arcs = rows_.Degree(Direction::kOut, u);
      if (arcs > left) break;
      left -= arcs;
      if (edges_left_ != Budget::kUnlimited) edges_left_ -= arcs;
      queue.pop_front();
      queued_[u] = false;
      const double pending = std::exchange(waiting[u], 0.0);
      const double going = d * pending;
      // The teleport gets its share of every change, so that all changes on their way sum
      // to 0 and what comes out is the ranking times whatever the scores sum to by now.
      // With a fixed teleport that sum would have to return to 1, which takes long.
      home_ += (1.0 - d) * (pending / reciprocal_[u]);
      sum_ += d * (pending / reciprocal_[u]);
      rows_.ForEachArc(Direction::kOut, u, [&](NodeId v, double weight) {
        const double change = options_.weighted ? going * weight : going;
        result_.scores[v] += change;
        rounding_ += 0x1p-53 * std::abs(result_.scores[v]);
        if (reciprocal_[v] == 0) {
          dangling_ += change;
          return;
        }
        waiting[v] += change * reciprocal_[v];
        if (queued_[v] || !(std::abs(waiting[v]) > quiet_ * reciprocal_[v])) return;
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
            if (waiting[v] != 0) mass += std::abs(waiting[v]) / reciprocal_[v];
          return mass;
        },
        [](double a, double b) { return a + b; }));
    ++result_.iterations;
  }
  // Sweeps in parts until the bound is met.
  PageRankRefreshed SweepParts() {
    const std::size_t wanted = std::max((n_ + kMostParts - 1) / kMostParts, kLeastPart);
    const std::size_t size = (wanted + kGrain - 1) / kGrain * kGrain;
    std::vector<Totals> parts;
    double scores = sum_ + home_;
    for (bool first = true;; first = false) {
      if (result_.iterations >= options_.max_iterations || !MaySweep()) {
        result_.truncated = true;
        return first ? Done(scores, home_) : Done(scores, 0);
      }
      if (first) {
        Arrive();
        for (std::size_t at = 0; at < n_; at += size) parts.push_back(Fold(at, std::min(at + size, n_)));
      }
      for (std::size_t k = 0; k < parts.size(); ++k) {
        const std::size_t begin = k * size, end = std::min(begin + size, n_);
        Totals all;
        for (const Totals& part : parts) all.scores += part.scores, all.dangling += part.dangling;
        Sweep(begin, end, Home(all));
        ParallelFor(executor_, end - begin, 16 * kGrain, [&](std::size_t from, std::size_t to) {
          std::memcpy(&contribution_[begin + from], &next_[begin + from], (to - from) * sizeof(double));
        });
        const Totals before = std::exchange(parts[k], Fold(begin, end));
        parts[k].home = Home(parts[k]) - Home(before);
        scores = all.scores + (parts[k].scores - before.scores);
        if (first && k + 1 < parts.size()) continue;  // not every part had its turn
        result_.error = Bound(parts, k, scores);
        if (result_.error <= options_.tolerance) return Done(scores, 0);
      }
    }
  }
  // Makes contribution_ that of the scores.
  void Arrive() {
    if (pushed_) {
      Begin(home_);
    } else {
      std::swap(contribution_, next_);
    }
  }
  // What one more sweep would change is what the parts' last changes send to those parts that
  // have not had their turn since. The teleport's share, which has a sign, is for every part
  // what all parts since its last turn, itself included, owe.
  double Bound(const std::vector<Totals>& parts, std::size_t last, double scores) const {
    const double d = options_.damping;
    double changes = 0, owed = 0, most = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Totals& part = parts[(last + parts.size() - i) % parts.size()];
      changes += part.changes;
      owed += part.home;
      most = std::max(most, std::abs(owed));
    }
    return ((d * changes + most) / scores + SweepRounding()) / (1.0 - d);
  }

  const LiveRows& rows_;
  const std::span<const SeedShare> seeds_;
  const PageRankRefreshOptions& options_;
  Executor& executor_;
  const std::size_t n_;
  std::uint64_t edges_left_;
  RowSums* sums_ = nullptr;
  AlignedArray<double> reciprocal_;    // 1 / out-strength, 0 = dangling
  AlignedArray<double> contribution_;  // score times reciprocal
  AlignedArray<double> next_;
  std::vector<Totals> blocks_;
  // Of pushes. What is pending: Pending, times the reciprocal.
  double dangling_ = 0;  // sum of the pending changes of dangling nodes
  double home_ = 0;      // on its way to the teleport
  double sum_ = 1;       // of the scores
  double rounding_ = 0;  // at most so much was left out, as changes
  double mass_ = 0;      // of all that is pending
  double quiet_ = 0;     // changes up to it are not pushed
  bool pushed_ = false;
  std::vector<bool> queued_;
  PageRankRefreshed result_;
};

}  // namespace

PageRankRefreshed RefreshPageRank(const LiveRows& rows, std::vector<double> start, std::span<const SeedShare> seeds,
                                  const PageRankRefreshOptions& options, Executor& executor) {
  return Refresher(rows, seeds, options, executor).Run(std::move(start));
}

}  // namespace plexus::internal

