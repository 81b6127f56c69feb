// Puts of nothing, and forced compactions of the ranges around them.
#include "storage/purge/erase.h"

#include <algorithm>

#include <rocksdb/write_batch.h>

namespace plexus::storage_internal {

Status OverwritePayloads(const std::shared_ptr<Rocks>& rocks, const std::vector<PayloadRef>& refs) {
  rocksdb::WriteOptions sync;
  sync.sync = true;
  for (std::size_t i = 0; i < refs.size();) {
    const std::size_t end = std::min(refs.size(), i + 10'000);
    rocksdb::WriteBatch batch = ReservedBatch(end - i, (end - i) * kPayloadKeyBytes);
    for (; i < end; ++i)
      batch.Put(rocks->payload(), PayloadKey(refs[i].sequence(), refs[i].ordinal()), "")
          .PermitUncheckedError();
    PLEXUS_TRY(Check(rocks->db()->Write(sync, &batch), rocks->path()));
  }
  return {};
}

// Rewrites the sorted files that hold any of the keys, so that the overwritten
// values are gone from disk and not just hidden.
Status CompactAround(const std::shared_ptr<Rocks>& rocks, const std::vector<PayloadRef>& refs) {
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  options.exclusive_manual_compaction = false;
  for (std::size_t i = 0; i < refs.size();) {
    // Keys near one another are compacted in one go.
    std::size_t last = i;
    while (last + 1 < refs.size() && refs[last + 1].sequence() - refs[last].sequence() < 1000)
      ++last;
    const std::string begin = PayloadKey(refs[i].sequence(), refs[i].ordinal());
    const std::string end = PayloadKey(refs[last].sequence(), refs[last].ordinal());
    const rocksdb::Slice from(begin), to(end);
    PLEXUS_TRY(
        Check(rocks->db()->CompactRange(options, rocks->payload(), &from, &to), rocks->path()));
    i = last + 1;
  }
  return {};
}

}  // namespace plexus::storage_internal
