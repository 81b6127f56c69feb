// One handler of exit() for all databases.
#include "storage/process_end.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>

#include "engine/out_of_memory.h"
#include "storage/database_impl.h"

namespace plexus::storage {

namespace {

// Both outlive every static object.
constinit std::mutex mutex;
std::set<Database::Impl*>& Open() {
  static auto& open = *new std::set<Database::Impl*>;
  return open;
}

const Owner& FirstProcess() {
  static const auto& owner = *new Owner;
  return owner;
}

void AtEnd(int status, void*) {
  const bool child = !FirstProcess().Here();
  // A thread of the parent may have held the mutex at fork.
  std::unique_lock guard(mutex, std::defer_lock);
  if (child ? !guard.try_lock() : (guard.lock(), false)) _exit(status);
  for (Database::Impl* database : Open())
    if (database->owner.Here()) (void)OrNoMemory([&] { return database->CloseNow(); });
  if (!child) return;
  std::fflush(nullptr);
  _exit(status);
}

}  // namespace

void RegisterProcessEnd() { on_exit(AtEnd, nullptr); }

void CloseAtProcessEnd(Database::Impl* database) {
  std::lock_guard guard(mutex);
  Open().insert(database);
  [[maybe_unused]] static const bool registered = (FirstProcess(), RegisterProcessEnd(), true);
}

void LeaveOut(Database::Impl* database) {
  if (!database->owner.Here()) return;  // the mutex may be held for ever
  std::lock_guard guard(mutex);
  Open().erase(database);
}

Status MayWriteHere(const std::string& directory) {
  if (FirstProcess().Here()) return {};
  return Fail(ErrorCode::kFailedPrecondition,
              directory +
                  ": a child of fork cannot open a database for writing when its parent "
                  "had one open; start a new program (exec)");
}

}  // namespace plexus::storage
