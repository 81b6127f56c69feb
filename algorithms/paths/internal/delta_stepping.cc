// Every thread works off buckets of its own; none waits at a bucket's end.
//
// An entry is a node and the cost it was pushed with: when the node has become cheaper
// since, the entry is stale and passed over, so no row is read twice for one cost. One
// thread begins, without atomics. Once a bucket is large, others join: who has nothing to
// do, or is too far ahead of another's bucket, is given half of the rest of one.
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

namespace plexus::paths_internal {

namespace {

constexpr std::size_t kFillGrain = 1 << 16;
constexpr std::size_t kMuch = 128;      // entries of a bucket that is worth waking others
constexpr std::size_t kArcsEach = 128;  // so many arcs are worth as much as an entry
constexpr std::size_t kBatch = 32;      // entries between looks at what others want
constexpr std::size_t kBatchArcs = 4096;
constexpr std::uint64_t kClock = 32;  // batches between looks at the budget
constexpr std::size_t kGiveLeast =
    32;                    // entries (or their arcs) left of a bucket that is worth halving
constexpr int kSlack = 2;  // buckets that a thread may be ahead of the last
constexpr std::size_t kDone = 4096;   // entries of a bucket that may stay behind
constexpr std::size_t kNoted = 1024;  // improvements kept before they are applied
constexpr std::size_t kPlaceAhead =
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
  Stepping(std::span<const CostedRows> rows, T delta, const Budget& budget, Executor& executor)
      : rows_(rows), delta_(delta), per_delta_(1 / delta), budget_(budget), executor_(executor) {
    result_.costs = AlignedArray<T>(rows[0].rows.node_count());
    ParallelFor(executor_, result_.costs.size(), kFillGrain,
                [&](std::size_t begin, std::size_t end) {
                  std::fill(result_.costs.begin() + begin, result_.costs.begin() + end, kInfinity);
                });
    seats_.push_back(std::make_unique<Seat>(per_delta_));
  }

  DeltaResult<T> Run(NodeId source) {
    const auto threads = static_cast<std::size_t>(std::max(1, executor_.thread_count()));
    std::size_t much = threads > 1 ? kMuch : std::numeric_limits<std::size_t>::max();
    result_.costs[source] = 0;
    seats_[0]->Put({source, 0});
    while (!Alone(*seats_[0], much) && !stop_) {
      while (seats_.size() < threads) seats_.push_back(std::make_unique<Seat>(per_delta_));
      exchange_.Open();
      auto task = [&](std::size_t) { Together(*seats_[exchange_.Sit()]); };
      executor_.Run(threads, BlockTask(task));
      if (out_of_memory_) throw std::bad_alloc();
      if (stop_) break;
      Gather();
      much *= 2;
    }
    if (stop_) Truncate();
    return std::move(result_);
  }

 private:
  static constexpr T kInfinity = std::numeric_limits<T>::infinity();

  using Entry = CostEntry<T>;
  using List = std::vector<Entry>;
  struct Seat : CostBuckets<T> {
    using CostBuckets<T>::CostBuckets;
    std::uint64_t batches = 0;
    std::size_t noted = 0, copied = 0;
    std::array<Entry, kNoted> notes;               // improvements seen and not yet applied
    std::array<NodeId, kCopied> ends;              // of short rows' arcs not yet looked at
    std::array<T, kCopied> offers;                 // and what they would cost
    alignas(64) std::atomic<T> level = kInfinity;  // what it has left costs that at least
  };

  // Until nothing is left (true), the budget ends, or a bucket holds `much`.
  bool Alone(Seat& seat, std::size_t much) {
    while (Next(seat)) {
      if (Holds(seat, much)) return false;
      WorkOff<false>(seat);
      if (stop_.load(std::memory_order_relaxed)) return false;
    }
    return true;
  }

  // After a loop: whatever any thread left behind, and lists that nobody took, for the first.
  void Gather() {
    List left;
    for (const auto& seat : seats_) {
      seat->level = kInfinity;
      if (seat == seats_[0]) continue;
      for (List& list : seat->near) {
        left.insert(left.end(), list.begin(), list.end());
        list.clear();
      }
      left.insert(left.end(), seat->far.begin(), seat->far.end());
      seat->far.clear();
      seat->waiting = seat->at = 0;
    }
    Receive(*seats_[0], left);
    for (const List& list : exchange_.TakeLists()) Receive(*seats_[0], list);
  }

  // As much as so many entries, or their arcs, are left of the bucket.
  bool Holds(const Seat& seat, std::size_t much) const {
    if (much == std::numeric_limits<std::size_t>::max()) return false;
    const std::vector<Entry>& list = seat.near[seat.now];
    if (list.size() - seat.at >= much) return true;
    std::uint64_t arcs = 0;
    for (std::size_t i = seat.at; i < list.size(); ++i)
      for (const CostedRows& side : rows_) arcs += side.rows.degree(list[i].node);
    return arcs / kArcsEach >= much;
  }

  // A task must not throw.
  void Together(Seat& seat) {
    try {
      Share(seat);
    } catch (const std::bad_alloc&) {
      out_of_memory_ = stop_ = true;
      exchange_.Leave();
    }
  }

  void Share(Seat& seat) {
    auto stopped = [&] { return stop_.load(std::memory_order_relaxed); };
    while (!stopped() && !exchange_.deserted()) {
      if (!Next(seat)) {
        seat.level.store(kInfinity, std::memory_order_relaxed);
        if (!Receive(seat, exchange_.Starve(stopped))) return;
        continue;
      }
      seat.level.store(seat.base + static_cast<T>(seat.now) * delta_, std::memory_order_relaxed);
      if (Ahead(seat) && Receive(seat, exchange_.Ask([&] { return Ahead(seat) && !stopped(); })))
        continue;
      WorkOff<true>(seat);
    }
    seat.level.store(kInfinity, std::memory_order_relaxed);
    exchange_.Leave();
  }

  bool Ahead(const Seat& seat) const {
    const T level = seat.level.load(std::memory_order_relaxed) - kSlack * delta_;
    for (const auto& other : seats_)
      if (other->level.load(std::memory_order_relaxed) < level) return true;
    return false;
  }

  bool Receive(Seat& seat, const List& list) {
    if (list.empty()) return false;
    if (seat.empty()) {
      seat.base = std::ranges::min(list, {}, &Entry::cost).cost;
      seat.now = 0;
    }
    for (const Entry& entry : list) {
      seat.now = std::min(seat.now, seat.Bucket(entry.cost));
      seat.Put(entry);
    }
    return true;
  }

  // Half of what is left of the bucket.
  void GiveHalf(Seat& seat) {
    if (!Holds(seat, kGiveLeast)) return;
    std::vector<Entry>& list = seat.near[seat.now];
    const std::size_t left = list.size() - seat.at;
    if (left < 2) return;
    const auto from = list.end() - static_cast<std::ptrdiff_t>(left / 2);
    exchange_.Give(std::vector<Entry>(from, list.end()));
    list.erase(from, list.end());
    seat.waiting -= left / 2;
  }

  // The bucket at work, and what falls back into it.
  template <bool kShared>
  void WorkOff(Seat& seat) {
    std::vector<Entry>& list = seat.near[seat.now];  // may grow and shrink meanwhile
    Begin(list, seat.at);
    while (seat.at < list.size()) {
      if (seat.batches++ % kClock == 0 && budget_.Interrupted()) stop_ = true;
      if (stop_.load(std::memory_order_relaxed)) return;
      if (kShared && exchange_.wanted()) GiveHalf(seat);
      std::size_t arcs = 0;
      for (const std::size_t past = std::min(seat.at + kBatch, list.size());
           seat.at < past && arcs < kBatchArcs; ++seat.at) {
        LookAhead(list, seat.at);
        arcs += Node<kShared>(seat, list[seat.at]);
      }
      Offer<kShared>(seat);
      seat.noted = Apply<kShared>(seat, seat.noted);
      // What is done goes: nodes of a wide bucket may come again and again.
      if (seat.at >= kDone && 2 * seat.at >= list.size()) {
        list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(seat.at));
        seat.waiting -= std::exchange(seat.at, 0);
      }
    }
    seat.Empty();
  }

  // What entries ahead need is fetched in two steps: a row cannot be before its place is known.
  void Begin(const List& list, std::size_t at) {
    const std::size_t left = list.size() - at;
    for (std::size_t i = at; i < at + std::min(kPlaceAhead, left); ++i) FetchPlace(list[i]);
    for (std::size_t i = at; i < at + std::min(kRowAhead, left); ++i) FetchRow(list[i]);
  }
  void LookAhead(const List& list, std::size_t at) {
    if (at + kPlaceAhead < list.size()) FetchPlace(list[at + kPlaceAhead]);
    if (at + kRowAhead < list.size()) FetchRow(list[at + kRowAhead]);
  }
  void FetchPlace(const Entry& entry) const {
    Prefetch(&result_.costs[entry.node]);
    for (const CostedRows& side : rows_) side.FetchPlace(entry.node);
  }
  void FetchRow(const Entry& entry) {
    if (small_ || Stale(entry)) return;
    for (const CostedRows& side : rows_) side.FetchRow(entry.node);
  }

  // Returns how many arcs there were.
  template <bool kShared>
  std::size_t Node(Seat& seat, Entry from) {
    std::size_t arcs = 0;
    for (const CostedRows& side : rows_) {
      const CsrView& rows = side.rows;
      if (!side.costs.empty())
        arcs += Row<kShared>(seat, from, rows, [costs = side.costs.data()](std::uint32_t a) {
          return static_cast<T>(costs[a]);
        });
      else if (!rows.weights.empty())
        arcs += Row<kShared>(seat, from, rows, [weights = rows.weights.data()](std::uint32_t a) {
          return static_cast<T>(weights[a]);
        });
      else
        arcs += Row<kShared>(seat, from, rows, [](std::uint32_t) { return T{1}; });
    }
    return arcs;
  }

  template <bool kShared, class CostOf>
  std::size_t Row(Seat& seat, Entry from, const CsrView& rows, const CostOf& cost_of) {
    const std::uint32_t first = rows.offsets[from.node], past = rows.offsets[from.node + 1];
    const NodeId* const neighbors = rows.neighbors.data();
    const bool stale = Stale(from);
    if (past - first <= kShortRow && small_ &&
        first + std::size_t{kShortRow} <= rows.neighbors.size()) {
      if (seat.copied + kShortRow > kCopied) Offer<kShared>(seat);
      std::memcpy(&seat.ends[seat.copied], neighbors + first, kShortRow * sizeof(NodeId));
      std::array<T, kShortRow> offers;
      for (std::uint32_t i = 0; i < kShortRow; ++i) offers[i] = from.cost + cost_of(first + i);
      std::memcpy(&seat.offers[seat.copied], offers.data(), sizeof offers);
      const std::uint32_t arcs = (past - first) * static_cast<std::uint32_t>(!stale);
      seat.copied += arcs;
      return arcs;
    }
    if (stale) return 0;
    T* const costs = result_.costs.data();
    Entry* const notes = seat.notes.data();
    std::size_t noted = seat.noted;
    if (noted + kLongRow > kNoted) noted = Apply<kShared>(seat, noted);
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
        if (noted == kNoted) noted = Apply<kShared>(seat, noted);
      }
    }
    seat.noted = noted;
    return past - first;
  }

  // Notes which of the copied arcs improve something.
  template <bool kShared>
  void Offer(Seat& seat) {
    std::size_t noted = seat.noted;
    if (noted + seat.copied > kNoted) noted = Apply<kShared>(seat, noted);
    for (std::size_t i = 0; i < seat.copied; ++i) {
      const Entry to{seat.ends[i], seat.offers[i]};
      seat.notes[noted] = to;
      noted += to.cost < Read(result_.costs[to.node]);
    }
    seat.noted = noted;
    seat.copied = 0;
  }

  // Returns how many are noted from now on: none.
  template <bool kShared>
  std::size_t Apply(Seat& seat, std::size_t noted) {
    for (std::size_t i = 0; i < noted; ++i)
      if (Improve<kShared>(seat.notes[i])) seat.Put(seat.notes[i]);
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

  bool Next(Seat& seat) {
    return seat.Next([this](const Entry& e) { return Stale(e); });
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
    for (const auto& seat : seats_) {
      for (std::size_t b = 0; b < seat->near.size(); ++b)
        look(seat->near[b], b == seat->now ? seat->at : 0);
      look(seat->far, 0);
    }
    for (const List& list : exchange_.TakeLists()) look(list, 0);
    result_.truncated = least < kInfinity;
    for (T& cost : result_.costs)
      if (cost >= least) cost = kInfinity;
  }

  const std::span<const CostedRows> rows_;
  const bool small_ = rows_[0].rows.arc_count() <= kSmallArcs;
  const T delta_, per_delta_;
  const Budget& budget_;
  Executor& executor_;
  DeltaResult<T> result_;
  std::vector<std::unique_ptr<Seat>> seats_;  // one a thread; the first has what there is
  WorkExchange<Entry> exchange_;
  std::atomic<bool> stop_ = false;  // the budget ran out, or memory
  std::atomic<bool> out_of_memory_ = false;
};

}  // namespace

template <class T>
DeltaResult<T> DeltaStepping(std::span<const CostedRows> rows, NodeId source, T delta,
                             const Budget& budget, Executor& executor) {
  return Stepping<T>(rows, delta, budget, executor).Run(source);
}
template DeltaResult<float> DeltaStepping(std::span<const CostedRows>, NodeId, float, const Budget&,
                                          Executor&);
template DeltaResult<double> DeltaStepping(std::span<const CostedRows>, NodeId, double,
                                           const Budget&, Executor&);

}  // namespace plexus::paths_internal
