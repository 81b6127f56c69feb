// Guardrails: rules over what a proposal would do to the graph, before it is written.
//
// The proposal is a preview (engine/graph.h): a rule looks at what is linked, unlinked or removed
// between the stored graph and the preview, and at the node that this meets, the target. Rules are
// data. Seed 4's rule:
//
//   {.name = "no-contradict-high-salience", .does = kLinks, .kinds = {kContradicts},
//    .target = {.active = true, .salience_above = 0.7}, .action = kBlock,
//    .message = "This contradicts {target}. Supersede it first."}
//
// Salience is the percentile of the stored graph, which a proposal cannot raise or lower; a target
// that is not stored has none. A removed node is judged as it is stored. All other conditions are
// read from the preview, so a proposal that supersedes a decision may contradict it. Edges count
// whenever they are valid, before or after now; a condition holds when it does now or in the end,
// after all times that edges give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/memory/decisions/decisions.h"
#include "engine/error.h"
#include "engine/graph.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

enum class ProposalDoes : std::uint8_t {
  kLinks,    // an edge is at some time valid in the preview that is not in the stored graph
  kUnlinks,  // the other way round
  kRemoves,  // a stored node is removed or purged, also where the proposal states it again
  kCloses,   // it links an edge that is on a cycle of the rule's kinds, all of it valid at once
};

// Which end of the edge is the target. Of symmetric kinds each end is, but a new node where the
// other end is stored.
enum class TargetSide : std::uint8_t { kTarget, kSource, kEither };

// All that are given must hold.
struct TargetCondition {
  std::optional<bool> active = {}, blocked = {}, resolved = {};
  std::optional<double> salience_above = {};                             // Percentile, in [0, 1].
  NodeKinds node_kinds = {};                                             // It is of one of them.
  std::vector<std::string> tags = {};                                    // It carries one of them.
  std::vector<std::string> categories = {}, stakes = {}, outcomes = {};  // It has one of them.
};

enum class RuleAction : std::uint8_t { kBlock, kWarn };

struct GuardrailRule {
  std::string name = {};
  ProposalDoes does = ProposalDoes::kLinks;
  std::vector<EdgeKindId> kinds = {};  // kLinks, kUnlinks, kCloses: of the edge. At least one.
  // kCloses: those of `kinds` that are followed from target to source; and whether each kind is
  // looked at without the others.
  std::vector<EdgeKindId> backward = {};
  bool each_kind = false;
  TargetSide side = TargetSide::kTarget;
  TargetCondition target = {};
  RuleAction action = RuleAction::kBlock;
  // {target} (or {conflicting_decision}, as seed 4 has it), {other} and {rule} stand for keys and
  // the rule's name.
  std::string message = {};
};

inline constexpr std::size_t kMaxGuardrailRules = 1000;
// Of a rule's message, as written and as filled; what is longer when filled ends with "...".
inline constexpr std::size_t kMaxGuardrailMessage = 4096;

struct GuardrailHit {
  std::size_t rule = 0;     // Index of the rule.
  NodeId target = kNoNode;  // Of the preview.
  NodeId other = kNoNode;   // The other end; kNoNode: kRemoves.
  EdgeKindId kind = kNoEdgeKind;
  std::optional<double> salience;  // Where the rule asks for it.
  std::string message;
};

struct GuardrailResult {
  bool allowed = true;             // No rule blocks, and all was judged.
  bool truncated = false;          // Not all was judged before the deadline: nothing is allowed.
  std::vector<GuardrailHit> hits;  // By rule, target, other, kind: the first `top`.
  std::uint64_t total = 0;         // Hits.
  std::uint64_t changes = 0;       // Edges linked and unlinked, nodes removed, of what rules ask.
};

struct GuardrailOptions {
  DecisionOptions decisions = {};  // `subset`: of the stored graph, for salience.
  // That of the stored graph, with the same decisions. Null: computed when a rule asks for it.
  const SalienceResult* salience = nullptr;
  std::uint64_t top = 1000;  // Hits kept; 0: all.
};

// Computes: which rules the proposal meets: Preview() of the snapshot. Writes nothing.
// Complexity: O(change) where both snapshots share their base, as a preview and what it is made of
//   do, else O(nodes + arcs); Salience and BlockedChains once where rules ask for them and they are
//   not given.
//   Rules times changes besides. For kCloses O(arcs that the changes reach), once a rule, and again
//   for each time at which an edge of a cycle begins, where some are not always valid. The deadline
//   and the cancel flag hold for all of it.
// Errors: kInvalidArgument: a rule without a name or message or with a long one, without kinds,
// with a kind that the
//   preview's schema does not have or a number out of range, or too many rules. Those of Salience,
//   BlockedChains and StatusOf.
// Threads: thread-safe.
Result<GuardrailResult> CheckGuardrails(const Snapshot& snapshot, const PreviewResult& proposal,
                                        std::span<const GuardrailRule> rules,
                                        const GuardrailOptions& options = {});

}  // namespace plexus
