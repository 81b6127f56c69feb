// The order in which the divergent lens samples: fresh members first, buckets in turn.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "algorithms/memory/frontier/internal/divergent_lens.h"
#include "algorithms/memory/ledger/internal/trust.h"
#include "engine/vocabulary.h"

namespace plexus::memory::internal {

namespace {

// Months since year 0; absent times have one of their own.
int MonthOf(std::optional<std::int64_t> created_at) {
  if (!created_at) return -1'000'000;
  const std::chrono::sys_time<std::chrono::milliseconds> time{
      std::chrono::milliseconds(*created_at)};
  const std::chrono::year_month_day day{std::chrono::floor<std::chrono::days>(time)};
  return static_cast<int>(day.year()) * 12 + static_cast<int>(static_cast<unsigned>(day.month()));
}

}  // namespace

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

}  // namespace plexus::memory::internal
