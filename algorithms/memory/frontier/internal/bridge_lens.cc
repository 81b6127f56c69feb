// Searches from members in the order of their bounds, round by round; then proofs.
#include "algorithms/memory/frontier/internal/bridge_lens.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/common/internal/object_pool.h"
#include "algorithms/memory/frontier/internal/pair_lens.h"
#include "algorithms/memory/frontier/internal/structural_fit.h"

namespace plexus::memory::internal {

namespace {

// Sums of the same terms in another order differ by less.
constexpr double kSlack = 1e-9;
constexpr std::size_t kMostRound = 1024;  // members

// A search by levels, with marks of which member saw a node last.
struct Search {
  std::vector<std::uint32_t> seen;
  std::uint32_t stamp = 0;
  std::vector<NodeId> level, next;
  std::vector<RankedPair> found;
  std::optional<StructuralFit> fit;  // keeps the profiles that it has made
};

struct Counts {
  std::uint64_t compared = 0, scored = 0, pruned = 0;
  bool edges = false, in_reach = false, apart = false;  // an arc; a pair; one never composed
  void Add(const Counts& more) {
    compared += more.compared;
    scored += more.scored;
    pruned += more.pruned;
    edges |= more.edges;
    in_reach |= more.in_reach;
    apart |= more.apart;
  }
};

class Miner {
 public:
  Miner(const Snapshot& snapshot, const common_internal::Selection& walked, const PairTerms& terms,
        const NeverComposedOptions& options, const PagePosition& after)
      : snapshot_(snapshot),
        walked_(walked),
        terms_(terms),
        options_(options),
        after_(after),
        executor_(common_internal::Pick(options.run.executor)),
        top_(options.top + 1) {  // one more says that there is a next page
    fits_ = options.structural_fit_weight != 0 || options.min_structural_fit > -1;
    slack_ = kSlack * (1 + std::abs(options.structural_fit_weight));
    RankMembers();
  }

  void Mine() {
    for (std::uint32_t hops = 1; hops <= kMaxBridgeHops && !truncated_; ++hops) MineAt(hops);
  }

  NeverComposedPage Page() {
    NeverComposedPage page;
    page.pool = order_.size();
    page.compared = counts_.compared;
    page.scored = counts_.scored;
    page.pruned = counts_.pruned;
    page.truncated = truncated_;
    if (best_.size() == top_) {
      page.next = "more";
      best_.pop_back();
    }
    StructuralFit fit(walked_);
    for (const RankedPair& pair : best_) page.sets.push_back(Explain(pair, fit));
    if (page.sets.empty()) page.why_empty = WhyEmpty();
    return page;
  }

 private:
  // Members by falling bound, ties by id; runs of bounds that are as good as equal.
  void RankMembers() {
    order_ = terms_.members();
    bound_.resize(order_.size());
    std::vector<std::pair<double, NodeId>> ranked;
    for (const NodeId v : order_) ranked.emplace_back(-terms_.bound(v), v);
    std::sort(ranked.begin(), ranked.end());
    rank_.assign(snapshot_.node_count(), kNoNode);
    run_end_.resize(order_.size());
    uniform_.resize(order_.size());
    for (std::size_t i = 0; i < ranked.size(); ++i) {
      bound_[i] = -ranked[i].first;
      order_[i] = ranked[i].second;
      rank_[order_[i]] = static_cast<NodeId>(i);
    }
    for (std::size_t i = order_.size(); i-- > 0;) {
      const bool joins = i + 1 < order_.size() && bound_[i] - bound_[i + 1] <= 4 * slack_;
      run_end_[i] = joins ? run_end_[i + 1] : static_cast<NodeId>(i + 1);
      uniform_[i] = !joins || (uniform_[i + 1] && terms_.same_terms(order_[i], order_[i + 1]));
    }
  }

  std::array<retrieval::ScoreTerm, 6> Terms(NodeId a, NodeId b, std::uint32_t hops,
                                            double fit) const {
    const double bridge = 1.0 / hops;
    return {{{"anchor", 1.5 + bridge, 1},
             {"bridge", bridge, 2},
             {"novelty", terms_.novelty(a, b), 1.5},
             {"trust", terms_.trust(a, b), 1},
             {"adjustment", terms_.adjustment(a, b), 1},
             {"structural_fit", fit, options_.structural_fit_weight}}};
  }
  double Score(NodeId a, NodeId b, std::uint32_t hops, double fit) const {
    return TieScore(retrieval::ScoreOf(Terms(a, b, hops, fit)));
  }
  double MostFit() const { return std::max(options_.structural_fit_weight, 0.0); }
  double Bound(std::uint32_t hops, double members) const {
    return 1.5 + 3.0 / hops + members + MostFit();
  }
  bool Full() const { return best_.size() == top_; }

  // No pair of `hops` with the member of rank i and one behind it, or with two behind it, can come
  // into the list.
  bool Exhausted(std::size_t i, std::uint32_t hops) const {
    if (!Full()) return false;
    const RankedPair& worst = best_.back();
    const double within = Bound(hops, 2 * bound_[i]);
    if (within < worst.score - slack_) return true;
    // Members of equal terms: their pairs have one score, so that ids decide.
    const std::size_t end = run_end_[i];
    if (!uniform_[i] || options_.structural_fit_weight != 0) return false;
    if (end < order_.size() && Bound(hops, bound_[i] + bound_[end]) >= worst.score - slack_)
      return false;
    const double score = Score(order_[i], order_[i], hops, 0);
    return score < worst.score || (score == worst.score && order_[i] > worst.a);
  }

  // Rounds of growing size: the first ones find what prunes the later ones. Each member of a round
  // sees the list as the round began, so nothing depends on threads.
  void MineAt(std::uint32_t hops) {
    common_internal::ObjectPool<Search> searches;
    for (std::size_t first = 0, size = 4; first < order_.size();) {
      if (Exhausted(first, hops)) return;
      if (SpentOrStopped()) {
        truncated_ = true;
        return;
      }
      const std::size_t end = std::min(first + size, order_.size());
      std::vector<std::vector<RankedPair>> found(end - first);
      std::vector<Counts> counts(end - first);
      searches.Reserve(executor_, end - first);
      ParallelFor(executor_, end - first, hops == 1 ? 64 : 1,
                  [&](std::size_t begin, std::size_t until) {
                    auto search = searches.Acquire();
                    for (std::size_t i = begin; i < until; ++i) {
                      counts[i] = SearchFrom(first + i, hops, *search);
                      found[i] = std::exchange(search->found, {});
                    }
                  });
      for (std::size_t i = 0; i < found.size(); ++i) {
        counts_.Add(counts[i]);
        if (!found[i].empty()) KeepBest(best_, std::move(found[i]), top_);
      }
      first = end;
      size = std::min(size * 2, hops == 1 ? 16 * kMostRound : kMostRound);
    }
  }

  bool SpentOrStopped() const {
    const Budget& budget = options_.run.budget;
    return budget.Interrupted() || counts_.compared > budget.edges || counts_.scored > budget.nodes;
  }

  // Pairs of the member with those of lower rank exactly `hops` away.
  Counts SearchFrom(std::size_t i, std::uint32_t hops, Search& search) const {
    Counts counts;
    if (Exhausted(i, hops)) return counts;
    if (search.seen.empty()) search.seen.assign(snapshot_.node_count(), 0);
    ++search.stamp;
    search.level.assign(1, order_[i]);
    search.seen[order_[i]] = search.stamp;
    if (!search.fit) search.fit.emplace(walked_);
    for (std::uint32_t h = 1; h <= hops; ++h) {
      search.next.clear();
      for (const NodeId v : search.level)
        snapshot_.ForEachArc(Direction::kBoth, v, walked_.filter, [&](const Arc& arc) {
          if (search.seen[arc.neighbor] == search.stamp || !walked_.contains(arc.neighbor)) return;
          search.seen[arc.neighbor] = search.stamp;
          search.next.push_back(arc.neighbor);
        });
      counts.edges |= !search.next.empty();
      std::swap(search.level, search.next);
    }
    for (const NodeId v : search.level) Consider(i, v, hops, *search.fit, search, counts);
    if (search.found.size() > top_) KeepBest(search.found, {}, top_);
    return counts;
  }

  void Consider(std::size_t i, NodeId v, std::uint32_t hops, StructuralFit& fit, Search& search,
                Counts& counts) const {
    if (rank_[v] == kNoNode || rank_[v] <= i) return;
    ++counts.compared;
    counts.in_reach = true;
    const NodeId a = std::min(order_[i], v), b = std::max(order_[i], v);
    const bool full = Full();
    if (full && Bound(hops, bound_[i] + bound_[rank_[v]]) < best_.back().score - slack_) {
      ++counts.pruned;
      return;
    }
    if (!terms_.Allowed(a, b)) return;
    counts.apart = true;
    RankedPair pair{Score(a, b, hops, 0), a, b, hops};
    if (fits_) {
      const NodeId members[] = {a, b};
      const double fitting = fit(members);
      if (fitting < options_.min_structural_fit) return;
      pair.score = Score(a, b, hops, fitting);
    }
    ++counts.scored;
    if (after_ && !after_->Better(pair)) return;
    if (full && !pair.Better(best_.back())) return;
    search.found.push_back(pair);
    if (search.found.size() >= 4 * top_ + 1024) KeepBest(search.found, {}, top_);
  }

  NeverComposedSet Explain(const RankedPair& pair, StructuralFit& fit) const {
    NeverComposedSet set = terms_.Describe({{pair.a, pair.b}});
    double fitting = 0;
    if (fits_ || options_.structural_fit) set.structural_fit = fitting = fit(set.members);
    set.score = pair.score;
    set.hops = pair.hops;
    set.bridge = 1.0 / pair.hops;
    set.anchor = 1.5 + set.bridge;
    for (const retrieval::ScoreTerm& term : Terms(pair.a, pair.b, pair.hops, fitting))
      if (term.name != "structural_fit" || set.structural_fit) set.terms.push_back(term);
    set.proof = Path(pair.a, pair.b, pair.hops);
    return set;
  }

  // The shortest path with the smallest ids. Levels from `b`, then the smallest step down from `a`.
  std::vector<NodeId> Path(NodeId a, NodeId b, std::uint32_t hops) const {
    std::vector<std::vector<NodeId>> levels = {{b}};
    for (std::uint32_t h = 1; h < hops; ++h) {
      std::vector<NodeId> next;
      for (const NodeId v : levels.back()) {
        const std::vector<NodeId> neighbors = WalkedNeighbors(walked_, v);
        next.insert(next.end(), neighbors.begin(), neighbors.end());
      }
      std::sort(next.begin(), next.end());
      next.erase(std::unique(next.begin(), next.end()), next.end());
      levels.push_back(std::move(next));
    }
    std::vector<NodeId> path = {a};
    for (std::uint32_t h = hops; h-- > 0;)
      for (const NodeId v : WalkedNeighbors(walked_, path.back()))
        if (std::binary_search(levels[h].begin(), levels[h].end(), v)) {
          path.push_back(v);
          break;
        }
    return path;
  }

  std::string WhyEmpty() const {
    if (order_.size() < 2) return "Fewer than two memories may be members.";
    if (after_) return "There are no more pairs.";
    if (truncated_) return "The budget ended before a pair was found.";
    if (!counts_.edges) return "No edge of the walked kinds leaves a memory that may be a member.";
    if (!counts_.in_reach)
      return "No two memories that may be members lie within " + std::to_string(kMaxBridgeHops) +
             " hops.";
    if (!counts_.apart)
      return "Every pair within " + std::to_string(kMaxBridgeHops) +
             " hops was composed or has no wanted tag.";
    return "No pair fits well enough.";
  }

  const Snapshot& snapshot_;
  const common_internal::Selection& walked_;
  const PairTerms& terms_;
  const NeverComposedOptions& options_;
  const PagePosition& after_;
  Executor& executor_;
  std::size_t top_;
  bool fits_ = false, truncated_ = false;
  double slack_ = kSlack;
  std::vector<NodeId> order_, rank_, run_end_;
  std::vector<double> bound_;          // by rank
  std::vector<std::uint8_t> uniform_;  // by rank: to the end of the run all terms are the same
  std::vector<RankedPair> best_;       // best first
  Counts counts_;
};

}  // namespace

Result<NeverComposedPage> MineBridge(const Snapshot& snapshot, const LedgerIndex& index,
                                     const NodeSubset& pool, const NeverComposedOptions& options,
                                     const PagePosition& after) {
  PLEXUS_ASSIGN(const common_internal::Selection walked,
                SelectWalked(snapshot, options.kinds, options.now_ms, options.inside));
  const PairTerms terms = PairTerms::Make(snapshot, index, pool, options);
  Miner miner(snapshot, walked, terms, options, after);
  miner.Mine();
  return miner.Page();
}

}  // namespace plexus::memory::internal
