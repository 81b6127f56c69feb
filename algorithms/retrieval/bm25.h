// Ranking of texts by words (BM25), and phrases in them.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/retrieval/terms.h"
#include "engine/error.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"

namespace plexus {

// --- BM25: facts, or events, ranked by how well their terms answer a query.
//
// Over the postings of terms.h. For query terms t (each once for every time it is
// asked for) and a node d,
//   score(d) = sum over t of  idf(t) * tf * (k1 + 1) / (tf + k1 * (1 - b + b * |d| / avg))
//   idf(t)   = ln(1 + (N - df + 0.5) / (df + 0.5))
// with tf the weight of the arc d -> t, df the facts that have t, |d| the sum of d's
// term frequencies, N and avg the number of facts that have terms and their mean
// length. A term that no fact has adds nothing.
//
// Sources: Robertson, Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009;
// the idf that cannot become negative is Lucene's.

// The texts that hold a phrase. It is scored as one more term of frequency 1.
struct Bm25Phrase {
  std::string name = {};              // As in QueryTerm::term.
  const NodeSubset* nodes = nullptr;  // Those that hold it.
};

struct Bm25Options {
  double k1 = 1.2;                           // Saturation of the term frequency, >= 0.
  double b = 0.75;                           // Normalisation by length, 0 to 1.
  std::size_t top = 20;                      // 0: all.
  std::span<const Bm25Phrase> phrases = {};  // One that no node holds is left out.
  bool events = false;                       // Events by their queries, not facts.
  const NodeSubset* subset = nullptr;        // Nodes that may be found. df and lengths count all.
  // budget: nodes are those that have a term of the query, in order of id; edges are their
  // postings. The deadline and the cancel flag are checked while lengths are counted, too.
  RunOptions run = {};
};

// Alive facts whose texts have terms: `documents` of a Bm25Result. Counted once, then carried. 0
// when the budget is spent before they are counted. Throws std::bad_alloc.
std::uint64_t CountTexts(const Snapshot& snapshot, const RunOptions& run = {});

// One query term and its weight in this graph.
struct QueryTerm {
  std::string term = {};
  std::uint32_t asked = 1;  // Times in the query.
  std::uint64_t df = 0;
  double idf = 0;  // 0 when df is 0.
};

// Of a term that `df` of the documents have.
double Bm25Idf(double documents, double df);

// The part of a score that comes from one query term.
struct TermShare {
  std::size_t term = 0;  // Index into Bm25Result::terms.
  float frequency = 0;
  double score = 0;  // They add up to the node's score.
};

struct Bm25Hit {
  NodeId node = kNoNode;
  double score = 0;
  double length = 0;
  std::vector<TermShare> shares = {};  // One for each query term that the node has.
};

struct Bm25Result {
  std::vector<QueryTerm> terms;  // Distinct, in order of first mention, then the phrases.
  std::uint64_t documents = 0;
  double average_length = 0;
  std::uint64_t found = 0;    // Nodes with any of the terms.
  std::vector<Bm25Hit> hits;  // Best first, ties by smaller id.
  // The budget ran out: the best of the first nodes that have a term. No hits, and terms
  // without df, when it ran out before all lengths and postings were known.
  bool truncated = false;
};

// Computes: the best nodes for `terms`, as of TermSplitter::Split. None of them may be the
//   name of a phrase.
// Complexity: O(postings * log terms + found). The first query counts the lengths of all facts;
//   changes carry them.
// Errors: kInvalidArgument: k1 or b out of range, or more than 1,024 terms and phrases.
//   kResourceExhausted: no memory.
// Threads: thread-safe. The same bits at any thread count.
Result<Bm25Result> Bm25(const Snapshot& snapshot, std::span<const std::string> terms,
                        const Bm25Options& options = {});

// The same for the words of `text`, as the graph's own texts became terms (terms.h).
// Errors: those of QueryTerms, too. kInvalidArgument: no word to search for.
Result<Bm25Result> Bm25(const Snapshot& snapshot, std::string_view text,
                        const Bm25Options& options = {});

// Computes: for each of `nodes` the match that Bm25 would have found, by the terms of `asked`, its
//   answer to the same phrases in the same snapshot; a node without any of them has no match. In
//   the order of `nodes`. Nothing of an answer that did not come to its terms.
// Complexity: O(has_term arcs of the nodes), where Bm25 reads the postings of every term.
// Errors: those of Bm25. Threads: as Bm25.
Result<std::vector<Bm25Hit>> Bm25Of(const Snapshot& snapshot, const Bm25Result& asked,
                                    std::span<const NodeId> nodes, const Bm25Options& options = {});

// --- Phrases: texts that hold words side by side, as a query in double quotes asks.
//
// The index has no places of words. So postings of the phrase's terms are intersected, and the
// texts of the few nodes left are read and cut again.

// snow "large cat" -> phrases {large cat}. `words` is the query without quotes. A quote without an
// end is no quote.
struct PhraseQuery {
  std::string words = {};
  std::vector<std::string> phrases = {};
};
PhraseQuery ParsePhrases(std::string_view query);

inline constexpr std::size_t kMaxPhrases = 16;  // of a query; equal ones count once

struct PhraseOptions {
  TermOptions terms = {};              // Those of the index.
  const NodeSubset* subset = nullptr;  // Nodes that may be found. Null: all alive nodes.
  // No text is read, and none found, when more nodes than this have the phrases' terms.
  std::uint64_t max_texts = std::numeric_limits<std::uint64_t>::max();
  RunOptions run = {};  // budget: only the deadline and the cancel flag.
};

struct PhraseResult {
  NodeSubset nodes;         // They hold every phrase.
  std::uint64_t texts = 0;  // Texts read.
  bool too_many = false;    // Above max_texts.
  bool truncated = false;   // The budget ran out: nodes may be missing.
};

// Computes: the alive nodes of the subset whose text, or one of whose indexed properties, holds the
//   words of each phrase side by side (TermSplitter::Words). Phrases of only stop words exclude no
//   node beforehand, so all texts of the subset are read.
// Complexity: O(postings of the phrases' terms + bytes of the texts read).
// Errors: kInvalidArgument: no phrase, more than kMaxPhrases, or one without a word. Those of
// TermSplitter. kCorruption:
//   from the payload store. kResourceExhausted: no memory.
// Threads: thread-safe, parallel over texts. The same set at any thread count unless truncated.
Result<PhraseResult> NodesWithPhrases(const Snapshot& snapshot,
                                      std::span<const std::string> phrases,
                                      const PhraseOptions& options);

}  // namespace plexus
