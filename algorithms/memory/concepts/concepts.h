// Concepts: spreading activation from words, and related memories.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"
#include "engine/write_batch.h"

namespace plexus::memory {

// --- Concepts: spreading activation over concepts, and reinforcement by recall.
//
// A concept is a node of kind `concept`; its key is its text. Concepts are joined by is-a, part-of
// and evokes; a concept evokes episodes (kind `episode`, their text is the summary). Columns of a
// concept: valence in [-1, 1], arousal_level in [0, 1], accessed_at. Its arousal fades:
//
//   arousal(now) = arousal_level * exp(-max(0, now - accessed_at) / tau)
//
// No value counts as valence 0, level 0 and accessed at `now`, as does accessed_at <= 0. Source:
// the concept graph of kinoh/Tsuki, both generations; the second one's rules are options.
//
// Every function is pure: time is an argument, and what it would write is a batch next to the
// answer, empty when nothing would change. A batch expects what it was computed from (a new node
// is not there yet; a level, valence or weight that one asks to change is as it was read), so that
// Apply answers kConflict, and writes nothing, when another writer came between: then call the
// function again. What a recall raises need only be there still: of two at once the later one's
// level stays.
//
// Names are taken as they are. Errors of all: kInvalidArgument: a name that is empty, all white
// space or no node key (engine/schema.h, CheckKey), a number that is not finite, a time that is
// kNoTime, or a node of that name that is no concept; kResourceExhausted: no memory. Values out of
// range that are clamped set `clamped`. Threads: all are thread-safe and use the calling thread.

inline constexpr std::int64_t kArousalTauMs = 86'400'000;
inline constexpr double kUpsertedArousal = 0.5;    // level of a concept that was asked for
inline constexpr double kMentionedArousal = 0.25;  // of one made by a relation or an episode

// Computes: the node's arousal at `now_ms`, in [0, 1]; a level outside counts as the nearest bound.
// A tau <= 0 counts as 1 ms. O(1). REQUIRES node < snapshot.node_count().
double Arousal(const Snapshot& snapshot, NodeId node, std::int64_t now_ms,
               std::int64_t tau_ms = kArousalTauMs);

struct UpsertConceptResult {
  std::string concept_id;  // The name.
  bool created = false;    // Also: a plain node of that name became a concept.
  WriteBatch batch;
};

// Makes a concept of level 0.5, accessed now. One that is there is left as it is. O(1).
Result<UpsertConceptResult> UpsertConcept(const Snapshot& snapshot, std::string_view name,
                                          std::int64_t now_ms);

struct UpdateAffectResult {
  std::string concept_id;
  double valence = 0;
  double arousal = 0;  // At now_ms.
  std::int64_t accessed_at = 0;
  bool created = false;
  bool clamped = false;  // The delta, or the valence it leads to.
  bool changed = false;
  WriteBatch batch;
};

// valence = clamp(valence + delta, -1, 1). The level becomes |delta|, accessed now, if that is at
// least the arousal there is. A concept that is not there is made, of level |delta|. O(1).
Result<UpdateAffectResult> UpdateAffect(const Snapshot& snapshot, std::string_view name,
                                        double valence_delta, std::int64_t now_ms,
                                        std::int64_t tau_ms = kArousalTauMs);

struct AddEpisodeOptions {
  double weight = 1;  // Of the edges to it, in [0, 1].
};

struct AddEpisodeResult {
  std::string episode_id;                    // Its key.
  std::vector<std::string> linked_concepts;  // Each once, as given.
  std::uint64_t created = 0;                 // Concepts made, of level 0.25.
  double valence = 0;
  bool clamped = false;
  WriteBatch batch;
};

// Adds an episode that each of the concepts evokes. Blank names are passed over; none left, or a
// blank summary, is kInvalidArgument. The key is YYYYMMDD/<first concept>, the day in UTC, with
// -2, -3 ... where that key is or was taken. O(concepts + log episodes of that day and concept).
// Errors: also a now_ms before the year 0 or after 9999.
Result<AddEpisodeResult> AddEpisode(const Snapshot& snapshot, std::string_view summary,
                                    std::span<const std::string> concepts, double valence,
                                    std::int64_t now_ms, const AddEpisodeOptions& options = {});

struct RelateOptions {
  // Second generation: a new edge has first_weight, each repeat w <- 1 - (1 - w)(1 - rate). Else
  // weights are 1, and a repeat changes nothing.
  bool reinforce = false;
  double first_weight = 0.25, rate = 0.2;  // In [0, 1].
};

struct RelateResult {
  std::string from, kind, to;
  double weight = 1;           // As stored, in f32.
  bool created = false;        // The relation.
  std::uint64_t concepts = 0;  // Made, of level 0.25.
  bool changed = false;
  WriteBatch batch;
};

// Relates two concepts, or by evokes a concept to an episode's key. `kind`: is-a, part-of or
// evokes. A relation that is there but not valid at now_ms becomes valid without bounds. O(log
// degree). Errors: also another kind (the message names the three), or both names the same.
Result<RelateResult> Relate(const Snapshot& snapshot, std::string_view from, std::string_view kind,
                            std::string_view to, std::int64_t now_ms,
                            const RelateOptions& options = {});

// A row of the table of decay: what a step by `kind` that way leaves. kOut: from the edge's source
// to its target, kIn: against it. Later rows count over earlier ones.
struct RelationDecay {
  EdgeKindId kind = kNoEdgeKind;  // kNoEdgeKind: all three.
  Direction direction = Direction::kBoth;
  double factor = 1;  // In [0, 1]. 0: not walked that way.
};

struct RecallConceptsOptions {
  int hops = 2;  // 0..kMaxHops of traversal.h.
  std::int64_t tau_ms = kArousalTauMs;
  double hop_decay = 0.5;                    // In [0, 1].
  std::vector<RelationDecay> decay = {};     // Over factor 1 along an edge and 0.5 against it.
  bool weighted = false;                     // Edge weights (at most 1) multiply the decay.
  bool six_decimals = false;                 // Scores are rounded before they are compared.
  std::vector<std::string> not_raised = {};  // Concepts whose names begin so keep their arousal.
  std::size_t top = 0;  // The best; 0: all. What is raised does not depend on it.
  // Concepts and episodes that are met; seeds need not be in it. Null: all that are alive.
  const NodeSubset* subset = nullptr;
  // budget: nodes are concepts reached, edges relations followed, in order of hop and id.
  RunOptions run = {};
};

// "apple is-a fruit", "apple evokes Baked with grandma".
struct Proposition {
  std::string text = {};
  double score = 0;
  double valence = 0;                   // Of the end that the step led to.
  NodeId from = kNoNode, to = kNoNode;  // As the edge is stored.
  EdgeKindId kind = kNoEdgeKind;
  int hop = 0;          // Of that end: 1 is next to a seed.
  bool forward = true;  // Walked along the edge.
};

struct RaisedConcept {
  NodeId node = kNoNode;
  double level = 0;  // From now_ms on.
};

struct RecallConceptsResult {
  std::vector<Proposition> propositions;  // By score, then text; a text once.
  std::vector<RaisedConcept> raised;      // Whose values change; by level, then name.
  std::vector<std::string> unknown;       // Seeds that are no concept, each once, as given.
  bool truncated = false;                 // By the budget.
  std::uint64_t concepts = 0;             // Reached, seeds included.
  std::uint64_t edges = 0;                // Followed.
  WriteBatch batch;                       // Of what was raised.
};

// Computes: what the seeds bring to mind. Breadth-first over relations that are valid at now_ms,
//   both ways; a concept at hop h < hops is expanded. A relation walked to hop n has
//     decay = hop_decay^(n - 1) * factor(kind, direction) [* min(1, weight)]
//     score = arousal(the concept it leads to) * decay; of an episode arousal(the concept it is
//             reached from) * decay; episodes are reached by evokes, forward, and not expanded.
//   Of several ways to one text the best score counts, then the fewer hops, then forward.
//   A concept that a relation leads to is raised to the largest such decay, accessed now, if that
//   is at least its arousal. Arousal is read as it was before the question.
// Complexity: O(r log r) for r relations of the expanded concepts, and O(1) for each stored arc of
//   their rows; nothing depends on the size of the graph. Texts of episodes are fetched once each.
// Errors: kInvalidArgument: hops, a factor or a kind out of range; the payload store's.
Result<RecallConceptsResult> RecallConcepts(const Snapshot& snapshot,
                                            std::span<const std::string> seeds, std::int64_t now_ms,
                                            const RecallConceptsOptions& options = {});

// --- Concepts, second generation: dampening, activation along relations, search by vector and
// arousal.
//
// Rules, batches, errors and threads as above. Source: the core of kinoh/Tsuki, which took
// the concept graph into its own process.

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
  RunOptions run = {};  // budget: edges are those followed.
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

}  // namespace plexus::memory
