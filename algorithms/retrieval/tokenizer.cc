// Folding and cutting by ICU, forms of words. Words of a query as the index has them, and a look at
// every term of it; see terms.h.
#include "algorithms/retrieval/terms.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include <unicode/brkiter.h>
#include <unicode/bytestream.h>
#include <unicode/locid.h>
#include <unicode/normalizer2.h>
#include <unicode/ubrk.h>
#include <unicode/utext.h>

#include "algorithms/retrieval/internal/word_forms.h"
#include "engine/out_of_memory.h"
#include "engine/vocabulary.h"

namespace plexus::retrieval {

namespace {

constexpr std::array<std::string_view, 33> kEnglishStopWords = {
    "a",   "an",    "and",  "are",   "as",    "at",   "be",   "but", "by",  "for",  "if",
    "in",  "into",  "is",   "it",    "no",    "not",  "of",   "on",  "or",  "such", "that",
    "the", "their", "then", "there", "these", "they", "this", "to",  "was", "will", "with"};

std::unexpected<Error> IcuError(UErrorCode status) {
  return Fail(status == U_MEMORY_ALLOCATION_ERROR ? ErrorCode::kResourceExhausted
              : status == U_MISSING_RESOURCE_ERROR || status == U_FILE_ACCESS_ERROR
                  ? ErrorCode::kUnsupported
                  : ErrorCode::kInternal,
              std::string("terms: ICU says ") + u_errorName(status));
}

}  // namespace

std::span<const std::string_view> EnglishStopWords() { return kEnglishStopWords; }

TermOptions TermOptions::Recommended() {
  TermOptions options;
  options.fold_accents = options.split_identifiers = options.cjk_bigrams = true;
  options.fold_apostrophes = true;
  options.keys = true;
  options.stemmer = "english";
  options.fold_before_stems = true;
  options.event_queries = true;
  return options;
}

struct TermSplitter::Impl {
  const icu::Normalizer2* folder = nullptr;  // ICU's own, shared
  std::unique_ptr<icu::BreakIterator> words;
  std::set<std::string, std::less<>> stop_words;
  TermOptions options;
  std::optional<internal::Stemmer> stemmer;
  std::string folded, form;

  Status Fold(std::string_view text) {
    UErrorCode status = U_ZERO_ERROR;
    folded.clear();
    icu::StringByteSink<std::string> sink(&folded);
    folder->normalizeUTF8(0, icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())),
                          sink, nullptr, status);
    if (U_FAILURE(status)) return IcuError(status);
    if (options.fold_apostrophes) internal::FoldApostrophes(folded);
    return {};
  }

  // fn(begin, end) in `folded` for every word of `text`, stop words too.
  template <class Fn>
  Status ForEachWord(std::string_view text, Fn&& fn) {
    if (text.size() > (std::size_t{1} << 30)) return Exhausted("terms: a text over 1 GiB");
    PLEXUS_TRY(Fold(text));
    UErrorCode status = U_ZERO_ERROR;
    UText view = UTEXT_INITIALIZER;
    utext_openUTF8(&view, folded.data(), static_cast<std::int64_t>(folded.size()), &status);
    if (U_SUCCESS(status)) words->setText(&view, status);
    if (U_FAILURE(status)) {
      utext_close(&view);
      return IcuError(status);
    }
    Status done;
    for (std::int32_t begin = words->first(), end;
         done && (end = words->next()) != icu::BreakIterator::DONE; begin = end) {
      if (words->getRuleStatus() < UBRK_WORD_NONE_LIMIT) continue;
      const std::string_view word = std::string_view(folded).substr(begin, end - begin);
      const bool possessive = options.fold_apostrophes && word.size() > 2 && word.ends_with("'s");
      done =
          fn(static_cast<std::size_t>(begin), static_cast<std::size_t>(end) - (possessive ? 2 : 0));
    }
    utext_close(&view);
    return done;
  }

  bool IsTerm(std::string_view word) const {
    return word.size() <= options.max_term_bytes && !stop_words.contains(word);
  }

  // The word's stem without accents, as the options want it: a view into it or into `form`.
  Result<std::string_view> Form(std::string_view word) {
    const auto is_letter = [](char c) { return (c & 0x80) || (c >= 'a' && c <= 'z') || c == '\''; };
    const bool before = options.fold_before_stems && options.stemmer == "english";
    if (options.fold_accents && before) {
      form.assign(word);
      PLEXUS_TRY(internal::FoldAccents(form));
      word = form;
    }
    if (stemmer && std::ranges::all_of(word, is_letter)) word = stemmer->Stem(word);
    if (!options.fold_accents || before) return word;
    form.assign(word);
    PLEXUS_TRY(internal::FoldAccents(form));
    return std::string_view(form);
  }

  // fn(term) for every term of `text`.
  template <class Fn>
  Status ForEachTerm(std::string_view text, Fn&& fn) {
    const auto offer = [&](std::string_view word) -> Status {
      if (!IsTerm(word)) return {};
      PLEXUS_ASSIGN(const std::string_view term, Form(word));
      if (!term.empty()) fn(term);
      return {};
    };
    const auto offer_part = [&](std::string_view part) {
      return part.size() < 2 ? Status() : offer(part);
    };
    std::vector<std::size_t> pairs;  // where words begin that are two characters, ascending
    const auto take = [&](std::size_t begin, std::size_t end) -> Status {
      const std::string_view word = std::string_view(folded).substr(begin, end - begin);
      PLEXUS_TRY(offer(word));
      if (options.cjk_bigrams && IsPair(word)) pairs.push_back(begin);
      if (!options.split_identifiers || word.find_first_of("_.") == std::string_view::npos ||
          word.size() > options.max_term_bytes)
        return {};
      const std::vector<internal::Piece> parts = internal::SeparatedParts(word);
      for (const internal::Piece part : parts)
        if (parts.size() > 1)
          PLEXUS_TRY(offer_part(word.substr(part.begin, part.end - part.begin)));
      return {};
    };
    PLEXUS_TRY(ForEachWord(text, take));
    if (options.cjk_bigrams) {
      ForEachPair(folded, [&](std::size_t begin, std::size_t end) {
        if (!std::ranges::binary_search(pairs, begin))
          fn(std::string_view(folded).substr(begin, end - begin));
      });
    }
    if (!options.split_identifiers) return {};
    for (const internal::Piece part : internal::CamelCaseParts(text, options.max_term_bytes)) {
      PLEXUS_TRY(Fold(text.substr(part.begin, part.end - part.begin)));
      PLEXUS_TRY(offer_part(folded));
    }
    return {};
  }

  static bool IsPair(std::string_view word) {
    bool is = false;
    ForEachPair(word,
                [&](std::size_t begin, std::size_t end) { is = begin == 0 && end == word.size(); });
    return is;
  }

  // fn(begin, end) for every two characters side by side.
  template <class Fn>
  static void ForEachPair(std::string_view text, Fn&& fn) {
    std::size_t previous = std::string_view::npos;
    for (std::size_t at = 0; at < text.size();) {
      const internal::Utf8Character c = internal::CharacterAt(text, at);
      const bool is_cjk = internal::IsCjk(c.code);
      if (is_cjk && previous != std::string_view::npos) fn(previous, at + c.bytes);
      previous = is_cjk ? at : std::string_view::npos;
      at += c.bytes;
    }
  }

  // fn(word, is_pair) for the words that phrases are made of: folded, neither stemmed nor without
  // accents.
  template <class Fn>
  Status ForEachPhraseWord(std::string_view text, Fn&& fn) {
    std::string spaced;
    if (options.split_identifiers) {  // "getUser" -> "get User"
      std::size_t copied = 0, last_end = 0;
      for (const internal::Piece part : internal::CamelCaseParts(text, options.max_term_bytes)) {
        if (part.begin == last_end && part.begin > 0) {
          spaced.append(text.substr(copied, part.begin - copied)).push_back(' ');
          copied = part.begin;
        }
        last_end = part.end;
      }
      spaced.append(text.substr(copied));
      text = spaced;
    }
    Run run;
    const auto take = [&](std::size_t begin, std::size_t end) -> Status {
      std::vector<internal::Piece> parts = {{0, end - begin}};
      if (options.split_identifiers)
        parts = internal::SeparatedParts(std::string_view(folded).substr(begin, end - begin));
      for (const internal::Piece part : parts)
        PLEXUS_TRY(OfferPhraseWords(begin + part.begin, begin + part.end, run, fn));
      return {};
    };
    PLEXUS_TRY(ForEachWord(text, take));
    return EndRun(run, fn);
  }

  // Characters side by side: the last one's bytes, and how many there were.
  struct Run {
    std::size_t begin = 0, end = 0, length = 0;
  };
  // A single character is a word, more are the pairs that were offered.
  template <class Fn>
  Status EndRun(Run& run, Fn&& fn) {
    const bool alone = std::exchange(run.length, 0) == 1;
    return alone ? fn(std::string_view(folded).substr(run.begin, run.end - run.begin), false)
                 : Status();
  }
  template <class Fn>
  Status OfferPhraseWords(std::size_t begin, std::size_t end, Run& run, Fn&& fn) {
    const std::string_view text = folded;
    std::size_t other = begin;  // where what is no such character begins
    for (std::size_t at = begin; at < end;) {
      const internal::Utf8Character c = internal::CharacterAt(text, at);
      if (internal::IsCjk(c.code)) {
        if (run.length == 0 || run.end != at) PLEXUS_TRY(EndRun(run, fn));
        if (other < at) PLEXUS_TRY(fn(text.substr(other, at - other), false));
        if (run.length > 0) PLEXUS_TRY(fn(text.substr(run.begin, at + c.bytes - run.begin), true));
        run = {at, at + c.bytes, run.length + 1};
        other = run.end;
      }
      at += c.bytes;
    }
    if (other == end) return {};
    PLEXUS_TRY(EndRun(run, fn));
    return fn(text.substr(other, end - other), false);
  }
};

TermSplitter::TermSplitter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TermSplitter::TermSplitter(TermSplitter&&) noexcept = default;
TermSplitter& TermSplitter::operator=(TermSplitter&&) noexcept = default;
TermSplitter::~TermSplitter() = default;

Result<TermSplitter> TermSplitter::Make(const TermOptions& options) try {
  if (options.max_term_bytes == 0 || options.max_term_bytes > 1000)
    return Invalid("max_term_bytes must be 1 to 1000");
  auto impl = std::make_unique<Impl>();
  UErrorCode status = U_ZERO_ERROR;
  impl->folder = icu::Normalizer2::getNFKCCasefoldInstance(status);
  impl->words.reset(icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), status));
  if (U_FAILURE(status)) return IcuError(status);
  impl->options = options;  // Folding reads them.
  if (!options.stemmer.empty()) {
    PLEXUS_ASSIGN(impl->stemmer, internal::Stemmer::Make(options.stemmer));
  }
  const auto add = [&](std::string_view word) -> Status {
    PLEXUS_TRY(impl->Fold(word));
    impl->stop_words.insert(impl->folded);
    return {};
  };
  if (options.default_stop_words)
    for (std::string_view word : kEnglishStopWords) PLEXUS_TRY(add(word));
  for (const std::string& word : options.stop_words) PLEXUS_TRY(add(word));
  return TermSplitter(std::move(impl));
}
PLEXUS_CATCH_NO_MEMORY

Result<std::vector<std::string>> TermSplitter::Split(std::string_view text) try {
  std::vector<std::string> terms;
  PLEXUS_TRY(impl_->ForEachTerm(text, [&](std::string_view term) { terms.emplace_back(term); }));
  return terms;
}
PLEXUS_CATCH_NO_MEMORY

Result<std::vector<TermCount>> TermSplitter::Count(std::string_view text) try {
  PLEXUS_ASSIGN(std::vector<std::string> terms, Split(text));
  std::sort(terms.begin(), terms.end());
  std::vector<TermCount> counts;
  for (std::string& term : terms) {
    if (counts.empty() || counts.back().term != term) counts.push_back({std::move(term), 0});
    ++counts.back().count;
  }
  return counts;
}
PLEXUS_CATCH_NO_MEMORY

Result<std::vector<TermCount>> TermSplitter::CountDocument(std::string_view text,
                                                           std::string_view key) try {
  PLEXUS_ASSIGN(std::vector<TermCount> counts, Count(text));
  const bool number = key.find_first_not_of("0123456789abcdefABCDEF-") == key.npos &&
                      key.find_first_of("0123456789") != key.npos;  // "facade" is a word
  if (!impl_->options.keys || key.empty() || number) return counts;
  PLEXUS_ASSIGN(const std::vector<TermCount> of_key, Count(key));
  const auto by_term = [](const TermCount& a, const TermCount& b) { return a.term < b.term; };
  const auto end = counts.size();
  for (const TermCount& word : of_key) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const auto begins = [](char c) { return (c & 0xC0) != 0x80; };  // a character
    const bool short_word = std::ranges::count_if(word.term, begins) < 3 &&
                            !internal::IsCjk(internal::CharacterAt(word.term, 0).code);
    if (short_word || std::ranges::any_of(word.term, is_digit)) continue;
    if (!std::binary_search(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(end), word,
                            by_term))
      counts.push_back({word.term, 1});
  }
  std::inplace_merge(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(end),
                     counts.end(), by_term);
  return counts;
}
PLEXUS_CATCH_NO_MEMORY

Result<std::vector<std::string>> TermSplitter::Words(std::string_view text) try {
  std::vector<std::string> words;
  const auto take = [&](std::string_view word, bool) -> Status {
    PLEXUS_ASSIGN(const std::string_view form, impl_->Form(word));
    words.emplace_back(form);
    return {};
  };
  PLEXUS_TRY(impl_->ForEachPhraseWord(text, take));
  return words;
}
PLEXUS_CATCH_NO_MEMORY

Result<std::vector<std::string>> TermSplitter::PhraseTerms(std::string_view phrase) try {
  std::vector<std::string> terms;
  const auto take = [&](std::string_view word, bool pair) -> Status {
    if (pair ? !impl_->options.cjk_bigrams : word.size() < 2 || !impl_->IsTerm(word)) return {};
    const bool character = internal::IsCjk(internal::CharacterAt(word, 0).code);
    if (character && !pair) return {};  // alone here, in the text perhaps part of a word
    PLEXUS_ASSIGN(const std::string_view form, impl_->Form(word));
    if (!form.empty()) terms.emplace_back(form);
    return {};
  };
  PLEXUS_TRY(impl_->ForEachPhraseWord(phrase, take));
  std::ranges::sort(terms);
  const auto rest = std::ranges::unique(terms);
  terms.erase(rest.begin(), rest.end());
  return terms;
}
PLEXUS_CATCH_NO_MEMORY

Result<std::vector<std::string>> QueryTerms(const Snapshot& snapshot, std::string_view text) try {
  if (!HasTerms(snapshot))
    return FailedPrecondition(
        "the graph has no terms yet: AddTerms keeps them with the texts of a batch, "
        "IndexTerms makes those of all texts");
  PLEXUS_ASSIGN(const TermRecord record, ReadTermRecord(snapshot));
  PLEXUS_ASSIGN(TermSplitter splitter, TermSplitter::Make(record.terms));
  PLEXUS_ASSIGN(std::vector<std::string> terms, splitter.Split(text));
  AddTermsContaining(snapshot, terms);
  return terms;
}
PLEXUS_CATCH_NO_MEMORY

void AddTermsContaining(const Snapshot& snapshot, std::vector<std::string>& terms) {
  std::vector<std::string> characters;
  for (const std::string& term : terms) {
    const internal::Utf8Character first = internal::CharacterAt(term, 0);
    if (first.bytes == term.size() && internal::IsCjk(first.code)) characters.push_back(term);
  }
  if (characters.empty()) return;
  for (NodeId node = 0; node < snapshot.node_count() && terms.size() < kMaxExpandedTerms; ++node) {
    if (!snapshot.alive(node) || snapshot.node_kind(node) != builtin::kTerm) continue;
    const std::string_view name = DisplayName(snapshot.key(node));
    const bool holds = std::ranges::any_of(characters, [&](const std::string& character) {
      return name != character && name.find(character) != std::string_view::npos;
    });
    if (holds && std::ranges::find(terms, name) == terms.end()) terms.emplace_back(name);
  }
}

}  // namespace plexus::retrieval
