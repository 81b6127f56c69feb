// Sixteen sets at a time: seeds to positions of the layout, sweeps until the last set
// is within tolerance, scores back to nodes. Nodes without any arc take no part in the
// sweeps: what they hold is their share of the teleport.
#include "algorithms/common/internal/in_time.h"
#include "algorithms/pagerank/pagerank.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

#include "algorithms/common/internal/selection.h"
#include "algorithms/pagerank/internal/batch_iteration.h"
#include "algorithms/pagerank/internal/batch_layout.h"
#include "algorithms/pagerank/internal/pagerank_csr.h"
#include "algorithms/pagerank/internal/preparation.h"
#include "engine/out_of_memory.h"

namespace plexus::pagerank {

namespace {

using internal::Batch16;
using internal::BatchLayout;
using internal::BatchPartial;
using internal::BatchSeed;
using internal::kBatchWidth;

constexpr std::size_t kGrain = 4096;
constexpr std::size_t kMaxSets = 4096;

class Sweeper {
 public:
  Sweeper(const internal::PageRankReady& ready, const PageRankOptions& options,
          PageRankBatchResult& result, Executor& executor)
      : ready_(ready),
        rows_(*ready.prepared->lanes),
        options_(options),
        executor_(executor),
        result_(result),
        edges_left_(options.run.budget.edges),
        n_(ready.view.node_count()),
        linked_(rows_.linked_count()),
        strength_(linked_),
        position_(n_),
        first_(linked_),
        stepper_(rows_) {
    all_strength_ = ParallelSum(executor, n_, kGrain, [&](std::size_t begin, std::size_t end) {
      double sum = 0;
      for (std::size_t p = begin; p < end; ++p) {
        const NodeId dense = rows_.node(static_cast<std::uint32_t>(p));
        position_[dense] = static_cast<std::uint32_t>(p);
        if (p >= linked_) continue;
        strength_[p] = static_cast<float>(ready.prepared->strengths[dense]);
        sum += ready.prepared->strengths[dense];
      }
      return sum;
    });
    // Where sixteen sets are all there is, the scores' memory serves until they are known
    // (not where it has zeros for nodes that are not selected).
    if (result.sets == kBatchWidth && result.scores.size() == std::size_t{n_} * kBatchWidth) {
      lent_ = reinterpret_cast<Batch16*>(result.scores.data());
    } else {
      second_ = AlignedArray<Batch16>(linked_);
    }
  }

  // Sets [first, first + lanes) of the result; seeds[i] are set i's shares by dense id,
  // empty = uniform.
  void Run(std::span<const std::vector<internal::SeedShare>> seeds, std::size_t first) {
    const std::size_t lanes = seeds.size();
    const int most = MaxIterations();
    int done = 0;
    bool within = false;
    Place(seeds);
    if (most > 0 && !options_.run.budget.Interrupted()) {
      Start(most);
      internal::BatchStep step;
      step.damping = options_.damping;
      step.seeds = &seeds_;
      step.uniform = uniform_;
      step.strength = strength_.data();
      step.budget = &options_.run.budget;
      for (; done < most && !within; ++done) {
        // Where the iterations are counted, only the last one's change says anything.
        step.measured = options_.iterations == 0 || done + 1 == most;
        if (!Step(step)) break;
        within = options_.iterations == 0 && Bound(lanes) <= options_.tolerance;
      }
    }
    result_.iterations = std::max(result_.iterations, done);
    const bool all =
        done == (options_.iterations > 0 ? options_.iterations : options_.max_iterations);
    if (!within && !all) result_.truncated = true;
    // Two vectors that sum to 1 are 2 apart at most, and without a change that was measured were
    // so.
    const bool measured = done > 0 && (options_.iterations == 0 || done == most);
    for (std::size_t k = 0; k < lanes; ++k)
      result_.errors[first + k] = measured ? std::min(2.0, Bound() * last_.step[k])
                                           : 2.0 * std::pow(options_.damping, done);
    if (done > 0)
      GiveScores(first, lanes);
    else
      GiveTeleport(first, lanes);
  }

 private:
  double Bound() const { return options_.damping / (1.0 - options_.damping); }
  double Bound(std::size_t lanes) const {
    return Bound() * *std::max_element(last_.step.begin(),
                                       last_.step.begin() + static_cast<std::ptrdiff_t>(lanes));
  }
  // Those requested that the budget's arcs cover.
  int MaxIterations() const {
    const int asked = options_.iterations > 0 ? options_.iterations : options_.max_iterations;
    if (edges_left_ == Budget::kUnlimited || rows_.arc_count() == 0) return asked;
    return static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(asked),
                                                    edges_left_ / rows_.arc_count()));
  }

  // False: interrupted, and now_ is what it was.
  bool Step(internal::BatchStep& step) {
    const std::array<float, kBatchWidth> before = base_;
    for (std::size_t k = 0; k < kBatchWidth; ++k)
      step.base[k] =
          static_cast<float>(1.0 - options_.damping + options_.damping * last_.dangling[k]);
    if (sparse_ && last_.reached * kSparseShare > all_strength_) Densify();
    step.now = now_;
    step.next = next_;
    step.live = sparse_ ? live_.data() : nullptr;
    if (sparse_) live_next_.assign(live_.size(), 0);
    step.live_next = sparse_ ? live_next_.data() : nullptr;
    const auto stepped = stepper_.Step(step, executor_);
    if (!stepped) return false;
    last_ = *stepped;
    base_ = step.base;
    for (std::size_t k = 0; k < kBatchWidth; ++k) {
      last_.step[k] +=
          unlinked_[k] * std::abs(static_cast<double>(base_[k]) - static_cast<double>(before[k]));
      last_.dangling[k] += unlinked_[k] * static_cast<double>(base_[k]);
    }
    std::swap(now_, next_);
    live_.swap(live_next_);
    if (edges_left_ != Budget::kUnlimited) edges_left_ -= rows_.arc_count();
    return true;
  }

  // Seeds by position, and the shares of nodes that have none of their own.
  void Place(std::span<const std::vector<internal::SeedShare>> seeds) {
    seeds_.clear();
    uniform_ = {};
    for (std::uint32_t k = 0; k < seeds.size(); ++k) {
      if (seeds[k].empty()) uniform_[k] = 1.0f / static_cast<float>(n_);
      for (const internal::SeedShare& s : seeds[k])
        seeds_.push_back({position_[s.dense], k, static_cast<float>(s.share)});
    }
    std::sort(seeds_.begin(), seeds_.end(), [](const BatchSeed& a, const BatchSeed& b) {
      return a.position != b.position ? a.position < b.position : a.lane < b.lane;
    });
    base_.fill(1.0f);
  }

  // The lines of the teleport. After `most` iterations the scores' memory is to be free.
  void Start(int most) {
    now_ = first_.data();
    next_ = lent_ ? lent_ : second_.data();
    if (most % 2 != 0) std::swap(now_, next_);
    sparse_ = std::all_of(uniform_.begin(), uniform_.end(), [](float share) { return share == 0; });
    last_ = {};
    if (sparse_)
      live_.assign((std::size_t{linked_} + 63) / 64, 0);
    else
      StartEverywhere();
    for (std::uint32_t k = 0; k < kBatchWidth; ++k)
      unlinked_[k] = static_cast<double>(n_ - linked_) * static_cast<double>(uniform_[k]);
    // A lane is uniform or has seeds, so nothing is placed over something else.
    for (const BatchSeed& s : seeds_) {
      if (s.position >= linked_) {
        unlinked_[s.lane] += static_cast<double>(s.share);
        continue;
      }
      if (sparse_ && !Live(s.position)) {
        live_[s.position / 64] |= std::uint64_t{1} << (s.position % 64);
        now_[s.position] = {};
        last_.reached += static_cast<double>(strength_[s.position]);
      }
      now_[s.position].at[s.lane] = LineOf(s.share, strength_[s.position]);
      if (!(strength_[s.position] > 0)) last_.dangling[s.lane] += static_cast<double>(s.share);
    }
    for (std::uint32_t k = 0; k < kBatchWidth; ++k) last_.dangling[k] += unlinked_[k];
  }
  void StartEverywhere() {
    last_ = ParallelReduce(
        executor_, linked_, kGrain, BatchPartial{},
        [&](std::size_t begin, std::size_t end) {
          BatchPartial partial;
          for (std::size_t p = begin; p < end; ++p) {
            const float share = LineOf(1.0f, strength_[p]);
            for (std::uint32_t k = 0; k < kBatchWidth; ++k) now_[p].at[k] = uniform_[k] * share;
            if (strength_[p] > 0) continue;
            for (std::uint32_t k = 0; k < kBatchWidth; ++k)
              partial.dangling[k] += static_cast<double>(uniform_[k]);
          }
          return partial;
        },
        internal::Add);
  }
  static float LineOf(float score, float strength) {
    return strength > 0 ? score / strength : score;
  }

  bool Live(std::size_t p) const { return (live_[p / 64] >> (p % 64) & 1) != 0; }
  // Too many lines are reached to be looked for: the others become zeros.
  void Densify() {
    ParallelForEach(executor_, linked_, kGrain, [&](std::size_t p) {
      if (!Live(p)) now_[p] = {};
    });
    sparse_ = false;
  }

  // Nodes without arcs hold their share of what teleported last.
  void GiveScores(std::size_t first, std::size_t lanes) {
    if (now_ == lent_) {
      ParallelFor(executor_, linked_, kGrain, [&](std::size_t begin, std::size_t end) {
        std::copy(now_ + begin, now_ + end, next_ + begin);
      });
      std::swap(now_, next_);
    }
    Batch16 home;
    for (std::size_t k = 0; k < kBatchWidth; ++k) home.at[k] = base_[k] * uniform_[k];
    ParallelFor(executor_, n_, kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p) {
        Batch16 line = home;
        if (p < linked_ && (!sparse_ || Live(p))) {
          const float strength = strength_[p] > 0 ? strength_[p] : 1.0f;
          for (std::size_t k = 0; k < kBatchWidth; ++k) line.at[k] = now_[p].at[k] * strength;
        }
        std::copy_n(line.at.begin(), lanes, Scores(p, first));
      }
    });
    for (const BatchSeed& s : seeds_)
      if (s.position >= linked_) Scores(s.position, first)[s.lane] = base_[s.lane] * s.share;
  }
  // Sets that were not begun.
  void GiveTeleport(std::size_t first, std::size_t lanes) {
    ParallelFor(executor_, n_, kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p)
        std::copy_n(uniform_.begin(), lanes, Scores(p, first));
    });
    for (const BatchSeed& s : seeds_) Scores(s.position, first)[s.lane] = s.share;
  }
  float* Scores(std::size_t p, std::size_t first) const {
    return &result_
                .scores[ready_.view.node(rows_.node(static_cast<std::uint32_t>(p))) * result_.sets +
                        first];
  }

  // A sparse step is faster while the nodes reached have an eighth of the arcs (by weight) or less.
  static constexpr double kSparseShare = 8;

  const internal::PageRankReady& ready_;
  const BatchLayout& rows_;
  const PageRankOptions& options_;
  Executor& executor_;
  PageRankBatchResult& result_;
  std::uint64_t edges_left_;
  const std::uint32_t n_, linked_;  // positions from linked_ on have no arcs
  AlignedArray<float> strength_;    // by position, of those with arcs
  double all_strength_ = 0;
  AlignedArray<std::uint32_t> position_;  // by dense id
  AlignedArray<Batch16> first_, second_;  // as strength_
  Batch16* lent_ = nullptr;               // instead of second_
  Batch16 *now_ = nullptr, *next_ = nullptr;
  bool sparse_ = false;
  std::vector<std::uint64_t> live_, live_next_;  // bits by position, of lines of now_ and next_
  internal::BatchStepper stepper_;
  std::vector<BatchSeed> seeds_;
  std::array<float, kBatchWidth> uniform_{};    // share of every node, by lane
  std::array<float, kBatchWidth> base_{};       // mass that teleported last
  std::array<double, kBatchWidth> unlinked_{};  // share of it that nodes without arcs have
  BatchPartial last_;
};

std::uint64_t BytesPerIteration(const BatchLayout& rows) {
  std::uint64_t listed = 0;  // rows, once a segment that has arcs of them
  for (const BatchLayout::Block& block : rows.blocks())
    for (const BatchLayout::Tile& tile : block.tiles)
      for (const std::uint32_t count : tile.rows) listed += count;
  return rows.arc_count() * (rows.weights() ? 8 : 4) + listed * 4 +
         std::uint64_t{rows.linked_count()} *
             (sizeof(float) + sizeof(Batch16) * (1 + 2 * std::uint64_t{rows.segment_count()}));
}

Status Check(std::span<const std::vector<NodeWeight>> sets, const PageRankOptions& options) {
  if (sets.empty() || sets.size() > kMaxSets)
    return Invalid(sets.size(), " seed sets; 1 to ", kMaxSets, " are possible");
  if (!options.seeds.empty())
    return Invalid("a batch takes its seeds from the sets, not from the options");
  if (options.precision != Precision::kF32)
    return Invalid("a batch is computed in f32; say so in the options");
  return internal::CheckPageRankOptions(options, internal::PageRankUse::kSixteen);
}

}  // namespace

double LeastBatchTolerance(double damping) { return 0x1p-20 / (1.0 - damping); }

Result<PageRankBatchResult> PageRankBatch(const Snapshot& snapshot,
                                          std::span<const std::vector<NodeWeight>> sets,
                                          const PageRankOptions& options) try {
  PLEXUS_TRY(Check(sets, options));
  Executor& executor = common_internal::Pick(options.run.executor);
  const auto start = std::chrono::steady_clock::now();
  PLEXUS_ASSIGN(const auto prepared, common_internal::InTime(options.run, [&](Executor& stopping) {
                  return internal::PreparePageRank(snapshot, options,
                                                   internal::PageRankUse::kSixteen, stopping);
                }));
  PageRankBatchResult result;
  result.sets = sets.size();
  result.scores = AlignedArray<float>(std::size_t{snapshot.node_count()} * sets.size());
  result.errors.assign(sets.size(), 0.0);
  if (!prepared) {
    std::fill(result.scores.begin(), result.scores.end(), 0.0f);
    result.truncated = true;
    return result;
  }
  const internal::PageRankReady& ready = *prepared;
  std::vector<std::vector<internal::SeedShare>> shares(sets.size());
  for (std::size_t s = 0; s < sets.size(); ++s)
    if (!sets[s].empty())
      PLEXUS_SET(shares[s],
                 internal::SeedShares(snapshot, ready.view, sets[s], options.filter.kinds));
  if (ready.prepared->weighted) {
    PLEXUS_ASSIGN(const auto reciprocals,
                  StrengthReciprocals<float>(ready.prepared->strengths, executor));
    PLEXUS_TRY(internal::CheckF32Range(reciprocals));
  }
  if (ready.view.node_count() < snapshot.node_count())
    ParallelFor(executor, result.scores.size(), kGrain * kBatchWidth,
                [&](std::size_t begin, std::size_t end) {
                  std::fill(result.scores.begin() + begin, result.scores.begin() + end, 0.0f);
                });
  result.edges = ready.prepared->arcs;
  if (ready.prepared->lanes)
    result.stats.bytes_per_iteration = BytesPerIteration(*ready.prepared->lanes);
  result.stats.preparation_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (ready.view.node_count() > 0) {
    Sweeper sweeper(ready, options, result, executor);
    for (std::size_t first = 0; first < sets.size(); first += kBatchWidth)
      sweeper.Run(
          std::span(shares).subspan(first, std::min<std::size_t>(kBatchWidth, sets.size() - first)),
          first);
  }
  result.converged = std::all_of(result.errors.begin(), result.errors.end(),
                                 [&](double e) { return e <= options.tolerance; });
  if (options.iterations == 0 && !result.converged) result.truncated = true;
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::pagerank
