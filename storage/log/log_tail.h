// LogTail: what a live writer appended to the write-ahead log since a place in it, read by our
// own reader. O(what is new), where RocksDB reads such a log from its first byte.
//
// It understands what nearly every write is: new records in order, with their payloads. All else
// is left to RocksDB: purge marks, payloads that are overwritten, deletions, pieces of another
// kind, a checksum or a running hash that does not match. A write that is not all there yet is
// not read, and nothing behind it. Free functions of their arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/record.h"
#include "storage/log/log_reader.h"

namespace plexus::storage_internal {

struct LogTail {
  struct NewRecord {
    Record record;      // its payloads without bytes
    std::string value;  // as it is stored
    LogPoint point;     // after it
  };
  struct NewPayload {
    PayloadRef ref;
    std::string value;  // as it is stored: digest, then bytes
  };
  std::vector<NewRecord> records;
  std::vector<NewPayload> payloads;
  std::uint64_t end = 0;  // where the last whole write ends, as an offset in the file
  bool cut = false;       // a write begins there that is not all there
};

// `bytes` are those of a log from `begin`, where a write begins, to its end at present; `after`
// is the last record before it. Column families have the numbers that they have in `rocks`.
// Nothing: RocksDB must be asked.
std::optional<LogTail> ReadLogTail(std::string_view bytes, std::uint64_t begin, LogPoint after,
                                   const Rocks& rocks);

}  // namespace plexus::storage_internal
