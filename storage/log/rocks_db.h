// Rocks: one opened RocksDB with our column families and options. Internal.
//
// This build of RocksDB has assertions on: deleting a database before its column
// family handles or iterators aborts. So everything lives behind RAII here, an
// iterator is made only while a shared_ptr<Rocks> is held, and the checks that
// could trip an assertion are made before RocksDB is called.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/metadata.h>
#include <rocksdb/sst_file_writer.h>

#include "engine/arrays/owner.h"
#include "engine/error.h"
#include "engine/mutex.h"
#include "engine/types.h"
#include "storage/base/digest.h"
#include "storage/base/files.h"
#include "storage/base/rocks_status.h"
#include "storage/log/guarded_db.h"

namespace plexus::storage_internal {

// Keys, big-endian so that byte order is number order.
std::string LogKey(Sequence sequence);  // 8 bytes
inline constexpr std::size_t kPayloadKeyBytes = 12;
std::string PayloadKey(Sequence sequence, std::uint32_t ordinal);
std::string SectionKey(std::uint64_t checkpoint, std::uint32_t section);  // 11 bytes
inline constexpr std::uint32_t kManifestSection = 0xFFFFFF;
// 0 / false when the key has another length.
Sequence SequenceOfLogKey(const rocksdb::Slice& key);
bool ParsePayloadKey(const rocksdb::Slice& key, Sequence* sequence, std::uint32_t* ordinal);
bool ParseSectionKey(const rocksdb::Slice& key, std::uint64_t* checkpoint, std::uint32_t* section);

// RocksDB's writer of a sorted file, in a list of those that were left unfinished.
struct SortedFile {
  std::unique_ptr<rocksdb::SstFileWriter> writer;
  std::unique_ptr<SortedFile> next;
};

class Rocks {
 public:
  enum class Mode {
    kCreate,            // a new one; the directory must not hold a database
    kWrite,             // read-write, after a look; recovered records go to sorted files
    kWriteClean,        // read-write, after a clean close; they stay in their write-ahead logs
    kReadOnly,          // read-only, any damage of the write-ahead log is an error
    kReadOnlyTolerant,  // read-only, a torn tail is left out
  };
  static Result<std::shared_ptr<Rocks>> Open(const std::string& path, Mode mode,
                                             std::shared_ptr<Files> files);
  // kReadOnly, but opened by the first use. What it has read counts if `compare` finds the files as
  // they were closed after that. If it fails, each call of db() answers with the reason; but for
  // damage the next use tries again.
  static std::shared_ptr<Rocks> OpenLater(const std::string& path, std::shared_ptr<Files> files,
                                          std::function<Status()> compare);
  // A new one whose payloads are those of exported files, which are moved there.
  static Result<std::shared_ptr<Rocks>> CreateFrom(
      const std::string& path, std::shared_ptr<Files> files,
      const rocksdb::ExportImportFilesMetaData& payloads);
  ~Rocks();
  // Called when a mode was first opened: what RocksDB has made static for it ends after what is
  // registered there.
  inline static std::atomic<void (*)()> when_first_opened = nullptr;

  GuardedDB* db() const {
    if (!waits()) return db_;
    GuardedDB* const refusal = const_cast<Rocks*>(this)->OpenNow();
    return refusal ? refusal : db_;
  }
  // Null when opening failed.
  rocksdb::ColumnFamilyHandle* meta() const { return Family(0); }
  rocksdb::ColumnFamilyHandle* log() const { return Family(1); }
  rocksdb::ColumnFamilyHandle* payload() const { return Family(2); }
  rocksdb::ColumnFamilyHandle* checkpoint() const { return Family(3); }
  bool failed() const { return failed_.load(std::memory_order_acquire); }  // to open at first use
  bool waits() const { return later_.load(std::memory_order_acquire); }    // for its first use
  const std::string& path() const { return path_; }
  const std::shared_ptr<Files>& files() const { return files_; }

  // Sum of live file and memtable sizes of a column family; an upper bound of what
  // can be read from it, so that counts read from it are checked against it.
  std::uint64_t FamilyBytes(rocksdb::ColumnFamilyHandle* family) const;
  // What RocksDB counts of a family under that name; 0: nothing.
  std::uint64_t Property(rocksdb::ColumnFamilyHandle* family, const std::string& name) const;
  struct Memory {
    std::uint64_t memtables = 0, table_readers = 0, block_cache = 0;
  };
  Memory MeasureMemory() const;
  // Memtables to files; the write-ahead log holds nothing that matters afterwards.
  Status FlushAll() const;
  // Before closing: flushes when the write-ahead logs are many or long (else the next open
  // reads them, which is cheaper than a sorted file each time), and merges small sorted
  // files when there are several. So their number grows by one a MiB at most.
  Status Settle() const;
  // Deletes the sorted files that lie in [begin, end], or [begin, end).
  Status DeleteFilesIn(rocksdb::ColumnFamilyHandle* family, const rocksdb::Slice& begin,
                       const rocksdb::Slice& end, bool include_end) const;
  // Closes, reporting what the destructor could not. What is dead is left as it is, and its files
  // can be opened again. Call once.
  Status Close();
  // Keeps it until Close, when there is memory for its destructor.
  void Leave(std::unique_ptr<SortedFile> unfinished) const noexcept;

 private:
  Rocks(const std::string& path, std::shared_ptr<Files> files)
      : path_(path), files_(std::move(files)) {}
  Status MergeSmallFiles(rocksdb::ColumnFamilyHandle* family) const;
  template <class Call>
  Status Make(Mode mode, Call&& open);  // calls open(options, &db)
  Status Make(Mode mode);
  rocksdb::ColumnFamilyHandle* Family(std::size_t i) const {
    return waits() && const_cast<Rocks*>(this)->OpenNow() ? nullptr : handles_[i];
  }
  GuardedDB* OpenNow();  // null: it is open; else what refuses each call
  GuardedDB* Refuse(const Error& why) PLEXUS_REQUIRES(opening_);
  Status Shut();
  std::string path_;
  std::shared_ptr<Files> files_;
  std::atomic<bool> later_ = false, failed_ = false;
  bool no_memory_ = false;  // for what a look read, or claimed to need
  std::function<Status()> compare_;
  const Owner owner_;
  Mutex opening_;
  std::unique_ptr<GuardedDB> forked_;  // refuses where a thread of the parent was opening it
  // By reason.
  std::vector<std::pair<std::string, std::unique_ptr<GuardedDB>>> refusals_
      PLEXUS_GUARDED_BY(opening_);
  GuardedDB* db_ = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
  mutable Mutex left_mutex_;
  mutable std::unique_ptr<SortedFile> left_ PLEXUS_GUARDED_BY(left_mutex_);
};

// A sorted file's writer, not opened yet. It hands bytes to the disk as it goes, so that
// the sync at the end has little left to wait for. Once an exception came out of it, it is left as
// it is. Where one leaves the scope that holds it, `rocks` keeps it: the destructor of RocksDB's
// writer asks for memory.
class SortedFileWriter {
 public:
  SortedFileWriter(const Rocks& rocks, rocksdb::ColumnFamilyHandle* family);
  ~SortedFileWriter();
  SortedFileWriter(const SortedFileWriter&) = delete;
  SortedFileWriter& operator=(const SortedFileWriter&) = delete;
  Status Open(const std::string& path) {
    path_ = path;
    return Call([&](rocksdb::SstFileWriter& writer) { return writer.Open(path); });
  }
  Status Put(const rocksdb::Slice& key, const rocksdb::Slice& value) {
    return Call([&](rocksdb::SstFileWriter& writer) { return writer.Put(key, value); });
  }
  Status Finish() {
    return Call([](rocksdb::SstFileWriter& writer) { return writer.Finish(); });
  }

 private:
  template <class Act>
  Status Call(Act&& act) {
    try {
      return Check(act(*file_->writer), path_);
    } catch (...) {
      (void)file_->writer.release();  // half finished, it cannot be destroyed
      throw std::bad_alloc();
    }
  }
  const Rocks& rocks_;
  std::string path_;
  std::unique_ptr<SortedFile> file_ = std::make_unique<SortedFile>();
  const int exceptions_ = std::uncaught_exceptions();
};

// Reads that copy nothing into the block cache and read nothing ahead.
rocksdb::ReadOptions ScanOptions();
rocksdb::WriteOptions WriteSynced(bool sync = true);

}  // namespace plexus::storage_internal
