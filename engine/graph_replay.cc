// Graph: records that another graph has resolved, as they are.
#include <algorithm>
#include <exception>
#include <string>
#include <vector>

#include "engine/internal/graph_impl.h"

namespace plexus {

namespace {

bool Purges(const Record& record) {
  return std::any_of(record.node_changes.begin(), record.node_changes.end(),
                     [](const NodeChange& c) { return c.what == NodeChange::kPurge; });
}

// A feed leaves out the tags and terms of nodes that are purged later. A follower then has fewer
// edges than the purge removes.
Record WithoutAbsent(Record record, const Snapshot& now) {
  std::vector<std::uint32_t> moved(record.edges.size());
  std::uint32_t kept = 0;
  for (std::size_t i = 0; i < record.edges.size(); ++i) {
    const EdgeChange& e = record.edges[i];
    const bool absent = e.tombstone() && e.source < now.node_count() &&
                        e.target < now.node_count() && e.kind < now.schema().edge_kinds().size() &&
                        !now.FindEdge(e.source, e.kind, e.target, e.label);
    moved[i] = kept;
    if (!absent) record.edges[kept++] = e;
  }
  record.edges.resize(kept);
  for (EdgeExtra& x : record.edge_extras)  // tombstones have none
    if (x.index < moved.size()) x.index = moved[x.index];
  return record;
}

}  // namespace

// Takes the turn of the writer that leads: what waits in the queue comes after.
Status Graph::Impl::Replay(std::span<const Record> records, const ReplayOptions& options) {
  if (one_process_) PLEXUS_TRY(owner_.Check("the graph"));
  const bool journals = journal_ && !options.journalled;
  if (journals) PLEXUS_TRY(journal_->Accepts());
  const Durability durability =
      options.durability == Durability::kDefault ? options_.durability : options.durability;
  Turn turn(*this);
  std::unique_lock lock(writer_mutex_);
  for (std::size_t done = 0; done < records.size();) {
    if (read_only_) return std::unexpected(ReadOnlyError());
    PLEXUS_TRY(WaitForRoom(lock));
    const auto group = records.subspan(done, std::min(records.size() - done, kGroupBatches));
    if (group.front().sequence != writer_.sequence() + 1)
      return Fail(ErrorCode::kFailedPrecondition,
                  "record " + std::to_string(group.front().sequence) +
                      " does not follow sequence " + std::to_string(writer_.sequence()));
    std::size_t applied = 0;
    Status status;
    try {
      while (applied < group.size() && status) {
        const Record& record = group[applied];  // checked before it changes anything
        status = Purges(record) ? writer_.Apply(WithoutAbsent(record, Snapshot(writer_.Publish())))
                                : writer_.Apply(record);
        applied += status.has_value();
      }
      if (applied > 0 && journals)
        if (Status appended = journal_->Append(group.first(applied), durability); !appended) {
          read_only_ = true;  // the writer is ahead of the journal
          return appended;
        }
    } catch (const std::exception&) {
      read_only_ = true;
      return std::unexpected(NoMemory());
    }
    if (applied > 0) PLEXUS_TRY(PublishApplied(applied));
    PLEXUS_TRY(status);
    done += applied;
  }
  return {};
}

}  // namespace plexus
