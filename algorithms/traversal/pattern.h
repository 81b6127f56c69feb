// Regular path queries: nodes joined to a start by walks whose edge kinds match a pattern, e.g.
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
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/common/options.h"
#include "algorithms/traversal/traverse.h"
#include "engine/error.h"
#include "engine/schema.h"
#include "engine/snapshot.h"

namespace plexus {

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

}  // namespace plexus
