// Where changes come from when rows have changed, and pushing them.
#include "algorithms/internal/pending_changes.h"

#include <algorithm>
#include <deque>
#include <utility>

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

bool PendingChanges::Compare(const Snapshot& earlier, std::uint64_t most_arcs, std::vector<double>& scores) {
  const Snapshot* const now = p_.rows.live;
  const NodeId n = p_.rows.node_count, then = earlier.node_count();
  if (!now || now->state().base != earlier.state().base || then == 0 || then > n) return false;
  const std::vector<NodeId> touched = Collect<NodeId>(
      executor_, n, [&](std::size_t v) { return !now->clean(Direction::kOut, static_cast<NodeId>(v)); });
  std::uint64_t arcs = n - then;
  for (const NodeId u : touched) {
    arcs += now->Degree(Direction::kOut, u, ArcFilter::All());
    if (u < then) arcs += earlier.Degree(Direction::kOut, u, ArcFilter::All());
    if (arcs > most_arcs) return false;
  }
  const double d = p_.damping;
  std::vector<std::pair<NodeId, double>> changes;
  Row before, after;
  double dangling = 0;  // mass, as it was
  for (NodeId v = 0; then < n && v < n; ++v) dangling += p_.reciprocal[v] == 0 ? scores[v] : 0.0;
  for (const NodeId u : touched) {
    if (scores[u] == 0) continue;
    before.Read(earlier, u, p_.weighted);
    after.Read(*now, u, p_.weighted);
    if (before.arcs == after.arcs) continue;
    const double going = d * scores[u];
    for (const Row* row : {&before, &after}) {
      const double sign = row == &after ? going : -going;
      if (row->strength > 0)
        for (const Weighed& arc : row->arcs) changes.emplace_back(arc.node, sign * arc.weight / row->strength);
      else
        home_ += sign;
    }
    dangling += scores[u] * ((before.strength > 0 ? 0.0 : 1.0) - (after.strength > 0 ? 0.0 : 1.0));
  }
  // New nodes get a share of the teleport, of which the others have the less. In terms of
  // the new shares: less for all, and this back for the new ones.
  if (p_.uniform && then < n) {
    const double home = (1.0 - d) + d * dangling, nodes = static_cast<double>(then);
    for (NodeId v = then; v < n; ++v) changes.emplace_back(v, home / nodes);
    home_ -= home * static_cast<double>(n - then) / nodes;
  }
  for (const auto& [v, change] : changes) {
    Add(v, change, scores);
    sum_ += change;
  }
  sent_ = true;
  Measure();
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
