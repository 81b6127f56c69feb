// Where a record of a table ends whose cells may be quoted (RFC 4180). Internal to storage/formats.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace plexus::formats::internal {

// Bytes of the first record, its line end included; nothing when `text` ends first. A quote opens a
// cell where one begins, and is closed by one that is not doubled; line ends between them are of
// the cell. Any other quote is a character: only its own record is refused, later. Without a
// delimiter cells begin behind each that there might be.
inline std::optional<std::size_t> QuotedRecordLength(std::string_view text, char delimiter = '\0') {
  bool begins = true;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\n') return at + 1;
    if (c == '"' && begins) {
      for (at = text.find('"', at + 1); at != text.npos; at = text.find('"', at + 2))
        if (at + 1 >= text.size() || text[at + 1] != '"') break;
      if (at == text.npos) return std::nullopt;
      begins = false;
      continue;
    }
    begins = delimiter ? c == delimiter : c == ',' || c == '\t' || c == ';' || c == '|';
  }
  return std::nullopt;
}

}  // namespace plexus::formats::internal
