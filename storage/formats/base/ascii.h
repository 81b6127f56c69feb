// Small helpers for ASCII text inside records.
#pragma once

#include <string>
#include <string_view>

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

}  // namespace plexus::formats::internal
