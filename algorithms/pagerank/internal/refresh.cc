// The parts of a refresh, one after the other; each runs in parallel inside.
#include "algorithms/pagerank/internal/refresh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "algorithms/pagerank/internal/base_tile_spmv.h"
#include "algorithms/pagerank/internal/residual_push.h"
#include "engine/arrays/aligned_array.h"

namespace plexus::pagerank::internal {

namespace {

constexpr std::size_t kGrain = CsrSpmv::kBlock;

class Refresher {
 public:
  Refresher(const LiveCsr& rows, std::span<const SeedShare> seeds,
            const PageRankRefreshOptions& options, std::vector<double> start, Executor& executor)
      : rows_(rows),
        seeds_(seeds),
        options_(options),
        executor_(executor),
        n_(rows.node_count),
        edges_left_(options.budget.edges),
        reciprocal_(n_),
        weighted_(MeasureStrengths()),
        sums_(rows, weighted_, executor),
        push_({.rows = rows,
               .damping = options.damping,
               .weighted = weighted_,
               .uniform = seeds.empty(),
               .reciprocal = reciprocal_},
              executor) {
    result_.scores = std::move(start);
    sums_.Reserve(executor_, sums_.block_count());
  }

  PageRankRefreshed Run() {
    if (edges_left_ < result_.arcs || (!StartFromChangedRows() && !StartFromSweep())) {
      result_.truncated = result_.error > options_.tolerance;
      AddToTeleport(push_.teleport_residual());
      return Done();
    }
    residual_ = {};
    return fits_f32_ ? SweepParts<float>() : SweepParts<double>();
  }

 private:
  // The scores, scaled to sum to 1. Adding up changes may leave some just below 0: no true score
  // is, so 0 is nearer by as much as the scaling then moves the others at most.
  PageRankRefreshed Done() {
    const double sum = ParallelSum(executor_, n_, kGrain, [&](std::size_t begin, std::size_t end) {
      double part = 0;
      for (std::size_t v = begin; v < end; ++v) {
        if (result_.scores[v] < 0) result_.scores[v] = 0;
        part += result_.scores[v];
      }
      return part;
    });
    if (sum > 0 && std::isfinite(sum))
      ParallelForEach(executor_, n_, kGrain, [&](std::size_t v) { result_.scores[v] /= sum; });
    else
      RestartAtTeleport();
    if (!(result_.error <= 2)) result_.error = 2;  // two vectors that sum to 1 are no further apart
    return std::move(result_);
  }
  void RestartAtTeleport() {
    std::fill(result_.scores.begin(), result_.scores.end(), 0.0);
    AddToTeleport(1.0);
  }
  bool MaySweep() {
    if (edges_left_ < result_.arcs || options_.budget.Interrupted()) return false;
    if (edges_left_ != Budget::kUnlimited) edges_left_ -= result_.arcs;
    ++result_.iterations;
    return true;
  }

  struct Mass {
    double scores = 0, dangling = 0, changes = 0;
    static Mass Add(Mass a, const Mass& b) {
      return {a.scores + b.scores, a.dangling + b.dangling, a.changes + b.changes};
    }
  };
  struct Strengths {
    std::uint64_t arcs = 0;
    double least = 1, most = 1;
    bool ones = true;
  };
  // Out-strengths and the number of arcs. False: weights can be left aside.
  bool MeasureStrengths() {
    const std::vector<NodeId> touched = rows_.Touched(Direction::kOut);
    const Strengths all = ParallelReduce(
        executor_, n_, kGrain, Strengths{},
        [&](std::size_t begin, std::size_t end) {
          Strengths part;
          auto live = std::lower_bound(touched.begin(), touched.end(), begin);
          for (std::size_t v = begin; v < end; ++v, ++live) {
            const std::size_t stop =
                live == touched.end() ? end : std::min<std::size_t>(*live, end);
            MeasureClean(v, stop, part);
            v = stop;
            if (v == end) break;
            MeasureRow(static_cast<NodeId>(v), part);
          }
          return part;
        },
        [](Strengths a, const Strengths& b) {
          return Strengths{a.arcs + b.arcs, std::min(a.least, b.least), std::max(a.most, b.most),
                           a.ones && b.ones};
        });
    result_.arcs = all.arcs;
    fits_f32_ = all.least >= BlockGaussSeidel<float>::kMinStrength &&
                all.most <= BlockGaussSeidel<float>::kMaxStrength;
    return options_.weighted && !all.ones;
  }
  // Rows [begin, end), which no delta touches. No branch: which nodes dangle is unpredictable.
  void MeasureClean(std::size_t begin, std::size_t end, Strengths& to) {
    if (options_.weighted) {
      for (std::size_t v = begin; v < end; ++v) MeasureRow(static_cast<NodeId>(v), to);
      return;
    }
    const std::uint32_t* const offsets = rows_.out.offsets.data();
    double* const reciprocal = reciprocal_.data();
    std::uint32_t most = 0;
    for (std::size_t v = begin; v < end; ++v) {
      const std::uint32_t degree = offsets[v + 1] - offsets[v];
      const double strength = static_cast<double>(degree), sends = degree > 0 ? 1.0 : 0.0;
      reciprocal[v] = sends / (strength + (1.0 - sends));
      most = std::max(most, degree);
    }
    if (begin < end) to.arcs += offsets[end] - offsets[begin];
    to.most = std::max(to.most, static_cast<double>(most));
  }
  void MeasureRow(NodeId v, Strengths& to) {
    double strength = 0;
    rows_.ForEachArc(Direction::kOut, v, [&](NodeId, double weight) {
      ++to.arcs;
      to.ones &= weight == 1.0;
      strength += options_.weighted ? weight : 1.0;
    });
    const double sends = static_cast<double>(strength > 0), divisor = strength + (1.0 - sends);
    to.least = std::min(to.least, divisor);
    to.most = std::max(to.most, divisor);
    reciprocal_[v] = sends * std::max(1.0 / divisor, std::numeric_limits<double>::min());
  }

  // Adds `home` to the teleport.
  void AddToTeleport(double home) {
    if (home == 0) return;
    for (const SeedShare& seed : seeds_) result_.scores[seed.dense] += home * seed.share;
    if (!seeds_.empty()) return;
    const double each = home / static_cast<double>(n_);
    ParallelForEach(executor_, n_, kGrain, [&](std::size_t v) { result_.scores[v] += each; });
  }

  // Arcs whose pushing costs about as much as a sweep. A pushed arc touches four arrays
  // anywhere, and on one thread; a sweep also has its nodes.
  std::uint64_t MaxPushedArcs() const {
    const std::uint64_t pulled = n_ < (1u << 16) ? 16 : n_ < (1u << 19) ? 32 : 128;
    return (result_.arcs + 4 * n_) / pulled;
  }
  bool ChangesAreSmall() const { return push_.mass() <= 0.1 * (1.0 - options_.damping); }
  // Pushes as long as few nodes hold most of what is pending, and it is more than `enough`.
  // Their neighbours follow: a sixteenth of the arcs to begin with.
  // All that is ever pushed is at most the mass through 1 - d, and moves the sum of the
  // scores no further: it stays between 0.9 and 1.1.
  void PushWhileLocal(double enough) {
    const double d = options_.damping, nodes = static_cast<double>(n_);
    while (push_.Error() > enough && ChangesAreSmall()) {
      // The nodes below the threshold, all together, may keep their residual: a quarter of the
      // tolerance.
      const double negligible = enough * (1.0 - d) / (4.0 * d * nodes);
      const double threshold = std::max(negligible, push_.mass() / (2.0 * nodes));
      const ResidualPush::LargeResiduals large = push_.CountAbove(threshold);
      if (large.arcs * 16 > MaxPushedArcs() || large.mass * 2 < push_.mass()) break;
      if (result_.iterations >= options_.max_iterations || edges_left_ < large.arcs ||
          options_.budget.Interrupted()) {
        result_.truncated = true;
        break;
      }
      const std::uint64_t arcs = push_.Push(push_.NodesAbove(threshold), threshold,
                                            std::min(MaxPushedArcs(), edges_left_), result_.scores);
      if (edges_left_ != Budget::kUnlimited) edges_left_ -= arcs;
      ++result_.iterations;
    }
  }
  // By the rows that differ from those of an earlier state. What it leaves is not taken for
  // certain: the scores need not be those of that state. False: nothing to go by.
  bool StartFromChangedRows() {
    if (!options_.earlier || options_.budget.Interrupted()) return false;
    residual_ = AlignedArray<double>(n_);
    ParallelFor(executor_, n_, kGrain, [&](std::size_t begin, std::size_t end) {
      std::memset(&residual_[begin], 0, (end - begin) * sizeof(double));
    });
    push_.Attach(residual_, false);
    if (!push_.InitFromChangedRows(*options_.earlier, MaxPushedArcs(), result_.scores))
      return false;
    unconfirmed_ = true;
    const int sweeps = result_.iterations;
    PushWhileLocal(options_.tolerance / 4);
    // All at once: as good as most of a sweep.
    if (result_.iterations == sweeps && push_.Error() > options_.tolerance / 4 &&
        ChangesAreSmall()) {
      const std::uint64_t arcs =
          push_.PropagateAll(std::min(result_.arcs / 16, edges_left_), result_.scores);
      if (edges_left_ != Budget::kUnlimited) edges_left_ -= arcs;
    }
    AddToTeleport(push_.teleport_residual());
    return true;
  }
  // By one sweep, which makes the exact residuals. False: that was enough, or the budget ran out.
  bool StartFromSweep() {
    if (!MaySweep()) {
      result_.truncated = true;
      return false;
    }
    AlignedArray<double> contribution(n_);
    residual_ = AlignedArray<double>(n_);
    const Mass before = ParallelReduce(
        executor_, n_, kGrain, Mass{},
        [&](std::size_t begin, std::size_t end) {
          Mass part;
          for (std::size_t v = begin; v < end; ++v) {
            const double score = result_.scores[v], r = reciprocal_[v];
            contribution[v] = score * r;
            part.scores += score;
            part.dangling += r == 0 ? score : 0.0;
          }
          return part;
        },
        Mass::Add);
    const double d = options_.damping, home = (1.0 - d) * before.scores + d * before.dangling;
    const Mass after = ParallelReduce(
        executor_, n_, kGrain, Mass{},
        [&](std::size_t begin, std::size_t end) {
          std::array<double, kGrain> sums;
          sums_.Pull(begin / kGrain, contribution.data(), sums.data());
          return Change(begin, end, home, contribution, sums.data());
        },
        Mass::Add);
    push_.Set(after.changes, after.dangling - before.dangling, sums_.Rounding() + 0x1p-50);
    push_.Attach(residual_, true);
    PushWhileLocal(options_.tolerance);
    result_.error = push_.Error();
    if (result_.error <= options_.tolerance || result_.truncated) return false;
    AddToTeleport(push_.teleport_residual());
    return true;
  }
  // Scores [begin, end) by the sums of their rows; what they change by waits.
  Mass Change(std::size_t begin, std::size_t end, double home,
              const AlignedArray<double>& contribution, double* sums) {
    const double d = options_.damping, each = seeds_.empty() ? home / static_cast<double>(n_) : 0.0;
    for (std::size_t i = 0; i < end - begin; ++i) sums[i] = each + d * sums[i];
    auto seed = std::lower_bound(seeds_.begin(), seeds_.end(), begin,
                                 [](const SeedShare& s, std::size_t v) { return s.dense < v; });
    for (; seed != seeds_.end() && seed->dense < end; ++seed)
      sums[seed->dense - begin] += home * seed->share;
    Mass part;
    for (std::size_t v = begin; v < end; ++v) {
      const double score = sums[v - begin], r = reciprocal_[v];
      part.scores += score;
      part.dangling += r == 0 ? score : 0.0;
      part.changes += r == 0 ? 0.0 : std::abs(score - result_.scores[v]);
      result_.scores[v] = score;
      residual_[v] = score * r - contribution[v];
    }
    return part;
  }

  // Sweeps in parts until the error bound is below the tolerance.
  template <class Real>
  PageRankRefreshed SweepParts() {
    std::unique_ptr<BaseTileSpmv> tiled;
    if (options_.tiles)
      tiled = BaseTileSpmv::Make(options_.tiles, rows_, weighted_, result_.arcs / 16, executor_);
    result_.tiled = tiled != nullptr;
    std::optional<BlockGaussSeidel<Real>> sweeps;
    const auto begin = [&] {
      sweeps.emplace(
          typename BlockGaussSeidel<Real>::Problem{
              tiled ? static_cast<Spmv&>(*tiled) : sums_, seeds_, reciprocal_, result_.scores,
              result_.arcs, options_.damping, options_.part_work},
          executor_);
    };
    begin();
    bool known = false, again = false;  // every part had its turn; all began again
    for (;;) {
      if (result_.iterations >= options_.max_iterations || !MaySweep()) {
        result_.truncated = true;
        // No sweep has confirmed what the changed rows gave, or all began again.
        if (!known && (unconfirmed_ || again)) result_.error = 2;
        return Done();
      }
      sweeps->BeginSweep(options_.tolerance);
      for (std::size_t k = 0; k < sweeps->count(); ++k) {
        sweeps->UpdateBlock(k);
        known |= k + 1 == sweeps->count();
        if (!known) continue;
        result_.error = sweeps->Error();
        if (!(result_.error <= options_.tolerance)) continue;
        result_.truncated = false;
        return Done();
      }
      if (again || sweeps->IsStable()) continue;
      RestartAtTeleport();
      begin();
      known = false, again = true;
    }
  }
  const LiveCsr& rows_;
  const std::span<const SeedShare> seeds_;
  const PageRankRefreshOptions& options_;
  Executor& executor_;
  const std::size_t n_;
  std::uint64_t edges_left_;
  AlignedArray<double> reciprocal_;  // 1 / out-strength, 0 = dangling
  AlignedArray<double> residual_;    // changes of contributions, until sweeps begin
  PageRankRefreshed result_;
  bool fits_f32_ = true;  // f32 can hold all contributions
  const bool weighted_;
  CsrSpmv sums_;
  ResidualPush push_;
  bool unconfirmed_ = false;  // the scores got changes that no sweep has confirmed
};

}  // namespace

PageRankRefreshed RefreshPageRank(const LiveCsr& rows, std::vector<double> start,
                                  std::span<const SeedShare> seeds,
                                  const PageRankRefreshOptions& options, Executor& executor) {
  return Refresher(rows, seeds, options, std::move(start), executor).Run();
}

}  // namespace plexus::pagerank::internal
