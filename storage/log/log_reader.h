// Reading the log: its end, single records, and a cursor that misses no gap.
//
// Every function takes the Rocks to read from by shared_ptr and keeps it while an
// iterator lives. Not thread-safe; make one cursor per thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "storage/encoding/anchor.h"
#include "storage/encoding/record_codec.h"
#include "storage/log/rocks_db.h"

namespace plexus::storage_internal {

struct LogPoint {
  Sequence sequence = 0;
  std::uint64_t hash = 0;
};

// The history floor, or the beginning of the log.
inline LogPoint FloorOf(const Anchor& anchor) {
  if (anchor.floor_sequence == 0) return {0, FirstHash(anchor.graph_id)};
  return {anchor.floor_sequence, anchor.floor_hash};
}

// It takes the contents of a node from the past.
bool Purges(const Record& record);

// The last record of the log, decoded head; nullopt when the log is empty.
Result<std::optional<RecordHead>> LastRecord(const std::shared_ptr<Rocks>& rocks);
// The sequence of the last record, at least `floor`. Reads no record when it is `expected`: a batch
// can be a record of many megabytes.
Result<Sequence> LastSequence(const std::shared_ptr<Rocks>& rocks, Sequence floor,
                              Sequence expected);
// kCorruption when the record is missing.
Result<RecordHead> ReadRecordHead(const std::shared_ptr<Rocks>& rocks, Sequence sequence);

// What record `sequence` says of a node. Its place in the chain of running hashes is not checked.
Result<Record> ReadRecordOf(NodeId node, const std::shared_ptr<Rocks>& rocks, Sequence sequence);

// Where the chain of running hashes is after record `sequence`, which is at or after `floor`.
Result<LogPoint> PointAt(const std::shared_ptr<Rocks>& rocks, const LogPoint& floor,
                         Sequence sequence);

// The record after `after`, from the bytes it is stored as. kCorruption: it says another sequence,
// or its running hash does not follow.
Result<DecodedRecord> DecodeNext(std::string_view value, const LogPoint& after);

// Walks records from `after.sequence` + 1 on, checking that none is missing, that
// each says the sequence it is stored under, and the chain of running hashes.
class LogCursor {
 public:
  LogCursor(std::shared_ptr<Rocks> rocks, LogPoint after);
  // False at the end of the log. Errors name the record.
  Result<bool> Next();
  // The same, but only the nodes that the record says something of are read, into `nodes`.
  Result<bool> NextNodes(RecordNodes& nodes);
  DecodedRecord& record() { return record_; }
  // The record as it is stored, until the next Next().
  std::string_view value() const { return iterator_->value().ToStringView(); }
  LogPoint point() const { return point_; }

 private:
  Result<bool> Step();  // to the next value

  std::shared_ptr<Rocks> rocks_;  // outlives the iterator below
  std::unique_ptr<rocksdb::Iterator> iterator_;
  LogPoint point_;
  DecodedRecord record_;
  bool begun_ = false;
};

}  // namespace plexus::storage_internal
