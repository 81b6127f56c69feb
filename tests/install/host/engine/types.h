// A host's own "engine/types.h": Plexus's graph.h includes a header of that name, too.
#pragma once

namespace host {

using Id = int;

}  // namespace host
