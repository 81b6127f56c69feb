// plexus: the command line, the first door to the operations.
#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include <limits>

#include "tools/cli/run.h"
#include "tools/cli/signals.h"
#include "tools/server/server.h"

namespace {

// An import takes and frees arrays of many megabytes all the time, and the process ends with it:
// keeping them costs less than fetching cleared pages again.
void KeepFreedMemory() {
#ifdef M_MMAP_MAX
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, 64 << 20);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  using namespace plexus::tools;
  InstallSignalHandlers();
  return RunProgram({argv + 1, argv + argc},
                    {.serve = server::RunServe, .before_import = KeepFreedMemory});
}
