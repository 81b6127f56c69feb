// History: what the log says about one node, read from the records that name it.
#include "engine/out_of_memory.h"
#include "storage/database_impl.h"
#include "storage/node_history.h"

namespace plexus {

using namespace storage_internal;

std::string_view HistoryWhatName(HistoryEntry::What what) {
  constexpr std::string_view kNames[] = {
      "created",        "kind_set",       "removed",     "purged",          "revived",
      "column_set",     "column_cleared", "payload_set", "payload_cleared", "vector_set",
      "vector_removed", "linked",         "updated",     "unlinked",        "key_forgotten"};
  static_assert(std::size(kNames) == std::size_t(HistoryEntry::What::kKeyForgotten) + 1);
  return kNames[static_cast<std::size_t>(what)];
}

Result<std::vector<HistoryEntry>> Database::History(NodeId node, Progress* progress) try {
  constexpr std::size_t kLookEvery = 16;  // records, some of which are of megabytes
  Impl& d = *impl_;
  PLEXUS_TRY(d.Usable());
  if (node >= snapshot().node_count()) return NotFound("there is no node ", node);
  const ReaderLock kept(d.erase_mutex);
  PLEXUS_TRY(d.Usable());
  if (d.journal) PLEXUS_TRY(d.journal->FlushBulk());
  PLEXUS_ASSIGN(const Impl::Reading reading, d.WholeLog());
  std::vector<Sequence> records;
  {
    const MutexLock guard(d.node_records_mutex);
    PLEXUS_TRY(d.node_records.Follow(reading.rocks, reading.request.floor, progress));
    const Sequence end = d.node_records.end().sequence;
    if (d.options.read_only && end < reading.now.sequence())
      return Corrupted(reading.rocks->path(), ": the log ends at record ", end,
                       ", the view has seen ", reading.now.sequence());
    records = d.node_records.Of(node);
  }
  const std::map<NodeId, Sequence> purged = d.Purged();
  NodeHistory history(node, purged);
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (i % kLookEvery == 0 && progress && !progress->Report("history", i, records.size()))
      return Cancelled("not all records were read");
    PLEXUS_ASSIGN(Record record, ReadRecordOf(node, reading.rocks, records[i]));
    history.Add(record);
  }
  return history.Take();
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus
