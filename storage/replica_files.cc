// The files of one moment as a stream: the anchor, a list, the bytes of each file and their digest.
// They are received as one more generation next to the one in force, which the anchor names in the
// end. As between two closes they are what a crash would have left, and the next open recovers it.
#include <algorithm>
#include <memory>
#include <utility>

#include "engine/out_of_memory.h"
#include "storage/base/digest.h"
#include "storage/database_impl.h"
#include "storage/replica.h"

namespace plexus {

using namespace storage_internal;

namespace {

using SendPiece = std::function<Status(std::string_view)>;

constexpr std::string_view kFilesMagic = "PLXFILE1";
constexpr std::uint64_t kMostAnchorBytes = 16 << 20, kMostHeadingBytes = 64 << 20;
constexpr std::size_t kPieceBytes = 1 << 20;

std::string NumberBytes(std::uint64_t value) {
  std::string bytes;
  AppendLittleEndian(bytes, value, 8);
  return bytes;
}

// Pieces of any length as fields.
class FieldReader {
 public:
  explicit FieldReader(const std::function<Result<std::string>()>& read) : read_(read) {}
  // Up to `most` bytes, at least one.
  Result<std::string> Some(std::uint64_t most) {
    while (at_ == piece_.size()) {
      PLEXUS_ASSIGN(piece_, read_());
      at_ = 0;
      if (piece_.empty()) return IoError("the source's files end too early");
    }
    std::string some = piece_.substr(at_, std::min<std::uint64_t>(most, piece_.size() - at_));
    at_ += some.size();
    return some;
  }
  Result<std::string> Exactly(std::uint64_t bytes) {
    std::string all;
    while (all.size() < bytes) {
      PLEXUS_ASSIGN(const std::string some, Some(bytes - all.size()));
      all += some;
    }
    return all;
  }
  Result<bool> AtEnd() {
    if (at_ < piece_.size()) return false;
    PLEXUS_ASSIGN(piece_, read_());
    at_ = 0;
    return piece_.empty();
  }
  Result<std::uint64_t> Number() {
    PLEXUS_ASSIGN(const std::string bytes, Exactly(8));
    return ReadLittleEndian(bytes);
  }

 private:
  const std::function<Result<std::string>()>& read_;
  std::string piece_;
  std::size_t at_ = 0;
};

std::unexpected<Error> BrokenFiles(const std::string& what) {
  return Corrupted("the source's files: ", what);
}

// A digest of pieces of a fixed size, whatever pieces they came in.
class PieceDigest {
 public:
  void Add(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::string_view part = bytes.substr(0, kPieceBytes - held_.size());
      held_ += part;
      bytes.remove_prefix(part.size());
      if (held_.size() == kPieceBytes) Fold();
    }
  }
  std::uint64_t Take() {
    Fold();
    return value_;
  }

 private:
  void Fold() {
    value_ = Digest(AsBytes(held_), value_);
    held_.clear();
  }
  std::string held_;
  std::uint64_t value_ = 0;
};

Status SendFile(const PinnedFiles& pinned, const PinnedEntry& entry, const SendPiece& send) {
  std::vector<char> buffer(kPieceBytes);
  PieceDigest digest;
  for (std::uint64_t at = 0; at < entry.file->size();) {
    const std::int64_t read = entry.file->Read(
        at, buffer.data(), std::min<std::uint64_t>(buffer.size(), entry.file->size() - at));
    if (read <= 0) return IoError(pinned.path(), "/", entry.name, ": cannot be read");
    const std::string_view piece(buffer.data(), static_cast<std::size_t>(read));
    digest.Add(piece);
    PLEXUS_TRY(send(piece));
    at += piece.size();
  }
  return send(NumberBytes(digest.Take()));
}

Status SendAll(const PinnedFiles& pinned, const SendPiece& send) {
  const std::string anchor = EncodeAnchor(pinned.anchor());
  std::string heading = NumberBytes(anchor.size()) + anchor + NumberBytes(pinned.entries().size());
  for (const PinnedEntry& entry : pinned.entries())
    heading += NumberBytes(entry.name.size()) + entry.name + NumberBytes(entry.file->size());
  PLEXUS_TRY(send(std::string(kFilesMagic) + NumberBytes(heading.size()) + heading +
                  NumberBytes(Digest(AsBytes(heading)))));
  for (const PinnedEntry& entry : pinned.entries()) PLEXUS_TRY(SendFile(pinned, entry, send));
  return {};
}

struct ListedFile {
  std::string name;
  std::uint64_t size;
};

struct Heading {
  Anchor anchor;
  std::vector<ListedFile> files;
  std::uint64_t bytes = 0;
};

Result<Heading> ReceiveHeading(FieldReader& in) {
  PLEXUS_ASSIGN(const std::uint64_t size, in.Number());
  if (size > kMostHeadingBytes) return BrokenFiles("their list is too long");
  PLEXUS_ASSIGN(const std::string bytes, in.Exactly(size));
  PLEXUS_ASSIGN(const std::uint64_t said, in.Number());
  if (said != Digest(AsBytes(bytes))) return BrokenFiles("their list has another digest");
  bool taken = false;
  const std::function<Result<std::string>()> once = [&]() -> Result<std::string> {
    return std::exchange(taken, true) ? std::string() : bytes;
  };
  FieldReader fields(once);
  Heading heading;
  PLEXUS_ASSIGN(const std::uint64_t anchor_bytes, fields.Number());
  PLEXUS_ASSIGN(const std::string anchor, fields.Exactly(anchor_bytes));
  PLEXUS_ASSIGN(heading.anchor, DecodeAnchor(AsBytes(anchor), "the source's anchor"));
  PLEXUS_ASSIGN(const std::uint64_t count, fields.Number());
  for (std::uint64_t i = 0; i < count; ++i) {
    PLEXUS_ASSIGN(const std::uint64_t length, fields.Number());
    if (length == 0 || length > 255) return BrokenFiles("a name is too long");
    PLEXUS_ASSIGN(std::string name, fields.Exactly(length));
    if (name.find_first_of(std::string_view("/\0", 2)) != std::string::npos || name[0] == '.')
      return BrokenFiles("a name is none of a file");
    PLEXUS_ASSIGN(const std::uint64_t file_bytes, fields.Number());
    heading.bytes += file_bytes;
    heading.files.push_back({std::move(name), file_bytes});
  }
  return heading;
}

Status ReceiveFile(FieldReader& in, const std::string& path, const ListedFile& listed,
                   const Files& files, const std::function<Status(std::uint64_t)>& received) {
  const std::string target = path + "/" + listed.name;
  std::unique_ptr<rocksdb::WritableFile> out;
  PLEXUS_TRY(Check(files.env()->NewWritableFile(target, &out, rocksdb::EnvOptions()), target));
  PieceDigest digest;
  for (std::uint64_t left = listed.size; left > 0;) {
    PLEXUS_ASSIGN(const std::string piece, in.Some(std::min<std::uint64_t>(left, kPieceBytes)));
    digest.Add(piece);
    PLEXUS_TRY(Check(out->Append(piece), target));
    left -= piece.size();
    PLEXUS_TRY(received(piece.size()));
  }
  PLEXUS_ASSIGN(const std::uint64_t said, in.Number());
  if (said != digest.Take()) return BrokenFiles(listed.name + " has another digest");
  PLEXUS_TRY(Check(out->Fsync(), target));
  return Check(out->Close(), target);
}

// The anchor in force; generation 0 where none is.
Result<Anchor> AnchorInForce(const std::string& directory, const Files& files) {
  auto found = ReadAnchor(directory, files);
  if (found || found.error().code != ErrorCode::kNotFound) return found;
  Anchor none;
  none.generation = 0;
  return none;
}

// A directory that is to become a replica: nothing else is in it.
Status MayBegin(const std::string& directory, const Files& files) {
  PLEXUS_TRY(MustBeOutside(directory));
  if (!files.Exists(directory)) return files.MakeDirectory(directory);
  PLEXUS_ASSIGN(const std::vector<std::string> names, files.List(directory));
  for (const std::string& name : names)
    if (name != kLockFileName && name != kAnchorName && GenerationOf(name) == 0)
      return Fail(ErrorCode::kAlreadyExists, directory + ": exists and is not empty");
  return {};
}

// Calls `report` with what is done; kCancelled when it says stop.
std::function<Status(std::uint64_t)> Counter(Progress* progress, const char* phase,
                                             std::uint64_t total) {
  return [=, done = std::uint64_t{0}](std::uint64_t bytes) mutable -> Status {
    done += bytes;
    if (!progress || progress->Report(phase, done, total)) return {};
    return Cancelled(phase, " was stopped");
  };
}

std::string ReceivedAnchorPath(const std::string& directory, std::uint64_t generation) {
  return GenerationPath(directory, generation) + "/" + kReceivedAnchorName;
}

}  // namespace

Status Database::SendFiles(const std::function<Status(std::string_view)>& send,
                           Progress* progress) try {
  std::shared_ptr<const PinnedFiles> pinned;
  {
    Impl& d = *impl_;
    PLEXUS_TRY(d.Usable());
    const MutexLock guard(d.maintenance);
    PLEXUS_TRY(d.Usable());
    pinned = d.pinned;
    if (d.journal) {
      PLEXUS_TRY(d.ScrubNow(progress));
      PLEXUS_TRY(d.ForgetWords(progress));
      PLEXUS_TRY(d.journal->FlushBulk());
      PLEXUS_TRY(d.journal->WaitDurable(d.journal->position().sequence));
      PLEXUS_ASSIGN(pinned, PinnedFiles::Take(d.directory));
    }
  }
  return SendAll(*pinned, send);  // without this database, which may be closed by now
}
PLEXUS_CATCH_NO_MEMORY

Result<std::uint64_t> replica::ReceiveFiles(const std::string& directory, const std::string& source,
                                            const std::function<Result<std::string>()>& read,
                                            Progress* progress) try {
  const Files files;
  PLEXUS_ASSIGN(const Anchor before, AnchorInForce(directory, files));
  LockFile lock;  // else the replica's own database holds it
  if (before.generation == 0) {
    PLEXUS_TRY(MayBegin(directory, files));
    PLEXUS_ASSIGN(lock, LockFile::Take(directory));
  }
  FieldReader in(read);
  PLEXUS_ASSIGN(const std::string magic, in.Exactly(kFilesMagic.size()));
  if (magic != kFilesMagic) return BrokenFiles("they are none of this format");
  PLEXUS_ASSIGN(const Heading heading, ReceiveHeading(in));
  Anchor anchor = heading.anchor;
  if (before.generation > 0 && !(before.graph_id == anchor.graph_id))
    return FailedPrecondition(directory, ": holds another graph than the source sends");
  if (before.generation > 0 && before.source.empty())
    return FailedPrecondition(directory, ": holds a graph that is no replica");
  std::uint64_t generation = before.generation;
  PLEXUS_ASSIGN(const std::vector<std::string> names, files.List(directory));
  for (const std::string& name : names)
    if (GenerationOf(name) > 0 && GenerationOf(name) != before.generation)
      PLEXUS_TRY(files.RemoveFolder(directory + "/" + name));
  ++generation;
  anchor.begun = anchor.generation;
  anchor.generation = generation;
  anchor.source = source;
  if (before.generation == 0) {  // "is just being created"
    Anchor making;
    making.graph_id = anchor.graph_id;
    making.generation = 0;
    PLEXUS_TRY(WriteAnchor(directory, making, files));
  }
  const std::string path = GenerationPath(directory, generation);
  PLEXUS_TRY(files.MakeDirectory(path));
  const auto received = Counter(progress, "receiving", heading.bytes);
  const auto all = [&]() -> Status {
    for (const ListedFile& listed : heading.files)
      PLEXUS_TRY(ReceiveFile(in, path, listed, files, received));
    PLEXUS_ASSIGN(const bool ended, in.AtEnd());
    if (!ended) return BrokenFiles("they do not end where they should");
    PLEXUS_TRY(files.Replace(path, kReceivedAnchorName, EncodeAnchor(anchor)));
    PLEXUS_TRY(files.SyncDirectory(path));
    return files.SyncDirectory(directory);
  };
  if (const Status done = OrNoMemory(all); !done) {
    (void)files.RemoveFolder(path);
    return std::unexpected(done.error());
  }
  return generation;
}
PLEXUS_CATCH_NO_MEMORY

Status replica::SwapIn(const std::string& directory, std::uint64_t generation) try {
  const Files files;
  PLEXUS_ASSIGN(const LockFile lock, LockFile::Take(directory));
  PLEXUS_ASSIGN(const Anchor before, AnchorInForce(directory, files));
  const std::string held = ReceivedAnchorPath(directory, generation);
  PLEXUS_ASSIGN(const std::string bytes, files.Read(held, kMostAnchorBytes));
  PLEXUS_ASSIGN(Anchor anchor, DecodeAnchor(AsBytes(bytes), held));
  if (anchor.generation != generation || anchor.begun == 0)
    return Corrupted(held, ": is not of these files");
  PLEXUS_TRY(files.Remove(held));
  PLEXUS_TRY(WriteAnchor(directory, anchor, files));
  PLEXUS_TRY(files.SyncDirectory(directory));
  if (before.generation > 0)
    PLEXUS_TRY(files.RemoveFolder(GenerationPath(directory, before.generation)));
  return {};
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus
