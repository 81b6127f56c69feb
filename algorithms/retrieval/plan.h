// Retrieval plans: seeds, expansion, filters and a score of weighted terms, with the formulas of
// the terms.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/retrieval/terms.h"
#include "engine/error.h"
#include "engine/schema.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus::retrieval {

// --- Rank fusion: one list out of several, by the places that a node has in them.
//
//   score(v) = sum over the lists that have v of  weight / (k + rank),   rank from 1
//
// Source: Cormack, Clarke, Büttcher, "Reciprocal rank fusion outperforms Condorcet and individual
// rank learning methods", SIGIR 2009, whose k is 60.

inline constexpr double kFusionRank = 60;

// A node and what the lists that have it, each best first, give it together.
struct FusedNode {
  NodeId node = kNoNode;
  double score = 0;
};

// Computes: the nodes of all lists by reciprocal rank, best first, ties by smaller id. Scores are
//   summed in the order of the lists. A list has no node twice. Without `weights` each list counts
//   1; else there are as many as lists.
// Complexity: O(nodes * log).
// Errors: none; throws std::bad_alloc.
// Threads: thread-safe.
std::vector<FusedNode> FuseRanks(std::span<const std::vector<NodeId>> lists, double k = kFusionRank,
                                 std::span<const double> weights = {});

// --- Score terms: what makes up the score of a hit, each in [0, 1], and how measures get there.
//
//   score = sum over the terms of value * weight
//
//   text         BM25 / the most that any text could have for the query
//   similarity   a cosine below 0 counts 0; 1 / (1 + d) for L2; the logistic of an inner product
//   path         the best product of weights and decays on a path; above 1 it counts 1
//   recency      2 ^ -(age / half-life)
//   frequency    ln(1 + uses) / ln(1 + full), at most 1
//
// Text: a term's part of BM25 stays below idf * (k1 + 1) at any frequency and length (Robertson,
// Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, 3.4), so the quotient
// lies in [0, 1] and is linear in the score. Alternative: b / (b + 1); as idf grows with the
// logarithm of the graph, all hits of a large graph would be near 1.
// Recency: exponential decay as in Cohen, Strauss, "Maintaining time-decaying stream aggregates",
// 2006. Frequency: the logarithmic count of Salton, Buckley, "Term-weighting approaches in
// automatic text retrieval", 1988, divided by its value at `full`.

struct ScoreTerm {
  std::string_view name = {};  // A constant, such as "text".
  double value = 0;            // In [0, 1].
  double weight = 0;
  bool operator==(const ScoreTerm&) const = default;
};

// All functions compute in O(1), or O(terms) where they take a list, have no errors and are
// thread-safe. What is not a number counts 0.

// The sum of value * weight, in the order of the list.
double ScoreOf(std::span<const ScoreTerm> terms);

// The value at the nearer end of [0, 1].
double UnitTerm(double value);

// The most that a text could have for a query: sum of asked * idf * (k1 + 1). `terms` are those of
// a Bm25Result; one that no text has adds nothing.
double Bm25Bound(std::span<const QueryTerm> terms, double k1 = Bm25Options{}.k1);
// 0 when the bound is 0.
double TextTerm(double bm25, double bound);

// Of the `similarity` in vectors.h, by that metric.
double SimilarityTerm(double similarity, Metric metric);

// 1 for a time that is not before now, 0 for none. REQUIRES half_life_ms > 0.
double RecencyTerm(std::optional<std::int64_t> last_ms, std::int64_t now_ms,
                   std::int64_t half_life_ms);

// 0 for a count below 1. REQUIRES full > 0.
double FrequencyTerm(std::int64_t uses, std::int64_t full);

// --- Retrieve: one call that finds nodes, follows their edges, scores them by several terms and
// says why.
//
//   filter   the nodes that may be found
//   seeds    by vector, words, names, keys, or PageRank from the seeds before it
//   expand   best products of weight * decay over a few hops (traversal.h)
//   score    terms in [0, 1], of every candidate
//   fuse     sum, reciprocal ranks or maximal marginal relevance; the best `top`
//
// A plan is data: named ones stand in a table, others are read from JSON by an operation.
// Names: of the best hits by words those whose key, or what precedes its last part in brackets, is
// in the question: its terms follow each other there, with the stop words between them where the
// question's text is given. The longest ones first, and none on words that a longer one took.
// Weight: the square root of their part of the question's sum of asked * idf; of one term times
// idf / the idf of a term of one text, as a common word is mostly said for itself.
//
// Terms of a candidate v, of those seeds and that question:
//   similarity  of its vector: a cosine as it is, so below 0, too (vectors.h); else SimilarityTerm
//   words       TextTerm of its BM25
//   path        the best product on a walk from a seed, at most 1. A seed's own walk has 0 hops and
//               its seed weight: the similarity, the words term, the weight of its name or key, its
//               PageRank divided by the largest; the largest of those where several found it. Where
//               only the first of a full list start, walks leave with what these have above its
//               last one: where all are alike, none speaks for what is next to it
//   graph       weighted degree among the candidates / the largest such degree (vectors.h)
//   pagerank    its share in the seeds by PageRank / the largest share
//   age         2 ^ -(age / half-life), of created_at
//   salience, outcome   the caller's values
// A term that a candidate does not have counts 0. relevance = sum of weight * value.
// Fusion:
//   sum    score = relevance
//   rrf    score = sum over the terms of weight / (k + rank), k the plan's rank_constant. Lists
//          hold scores above 0
//   mmr    one after the other the candidate of the largest score = lambda * relevance / sum of the
//          weights - (1 - lambda) * largest cosine to one that was taken before (below 0 it is 0)
//
// The filter holds for what is found, by words, vector or PageRank and at the end. Walks pass
// allowed nodes and the seeds. Sources: Carbonell, Goldstein, "The use of MMR, diversity-based
// reranking for reordering documents and producing summaries", SIGIR 1998; Gutiérrez et al.,
// "HippoRAG", 2024 (PageRank from what a query found).

struct PlanLimits {
  static constexpr std::size_t kMaxSeeds = 16;         // Entries of a plan.
  static constexpr std::size_t kMaxTop = 10'000;       // Hits; seeds of an entry.
  static constexpr std::size_t kMaxReached = 100'000;  // By an expansion.
  // Followed by seeds by PageRank (PageRankPushOptions::most_arcs), whose shares are lower bounds
  // from there on. Up to 180,000 arcs a graph is ranked to an error of 1e-3.
  static constexpr std::uint64_t kPushArcs = 1 << 18;
  static constexpr double kMaxWeight = 1e6;              // Of a term.
  static constexpr double kMaxHalfLifeDays = 1'000'000;  // Of age.
  static constexpr double kMaxRankConstant = 1e6;        // Of rrf.
};

enum class SeedBy : std::uint8_t { kVector, kWords, kKeys, kPageRank, kNames };
inline constexpr std::size_t kSeedBys = 5;
enum class PlanTerm : std::uint8_t {
  kSimilarity,
  kWords,
  kPath,
  kGraph,
  kPageRank,
  kAge,
  kSalience,
  kOutcomes,
};
enum class Fusion : std::uint8_t { kSum, kRrf, kMmr };
inline constexpr std::size_t kPlanTerms = 8;

struct PlanSeeds {
  SeedBy by = SeedBy::kVector;
  std::size_t top = 30;     // Best first. Of keys all count; names are looked for in so many.
  std::size_t per_hit = 0;  // Above 0: this many times the plan's top, instead of `top`.
  // Walks start only at the first ones, above. Others of them have a path if one arrives.
  std::size_t starts = PlanLimits::kMaxTop;
  std::optional<SpaceId> space{};  // Of a vector. Absent: the question's.
  bool keep = true;                // False: walks start there, but the nodes are no candidates.
};

struct PlanExpand {
  int hops = 0;  // 0..kMaxHops.
  Direction direction = Direction::kBoth;
  double decay = 0.5;    // In (0, 1], once a hop.
  EdgeKinds kinds = {};  // Walked, counted by graph and PageRank. No list: all facts.
  // Above 0: a seed with more arcs is a hub, and what is next to it says little: none is followed.
  std::uint64_t arcs = 0;
  std::size_t top = 1'000;  // Nodes that are reached and no seeds: the best by path.
  // Walks start at the hits of the plan without expansion, each with its relevance / sum of the
  // weights; these and what is reached are then the candidates.
  bool from_hits = false;
};

// What may be found: of what the caller allows, nodes that pass every part. Lists mean any of
// theirs.
struct PlanFilter {
  NodeKinds node_kinds = {};
  std::vector<std::string> tags = {}, scopes = {};
  std::string inscription = {};
  std::int64_t since = 0, until = 0;  // since <= created_at < until. 0: no bound.
  std::int64_t valid_at = kNoTime;    // Nodes valid then.
  std::string where = {};             // scan.h.
};

struct PlanScore {
  std::array<double, kPlanTerms> weights = {};  // By PlanTerm. 0: the term is left out.
  // A candidate that does not have such a term is left out.
  std::array<bool, kPlanTerms> required = {};
  double half_life_days = 30;  // Of age.

  double& operator[](PlanTerm term) { return weights[static_cast<std::size_t>(term)]; }
  double operator[](PlanTerm term) const { return weights[static_cast<std::size_t>(term)]; }
};

struct RetrievalPlan {
  std::vector<PlanSeeds> seeds = {};  // 1..kMaxSeeds.
  PlanExpand expand = {};
  PlanFilter filter = {};
  PlanScore score = {};
  Fusion fuse = Fusion::kSum;
  double lambda = 0.7;                 // Of mmr, in [0, 1].
  double rank_constant = kFusionRank;  // Of rrf, 0 to kMaxRankConstant.
  std::size_t top = 10;
};

std::string_view SeedByName(SeedBy by);        // "vector" ...
std::string_view PlanTermName(PlanTerm term);  // "similarity" ...
std::string_view FusionName(Fusion fusion);    // "sum" ...

// A plan by its name. `json` says the same for people.
struct NamedPlan {
  std::string_view name = {};
  std::string_view summary = {};
  std::string_view json = {};
  RetrievalPlan plan = {};
};
//   rerank     3 top by vector; similarity 0.7, graph 0.3
//   multi-hop  from keys, along edges; path 0.4, similarity 0.6; nodes without a vector are skipped
//   dual       by words and by vector, 2 hops from these and from keys
//   rag        rerank, then walks from all its hits (of 0 hops)
//   recall     by names, words, vector and keys, and one edge from the first of them; words 1, path
//   1
std::span<const NamedPlan> NamedPlans();
const NamedPlan* FindPlan(std::string_view name);  // Null: none exists.

// Computes: whether every number of a plan lies in its limits.
// Errors: kInvalidArgument names the place: "seeds[0].top: ...".
Status CheckPlan(const RetrievalPlan& plan);

// Seeds for which the question has nothing are passed over.
struct RetrieveQuery {
  std::span<const std::string> terms = {};   // As TermSplitter::Split returns them. None: no words.
  std::span<const Bm25Phrase> phrases = {};  // Each counts as one more term.
  std::span<const float> vector = {};        // None: no vector.
  std::optional<SpaceId> space{};            // Of the vector and of mmr.
  std::span<const NodeWeight> keys = {};     // Weights in (0, 1].
  std::string_view text = {};                // Of the terms; names are looked for in it, if given.
};

// A term of the caller, each value in [0, 1] or cut to it: of the list; else of the first
// of the columns in which the node has one; else `otherwise`.
struct NodeValues {
  std::span<const NodeWeight> list = {};   // REQUIRES ascending nodes.
  std::span<const ColumnId> columns = {};  // Of type f64.
  std::optional<double> otherwise{};       // Absent: the node lacks the term.
};

struct RetrieveOptions {
  const NodeSubset* subset = nullptr;  // Nodes that may be walked and found. Null: all facts.
  std::int64_t now_ms = kNoTime;       // For age. kNoTime: the snapshot's time.
  std::int64_t valid_at = kNoTime;     // Edges valid at this time. kNoTime: of any time.
  NodeValues salience = {}, outcome = {};
  SimdLevel level = SimdLevel::kBest;
  std::optional<Prefilter> prefilter = {};  // Of seeds by vector, as in NearestOptions.
  // budget: for each stage by itself, as Nearest, Bm25, Traverse, PageRankPush and Rerank count.
  RunOptions run = {};
};

struct RetrieveHit {
  NodeId node = kNoNode;
  double score = 0;
  double relevance = 0;
  std::vector<ScoreTerm> terms;      // Those with a weight, in order of PlanTerm.
  std::vector<std::uint32_t> ranks;  // Of rrf: the place in each term's list, from 1. 0: in none.
  std::uint32_t found_by = 0;        // Bit i: by the plan's seeds[i].
  int hops = 0;                      // Of the path below.
  NodeId seed = kNoNode;             // Where it starts; kNoNode: no walk arrives.
  std::vector<PathEdge> path;        // The walk that the path term is of.
};

// What a stage did, in the order of running.
struct RetrieveStage {
  std::string_view name = {};  // "filter", the name of a seed, "expand", "score", "fuse".
  std::uint64_t read = 0;      // Vectors, texts with a word, arcs, or candidates.
  std::uint64_t kept = 0;      // Nodes that it hands on.
  bool skipped = false;        // Seeds for which the question has nothing.
  bool truncated = false;
  bool operator==(const RetrieveStage&) const = default;
};

struct RetrieveStats {
  std::vector<double> stage_ms = {};  // By stage. Answers do not need it.
};

struct RetrieveResult {
  std::vector<RetrieveHit> hits;  // Best first, ties by smaller id.
  std::vector<RetrieveStage> stages;
  std::uint64_t candidates = 0;  // That were ranked.
  std::uint64_t without_vector =
      0;                       // Candidates, ranked or not, without one, if it was looked for.
  std::uint64_t left_out = 0;  // Candidates without a required term.
  bool truncated = false;      // A stage ran out of its budget: the best of what was read.
  // What the plan asked by words: without matches, without terms if it did not. For Bm25Of.
  Bm25Result words;
  RetrieveStats stats;
};

// Computes: the best nodes for a question by a plan.
// Complexity: that of its stages: Nearest, Bm25, Bm25Of what it did not find, Traverse,
// PageRankPush, the candidates' rows and vectors, and O(top * candidates *
//   dimensions) for mmr. Filters cost what EvaluateWhere does, and the carriers of an inscription.
// Errors: those of CheckPlan. kInvalidArgument: a kind or space out of range, a question that has
//   nothing for any of the seeds or lacks what a required term needs, a vector without a space, a
//   weight of a key outside (0, 1], a column of another type, pagerank without seeds by PageRank;
//   "filter.where: ..." of EvaluateWhere. kNotFound: a key that was removed. kCorruption: from the
//   payload store. kResourceExhausted: no memory.
// Threads: thread-safe. The bits are the same at any thread count, but for `stats`.
Result<RetrieveResult> Retrieve(const Snapshot& snapshot, const RetrievalPlan& plan,
                                const RetrieveQuery& question, const RetrieveOptions& options = {});

}  // namespace plexus::retrieval
