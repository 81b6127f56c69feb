// Terms of a query: those of its words, and others that hold them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.h"
#include "engine/snapshot.h"

namespace plexus {

inline constexpr std::size_t kMaxExpandedTerms = 1'000;  // What AddTermsContaining fills up to.
inline constexpr std::size_t kMaxQueryTerms = 1'024;   // Bm25 refuses more.

// Computes: the terms of a query: `text` split with the options that the graph keeps
//   (term_record.h), as its texts were, and AddTermsContaining.
// Complexity: O(bytes), and AddTermsContaining's.
// Errors: kFailedPrecondition: the graph has no terms yet. Those of TermSplitter. kCorruption: of
//   the record.
// Threads: thread-safe.
Result<std::vector<std::string>> QueryTerms(const Snapshot& snapshot, std::string_view text);

// Computes: for a Han, kana or Hangul character that is a term by itself, which few texts have, the
//   terms of the index that hold it; added behind `terms`, each once, in order of their ids, up to
//   kMaxExpandedTerms in all.
// Complexity: O(1) where no term is such a character, else O(nodes).
// Errors: none; throws std::bad_alloc.
// Threads: thread-safe.
void AddTermsContaining(const Snapshot& snapshot, std::vector<std::string>& terms);

}  // namespace plexus
