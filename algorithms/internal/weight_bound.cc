// One table of maxima by kind for each csr and run, kept while that part lives.
#include "algorithms/internal/weight_bound.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/internal/part_cache.h"

namespace plexus::internal {

namespace {

constexpr std::size_t kGrain = std::size_t{1} << 18;

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

constexpr std::size_t kFewParts = 64;  // so few are never looked through for dead ones

PartCache<const Maxima>& TheKnown() {
  static PartCache<const Maxima> known(kFewParts);
  return known;
}

template <class Part>
std::shared_ptr<const Maxima> MaximaOf(const std::shared_ptr<const Part>& part, const Budget& budget, Executor& executor) {
  if (std::shared_ptr<const Maxima> there = TheKnown().Find(part)) return there;
  std::optional<Maxima> found = Scan(*part, budget, executor);
  return found ? TheKnown().Keep(part, std::make_shared<const Maxima>(*std::move(found))) : nullptr;
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
  if (!add(MaximaOf(snapshot.state().base, budget, executor))) return std::nullopt;
  for (const auto& run : snapshot.state().runs)
    if (!add(MaximaOf(run, budget, executor))) return std::nullopt;
  return most;
}

}  // namespace plexus::internal
