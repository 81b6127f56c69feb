// Bulk steps over SstFileWriter and an atomic ingestion of both families.
#include "storage/bulk_writer.h"

#include <rocksdb/write_batch.h>

namespace plexus::storage {

BulkWriter::BulkWriter(std::shared_ptr<Rocks> rocks, std::string scratch)
    : rocks_(std::move(rocks)), scratch_(std::move(scratch)) {}

BulkWriter::~BulkWriter() {
  log_.writer.reset();
  payload_.writer.reset();
  if (log_.entries + payload_.entries > 0) (void)rocks_->files()->RemoveTree(scratch_);
}

Status BulkWriter::Open(Sorted& sorted, rocksdb::ColumnFamilyHandle* family, const char* name) {
  PLEXUS_TRY(rocks_->files()->MakeDirectory(scratch_));
  sorted.path = scratch_ + "/" + name + std::to_string(step_) + ".sst";
  sorted.writer = std::make_unique<rocksdb::SstFileWriter>(
      rocksdb::EnvOptions(), SortedFileOptions(*rocks_, family), family);
  return Check(sorted.writer->Open(sorted.path), sorted.path);
}

Status BulkWriter::AddRecord(Sequence sequence, std::string_view value) {
  if (!log_.writer) PLEXUS_TRY(Open(log_, rocks_->log(), "log"));
  PLEXUS_TRY(Check(log_.writer->Put(LogKey(sequence), rocksdb::Slice(value)), log_.path));
  ++log_.entries;
  pending_bytes_ += value.size();
  if (first_pending_ == 0) first_pending_ = sequence;
  return {};
}

Status BulkWriter::AddPayload(Sequence sequence, std::uint32_t ordinal, std::string_view value) {
  if (!payload_.writer) PLEXUS_TRY(Open(payload_, rocks_->payload(), "payload"));
  PLEXUS_TRY(Check(payload_.writer->Put(PayloadKey(sequence, ordinal), rocksdb::Slice(value)),
                   payload_.path));
  ++payload_.entries;
  pending_bytes_ += value.size();
  return {};
}

void BulkWriter::AddMeta(std::string key, std::string value) {
  meta_.Put(rocks_->meta(), key, value).PermitUncheckedError();
}

Status BulkWriter::Ingest() {
  if (log_.entries == 0) return {};
  if (meta_.Count() > 0) {
    rocksdb::WriteOptions sync;
    sync.sync = true;
    PLEXUS_TRY(Check(rocks_->db()->Write(sync, &meta_), rocks_->path()));
    meta_.Clear();
  }
  std::vector<rocksdb::IngestExternalFileArg> steps;
  auto add = [&](Sorted& sorted, rocksdb::ColumnFamilyHandle* family) -> Status {
    if (sorted.entries == 0) return {};
    PLEXUS_TRY(Check(sorted.writer->Finish(), sorted.path));
    sorted.writer.reset();
    rocksdb::IngestExternalFileArg arg;
    arg.column_family = family;
    arg.external_files = {sorted.path};
    arg.options.move_files = true;
    arg.options.write_global_seqno = false;
    arg.options.snapshot_consistency = false;
    steps.push_back(std::move(arg));
    return {};
  };
  PLEXUS_TRY(add(payload_, rocks_->payload()));
  PLEXUS_TRY(add(log_, rocks_->log()));
  ReachPoint(rocks_->files()->hooks(), "bulk.before_ingest");
  PLEXUS_TRY(Check(rocks_->db()->IngestExternalFiles(steps), rocks_->path()));
  ReachPoint(rocks_->files()->hooks(), "bulk.after_ingest");
  log_ = {};
  payload_ = {};
  pending_bytes_ = 0;
  first_pending_ = 0;
  ++step_;
  return rocks_->files()->RemoveTree(scratch_);
}

}  // namespace plexus::storage
