// The key of an outcome: its content, so that the same outcome is the same node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plexus::text {

// type "/" labeled_at "/" source "/" event, with "/" and "%" of type and source
// escaped as in addresses and "-" for an absent time. To be made an index key of
// kind outcome.
inline std::string OutcomeName(std::string_view event, std::string_view type,
                               std::optional<std::int64_t> labeled_at, std::string_view source) {
  std::string name;
  auto append = [&](std::string_view part) {
    for (char c : part) {
      if (c == '/')
        name += "%2F";
      else if (c == '%')
        name += "%25";
      else
        name += c;
    }
    name += '/';
  };
  append(type);
  append(labeled_at ? std::to_string(*labeled_at) : "-");
  append(source);
  name.append(event);
  return name;
}

}  // namespace plexus::text
