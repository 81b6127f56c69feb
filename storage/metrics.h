// Metrics of a database: its graph's (engine/monitoring/metrics.h) and what storage counts.
#pragma once

#include <vector>

#include "engine/error.h"
#include "engine/monitoring/metrics.h"
#include "storage/database.h"

namespace plexus {

// Besides the graph's: bytes on disk by part, the log's tail, other caches, checkpoints,
// the history floor, what is durable, failures in the background. Waits as Database::stats does.
// Thread-safe as stats(). kResourceExhausted: no memory; kFailedPrecondition: in a child of fork.
Result<std::vector<MetricRow>> DatabaseMetrics(Database& database);

}  // namespace plexus
