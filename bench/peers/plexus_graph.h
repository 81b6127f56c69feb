// Our graphs from arcs: live ones in RAM (write batches, nodes by string key, edges by id,
// compacted), and bare rows.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "bench/peers/peer.h"
#include "engine/bulk/topology.h"
#include "engine/graph.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"

namespace plexus::peers {

// Arcs with kinds; empty = link.
struct Edges : Arcs {
  std::vector<std::uint8_t> kinds = {};
};
// As the files have them: edges of symmetric kinds once.
Edges ReadEdges(const Peer& peer);

void Fill(Graph& graph, const Edges& edges);
Snapshot InRam(const Edges& edges, Executor& executor);
Topology Bare(const Arcs& arcs, bool symmetrize, Executor& executor);

template <class Options>
Options On(Executor& executor, Options options = {}) {
  options.run.executor = &executor;
  return options;
}

// As a list of an Answer: how many, then numbers(item) of each.
template <class Items, class Numbers>
void AppendList(const Items& items, Answer& answer, Numbers&& numbers) {
  answer.push_back(static_cast<double>(items.size()));
  for (const auto& item : items)
    for (const double number : numbers(item)) answer.push_back(number);
}
template <class... Number>
std::array<double, sizeof...(Number)> Row(Number... number) {
  return {static_cast<double>(number)...};
}
template <class Values>
Answer AsAnswer(const Values& values) {
  return Answer(values.begin(), values.end());
}

}  // namespace plexus::peers
