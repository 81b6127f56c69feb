// NodesChanged: where two states of the graph may differ, from the log between them.
#include <algorithm>
#include <optional>
#include <vector>

#include "engine/out_of_memory.h"
#include "storage/database_impl.h"

namespace plexus {

using namespace storage_internal;

namespace {

constexpr std::size_t kFewNodes = 4096;
constexpr std::uint64_t kLookEvery = 16;  // records, some of which are of megabytes

void MakeSet(std::vector<NodeId>& nodes) {
  std::ranges::sort(nodes);
  const auto rest = std::ranges::unique(nodes);
  nodes.erase(rest.begin(), rest.end());
}

}  // namespace

Result<std::optional<std::vector<NodeId>>> Database::NodesChanged(Sequence after, Sequence until,
                                                                  std::size_t most,
                                                                  Progress* progress) try {
  Impl& d = *impl_;
  PLEXUS_TRY(d.Usable());
  const ReaderLock kept(d.erase_mutex);
  PLEXUS_TRY(d.Usable());
  PLEXUS_ASSIGN(const Impl::Reading reading, d.WholeLog());
  for (const Sequence asked : {after, until}) PLEXUS_TRY(d.CheckReached(reading, asked));
  if (d.journal) PLEXUS_TRY(d.journal->FlushBulk());
  for (const auto& [node, purged] : d.Purged())
    if (purged > after) return std::nullopt;
  std::vector<NodeId> nodes;
  if (after >= until) return nodes;
  PLEXUS_ASSIGN(const LogPoint point, PointAt(reading.rocks, reading.request.floor, after));
  LogCursor cursor(reading.rocks, point);
  RecordNodes record;
  std::size_t set_at = kFewNodes;  // so that each node is sorted a few times
  while (cursor.point().sequence < until) {
    const std::uint64_t read = cursor.point().sequence - after;
    if (read % kLookEvery == 0 && progress && !progress->Report("changes", read, until - after))
      return Cancelled("the log was not read to its end");
    PLEXUS_ASSIGN(const bool more, cursor.NextNodes(record));
    if (!more)
      return Corrupted(reading.rocks->path(), ": the log ends at record ", cursor.point().sequence);
    for (std::uint32_t i = 0; i < record.new_nodes; ++i) nodes.push_back(record.first_node + i);
    nodes.insert(nodes.end(), record.named.begin(), record.named.end());
    if (nodes.size() < set_at) continue;
    MakeSet(nodes);
    if (nodes.size() > most) return std::nullopt;
    set_at = 2 * nodes.size() + kFewNodes;
  }
  MakeSet(nodes);
  if (nodes.size() > most) return std::nullopt;
  return nodes;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus
