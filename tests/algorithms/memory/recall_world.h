// Random memories for recall: words, vectors, columns, relations of many kinds, supersession,
// conflicts, loops, parallel edges, a hub, times, removals; as a case in steps, with a plain
// record.
#pragma once

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/reference/decisions.h"
#include "tests/reference/recall.h"
#include "tests/support/case_graph.h"

namespace plexus::testing {

inline constexpr std::size_t kRecallFacts = 24, kRecallTags = 5, kRecallWords = 8;
inline constexpr std::int64_t kRecallHour = 3'600'000;

inline std::string RecallWord(std::size_t i) {
  return "n" + std::to_string(kRecallFacts + kRecallTags + i);
}

// What was written, beside the graph; of one Build.
struct RecallRecord {
  std::vector<reference::RecallMemory> memories;
  std::vector<std::string> scopes;
};

inline void FillRecallWorld(CaseGraph& g, int step, std::uint64_t seed, RecallRecord& record) {
  std::mt19937_64 random(seed * 131 + static_cast<std::uint64_t>(step));
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  if (step == 0) {
    record = {};
    record.memories.resize(kRecallFacts);
    record.scopes.assign(kRecallFacts, "user");
    g.AddNodes(kRecallFacts);
    g.AddNodes(kRecallTags, builtin::kTag);
    g.AddNodes(kRecallWords, builtin::kTerm);
  }
  for (int i = 0; i < 10; ++i) {
    const std::size_t v = below(kRecallFacts);
    if (!g.alive(v)) continue;
    reference::RecallMemory& memory = record.memories[v];
    const auto time = static_cast<std::int64_t>(below(40)) * kRecallHour;
    if (below(2)) g.SetI64(v, builtin::kAccessedAt, *(memory.accessed_at = time));
    if (below(2)) g.SetI64(v, builtin::kCreatedAt, *(memory.created_at = time / 2));
    if (below(2))
      g.SetF64(v, builtin::kRetention,
               *(memory.retention = 0.25 * static_cast<double>(below(7)) - 0.25));
    if (below(2))
      g.SetF64(v, builtin::kTrust, *(memory.trust = 0.1 * static_cast<double>(below(10))));
    if (below(2))
      g.SetI64(v, builtin::kAccessCount,
               memory.access_count = static_cast<std::int64_t>(below(200)));
    if (below(3) == 0) g.SetScope(v, record.scopes[v] = below(2) ? "project" : "global");
    g.SetVector(v, "default", {static_cast<float>(below(9)) - 4, static_cast<float>(below(9)) - 4});
    g.Link(v, builtin::kHasTag, kRecallFacts + below(kRecallTags));
    g.Link(v, builtin::kHasTerm, kRecallFacts + kRecallTags + below(kRecallWords),
           static_cast<float>(1 + below(3)));
    g.Link(v, builtin::kHasTerm, kRecallFacts + kRecallTags + below(kRecallWords));
  }
  const EdgeKindId kinds[] = {builtin::kSupports,  builtin::kCauses,     builtin::kContradicts,
                              builtin::kRelatesTo, builtin::kSupersedes, builtin::kLink};
  for (int i = 0; i < 30; ++i) {
    std::size_t a = below(kRecallFacts), b = below(kRecallFacts);
    if (below(3) == 0) (below(2) ? a : b) = 0;      // a hub
    if (below(4) == 0) b = (a + 1) % kRecallFacts;  // chains that close to a cycle
    if (!g.alive(a) || !g.alive(b)) continue;
    const EdgeKindId kind = kinds[below(6)];
    if ((a == b && kind != builtin::kLink) || (kind == builtin::kSupersedes && below(2))) continue;
    if (below(4) == 0)
      g.LinkValid(a, kind, b, static_cast<std::int64_t>(below(20)) * kRecallHour,
                  static_cast<std::int64_t>(20 + below(20)) * kRecallHour,
                  static_cast<std::int64_t>(below(4)));
    else
      g.Link(a, kind, b, static_cast<float>(below(9)) / 8, below(5) == 0 ? "again" : "",
             static_cast<std::int64_t>(below(4)));
  }
  if (step == 2)
    for (int i = 0; i < 2; ++i) {
      const std::size_t v = below(kRecallFacts);
      if (g.alive(v)) g.Remove(v);
    }
  g.Commit();
}

inline Case RecallCase(std::uint64_t seed, RecallRecord& record) {
  return {"recall " + std::to_string(seed), 3,
          [seed, &record](CaseGraph& g, int step) { FillRecallWorld(g, step, seed, record); }};
}

// Facts that stand at `now`: alive and not superseded, from the record alone.
inline std::vector<bool> Standing(const CaseGraph& g, std::int64_t now) {
  const auto heads = reference::Heads(g.size(), g.Flat({builtin::kSupersedes}, nullptr, now).arcs);
  std::vector<bool> stands(g.size());
  for (NodeId v = 0; v < kRecallFacts; ++v) stands[v] = g.alive(v) && heads[v] == v;
  return stands;
}

// Edges at `now` from the record.
inline reference::RelatedWorld WorldOf(const CaseGraph& g, std::int64_t now,
                                       const std::vector<bool>& stands) {
  reference::RelatedWorld world;
  world.stands = stands;
  const Schema& schema = g.snapshot().schema();
  for (std::size_t v = 0; v < g.size(); ++v) {
    world.keys.emplace_back(g.snapshot().key(static_cast<NodeId>(v)));
    world.may_be_replaced.push_back(v < kRecallFacts && g.alive(v));
  }
  for (const auto& [identity, edge] : g.edges()) {
    const auto& [source, kind, target, label] = identity;
    const EdgeKind& k = schema.edge_kind(kind);
    if (k.plane != Plane::kFact || !g.alive(source) || !g.alive(target)) continue;
    if ((edge.valid_from != kNoTime && now < edge.valid_from) ||
        (edge.valid_until != kNoTime && now >= edge.valid_until))
      continue;
    world.edges.push_back({static_cast<NodeId>(source), static_cast<NodeId>(target), k.name, label,
                           k.symmetric, k.suppresses});
  }
  return world;
}

}  // namespace plexus::testing
