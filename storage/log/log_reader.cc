// Log reading over RocksDB iterators.
#include "storage/log/log_reader.h"

#include <algorithm>

namespace plexus::storage_internal {

namespace {

std::string Where(Sequence sequence) { return "log record " + std::to_string(sequence); }

Status CheckSequence(const RecordHead& head, Sequence sequence) {
  if (head.sequence == sequence) return {};
  return Corrupted(Where(sequence), ": says it is record ", head.sequence);
}

Status CheckFollows(const RecordHead& head, const LogPoint& after) {
  PLEXUS_TRY(CheckSequence(head, after.sequence + 1));
  if (ChainHash(after.hash, head.digest) == head.running_hash) return {};
  return Corrupted(Where(head.sequence),
                   ": its running hash does not follow from the record before");
}

Status GetRecord(const std::shared_ptr<Rocks>& rocks, Sequence sequence,
                 rocksdb::PinnableSlice& value) {
  const rocksdb::Status status =
      rocks->db()->Get(ScanOptions(), rocks->log(), LogKey(sequence), &value);
  if (status.IsNotFound()) return Corrupted(Where(sequence), ": is missing from ", rocks->path());
  return Check(status, Where(sequence));
}

}  // namespace

bool Purges(const Record& record) {
  return std::ranges::any_of(record.node_changes,
                             [](const NodeChange& c) { return c.what == NodeChange::kPurge; });
}

Result<std::optional<RecordHead>> LastRecord(const std::shared_ptr<Rocks>& rocks) {
  std::unique_ptr<rocksdb::Iterator> it(rocks->db()->NewIterator(ScanOptions(), rocks->log()));
  it->SeekToLast();
  PLEXUS_TRY(Check(it->status(), rocks->path() + ", log"));
  if (!it->Valid()) return std::nullopt;
  const Sequence sequence = SequenceOfLogKey(it->key());
  PLEXUS_ASSIGN(const RecordHead head, DecodeRecordHead(SliceBytes(it->value()), Where(sequence)));
  if (head.sequence != sequence || sequence == 0)
    return Corrupted(Where(sequence), ": says it is record ", head.sequence);
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
  PLEXUS_TRY(GetRecord(rocks, sequence, value));
  PLEXUS_ASSIGN(const RecordHead head, DecodeRecordHead(SliceBytes(value), Where(sequence)));
  PLEXUS_TRY(CheckSequence(head, sequence));
  return head;
}

Result<Record> ReadRecordOf(NodeId node, const std::shared_ptr<Rocks>& rocks, Sequence sequence) {
  rocksdb::PinnableSlice value;
  PLEXUS_TRY(GetRecord(rocks, sequence, value));
  PLEXUS_ASSIGN(DecodedRecord decoded, DecodeRecordOf(node, SliceBytes(value), Where(sequence)));
  PLEXUS_TRY(CheckSequence(decoded.head, sequence));
  return std::move(decoded.record);
}

Result<LogPoint> PointAt(const std::shared_ptr<Rocks>& rocks, const LogPoint& floor,
                         Sequence sequence) {
  if (sequence == floor.sequence) return floor;
  PLEXUS_ASSIGN(const RecordHead head, ReadRecordHead(rocks, sequence));
  return LogPoint{sequence, head.running_hash};
}

Result<DecodedRecord> DecodeNext(std::string_view value, const LogPoint& after) {
  PLEXUS_ASSIGN(DecodedRecord decoded, DecodeRecord(AsBytes(value), Where(after.sequence + 1)));
  PLEXUS_TRY(CheckFollows(decoded.head, after));
  return decoded;
}

LogCursor::LogCursor(std::shared_ptr<Rocks> rocks, LogPoint after)
    : rocks_(std::move(rocks)), point_(after) {
  iterator_.reset(rocks_->db()->NewIterator(ScanOptions(), rocks_->log()));
  iterator_->Seek(LogKey(after.sequence + 1));
}

Result<bool> LogCursor::Step() {
  if (begun_ && iterator_->Valid()) iterator_->Next();
  begun_ = true;
  PLEXUS_TRY(Check(iterator_->status(), Where(point_.sequence + 1)));
  if (!iterator_->Valid()) return false;
  const Sequence expected = point_.sequence + 1;
  const Sequence found = SequenceOfLogKey(iterator_->key());
  if (found != expected) return Corrupted(Where(expected), ": is missing, the next one is ", found);
  return true;
}

Result<bool> LogCursor::Next() {
  PLEXUS_ASSIGN(const bool more, Step());
  if (!more) return false;
  PLEXUS_ASSIGN(record_, DecodeNext(value(), point_));
  point_ = {record_.head.sequence, record_.head.running_hash};
  return true;
}

Result<bool> LogCursor::NextNodes(RecordNodes& nodes) {
  PLEXUS_ASSIGN(const bool more, Step());
  if (!more) return false;
  PLEXUS_TRY(DecodeRecordNodes(AsBytes(value()), Where(point_.sequence + 1), nodes));
  PLEXUS_TRY(CheckFollows(nodes.head, point_));
  point_ = {nodes.head.sequence, nodes.head.running_hash};
  return true;
}

}  // namespace plexus::storage_internal
