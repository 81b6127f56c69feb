// Pages of a scan, tested and removed.
#include "algorithms/retrieval/scan.h"

#include <algorithm>
#include <limits>
#include <string>

#include "engine/out_of_memory.h"

namespace plexus::retrieval {

Result<RemoveReport> RemoveNodes(Graph& graph, const NodeScan& scan, const RemoveOptions& options,
                                 const NodeTest& test) try {
  constexpr int kTries = 100;
  const std::uint64_t most = std::max<std::uint64_t>(options.batch_nodes, 1);
  RemoveReport report;
  report.sequence = graph.snapshot().sequence();
  NodeScan page_scan = scan;
  page_scan.limit = most;
  std::uint64_t looked_at = 0;
  for (int conflicts = 0;;) {
    if (options.progress && !options.progress->Report("removing", looked_at, 0))
      return Cancelled("removing was stopped");
    const Snapshot snapshot = graph.snapshot();
    PLEXUS_ASSIGN(const NodePage page, ScanNodes(snapshot, page_scan));
    WriteBatch batch(options.now_ms);
    batch.ExpectSequence(snapshot.sequence());
    std::uint64_t removed = 0;
    for (const NodeId node : page.nodes) {
      if (test && !test(snapshot, node)) continue;
      ++removed;
      if (options.purge)
        batch.PurgeNode(NodeRef::Id(node));
      else
        batch.RemoveNode(NodeRef::Id(node));
    }
    if (removed > 0) {
      ApplyOptions apply;
      apply.durability = options.durability;
      const auto applied = graph.Apply(batch, apply);
      if (!applied && applied.error().code == ErrorCode::kConflict && ++conflicts < kTries) {
        page_scan.limit =
            std::max<std::uint64_t>(page_scan.limit / 2, 1);  // sooner made, sooner applied
        continue;
      }
      if (!applied) return std::unexpected(applied.error());
      report.removed += removed;
      report.sequence = applied->sequence;
    }
    conflicts = 0;
    looked_at += page.nodes.size();
    if (!page.more) return report;
    page_scan.after = page.last;
    page_scan.limit = std::min(page_scan.limit * 2, most);
  }
}
PLEXUS_CATCH_NO_MEMORY

Result<RemoveReport> RemoveExpired(Graph& graph, std::span<const TimeToLive> lives,
                                   const RemoveOptions& options) try {
  RemoveReport all;
  const Snapshot before = graph.snapshot();
  all.sequence = before.sequence();
  const auto& clock = graph.options().now_ms;
  const std::int64_t now =
      options.now_ms == kNoTime && clock ? clock() : before.TimeOr(options.now_ms);
  for (const TimeToLive& life : lives) {
    if (life.ttl_ms < 0) return Invalid("a time to live of ", life.ttl_ms, " ms");
    NodeScan scan;
    scan.kind = life.kind;
    scan.column = life.since;
    if (now < std::numeric_limits<std::int64_t>::min() + life.ttl_ms + 1)
      continue;  // nothing is as old
    scan.to = now - life.ttl_ms + 1;
    scan.facts_only = false;
    PLEXUS_ASSIGN(const RemoveReport report, RemoveNodes(graph, scan, options));
    all.removed += report.removed;
    all.sequence = std::max(all.sequence, report.sequence);
  }
  return all;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::retrieval
