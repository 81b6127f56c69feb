// Runs the words of a command line, or a request, and prints what it answers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/cli/command_line.h"
#include "tools/operations/framework/workspace.h"

namespace plexus::tools {

// What needs a process of its own; without it the words are refused, or run as others do.
struct ProcessParts {
  // `plexus serve` and `plexus explore`, of a library above this one.
  int (*serve)(const CommandLine& line) = nullptr;
  void (*before_import)() = nullptr;  // an import with which the process ends
};
// The program as a function: `words` without its name. The exit code. Reads and writes the three
// standard descriptors. A call leaves nothing behind: the next one begins as a new process does.
// One call at a time.
int RunProgram(const std::vector<std::string>& words, const ProcessParts& parts = {});
// Opens the graph that the line names. Errors: those of Workspace::Open.
Result<std::unique_ptr<Workspace>> OpenWorkspace(const CommandLine& line, Access access,
                                                 bool one_request, Progress* progress = nullptr);
// The exit code. Prints the reply to standard output, and errors and notes to standard error.
int RunCommand(const CommandLine& line);
// The same on a graph that is open and stays open, for reading or for writing.
int RunOn(Workspace& workspace, const CommandLine& line);
// Prints what a request of the line was answered, as RunOn does.
int PrintReply(Result<Reply> reply, Workspace& workspace, const CommandLine& line);
// An error on standard error and, as JSON, on standard output, too.
int PrintFailure(const Error& error, const CommandLine& line);

}  // namespace plexus::tools
