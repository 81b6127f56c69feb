// Terms of the surface lens: which words of a text tell, and how specific each is.
//
// kUnicode: the terms of the graph's index that are words of at least 5 characters, or of 2 with an
// ideograph, kana or hangul, and no bare numbers. A graph without an index: the words of the texts,
// as the tokenizer cuts them with TermOptions::Recommended().
// An index with stems has the stems alone, and a word of 5 characters often has one of 4: "cache"
// cach, "hours" hour, "failing" fail. So stems of 4 characters count, but those of words as "when"
// and "also", which no longer word has. Words of 4 that are their own stems count as well ("user");
// words whose stems are shorter ("fixed") do not, or every short word would.
// kAscii: the texts in lower case, cut at every character that is no ASCII letter, digit, "-" or
// "_"; words of 5 bytes and more.
// Both leave 26 stop words out. Specificity = characters + 2 per digit + 2 for "-" + 2 for "_".
// Private to algorithms/memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "algorithms/memory/frontier/frontier.h"
#include "engine/error.h"
#include "engine/snapshot.h"

namespace plexus::memory::internal {

// Of the index or the tokenizer; UTF-8. `stems`: the index has stems.
bool IsTellingWord(std::string_view word, bool stems);
std::uint32_t Specificity(std::string_view word);
// The distinct words of a text by the ASCII rule, ascending.
std::vector<std::string> AsciiTerms(std::string_view text);

// Words of texts by number, where they are no nodes.
struct TermTable {
  bool of_texts = false;
  std::vector<std::string> words;

  std::uint32_t Intern(const std::string& word) {
    const auto [at, added] = numbers_.try_emplace(word, static_cast<std::uint32_t>(words.size()));
    if (added) words.push_back(word);
    return at->second;
  }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

}  // namespace plexus::memory::internal
