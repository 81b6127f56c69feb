// A line's words before they are parsed: which command they name, and what they ask whatever else
// may be wrong with them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/operations/framework/operation.h"

namespace plexus::tools {

// The place of the first word from `from` on that is no option and does not stand for the value of
// a global one; words.size() when none exists.
std::size_t NextWord(const std::vector<std::string>& words, std::size_t from);
// The command that the first such word names; null.
const Operation* NamedIn(const std::vector<std::string>& words);
// The two words of a command of a family as one, which the parser knows it by. A family's word
// alone is its command "list", if it has one. "help COMMAND" is "COMMAND --help".
std::vector<std::string> WithOneWord(std::vector<std::string> words);
// Whether a line that could not be parsed to its end asks for JSON.
bool AsksJson(const std::vector<std::string>& words);
// An option behind "--" is a word like any other: what to say when it is not understood; "".
std::string OptionAsWord(const std::vector<std::string>& words, const Operation& operation);

}  // namespace plexus::tools
