// PageRank on bare arrays: the kernels behind PageRank(), for bench and tests.
//
// Pull over in-rows needs no atomics: a node's new score is written by one thread.
// Contributions are divided once per node and iteration, the whole update is one
// pass over the nodes, partial sums belong to blocks of rows, and a row is summed in
// an order that depends only on the arrays.
//
// Large graphs without locality go through a layout, a private copy of the arcs that keeps
// what is gathered in cache (pagerank/internal/tile_layout.h): made once, worth it from 12, 15
// or 20 iterations on, by the graph's shape.
//
// All functions are thread-safe: they write what they return and nothing else, and a layout
// is not changed once it is made. Same bits at any thread count.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/arrays/views.h"
#include "engine/error.h"
#include "engine/parallel.h"

namespace plexus::pagerank {

namespace internal {
class PageRankTiles;
}  // namespace internal

// Null where none is worthwhile within so many iterations: few nodes, few arcs, rows that are local
// already. Of `out` only row lengths are read. O(nodes + arcs), the time of two to seven
// iterations over the rows as they are.
Result<std::shared_ptr<const internal::PageRankTiles>> MakePageRankLayout(
    const CsrView& in, const CsrView& out, Executor& executor,
    int iterations = std::numeric_limits<int>::max());

template <class Real>
struct PageRankCsrInput {
  CsrView in;  // rows = arcs arriving; weights used when not empty; may be empty with a layout
  std::span<const Real> reciprocal;  // 1 / out-strength by node, 0 = dangling
  std::span<const Real> teleport;    // sums to 1; empty = uniform
  // Made of `in`, with its weights or without as there; null: pull.
  const internal::PageRankTiles* layout = nullptr;
  std::span<const Real> start = {};  // first scores, summing to 1; empty = the teleport
};

struct PageRankCsrOptions {
  double damping = 0.85;
  double tolerance = 0;       // as in PageRankOptions; <= 0: never stop early
  int iterations = 20;        // at most
  bool keep_dangling = true;  // false: dangling mass is lost, as in the GAP suite
  Budget budget;
  Executor* executor = nullptr;
};

template <class Real>
struct PageRankCsrResult {
  std::vector<Real> scores;
  int iterations = 0;
  double step = 0;  // L1 norm of the last change
  bool truncated = false;
  std::uint64_t bytes_per_iteration = 0;  // of arrays, each read or written once
};

// REQUIRES reciprocal (and teleport, unless empty) to have one entry per node.
// Real is float or double. O(iterations * (arcs + nodes)).
template <class Real>
Result<PageRankCsrResult<Real>> PageRankCsr(const PageRankCsrInput<Real>& input,
                                            const PageRankCsrOptions& options = {});

// Sum of weights of every out row, or its length when out.weights is empty.
Result<std::vector<double>> OutStrengths(const CsrView& out, Executor& executor);

// 1 / strength by node, 0 where it is 0 (dangling). REQUIRES strengths >= 0. Those
// beyond what Real can invert give its smallest positive number, never 0.
template <class Real>
Result<std::vector<Real>> StrengthReciprocals(std::span<const double> strengths,
                                              Executor& executor);

}  // namespace plexus::pagerank
