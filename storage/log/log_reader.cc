// Log reading over RocksDB iterators.
#include "storage/log/log_reader.h"

#include <algorithm>

namespace plexus::storage_internal {

namespace {

std::string Where(Sequence sequence) { return "log record " + std::to_string(sequence); }

}  // namespace

Result<std::optional<RecordHead>> LastRecord(const std::shared_ptr<Rocks>& rocks) {
  std::unique_ptr<rocksdb::Iterator> it(rocks->db()->NewIterator(ScanOptions(), rocks->log()));
  it->SeekToLast();
  PLEXUS_TRY(Check(it->status(), rocks->path() + ", log"));
  if (!it->Valid()) return std::nullopt;
  const Sequence sequence = SequenceOfLogKey(it->key());
  PLEXUS_ASSIGN(const RecordHead head, DecodeRecordHead(SliceBytes(it->value()), Where(sequence)));
  if (head.sequence != sequence || sequence == 0)
    return Fail(ErrorCode::kCorruption,
                Where(sequence) + ": says it is record " + std::to_string(head.sequence));
  return head;
}

Result<Sequence> LastSequence(const std::shared_ptr<Rocks>& rocks, Sequence floor,
                              Sequence expected) {
  std::vector<rocksdb::LiveFileMetaData> files;
  rocks->db()->GetLiveFilesMetaData(&files);
  std::string bound;
  for (const auto& file : files)
    if (file.column_family_name == rocks->log()->GetName())
      bound = std::max(bound, file.largestkey);
  rocksdb::ReadOptions in_memory = ScanOptions();
  in_memory.read_tier = rocksdb::kMemtableTier;
  std::unique_ptr<rocksdb::Iterator> it(rocks->db()->NewIterator(in_memory, rocks->log()));
  it->SeekToLast();
  PLEXUS_TRY(Check(it->status(), rocks->path() + ", log"));
  if (it->Valid()) bound = std::max(bound, it->key().ToString());
  // A trim deletes a range up to the record after the floor: then a bound proves no record.
  const Sequence last = SequenceOfLogKey(bound);
  if (last == expected && last > floor + 1) return last;
  PLEXUS_ASSIGN(const std::optional<RecordHead> read, LastRecord(rocks));
  return read ? std::max(read->sequence, floor) : floor;
}

Result<RecordHead> ReadRecordHead(const std::shared_ptr<Rocks>& rocks, Sequence sequence) {
  rocksdb::PinnableSlice value;
  const rocksdb::Status status =
      rocks->db()->Get(ScanOptions(), rocks->log(), LogKey(sequence), &value);
  if (status.IsNotFound())
    return Fail(ErrorCode::kCorruption, Where(sequence) + ": is missing from " + rocks->path());
  PLEXUS_TRY(Check(status, Where(sequence)));
  PLEXUS_ASSIGN(const RecordHead head, DecodeRecordHead(SliceBytes(value), Where(sequence)));
  if (head.sequence != sequence)
    return Fail(ErrorCode::kCorruption,
                Where(sequence) + ": says it is record " + std::to_string(head.sequence));
  return head;
}

Result<LogPoint> PointAt(const std::shared_ptr<Rocks>& rocks, const LogPoint& floor,
                         Sequence sequence) {
  if (sequence == floor.sequence) return floor;
  PLEXUS_ASSIGN(const RecordHead head, ReadRecordHead(rocks, sequence));
  return LogPoint{sequence, head.running_hash};
}

Result<DecodedRecord> DecodeNext(std::string_view value, const LogPoint& after) {
  const Sequence expected = after.sequence + 1;
  PLEXUS_ASSIGN(DecodedRecord decoded, DecodeRecord(AsBytes(value), Where(expected)));
  if (decoded.head.sequence != expected)
    return Fail(ErrorCode::kCorruption,
                Where(expected) + ": says it is record " + std::to_string(decoded.head.sequence));
  if (ChainHash(after.hash, decoded.head.digest) != decoded.head.running_hash)
    return Fail(ErrorCode::kCorruption,
                Where(expected) + ": its running hash does not follow from the record before");
  return decoded;
}

LogCursor::LogCursor(std::shared_ptr<Rocks> rocks, LogPoint after)
    : rocks_(std::move(rocks)), point_(after) {
  iterator_.reset(rocks_->db()->NewIterator(ScanOptions(), rocks_->log()));
  iterator_->Seek(LogKey(after.sequence + 1));
}

Result<bool> LogCursor::Next() {
  if (begun_ && iterator_->Valid()) iterator_->Next();
  begun_ = true;
  PLEXUS_TRY(Check(iterator_->status(), Where(point_.sequence + 1)));
  if (!iterator_->Valid()) return false;
  const Sequence expected = point_.sequence + 1;
  const Sequence found = SequenceOfLogKey(iterator_->key());
  if (found != expected)
    return Fail(ErrorCode::kCorruption,
                Where(expected) + ": is missing, the next one is " + std::to_string(found));
  PLEXUS_ASSIGN(record_, DecodeNext(value(), point_));
  point_ = {expected, record_.head.running_hash};
  return true;
}

}  // namespace plexus::storage_internal
