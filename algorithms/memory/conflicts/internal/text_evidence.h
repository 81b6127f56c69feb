// What a text states in numbers and what it denies, as evidence for or against another text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plexus::memory::internal {

// The numbers of a text, distinct and sorted: ASCII digits, with '.' or ',' between digits, that do
// not touch a letter ("v2" has none). A comma is dropped where three digits follow it.
std::vector<std::string> NumbersIn(std::string_view text);

// The denying words of a text, distinct and sorted, ASCII case folded: not, never, no, none,
// without, cannot, neither, nor, and words that end in n't.
std::vector<std::string> NegationsIn(std::string_view text);

}  // namespace plexus::memory::internal
