// Compiled with PLEXUS_VERSION, so that a new version compiles nothing else.
#include "tools/version.h"

namespace plexus::tools {

const char* Version() { return PLEXUS_VERSION; }

}  // namespace plexus::tools
