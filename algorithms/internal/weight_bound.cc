// One table of maxima by kind for each csr and run, kept while that part lives.
#include "algorithms/internal/weight_bound.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace plexus::internal {

namespace {

constexpr std::size_t kGrain = std::size_t{1} << 18;
constexpr std::size_t kMostParts = 64;

using Maxima = std::vector<float>;  // by kind

void Raise(Maxima& maxima, KindId kind, float weight) {
  if (kind >= maxima.size()) maxima.resize(kind + std::size_t{1}, 0.0f);
  maxima[kind] = std::max(maxima[kind], weight);
}

// Runs of one kind are the rule: rows are sorted by it.
Maxima Scan(const Csr& base, Executor& executor) {
  const CsrView out = base.out();
  auto block = [&](std::size_t begin, std::size_t end) {
    Maxima found;
    for (std::size_t i = begin; i < end;) {
      const KindId kind = out.kind(static_cast<std::uint32_t>(i));
      float most = 0;
      for (; i < end && out.kind(static_cast<std::uint32_t>(i)) == kind; ++i) most = std::max(most, out.weights[i]);
      Raise(found, kind, most);
    }
    return found;
  };
  return ParallelReduce(executor, base.arc_count(), kGrain, Maxima(), block, [](Maxima all, const Maxima& one) {
    for (std::size_t kind = 0; kind < one.size(); ++kind) Raise(all, static_cast<KindId>(kind), one[kind]);
    return all;
  });
}

Maxima Scan(const Run& run, Executor&) {
  Maxima found;
  for (const DeltaArc& arc : run.out.arcs.span()) Raise(found, arc.kind, arc.weight);
  return found;
}

// Parts by identity: the control block, which a weak pointer keeps from being used anew.
class Known {
 public:
  template <class Part>
  std::shared_ptr<const Maxima> Of(const std::shared_ptr<const Part>& part, Executor& executor) {
    {
      const std::lock_guard lock(mutex_);
      for (const Entry& e : entries_)
        if (!e.part.owner_before(part) && !part.owner_before(e.part)) return e.maxima;
    }
    auto made = std::make_shared<const Maxima>(Scan(*part, executor));
    const std::lock_guard lock(mutex_);
    std::erase_if(entries_, [](const Entry& e) { return e.part.expired(); });
    if (entries_.size() >= kMostParts) entries_.erase(entries_.begin());
    entries_.push_back({part, made});
    return made;
  }

 private:
  struct Entry {
    std::weak_ptr<const void> part;
    std::shared_ptr<const Maxima> maxima;
  };
  std::mutex mutex_;
  std::vector<Entry> entries_;
};

Known& TheKnown() {
  static Known known;
  return known;
}

}  // namespace

float LargestWeight(const Snapshot& snapshot, const ArcFilter& filter, Executor& executor) {
  float most = 0;
  auto add = [&](const Maxima& maxima) {
    for (std::size_t kind = 0; kind < maxima.size(); ++kind)
      if (filter.allows(static_cast<KindId>(kind))) most = std::max(most, maxima[kind]);
  };
  add(*TheKnown().Of(snapshot.state().base, executor));
  for (const auto& run : snapshot.state().runs) add(*TheKnown().Of(run, executor));
  return most;
}

}  // namespace plexus::internal
