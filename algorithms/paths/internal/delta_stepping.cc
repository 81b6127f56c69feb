// Every worker processes buckets of its own; none waits at a bucket's end.
//
// An entry is a node and the cost it was pushed with: when the node has become cheaper
// since, the entry is stale and passed over, so no row is read twice for one cost. One worker
// begins, without atomics. Once a bucket is large, others join: a worker that has nothing to do, or
// is too far ahead of another's bucket, receives half of the rest of a bucket.
//
// Entries are relaxed in batches: first their arcs are looked at, without a branch that
// depends on a cost, and those that seem to improve something are noted; then these are
// applied. Whether an arc improves is as good as random, and a branch on it would cost more
// than all the rest while the rows are in the caches. In a graph that fits there short rows
// are copied one behind another first, eight arcs each whether they have as many or not, so
// that where a row ends is no branch either.
#include "algorithms/paths/internal/delta_stepping.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "algorithms/paths/internal/cost_buckets.h"
#include "algorithms/paths/internal/work_sharing.h"
#include "engine/internal/prefetch.h"

namespace plexus::paths::internal {

namespace {

constexpr std::size_t kFillGrain = 1 << 16;
constexpr std::size_t kShareThreshold = 128;  // entries of a bucket that is worth waking others
constexpr std::size_t kArcsEach = 128;        // so many arcs are worth as much as an entry
constexpr std::size_t kBatch = 32;            // entries between two checks for waiting workers
constexpr std::size_t kBatchArcs = 4096;
constexpr std::uint64_t kPollInterval = 32;  // batches between looks at the budget
constexpr std::size_t kMinShared =
    32;                    // entries (or their arcs) left of a bucket that is worth halving
constexpr int kSlack = 2;  // buckets that a thread may be ahead of the last
constexpr std::size_t kDone = 4096;   // entries of a bucket that may stay behind
constexpr std::size_t kNoted = 1024;  // improvements kept before they are applied
constexpr std::size_t kOffsetAhead =
    24;  // entries: where their rows begin and what their nodes cost is fetched
constexpr std::size_t kRowAhead = 8;    // entries: their rows are
constexpr std::uint32_t kLongRow = 24;  // arcs: most of them improve nothing, which can be guessed
constexpr std::uint32_t kShortRow =
    8;  // arcs: copied as if there were as many, so that none is a guess
constexpr std::size_t kCopied = 512;  // arcs of short rows
constexpr std::uint64_t kSmallArcs = 1
                                     << 20;  // of a graph whose rows are in the caches: copied, as
                                             // eight arcs may lie on two lines, and not fetched

template <class T>
class Stepping {
 public:
  Stepping(std::span<const WeightedRows> rows, T delta, const Budget& budget, Executor& executor)
      : rows_(rows), delta_(delta), per_delta_(1 / delta), budget_(budget), executor_(executor) {
    result_.costs = AlignedArray<T>(rows[0].rows.node_count());
    ParallelFor(executor_, result_.costs.size(), kFillGrain,
                [&](std::size_t begin, std::size_t end) {
                  std::fill(result_.costs.begin() + begin, result_.costs.begin() + end, kInfinity);
                });
    workers_.push_back(std::make_unique<Worker>(per_delta_));
  }

  DeltaResult<T> Run(NodeId source) {
    const auto threads = static_cast<std::size_t>(std::max(1, executor_.thread_count()));
    std::size_t share_threshold =
        threads > 1 ? kShareThreshold : std::numeric_limits<std::size_t>::max();
    result_.costs[source] = 0;
    workers_[0]->Put({source, 0});
    while (!RunSerial(*workers_[0], share_threshold) && !stop_) {
      while (workers_.size() < threads) workers_.push_back(std::make_unique<Worker>(per_delta_));
      sharing_.Open();
      auto task = [&](std::size_t) { RunWorker(*workers_[sharing_.Join()]); };
      executor_.Run(threads, BlockTask(task));
      if (out_of_memory_) throw std::bad_alloc();
      if (stop_) break;
      Gather();
      share_threshold *= 2;
    }
    if (stop_) Truncate();
    return std::move(result_);
  }

 private:
  static constexpr T kInfinity = std::numeric_limits<T>::infinity();

  using Entry = CostEntry<T>;
  using List = std::vector<Entry>;
  struct Worker : CostBuckets<T> {
    using CostBuckets<T>::CostBuckets;
    std::uint64_t batches = 0;
    std::size_t noted = 0, copied = 0;
    std::array<Entry, kNoted> notes;               // improvements seen and not yet applied
    std::array<NodeId, kCopied> ends;              // of short rows' arcs not yet looked at
    std::array<T, kCopied> candidate_costs;        // and what they would cost
    alignas(64) std::atomic<T> level = kInfinity;  // what it has left costs that at least
  };

  // Until nothing is left (true), the budget ends, or a bucket holds `share_threshold`.
  bool RunSerial(Worker& worker, std::size_t share_threshold) {
    while (Next(worker)) {
      if (HasWork(worker, share_threshold)) return false;
      ProcessBucket<false>(worker);
      if (stop_.load(std::memory_order_relaxed)) return false;
    }
    return true;
  }

  // After a loop: moves what any worker left, and lists that no worker took, to the first worker.
  void Gather() {
    List left;
    for (const auto& worker : workers_) {
      worker->level = kInfinity;
      if (worker == workers_[0]) continue;
      for (List& list : worker->near) {
        left.insert(left.end(), list.begin(), list.end());
        list.clear();
      }
      left.insert(left.end(), worker->far.begin(), worker->far.end());
      worker->far.clear();
      worker->waiting = worker->at = 0;
    }
    Receive(*workers_[0], left);
    for (const List& list : sharing_.DrainLists()) Receive(*workers_[0], list);
  }

  // As much as so many entries, or their arcs, are left of the bucket.
  bool HasWork(const Worker& worker, std::size_t share_threshold) const {
    if (share_threshold == std::numeric_limits<std::size_t>::max()) return false;
    const std::vector<Entry>& list = worker.near[worker.now];
    if (list.size() - worker.at >= share_threshold) return true;
    std::uint64_t arcs = 0;
    for (std::size_t i = worker.at; i < list.size(); ++i)
      for (const WeightedRows& side : rows_) arcs += side.rows.degree(list[i].node);
    return arcs / kArcsEach >= share_threshold;
  }

  // A task must not throw.
  void RunWorker(Worker& worker) {
    try {
      WorkAndShare(worker);
    } catch (const std::bad_alloc&) {
      out_of_memory_ = stop_ = true;
      sharing_.Leave();
    }
  }

  void WorkAndShare(Worker& worker) {
    auto stopped = [&] { return stop_.load(std::memory_order_relaxed); };
    while (!stopped() && !sharing_.AllOthersLeft()) {
      if (!Next(worker)) {
        worker.level.store(kInfinity, std::memory_order_relaxed);
        if (!Receive(worker, sharing_.WaitForWork(stopped))) return;
        continue;
      }
      worker.level.store(worker.base + static_cast<T>(worker.now) * delta_,
                         std::memory_order_relaxed);
      if (IsAhead(worker) &&
          Receive(worker, sharing_.Request([&] { return IsAhead(worker) && !stopped(); })))
        continue;
      ProcessBucket<true>(worker);
    }
    worker.level.store(kInfinity, std::memory_order_relaxed);
    sharing_.Leave();
  }

  bool IsAhead(const Worker& worker) const {
    const T level = worker.level.load(std::memory_order_relaxed) - kSlack * delta_;
    for (const auto& other : workers_)
      if (other->level.load(std::memory_order_relaxed) < level) return true;
    return false;
  }

  bool Receive(Worker& worker, const List& list) {
    if (list.empty()) return false;
    if (worker.empty()) {
      worker.base = std::ranges::min(list, {}, &Entry::cost).cost;
      worker.now = 0;
    }
    for (const Entry& entry : list) {
      worker.now = std::min(worker.now, worker.Bucket(entry.cost));
      worker.Put(entry);
    }
    return true;
  }

  // Half of what is left of the bucket.
  void ShareHalf(Worker& worker) {
    if (!HasWork(worker, kMinShared)) return;
    std::vector<Entry>& list = worker.near[worker.now];
    const std::size_t left = list.size() - worker.at;
    if (left < 2) return;
    const auto from = list.end() - static_cast<std::ptrdiff_t>(left / 2);
    sharing_.Share(std::vector<Entry>(from, list.end()));
    list.erase(from, list.end());
    worker.waiting -= left / 2;
  }

  // The bucket at work, and what falls back into it.
  template <bool kShared>
  void ProcessBucket(Worker& worker) {
    std::vector<Entry>& list = worker.near[worker.now];  // may grow and shrink meanwhile
    Begin(list, worker.at);
    while (worker.at < list.size()) {
      if (worker.batches++ % kPollInterval == 0 && budget_.Interrupted()) stop_ = true;
      if (stop_.load(std::memory_order_relaxed)) return;
      if (kShared && sharing_.wanted()) ShareHalf(worker);
      std::size_t arcs = 0;
      for (const std::size_t past = std::min(worker.at + kBatch, list.size());
           worker.at < past && arcs < kBatchArcs; ++worker.at) {
        PrefetchAhead(list, worker.at);
        arcs += Node<kShared>(worker, list[worker.at]);
      }
      NoteCopiedArcs<kShared>(worker);
      worker.noted = Apply<kShared>(worker, worker.noted);
      // What is done goes: nodes of a wide bucket may come again and again.
      if (worker.at >= kDone && 2 * worker.at >= list.size()) {
        list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(worker.at));
        worker.waiting -= std::exchange(worker.at, 0);
      }
    }
    worker.Empty();
  }

  // What entries ahead need is fetched in two steps: a row cannot be before its place is known.
  void Begin(const List& list, std::size_t at) {
    const std::size_t left = list.size() - at;
    for (std::size_t i = at; i < at + std::min(kOffsetAhead, left); ++i) PrefetchOffset(list[i]);
    for (std::size_t i = at; i < at + std::min(kRowAhead, left); ++i) PrefetchRow(list[i]);
  }
  void PrefetchAhead(const List& list, std::size_t at) {
    if (at + kOffsetAhead < list.size()) PrefetchOffset(list[at + kOffsetAhead]);
    if (at + kRowAhead < list.size()) PrefetchRow(list[at + kRowAhead]);
  }
  void PrefetchOffset(const Entry& entry) const {
    Prefetch(&result_.costs[entry.node]);
    for (const WeightedRows& side : rows_) side.PrefetchOffset(entry.node);
  }
  void PrefetchRow(const Entry& entry) {
    if (small_ || Stale(entry)) return;
    for (const WeightedRows& side : rows_) side.PrefetchRow(entry.node);
  }

  // Returns how many arcs there were.
  template <bool kShared>
  std::size_t Node(Worker& worker, Entry from) {
    std::size_t arcs = 0;
    for (const WeightedRows& side : rows_) {
      const CsrView& rows = side.rows;
      if (!side.costs.empty())
        arcs += Row<kShared>(worker, from, rows, [costs = side.costs.data()](std::uint32_t a) {
          return static_cast<T>(costs[a]);
        });
      else if (!rows.weights.empty())
        arcs += Row<kShared>(worker, from, rows, [weights = rows.weights.data()](std::uint32_t a) {
          return static_cast<T>(weights[a]);
        });
      else
        arcs += Row<kShared>(worker, from, rows, [](std::uint32_t) { return T{1}; });
    }
    return arcs;
  }

  template <bool kShared, class CostOf>
  std::size_t Row(Worker& worker, Entry from, const CsrView& rows, const CostOf& cost_of) {
    const std::uint32_t first = rows.offsets[from.node], past = rows.offsets[from.node + 1];
    const NodeId* const neighbors = rows.neighbors.data();
    const bool stale = Stale(from);
    if (past - first <= kShortRow && small_ &&
        first + std::size_t{kShortRow} <= rows.neighbors.size()) {
      if (worker.copied + kShortRow > kCopied) NoteCopiedArcs<kShared>(worker);
      std::memcpy(&worker.ends[worker.copied], neighbors + first, kShortRow * sizeof(NodeId));
      std::array<T, kShortRow> candidate_costs;
      for (std::uint32_t i = 0; i < kShortRow; ++i)
        candidate_costs[i] = from.cost + cost_of(first + i);
      std::memcpy(&worker.candidate_costs[worker.copied], candidate_costs.data(),
                  sizeof candidate_costs);
      const std::uint32_t arcs = (past - first) * static_cast<std::uint32_t>(!stale);
      worker.copied += arcs;
      return arcs;
    }
    if (stale) return 0;
    T* const costs = result_.costs.data();
    Entry* const notes = worker.notes.data();
    std::size_t noted = worker.noted;
    if (noted + kLongRow > kNoted) noted = Apply<kShared>(worker, noted);
    if (past - first < kLongRow) {
      for (std::uint32_t a = first; a < past; ++a) {
        const Entry to{neighbors[a], from.cost + cost_of(a)};
        notes[noted] = to;
        noted += to.cost < Read(costs[to.node]);
      }
    } else {
      for (std::uint32_t a = first; a < past; ++a) {
        const Entry to{neighbors[a], from.cost + cost_of(a)};
        if (!(to.cost < Read(costs[to.node]))) continue;
        notes[noted++] = to;
        if (noted == kNoted) noted = Apply<kShared>(worker, noted);
      }
    }
    worker.noted = noted;
    return past - first;
  }

  // Notes which of the copied arcs improve something.
  template <bool kShared>
  void NoteCopiedArcs(Worker& worker) {
    std::size_t noted = worker.noted;
    if (noted + worker.copied > kNoted) noted = Apply<kShared>(worker, noted);
    for (std::size_t i = 0; i < worker.copied; ++i) {
      const Entry to{worker.ends[i], worker.candidate_costs[i]};
      worker.notes[noted] = to;
      noted += to.cost < Read(result_.costs[to.node]);
    }
    worker.noted = noted;
    worker.copied = 0;
  }

  // Returns how many are noted from now on: none.
  template <bool kShared>
  std::size_t Apply(Worker& worker, std::size_t noted) {
    for (std::size_t i = 0; i < noted; ++i)
      if (Improve<kShared>(worker.notes[i])) worker.Put(worker.notes[i]);
    return 0;
  }

  template <bool kShared>
  bool Improve(Entry to) {
    std::atomic_ref<T> slot(result_.costs[to.node]);
    T old = slot.load(std::memory_order_relaxed);
    while (to.cost < old) {
      if constexpr (kShared) {
        if (!slot.compare_exchange_weak(old, to.cost, std::memory_order_relaxed)) continue;
      } else {
        slot.store(to.cost, std::memory_order_relaxed);
      }
      return true;
    }
    return false;
  }

  bool Next(Worker& worker) {
    return worker.Next([this](const Entry& e) { return Stale(e); });
  }

  static T Read(T& cost) { return std::atomic_ref(cost).load(std::memory_order_relaxed); }
  bool Stale(const Entry& e) { return Read(result_.costs[e.node]) != e.cost; }

  // What is cheaper than all that waits is final.
  void Truncate() {
    T least = kInfinity;
    auto look = [&](const std::vector<Entry>& list, std::size_t from) {
      for (std::size_t i = from; i < list.size(); ++i)
        if (!Stale(list[i])) least = std::min(least, list[i].cost);
    };
    for (const auto& worker : workers_) {
      for (std::size_t b = 0; b < worker->near.size(); ++b)
        look(worker->near[b], b == worker->now ? worker->at : 0);
      look(worker->far, 0);
    }
    for (const List& list : sharing_.DrainLists()) look(list, 0);
    result_.truncated = least < kInfinity;
    for (T& cost : result_.costs)
      if (cost >= least) cost = kInfinity;
  }

  const std::span<const WeightedRows> rows_;
  const bool small_ = rows_[0].rows.arc_count() <= kSmallArcs;
  const T delta_, per_delta_;
  const Budget& budget_;
  Executor& executor_;
  DeltaResult<T> result_;
  std::vector<std::unique_ptr<Worker>>
      workers_;  // one a thread; the first begins with all the work
  WorkSharing<Entry> sharing_;
  std::atomic<bool> stop_ = false;  // the budget ran out, or memory
  std::atomic<bool> out_of_memory_ = false;
};

}  // namespace

template <class T>
DeltaResult<T> DeltaStepping(std::span<const WeightedRows> rows, NodeId source, T delta,
                             const Budget& budget, Executor& executor) {
  return Stepping<T>(rows, delta, budget, executor).Run(source);
}
template DeltaResult<float> DeltaStepping(std::span<const WeightedRows>, NodeId, float,
                                          const Budget&, Executor&);
template DeltaResult<double> DeltaStepping(std::span<const WeightedRows>, NodeId, double,
                                           const Budget&, Executor&);

}  // namespace plexus::paths::internal
