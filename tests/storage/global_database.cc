// A host whose database is an object of static storage, destroyed after main.
//   global_database DIR BATCHES    opens DIR, applies, and leaves closing to the destructor
#include <cstdio>
#include <cstdlib>
#include <string>

#include "storage/database.h"

namespace {
std::unique_ptr<plexus::storage::Database> database;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  plexus::storage::OpenOptions options;
  options.create = true;
  options.graph.maintenance = plexus::Maintenance::kBackground;
  options.graph.durability = plexus::Durability::kBuffered;
  options.checkpoint_on_close = plexus::storage::CheckpointOnClose::kAlways;
  auto opened = plexus::storage::Database::Open(argv[1], options);
  if (!opened) {
    std::fprintf(stderr, "%s\n", opened.error().ToString().c_str());
    return 1;
  }
  database = *std::move(opened);
  for (int i = 0, n = std::atoi(argv[2]); i < n; ++i) {
    plexus::WriteBatch batch(1000 + i);
    batch.UpsertNode("node " + std::to_string(i));
    if (!database->graph().Apply(batch)) return 1;
  }
  return 0;
}
