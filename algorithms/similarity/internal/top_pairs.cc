// The rounds of FindTopPairs: lists of the next terms under the present threshold, tasks over
// them, and the new threshold.
#include "algorithms/similarity/internal/top_pairs.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <span>

#include "algorithms/common/internal/object_pool.h"
#include "algorithms/similarity/internal/posting_list_join.h"

namespace plexus::similarity::internal {

namespace {

constexpr std::size_t kChunks = 8;              // of rows, when lists are made
constexpr std::uint64_t kFirstRound = 1 << 17;  // pairs
constexpr std::uint64_t kLargestRound = std::uint64_t{1} << 40;
constexpr std::uint64_t kTaskCost = 1 << 19;  // comparisons, roughly
constexpr std::uint64_t kListCost = 64, kItemCost = 32;
constexpr std::uint32_t kMaxTerms = 1 << 20;  // of one round: bounds the memory for counts
constexpr std::uint64_t kAllProbes = ~std::uint64_t{0};

// How far the search has come: whole terms before `term`, and of that one the pairs whose
// first row is before `row`.
struct Cursor {
  std::uint32_t term = 0, row = 0;
};

// Lists of the terms [first, last) of one round.
struct Lists {
  std::uint32_t first = 0, last = 0;
  std::uint32_t row = 0;                   // Cursor::row for the list of `first`
  std::uint64_t probe_limit = kAllProbes;  // of the one list, when it is not done whole
  std::vector<std::uint64_t> begins;       // last - first + 1
  std::vector<ListItem> items;
  std::span<const ListItem> of(std::uint32_t term) const {
    const std::uint64_t begin = begins[term - first], end = begins[term - first + 1];
    return {items.data() + begin, static_cast<std::size_t>(end - begin)};
  }
};

// One task: terms [first, last), or rows [x, x_end) of the one list.
struct Task {
  std::uint32_t first, last;
  std::size_t x, x_end;
};

struct Count {
  std::uint32_t items = 0, probes = 0;
  std::uint64_t pairs() const { return common_internal::JoinPairs(items, probes); }
};

// Whether a row is in the list of one of its terms, and as what.
class Membership {
 public:
  Membership(const InvertedIndex& index, const ScoredSet<2>& threshold, bool anchors_only)
      : index_(index),
        threshold_(threshold),
        required_(UnitsBelow(threshold.score)),
        anchors_only_(anchors_only) {}

  std::uint32_t required() const { return required_; }

  // fn(term, ListItem) for the lists of terms from `first` on. `tails` is scratch.
  template <class Fn>
  void ForRow(std::uint32_t row, std::uint32_t first, std::vector<double>& tails, Fn&& fn) const {
    const std::uint32_t end = index_.begins[row + 1];
    bool summed = false;
    for (std::uint32_t e = index_.begins[row]; e < end; ++e) {
      const IndexEntry& entry = index_.entries[e];
      if (entry.suffix_weight < required_) return;
      if (entry.term < first) continue;
      bool probe = true;
      // Units are rounded up by less than one a term: near the threshold the sum decides.
      if (entry.suffix_weight <= required_ + 1 + (end - e)) {
        // Each is a part of the first one, so all are summed once: units that saturate
        // bring every entry here.
        if (!summed) SumTails(e, end, tails);
        summed = true;
        const double tail = tails[end - 1 - e];
        if (tail < threshold_.score) return;
        probe = tail > threshold_.score || index_.nodes[row] <= threshold_.members[0];
      }
      if (anchors_only_) probe = row < index_.anchors;
      fn(entry.term, ListItem{row | (probe ? 0x80000000u : 0u), e});
    }
  }

 private:
  // tails[i]: the exact sum of entries end - 1 - i to `end`, down to `entry`.
  void SumTails(std::uint32_t entry, std::uint32_t end, std::vector<double>& tails) const {
    tails.clear();
    double sum = 0;
    for (std::uint32_t e = end; e-- > entry;)
      tails.push_back(sum += index_.weights[index_.entries[e].term]);
  }

  const InvertedIndex& index_;
  ScoredSet<2> threshold_;
  std::uint32_t required_;
  bool anchors_only_;
};

class PairSearch {
 public:
  PairSearch(const InvertedIndex& index, const PairQuery& query, Executor& executor)
      : index_(index), query_(query), executor_(executor), best_(query.k, query.threshold) {}

  TopSets<2> Run() {
    TopSets<2> result;
    std::uint64_t cap = kFirstRound;
    while (cursor_.term < index_.term_count()) {
      const std::uint64_t left = query_.budget.edges - std::min(query_.budget.edges, compared_);
      if (scored_ >= query_.budget.nodes || query_.budget.Interrupted()) stop_ = true;
      if (stop_ || !Round(cap, left)) {
        result.truncated = true;
        break;
      }
      cap = std::min(cap * 4, kLargestRound);
    }
    result.sets = best_.Take();
    result.truncated = result.truncated || stop_;
    result.compared = compared_;
    result.scored = scored_;
    return result;
  }

 private:
  // About `cap` pairs, never more than `left`; false when not even one row of a list fits.
  bool Round(std::uint64_t cap, std::uint64_t left) {
    const Membership membership(index_, best_.threshold(), query_.anchors_only);
    const std::vector<std::vector<Count>> counts = CountLists(membership);
    Lists lists;
    if (!Choose(membership, counts, std::min(cap, left), left, lists)) return false;
    Fill(membership, counts, lists);
    RunTasks(lists, MakeTasks(membership, counts, lists));
    return true;
  }

  std::pair<std::uint32_t, std::uint32_t> ChunkRows(std::size_t chunk) const {
    const std::uint64_t rows = index_.row_count();
    return {static_cast<std::uint32_t>(rows * chunk / kChunks),
            static_cast<std::uint32_t>(rows * (chunk + 1) / kChunks)};
  }

  // fn(term, item) for the rows of a chunk, without what is done.
  template <class Fn>
  void ForChunk(const Membership& membership, std::size_t chunk, Fn&& fn) const {
    const auto [first, last] = ChunkRows(chunk);
    std::vector<double> tails;
    for (std::uint32_t row = first; row < last; ++row)
      membership.ForRow(row, cursor_.term, tails, [&](std::uint32_t term, const ListItem& item) {
        if (term != cursor_.term || row >= cursor_.row) fn(term, item);
      });
  }

  // By chunk, then by term from the cursor on; the sum over chunks is behind the last.
  std::vector<std::vector<Count>> CountLists(const Membership& membership) const {
    const std::uint32_t terms = std::min(index_.term_count() - cursor_.term, kMaxTerms);
    std::vector<std::vector<Count>> counts(kChunks + 1, std::vector<Count>(terms));
    ParallelFor(executor_, kChunks, 1, [&](std::size_t chunk, std::size_t) {
      ForChunk(membership, chunk, [&](std::uint32_t term, const ListItem& item) {
        if (term - cursor_.term >= terms) return;
        Count& count = counts[chunk][term - cursor_.term];
        ++count.items;
        count.probes += item.probe();
      });
    });
    for (std::size_t chunk = 0; chunk < kChunks; ++chunk)
      for (std::uint32_t t = 0; t < terms; ++t) {
        counts[kChunks][t].items += counts[chunk][t].items;
        counts[kChunks][t].probes += counts[chunk][t].probes;
      }
    return counts;
  }

  // As many whole lists as fit; a first list that is too large is taken by itself, and only
  // some of its rows when nothing can be cut off it.
  bool Choose(const Membership& membership, const std::vector<std::vector<Count>>& counts,
              std::uint64_t cap, std::uint64_t left, Lists& lists) const {
    const std::vector<Count>& all = counts[kChunks];
    lists.first = lists.last = cursor_.term;
    lists.row = cursor_.row;
    std::uint64_t pairs = 0;
    while (lists.last - lists.first < all.size()) {
      const std::uint64_t more = all[lists.last - cursor_.term].pairs();
      if (more > cap - pairs) break;
      pairs += more;
      ++lists.last;
    }
    if (lists.last != lists.first) return true;
    // A list that its second terms cut costs far less than its pairs number.
    const bool cuttable = index_.units[cursor_.term] < membership.required();
    if (!cuttable || all[0].pairs() > left) {
      const std::uint64_t others = all[0].items - 1;
      if (others > left) return false;
      lists.probe_limit = std::max<std::uint64_t>(cap / others, 1);
    }
    lists.last = lists.first + 1;
    return true;
  }

  // Rows ascend in every list, as chunks do.
  void Fill(const Membership& membership, const std::vector<std::vector<Count>>& counts,
            Lists& lists) const {
    const std::size_t terms = lists.last - lists.first;
    lists.begins.assign(1, 0);
    std::vector<std::vector<std::uint64_t>> at(kChunks, std::vector<std::uint64_t>(terms));
    std::uint64_t size = 0;
    for (std::size_t t = 0; t < terms; ++t) {
      for (std::size_t chunk = 0; chunk < kChunks; ++chunk) {
        at[chunk][t] = size;
        size += counts[chunk][t].items;
      }
      lists.begins.push_back(size);
    }
    lists.items.resize(size);
    ParallelFor(executor_, kChunks, 1, [&](std::size_t chunk, std::size_t) {
      ForChunk(membership, chunk, [&](std::uint32_t term, const ListItem& item) {
        if (term < lists.last) lists.items[at[chunk][term - lists.first]++] = item;
      });
    });
  }

  // Moves the cursor behind the round.
  std::vector<Task> MakeTasks(const Membership& membership,
                              const std::vector<std::vector<Count>>& counts, const Lists& lists) {
    std::vector<Task> tasks;
    Task task{lists.first, lists.first, 0, 0};
    std::uint64_t cost = 0;
    for (std::uint32_t t = lists.first; t < lists.last; ++t) {
      const Count& count = counts[kChunks][t - lists.first];
      const bool cuttable = index_.units[t] < membership.required();
      if (lists.probe_limit != kAllProbes || (!cuttable && count.pairs() > 2 * kTaskCost)) {
        if (task.last > task.first) tasks.push_back(task);
        SplitRows(lists, t, tasks);
        task = {t + 1, t + 1, 0, 0};
        cost = 0;
        continue;
      }
      if (count.pairs() != 0)
        cost += kListCost + count.items * kItemCost +
                std::min<std::uint64_t>(count.pairs(), count.items * 256ull);
      task.last = t + 1;
      if (cost < kTaskCost) continue;
      tasks.push_back(task);
      task = {t + 1, t + 1, 0, 0};
      cost = 0;
    }
    if (task.last > task.first) tasks.push_back(task);
    if (lists.probe_limit == kAllProbes) cursor_ = {lists.last, 0};
    return tasks;
  }

  // Tasks over rows of one list; sets the cursor when not all of them are taken.
  void SplitRows(const Lists& lists, std::uint32_t term, std::vector<Task>& tasks) {
    const std::span<const ListItem> items = lists.of(term);
    std::uint64_t probes = 0, pairs = 0;
    std::size_t begin = 0;
    for (std::size_t x = 0; x < items.size(); ++x) {
      if (items[x].probe()) {
        if (probes == lists.probe_limit) {
          if (begin < x) tasks.push_back({term, term + 1, begin, x});
          cursor_ = {term, items[x].row()};
          return;
        }
        ++probes;
        pairs += items.size() - x;
      }
      if (pairs < std::max<std::uint64_t>(kTaskCost, 16 * items.size())) continue;
      tasks.push_back({term, term + 1, begin, x + 1});
      begin = x + 1;
      pairs = 0;
    }
    if (begin < items.size()) tasks.push_back({term, term + 1, begin, items.size()});
    if (lists.probe_limit != kAllProbes) cursor_ = {term + 1, 0};
  }

  void RunTasks(const Lists& lists, const std::vector<Task>& tasks) {
    struct Outcome {
      TopKSets<2> best;
      std::uint64_t compared = 0, scored = 0;
    };
    std::vector<Outcome> outcomes(tasks.size(), Outcome{TopKSets<2>(query_.k, best_.threshold())});
    ParallelFor(executor_, tasks.size(), 1, [&](std::size_t i, std::size_t) {
      if (stop_) return;
      const auto join =
          pool_.Acquire([&] { return std::make_unique<PostingListJoin>(index_, query_, stop_); });
      const Task& task = tasks[i];
      join->Begin(&outcomes[i].best);
      for (std::uint32_t t = task.first; t < task.last; ++t) {
        const std::span<const ListItem> items = lists.of(t);
        if (items.size() >= 2)
          join->Join(items, t, task.x, task.x_end == 0 ? items.size() : task.x_end);
      }
      outcomes[i].best.Cut();
      outcomes[i].compared = join->compared;
      outcomes[i].scored = join->scored;
    });
    for (Outcome& outcome : outcomes) {
      best_.Join(outcome.best);
      compared_ += outcome.compared;
      scored_ += outcome.scored;
    }
    best_.Cut();
  }

  const InvertedIndex& index_;
  const PairQuery& query_;
  Executor& executor_;
  TopKSets<2> best_;
  Cursor cursor_;
  std::uint64_t compared_ = 0, scored_ = 0;
  std::atomic<bool> stop_{false};
  common_internal::ObjectPool<PostingListJoin> pool_;
};

}  // namespace

TopSets<2> FindTopPairs(const InvertedIndex& index, const PairQuery& query, Executor& executor) {
  return PairSearch(index, query, executor).Run();
}

}  // namespace plexus::similarity::internal
