// Metrics: what a graph counts, in the terms of a metrics system.
//
// Names follow Prometheus: plexus_, base units (bytes, seconds), counters end in _total. Rows of
// one family (one name) stand together and differ in their labels. WriteOpenMetrics spells them as
// OpenMetrics text 1.0, which Prometheus' own parser reads as well.
//
// storage/metrics.h has those of a database, these included.
#pragma once

#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/error.h"
#include "engine/graph.h"

namespace plexus {

enum class MetricType : std::uint8_t {
  kCounter,  // since the graph was opened; never falls
  kGauge,
};

struct MetricRow {
  std::string_view name = {};  // of a counter with its _total
  std::string_view help = {};  // one sentence
  MetricType type = MetricType::kGauge;
  std::vector<std::pair<std::string_view, std::string>> labels = {};
  double value = 0;
};

// Counts of GraphStats, nodes and edges by kind, the bytes of MeasureBytes and MeasureProcess.
// O(kinds + columns + runs). Thread-safe. kResourceExhausted: no memory; kFailedPrecondition: in a
// child of fork, of a graph that the parent owns.
Result<std::vector<MetricRow>> GraphMetrics(const Graph& graph);

// OpenMetrics text: HELP and TYPE of each family, its rows, "# EOF" in the end. Every name and
// label is spelled as the format wants it. Errors: kInvalidArgument, rows of a family that do not
// stand together; kIo, the stream failed.
Status WriteOpenMetrics(std::span<const MetricRow> metrics, std::ostream& out);

}  // namespace plexus
