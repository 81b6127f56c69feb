// Resume tokens: where a search stopped for want of budget, as text.
//
// Searches are deterministic, so a position is two numbers: how many nodes (labels) and
// arcs had been counted. A token holds no part of the search: the search that receives it walks to
// the position again, off the budget, and continues from there. That keeps it 84 characters long
// whatever the search had found, needs no memory between two calls and no file, and makes the last
// of many calls equal to one call without a budget, to the last bit: whether a layer is pushed or
// pulled, which a budget may decide, sums are taken in one order. The price: the k-th call walks k
// budgets.
//
// Besides the position: the snapshot's sequence number, a digest of the query (seeds
// and every option but budget and executor) and a checksum. Text from outside is checked
// against all of them. The checksum has no secret: it finds damage, not forgery. A forged
// position raises the budget of its call by as much as it says, so a host that accepts tokens from
// outside limits the work by a deadline.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "algorithms/common/common.h"
#include "engine/error.h"
#include "engine/snapshot.h"

namespace plexus::traversal::internal {

enum class SearchKind : std::uint8_t { kTraverse = 1, kBfs = 2, kPattern = 3 };

struct SearchPosition {
  std::uint64_t nodes = 0, edges = 0;
};

// A query field by field; seeds by key, so that another graph is another query.
class QueryDigest {
 public:
  QueryDigest(const Snapshot& snapshot, SearchKind search);
  void Add(std::uint64_t value);
  void Add(double value);
  void Add(std::string_view text);
  void Add(const EdgeKinds& kinds);
  void Add(const NodeSubset* subset);
  void AddNode(NodeId node) { Add(snapshot_.key(node)); }

  std::string TokenAt(SearchPosition position) const;
  // `budget` counted from the token's position on; what is unlimited stays so. kInvalidArgument: no
  // token, damaged, or of another query; kFailedPrecondition: of another version of the graph.
  Result<Budget> BudgetFrom(std::string_view token, Budget budget) const;

 private:
  const Snapshot& snapshot_;
  SearchKind search_;
  std::string bytes_;
};

}  // namespace plexus::traversal::internal
