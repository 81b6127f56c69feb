// Concepts, second generation: dampening, activation along relations, search by vector and arousal.
//
// Rules, batches, errors and threads as in concepts.h. Source: the core of kinoh/Tsuki, which took
// the concept graph into its own process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/common/node_subset.h"
#include "algorithms/common/run_options.h"
#include "algorithms/memory/concepts.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"
#include "engine/write_batch.h"

namespace plexus {

struct DampenConceptResult {
  std::string concept_id;
  double arousal = 0;  // After it.
  bool clamped = false;
  bool changed = false;
  WriteBatch batch;
};

// The level becomes arousal * (1 - ratio), accessed now; a ratio is clamped to [0, 1]. O(1).
// Errors: also kNotFound: no such concept.
Result<DampenConceptResult> DampenConcept(const Snapshot& snapshot, std::string_view name,
                                          double ratio, std::int64_t now_ms,
                                          std::int64_t tau_ms = kArousalTauMs);

struct ActivateRelatedOptions {
  std::string prefix = {};  // Only targets whose names begin so.
  std::int64_t tau_ms = kArousalTauMs;
  std::vector<RelationDecay> decay = {};  // As RecallConceptsOptions.
  const NodeSubset* subset = nullptr;
  Budget budget = {};  // Edges followed.
};

struct ActivateRelatedResult {
  std::vector<RaisedConcept> raised;  // Whose values change; by level, then name.
  std::vector<std::string> unknown;   // Sources that are no concept.
  bool truncated = false;
  WriteBatch batch;
};

// Computes: for each concept next to a source by a relation valid at now_ms
//     min(1, sum over sources and relations of arousal(source) * min(1, weight) * factor)
//   and raises it to that, accessed now, if that is at least its arousal.
// Complexity: O(a log a) for a relations of the sources. The sum does not depend on their order.
Result<ActivateRelatedResult> ActivateRelated(const Snapshot& snapshot,
                                              std::span<const std::string> sources,
                                              std::int64_t now_ms,
                                              const ActivateRelatedOptions& options = {});

struct SearchConceptsOptions {
  std::optional<SpaceId> space = {};  // With `query`; absent: only by arousal.
  std::span<const float> query = {};
  std::size_t top = 10;        // 0: all.
  double cosine_share = 0.75;  // In [0, 1]; the rest is arousal's. Without a query it is 0.
  std::int64_t tau_ms = kArousalTauMs;
  const NodeSubset* subset = nullptr;
  RunOptions run = {};  // budget: of Nearest.
};

struct ConceptHit {
  NodeId node = kNoNode;
  double score = 0;
  std::optional<double> cosine;  // Absent: found by arousal.
  double arousal = 0;
};

struct SearchConceptsResult {
  std::vector<ConceptHit> hits;
  bool truncated = false;
};

// Computes: score = share * cosine + (1 - share) * arousal over the 4 * top concepts nearest to the
//   query, best first, ties by name; filled up to `top` by the most aroused of the other concepts,
//   which follow them in order of arousal, then name. Reads only.
// Complexity: O(nodes) to find the concepts, O(vectors * dimensions), O(c log c) for c of them.
// Errors: kInvalidArgument: a share out of range, a query without a space; those of Nearest.
Result<SearchConceptsResult> SearchConcepts(const Snapshot& snapshot, std::int64_t now_ms,
                                            const SearchConceptsOptions& options = {});

}  // namespace plexus
