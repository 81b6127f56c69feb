// What options and results of kernels hold: the part of the graph (GraphFilter, NodeSubset),
// weights (EdgeWeighting), limits (Budget), threads (RunOptions), the instruction set (SimdLevel);
// scored and weighted nodes, rankings, steps of a path, what a call prepared. And the selected part
// as bare arrays (DenseView).
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/arrays/views.h"
#include "engine/error.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

// --- Budget: how much a kernel may spend before it stops and sets `truncated`.
//
// A kernel that runs out returns a partial result. Every value in the reply is right for the part
// of the graph that was read. Node and edge limits stop at the same place at any thread count. A
// deadline or a cancel flag does not.

struct Budget {
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t nodes = kUnlimited;  // Nodes reached (Traverse: labels).
  std::uint64_t edges = kUnlimited;  // Arcs followed.
  // The kernel stops after this time.
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  const std::atomic<bool>* cancel = nullptr;  // Any thread may set it to stop the kernel.

  // True when the deadline has passed or the cancel flag is set.
  bool Interrupted() const {
    if (cancel && cancel->load(std::memory_order_relaxed)) return true;
    return deadline && std::chrono::steady_clock::now() >= *deadline;
  }
};

// --- NodeSubset: an immutable set of nodes, one bit each.
//
// Scopes, visible nodes (memory/visibility/visibility.h), the active set of a traversal and
// explicit lists are subsets. Bits lie in pages that sets share: a copy costs a pointer a page, a
// changed set (With) the pages that differ. Bits past the last node are 0.
//
// Threads: every const member is thread-safe, and sets are freely shared.

class NodeSubset {
 public:
  NodeSubset() = default;
  // From words: bit v % 64 of word v / 64 is node v. Bits at or past `capacity` are cleared.
  // REQUIRES words.size() == ceil(capacity / 64).
  NodeSubset(NodeId capacity, std::vector<std::uint64_t> words);

  // The alive nodes of the fact plane. O(nodes).
  static NodeSubset Facts(const Snapshot& snapshot);
  // The alive nodes of both planes. O(nodes).
  static NodeSubset Alive(const Snapshot& snapshot);
  // The alive fact nodes whose scope is in `scopes`. "user" includes nodes without a scope. An
  // unused name selects nothing. The graph can keep its nodes in order of scope and kind, which
  // follows every batch: then O(members + nodes / 64) ("user": O(nodes with a scope) more), else
  // O(nodes). `keep_orders`: make the order where it is not kept, O(nodes log nodes).
  // kCancelled: deadline or cancel flag of `budget`.
  static Result<NodeSubset> InScopes(const Snapshot& snapshot,
                                     std::span<const std::string_view> scopes,
                                     bool keep_orders = false, const Budget& budget = {});
  // The alive nodes of these kinds, of both planes; `keep_orders` as above.
  static NodeSubset OfKinds(const Snapshot& snapshot, std::span<const NodeKindId> kinds,
                            bool keep_orders = false);
  // Computes: exactly these nodes. Duplicates and removed nodes are accepted; kernels skip removed
  //   ones.
  // Errors: kInvalidArgument: an id that the snapshot does not have (the message names it).
  //   kResourceExhausted: no memory.
  static Result<NodeSubset> Of(const Snapshot& snapshot, std::span<const NodeId> nodes);

  // This set for `capacity` nodes, in which `changed` are members or not, by `member`. New ids are
  // no members unless named. O(pages + changed). REQUIRES capacity >= capacity() and changed ids
  // below it.
  struct Change {
    NodeId node = {};
    bool member = {};
  };
  NodeSubset With(NodeId capacity, std::span<const Change> changed) const;

  // The members of both sets. O(nodes / 64).
  NodeSubset Intersect(const NodeSubset& other) const;
  // The members of this set that are none of the other. O(nodes / 64).
  NodeSubset Except(const NodeSubset& other) const;
  // The members of either set, below the capacity of this one. O(nodes / 64).
  NodeSubset Unite(const NodeSubset& other) const;

  bool contains(NodeId node) const {
    return node < capacity_ &&
           (pages_[node / kPageNodes][node % kPageNodes / 64] >> (node % 64)) & 1;
  }
  NodeId capacity() const { return capacity_; }   // Ids at or past it are not members.
  std::uint64_t count() const { return count_; }  // Members. O(1).
  std::size_t word_count() const { return (std::size_t{capacity_} + 63) / 64; }
  // Bit v % 64 of word v / 64 is node v. REQUIRES w < word_count().
  std::uint64_t word(std::size_t w) const { return pages_[w / kPageWords][w % kPageWords]; }
  std::uint64_t size_bytes() const;
  std::vector<NodeId> ToList() const;              // Ascending.
  bool operator==(const NodeSubset& other) const;  // Same members.

 private:
  std::vector<std::uint64_t> ToWords() const;

  static constexpr NodeId kPageNodes = NodeId{1} << 15;
  static constexpr std::size_t kPageWords = kPageNodes / 64;

  NodeId capacity_ = 0;
  std::uint64_t count_ = 0;
  std::vector<const std::uint64_t*> pages_;  // the last may end with the words of its capacity
  std::vector<std::shared_ptr<const void>> owners_;  // of the pages
};

// --- Which scopes the nodes of a graph have.

// Computes: those of `scopes` that no alive node has, of either plane, in their order. Nodes
//   without a scope have kDefaultScope, which is always in use.
// Complexity: O(scopes log nodes) where the graph keeps its nodes in order of scope
//   (NodeSubset::InScopes), else O(nodes).
// Errors: kCancelled: deadline or cancel flag of `budget`.
// Threads: thread-safe.
Result<std::vector<std::string_view>> UnusedScopes(const Snapshot& snapshot,
                                                   std::span<const std::string_view> scopes,
                                                   const Budget& budget = {});

// Computes: the scopes that alive nodes have in their column, of both planes, ascending.
// Complexity: O(scopes log nodes) where the order is kept, else O(nodes).
// Errors, threads: as above.
Result<std::vector<StringId>> ScopesInUse(const Snapshot& snapshot, const Budget& budget = {});

// --- GraphFilter: the part of a graph that a kernel reads. The options of every kernel hold one.
//
//   plexus::pagerank::PageRank(snapshot, {.filter = {.kinds = {causes}, .subset = &visible}});
//
// A kernel that reads a field in another way documents it in its own options.

struct GraphFilter {
  EdgeKinds kinds = {};  // Edges of these kinds. No list: the fact plane; empty: none.
  std::int64_t valid_at = kNoTime;     // Edges valid at this time, in ms. kNoTime: of any time.
  const NodeSubset* subset = nullptr;  // These nodes and the edges between them. Null: all.
};

// --- EdgeWeighting: the effective weight of an edge, by kind and by age.
//
//   w'(e) = w(e) * m(kind of e) * 2^(-age(e) / h(kind of e)),   age = max(0, now - created_at)
//
// m is 1 for kinds without a factor. h is the half-life of the kind (EdgeKind::half_life_ms) or,
// where it has none, the one given here. Weights are computed in f64 when rows are read, then
// rounded to f32 as stored weights are (at most the largest f32). Nothing is stored.

struct KindFactor {
  EdgeKindId kind = kNoEdgeKind;
  double factor = 1;
  bool operator==(const KindFactor&) const = default;
};

struct EdgeWeighting {
  std::vector<KindFactor> factors = {};  // Finite, >= 0, a kind once. At 0 the arcs have no weight.
  std::int64_t now_ms = kNoTime;    // Ages end here. kNoTime: nothing ages.
  std::int64_t half_life_ms = 0;    // For kinds without their own. 0: these do not age.

  // True when every edge keeps its stored weight.
  bool as_stored() const { return factors.empty() && now_ms == kNoTime && half_life_ms == 0; }
  bool operator==(const EdgeWeighting&) const = default;
};

// --- RunOptions: limits and threads of a call. The options of every kernel hold one.
//
//   plexus::community::Leiden(snapshot, {.run = {.budget = {.deadline = at}, .executor = &pool}});

struct RunOptions {
  // Each kernel documents what its nodes and edges count, and how often it checks deadline and
  // cancel flag.
  Budget budget = {};
  // The threads. Null: DefaultExecutor(). Kernels of one thread do not use it.
  Executor* executor = nullptr;
};

// --- SimdLevel: the instruction level of a vector kernel.
//
// A vector kernel is compiled as scalar code, for AVX2 and for AVX-512. Tests force a level. All
// others take the best one of the machine, but none above what the environment variable PLEXUS_SIMD
// names ("scalar" or "avx2"), which is read once.

enum class SimdLevel : std::uint8_t { kBest, kScalar, kAvx2, kAvx512 };

// True when this machine has the level. kBest and kScalar always are.
bool HasSimdLevel(SimdLevel level);
// The level that kBest means in this process.
SimdLevel BestSimdLevel();
// "scalar", "avx2", "avx512" or "best".
std::string_view SimdLevelName(SimdLevel level);

// --- NodeWeight: a start node of a kernel and its weight.

struct NodeWeight {
  NodeId node = kNoNode;
  double weight = 1;
  bool operator==(const NodeWeight&) const = default;
};

// --- Ranking: top scores, scores divided by the maximum, percentile ranks.
//
// PageRank sums to 1, so a raw score says little. Thresholds ("salience above 0.7") use the
// percentile. `nodes` holds the ids that take part; the others get 0. REQUIRES scores without NaN.
//
// Errors: kResourceExhausted: no memory. Threads: thread-safe; they run on the caller's thread.

struct ScoredNode {
  NodeId node = kNoNode;
  double score = 0;
  bool operator==(const ScoredNode&) const = default;
};

// Computes: the `top` best of `nodes`, best first, ties by smaller id. 0 = all of them.
// Complexity: O(n + top log top) expected.
Result<std::vector<ScoredNode>> TopScores(std::span<const double> scores, const NodeSubset& nodes,
                                          std::size_t top);

// Computes: score / largest score. All are 0 when the largest is 0.
// Complexity: O(n).
Result<std::vector<double>> ScaleByMaximum(std::span<const double> scores, const NodeSubset& nodes);

// Computes: the share of other nodes with a smaller score; ties count half. The best of distinct
//   scores gets 1, the worst 0. Equal scores all get 0.5, and so does a single node.
// Complexity: O(n log n).
Result<std::vector<double>> PercentileRanks(std::span<const double> scores,
                                            const NodeSubset& nodes);

// --- PathEdge: one step of a path in a reply, as an edge in its own direction.

// Steps are in walking order. A step against the edge's direction has the node walked to as
// `source`. `label` distinguishes parallel edges.
struct PathEdge {
  NodeId source = kNoNode;
  NodeId target = kNoNode;
  EdgeKindId kind{};
  StringId label = 0;
  float weight = 1.0f;
  bool operator==(const PathEdge&) const = default;
};

// --- RunStats: what a call prepared and moved, for tuning and benches. Answers do not need it.

struct RunStats {
  // Time for layout, strengths and packed rows. Near 0 when they were kept.
  double preparation_ms = 0;
  std::uint64_t layout_bytes = 0;  // Of a private layout of the arcs. 0: plain rows were read.
  // Iterations that repay a layout for a graph of this shape, measured
  // (bench/notes/kernels/pagerank.md). 0: plain rows are never slower.
  int break_even_iterations = 0;
  // Modelled: every array of the kernel once, each cache line used to its end.
  std::uint64_t bytes_per_iteration = 0;
};

// --- DenseView: the selected nodes of a Snapshot renumbered 0..k-1, as bare arrays.
//
// Kernels over the whole graph want one csr of exactly their nodes and arcs, without removed nodes,
// hidden kinds or a delta. Where the base arrays are that csr, the view points at them, and at
// weights as floats, which are made once for each base that holds codes. Otherwise the rows are
// packed once, in parallel. Ids and rows keep their order, so sums have the same bits
// either way.
//
// Threads: immutable, freely shared. An unpacked view keeps its Snapshot alive.

struct DenseViewOptions {
  bool out = true;  // Directions to make.
  bool in = true;
  bool weights = true;  // Rows that are not packed have none when all weights are 1.
  // Other weights than stored ones. Rows are then packed. REQUIRES `weights`.
  EdgeWeighting arc_weights = {};
  GraphFilter filter = {};
  // Kinds followed from target to source. Rows are then packed.
  std::vector<EdgeKindId> reversed = {};
  Executor* executor = nullptr;
};

class DenseView {
 public:
  // Computes: the view of the selected part of a snapshot.
  // Complexity: O(nodes + arcs). O(kinds) when the base arrays serve and weights lie as floats, or
  //   when no rows are wanted and no node is left out.
  // Memory: the packed rows, 4 bytes an arc and direction, 4 more with weights. Of a base that
  //   holds its weights as codes 4 with weights, kept with it.
  // Errors: kInvalidArgument: a kind out of range, a reversed kind that is not followed, or
  //   arc_weights out of range or without `weights`. kResourceExhausted: more
  //   arcs than a csr holds, or no memory.
  // Threads: thread-safe.
  static Result<DenseView> Make(const Snapshot& snapshot, const DenseViewOptions& options = {});

  NodeId node_count() const { return node_count_; }
  CsrView out() const { return out_; }  // Packed rows hold no kinds.
  CsrView in() const { return in_; }
  bool packed() const { return parts_ != nullptr; }

  // The snapshot's node of a dense id. REQUIRES dense < node_count().
  NodeId node(NodeId dense) const;
  // The dense id of a snapshot's node, kNoNode when it is not selected.
  NodeId dense(NodeId node) const;
  // The selected nodes. O(1) when packed, else O(nodes / 64).
  NodeSubset nodes() const;

  // The same view without the packed rows of a direction. They are freed unless other views share
  // them. Unpacked views stay as they are.
  DenseView WithoutRows(Direction direction) const;
  std::uint64_t size_bytes() const;  // Of the packed rows.

 private:
  struct Parts;
  struct PackedRows;
  Snapshot snapshot_;
  NodeId node_count_ = 0;
  CsrView out_, in_;
  std::shared_ptr<const Parts> parts_;
  std::shared_ptr<const PackedRows> packed_out_, packed_in_;
  std::shared_ptr<const void> out_weights_, in_weights_;  // Of rows that are not packed.
};

}  // namespace plexus
