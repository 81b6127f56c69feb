// Which scopes the nodes of a graph have.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "algorithms/common/budget.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

// Computes: those of `scopes` that no alive node has, of either plane, in their order. Nodes
//   without a scope have kDefaultScope, which is always in use.
// Complexity: O(scopes log nodes) where the graph keeps its nodes in order of scope
//   (NodeSubset::InScopes), else O(nodes).
// Errors: kCancelled: deadline or cancel flag of `budget`.
// Threads: thread-safe.
Result<std::vector<std::string_view>> UnusedScopes(const Snapshot& snapshot,
                                                   std::span<const std::string_view> scopes,
                                                   const Budget& budget = {});

// Computes: the scopes that alive nodes have in their column, of both planes, ascending.
// Complexity: O(scopes log nodes) where the order is kept, else O(nodes).
// Errors, threads: as above.
Result<std::vector<StringId>> ScopesInUse(const Snapshot& snapshot, const Budget& budget = {});

}  // namespace plexus
