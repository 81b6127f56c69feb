// Most texts are ASCII, which needs no tables.
#include "algorithms/retrieval/fold_text.h"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>

namespace plexus {

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
  return folded;
}

}  // namespace plexus
