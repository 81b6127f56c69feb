// Rounds of rows under one threshold, each row a task's own sums; then the new threshold.
#include "algorithms/similarity/internal/wedge_join.h"

#include <algorithm>
#include <memory>

#include "algorithms/common/internal/object_pool.h"
#include "engine/arrays/aligned_array.h"

namespace plexus::similarity_internal {

namespace {

constexpr std::size_t kFirstRound = 64;                   // rows
constexpr std::size_t kMaxTasks = 256, kMinTasks = 16;    // of a round; each holds up to 2 k pairs
constexpr std::size_t kHeldPairs = std::size_t{1} << 24;  // by all of them, roughly
constexpr std::uint64_t kRoundWedges = std::uint64_t{1} << 28;  // or a single row's

class Walker {
 public:
  Walker(const CsrView& rows, std::span<const double> shares, const WedgeQuery& query,
         Executor& executor)
      : rows_(rows), shares_(shares), query_(query), executor_(executor), best_(query.k) {
    ratio_ = query.measure == SimilarityMeasure::kJaccard ||
             query.measure == SimilarityMeasure::kOverlap;
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
      if (wedges_ >= query_.budget.edges || query_.budget.Interrupted()) {
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
      round *= 2;
    }
    result.finished = done >= Reaching(places) && !result.truncated;
    result.wedges = wedges_;
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
  };

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
    ParallelFor(executor_, n, 4096, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v)
        for (std::uint32_t a = rows_.offsets[v]; a < rows_.offsets[v + 1]; ++a)
          weight[v] += shares_[rows_.neighbors[a]];
    });
    for (NodeId v = 0; v < n; ++v)
      if (weight[v] > 0 && rows_.degree(v) >= query_.least_shared) order_.push_back(v);
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
    std::vector<std::uint64_t> at(begins_.begin(), begins_.end() - 1);
    for (std::uint32_t p = 0; p < order_.size(); ++p)
      for (std::uint32_t a = rows_.offsets[order_[p]]; a < rows_.offsets[order_[p] + 1]; ++a)
        list_[at[rows_.neighbors[a]]++] = p;
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
    return ParallelReduce(
        executor_, rows_.node_count(), 4096, std::uint64_t{0},
        [&](std::size_t begin, std::size_t last) {
          std::uint64_t sum = 0;
          for (auto w = static_cast<NodeId>(begin); w < last; ++w) {
            if (shares_[w] == 0) continue;
            const auto list = List(w);
            const auto c = static_cast<std::uint64_t>(
                std::lower_bound(list.begin(), list.end(), end) - list.begin());
            sum += c * (c - (c > 0)) / 2;
          }
          return sum;
        },
        [](std::uint64_t a, std::uint64_t b) { return a + b; });
  }

  void Round(std::uint32_t first, std::uint32_t last) {
    struct Outcome {
      TopKSets<2> best;
      std::uint64_t wedges = 0;
    };
    // The best of a round do not depend on how it is cut.
    const std::size_t most = std::clamp(kHeldPairs / (query_.k + 1), kMinTasks, kMaxTasks);
    const std::size_t rows = (last - first + most - 1) / most,
                      tasks = (last - first + rows - 1) / rows;
    std::vector<Outcome> outcomes(tasks, Outcome{TopKSets<2>(query_.k, best_.threshold())});
    while (workers_ <
           std::min(tasks, static_cast<std::size_t>(std::max(1, executor_.thread_count())))) {
      pool_.Add(MakeSums());
      ++workers_;
    }
    ParallelFor(executor_, last - first, rows, [&](std::size_t begin, std::size_t end) {
      const auto sums = pool_.Acquire([&] { return MakeSums(); });
      Outcome& outcome = outcomes[begin / rows];
      for (std::size_t i = begin; i < end; ++i)
        Row(first + static_cast<std::uint32_t>(i), *sums, outcome.best, outcome.wedges);
      outcome.best.Cut();
    });
    for (const Outcome& outcome : outcomes) {
      best_.Join(outcome.best);
      wedges_ += outcome.wedges;
    }
    best_.Cut();
  }

  void Row(std::uint32_t place, Sums& sums, TopKSets<2>& best, std::uint64_t& wedges) {
    const NodeId a = order_[place];
    const std::uint32_t length = rows_.degree(a);
    for (std::uint32_t i = rows_.offsets[a]; i < rows_.offsets[a + 1]; ++i) {
      const NodeId w = rows_.neighbors[i];
      const double share = shares_[w];
      if (share == 0) continue;
      for (const std::uint32_t p : List(w)) {
        if (p >= place) break;
        ++wedges;
        Sum& sum = sums.by_place[p];
        if (sum.shared++ == 0) sums.touched.push_back(p);
        sum.score += share;
      }
    }
    for (const std::uint32_t p : sums.touched) {
      const std::uint64_t shared = sums.by_place[p].shared;
      double score = sums.by_place[p].score;
      sums.by_place[p] = {};
      if (shared < query_.least_shared) continue;
      const NodeId b = order_[p];
      if (ratio_) {
        const std::uint64_t other = rows_.degree(b);
        const std::uint64_t whole = query_.measure == SimilarityMeasure::kJaccard
                                        ? length + other - shared
                                        : std::min<std::uint64_t>(length, other);
        score = static_cast<double>(shared) / static_cast<double>(whole);
      }
      best.Offer({score, {std::min(a, b), std::max(a, b)}});
    }
    sums.touched.clear();
  }

  const CsrView& rows_;
  const std::span<const double> shares_;
  const WedgeQuery& query_;
  Executor& executor_;
  bool ratio_ = false;
  std::vector<NodeId> order_;    // by place
  std::vector<double> weights_;  // by place, falling
  std::vector<std::uint64_t> begins_;
  AlignedArray<std::uint32_t> list_;
  TopKSets<2> best_;
  internal::ObjectPool<Sums> pool_;
  std::size_t workers_ = 0;
  std::uint64_t wedges_ = 0;
};

}  // namespace

WedgeResult WedgePairs(const CsrView& rows, std::span<const double> shares, const WedgeQuery& query,
                       Executor& executor) {
  return Walker(rows, shares, query, executor).Run();
}

}  // namespace plexus::similarity_internal
