// BulkWriter: records and payloads as sorted files, ingested in large steps.
//
// Keys of log and payload ascend by themselves, so a big import needs neither
// memtables nor a write-ahead log: it fills one SST per column family and hands
// them to RocksDB in one atomic step. A crash leaves whole steps only. Internal;
// guarded by the journal's mutex.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <rocksdb/sst_file_writer.h>

#include "engine/parallel.h"
#include "storage/log/rocks_db.h"

namespace plexus::storage_internal {

class BulkWriter {
 public:
  // Files lie in `scratch` (same file system) until they are ingested.
  BulkWriter(std::shared_ptr<Rocks> rocks, std::string scratch);
  ~BulkWriter();

  Status AddRecord(Sequence sequence, std::string_view value);
  // Many, with consecutive sequences from `first` on; large ones go to several files at once.
  Status AddRecords(Sequence first, std::span<const std::string_view> values, Executor& executor);
  Status AddPayload(Sequence sequence, std::uint32_t ordinal, std::string_view value);
  // Of the meta family, a part of the step. The last value of a key counts.
  void AddMeta(std::string key, std::string value);
  std::uint64_t pending_bytes() const { return pending_bytes_; }
  // First sequence not ingested yet, 0 = none.
  Sequence first_pending() const { return first_pending_; }
  Status Ingest();

 private:
  struct Sorted {
    std::unique_ptr<SortedFileWriter> writer;
    std::string path;                // being written
    std::vector<std::string> files;  // finished
    std::uint64_t entries = 0;       // of all
  };
  Status Open(Sorted& sorted, rocksdb::ColumnFamilyHandle* family, const char* name);
  Status Finish(Sorted& sorted);
  std::string NextPath(const char* name) {
    return scratch_ + "/" + name + std::to_string(files_++) + ".sst";
  }

  std::shared_ptr<Rocks> rocks_;
  std::string scratch_;
  Sorted log_, payload_;
  int files_ = 0;  // made, for their names
  std::map<std::string, std::string> meta_;
  std::uint64_t pending_bytes_ = 0;
  Sequence first_pending_ = 0;
};

}  // namespace plexus::storage_internal
