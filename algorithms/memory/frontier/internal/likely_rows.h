// LikelyRows: how much the ledger, tags and terms tie memories to what they have in common.
//
// age(e): how many events are newer. decay(e) = 2^(-age / half-life).
//   w(a, z)  = sum of decay(e) / (members of e - 1) over the events that have a and z
//   s(z)     = sum of sqrt(w(z, .));   act(a) = sum of decay(e) over the events of a
//   link(a, b) = sum over z of sqrt(w(a, z) w(b, z)) / ln(2 + s(z))
//              + shared weight / (events + 50) x rare(a, b)
// rare is the score of `similarity.h`. So a link is a sum over what two rows have in common, of a
// share of its own times both values: rows for WedgePairs. The decayed part is Adamic-Adar (2003)
// over partners, each counted by how much and how lately it was one.
//
// Events of more than kMostTied members tie none of them; they age others, and count in act.
// Private to algorithms/memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/memory/frontier/frontier.h"
#include "algorithms/memory/ledger/ledger.h"
#include "engine/arrays/views.h"
#include "engine/error.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"

namespace plexus::memory::internal {

inline constexpr std::size_t kMostTied = 100;

struct LikelyRows {
  // By node; only members of the pool have arcs. What lies at an arc's end is a partner (a node)
  // or, from `nodes` on, a tag or term.
  NodeId nodes = 0;
  std::vector<std::uint32_t> offsets;
  std::vector<NodeId> neighbors;  // of a row ascending
  std::vector<double> values;     // by arc
  std::vector<double> shares;     // by what lies at an arc's end
  std::vector<double> activity;   // by node: act

  CsrView view() const { return {offsets, neighbors, {}, {}, {}}; }
  std::span<const NodeId> row(NodeId v) const {
    return std::span(neighbors).subspan(offsets[v], offsets[v + 1] - offsets[v]);
  }
  // w(a, b).
  double Direct(NodeId a, NodeId b) const;
  double Link(NodeId a, NodeId b) const;
  // The partners that a and b share, those that tie them most first.
  std::vector<NodeId> Partners(NodeId a, NodeId b) const;
};

// O(sum over events of members^2, for those that tie, + arcs of tags and terms). Throws
// std::bad_alloc. kUnsupported: 2^32 arcs or more.
Result<LikelyRows> MakeLikelyRows(const Snapshot& snapshot, const LedgerIndex& ledger,
                                  const NodeSubset& pool, const NeverComposedOptions& options,
                                  Executor& executor);

}  // namespace plexus::memory::internal
