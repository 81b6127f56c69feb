// A host's own "engine/graph.h", in its include path before Plexus's.
#pragma once

#include "engine/types.h"

namespace host {

struct Graph {
  Id root = 7;
};

}  // namespace host
