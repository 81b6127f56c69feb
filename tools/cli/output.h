// Where words go: results to stdout, everything else to stderr.
//
// Out() is a buffered stream over stdout. A reader that went away (`| head`) ends
// the program quietly with 0, as it got what it wanted; any other failure to
// write is an error that FlushOut reports. During changes to a graph a lost
// reader only silences the output: the change is completed first.
#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "engine/error.h"

namespace plexus::tools {

std::ostream& Out();
// Writes what is buffered. kIo names the reason, e.g. a full disk.
Status FlushOut();
// While false (a graph is open for writing) a lost reader does not end the program.
void EndOnLostReader(bool end);

void PrintError(const Error& error);          // plexus: error: ...
void PrintWarning(std::string_view message);  // plexus: warning: ...
void PrintNote(std::string_view message);     // plexus: ...

}  // namespace plexus::tools
