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
//   words        BM25 / the most that any text could have for the query
//   similarity   a cosine below 0 counts 0; 1 / (1 + d) for L2; the logistic of an inner product
//   path         the best product of weights and decays on a path; above 1 it counts 1
//   recency      2 ^ -(age / half-life)
//   frequency    ln(1 + uses) / ln(1 + full), at most 1
//
// The sum of words, recency, salience, frequency and scope is Codewhale's #536. Words: a term's
// part of BM25 stays below idf * (k1 + 1) at any frequency and length (Robertson, Zaragoza, "The
// Probabilistic Relevance Framework: BM25 and Beyond", 2009, 3.4), so the quotient lies in [0, 1]
// and is linear in the score. Alternative: b / (b + 1); as idf grows with the logarithm of the
// graph, all hits of a large graph would be near 1. Recency: exponential decay as in Cohen,
// Strauss, "Maintaining time-decaying stream aggregates", 2006. Frequency: the logarithmic count of
// Salton, Buckley, "Term-weighting approaches in automatic text retrieval", 1988, divided by its
// value at `full`.

struct ScoreTerm {
  std::string_view name = {};  // A constant, such as "words".
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
//   fuse     sum, reciprocal ranks, maximal marginal relevance or lists; the best `top`
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
//   recency     as age, of the last use: accessed_at, else created_at
//   frequency   ln(1 + access_count) / ln(1 + full_count), at most 1
//   scope       1 for a node that the caller prefers
// A term that a candidate does not have counts 0. relevance = sum of weight * value.
// Fusion:
//   sum    score = relevance
//   rrf    score = sum over the terms of weight / (k + rank), k the plan's rank_constant. Lists
//          hold scores above 0
//   mmr    one after the other the candidate of the largest score = lambda * relevance / sum of the
//          weights - (1 - lambda) * largest cosine to one that was taken before (below 0 it is 0)
//   lists  the list of each term that the question has something for: what its seeds found, or what
//          walks reach, by BM25, similarity or product of the path. Of one list score = that
//          measure, as its kernel has it; of several their rrf. What is in no list is no hit, and a
//          term that ranks has a value of what is in its list
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
  static constexpr double kMaxWeight = 1e9;              // Of a term.
  static constexpr double kMaxHalfLifeDays = 1'000'000;  // Of age and recency.
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
  kRecency,
  kFrequency,
  kScope,
};
enum class Fusion : std::uint8_t { kSum, kRrf, kMmr, kLists };
inline constexpr std::size_t kFusions = 4;
inline constexpr std::size_t kPlanTerms = 11;

struct PlanSeeds {
  SeedBy by = SeedBy::kVector;
  std::size_t top = 30;     // Best first. Of keys all count; names are looked for in so many.
  // Above 0: this many times the plan's top, instead of `top`; all where that is 0. Where what
  // they find is the one list of a plan of lists, its top.
  std::size_t per_hit = 0;
  std::size_t least = 0;    // Then at least so many, and at most PlanLimits::kMaxTop.
  // Walks start only at the first ones, above. Others of them have a path if one arrives.
  std::size_t starts = PlanLimits::kMaxTop;
  std::optional<SpaceId> space{};  // Of a vector. Absent: the question's.
  bool keep = true;                // False: walks start there, but the nodes are no candidates.
};

// Where walks start.
enum class ExpandFrom : std::uint8_t {
  kSeeds,
  // The hits of the plan without expansion, each with its relevance / sum of the weights; these and
  // what is reached are then the candidates.
  kHits,
  // Only the keys, which have no walk of their own. Paths lead to the best `top` nodes that are
  // reached, seeds of other kinds included.
  kKeys,
};
inline constexpr std::size_t kExpandFroms = 3;

struct PlanExpand {
  int hops = 0;  // 0..kMaxHops.
  Direction direction = Direction::kBoth;
  double decay = 0.5;    // In (0, 1], once a hop.
  EdgeKinds kinds = {};  // Walked, counted by graph and PageRank. No list: all facts.
  // Above 0: a seed with more arcs is a hub, and what is next to it says little: none is followed.
  std::uint64_t arcs = 0;
  std::size_t top = 1'000;  // Nodes that are reached and no seeds: the best by path.
  std::size_t per_hit = 0;  // Or so many times the plan's top, as above, if more.
  std::uint64_t max_arcs = 0;  // Above 0: what walks follow in all, if the budget allows more.
  ExpandFrom from = ExpandFrom::kSeeds;
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
  // Hits have such a term without a weight, too, if the question has something for it.
  std::array<bool, kPlanTerms> shown = {};
  std::int64_t half_life_ms = std::int64_t{30} * 86'400'000;  // Of age and recency.
  std::int64_t full_count = 100;                              // Uses for which frequency is 1.

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
  double rank_constant = kFusionRank;  // Of rrf and lists, 0 to kMaxRankConstant.
  std::size_t top = 10;                // 0: all candidates; not of mmr.
};

std::string_view SeedByName(SeedBy by);        // "vector" ...
std::string_view PlanTermName(PlanTerm term);  // "similarity" ...
std::string_view FusionName(Fusion fusion);    // "sum" ...
std::string_view ExpandFromName(ExpandFrom from);  // "seeds" ...

// A plan by its name. `json` says the same for people.
struct NamedPlan {
  std::string_view name = {};
  std::string_view summary = {};
  std::string_view json = {};
  RetrievalPlan plan = {};
};
//   lists      by words, by vector, and what 2 hops from the keys reach; each list's own order,
//              several fused by their ranks
//   rerank     3 top by vector; similarity 0.7, graph 0.3
//   multi-hop  from keys, along edges; path 0.4, similarity 0.6; nodes without a vector are skipped
//   dual       by words and by vector, 2 hops from these and from keys
//   rag        rerank, then walks from all its hits (of 0 hops)
//   recall     by names, words, vector and keys, and one edge from the first of them; words 1,
//              similarity 1, path 1
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
  std::span<const NodeWeight> keys = {};     // Weights above 0; from seeds, at most 1.
  std::string_view text = {};                // Of the terms; names are looked for in it, if given.
};

// A term of the caller, each value in [0, 1] or cut to it: of the list; else of the first
// of the columns in which the node has one; else `otherwise`.
struct NodeValues {
  std::span<const NodeWeight> list = {};   // REQUIRES ascending nodes.
  std::span<const ColumnId> columns = {};  // Of type f64.
  std::optional<double> otherwise{};       // Absent: the node lacks the term.
};

// Whom the term scope prefers: nodes of one of the scopes, or with one of the tags.
struct PreferredNodes {
  std::span<const std::string> scopes = {};
  std::span<const NodeId> tags = {};  // Index nodes of kind tag.
  bool given() const { return !scopes.empty() || !tags.empty(); }
  // The scope or tag that the node has; "": none. O(tags of the node). Threads: thread-safe.
  std::string_view Of(const Snapshot& snapshot, NodeId node) const;
};

struct RetrieveOptions {
  const NodeSubset* subset = nullptr;  // Nodes that may be walked and found. Null: all facts.
  std::int64_t now_ms = kNoTime;       // For age and recency. kNoTime: the snapshot's time.
  std::int64_t valid_at = kNoTime;     // Edges valid at this time. kNoTime: of any time.
  NodeValues salience = {}, outcome = {};
  PreferredNodes preferred = {};
  std::size_t hits = 0;  // Above a plan's top of 1 and more: so many are returned, if there are.
  bool measure_hits = false;  // Fills RetrieveHit::measured by words and vector in any case.
  SimdLevel level = SimdLevel::kBest;
  std::optional<Prefilter> prefilter = {};  // Of seeds by vector, as in NearestOptions.
  // budget: for each stage by itself, as Nearest, Bm25, Traverse, PageRankPush and Rerank count.
  RunOptions run = {};
};

// What the parts of a question know of a hit, as their kernels measure it. Absent: nothing.
struct HitMeasures {
  std::optional<double> words = {};       // BM25.
  std::optional<double> similarity = {};  // vectors.h
  std::optional<double> path = {};        // The product of the walk to it, of one hop and more.
  std::uint32_t words_matched = 0;        // Distinct ones.
  bool phrase_matched = false;
  bool operator==(const HitMeasures&) const = default;
};

struct RetrieveHit {
  NodeId node = kNoNode;
  double score = 0;
  double relevance = 0;
  std::vector<ScoreTerm> terms;      // Those with a weight, or shown, in order of PlanTerm.
  std::vector<std::uint32_t> ranks;  // Of rrf, lists: places in each term's list, from 1. 0: none.
  std::uint32_t found_by = 0;        // Bit i: by the plan's seeds[i].
  int hops = 0;                      // Of the path below.
  NodeId seed = kNoNode;             // Where it starts; kNoNode: no walk arrives.
  std::vector<PathEdge> path;        // The walk that the path term is of.
  HitMeasures measured;              // Of terms with a weight or shown, and of seeds by words.
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
  // Distinct words of the question, phrases apart. Absent: not asked, or the time was up.
  std::optional<std::uint32_t> word_count;
  RetrieveStats stats;
};

// Computes: the best nodes for a question by a plan.
// Complexity: that of its stages: Nearest, Bm25, Bm25Of what it did not find, Traverse,
// PageRankPush, the candidates' rows and vectors, and O(top * candidates *
//   dimensions) for mmr. Filters cost what EvaluateWhere does, and the carriers of an inscription.
// Errors: those of CheckPlan. kInvalidArgument: a kind or space out of range, a question that has
//   nothing for any of the seeds or lacks what a required term needs, a vector without a space, a
//   weight of a key out of range, a column of another type, a preferred tag that is none;
//   "filter.where: ..." of EvaluateWhere. kNotFound: a key that was removed. kCorruption: from the
//   payload store. kResourceExhausted: no memory.
// Threads: thread-safe. The bits are the same at any thread count, but for `stats`.
Result<RetrieveResult> Retrieve(const Snapshot& snapshot, const RetrievalPlan& plan,
                                const RetrieveQuery& question, const RetrieveOptions& options = {});

}  // namespace plexus::retrieval
