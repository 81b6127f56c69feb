// PinnedFiles: one moment of a database's directory, held open.
//
// A reader takes no lock, so a writer may replace the anchor and delete files while it
// reads. Opening all files takes a fraction of a millisecond; if the anchor, CURRENT, the
// names and the MANIFEST's size are the same before and after, nothing but the ends of
// write-ahead logs moved in between, and what is held is what a crash at that moment
// would have left: a state that opens to every acknowledged batch. Opened files stay
// readable after they are deleted, and sizes are those of the moment, so everything that
// is read later (also by path, through FileSystem()) is of that one moment.
//
// A writer changes these things a few times while it opens and closes, for less than a
// millisecond each; so a moment is found between them however busy it is. Internal;
// immutable, so thread-safe.
#pragma once

#include <sys/stat.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <rocksdb/file_system.h>

#include "engine/error.h"
#include "storage/encoding/anchor.h"

namespace plexus::storage_internal {

// A file that is open for reading, and its size when it was opened.
class PinnedFile {
 public:
  static Result<std::shared_ptr<PinnedFile>> Open(const std::string& path);
  PinnedFile(const PinnedFile&) = delete;
  PinnedFile& operator=(const PinnedFile&) = delete;
  // The same file, held open once more by the same descriptor, with another end.
  std::shared_ptr<PinnedFile> WithSize(std::uint64_t size) const;

  std::uint64_t size() const { return size_; }
  std::uint64_t modified_seconds() const { return modified_; }
  // Up to `bytes` bytes from `offset` on, fewer at the end; the number read, or -1 with errno.
  std::int64_t Read(std::uint64_t offset, void* out, std::size_t bytes) const;
  // True when `path` is still this very file.
  bool IsAt(const std::string& path) const;
  // The size it has now; 0 when that is not known.
  std::uint64_t SizeNow() const;
  bool SameSize() const { return SizeNow() == size_; }

 private:
  struct Descriptor {
    explicit Descriptor(int number_) : number(number_) {}
    ~Descriptor();
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    const int number;
  };
  PinnedFile(std::shared_ptr<const Descriptor> descriptor, const struct stat& status);
  PinnedFile(const PinnedFile& other, std::uint64_t size);
  const std::shared_ptr<const Descriptor> descriptor_;
  const std::uint64_t device_, inode_, size_, modified_;
};

// A generation's files by name, sorted.
struct PinnedEntry {
  std::string name;
  std::shared_ptr<PinnedFile> file;
};

class PinnedFiles {
 public:
  // A moment comes between any two steps of a writer; this long is for machines that stand still.
  static constexpr std::chrono::milliseconds kPinTimeout{10'000};
  // Tries until a moment is found, for `patience` at most: kLocked names the writer.
  // kNotFound: no database. kCorruption: the anchor is damaged, or what it names is missing.
  static Result<std::shared_ptr<const PinnedFiles>> Take(
      const std::string& directory, std::chrono::milliseconds timeout = kPinTimeout);

  const Anchor& anchor() const { return anchor_; }
  // The generation's directory; empty when the database is just being created.
  const std::string& path() const { return path_; }
  const std::vector<PinnedEntry>& entries() const { return entries_; }
  std::shared_ptr<PinnedFile> Find(const std::string& name) const;
  // True when the directory is no longer what it was then (the ends of logs apart).
  bool Moved() const;
  // The write-ahead log that a writer appends to: the one with the largest number. Null: none.
  const PinnedEntry* NewestLog() const;
  // The moment of now, when nothing but the end of that log moved since. Null: something else did.
  std::shared_ptr<const PinnedFiles> Grown() const;
  // This moment with another end of that log. REQUIRES that there is one.
  std::shared_ptr<const PinnedFiles> WithLogEnd(std::uint64_t size) const;

 private:
  PinnedFiles() = default;
  // Null: something moved.
  static Result<std::shared_ptr<const PinnedFiles>> TryOnce(const std::string& directory);

  std::string anchor_path_, path_;
  std::shared_ptr<PinnedFile> anchor_file_;
  Anchor anchor_;
  std::vector<PinnedEntry> entries_;
};

}  // namespace plexus::storage_internal
