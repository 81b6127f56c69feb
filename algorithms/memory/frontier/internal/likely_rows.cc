// Decayed events gathered by member, then what is shared behind them.
#include "algorithms/memory/frontier/internal/likely_rows.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/vocabulary.h"

namespace plexus::memory::internal {

namespace {

constexpr double kYoungLedger = kLikelyEvents;
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

// What facts share, as `similarity.h` has it: neighbours over edges of index kinds, but not events
// and outcomes, and how many facts have each.
struct SharedRows {
  struct Part {
    std::vector<std::uint32_t> counts;  // by node of a block
    std::vector<NodeId> neighbors;      // row after row, ascending, each once
  };
  std::vector<Part> parts;        // by block
  std::vector<std::uint32_t> df;  // by node
};

SharedRows ReadShared(const Snapshot& snapshot, std::int64_t now_ms, const NodeSubset* inside,
                      Executor& executor) {
  const auto& all = snapshot.schema().edge_kinds();
  EdgeKinds kinds;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k].plane == Plane::kIndex && k != builtin::kMember && k != builtin::kLabels &&
        !all[k].name.empty())
      kinds.push_back(static_cast<EdgeKindId>(k));
  const ArcFilter filter = ArcFilter::Kinds(snapshot.schema(), kinds).ValidAt(now_ms);
  const std::size_t n = snapshot.node_count();
  SharedRows shared{std::vector<SharedRows::Part>((n + kBlock - 1) / kBlock),
                    std::vector<std::uint32_t>(n, 0)};
  ParallelFor(executor, shared.parts.size(), 1, [&](std::size_t begin, std::size_t end) {
    std::vector<NodeId> row;
    for (std::size_t b = begin; b < end; ++b)
      for (std::size_t i = b * kBlock; i < std::min(n, (b + 1) * kBlock); ++i) {
        const auto v = static_cast<NodeId>(i);
        row.clear();
        if (snapshot.alive(v) && snapshot.is_fact(v) && (!inside || inside->contains(v)))
          snapshot.ForEachArc(Direction::kBoth, v, filter, [&](const Arc& arc) {
            if (snapshot.alive(arc.neighbor) && !snapshot.is_fact(arc.neighbor))
              row.push_back(arc.neighbor);
          });
        std::sort(row.begin(), row.end());
        row.erase(std::unique(row.begin(), row.end()), row.end());
        shared.parts[b].counts.push_back(static_cast<std::uint32_t>(row.size()));
        shared.parts[b].neighbors.insert(shared.parts[b].neighbors.end(), row.begin(), row.end());
      }
  });
  for (const SharedRows::Part& part : shared.parts)
    for (const NodeId t : part.neighbors) ++shared.df[t];
  return shared;
}

// fn(what both have, what it adds), in ascending order.
template <class Fn>
void ForEachCommon(const LikelyRows& rows, NodeId a, NodeId b, Fn&& fn) {
  if (rows.row(a).size() > rows.row(b).size()) std::swap(a, b);
  const auto longer = rows.row(b);
  auto at = longer.begin();  // a hub's row is searched, not walked
  for (std::uint32_t i = rows.offsets[a]; i < rows.offsets[a + 1]; ++i) {
    const NodeId x = rows.neighbors[i];
    at = std::lower_bound(at, longer.end(), x);
    if (at == longer.end()) return;
    if (*at != x) continue;
    const auto j = rows.offsets[b] + static_cast<std::size_t>(at - longer.begin());
    fn(x, rows.shares[x] * (rows.values[i] * rows.values[j]));
  }
}

}  // namespace

double LikelyRows::Direct(NodeId a, NodeId b) const {
  const auto partners = row(a);
  const auto at = std::lower_bound(partners.begin(), partners.end(), b);
  if (at == partners.end() || *at != b) return 0;
  const double value = values[offsets[a] + static_cast<std::size_t>(at - partners.begin())];
  return value * value;
}

double LikelyRows::Link(NodeId a, NodeId b) const {
  double sum = 0;
  ForEachCommon(*this, a, b, [&](NodeId, double part) { sum += part; });
  return sum;
}

std::vector<NodeId> LikelyRows::Partners(NodeId a, NodeId b) const {
  std::vector<std::pair<double, NodeId>> parts;
  ForEachCommon(*this, a, b, [&](NodeId z, double part) {
    if (z < nodes) parts.emplace_back(-part, z);
  });
  std::sort(parts.begin(), parts.end());
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
  constexpr std::uint64_t kMostArcs = std::numeric_limits<std::uint32_t>::max();
  std::vector<Block> blocks((std::size_t{n} + kBlock - 1) / kBlock);
  std::atomic<std::uint64_t> gathered = 0;
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
        // Of too many none is kept; below they are refused.
        if (!pool.contains(v) || (gathered += row.size()) >= kMostArcs) row.clear();
        blocks[b].counts.push_back(static_cast<std::uint32_t>(row.size()));
        blocks[b].arcs.insert(blocks[b].arcs.end(), row.begin(), row.end());
      }
  });

  // Tags and terms behind them.
  SharedRows shared = options.likely.shared_weight > 0
                          ? ReadShared(snapshot, options.now_ms, options.inside, executor)
                          : SharedRows{{}, std::vector<std::uint32_t>(n, 0)};
  std::uint64_t arcs = gathered;
  for (const auto& part : shared.parts) arcs += part.neighbors.size();
  if (arcs >= kMostArcs || 2 * std::uint64_t{n} >= std::numeric_limits<NodeId>::max())
    return Unsupported("the lens likely: too many partners, tags and terms");
  const double weight =
      options.likely.shared_weight / (static_cast<double>(ledger.newest().size()) + kYoungLedger);
  for (const std::uint32_t df : shared.df)
    rows.shares.push_back(df < 2 ? 0 : weight / std::log(1 + static_cast<double>(df)));
  rows.offsets.reserve(rows.shares.size() + 1);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    std::size_t arc = 0, term = 0;
    for (std::size_t i = 0; i < blocks[b].counts.size(); ++i) {
      rows.offsets.push_back(static_cast<std::uint32_t>(rows.neighbors.size()));
      for (const std::size_t end = arc + blocks[b].counts[i]; arc < end; ++arc) {
        rows.neighbors.push_back(blocks[b].arcs[arc].first);
        rows.values.push_back(blocks[b].arcs[arc].second);
      }
      if (shared.parts.empty()) continue;
      const bool inside = pool.contains(static_cast<NodeId>(b * kBlock + i));
      for (const std::size_t end = term + shared.parts[b].counts[i]; term < end; ++term) {
        const NodeId t = shared.parts[b].neighbors[term];
        if (!inside || shared.df[t] < 2) continue;
        rows.neighbors.push_back(n + t);
        rows.values.push_back(1);
      }
    }
    blocks[b] = {};
    if (!shared.parts.empty()) shared.parts[b] = {};
  }
  rows.offsets.resize(rows.shares.size() + 1, static_cast<std::uint32_t>(rows.neighbors.size()));
  return rows;
}

}  // namespace plexus::memory::internal
