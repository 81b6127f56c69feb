// A snapshot read for never-composed sets: all edges in a list, then maps and sets by node.
//
// Nothing of algorithms/ computes here: the snapshot gives nodes, edges, columns and payloads
// alone. Slow on purpose.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "algorithms/memory/frontier/frontier.h"
#include "engine/snapshot.h"

namespace plexus::reference {

struct MemoryFacts {
  double trust = 0;
  std::string type, scope;
  std::int64_t created_at = kNoTime;
  std::set<std::string> tags;
  std::map<std::string, double> terms;  // specificity
  std::set<NodeId> events;
  std::set<std::string> outcomes;  // types over all events
  std::vector<float> vector;
};

struct LedgerReading {
  std::map<NodeId, MemoryFacts> pool;
  std::vector<std::set<NodeId>> events;  // distinct members of each alive event
  // Undirected, over the edges that the lens walks at the time; no loops.
  std::map<NodeId, std::set<NodeId>> walked;
  // The same over all fact kinds at the time.
  std::map<NodeId, std::set<NodeId>> fact_neighbors;
  std::set<std::pair<NodeId, NodeId>> recorded;  // an edge of any kind and time, both orders
  // Structural fit: counts of walked edges by (kind, direction, hop); 0 out, 1 in, 2 symmetric.
  std::map<NodeId, std::map<std::tuple<int, int, int>, double>> profiles;
};

LedgerReading ReadLedger(const Snapshot& snapshot, const memory::NeverComposedOptions& options);

}  // namespace plexus::reference
