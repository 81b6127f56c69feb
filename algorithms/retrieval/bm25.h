// BM25: facts ranked by how well their terms answer a query.
//
// Over the postings of term_index.h. For query terms t (each once for every time it is
// asked for) and a node d,
//   score(d) = sum over t of  idf(t) * tf * (k1 + 1) / (tf + k1 * (1 - b + b * |d| / avg))
//   idf(t)   = ln(1 + (N - df + 0.5) / (df + 0.5))
// with tf the weight of the arc d -> t, df the facts that have t, |d| the sum of d's
// term frequencies, N and avg the number of facts that have terms and their mean
// length. Terms that nobody has add nothing.
// Sources: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and
// Beyond", 2009; the idf that cannot become negative is Lucene's.
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

// Texts that hold a phrase (phrase.h): scored as one more term, with a frequency of 1 in each.
struct Bm25Phrase {
  std::string name;                   // as QueryTerm::term has it
  const NodeSubset* nodes = nullptr;  // those that hold it
};

struct Bm25Options {
  double k1 = 1.2;                           // how soon more of the same term stops to help, >= 0
  double b = 0.75;                           // how much a long text is held against it, 0 to 1
  std::size_t top = 20;                      // 0 = all
  std::span<const Bm25Phrase> phrases = {};  // one that nobody holds is left out
  bool events = false;  // rank events by their queries (TermOptions::event_queries), not facts
  // What may be found; df and lengths are of all facts (events).
  const NodeSubset* subset = nullptr;
  // budget: nodes are those that have a term of the query, looked at in order of id; edges are
  // their postings. Deadline and cancel flag are looked at while lengths are counted, too.
  RunOptions run = {};
};

// One query term and what it is worth here.
struct QueryTerm {
  std::string term;
  std::uint32_t asked = 1;  // times in the query
  std::uint64_t df = 0;
  double idf = 0;  // 0 when df is 0
};

// Why a node was found: one entry for each query term that it has.
struct TermShare {
  std::size_t term = 0;  // index into Bm25Result::terms
  float frequency = 0;
  double score = 0;  // these add up to the node's score
};

struct Bm25Match {
  NodeId node = kNoNode;
  double score = 0;
  double length = 0;
  std::vector<TermShare> shares;
};

struct Bm25Result {
  std::vector<QueryTerm> terms;  // distinct, in order of first mention; then the phrases
  std::uint64_t documents = 0;
  double average_length = 0;
  std::uint64_t found = 0;         // nodes with any of the terms
  std::vector<Bm25Match> matches;  // best first, ties by smaller id
  // The budget ran out: these are the best of the first nodes that have a term. None, and terms
  // without df, when it did before all lengths and postings were known, as no score is right
  // without.
  bool truncated = false;
};

// `terms` as TermSplitter::Split gives them, none of them a phrase's name. O(postings * log terms +
// found), once the lengths of all facts are known: counted by the first query, then carried with
// the graph's changes (term_lengths.h). Thread-safe; the same bits at any thread count. Errors:
// kInvalidArgument for options out of range or more than 1,024 terms.
Result<Bm25Result> Bm25(const Snapshot& snapshot, std::span<const std::string> terms,
                        const Bm25Options& options = {});

}  // namespace plexus
