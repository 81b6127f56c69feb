// Everything but the pushes runs in parallel over blocks of nodes; these are serial, in
// the order of ids, first come first served.
#include "algorithms/internal/pagerank_refresh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>

#include "algorithms/internal/pending_changes.h"
#include "engine/aligned_array.h"

namespace plexus::internal {

namespace {

// Nodes a block, most parts, nodes and arcs a part: part of the result's definition. Smaller
// parts cost more, by the threads that wait for each other, than they save in sweeps.
constexpr std::size_t kGrain = 16 * RowSums::kGroup, kMostParts = 16;
constexpr std::uint64_t kPartWork = 1 << 18;

// Of a block of nodes, or a part.
struct Totals {
  double scores = 0, dangling = 0;
  double changes = 0;  // absolute, at the last turn, of nodes with out-arcs
  double home = 0;     // what the changes at the last turn owe the teleport
};

// Short chains of additions, side by side.
struct Lanes {
  static constexpr std::size_t kCount = 4;
  std::array<double, kCount> scores{}, dangling{}, changes{};

  void Add(std::size_t lane, double score, double reciprocal, double change) {
    scores[lane] += score;
    dangling[lane] += reciprocal == 0 ? score : 0.0;
    changes[lane] += reciprocal == 0 ? 0.0 : change;
  }
  Totals Total() const {
    const auto sum = [](const auto& lanes) { return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]); };
    return {sum(scores), sum(dangling), sum(changes), 0.0};
  }
};

class Refresher {
 public:
  Refresher(const LiveRows& rows, std::span<const SeedShare> seeds, const PageRankRefreshOptions& options,
            std::vector<double> start, Executor& executor)
      : rows_(rows), seeds_(seeds), options_(options), executor_(executor), n_(rows.node_count),
        edges_left_(options.budget.edges), reciprocal_(n_), contribution_(n_), next_(n_),
        blocks_((n_ + kGrain - 1) / kGrain), weighted_(MeasureStrengths()), sums_(rows, weighted_, executor),
        changes_({.rows = rows, .damping = options.damping, .weighted = weighted_, .uniform = seeds.empty(),
                  .reciprocal = reciprocal_}, executor) {
    result_.scores = std::move(start);
    sums_.Reserve(executor_, blocks_.size());
  }

  PageRankRefreshed Run() {
    if (edges_left_ < result_.arcs || (!StartFromChangedRows() && !StartFromSweep())) {
      result_.truncated = result_.error > options_.tolerance;
      return Done(changes_.sum(), changes_.home());
    }
    return SweepParts();
  }

 private:
  // Scores sum to `scale` once the teleport has got `home`.
  PageRankRefreshed Done(double scale, double home) {
    if (home != 0) Begin(home);
    ParallelFor(executor_, n_, kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) result_.scores[v] /= scale;
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
      Lanes lanes;
      for (std::size_t v = begin; v < end; ++v) {
        const double score = result_.scores[v] += each, r = reciprocal_[v];
        contribution_[v] = score * r;
        lanes.Add(v % Lanes::kCount, score, r, 0.0);
      }
      blocks_[begin / kGrain] = lanes.Total();
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
      sums_.Pull(begin, end, contribution_.data(), sums.data());
      for (std::size_t i = 0; i < end - begin; ++i) sums[i] = each + d * sums[i];
      if (!seeds_.empty()) {
        auto seed = std::lower_bound(seeds_.begin(), seeds_.end(), begin,
                                     [](const SeedShare& s, std::size_t v) { return s.dense < v; });
        for (; seed != seeds_.end() && seed->dense < end; ++seed) sums[seed->dense - begin] += home * seed->share;
      }
      Lanes lanes;
      std::size_t v = begin;
      const auto finish = [&](std::size_t node, std::size_t lane) {
        const double score = sums[node - begin], r = reciprocal_[node];
        lanes.Add(lane, score, r, std::abs(score - result_.scores[node]));
        result_.scores[node] = score;
        next_[node] = score * r;
      };
      for (; v + Lanes::kCount <= end; v += Lanes::kCount)
        for (std::size_t lane = 0; lane < Lanes::kCount; ++lane) finish(v + lane, lane);
      for (; v < end; ++v) finish(v, v % Lanes::kCount);
      blocks_[begin / kGrain] = lanes.Total();
    });
  }
  // Of rows, strengths and scores, as a change that is left out.
  double SweepRounding() const { return sums_.Rounding() + 0x1p-50; }

  // Arcs whose pushing costs about as much as a sweep. A pushed arc touches four arrays
  // anywhere, and on one thread; a sweep also has its nodes.
  std::uint64_t Few() const {
    const std::uint64_t pulled = n_ < (1u << 16) ? 16 : n_ < (1u << 19) ? 32 : 128;
    return (result_.arcs + 4 * n_) / pulled;
  }
  // Pushes as long as few nodes hold most of what is pending, and it is more than `enough`.
  // Their neighbours follow: a sixteenth of the arcs to begin with.
  // All that is ever pushed is at most the mass through 1 - d, and moves the sum of the
  // scores no further: it stays between 0.9 and 1.1. `begin` is called before the first push.
  template <class Pending, class Begin>
  void PushWhileLocal(double enough, Pending&& pending, Begin&& begin) {
    const double d = options_.damping, nodes = static_cast<double>(n_);
    bool pushed = false;
    while (changes_.Error() > enough && changes_.mass() <= 0.1 * (1.0 - d)) {
      // Quiet nodes, all together, may stay pending for good: a quarter of what is allowed.
      const double silent = enough * (1.0 - d) / (4.0 * d * nodes);
      const double quiet = std::max(silent, changes_.mass() / (2.0 * nodes));
      const PendingChanges::Loud loud = changes_.Above(quiet, pending);
      if (loud.arcs * 16 > Few() || loud.mass * 2 < changes_.mass()) break;
      if (result_.iterations >= options_.max_iterations || edges_left_ < loud.arcs || options_.budget.Interrupted()) {
        result_.truncated = true;
        break;
      }
      if (!std::exchange(pushed, true)) begin();
      const std::uint64_t arcs =
          changes_.Push(changes_.NodesAbove(quiet, pending), quiet, std::min(Few(), edges_left_), result_.scores);
      if (edges_left_ != Budget::kUnlimited) edges_left_ -= arcs;
      ++result_.iterations;
    }
  }
  // By the rows that differ from those of an earlier state. What it leaves is not taken for
  // certain: the scores need not be those of that state. False: nothing to go by.
  bool StartFromChangedRows() {
    if (!options_.earlier || options_.budget.Interrupted()) return false;
    ParallelFor(executor_, n_, kGrain, [&](std::size_t begin, std::size_t end) {
      std::memset(&next_[begin], 0, (end - begin) * sizeof(double));
    });
    changes_.Hold(next_);
    if (!changes_.Compare(*options_.earlier, Few(), result_.scores)) return false;
    compared_ = true;
    PushWhileLocal(options_.tolerance / 4, [&](std::size_t v) { return next_[v]; }, [] {});
    Begin(changes_.home());
    return true;
  }
  // By one sweep, which tells what is pending for certain. False: that was enough, or all
  // there was time for.
  bool StartFromSweep() {
    Begin(0);
    const Totals before = Fold(0, n_);
    if (!MaySweep()) {
      result_.truncated = true;
      return false;
    }
    Sweep(0, n_, Home(before));
    const Totals after = Fold(0, n_);
    changes_.Set(after.changes, after.dangling - before.dangling, SweepRounding());
    PushWhileLocal(
        options_.tolerance,
        [this](std::size_t v) { return pushed_ ? contribution_[v] : next_[v] - contribution_[v]; },
        [this] {
          ParallelFor(executor_, n_, kGrain, [&](std::size_t begin, std::size_t end) {
            for (std::size_t v = begin; v < end; ++v) contribution_[v] = next_[v] - contribution_[v];
          });
          changes_.Hold(contribution_);
          pushed_ = true;
        });
    result_.error = changes_.Error();
    if (result_.error <= options_.tolerance || result_.truncated) return false;
    if (pushed_)
      Begin(changes_.home());
    else
      std::swap(contribution_, next_);
    return true;
  }

  // Sweeps in parts until the bound is met.
  PageRankRefreshed SweepParts() {
    const std::size_t count = std::clamp<std::size_t>((n_ + result_.arcs) / kPartWork, 1, kMostParts);
    const std::size_t size = ((n_ + count - 1) / count + kGrain - 1) / kGrain * kGrain;
    std::vector<Totals> parts;
    for (std::size_t at = 0; at < n_; at += size) parts.push_back(Fold(at, std::min(at + size, n_)));
    double scores = changes_.sum();
    for (bool first = true;; first = false) {
      if (result_.iterations >= options_.max_iterations || !MaySweep()) {
        result_.truncated = true;
        if (first && compared_) result_.error = 1 + Absolute() / scores;
        return Done(scores, 0);
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
        if (result_.error > options_.tolerance) continue;
        result_.truncated = false;
        return Done(scores, 0);
      }
    }
  }
  // Sum of the scores' absolute values.
  double Absolute() const {
    return ParallelReduce(
        executor_, n_, kGrain, 0.0,
        [&](std::size_t begin, std::size_t end) {
          double sum = 0;
          for (std::size_t v = begin; v < end; ++v) sum += std::abs(result_.scores[v]);
          return sum;
        },
        [](double a, double b) { return a + b; });
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
  AlignedArray<double> reciprocal_;    // 1 / out-strength, 0 = dangling
  AlignedArray<double> contribution_;  // score times reciprocal
  AlignedArray<double> next_;
  std::vector<Totals> blocks_;
  PageRankRefreshed result_;
  const bool weighted_;
  RowSums sums_;
  PendingChanges changes_;
  bool pushed_ = false;    // contribution_ holds what is pending
  bool compared_ = false;  // the scores got changes that no sweep has confirmed
};

}  // namespace

PageRankRefreshed RefreshPageRank(const LiveRows& rows, std::vector<double> start, std::span<const SeedShare> seeds,
                                  const PageRankRefreshOptions& options, Executor& executor) {
  return Refresher(rows, seeds, options, std::move(start), executor).Run();
}

}  // namespace plexus::internal

