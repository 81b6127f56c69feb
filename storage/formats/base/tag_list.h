// A list of tags in one text: "a;b", or a JSON array of strings, as databases print one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plexus::formats_internal {

// Blanks around a tag go, and so do empty ones.
std::vector<std::string> ReadTagList(std::string_view text);

}  // namespace plexus::formats_internal
