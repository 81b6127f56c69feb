// GuardedDB: the one place through which all calls of a RocksDB go.
//
// RocksDB's code does not survive an exception: std::bad_alloc that comes out of a call leaves
// threads queued behind a writer that is gone, and counters that its assertions find wrong. So
// after one (CallRocks) the instance is dead, with all that shares its Files: no call reaches it
// any more, each is refused with kDeadText; its own threads reach no file (Files::Die); it is never
// destroyed, as that would wait for them. What it had on disk is what a crash would have left.
//
// Calls that take a place in RocksDB's queue of writers take turns here, so that none waits inside
// of it for another one that does not come back. A flush takes its turn only to begin; who waits
// for its end holds up no writer.
//
// Internal; thread-safe.
#pragma once

#include <atomic>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <rocksdb/listener.h>
#include <rocksdb/utilities/stackable_db.h>
#include <rocksdb/write_batch.h>

#include "engine/mutex.h"
#include "storage/base/files.h"
#include "storage/base/rocks_status.h"

namespace plexus::storage_internal {

// The most that an entry of a batch takes besides its key and value.
inline constexpr std::size_t kBatchEntryBytes = 32;

// A batch that does not have to grow for `entries` whose keys and values have `bytes` in all:
// RocksDB ends the process, by an assertion, when a batch cannot grow.
inline rocksdb::WriteBatch ReservedBatch(std::size_t entries, std::size_t bytes) {
  return rocksdb::WriteBatch((entries + 1) * kBatchEntryBytes + bytes);
}

// Runs `call`, a call of RocksDB, unless it is dead. REQUIRES its status to be returned or kept.
template <class Call>
rocksdb::Status CallRocks(const Files& files, Call&& call) {
  if (files.dead()) return rocksdb::Status::ShutdownInProgress(kDeadText);
  try {
    return call();
  } catch (...) {
    files.Die();
    throw std::bad_alloc();
  }
}

// Whether RocksDB's threads met an error: what they were to do may never be done then.
class BackgroundErrors : public rocksdb::EventListener {
 public:
  void OnBackgroundError(rocksdb::BackgroundErrorReason, rocksdb::Status*) override { any_ = true; }
  bool any() const { return any_; }

 private:
  std::atomic<bool> any_{false};
};

class GuardedDB : public rocksdb::StackableDB {
 public:
  using Slice = rocksdb::Slice;
  using Status = rocksdb::Status;
  using Family = rocksdb::ColumnFamilyHandle;
  // Without one that is opened, each call answers `unopened`.
  explicit GuardedDB(std::shared_ptr<Files> files, Status unopened = Status::ShutdownInProgress())
      : StackableDB(static_cast<rocksdb::DB*>(nullptr)),
        files_(std::move(files)),
        unopened_(std::move(unopened)) {}
  bool is_open() const { return db_ != nullptr; }
  DB** slot() { return &db_; }  // for the opened one, which is owned then
  // REQUIRES the options with which it is opened to have it as a listener.
  const std::shared_ptr<BackgroundErrors>& errors() const { return errors_; }

  // `act(db)`, for what RocksDB offers as a function besides DB. Takes its turn with the writers.
  template <class Act>
  Status WriteBy(Act&& act) {
    const MutexLock turn(writers_);
    return CallDB([&] { return act(db_); });
  }

  using StackableDB::Put;
  Status Put(const rocksdb::WriteOptions& o, Family* f, const Slice& key,
             const Slice& value) override;
  using StackableDB::Delete;
  Status Delete(const rocksdb::WriteOptions& o, Family* f, const Slice& key) override;
  using StackableDB::DeleteRange;
  Status DeleteRange(const rocksdb::WriteOptions& o, Family* f, const Slice& begin,
                     const Slice& end) override;
  Status Write(const rocksdb::WriteOptions& o, rocksdb::WriteBatch* batch) override;
  using StackableDB::IngestExternalFile;
  Status IngestExternalFile(Family* f, const std::vector<std::string>& files,
                            const rocksdb::IngestExternalFileOptions& o) override;
  using StackableDB::IngestExternalFiles;
  Status IngestExternalFiles(const std::vector<rocksdb::IngestExternalFileArg>& args) override;
  using StackableDB::CreateColumnFamily;
  Status CreateColumnFamily(const rocksdb::ColumnFamilyOptions& o, const std::string& name,
                            Family** handle) override;
  using StackableDB::CreateColumnFamilyWithImport;
  Status CreateColumnFamilyWithImport(const rocksdb::ColumnFamilyOptions& o,
                                      const std::string& name,
                                      const rocksdb::ImportColumnFamilyOptions& import,
                                      const rocksdb::ExportImportFilesMetaData& metadata,
                                      Family** handle) override;
  using StackableDB::Flush;
  // Always waits.
  Status Flush(const rocksdb::FlushOptions& o, const std::vector<Family*>& families) override;
  Status FlushWAL(bool sync) override;
  // Syncs the write-ahead log, unless all that was written since it was opened is synced.
  Status SyncRest();
  void NoteSynced(rocksdb::SequenceNumber written);
  using StackableDB::CompactRange;
  Status CompactRange(const rocksdb::CompactRangeOptions& o, Family* f, const Slice* begin,
                      const Slice* end) override;
  using StackableDB::CompactFiles;
  Status CompactFiles(const rocksdb::CompactionOptions& o, Family* f,
                      const std::vector<std::string>& names, int level, int path = -1,
                      std::vector<std::string>* outputs = nullptr,
                      rocksdb::CompactionJobInfo* info = nullptr) override;
  using StackableDB::VerifyChecksum;
  Status VerifyChecksum(const rocksdb::ReadOptions& o) override;
  using StackableDB::Get;
  Status Get(const rocksdb::ReadOptions& o, Family* f, const Slice& key,
             rocksdb::PinnableSlice* value) override;
  using StackableDB::NewIterator;
  rocksdb::Iterator* NewIterator(const rocksdb::ReadOptions& o, Family* f) override;
  using StackableDB::GetOptions;
  rocksdb::Options GetOptions(Family* f) const override;  // throws bad_alloc where it is dead
  using StackableDB::GetIntProperty;
  bool GetIntProperty(Family* f, const Slice& property, std::uint64_t* value) override;
  void GetLiveFilesMetaData(std::vector<rocksdb::LiveFileMetaData>* files) override;
  using StackableDB::GetColumnFamilyMetaData;
  void GetColumnFamilyMetaData(Family* f, rocksdb::ColumnFamilyMetaData* meta) override;
  Status Close() override;
  Status DestroyColumnFamilyHandle(Family* f) override;

 private:
  template <class Act>
  Status CallDB(Act&& act) const {
    return is_open() ? CallRocks(*files_, act) : unopened_;
  }
  // The same of a call without a status.
  template <class Act>
  Status Do(Act&& act) const {
    return CallDB([&] {
      act();
      return Status::OK();
    });
  }
  // It was asked for while RocksDB could not be opened, and now there is one.
  Status NoFamily() const {
    return is_open() ? Status::IOError("RocksDB could not be opened just before") : unopened_;
  }
  Status WaitForFlushes(const std::vector<Family*>& families);

  const std::shared_ptr<Files> files_;
  const Status unopened_;
  const std::shared_ptr<BackgroundErrors> errors_ = std::make_shared<BackgroundErrors>();
  Mutex writers_;
  std::atomic<rocksdb::SequenceNumber> synced_{0};  // all up to it
};

}  // namespace plexus::storage_internal
