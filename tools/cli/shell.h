// plexus shell: the same commands line by line, on one graph that stays open.
//
// Questions are asked of the view that is open, brought up to date before each. A command that
// writes opens the graph for it alone, so other writers wait no longer than for that command, and
// what it did is durable when its reply comes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/snapshot.h"
#include "tools/cli/command_line.h"

namespace plexus::tools {

// Reads lines from standard input until its end or "quit"; on a terminal with history and
// completion. The code of the last line that failed, or 0; with `bail` the first one ends it.
int RunShell(const CommandLine& line);

// A line's words as a shell splits them: blanks, single and double quotes, a backslash before a
// character, # to the end of the line. kInvalidArgument: a quote that is not closed.
Result<std::vector<std::string>> SplitWords(std::string_view line);

// What the last word of a line may become: commands, flags, choices, kinds of the graph, and keys
// that begin as it does, at most 200 of them.
std::vector<std::string> Completions(const Snapshot& snapshot, std::string_view line);

}  // namespace plexus::tools
