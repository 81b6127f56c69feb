// Traversal: breadth-first search, weighted multi-hop search, regular path queries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/arrays/views.h"
#include "engine/error.h"
#include "engine/schema.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus::traversal {

// --- Breadth-first search: depths and parents from one or many sources.
//
// A large level is found from the other side, by unvisited nodes that look for a neighbour in it:
// direction-optimising search (Beamer, Asanovic, Patterson, 2012).

inline constexpr std::uint32_t kUnreached = 0xFFFFFFFFu;

struct BfsOptions {
  std::uint32_t max_depth = kUnreached;  // Hops. kUnreached: no limit.
  Direction direction = Direction::kOut;
  GraphFilter filter = {};  // subset: sources need not be in it.
  RunOptions run = {};
  std::string resume = {};  // BfsResult::resume of an earlier call. Both budgets then add up.
};

struct BfsNode {
  NodeId node = kNoNode;
  std::uint32_t depth = 0;
  NodeId parent = kNoNode;  // The smallest neighbour one level up. kNoNode for sources.
  bool operator==(const BfsNode&) const = default;
};

struct BfsResult {
  std::vector<BfsNode> nodes;  // By depth, then id. Sources come first.
  bool truncated = false;
  std::uint64_t edges = 0;  // Arcs read.
  std::string resume;       // When truncated: a token that continues the search (README).
};

// Computes: the depth and a parent of every node within max_depth hops of a source.
// Complexity: O(nodes and arcs touched), whatever the size of the graph.
// Memory: O(nodes and arcs touched).
// Errors: kInvalidArgument: a kind or source out of range, or a `resume` of another query.
//   kNotFound: a source that was removed. kFailedPrecondition: a `resume` of another version of the
//   graph. kResourceExhausted: no memory.
// Threads: thread-safe. The bits are the same at any thread count.
Result<BfsResult> Bfs(const Snapshot& snapshot, std::span<const NodeId> sources,
                      const BfsOptions& options = {});

// --- Breadth-first search from up to 64 sources at once, one bit lane a source.
//
// The lanes of a node are one 64-bit word, so one read of an arc serves every search at its end
// (Then and others, "The more the merrier", 2014). Small levels are pushed from a list, large ones
// pulled by nodes that a search has not reached. It pays from some 8 sources on.

inline constexpr std::size_t kBfsLanes = 64;

struct MultiBfsResult {
  NodeId sources = 0;
  // depths[node * sources + source], or kUnreached. Empty without MultiBfsOptions::depths.
  std::vector<std::uint32_t> depths;
  // levels[source][d]: nodes at depth d. The last level has a node.
  std::vector<std::vector<std::uint64_t>> levels;
  bool truncated = false;  // Present values are right, deeper levels may be missing.
};

struct MultiBfsOptions {
  std::uint32_t max_depth = kUnreached;
  bool depths = false;  // Fills depths: nodes * sources * 4 bytes.
  Direction direction = Direction::kOut;
  GraphFilter filter = {};
  // budget: nodes are (node, source) pairs reached, edges the arcs that leave the nodes of a level.
  // It is checked between levels. nodes = 0 reaches not even the sources, as in Bfs.
  RunOptions run = {};
};

// Computes: level sizes, and depths on demand, of each source. A source may occur twice and need
//   not be in the subset. A source of the index plane reaches nothing while only fact kinds are
//   followed.
// Complexity: O(levels * nodes / 8 + arcs) on graphs of few levels, where lanes reach the same
//   nodes at the same depth. On deep graphs (chains, grids) a node is read once for each depth at
//   which a lane reaches it, and single searches are faster.
// Errors: kInvalidArgument: no source or more than kBfsLanes, or a kind or source out of range.
//   kNotFound: a source that was removed. kResourceExhausted: no memory.
// Threads: thread-safe and deterministic.
Result<MultiBfsResult> MultiBfs(const Snapshot& snapshot, std::span<const NodeId> sources,
                                const MultiBfsOptions& options = {});

// The same on bare arrays: `in` is the transpose of `out`. Filter and direction of the options are
// not read. REQUIRES 1..kBfsLanes sources below out.node_count().
Result<MultiBfsResult> MultiBfsCsr(const CsrView& out, const CsrView& in,
                                   std::span<const NodeId> sources,
                                   const MultiBfsOptions& options = {});

// --- Traverse: weighted multi-hop search from seeds, exact, with the path as proof.
//
// The value of a walk of k hops is seed weight * product over its arcs of (weight * decay). Values
// of all walks of 1..hops arcs are aggregated a node, layer by layer (L0 = the seeds; recurrences
// run over the followed arcs u->v):
//   max       L_k(v) = max L_{k-1}(u) w d;            score = max over k of L_k(v)
//   min       L_k(v) = min L_{k-1}(u) w d;            score = min over k of L_k(v)
//   sum       L_k(v) = sum L_{k-1}(u) w d;            score = sum over k of L_k(v)
//   noisy-or  L_k(v) = 1 - prod(1 - min(1, L_{k-1}(u) w d));
//             score = 1 - prod over k of (1 - L_k(v))
// Labels are a node and hop, because under a hop bound the best prefix may be the longer one. Walks
// may revisit nodes. With weights * decay in (0, 1] max is the best simple path, above 1 the best
// walk of at most `hops` arcs. A self-loop is one arc. Sources: Bellman ("On a routing problem",
// 1958) and Ford (1956), with products for sums; noisy-or: Pearl, "Probabilistic Reasoning in
// Intelligent Systems", 1988, 4.3.2, walks taken as independent.
//
// The path is the walk of the score (max, min) or the best single walk (sum, noisy-or). Ties go to
// the fewest hops, smaller ids, the edge out of the node walked from (or symmetric), then smaller
// kind and label.

inline constexpr int kMaxHops = 16;

enum class Aggregate : std::uint8_t { kMax, kSum, kMin, kNoisyOr };

struct TraverseOptions {
  int hops = 3;  // 0..kMaxHops.
  Direction direction = Direction::kOut;
  Aggregate aggregate = Aggregate::kMax;
  double decay = 1.0;          // In (0, 1], applied once a hop.
  std::size_t top = 100;       // Best first, ties by id. 0: all.
  bool paths = true;           // Fills TraverseHit::path.
  bool include_seeds = false;  // Lists seeds, with their weight and returning walks.
  GraphFilter filter = {};     // subset: seeds need not be in it.
  RunOptions run = {};
  // TraverseResult::resume of an earlier call. Both budgets add up.
  std::string resume = {};
};

struct TraverseHit {
  NodeId node = kNoNode;
  double score = 0;
  int hops = 0;           // Of the path.
  NodeId seed = kNoNode;  // The start of the path.
  std::vector<PathEdge> path;
};

struct TraverseResult {
  std::vector<TraverseHit> hits;
  bool truncated = false;   // By the budget. `top` does not set it.
  std::uint64_t nodes = 0;  // Labels made, seeds included.
  std::uint64_t edges = 0;  // Arcs followed.
  std::string resume;       // When truncated: a token that continues the search (README).
  // MatchPattern: hits with an empty path.
  std::uint64_t paths_left_out = 0;
};

// Computes: the best nodes within `hops` of the seeds. A seed given twice has the larger weight
//   (max, noisy-or), the smaller (min) or the sum (sum).
// Complexity: O(nodes and arcs touched), at most O(hops * (nodes + arcs)). A layer with more than
//   one node in 16 is pulled over the selection, in parallel. Under max with `top` and weights at
//   most 1, labels that cannot enter the list are skipped; the first search of this kind reads all
//   weights once. Hits are the same, but `nodes`, `edges` and the point where their budgets stop
//   then depend on the storage shape.
// Memory: a label a node and layer reached, at most O(hops * nodes).
// Errors: kInvalidArgument: hops, decay, a kind, or a seed's id or weight out of range, or a
//   `resume` of another query. kNotFound: a removed seed. kFailedPrecondition: a `resume` of
//   another version of the graph. kResourceExhausted: no memory.
// Threads: thread-safe. The bits are the same at any thread count.
Result<TraverseResult> Traverse(const Snapshot& snapshot, std::span<const NodeWeight> seeds,
                                const TraverseOptions& options = {});

// --- Regular path queries: nodes joined to a start by walks whose edge kinds match a pattern, e.g.
// "depends_on+ contradicts".
//
//   pattern   = sequence { "|" sequence }
//   sequence  = item { ( " " | "/" ) item }
//   item      = [ "^" ] ( kind | "." | "(" pattern ")" )
//               { "*" | "+" | "?" | "{m}" | "{m,}" | "{m,n}" }
//   kind      = an edge kind's name or inverse name; quoted ("a b" or 'a.b') when it has
//               blanks or one of / | ^ . ( ) * + ? { } " ' in it; the quote
//               inside is written twice
//
// "." is any kind of the fact plane. "^" walks against the edges' direction (of a group: its steps
// reversed, last one first). Symmetric kinds are walked both ways. The syntax is that of SPARQL
// 1.1's property paths, with GQL's walk semantics: a walk may revisit nodes. A pattern becomes a
// position automaton (Glushkov, 1961): one state a step, no empty moves, a set of states in one
// word. The search runs over (node, state) pairs.

// A compiled pattern. It serves graphs whose schema extends the one it was compiled with, because
// kinds keep their ids. Threads: immutable, freely shared.
class PathPattern {
 public:
  static constexpr std::size_t kMaxBytes = 1024;
  static constexpr std::size_t kMaxSteps = 63;  // Kinds in it, with repeats written out.
  static constexpr std::size_t kMaxDepth = 32;  // Of parentheses.

  // Complexity: O(kMaxSteps^2), whatever the text.
  // Errors: kInvalidArgument: another form, an unknown kind, or a limit exceeded; the message names
  //   the 1-based byte. kResourceExhausted: no memory.
  static Result<PathPattern> Parse(std::string_view text, const Schema& schema);

  struct Step {
    EdgeKindId kind = kNoEdgeKind;  // kNoEdgeKind: any kind of the fact plane.
    bool inverse = false;
    std::uint64_t next = 0;  // Steps that may follow.
  };
  const std::vector<Step>& steps() const { return steps_; }
  std::uint64_t first() const { return first_; }         // Steps that may begin.
  std::uint64_t accept() const { return accept_; }       // Steps that may end.
  bool matches_empty() const { return matches_empty_; }  // A start matches by itself.
  std::string_view text() const { return text_; }

 private:
  friend class PatternParser;
  std::vector<Step> steps_;
  std::uint64_t first_ = 0, accept_ = 0;
  bool matches_empty_ = false;
  std::string text_;
};

// kFewestHops: every matching node once, by the fewest hops. kBestProduct: by the best product of
// weights over matching walks of at most `hops`, as Traverse's max.
enum class PatternOrder : std::uint8_t { kFewestHops, kBestProduct };

struct PatternOptions {
  static constexpr std::uint32_t kMaxProductHops = 64;
  static constexpr std::uint32_t kNoLimit = 0xFFFFFFFFu;
  static constexpr std::uint64_t kMaxPathSteps = 2'000'000;  // Of all paths of a reply together.

  PatternOrder order = PatternOrder::kFewestHops;
  std::uint32_t hops = kNoLimit;       // kBestProduct: at most kMaxProductHops; kNoLimit = 16.
  std::size_t top = 100;               // 0: all.
  bool paths = true;                   // Fills TraverseHit::path, up to kMaxPathSteps.
  std::int64_t valid_at = kNoTime;     // Only edges valid then.
  const NodeSubset* subset = nullptr;  // Starts need not be in it.
  RunOptions run = {};                 // budget: nodes are labels. executor: not used.
  std::string resume = {};             // TraverseResult::resume of an earlier call.
};

// Computes: the nodes joined to a start, with a walk as proof: fewest hops first (ties by id), or
//   best product first. `score` is the product times the start's weight, `hops` the length of the
//   walk. A start is listed when a walk returns to it or the pattern matches the empty walk. Nodes
//   are alive facts, and index nodes when the pattern names an index kind. Paths that no longer fit
//   in kMaxPathSteps, best hit first, stay empty and count in `paths_left_out`.
// Complexity: O(labels and arcs touched + kMaxPathSteps). A label is a (node, state) pair, and a
//   hop under kBestProduct.
// Errors: kInvalidArgument: a start's id or weight, hops, a kind that the graph lacks, or a foreign
//   `resume`. kNotFound: a removed start. kFailedPrecondition: a `resume` of another version of the
//   graph. kResourceExhausted: no memory.
// Threads: thread-safe, serial. The bits are the same on every storage shape.
Result<TraverseResult> MatchPattern(const Snapshot& snapshot, const PathPattern& pattern,
                                    std::span<const NodeWeight> starts,
                                    const PatternOptions& options = {});

}  // namespace plexus::traversal
