// Afforest over anything that can walk a row: bare arrays, or the row iterator when
// the graph has a delta, hidden kinds or unselected nodes.
//
// Linking hooks the larger root under the smaller by compare-and-swap, so parents
// only ever get smaller, there are no cycles, and the last root of a component is
// its smallest id whatever the order of the links.
#include "algorithms/components.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "algorithms/internal/selection.h"

namespace plexus {

namespace {

constexpr std::size_t kGrain = 4096;
constexpr std::uint32_t kSampledArcs = 2;  // per node, before the giant is known
constexpr std::size_t kSampledNodes = 1024;

using Labels = std::vector<NodeId>;

NodeId Load(Labels& labels, NodeId v) {
  return std::atomic_ref<NodeId>(labels[v]).load(std::memory_order_relaxed);
}

void Link(NodeId u, NodeId v, Labels& labels) {
  NodeId p = Load(labels, u), q = Load(labels, v);
  while (p != q) {
    const NodeId high = std::max(p, q), low = std::min(p, q);
    NodeId expected = high;
    if (std::atomic_ref<NodeId>(labels[high])
            .compare_exchange_strong(expected, low, std::memory_order_relaxed) ||
        expected == low)
      return;
    p = Load(labels, expected);  // somebody hooked `high` first: go on from there
    q = low;
  }
}

// Every node points at its root.
void Compress(Labels& labels, Executor& executor) {
  ParallelFor(executor, labels.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (auto v = static_cast<NodeId>(begin); v < end; ++v) {
      NodeId root = Load(labels, v);
      if (root == kNoNode) continue;
      for (NodeId up = Load(labels, root); up != root; up = Load(labels, root)) root = up;
      std::atomic_ref<NodeId>(labels[v]).store(root, std::memory_order_relaxed);
    }
  });
}

// The most frequent label of evenly spaced nodes. A guess is enough: it only
// decides whose arcs are skipped.
NodeId GuessLargest(const Labels& labels) {
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

Labels Identity(std::size_t n, Executor& executor) {
  Labels labels(n);
  ParallelFor(executor, n, kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) labels[v] = static_cast<NodeId>(v);
  });
  return labels;
}

// out(v, fn) and in(v, fn) call fn(neighbor) along a row until it returns false;
// in may do nothing when out shows every arc at both ends. Nodes labelled kNoNode
// take no part.
template <class Out, class In>
void Afforest(Labels& labels, Executor& executor, const Out& out, const In& in) {
  for (std::uint32_t round = 0; round < kSampledArcs; ++round) {
    ParallelFor(executor, labels.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      for (auto v = static_cast<NodeId>(begin); v < end; ++v) {
        if (Load(labels, v) == kNoNode) continue;
        std::uint32_t seen = 0;
        out(v, [&](NodeId w) {
          if (seen++ < round) return true;
          Link(v, w, labels);
          return false;
        });
      }
    });
    Compress(labels, executor);
  }
  // An arc between a member of the giant and another node is seen from the other
  // node, which looks along both of its rows.
  const NodeId giant = GuessLargest(labels);
  ParallelFor(executor, labels.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (auto v = static_cast<NodeId>(begin); v < end; ++v) {
      const NodeId label = Load(labels, v);
      if (label == giant || label == kNoNode) continue;
      auto link = [&](NodeId w) {
        Link(v, w, labels);
        return true;
      };
      out(v, link);
      in(v, link);
    }
  });
  Compress(labels, executor);
}

Labels OverRows(const internal::Selection& selection, Executor& executor) {
  const Snapshot& snapshot = *selection.snapshot;
  Labels labels = Identity(snapshot.node_count(), executor);
  ParallelFor(executor, labels.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (auto v = static_cast<NodeId>(begin); v < end; ++v)
      if (!selection.contains(v)) labels[v] = kNoNode;
  });
  auto row = [&](Direction direction) {
    return [&, direction](NodeId v, auto&& fn) {
      snapshot.ForEachArc(direction, v, selection.filter, [&](const Arc& arc) {
        return Load(labels, arc.neighbor) == kNoNode || fn(arc.neighbor);
      });
    };
  };
  Afforest(labels, executor, row(Direction::kOut), row(Direction::kIn));
  return labels;
}

void Count(const Labels& labels, ComponentsResult& result) {
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

std::vector<NodeId> ComponentsCsr(const CsrView& out, const CsrView& in, Executor* chosen) {
  Executor& executor = internal::Pick(chosen);
  Labels labels = Identity(out.node_count(), executor);
  auto row = [](const CsrView& view) {
    return [&view](NodeId v, auto&& fn) {
      for (std::uint32_t a = view.offsets[v]; a < view.offsets[v + 1]; ++a)
        if (!fn(view.neighbors[a])) return;
    };
  };
  if (out.neighbors.data() == in.neighbors.data())
    Afforest(labels, executor, row(out), [](NodeId, auto&&) {});
  else
    Afforest(labels, executor, row(out), row(in));
  return labels;
}

Result<ComponentsResult> Components(const Snapshot& snapshot, const ComponentsOptions& options) {
  PLEXUS_ASSIGN(const internal::Selection selection,
                internal::Select(snapshot, options.kinds, options.valid_at, options.subset));
  Executor& executor = internal::Pick(options.executor);
  ComponentsResult result;
  result.labels = selection.whole_base
                      ? ComponentsCsr(snapshot.base().out(), snapshot.base().in(), &executor)
                      : OverRows(selection, executor);
  Count(result.labels, result);
  return result;
}

}  // namespace plexus
