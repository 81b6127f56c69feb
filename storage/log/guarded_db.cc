// Each call, and each step of an iterator, by CallRocks.
#include "storage/log/guarded_db.h"

#include <chrono>
#include <thread>
#include <utility>

namespace plexus::storage_internal {

namespace {

class GuardedIterator : public rocksdb::Iterator {
 public:
  GuardedIterator(std::unique_ptr<rocksdb::Iterator> iterator, std::shared_ptr<Files> files,
                  rocksdb::Status without)
      : iterator_(std::move(iterator)), files_(std::move(files)), without_(std::move(without)) {}
  ~GuardedIterator() override {
    if (files_->dead()) (void)iterator_.release();  // it would give back what it has of RocksDB
  }
  bool Valid() const override { return iterator_ && !files_->dead() && iterator_->Valid(); }
  void SeekToFirst() override {
    Move([](rocksdb::Iterator& it) { it.SeekToFirst(); });
  }
  void SeekToLast() override {
    Move([](rocksdb::Iterator& it) { it.SeekToLast(); });
  }
  void Seek(const rocksdb::Slice& key) override {
    Move([&](rocksdb::Iterator& it) { it.Seek(key); });
  }
  void SeekForPrev(const rocksdb::Slice& key) override {
    Move([&](rocksdb::Iterator& it) { it.SeekForPrev(key); });
  }
  void Next() override {
    Move([](rocksdb::Iterator& it) { it.Next(); });
  }
  void Prev() override {
    Move([](rocksdb::Iterator& it) { it.Prev(); });
  }
  rocksdb::Slice key() const override { return iterator_->key(); }
  rocksdb::Slice value() const override { return iterator_->value(); }
  rocksdb::Status status() const override {
    return CallRocks(*files_, [&] { return iterator_ ? iterator_->status() : without_; });
  }

 private:
  template <class Step>
  void Move(Step&& step) {
    CallRocks(*files_, [&] {
      if (iterator_) step(*iterator_);
      return rocksdb::Status::OK();
    }).PermitUncheckedError();
  }
  std::unique_ptr<rocksdb::Iterator> iterator_;  // null: RocksDB was dead before, or never opened
  const std::shared_ptr<Files> files_;
  const rocksdb::Status without_;
};

}  // namespace

rocksdb::Status GuardedDB::Put(const rocksdb::WriteOptions& o, Family* f, const Slice& key,
                               const Slice& value) {
  return WriteBy([&](DB* db) { return db->Put(o, f, key, value); });
}

// RocksDB makes a batch that may have to grow.
rocksdb::Status GuardedDB::Delete(const rocksdb::WriteOptions& o, Family* f, const Slice& key) {
  rocksdb::WriteBatch batch = ReservedBatch(1, key.size());
  batch.Delete(f, key).PermitUncheckedError();
  return Write(o, &batch);
}

rocksdb::Status GuardedDB::DeleteRange(const rocksdb::WriteOptions& o, Family* f,
                                       const Slice& begin, const Slice& end) {
  rocksdb::WriteBatch batch = ReservedBatch(1, begin.size() + end.size());
  batch.DeleteRange(f, begin, end).PermitUncheckedError();
  return Write(o, &batch);
}

rocksdb::Status GuardedDB::Write(const rocksdb::WriteOptions& o, rocksdb::WriteBatch* batch) {
  return WriteBy([&](DB* db) {
    const Status written = db->Write(o, batch);  // no other one comes in between
    if (o.sync && written.ok()) NoteSynced(db->GetLatestSequenceNumber());
    return written;
  });
}

rocksdb::Status GuardedDB::IngestExternalFile(Family* f, const std::vector<std::string>& files,
                                              const rocksdb::IngestExternalFileOptions& o) {
  return WriteBy([&](DB* db) { return db->IngestExternalFile(f, files, o); });
}

rocksdb::Status GuardedDB::IngestExternalFiles(
    const std::vector<rocksdb::IngestExternalFileArg>& args) {
  return WriteBy([&](DB* db) { return db->IngestExternalFiles(args); });
}

rocksdb::Status GuardedDB::CreateColumnFamily(const rocksdb::ColumnFamilyOptions& o,
                                              const std::string& name, Family** handle) {
  return WriteBy([&](DB* db) { return db->CreateColumnFamily(o, name, handle); });
}

rocksdb::Status GuardedDB::CreateColumnFamilyWithImport(
    const rocksdb::ColumnFamilyOptions& o, const std::string& name,
    const rocksdb::ImportColumnFamilyOptions& import,
    const rocksdb::ExportImportFilesMetaData& metadata, Family** handle) {
  return WriteBy(
      [&](DB* db) { return db->CreateColumnFamilyWithImport(o, name, import, metadata, handle); });
}

// RocksDB tells nobody outside of its queue of writers when a flush is done, so this asks. A flush
// runs until it has deleted the logs that it made needless: who lists files then meets none that
// goes. OK as well once an error may have ended the flushes.
rocksdb::Status GuardedDB::WaitForFlushes(const std::vector<Family*>& families) {
  for (const std::string* property :
       {&Properties::kNumImmutableMemTable, &Properties::kNumRunningFlushes})
    for (Family* family : families)
      for (std::uint64_t waiting = 1; waiting > 0 && !errors_->any();) {
        const Status asked = CallDB([&] {
          return db_->GetIntProperty(family, *property, &waiting) ? Status::OK()
                                                                  : Status::NotSupported();
        });
        if (!asked.ok()) return asked;
        if (waiting > 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
  return Status::OK();
}

// Those under way end first: RocksDB would wait for them in the turn.
rocksdb::Status GuardedDB::Flush(const rocksdb::FlushOptions& o,
                                 const std::vector<Family*>& families) {
  rocksdb::FlushOptions begin = o;
  begin.wait = false;
  Status status = WaitForFlushes(families);
  if (status.ok()) status = WriteBy([&](DB* db) { return db->Flush(begin, families); });
  if (!status.ok()) return status;
  FailPoint(files_->hooks(), "rocks.flush_begun");
  status = WaitForFlushes(families);
  if (!status.ok() || !errors_->any()) return status;
  rocksdb::FlushOptions wait = o;  // RocksDB knows whether it failed
  wait.wait = true;
  return WriteBy([&](DB* db) { return db->Flush(wait, families); });
}

// Waits only for another sync, and the journal makes one at a time.
rocksdb::Status GuardedDB::FlushWAL(bool sync) {
  return CallDB([&] {
    const rocksdb::SequenceNumber written = db_->GetLatestSequenceNumber();
    const Status status = db_->FlushWAL(sync);
    if (sync && status.ok()) NoteSynced(written);
    return status;
  });
}

rocksdb::Status GuardedDB::SyncRest() {
  const bool all = is_open() && db_->GetLatestSequenceNumber() == synced_;
  return all ? Status::OK() : FlushWAL(true);
}

void GuardedDB::NoteSynced(rocksdb::SequenceNumber written) {
  rocksdb::SequenceNumber before = synced_;
  while (before < written && !synced_.compare_exchange_weak(before, written)) {
  }
}

// Long; enters the queue only to write out memory that its range meets.
rocksdb::Status GuardedDB::CompactRange(const rocksdb::CompactRangeOptions& o, Family* f,
                                        const Slice* begin, const Slice* end) {
  return CallDB([&] { return db_->CompactRange(o, f, begin, end); });
}

rocksdb::Status GuardedDB::CompactFiles(const rocksdb::CompactionOptions& o, Family* f,
                                        const std::vector<std::string>& names, int level, int path,
                                        std::vector<std::string>* outputs,
                                        rocksdb::CompactionJobInfo* info) {
  return CallDB([&] { return db_->CompactFiles(o, f, names, level, path, outputs, info); });
}

rocksdb::Status GuardedDB::VerifyChecksum(const rocksdb::ReadOptions& o) {
  return CallDB([&] { return db_->VerifyChecksum(o); });
}

rocksdb::Status GuardedDB::Get(const rocksdb::ReadOptions& o, Family* f, const Slice& key,
                               rocksdb::PinnableSlice* value) {
  return f ? CallDB([&] { return db_->Get(o, f, key, value); }) : NoFamily();
}

rocksdb::Iterator* GuardedDB::NewIterator(const rocksdb::ReadOptions& o, Family* f) {
  std::unique_ptr<rocksdb::Iterator> iterator;
  if (f) Do([&] { iterator.reset(db_->NewIterator(o, f)); }).PermitUncheckedError();
  return new GuardedIterator(std::move(iterator), files_, f ? unopened_ : NoFamily());
}

rocksdb::Options GuardedDB::GetOptions(Family* f) const {
  rocksdb::Options options;
  if (!Do([&] { options = db_->GetOptions(f); }).ok()) throw std::bad_alloc();
  return options;
}

bool GuardedDB::GetIntProperty(Family* f, const Slice& property, std::uint64_t* value) {
  bool known = false;
  if (!f) return known;
  Do([&] { known = db_->GetIntProperty(f, property, value); }).PermitUncheckedError();
  return known;
}

void GuardedDB::GetLiveFilesMetaData(std::vector<rocksdb::LiveFileMetaData>* files) {
  Do([&] { db_->GetLiveFilesMetaData(files); }).PermitUncheckedError();
}

void GuardedDB::GetColumnFamilyMetaData(Family* f, rocksdb::ColumnFamilyMetaData* meta) {
  Do([&] { db_->GetColumnFamilyMetaData(f, meta); }).PermitUncheckedError();
}

rocksdb::Status GuardedDB::Close() {
  return CallDB([&] { return db_->Close(); });
}

rocksdb::Status GuardedDB::DestroyColumnFamilyHandle(Family* f) {
  return CallDB([&] { return db_->DestroyColumnFamilyHandle(f); });
}

}  // namespace plexus::storage_internal
