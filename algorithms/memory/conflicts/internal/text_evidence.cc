// One pass over the bytes; letters beyond ASCII are parts of words.
#include "algorithms/memory/conflicts/internal/text_evidence.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace plexus::memory::internal {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

void Distinct(std::vector<std::string>& words) {
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
}

bool Denies(std::string_view word) {
  static constexpr std::array<std::string_view, 8> kWords = {"not",     "never",  "no",      "none",
                                                             "without", "cannot", "neither", "nor"};
  return std::ranges::find(kWords, word) != kWords.end() || word.ends_with("n't");
}

}  // namespace

std::vector<std::string> NumbersIn(std::string_view text) {
  std::vector<std::string> numbers;
  const auto digit_at = [&](std::size_t i) { return i < text.size() && IsDigit(text[i]); };
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!IsDigit(text[at])) continue;
    const bool touches_before = at > 0 && IsLetter(text[at - 1]);
    std::string number;
    std::size_t end = at;
    for (; end < text.size(); ++end) {
      const char c = text[end];
      if (IsDigit(c)) {
        number += c;
      } else if (c == '.' && digit_at(end + 1)) {
        number += c;
      } else if (c == ',' && digit_at(end + 1)) {
        const bool thousands = digit_at(end + 2) && digit_at(end + 3) && !digit_at(end + 4);
        if (!thousands) number += c;
      } else {
        break;
      }
    }
    const bool touches_after = end < text.size() && IsLetter(text[end]);
    if (!touches_before && !touches_after) numbers.push_back(std::move(number));
    at = end;
    while (touches_after && at < text.size() && (IsLetter(text[at]) || IsDigit(text[at]))) ++at;
  }
  Distinct(numbers);
  return numbers;
}

std::vector<std::string> NegationsIn(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    std::string word;
    for (; at < text.size() && (IsLetter(text[at]) || text[at] == '\''); ++at)
      word +=
          text[at] >= 'A' && text[at] <= 'Z' ? static_cast<char>(text[at] - 'A' + 'a') : text[at];
    if (word.empty()) {
      ++at;
      continue;
    }
    if (Denies(word)) words.push_back(std::move(word));
  }
  Distinct(words);
  return words;
}

}  // namespace plexus::memory::internal
