// Where words go: results to stdout, everything else to stderr.
//
// Out() is a buffered stream over stdout. A reader that went away (`| head`) ends
// the program quietly with 0, as it got what it wanted; any other failure to
// write is an error that FlushOut reports. During changes to a graph a lost
// reader only silences the output: the change is completed first.
#pragma once

#include <ostream>
#include <string_view>

#include "engine/error.h"

namespace plexus::tools {

std::ostream& Out();
// Writes what is buffered. kIo names the reason, e.g. a full disk.
Status FlushOut();
// While false (a graph is open for writing) a lost reader does not end the program.
void EndOnLostReader(bool end);  // thread-safe

// While it lives, what this thread says goes to these streams: a server runs a command for another
// process. `width`: columns of its terminal, or 0.
class RedirectedOutput {
 public:
  RedirectedOutput(std::ostream& out, std::ostream& err, std::size_t width);
  ~RedirectedOutput();
  RedirectedOutput(const RedirectedOutput&) = delete;
  RedirectedOutput& operator=(const RedirectedOutput&) = delete;

  std::ostream& out;
  std::ostream& err;
  const std::size_t width;
};
// Columns of the terminal; 0 where none exists.
std::size_t TerminalWidth();

void PrintError(const Error& error);          // plexus: error: ...
void PrintWarning(std::string_view message);  // plexus: warning: ...
void PrintNote(std::string_view message);     // plexus: ...

}  // namespace plexus::tools
