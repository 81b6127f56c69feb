// The k best pairs or triples of rows of an InvertedIndex, exactly, without comparing all.
//
// FindTopPairs: terms are taken from the rarest on, each with the list of the rows that have it. A
// pair is found in the list of its *first* common term t: all it shares then lies in both rows
// from t on, so a row whose tail from t on weighs less than the k-th best score (the threshold)
// need not stand in the list of t at all (the prefix filter of Bayardo, Ma, Srikant,
// "Scaling up all pairs similarity search", 2007). Rare terms are cheap and heavy, so the
// threshold is near its end before the long lists come. A long list is cut again by the second
// common term with what is left of the threshold, and so on (PostingListJoin); what remains are
// short lists, compared pair by pair through their signatures (PairBound), and the few pairs that
// pass are scored exactly, looked up in the mask and offered to the list of the best.
//
// Ties are decided by ids, and a threshold with a thousand ties must not cost a comparison of
// all of them: a pair that starts with a row after the k-th best pair's must exceed the threshold.
// A row whose exact tail only equals it is then no *probe*: it may still be the second of a pair.
// With anchors (rows that come first) only they are probes.
//
// FindTopTriples: a triple is found at its best pair (score, then ids): that pair scores at least
// the triple's mean. So pairs are taken from the best on, event-masked ones too, each is completed
// by every third row that could clear the threshold, and the first pair that would not clear it
// three times over ends the search. The third row c of (a, b) must score need = 3 * threshold -
// pair(a, b) with both together, and need - pair(a, b) with each, as neither may be the better
// pair: prefixes of the rows of a, of b or of both, whichever has the fewest postings, name the
// candidates, and signatures thin them out.
//
// Work is cut into rounds and tasks only by counts and each task starts from the threshold at
// the end of the round before, so every counter is the same at any number of threads.
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

struct PairQuery {
  std::size_t k = 100;
  ScoredSet<2> threshold;                   // only better pairs; default: any positive score
  const CooccurrenceIndex* mask = nullptr;  // null: nothing is masked
  bool events_mask = true;                  // false: shared events do not mask, links do
  bool anchors_only = false;                // one member must be an anchor of the index
  std::uint64_t least_common = 1;           // pairs with fewer common terms are left out
  Budget budget;
};

struct TripleQuery {
  std::size_t k = 100;
  const CooccurrenceIndex* mask = nullptr;
  const NodeSubset* anchors = nullptr;  // one member must be one of these
  Budget budget;
};

template <int kMembers>
struct TopSets {
  std::vector<ScoredSet<kMembers>> sets;  // best first
  bool truncated = false;
  std::uint64_t compared = 0;
  std::uint64_t scored = 0;
};

TopSets<2> FindTopPairs(const InvertedIndex& index, const PairQuery& query, Executor& executor);

// REQUIRES an index without anchors. Truncated also when more than 2^22 pairs clear the
// threshold of the triples.
TopSets<3> FindTopTriples(const InvertedIndex& index, const TripleQuery& query, Executor& executor);

}  // namespace plexus::similarity::internal
