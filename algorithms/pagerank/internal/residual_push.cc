// Residuals from changed rows, and pushing them.
#include "algorithms/pagerank/internal/residual_push.h"

#include <array>
#include <bit>
#include <deque>
#include <utility>

#include "engine/state.h"

namespace plexus::pagerank::internal {

namespace {

struct Weighed {
  NodeId node;
  double weight;
  bool operator==(const Weighed&) const = default;
};
struct Row {
  std::vector<Weighed> arcs;
  double strength = 0;
  void Clear() {
    arcs.clear();
    strength = 0;
  }
  void Add(NodeId neighbor, double weight) {
    arcs.push_back({neighbor, weight});
    strength += weight;
  }
};

}  // namespace

void ResidualPush::Attach(AlignedArray<double>& residual, bool any) {
  residual_ = &residual;
  may_have_residual_.assign((p_.rows.node_count + 63) / 64, any ? ~std::uint64_t{0} : 0);
  if (any && p_.rows.node_count % 64 != 0)
    may_have_residual_.back() >>= 64 - p_.rows.node_count % 64;
}

// Nodes with a residual, of 64 a word, ascending.
template <class Fn>
void ResidualPush::ForEachResidual(std::size_t first_word, std::size_t last_word, Fn&& fn) const {
  for (std::size_t w = first_word; w < last_word; ++w)
    for (std::uint64_t left = may_have_residual_[w]; left != 0; left &= left - 1) {
      const std::size_t v = w * 64 + static_cast<std::size_t>(std::countr_zero(left));
      if (const double residual = std::abs((*residual_)[v]); residual != 0)
        fn(static_cast<NodeId>(v), residual);
    }
}

void ResidualPush::Set(double changes, double dangling, double rounding) {
  changes_ = changes;
  teleport_residual_ = dangling;
  rounding_ = rounding;
}

double ResidualPush::Add(NodeId v, double change, std::vector<double>& scores) {
  scores[v] += change;
  rounding_ += 0x1p-53 * std::abs(scores[v]);
  const double r = p_.reciprocal[v];
  if (r == 0) {
    teleport_residual_ += change;
    return 0;
  }
  may_have_residual_[v / 64] |= std::uint64_t{1} << (v % 64);
  return std::abs((*residual_)[v] += change * r);
}

void ResidualPush::Measure() {
  changes_ = ParallelSum(
      executor_, may_have_residual_.size(), kWords, [&](std::size_t begin, std::size_t end) {
        double part = 0;
        ForEachResidual(begin, end,
                        [&](NodeId v, double residual) { part += residual / p_.reciprocal[v]; });
        return part;
      });
}

// By some rows: what they send now, less what they sent then. `home`: what the teleport gets,
// `dangling`: what was on nodes without arcs then and is not now, less the other way round.
struct ResidualPush::RowChange {
  std::vector<std::pair<NodeId, double>> changes;
  double dangling = 0, home = 0;
};

void ResidualPush::Read(const Snapshot& earlier, std::span<const NodeId> nodes,
                        std::uint64_t max_arcs, std::atomic<std::uint64_t>& arcs,
                        const std::vector<double>& scores, RowChange& to) const {
  Row before, after;
  for (std::size_t i = 0; i < nodes.size() && arcs.load(std::memory_order_relaxed) <= max_arcs;
       ++i) {
    const NodeId u = nodes[i];
    if (scores[u] == 0) continue;
    before.Clear();
    after.Clear();
    p_.rows.ForEachArcIn(earlier, Direction::kOut, u, [&](NodeId v, double weight) {
      before.Add(v, p_.weighted ? weight : 1.0);
    });
    p_.rows.ForEachArc(Direction::kOut, u,
                       [&](NodeId v, double weight) { after.Add(v, p_.weighted ? weight : 1.0); });
    arcs.fetch_add(before.arcs.size() + after.arcs.size(), std::memory_order_relaxed);
    if (before.arcs == after.arcs) continue;
    const double going = p_.damping * scores[u];
    for (Row* const row : {&before, &after}) {
      if (row->strength > 0) continue;
      to.home += row == &after ? going : -going;
      row->arcs.clear();
    }
    // Most arcs are in both rows, and rows are in order.
    auto then = before.arcs.begin(), now = after.arcs.begin();
    while (then != before.arcs.end() || now != after.arcs.end()) {
      const bool out =
          now == after.arcs.end() || (then != before.arcs.end() && then->node <= now->node);
      const bool in =
          then == before.arcs.end() || (now != after.arcs.end() && now->node <= then->node);
      const NodeId node = out ? then->node : now->node;
      double change = 0;
      if (in) change += going * (now++)->weight / after.strength;
      if (out) change -= going * (then++)->weight / before.strength;
      to.changes.emplace_back(node, change);
    }
    to.dangling +=
        scores[u] * ((before.strength > 0 ? 0.0 : 1.0) - (after.strength > 0 ? 0.0 : 1.0));
  }
}

bool ResidualPush::InitFromChangedRows(const Snapshot& earlier, std::uint64_t max_arcs,
                                       std::vector<double>& scores) {
  const Snapshot* const now = p_.rows.state();
  if (!now || now->state().base != earlier.state().base) return false;
  const NodeId n = p_.rows.node_count, then = p_.rows.CountIn(earlier);
  if (then == 0 || then > n) return false;
  const std::vector<NodeId> touched = p_.rows.TouchedSince(earlier, Direction::kOut);
  if (touched.size() + (n - then) > max_arcs) return false;
  const double d = p_.damping;
  constexpr std::size_t kRows = 64;
  std::vector<RowChange> found((touched.size() + kRows - 1) / kRows);
  std::atomic<std::uint64_t> arcs =
      n - then;  // of all threads: whether it ends above most_arcs is no matter of luck
  ParallelFor(executor_, touched.size(), kRows, [&](std::size_t begin, std::size_t end) {
    Read(earlier, {&touched[begin], end - begin}, max_arcs, arcs, scores, found[begin / kRows]);
  });
  if (arcs > max_arcs) return false;
  double dangling = 0;  // mass, as it was
  for (NodeId v = 0; then < n && v < n; ++v) dangling += p_.reciprocal[v] == 0 ? scores[v] : 0.0;
  for (const RowChange& part : found) {
    dangling += part.dangling;
    teleport_residual_ += part.home;
  }
  const auto add = [&](NodeId v, double change) {
    Add(v, change, scores);
    sum_ += change;
  };
  for (const RowChange& part : found)
    for (std::size_t i = 0; i < part.changes.size(); ++i) {
      if (i + 16 < part.changes.size()) {
        const NodeId soon = part.changes[i + 16].first;
        __builtin_prefetch(&scores[soon], 1);
        __builtin_prefetch(&(*residual_)[soon], 1);
        __builtin_prefetch(&p_.reciprocal[soon]);
      }
      add(part.changes[i].first, part.changes[i].second);
    }
  // New nodes get a share of the teleport, of which the others have the less. In terms of
  // the new shares: less for all, and this back for the new ones.
  if (p_.uniform && then < n) {
    const double home = (1.0 - d) + d * dangling, nodes = static_cast<double>(then);
    for (NodeId v = then; v < n; ++v) add(v, home / nodes);
    teleport_residual_ -= home * static_cast<double>(n - then) / nodes;
  }
  sent_ = true;
  Measure();
  return true;
}

ResidualPush::LargeResiduals ResidualPush::CountAbove(double threshold) const {
  return ParallelReduce(
      executor_, may_have_residual_.size(), kWords, LargeResiduals{},
      [&](std::size_t begin, std::size_t end) {
        LargeResiduals part;
        ForEachResidual(begin, end, [&](NodeId v, double residual) {
          const double r = p_.reciprocal[v];
          if (!(residual > threshold * r)) return;
          part.arcs += p_.rows.Degree(Direction::kOut, v);
          part.mass += residual / r;
        });
        return part;
      },
      [](LargeResiduals a, const LargeResiduals& b) {
        return LargeResiduals{a.arcs + b.arcs, a.mass + b.mass};
      });
}

std::vector<NodeId> ResidualPush::NodesAbove(double threshold) const {
  std::vector<std::size_t> begins((may_have_residual_.size() + kWords - 1) / kWords + 1);
  const auto each = [&](std::size_t begin, std::size_t end, auto&& fn) {
    ForEachResidual(begin, end, [&](NodeId v, double residual) {
      if (residual > threshold * p_.reciprocal[v]) fn(v);
    });
  };
  ParallelFor(executor_, may_have_residual_.size(), kWords,
              [&](std::size_t begin, std::size_t end) {
                each(begin, end, [&](NodeId) { ++begins[begin / kWords + 1]; });
              });
  for (std::size_t block = 1; block < begins.size(); ++block) begins[block] += begins[block - 1];
  std::vector<NodeId> nodes(begins.back());
  ParallelFor(executor_, may_have_residual_.size(), kWords,
              [&](std::size_t begin, std::size_t end) {
                std::size_t at = begins[begin / kWords];
                each(begin, end, [&](NodeId v) { nodes[at++] = v; });
              });
  return nodes;
}

// Prefetches what rows[i + some] will need: rows lie anywhere.
void ResidualPush::Prefetch(std::span<const NodeId> rows, std::size_t i) const {
  const CsrView& out = p_.rows.out;
  if (i + 64 < rows.size() && rows[i + 64] < out.node_count())
    __builtin_prefetch(&out.offsets[rows[i + 64]]);
  if (i + 32 >= rows.size() || rows[i + 32] >= out.node_count()) return;
  const NodeId* const first = out.neighbors.data() + out.offsets[rows[i + 32]];
  __builtin_prefetch(first);
  __builtin_prefetch(first + 16);
}

std::uint64_t ResidualPush::PropagateAll(std::uint64_t max_arcs,
                                         std::vector<double>& scores) const {
  const NodeId n = p_.rows.node_count;
  const std::vector<NodeId> large = NodesAbove(0);
  // First what goes where, senders in groups, a group's shares by range of receivers; then every
  // range adds up its own, group after group: a node gets what it gets in the order of the
  // senders, however many groups and ranges there are.
  struct Share {
    NodeId node;
    float change;
  };
  constexpr std::size_t kSenders = 1024, kRanges = 16;
  struct Group {
    std::uint64_t arcs = 0;
    std::array<std::uint64_t, kRanges + 1> begins{};  // of its shares, by range
  };
  const int bits = static_cast<int>(std::bit_width((n - 1) / kRanges));  // nodes a range: 2^bits
  std::vector<Group> groups((large.size() + kSenders - 1) / kSenders);
  ParallelFor(executor_, large.size(), kSenders, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Prefetch(large, i);
      groups[begin / kSenders].arcs += p_.rows.Degree(Direction::kOut, large[i]);
    }
  });
  std::uint64_t arcs = 0;
  for (Group& group : groups) {
    group.begins[0] = arcs;
    arcs += group.arcs;
  }
  if (arcs > max_arcs) return 0;
  AlignedArray<Share> shares(arcs);
  const auto each = [&](std::size_t begin, std::size_t end, auto&& fn) {
    for (std::size_t i = begin; i < end; ++i) {
      Prefetch(large, i);
      const double going = p_.damping * (*residual_)[large[i]];
      p_.rows.ForEachArc(Direction::kOut, large[i], [&](NodeId v, double weight) {
        fn(v, p_.weighted ? going * weight : going);
      });
    }
  };
  ParallelFor(executor_, large.size(), kSenders, [&](std::size_t begin, std::size_t end) {
    std::array<std::uint64_t, kRanges + 1>& begins = groups[begin / kSenders].begins;
    std::array<std::uint64_t, kRanges> next{};
    each(begin, end, [&](NodeId v, double) { ++next[v >> bits]; });
    for (std::size_t r = 0; r < kRanges; ++r) {
      begins[r + 1] = begins[r] + next[r];
      next[r] = begins[r];
    }
    each(begin, end, [&](NodeId v, double change) {
      shares[next[v >> bits]++] = {v, static_cast<float>(change)};
    });
  });
  ParallelFor(executor_, kRanges, 1, [&](std::size_t range, std::size_t) {
    constexpr std::uint64_t kAhead = 32;
    for (const Group& group : groups) {
      const std::uint64_t end = group.begins[range + 1];
      for (std::uint64_t i = group.begins[range]; i < end; ++i) {
        if (i + kAhead < end) __builtin_prefetch(&scores[shares[i + kAhead].node], 1);
        scores[shares[i].node] += static_cast<double>(shares[i].change);
      }
    }
  });
  return arcs;
}

std::uint64_t ResidualPush::Push(const std::vector<NodeId>& large, double threshold,
                                 std::uint64_t arcs, std::vector<double>& scores) {
  const double d = p_.damping;
  std::uint64_t left = arcs;
  sent_ = true;
  queued_.resize(p_.rows.node_count);
  std::deque<NodeId> queue(large.begin(), large.end());
  for (const NodeId v : queue) queued_[v] = true;
  while (!queue.empty()) {
    const NodeId u = queue.front();
    const std::uint64_t degree = p_.rows.Degree(Direction::kOut, u);
    if (degree > left) break;
    left -= degree;
    queue.pop_front();
    queued_[u] = false;
    const double pending = std::exchange((*residual_)[u], 0.0);
    const double going = d * pending, change = pending / p_.reciprocal[u];
    teleport_residual_ += (1.0 - d) * change;
    sum_ += d * change;
    p_.rows.ForEachArc(Direction::kOut, u, [&](NodeId v, double weight) {
      const double residual = Add(v, p_.weighted ? going * weight : going, scores);
      if (!(residual > threshold * p_.reciprocal[v]) || queued_[v]) return;
      queued_[v] = true;
      queue.push_back(v);
    });
  }
  for (const NodeId v : queue) queued_[v] = false;
  Measure();
  return arcs - left;
}

}  // namespace plexus::pagerank::internal
