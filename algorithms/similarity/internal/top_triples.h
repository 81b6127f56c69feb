// FindTopTriples: the k best triples of rows of an InvertedIndex, exactly.
//
// A triple is found at its best pair (score, then ids): that pair scores at least the
// triple's mean. So pairs are taken from the best on, event-masked ones too, each is
// completed by every third row that could clear the threshold, and the first pair that would
// not clear it three times over ends the search. The third row c of (a, b) must score
// need = 3 * threshold - pair(a, b) with both together, and need - pair(a, b) with each, as
// neither may be the better pair: prefixes of the rows of a, of b or of both, whichever
// has the fewest postings, name the candidates, and signatures thin them out.
//
// Same counters at any number of threads, as in FindTopPairs.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/common/internal/top_k_sets.h"
#include "algorithms/similarity/internal/cooccurrence.h"
#include "algorithms/similarity/internal/inverted_index.h"
#include "engine/parallel.h"

namespace plexus::similarity::internal {

using common_internal::Better;
using common_internal::ScoredSet;
using common_internal::TopKSets;

struct TripleQuery {
  std::size_t k = 100;
  const CooccurrenceIndex* mask = nullptr;
  const NodeSubset* anchors = nullptr;  // one member must be one of these
  Budget budget;
};

struct TripleResult {
  std::vector<ScoredSet<3>> triples;  // best first
  bool truncated = false;
  std::uint64_t compared = 0;
  std::uint64_t scored = 0;
};

// REQUIRES an index without anchors. Truncated also when more than 2^22 pairs clear the
// threshold of the triples.
TripleResult FindTopTriples(const InvertedIndex& index, const TripleQuery& query,
                            Executor& executor);

}  // namespace plexus::similarity::internal
