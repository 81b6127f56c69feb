// What a word of the shell's line may become.
#include <algorithm>
#include <optional>

#include "tools/cli/command_line.h"
#include "tools/cli/own_commands.h"
#include "tools/cli/shell.h"
#include "tools/operations/names.h"

namespace plexus::tools {
namespace {

constexpr std::size_t kMostCompletions = 200;

// A line so far: whole words, and the one that is completed, of which `kept` is before.
struct Line {
  std::vector<std::string> words;
  std::string kept, last;
  std::string family;  // "ledger ", of a command of two words
  const Operation* command = nullptr;
};

Line Parsed(std::string_view text) {
  Line line;
  SplitLine split;
  split.Add(text);
  if (!split.open()) line.words = std::move(split).Words();
  if (!line.words.empty() && !text.ends_with(' ')) {
    line.last = line.words.back();
    line.words.pop_back();
  }
  for (const std::string& word : line.words) {
    if (line.command) break;
    line.command = FindCommand(line.family + word);
    if (!line.command && IsCommandFamily(word)) line.family = word + " ";
  }
  return line;
}

const Parameter* Flagged(const Operation* command, const std::string& flag) {
  if (command)
    for (const Parameter& parameter : command->parameters)
      if (!parameter.positional && flag == FlagName(parameter.name)) return &parameter;
  for (const Parameter& parameter : CommonParameters())
    if (flag == FlagName(parameter.name)) return &parameter;
  return nullptr;
}

// The flag whose value is completed: the word before, or the same word up to its '='.
std::string ValueFlag(Line& line) {
  if (line.last.starts_with("--")) {
    const std::size_t equal = line.last.find('=');
    if (equal == std::string::npos) return "";
    std::string flag = line.last.substr(0, equal);
    line.kept = line.last.substr(0, equal + 1);
    line.last.erase(0, equal + 1);
    return flag;
  }
  if (line.words.empty() || !line.words.back().starts_with("--")) return "";
  const Parameter* parameter = Flagged(line.command, line.words.back());
  const bool takes_value =
      parameter ? parameter->type != Type::kFlag : line.words.back() == "--format";
  return takes_value ? line.words.back() : "";
}

// Values that have names; nullopt: it is a key, or text.
std::optional<std::vector<std::string>> ValuesOf(const Parameter& parameter,
                                                 const Snapshot& snapshot) {
  if (!parameter.choices.empty()) return parameter.choices;
  std::vector<std::string> names;
  switch (parameter.means) {
    case Means::kEdgeKind:
      return EdgeKindNames(snapshot.schema());
    case Means::kNodeKind:
      return NodeKindNames(snapshot.schema());
    case Means::kOperation:
      for (const Operation& each : AllCommands()) names.push_back(CommandWord(each.name));
      return names;
    default:
      return std::nullopt;
  }
}

const Parameter* FirstPositional(const Operation& command) {
  const auto at = std::ranges::find_if(command.parameters, [](const Parameter& parameter) {
    return parameter.positional || parameter.or_positional;
  });
  return at == command.parameters.end() ? nullptr : &*at;
}

}  // namespace

std::vector<std::string> Completions(const Snapshot& snapshot, std::string_view text) {
  Line line = Parsed(text);
  std::vector<std::string> found;
  const auto offer = [&](const std::string& candidate) {
    if (candidate.starts_with(line.last) && found.size() < kMostCompletions)
      found.push_back(line.kept + candidate);
  };
  const std::string flag = ValueFlag(line);
  const Parameter* parameter = flag.empty() ? nullptr : Flagged(line.command, flag);
  if (flag == "--format" && !parameter) {
    for (const char* format : {"table", "json", "csv"}) offer(format);
    return found;
  }
  if (flag.empty() && line.last.starts_with("-")) {
    if (line.command)
      for (const Parameter& each : line.command->parameters)
        if (!each.positional) offer(FlagName(each.name));
    for (const GlobalOption& option : GlobalOptionList()) offer(option.names);
    return found;
  }
  if (flag.empty() && !line.command) {
    for (const Operation& each : AllCommands())
      if (const std::string name = CommandName(each.name); name.starts_with(line.family))
        offer(name.substr(line.family.size()));
    if (!line.family.empty()) return found;
    for (const char* own : {"help", "quit"}) offer(own);
    return found;
  }
  if (flag.empty()) parameter = FirstPositional(*line.command);
  if (parameter && parameter->commas) {
    const std::size_t comma = line.last.rfind(',');
    if (comma != std::string::npos) {
      line.kept += line.last.substr(0, comma + 1);
      line.last.erase(0, comma + 1);
    }
  }
  if (parameter)
    if (const auto values = ValuesOf(*parameter, snapshot)) {
      for (const std::string& value : *values) offer(value);
      return found;
    }
  if (line.last.empty()) return found;
  for (NodeId node = 0; node < snapshot.node_count() && found.size() < kMostCompletions; ++node)
    if (snapshot.alive(node)) offer(ShownKey(snapshot, node));
  return found;
}

}  // namespace plexus::tools
