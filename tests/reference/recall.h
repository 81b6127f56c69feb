// Slow references of recall: relations by looking at every edge, terms by their formulas.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "engine/types.h"

namespace plexus::reference {

struct RelatedEdge {
  NodeId source, target;
  std::string kind, label;
  bool symmetric, suppresses;
};

// Edges valid at the time; nodes that stand, and those that may be listed as replaced.
struct RelatedWorld {
  std::vector<std::string> keys;
  std::vector<bool> stands, may_be_replaced;
  std::vector<RelatedEdge> edges;
};

// hop, key, kind, key of the nearer end, direction (0 out, 1 in, 2 both), label, text.
using RelatedRow =
    std::tuple<int, std::string, std::string, std::string, int, std::string, std::string>;

// Every edge with an end at fewer than `hops` edges from `start`, in the order of the tuples.
std::vector<RelatedRow> RelatedByDefinition(const RelatedWorld& world, NodeId start, int hops);

struct RecallMemory {
  std::optional<std::int64_t> accessed_at, created_at;
  std::optional<double> retention, trust, salience;
  std::int64_t access_count = 0;
  bool preferred = false;
};

// "recency", "salience", "frequency", "scope".
std::map<std::string, double> RecallTermsByDefinition(const RecallMemory& memory,
                                                      std::int64_t now_ms,
                                                      std::int64_t half_life_ms,
                                                      std::int64_t full_count);

}  // namespace plexus::reference
