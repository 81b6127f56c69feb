// Memories that share most of their tags and terms, and nodes whose vectors are near that of one:
// what may be a conflict, a duplicate or a relation.
//
// A set is read with its rarest element first, in one order for all sets. Two sets of Jaccard t or
// more then have their first common element among the first |A| - floor(t |A|) + 1 of each (prefix
// filtering: Chaudhuri, Ganti, Kaushik, "A primitive operator for similarity joins in data
// cleaning", 2006), and not so late that what follows is too little (Xiao, Wang, Lin, Yu,
// "Efficient similarity joins for near duplicate detection", 2008).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/retrieval/vectors.h"
#include "engine/arrays/views.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus::memory::internal {

// Of one snapshot, which must outlive it. Thread-safe.
class WordSets {
 public:
  // An element; of two the smaller one is rarer.
  using Key = std::uint64_t;
  static NodeId NodeOf(Key key) { return static_cast<NodeId>(key); }
  static std::uint64_t RarityOf(Key key) { return key >> 32; }  // arcs that it has in the base

  explicit WordSets(const Snapshot& snapshot);
  // Tags and terms of the node, ascending, each once.
  void Read(NodeId node, std::vector<Key>& keys) const;
  // The first elements, of which a set of Jaccard `least` has one. `size` above 0.
  static std::size_t Prefix(std::size_t size, double least);
  // What Read follows.
  const ArcFilter& filter() const { return filter_; }

 private:
  const Snapshot& snapshot_;
  const StoredCsrView rows_;
  const ArcFilter filter_;
};

// The measure, and how many elements both have. Both ascending, not both empty.
struct SharedWords {
  double jaccard = 0;
  std::uint64_t shared = 0;
};
SharedWords CompareWords(std::span<const WordSets::Key> a, std::span<const WordSets::Key> b);

struct WordPair {
  std::size_t old = 0;  // its place in the list
  NodeId other = kNoNode;
  SharedWords words;
};

struct WordPairs {
  std::vector<WordPair> pairs;  // by old, then by other
  std::uint64_t edges = 0;      // arcs read, and pairs looked at
  bool truncated = false;       // the budget's edges or time were spent
};

// Computes: pairs of an `old` node and one of `others` of Jaccard `least` or more. No node is in
//   both.
// Complexity: O(arcs of all, or of those of `others` that have a first element of an old one, +
//   pairs with a common first element).
// Memory: 8 bytes an arc of `old` and 24 for its first elements.
// Threads: those of `run`; the same answer at any number of them.
WordPairs JoinByWords(const Snapshot& snapshot, std::span<const NodeId> old,
                      const NodeSubset& others, double least, const RunOptions& run);

// The `top` nearest by cosine, those of `least` and more, of `allowed` without the node itself. The
// node need have no vector, the graph no such space; `least` above 1: none.
Result<retrieval::NearestResult> NearVectors(const Snapshot& snapshot, NodeId node,
                                             std::string_view space, double least,
                                             const NodeSubset& allowed, std::size_t top,
                                             const RunOptions& run);

}  // namespace plexus::memory::internal
