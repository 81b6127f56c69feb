// Commands that only a command line has: completion, man pages, the reference page. Rows like any
// other, so that they have help and examples.
#pragma once

#include <vector>

#include "tools/operations/framework/operation.h"

namespace plexus::tools {

// All operations, then the command line's own.
const std::vector<Operation>& AllCommands();
// By the name that is typed; null if it does not exist. "ledger get" and "ledger-get" are one.
const Operation* FindCommand(std::string_view name);
// The name with '-' for ' ': one word.
std::string CommandWord(std::string_view operation);

// Written from the rows.
std::string BashCompletion();
std::string ZshCompletion();
// Of one command, or of the program.
std::string ManPage(const Operation* command);
std::string ReferencePage();

}  // namespace plexus::tools
