// Which edges a command looks at: --kinds and --valid-at, the same for all that have them.
#pragma once

#include <string>
#include <vector>

#include "engine/error.h"
#include "tools/cli/cli.h"
#include "tools/cli/session.h"
#include "tools/operations/names.h"

namespace plexus::tools {

// Arguments of a command may derive from it.
struct EdgeSelection {
  std::vector<std::string> kinds;
  std::string valid_at;
};

// Puts it, --scope and the executor into a kernel's options.
template <class Options>
Status Select(Session& session, const EdgeSelection& given, Options& options) {
  PLEXUS_ASSIGN(options.filter.kinds, FindEdgeKinds(session.schema(), given.kinds));
  PLEXUS_ASSIGN(options.filter.valid_at, session.ValidAt(given.valid_at));
  options.filter.subset = session.scope();
  options.run.executor = &session.executor();
  return {};
}

// The two options, with the meaning that most commands give them.
inline Command& AddSelection(Command& command, EdgeSelection& given) {
  return command.List("--kinds", "A,B", given.kinds, "only these edge kinds (default: all facts)")
      .Option("--valid-at", "TIME", given.valid_at, "only edges valid then, or now (default: all)");
}

}  // namespace plexus::tools
