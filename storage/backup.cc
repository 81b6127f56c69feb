// Backup and restore.
//
// A backup is a closed database: the files of one moment (pinned_files.h), sorted files as
// hard links where the file system allows. When the moment lies between two closes, the
// copy is what a crash would have left: it is opened and closed once, which recovers it.
// Then it is verified. Restoring copies all bytes, so that the new database shares no file
// with the backup. The source is never written to, and may be written meanwhile.
#include <unistd.h>

#include "engine/arrays/freed_memory.h"
#include "engine/out_of_memory.h"
#include "storage/database_impl.h"

namespace plexus {

using namespace storage_internal;

namespace {

// Copies bytes as they were at their moment.
class Copier {
 public:
  Copier(const PinnedFiles& pinned, const Files& files, const char* phase, Progress* progress)
      : pinned_(pinned), files_(files), phase_(phase), progress_(progress) {
    for (const PinnedEntry& entry : pinned.entries()) total_ += entry.file->size();
  }

  // All files of the generation to the new directory `to`, and its anchor.
  Status CopyTo(const std::string& to, bool share) {
    const std::string path = GenerationPath(to, pinned_.anchor().generation);
    if (!files_.Exists(to)) PLEXUS_TRY(files_.MakeDirectory(to));
    PLEXUS_TRY(files_.MakeDirectory(path));
    for (const PinnedEntry& entry : pinned_.entries()) {
      const std::string target = path + "/" + entry.name;
      if (share && entry.name.ends_with(".sst") && Link(entry, target)) {
        done_ += entry.file->size();
        PLEXUS_TRY(Go());
      } else {
        PLEXUS_TRY(Copy(entry, target));
      }
    }
    PLEXUS_TRY(files_.SyncDirectory(path));
    PLEXUS_TRY(WriteAnchor(to, pinned_.anchor(), files_));
    return files_.SyncDirectory(to);
  }

 private:
  // False when there is no such link: another file system, or the name has gone since.
  bool Link(const PinnedEntry& entry, const std::string& target) const {
    if (link((pinned_.path() + "/" + entry.name).c_str(), target.c_str()) != 0) return false;
    if (entry.file->IsAt(target)) return true;
    unlink(target.c_str());  // another file has taken the name
    return false;
  }

  Status Copy(const PinnedEntry& entry, const std::string& target) {
    std::unique_ptr<rocksdb::WritableFile> out;
    PLEXUS_TRY(Check(files_.env()->NewWritableFile(target, &out, rocksdb::EnvOptions()), target));
    std::vector<char> buffer(1 << 20);
    for (std::uint64_t at = 0;;) {
      const std::int64_t read = entry.file->Read(at, buffer.data(), buffer.size());
      if (read < 0) return IoError(pinned_.path(), "/", entry.name, ": cannot be read");
      if (read == 0) break;
      const std::size_t bytes = static_cast<std::size_t>(read);
      PLEXUS_TRY(Check(out->Append(rocksdb::Slice(buffer.data(), bytes)), target));
      at += bytes;
      done_ += bytes;
      PLEXUS_TRY(Go());
    }
    PLEXUS_TRY(Check(out->Fsync(), target));
    return Check(out->Close(), target);
  }

  Status Go() const {
    if (!progress_ || progress_->Report(phase_, done_, total_)) return {};
    return Cancelled(phase_, " was stopped, nothing is left of the copy");
  }

  const PinnedFiles& pinned_;
  const Files& files_;
  const char* phase_;
  Progress* progress_;
  std::uint64_t done_ = 0, total_ = 0;
};

// A copy of a moment between two closes: recovered and closed, as after a crash.
Status Recover(const std::string& directory, Executor& executor, const Files& files) {
  OpenOptions options;
  options.checkpoint_on_close = CheckpointOnClose::kNever;
  options.graph.executor = &executor;
  options.replica_of.emplace();  // if it is one
  {
    PLEXUS_ASSIGN(const std::unique_ptr<Database> copy, Database::Open(directory, options));
    PLEXUS_TRY(copy->Close());
  }
  const std::string lock = directory + "/" + kLockFileName;
  PLEXUS_TRY(Check(files.env()->DeleteFile(lock), lock));  // no process writes to a backup
  return files.SyncDirectory(directory);
}

// The finished copy has all that it is to have: its log, payloads and checkpoints are read and
// compared. No second graph is in memory for that.
Status MustBeSound(const std::string& directory, Sequence least, Executor& executor,
                   Progress* progress) {
  PLEXUS_ASSIGN(const std::unique_ptr<Database> copy,
                Database::Impl::OpenWithoutGraph(directory, executor));
  if (copy->snapshot().sequence() < least)
    return Fail(ErrorCode::kInternal, directory + ": the copy ends at record " +
                                          std::to_string(copy->snapshot().sequence()) + ", not " +
                                          std::to_string(least));
  VerifyOptions verify;
  verify.progress = progress;
  PLEXUS_ASSIGN(const VerifyReport report, copy->Verify(verify));
  if (report.ok) return {};
  const VerifyProblem& first = report.problems.front();
  return Corrupted(directory, ": the copy has problems, the first: ", first.where, ": ",
                   first.what);
}

}  // namespace

Status storage_internal::MustBeNew(const std::string& directory, const Files& files) {
  PLEXUS_TRY(MustBeOutside(directory));
  if (!files.Exists(directory)) return {};
  PLEXUS_ASSIGN(const std::vector<std::string> names, files.List(directory));
  if (names.empty()) return {};
  return Fail(ErrorCode::kAlreadyExists, directory + ": exists and is not empty");
}

Status storage_internal::OrNothing(const std::string& directory, bool was_there, Status status) {
  if (status) return status;
  const Files files;  // of its own: after a failed write the other deletes nothing
  (void)RemoveGraph(directory, files);
  if (!was_there) (void)rmdir(directory.c_str());
  return status;
}

Status Database::Backup(const std::string& to, Progress* progress) try {
  Impl& d = *impl_;
  PLEXUS_TRY(d.Usable());
  const ReturnFreedMemoryAtEnd freed(d.options.graph.return_freed_memory);
  LogScope log(d.options.graph.on_log, "backup");
  const MutexLock one_at_a_time(d.backup);
  MutexLock guard(d.maintenance);
  PLEXUS_TRY(d.Usable());              // it may have been closed while this waited
  const Files files(d.options.hooks);  // a full disk there must not stop writing here
  PLEXUS_TRY(MustBeNew(to, files));
  const bool was_there = files.Exists(to);
  std::shared_ptr<const PinnedFiles> pinned = d.pinned;
  Sequence least = d.report.sequence;
  if (d.journal) {
    // A copy with words that wait to be forgotten would forget them by itself.
    PLEXUS_TRY(d.ScrubNow(progress));
    PLEXUS_TRY(d.ForgetWords(progress));
    PLEXUS_TRY(d.journal->FlushBulk());
    least = d.journal->position().sequence;
    PLEXUS_TRY(d.journal->WaitDurable(least));
    PLEXUS_ASSIGN(pinned, PinnedFiles::Take(d.directory));
  }
  guard.Unlock();  // the files are open: whatever happens to their names, they can be copied
  auto make = [&]() -> Status {
    PLEXUS_TRY(Copier(*pinned, files, "backup", progress).CopyTo(to, true));
    if (!pinned->anchor().clean) PLEXUS_TRY(Recover(to, d.executor(), files));
    return MustBeSound(to, least, d.executor(), progress);
  };
  return log.Done(OrNothing(to, was_there, OrNoMemory(make)));
}
PLEXUS_CATCH_NO_MEMORY

Status Database::Restore(const std::string& from, const std::string& to, Progress* progress) try {
  const Files files;
  PLEXUS_TRY(MustBeNew(to, files));
  const bool was_there = files.Exists(to);
  PLEXUS_ASSIGN(const auto pinned, PinnedFiles::Take(from));
  const Anchor& anchor = pinned->anchor();
  if (!anchor.clean)
    return FailedPrecondition(
        from,
        ": is open, or its last writer did not end; restore from a copy that 'backup' made, "
        "or let a command that writes close it first");
  PLEXUS_TRY(CompareGeneration(pinned->path(), anchor.files, Files(files, pinned)));
  auto make = [&]() -> Status {
    PLEXUS_TRY(Copier(*pinned, files, "restore", progress).CopyTo(to, false));
    PLEXUS_TRY(CompareGeneration(GenerationPath(to, anchor.generation), anchor.files, files));
    return MustBeSound(to, anchor.sequence, DefaultExecutor(), progress);
  };
  return OrNothing(to, was_there, OrNoMemory(make));
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus
