// Levels of k: nodes with at most k neighbours left are removed, and so are nodes that this leaves
// with k; then k becomes the least number of neighbours that a node has left.
//
// Finding it walks over the nodes that stay, at most once for each of their neighbours over all
// levels, as a core number is at most a degree; so nothing has to be kept in order, and an arc
// costs one look at its end. The live graph's rows serve as they are: where a neighbour can be
// there twice (both directions, kinds, labels), `seen` holds the last node that counted it. Whether
// that can be is seen from the rows, as a rule: they rise.
#include "algorithms/community/community.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>

#include "algorithms/common/common.h"
#include "algorithms/common/internal/dense_view_options.h"
#include "algorithms/common/internal/object_pool.h"
#include "algorithms/common/internal/selection.h"
#include "algorithms/community/internal/community_csr.h"
#include "engine/out_of_memory.h"

namespace plexus::community {

namespace {

constexpr std::size_t kLookEvery = 4096;  // nodes between two looks at the clock
constexpr std::size_t kGrain = 2048;
using Numbers = std::vector<std::uint32_t>;
using Rows = std::span<const CsrView>;  // a node's neighbours are in its row of each

// Takes nodes away; `left` is degrees before, core numbers after. kTwice: neighbours may be
// there more than once, and the node itself. False: the budget ran out.
template <bool kTwice>
bool Peel(Rows rows, const Budget& budget, Numbers& left) {
  const auto n = static_cast<NodeId>(left.size());
  std::vector<NodeId> staying(n), queue(n + std::size_t{1}), seen(kTwice ? n : 0, kNoNode);
  for (NodeId v = 0; v < n; ++v) staying[v] = v;
  std::uint64_t arcs = 0;
  std::size_t gone = 0;
  std::uint32_t k = 0;
  for (bool first = true; gone < n; first = false) {
    // Whoever has at most the last k left has gone.
    std::uint32_t least = 0xFFFFFFFFu;
    std::size_t stay = 0, end = 0;
    for (const NodeId v : staying) {
      const std::uint32_t has = left[v];
      if (!first && has <= k) continue;
      staying[stay++] = v;
      if (has > least) continue;
      if (has < least) end = 0;
      least = has;
      queue[end++] = v;
    }
    staying.resize(stay);
    k = least;
    for (std::size_t i = 0; i < end; ++i, ++gone) {
      if (gone >= budget.nodes || arcs >= budget.edges ||
          (gone % kLookEvery == 0 && budget.Interrupted())) {
        // Who was not taken away belongs to the core that peeling has come to, at least.
        for (std::uint32_t& has : left) has = std::min(has, k);
        return false;
      }
      const NodeId v = queue[i];
      if constexpr (kTwice) seen[v] = v;
      for (const CsrView& part : rows) {
        arcs += part.degree(v);
        for (std::uint32_t a = part.offsets[v]; a < part.offsets[v + 1]; ++a) {
          // No branches: whether an end is still there is unpredictable.
          const NodeId w = part.neighbors[a];
          const std::uint32_t has = left[w];
          bool counts = has > k;
          if constexpr (kTwice) {
            counts &= seen[w] != v;
            seen[w] = v;
          }
          left[w] = has - counts;
          queue[end] = w;
          end += counts & (has == k + 1);
        }
      }
    }
  }
  return true;
}

// What all nodes' rows are like.
struct Likeness {
  bool apart =
      true;  // each rises, and one ends before the other begins: no neighbour is there twice
  bool same = true;  // both rise and are the same
};
Likeness Compare(const CsrView& out, const CsrView& in, Executor& executor) {
  return ParallelReduce(
      executor, out.node_count(), kGrain, Likeness{},
      [&](std::size_t begin, std::size_t end) {
        const auto rises = [](std::span<const NodeId> row) {
          bool falls = false;
          for (std::size_t i = 1; i < row.size(); ++i) falls |= row[i - 1] >= row[i];
          return !falls;
        };
        Likeness part;
        for (auto v = static_cast<NodeId>(begin); v < end && (part.apart || part.same); ++v) {
          const std::span<const NodeId> a = out.neighbors.subspan(out.offsets[v], out.degree(v));
          const std::span<const NodeId> b = in.neighbors.subspan(in.offsets[v], in.degree(v));
          if (!rises(a) || !rises(b)) return Likeness{false, false};
          // A loop is in both.
          part.apart &= a.empty() || b.empty() || a.back() < b.front() || b.back() < a.front();
          part.same &= std::ranges::equal(a, b) && !std::ranges::binary_search(a, v);
        }
        return part;
      },
      [](Likeness x, Likeness y) {
        return Likeness{x.apart && y.apart, x.same && y.same};
      });
}

// How many different neighbours each node has; `twice` is set when that is fewer than arcs.
Numbers Degrees(Rows rows, NodeId n, Executor& executor, bool& twice) {
  Numbers degrees(n);
  common_internal::ObjectPool<std::vector<NodeId>> marks;  // by node: the last node that counted it
  const auto make = [n] { return std::make_unique<std::vector<NodeId>>(n, kNoNode); };
  marks.Reserve(executor, (n + kGrain - 1) / kGrain, make);
  std::atomic<bool> any = false;
  ParallelFor(executor, n, kGrain, [&](std::size_t begin, std::size_t end) {
    const auto seen = marks.Acquire(make);
    bool less = false;
    for (auto v = static_cast<NodeId>(begin); v < end; ++v) {
      std::uint32_t count = 0, all = 0;
      (*seen)[v] = v;
      for (const CsrView& part : rows) {
        all += part.degree(v);
        for (std::uint32_t a = part.offsets[v]; a < part.offsets[v + 1]; ++a) {
          NodeId& last = (*seen)[part.neighbors[a]];
          count += last != v;
          last = v;
        }
      }
      degrees[v] = count;
      less |= count != all;
    }
    if (less) any = true;
  });
  twice = any;
  return degrees;
}

}  // namespace

Result<std::vector<std::uint32_t>> KCoreCsr(const CsrView& simple, const Budget& budget,
                                            bool* truncated) try {
  Numbers left(simple.node_count());
  for (NodeId v = 0; v < left.size(); ++v) left[v] = simple.degree(v);
  const bool whole = Peel<false>({&simple, 1}, budget, left);
  if (truncated) *truncated = !whole;
  return left;
}
PLEXUS_CATCH_NO_MEMORY

Result<KCoreResult> KCore(const Snapshot& snapshot, const KCoreOptions& options) try {
  DenseViewOptions wanted = common_internal::ViewOptions(options);
  wanted.weights = false;
  struct Made {
    DenseView view;
    bool same = false, twice = false;
    Numbers cores;
  };
  PLEXUS_ASSIGN(auto made,
                common_internal::InTime(options.run, [&](Executor& executor) -> Result<Made> {
                  Made rows;
                  wanted.executor = &executor;
                  PLEXUS_ASSIGN(rows.view, DenseView::Make(snapshot, wanted));
                  const std::array<CsrView, 2> both = {rows.view.out(), rows.view.in()};
                  const Likeness likeness = Compare(both[0], both[1], executor);
                  rows.same = likeness.same;
                  const Rows used(both.data(), rows.same ? 1 : 2);
                  if (!likeness.same && !likeness.apart) {
                    rows.cores = Degrees(used, rows.view.node_count(), executor, rows.twice);
                    return rows;
                  }
                  rows.cores.resize(rows.view.node_count());
                  for (NodeId v = 0; v < rows.cores.size(); ++v)
                    for (const CsrView& part : used) rows.cores[v] += part.degree(v);
                  return rows;
                }));
  KCoreResult result;
  result.cores.assign(snapshot.node_count(), KCoreResult::kNotSelected);
  result.truncated = !made;
  if (!made) {
    PLEXUS_ASSIGN(const common_internal::Selection selected,
                  common_internal::Select(snapshot, options.filter));
    result.sizes.assign(1, 0);
    for (NodeId v = 0; v < result.cores.size(); ++v)
      if (selected.contains(v)) {
        result.cores[v] = 0;
        ++result.sizes[0];
      }
    return result;
  }
  const DenseView& view = made->view;
  const std::array<CsrView, 2> both = {view.out(), view.in()};
  const Rows rows(both.data(), made->same ? 1 : 2);
  Numbers& cores = made->cores;
  const bool whole = made->twice ? Peel<true>(rows, options.run.budget, cores)
                                 : Peel<false>(rows, options.run.budget, cores);
  result.truncated = !whole;
  for (NodeId v = 0; v < view.node_count(); ++v) {
    result.cores[view.node(v)] = cores[v];
    result.degeneracy = std::max(result.degeneracy, cores[v]);
  }
  result.sizes.assign(std::size_t{result.degeneracy} + 1, 0);
  for (std::uint32_t core : cores) ++result.sizes[core];
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::community
