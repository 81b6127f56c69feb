// Terms: a text taken apart into the words it can be found by.
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
// indexing again (term_index.h) says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.h"

namespace plexus {

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
  //   or more characters without a digit count once where the text does not have them. A key that
  //   is a number, a hash or a UUID (digits, and a to f) has none. An empty key: only the text.
  Result<std::vector<TermCount>> CountDocument(std::string_view text, std::string_view key);

  // Computes: all words in order, for phrases (phrase.h): stop words, too, in the finest cut (parts
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

}  // namespace plexus
