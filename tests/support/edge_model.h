// The obvious twin of csr, run and snapshot rows: edges in a std::map.
//
// Slow on purpose. Random changes are made from a seed, so that a failure can be
// repeated; rows are compared attribute by attribute.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <ostream>
#include <random>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "engine/adjacency/csr.h"
#include "engine/record.h"
#include "engine/schema.h"
#include "engine/snapshot.h"
#include "engine/vocabulary.h"

namespace plexus::testing {

struct EdgeIdentity {
  NodeId source;
  EdgeKindId kind;
  NodeId target;
  StringId label;
  auto operator<=>(const EdgeIdentity&) const = default;
};

struct EdgeValue {
  float weight = 1;
  std::int64_t created_at = 0;
  StringId created_by = 0;
  std::int64_t valid_from = kNoTime, valid_until = kNoTime;
  std::uint64_t properties = 0;
  bool operator==(const EdgeValue&) const = default;
};

using EdgeMap = std::map<EdgeIdentity, EdgeValue>;

struct RowArc {
  EdgeKindId kind;
  NodeId neighbor;
  StringId label;
  EdgeValue value;
  bool operator==(const RowArc&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const RowArc& a) {
    return out << "{kind " << a.kind << " node " << a.neighbor << " label " << a.label << " weight "
               << a.value.weight << " at " << a.value.created_at << " by " << a.value.created_by
               << " valid " << a.value.valid_from << ".." << a.value.valid_until << " props "
               << a.value.properties << "}";
  }
};
using Row = std::vector<RowArc>;

struct Changes {
  std::vector<EdgeChange> edges;
  std::vector<EdgeExtra> extras;
};

inline EdgeIdentity IdentityOf(const EdgeChange& e) {
  return {e.source, e.kind, e.target, e.label};
}

inline void ApplyChanges(EdgeMap& map, const Changes& changes) {
  auto extra = changes.extras.begin();
  for (std::uint32_t i = 0; i < changes.edges.size(); ++i) {
    const EdgeChange& e = changes.edges[i];
    EdgeValue value{.weight = e.weight, .created_at = e.created_at};
    if (extra != changes.extras.end() && extra->index == i) {
      value.created_by = extra->created_by;
      value.valid_from = extra->valid_from;
      value.valid_until = extra->valid_until;
      value.properties = extra->properties.bits;
      ++extra;
    }
    if (e.tombstone())
      map.erase(IdentityOf(e));
    else
      map[IdentityOf(e)] = value;
  }
}

// Rows of one direction, kOut or kIn, sorted by (kind, neighbor, label).
inline std::vector<Row> ModelRows(const EdgeMap& map, const Schema& schema, Direction direction,
                                  NodeId node_count) {
  std::vector<Row> rows(node_count);
  for (const auto& [id, value] : map) {
    const bool out = direction == Direction::kOut;
    rows[out ? id.source : id.target].push_back(
        {id.kind, out ? id.target : id.source, id.label, value});
    if (schema.edge_kind(id.kind).symmetric && id.source != id.target)
      rows[out ? id.target : id.source].push_back(
          {id.kind, out ? id.source : id.target, id.label, value});
  }
  for (Row& row : rows)
    std::sort(row.begin(), row.end(), [](const RowArc& a, const RowArc& b) {
      return std::tuple(a.kind, a.neighbor, a.label) < std::tuple(b.kind, b.neighbor, b.label);
    });
  return rows;
}

inline EdgeValue ValueOf(const Edge& e) {
  return {e.weight, e.created_at, e.created_by, e.valid_from, e.valid_until, e.properties.bits};
}

// A row as the public API tells it.
inline Row SnapshotRow(const Snapshot& s, Direction direction, NodeId node,
                       const ArcFilter& filter = ArcFilter::All()) {
  Row row;
  s.ForEachArc(direction, node, filter, [&](const Arc& arc) {
    Edge e = s.edge(arc, node);
    row.push_back({arc.kind, arc.neighbor, e.label, ValueOf(e)});
    // The arc and its edge tell the same story.
    if (e.kind != arc.kind || e.weight != arc.weight ||
        !((e.source == node && e.target == arc.neighbor) ||
          (e.target == node && e.source == arc.neighbor)))
      row.push_back({kNoEdgeKind, kNoNode, 0, {}});
  });
  return row;
}

struct ChangeOptions {
  NodeId nodes = 12;
  std::vector<EdgeKindId> kinds = {builtin::kLink, builtin::kSupports, builtin::kContradicts,
                                   builtin::kSimilar, builtin::kHasTag};
  StringId labels = 3;
  std::size_t count = 40;
  double tombstones = 0.25;
  double extras = 0.3;
};

// Changes in any order, identities repeat; symmetric kinds have source <= target.
inline Changes RandomChanges(std::mt19937_64& rng, const Schema& schema, const ChangeOptions& o) {
  auto below = [&](std::uint64_t n) { return rng() % n; };
  auto chance = [&](double p) { return (rng() >> 11) * 0x1p-53 < p; };
  Changes c;
  for (std::size_t i = 0; i < o.count; ++i) {
    EdgeChange e;
    e.source = static_cast<NodeId>(below(o.nodes));
    e.target = static_cast<NodeId>(below(o.nodes));
    e.kind = o.kinds[below(o.kinds.size())];
    e.label = chance(0.6) ? 0 : static_cast<StringId>(below(o.labels));
    if (schema.edge_kind(e.kind).symmetric && e.source > e.target) std::swap(e.source, e.target);
    if (!schema.edge_kind(e.kind).self_loops && e.source == e.target) continue;
    if (chance(o.tombstones)) {
      e.weight = 0;
      e.flags = EdgeChange::kTombstone;
    } else {
      e.weight = static_cast<float>(below(1000)) / 64;
      e.created_at = static_cast<std::int64_t>(below(100000));
      if (chance(o.extras)) {
        EdgeExtra x;
        x.index = static_cast<std::uint32_t>(c.edges.size());
        x.created_by = static_cast<StringId>(below(4));
        if (chance(0.5)) x.valid_from = static_cast<std::int64_t>(below(100));
        if (chance(0.5)) x.valid_until = static_cast<std::int64_t>(below(200));
        if (chance(0.3)) x.properties = PayloadRef::Make(1 + below(9), below(9));
        e.flags |= EdgeChange::kHasExtra;
        c.extras.push_back(x);
      }
    }
    c.edges.push_back(e);
  }
  return c;
}

// Sorted by identity, each once, the last one wins: what a record holds.
inline Changes Canonical(const Changes& c) {
  std::map<EdgeIdentity, std::uint32_t> last;
  for (std::uint32_t i = 0; i < c.edges.size(); ++i) last[IdentityOf(c.edges[i])] = i;
  Changes out;
  for (auto [id, i] : last) {
    if (c.edges[i].flags & EdgeChange::kHasExtra) {
      auto x = std::find_if(c.extras.begin(), c.extras.end(),
                            [i](const EdgeExtra& e) { return e.index == i; });
      out.extras.push_back(*x);
      out.extras.back().index = static_cast<std::uint32_t>(out.edges.size());
    }
    out.edges.push_back(c.edges[i]);
  }
  std::sort(out.edges.begin(), out.edges.end(),
            [](const auto& a, const auto& b) { return IdentityOf(a) < IdentityOf(b); });
  return out;
}

// All that a Csr holds: equal bits or not.
inline std::vector<std::uint8_t> CsrBytes(const Csr& csr) {
  std::vector<std::uint8_t> all;
  auto add = [&](const auto& array) {
    auto* p = reinterpret_cast<const std::uint8_t*>(array.data());
    all.insert(all.end(), p, p + array.size() * sizeof(array[0]));
  };
  const auto add_weights = [&](const WeightColumn& weights) {
    add(weights.values()), add(weights.codes());
  };
  add(csr.out_offsets), add(csr.out_neighbors), add_weights(csr.out_weights), add(csr.out_kinds);
  add(csr.out_kinds_high), add(csr.out_created_at.steps()), add(csr.out_created_at.values());
  add(csr.in_offsets), add(csr.in_neighbors);
  add_weights(csr.in_weights), add(csr.in_kinds), add(csr.in_kinds_high), add(csr.in_places);
  add(csr.labels.slots), add(csr.labels.values), add(csr.created_by.slots),
      add(csr.created_by.values);
  add(csr.valid_from.slots), add(csr.valid_from.values), add(csr.valid_until.slots);
  add(csr.valid_until.values), add(csr.properties.slots), add(csr.properties.values);
  return all;
}

}  // namespace plexus::testing
