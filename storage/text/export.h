// Export: a Snapshot out as text.
//
// JSON lines are lossless: definitions, nodes, edges, events, outcomes, vectors,
// removals, in an order that does not depend on how the graph came about, so that
// export, import into an empty graph, export gives the same bytes. CSV and DOT are
// for other programs and show the fact plane.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "engine/error.h"
#include "engine/progress.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus::text {

enum class CsvTable { kEdges, kNodes };

struct ExportOptions {
  Progress* progress = nullptr;  // nodes written
  // CSV and DOT: only these edge kinds; empty = the fact plane.
  std::vector<KindId> kinds;
  // CSV and DOT: only nodes for which this holds, and edges between them; null = all.
  std::function<bool(NodeId)> include;
  CsvTable csv_table = CsvTable::kEdges;
  // DOT: what stands in a node's box; null = its key.
  std::function<std::string(NodeId)> dot_label;
};

// Every function streams: memory O(one row), plus O(index nodes) for JSON lines.
// Errors: kIo when the stream fails, kCancelled, kCorruption from the payload
// store, kUnsupported when something has no spelling in the format.
Status ExportJsonLines(const Snapshot& snapshot, std::ostream& out,
                       const ExportOptions& options = {});
// Header and rows, RFC 4180, LF. Cells that a spreadsheet would take for a formula
// get a leading apostrophe, which Import takes off again.
Status ExportCsv(const Snapshot& snapshot, std::ostream& out, const ExportOptions& options = {});
// One digraph; symmetric edges are drawn without arrow heads.
Status ExportDot(const Snapshot& snapshot, std::ostream& out, const ExportOptions& options = {});

}  // namespace plexus::text
