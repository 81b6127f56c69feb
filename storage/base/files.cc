// File operations over RocksDB's Env, with its statuses turned into Errors.
#include "storage/base/files.h"

#include <algorithm>

#include <rocksdb/file_system.h>

#include "storage/base/guarded_file_system.h"
#include "storage/base/lock_file.h"
#include "storage/base/plain_files.h"
#include "storage/base/rocks_status.h"

namespace plexus::storage_internal {

Files::Files(TestHooks* hooks)
    : hooks_(hooks),
      guard_(std::make_shared<Guard>(hooks && hooks->file_system ? hooks->file_system
                                                                 : rocksdb::FileSystem::Default())),
      own_env_(rocksdb::NewCompositeEnv(guard_)),
      env_(own_env_.get()) {}

void Files::SetHome(const std::string& directory) const {
  HomeWatch& watch = guard_->state().watch;
  watch.SetHome(directory);
  watch.Note(directory + "/" + kLockFileName);
}

void Files::Forget(const std::string& path) const noexcept { guard_->state().watch.Forget(path); }

Status Files::CheckHome() const {
  if (dead()) return FailedPrecondition(kDeadText);
  HomeWatch& watch = guard_->state().watch;
  return watch.LookAtAll() ? Status() : IoError(watch.Why());
}

void Files::Die() const noexcept { guard_->Die(); }
bool Files::dead() const { return guard_->state().dead.load(std::memory_order_acquire); }
bool Files::lost() const { return dead() || guard_->state().watch.gone(); }
void Files::Unlock() const noexcept { guard_->Unlock(); }

bool Files::Exists(const std::string& path) const { return env_->FileExists(path).ok(); }

Result<std::uint64_t> Files::Size(const std::string& path) const {
  std::uint64_t size = 0;
  PLEXUS_TRY(Check(env_->GetFileSize(path, &size), path));
  return size;
}

Result<std::vector<std::string>> Files::List(const std::string& directory) const {
  std::vector<std::string> names;
  PLEXUS_TRY(Check(env_->GetChildren(directory, &names), directory));
  std::erase_if(names, [](const std::string& n) { return n == "." || n == ".."; });
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::string> Files::Read(const std::string& path, std::uint64_t limit) const {
  // Read to its end, not to a size that another file of this name may have had.
  std::unique_ptr<rocksdb::SequentialFile> file;
  PLEXUS_TRY(Check(env_->NewSequentialFile(path, &file, rocksdb::EnvOptions()), path));
  std::string buffer(64 << 10, '\0'), all;
  for (;;) {
    rocksdb::Slice piece;
    PLEXUS_TRY(Check(file->Read(buffer.size(), &piece, buffer.data()), path));
    if (piece.empty()) return all;
    all.append(piece.data(), piece.size());
    if (all.size() > limit) return Corrupted(path, ": more than ", limit, " bytes");
  }
}

Result<std::uint64_t> Files::DigestFrom(const std::string& path, std::uint64_t begin) const {
  // Digest of digests of 1 MiB pieces: no file is ever held in memory whole.
  constexpr std::size_t kPiece = 1 << 20;
  std::unique_ptr<rocksdb::SequentialFile> file;
  PLEXUS_TRY(Check(env_->NewSequentialFile(path, &file, rocksdb::EnvOptions()), path));
  if (begin > 0) PLEXUS_TRY(Check(file->Skip(begin), path));
  // Not initialised: most files are small, and fresh memory costs more than their digest.
  const auto buffer = std::make_unique_for_overwrite<char[]>(kPiece);
  std::uint64_t chain = 0;
  for (;;) {
    std::size_t filled = 0;
    while (filled < kPiece) {
      rocksdb::Slice piece;
      PLEXUS_TRY(Check(file->Read(kPiece - filled, &piece, buffer.get() + filled), path));
      if (piece.empty()) break;
      if (piece.data() != buffer.get() + filled)
        std::copy_n(piece.data(), piece.size(), buffer.get() + filled);
      filled += piece.size();
    }
    if (filled == 0) return chain;
    chain = ChainHash(chain, Digest(AsBytes({buffer.get(), filled})));
  }
}

Status Files::Replace(const std::string& directory, const std::string& name,
                      const std::string& bytes) const {
  const std::string path = directory + "/" + name, temporary = path + ".tmp";
  std::unique_ptr<rocksdb::WritableFile> file;
  PLEXUS_TRY(Check(env_->NewWritableFile(temporary, &file, rocksdb::EnvOptions()), temporary));
  PLEXUS_TRY(Check(file->Append(bytes), temporary));
  PLEXUS_TRY(Check(file->Fsync(), temporary));
  PLEXUS_TRY(Check(file->Close(), temporary));
  FailPoint(hooks_, "file.written");
  PLEXUS_TRY(Check(env_->RenameFile(temporary, path), path));
  FailPoint(hooks_, "file.renamed");
  return {};
}

Status Files::MakeDirectory(const std::string& path) const {
  PLEXUS_TRY(MustBePlainDirectory(path));
  return Check(env_->CreateDirIfMissing(path), path);
}

Status Files::SyncDirectory(const std::string& path) const {
  std::unique_ptr<rocksdb::Directory> directory;
  PLEXUS_TRY(Check(env_->NewDirectory(path, &directory), path));
  return Check(directory->Fsync(), path);
}

Status Files::Remove(const std::string& path) const { return Check(env_->DeleteFile(path), path); }

Status Files::RemoveFolder(const std::string& path) const { return guard_->RemoveFolder(path); }

std::uint64_t Files::TreeBytes(const std::string& path) const {
  std::uint64_t total = 0;
  auto names = List(path);
  if (!names) return 0;
  for (const std::string& name : *names) {
    const std::string child = path + "/" + name;
    bool is_directory = false;
    if (!MustBePlainFile(child) && !MustBePlainDirectory(child)) continue;  // no link
    if (!env_->IsDirectory(child, &is_directory).ok()) continue;
    std::uint64_t size = 0;
    if (is_directory)
      total += TreeBytes(child);
    else if (env_->GetFileSize(child, &size).ok())
      total += size;
  }
  return total;
}

// --- What RocksDB's codes mean here.

namespace {

// What a status says, without its name and what is in `context` already: of a file that cannot
// be made "Not a directory", where RocksDB says "IO error: While mkdir if missing: PATH: Not a
// directory".
std::string Reason(const rocksdb::Status& status, std::string_view context) {
  const char* state = status.getState();
  const std::string text = state ? state : "";
  if (text.empty() && status.IsNotFound()) return "is not there, or is no directory";
  const std::size_t at = text.find(std::string(context) + ": ");
  if (status.IsIOError() && at != std::string::npos) return text.substr(at + context.size() + 2);
  return status.IsIOError() && !text.empty() ? text : status.ToString();
}

}  // namespace

Status Check(const rocksdb::Status& status, std::string_view context) {
  if (status.ok()) return {};
  ErrorCode code = ErrorCode::kIo;
  if (status.IsNotFound() || status.IsPathNotFound()) code = ErrorCode::kNotFound;
  if (status.IsCorruption()) code = ErrorCode::kCorruption;
  if (status.IsInvalidArgument()) code = ErrorCode::kCorruption;  // a family is missing
  if (status.IsNotSupported()) code = ErrorCode::kUnsupported;
  const std::string text = status.ToString();
  if (status.IsMemoryLimit() || status.IsNoSpace() || text.find(kNoSpaceText) != std::string::npos)
    code = ErrorCode::kResourceExhausted;
  if (status.IsShutdownInProgress() && text.find(kDeadText) != std::string::npos)
    code = ErrorCode::kFailedPrecondition;
  return Fail(code, std::string(context) + ": " + Reason(status, context));
}

}  // namespace plexus::storage_internal
