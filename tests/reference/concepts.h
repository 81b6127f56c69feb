// Concept recall by definition, over names: the slow, obvious twin. Never use it in production.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/types.h"

namespace plexus::reference {

struct ConceptWorld {
  enum Kind { kConcept, kEpisode, kOther };
  struct Node {
    Kind kind = kConcept;
    bool alive = true;
    std::optional<double> level, valence;
    std::optional<std::int64_t> accessed_at;
    std::string text;  // of an episode; "": it goes by its key
  };
  enum Relation { kIsA, kPartOf, kEvokes, kAnother };
  struct Edge {
    std::string from, to;
    Relation kind = kIsA;
    float weight = 1;
    std::int64_t valid_from = kNoTime, valid_until = kNoTime;
    std::string label;
  };
  std::map<std::string, Node> nodes;
  std::vector<Edge> edges;  // of distinct (from, kind, to, label), no loops
};

struct ConceptQuestion {
  std::vector<std::string> seeds;
  int hops = 2;
  std::int64_t now_ms = 0, tau_ms = 86'400'000;
  double hop_decay = 0.5;
  double along[3] = {1, 1, 1}, against[3] = {0.5, 0.5, 0.5};  // by relation
  bool weighted = false;
};

struct SlowProposition {
  std::string text;
  double score, valence;
  int hop;
  bool forward;
};
struct ConceptAnswer {
  std::vector<SlowProposition> propositions;  // by score, then text
  std::map<std::string, double> raised;       // name to level, where a value changes
  std::vector<std::string> unknown;
};

double ArousalOf(const ConceptWorld::Node& node, std::int64_t now_ms, std::int64_t tau_ms);
ConceptAnswer RecallByDefinition(const ConceptWorld& world, const ConceptQuestion& question);
// The world after what was raised is written.
void ApplyRaised(ConceptWorld& world, const ConceptAnswer& answer, std::int64_t now_ms);

}  // namespace plexus::reference
