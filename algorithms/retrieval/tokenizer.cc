// Folding and cutting by ICU; see tokenizer.h.
#include "algorithms/retrieval/tokenizer.h"

#include <unicode/brkiter.h>
#include <unicode/bytestream.h>
#include <unicode/locid.h>
#include <unicode/normalizer2.h>
#include <unicode/ubrk.h>
#include <unicode/utext.h>

#include <algorithm>
#include <array>
#include <set>

#include "engine/out_of_memory.h"

namespace plexus {

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

struct TermSplitter::Impl {
  const icu::Normalizer2* folder = nullptr;  // ICU's own, shared
  std::unique_ptr<icu::BreakIterator> words;
  std::set<std::string, std::less<>> stop_words;
  std::size_t max_term_bytes = 0;
  std::string folded;

  Status Fold(std::string_view text) {
    UErrorCode status = U_ZERO_ERROR;
    folded.clear();
    icu::StringByteSink<std::string> sink(&folded);
    folder->normalizeUTF8(0, icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())),
                          sink, nullptr, status);
    if (U_FAILURE(status)) return IcuError(status);
    return {};
  }

  // fn(term) for every term of `text`, as a view into `folded`.
  template <class Fn>
  Status ForEachTerm(std::string_view text, Fn&& fn) {
    if (text.size() > (std::size_t{1} << 30))
      return Fail(ErrorCode::kResourceExhausted, "terms: a text over 1 GiB");
    PLEXUS_TRY(Fold(text));
    UErrorCode status = U_ZERO_ERROR;
    UText view = UTEXT_INITIALIZER;
    utext_openUTF8(&view, folded.data(), static_cast<std::int64_t>(folded.size()), &status);
    if (U_SUCCESS(status)) words->setText(&view, status);
    if (U_FAILURE(status)) {
      utext_close(&view);
      return IcuError(status);
    }
    for (std::int32_t begin = words->first(), end;
         (end = words->next()) != icu::BreakIterator::DONE; begin = end) {
      if (words->getRuleStatus() < UBRK_WORD_NONE_LIMIT) continue;
      const std::string_view term = std::string_view(folded).substr(begin, end - begin);
      if (term.size() <= max_term_bytes && !stop_words.contains(term)) fn(term);
    }
    utext_close(&view);
    return {};
  }
};

TermSplitter::TermSplitter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TermSplitter::TermSplitter(TermSplitter&&) noexcept = default;
TermSplitter& TermSplitter::operator=(TermSplitter&&) noexcept = default;
TermSplitter::~TermSplitter() = default;

Result<TermSplitter> TermSplitter::Make(const TermOptions& options) try {
  if (options.max_term_bytes == 0 || options.max_term_bytes > 1000)
    return Fail(ErrorCode::kInvalidArgument, "max_term_bytes must be 1 to 1000");
  auto impl = std::make_unique<Impl>();
  UErrorCode status = U_ZERO_ERROR;
  impl->folder = icu::Normalizer2::getNFKCCasefoldInstance(status);
  impl->words.reset(icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), status));
  if (U_FAILURE(status)) return IcuError(status);
  impl->max_term_bytes = options.max_term_bytes;
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

}  // namespace plexus
