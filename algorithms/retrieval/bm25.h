// BM25: facts ranked by the terms that they share with a query (Robertson, Zaragoza, "The
// Probabilistic Relevance Framework: BM25 and Beyond", 2009; Lucene's idf, which is never
// negative).
//
//   score(d) = sum over t of  idf(t) * tf * (k1 + 1) / (tf + k1 * (1 - b + b * |d| / avg))
//   idf(t)   = ln(1 + (N - df + 0.5) / (df + 0.5))
//
// t runs over the query's terms, repeated ones included. tf is the weight of the arc d -> t
// (term_index.h), df the number of facts with t, |d| the sum of d's term frequencies. N facts have
// terms, avg is their mean length. A term without facts adds nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/common/node_subset.h"
#include "algorithms/common/run_options.h"
#include "engine/error.h"
#include "engine/snapshot.h"

namespace plexus {

struct Bm25Options {
  double k1 = 1.2;                     // Saturation of repeated terms, >= 0.
  double b = 0.75;                     // Penalty of long texts, 0 to 1.
  std::size_t top = 20;                // 0: all.
  const NodeSubset* subset = nullptr;  // Nodes that may match. df and lengths count all facts.
  // budget: nodes are those with a term of the query, in order of id; edges are their postings.
  // Deadline and cancel flag also stop the counting of lengths.
  RunOptions run = {};
};

// A query term and its statistics.
struct QueryTerm {
  std::string term;
  std::uint32_t asked = 1;  // Occurrences in the query.
  std::uint64_t df = 0;
  double idf = 0;  // 0 when df is 0.
};

// The part of a score that comes from one query term of the node.
struct TermShare {
  std::size_t term = 0;  // Index into Bm25Result::terms.
  float frequency = 0;
  double score = 0;  // They add up to the node's score.
};

struct Bm25Match {
  NodeId node = kNoNode;
  double score = 0;
  double length = 0;
  std::vector<TermShare> shares;
};

struct Bm25Result {
  std::vector<QueryTerm> terms;  // Distinct, in order of first mention.
  std::uint64_t documents = 0;
  double average_length = 0;
  std::uint64_t found = 0;         // Nodes with any of the terms.
  std::vector<Bm25Match> matches;  // Best first, ties by smaller id.
  // The budget ran out. Matches are the best of the first nodes with a term. When lengths and
  // postings were not yet counted there are no matches and no df.
  bool truncated = false;
};

// Computes: the best facts for `terms`, as TermSplitter::Split returns them.
// Complexity: O(postings * log terms + found). The first query also counts the lengths of all
//   facts; changes then carry them (term_lengths.h).
// Errors: kInvalidArgument: options out of range or more than 1,024 terms. kResourceExhausted: no
//   memory.
// Threads: thread-safe. The bits are the same at any thread count.
Result<Bm25Result> Bm25(const Snapshot& snapshot, std::span<const std::string> terms,
                        const Bm25Options& options = {});

}  // namespace plexus
