// Bulk steps over sorted files and an atomic ingestion of all families.
#include "storage/log/bulk_writer.h"

#include <algorithm>

#include "engine/out_of_memory.h"

namespace plexus::storage_internal {

namespace {
// Of one of several files written at once. RocksDB makes a buffer for the largest record of
// each: many small files cost more in fresh memory and syncs than they bring.
constexpr std::uint64_t kMinFileBytes = std::uint64_t{4} << 20,
                        kMaxFileBytes = std::uint64_t{32} << 20;
}  // namespace

BulkWriter::BulkWriter(std::shared_ptr<Rocks> rocks, std::string scratch)
    : rocks_(std::move(rocks)), scratch_(std::move(scratch)) {}

BulkWriter::~BulkWriter() {
  log_.writer.reset();
  payload_.writer.reset();
  if (log_.entries + payload_.entries > 0) (void)rocks_->files()->RemoveFolder(scratch_);
}

Status BulkWriter::Open(Sorted& sorted, rocksdb::ColumnFamilyHandle* family, const char* name) {
  PLEXUS_TRY(rocks_->files()->MakeDirectory(scratch_));
  sorted.path = NextPath(name);
  sorted.writer = std::make_unique<SortedFileWriter>(*rocks_, family);
  return sorted.writer->Open(sorted.path);
}

Status BulkWriter::Finish(Sorted& sorted) {
  if (!sorted.writer) return {};
  PLEXUS_TRY(sorted.writer->Finish());
  sorted.writer.reset();
  sorted.files.push_back(sorted.path);
  return {};
}

Status BulkWriter::AddRecord(Sequence sequence, std::string_view value) {
  if (!log_.writer) PLEXUS_TRY(Open(log_, rocks_->log(), "log"));
  PLEXUS_TRY(log_.writer->Put(LogKey(sequence), value));
  ++log_.entries;
  pending_bytes_ += value.size();
  if (first_pending_ == 0) first_pending_ = sequence;
  return {};
}

Status BulkWriter::AddRecords(Sequence first, std::span<const std::string_view> values,
                              Executor& executor) {
  std::uint64_t bytes = 0;
  for (const std::string_view value : values) bytes += value.size();
  const TestHooks* const hooks = rocks_->files()->hooks();
  const std::uint64_t least =
      hooks && hooks->bulk_file_bytes ? hooks->bulk_file_bytes : kMinFileBytes;
  if (values.size() < 2 || bytes < 2 * least) {
    for (std::size_t i = 0; i < values.size(); ++i) PLEXUS_TRY(AddRecord(first + i, values[i]));
    return {};
  }
  PLEXUS_TRY(rocks_->files()->MakeDirectory(scratch_));
  PLEXUS_TRY(Finish(log_));
  std::vector<std::size_t> cuts = {0};  // first value of each file, and the end
  const std::uint64_t file_bytes = std::clamp(bytes / 2, least, kMaxFileBytes);
  std::uint64_t in_file = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    in_file += values[i].size();
    if (in_file < file_bytes && i + 1 < values.size()) continue;
    cuts.push_back(i + 1);
    in_file = 0;
    log_.files.push_back(NextPath("log"));
  }
  log_.entries += values.size();  // from here on there is something to remove
  const std::size_t files = cuts.size() - 1;
  const std::span<const std::string> paths = std::span(log_.files).last(files);
  std::vector<Status> written(files);
  auto write = [&](std::size_t file) {
    written[file] = OrNoMemory([&]() -> Status {
      SortedFileWriter writer(*rocks_, rocks_->log());
      PLEXUS_TRY(writer.Open(paths[file]));
      for (std::size_t i = cuts[file]; i < cuts[file + 1]; ++i)
        PLEXUS_TRY(writer.Put(LogKey(first + i), values[i]));
      return writer.Finish();
    });
  };
  RunBlocks(executor, files, write);
  for (const Status& status : written) PLEXUS_TRY(status);
  pending_bytes_ += bytes;
  if (first_pending_ == 0) first_pending_ = first;
  return {};
}

Status BulkWriter::AddPayload(Sequence sequence, std::uint32_t ordinal, std::string_view value) {
  if (!payload_.writer) PLEXUS_TRY(Open(payload_, rocks_->payload(), "payload"));
  PLEXUS_TRY(payload_.writer->Put(PayloadKey(sequence, ordinal), value));
  ++payload_.entries;
  pending_bytes_ += value.size();
  return {};
}

void BulkWriter::AddMeta(std::string key, std::string value) {
  meta_[std::move(key)] = std::move(value);
}

Status BulkWriter::Ingest() {
  if (log_.entries == 0) return {};
  Sorted meta;
  if (!meta_.empty()) PLEXUS_TRY(Open(meta, rocks_->meta(), "meta"));
  for (const auto& [key, value] : meta_) {
    PLEXUS_TRY(meta.writer->Put(key, value));
    ++meta.entries;
  }
  std::vector<rocksdb::IngestExternalFileArg> steps;
  auto add = [&](Sorted& sorted, rocksdb::ColumnFamilyHandle* family) -> Status {
    if (sorted.entries == 0) return {};
    PLEXUS_TRY(Finish(sorted));
    rocksdb::IngestExternalFileArg arg;
    arg.column_family = family;
    arg.external_files = sorted.files;
    arg.options.move_files = true;
    arg.options.write_global_seqno = false;
    arg.options.snapshot_consistency = false;
    steps.push_back(std::move(arg));
    return {};
  };
  PLEXUS_TRY(add(meta, rocks_->meta()));
  PLEXUS_TRY(add(payload_, rocks_->payload()));
  PLEXUS_TRY(add(log_, rocks_->log()));
  FailPoint(rocks_->files()->hooks(), "bulk.before_ingest");
  PLEXUS_TRY(Check(rocks_->db()->IngestExternalFiles(steps), rocks_->path()));
  FailPoint(rocks_->files()->hooks(), "bulk.after_ingest");
  log_ = {};
  payload_ = {};
  meta_.clear();
  pending_bytes_ = 0;
  first_pending_ = 0;
  return rocks_->files()->RemoveFolder(scratch_);
}

}  // namespace plexus::storage_internal
