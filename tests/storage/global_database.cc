// A host whose database is an object of static storage, open when main returns.
//   global_database DIR BATCHES [MODE]    opens DIR, applies BATCHES, returns from main
// MODE readonly: looks at DIR; refresh: looks, another process applies BATCHES, looks again; bulk:
// in bulk mode; keeper: checkpoints all the time in the background; child, child-reads: forks
// children that end by exit().
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "storage/database.h"

namespace {

using plexus::Database;
using plexus::OpenOptions;

std::unique_ptr<Database> database;

struct Before {  // older than RocksDB's static objects, ended after them
  ~Before() {
    plexus::WriteBatch batch(1);
    batch.UpsertNode("late");
    if (database && database->graph().Apply(batch)) std::abort();  // it is closed
  }
} before;

// Whether a child that ends by exit() ends in time, and as it should.
bool ChildExits(const std::function<int()>& fn) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    std::exit(fn());
  }
  int status = 1;
  waitpid(child, &status, 0);
  return status == 0;
}

bool Reads(const std::string& directory) {
  OpenOptions look;
  look.read_only = true;
  const auto opened = Database::Open(directory, look);
  return opened && (*opened)->snapshot().node_count() > 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string_view mode = argc > 3 ? argv[3] : "";
  OpenOptions options;
  options.read_only = mode == "readonly" || mode == "refresh";
  options.create = !options.read_only;
  options.graph.maintenance = plexus::Maintenance::kBackground;
  options.graph.durability = plexus::Durability::kBuffered;
  options.checkpoint_on_close = plexus::CheckpointOnClose::kAlways;
  if (mode == "keeper") options.checkpoint_log_bytes = 1;
  auto opened = Database::Open(argv[1], options);
  if (!opened) {
    std::fprintf(stderr, "%s\n", opened.error().ToString().c_str());
    return 1;
  }
  database = *std::move(opened);
  if (mode == "readonly") return database->AsOf(1) ? 0 : 1;
  if (mode == "refresh") {  // RocksDB is first opened by the refresh
    const std::string writer = std::string(argv[0]) + " " + argv[1] + " " + argv[2];
    return std::system(writer.c_str()) == 0 && database->Refresh() ? 0 : 1;
  }
  if (mode == "bulk" && !database->BeginBulk()) return 1;
  for (int i = 0, n = std::atoi(argv[2]); i < n; ++i) {
    plexus::WriteBatch batch(1000 + i);
    batch.UpsertNode("node " + std::to_string(i));
    if (!database->graph().Apply(batch)) return 1;
  }
  if (mode == "child") {
    if (!database->Checkpoint()) return 1;
    if (!ChildExits([] { return 0; })) return 3;
    const std::string other = argv[1] + std::string("2");
    if (!ChildExits([&] { return Database::Open(other, options) ? 1 : 0; })) return 4;
    if (!ChildExits([&] { return Reads(argv[1]) ? 0 : 1; })) return 5;
    if (!ChildExits([&] { return database.reset(), 0; })) return 6;
  }
  if (mode == "child-reads") {  // the child has the parent's view, and lets it go
    options.read_only = true;
    options.create = false;
    if (!database->Close()) return 1;
    opened = Database::Open(argv[1], options);
    if (!opened) return 1;
    database = *std::move(opened);
    if (!ChildExits([] { return 0; })) return 3;
    if (!ChildExits([] { return database.reset(), 0; })) return 4;
    if (!ChildExits([&] { return database->AsOf(1) ? 0 : 1; })) return 5;
  }
  return 0;
}
