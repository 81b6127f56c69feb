// Terms: the words by which a text is found.
//
// The text is folded (Unicode NFKC_Casefold: case, width, ligatures, ignorable characters), then
// cut at word boundaries (Unicode Standard Annexes #29 and #15, with ICU's dictionaries for scripts
// without blanks: Chinese, Japanese, Thai ...). Words of letters, digits, kana and ideographs are
// terms. Blanks, punctuation and stop words are not. There is no stemming: "dogs" is not "dog". A
// `term` node is named by its term. Boundaries of dictionary scripts may change with ICU's version;
// IndexTerms then finds the differences.
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
  // Left out, compared after folding.
  std::vector<std::string> stop_words;
  bool default_stop_words = true;    // Leaves out EnglishStopWords(), too.
  std::size_t max_term_bytes = 128;  // Longer words (hashes, base64) are no terms.
};

// The 33 words that Lucene's EnglishAnalyzer leaves out.
std::span<const std::string_view> EnglishStopWords();

struct TermCount {
  std::string term;
  std::uint32_t count = 0;  // Occurrences: the term frequency.
  bool operator==(const TermCount&) const = default;
};

// Threads: not thread-safe. Use one for each thread.
class TermSplitter {
 public:
  // Errors: kUnsupported: ICU lacks its data. kInvalidArgument: max_term_bytes above 1,000.
  //   kResourceExhausted, kInternal: failures of ICU.
  static Result<TermSplitter> Make(const TermOptions& options = {});
  TermSplitter(TermSplitter&&) noexcept;
  TermSplitter& operator=(TermSplitter&&) noexcept;
  ~TermSplitter();

  // Computes: the terms in order, repetitions included. Bytes that are not UTF-8 count as U+FFFD,
  //   which is in no term.
  // Complexity: O(bytes).
  // Errors: kResourceExhausted: a text over 1 GiB, or no memory. kInternal: a failure of ICU.
  Result<std::vector<std::string>> Split(std::string_view text);
  // Computes: the distinct terms in order of their bytes, with counts.
  // Errors: those of Split.
  Result<std::vector<TermCount>> Count(std::string_view text);

 private:
  struct Impl;
  explicit TermSplitter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace plexus
