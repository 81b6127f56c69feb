// Afforest over anything that can walk a row: bare arrays, or the row iterator when
// the graph has a delta, hidden kinds or unselected nodes.
//
// First every node points at the smaller of its row's first two neighbours when that is
// smaller than itself: no atomics, no cycles. Then linking, with the other of the two
// first, hooks the larger root under the smaller by compare-and-swap. A parent is always
// smaller than its child, so the last root of a component is its smallest id whatever the
// order of the links.
//
// Bare arrays of few arcs a node take a shorter way: small ones the loops of
// internal/small_components.h; of the others, where arcs mostly stay among near
// ids, one pass joins along every edge, cutting paths behind it; else the first two arcs
// of every row are linked, one round each, as Afforest has it.
#include "algorithms/components.h"

#include <algorithm>
#include <atomic>
#include <span>
#include <utility>

#include "algorithms/internal/halting_executor.h"
#include "algorithms/internal/selection.h"
#include "algorithms/internal/small_components.h"

namespace plexus {

namespace {

constexpr std::size_t kGrain = 16384;
constexpr std::uint32_t kSampledArcs = 2;  // per node, before the giant is known
constexpr std::size_t kSampledNodes = 1024;
constexpr std::size_t kFewArcs = 4;       // edges a node
// A small graph of at most so many nodes is the caller's alone: its labels fill half of one
// core's second cache level, and a second thread would want every line of them as well.
constexpr std::size_t kAloneNodes = 131'072;

using Labels = std::span<NodeId>;

NodeId Load(Labels labels, NodeId v) {
  return std::atomic_ref<NodeId>(labels[v]).load(std::memory_order_relaxed);
}
void Store(Labels labels, NodeId v, NodeId label) {
  std::atomic_ref<NodeId>(labels[v]).store(label, std::memory_order_relaxed);
}

// True when it hooked a root; false when the two hang together already.
bool Link(NodeId u, NodeId v, Labels labels) {
  NodeId p = Load(labels, u), q = Load(labels, v);
  while (p != q) {
    if (p < q) std::swap(p, q);
    NodeId up = Load(labels, p);
    if (up == q) return false;
    // Trying to swap what is no root would cost the cache line for nothing.
    if (up == p && std::atomic_ref<NodeId>(labels[p]).compare_exchange_strong(
                       up, q, std::memory_order_relaxed))
      return true;
    p = Load(labels, up);  // p hangs somewhere already: go on from there
    q = Load(labels, q);
  }
  return false;
}

// Every node points at its root. Parents are smaller, so most are done before their
// children and a walk is one step.
void Compress(Labels labels, Executor& executor) {
  ParallelFor(executor, labels.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (auto v = static_cast<NodeId>(begin); v < end; ++v) {
      const NodeId label = Load(labels, v);
      if (label == kNoNode) continue;
      NodeId root = label;
      for (NodeId up = Load(labels, root); up != root; up = Load(labels, root)) root = up;
      if (root != label) Store(labels, v, root);
    }
  });
}

// The most frequent label of evenly spaced nodes. A guess is enough: it only
// decides whose arcs are skipped.
NodeId GuessLargest(std::span<const NodeId> labels) {
  std::vector<NodeId> sample;
  if (labels.empty()) return kNoNode;
  const std::size_t stride = std::max<std::size_t>(1, labels.size() / kSampledNodes);
  for (std::size_t v = 0; v < labels.size(); v += stride)
    if (labels[v] != kNoNode) sample.push_back(labels[v]);
  std::sort(sample.begin(), sample.end());
  NodeId best = kNoNode;
  std::ptrdiff_t most = 0;
  for (auto it = sample.begin(); it != sample.end();) {
    auto end = std::upper_bound(it, sample.end(), *it);
    if (end - it > most) {
      most = end - it;
      best = *it;
    }
    it = end;
  }
  return best;
}

// fn(node, its label), blocks of nodes in parallel.
template <class Fn>
void ForEachNode(Labels labels, Executor& executor, Fn&& fn) {
  ParallelFor(executor, labels.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (auto v = static_cast<NodeId>(begin); v < end; ++v) fn(v, Load(labels, v));
  });
}

// What the largest component so far does not have yet: an arc between a member of it and
// another node is seen from the other node, which looks along both of its rows.
template <class Out, class In>
void Rest(Labels labels, Executor& executor, const Out& out, const In& in) {
  const NodeId giant = GuessLargest(labels);
  std::atomic<bool> hooked = false;
  ForEachNode(labels, executor, [&](NodeId v, NodeId label) {
    if (label == giant || label == kNoNode) return;
    auto link = [&](NodeId w) {
      if (Link(v, w, labels)) hooked.store(true, std::memory_order_relaxed);
      return true;
    };
    out(v, link);
    in(v, link);
  });
  if (hooked) Compress(labels, executor);
}

// out(v, fn) and in(v, fn) call fn(neighbor) along a row until it returns false;
// in may do nothing when out shows every arc at both ends. Nodes labelled kNoNode
// take no part; the others come in labelled with themselves.
template <class Out, class In>
void Afforest(Labels labels, Executor& executor, const Out& out, const In& in) {
  AlignedArray<NodeId> other(labels.size());  // the second neighbour, so that rows are read once
  ForEachNode(labels, executor, [&](NodeId v, NodeId label) {
    NodeId least = v;
    other[v] = v;
    if (label == kNoNode) return;
    std::uint32_t seen = 0;
    out(v, [&](NodeId w) {
      other[v] = std::max(least, w);
      least = std::min(least, w);
      return ++seen < kSampledArcs;
    });
    if (least == v) in(v, [&](NodeId w) {
      least = std::min(least, w);
      return false;
    });
    // Its parent is as good and often the root: smaller nodes mostly come first.
    if (least != v) Store(labels, v, Load(labels, least));
  });
  Compress(labels, executor);
  ForEachNode(labels, executor, [&](NodeId v, NodeId label) {
    if (label != kNoNode && other[v] != v) Link(v, other[v], labels);
  });
  Compress(labels, executor);
  Rest(labels, executor, out, in);
}

void Identity(Labels labels, Executor& executor) {
  ParallelFor(executor, labels.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) labels[v] = static_cast<NodeId>(v);
  });
}

// The root of both, which are joined when they were not.
NodeId Join(NodeId u, NodeId v, Labels labels) {
  // Halves the way on the way: who is no root may be hung under any ancestor.
  auto root = [&](NodeId x) {
    for (;;) {
      const NodeId up = Load(labels, x), above = Load(labels, up);
      if (above == up) return up;
      Store(labels, x, above);
      x = above;
    }
  };
  for (;;) {
    u = root(u), v = root(v);
    if (u == v) return u;
    if (u > v) std::swap(u, v);
    NodeId expected = v;
    if (std::atomic_ref<NodeId>(labels[v]).compare_exchange_strong(expected, u, std::memory_order_relaxed)) return u;
  }
}

// Every edge, once. A node that has hung somewhere is no root again, so that it may be hung
// under any ancestor without asking.
void EveryEdge(const CsrView& out, bool both_ends, Labels labels, Executor& executor) {
  ForEachNode(labels, executor, [&](NodeId v, NodeId label) {
    NodeId root = label;
    for (std::uint32_t a = out.offsets[v]; a < out.offsets[v + 1]; ++a) {
      const NodeId w = out.neighbors[a];
      if (both_ends && w > v) continue;
      const NodeId there = Load(labels, w);
      if (there == root) continue;
      root = Join(root, there, labels);
      if (there != w && there != root) Store(labels, w, root);
    }
    if (label != v && label != root) Store(labels, v, root);
  });
  Compress(labels, executor);
}

// At least four fifths of some evenly spaced arcs stay within a block of nodes.
bool Local(const CsrView& out) {
  const std::size_t stride = out.node_count() / kSampledNodes + 1;
  std::size_t all = 0, near = 0;
  for (std::size_t v = 0; v < out.node_count(); v += stride) {
    const std::uint32_t row = out.offsets[v], past = out.offsets[v + 1];
    if (row == past) continue;
    ++all;
    near += out.neighbors[row + (past - row) / 2] / kGrain == v / kGrain;
  }
  return 5 * near >= 4 * all;
}

template <class Out, class In>
void TwoRounds(const CsrView& view, Labels labels, Executor& executor, const Out& out, const In& in) {
  for (std::uint32_t round = 0; round < kSampledArcs; ++round) {
    ForEachNode(labels, executor, [&](NodeId v, NodeId) {
      if (view.degree(v) > round) Link(v, view.neighbors[view.offsets[v] + round], labels);
    });
    Compress(labels, executor);
  }
  Rest(labels, executor, out, in);
}

bool BothEnds(const CsrView& out, const CsrView& in) { return out.neighbors.data() == in.neighbors.data(); }
bool Few(const CsrView& out, const CsrView& in) {
  return out.arc_count() / (BothEnds(out, in) ? 2 : 1) <= kFewArcs * out.node_count();
}
bool Small(const CsrView& out, const CsrView& in) {
  return Few(out, in) && out.arc_count() <= internal::kSmallComponentsArcs;
}

Executor& ForArrays(const CsrView& out, const CsrView& in, Executor* wanted) {
  Executor& executor = internal::Pick(wanted);
  const bool alone = executor.thread_count() > 1 && Small(out, in) && out.node_count() <= kAloneNodes;
  return alone ? SerialExecutor() : executor;
}

void OverArrays(const CsrView& out, const CsrView& in, Labels labels, Executor& executor) {
  if (Small(out, in)) return internal::SmallComponents(out, in, labels, executor);
  const bool both_ends = BothEnds(out, in), few = Few(out, in);
  Identity(labels, executor);
  if (few && Local(out)) return EveryEdge(out, both_ends, labels, executor);
  auto row = [](const CsrView& view) {
    return [&view](NodeId v, auto&& fn) {
      for (std::uint32_t a = view.offsets[v]; a < view.offsets[v + 1]; ++a)
        if (!fn(view.neighbors[a])) return;
    };
  };
  auto nothing = [](NodeId, auto&&) {};
  if (few && both_ends)
    TwoRounds(out, labels, executor, row(out), nothing);
  else if (few)
    TwoRounds(out, labels, executor, row(out), row(in));
  else if (both_ends)
    Afforest(labels, executor, row(out), nothing);
  else
    Afforest(labels, executor, row(out), row(in));
}

void OverRows(const internal::Selection& selection, Labels labels, Executor& executor) {
  const Snapshot& snapshot = *selection.snapshot;
  ParallelFor(executor, labels.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (auto v = static_cast<NodeId>(begin); v < end; ++v)
      labels[v] = selection.contains(v) ? v : kNoNode;
  });
  auto row = [&](Direction direction) {
    return [&, direction](NodeId v, auto&& fn) {
      snapshot.ForEachArc(direction, v, selection.filter, [&](const Arc& arc) {
        return Load(labels, arc.neighbor) == kNoNode || fn(arc.neighbor);
      });
    };
  };
  Afforest(labels, executor, row(Direction::kOut), row(Direction::kIn));
}

void Count(std::span<const NodeId> labels, ComponentsResult& result) {
  std::vector<NodeId> sizes(labels.size(), 0);
  for (NodeId label : labels)
    if (label != kNoNode) ++sizes[label];
  for (NodeId v = 0; v < sizes.size(); ++v) {
    if (sizes[v] == 0) continue;
    ++result.count;
    if (sizes[v] > result.largest) {
      result.largest = sizes[v];
      result.largest_label = v;
    }
  }
}

}  // namespace

AlignedArray<NodeId> ComponentsCsr(const CsrView& out, const CsrView& in, Executor* executor) {
  AlignedArray<NodeId> labels(out.node_count());
  OverArrays(out, in, labels.span(), ForArrays(out, in, executor));
  return labels;
}

Result<ComponentsResult> Components(const Snapshot& snapshot, const ComponentsOptions& options) {
  PLEXUS_ASSIGN(const internal::Selection selection,
                internal::Select(snapshot, options.kinds, options.valid_at, options.subset));
  const CsrView out = snapshot.base().out(), in = snapshot.base().in();
  internal::HaltingExecutor executor(
      selection.whole_base ? ForArrays(out, in, options.executor) : internal::Pick(options.executor), options.budget);
  ComponentsResult result;
  result.labels.resize(snapshot.node_count());
  if (executor.halted()) {  // before it began
  } else if (selection.whole_base) {
    OverArrays(out, in, result.labels, executor);
  } else {
    OverRows(selection, result.labels, executor);
  }
  result.truncated = executor.halted();
  if (result.truncated) std::fill(result.labels.begin(), result.labels.end(), kNoNode);
  Count(result.labels, result);
  return result;
}

}  // namespace plexus
