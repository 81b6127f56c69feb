// Plexus seen by Eigen: a DenseView as a sparse matrix, a vector space as dense maps.
// Opt-in: needs Eigen's headers (3.4), and is included by nothing else of Plexus.
//
//   adjacency   A(i, j) = sum of the weights of the edges from i to j, i and j dense ids
//               of the view; a symmetric edge is at (i, j) and (j, i)
//   vectors     the rows of a space where they lie: one map per stretch of memory, or a
//               gathered copy for a list of nodes. Eigen computes in f32, so the rows of an f16
//               space are decoded into a buffer, a piece at a time: those maps are copies
// Threads: pure functions, thread-safe. A map points into the snapshot's memory: keep the Snapshot.
#pragma once

#if !__has_include(<Eigen/SparseCore>)
#error "algorithms/eigen.h needs Eigen's headers (Debian: libeigen3-dev)"
#endif

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/arrays/views.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"
#include "engine/vectors/vector_view.h"

namespace plexus {

// Row-major, as the csr is; rows sorted by column, no duplicates.
using EigenAdjacency = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;
// A space's rows: f32, row-major, some floats apart.
using EigenVectors = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using EigenVectorMap = Eigen::Map<const EigenVectors, Eigen::Aligned64, Eigen::OuterStride<>>;

// Computes: the adjacency matrix. REQUIRES a view made with `out`; one without weights counts
//   edges.
// Complexity: O(nodes + arcs log row), as rows of the view are sorted by kind first. Memory: 12
//   bytes an arc. Errors: kResourceExhausted: more arcs than Eigen's int holds; std::bad_alloc.
inline Result<EigenAdjacency> AdjacencyMatrix(const DenseView& view) {
  const CsrView out = view.out();
  const NodeId n = view.node_count();
  constexpr auto kMaxInt = static_cast<std::uint64_t>(std::numeric_limits<int>::max());
  if (out.arc_count() > kMaxInt || n > kMaxInt)
    return Exhausted("a matrix of ", out.arc_count(), " arcs is beyond Eigen's int indices");
  EigenAdjacency matrix(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
  matrix.reserve(static_cast<Eigen::Index>(out.arc_count()));
  std::vector<std::pair<NodeId, double>> row;
  for (NodeId v = 0; v < n; ++v) {
    matrix.startVec(static_cast<Eigen::Index>(v));
    if (out.arc_count() == 0) continue;
    row.clear();
    for (std::uint32_t arc = out.offsets[v]; arc < out.offsets[v + 1]; ++arc)
      row.emplace_back(out.neighbors[arc], static_cast<double>(out.weight(arc)));
    // Parallel edges are added in the row's order.
    std::stable_sort(row.begin(), row.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < row.size();) {
      double& value =
          matrix.insertBack(static_cast<Eigen::Index>(v), static_cast<Eigen::Index>(row[i].first));
      value = 0;
      for (const NodeId column = row[i].first; i < row.size() && row[i].first == column; ++i)
        value += row[i].second;
    }
  }
  matrix.finalize();
  return matrix;
}

// The rows from `first` on that lie in one stretch; dead rows (node_of_row is kNoNode) included.
// Without a copy in an f32 space; of an f16 space at most 256 rows, which lie in `buffer` until its
// next use. REQUIRES first < vectors.row_count(). Throws std::bad_alloc.
inline EigenVectorMap MapRows(const VectorView& vectors, std::uint32_t first,
                              VectorBuffer& buffer) {
  constexpr std::uint32_t kMostDecoded = 256;
  const RowLayout& layout = vectors.layout();
  VectorView::Stretch rows = vectors.rows_from(first);
  const float* values = reinterpret_cast<const float*>(rows.first);
  if (layout.element == VectorElement::kF16) {
    rows.count = std::min(rows.count, kMostDecoded);
    float* const decoded = buffer.Room(std::size_t{rows.count} * layout.stride());
    for (std::size_t i = 0; i < rows.count; ++i)
      DecodeRow(layout, rows.first + i * layout.row_bytes(), decoded + i * layout.stride());
    values = decoded;
  }
  return EigenVectorMap(values, static_cast<Eigen::Index>(rows.count),
                        static_cast<Eigen::Index>(vectors.dimensions()),
                        Eigen::OuterStride<>(static_cast<Eigen::Index>(vectors.stride())));
}

// fn(first_row, map) for every stretch of the space, in order. A map of an f16 space is gone when
// fn returns.
template <class Fn>
void ForEachVectorMap(const VectorView& vectors, Fn&& fn) {
  VectorBuffer buffer;
  for (std::uint32_t row = 0; row < vectors.row_count();) {
    const EigenVectorMap map = MapRows(vectors, row, buffer);
    fn(row, map);
    row += static_cast<std::uint32_t>(map.rows());
  }
}

// The vectors of these nodes as the rows of a matrix, zeros where a node has none. A copy.
// REQUIRES ids below the snapshot's node count.
inline EigenVectors GatherVectors(const VectorView& vectors, std::span<const NodeId> nodes) {
  EigenVectors matrix = EigenVectors::Zero(static_cast<Eigen::Index>(nodes.size()),
                                           static_cast<Eigen::Index>(vectors.dimensions()));
  VectorBuffer buffer;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::span<const float> vector = vectors.vector(nodes[i], buffer);
    for (std::size_t k = 0; k < vector.size(); ++k)
      matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) = vector[k];
  }
  return matrix;
}

}  // namespace plexus
