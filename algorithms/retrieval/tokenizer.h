// Terms: a text taken apart into the words it can be found by.
//
// The text is folded (Unicode NFKC_Casefold: case, width, ligatures, ignorable
// characters), then cut at word boundaries (UAX #29, with ICU's dictionaries for
// scripts that do not write blanks: Chinese, Japanese, Thai ...). Words of letters,
// digits, kana and ideographs are terms; blanks and punctuation are not, nor are stop
// words. No stemming: "dogs" is not "dog". Terms are what a `term` node is named by.
//
// Sources: Unicode Standard Annexes #29 and #15. The boundaries of scripts that need
// a dictionary may move with ICU's version; indexing again (term_index.h) tells.
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
  // Left out, compared after folding. Default: EnglishStopWords().
  std::vector<std::string> stop_words;
  bool default_stop_words = true;    // those of EnglishStopWords(), too
  std::size_t max_term_bytes = 128;  // longer words (hashes, base64) are no terms
};

// The 33 words that Lucene's EnglishAnalyzer leaves out.
std::span<const std::string_view> EnglishStopWords();

struct TermCount {
  std::string term;
  std::uint32_t count = 0;  // occurrences, "term frequency"
  bool operator==(const TermCount&) const = default;
};

// Not thread-safe: one for each thread.
class TermSplitter {
 public:
  // kUnsupported when ICU lacks its data; kInvalidArgument for max_term_bytes beyond 1000.
  static Result<TermSplitter> Make(const TermOptions& options = {});
  TermSplitter(TermSplitter&&) noexcept;
  TermSplitter& operator=(TermSplitter&&) noexcept;
  ~TermSplitter();

  // Terms in order, repetitions included. O(bytes). Bytes that are not UTF-8 count as
  // U+FFFD, which is in no term. kResourceExhausted, kInternal: ICU's own failures.
  Result<std::vector<std::string>> Split(std::string_view text);
  // Distinct terms in order of their bytes.
  Result<std::vector<TermCount>> Count(std::string_view text);

 private:
  struct Impl;
  explicit TermSplitter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace plexus
