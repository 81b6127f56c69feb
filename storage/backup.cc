// Backup and restore.
//
// A backup is a closed database: RocksDB's own checkpoint (hard links, or copies
// across file systems) of one moment, opened read-only to see that it holds the
// records it should, and an anchor that lists its files. Restoring copies the files,
// so that the new database shares none with the backup.
#include <algorithm>

#include <rocksdb/utilities/checkpoint.h>

#include "storage/database_impl.h"

namespace plexus::storage {

namespace {

Status MustBeNew(const std::string& directory, const Files& files) {
  if (!files.Exists(directory)) return {};
  PLEXUS_ASSIGN(const std::vector<std::string> names, files.List(directory));
  if (names.empty()) return {};
  return Fail(ErrorCode::kAlreadyExists, directory + ": exists and is not empty");
}

// Opens the finished copy as any reader would, with its payloads and vectors.
Status MustOpen(const std::string& directory, Sequence sequence) {
  OpenOptions options;
  options.read_only = true;
  PLEXUS_ASSIGN(const std::unique_ptr<Database> copy, Database::Open(directory, options));
  if (copy->snapshot().sequence() != sequence)
    return Fail(ErrorCode::kInternal, directory + ": the copy ends at record " +
                                          std::to_string(copy->snapshot().sequence()) + ", not " +
                                          std::to_string(sequence));
  PLEXUS_ASSIGN(const VerifyReport report, copy->Verify());
  if (report.ok) return {};
  const VerifyProblem& first = report.problems.front();
  return Fail(ErrorCode::kCorruption, directory + ": the copy has problems, the first: " +
                                          first.where + ": " + first.what);
}

}  // namespace

Status Database::Backup(const std::string& to, Progress* progress) {
  Impl& d = *impl_;
  if (d.closed) return Fail(ErrorCode::kFailedPrecondition, d.directory + ": the database is closed");
  std::lock_guard guard(d.maintenance);
  PLEXUS_TRY(MustBeNew(to, *d.files));
  if (d.options.read_only)
    return Fail(ErrorCode::kReadOnly, "a backup is made from a database that is open for writing");
  PLEXUS_TRY(d.ScrubNow(progress));
  PLEXUS_TRY(d.journal->FlushBulk());
  PLEXUS_TRY(d.journal->WaitDurable(d.journal->position().sequence));
  PLEXUS_TRY(d.files->MakeDirectory(to));
  if (progress && !progress->Report("backup", 0, 0))
    return Fail(ErrorCode::kCancelled, "the backup was stopped");
  const std::string path = GenerationPath(to, d.anchor.generation);
  rocksdb::Checkpoint* made = nullptr;
  PLEXUS_TRY(Check(rocksdb::Checkpoint::Create(d.rocks->db(), &made), path));
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  PLEXUS_TRY(Check(checkpoint->CreateCheckpoint(path), path));
  // What the copy holds, it says itself: writes went on meanwhile.
  Anchor anchor = d.anchor;
  {
    PLEXUS_ASSIGN(const std::shared_ptr<Rocks> look,
                  Rocks::Open(path, Rocks::Mode::kLook, d.files));
    PLEXUS_ASSIGN(const std::optional<RecordHead> last, LastRecord(look));
    if (last && last->sequence > anchor.floor_sequence) {
      anchor.sequence = last->sequence;
      anchor.log_hash = last->running_hash;
    } else {
      anchor.sequence = d.floor().sequence;
      anchor.log_hash = d.floor().hash;
    }
  }
  anchor.clean = true;
  PLEXUS_ASSIGN(anchor.files, ListGeneration(path, *d.files));
  PLEXUS_TRY(WriteAnchor(to, anchor, *d.files));
  return MustOpen(to, anchor.sequence);
}

Status Database::Restore(const std::string& from, const std::string& to, Progress* progress) {
  const Files files;
  PLEXUS_TRY(MustBeNew(to, files));
  PLEXUS_ASSIGN(const Anchor anchor, ReadAnchor(from, files));
  if (!anchor.clean)
    return Fail(ErrorCode::kFailedPrecondition,
                from + ": was not closed; open and close it, or restore a backup");
  const std::string source = GenerationPath(from, anchor.generation);
  PLEXUS_TRY(CompareGeneration(source, anchor.files, files));
  PLEXUS_TRY(files.MakeDirectory(to));
  const std::string path = GenerationPath(to, anchor.generation);
  PLEXUS_TRY(files.MakeDirectory(path));
  PLEXUS_ASSIGN(const std::vector<std::string> names, files.List(source));
  std::uint64_t done = 0;
  for (const std::string& name : names) {
    if (name == "LOCK") continue;
    PLEXUS_TRY(files.Copy(source + "/" + name, path + "/" + name));
    if (progress && !progress->Report("restore", ++done, names.size()))
      return Fail(ErrorCode::kCancelled, "restoring was stopped; " + to + " is incomplete");
  }
  PLEXUS_TRY(files.SyncDirectory(path));
  PLEXUS_TRY(CompareGeneration(path, anchor.files, files));
  PLEXUS_TRY(WriteAnchor(to, anchor, files));
  return MustOpen(to, anchor.sequence);
}

}  // namespace plexus::storage
