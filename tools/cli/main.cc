// plexus: the command line, the first door to the operations.
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "tools/cli/command_line.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/output.h"
#include "tools/cli/run.h"
#include "tools/cli/shell.h"
#include "tools/cli/signals.h"
#include "tools/server/serve_command.h"

namespace {

int Main(const std::vector<std::string>& words) {
  using namespace plexus::tools;
  const CommandLine line = ParseCommandLine(words, {});
  if (line.error) {
    const int code = PrintFailure(*line.error, line);
    if (code == kUsage) PrintNote(line.hint);
    return code;
  }
  if (line.request && line.request->operation().name == "shell") return RunShell(line);
  if (line.request && line.request->operation().name == "serve") return server::RunServe(line);
  if (line.request) return RunCommand(line);
  Out() << line.text;
  return FlushOut() ? kDone : kFailed;
}

}  // namespace

int main(int argc, char** argv) {
  plexus::tools::InstallSignalHandlers();
  try {
    return Main(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::bad_alloc&) {
    plexus::tools::PrintError({plexus::ErrorCode::kResourceExhausted, "out of memory"});
  } catch (const std::exception& error) {
    plexus::tools::PrintError({plexus::ErrorCode::kInternal, error.what()});
  }
  return plexus::tools::kFailed;
}
