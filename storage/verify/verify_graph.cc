// Checks of one loaded graph: transpose, counts, vectors, cycles, and equality.
#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <tuple>

#include "storage/base/digest.h"
#include "storage/verify/verify.h"

namespace plexus::storage_internal {

namespace {

std::string At(const char* array, std::uint64_t i) {
  return std::string(array) + ", index " + std::to_string(i);
}

// Every in arc points at the out arc it mirrors, and each out arc is pointed at once.
void VerifyTranspose(const Csr& csr, const std::string& where, ProblemList& problems) {
  const StoredCsrView out = csr.out(), in = csr.in();
  std::vector<bool> seen(out.arc_count(), false);
  for (NodeId v = 0; v < in.node_count(); ++v) {
    for (std::uint32_t i = in.offsets[v]; i < in.offsets[v + 1]; ++i) {
      const EdgeSlot slot = csr.OutSlot(i);
      if (seen[slot]) {
        problems.Add(where + ", in_places", i,
                     "slot " + std::to_string(slot) + " is that of another one, too");
        continue;
      }
      seen[slot] = true;
      const NodeId source = in.neighbors[i];
      const bool in_row = slot >= out.offsets[source] && slot < out.offsets[source + 1];
      if (!in_row || out.neighbors[slot] != v || out.kind(slot) != in.kind(i) ||
          std::bit_cast<std::uint32_t>(out.weights[slot]) !=
              std::bit_cast<std::uint32_t>(in.weights[i])) {
        problems.Add(where + ", in_neighbors", i,
                     "the arc " + std::to_string(source) + " -> " + std::to_string(v) +
                         " is not the out arc it points at");
      } else if (csr.in_places[i] != csr.PlaceOf(source, slot)) {
        problems.Add(where + ", in_places", i, "there is no such place in the row of its source");
      }
    }
  }
}

// What both arcs of a symmetric edge have in common.
std::uint64_t MirrorHash(NodeId low, NodeId high, EdgeKindId kind, StringId label, float weight) {
  const std::uint64_t words[] = {
      std::uint64_t{low} << 32 | high,
      std::uint64_t{static_cast<KindId>(kind)} << 32 | std::bit_cast<std::uint32_t>(weight), label};
  return Digest({reinterpret_cast<const std::uint8_t*>(words), sizeof words});
}

// Names the arcs without a mirror arc of the same label and weight.
void FindUnmirrored(const Snapshot& snapshot, const std::string& where, ProblemList& problems) {
  std::map<std::tuple<NodeId, NodeId, EdgeKindId, StringId, std::uint32_t>, int> arcs;
  const auto each = [&](const auto& take) {
    std::uint64_t index = 0;
    for (NodeId v = 0; v < snapshot.node_count(); ++v)
      snapshot.ForEachArc(Direction::kOut, v, ArcFilter::All(), [&](const Arc& arc) {
        const std::uint64_t i = index++;
        const NodeId w = arc.neighbor;
        const EdgeKind& traits = snapshot.schema().edge_kind(arc.kind);
        if (!traits.symmetric || v == w) return;
        const StringId label = snapshot.edge(arc, v).label;
        take(std::tuple(std::min(v, w), std::max(v, w), arc.kind, label,
                        std::bit_cast<std::uint32_t>(arc.weight)),
             i, traits);
      });
  };
  each([&](const auto& identity, std::uint64_t, const EdgeKind&) { ++arcs[identity]; });
  each([&](const auto& identity, std::uint64_t i, const EdgeKind& traits) {
    if (arcs[identity] != 2)
      problems.Add(where + ", out_neighbors", i,
                   "an edge of the symmetric kind '" + traits.name + "' has one arc only");
  });
}

void VerifyEdges(const GraphState& state, const std::string& where, ProblemList& problems) {
  std::vector<std::uint64_t> counts(state.schema->edge_kinds().size(), 0);
  const Snapshot snapshot{std::make_shared<const FrozenState>(state)};
  std::uint64_t index = 0, upward = 0, downward = 0;
  for (NodeId v = 0; v < snapshot.node_count(); ++v)
    snapshot.ForEachArc(Direction::kOut, v, ArcFilter::All(), [&](const Arc& arc) {
      const std::uint64_t i = index++;
      const EdgeKind& traits = state.schema->edge_kind(arc.kind);
      const NodeId w = arc.neighbor;
      if (!traits.symmetric || v <= w) ++counts[arc.kind];
      if (!traits.self_loops && v == w)
        problems.Add(where + ", out_neighbors", i, "a self-loop of kind '" + traits.name + "'");
      const bool alive = (state.node_flags[v] & engine_internal::kAlive) &&
                         (state.node_flags[w] & engine_internal::kAlive);
      if (!alive && !traits.survives_removal)
        problems.Add(where + ", out_neighbors", i,
                     "an edge of kind '" + traits.name + "' at a removed node");
      if (!traits.symmetric || v == w) return;
      (v < w ? upward : downward) += MirrorHash(std::min(v, w), std::max(v, w), arc.kind,
                                                snapshot.edge(arc, v).label, arc.weight);
    });
  if (upward != downward) FindUnmirrored(snapshot, where, problems);
  for (std::size_t k = 0; k < counts.size(); ++k)
    if (counts[k] != state.edges_by_kind[k])
      problems.Add(where + ", edges_by_kind", k,
                   "says " + std::to_string(state.edges_by_kind[k]) + " edges of kind '" +
                       state.schema->edge_kind(static_cast<EdgeKindId>(k)).name + "', there are " +
                       std::to_string(counts[k]));
}

template <class A, class B>
void CompareRange(const std::string& where, const char* array, const A& a, const B& b,
                  ProblemList& problems) {
  if (a.size() != b.size()) {
    problems.Add(
        where + ", " + array, std::min(a.size(), b.size()),
        std::to_string(a.size()) + " values, the replayed log gives " + std::to_string(b.size()));
    return;
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto &of_a = a[i], &of_b = b[i];
    if (std::memcmp(&of_a, &of_b, sizeof of_a) != 0) {
      problems.Add(where + ", " + At(array, i), i, "differs from the replayed log");
      return;
    }
  }
}

template <class T>
void CompareSlots(const std::string& where, const char* array, const SlotColumn<T>& a,
                  const SlotColumn<T>& b, ProblemList& problems) {
  CompareRange(where, array, a.slots, b.slots, problems);
  CompareRange(where, array, a.values, b.values, problems);
}

// Views may differ in length where the longer one holds absent values.
template <class View, class T>
void ComparePaged(const std::string& where, const std::string& array, const View& a, const View& b,
                  T absent, ProblemList& problems) {
  auto at = [&](const View& view, std::size_t i) { return i < view.size() ? view[i] : absent; };
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i)
    if (at(a, i) != at(b, i)) {
      problems.Add(where + ", " + array, i, "differs from the replayed log");
      return;
    }
}

void CompareStrings(const std::string& where, const char* array, const StringTable::View& a,
                    const StringTable::View& b, ProblemList& problems) {
  if (a.size() != b.size()) {
    problems.Add(where + ", " + array, std::min(a.size(), b.size()),
                 "their number differs from the replayed log");
    return;
  }
  StringTable::Cursor of_a(a), of_b(b);
  for (std::uint32_t i = 0; i < a.size(); ++i)
    if (of_a[i] != of_b[i]) {
      problems.Add(where + ", " + array, i, "differs from the replayed log");
      return;
    }
}

}  // namespace

void VerifyArcs(const GraphState& state, const std::string& where, ProblemList& problems) {
  VerifyTranspose(*state.base, where, problems);
  VerifyEdges(state, where, problems);
}

void VerifyTexts(const GraphState& state, const std::string& where, ProblemList& problems) {
  StringTable::Cursor keys(state.keys), strings(state.strings);
  for (NodeId v = 0; v < state.keys.size(); ++v) {
    const bool index =
        state.schema->node_kind(NodeKindId(state.node_kinds[v])).plane == Plane::kIndex;
    if (state.keys.forgotten(v) && !(state.node_flags[v] & engine_internal::kAlive)) continue;
    if (auto ok = CheckKey(keys[v], index); !ok)
      problems.Add(where + ", key_bytes", v,
                   "node " + std::to_string(v) + ": " + ok.error().message);
  }
  for (std::uint32_t i = 0; i < state.strings.size(); ++i)
    if (!IsValidUtf8(strings[i])) problems.Add(where + ", string_bytes", i, "not valid UTF-8");
}

void VerifyVectors(const GraphState& state, const std::string& where, ProblemList& problems) {
  for (std::size_t s = 0; s < state.spaces.size(); ++s) {
    const VectorView& space = state.spaces[s];
    const std::string array = where + ", vectors of space '" + state.schema->spaces()[s].name + "'";
    if (Status status = space.Load(state.payload_store.get()); !status) {
      problems.Add(array, status.error());
      continue;
    }
    std::uint64_t live = 0;
    for (NodeId v = 0; v < state.keys.size(); ++v) {
      if (!space.has(v)) continue;
      ++live;
      if (!(state.node_flags[v] & engine_internal::kAlive))
        problems.Add(array, v, "a removed node has a vector");
      if (!AllFinite(space.layout(), space.bytes(v).data()))
        problems.Add(array, v, "a value is not finite");
      const PayloadRef ref = space.ref(v);
      auto bytes = state.payload_store->Get(ref);
      if (!bytes) {
        problems.Add(array, v, bytes.error().message);
      } else if (*bytes != space.bytes(v)) {
        problems.Add(array, v, "the values are not those of its payload");
      }
    }
    if (live != space.live_count()) problems.Add(array, 0, "their number is wrong");
  }
}

// Peels off nodes without incoming arcs of the kind; what stays lies on or behind a
// cycle.
void NoteCycles(const Snapshot& snapshot, VerifyReport& report) {
  const Schema& schema = snapshot.schema();
  for (std::size_t k = 0; k < schema.edge_kinds().size(); ++k) {
    if (!schema.edge_kinds()[k].acyclic || snapshot.CountEdges(EdgeKindId(k)) == 0) continue;
    const EdgeKindId kind = static_cast<EdgeKindId>(k);
    const ArcFilter filter = ArcFilter::Kinds(schema, {kind});
    std::vector<std::uint32_t> open(snapshot.node_count(), 0);
    std::vector<NodeId> ready;
    std::uint64_t left = 0;
    for (NodeId v = 0; v < snapshot.node_count(); ++v) {
      open[v] = static_cast<std::uint32_t>(snapshot.Degree(Direction::kIn, v, filter));
      left += open[v];
      if (open[v] == 0) ready.push_back(v);
    }
    while (!ready.empty()) {
      const NodeId v = ready.back();
      ready.pop_back();
      snapshot.ForEachArc(Direction::kOut, v, filter, [&](const Arc& arc) {
        --left;
        if (--open[arc.neighbor] == 0) ready.push_back(arc.neighbor);
      });
    }
    if (left == 0) continue;
    for (NodeId v = 0; v < snapshot.node_count(); ++v)
      if (open[v] > 0) {
        report.notes.push_back("edges of the acyclic kind '" + schema.edge_kinds()[k].name +
                               "' form a cycle at or above node '" + std::string(snapshot.key(v)) +
                               "'");
        break;
      }
  }
}

void CompareNodes(const GraphState& a, const GraphState& b, const std::string& where,
                  ProblemList& problems) {
  if (a.time_ms != b.time_ms) problems.Add(where + ", time", 0, "differs from the replayed log");
  if (a.schema->node_kinds() != b.schema->node_kinds() ||
      a.schema->edge_kinds() != b.schema->edge_kinds() ||
      a.schema->columns() != b.schema->columns() || a.schema->spaces() != b.schema->spaces())
    problems.Add(where + ", definitions", 0, "differ from the replayed log");
  CompareStrings(where, "key_bytes", a.keys, b.keys, problems);
  CompareStrings(where, "string_bytes", a.strings, b.strings, problems);
  ComparePaged(where, "node_kinds", a.node_kinds, b.node_kinds, KindId{0}, problems);
  ComparePaged(where, "node_flags", a.node_flags, b.node_flags, std::uint8_t{0}, problems);
  for (std::size_t c = 0; c < std::min(a.columns.size(), b.columns.size()); ++c)
    ComparePaged(where, "column '" + a.schema->columns()[c].name + "'", a.columns[c], b.columns[c],
                 AbsentBits(a.schema->columns()[c].type), problems);
  for (int f = 0; f < kNodeFieldCount; ++f)
    ComparePaged(where, "payload_refs " + std::to_string(f), a.payload_refs[f], b.payload_refs[f],
                 std::uint64_t{0}, problems);
  CompareRange(where, "nodes_by_kind", a.nodes_by_kind, b.nodes_by_kind, problems);
  for (std::size_t s = 0; s < std::min(a.spaces.size(), b.spaces.size()); ++s)
    for (NodeId v = 0; v < a.keys.size(); ++v)
      if (a.spaces[s].ref(v) != b.spaces[s].ref(v)) {
        problems.Add(where + ", vector_refs " + std::to_string(s), v,
                     "differ from the replayed log");
        break;
      }
}

void CompareArcs(const GraphState& a, const GraphState& b, const std::string& where,
                 ProblemList& problems) {
  const Csr &x = *a.base, &y = *b.base;
  CompareRange(where, "out_offsets", x.out_offsets, y.out_offsets, problems);
  CompareRange(where, "out_neighbors", x.out_neighbors, y.out_neighbors, problems);
  CompareRange(where, "out_weights", x.out_weights, y.out_weights, problems);
  CompareRange(where, "out_kinds", x.out_kinds, y.out_kinds, problems);
  CompareRange(where, "out_kinds_high", x.out_kinds_high, y.out_kinds_high, problems);
  CompareRange(where, "out_created_at", x.out_created_at, y.out_created_at, problems);
  CompareRange(where, "in_offsets", x.in_offsets, y.in_offsets, problems);
  CompareRange(where, "in_neighbors", x.in_neighbors, y.in_neighbors, problems);
  CompareRange(where, "in_weights", x.in_weights, y.in_weights, problems);
  CompareRange(where, "in_kinds", x.in_kinds, y.in_kinds, problems);
  CompareRange(where, "in_places", x.in_places, y.in_places, problems);
  CompareSlots(where, "labels", x.labels, y.labels, problems);
  CompareSlots(where, "created_by", x.created_by, y.created_by, problems);
  CompareSlots(where, "valid_from", x.valid_from, y.valid_from, problems);
  CompareSlots(where, "valid_until", x.valid_until, y.valid_until, problems);
  CompareSlots(where, "properties", x.properties, y.properties, problems);
  CompareRange(where, "edges_by_kind", a.edges_by_kind, b.edges_by_kind, problems);
}

}  // namespace plexus::storage_internal
