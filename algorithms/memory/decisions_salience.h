// Salience of decisions: how many decisions depend on one, weighted (PageRank); and what may be
// compacted by it.
//
// The scores are PageRank's (pagerank.h), over decisions only. Rank flows to what is
// needed:
//   depends_on, refines   source to target
//   causes                effect to cause        (reversed)
//   supports              claim to evidence      (reversed)
// by weight, along edges that are valid at the time. Raw scores sum to 1 and shrink as the graph
// grows, so thresholds read the percentile. Cycles cannot be ordered by dependence; they
// are listed with the scores.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "algorithms/memory/decision_status.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"
#include "engine/write_batch.h"

namespace plexus {

struct SalienceOptions {
  DecisionOptions decisions = {};
  double damping = 0.85;     // In [0, 1).
  double tolerance = 1e-12;  // Of the L1 distance to the fixed point.
};

struct SalienceResult {
  NodeSubset nodes;                         // The decisions.
  std::vector<double> scores;               // By NodeId: sum 1. 0 for all other nodes.
  std::vector<double> scaled;               // Divided by the largest.
  std::vector<double> percentiles;          // Share of the others that score less, ties count half.
  std::vector<std::uint32_t> in_arcs;       // By NodeId: arcs of salience that arrive.
  std::vector<std::vector<NodeId>> cycles;  // Strong components of two and more, ascending ids.
  bool truncated = false;                   // The budget ended the iteration.
};

// Computes: the salience of every decision.
// Complexity: O(nodes + arcs) once where decisions need each other without cycles, whatever the
//   damping; each cycle is iterated by itself. So nothing of an earlier ranking is needed after a
//   change. No recursion.
// Errors: kInvalidArgument: damping outside of [0, 1), a tolerance that is not above 0.
//   kResourceExhausted: no memory.
// Threads: thread-safe, and one thread but to gather the arcs. The bits are the same at any thread
//   count. Which decisions tie does not depend on the order in which they were added, but in cycles
//   of more than 4,096, or where weights of a decision's edges differ by more than 2^28.
Result<SalienceResult> Salience(const Snapshot& snapshot, const SalienceOptions& options = {});

enum class CompactionTier : std::uint8_t { kFold, kKeep, kDigest, kSummary, kFull };
std::string_view TierName(CompactionTier tier);  // "fold" ...

// The first rule that holds decides; ages are inclusive:
//   fold     superseded: into its successor, when that is in `inside`
//   keep     percentile >= keep_percentile
//   digest   no arc of salience arrives, the outcome is recorded, and digest_age_ms old
//   summary  an arc arrives, and summary_age_ms old
//   full     all others
struct CompactionOptions {
  SalienceOptions salience = {};
  double keep_percentile = 0.8;
  std::int64_t digest_age_ms = std::int64_t{14} * 86'400'000;
  std::int64_t summary_age_ms = std::int64_t{30} * 86'400'000;
};

struct CompactionEntry {
  NodeId node = kNoNode;
  CompactionTier tier = CompactionTier::kFull;
  NodeId into = kNoNode;  // kFold: the head of its chain.
  double percentile = 0;
  std::optional<std::int64_t> age_ms;  // Absent: created_at is not known, and it counts as new.
};

struct CompactionResult {
  std::vector<CompactionEntry> entries;  // Every decision, ascending ids.
  // Writes each tier that differs from the stored one into the column `compaction_tier`; empty when
  // nothing does. Expects its nodes: a removed one is a conflict. Tiers are of the snapshot; of two
  // that write them at once the later one's stay.
  WriteBatch batch;
  bool truncated = false;
};

// Computes: the tier of each decision, as a proposal.
// Complexity: that of Salience, and O(nodes + suppressing edges).
// Errors: those of Salience. kInvalidArgument: a percentile outside of [0, 1], a negative age.
//   kAlreadyExists: a column `compaction_tier` of another type.
// Threads: thread-safe.
Result<CompactionResult> CompactionTiers(const Snapshot& snapshot,
                                         const CompactionOptions& options = {});

}  // namespace plexus
