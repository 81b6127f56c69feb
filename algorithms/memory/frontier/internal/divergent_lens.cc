// Profiles and their overlaps, searches for 64 members at once, and the sampled juxtapositions.
#include "algorithms/memory/frontier/internal/divergent_lens.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "algorithms/memory/frontier/internal/pair_lens.h"
#include "algorithms/memory/frontier/internal/structural_fit.h"
#include "algorithms/memory/ledger/internal/trust.h"
#include "algorithms/traversal/traversal.h"
#include "engine/vocabulary.h"

namespace plexus::memory::internal {

namespace {

constexpr std::size_t kDepthBytes = std::size_t{64} << 20;  // of one search

// Months since year 0; absent times have one of their own.
int MonthOf(std::optional<std::int64_t> created_at) {
  if (!created_at) return -1'000'000;
  const std::chrono::sys_time<std::chrono::milliseconds> time{
      std::chrono::milliseconds(*created_at)};
  const std::chrono::year_month_day day{std::chrono::floor<std::chrono::days>(time)};
  return static_cast<int>(day.year()) * 12 + static_cast<int>(static_cast<unsigned>(day.month()));
}

// Never composed first, then falling trust, then ids.
std::vector<NodeId> FreshFirst(const PairTerms& terms) {
  std::vector<NodeId> order = terms.members();
  std::sort(order.begin(), order.end(), [&](NodeId a, NodeId b) {
    const bool composed_a = terms.was_composed(a), composed_b = terms.was_composed(b);
    if (composed_a != composed_b) return composed_b;
    const double trust_a = terms.stored_trust(a), trust_b = terms.stored_trust(b);
    return trust_a != trust_b ? trust_a > trust_b : a < b;
  });
  return order;
}

// The order of the sampler: buckets in turn.
std::vector<NodeId> Spread(const Snapshot& snapshot, const std::vector<NodeId>& fresh_first) {
  const NodeTypes type_of(snapshot);
  std::map<std::tuple<std::string_view, std::string_view, int>, std::size_t> known;
  std::vector<std::vector<NodeId>> buckets;
  for (const NodeId v : fresh_first) {
    const auto [at, fresh] = known.try_emplace(
        {snapshot.scope(v), type_of(v), MonthOf(snapshot.i64(builtin::kCreatedAt, v))},
        buckets.size());
    if (fresh) buckets.emplace_back();
    buckets[at->second].push_back(v);
  }
  std::vector<NodeId> spread;
  spread.reserve(fresh_first.size());
  for (std::size_t turn = 0; spread.size() < fresh_first.size(); ++turn) {
    for (const std::vector<NodeId>& bucket : buckets) spread.push_back(bucket[turn]);
    std::erase_if(buckets, [&](const auto& bucket) { return bucket.size() == turn + 1; });
  }
  return spread;
}

class DivergentMiner {
 public:
  DivergentMiner(const Snapshot& snapshot, const common_internal::Selection& walked,
                 const PairTerms& terms, const NeverComposedOptions& options,
                 const PagePosition& after)
      : snapshot_(snapshot),
        walked_(walked),
        terms_(terms),
        options_(options),
        after_(after),
        fit_(walked),
        top_(options.top + 1) {  // one more says that there is a next page
    fits_ = options.structural_fit_weight != 0 || options.min_structural_fit > -1;
    slack_ = 1e-9 * (1 + std::abs(options.structural_fit_weight));
  }

  Status Mine() {
    const std::vector<NodeId> fresh_first = FreshFirst(terms_);
    page_.pool = fresh_first.size();
    Profile(fresh_first);
    PLEXUS_TRY(MeasureLandmarks());
    PLEXUS_TRY(MineProfiled());
    if (best_.size() < top_ || options_.structural_fit_weight != 0)
      PLEXUS_TRY(Juxtapose(Spread(snapshot_, fresh_first)));
    return {};
  }

  NeverComposedPage Page() {
    if (best_.size() == top_) {
      page_.next = "more";
      best_.pop_back();
    }
    for (const RankedPair& pair : best_) page_.sets.push_back(Explain(pair));
    if (page_.sets.empty()) page_.why_empty = WhyEmpty();
    return std::move(page_);
  }

 private:
  void Profile(const std::vector<NodeId>& fresh_first) {
    for (const NodeId v : fresh_first) {
      if (!HasWalked(v)) continue;
      if (profiled_.size() == kMaxProfiled) {
        page_.pool_cut = true;
        break;
      }
      profiled_.push_back(v);
    }
    std::sort(profiled_.begin(), profiled_.end());
    for (std::size_t i = 0; i < profiled_.size(); ++i) {
      typed_.push_back(WalkedNeighbors(walked_, profiled_[i]));
      for (const NodeId v : typed_.back()) holders_.emplace_back(v, i);
    }
    std::sort(holders_.begin(), holders_.end());
  }
  bool HasWalked(NodeId v) const {
    bool has = false;
    snapshot_.ForEachArc(Direction::kBoth, v, walked_.filter, [&](const Arc& arc) {
      has = arc.neighbor != v && walked_.contains(arc.neighbor);
      return !has;
    });
    return has;
  }

  // Neighbours over edges of any kind and time, ascending.
  std::vector<NodeId> Recorded(NodeId v) const {
    std::vector<NodeId> neighbors;
    snapshot_.ForEachArc(Direction::kBoth, v, ArcFilter::All(),
                         [&](const Arc& arc) { neighbors.push_back(arc.neighbor); });
    std::sort(neighbors.begin(), neighbors.end());
    return neighbors;
  }

  std::array<retrieval::ScoreTerm, 2> Terms(const RankedPair& pair, double fit) const {
    return {{{pair.divergence > 0 ? "divergence" : "juxtaposition", pair.divergence,
              static_cast<double>(pair.hops)},
             {"structural_fit", fit, options_.structural_fit_weight}}};
  }
  // Scores the pair. False: it does not fit well enough.
  bool Finish(RankedPair& pair) {
    double fit = 0;
    if (fits_) {
      const NodeId members[] = {pair.a, pair.b};
      fit = fit_(members);
      if (fit < options_.min_structural_fit) return false;
    }
    ++page_.scored;
    pair.score = TieScore(retrieval::ScoreOf(Terms(pair, fit)));
    return true;
  }
  bool Lists(const RankedPair& pair) const {
    return (!after_ || after_->Better(pair)) && (best_.size() < top_ || pair.Better(best_.back()));
  }
  // The neighbours that most profiled members have, and how far each member is from them: no path
  // of two members is longer than their way over a landmark.
  Status MeasureLandmarks() {
    std::vector<std::pair<std::size_t, NodeId>> common;  // holders, neighbour
    for (std::size_t first = 0, end = 0; first < holders_.size(); first = end) {
      while (end < holders_.size() && holders_[end].first == holders_[first].first) ++end;
      common.emplace_back(end - first, holders_[first].first);
    }
    std::ranges::sort(common, [](const auto& x, const auto& y) {
      return x.first != y.first ? x.first > y.first : x.second < y.second;
    });
    std::vector<NodeId> sources;
    for (const auto& [holders, v] : common)
      if (sources.size() < Lanes() && snapshot_.is_fact(v)) sources.push_back(v);
    landmarks_ = sources.size();
    if (landmarks_ == 0) return {};
    PLEXUS_ASSIGN(const traversal::MultiBfsResult reached,
                  traversal::MultiBfs(snapshot_, sources, PathSearch()));
    for (const NodeId v : profiled_)
      for (std::size_t lane = 0; lane < landmarks_; ++lane)
        to_landmark_.push_back(static_cast<std::uint8_t>(std::min<std::uint32_t>(
            reached.depths[std::size_t{v} * landmarks_ + lane], kBeyondRadius)));
    return {};
  }
  std::uint32_t LongestPath(std::size_t i, std::size_t j) const {
    std::uint32_t longest = kBeyondRadius;
    const std::uint8_t* const a = to_landmark_.data() + i * landmarks_;
    const std::uint8_t* const b = to_landmark_.data() + j * landmarks_;
    for (std::size_t lane = 0; lane < landmarks_; ++lane)
      longest = std::min(longest, std::uint32_t{a[lane]} + b[lane]);
    return longest;
  }

  // Profiled members i and j of this divergence could come into the list, if their path were as
  // long as it can be.
  bool MayList(RankedPair pair, std::size_t i, std::size_t j) const {
    if (best_.size() < top_) return true;
    pair.hops = LongestPath(i, j);
    const double fit = std::max(options_.structural_fit_weight, 0.0);
    pair.score = TieScore(retrieval::ScoreOf(Terms(pair, fit)));
    if (fit != 0) pair.score += slack_;
    return pair.Better(best_.back());
  }

  // Pairs of profiled member i with later ones that may be listed; their divergence.
  std::vector<RankedPair> Candidates(std::size_t i) {
    std::vector<std::uint32_t> common(profiled_.size());
    for (const NodeId v : typed_[i])
      for (auto at = std::lower_bound(holders_.begin(), holders_.end(), std::pair(v, i + 1));
           at != holders_.end() && at->first == v; ++at)
        ++common[at->second];
    std::vector<RankedPair> candidates;
    std::vector<NodeId> recorded;
    for (std::size_t j = i + 1; j < profiled_.size(); ++j) {
      ++page_.compared;
      const std::uint64_t sizes = std::uint64_t{typed_[i].size()} * typed_[j].size();
      RankedPair pair{0, profiled_[i], profiled_[j]};
      pair.divergence = 1 - common[j] / std::sqrt(static_cast<double>(sizes));
      if (std::uint64_t{common[j]} * common[j] == sizes) continue;  // the same neighbours
      if (!MayList(pair, i, j)) {
        ++page_.pruned;
        continue;
      }
      if (!terms_.Allowed(pair.a, pair.b)) continue;
      if (recorded.empty()) recorded = Recorded(pair.a);
      if (!std::binary_search(recorded.begin(), recorded.end(), pair.b)) candidates.push_back(pair);
    }
    return candidates;
  }

  Status MineProfiled() {
    for (std::size_t first = 0; first < profiled_.size();) {
      const Budget& budget = options_.run.budget;
      if (budget.Interrupted() || page_.compared > budget.edges || page_.scored > budget.nodes) {
        page_.truncated = true;
        return {};
      }
      std::vector<RankedPair> candidates;
      std::size_t sources = 0;
      for (; first < profiled_.size() && sources < Lanes(); ++first) {
        const std::vector<RankedPair> found = Candidates(first);
        sources += !found.empty();
        candidates.insert(candidates.end(), found.begin(), found.end());
      }
      PLEXUS_TRY(MeasurePaths(candidates));
      std::vector<RankedPair> found;
      for (RankedPair& pair : candidates)
        if (Finish(pair) && Lists(pair)) found.push_back(pair);
      KeepBest(best_, std::move(found), top_);
    }
    return {};
  }

  std::size_t Lanes() const {
    const std::size_t row = 4 * std::max<std::size_t>(snapshot_.node_count(), 1);
    return std::clamp<std::size_t>(kDepthBytes / row, 8, traversal::kBfsLanes);
  }

  traversal::MultiBfsOptions PathSearch() const {
    traversal::MultiBfsOptions search{
        .max_depth = kPathRadius, .depths = true, .direction = Direction::kBoth};
    search.filter.valid_at = options_.now_ms;
    search.filter.subset = options_.inside;
    search.run.executor = options_.run.executor;
    return search;
  }
  // hops of each pair, by searches from their first members, so many at once.
  Status MeasurePaths(std::span<RankedPair> pairs) const {
    std::map<NodeId, std::vector<RankedPair*>> by_source;
    for (RankedPair& pair : pairs) {
      pair.hops = kBeyondRadius;
      by_source[pair.a].push_back(&pair);
    }
    for (auto at = by_source.begin(); at != by_source.end();) {
      std::vector<NodeId> sources;
      const auto begin = at;
      for (; at != by_source.end() && sources.size() < Lanes(); ++at) sources.push_back(at->first);
      PLEXUS_ASSIGN(const traversal::MultiBfsResult reached,
                    traversal::MultiBfs(snapshot_, sources, PathSearch()));
      std::size_t lane = 0;
      for (auto from = begin; from != at; ++from, ++lane)
        for (RankedPair* pair : from->second) {
          const std::uint32_t depth = reached.depths[std::size_t{pair->b} * sources.size() + lane];
          if (depth <= kPathRadius) pair->hops = depth;
        }
    }
    return {};
  }

  Status Juxtapose(const std::vector<NodeId>& spread) {
    std::vector<RankedPair> lane = Sample(spread);
    // Who has no fact edge at all is beyond every radius.
    std::vector<RankedPair> joined;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < lane.size(); ++i) {
      lane[i].hops = kBeyondRadius;
      if (!HasFactEdge(lane[i].a) || !HasFactEdge(lane[i].b)) continue;
      joined.push_back(lane[i]);
      places.push_back(i);
    }
    PLEXUS_TRY(MeasurePaths(joined));
    for (std::size_t i = 0; i < joined.size(); ++i) lane[places[i]] = joined[i];
    std::stable_sort(lane.begin(), lane.end(),
                     [](const RankedPair& x, const RankedPair& y) { return x.hops > y.hops; });
    if (lane.size() > options_.top) lane.resize(options_.top);
    std::vector<RankedPair> found;
    for (RankedPair& pair : lane)
      if (Finish(pair) && Lists(pair)) found.push_back(pair);
    KeepBest(best_, std::move(found), top_);
    return {};
  }

  bool HasFactEdge(NodeId v) const {
    const ArcFilter facts = ArcFilter::Kinds(snapshot_.schema(), {}).ValidAt(options_.now_ms);
    bool has = false;
    snapshot_.ForEachArc(Direction::kBoth, v, facts, [&](const Arc& arc) {
      has = arc.neighbor != v;
      return !has;
    });
    return has;
  }

  // In the order of positions; each admitted, and not both profiled.
  std::vector<RankedPair> Sample(const std::vector<NodeId>& spread) {
    std::vector<RankedPair> lane;
    const std::size_t n = spread.size();
    std::size_t positions = std::max<std::size_t>(64 * options_.top, 4096);
    const std::size_t evaluations = std::max<std::size_t>(16 * options_.top, 256);
    for (std::size_t round = 1; round < std::bit_ceil(n); ++round)
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t j = i ^ round;
        if (j <= i || j >= n) continue;
        if (positions-- == 0 || lane.size() == evaluations) return lane;
        ++page_.compared;
        const NodeId a = std::min(spread[i], spread[j]), b = std::max(spread[i], spread[j]);
        if ((HasWalked(a) && HasWalked(b)) || !terms_.Allowed(a, b)) continue;
        const std::vector<NodeId> recorded = Recorded(a);
        if (std::binary_search(recorded.begin(), recorded.end(), b)) continue;
        const NodeId members[] = {a, b};
        if (fits_ && fit_(members) < options_.min_structural_fit) continue;
        lane.push_back({0, a, b});
      }
    return lane;
  }

  NeverComposedSet Explain(const RankedPair& pair) {
    NeverComposedSet set = terms_.Describe({{pair.a, pair.b}});
    double fit = 0;
    if (fits_ || options_.structural_fit) set.structural_fit = fit = fit_(set.members);
    set.score = pair.score;
    set.hops = pair.hops;
    set.divergence = pair.divergence;
    for (const retrieval::ScoreTerm& term : Terms(pair, fit))
      if (term.name != "structural_fit" || set.structural_fit) set.terms.push_back(term);
    return set;
  }

  std::string WhyEmpty() const {
    if (page_.pool < 2) return "Fewer than two memories may be members.";
    if (after_) return "There are no more pairs.";
    if (page_.truncated) return "The budget ended before a pair was found.";
    return "Every pair has an edge, was composed, has no wanted tag, or does not fit.";
  }

  const Snapshot& snapshot_;
  const common_internal::Selection& walked_;
  const PairTerms& terms_;
  const NeverComposedOptions& options_;
  const PagePosition& after_;
  StructuralFit fit_;
  std::size_t top_;
  bool fits_ = false;
  double slack_ = 0;
  std::vector<NodeId> profiled_;                         // ascending
  std::vector<std::vector<NodeId>> typed_;               // Nt of each
  std::vector<std::pair<NodeId, std::size_t>> holders_;  // neighbour, index of profiled
  std::vector<RankedPair> best_;                         // best first
  std::size_t landmarks_ = 0;
  std::vector<std::uint8_t> to_landmark_;  // hops, by profiled member and landmark
  NeverComposedPage page_;
};

}  // namespace

Result<NeverComposedPage> MineDivergent(const Snapshot& snapshot, const LedgerIndex& index,
                                        const NodeSubset& pool, const NeverComposedOptions& options,
                                        const PagePosition& after) {
  PLEXUS_ASSIGN(const common_internal::Selection walked,
                SelectWalked(snapshot, options.kinds, options.now_ms, options.inside));
  const PairTerms terms = PairTerms::Make(snapshot, index, pool, options);
  DivergentMiner miner(snapshot, walked, terms, options, after);
  PLEXUS_TRY(miner.Mine());
  return miner.Page();
}

}  // namespace plexus::memory::internal
