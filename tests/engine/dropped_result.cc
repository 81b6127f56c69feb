// Not built: a test compiles it twice, with and without DROP, and the second must warn
// (tests/engine/CMakeLists.txt).
#include "engine/error.h"

namespace {
plexus::Status Write() { return {}; }
plexus::Result<int> Count() { return 1; }
}  // namespace

int main() {
#ifdef DROP
  Write();
  Count();
#else
  (void)Write();
  (void)Count();
#endif
  return 0;
}
