// A list of tags in one text: "a;b", or a JSON array of strings, as databases print one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plexus::formats::internal {

// Blanks around a tag of "a;b" go, and so do empty tags.
std::vector<std::string> ReadTagList(std::string_view text);

// "a;b" where that reads back as these tags, else JSON. No tag may be empty.
std::string WriteTagList(const std::vector<std::string_view>& tags);

}  // namespace plexus::formats::internal
