// TripleMiner: the k best triples of rows of a SharedIndex, exactly.
//
// A triple is found at its best pair (score, then ids): that pair scores at least the
// triple's mean. So pairs are taken from the best on, event-masked ones too, each is
// completed by every third row that could clear the bar, and the first pair that would
// not clear it three times over ends the search. The third row c of (a, b) must score
// need = 3 * bar - pair(a, b) with both together, and need - pair(a, b) with each, as
// neither may be the better pair: prefixes of the rows of a, of b or of both, whichever
// has the fewest postings, name the candidates, and signatures thin them out.
//
// Same counters at any number of threads, as in PairMiner.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/common/budget.h"
#include "algorithms/similarity/internal/cooccurrence.h"
#include "algorithms/similarity/internal/inverted_index.h"
#include "algorithms/similarity/internal/top_k_sets.h"
#include "engine/parallel.h"

namespace plexus::similarity_internal {

struct TripleQuestion {
  std::size_t k = 100;
  const Together* mask = nullptr;
  const NodeSubset* anchors = nullptr;  // one member must be one of these
  Budget budget;
};

struct TripleAnswer {
  std::vector<ScoredSet<3>> triples;  // best first
  bool truncated = false;
  std::uint64_t compared = 0;
  std::uint64_t scored = 0;
};

// REQUIRES an index without leaders. Truncated also when more than 2^22 pairs clear the
// bar of the triples.
TripleAnswer MineTriples(const SharedIndex& index, const TripleQuestion& question,
                         Executor& executor);

}  // namespace plexus::similarity_internal
