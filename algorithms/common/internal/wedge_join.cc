// Rounds of rows under one threshold, each row a task's own sums; then the new threshold.
#include "algorithms/common/internal/wedge_join.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "algorithms/common/internal/object_pool.h"
#include "engine/arrays/aligned_array.h"

namespace plexus::common_internal {

namespace {

constexpr std::size_t kFirstRound = 64;                   // rows
constexpr std::size_t kMaxTasks = 256, kMinTasks = 16;    // of a round; each holds up to 2 k pairs
constexpr std::size_t kHeldPairs = std::size_t{1} << 24;  // by all of them, roughly
constexpr double kRounding = 1e-12;                       // of sums in another order
constexpr std::uint64_t kRoundWedges = std::uint64_t{1} << 28;  // or a single row's

class Walker {
 public:
  Walker(const CsrView& rows, std::span<const double> shares, const WedgeQuery& query,
         Executor& executor)
      : rows_(rows),
        shares_(shares),
        query_(query),
        judge_(query.judge),
        executor_(executor),
        best_(query.k, judge_ ? ScoredSet<2>{-std::numeric_limits<double>::infinity(), {}}
                              : ScoredSet<2>{}) {
    ratio_ = !judge_ && query.score != WedgeScore::kSum;
    MakeMost();
    Order();
    MakeLists();
  }

  WedgeResult Run() {
    WedgeResult result;
    const auto places = static_cast<std::uint32_t>(order_.size());
    std::uint32_t done = 0;
    std::size_t round = kFirstRound;
    while (true) {
      const std::uint32_t end = Reaching(places);
      if (done >= end) break;
      if (wedges_ >= query_.budget.edges || (judge_ && scored_ > query_.budget.nodes) ||
          query_.budget.Interrupted()) {
        result.truncated = true;
        break;
      }
      const std::uint64_t walked = WedgesBelow(done), rest = WedgesBelow(end) - walked;
      if (rest > query_.most_wedges && wedges_ >= query_.first_wedges) break;
      const std::uint64_t most = std::min(query_.budget.edges - wedges_, kRoundWedges);
      auto last = static_cast<std::uint32_t>(std::min<std::uint64_t>(end, done + round));
      while (last - done > 1 && WedgesBelow(last) - walked > most) last = done + (last - done) / 2;
      Round(done, last);
      done = last;
      round = std::min<std::size_t>(2 * round, places);  // heavy rows take more than 58 rounds
    }
    result.finished = done >= Reaching(places) && !result.truncated;
    result.wedges = wedges_;
    result.scored = scored_;
    result.pairs = best_.Take();
    return result;
  }

 private:
  struct Sum {
    double score = 0;
    std::uint32_t shared = 0;
  };
  struct Sums {
    std::vector<Sum> by_place;  // zero between rows
    std::vector<std::uint32_t> touched;
    std::vector<std::pair<std::size_t, std::uint32_t>> longest;  // lists of a row: length, arc
    std::vector<std::uint8_t> skipped;                           // by arc of the row
  };

  double value(std::uint32_t arc) const { return query_.values.empty() ? 1 : query_.values[arc]; }
  // What an arc adds to any sum at most.
  double most(std::uint32_t arc) const {
    const NodeId w = rows_.neighbors[arc];
    return shares_[w] * (value(arc) * (most_.empty() ? 1 : most_[w]));
  }

  // The largest value at each shared neighbour.
  void MakeMost() {
    if (query_.values.empty()) return;
    most_.assign(rows_.node_count(), 0);
    for (std::uint32_t a = 0; a < rows_.neighbors.size(); ++a)
      most_[rows_.neighbors[a]] = std::max(most_[rows_.neighbors[a]], query_.values[a]);
  }

  std::unique_ptr<Sums> MakeSums() const {
    auto made = std::make_unique<Sums>();
    made->by_place.resize(order_.size());
    made->touched.reserve(order_.size());
    return made;
  }

  // Rows that share anything, heaviest first, ties by id.
  void Order() {
    const NodeId n = rows_.node_count();
    std::vector<double> weight(n, 0);
    ParallelForEach(executor_, n, 4096, [&](std::size_t v) {
      for (std::uint32_t a = rows_.offsets[v]; a < rows_.offsets[v + 1]; ++a) weight[v] += most(a);
    });
    for (NodeId v = 0; v < n; ++v)
      if (weight[v] > 0 && rows_.degree(v) >= query_.min_shared) order_.push_back(v);
    if (judge_)
      for (const NodeId v : order_) weight[v] = judge_->Most(v, weight[v]);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](NodeId a, NodeId b) { return weight[a] > weight[b]; });
    weights_.reserve(order_.size());
    for (const NodeId v : order_) weights_.push_back(weight[v]);
  }

  // By shared neighbour: the places of the rows that have it, ascending.
  void MakeLists() {
    const NodeId n = rows_.node_count();
    begins_.assign(std::size_t{n} + 1, 0);
    for (const NodeId v : order_)
      for (std::uint32_t a = rows_.offsets[v]; a < rows_.offsets[v + 1]; ++a)
        ++begins_[rows_.neighbors[a] + 1];
    for (NodeId w = 0; w < n; ++w) begins_[w + 1] += begins_[w];
    list_ = AlignedArray<std::uint32_t>(begins_[n]);
    if (!query_.values.empty()) list_values_ = AlignedArray<double>(begins_[n]);
    std::vector<std::uint64_t> at(begins_.begin(), begins_.end() - 1);
    for (std::uint32_t p = 0; p < order_.size(); ++p)
      for (std::uint32_t a = rows_.offsets[order_[p]]; a < rows_.offsets[order_[p] + 1]; ++a) {
        const std::uint64_t place = at[rows_.neighbors[a]]++;
        list_[place] = p;
        if (!query_.values.empty()) list_values_[place] = query_.values[a];
      }
  }
  std::span<const std::uint32_t> List(NodeId w) const {
    return {list_.data() + begins_[w], static_cast<std::size_t>(begins_[w + 1] - begins_[w])};
  }

  // How many places still can have a pair above or at the threshold.
  std::uint32_t Reaching(std::uint32_t places) const {
    if (ratio_) return places;
    const double threshold = best_.threshold().score;
    return static_cast<std::uint32_t>(
        std::partition_point(weights_.begin(), weights_.end(),
                             [&](double w) { return w >= threshold; }) -
        weights_.begin());
  }

  // Wedges among the places before `end`.
  std::uint64_t WedgesBelow(std::uint32_t end) const {
    return ParallelSum(
        executor_, rows_.node_count(), 4096, [&](std::size_t begin, std::size_t last) {
          std::uint64_t sum = 0;
          for (auto w = static_cast<NodeId>(begin); w < last; ++w) {
            if (shares_[w] == 0) continue;
            const auto list = List(w);
            const auto c = static_cast<std::uint64_t>(
                std::lower_bound(list.begin(), list.end(), end) - list.begin());
            sum += c * (c - (c > 0)) / 2;
          }
          return sum;
        });
  }

  struct Outcome {
    TopKSets<2> best;
    std::uint64_t wedges = 0, scored = 0;
  };

  void Round(std::uint32_t first, std::uint32_t last) {
    // The best of a round do not depend on how it is cut.
    const std::size_t most = std::clamp(kHeldPairs / (query_.k + 1), kMinTasks, kMaxTasks);
    const std::size_t rows = (last - first + most - 1) / most,
                      tasks = (last - first + rows - 1) / rows;
    std::vector<Outcome> outcomes(tasks, Outcome{TopKSets<2>(query_.k, best_.threshold())});
    pool_.Reserve(executor_, tasks, [&] { return MakeSums(); });
    ParallelFor(executor_, last - first, rows, [&](std::size_t begin, std::size_t end) {
      const auto sums = pool_.Acquire([&] { return MakeSums(); });
      Outcome& outcome = outcomes[begin / rows];
      for (std::size_t i = begin; i < end; ++i)
        Row(first + static_cast<std::uint32_t>(i), *sums, outcome);
      outcome.best.Cut();
    });
    for (const Outcome& outcome : outcomes) {
      best_.Join(outcome.best);
      wedges_ += outcome.wedges;
      scored_ += outcome.scored;
    }
    best_.Cut();
  }

  void Row(std::uint32_t place, Sums& sums, Outcome& outcome) {
    const NodeId a = order_[place];
    const std::uint32_t first = rows_.offsets[a], end = rows_.offsets[a + 1];
    const double skipped = judge_ ? SkipLongest(place, outcome.best, sums) : 0;
    for (std::uint32_t i = first; i < end; ++i) {
      const NodeId w = rows_.neighbors[i];
      const double share = shares_[w];
      if (share == 0 || (skipped > 0 && sums.skipped[i - first])) continue;
      const auto list = List(w);
      for (std::size_t at = 0; at < list.size() && list[at] < place; ++at) {
        ++outcome.wedges;
        Sum& sum = sums.by_place[list[at]];
        if (sum.shared++ == 0) sums.touched.push_back(list[at]);
        sum.score +=
            list_values_.empty() ? share : share * (value(i) * list_values_[begins_[w] + at]);
      }
    }
    for (const std::uint32_t p : sums.touched) {
      const Sum sum = std::exchange(sums.by_place[p], {});
      const NodeId b = order_[p];
      if (judge_)
        Judge(a, b, sum.score, skipped, outcome);
      else if (sum.shared >= query_.min_shared)
        outcome.best.Offer(
            {ratio_ ? Ratio(a, b, sum.shared) : sum.score, {std::min(a, b), std::max(a, b)}});
    }
    sums.touched.clear();
  }

  double Ratio(NodeId a, NodeId b, std::uint64_t shared) const {
    const std::uint64_t length = rows_.degree(a), other = rows_.degree(b);
    const std::uint64_t whole = query_.score == WedgeScore::kJaccard
                                    ? length + other - shared
                                    : std::min<std::uint64_t>(length, other);
    return static_cast<double>(shared) / static_cast<double>(whole);
  }

  // Marks the longest lists that together cannot bring a pair to the threshold. What they add.
  double SkipLongest(std::uint32_t place, const TopKSets<2>& best, Sums& sums) const {
    const NodeId a = order_[place];
    const double need = judge_->Need(a, best.threshold().score) * (1 - kRounding);
    if (!(need > 0)) return 0;
    const std::uint32_t first = rows_.offsets[a], end = rows_.offsets[a + 1];
    sums.longest.clear();
    for (std::uint32_t i = first; i < end; ++i)
      sums.longest.emplace_back(List(rows_.neighbors[i]).size(), i);
    std::sort(sums.longest.begin(), sums.longest.end(), [](const auto& x, const auto& y) {
      return x.first != y.first ? x.first > y.first : x.second < y.second;
    });
    sums.skipped.assign(end - first, 0);
    double skipped = 0;
    for (const auto& [length, arc] : sums.longest) {
      if (skipped + most(arc) >= need) break;
      skipped += most(arc);
      sums.skipped[arc - first] = 1;
    }
    return skipped;
  }

  void Judge(NodeId a, NodeId b, double sum, double skipped, Outcome& outcome) const {
    const double need = judge_->Need(a, outcome.best.threshold().score) * (1 - kRounding);
    if (sum + skipped < need) return;
    if (skipped > 0) sum = Dot(a, b);
    if (sum < need || sum <= 0) return;
    ++outcome.scored;
    const NodeId low = std::min(a, b), high = std::max(a, b);
    if (const auto score = judge_->Score(low, high, sum)) outcome.best.Offer({*score, {low, high}});
  }

  // In the order of the rows.
  double Dot(NodeId a, NodeId b) const {
    std::uint32_t i = rows_.offsets[a], j = rows_.offsets[b];
    const std::uint32_t ends[] = {rows_.offsets[a + 1], rows_.offsets[b + 1]};
    double sum = 0;
    while (i < ends[0] && j < ends[1]) {
      const NodeId x = rows_.neighbors[i], y = rows_.neighbors[j];
      if (x == y && shares_[x] != 0) sum += shares_[x] * (value(i) * value(j));
      i += x <= y;
      j += y <= x;
    }
    return sum;
  }

  const CsrView& rows_;
  const std::span<const double> shares_;
  const WedgeQuery& query_;
  const PairJudge* const judge_;
  Executor& executor_;
  bool ratio_ = false;
  std::vector<NodeId> order_;    // by place
  std::vector<double> weights_;  // by place, falling
  std::vector<std::uint64_t> begins_;
  AlignedArray<std::uint32_t> list_;
  AlignedArray<double> list_values_;  // parallel to list_
  std::vector<double> most_;          // by shared neighbour, of its values; empty: 1
  TopKSets<2> best_;
  common_internal::ObjectPool<Sums> pool_;
  std::uint64_t wedges_ = 0, scored_ = 0;
};

}  // namespace

WedgeResult WedgePairs(const CsrView& rows, std::span<const double> shares, const WedgeQuery& query,
                       Executor& executor) {
  return Walker(rows, shares, query, executor).Run();
}

}  // namespace plexus::common_internal
