// Growing sets from strong pairs, and closed wedges from the ledger.
#include "algorithms/memory/frontier/internal/surface/surface_pairs.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <utility>

#include "algorithms/memory/frontier/internal/pair_lens.h"
#include "algorithms/memory/frontier/internal/surface/pair_join.h"

namespace plexus::memory::internal {

namespace {

constexpr std::size_t kMostMembers = 5;
constexpr Row kSmallSetPool = 512;
constexpr std::uint32_t kSetSample = 8;
constexpr float kFirstSetStep = 0.5f, kSetStep = 0.2f;
constexpr double kSumSlack = 1e-5;                       // of sums in another order, and of f32
constexpr std::size_t kMostSets = std::size_t{1} << 24;  // of a level
constexpr std::size_t kMostLinks = 4 * kMostSets;
constexpr std::size_t kPollSets = 1024;  // compared between two looks at the budget
constexpr std::size_t kChunk = 256;
constexpr std::size_t kRounds = 16;

struct Grown {
  std::array<Row, kMostMembers> rows{};  // ascending
  double worth = 0;                      // sum over its pairs
};

struct Link {
  Row from = 0, to = 0;
  float worth = 0;
};

double Pairs(std::size_t members) { return static_cast<double>(members * (members - 1) / 2); }

void Keep(std::vector<RankedRows>& sets, std::size_t k) {
  std::sort(sets.begin(), sets.end(), RanksBefore);
  sets.erase(std::unique(sets.begin(), sets.end(),
                         [](const RankedRows& a, const RankedRows& b) { return a.rows == b.rows; }),
             sets.end());
  if (sets.size() > k) sets.resize(k);
}

// What a set must be to be listed, and the bar that it must pass.
struct SetBar {
  const SurfaceScore* score = nullptr;
  std::size_t k = 0;
  const RankedRows* after = nullptr;
  std::optional<RankedRows> worst;  // of k sets

  bool Try(std::span<const Row> rows, RankedRows& set, std::uint64_t& scored) const {
    const SurfacePool& pool = score->pool();
    const NeverComposedOptions& options = score->options();
    if (std::none_of(rows.begin(), rows.end(), [&](Row r) { return pool.rows[r].wanted; }))
      return false;
    const std::vector<PairParts> parts = PartsOf(*score, rows);
    ++scored;
    const SetNumbers numbers = score->Numbers(rows, parts);
    set = {numbers.score, {rows.begin(), rows.end()}};
    if (worst && !RanksBefore(set, *worst)) return false;
    if (after && !RanksBefore(*after, set)) return false;
    if (numbers.fit < options.min_structural_fit || !Tied(rows, parts) ||
        pool.ledger->Composed(NodesOf(pool, rows)))
      return false;
    return !options.level || LevelOf(*pool.ledger, NodesOf(pool, rows)) == *options.level;
  }

 private:
  bool Tied(std::span<const Row> rows, std::span<const PairParts> parts) const {
    std::array<bool, kMostMembers> tied{};
    std::size_t p = 0;
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t j = i + 1; j < rows.size(); ++j, ++p)
        if (parts[p].tied() || score->pool().Composed(rows[i], rows[j])) tied[i] = tied[j] = true;
    return std::all_of(tied.begin(), tied.begin() + static_cast<std::ptrdiff_t>(rows.size()),
                       [](bool t) { return t; });
  }
};

class LinkSink final : public PairSink {
 public:
  // `kept`: links of all sinks, a batch at a time. Over kMostLinks they are dropped, as the search
  // is cut then.
  LinkSink(const SurfaceScore& score, const JoinNeed& need, std::atomic<std::size_t>& kept)
      : score_(score), need_(need), kept_(kept) {}
  void Offer(Row a, Row b) override {
    ++scored;
    if (kept_.load(std::memory_order_relaxed) > kMostLinks) return;
    const auto worth = static_cast<float>(score_.Worth(a, b, score_.Parts(a, b)) + kSumSlack);
    for (int turn = 0; turn < 2; ++turn, std::swap(a, b))
      if (worth >= need_.of(a)) {
        links.push_back({a, b, worth});
        if (links.size() % kBatch == 0) kept_.fetch_add(kBatch, std::memory_order_relaxed);
      }
  }
  // What `kept` does not count yet.
  std::size_t rest() const { return links.size() % kBatch; }
  std::vector<Link> links;
  std::uint64_t scored = 0;

 private:
  static constexpr std::size_t kBatch = 1024;
  const SurfaceScore& score_;
  const JoinNeed need_;
  std::atomic<std::size_t>& kept_;
};

class SetMiner {
 public:
  SetMiner(const SurfaceScore& score, const ListQuery& query, Executor& executor)
      : score_(score),
        executor_(executor),
        members_(static_cast<std::size_t>(score.options().arity)),
        bound_(score),
        join_(score.pool(), bound_, score.options().run.budget, executor),
        bar_{&score, query.k, query.after, {}} {}

  RankedList Mine() {
    const Row rows = score_.pool().count();
    if (rows >= members_) {
      if (score_.options().level == SetLevel::kClosedWedge)
        MineClosed();
      else
        MineAll();
    }
    RankedList list;
    list.sets = best_;
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
                  scored_ > budget.nodes || budget.Interrupted();
    return truncated_;
  }
  bool Complete(float guess) const { return best_.size() == bar_.k && best_.back().score >= guess; }

  void MineAll() {
    // No set with one of all members scores less than this.
    float guess = bound_.Most(), least = Least();
    if (score_.pool().count() > kSmallSetPool) {
      const std::size_t wanted = std::exchange(bar_.k, 1);
      while (best_.empty() && guess > least && !Done()) {
        guess -= kFirstSetStep;
        Grow(guess, {kSetSample});
      }
      if (!best_.empty())
        guess = std::min(guess + kFirstSetStep, static_cast<float>(best_[0].score));
      bar_.k = wanted;
      bar_.worst.reset();
    } else {
      guess -= kFirstSetStep;
    }
    if (bar_.after) guess = std::min(guess, static_cast<float>(bar_.after->score));
    for (float step = kSetStep; !Done();
         step *= score_.pool().count() > kSmallSetPool ? 1.0f : 2.0f) {
      Grow(guess, {});
      if (guess <= least || Complete(guess)) break;
      guess = std::max(guess - step, least);
    }
  }

  // A number below every score.
  float Least() const {
    return static_cast<float>(-0.8 - 1e-3 + std::min(score_.options().structural_fit_weight, 0.0));
  }

  void Take(std::vector<RankedRows>&& found) {
    for (RankedRows& set : found) best_.push_back(std::move(set));
    Keep(best_, bar_.k);
    if (best_.size() == bar_.k) bar_.worst = best_.back();
  }

  // All sets that score at least `guess`, as long as they are among the best.
  void Grow(float guess, const JoinRows& rows) {
    std::vector<Grown> level = StrongPairs(guess, rows);
    for (std::size_t size = 2; size < members_ && !level.empty() && !Done(); ++size)
      level = Extend(level, size, guess, rows);
  }

  std::vector<Link> Links(const JoinNeed& need, const JoinRows& rows) {
    std::vector<Link> links;
    std::atomic<std::size_t> kept = 0;
    const auto make = [&] { return std::make_unique<LinkSink>(score_, need, kept); };
    const auto take = [&](const PairJoin::Sinks& sinks) {
      for (const auto& sink : sinks) kept += static_cast<const LinkSink&>(*sink).rest();
      if (kept > kMostLinks) truncated_ = true;
      for (const auto& sink : sinks) {
        const auto& found = static_cast<const LinkSink&>(*sink);
        scored_ += found.scored;
        if (!truncated_) links.insert(links.end(), found.links.begin(), found.links.end());
      }
    };
    if (need.least <= bound_.Untied()) {
      take(join_.RunAll(need, rows, make));
    } else {
      for (std::size_t round = 0; round < PairJoin::kRounds && !Done(); ++round)
        take(join_.Run(round, need, rows, make));
    }
    if (kept > kMostLinks) return {};
    std::sort(links.begin(), links.end(), [](const Link& a, const Link& b) {
      return a.from != b.from ? a.from < b.from : a.to < b.to;
    });
    links.erase(
        std::unique(links.begin(), links.end(),
                    [](const Link& a, const Link& b) { return a.from == b.from && a.to == b.to; }),
        links.end());
    return links;
  }

  std::vector<Grown> StrongPairs(float guess, const JoinRows& rows) {
    std::vector<Grown> pairs;
    for (const Link& link : Links({guess - static_cast<float>(kSumSlack), nullptr}, rows))
      if (link.from < link.to) {
        Grown pair;
        pair.rows = {link.from, link.to};
        pair.worth = link.worth;
        pairs.push_back(pair);
      }
    return pairs;
  }

  // What the next member of a set must bring.
  static double Missing(const Grown& set, std::size_t size, double guess) {
    return Pairs(size + 1) * (guess - kSumSlack) - set.worth;
  }

  // Sets of one more member; of the last size they are scored and listed.
  std::vector<Grown> Extend(std::vector<Grown>& level, std::size_t size, float guess,
                            const JoinRows& rows) {
    // The strongest first: the bar rises early.
    std::sort(level.begin(), level.end(), [](const Grown& a, const Grown& b) {
      return a.worth != b.worth ? a.worth > b.worth : a.rows < b.rows;
    });
    std::vector<float> needs(score_.pool().count(), kNever);
    float least = kNever;
    for (const Grown& set : level) {
      const auto need = static_cast<float>(Missing(set, size, guess) / static_cast<double>(size)) -
                        static_cast<float>(kSumSlack);
      least = std::min(least, need);
      for (std::size_t i = 0; i < size; ++i)
        needs[set.rows[i]] = std::min(needs[set.rows[i]], need);
    }
    const std::vector<Link> links = Links({least, &needs}, rows);
    std::vector<std::uint32_t> begins(score_.pool().count() + 1, 0);
    for (const Link& link : links) ++begins[link.from + 1];
    for (std::size_t r = 0; r + 1 < begins.size(); ++r) begins[r + 1] += begins[r];

    std::vector<Grown> next;
    const bool last = size + 1 == members_;
    const std::size_t step = std::max<std::size_t>(kChunk, (level.size() + kRounds - 1) / kRounds);
    for (std::size_t first = 0; first < level.size() && !Done(); first += step) {
      const std::size_t count = std::min(step, level.size() - first);
      const std::size_t chunks = (count + kChunk - 1) / kChunk;
      struct Chunk {
        std::vector<Grown> grown;
        std::vector<RankedRows> found;
        std::uint64_t scored = 0, compared = 0;
      };
      std::vector<Chunk> out(chunks);
      double bar = guess;
      if (last && bar_.worst) bar = std::max(bar, bar_.worst->score);
      RunBlocks(executor_, chunks, [&](std::size_t c) {
        Chunk& chunk = out[c];
        SetBar own = bar_;
        for (std::size_t s = first + c * kChunk;
             s < std::min(first + count, first + (c + 1) * kChunk); ++s) {
          if (score_.options().run.budget.Interrupted()) return;
          ForEachNext(level[s], size, bar, links, begins, chunk.compared, [&](const Grown& grown) {
            if (!last) {
              chunk.grown.push_back(grown);
              return;
            }
            RankedRows set;
            // Of sets of three and more the least trust counts, so that is all there is.
            const double most =
                score_.FromWorths({grown.rows.data(), members_}, grown.worth) + kSumSlack;
            if (most < guess || (own.worst && most < own.worst->score)) return;
            if (!own.Try({grown.rows.data(), members_}, set, chunk.scored)) return;
            chunk.found.push_back(std::move(set));
            if (chunk.found.size() > 4 * own.k + 1024) {
              Keep(chunk.found, own.k);
              if (chunk.found.size() == own.k) own.worst = chunk.found.back();
            }
          });
        }
      });
      for (Chunk& chunk : out) {
        scored_ += chunk.scored;
        compared_ += chunk.compared;
        next.insert(next.end(), chunk.grown.begin(), chunk.grown.end());
        Take(std::move(chunk.found));
      }
      if (next.size() > kMostSets) truncated_ = true;
    }
    std::sort(next.begin(), next.end(),
              [](const Grown& a, const Grown& b) { return a.rows < b.rows; });
    next.erase(std::unique(next.begin(), next.end(),
                           [](const Grown& a, const Grown& b) { return a.rows == b.rows; }),
               next.end());
    return next;
  }

  // fn(set with one member more) of those whose pairs are worth `bar` on the mean.
  template <class Fn>
  void ForEachNext(const Grown& set, std::size_t size, double bar, const std::vector<Link>& links,
                   const std::vector<std::uint32_t>& begins, std::uint64_t& compared,
                   Fn&& fn) const {
    const double missing = Missing(set, size, bar);
    const auto least =
        static_cast<float>(missing / static_cast<double>(size)) - static_cast<float>(kSumSlack);
    const auto members = std::span(set.rows).first(size);
    for (std::size_t i = 0; i < size; ++i)
      for (std::uint32_t l = begins[members[i]]; l < begins[members[i] + 1]; ++l) {
        const Link& link = links[l];
        if (link.worth < least) continue;
        if (std::find(members.begin(), members.end(), link.to) != members.end()) continue;
        ++compared;
        double worth = link.worth;
        for (std::size_t j = 0; j < size && worth > -1e9; ++j) {
          if (j == i) continue;
          const double other =
              score_.Worth(members[j], link.to, score_.Parts(members[j], link.to)) + kSumSlack;
          // Found only from the stronger link.
          if (other > link.worth + 2 * kSumSlack) worth = -1e10;
          worth += other;
        }
        if (worth < missing) continue;
        Grown grown = set;
        std::size_t place = std::min(size, grown.rows.size() - 1);
        for (; place > 0 && grown.rows[place - 1] > link.to; --place)
          grown.rows[place] = grown.rows[place - 1];
        grown.rows[place] = link.to;
        grown.worth += worth;
        fn(grown);
      }
  }

  // Cliques of composed pairs.
  void MineClosed() {
    const SurfacePool& pool = score_.pool();
    std::vector<std::vector<Row>> later(pool.count());  // composed with a row, of higher number
    for (Row r = 0; r < pool.count(); ++r) {
      for (const NodeId event : pool.ledger->events(pool.nodes[r]))
        for (const NodeId member : pool.ledger->members(event))
          if (const Row other = pool.RowOf(member); member > pool.nodes[r] && other < pool.count())
            later[r].push_back(other);
      std::sort(later[r].begin(), later[r].end());
      later[r].erase(std::unique(later[r].begin(), later[r].end()), later[r].end());
    }
    std::vector<RankedRows> found;
    std::vector<Row> members;
    for (Row r = 0; r < pool.count() && !Done(); ++r) {
      members = {r};
      GrowClosed(later, members, later[r], found);
    }
    Take(std::move(found));
  }
  void GrowClosed(const std::vector<std::vector<Row>>& later, std::vector<Row>& members,
                  const std::vector<Row>& candidates, std::vector<RankedRows>& found) {
    for (const Row next : candidates) {
      members.push_back(next);
      ++compared_;
      if (members.size() == members_) {
        RankedRows set;
        if (bar_.Try(members, set, scored_)) found.push_back(std::move(set));
        if (found.size() > 4 * bar_.k + 1024) Take(std::exchange(found, {}));
      } else {
        std::vector<Row> rest;
        std::set_intersection(candidates.begin(), candidates.end(), later[next].begin(),
                              later[next].end(), std::back_inserter(rest));
        GrowClosed(later, members, rest, found);
      }
      members.pop_back();
      if (truncated_ || (compared_ % kPollSets == 0 && Done())) return;
    }
  }

  const SurfaceScore& score_;
  Executor& executor_;
  const std::size_t members_;
  const WorthBound bound_;
  PairJoin join_;
  SetBar bar_;
  std::vector<RankedRows> best_;
  bool truncated_ = false;
  std::uint64_t compared_ = 0, scored_ = 0;
};

}  // namespace

std::vector<PairParts> PartsOf(const SurfaceScore& score, std::span<const Row> members) {
  std::vector<PairParts> parts;
  for (std::size_t i = 0; i < members.size(); ++i)
    for (std::size_t j = i + 1; j < members.size(); ++j)
      parts.push_back(score.Parts(members[i], members[j]));
  return parts;
}

std::vector<NodeId> NodesOf(const SurfacePool& pool, std::span<const Row> rows) {
  std::vector<NodeId> nodes;
  for (const Row r : rows) nodes.push_back(pool.nodes[r]);
  return nodes;
}

RankedList TopSets(const SurfaceScore& score, const ListQuery& query, Executor& executor) {
  return SetMiner(score, query, executor).Mine();
}

}  // namespace plexus::memory::internal
