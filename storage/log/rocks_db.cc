// Opening RocksDB: options with their reasons, keys, statuses.
#include "storage/log/rocks_db.h"

#include <unistd.h>

#include <rocksdb/convenience.h>
#include <rocksdb/table.h>

#include <new>

#include "engine/out_of_memory.h"
#include "storage/base/fail_points.h"

namespace plexus::storage_internal {

namespace {

// RocksDB's own diary: files we do not need, and a read-only directory cannot hold.
class NullLogger : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char*, va_list) override {}
};

constexpr int kSmallFiles = 4;  // merged when as many at level 0
constexpr std::uint64_t kSmallFileBytes = std::uint64_t{1} << 20;
constexpr std::size_t kKeptLogs = 16;                            // write-ahead logs left by a close
constexpr std::uint64_t kKeptLogBytes = std::uint64_t{1} << 20;  // all together

rocksdb::ColumnFamilyOptions FamilyOptions(std::size_t block_bytes, std::size_t buffer_bytes) {
  rocksdb::BlockBasedTableOptions table;
  table.block_size = block_bytes;
  table.checksum = rocksdb::kXXH3;
  table.format_version = 5;
  table.no_block_cache = true;        // we keep our own caches
  table.max_auto_readahead_size = 0;  // it would copy every block once more
  rocksdb::ColumnFamilyOptions options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.compression = rocksdb::kNoCompression;
  options.write_buffer_size = buffer_bytes;
  // Above what Settle leaves, so that opening for one small batch starts no compaction.
  options.level0_file_num_compaction_trigger = 2 * kSmallFiles;
  return options;
}

rocksdb::DBOptions DatabaseOptions(Rocks::Mode mode, const Files& files) {
  rocksdb::DBOptions options;
  options.env = files.env();
  options.info_log = std::make_shared<NullLogger>();
  options.create_if_missing = mode == Rocks::Mode::kCreate;
  options.error_if_exists = mode == Rocks::Mode::kCreate;
  options.create_missing_column_families = mode == Rocks::Mode::kCreate;
  // The default recovery mode drops fsynced records without a word (README.md).
  options.wal_recovery_mode = mode == Rocks::Mode::kReadOnly
                                  ? rocksdb::WALRecoveryMode::kAbsoluteConsistency
                                  : rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  options.avoid_flush_during_recovery = mode == Rocks::Mode::kWriteClean;
  options.paranoid_checks = true;
  options.max_bgerror_resume_count = 0;  // after an error: refuse until reopened
  options.max_open_files = -1;           // a vanished file shows when opening
  options.max_file_opening_threads = 1;  // sixteen to start take longer than their files
  options.max_total_wal_size = std::uint64_t{128} << 20;
  options.keep_log_file_num = 1;
  options.db_host_id = "";  // no host names inside sorted files
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  options.skip_stats_update_on_db_open = true;
  return options;
}

void AppendBigEndian(std::string& key, std::uint64_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) key.push_back(static_cast<char>(value >> (8 * i)));
}

std::uint64_t ReadBigEndian(const rocksdb::Slice& key, std::size_t begin, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i)
    value = (value << 8) | static_cast<std::uint8_t>(key[begin + i]);
  return value;
}

// In the order of Rocks::handles_.
std::vector<rocksdb::ColumnFamilyDescriptor> Families() {
  return {{rocksdb::kDefaultColumnFamilyName, FamilyOptions(4 << 10, 1 << 20)},
          {"log", FamilyOptions(32 << 10, 64 << 20)},
          {"payload", FamilyOptions(8 << 10, 64 << 20)},
          // A section is larger than a block may grow: each gets a block of its own.
          {"checkpoint", FamilyOptions(64 << 10, 1 << 20)}};
}

// MANIFESTs that CURRENT does not name, left by the guard. RocksDB syncs the directory next.
Status RemoveOldManifests(const std::string& path, const Files& files) {
  PLEXUS_ASSIGN(const std::string current, files.Read(path + "/CURRENT", 1 << 10));
  PLEXUS_ASSIGN(const std::vector<std::string> names, files.List(path));
  for (const std::string& name : names)
    if (name.starts_with("MANIFEST-") && current != name + "\n") {
      files.Forget(path + "/" + name);
      unlink((path + "/" + name).c_str());
    }
  return {};
}

}  // namespace

std::string LogKey(Sequence sequence) {
  std::string key;
  AppendBigEndian(key, sequence, 8);
  return key;
}

std::string PayloadKey(Sequence sequence, std::uint32_t ordinal) {
  std::string key;
  AppendBigEndian(key, sequence, 8);
  AppendBigEndian(key, ordinal, 4);
  return key;
}

std::string SectionKey(std::uint64_t checkpoint, std::uint32_t section) {
  // Three bytes for the section, so that the value of a section of 2^20 bytes
  // starts at a multiple of 8 inside its block (1 + 1 + 3 bytes of lengths, 11 of
  // key, 8 of RocksDB's trailer) and is read in place.
  std::string key;
  AppendBigEndian(key, checkpoint, 8);
  AppendBigEndian(key, section, 3);
  return key;
}

Sequence SequenceOfLogKey(const rocksdb::Slice& key) {
  return key.size() == 8 ? ReadBigEndian(key, 0, 8) : 0;
}

bool ParsePayloadKey(const rocksdb::Slice& key, Sequence* sequence, std::uint32_t* ordinal) {
  if (key.size() != 12) return false;
  *sequence = ReadBigEndian(key, 0, 8);
  *ordinal = static_cast<std::uint32_t>(ReadBigEndian(key, 8, 4));
  return true;
}

bool ParseSectionKey(const rocksdb::Slice& key, std::uint64_t* checkpoint, std::uint32_t* section) {
  if (key.size() != 11) return false;
  *checkpoint = ReadBigEndian(key, 0, 8);
  *section = static_cast<std::uint32_t>(ReadBigEndian(key, 8, 3));
  return true;
}

// The guard is made first: a database without one could not be closed.
template <class Call>
Status Rocks::Make(Mode mode, Call&& open) {
  auto made = std::make_unique<GuardedDB>(files_);
  rocksdb::DBOptions options = DatabaseOptions(mode, *files_);
  options.listeners.push_back(made->errors());
  const rocksdb::Status status = CallRocks(*files_, [&] { return open(options, made->slot()); });
  PLEXUS_TRY(Check(status, path_));
  made->NoteSynced(made->GetLatestSequenceNumber());  // a close or the opening has synced it
  db_ = made.release();
  static std::atomic<unsigned> opened = 0;
  const unsigned bit = 1u << static_cast<unsigned>(mode);
  void (*const first)() = when_first_opened;
  if (first && !(opened.fetch_or(bit) & bit)) first();
  return {};
}

Result<std::shared_ptr<Rocks>> Rocks::Open(const std::string& path, Mode mode,
                                           std::shared_ptr<Files> files) {
  auto rocks = std::shared_ptr<Rocks>(new Rocks(path, std::move(files)));
  if (mode == Mode::kWrite || mode == Mode::kWriteClean)
    PLEXUS_TRY(RemoveOldManifests(path, *rocks->files_));
  PLEXUS_TRY(rocks->Make(mode));
  return rocks;
}

Status Rocks::Make(Mode mode) {
  const std::vector<rocksdb::ColumnFamilyDescriptor> families = Families();
  const bool look = mode == Mode::kReadOnly || mode == Mode::kReadOnlyTolerant;
  return Make(mode, [&](const rocksdb::DBOptions& options, rocksdb::DB** db) {
    if (!look) return rocksdb::DB::Open(options, path_, families, &handles_, db);
    try {  // a damaged length may demand more memory than there is; nothing was begun yet
      return rocksdb::DB::OpenForReadOnly(options, path_, families, &handles_, db);
    } catch (const std::exception& e) {
      no_memory_ = dynamic_cast<const std::bad_alloc*>(&e) != nullptr;
      return rocksdb::Status::Corruption("RocksDB cannot open it", e.what());
    }
  });
}

std::shared_ptr<Rocks> Rocks::OpenLater(const std::string& path, std::shared_ptr<Files> files,
                                        std::function<Status()> compare) {
  auto rocks = std::shared_ptr<Rocks>(new Rocks(path, std::move(files)));
  rocks->compare_ = std::move(compare);
  rocks->forked_ = std::make_unique<GuardedDB>(
      rocks->files_, rocksdb::Status::IOError("a thread of the parent process was opening it"));
  rocks->later_.store(true, std::memory_order_release);
  return rocks;
}

GuardedDB* Rocks::OpenNow() {
  if (owner_.Here())
    opening_.lock();
  else if (!opening_.try_lock())
    return forked_.get();
  const MutexLock one(opening_, std::adopt_lock);
  if (!waits()) return nullptr;
  no_memory_ = false;
  Status made = OrNoMemory([&] {
    FailPoint(files_->hooks(), "rocks.open_later");
    return Make(Mode::kReadOnly);
  });
  const Status same = OrNoMemory([&] { return compare_(); });
  if (!same && (made || same.error().code == ErrorCode::kCorruption)) {
    if (made) (void)Shut();
    made = same;
  } else if (!made && no_memory_) {  // no damaged length: the files are as they were
    made = OutOfMemory();
  }
  failed_.store(!made, std::memory_order_release);
  if (!made && made.error().code != ErrorCode::kCorruption) return Refuse(made.error());
  if (!made) {
    handles_.assign(Families().size(), nullptr);
    db_ = new GuardedDB(files_, rocksdb::Status::Corruption(made.error().message));
  }
  later_.store(false, std::memory_order_release);
  return nullptr;
}

// It lives as long as this: callers may hold it.
GuardedDB* Rocks::Refuse(const Error& why) {
  handles_.clear();
  for (const auto& [reason, refusal] : refusals_)
    if (reason == why.message) return refusal.get();
  const rocksdb::Status answer = why.code == ErrorCode::kResourceExhausted
                                     ? rocksdb::Status::MemoryLimit(why.message)
                                     : rocksdb::Status::IOError(why.message);
  refusals_.emplace_back(why.message, std::make_unique<GuardedDB>(files_, answer));
  return refusals_.back().second.get();
}

Result<std::shared_ptr<Rocks>> Rocks::CreateFrom(
    const std::string& path, std::shared_ptr<Files> files,
    const rocksdb::ExportImportFilesMetaData& payloads) {
  constexpr std::ptrdiff_t kPayload = 2;
  auto rocks = std::shared_ptr<Rocks>(new Rocks(path, std::move(files)));
  std::vector<rocksdb::ColumnFamilyDescriptor> families = Families();
  const rocksdb::ColumnFamilyDescriptor payload = families[kPayload];
  families.erase(families.begin() + kPayload);
  PLEXUS_TRY(rocks->Make(Mode::kCreate, [&](const rocksdb::DBOptions& options, rocksdb::DB** db) {
    return rocksdb::DB::Open(options, path, families, &rocks->handles_, db);
  }));
  rocksdb::ColumnFamilyHandle* handle = nullptr;
  rocksdb::ImportColumnFamilyOptions move;
  move.move_files = true;
  PLEXUS_TRY(Check(payloads.files.empty()
                       ? rocks->db_->CreateColumnFamily(payload.options, payload.name, &handle)
                       : rocks->db_->CreateColumnFamilyWithImport(payload.options, payload.name,
                                                                  move, payloads, &handle),
                   path));
  rocks->handles_.insert(rocks->handles_.begin() + kPayload, handle);
  return rocks;
}

Rocks::~Rocks() { (void)Close(); }

std::uint64_t Rocks::Property(rocksdb::ColumnFamilyHandle* family, const std::string& name) const {
  std::uint64_t value = 0;
  db()->GetIntProperty(family, name, &value);
  return value;
}

std::uint64_t Rocks::FamilyBytes(rocksdb::ColumnFamilyHandle* family) const {
  return Property(family, rocksdb::DB::Properties::kTotalSstFilesSize) +
         Property(family, rocksdb::DB::Properties::kSizeAllMemTables);
}

Rocks::Memory Rocks::MeasureMemory() const {
  Memory memory;
  if (waits()) return memory;
  for (rocksdb::ColumnFamilyHandle* family : handles_) {
    memory.memtables += Property(family, rocksdb::DB::Properties::kSizeAllMemTables);
    memory.table_readers += Property(family, rocksdb::DB::Properties::kEstimateTableReadersMem);
  }
  memory.block_cache = Property(handles_[1], rocksdb::DB::Properties::kBlockCacheUsage);
  return memory;
}

Status Rocks::FlushAll() const {
  rocksdb::FlushOptions options;
  options.wait = true;
  return Check(db_->Flush(options, handles_), path_);
}

Status Rocks::Settle() const {
  PLEXUS_ASSIGN(const std::vector<std::string> names, files_->List(path_));
  std::size_t logs = 0;
  std::uint64_t bytes = 0;
  for (const std::string& name : names) {
    if (!name.ends_with(".log")) continue;
    PLEXUS_ASSIGN(const std::uint64_t size, files_->Size(path_ + "/" + name));
    ++logs;
    bytes += size;
  }
  if (logs <= kKeptLogs && bytes <= kKeptLogBytes) return {};
  PLEXUS_TRY(FlushAll());
  for (rocksdb::ColumnFamilyHandle* family : handles_) PLEXUS_TRY(MergeSmallFiles(family));
  return {};
}

// Small files of levels 0 and 1 become one of level 1. Keys of log and payloads ascend, so
// that nothing else lies between them.
Status Rocks::MergeSmallFiles(rocksdb::ColumnFamilyHandle* family) const {
  rocksdb::ColumnFamilyMetaData meta;
  db_->GetColumnFamilyMetaData(family, &meta);
  if (meta.levels.size() < 2 || meta.levels[0].files.size() < kSmallFiles) return {};
  std::vector<std::string> small;
  std::uint64_t bytes = 0;
  for (const int level : {0, 1})
    for (const rocksdb::SstFileMetaData& file :
         meta.levels[static_cast<std::size_t>(level)].files) {
      if (level == 1 && file.size >= kSmallFileBytes) continue;
      small.push_back(file.name);
      bytes += file.size;
    }
  if (bytes > std::uint64_t{16} << 20) return {};  // RocksDB's own business
  const rocksdb::Status status = db_->CompactFiles(rocksdb::CompactionOptions(), family, small, 1);
  // RocksDB may be merging them itself.
  if (status.IsAborted() || status.IsInvalidArgument()) return {};
  return Check(status, path_);
}

Status Rocks::DeleteFilesIn(rocksdb::ColumnFamilyHandle* family, const rocksdb::Slice& begin,
                            const rocksdb::Slice& end, bool include_end) const {
  return Check(db_->WriteBy([&](rocksdb::DB* db) {
    return rocksdb::DeleteFilesInRange(db, family, &begin, &end, include_end);
  }),
               path_);
}

Status Rocks::Close() {
  later_.store(false, std::memory_order_release);
  return Shut();
}

Status Rocks::Shut() {
  for (const MutexLock lock(left_mutex_); left_; left_ = std::move(left_->next))
    if (files_->dead()) (void)left_->writer.release();
  if (!db_) {
    if (files_ && files_->dead()) files_->Unlock();  // it died while it was opened
    return {};
  }
  const Status closed = !db_->is_open() ? Status() : OrNoMemory([&] {
    for (rocksdb::ColumnFamilyHandle* handle : handles_)
      db_->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
    return Check(db_->Close(), path_);
  });
  handles_.clear();
  if (files_->dead())
    files_->Unlock();
  else
    delete db_;
  db_ = nullptr;
  return closed;
}

void Rocks::Leave(std::unique_ptr<SortedFile> unfinished) const noexcept {
  const MutexLock lock(left_mutex_);
  unfinished->next = std::move(left_);
  left_ = std::move(unfinished);
}

SortedFileWriter::SortedFileWriter(const Rocks& rocks, rocksdb::ColumnFamilyHandle* family)
    : rocks_(rocks) {
  rocksdb::Options options = rocks.db()->GetOptions(family);
  options.bytes_per_sync = std::uint64_t{4} << 20;
  file_->writer =
      std::make_unique<rocksdb::SstFileWriter>(rocksdb::EnvOptions(options), options, family);
}

SortedFileWriter::~SortedFileWriter() {
  if (std::uncaught_exceptions() > exceptions_) rocks_.Leave(std::move(file_));
}

rocksdb::ReadOptions ScanOptions() {
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  return options;
}

rocksdb::WriteOptions WriteSynced(bool sync) {
  rocksdb::WriteOptions options;
  options.sync = sync;
  return options;
}

}  // namespace plexus::storage_internal
