// Regular path queries: which nodes are joined to a start by walks whose edge kinds
// spell a pattern, e.g. "depends_on+ contradicts".
//
//   pattern   = sequence { "|" sequence }
//   sequence  = item { ( " " | "/" ) item }
//   item      = [ "^" ] ( kind | "." | "(" pattern ")" )
//               { "*" | "+" | "?" | "{m}" | "{m,}" | "{m,n}" }
//   kind      = an edge kind's name or inverse name; quoted ("a b" or 'a.b') when it has
//               blanks or one of / | ^ . ( ) * + ? { } " ' in it
//
// "." is any kind of the fact plane, "^" walks against the edges' direction (of a group:
// its steps turned around, last one first). Symmetric kinds are walked both ways always.
// The words are those of SPARQL 1.1's property paths and GQL's walk semantics: a walk may
// come back to a node. Compiled to a position automaton (Glushkov, 1961): one state a step
// of the pattern, no empty moves; a set of states is one 64-bit word. Searched over
// (node, state) pairs, of which a small query touches few.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/common/run_options.h"
#include "algorithms/traversal/traverse.h"
#include "engine/error.h"
#include "engine/schema.h"
#include "engine/snapshot.h"

namespace plexus {

// A compiled pattern; immutable, shared freely between threads. For graphs whose schema
// goes on from the one it was compiled with: kinds keep their ids.
class PathPattern {
 public:
  static constexpr std::size_t kMaxBytes = 1024;
  static constexpr std::size_t kMaxSteps = 63;  // kinds in it, repeats written out
  static constexpr std::size_t kMaxDepth = 32;  // of parentheses

  // kInvalidArgument: not of the form above, an unknown kind, over a limit; the message
  // names the place as a 1-based byte. O(kMaxSteps^2) whatever the text.
  static Result<PathPattern> Parse(std::string_view text, const Schema& schema);

  struct Step {
    EdgeKindId kind = kNoEdgeKind;  // kNoEdgeKind: any kind of the fact plane
    bool inverse = false;
    std::uint64_t next = 0;  // steps that may follow
  };
  const std::vector<Step>& steps() const { return steps_; }
  std::uint64_t first() const { return first_; }         // steps that may begin
  std::uint64_t accept() const { return accept_; }       // steps that may end
  bool matches_empty() const { return matches_empty_; }  // a start matches by itself
  std::string_view text() const { return text_; }

 private:
  friend class PatternParser;
  std::vector<Step> steps_;
  std::uint64_t first_ = 0, accept_ = 0;
  bool matches_empty_ = false;
  std::string text_;
};

// kFewestHops: every matching node once, by the fewest hops. kBestProduct: by the best
// product of weights over matching walks of at most `hops`, as Traverse's max.
enum class PatternOrder : std::uint8_t { kFewestHops, kBestProduct };

struct PatternOptions {
  static constexpr std::uint32_t kMaxProductHops = 64;
  static constexpr std::uint32_t kNoLimit = 0xFFFFFFFFu;
  static constexpr std::uint64_t kMaxPathSteps = 2'000'000;  // of all paths of a reply together

  PatternOrder order = PatternOrder::kFewestHops;
  std::uint32_t hops = kNoLimit;       // kBestProduct: at most kMaxProductHops, 0xFFFFFFFF = 16
  std::size_t top = 100;               // 0 = all
  bool paths = true;                   // fill TraverseHit::path, up to kMaxPathSteps
  std::int64_t valid_at = kNoTime;     // only edges valid then
  const NodeSubset* subset = nullptr;  // starts need not be in it
  // budget: nodes are (node, state) labels. executor: not used.
  RunOptions run = {};
  std::string resume;  // TraverseResult::resume of an earlier call
};

// Nodes that a start is joined to, with a walk as proof: fewest hops first (ties by id),
// or best product first. `score` is the walk's product times the start's weight, `hops`
// its length. A start is listed when a walk leads back to it, or the pattern matches the
// empty walk. Nodes are alive facts, and index nodes when the pattern names a kind of the
// index plane. Serial, the same bits on every shape of the graph. O(labels and arcs
// touched + kMaxPathSteps); a label is a (node, state) pair, under kBestProduct and hop.
// Walks may be as long as the graph has pairs, so paths are bounded by themselves: best hit
// first, one that no longer fits in kMaxPathSteps is left empty (its `hops` and `seed` are
// there) and counted in `paths_left_out`. Thread-safe.
// kInvalidArgument: a start's id or weight, hops, a kind the graph does not have, a foreign
// `resume`; kNotFound: a start that was removed; kFailedPrecondition: a `resume` of another
// version of the graph.
Result<TraverseResult> MatchPattern(const Snapshot& snapshot, const PathPattern& pattern,
                                    std::span<const NodeWeight> starts,
                                    const PatternOptions& options = {});

}  // namespace plexus
