// Afforest over anything that can walk a row: bare arrays, or the row iterator when
// the graph has a delta, hidden kinds or unselected nodes.
//
// First every node points at the first of its row when that is smaller than itself: no atomics, no
// cycles, and no branch over arrays. Then sampling rounds link second neighbours, for a sixteenth
// of the nodes, as many again, twice as many and so on: the larger root is linked under the smaller
// by compare-and-swap. Between rounds paths are compressed. As soon as one tree has nearly all
// linked nodes, the nodes outside it scan their rows until they join it. A parent is always smaller
// than its child, so the last root of a component is its smallest id whatever the order of the
// links.
//
// Bare arrays of few arcs a node take a shorter way: small ones the loops of
// connectivity/internal/components_small.h; of the others, where arcs mostly stay among near
// ids, one pass joins along every edge, cutting paths behind it; else the first two arcs
// of every row are linked, one round each, as Afforest has it.
#include "algorithms/connectivity/connectivity.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "algorithms/common/internal/selection.h"
#include "algorithms/common/internal/stoppable_executor.h"
#include "algorithms/connectivity/internal/components_small.h"
#include "algorithms/connectivity/internal/connectivity_csr.h"
#include "algorithms/connectivity/internal/union_find.h"
#include "engine/internal/prefetch.h"
#include "engine/out_of_memory.h"

namespace plexus::connectivity {

using namespace internal;

namespace {

constexpr std::size_t kGrain = 16384;
constexpr std::uint32_t kSampledArcs = 2;  // per node, before the sampled component is known
constexpr std::size_t kSampledNodes = 1024;
constexpr std::size_t kRoundParts = 16;    // parts of the nodes, linked by rounds,
constexpr std::size_t kRoundRun = 64;      // nodes in a row of the same part
constexpr std::size_t kCandidates = 2048;  // nodes tested for work before any of them is linked
constexpr std::size_t kRowAhead = 16;      // of these nodes: their rows are prefetched
constexpr NodeId kFirstAhead = 64;         // nodes in order: their first arcs are prefetched
constexpr std::size_t kFewArcs = 4;        // edges a node
// A small graph of at most so many nodes runs on the caller's thread: its labels fill half of one
// core's second cache level, and a second thread would contend for every line of them.
constexpr std::size_t kSerialNodes = 131'072;

// True when it linked a root; false when the two are linked already.
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
    p = Load(labels, up);  // p is linked already: continue from its parent
    q = Load(labels, q);
  }
  return false;
}

// Every node points at its root. Parents are smaller, so most are done before their
// children and two steps are enough, which need no branch; nor does storing what was there.
void Compress(Labels labels, Executor& executor) {
  ParallelFor(executor, labels.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (auto v = static_cast<NodeId>(begin); v < end; ++v) {
      const NodeId label = Load(labels, v);
      if (label == kNoNode) continue;
      NodeId root = Load(labels, Load(labels, label));
      for (NodeId up = Load(labels, root); up != root; up = Load(labels, root)) root = up;
      Store(labels, v, root);
    }
  });
}

struct SampledComponent {
  NodeId label = 0;  // the most frequent; 0, as good as any, when no sampled node takes part
  bool covers_most = false;  // most linked nodes of the sample are in it
};

// From evenly spaced nodes (no power of two apart, as what is done to nodes by turns is). It only
// decides which arcs are skipped.
SampledComponent SampleLargest(std::span<const NodeId> labels) {
  SampledComponent sampled;
  std::vector<NodeId> sample;
  std::ptrdiff_t linked = 0, most = 0;
  for (std::size_t v = 0; v < labels.size(); v += labels.size() / kSampledNodes | 1) {
    if (labels[v] == kNoNode) continue;
    sample.push_back(labels[v]);
    linked += labels[v] != v;
  }
  std::sort(sample.begin(), sample.end());
  for (auto it = sample.begin(); it != sample.end();) {
    auto end = std::upper_bound(it, sample.end(), *it);
    if (end - it > most) {
      most = end - it;
      sampled.label = *it;
    }
    it = end;
  }
  sampled.covers_most = 64 * most >= 63 * linked;
  return sampled;
}

// fn(node, its label), blocks of nodes in parallel.
template <class Fn>
void ForEachNode(Labels labels, Executor& executor, Fn&& fn) {
  ParallelForEach(executor, labels.size(), kGrain, [&](NodeId v) { fn(v, Load(labels, v)); });
}

class ArrayRows {
 public:
  // REQUIRES an arc.
  ArrayRows(const CsrView& out, const CsrView& in, bool both_ends)
      : out_(out), in_(in), both_ends_(both_ends) {}

  NodeId Parent(NodeId v, NodeId) const {
    const NodeId parent = First(out_, v);
    return parent == v && !both_ends_ ? First(in_, v) : parent;
  }
  void FetchFirst(NodeId v) const {
    Prefetch(out_.neighbors.data() + out_.offsets[std::min(v, out_.node_count())]);
  }
  bool Empty(NodeId v) const { return out_.degree(v) == 0 && (both_ends_ || in_.degree(v) == 0); }
  void Fetch(NodeId v) const {
    Prefetch(out_.neighbors.data() + out_.offsets[v]);
    if (!both_ends_) Prefetch(in_.neighbors.data() + in_.offsets[v]);
  }
  template <class Fn>
  bool Out(NodeId v, Fn&& fn) const {
    return Row(out_, v, fn);
  }
  template <class Fn>
  bool In(NodeId v, Fn&& fn) const {
    return both_ends_ || Row(in_, v, fn);
  }

 private:
  // The first neighbour, or v, whichever is smaller, with no branch for the compiler to see.
  static NodeId First(const CsrView& view, NodeId v) {
    const std::uint32_t row = view.offsets[v],
                        last = static_cast<std::uint32_t>(view.arc_count()) - 1;
    const NodeId first = view.neighbors[std::min(row, last)];
    const auto down =
        static_cast<NodeId>(row < view.offsets[v + 1]) & static_cast<NodeId>(first < v);
    return v ^ ((v ^ first) & (0 - down));
  }
  template <class Fn>
  static bool Row(const CsrView& view, NodeId v, Fn&& fn) {
    for (std::uint32_t a = view.offsets[v]; a < view.offsets[v + 1]; ++a)
      if (!fn(view.neighbors[a])) return false;
    return true;
  }

  const CsrView out_, in_;
  const bool both_ends_;
};

class SnapshotRows {
 public:
  SnapshotRows(const common_internal::Selection& selection, Labels labels)
      : selection_(selection), labels_(labels) {}

  NodeId Parent(NodeId v, NodeId label) const {
    if (label == kNoNode) return label;
    NodeId least = v;
    auto first = [&](NodeId w) {
      least = std::min(least, w);
      return false;
    };
    Out(v, first);
    if (least == v) In(v, first);
    return least;
  }
  static void FetchFirst(NodeId) {}
  static bool Empty(NodeId) { return false; }
  static void Fetch(NodeId) {}
  template <class Fn>
  bool Out(NodeId v, Fn&& fn) const {
    return Row(Direction::kOut, v, fn);
  }
  template <class Fn>
  bool In(NodeId v, Fn&& fn) const {
    return Row(Direction::kIn, v, fn);
  }

 private:
  template <class Fn>
  bool Row(Direction direction, NodeId v, Fn&& fn) const {
    bool more = true;
    selection_.snapshot->ForEachArc(direction, v, selection_.filter, [&](const Arc& arc) {
      return more = Load(labels_, arc.neighbor) == kNoNode || fn(arc.neighbor);
    });
    return more;
  }

  const common_internal::Selection& selection_;
  const Labels labels_;
};

// Links the nodes outside the sampled component. An arc is skipped only if both endpoints are
// already in the sampled component, so no component is ever split.
template <class Rows>
void LinkRemaining(Labels labels, Executor& executor, const Rows& rows, NodeId largest) {
  std::atomic<bool> joined = false;
  ParallelFor(executor, labels.size(), kCandidates, [&](std::size_t begin, std::size_t end) {
    std::array<NodeId, kCandidates> candidates;
    std::size_t count = 0;
    for (auto v = static_cast<NodeId>(begin); v < end; ++v) {
      candidates[count] = v;
      const NodeId label = Load(labels, v);
      count += static_cast<std::size_t>(label != largest) &
               static_cast<std::size_t>(label != kNoNode) &
               static_cast<std::size_t>(!rows.Empty(v));
    }
    bool any = false;
    for (std::size_t i = 0; i < count; ++i) {
      if (i + kRowAhead < count) rows.Fetch(candidates[i + kRowAhead]);
      NodeId root = Load(labels, candidates[i]);
      auto join = [&](NodeId w) {
        const NodeId there = Load(labels, w);
        if (there != root) {
          root = Join(labels, root, there);
          any = true;
        }
        return root != Load(labels, largest);
      };
      if (rows.Out(candidates[i], join)) rows.In(candidates[i], join);
    }
    if (any) joined.store(true, std::memory_order_relaxed);
  });
  if (joined) Compress(labels, executor);
}

// Nodes labelled kNoNode take no part. Of `rows`, Out(v, fn) and In(v, fn) call fn(neighbor) until
// it returns false, and return what it returned last, or true; In may do nothing when Out shows
// every arc at both ends. Parent(v, label): a neighbour smaller than v, or v; the label when that
// is kNoNode. Empty(v): it is known that v has no arcs. Fetch(v), FetchFirst(v): its rows, or their
// first arcs, are read soon; v may lie beyond the last.
template <class Rows>
void Afforest(Labels labels, Executor& executor, const Rows& rows) {
  ForEachNode(labels, executor, [&](NodeId v, NodeId label) {
    rows.FetchFirst(v + kFirstAhead);
    Store(labels, v, rows.Parent(v, label));
  });
  Compress(labels, executor);
  SampledComponent sampled = SampleLargest(labels);
  for (std::size_t from = 0, past = 1; from < kRoundParts && !sampled.covers_most;
       from = past, past *= 2) {
    ForEachNode(labels, executor, [&](NodeId v, NodeId label) {
      const std::size_t part = v / kRoundRun % kRoundParts;
      if (part < from || part >= past || label == kNoNode) return;
      std::uint32_t seen = 0;
      rows.Out(v, [&](NodeId w) {
        if (seen > 0) Link(v, w, labels);
        return ++seen < kSampledArcs;
      });
    });
    Compress(labels, executor);
    sampled = SampleLargest(labels);
  }
  LinkRemaining(labels, executor, rows, sampled.label);
}

void Identity(Labels labels, Executor& executor) {
  ParallelForEach(executor, labels.size(), kGrain,
                  [&](std::size_t v) { labels[v] = static_cast<NodeId>(v); });
}

// Links every edge, once. A linked node is never a root again, so it may be linked under any
// ancestor without compare-and-swap.
void LinkEveryEdge(const CsrView& out, bool both_ends, Labels labels, Executor& executor) {
  ForEachNode(labels, executor, [&](NodeId v, NodeId label) {
    NodeId root = label;
    for (std::uint32_t a = out.offsets[v]; a < out.offsets[v + 1]; ++a) {
      const NodeId w = out.neighbors[a];
      if (both_ends && w > v) continue;
      const NodeId there = Load(labels, w);
      if (there == root) continue;
      root = Join(labels, root, there);
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

void TwoRounds(const CsrView& view, Labels labels, Executor& executor, const ArrayRows& rows) {
  for (std::uint32_t round = 0; round < kSampledArcs; ++round) {
    ForEachNode(labels, executor, [&](NodeId v, NodeId) {
      if (view.degree(v) > round) Link(v, view.neighbors[view.offsets[v] + round], labels);
    });
    Compress(labels, executor);
  }
  LinkRemaining(labels, executor, rows, SampleLargest(labels).label);
}

bool BothEnds(const CsrView& out, const CsrView& in) {
  return out.neighbors.data() == in.neighbors.data();
}
bool Few(const CsrView& out, const CsrView& in) {
  return out.arc_count() / (BothEnds(out, in) ? 2 : 1) <= kFewArcs * out.node_count();
}
bool Small(const CsrView& out, const CsrView& in) {
  return Few(out, in) && out.arc_count() <= kSmallComponentsArcs;
}

Executor& ForArrays(const CsrView& out, const CsrView& in, Executor* wanted) {
  Executor& executor = common_internal::Pick(wanted);
  const bool serial =
      executor.thread_count() > 1 && Small(out, in) && out.node_count() <= kSerialNodes;
  return serial ? SerialExecutor() : executor;
}

void OverArrays(const CsrView& out, const CsrView& in, Labels labels, Executor& executor) {
  if (Small(out, in)) return SmallComponents(out, in, labels, executor);
  const bool few = Few(out, in);
  if (few || out.arc_count() == 0) Identity(labels, executor);
  if (out.arc_count() == 0) return;
  if (few && Local(out)) return LinkEveryEdge(out, BothEnds(out, in), labels, executor);
  const ArrayRows rows(out, in, BothEnds(out, in));
  if (few)
    TwoRounds(out, labels, executor, rows);
  else
    Afforest(labels, executor, rows);
}

void OverRows(const common_internal::Selection& selection, Labels labels, Executor& executor) {
  ParallelForEach(executor, labels.size(), kGrain,
                  [&](NodeId v) { labels[v] = selection.contains(v) ? v : kNoNode; });
  Afforest(labels, executor, SnapshotRows(selection, labels));
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

Result<AlignedArray<NodeId>> ComponentsCsr(const CsrView& out, const CsrView& in,
                                           Executor* executor) try {
  AlignedArray<NodeId> labels(out.node_count());
  OverArrays(out, in, labels.span(), ForArrays(out, in, executor));
  return labels;
}
PLEXUS_CATCH_NO_MEMORY

Result<ComponentsResult> Components(const Snapshot& snapshot,
                                    const ComponentsOptions& options) try {
  PLEXUS_ASSIGN(const common_internal::Selection selection,
                common_internal::Select(snapshot, options.filter));
  const CsrView out = snapshot.base_rows(Direction::kOut).Unweighted(),
                in = snapshot.base_rows(Direction::kIn).Unweighted();
  common_internal::StoppableExecutor executor(selection.whole_base
                                                  ? ForArrays(out, in, options.run.executor)
                                                  : common_internal::Pick(options.run.executor),
                                              options.run.budget);
  ComponentsResult result;
  result.labels.resize(snapshot.node_count());
  if (executor.stopped()) {  // before it began
  } else if (selection.whole_base) {
    OverArrays(out, in, result.labels, executor);
  } else {
    OverRows(selection, result.labels, executor);
  }
  result.truncated = executor.stopped();
  if (result.truncated) std::fill(result.labels.begin(), result.labels.end(), kNoNode);
  Count(result.labels, result);
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::connectivity
