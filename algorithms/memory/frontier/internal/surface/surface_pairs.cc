// Guessing a threshold, joining, keeping the best.
#include "algorithms/memory/frontier/internal/surface/surface_pairs.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "algorithms/memory/frontier/internal/surface/pair_join.h"

namespace plexus::memory::internal {

namespace {

constexpr Row kSmallPool = 4096;      // no guessing in pools up to it
constexpr std::uint32_t kSample = 8;  // of every so many rows one
constexpr float kFirstStep = 0.5f, kStep = 0.2f;
constexpr auto kFloor = static_cast<float>(kLeastPairScore);

// Sorted, each once, the best k.
void Keep(std::vector<ScoredPair>& pairs, std::size_t k) {
  std::sort(pairs.begin(), pairs.end(), Better);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  if (pairs.size() > k) pairs.resize(k);
}

class TopPairsSink final : public PairSink {
 public:
  explicit TopPairsSink(const PairBar& bar) : bar_(bar) {}
  void Offer(Row a, Row b) override {
    if (const auto pair = bar_.Try(a, b, scored)) found.push_back(*pair);
    if (found.size() > 4 * bar_.k + 1024) {
      Keep(found, bar_.k);
      if (found.size() == bar_.k) bar_.worst = found.back();
    }
  }
  std::vector<ScoredPair> found;
  std::uint64_t scored = 0;

 private:
  PairBar bar_;
};

class PairMiner {
 public:
  PairMiner(const SurfaceScore& score, const ListQuery& query, Executor& executor)
      : score_(score),
        executor_(executor),
        bound_(score),
        join_(score.pool(), bound_, score.options().run.budget, executor) {
    bar_.score = &score;
    bar_.k = query.k;
    if (query.after) bar_.after = {query.after->score, query.after->rows[0], query.after->rows[1]};
    const NeverComposedOptions& options = score.options();
    if (!options.tags.empty()) {
      needs_.resize(score.pool().count());
      anchored_ = true;
    }
  }

  RankedList Mine() {
    const Row rows = score_.pool().count();
    if (rows >= 2) {
      if (score_.extras().cosine) JoinBand();
      float guess = kFloor;
      if (rows > kSmallPool) guess = Guess();
      if (bar_.after) guess = std::min(guess, static_cast<float>(bar_.after->score));
      while (!Done()) {
        JoinAbove(guess);
        if (guess <= kFloor || (best_.size() == bar_.k && best_.back().score >= guess)) break;
        guess = std::max(guess - kStep, kFloor);
      }
    }
    RankedList list;
    for (const ScoredPair& pair : best_) list.sets.push_back({pair.score, {pair.a, pair.b}});
    list.more = best_.size() == bar_.k;
    list.truncated = truncated_;
    list.compared = compared_ + join_.compared();
    list.scored = scored_;
    return list;
  }

 private:
  bool Done() {
    const Budget& budget = score_.options().run.budget;
    truncated_ |= join_.interrupted() || compared_ + join_.compared() > budget.edges ||
                  scored_ > budget.nodes;
    return truncated_;
  }

  void Take(std::vector<ScoredPair>&& found) {
    best_.insert(best_.end(), found.begin(), found.end());
    Keep(best_, bar_.k);
    if (best_.size() == bar_.k) bar_.worst = best_.back();
  }

  // All pairs that score at least `guess`, as long as they are among the best.
  void JoinAbove(float guess, const JoinRows& rows = {}) {
    for (std::size_t round = 0; round < PairJoin::kRounds && !Done(); ++round) {
      JoinNeed need{guess};
      if (bar_.worst) need.least = std::max(need.least, static_cast<float>(bar_.worst->score));
      need.least -= 1e-5f;
      if (anchored_) {
        for (Row r = 0; r < score_.pool().count(); ++r)
          needs_[r] = score_.pool().rows[r].wanted ? need.least : kNever;
        need.by_row = &needs_;
      }
      for (const auto& sink :
           join_.Run(round, need, rows, [&] { return std::make_unique<TopPairsSink>(bar_); })) {
        auto& top = static_cast<TopPairsSink&>(*sink);
        scored_ += top.scored;
        Take(std::move(top.found));
      }
    }
  }

  // Where the k best pairs of all rows most likely begin: the j-th best of a sample of a share s of
  // the rows is about the (j / s^2)-th of all.
  float Guess() {
    const std::size_t wanted = bar_.k;
    bar_.k = std::max<std::size_t>(1, 3 * wanted / (kSample * kSample));
    float guess = bound_.Most();
    do {
      guess -= kFirstStep;
      JoinAbove(guess, {kSample});
    } while (best_.size() < bar_.k && guess > kFloor && !truncated_);
    if (best_.size() == bar_.k) guess = static_cast<float>(best_.back().score);
    bar_.k = wanted;
    bar_.worst.reset();
    if (best_.size() >= wanted) bar_.worst = best_.back();
    return std::max(guess, kFloor);
  }

  void JoinBand() {
    const Row limit = score_.pool().band_rows;
    constexpr Row kChunk = 64;
    const Row chunks = (limit + kChunk - 1) / kChunk;
    for (Row first = 0; first < chunks; first += 64) {  // a bar a round
      const Row count = std::min<Row>(64, chunks - first);
      std::vector<std::unique_ptr<TopPairsSink>> sinks;
      for (Row c = 0; c < count; ++c) sinks.push_back(std::make_unique<TopPairsSink>(bar_));
      const Budget& budget = score_.options().run.budget;
      RunBlocks(executor_, count, [&](std::size_t c) {
        if (budget.Interrupted()) return;
        const Row begin = (first + static_cast<Row>(c)) * kChunk;
        const float most = bound_.tags(65535) + bound_.terms(kMostAnchorTerms);
        for (Row a = begin; a < std::min(limit, begin + kChunk); ++a)
          for (Row b = a + 1; b < limit; ++b) {
            const double top = bound_.row(a) + bound_.row(b) + most;
            if (top < kLeastPairScore || (bar_.worst && top < bar_.worst->score)) continue;
            if (score_.extras().cosine(a, b)) sinks[c]->Offer(a, b);
          }
      });
      for (const auto& sink : sinks) {
        scored_ += sink->scored;
        Take(std::move(sink->found));
      }
      for (Row c = first; c < first + count; ++c)
        for (Row a = c * kChunk; a < std::min(limit, (c + 1) * kChunk); ++a)
          compared_ += limit - a - 1;
      truncated_ |= budget.Interrupted();
      if (Done()) return;
    }
  }

  const SurfaceScore& score_;
  Executor& executor_;
  const WorthBound bound_;
  PairJoin join_;
  PairBar bar_;
  bool anchored_ = false, truncated_ = false;
  std::vector<float> needs_;
  std::vector<ScoredPair> best_;
  std::uint64_t compared_ = 0, scored_ = 0;
};

}  // namespace

bool Better(const ScoredPair& x, const ScoredPair& y) {
  if (x.score != y.score) return x.score > y.score;
  return x.a != y.a ? x.a < y.a : x.b < y.b;
}

std::optional<ScoredPair> PairBar::Try(Row a, Row b, std::uint64_t& scored) const {
  const SurfacePool& pool = score->pool();
  ScoredPair pair{0, std::min(a, b), std::max(a, b)};
  if (!pool.rows[a].wanted && !pool.rows[b].wanted) return {};
  const PairParts parts = score->Parts(pair.a, pair.b);
  ++scored;
  if (!parts.tied()) return {};
  const Row members[] = {pair.a, pair.b};
  const SetNumbers numbers = score->Numbers(members, {&parts, 1});
  pair.score = numbers.score;
  if (pair.score < kLeastPairScore) return {};
  if (numbers.fit < score->options().min_structural_fit) return {};
  if (worst && !Better(pair, *worst)) return {};
  if (after && !Better(*after, pair)) return {};
  if (pool.Composed(pair.a, pair.b)) return {};
  return pair;
}

bool RanksBefore(const RankedRows& a, const RankedRows& b) {
  return a.score != b.score ? a.score > b.score : a.rows < b.rows;
}

RankedRows RowsOf(const SurfacePool& pool, const PageEnd& end) {
  RankedRows set{end.score, {}};
  for (const NodeId v : end.members) set.rows.push_back(pool.RowOf(v));
  return set;
}

RankedList TopPairs(const SurfaceScore& score, const ListQuery& query, Executor& executor) {
  return PairMiner(score, query, executor).Mine();
}

}  // namespace plexus::memory::internal
