// NodeSubset: an immutable set of nodes, one bit each.
//
// Scopes, visible nodes (memory/visibility.h), the active set of a traversal and explicit lists are
// subsets. Bits lie in pages that sets share: a copy costs a pointer a page, a changed set (With)
// the pages that differ. Bits past the last node are 0.
//
// Threads: every const member is thread-safe, and sets are freely shared.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "algorithms/common/budget.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

class NodeSubset {
 public:
  NodeSubset() = default;
  // From words: bit v % 64 of word v / 64 is node v. Bits at or past `capacity` are cleared.
  // REQUIRES words.size() == ceil(capacity / 64).
  NodeSubset(NodeId capacity, std::vector<std::uint64_t> words);

  // The alive nodes of the fact plane. O(nodes).
  static NodeSubset Facts(const Snapshot& snapshot);
  // The alive nodes of both planes. O(nodes).
  static NodeSubset Alive(const Snapshot& snapshot);
  // The alive fact nodes whose scope is in `scopes`. "user" includes nodes without a scope. An
  // unused name selects nothing. The graph can keep its nodes in order of scope and kind, which
  // follows every batch: then O(members + nodes / 64) ("user": O(nodes with a scope) more), else
  // O(nodes). `keep_orders`: make the order where it is not kept, O(nodes log nodes).
  // kCancelled: deadline or cancel flag of `budget`.
  static Result<NodeSubset> InScopes(const Snapshot& snapshot,
                                     std::span<const std::string_view> scopes,
                                     bool keep_orders = false, const Budget& budget = {});
  // The alive nodes of these kinds, of both planes; `keep_orders` as above.
  static NodeSubset OfKinds(const Snapshot& snapshot, std::span<const NodeKindId> kinds,
                            bool keep_orders = false);
  // Computes: exactly these nodes. Duplicates and removed nodes are accepted; kernels skip removed
  //   ones.
  // Errors: kInvalidArgument: an id that the snapshot does not have (the message names it).
  //   kResourceExhausted: no memory.
  static Result<NodeSubset> Of(const Snapshot& snapshot, std::span<const NodeId> nodes);

  // This set for `capacity` nodes, in which `changed` are members or not, by `member`. New ids are
  // no members unless named. O(pages + changed). REQUIRES capacity >= capacity() and changed ids
  // below it.
  struct Change {
    NodeId node = {};
    bool member = {};
  };
  NodeSubset With(NodeId capacity, std::span<const Change> changed) const;

  // The members of both sets. O(nodes / 64).
  NodeSubset Intersect(const NodeSubset& other) const;
  // The members of this set that are none of the other. O(nodes / 64).
  NodeSubset Except(const NodeSubset& other) const;
  // The members of either set, below the capacity of this one. O(nodes / 64).
  NodeSubset Unite(const NodeSubset& other) const;

  bool contains(NodeId node) const {
    return node < capacity_ &&
           (pages_[node / kPageNodes][node % kPageNodes / 64] >> (node % 64)) & 1;
  }
  NodeId capacity() const { return capacity_; }   // Ids at or past it are not members.
  std::uint64_t count() const { return count_; }  // Members. O(1).
  std::size_t word_count() const { return (std::size_t{capacity_} + 63) / 64; }
  // Bit v % 64 of word v / 64 is node v. REQUIRES w < word_count().
  std::uint64_t word(std::size_t w) const { return pages_[w / kPageWords][w % kPageWords]; }
  std::uint64_t size_bytes() const;
  std::vector<NodeId> ToList() const;              // Ascending.
  bool operator==(const NodeSubset& other) const;  // Same members.

 private:
  std::vector<std::uint64_t> ToWords() const;

  static constexpr NodeId kPageNodes = NodeId{1} << 15;
  static constexpr std::size_t kPageWords = kPageNodes / 64;

  NodeId capacity_ = 0;
  std::uint64_t count_ = 0;
  std::vector<const std::uint64_t*> pages_;  // the last may end with the words of its capacity
  std::vector<std::shared_ptr<const void>> owners_;  // of the pages
};

}  // namespace plexus
