// Pairs from the best on, each completed to triples.
#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <memory>
#include <span>
#include <utility>

#include "algorithms/common/internal/object_pool.h"
#include "algorithms/similarity/internal/signature_bound.h"
#include "algorithms/similarity/internal/top_pairs.h"

namespace plexus::similarity::internal {

namespace {

constexpr std::size_t kPairSteps[] = {1 << 10, 1 << 14, 1 << 18, 1 << 22};
constexpr std::size_t kLargestBatch = 1024, kSmallestBatch = 8;
// Each pair of a batch keeps a list of up to 2k triples: batches shrink when what they
// found together is more than this.
constexpr std::size_t kBatchBytes = std::size_t{64} << 20;

double Mean(double ab, double ac, double bc) { return (ab + ac + bc) / 3; }

// The rows of every term, ascending.
struct Postings {
  std::vector<std::uint64_t> begins;
  std::vector<std::uint32_t> rows;

  explicit Postings(const InvertedIndex& index) : begins(index.term_count() + std::size_t{1}, 0) {
    for (const IndexEntry& e : index.entries) ++begins[e.term + std::size_t{1}];
    for (std::size_t t = 1; t < begins.size(); ++t) begins[t] += begins[t - 1];
    rows.resize(index.entries.size());
    std::vector<std::uint64_t> at(begins.begin(), begins.end() - 1);
    for (std::uint32_t r = 0; r < index.row_count(); ++r)
      for (const IndexEntry& e : index.row(r)) rows[at[e.term]++] = r;
  }
  std::span<const std::uint32_t> of(std::uint32_t term) const {
    return {rows.data() + begins[term], static_cast<std::size_t>(begins[term + 1] - begins[term])};
  }
};

// A pair as rows; a < b, which is also the order of their nodes.
struct RowPair {
  double score;
  std::uint32_t a, b;
};

// Completes one pair at a time; holds the scratch memory of a worker.
class Completer {
 public:
  Completer(const InvertedIndex& index, const Postings& postings, const TripleQuery& query)
      : index_(index), postings_(postings), query_(query), seen_(index.row_count(), 0) {}

  void Complete(const RowPair& pair, TopKSets<3>& best) {
    const double sum = 3 * best.threshold().score;
    const double slip = 1e-9 * (1 + sum);  // far above what rounding does to these sums
    const std::uint32_t both = UnitsBelow(sum - pair.score - slip);
    const std::uint32_t each = UnitsBelow(sum - 2 * pair.score - slip);
    ChooseTerms(pair, both, each);
    passed_.clear();
    for (std::uint32_t t : terms_) {
      compared += postings_.of(t).size();
      ScanThirds(index_, pair.a, pair.b, postings_.of(t), both, passed_);
    }
    ++epoch_;
    for (std::uint32_t c : passed_) {
      if (c == pair.a || c == pair.b || std::exchange(seen_[c], epoch_) == epoch_) continue;
      Score(pair, c, best);
    }
  }

  std::uint64_t compared = 0, scored = 0;

 private:
  // Terms one of which any third row must have: the cheapest of three choices.
  void ChooseTerms(const RowPair& pair, std::uint32_t both, std::uint32_t each) {
    terms_.clear();
    std::uint64_t cost = 0;
    const std::span<const IndexEntry> a = index_.row(pair.a), b = index_.row(pair.b);
    // Both rows together: a common term counts twice.
    std::vector<IndexEntry> joint;
    std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(joint),
               [](const IndexEntry& x, const IndexEntry& y) { return x.term < y.term; });
    std::uint32_t suffix_weight = 0;
    for (std::size_t i = joint.size(); i-- > 0;) {
      suffix_weight = AddUnits(suffix_weight, index_.units[joint[i].term]);
      const bool first = i == 0 || joint[i - 1].term != joint[i].term;
      if (!first || suffix_weight < both) continue;
      terms_.push_back(joint[i].term);
      cost += postings_.of(joint[i].term).size();
    }
    if (each == 0) return;
    for (const std::span<const IndexEntry> row : {a, b}) {
      std::vector<std::uint32_t> terms;
      std::uint64_t its_cost = 0;
      for (const IndexEntry& e : row) {
        if (e.suffix_weight < each) break;
        terms.push_back(e.term);
        its_cost += postings_.of(e.term).size();
      }
      if (its_cost >= cost) continue;
      cost = its_cost;
      terms_ = std::move(terms);
    }
  }

  void Score(const RowPair& pair, std::uint32_t c, TopKSets<3>& best) {
    const double ac = index_.PairScore(pair.a, c), bc = index_.PairScore(pair.b, c);
    ++scored;
    if (ac + bc <= 0) return;
    // Met elsewhere when another of its pairs is the better one.
    const ScoredSet<2> ours{pair.score, {index_.nodes[pair.a], index_.nodes[pair.b]}};
    auto of = [&](double score, std::uint32_t r) {
      const NodeId p = index_.nodes[std::min(r, c)], q = index_.nodes[std::max(r, c)];
      return ScoredSet<2>{score, {p, q}};
    };
    if (Better()(of(ac, pair.a), ours) || Better()(of(bc, pair.b), ours)) return;
    std::array<std::uint32_t, 3> rows = {pair.a, pair.b, c};
    std::sort(rows.begin(), rows.end());
    ScoredSet<3> set;
    for (std::size_t i = 0; i < 3; ++i) set.members[i] = index_.nodes[rows[i]];
    set.score = c < pair.a   ? Mean(ac, bc, pair.score)
                : c < pair.b ? Mean(ac, pair.score, bc)
                             : Mean(pair.score, ac, bc);
    if (!best.Passes(set)) return;
    if (query_.anchors && std::none_of(set.members.begin(), set.members.end(),
                                       [&](NodeId v) { return query_.anchors->contains(v); }))
      return;
    if (query_.mask && query_.mask->IsExcluded(rows)) return;
    best.Offer(set);
  }

  const InvertedIndex& index_;
  const Postings& postings_;
  const TripleQuery& query_;
  std::vector<std::uint32_t> terms_, passed_;
  std::vector<std::uint32_t> seen_;  // by row: the epoch that saw it
  std::uint32_t epoch_ = 0;
};

class PairSearch {
 public:
  PairSearch(const InvertedIndex& index, const TripleQuery& query, Executor& executor)
      : index_(index), query_(query), executor_(executor), postings_(index), best_(query.k) {}

  TopSets<3> Run() {
    for (std::size_t step : kPairSteps) {
      const TopSets<2> pairs = FindTopPairs(index_, StrongPairs(step), executor_);
      result_.compared += pairs.compared;
      result_.scored += pairs.scored;
      const bool ended = CompleteAll(pairs.sets);
      result_.truncated = result_.truncated || pairs.truncated;
      if (result_.truncated || ended || pairs.sets.size() < step) return Finish();
    }
    result_.truncated = true;
    return Finish();
  }

 private:
  TopSets<3> Finish() {
    result_.sets = best_.Take();
    return std::move(result_);
  }

  // Those that could be the best pair of a triple that clears the threshold.
  PairQuery StrongPairs(std::size_t count) const {
    PairQuery q;
    q.k = count;
    q.threshold.score = best_.threshold().score * (1 - 1e-12);
    q.threshold.members = {kNoNode, kNoNode};  // meeting it is enough
    if (q.threshold.score == 0) q.threshold = {};
    q.mask = query_.mask;
    q.events_mask = false;
    q.budget = Remaining();
    return q;
  }

  Budget Remaining() const {
    Budget budget = query_.budget;
    if (budget.edges != Budget::kUnlimited)
      budget.edges -= std::min(budget.edges, result_.compared);
    if (budget.nodes != Budget::kUnlimited) budget.nodes -= std::min(budget.nodes, result_.scored);
    return budget;
  }

  // Goes on behind the pairs that are done: a longer list begins with the shorter one.
  // True when the rest cannot matter.
  bool CompleteAll(const std::vector<ScoredSet<2>>& pairs) {
    while (done_ < pairs.size()) {
      std::vector<RowPair> batch;
      for (std::size_t i = done_; i < pairs.size() && batch.size() < batch_ && Hopeful(pairs[i]);
           ++i)
        batch.push_back({pairs[i].score, RowOf(pairs[i].members[0]), RowOf(pairs[i].members[1])});
      if (batch.empty()) return true;
      const Budget left = Remaining();
      if (left.edges == 0 || left.nodes == 0 || left.Interrupted()) {
        result_.truncated = true;
        return true;
      }
      const std::size_t found = CompleteBatch(batch);
      done_ += batch.size();
      if (stop_) return true;
      // A list may hold 2 k sets before it is cut.
      const std::size_t largest =
          std::clamp(kBatchBytes / (2 * std::max<std::size_t>(query_.k, 1) * sizeof(ScoredSet<3>)),
                     kSmallestBatch, kLargestBatch);
      batch_ = found > kBatchBytes / sizeof(ScoredSet<3>) ? std::max(batch_ / 2, kSmallestBatch)
                                                          : std::min(batch_ * 2, largest);
    }
    return false;
  }

  // A triple that has `pair` as its best pair scores at most three times its score, and
  // when it scores just that its third member comes last.
  bool Hopeful(const ScoredSet<2>& pair) const {
    const double s = pair.score;
    return best_.Passes({Mean(s, s, s), {pair.members[0], pair.members[1], pair.members[1]}});
  }

  std::uint32_t RowOf(NodeId node) const {
    return static_cast<std::uint32_t>(
        std::lower_bound(index_.nodes.begin(), index_.nodes.end(), node) - index_.nodes.begin());
  }

  // Returns the number of triples that were held at once.
  std::size_t CompleteBatch(const std::vector<RowPair>& batch) {
    std::vector<TopKSets<3>> found(batch.size(), TopKSets<3>(query_.k, best_.threshold()));
    std::vector<std::pair<std::uint64_t, std::uint64_t>> costs(batch.size());
    ParallelFor(executor_, batch.size(), 1, [&](std::size_t i, std::size_t) {
      if (stop_ || query_.budget.Interrupted()) {
        stop_ = true;
        return;
      }
      const auto completer =
          pool_.Acquire([&] { return std::make_unique<Completer>(index_, postings_, query_); });
      completer->compared = completer->scored = 0;
      completer->Complete(batch[i], found[i]);
      costs[i] = {completer->compared, completer->scored};
    });
    std::size_t held = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      held += found[i].size();
      best_.Join(found[i]);
      result_.compared += costs[i].first;
      result_.scored += costs[i].second;
    }
    best_.Cut();
    if (stop_) result_.truncated = true;
    return held;
  }

  const InvertedIndex& index_;
  const TripleQuery& query_;
  Executor& executor_;
  const Postings postings_;
  TopKSets<3> best_;
  std::size_t done_ = 0, batch_ = 1;
  TopSets<3> result_;
  std::atomic<bool> stop_{false};
  common_internal::ObjectPool<Completer> pool_;
};

}  // namespace

TopSets<3> FindTopTriples(const InvertedIndex& index, const TripleQuery& query,
                          Executor& executor) {
  return PairSearch(index, query, executor).Run();
}

}  // namespace plexus::similarity::internal
