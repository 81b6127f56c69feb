// Matrix Market: the fact plane as an adjacency matrix.
//
// Rows are the selected nodes in order of id, from 1 on. What stands between the same
// two nodes is one entry, its weights added up. All edges symmetric: the lower
// triangle; all weights 1: a pattern. Keys that are not the row numbers go ahead as
// comments, `% 1 "alice"`. Two passes over the rows, since the size line comes first.
#include <algorithm>
#include <vector>

#include "engine/out_of_memory.h"
#include "engine/properties/json_writer.h"
#include "storage/formats/base/export_selection.h"

namespace plexus::formats {

using namespace internal;
using namespace engine_internal;

namespace {

struct Cell {
  NodeId column;
  double weight;
  float single;  // the weight while one edge makes it, so that it is spelled as f32
  bool summed;
};

class MatrixRows {
 public:
  MatrixRows(const Snapshot& snapshot, const ExportOptions& options)
      : s_(snapshot),
        filter_(ArcFilter::Kinds(snapshot.schema(), options.kinds)),
        row_of_(snapshot.node_count(), kNoNode) {
    for (NodeId v = 0; v < s_.node_count(); ++v)
      if (Included(s_, options, v)) row_of_[v] = rows_++;
  }

  NodeId rows() const { return rows_; }
  // The number of a row from 0 on; kNoNode: not selected.
  NodeId row_of(NodeId node) const { return row_of_[node]; }
  bool lower_only = false;

  // Cells of a node's row by column.
  const std::vector<Cell>& Row(NodeId node) {
    cells_.clear();
    s_.ForEachArc(Direction::kOut, node, filter_, [&](const Arc& arc) {
      const NodeId column = row_of_[arc.neighbor];
      if (column == kNoNode || (lower_only && column > row_of_[node])) return;
      cells_.push_back({column, arc.weight, arc.weight, false});
    });
    std::stable_sort(cells_.begin(), cells_.end(),
                     [](const Cell& a, const Cell& b) { return a.column < b.column; });
    std::size_t kept = 0;
    for (const Cell& cell : cells_) {
      if (kept > 0 && cells_[kept - 1].column == cell.column) {
        cells_[kept - 1].weight += cell.weight;
        cells_[kept - 1].summed = true;
      } else {
        cells_[kept++] = cell;
      }
    }
    cells_.resize(kept);
    return cells_;
  }

 private:
  const Snapshot& s_;
  const ArcFilter filter_;
  std::vector<NodeId> row_of_;
  NodeId rows_ = 0;
  std::vector<Cell> cells_;
};

}  // namespace

Status ExportMatrixMarket(const Snapshot& s, std::ostream& stream,
                          const ExportOptions& options) try {
  ExportSink sink(stream, options.progress, s.node_count());
  std::string& out = sink.text();
  MatrixRows rows(s, options);
  rows.lower_only = AllSymmetric(s, options);
  std::uint64_t entries = 0;
  bool pattern = true, numbered = true;
  for (NodeId v = 0; v < s.node_count(); ++v) {
    if (rows.row_of(v) == kNoNode) continue;
    numbered = numbered && s.key(v) == std::to_string(rows.row_of(v) + 1);
    for (const Cell& cell : rows.Row(v)) {
      ++entries;
      pattern = pattern && cell.weight == 1;
    }
  }
  out += "%%MatrixMarket matrix coordinate ";
  out += pattern ? "pattern " : "real ";
  out += rows.lower_only ? "symmetric" : "general";
  PLEXUS_TRY(sink.EndRow());
  for (NodeId v = 0; v < s.node_count() && !numbered; ++v) {
    if (rows.row_of(v) == kNoNode) continue;
    AppendNumber(out += "% ", rows.row_of(v) + 1);
    AppendJsonString(out += ' ', s.key(v));
    PLEXUS_TRY(sink.EndRow());
  }
  AppendNumber(out, rows.rows());
  AppendNumber(out += ' ', rows.rows());
  AppendNumber(out += ' ', entries);
  PLEXUS_TRY(sink.EndRow());
  for (NodeId v = 0; v < s.node_count(); ++v) {
    PLEXUS_TRY(sink.EndNode());
    if (rows.row_of(v) == kNoNode) continue;
    for (const Cell& cell : rows.Row(v)) {
      AppendNumber(out, rows.row_of(v) + 1);
      AppendNumber(out += ' ', cell.column + 1);
      if (!pattern) {
        out += ' ';
        if (cell.summed)
          AppendNumber(out, cell.weight);
        else
          AppendNumber(out, cell.single);
      }
      PLEXUS_TRY(sink.EndRow());
    }
  }
  return sink.Finish();
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::formats
