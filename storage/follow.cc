// Refresh: a read-only view goes on from the record it has, or is opened anew.
#include <algorithm>
#include <vector>

#include "engine/out_of_memory.h"
#include "storage/database_impl.h"
#include "storage/log/log_reader.h"

namespace plexus::storage {

namespace {

// Behind a newer checkpoint by more than this, reading that is sooner.
constexpr Sequence kManyRecords = 100'000;
constexpr std::size_t kGroupRecords = 256;

bool Purges(const Record& record) {
  return std::any_of(record.node_changes.begin(), record.node_changes.end(),
                     [](const NodeChange& c) { return c.what == NodeChange::kPurge; });
}

}  // namespace

// Whether the log that `now` shows goes on from the record that this view has.
Result<bool> Database::Impl::Continues(const std::shared_ptr<Rocks>& now,
                                       const Anchor& next) const {
  if (next.floor_sequence > point.sequence) return false;
  if (point.sequence == next.floor_sequence)
    return point.hash == (next.floor_sequence ? next.floor_hash : FirstHash(next.graph_id));
  PLEXUS_ASSIGN(const std::optional<RecordHead> last, LastRecord(now));
  if (!last || last->sequence < point.sequence || last->sequence < next.sequence) return false;
  if (next.checkpoint_sequence > point.sequence && last->sequence - point.sequence > kManyRecords)
    return false;
  PLEXUS_ASSIGN(const RecordHead head, ReadRecordHead(now, point.sequence));
  return head.running_hash == point.hash;
}

// False: the view must be opened anew, because the log does not go on from it (another
// generation, records that a crash took or a trim dropped) or cannot be read.
Result<bool> Database::Impl::Follow() {
  if (!pinned->Moved() && pinned->LogsAreTheSame()) return true;
  PLEXUS_ASSIGN(const auto moment, PinnedFiles::Take(directory));
  const Anchor& next = moment->anchor();
  if (next.generation != anchor.generation || next.graph_id != anchor.graph_id) return false;
  auto look = Rocks::Open(generation_path(), Rocks::Mode::kReadOnly,
                          std::make_shared<Files>(*files, moment));
  if (!look) return false;
  const auto continues = Continues(*look, next);
  if (!continues || !*continues) return false;
  store->Attach(*look);  // the same payloads and more, less what was purged
  LogCursor cursor(*look, point);
  bool purges = false;
  std::vector<Record> group;
  std::uint64_t replayed = 0;
  for (bool more = true; more;) {
    auto got = cursor.Next();
    if (!got) return false;
    more = *got;
    if (more) {
      group.push_back(std::move(cursor.record().record));
      // Here, and not by the graph: loaded vectors stay loaded.
      std::uint64_t bytes = 0;
      if (!FetchVectors(*store, group.back(), bytes)) return false;
      purges = purges || Purges(group.back());
    }
    if (group.empty() || (more && group.size() < kGroupRecords)) continue;
    if (!graph->Replay(group, {.durability = Durability::kDefault, .journalled = true}))
      return false;
    replayed += group.size();
    point = cursor.point();
    group.clear();
  }
  if (purges) {
    store->ForgetCache();
    PLEXUS_ASSIGN(auto now_purged, ReadPurges(*look, kPurgedPrefix, point.sequence));
    PLEXUS_ASSIGN(auto now_to_scrub, ReadPurges(*look, kScrubPrefix, point.sequence));
    {
      const std::lock_guard guard(purge_mutex);
      purged = std::move(now_purged);
      to_scrub = std::move(now_to_scrub);
    }
    const std::lock_guard guard(past_mutex);
    past.clear();
  }
  {
    const std::unique_lock renewing(renewal);
    rocks = *std::move(look);
    pinned = moment;
    anchor = next;
    NoteFloor();
    report.sequence = point.sequence;
    report.replayed_records += replayed;
    report.live_writer = !anchor.clean;
  }
  return true;
}

Status Database::Refresh() try {
  Impl& d = *impl_;
  PLEXUS_TRY(d.Usable());
  if (!d.options.read_only)
    return Fail(ErrorCode::kFailedPrecondition, "Refresh is for read-only databases");
  PLEXUS_ASSIGN(const bool followed, d.Follow());
  if (followed) return {};
  auto fresh = Open(d.directory, d.options);
  if (!fresh) return std::unexpected(fresh.error());
  std::swap(impl_, (*fresh)->impl_);
  Log(impl_->options.graph.on_log, LogLevel::kInfo, "refresh.reopened",
      "the log did not go on from the view", {{"sequence", impl_->report.sequence}});
  return {};
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::storage
