// Visible nodes: collect the active suppressing edges, find their strong
// components, hide what is superseded.
//
// The answer changes with time only where a valid time of a node or of such an
// edge lies. The smallest such moment after `now` and the largest up to it bound
// the span in which the answer holds; that is what makes it worth caching.
#include "algorithms/memory/visible.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/internal/selection.h"
#include "algorithms/internal/snapshot_cache.h"
#include "algorithms/internal/strong_components.h"
#include "engine/vocabulary.h"

namespace plexus {

namespace {

constexpr std::size_t kGrain = 4096;

// [from, until): `now` values that get the same answer.
struct Span {
  std::int64_t from = std::numeric_limits<std::int64_t>::min();
  std::int64_t until = std::numeric_limits<std::int64_t>::max();  // inclusive at max
  bool holds(std::int64_t now) const {
    return from <= now && (now < until || until == std::numeric_limits<std::int64_t>::max());
  }
  void Cut(std::int64_t moment, std::int64_t now) {
    if (moment <= now)
      from = std::max(from, moment);
    else
      until = std::min(until, moment);
  }
  void Meet(const Span& o) {
    from = std::max(from, o.from);
    until = std::min(until, o.until);
  }
};

// valid_from <= now < valid_until; notes in `span` when that will change.
bool InForce(std::optional<std::int64_t> from, std::optional<std::int64_t> until, std::int64_t now,
             Span& span) {
  if (from) span.Cut(*from, now);
  if (until) span.Cut(*until, now);
  return (!from || *from <= now) && (!until || now < *until);
}

std::optional<std::int64_t> Maybe(std::int64_t time) {
  return time == kNoTime ? std::nullopt : std::optional(time);
}

struct Suppression {
  NodeId source, target;
  std::int64_t created_at;
};

struct Collected {
  std::vector<Suppression> edges;
  Span span;
};

std::vector<KindId> SuppressingKinds(const Snapshot& snapshot) {
  std::vector<KindId> kinds;
  const auto& all = snapshot.schema().edge_kinds();
  const auto& alive = snapshot.state().edges_by_kind;
  for (std::size_t k = 0; k < all.size() && k < alive.size(); ++k)
    if (all[k].suppresses && alive[k] != 0) kinds.push_back(static_cast<KindId>(k));
  return kinds;
}

// The active edges that leave [begin, end). Rows are sorted by kind: in a clean one
// the search starts and stops at the kinds wanted.
Collected CollectFrom(const Snapshot& snapshot, std::span<const KindId> kinds,
                      const ArcFilter& filter, std::int64_t now, NodeId begin, NodeId end) {
  Collected found;
  const CsrView out = snapshot.base().out();
  for (NodeId v = begin; v < end; ++v) {
    if (!snapshot.alive(v)) continue;
    if (snapshot.clean(Direction::kOut, v)) {
      const std::uint32_t last = out.offsets[v + 1];
      if (out.offsets[v] == last || out.kind(last - 1) < kinds.front() ||
          out.kind(out.offsets[v]) > kinds.back())
        continue;
    }
    snapshot.ForEachArc(Direction::kOut, v, filter, [&](const Arc& arc) {
      if (arc.neighbor == v) return;
      const Edge e = snapshot.edge(arc, v);
      if (InForce(Maybe(e.valid_from), Maybe(e.valid_until), now, found.span))
        found.edges.push_back({v, arc.neighbor, e.created_at});
    });
  }
  return found;
}

Collected Collect(const Snapshot& snapshot, std::int64_t now, Executor& executor) {
  const std::vector<KindId> kinds = SuppressingKinds(snapshot);
  if (kinds.empty()) return {};
  const ArcFilter filter = ArcFilter::Kinds(snapshot.schema(), kinds);
  return ParallelReduce(
      executor, snapshot.node_count(), kGrain, Collected{},
      [&](std::size_t begin, std::size_t end) {
        return CollectFrom(snapshot, kinds, filter, now, static_cast<NodeId>(begin),
                           static_cast<NodeId>(end));
      },
      [](Collected a, Collected b) {
        a.edges.insert(a.edges.end(), b.edges.begin(), b.edges.end());
        a.span.Meet(b.span);
        return a;
      });
}

// The involved nodes renumbered 0..k-1 and their edges as a small csr.
struct Involved {
  std::vector<NodeId> nodes;           // ascending
  std::vector<std::uint32_t> offsets;  // k + 1
  std::vector<std::uint32_t> targets;  // parallel to the edges, which ascend by source
};

Involved Renumber(const std::vector<Suppression>& edges) {
  Involved g;
  for (const Suppression& e : edges) {
    g.nodes.push_back(e.source);
    g.nodes.push_back(e.target);
  }
  std::sort(g.nodes.begin(), g.nodes.end());
  g.nodes.erase(std::unique(g.nodes.begin(), g.nodes.end()), g.nodes.end());
  auto place = [&](NodeId v) {
    return static_cast<std::uint32_t>(std::lower_bound(g.nodes.begin(), g.nodes.end(), v) -
                                      g.nodes.begin());
  };
  g.offsets.assign(g.nodes.size() + 1, 0);
  for (const Suppression& e : edges) {
    ++g.offsets[place(e.source) + 1];
    g.targets.push_back(place(e.target));
  }
  for (std::size_t i = 1; i < g.offsets.size(); ++i) g.offsets[i] += g.offsets[i - 1];
  return g;
}

// Clears the bits of superseded nodes.
void Hide(const std::vector<Suppression>& edges, std::vector<std::uint64_t>& bits) {
  const Involved g = Renumber(edges);
  const std::vector<std::uint32_t> component = internal::StrongComponents(g.offsets, g.targets);
  struct Head {
    bool superseded = false;
    bool cycle = false;
    std::int64_t newest = 0;
    NodeId survivor = kNoNode;
  };
  std::vector<Head> heads(g.nodes.size());
  std::size_t at = 0;
  for (std::uint32_t u = 0; u < g.nodes.size(); ++u) {
    for (; at < g.offsets[u + 1]; ++at) {
      Head& head = heads[component[g.targets[at]]];
      if (component[u] != component[g.targets[at]]) {
        head.superseded = true;
      } else if (!head.cycle || edges[at].created_at > head.newest) {
        head.cycle = true;  // sources ascend, so ties keep the smaller id
        head.newest = edges[at].created_at;
        head.survivor = g.nodes[u];
      }
    }
  }
  for (std::uint32_t u = 0; u < g.nodes.size(); ++u) {
    const Head& head = heads[component[u]];
    const NodeId v = g.nodes[u];
    if (head.superseded || (head.cycle && head.survivor != v))
      bits[v / 64] &= ~(std::uint64_t{1} << (v % 64));
  }
}

struct Answer {
  std::shared_ptr<const NodeSubset> nodes;
  Span span;
};

Answer Compute(const Snapshot& snapshot, std::int64_t now, bool include_superseded,
               Executor& executor) {
  const NodeId n = snapshot.node_count();
  std::vector<std::uint64_t> bits((std::size_t{n} + 63) / 64);
  Span span = ParallelReduce(
      executor, n, kGrain, Span{},
      [&](std::size_t begin, std::size_t end) {
        Span mine;
        for (auto v = static_cast<NodeId>(begin); v < end; ++v) {
          if (!snapshot.alive(v) || !snapshot.is_fact(v)) continue;
          if (InForce(snapshot.i64(kValidFrom, v), snapshot.i64(kValidUntil, v), now, mine))
            bits[v / 64] |= std::uint64_t{1} << (v % 64);
        }
        return mine;
      },
      [](Span a, const Span& b) {
        a.Meet(b);
        return a;
      });
  if (!include_superseded) {
    const Collected found = Collect(snapshot, now, executor);
    span.Meet(found.span);
    if (!found.edges.empty()) Hide(found.edges, bits);
  }
  return {std::make_shared<const NodeSubset>(n, std::move(bits)), span};
}

struct Cached {
  bool include_superseded = false;
  Answer answer;
};

internal::SnapshotCache<Cached, 8>& SharedCache() {
  static internal::SnapshotCache<Cached, 8> cache;
  return cache;
}

}  // namespace

std::shared_ptr<const NodeSubset> VisibleNodes(const Snapshot& snapshot, std::int64_t now_ms,
                                               const VisibleOptions& options) {
  if (options.use_cache)
    if (auto found = SharedCache().Find(snapshot, [&](const Cached& c) {
          return c.include_superseded == options.include_superseded && c.answer.span.holds(now_ms);
        }))
      return found->answer.nodes;
  Answer answer =
      Compute(snapshot, now_ms, options.include_superseded, internal::Pick(options.executor));
  if (options.use_cache) SharedCache().Keep(snapshot, std::make_shared<const Cached>(options.include_superseded, answer));
  return answer.nodes;
}

}  // namespace plexus
