// What CLI11 cannot know; see command_words.h.
#include "tools/cli/command_words.h"

#include <algorithm>
#include <string_view>

#include "tools/cli/command_line.h"
#include "tools/cli/own_commands.h"
#include "tools/operations/reply/human_format.h"

namespace plexus::tools {
namespace {

bool AsksHelp(const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [](const auto& w) { return w == "--help" || w == "-h"; });
}

bool IsOption(const Operation& operation, std::string_view word) {
  const std::string_view flag = word.substr(0, word.find('='));
  const auto is = [&](const auto& option) { return option.names == flag; };
  return flag == "--help" || std::ranges::any_of(GlobalOptionList(), is) ||
         std::ranges::any_of(operation.parameters, [&](const Parameter& parameter) {
           return !parameter.positional && FlagName(parameter.name) == flag;
         });
}

}  // namespace

std::size_t NextWord(const std::vector<std::string>& words, std::size_t i) {
  for (; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") return words.size();
    if (!word.starts_with("-")) return i;
    for (const GlobalOption& option : GlobalOptionList())
      if (option.names == word && !option.shown.empty()) ++i;
  }
  return words.size();
}

const Operation* NamedIn(const std::vector<std::string>& words) {
  const std::size_t at = NextWord(words, 0);
  return at < words.size() ? FindCommand(words[at]) : nullptr;
}

std::vector<std::string> WithOneWord(std::vector<std::string> words) {
  if (const std::size_t at = NextWord(words, 0); at < words.size() && words[at] == "help") {
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
    const std::size_t of = NextWord(words, 0);
    // Of a word that is no command the parser says so.
    if (of == words.size() || FindCommand(words[of]) || IsCommandFamily(words[of]))
      words.insert(std::ranges::find(words, "--"), "--help");
  }
  const std::size_t first = NextWord(words, 0);
  if (first == words.size()) return words;
  const Operation* named = FindCommand(words[first]);
  if (!named && IsCommandFamily(words[first])) {
    const std::size_t second = NextWord(words, first + 1);
    if (second < words.size()) {
      named = FindCommand(words[first] + " " + words[second]);
      if (named) words.erase(words.begin() + static_cast<std::ptrdiff_t>(second));
    } else if (!AsksHelp(words)) {
      named = FindCommand(words[first] + " list");
    }
  }
  if (named) words[first] = CommandWord(named->name);
  return words;
}

bool AsksJson(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i)
    if (words[i] == "--json" || words[i] == "--format=json" ||
        (words[i] == "--format" && i + 1 < words.size() && words[i + 1] == "json"))
      return true;
  return false;
}

std::string OptionAsWord(const std::vector<std::string>& words, const Operation& operation) {
  const auto end = std::ranges::find(words, "--");
  for (auto word = end; word != words.end(); ++word)
    if (word != end && IsOption(operation, *word))
      return Quoted(*word) + " stands behind '--', where options are words: put it before";
  return "";
}

}  // namespace plexus::tools
