// Export: a Snapshot out as text.
//
// JSON lines are lossless: definitions, nodes, edges, events, outcomes, vectors,
// removals, in an order that does not depend on how the graph came about, so that
// export, import into an empty graph, export writes the same bytes. The other formats
// are for other programs and show the fact plane.
#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>

#include "engine/error.h"
#include "engine/monitoring/monitoring.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus::formats {

enum class CsvTable { kEdges, kNodes };

struct ExportOptions {
  Progress* progress = nullptr;  // nodes written
  // All but JSON lines: only these edge kinds; no list = the fact plane.
  EdgeKinds kinds = {};
  // All but JSON lines: only nodes for which this holds, and edges between them; null = all.
  std::function<bool(NodeId)> include = {};
  CsvTable csv_table = CsvTable::kEdges;
  // DOT: what is in a node's box, GEXF: its label; null = its key.
  std::function<std::string(NodeId)> dot_label = {};
  // Node-link: the name of the list of edges, "edges" (NetworkX 3.6 and later) or "links" (before,
  // and d3).
  std::string edges_key = "edges";
  // CSV, GraphML, GEXF: a column for each property, and `props` for those whose name is taken.
  // Every map is read twice.
  bool property_columns = false;
};

// Complexity: O(nodes + edges + bytes of their texts and properties), unless a format says more.
// Memory: O(one row), as every function streams; plus O(index nodes) for JSON lines.
// Errors: kIo when the stream fails, kCancelled, kCorruption from the payload store, kUnsupported
//   when something has no spelling in the format, kResourceExhausted.
// Threads: thread-safe, each with a stream of its own.
Status ExportJsonLines(const Snapshot& snapshot, std::ostream& out,
                       const ExportOptions& options = {});
// Header and rows, RFC 4180, LF. Cells that a spreadsheet would take for a formula
// get a leading apostrophe, which Import takes off again.
Status ExportCsv(const Snapshot& snapshot, std::ostream& out, const ExportOptions& options = {});
// One digraph; symmetric edges are drawn without arrow heads.
Status ExportDot(const Snapshot& snapshot, std::ostream& out, const ExportOptions& options = {});
// A square coordinate matrix, rows by node id; parallel edges are added up; pattern when
// all weights are 1, symmetric when all edges are. Memory O(nodes). Keys are comments.
Status ExportMatrixMarket(const Snapshot& snapshot, std::ostream& out,
                          const ExportOptions& options = {});
// Nodes with kind, text, tags, columns, props; edges with kind, weight, label, times,
// props. Import reads both back; control characters of GraphML are spelled \u001b.
Status ExportGraphMl(const Snapshot& snapshot, std::ostream& out,
                     const ExportOptions& options = {});
Status ExportNodeLink(const Snapshot& snapshot, std::ostream& out,
                      const ExportOptions& options = {});
// The file of the official MCP memory server: facts as entities, their edges as relations, in the
// order of the file that they came from, then by id. What was imported from such a file comes back
// as its server would load it. Not carried: weights, times, tags, columns. Memory O(edges).
Status ExportMcpMemory(const Snapshot& snapshot, std::ostream& out,
                       const ExportOptions& options = {});
// The vectors of one space, of facts, by id: the keys, one a line, an empty line, then rows of
// little endian f32; what ImportVectorStream reads with keys_first. kUnsupported: a key with a line
// end.
Status ExportVectors(const Snapshot& snapshot, std::ostream& out, SpaceId space,
                     const ExportOptions& options = {});
// The rows of the selected nodes as arrays by id, for jobs of tools/distributed; the layout and its
// digests: array_file.h. The graph's id is GraphIdentity's. Memory O(nodes). Reads the rows thrice.
Status ExportCsrParts(const Snapshot& snapshot, std::ostream& out, std::uint64_t graph_high,
                      std::uint64_t graph_low, const ExportOptions& options = {});
// GEXF 1.3, for Gephi.
Status ExportGexf(const Snapshot& snapshot, std::ostream& out, const ExportOptions& options = {});

// CREATE statements of Cypher, one a line: nodes, then edges by the keys of their ends. An index of
// `Plexus(key)` is what makes the second part fast.
Status ExportCypher(const Snapshot& snapshot, std::ostream& out, const ExportOptions& options = {});

}  // namespace plexus::formats
