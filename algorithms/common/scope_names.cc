// By the kept order of scopes, or by looking at every node.
#include "algorithms/common/common.h"

#include <algorithm>

#include "algorithms/common/internal/node_order.h"
#include "engine/vocabulary.h"

namespace plexus {

using common_internal::NodeOrder;

Result<std::vector<StringId>> ScopesInUse(const Snapshot& snapshot, const Budget& budget) {
  constexpr std::uint64_t kLookEvery = 1 << 12;
  const auto late = [] { return Cancelled("which scopes there are was not found in time"); };
  std::vector<StringId> scopes;
  if (const auto order = NodeOrder::Kept(snapshot, builtin::kScope)) {
    for (std::uint64_t rank = 0; rank < order->size();) {
      if (scopes.size() % kLookEvery == 0 && budget.Interrupted()) return late();
      const std::uint64_t scope = order->At(rank).key;
      scopes.push_back(static_cast<StringId>(scope));
      rank = order->Rank({scope + 1, 0});
    }
    return scopes;
  }
  std::vector<bool> met;  // by StringId
  for (NodeId v = 0; v < snapshot.node_count(); ++v) {
    if (v % kLookEvery == 0 && budget.Interrupted()) return late();
    if (!snapshot.alive(v)) continue;
    const auto scope = snapshot.string_column(builtin::kScope, v);
    if (!scope) continue;
    if (*scope >= met.size()) met.resize(*scope + std::size_t{1});
    if (!met[*scope]) scopes.push_back(*scope);
    met[*scope] = true;
  }
  std::ranges::sort(scopes);
  return scopes;
}

Result<std::vector<std::string_view>> UnusedScopes(const Snapshot& snapshot,
                                                   std::span<const std::string_view> scopes,
                                                   const Budget& budget) {
  std::vector<std::string_view> unused;
  const auto order = NodeOrder::Kept(snapshot, builtin::kScope);
  std::vector<StringId> used;
  if (!order) PLEXUS_SET(used, ScopesInUse(snapshot, budget));
  for (const std::string_view scope : scopes) {
    if (scope == builtin::kDefaultScope) continue;
    const auto id = snapshot.FindString(scope);
    const bool is_used = id && (order ? order->Rank({*id, 0}) < order->Rank({*id + 1ull, 0})
                                      : std::ranges::binary_search(used, *id));
    if (!is_used) unused.push_back(scope);
  }
  return unused;
}

}  // namespace plexus
