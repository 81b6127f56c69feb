// The frontier of a ledger: sets that were never composed, kept up to date, and what came of
// those that were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/memory/ledger/ledger.h"
#include "algorithms/retrieval/plan.h"
#include "engine/error.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus::memory {

// --- Never-composed frontier: pairs and sets of memories that were not together in any event,
// ranked by how much a composition of them promises.
//
// Lenses (MEMORY.md's formulas; vestige's ComposedGraph, three generations):
//   kSurface    shared tags and terms, boundary tags, types, retention, novelty, outcomes
//   kBridge     pairs within three hops of recorded edges
//   kDivergent  pairs without a recorded edge that play different parts in the structure
//   kLikely     pairs and sets that the ledger itself lets expect next
//   kByLedger   kLikely of a ledger of kLikelyEvents alive events and more, which is what the
//               evidence names (LENSES.md), and with options of likely; else kSurface
//
// surface and bridge: score = anchor + band anchor + 2 bridge + 1.5 novelty + trust + adjustment.
// likely: score = tie + 0.25 activity + 0.25 trust + 0.25 adjustment. tie: the mean over the pairs
// of the logarithm of how much the past ties them; each pair must be tied. activity: the logarithm
// of 0.1 + what the least active member was used, lately most. An event of more than 100 members
// ties none of them. All formulas: likely_rows.h and likely_score.h in internal/. Weights
// are options.
// The list is exact: members, scores, order and ties equal those of comparing all sets.

enum class FrontierLens : std::uint8_t { kByLedger, kSurface, kBridge, kDivergent, kLikely };
inline constexpr std::size_t kLikelyEvents = 50;
std::string_view LensName(FrontierLens lens);  // "auto", "surface" ...
// Nothing: no lens has the name.
std::optional<FrontierLens> LensNamed(std::string_view name);
// Of the terms that two texts share: words of the term index, or the ASCII rule on the texts.
// kUnicode: a graph without an index takes the words of its texts, as the tokenizer cuts them.
enum class TermRule : std::uint8_t { kUnicode, kAscii };
// The trust of a set: the mean over its members, or the least. Sets of three and more: the least.
enum class TrustRule : std::uint8_t { kMean, kWeakest };
// One member carries a wanted tag, or every member does.
enum class TagMatch : std::uint8_t { kAny, kBoth };
// How many pairs of the set are already composed: none, some, or all (but never together).
enum class SetLevel : std::uint8_t { kOpen, kPartial, kClosedWedge };

// Pairs whose cosine c is in [least, below) are admitted and anchored by 1 + 2 (c - least).
struct CosineBand {
  std::string space = "default";
  double least = 0.45, below = 0.85;
  NodeId pool_limit = 50'000;  // All pairs are compared: the pool's first this many are.
};

// Of kLikely. Numbers from 0 to 1000, unless said; the defaults were chosen on four histories
// (bench/notes/frontier.md).
struct LikelyOptions {
  // In events: an event counts half as much as one that is so many events newer. 0: a tenth of the
  // ledger. At most 1e12.
  double half_life = 0;
  // Of shared tags and terms, over (events + 50): what counts while the ledger is young.
  double shared_weight = 25;
  double activity_weight = 0.25, trust_weight = 0.25, outcome_weight = 0.25;
  bool operator==(const LikelyOptions&) const = default;
};

struct NeverComposedOptions {
  FrontierLens lens = FrontierLens::kByLedger;
  int arity = 2;         // 2 to 5; kBridge and kDivergent: 2.
  std::size_t top = 10;  // 1 to kMaxNeverComposedTop.
  // Of visibility, and of the edges that a lens walks. kNoTime: the snapshot's.
  std::int64_t now_ms = kNoTime;
  bool include_superseded = false;
  const NodeSubset* pool = nullptr;  // Null: visible facts but turns and episodes.
  // Only what lies in it counts: nodes that a lens walks through, events by all their members.
  // Index nodes but events and outcomes need not be in it. Null: everything.
  const NodeSubset* inside = nullptr;
  // Wanted tags: a tag that is equal or begins with `wanted:`. None: every set.
  std::vector<std::string> tags = {};
  TagMatch match = TagMatch::kAny;
  TermRule terms = TermRule::kUnicode;
  TrustRule trust = TrustRule::kMean;
  std::optional<CosineBand> band = {};
  std::optional<SetLevel> level = {};  // Only sets of this level.
  EdgeKinds kinds = {};         // kBridge, kDivergent, structural fit. No list: all fact kinds but
                                // suppressing ones and contradicts.
  bool structural_fit = false;  // Report it.
  double structural_fit_weight = 0;  // A term of the score.
  double min_structural_fit = -1;    // Sets below it are not admitted; -1: all are.
  LikelyOptions likely = {};
  // `next` of the page before, asked with the same now_ms and options; "" = the first page.
  std::string cursor = {};
  RunOptions run = {};
};

inline constexpr std::size_t kMaxNeverComposedTop = 10'000;

struct NeverComposedSet {
  std::vector<NodeId> members;     // Ascending.
  std::vector<std::string> types;  // Of the members.
  double score = 0;
  std::vector<retrieval::ScoreTerm>
      terms;  // The score is their ScoreOf; values may lie outside of [0, 1].
  double novelty = 0, bridge = 0, anchor = 0, adjustment = 0;
  double mean_trust = 0, min_trust = 0;
  std::optional<double> cosine, structural_fit;
  std::vector<std::string> shared_tags, boundary_tags, shared_terms, prior_outcomes;
  std::vector<NodeId> prior_events;  // Of any member, with an outcome: the newest ten.
  std::string_view outcome_signal;   // "clean", "prior_success" ...
  SetLevel level = SetLevel::kOpen;
  std::vector<NodeId> proof;  // kBridge: the shortest path, ties by ids.
  std::uint32_t hops = 0;     // kBridge, kDivergent: of the shortest path.
  double divergence = 0;      // kDivergent.
  // kLikely: members of the pool that were used with two of these, those that tie most first.
  std::vector<NodeId> partners;
  std::string reason, question;
};

struct NeverComposedPage {
  FrontierLens lens = FrontierLens::kSurface;  // That was asked.
  std::vector<NeverComposedSet> sets;          // Best first, ties by smaller ids.
  // The cursor of the next page; "" = this was the last one. kDivergent: of the measured pairs; the
  // juxtapositions are a sample of the size of a page, which no later page continues.
  std::string next;
  std::string why_empty;       // A sentence when there is nothing.
  bool truncated = false;      // By the budget.
  bool pool_cut = false;       // By the band's pool limit.
  std::uint64_t pool = 0;      // Memories that may be members.
  std::uint64_t compared = 0;  // Sets whose shared neighbours were looked at.
  std::uint64_t scored = 0;    // Sets scored exactly.
  std::uint64_t pruned = 0;    // Sets that a bound excluded.
};

// Computes: the best sets that no event has whole.
// Complexity: O(arcs of the pool's tags and terms), then the sets that bounds cannot exclude.
// Memory: at most that of the graph.
// Errors: kInvalidArgument: an option out of range, a cursor of another sequence or question.
//   kUnsupported: an option that the lens does not have. kResourceExhausted: no memory.
// Threads: thread-safe. The list is the same at any thread count.
Result<NeverComposedPage> NeverComposed(const Snapshot& snapshot,
                                        const NeverComposedOptions& options = {});

// Whether kByLedger is kLikely: enough alive events, of `inside` when there is one. Errors: those
// of LedgerIndex::Of.
Result<bool> HasLikelyEvents(const Snapshot& snapshot, const NodeSubset* inside,
                             Executor* executor = nullptr);

// The lens that `options` ask of `snapshot`: never kByLedger. Errors: those of LedgerIndex::Of.
Result<FrontierLens> LensOf(const Snapshot& snapshot, const NeverComposedOptions& options);

// The time of the question that a cursor continues; nothing when the text is no cursor.
std::optional<std::int64_t> TimeOfCursor(std::string_view cursor);

// --- FrontierKeeper: a never-composed list that a host keeps while its graph grows.
//
// The page equals that of a full run on the same snapshot, always. Of surface pairs the keeper
// holds more than it lists: after a change only pairs with a member that changed are taken out,
// scored again and put back. While enough is left above the last one that it knows, nothing else
// can have come before it. A full run is made when that is not known: the list ran short, too
// much changed, a tag or term of only one text changed, a node came back, the changes are no
// longer known, the ledger has grown into another lens (kByLedger), or the question is of another
// lens or of sets. Counters say how often.
//
//   PLEXUS_ASSIGN(auto keeper, FrontierKeeper::Make(graph.snapshot(), {.top = 100}));
//   graph.Apply(event);
//   PLEXUS_TRY(keeper.Update(graph.snapshot()));
//   keeper.page().sets ...
//
// Not thread-safe; keepers of one graph do not know of each other.

struct FrontierKeeperCounters {
  std::uint64_t full = 0;         // Full runs, the first one included.
  std::uint64_t incremental = 0;  // Updates from only the changes.
  std::uint64_t unchanged = 0;    // Updates to the same content.
  std::uint64_t members = 0;      // Members that quick updates looked at.
  std::uint64_t scored = 0;       // Pairs that they scored.
  std::string full_run_reason;    // Of the last full run.
};

class FrontierKeeper {
 public:
  // Computes: the first page of `options`, and what is needed to keep it. The time of the question
  //   stays that of the options, or of this snapshot: another time is another keeper.
  // Complexity: that of NeverComposed. Memory: also that, as long as the keeper lives.
  // Errors: those of NeverComposed. kUnsupported: a pool, as it cannot follow, or a cursor.
  static Result<FrontierKeeper> Make(const Snapshot& snapshot, NeverComposedOptions options);
  FrontierKeeper(FrontierKeeper&&) noexcept;
  FrontierKeeper& operator=(FrontierKeeper&&) noexcept;
  ~FrontierKeeper();

  // Computes: the page of a later snapshot of the same graph (or any other: by a full run).
  // Complexity: O(pool) by a few bits for each member that changed; else that of NeverComposed.
  // Errors: those of NeverComposed; the page is that of the snapshot before then.
  Status Update(const Snapshot& snapshot);

  const NeverComposedPage& page() const;
  const FrontierKeeperCounters& counters() const;

 private:
  struct State;
  explicit FrontierKeeper(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// --- What came of memories, as a term of a retrieval plan (retrieval/plan.h).
//
//   value = (adjustment + 0.8) / 1.3
//
// with the adjustment of a NeverComposedSet over the outcomes of all events that have the memory,
// which lies in [-0.8, 0.5]. A memory without an outcome has the value of no adjustment.

inline constexpr double kNoOutcomeValue = 0.8 / 1.3;

// Computes: the values of all members of events with outcomes, ascending; of events all of whose
//   members are in `inside`, when there is one.
// Complexity: that of LedgerIndex::Of, and O(members log members).
// Errors: those of LedgerIndex::Of.
// Threads: thread-safe.
Result<std::vector<NodeWeight>> OutcomeValues(const Snapshot& snapshot,
                                              Executor* executor = nullptr,
                                              const NodeSubset* inside = nullptr);

}  // namespace plexus::memory
