// Pairs by the wedge join; sets grown from its strongest pairs; then what a page says of them.
#include "algorithms/memory/frontier/internal/likely_lens.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "algorithms/common/internal/in_time.h"
#include "algorithms/common/internal/object_pool.h"
#include "algorithms/common/internal/selection.h"
#include "algorithms/common/internal/wedge_join.h"
#include "algorithms/memory/frontier/internal/likely_rows.h"
#include "algorithms/memory/frontier/internal/likely_score.h"
#include "algorithms/memory/frontier/internal/pair_lens.h"
#include "algorithms/memory/frontier/internal/structural_fit.h"
#include "algorithms/memory/frontier/internal/surface/surface_reply.h"
#include "engine/parallel.h"

namespace plexus::memory::internal {

namespace {

using common_internal::PairJudge;
using common_internal::WedgeResult;

constexpr std::size_t kMostOfSet = 5;
constexpr double kWorthSlack = 1e-9;
constexpr std::size_t kFirstPairs = 256, kMorePairs = 4;  // K, and by how much it grows
constexpr std::size_t kMostPairs = std::size_t{1} << 24, kMostGrown = std::size_t{1} << 24;

// Pairs by their score, of those that may be listed.
class ScoreJudge final : public PairJudge {
 public:
  explicit ScoreJudge(const LikelyScore& score) : score_(score) {}
  double Most(NodeId a, double sum) const override {
    return std::log(sum) + score_.MostActivity(a) + score_.rest();
  }
  double Need(NodeId a, double least) const override {
    return std::exp(least - score_.MostActivity(a) - score_.rest());
  }
  std::optional<double> Score(NodeId a, NodeId b, double sum) const override {
    const NodeId members[] = {a, b};
    return score_.Score(members, std::log(sum));
  }

 private:
  const LikelyScore& score_;
};

// All pairs, composed ones too, by their worth.
class WorthJudge final : public PairJudge {
 public:
  explicit WorthJudge(const LikelyScore& score) : score_(score) {}
  double Most(NodeId a, double sum) const override {
    return std::log(sum + score_.MostDirect(a)) + score_.MostActivity(a) + kWorthSlack;
  }
  double Need(NodeId a, double least) const override {
    return std::exp(least - score_.MostActivity(a) - kWorthSlack) * (1 - kWorthSlack) -
           score_.MostDirect(a);
  }
  std::optional<double> Score(NodeId a, NodeId b, double sum) const override {
    return score_.Worth(a, b, sum);
  }

 private:
  const LikelyScore& score_;
};

WedgeResult Join(const LikelyScore& score, const PairJudge& judge, std::size_t k,
                 std::uint64_t walked, Executor& executor) {
  common_internal::WedgeQuery query;
  query.k = k;
  query.budget = score.options().run.budget;
  if (query.budget.edges != Budget::kUnlimited)
    query.budget.edges -= std::min(query.budget.edges, walked);
  query.most_wedges = std::numeric_limits<std::uint64_t>::max();
  query.values = score.rows().values;
  query.judge = &judge;
  return WedgePairs(score.rows().view(), score.rows().shares, query, executor);
}

struct LikelyList {
  std::vector<PageEnd> sets;  // best first
  bool truncated = false;
  std::uint64_t compared = 0, scored = 0;
};

struct GrownSet {
  std::array<NodeId, kMostOfSet> members{};  // ascending
  double worth = 0;                          // sum over its pairs
};

double PairsOf(std::size_t members) { return static_cast<double>(members * (members - 1) / 2); }

// The best never-composed sets of three to five members by the lens likely, exactly.
//
// No set scores more than the mean worth of its pairs and the rest (likely_score.h). Where that
// mean is a number or more, taking out the member with the smallest sum of worths leaves a set of
// which the same holds, down to a pair. So from the K pairs that are worth most all sets are grown
// whose mean is the K-th worth or more, one member at a time, each found by its strongest pair with
// those before. While that does not settle the list, K grows.
class SetGrower {
 public:
  SetGrower(const LikelyScore& score, std::size_t top, Executor& executor)
      : score_(score),
        rows_(score.rows()),
        executor_(executor),
        members_(static_cast<std::size_t>(score.options().arity)),
        top_(top) {
    MakeLists();
  }

  LikelyList Mine() {
    const WorthJudge judge(score_);
    FindUnshared();
    for (std::size_t k = kFirstPairs;; k *= kMorePairs) {
      WedgeResult found = Join(score_, judge, k, list_.compared, executor_);
      list_.compared += found.wedges;
      list_.truncated |= found.truncated;
      const bool all = found.pairs.size() < k;
      floor_ = all ? kUntied : found.pairs.back().score;
      std::vector<PageEnd> before = std::exchange(list_.sets, {});
      Grow(found);
      if (list_.truncated) {  // the scores of the round before are exact, too
        KeepBest(list_.sets, std::move(before), top_);
        GrowFewer(found);
      }
      if (list_.truncated || all || Settled()) break;
      if (k * kMorePairs > kMostPairs) {
        list_.truncated = true;
        break;
      }
    }
    return std::move(list_);
  }

 private:
  struct Sums {
    std::vector<double> by_node;
    std::vector<NodeId> touched;
    std::vector<std::pair<double, NodeId>> partners;  // worth, most first
  };

  // What was not grown has a lower mean.
  bool Settled() const {
    return list_.sets.size() == top_ &&
           list_.sets.back().score > floor_ + score_.rest() + 2 * kWorthSlack;
  }
  bool Stopped() const {
    const Budget& budget = score_.options().run.budget;
    return budget.Interrupted() || list_.compared > budget.edges || list_.scored > budget.nodes;
  }

  // By what lies at an arc's end: who has it.
  void MakeLists() {
    begins_.assign(rows_.shares.size() + 1, 0);
    for (const NodeId w : rows_.neighbors) ++begins_[w + 1];
    for (std::size_t w = 0; w < rows_.shares.size(); ++w) begins_[w + 1] += begins_[w];
    holders_.resize(rows_.neighbors.size());
    std::vector<std::uint64_t> at(begins_.begin(), begins_.end() - 1);
    for (NodeId v = 0; v < rows_.nodes; ++v)
      for (std::uint32_t arc = rows_.offsets[v]; arc < rows_.offsets[v + 1]; ++arc)
        holders_[at[rows_.neighbors[arc]]++] = {v, rows_.values[arc]};
  }

  // Composed pairs that share nothing: no join finds them.
  void FindUnshared() {
    constexpr std::size_t kRows = 64;
    std::vector<std::vector<GrownSet>> parts((std::size_t{rows_.nodes} + kRows - 1) / kRows);
    std::atomic<bool> stop = false;
    ParallelFor(executor_, parts.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t part = begin; part < end && !stop; ++part) {
        const std::size_t last = std::min<std::size_t>(rows_.nodes, (part + 1) * kRows);
        for (auto a = static_cast<NodeId>(part * kRows); a < last; ++a)
          for (const NodeId b : rows_.row(a))
            if (b > a && b < rows_.nodes && score_.terms().contains(b) && !(rows_.Link(a, b) > 0))
              if (const double worth = score_.Worth(a, b, 0); worth != kUntied)
                parts[part].push_back({{a, b}, worth});
        if (score_.options().run.budget.Interrupted()) stop = true;
      }
    });
    list_.truncated = stop;
    for (const auto& part : parts) unshared_.insert(unshared_.end(), part.begin(), part.end());
  }

  // Where nothing was listed because too many sets tie: of fewer pairs.
  void GrowFewer(WedgeResult& found) {
    while (list_.sets.empty() && found.pairs.size() >= 8 && !Stopped()) {
      found.pairs.resize(found.pairs.size() / 8);
      floor_ = found.pairs.back().score;
      list_.truncated = false;
      Grow(found);
      list_.truncated = true;
    }
  }

  void Grow(const WedgeResult& found) {
    std::vector<GrownSet> level;
    for (const auto& pair : found.pairs)
      level.push_back({{pair.members[0], pair.members[1]}, pair.score});
    for (const GrownSet& pair : unshared_)
      if (pair.worth >= floor_) level.push_back(pair);
    for (std::size_t size = 2; size < members_ && !list_.truncated; ++size)
      level = Extend(level, size);
    if (!list_.truncated) Rank(level);
  }

  // Everyone tied to `v`, by worth; a deadline may end it. Returns how many holders were
  // looked at.
  std::uint64_t FindPartners(NodeId v, Sums& sums) const {
    std::uint64_t walked = 0;
    sums.by_node.resize(rows_.nodes, 0);
    sums.partners.clear();
    for (std::uint32_t arc = rows_.offsets[v]; arc < rows_.offsets[v + 1]; ++arc) {
      const NodeId w = rows_.neighbors[arc];
      if (score_.options().run.budget.Interrupted()) break;
      walked += begins_[w + 1] - begins_[w];
      for (std::uint64_t at = begins_[w]; at < begins_[w + 1]; ++at) {
        const auto& [other, value] = holders_[at];
        if (sums.by_node[other] == 0) sums.touched.push_back(other);
        sums.by_node[other] += rows_.shares[w] * (rows_.values[arc] * value);
      }
    }
    for (const NodeId z : rows_.row(v))
      if (z < rows_.nodes && score_.terms().contains(z) && sums.by_node[z] == 0)
        sums.touched.push_back(z);
    std::sort(sums.touched.begin(), sums.touched.end());
    sums.touched.erase(std::unique(sums.touched.begin(), sums.touched.end()), sums.touched.end());
    for (const NodeId other : sums.touched) {
      const double link = std::exchange(sums.by_node[other], 0);
      if (other == v) continue;
      const double worth = score_.Worth(std::min(v, other), std::max(v, other), link);
      if (worth != kUntied) sums.partners.emplace_back(worth, other);
    }
    sums.touched.clear();
    std::sort(sums.partners.begin(), sums.partners.end(), [](const auto& x, const auto& y) {
      return x.first != y.first ? x.first > y.first : x.second < y.second;
    });
    return walked;
  }

  // Sets of one member more whose mean is not below the floor.
  std::vector<GrownSet> Extend(const std::vector<GrownSet>& level, std::size_t size) {
    std::vector<std::pair<NodeId, std::size_t>> by_member;
    for (std::size_t s = 0; s < level.size(); ++s)
      for (std::size_t i = 0; i < size; ++i) by_member.emplace_back(level[s].members[i], s);
    std::sort(by_member.begin(), by_member.end());
    std::vector<std::size_t> groups;
    for (std::size_t i = 0; i < by_member.size(); ++i)
      if (i == 0 || by_member[i].first != by_member[i - 1].first) groups.push_back(i);
    groups.push_back(by_member.size());

    struct Part {
      std::vector<GrownSet> grown;
      std::uint64_t compared = 0;
    };
    std::vector<Part> parts(groups.size() - 1);
    std::atomic<bool> stop = false;
    std::atomic<std::size_t> made = 0;
    sums_.Reserve(executor_, parts.size());
    ParallelFor(executor_, parts.size(), 1, [&](std::size_t begin, std::size_t end) {
      const auto sums = sums_.Acquire();
      for (std::size_t g = begin; g < end && !stop; ++g) {
        Part& part = parts[g];
        part.compared += FindPartners(by_member[groups[g]].first, *sums);
        for (std::size_t i = groups[g]; i < groups[g + 1] && !stop; ++i) {
          ForEachNext(level[by_member[i].second], size, by_member[i].first, *sums, part.compared,
                      [&](const GrownSet& set) { part.grown.push_back(set); });
          if (score_.options().run.budget.Interrupted() || made + part.grown.size() > kMostGrown)
            stop = true;
        }
        made += part.grown.size();
      }
    });
    if (made > kMostGrown) stop = true;
    std::vector<GrownSet> next;
    for (Part& part : parts) {
      list_.compared += part.compared;
      if (!stop) next.insert(next.end(), part.grown.begin(), part.grown.end());
    }
    if (stop || Stopped()) list_.truncated = true;
    std::sort(next.begin(), next.end(),
              [](const GrownSet& a, const GrownSet& b) { return a.members < b.members; });
    next.erase(
        std::unique(next.begin(), next.end(),
                    [](const GrownSet& a, const GrownSet& b) { return a.members == b.members; }),
        next.end());
    return next;
  }

  template <class Fn>
  void ForEachNext(const GrownSet& set, std::size_t size, NodeId from, const Sums& sums,
                   std::uint64_t& compared, Fn&& fn) const {
    const double missing = PairsOf(size + 1) * (floor_ - kWorthSlack) - set.worth;
    const double least = missing / static_cast<double>(size) - kWorthSlack;
    const auto members = std::span(set.members).first(size);
    for (const auto& [worth, next] : sums.partners) {
      if (worth < least) break;
      if (std::ranges::find(members, next) != members.end()) continue;
      ++compared;
      double sum = worth;
      for (const NodeId member : members) {
        if (member == from) continue;
        const double other = score_.Worth(std::min(member, next), std::max(member, next));
        // Found only from the stronger pair.
        if (other == kUntied || other > worth + kWorthSlack) {
          sum = kUntied;
          break;
        }
        sum += other;
      }
      if (sum == kUntied || sum < missing) continue;
      GrownSet grown = set;
      const auto end = grown.members.begin() + static_cast<std::ptrdiff_t>(size);
      const auto place = std::upper_bound(grown.members.begin(), end, next);
      std::copy_backward(place, end, end + 1);
      *place = next;
      grown.worth += sum;
      fn(grown);
    }
  }

  void Rank(const std::vector<GrownSet>& sets) {
    constexpr std::size_t kChunk = 1024;
    std::vector<std::vector<PageEnd>> found((sets.size() + kChunk - 1) / kChunk);
    ParallelFor(executor_, sets.size(), kChunk, [&](std::size_t begin, std::size_t end) {
      std::vector<PageEnd>& best = found[begin / kChunk];
      for (std::size_t s = begin; s < end; ++s) {
        const auto members = std::span(sets[s].members).first(members_);
        if (const auto score = score_.Score(members, score_.Tie(members)))
          best.push_back({*score, {members.begin(), members.end()}});
      }
      KeepBest(best, {}, top_);
    });
    for (std::vector<PageEnd>& best : found) KeepBest(list_.sets, std::move(best), top_);
    list_.scored += sets.size();
    list_.truncated |= Stopped();
  }

  const LikelyScore& score_;
  const LikelyRows& rows_;
  Executor& executor_;
  const std::size_t members_, top_;
  double floor_ = kUntied;
  LikelyList list_;
  std::vector<std::uint64_t> begins_;
  std::vector<std::pair<NodeId, double>> holders_;
  std::vector<GrownSet> unshared_;
  common_internal::ObjectPool<Sums> sums_;
};

LikelyList LikelyPairs(const LikelyScore& score, std::size_t top, Executor& executor) {
  LikelyList list;
  const auto& level = score.options().level;
  if (level && *level != SetLevel::kOpen) return list;  // A pair's is always open.
  const WedgeResult found = Join(score, ScoreJudge(score), top, 0, executor);
  for (const auto& pair : found.pairs)
    list.sets.push_back({pair.score, {pair.members.begin(), pair.members.end()}});
  list.truncated = found.truncated;
  list.compared = found.wedges;
  list.scored = found.scored;
  return list;
}

LikelyList LikelySets(const LikelyScore& score, std::size_t top, Executor& executor) {
  return SetGrower(score, top, executor).Mine();
}

}  // namespace

Result<NeverComposedPage> MineLikely(const Snapshot& snapshot, const LedgerIndex& index,
                                     const NodeSubset& pool, const NeverComposedOptions& options,
                                     const std::optional<PageEnd>& after) {
  NeverComposedPage page;
  page.pool = pool.count();
  PLEXUS_ASSIGN(const common_internal::Selection walked,
                SelectWalked(snapshot, options.kinds, options.now_ms, options.inside));
  PLEXUS_ASSIGN(const auto rows, common_internal::InTime(options.run, [&](Executor& stopping) {
                  return MakeLikelyRows(snapshot, index, pool, options, stopping);
                }));
  if (!rows) {
    page.truncated = true;
    page.why_empty = "The budget ended before a set was found.";
    return page;
  }
  const PairTerms terms = PairTerms::Make(snapshot, index, pool, options);
  const LikelyScore score(*rows, terms, index, options, WantsFit(options) ? &walked : nullptr,
                          after);
  Executor& executor = common_internal::Pick(options.run.executor);
  // One more says that there is a next page.
  LikelyList list = options.arity == 2 ? LikelyPairs(score, options.top + 1, executor)
                                       : LikelySets(score, options.top + 1, executor);
  page.truncated = list.truncated;
  page.compared = list.compared;
  page.scored = list.scored;
  const std::uint64_t sets = SetsOf(page.pool, options.arity);
  page.pruned = sets - std::min(sets, list.scored);
  if (list.sets.size() > options.top) {
    page.next = "more";
    list.sets.pop_back();
  }
  for (const PageEnd& set : list.sets) page.sets.push_back(score.Describe(set));
  if (page.sets.empty())
    page.why_empty =
        page.pool < static_cast<std::uint64_t>(options.arity) ? "The pool has too few memories."
        : after                                               ? "There are no more sets."
        : page.truncated ? "The budget ended before a set was found."
                         : "Nothing that shares a partner, tag or term is left that was "
                           "never composed.";
  return page;
}

}  // namespace plexus::memory::internal
