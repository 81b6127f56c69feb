// One workspace, many lines.
#include "tools/cli/shell.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <utility>

#include "tools/cli/exit_code.h"
#include "tools/cli/line_editor.h"
#include "tools/cli/output.h"
#include "tools/cli/own_commands.h"
#include "tools/cli/run.h"
#include "tools/operations/names.h"

namespace plexus::tools {
namespace {

constexpr std::size_t kMostCompletions = 200;

class Shell {
 public:
  explicit Shell(const CommandLine& line) : line_(line) {}

  int Run() {
    if (const Status opened = Open(); !opened) return PrintFailure(opened.error(), line_);
    if (isatty(STDIN_FILENO)) return Interactive();
    int code = kDone;
    for (std::string text; std::getline(std::cin, text);) {
      const std::optional<int> result = Take(text);
      if (!result) break;
      if (*result != kDone) code = *result;
      if (code != kDone && line_.request->Flag("bail")) break;
    }
    return code;
  }

 private:
  Status Open() {
    PLEXUS_ASSIGN(workspace_, OpenWorkspace(line_, Access::kRead, false));
    return {};
  }

  int Interactive() {
    LineEditor editor("plexus> ", [this](std::string_view text) {
      return Completions(workspace_->graph().snapshot(), text);
    });
    int code = kDone;
    while (const std::optional<std::string> text = editor.Read()) {
      const std::optional<int> result = Take(*text);
      if (!result) break;
      code = *result;
    }
    return code;
  }

  // The exit code of a line; nullopt: the end was asked for.
  std::optional<int> Take(const std::string& text) {
    Result<std::vector<std::string>> words = SplitWords(text);
    if (!words) return PrintFailure(words.error(), line_);
    if (!words->empty() && words->front() == "plexus") words->erase(words->begin());
    if (words->empty()) return kDone;
    if (words->front() == "quit" || words->front() == "exit") return std::nullopt;
    if (words->front() == "help") {
      words->erase(words->begin());
      words->push_back("--help");
    }
    CommandLine line = ParseCommandLine(*words, line_.globals);
    if (line.error) {
      line.globals = line_.globals;
      return PrintFailure(*line.error, line);
    }
    if (!line.request) {
      Out() << line.text;
      return FlushOut() ? kDone : kFailed;
    }
    return Ask(line);
  }

  int Ask(CommandLine& line) {
    Request& request = *line.request;
    if (request.operation().name == "shell")
      return PrintFailure(Error{ErrorCode::kInvalidArgument, "this is a shell already"}, line);
    for (const Parameter& common : CommonParameters()) Inherit(request, common);
    const Access access = request.operation().AccessFor(request);
    if (access == Access::kRead && line.globals.db == line_.globals.db) {
      if (const Status fresh = workspace_->Refresh(ClockMs()); !fresh)
        return PrintFailure(fresh.error(), line);
      return RunOn(*workspace_, line);
    }
    return RunCommand(line);
  }

  // What the shell was told holds for its lines, unless they say otherwise.
  void Inherit(Request& request, const Parameter& common) {
    if (!line_.request->Given(common.name) || request.Given(common.name)) return;
    if (common.type == Type::kList)
      (void)request.Set(common.name, line_.request->List(common.name));
    else
      (void)request.Set(common.name, line_.request->Text(common.name));
  }

  const CommandLine& line_;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace

int RunShell(const CommandLine& line) { return Shell(line).Run(); }

Result<std::vector<std::string>> SplitWords(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool begun = false;
  char quote = 0;
  const auto end_word = [&] {
    if (begun) words.push_back(std::move(word));
    word.clear();
    begun = false;
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote && c == quote) {
      quote = 0;
    } else if (quote == '\'') {
      word += c;
    } else if (c == '\\' && i + 1 < line.size()) {
      word += line[++i];
      begun = true;
    } else if (quote) {
      word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      begun = true;
    } else if (c == '#' && !begun) {
      break;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      end_word();
    } else {
      word += c;
      begun = true;
    }
  }
  if (quote)
    return Fail(ErrorCode::kInvalidArgument, std::string("a quote (") + quote + ") is not closed");
  end_word();
  return words;
}

std::vector<std::string> Completions(const Snapshot& snapshot, std::string_view line) {
  std::vector<std::string> words;
  std::string last;
  if (const auto split = SplitWords(line)) words = *split;
  if (!words.empty() && !line.ends_with(' ')) {
    last = words.back();
    words.pop_back();
  }
  const Operation* command = nullptr;
  std::string family;  // "ledger "
  for (const std::string& word : words) {
    if (command) break;
    command = FindCommand(family + word);
    if (!command && IsCommandFamily(word)) family = word + " ";
  }
  std::vector<std::string> found;
  const auto offer = [&](const std::string& candidate) {
    if (candidate.starts_with(last) && found.size() < kMostCompletions) found.push_back(candidate);
  };
  if (!command && !family.empty()) {
    for (const Operation& each : AllCommands())
      if (const std::string name = CommandName(each.name); name.starts_with(family))
        offer(name.substr(family.size()));
    return found;
  }
  if (!command) {
    for (const Operation& each : AllCommands()) offer(CommandName(each.name));
    for (const char* own : {"help", "quit"}) offer(own);
    return found;
  }
  if (last.starts_with("-")) {
    for (const Parameter& parameter : command->parameters)
      if (!parameter.positional) offer(FlagName(parameter.name));
    for (const GlobalOption& option : GlobalOptionList()) offer(option.names);
    return found;
  }
  // A value: of the flag before it, else a key.
  const Parameter* parameter = nullptr;
  for (const Parameter& each : command->parameters)
    if (!words.empty() && words.back() == FlagName(each.name)) parameter = &each;
  if (parameter && !parameter->choices.empty()) {
    for (const std::string& choice : parameter->choices) offer(choice);
  } else if (parameter && parameter->means == Means::kEdgeKind) {
    for (const std::string& kind : EdgeKindNames(snapshot.schema())) offer(kind);
  } else if (parameter && parameter->means == Means::kNodeKind) {
    for (const std::string& kind : NodeKindNames(snapshot.schema())) offer(kind);
  } else if (!last.empty()) {
    for (NodeId node = 0; node < snapshot.node_count() && found.size() < kMostCompletions; ++node)
      if (snapshot.alive(node)) offer(ShownKey(snapshot, node));
  }
  return found;
}

}  // namespace plexus::tools
