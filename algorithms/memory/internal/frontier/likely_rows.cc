// Decayed events gathered by member, then what is shared behind them.
#include "algorithms/memory/internal/frontier/likely_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "algorithms/similarity/internal/inverted_index.h"

namespace plexus::memory_internal {

namespace {

using similarity_internal::InvertedIndex;

constexpr double kYoungLedger = 50;   // events
constexpr std::size_t kBlock = 1024;  // nodes

// 2^(-age / half-life) by event.
std::vector<double> Decays(const LedgerIndex& ledger, NodeId nodes, double half_life) {
  const auto newest = ledger.newest();
  if (half_life == 0) half_life = std::max(1.0, static_cast<double>(newest.size()) / 10);
  std::vector<double> decays(nodes, 0);
  for (std::size_t age = 0; age < newest.size(); ++age)
    decays[newest[age]] = std::exp2(-static_cast<double>(age) / half_life);
  return decays;
}

// The partners of one member with their w, ascending.
void Gather(const LedgerIndex& ledger, const std::vector<double>& decays, NodeId v,
            std::vector<std::pair<NodeId, double>>& row) {
  row.clear();
  for (const NodeId event : ledger.events(v)) {
    const auto members = ledger.members(event);
    if (members.size() < 2 || members.size() > kMostTied) continue;
    const double each = decays[event] / static_cast<double>(members.size() - 1);
    for (const NodeId z : members)
      if (z != v) row.emplace_back(z, each);
  }
  std::stable_sort(row.begin(), row.end(),
                   [](const auto& x, const auto& y) { return x.first < y.first; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < row.size(); ++i)
    if (kept > 0 && row[kept - 1].first == row[i].first)
      row[kept - 1].second += row[i].second;
    else
      row[kept++] = row[i];
  row.resize(kept);
}

}  // namespace

double LikelyRows::Direct(NodeId a, NodeId b) const {
  const auto partners = row(a);
  const auto at = std::lower_bound(partners.begin(), partners.end(), b);
  if (at == partners.end() || *at != b) return 0;
  const double value = values[offsets[a] + static_cast<std::size_t>(at - partners.begin())];
  return value * value;
}

namespace {

// fn(what both have, what it adds), in ascending order.
template <class Fn>
void ForEachCommon(const LikelyRows& rows, NodeId a, NodeId b, Fn&& fn) {
  std::uint32_t i = rows.offsets[a], j = rows.offsets[b];
  while (i < rows.offsets[a + 1] && j < rows.offsets[b + 1]) {
    const NodeId x = rows.neighbors[i], y = rows.neighbors[j];
    if (x == y) fn(x, rows.shares[x] * (rows.values[i] * rows.values[j]));
    i += x <= y;
    j += y <= x;
  }
}

}  // namespace

double LikelyRows::Link(NodeId a, NodeId b) const {
  double sum = 0;
  ForEachCommon(*this, a, b, [&](NodeId, double part) { sum += part; });
  return sum;
}

std::vector<NodeId> LikelyRows::Partners(NodeId a, NodeId b, std::size_t most) const {
  std::vector<std::pair<double, NodeId>> parts;
  ForEachCommon(*this, a, b, [&](NodeId z, double part) {
    if (z < nodes) parts.emplace_back(-part, z);
  });
  std::sort(parts.begin(), parts.end());
  if (parts.size() > most) parts.resize(most);
  std::vector<NodeId> partners;
  for (const auto& [part, z] : parts) partners.push_back(z);
  return partners;
}

Result<LikelyRows> MakeLikelyRows(const Snapshot& snapshot, const LedgerIndex& ledger,
                                  const NodeSubset& pool, const NeverComposedOptions& options,
                                  Executor& executor) {
  const NodeId n = snapshot.node_count();
  const std::vector<double> decays = Decays(ledger, n, options.likely.half_life);
  LikelyRows rows;
  rows.nodes = n;
  rows.activity.assign(n, 0);
  rows.shares.assign(n, 0);

  // Partners, by blocks of nodes.
  struct Block {
    std::vector<std::pair<NodeId, double>> arcs;  // of members of the pool
    std::vector<std::uint32_t> counts;            // by node
  };
  std::vector<Block> blocks((std::size_t{n} + kBlock - 1) / kBlock);
  ParallelFor(executor, blocks.size(), 1, [&](std::size_t begin, std::size_t end) {
    std::vector<std::pair<NodeId, double>> row;
    for (std::size_t b = begin; b < end; ++b)
      for (std::size_t i = b * kBlock; i < std::min<std::size_t>(n, (b + 1) * kBlock); ++i) {
        const auto v = static_cast<NodeId>(i);
        for (const NodeId event : ledger.events(v)) rows.activity[v] += decays[event];
        Gather(ledger, decays, v, row);
        double sum = 0;
        for (auto& [z, w] : row) sum += w = std::sqrt(w);
        rows.shares[v] = 1 / std::log(2 + sum);
        if (!pool.contains(v)) row.clear();
        blocks[b].counts.push_back(static_cast<std::uint32_t>(row.size()));
        blocks[b].arcs.insert(blocks[b].arcs.end(), row.begin(), row.end());
      }
  });

  // Tags and terms behind them.
  InvertedIndex shared;
  if (options.likely.shared_weight > 0) {
    PLEXUS_ASSIGN(shared, similarity_internal::MakeInvertedIndex(
                              snapshot, {{}, options.now_ms, &pool, nullptr}, executor));
  }
  const double weight =
      options.likely.shared_weight / (static_cast<double>(ledger.newest().size()) + kYoungLedger);
  std::uint64_t arcs = shared.entries.size();
  for (const Block& block : blocks) arcs += block.arcs.size();
  if (arcs >= std::numeric_limits<std::uint32_t>::max() ||
      std::uint64_t{n} + shared.term_count() >= std::numeric_limits<NodeId>::max())
    return Fail(ErrorCode::kUnsupported, "the lens likely: too many partners, tags and terms");
  for (const double w : shared.weights) rows.shares.push_back(weight * w);
  rows.offsets.reserve(rows.shares.size() + 1);
  rows.neighbors.reserve(arcs);
  rows.values.reserve(arcs);
  std::size_t at = 0;  // of the block
  std::vector<NodeId> terms;
  for (NodeId v = 0; v < n; ++v) {
    rows.offsets.push_back(static_cast<std::uint32_t>(rows.neighbors.size()));
    if (v % kBlock == 0) at = 0;
    Block& block = blocks[v / kBlock];
    for (std::uint32_t i = 0; i < block.counts[v % kBlock]; ++i) {
      const auto& [z, value] = block.arcs[at + i];
      rows.neighbors.push_back(z);
      rows.values.push_back(value);
    }
    at += block.counts[v % kBlock];
    const auto place = std::lower_bound(shared.nodes.begin(), shared.nodes.end(), v);
    if (place == shared.nodes.end() || *place != v) continue;
    terms.clear();
    for (const auto& entry : shared.row(static_cast<std::uint32_t>(place - shared.nodes.begin())))
      terms.push_back(n + entry.term);
    std::sort(terms.begin(), terms.end());
    rows.neighbors.insert(rows.neighbors.end(), terms.begin(), terms.end());
    rows.values.insert(rows.values.end(), terms.size(), 1.0);
  }
  rows.offsets.resize(rows.shares.size() + 1, static_cast<std::uint32_t>(rows.neighbors.size()));
  return rows;
}

}  // namespace plexus::memory_internal
