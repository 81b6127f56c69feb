// What a word becomes before it is a term: stems, letters without accents, parts of identifiers,
// pairs of ideographs. Free functions on UTF-8 in normal form; tokenizer.cc puts them in order.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.h"

struct sb_stemmer;

namespace plexus::retrieval::internal {

// Snowball's algorithm for a language. Not thread-safe.
class Stemmer {
 public:
  // kInvalidArgument names the languages there are.
  static Result<Stemmer> Make(const std::string& language);
  // Valid until the next call.
  std::string_view Stem(std::string_view word) const;

 private:
  struct Deleter {
    void operator()(sb_stemmer* stemmer) const;
  };
  std::unique_ptr<sb_stemmer, Deleter> stemmer_;
};

// Latin and Greek letters without their accents: "café" -> "cafe", "łódź" -> "lodz". Other scripts
// stay, as a mark is part of the letter there ("й", "が"). Status: ICU's failures.
Status FoldAccents(std::string& word);

// The typographic apostrophe (U+2019) as the plain one.
void FoldApostrophes(std::string& text);

// A letter of a script that writes no blanks between words or few: Han, kana, Hangul.
bool IsCjk(char32_t c);
// The character at the front and its bytes. REQUIRES text not empty and UTF-8.
struct Utf8Character {
  char32_t code;
  std::size_t bytes;
};
Utf8Character CharacterAt(std::string_view text, std::size_t at);

// [begin, end) in bytes.
struct Piece {
  std::size_t begin = 0, end = 0;
};
// A word between "_" and ".": "." between digits parts nothing. One piece: no identifier.
std::vector<Piece> SeparatedParts(std::string_view word);
// The parts of "getUserById", "HTTPServer", "utf8Decode" in a text as it was written; nothing for
// words without such a change of case, next to letters beyond ASCII, or over `max_bytes` (base64).
std::vector<Piece> CamelCaseParts(std::string_view text, std::size_t max_bytes);

}  // namespace plexus::retrieval::internal
