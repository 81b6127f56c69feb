// Text inside of records: ASCII, numbers, quoted cells (RFC 4180), and a list of tags in one text:
// "a;b", or a JSON array of strings, as databases print one. Internal to storage/formats.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace plexus::formats::internal {

inline std::string_view Trim(std::string_view s, std::string_view blanks = " \t") {
  const auto begin = s.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return s.substr(begin, s.find_last_not_of(blanks) - begin + 1);
}

// A to Z only; other bytes stay.
inline std::string Lower(std::string_view s) {
  std::string out(s);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

// Takes the first line off `text`, without its end.
inline std::string_view NextLine(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Whether all of `text` is a number, as std::from_chars reads them.
template <class T, class... Base>
bool ReadWhole(std::string_view text, T& value, Base... base) {
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value, base...);
  return error == std::errc() && end == last;
}

struct Surprises {
  bool control = false;  // bytes below the space other than tab and line ends
  bool non_ascii = false;
};

inline Surprises LookFor(std::string_view text) {
  unsigned char high = 0, control = 0;
  for (unsigned char c : text) {
    high |= c;
    control |= static_cast<unsigned char>((c < 0x20) & (c != '\t') & (c != '\n') & (c != '\r'));
  }
  return {control != 0, high >= 0x80};
}

// In quotes, cut where it is long.
inline std::string InQuotes(std::string_view text) {
  return "'" + std::string(text.substr(0, 80)) + "'";
}
inline std::string Quoted(std::string_view text, std::size_t most = 80) {
  return '"' + std::string(text.substr(0, most)) + '"';
}

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

// A text as JSON, quotes and all.
std::string JsonString(std::string_view text);

// Blanks around a tag of "a;b" go, and so do empty tags.
std::vector<std::string> ReadTagList(std::string_view text);

// "a;b" where that reads back as these tags, else JSON. No tag may be empty.
std::string WriteTagList(const std::vector<std::string_view>& tags);

}  // namespace plexus::formats::internal
