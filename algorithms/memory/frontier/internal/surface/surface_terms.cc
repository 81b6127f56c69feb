// Words: characters counted, digits found, stop words left out.
#include "algorithms/memory/frontier/internal/surface/surface_terms.h"

#include <algorithm>
#include <array>

namespace plexus::memory::internal {

namespace {

// Also as the English stemmer of the index has them.
constexpr std::array<std::string_view, 30> kStopWords = {
    "about",   "after",  "again", "against", "becaus", "because", "befor", "before",
    "between", "could",  "everi", "every",   "first",  "from",    "have",  "into",
    "memori",  "memory", "needs", "should",  "their",  "there",   "these", "thing",
    "through", "using",  "where", "which",   "while",  "would"};

// Stems of 4 characters; "need" is that of a stop word, the others have no longer words.
constexpr std::array<std::string_view, 27> kShortStops = {
    "also", "been", "both", "each", "ever", "from", "have", "here", "into",
    "just", "mani", "more", "most", "much", "must", "need", "onli", "over",
    "same", "some", "than", "them", "veri", "were", "what", "when", "your"};

bool IsStopWord(std::string_view word) {
  return std::binary_search(kStopWords.begin(), kStopWords.end(), word);
}

// The character at the front of `text`, whose bytes are taken off. What is not UTF-8 is U+FFFD.
char32_t Take(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  std::size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  char32_t code = lead < 0x80   ? lead
                  : lead < 0xE0 ? lead & 31u
                  : lead < 0xF0 ? lead & 15u
                                : lead & 7u;
  if ((lead >= 0x80 && lead < 0xC0) || size > text.size()) {
    text.remove_prefix(1);
    return 0xFFFD;
  }
  for (std::size_t i = 1; i < size; ++i)
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 63u);
  text.remove_prefix(size);
  return code;
}

// Scripts that write no blanks, or few: ideographs, kana, hangul.
bool IsWide(char32_t c) {
  constexpr std::array<std::array<char32_t, 2>, 14> kRanges = {{{0x1100, 0x11FF},
                                                                {0x2E80, 0x2FDF},
                                                                {0x3005, 0x3007},
                                                                {0x3021, 0x3029},
                                                                {0x3041, 0x30FF},
                                                                {0x3131, 0x318E},
                                                                {0x31F0, 0x31FF},
                                                                {0x3400, 0x4DBF},
                                                                {0x4E00, 0x9FFF},
                                                                {0xA960, 0xA97C},
                                                                {0xAC00, 0xD7FB},
                                                                {0xF900, 0xFAFF},
                                                                {0xFF66, 0xFFDC},
                                                                {0x20000, 0x3FFFF}}};
  return std::any_of(kRanges.begin(), kRanges.end(),
                     [&](const auto& range) { return c >= range[0] && c <= range[1]; });
}

// Decimal digits of the scripts that write numbers in their own.
bool IsDigit(char32_t c) {
  if (c >= '0' && c <= '9') return true;
  constexpr std::array<char32_t, 9> kZeros = {0x660, 0x6F0, 0x966, 0x9E6, 0xA66,
                                              0xAE6, 0xBE6, 0xE50, 0xFF10};
  return std::any_of(kZeros.begin(), kZeros.end(),
                     [&](char32_t zero) { return c >= zero && c < zero + 10; });
}

bool IsLetter(char32_t c) {
  if (c >= 0x80) return !IsDigit(c);
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

bool IsTellingWord(std::string_view word, bool stems) {
  std::size_t characters = 0;
  bool wide = false, letter = false;
  for (std::string_view rest = word; !rest.empty(); ++characters) {
    const char32_t c = Take(rest);
    wide |= IsWide(c);
    letter |= IsLetter(c);
  }
  if (!letter || characters < (wide ? 2u : stems ? 4u : 5u) || IsStopWord(word)) return false;
  return !stems || !std::ranges::binary_search(kShortStops, word);
}

std::uint32_t Specificity(std::string_view word) {
  std::uint32_t characters = 0, digits = 0;
  for (std::string_view rest = word; !rest.empty(); ++characters) {
    const char32_t c = Take(rest);
    digits += c >= '0' && c <= '9';
  }
  return characters + 2 * digits + (word.find('-') != word.npos ? 2 : 0) +
         (word.find('_') != word.npos ? 2 : 0);
}

std::vector<std::string> AsciiTerms(std::string_view text) {
  std::vector<std::string> terms;
  std::string word;
  const auto end = [&] {
    if (word.size() >= 5 && !IsStopWord(word)) terms.push_back(word);
    word.clear();
  };
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z')
      word += static_cast<char>(c - 'A' + 'a');
    else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_')
      word += c;
    else
      end();
  }
  end();
  std::sort(terms.begin(), terms.end());
  terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
  return terms;
}

}  // namespace plexus::memory::internal
