// Taking back the creation of a database that nothing was written to.
//
// Order: the anchor first says "being made" again (generation 0), so that a crash at any
// later point leaves what the next creating open begins again. The lock is held to the end.
#include "engine/out_of_memory.h"
#include "storage/database_impl.h"

namespace plexus {

using namespace storage_internal;

Status Database::Discard() try {
  Impl& d = *impl_;
  PLEXUS_TRY(d.Writable());
  if (!d.report.created || d.graph->snapshot().sequence() != 0 ||
      d.journal->position().sequence != 0)
    return FailedPrecondition(d.directory, ": holds more than an empty graph made by this open");
  const MutexLock one(d.closing);
  if (d.closed.exchange(true)) return d.Usable();
  d.StopKeeper();
  MutexLock guard(d.maintenance);
  const MutexLock erasing(d.erase_mutex);
  const MutexLock renewing(d.renewal);
  Status status = d.journal->Close();
  d.store->Attach(nullptr);
  if (Status shut = d.rocks->Close(); status && !shut) status = shut;
  Anchor making = d.anchor;
  making.generation = 0;
  making.clean = false;
  making.files.clear();
  if (status) status = WriteAnchor(d.directory, making, *d.files);
  if (status) status = d.files->RemoveFolder(d.generation_path());
  for (const char* name : {"bulk", "checkpoint"})
    if (status) status = d.files->RemoveFolder(d.scratch_path(name));
  if (status) status = d.files->Remove(d.directory + "/" + kAnchorName);
  if (status) status = d.files->Remove(d.directory + "/" + kLockFileName);
  d.lock.Release();
  return status;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus
