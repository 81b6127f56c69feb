// Texts that operations take: keys or seeds, a record a line.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "engine/error.h"

namespace plexus::tools {

// take(line) for each, without its end (\n or \r\n); the last needs none. The first error
// that take returns, with the source's name and the line's number before it.
template <class Take>
Status ForEachLine(const std::string& source, std::string_view text, Take&& take) {
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    at = end + 1;
    ++number;
    if (Status taken = take(line); !taken)
      return Fail(taken.error().code,
                  source + ":" + std::to_string(number) + ": " + taken.error().message);
  }
  return {};
}

}  // namespace plexus::tools
