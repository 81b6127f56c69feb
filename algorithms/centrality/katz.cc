// Terms are pulled row by row and added up; every few terms a test whether they grow for ever.
//
// The default alpha. Katz advises 1 / alpha between r and 2r; networkx takes 0.1 and igraph 1 for
// every graph. A graph without cycles has r = 0, so every alpha converges there. Where all edges
// are symmetric, half of 1 / r is the least of the three bounds: the largest weight is at most r,
// and walks of k arcs are at most nodes * r^k. Chains, and trees away from their root, get
// 0.5 / weight at any length. The alpha follows the unit of the weights. Nodes without edges do not
// change it.
#include "algorithms/centrality/centrality.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

#include "algorithms/centrality/internal/adjacency_spmv.h"
#include "algorithms/centrality/internal/cycle_check.h"
#include "algorithms/common/internal/dense_view_options.h"
#include "algorithms/common/internal/selection.h"
#include "engine/out_of_memory.h"

namespace plexus::centrality {

namespace {

using internal::AdjacencyRows;
using internal::kRowGrain;
using internal::MultiplyRows;

constexpr double kUnknown = std::numeric_limits<double>::infinity();
constexpr double kShift = 0.5;            // of ||A'x||, for the eigenvector
constexpr int kCycleCheckIteration = 16;  // iterations
constexpr double kMaxSum = 1e290;         // sums of few terms beyond would leave f64

std::string Text(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", x);
  return text;
}

// None: the time was up before they were made.
template <class Options>
Result<std::optional<AdjacencyRows>> MakeRows(const Snapshot& snapshot, const Options& options) {
  if (!(options.tolerance >= 0x1p-50) || !std::isfinite(options.tolerance))
    return Invalid("tolerance ", Text(options.tolerance), " is not a number of 2^-50 or more");
  if (options.max_iterations < 1)
    return Invalid("max_iterations ", options.max_iterations, " is below 1");
  DenseViewOptions wanted = common_internal::ViewOptions(options);
  wanted.weights = options.weighted;
  return common_internal::InTime(options.run, [&](Executor& executor) {
    wanted.executor = &executor;
    return internal::MakeAdjacencyRows(snapshot, Opposite(options.direction), wanted);
  });
}

struct Largest {
  double term = 0;   // the largest of the step
  double ratio = 0;  // of (A'x)(v) to x(v): bounds the radius
  double all = 0;    // terms of the step together
};
Largest Max(Largest a, Largest b) {
  return {std::max(a.term, b.term), std::max(a.ratio, b.ratio), a.all + b.all};
}

class KatzSeries {
 public:
  KatzSeries(const CsrView& rows, const Budget& budget, Executor& executor)
      : rows_(rows),
        budget_(budget),
        executor_(executor),
        n_(rows.node_count()),
        before_(n_),
        term_(n_),
        next_(n_),
        sums_(n_) {}

  double score(NodeId v) const { return 1 + alpha_ * sums_[v]; }
  int iterations() const { return iterations_; }
  double radius() const { return radius_; }
  double error() const { return error_; }
  bool stopped() const { return stopped_; }

  void Begin(double alpha) {
    alpha_ = alpha;
    error_ = kUnknown;
    std::fill(term_.begin(), term_.end(), 1.0);
    std::fill(sums_.begin(), sums_.end(), 0.0);
    std::fill(before_.begin(), before_.end(), 0.0);
  }
  // One more term; false when the budget ran out. REQUIRES Begin().
  bool Step() {
    const std::uint64_t arcs = rows_.arc_count();
    if (budget_.Interrupted() || arcs > budget_.edges || spent_ > budget_.edges - arcs) {
      stopped_ = true;
      return false;
    }
    spent_ += arcs;
    ++iterations_;
    const Largest most = MultiplyRows(
        rows_, term_.data(), executor_, Largest{},
        [&](NodeId v, double sum, Largest& partial) {
          const double term = alpha_ * sum;
          partial.term = std::max(partial.term, term);
          partial.all += term;
          // x = 1 + alpha * sums, so that A'x = sums and one more; never as x - 1, which
          // a small alpha would leave without digits.
          partial.ratio = std::max(partial.ratio, (sums_[v] + sum) / score(v));
          next_[v] = term;
          sums_[v] += sum;
        },
        Max);
    before_.swap(term_);
    term_.swap(next_);
    largest_ = most.term;
    all_ = most.all;
    // Rounding of sums up to a million terms long stays far below this.
    radius_ = std::min(radius_, most.ratio * (1 + 1e-9));
    error_ = largest_ < 1 ? largest_ / (1 - largest_) : kUnknown;
    return true;
  }
  double largest() const { return largest_; }
  double all() const { return all_; }

  // A lower bound of the radius: y >= 0 with alpha A'y >= q * y wherever y > 0 has
  // alpha * r >= q. Tried on y = the last two terms, where they do not fall.
  double RadiusAtLeast() {
    std::vector<double>& y = next_;
    ParallelForEach(executor_, n_, kRowGrain,
                    [&](std::size_t v) { y[v] = term_[v] > 0 ? term_[v] + before_[v] : 0; });
    double best = 0;
    std::vector<double> kept(n_);
    for (int round = 0; round < 4; ++round) {
      struct Least {
        double ratio = kUnknown, most = 0;
      };
      const Least least = MultiplyRows(
          rows_, y.data(), executor_, Least{},
          [&](NodeId v, double sum, Least& partial) {
            kept[v] = 0;
            if (!(y[v] > 0)) return;
            const double ratio = sum / y[v];
            partial.ratio = std::min(partial.ratio, ratio);
            partial.most = std::max(partial.most, ratio);
            // Those that fall are left out of the next round.
            if (alpha_ * ratio >= 1) kept[v] = y[v];
          },
          [](Least a, Least b) {
            return Least{std::min(a.ratio, b.ratio), std::max(a.most, b.most)};
          });
      if (least.most == 0) break;
      best = std::max(best, least.ratio * (1 - 1e-9));
      if (alpha_ * best >= 1) break;
      y.swap(kept);
    }
    return best;
  }

 private:
  const CsrView rows_;
  const Budget& budget_;
  Executor& executor_;
  const NodeId n_;
  double alpha_ = 0, largest_ = 0, all_ = 0, radius_ = kUnknown, error_ = kUnknown;
  std::vector<double> before_, term_, next_;
  std::vector<double> sums_;  // of the terms after the first, over alpha
  int iterations_ = 0;
  std::uint64_t spent_ = 0;
  bool stopped_ = false;
};

constexpr int kCounted = 8;  // arcs of the longest walks that the default alpha looks at

// The t > 0 at which sum of t^k * walks[k - 1] is `most`.
double Root(const std::array<double, kCounted>& walks, double most) {
  const auto sum = [&](double t) {
    double all = 0;
    for (int k = kCounted; k-- > 0;) all = (all + walks[k]) * t;
    return all;
  };
  double low = 0, high = most / walks[0];
  for (int i = 0; i < 200; ++i) {
    const double middle = low + (high - low) / 2;
    (sum(middle) <= most ? low : high) = middle;
  }
  return high;
}

struct Strengths {
  double row = 0, weight = 0;  // the largest
  double reached = 0;          // nodes that any walk reaches
};
Strengths MeasureStrengths(const CsrView& rows, Executor& executor) {
  return ParallelReduce(
      executor, rows.node_count(), kRowGrain, Strengths{},
      [&](std::size_t begin, std::size_t end) {
        Strengths part;
        for (auto v = static_cast<NodeId>(begin); v < end; ++v) {
          double sum = 0;
          for (std::uint32_t a = rows.offsets[v]; a < rows.offsets[v + 1]; ++a) {
            const auto weight = static_cast<double>(rows.weight(a));
            sum += weight;
            part.weight = std::max(part.weight, weight);
          }
          part.row = std::max(part.row, sum);
          part.reached += sum > 0;
        }
        return part;
      },
      [](Strengths a, Strengths b) {
        return Strengths{std::max(a.row, b.row), std::max(a.weight, b.weight),
                         a.reached + b.reached};
      });
}

// By the rule in centrality.h. Any sum of terms bounds the radius, best one whose alpha is near
// 1 / radius; each round takes one from the last bound, or beyond it.
double FindAlpha(const CsrView& rows, KatzSeries& series, Executor& executor) {
  const Strengths most = MeasureStrengths(rows, executor);
  if (most.row == 0) return 0.5;  // no walks: every alpha does
  double radius = most.row, alpha = 0;
  for (int round = 0; round < 8; ++round) {
    const double tried = (round % 2 == 0 ? 2 : 1) / radius;
    std::array<double, kCounted> walks = {};  // by arcs, times tried^arcs
    series.Begin(tried);
    for (double& all : walks) {
      if (!series.Step()) return 0;
      all = series.all();
    }
    if (round == 0) alpha = tried * Root(walks, most.reached);
    const double before = radius;
    radius = std::min(radius, series.radius());
    // Below the largest weight, as in a graph without cycles, it is not what limits alpha.
    if (radius <= most.weight || radius > 0.95 * before) break;
  }
  return std::min(alpha, 0.5 / std::max(radius, most.weight));
}

}  // namespace

Result<KatzResult> Katz(const Snapshot& snapshot, const KatzOptions& options) try {
  if (!(options.alpha >= 0) || !std::isfinite(options.alpha))
    return Invalid("alpha ", Text(options.alpha), " is not a number of 0 or more");
  PLEXUS_ASSIGN(const auto made, MakeRows(snapshot, options));
  KatzResult result;
  if (!made) {
    result.radius = result.error = kUnknown;
    result.scores.assign(snapshot.node_count(), 0);
    result.truncated = true;
    return result;
  }
  const AdjacencyRows& rows = *made;
  Executor& executor = common_internal::Pick(options.run.executor);
  KatzSeries series(rows.rows, options.run.budget, executor);
  result.alpha = options.alpha > 0 ? options.alpha : FindAlpha(rows.rows, series, executor);
  result.radius = kUnknown;
  result.error = kUnknown;
  result.scores.assign(snapshot.node_count(), 0);
  if (!series.stopped()) {
    series.Begin(result.alpha);
    int steps = 0;
    while (!(series.error() <= options.tolerance)) {
      if (steps == options.max_iterations || !series.Step()) {
        result.truncated = true;
        break;
      }
      ++steps;
      const bool grown = series.largest() > kMaxSum;
      if (grown || (series.largest() >= 1 && (steps & (steps - 1)) == 0 && steps >= 4)) {
        const double least = series.RadiusAtLeast();
        if (grown || result.alpha * least >= 1)
          return Invalid("alpha ", Text(result.alpha),
                         " is too large, the sum over walks does not converge",
                         (least > 0 ? ": the spectral radius is at least " + Text(least) +
                                          ", alpha must be below " + Text(1 / least)
                                    : " within f64"));
      }
    }
    result.error = series.error();
  } else {
    result.truncated = true;
    series.Begin(result.alpha);  // scores of no alpha that was tried
  }
  result.radius = series.radius();
  result.iterations = series.iterations();
  result.converged = result.error <= options.tolerance;
  double largest = 0, squares = 0;  // squares of large scores would leave f64
  for (NodeId v = 0; v < rows.view.node_count(); ++v) largest = std::max(largest, series.score(v));
  for (NodeId v = 0; v < rows.view.node_count(); ++v) {
    const double score = series.score(v);
    result.scores[rows.view.node(v)] = score;
    squares += (score / largest) * (score / largest);
  }
  result.norm = largest * std::sqrt(squares);
  return result;
}
PLEXUS_CATCH_NO_MEMORY

Result<EigenvectorResult> Eigenvector(const Snapshot& snapshot,
                                      const EigenvectorOptions& options) try {
  PLEXUS_ASSIGN(const auto made, MakeRows(snapshot, options));
  EigenvectorResult result;
  result.scores.assign(snapshot.node_count(), 0);
  result.truncated = !made;
  if (!made) return result;
  const AdjacencyRows& rows = *made;
  Executor& executor = common_internal::Pick(options.run.executor);
  const NodeId n = rows.view.node_count();
  if (n == 0 || rows.rows.arc_count() == 0) {
    result.converged = result.acyclic = true;
    return result;
  }
  struct Sums {
    double squares = 0, product = 0;
  };
  std::vector<double> x(n, 1 / std::sqrt(static_cast<double>(n))), next(n);
  std::uint64_t spent = 0;
  // After some steps the walk begins where scores gather, which is where cycles are.
  const auto acyclic = [&] {
    result.acyclic = !internal::HasCycle(rows.rows, x);
    if (result.acyclic) {
      result.eigenvalue = result.step = 0;
      result.converged = true;
      result.truncated = false;
    }
    return result.acyclic;
  };
  while (!result.converged) {
    const std::uint64_t arcs = rows.rows.arc_count();
    if (result.iterations == options.max_iterations || options.run.budget.Interrupted() ||
        arcs > options.run.budget.edges || spent > options.run.budget.edges - arcs) {
      result.truncated = true;
      break;
    }
    spent += arcs;
    ++result.iterations;
    const Sums sums = MultiplyRows(
        rows.rows, x.data(), executor, Sums{},
        [&](NodeId v, double sum, Sums& partial) {
          next[v] = sum;
          partial.squares += sum * sum;
          partial.product += x[v] * sum;
        },
        [](Sums a, Sums b) {
          return Sums{a.squares + b.squares, a.product + b.product};
        });
    if (!std::isfinite(sums.squares))
      return Invalid("edge weights are too large for eigenvector centrality in f64");
    result.eigenvalue = sums.product;
    // The norm of A'x + shift * x, x having the norm 1 (what it is off by halves each time).
    const double shift = kShift * std::sqrt(sums.squares);
    const double norm = std::sqrt(sums.squares + 2 * shift * sums.product + shift * shift);
    if (!(norm > 0)) {  // weights of 0
      result.step = 0;
      result.converged = true;
      break;
    }
    if (result.iterations == kCycleCheckIteration && acyclic()) return result;
    result.step = ParallelSum(executor, n, kRowGrain, [&](std::size_t begin, std::size_t end) {
      double step = 0;
      for (std::size_t v = begin; v < end; ++v) {
        next[v] = (next[v] + shift * x[v]) / norm;
        step += std::abs(next[v] - x[v]);
      }
      return step;
    });
    x.swap(next);
    result.converged = result.step <= options.tolerance;
  }
  const bool looked = result.iterations >= kCycleCheckIteration;
  const bool whole = result.converged || result.iterations == options.max_iterations;
  if (!looked && whole && acyclic()) return result;
  for (NodeId v = 0; v < n; ++v) result.scores[rows.view.node(v)] = x[v];
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::centrality
