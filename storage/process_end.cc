// One handler of exit() for all databases.

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <map>

#include "engine/mutex.h"
#include "engine/out_of_memory.h"
#include "storage/base/guarded_file_system.h"
#include "storage/database_impl.h"

namespace plexus::storage_internal {

namespace {

// Both outlive every static object. A child of fork may have destroyed a database of its parent
// without the mutex, so the owner is read from the table and not from the database.
constinit Mutex mutex;
PLEXUS_REQUIRES(mutex) std::map<Database::Impl*, Owner>& Open() {
  static auto& open = *new std::map<Database::Impl*, Owner>;
  return open;
}

const Owner& FirstProcess() {
  static const auto& owner = *new Owner;
  return owner;
}

std::atomic<int> handlers = 0;  // that are to run still

void AtEnd(int status, void*) {
  const bool last = --handlers == 0;
  const bool child = !FirstProcess().Here();
  // A thread of the parent may have held the mutex at fork.
  if (!child)
    mutex.lock();
  else if (!mutex.try_lock())
    _exit(status);
  const MutexLock guard(mutex, std::adopt_lock);
  for (const auto& [database, owner] : Open())
    if (owner.Here()) (void)OrNoMemory([&] { return database->CloseNow(); });
  // RocksDB's objects would wait for threads that are not there, or that wait for ever where an
  // exception came out of it.
  if (!child && !(last && Guard::AnyDied())) return;
  std::fflush(nullptr);
  _exit(status);
}

}  // namespace

void RegisterProcessEnd() {
  if (on_exit(AtEnd, nullptr) == 0) ++handlers;
}

void CloseAtProcessEnd(Database::Impl* database) {
  MutexLock guard(mutex);
  Open().insert_or_assign(database, database->owner);
  [[maybe_unused]] static const bool registered = (FirstProcess(), RegisterProcessEnd(), true);
}

void LeaveOut(Database::Impl* database) {
  if (!database->owner.Here()) return;  // the mutex may be held for ever
  MutexLock guard(mutex);
  Open().erase(database);
}

Status MayWriteHere(const std::string& directory) {
  if (FirstProcess().Here()) return {};
  return FailedPrecondition(directory,
                            ": a child of fork cannot open a database for writing when its parent "
                            "had one open; start a new program (exec)");
}

}  // namespace plexus::storage_internal
