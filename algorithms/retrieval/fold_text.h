// Text without regard to case, as `find`, `ilike` and the words of texts compare it.
#pragma once

#include <string>
#include <string_view>

namespace plexus {

// Computes: Unicode's NFKC_Casefold (Standard Annex #15): letters of all scripts without case ("ß"
// is
//   "ss"), one spelling of accents, width and ligatures, no invisible characters; and the
//   typographic apostrophe (U+2019) as the plain one. Bytes that are not UTF-8 become U+FFFD. Where
//   ICU lacks its data, only ASCII letters change.
// Complexity: O(bytes).
// Errors: std::bad_alloc, as of any string.
// Threads: thread-safe.
std::string FoldText(std::string_view text);

}  // namespace plexus
