// Forms of words by ICU, Snowball and a few ranges; see word_forms.h.
#include "algorithms/retrieval/internal/word_forms.h"

#include <libstemmer.h>
#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/uscript.h>
#include <cstdint>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "algorithms/retrieval/terms.h"

namespace plexus::retrieval::internal {

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }

// Letters that have no decomposition, in lower case.
std::string_view Plain(char32_t c) {
  switch (c) {
    case U'æ':
      return "ae";
    case U'œ':
      return "oe";
    case U'ø':
      return "o";
    case U'ł':
      return "l";
    case U'đ':
    case U'ð':
      return "d";
    case U'ħ':
      return "h";
    case U'ı':
      return "i";
    case U'þ':
      return "th";
    case U'ŧ':
      return "t";
    default:
      return "";
  }
}

}  // namespace

void Stemmer::Deleter::operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }

Result<Stemmer> Stemmer::Make(const std::string& language) {
  Stemmer made;
  made.stemmer_.reset(sb_stemmer_new(language.c_str(), "UTF_8"));
  if (made.stemmer_) return made;
  std::string names;
  for (const char** name = sb_stemmer_list(); *name; ++name)
    names += (names.empty() ? "" : ", ") + std::string(*name);
  return Invalid("terms: no stemmer for '", language, "'; there are ", names);
}

std::string_view Stemmer::Stem(std::string_view word) const {
  const sb_symbol* stem =
      sb_stemmer_stem(stemmer_.get(), reinterpret_cast<const sb_symbol*>(word.data()),
                      static_cast<int>(word.size()));
  if (!stem) return word;  // out of memory
  return {reinterpret_cast<const char*>(stem),
          static_cast<std::size_t>(sb_stemmer_length(stemmer_.get()))};
}

Status FoldAccents(std::string& word) {
  if (std::ranges::none_of(word, [](char c) { return c & 0x80; })) return {};
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* decompose = icu::Normalizer2::getNFDInstance(status);
  std::string parts;
  icu::StringByteSink<std::string> sink(&parts);
  if (U_SUCCESS(status))
    decompose->normalizeUTF8(0,
                             icu::StringPiece(word.data(), static_cast<std::int32_t>(word.size())),
                             sink, nullptr, status);
  std::string kept;
  bool accented = false;  // marks that follow go
  for (std::size_t at = 0; at < parts.size();) {
    const Utf8Character c = CharacterAt(parts, at);
    const bool mark = c.code >= 0x300 && c.code <= 0x36F;
    if (!mark) {
      UErrorCode ignored = U_ZERO_ERROR;
      const UScriptCode script = uscript_getScript(static_cast<UChar32>(c.code), &ignored);
      accented = script == USCRIPT_LATIN || script == USCRIPT_GREEK;
    }
    const std::string_view plain = Plain(c.code);
    if (!plain.empty())
      kept += plain;
    else if (!mark || !accented)
      kept += parts.substr(at, c.bytes);
    at += c.bytes;
  }
  word.clear();
  icu::StringByteSink<std::string> composed(&word);
  const icu::Normalizer2* compose =
      U_SUCCESS(status) ? icu::Normalizer2::getNFCInstance(status) : nullptr;
  if (U_SUCCESS(status))
    compose->normalizeUTF8(0, icu::StringPiece(kept.data(), static_cast<std::int32_t>(kept.size())),
                           composed, nullptr, status);
  if (U_FAILURE(status))
    return Fail(
        status == U_MEMORY_ALLOCATION_ERROR ? ErrorCode::kResourceExhausted : ErrorCode::kInternal,
        std::string("terms: ICU says ") + u_errorName(status));
  return {};
}

void FoldApostrophes(std::string& text) {
  constexpr std::string_view kTypographic = "\u2019";
  std::size_t found = text.find(kTypographic);
  if (found == std::string::npos) return;
  std::string plain;
  std::size_t begin = 0;
  for (; found != std::string::npos; found = text.find(kTypographic, begin)) {
    plain.append(text, begin, found - begin).push_back('\'');
    begin = found + kTypographic.size();
  }
  plain.append(text, begin);
  text = std::move(plain);
}

bool IsCjk(char32_t c) {
  if (c < 0x1100) return false;
  const auto code = static_cast<UChar32>(c);
  if (!u_isUAlphabetic(code)) return false;
  for (const UScriptCode script : {USCRIPT_HAN, USCRIPT_HIRAGANA, USCRIPT_KATAKANA, USCRIPT_HANGUL})
    if (uscript_hasScript(code, script)) return true;
  return false;
}

Utf8Character CharacterAt(std::string_view text, std::size_t at) {
  std::int32_t next = 0;
  UChar32 code = 0;
  const std::string_view rest = text.substr(at, 4);
  U8_NEXT_OR_FFFD(rest.data(), next, static_cast<std::int32_t>(rest.size()), code);
  return {static_cast<char32_t>(code), static_cast<std::size_t>(next)};
}

std::vector<Piece> SeparatedParts(std::string_view word) {
  std::vector<Piece> parts(1);
  for (std::size_t i = 0; i < word.size(); ++i) {
    const bool number = word[i] == '.' && i > 0 && i + 1 < word.size() && IsDigit(word[i - 1]) &&
                        IsDigit(word[i + 1]);
    if (word[i] != '_' && (word[i] != '.' || number)) {
      parts.back().end = i + 1;
      continue;
    }
    parts.push_back({i + 1, i + 1});
  }
  return parts;
}

std::vector<Piece> CamelCaseParts(std::string_view text, std::size_t max_bytes) {
  std::vector<Piece> parts;
  const auto in_word = [](char c) { return IsUpper(c) || IsLower(c) || IsDigit(c); };
  for (std::size_t begin = 0; begin < text.size();) {
    if (!in_word(text[begin])) {
      ++begin;
      continue;
    }
    std::size_t end = begin;
    while (end < text.size() && in_word(text[end])) ++end;
    const bool foreign =
        (begin > 0 && (text[begin - 1] & 0x80)) || (end < text.size() && (text[end] & 0x80));
    const std::size_t before = parts.size();
    parts.push_back({begin, end});
    for (std::size_t i = begin + 1; i < end; ++i) {
      const bool starts =
          IsUpper(text[i]) && (!IsUpper(text[i - 1]) || (i + 1 < end && IsLower(text[i + 1])));
      if (!starts) continue;
      parts.back().end = i;
      parts.push_back({i, end});
    }
    if (foreign || end - begin > max_bytes || parts.size() == before + 1) parts.resize(before);
    begin = end;
  }
  return parts;
}

}  // namespace plexus::retrieval::internal

namespace plexus::retrieval {

std::string FoldText(std::string_view text) {
  std::string folded(text);
  for (char& c : folded)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (std::ranges::none_of(text, [](char c) { return c & 0x80; })) return folded;
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* folder = icu::Normalizer2::getNFKCCasefoldInstance(status);
  if (U_FAILURE(status) || text.size() > std::numeric_limits<std::int32_t>::max()) return folded;
  folded.clear();
  icu::StringByteSink<std::string> sink(&folded);
  folder->normalizeUTF8(0, icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())),
                        sink, nullptr, status);
  if (U_FAILURE(status)) throw std::bad_alloc();  // All else that ICU can lack here is memory.
  internal::FoldApostrophes(folded);
  return folded;
}

}  // namespace plexus::retrieval
