// Terms of a query beyond those of its words.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/snapshot.h"

namespace plexus {

inline constexpr std::size_t kMostQueryTerms = 1'000;  // What AddTermsThatHold fills up to.
inline constexpr std::size_t kMaxQueryTerms = 1'024;   // Bm25 refuses more.

// Computes: for a Han, kana or Hangul character that is a term by itself, which few texts have, the
//   terms of the index that hold it; added behind `terms`, each once, in order of their ids, up to
//   kMostQueryTerms in all.
// Complexity: O(1) where no term is such a character, else O(nodes).
// Errors: none; throws std::bad_alloc.
// Threads: thread-safe.
void AddTermsThatHold(const Snapshot& snapshot, std::vector<std::string>& terms);

}  // namespace plexus
