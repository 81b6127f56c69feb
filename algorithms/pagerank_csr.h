// PageRank on bare arrays: the pull kernel behind PageRank(), for bench and tests.
//
// Pull over in-rows needs no atomics: a node's new score is written by one thread.
// Contributions are divided once per node and iteration, the whole update is one
// pass over the nodes, partial sums belong to blocks of node ids, and a row is
// summed in an order that depends on its length alone.
#pragma once

#include <span>
#include <vector>

#include "algorithms/budget.h"
#include "engine/csr_view.h"
#include "engine/error.h"
#include "engine/parallel.h"

namespace plexus {

template <class Real>
struct PageRankCsrInput {
  CsrView in;                        // rows = arcs arriving; weights used when not empty
  std::span<const Real> reciprocal;  // 1 / out-strength by node, 0 = dangling
  std::span<const Real> teleport;    // sums to 1; empty = uniform
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
};

// REQUIRES reciprocal (and teleport, unless empty) to have one entry per node.
// Real is float or double. O(iterations * (arcs + nodes)).
template <class Real>
PageRankCsrResult<Real> PageRankCsr(const PageRankCsrInput<Real>& input,
                                    const PageRankCsrOptions& options = {});

// 1 / out-strength by node, 0 where a node has none: row lengths when
// out.weights is empty, else the rows' sums. O(nodes), or O(arcs).
template <class Real>
std::vector<Real> OutReciprocals(const CsrView& out, Executor& executor);

// The same from ready strengths (>= 0). Strengths beyond what Real can invert give
// its smallest positive number, never 0.
template <class Real>
std::vector<Real> StrengthReciprocals(std::span<const double> strengths, Executor& executor);

}  // namespace plexus
