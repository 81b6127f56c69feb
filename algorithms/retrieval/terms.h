// Terms of texts: how a text is split, which index the graph keeps of them, the terms of a query,
// ranking by them (BM25), and phrases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/error.h"
#include "engine/monitoring/monitoring.h"
#include "engine/parallel.h"
#include "engine/record.h"
#include "engine/snapshot.h"
#include "engine/write_batch.h"

namespace plexus::retrieval {

// --- Text without regard to case, as `find`, `ilike` and the words of texts compare it.

// Computes: Unicode's NFKC_Casefold (Standard Annex #15): letters of all scripts without case (the
//   German sharp s is "ss"), one spelling of accents, width and ligatures, no invisible characters;
//   and the typographic apostrophe (U+2019) as the plain one. Bytes that are not UTF-8 become
//   U+FFFD. Where ICU lacks its data, only ASCII letters change.
// Complexity: O(bytes).
// Errors: std::bad_alloc, as of any string.
// Threads: thread-safe.
std::string FoldText(std::string_view text);

// --- Terms: a text taken apart into the words it can be found by.
//
// The text is folded (Unicode NFKC_Casefold: case, width, ligatures, ignorable characters), then
// cut at word boundaries (UAX #29, with ICU's dictionaries for scripts that do not write blanks:
// Chinese, Japanese, Thai ...). Words of letters, digits, kana and ideographs are terms; blanks
// and punctuation are not, nor are stop words. Terms are what a `term` node is named by.
//
// Options make more of a word. A query is split with the options of its index, so both sides agree.
//
// Sources: Unicode Standard Annexes #29 and #15; Porter, "Snowball: A language for stemming
// algorithms", 2001. The boundaries of scripts that need a dictionary may move with ICU's version;
// indexing again says.

struct TermOptions {
  // Words that are no terms, compared after folding.
  std::vector<std::string> stop_words = {};
  bool default_stop_words = true;    // Those of EnglishStopWords(), too.
  std::size_t max_term_bytes = 128;  // Longer words (hashes, base64) are no terms. At most 1000.

  // Latin and Greek letters lose their accents: "café" and "cafe" are one term.
  bool fold_accents = false;
  // "get_user_by_id", "engine.parallel" and "getUserById" are also the terms of their parts (of two
  // bytes or more). "-" and "/" are word boundaries anyhow.
  bool split_identifiers = false;
  // Every two Han, kana or Hangul characters side by side are a term beside the dictionary's words,
  // so what a dictionary cuts in another way is found all the same.
  bool cjk_bigrams = false;
  // "’" is "'", and a word loses a possessive "'s": "Ada's" is found by "Ada", "O’Brien" by
  // "O'Brien".
  bool fold_apostrophes = false;
  // Words are cut to the stem that Snowball's algorithm of this language finds ("english",
  // "german", "fr" ...). "": none. Stop words are left out before, accents folded after.
  std::string stemmer = {};
  // With English stems and fold_accents: accents are folded before, as the stemmer knows none.
  bool fold_before_stems = false;

  // Of an index: a fact with a text is found by the words of its key, too (CountDocument).
  bool keys = false;
  // With `keys`: facts without a text, too.
  bool all_keys = false;
  // Of an index: a fact is found by the words of these properties, too: of strings and of strings
  // in lists. The fact needs no text.
  std::vector<std::string> properties = {};
  // Of an index, not of a text: events have the terms of their text too, which is the query that
  // they answered.
  bool event_queries = false;

  // The options of a new index: all of these, with English stems.
  static TermOptions Recommended();
  bool operator==(const TermOptions&) const = default;
};

// The 33 words that Lucene's EnglishAnalyzer leaves out.
std::span<const std::string_view> EnglishStopWords();

struct TermCount {
  std::string term = {};
  std::uint32_t count = 0;  // Occurrences (term frequency).
  bool operator==(const TermCount&) const = default;
};

// Splits texts. Errors of all members: kUnsupported: ICU lacks its data. kResourceExhausted: a text
// over 1 GiB, or no memory. kInternal: other failures of ICU.
// Threads: not thread-safe; use one for each thread.
class TermSplitter {
 public:
  // Errors: kInvalidArgument: max_term_bytes out of range, or an unknown stemmer.
  static Result<TermSplitter> Make(const TermOptions& options = {});
  TermSplitter(TermSplitter&&) noexcept;
  TermSplitter& operator=(TermSplitter&&) noexcept;
  ~TermSplitter();

  // Computes: the terms in order with repetitions, then the parts of identifiers and the pairs.
  //   Bytes that are not UTF-8 count as U+FFFD, which is in no term.
  // Complexity: O(bytes).
  Result<std::vector<std::string>> Split(std::string_view text);
  // Computes: the distinct terms in order of their bytes.
  Result<std::vector<TermCount>> Count(std::string_view text);
  // Computes: the same of a fact's text and, with TermOptions::keys, of its key: its words of three
  //   or more characters (of Han, kana and Hangul one) without a digit count once where the text
  //   does not have them. A key that is a number, a hash or a UUID (digits, and a to f) has none.
  //   An empty key: only the text.
  Result<std::vector<TermCount>> CountDocument(std::string_view text, std::string_view key);

  // Computes: all words in order, for phrases: stop words, too, in the finest cut (parts
  //   of identifiers if they are split, Han, kana and Hangul characters in pairs), folded and
  //   stemmed as terms are. A text holds a phrase when its words contain those of the phrase side
  //   by side.
  Result<std::vector<std::string>> Words(std::string_view text);
  // Computes: the terms that every indexed text with the phrase has. None for only stop words.
  Result<std::vector<std::string>> PhraseTerms(std::string_view phrase);

 private:
  struct Impl;
  explicit TermSplitter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// --- What a graph remembers of its index of terms, and what the index does not cover.
//
// The record is the index node inscription:plexus.terms; its properties say with which stop words
// and switches (TermOptions) the index was made, and the sequence of these properties how far it
// reaches: every text (and property that is indexed) of an earlier sequence is indexed, unless they
// say `partial`. That holds where every writer of texts during the first AddTerms or IndexTerms
// uses AddTerms, too. Exports carry it with the has_term edges. A graph without one, indexed by an
// earlier version, has the default stop words and no switches; a record names the switches that are
// on. AddTerms and IndexTerms keep it.

struct TermRecord {
  // What the index was made with; of a graph without terms, what one is made with.
  TermOptions terms = {};
  PayloadRef stored = {};  // None: there is no record.
  bool partial = false;    // Texts from before it may not be indexed.
  std::int64_t runs = 0;   // Times that it was written.
  // Texts of this sequence and earlier are indexed; 0: not known.
  Sequence covers() const { return partial || !stored ? 0 : stored.sequence(); }
};

// Complexity: O(bytes of the record). Errors: kCorruption, a record that is none; the payload
// store's. Threads: thread-safe, as all below.
Result<TermRecord> ReadTermRecord(const Snapshot& snapshot);
// Says in `batch` that all texts of the graph it is applied to (unless `partial`) are indexed with
// `terms`. The batch expects the record to be `before` still. Errors: kResourceExhausted.
Status WriteTermRecord(WriteBatch& batch, const TermRecord& before, const TermOptions& terms,
                       bool partial = false);

NodeRef TermRecordNode(WriteBatch& batch);  // Named, not made.

// True when both make the same terms of every text.
bool SameOptions(const TermOptions& a, const TermOptions& b);
// Errors: kFailedPrecondition: the record has other options; the first of them by name.
Status CheckOptions(const TermRecord& record, const TermOptions& terms);

struct NotIndexed {
  std::uint64_t facts = 0;         // Their terms are not those of their text.
  std::uint64_t not_compared = 0;  // Nobody knows whether their terms are those of their text.
  bool none() const { return facts == 0 && not_compared == 0; }
};
// Of the facts, of `subset` if it is given, and without one of indexed events. In doubt are those
// whose text is newer than the record, those with a text and no terms (only they where there is no
// record), and those with terms and no text. Up to 4,096 in doubt are read and compared, which is
// exact. Of more, nothing is read: those that have one without the other count as not indexed (also
// a text without a word), the rest as not compared, and so do properties without terms.
// O(nodes in doubt), the first time O(nodes).
// Errors: the payload store's.
Result<NotIndexed> CountNotIndexed(const Snapshot& snapshot, const TermRecord& record,
                                   const NodeSubset* subset);
// Facts, of `subset` if it is given, whose text is newer than `covers`, or whose properties are
// where `terms` index some. As above; of 0: O(nodes). No text is read.
std::uint64_t CountNewerTexts(const Snapshot& snapshot, Sequence covers,
                              const NodeSubset* subset = nullptr, const TermOptions& terms = {});
// The newest batch that wrote the text of a fact, or its properties where `terms` index some; 0: it
// has neither. No payload is read.
Sequence NewestText(const Snapshot& snapshot, NodeId node, const TermOptions& terms);

// --- Terms of a query: those of its words, and others that hold them.

inline constexpr std::size_t kMaxExpandedTerms = 1'000;  // What AddTermsContaining fills up to.
inline constexpr std::size_t kMaxQueryTerms = 1'024;     // Bm25 refuses more.

// Computes: the terms of a query: `text` split with the options that the graph keeps,
//   as its texts were, and AddTermsContaining.
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

// --- The index of terms: texts of facts, and of events when that is switched on, as arcs to term
// nodes.
//
// A term is a node of kind `term` (index plane), an occurrence an edge of kind
// has_term from the fact or event to the term whose weight is the term frequency. So a posting
// list is the in-row of a term, its length the document frequency df, and "shares rare
// terms" a question about common neighbours. Kernels that read never write: the index
// is brought up to date by a caller who applies the batches made here.

// The graph has terms, so its texts were indexed once. O(1).
bool HasTerms(const Snapshot& snapshot);

struct IndexTermsOptions {
  TermOptions terms = {};              // Others than the graph keeps: of all nodes at once.
  std::int64_t now_ms = kNoTime;       // Time of the batches, as of a WriteBatch.
  const NodeSubset* subset = nullptr;  // Only these nodes. Null: all facts and events.
  // An earlier snapshot of the same graph: only nodes whose text was written since, or that have
  // no terms yet.
  const Snapshot* since = nullptr;
  std::size_t batch_ops = 262'144;  // Operations of one batch, about.
  // Bytes of texts that are compared before their batch is filled, about.
  std::size_t wave_bytes = std::size_t{32} << 20;
  // budget: only the deadline and the cancel flag. They are checked every 1,024 nodes.
  RunOptions run = {};
  Progress* progress = nullptr;  // Counts nodes.
};

struct IndexTermsReport {
  std::uint64_t texts = 0;     // Texts read.
  std::uint64_t changed = 0;   // Nodes whose terms were not up to date.
  std::uint64_t linked = 0;    // Occurrences that are new or of another frequency.
  std::uint64_t unlinked = 0;  // Occurrences that are gone.
  // The budget ran out. Later nodes keep their terms. A repeated call compares the earlier ones
  // again, so it needs more time.
  bool truncated = false;
  // Of AddTerms where properties or all keys are indexed: nodes compared of which nothing is.
  std::uint64_t without = 0;
  bool operator==(const IndexTermsReport&) const = default;
};

// Computes: the difference between the terms of every alive fact's text and its has_term arcs, as
//   batches in order of node id. A node without a text loses its terms; so does an event without
//   TermOptions::event_queries. A second call without changes makes no batch. A batch expects the
//   texts and the has_term arcs that its nodes had in `snapshot`: kConflict when another writer was
//   faster with one of them; then call again with a newer snapshot, which compares what is left. An
//   error of `apply` ends the work. Options other than those kept are recorded by the first batch,
//   which expects that nothing was applied since `snapshot`. Where all of it was done, the last
//   batch records the options, and that all texts are indexed. Who writes the
//   batches through a LinkWriter (engine/bulk/load.h) loads a large index at once.
// Complexity: O(bytes of texts + has_term arcs).
// Memory: the texts of a wave (wave_bytes), and a batch.
// Errors: those of TermSplitter and `apply`. kFailedPrecondition: for a part of the nodes, other
//   options than the graph keeps. kCorruption: from the payload store. kCancelled: the progress was
//   cancelled. kResourceExhausted: no memory.
// Threads: parallel over texts. Batches do not depend on the thread count.
Result<IndexTermsReport> IndexTerms(const Snapshot& snapshot, const IndexTermsOptions& options,
                                    const std::function<Status(const WriteBatch&)>& apply);

// Computes: the has_term edges that keep the index up to date when `batch` is applied to a graph in
//   the state `snapshot`, and adds them to it: for every fact (with TermOptions::event_queries
//   every event, too) whose text the batch writes or clears, the terms of its last text. Text and
//   terms become visible and durable together. A text that is written as it is stored keeps its
//   terms, except for term nodes that the batch removes. A removed term node loses the occurrences
//   in texts that the batch does not write; IndexTerms restores them. has_term edges that the batch
//   itself writes for those nodes are replaced. `texts` of the report counts new texts. The batch
//   expects the has_term arcs that those nodes had in `snapshot`: when another writer changes them
//   in between Apply says kConflict, and the batch is made again with a newer snapshot. It must not
//   be completed twice.
//   Texts become terms with the options that the graph keeps. A graph that keeps
//   none yet keeps from this batch on those of the call, or TermOptions::Recommended(); one that
//   was indexed before they were kept, those of the call, or TermOptions(). The batch expects them
//   not to change.
// Complexity: O(operations of the batch + bytes of its texts + has_term arcs of their nodes).
// Errors: those of TermSplitter and WriteBatch::CheckRefs. kFailedPrecondition: other options than
//   the graph keeps; the message names the first. kCorruption: from the payload store.
//   kResourceExhausted: no memory. The batch is unchanged then.
// Threads: parallel over texts. The batch does not depend on the thread count.
Result<IndexTermsReport> AddTerms(const Snapshot& snapshot, WriteBatch& batch,
                                  Executor* executor = nullptr);
Result<IndexTermsReport> AddTerms(const Snapshot& snapshot, const TermOptions& terms,
                                  WriteBatch& batch, Executor* executor = nullptr);

// --- BM25: facts, or events, ranked by how well their terms answer a query.
//
// Over the postings of terms. For query terms t (each once for every time it is
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

// The same for the words of `text`, as the graph's own texts became terms.
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

}  // namespace plexus::retrieval
