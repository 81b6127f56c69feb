// One table of maxima by kind for each csr and run, kept while that part lives.
#include "algorithms/internal/weight_bound.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace plexus::internal {

namespace {

constexpr std::size_t kGrain = std::size_t{1} << 18;
constexpr std::size_t kFewParts = 64;  // so few are never looked through for dead ones

using Maxima = std::vector<float>;  // by kind

void Raise(Maxima& maxima, KindId kind, float weight) {
  if (kind >= maxima.size()) maxima.resize(kind + std::size_t{1}, 0.0f);
  maxima[kind] = std::max(maxima[kind], weight);
}

// Runs of one kind are the rule: rows are sorted by it.
std::optional<Maxima> Scan(const Csr& base, const Budget& budget, Executor& executor) {
  const CsrView out = base.out();
  std::atomic<bool> stop = false;
  auto block = [&](std::size_t begin, std::size_t end) {
    Maxima found;
    if (stop.load(std::memory_order_relaxed) || budget.Interrupted()) {
      stop = true;
      return found;
    }
    for (std::size_t i = begin; i < end;) {
      const KindId kind = out.kind(static_cast<std::uint32_t>(i));
      float most = 0;
      for (; i < end && out.kind(static_cast<std::uint32_t>(i)) == kind; ++i) most = std::max(most, out.weights[i]);
      Raise(found, kind, most);
    }
    return found;
  };
  auto join = [](Maxima all, const Maxima& one) {
    for (std::size_t kind = 0; kind < one.size(); ++kind) Raise(all, static_cast<KindId>(kind), one[kind]);
    return all;
  };
  Maxima all = ParallelReduce(executor, base.arc_count(), kGrain, Maxima(), block, join);
  if (stop) return std::nullopt;
  return all;
}

std::optional<Maxima> Scan(const Run& run, const Budget& budget, Executor&) {
  Maxima found;
  const std::span<const DeltaArc> arcs = run.out.arcs.span();
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    if (i % kGrain == 0 && budget.Interrupted()) return std::nullopt;
    Raise(found, arcs[i].kind, arcs[i].weight);
  }
  return found;
}

// Parts by address; whether the one there is still the same is told by the control block,
// which a weak pointer keeps from being used anew. Entries of dead parts are dropped whenever
// the table has doubled, so it holds at most about twice as many as there are live parts.
class Known {
 public:
  template <class Part>
  std::shared_ptr<const Maxima> Of(const std::shared_ptr<const Part>& part, const Budget& budget, Executor& executor) {
    {
      const std::lock_guard lock(mutex_);
      const auto at = entries_.find(part.get());
      if (at != entries_.end() && !at->second.part.owner_before(part) && !part.owner_before(at->second.part))
        return at->second.maxima;
    }
    std::optional<Maxima> found = Scan(*part, budget, executor);
    if (!found) return nullptr;
    auto made = std::make_shared<const Maxima>(*std::move(found));
    const std::lock_guard lock(mutex_);
    if (entries_.size() >= next_sweep_) {
      std::erase_if(entries_, [](const auto& e) { return e.second.part.expired(); });
      next_sweep_ = std::max(kFewParts, 2 * entries_.size());
    }
    entries_.insert_or_assign(part.get(), Entry{part, made});
    return made;
  }

 private:
  struct Entry {
    std::weak_ptr<const void> part;
    std::shared_ptr<const Maxima> maxima;
  };
  std::mutex mutex_;
  std::unordered_map<const void*, Entry> entries_;
  std::size_t next_sweep_ = kFewParts;
};

Known& TheKnown() {
  static Known known;
  return known;
}

}  // namespace

std::optional<float> LargestWeight(const Snapshot& snapshot, const ArcFilter& filter, const Budget& budget,
                                   Executor& executor) {
  float most = 0;
  auto add = [&](const std::shared_ptr<const Maxima>& maxima) {
    for (std::size_t kind = 0; maxima && kind < maxima->size(); ++kind)
      if (filter.allows(static_cast<KindId>(kind))) most = std::max(most, (*maxima)[kind]);
    return maxima != nullptr;
  };
  if (!add(TheKnown().Of(snapshot.state().base, budget, executor))) return std::nullopt;
  for (const auto& run : snapshot.state().runs)
    if (!add(TheKnown().Of(run, budget, executor))) return std::nullopt;
  return most;
}

}  // namespace plexus::internal
