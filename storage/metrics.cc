// StorageStats as metrics.
#include "storage/database.h"

#include <utility>

#include "engine/out_of_memory.h"

namespace plexus::metrics {

Result<std::vector<MetricRow>> DatabaseMetrics(Database& database) try {
  PLEXUS_ASSIGN(std::vector<MetricRow> rows, GraphMetrics(database.graph()));
  const StorageStats stats = database.stats();
  using Parts = std::vector<std::pair<const char*, std::uint64_t>>;
  const auto family = [&](std::string_view name, std::string_view help, std::string_view label,
                          const Parts& parts) {
    for (const auto& [part, value] : parts)
      rows.push_back({name, help, MetricType::kGauge, {{label, part}}, static_cast<double>(value)});
  };
  const auto add = [&](std::string_view name, std::string_view help, MetricType type,
                       std::uint64_t value) {
    rows.push_back({name, help, type, {}, static_cast<double>(value)});
  };
  add("plexus_disk_bytes", "All files of the directory.", MetricType::kGauge, stats.disk_bytes);
  family("plexus_stored_bytes", "Sorted files, by column family.", "part",
         {{"log", stats.log_bytes},
          {"payload", stats.payload_bytes},
          {"checkpoint", stats.checkpoint_bytes}});
  add("plexus_log_tail_bytes", "Log behind the newest checkpoint.", MetricType::kGauge,
      stats.tail_bytes);
  family("plexus_cache_bytes", "Memory of storage beside the graph.", "part",
         {{"memtables", stats.memtable_bytes},
          {"table_readers", stats.table_reader_bytes},
          {"block_cache", stats.block_cache_bytes},
          {"payload_cache", stats.payload_cache_bytes},
          {"past_cache", stats.past_cache_bytes}});
  add("plexus_payload_cache_hits_total", "Payloads found in the cache.", MetricType::kCounter,
      stats.payload_cache_hits);
  add("plexus_payload_cache_misses_total", "Payloads read from files.", MetricType::kCounter,
      stats.payload_cache_misses);
  add("plexus_checkpoints", "Checkpoints kept.", MetricType::kGauge, stats.checkpoints.size());
  add("plexus_checkpoint_sequence", "Batch of the newest checkpoint, 0 without one.",
      MetricType::kGauge, stats.checkpoints.empty() ? 0 : stats.checkpoints.back());
  add("plexus_history_floor", "Batch down to which the past is kept, 0 = the beginning.",
      MetricType::kGauge, stats.history_floor);
  add("plexus_synced_sequence", "Last batch that survives power loss.", MetricType::kGauge,
      stats.synced_sequence);
  add("plexus_background_failures_total", "Checkpoints in the background that failed.",
      MetricType::kCounter, stats.background_failures);
  return rows;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::metrics
