// A host with headers of the names that Plexus's have, in its own include path: each
// spelling reaches its own file.
#include "engine/graph.h"
#include "plexus/engine/graph.h"
#include "plexus/engine/types.h"
#include "plexus/engine/vocabulary.h"
#include "plexus/storage/database.h"

#if __has_include(<storage/database.h>) || __has_include(<engine/adjacency/csr.h>)
#error "Plexus's headers are found without plexus/"
#endif

int main() {
  const host::Graph mine;
  const auto graph = plexus::Graph::InMemory();
  plexus::WriteBatch batch(1);
  batch.UpsertNode("a", plexus::builtin::kMemory);
  if (!graph->Apply(batch)) return 1;
  return graph->snapshot().node_count() == 1 && mine.root == 7 ? 0 : 1;
}
