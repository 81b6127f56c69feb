// Where changes come from when rows have changed, and pushing them.
#include "algorithms/internal/pending_changes.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <new>
#include <utility>

#include "algorithms/internal/collect.h"

namespace plexus::internal {

namespace {

struct Weighed {
  NodeId node;
  double weight;
  bool operator==(const Weighed&) const = default;
};
struct Row {
  std::vector<Weighed> arcs;
  double strength = 0;
  void Read(const Snapshot& snapshot, NodeId v, bool weighted) {
    arcs.clear();
    strength = 0;
    if (v >= snapshot.node_count()) return;
    snapshot.ForEachArc(Direction::kOut, v, ArcFilter::All(), [&](const Arc& arc) {
      arcs.push_back({arc.neighbor, weighted ? static_cast<double>(arc.weight) : 1.0});
      strength += arcs.back().weight;
    });
  }
};

}  // namespace

void PendingChanges::Set(double changes, double dangling, double rounding) {
  changes_ = changes;
  home_ = dangling;
  rounding_ = rounding;
}

double PendingChanges::Add(NodeId v, double change, std::vector<double>& scores) {
  scores[v] += change;
  rounding_ += 0x1p-53 * std::abs(scores[v]);
  const double r = p_.reciprocal[v];
  if (r == 0) {
    home_ += change;
    return 0;
  }
  return std::abs((*waiting_)[v] += change * r);
}

void PendingChanges::Measure() {
  changes_ = ParallelReduce(
      executor_, p_.rows.node_count, kGrain, 0.0,
      [&](std::size_t begin, std::size_t end) {
        double part = 0;
        for (std::size_t v = begin; v < end; ++v)
          if (const double waits = (*waiting_)[v]; waits != 0) part += std::abs(waits) / p_.reciprocal[v];
        return part;
      },
      [](double a, double b) { return a + b; });
}

// By some rows: what they send now, less what they sent then. `home`: what the teleport gets,
// `dangling`: what was on nodes without arcs then and is not now, less the other way round.
struct PendingChanges::RowChange {
  std::vector<std::pair<NodeId, double>> changes;
  double dangling = 0, home = 0;
};

void PendingChanges::Read(const Snapshot& earlier, std::span<const NodeId> nodes, std::uint64_t most_arcs,
                          std::atomic<std::uint64_t>& arcs, const std::vector<double>& scores, RowChange& to) const {
  Row before, after;
  for (std::size_t i = 0; i < nodes.size() && arcs.load(std::memory_order_relaxed) <= most_arcs; ++i) {
    const NodeId u = nodes[i];
    if (scores[u] == 0) continue;
    before.Read(earlier, u, p_.weighted);
    after.Read(*p_.rows.live, u, p_.weighted);
    arcs.fetch_add(before.arcs.size() + after.arcs.size(), std::memory_order_relaxed);
    if (before.arcs == after.arcs) continue;
    const double going = p_.damping * scores[u];
    for (const Row* row : {&before, &after}) {
      const double sign = row == &after ? going : -going;
      if (row->strength > 0)
        for (const Weighed& arc : row->arcs) to.changes.emplace_back(arc.node, sign * arc.weight / row->strength);
      else
        to.home += sign;
    }
    to.dangling += scores[u] * ((before.strength > 0 ? 0.0 : 1.0) - (after.strength > 0 ? 0.0 : 1.0));
  }
}

bool PendingChanges::Compare(const Snapshot& earlier, std::uint64_t most_arcs, std::vector<double>& scores) {
  const Snapshot* const now = p_.rows.live;
  const NodeId n = p_.rows.node_count, then = earlier.node_count();
  if (!now || now->state().base != earlier.state().base || then == 0 || then > n) return false;
  const std::vector<NodeId> touched = p_.rows.Touched(Direction::kOut);
  if (touched.size() + (n - then) > most_arcs) return false;
  const double d = p_.damping;
  constexpr std::size_t kRows = 64;
  std::vector<RowChange> found((touched.size() + kRows - 1) / kRows);
  std::atomic<std::uint64_t> arcs = n - then;  // of all threads: whether it ends above most_arcs is no matter of luck
  std::atomic<bool> out_of_memory = false;     // tasks must not throw
  ParallelFor(executor_, touched.size(), kRows, [&](std::size_t begin, std::size_t end) {
    try {
      Read(earlier, {&touched[begin], end - begin}, most_arcs, arcs, scores, found[begin / kRows]);
    } catch (const std::bad_alloc&) {
      out_of_memory = true;
    }
  });
  if (out_of_memory) throw std::bad_alloc();
  if (arcs > most_arcs) return false;
  double dangling = 0;  // mass, as it was
  for (NodeId v = 0; then < n && v < n; ++v) dangling += p_.reciprocal[v] == 0 ? scores[v] : 0.0;
  for (const RowChange& part : found) {
    dangling += part.dangling;
    home_ += part.home;
  }
  const auto add = [&](NodeId v, double change) {
    Add(v, change, scores);
    sum_ += change;
  };
  for (const RowChange& part : found)
    for (const auto& [v, change] : part.changes) add(v, change);
  // New nodes get a share of the teleport, of which the others have the less. In terms of
  // the new shares: less for all, and this back for the new ones.
  if (p_.uniform && then < n) {
    const double home = (1.0 - d) + d * dangling, nodes = static_cast<double>(then);
    for (NodeId v = then; v < n; ++v) add(v, home / nodes);
    home_ -= home * static_cast<double>(n - then) / nodes;
  }
  sent_ = true;
  Measure();
  return true;
}

PendingChanges::Loud PendingChanges::Above(double threshold) const {
  return ParallelReduce(
      executor_, p_.rows.node_count, kGrain, Loud{},
      [&](std::size_t begin, std::size_t end) {
        Loud part;
        for (std::size_t v = begin; v < end; ++v) {
          const double waits = std::abs((*waiting_)[v]);
          if (waits == 0) continue;
          const double r = p_.reciprocal[v];
          if (!(waits > threshold * r)) continue;
          part.arcs += p_.rows.Degree(Direction::kOut, static_cast<NodeId>(v));
          part.mass += waits / r;
        }
        return part;
      },
      [](Loud a, const Loud& b) { return Loud{a.arcs + b.arcs, a.mass + b.mass}; });
}

std::vector<NodeId> PendingChanges::NodesAbove(double threshold) const {
  return Collect<NodeId>(executor_, p_.rows.node_count, [&](std::size_t v) {
    const double waits = std::abs((*waiting_)[v]);
    return waits != 0 && waits > threshold * p_.reciprocal[v];
  });
}

// Asks for what rows[i + some] will need: rows lie anywhere.
void PendingChanges::Prefetch(std::span<const NodeId> rows, std::size_t i) const {
  const CsrView& out = p_.rows.out;
  if (i + 64 < rows.size() && rows[i + 64] < out.node_count()) __builtin_prefetch(&out.offsets[rows[i + 64]]);
  if (i + 32 >= rows.size() || rows[i + 32] >= out.node_count()) return;
  const NodeId* const first = out.neighbors.data() + out.offsets[rows[i + 32]];
  __builtin_prefetch(first);
  __builtin_prefetch(first + 16);
}

bool PendingChanges::Spread(std::uint64_t most_arcs, std::vector<double>& scores) const {
  const NodeId n = p_.rows.node_count;
  const std::vector<NodeId> loud = NodesAbove(0);
  const std::uint64_t arcs = ParallelReduce(
      executor_, loud.size(), kGrain, std::uint64_t{0},
      [&](std::size_t begin, std::size_t end) {
        std::uint64_t part = 0;
        for (std::size_t i = begin; i < end; ++i) part += p_.rows.Degree(Direction::kOut, loud[i]);
        return part;
      },
      [](std::uint64_t a, std::uint64_t b) { return a + b; });
  if (arcs > most_arcs) return false;
  // Every range of nodes takes what is its own: the order of what a node gets is that of the
  // senders, however many ranges there are.
  const std::size_t ranges = static_cast<std::size_t>(std::clamp(executor_.thread_count(), 1, 8));
  const std::size_t size = (n + ranges - 1) / ranges;
  ParallelFor(executor_, n, size, [&](std::size_t begin, std::size_t end) {
    const std::size_t count = end - begin;
    for (std::size_t i = 0; i < loud.size(); ++i) {
      Prefetch(loud, i);
      const NodeId u = loud[i];
      const double going = p_.damping * (*waiting_)[u];
      p_.rows.ForEachArc(Direction::kOut, u, [&](NodeId v, double weight) {
        if (v - begin < count) scores[v] += p_.weighted ? going * weight : going;
      });
    }
  });
  return true;
}

std::uint64_t PendingChanges::Push(const std::vector<NodeId>& loud, double quiet, std::uint64_t arcs, std::vector<double>& scores) {
  const double d = p_.damping;
  std::uint64_t left = arcs;
  sent_ = true;
  queued_.resize(p_.rows.node_count);
  std::deque<NodeId> queue(loud.begin(), loud.end());
  for (const NodeId v : queue) queued_[v] = true;
  while (!queue.empty()) {
    const NodeId u = queue.front();
    const std::uint64_t degree = p_.rows.Degree(Direction::kOut, u);
    if (degree > left) break;
    left -= degree;
    queue.pop_front();
    queued_[u] = false;
    const double pending = std::exchange((*waiting_)[u], 0.0);
    const double going = d * pending, change = pending / p_.reciprocal[u];
    home_ += (1.0 - d) * change;
    sum_ += d * change;
    p_.rows.ForEachArc(Direction::kOut, u, [&](NodeId v, double weight) {
      const double waits = Add(v, p_.weighted ? going * weight : going, scores);
      if (!(waits > quiet * p_.reciprocal[v]) || queued_[v]) return;
      queued_[v] = true;
      queue.push_back(v);
    });
  }
  for (const NodeId v : queue) queued_[v] = false;
  Measure();
  return arcs - left;
}

}  // namespace plexus::internal
