// Lists of carriers, cut again and again, then compared.
#include "algorithms/memory/frontier/internal/surface/pair_join.h"

#include <algorithm>
#include <atomic>
#include <bit>

#include "algorithms/common/internal/simd_dispatch.h"
#include "algorithms/common/internal/token_join.h"

namespace plexus::memory::internal {

namespace {

constexpr std::size_t kShort = 64;   // rows of a list that is compared as it is
constexpr std::size_t kLong = 2048;  // rows of a list that is cut even where that saves little
constexpr std::size_t kMaxDepth = 24;
constexpr std::uint64_t kItemCost = 8;  // an item of a cut list, in comparisons
constexpr std::size_t kChunkItems = std::size_t{1} << 15;
constexpr std::uint32_t kTagsAloneFrom = 3;  // tags that every pair must share

// The signatures of a list, one array a word.
struct Signatures {
  std::vector<std::uint64_t> words[4];
  std::vector<std::uint32_t> tag_slack, term_slack;
  std::vector<float> worth, need;

  void Resize(std::size_t n) {
    for (auto& word : words) word.resize(n);
    tag_slack.resize(n);
    term_slack.resize(n);
    worth.resize(n);
    need.resize(n);
  }
  void Set(std::size_t i, const MemberRow& row, float row_worth, float row_need) {
    for (std::size_t w = 0; w < 4; ++w) words[w][i] = row.signature[w];
    tag_slack[i] = row.tag_slack == 65535 ? 1u << 30 : row.tag_slack;
    term_slack[i] = row.term_slack;
    worth[i] = row_worth;
    need[i] = row_need;
  }
};

// Appends the rows of [first, last) whose pair with x may be worth what is needed.
[[gnu::always_inline]] inline void ScanRows(const Signatures& s, const WorthBound& bound,
                                            std::size_t x, std::size_t first, std::size_t last,
                                            std::vector<std::uint32_t>& out) {
  const std::uint64_t w0 = s.words[0][x], w1 = s.words[1][x], w2 = s.words[2][x],
                      w3 = s.words[3][x];
  const float worth = s.worth[x], need = s.need[x];
  const float all_terms = bound.terms(kMostAnchorTerms);
  const std::uint32_t slack = s.tag_slack[x], term_slack = s.term_slack[x];
  for (std::size_t y = first; y < last; ++y) {
    const auto common = static_cast<std::uint32_t>(std::popcount(w0 & s.words[0][y]) +
                                                   std::popcount(w1 & s.words[1][y]) +
                                                   std::popcount(w2 & s.words[2][y])) +
                        std::min(slack, s.tag_slack[y]);
    const float needed = std::min(need, s.need[y]);
    const float pair = worth + s.worth[y] + bound.tags(common);
    if (pair + all_terms < needed) continue;
    const auto terms = static_cast<std::uint32_t>(std::popcount(w3 & s.words[3][y])) +
                       std::min(term_slack, s.term_slack[y]);
    if (pair + bound.terms(terms) >= needed) out.push_back(static_cast<std::uint32_t>(y));
  }
}
using Scanner = void (*)(const Signatures&, const WorthBound&, std::size_t, std::size_t,
                         std::size_t, std::vector<std::uint32_t>&);
void ScanScalar(const Signatures& s, const WorthBound& bound, std::size_t x, std::size_t first,
                std::size_t last, std::vector<std::uint32_t>& out) {
  ScanRows(s, bound, x, first, last, out);
}
#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("popcnt"))) void ScanPopcount(const Signatures& s, const WorthBound& bound,
                                                    std::size_t x, std::size_t first,
                                                    std::size_t last,
                                                    std::vector<std::uint32_t>& out) {
  ScanRows(s, bound, x, first, last, out);
}
// Machines with AVX2 count bits in one instruction.
constexpr common_internal::SimdTable<Scanner> kScan{&ScanScalar, &ScanPopcount};
#else
constexpr common_internal::SimdTable<Scanner> kScan{&ScanScalar};
#endif

}  // namespace

struct PairJoin::Seeds {
  bool with_terms = false;
  // By row: its tokens are [begins, ends) of `tokens`.
  std::vector<std::uint32_t> begins, ends;
  std::span<const Token> tokens;
  std::vector<Token> merged;               // with terms: in order of rarity
  std::vector<std::uint32_t> tags_left;    // with terms: of a row from this token to its end
  std::vector<std::uint32_t> list_begins;  // by rank, and the end
  AlignedArray<Item> lists;

  void Make(const SurfacePool& pool, Executor& executor);
  void MakeLists(const SurfacePool& pool, Executor& executor);
};

void PairJoin::Seeds::Make(const SurfacePool& pool, Executor& executor) {
  begins.resize(pool.count());
  ends.resize(pool.count());
  tokens = pool.tokens;
  if (with_terms) {
    merged.resize(pool.tokens.size());
    tags_left.resize(pool.tokens.size());
    tokens = merged;
  }
  ParallelFor(executor, pool.count(), 4096, [&](std::size_t r, std::size_t last) {
    for (; r < last; ++r) {
      const auto row = static_cast<Row>(r);
      const std::uint32_t begin = pool.rows[r].begin;
      begins[r] = begin;
      ends[r] = begin + pool.rows[r].tags + (with_terms ? pool.rows[r].terms : 0);
      if (!with_terms) continue;
      const auto tags = pool.tags(row), terms = pool.row_terms(row);
      std::merge(tags.begin(), tags.end(), terms.begin(), terms.end(), merged.begin() + begin);
      std::uint32_t left = 0;
      for (std::uint32_t i = ends[r]; i-- > begin;) tags_left[i] = left += IsTag(merged[i]);
    }
  });
  MakeLists(pool, executor);
}

// Lists of tokens that two rows have; each thread fills those of a range of ranks.
void PairJoin::Seeds::MakeLists(const SurfacePool& pool, Executor& executor) {
  const auto ranks = static_cast<std::uint32_t>(pool.carriers.size());
  list_begins.assign(ranks + 1, 0);
  for (Row r = 0; r < pool.count(); ++r)
    for (std::uint32_t i = begins[r]; i < ends[r]; ++i)
      if (pool.carriers[RankOf(tokens[i])] > 1) ++list_begins[RankOf(tokens[i]) + 1];
  for (std::uint32_t k = 0; k < ranks; ++k) list_begins[k + 1] += list_begins[k];
  lists = AlignedArray<Item>(list_begins[ranks]);
  std::vector<std::uint32_t> next(list_begins.begin(), list_begins.end() - 1);
  // Ranges of about as many items each.
  const auto parts = static_cast<std::size_t>(std::max(1, executor.thread_count()));
  std::vector<std::uint32_t> cuts = {0};
  for (std::size_t p = 1; p < parts; ++p)
    cuts.push_back(static_cast<std::uint32_t>(
        std::upper_bound(list_begins.begin(), list_begins.end() - 1,
                         static_cast<std::uint32_t>(lists.size() / parts * p)) -
        list_begins.begin()));
  cuts.push_back(ranks);
  RunBlocks(executor, parts, [&](std::size_t part) {
    for (Row r = 0; r < pool.count(); ++r)
      for (std::uint32_t i = begins[r]; i < ends[r]; ++i) {
        const std::uint32_t rank = RankOf(tokens[i]);
        if (rank >= cuts[part] && rank < cuts[part + 1] && pool.carriers[rank] > 1)
          lists[next[rank]++] = {r, i};
      }
  });
}

// Scratch of a thread.
struct PairJoin::Worker {
  using Level = common_internal::TokenLists<Item>;

  explicit Worker(std::size_t tokens) : cutter(tokens) {}

  const Seeds* seeds = nullptr;
  const WorthBound* bound = nullptr;
  const SurfacePool* pool = nullptr;
  const Budget* budget = nullptr;
  JoinNeed need;
  PairSink* sink = nullptr;
  common_internal::TokenCutter cutter;
  std::vector<std::unique_ptr<Level>> levels;
  Signatures signatures;
  std::vector<std::uint32_t> passed;
  std::vector<Item> sorted;
  std::uint64_t compared = 0, unchecked = 0;
  bool stopped = false;

  void Join(std::span<const Item> items, std::uint32_t tags, std::uint32_t terms,
            std::size_t depth);
  bool Cut(std::span<const Item> items, std::uint32_t tags, std::uint32_t terms, float most,
           float least, Level& level);
  void Compare(std::span<const Item> items, float most_shared);

  // The end of the tokens of an item's row, after it, that may be the next common one.
  std::uint32_t NextEnd(const Item& item, std::uint32_t tags, std::uint32_t terms, float most,
                        float least) const {
    const std::uint32_t end = seeds->ends[item.row];
    const float worth = bound->row(item.row) + most;
    if (!seeds->with_terms) {
      const std::uint32_t all = bound->TagsFor(least - worth - bound->terms(kMostAnchorTerms));
      const std::uint32_t more = std::max(all > tags ? all - tags : 0, 1u);
      return end - item.at < more ? item.at + 1 : end - more + 1;
    }
    std::uint32_t at = item.at + 1;
    for (; at < end; ++at) {
      const std::uint32_t left = seeds->tags_left[at];
      if (worth + bound->tags(tags + left) + bound->terms(terms + (end - at - left)) < least) break;
    }
    return at;
  }
};

void PairJoin::Worker::Join(std::span<const Item> items, std::uint32_t tags, std::uint32_t terms,
                            std::size_t depth) {
  if (items.size() < 2 || stopped) return;
  if (items.size() <= kShort || depth >= kMaxDepth) return Compare(items, kNever);
  float most = -kNever, least = kNever;
  for (const Item& item : items) {
    most = std::max(most, bound->row(item.row));
    least = std::min(least, need.of(item.row));
  }
  if (least == kNever) return;
  if (levels.size() <= depth) levels.resize(depth + 1);
  if (!levels[depth]) levels[depth] = std::make_unique<Level>();
  Level& level = *levels[depth];
  if (!Cut(items, tags, terms, most, least, level)) return Compare(items, kNever);
  // Pairs that share only these.
  const float shared =
      bound->tags(tags) + bound->terms(seeds->with_terms ? terms : kMostAnchorTerms);
  if (2 * most + shared >= least) Compare(items, shared);
  for (std::size_t i = 0; i < level.tokens.size(); ++i) {
    const std::span<const Item> list = level.list(i);
    const bool tag = IsTag(seeds->tokens[list[0].at]);
    Join(list, tags + tag, terms + !tag, depth + 1);
  }
}

bool PairJoin::Worker::Cut(std::span<const Item> items, std::uint32_t tags, std::uint32_t terms,
                           float most, float least, Level& level) {
  const auto probe = [&](const Item& item) { return need.of(item.row) != kNever; };
  const auto walk = [&](std::size_t i, auto&& take) {
    const Item item = items[i];
    const std::uint32_t end = NextEnd(item, tags, terms, most, least);
    for (std::uint32_t at = item.at + 1; at < end; ++at)
      take(RankOf(seeds->tokens[at]), Item{item.row, at});
  };
  return cutter.Cut(items, kItemCost, kLong, probe, walk, level);
}

// Pairs of a list, those worth most first; kNever: what they share is not known. Rows that need
// nothing by themselves come last, and are not compared with each other.
void PairJoin::Worker::Compare(std::span<const Item> items, float most_shared) {
  sorted.assign(items.begin(), items.end());
  const auto asks = [&](const Item& item) { return need.of(item.row) != kNever; };
  auto middle = sorted.end();
  if (need.by_row) {
    middle = std::stable_partition(sorted.begin(), sorted.end(), asks);
    if (middle == sorted.begin()) return;
  }
  const bool in_order = sorted.size() > kShort;
  if (in_order) {
    const auto better = [&](const Item& a, const Item& b) {
      return bound->row(a.row) > bound->row(b.row);
    };
    std::stable_sort(sorted.begin(), middle, better);
    std::stable_sort(middle, sorted.end(), better);
  }
  const std::size_t n = sorted.size(), asking = static_cast<std::size_t>(middle - sorted.begin());
  signatures.Resize(n);
  for (std::size_t i = 0; i < n; ++i)
    signatures.Set(i, pool->rows[sorted[i].row], bound->row(sorted[i].row), need.of(sorted[i].row));
  const float shared = std::min(most_shared, bound->tags(65535) + bound->terms(kMostAnchorTerms));
  std::size_t last = asking, end = n;
  for (std::size_t x = 0; x < asking; ++x) {
    if (in_order) {  // partners are worth less and less
      const float rest = need.least - shared - signatures.worth[x];
      while (last > x + 1 && signatures.worth[last - 1] < rest) --last;
      while (end > asking && signatures.worth[end - 1] < rest) --end;
      if (last <= x + 1 && end == asking) break;
    }
    passed.clear();
    const std::size_t first_last = std::max(last, x + 1);
    kScan.Find(SimdLevel::kBest)(signatures, *bound, x, x + 1, first_last, passed);
    kScan.Find(SimdLevel::kBest)(signatures, *bound, x, asking, end, passed);
    const std::uint64_t seen = first_last - x - 1 + (end - asking);
    compared += seen;
    unchecked += seen;
    for (const std::uint32_t y : passed) sink->Offer(sorted[x].row, sorted[y].row);
    if (unchecked < (1u << 20)) continue;
    unchecked = 0;
    if (budget->Interrupted()) stopped = true;
    if (stopped) return;
  }
}

PairJoin::PairJoin(const SurfacePool& pool, const WorthBound& bound, const Budget& budget,
                   Executor& executor)
    : pool_(pool), bound_(bound), budget_(budget), executor_(executor) {}
PairJoin::~PairJoin() = default;

const PairJoin::Seeds& PairJoin::SeedsFor(const JoinNeed& need) {
  const bool tags_alone = bound_.TagsFor(need.least - 2 * bound_.most() -
                                         bound_.terms(kMostAnchorTerms)) >= kTagsAloneFrom;
  std::unique_ptr<Seeds>& seeds = tags_alone ? tags_ : both_;
  if (!seeds) {
    seeds = std::make_unique<Seeds>();
    seeds->with_terms = !tags_alone;
    seeds->Make(pool_, executor_);
  }
  return *seeds;
}

// From round to round a pair needs more, so that limits only fall: they are walked back from where
// they were.
void PairJoin::SetLimits(const Seeds& seeds, const JoinNeed& need, const JoinRows& rows) {
  const bool follows = limits_of_.seeds == &seeds && limits_of_.sample == rows.sample;
  if (follows && need.least == limits_of_.least) return;
  const bool falls = follows && need.least > limits_of_.least;
  limits_of_ = {&seeds, rows.sample, need.least};
  limits_.resize(pool_.count());
  ParallelFor(executor_, pool_.count(), 4096, [&](std::size_t r, std::size_t last) {
    for (; r < last; ++r) {
      const std::uint32_t begin = seeds.begins[r], end = seeds.ends[r];
      if (!falls) limits_[r] = begin;
      if (r % rows.sample != 0 || (falls && limits_[r] == begin)) continue;
      const float worth = bound_.row(static_cast<Row>(r)) + bound_.most();
      if (!seeds.with_terms) {
        const std::uint32_t all =
            std::max(bound_.TagsFor(need.least - worth - bound_.terms(kMostAnchorTerms)), 1u);
        limits_[r] = end - begin >= all ? end - all + 1 : begin;
        continue;
      }
      const auto enough = [&](std::uint32_t at) {
        const std::uint32_t left = seeds.tags_left[at];
        return worth + bound_.tags(left) + bound_.terms(end - at - left) >= need.least;
      };
      std::uint32_t at = limits_[r];
      if (falls)
        while (at > begin && !enough(at - 1)) --at;
      else
        while (at < end && enough(at)) ++at;
      limits_[r] = at;
    }
  });
}

PairJoin::Sinks PairJoin::Run(std::size_t round, const JoinNeed& need, const JoinRows& rows,
                              const std::function<std::unique_ptr<PairSink>()>& make_sink) {
  if (round == 0 || !seeds_) seeds_ = &SeedsFor(need);
  const Seeds& seeds = *seeds_;
  SetLimits(seeds, need, rows);
  // What a row has that needs something by itself; other lists are of no use.
  std::vector<std::uint8_t> asked(pool_.carriers.size(), need.by_row == nullptr);
  for (Row r = 0; need.by_row && r < pool_.count(); ++r)
    if (need.of(r) != kNever)
      for (std::uint32_t i = seeds.begins[r]; i < limits_[r]; ++i)
        asked[RankOf(seeds.tokens[i])] = 1;
  // Chunks of lists, of about as many items each.
  std::vector<std::vector<std::uint32_t>> chunks;
  std::size_t items = kChunkItems;
  for (auto rank = static_cast<std::uint32_t>(round); rank < pool_.carriers.size();
       rank += kRounds) {
    if (!asked[rank] || seeds.list_begins[rank + 1] - seeds.list_begins[rank] < 2) continue;
    if (items >= kChunkItems) {
      chunks.emplace_back();
      items = 0;
    }
    chunks.back().push_back(rank);
    items += seeds.list_begins[rank + 1] - seeds.list_begins[rank];
  }
  std::reverse(chunks.begin(), chunks.end());  // the long ones first
  Sinks sinks;
  for (std::size_t c = 0; c < chunks.size(); ++c) sinks.push_back(make_sink());
  std::atomic<std::uint64_t> compared = 0;
  std::atomic<bool> stopped = false;
  RunBlocks(executor_, chunks.size(), [&](std::size_t c) {
    if (stopped.load(std::memory_order_relaxed)) return;
    const auto worker =
        workers_.Acquire([&] { return std::make_unique<Worker>(pool_.carriers.size()); });
    worker->seeds = &seeds;
    worker->bound = &bound_;
    worker->pool = &pool_;
    worker->budget = &budget_;
    worker->need = need;
    worker->sink = sinks[c].get();
    worker->compared = 0;
    std::vector<Item> list;
    for (const std::uint32_t rank : chunks[c]) {
      list.clear();
      for (std::uint32_t i = seeds.list_begins[rank]; i < seeds.list_begins[rank + 1]; ++i)
        if (seeds.lists[i].at < limits_[seeds.lists[i].row]) list.push_back(seeds.lists[i]);
      if (list.size() < 2) continue;
      const bool tag = IsTag(seeds.tokens[list[0].at]);
      worker->Join(list, tag, !tag, 0);
    }
    compared += worker->compared;
    if (worker->stopped || budget_.Interrupted()) stopped = true;
    worker->stopped = false;
  });
  compared_ += compared;
  interrupted_ |= stopped;
  return sinks;
}

PairJoin::Sinks PairJoin::RunAll(const JoinNeed& need, const JoinRows& rows,
                                 const std::function<std::unique_ptr<PairSink>()>& make_sink) {
  // Rows that ask first, then the others, each from the one worth most.
  std::vector<Row> order;
  for (Row r = 0; r < pool_.count(); ++r)
    if (r % rows.sample == 0) order.push_back(r);
  std::sort(order.begin(), order.end(), [&](Row a, Row b) {
    const bool x = need.of(a) == kNever, y = need.of(b) == kNever;
    if (x != y) return y;
    return bound_.row(a) != bound_.row(b) ? bound_.row(a) > bound_.row(b) : a < b;
  });
  Signatures signatures;
  signatures.Resize(order.size());
  std::size_t asking = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    signatures.Set(i, pool_.rows[order[i]], bound_.row(order[i]), need.of(order[i]));
    asking += need.of(order[i]) != kNever;
  }
  const float shared = bound_.tags(65535) + bound_.terms(kMostAnchorTerms);
  // The end of the partners in [first, last) that are worth enough for x.
  const auto end_of = [&](std::size_t x, std::size_t first, std::size_t last) {
    const float rest = need.least - shared - signatures.worth[x];
    const auto begin = signatures.worth.begin();
    const auto at = std::partition_point(begin + static_cast<std::ptrdiff_t>(first),
                                         begin + static_cast<std::ptrdiff_t>(last),
                                         [&](float worth) { return worth >= rest; });
    return static_cast<std::size_t>(at - begin);
  };
  constexpr std::size_t kRows = 256;  // of a chunk
  Sinks sinks;
  for (std::size_t c = 0; c * kRows < asking; ++c) sinks.push_back(make_sink());
  std::atomic<std::uint64_t> compared = 0;
  std::atomic<bool> stopped = false;
  RunBlocks(executor_, sinks.size(), [&](std::size_t c) {
    std::vector<std::uint32_t> passed;
    std::uint64_t seen = 0;
    for (std::size_t x = c * kRows; x < std::min(asking, (c + 1) * kRows); ++x) {
      if (budget_.Interrupted()) stopped = true;
      if (stopped.load(std::memory_order_relaxed)) return;
      passed.clear();
      const std::size_t last = end_of(x, x + 1, asking), end = end_of(x, asking, order.size());
      kScan.Find(SimdLevel::kBest)(signatures, bound_, x, x + 1, last, passed);
      kScan.Find(SimdLevel::kBest)(signatures, bound_, x, asking, end, passed);
      seen += last - x - 1 + (end - asking);
      for (const std::uint32_t y : passed) sinks[c]->Offer(order[x], order[y]);
    }
    compared += seen;
  });
  compared_ += compared;
  interrupted_ |= stopped;
  return sinks;
}

}  // namespace plexus::memory::internal
