// plexus shell: the same commands line by line, on one graph that stays open.
//
// Questions are asked of the view that is open, brought up to date before each. Lines that write
// share one opening for writing while the next line is at hand, or comes within 100 ms; it ends
// before a question, and after a second at most, so that others who write come in between. What a
// line wrote is durable when its reply comes, and later lines see it.
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
