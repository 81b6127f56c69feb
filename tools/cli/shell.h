// plexus shell: the same commands line by line, on one graph that stays open.
//
// Questions are asked of the view that is open, brought up to date before each. Lines that write
// share one opening for writing, kept over the questions between them and given up to another
// process that waits (shell/kept_writer.h). What a line wrote is durable when its reply comes, and
// later lines see it. While a server holds the directory, lines that write run there, as commands
// do (remote.h).
//
// A shell that is begun with --scope is behind the wall of these scopes: its lines see, count and
// write nothing else, whatever they say (WorkspaceOptions::wall).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/snapshot.h"
#include "tools/cli/command_line.h"

namespace plexus::tools {

// Reads lines from standard input until its end or "quit"; on a terminal with history and
// completion. A script ends at the first line that fails, with its code, and says which line it
// was; with `keep_going` the lines behind it are run, too. A line that begins with { is a request
// as JSON (request_json.h), and is answered in JSON.
int RunShell(const CommandLine& line);

// A line's words as a shell splits them: blanks, single and double quotes, a backslash before a
// character, # to the end of the line. In double quotes \n is a line break. A line continues in the
// next one while a quote is open, and behind a backslash at its end, which means nothing.
class SplitLine {
 public:
  // The first line, and each that it continues in.
  void Add(std::string_view line);
  // The quote that is not closed, or the backslash; 0: the line is whole.
  char open() const { return open_; }
  std::vector<std::string> Words() &&;
  // Drops the words so far; what is open stays open.
  void Forget() {
    words_.clear();
    word_.clear();
  }

 private:
  void EndWord();

  std::vector<std::string> words_;
  std::string word_;
  bool begun_ = false;
  char open_ = 0;
};

// What the last word of a line may become: commands, flags, choices, kinds of the graph, and keys
// that begin as it does, at most 200 of them.
std::vector<std::string> Completions(const Snapshot& snapshot, std::string_view line);

}  // namespace plexus::tools
