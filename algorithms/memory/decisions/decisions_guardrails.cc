// Each rule sees the changes of its kinds; a target's conditions are looked up in the preview.
#include "algorithms/memory/decisions/decisions.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "algorithms/memory/decisions/internal/closed_cycles.h"
#include "algorithms/memory/internal/outcome_column.h"
#include "engine/out_of_memory.h"
#include "engine/snapshot.h"
#include "engine/state.h"
#include "engine/types.h"
#include "engine/vocabulary.h"

namespace plexus::memory {
namespace {

using internal::OutcomeOf;
using internal::StringOf;

// --- what differs between two snapshots of a graph, of which the later continues the earlier

struct ChangedEdge {
  NodeId source, target;
  EdgeKindId kind;
  StringId label;
  bool linked;  // at some time valid in the later one alone; false: in the earlier one alone
  auto operator<=>(const ChangedEdge&) const = default;
};

struct Identity {
  NodeId source, target;
  EdgeKindId kind;
  StringId label;
  auto operator<=>(const Identity&) const = default;
};

void Add(const Snapshot& snapshot, Identity edge, std::vector<Identity>& found) {
  if (snapshot.schema().edge_kind(edge.kind).symmetric && edge.target < edge.source)
    std::swap(edge.source, edge.target);
  found.push_back(edge);
}

// Arcs of the runs of `in` that `other` does not have.
void AddRuns(const Snapshot& in, const Snapshot& other, const ArcFilter& kinds,
             std::vector<Identity>& found) {
  for (const auto& run : in.state().runs) {
    if (std::ranges::find(other.state().runs, run) != other.state().runs.end()) continue;
    const engine_internal::RunSide& out = run->out;
    for (std::size_t row = 0; row < out.rows.size(); ++row)
      for (std::uint32_t i = out.offsets[row]; i < out.offsets[row + 1]; ++i) {
        const engine_internal::DeltaArc& arc = out.arcs[i];
        if (kinds.allows(arc.kind))
          Add(in, {out.rows[row], arc.neighbor, arc.kind, arc.label}, found);
      }
  }
}

void AddRows(const Snapshot& in, const ArcFilter& kinds, std::vector<Identity>& found) {
  in.ScanArcs(Direction::kOut, 0, in.node_count(), kinds, [&](NodeId row, const Arc& arc) {
    Add(in, {row, arc.neighbor, arc.kind, in.edge(arc, row).label}, found);
  });
}

// When the edge is valid: [from, until). Empty where it is not there.
struct Period {
  std::int64_t from = 0, until = 0;
  bool IsEmpty() const { return from >= until; }
  bool Covers(const Period& other) const {
    return other.IsEmpty() || (from <= other.from && other.until <= until);
  }
};

Period ValidIn(const Snapshot& snapshot, const Identity& e) {
  if (e.source >= snapshot.node_count() || e.target >= snapshot.node_count()) return {};
  if (e.kind >= snapshot.schema().edge_kinds().size()) return {};
  const auto edge = snapshot.FindEdge(e.source, e.kind, e.target, e.label);
  if (!edge) return {};
  using Limits = std::numeric_limits<std::int64_t>;
  return {edge->valid_from == kNoTime ? Limits::min() : edge->valid_from,
          edge->valid_until == kNoTime ? Limits::max() : edge->valid_until};
}

// Edges of those kinds that are valid at some time, past or to come, in one of both alone (twice
// where each has such a time); ascending, symmetric ones once with the smaller id as the source.
// O(arcs of the runs that the later one does not share) where the base is shared, else O(arcs of
// both).
std::vector<ChangedEdge> EdgeChanges(const Snapshot& before, const Snapshot& after,
                                     const ArcFilter& kinds) {
  std::vector<Identity> found;
  if (before.state().base == after.state().base) {
    AddRuns(after, before, kinds, found);
    AddRuns(before, after, kinds, found);
  } else {
    AddRows(before, kinds, found);
    AddRows(after, kinds, found);
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::vector<ChangedEdge> changes;
  for (const Identity& e : found) {
    const Period was = ValidIn(before, e), is = ValidIn(after, e);
    if (!is.Covers(was)) changes.push_back({e.source, e.target, e.kind, e.label, false});
    if (!was.Covers(is)) changes.push_back({e.source, e.target, e.kind, e.label, true});
  }
  return changes;
}

// --- rules

bool OneOf(const std::vector<std::string>& wanted, std::string_view value) {
  return wanted.empty() || std::ranges::find(wanted, value) != wanted.end();
}

Status CheckRule(const Schema& schema, const GuardrailRule& rule, std::size_t index) {
  const auto fail = [&](const std::string& why) {
    return Invalid("rule ", index + 1, (rule.name.empty() ? "" : " '" + rule.name + "'"), ": ",
                   why);
  };
  if (rule.name.empty()) return fail("it has no name");
  if (rule.message.empty()) return fail("it has no message");
  if (rule.message.size() > kMaxGuardrailMessage)
    return fail("its message has more than " + std::to_string(kMaxGuardrailMessage) + " bytes");
  if (rule.does != ProposalDoes::kRemoves && rule.kinds.empty())
    return fail("it names no kind of edge");
  for (const EdgeKindId kind : rule.kinds)
    if (kind >= schema.edge_kinds().size() || schema.edge_kind(kind).name.empty())
      return fail("there is no edge kind " + std::to_string(kind.value()));
    else if (rule.does == ProposalDoes::kCloses && schema.edge_kind(kind).symmetric)
      return fail("'" + schema.edge_kind(kind).name + "' leads both ways, so it closes no cycle");
  for (const NodeKindId kind : rule.target.node_kinds)
    if (kind >= schema.node_kinds().size() || schema.node_kind(kind).name.empty())
      return fail("there is no node kind " + std::to_string(kind.value()));
  if (const auto above = rule.target.salience_above; above && !(*above >= 0 && *above <= 1))
    return fail("salience_above is 0 to 1");
  return {};
}

// One pass, so that a key with braces stays as it is. What is not known stays, too.
std::string Filled(std::string_view message, std::string_view target, std::string_view other,
                   std::string_view rule) {
  std::string text;
  for (std::size_t at = 0; at < message.size();) {
    if (text.size() > kMaxGuardrailMessage) break;
    const std::string_view rest = message.substr(at);
    const auto put = [&](std::string_view what, std::string_view with) {
      if (!rest.starts_with(what)) return false;
      text += with;
      at += what.size();
      return true;
    };
    if (put("{target}", target) || put("{conflicting_decision}", target) || put("{other}", other) ||
        put("{rule}", rule))
      continue;
    text += message[at++];
  }
  if (text.size() <= kMaxGuardrailMessage) return text;
  constexpr std::string_view kMore = "...";
  std::size_t end = kMaxGuardrailMessage - kMore.size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  text.resize(end);
  text += kMore;
  return text;
}

class Check {
 public:
  Check(const Snapshot& snapshot, const PreviewResult& proposal, const GuardrailOptions& options)
      : snapshot_(snapshot),
        preview_(proposal.snapshot),
        proposed_removals_(proposal.removed),
        options_(options),
        salience_(options.salience),
        moments_{{snapshot.TimeOr(options.decisions.now_ms), {}, {}, {}},
                 {std::numeric_limits<std::int64_t>::max() - 1, {}, {}, {}}} {}

  // What rules ask for is computed once.
  Status Prepare(std::span<const GuardrailRule> rules) {
    std::vector<EdgeKindId> kinds;
    bool salience = false, blocked = false, removes = false;
    for (const GuardrailRule& rule : rules) {
      if (rule.does == ProposalDoes::kRemoves)
        removes = true;
      else
        kinds.insert(kinds.end(), rule.kinds.begin(), rule.kinds.end());
      salience = salience || rule.target.salience_above.has_value();
      blocked = blocked || rule.target.blocked.has_value();
    }
    if (!kinds.empty())
      edges_ = EdgeChanges(snapshot_, preview_, ArcFilter::Kinds(preview_.schema(), kinds));
    if (removes)
      for (const NodeId node : proposed_removals_)
        if (snapshot_.is_fact(node)) removed_.push_back(node);
    // A proposal that changes nothing of what rules ask for is done.
    if (edges_.empty() && removed_.empty()) return {};
    if (salience && !salience_) {
      PLEXUS_ASSIGN(own_salience_, Salience(snapshot_, {.decisions = options_.decisions}));
      salience_ = &own_salience_;
    }
    // Percentiles of a ranking that was cut short tell nothing.
    if (salience && salience_->truncated) result_.truncated = true;
    if (blocked) {
      BlockedChainsOptions chains;
      chains.decisions.run = options_.decisions.run;  // New ones may be blocked, too: no subset.
      for (Moment& moment : moments_) {
        chains.decisions.now_ms = moment.now_ms;
        PLEXUS_ASSIGN(moment.blocked, BlockedChains(preview_, chains));
        PLEXUS_ASSIGN(moment.stored_blocked, BlockedChains(snapshot_, chains));
      }
    }
    return {};
  }

  // Its hits: sorted, and only as many as asked for.
  Status Run(const GuardrailRule& rule, std::size_t index) {
    FindTags(rule);
    hits_.clear();
    PLEXUS_TRY(Meet(rule, index));
    const auto key = [](const GuardrailHit& h) { return std::tuple(h.target, h.other, h.kind); };
    std::ranges::sort(hits_, {}, key);
    const auto doubles = std::ranges::unique(hits_, {}, key);  // edges of several labels
    hits_.erase(doubles.begin(), doubles.end());
    if (!hits_.empty() && rule.action == RuleAction::kBlock) result_.allowed = false;
    for (GuardrailHit& hit : hits_) {
      if (++result_.total > options_.top && options_.top > 0) continue;
      hit.message =
          Filled(MessageOf(rule, hit.kind), DisplayName(preview_.key(hit.target)),
                 hit.other == kNoNode ? std::string_view() : DisplayName(preview_.key(hit.other)),
                 rule.name);
      result_.hits.push_back(std::move(hit));
    }
    return {};
  }

  GuardrailResult Take() {
    result_.changes = edges_.size() + removed_.size();
    if (result_.truncated) result_.allowed = false;
    return std::move(result_);
  }

 private:
  bool IsNew(NodeId node) const { return node >= snapshot_.node_count() || !snapshot_.alive(node); }

  // Conditions are looked at now, and when all times that edges give are over.
  struct Moment {
    std::int64_t now_ms;
    BlockedChainsResult blocked, stored_blocked;
    std::unordered_map<std::uint64_t, DecisionStatus> states;  // by StateKey
  };

  bool Stop() {
    constexpr std::uint64_t kLook = 64;
    if (steps_++ % kLook == 0 && options_.decisions.run.budget.Interrupted())
      result_.truncated = true;
    return result_.truncated;
  }

  Status Meet(const GuardrailRule& rule, std::size_t index) {
    if (rule.does == ProposalDoes::kRemoves) {
      for (const NodeId node : removed_) {
        if (Stop()) return {};
        PLEXUS_TRY(Meet(rule, {index, node, kNoNode, kNoEdgeKind, {}, {}}));
      }
      return {};
    }
    if (rule.does == ProposalDoes::kCloses) return MeetCycles(rule, index);
    for (const ChangedEdge& e : edges_) {
      if (Stop()) return {};
      if (e.linked == (rule.does == ProposalDoes::kUnlinks) ||
          std::ranges::find(rule.kinds, e.kind) == rule.kinds.end())
        continue;
      const bool symmetric = preview_.schema().edge_kind(e.kind).symmetric;
      const bool either = symmetric || rule.side == TargetSide::kEither;
      const bool new_source = IsNew(e.source), new_target = IsNew(e.target);
      if ((either || rule.side == TargetSide::kTarget) && !(symmetric && new_target && !new_source))
        PLEXUS_TRY(Meet(rule, {index, e.target, e.source, e.kind, {}, {}}));
      if ((either || rule.side == TargetSide::kSource) && !(symmetric && new_source && !new_target))
        PLEXUS_TRY(Meet(rule, {index, e.source, e.target, e.kind, {}, {}}));
    }
    return {};
  }

  static bool IsBackward(const GuardrailRule& rule, EdgeKindId kind) {
    return std::ranges::find(rule.backward, kind) != rule.backward.end();
  }

  // Of a cycle with the edge that closes it, as it is stored.
  std::string MessageOf(const GuardrailRule& rule, EdgeKindId kind) const {
    if (rule.does != ProposalDoes::kCloses) return rule.message;
    const std::string& name = preview_.schema().edge_kind(kind).name;
    return rule.message + ": " +
           (IsBackward(rule, kind) ? "{target} " + name + " {other}"
                                   : "{other} " + name + " {target}");
  }

  Status MeetCycles(const GuardrailRule& rule, std::size_t index) {
    const std::span<const EdgeKindId> kinds = rule.kinds;
    if (!rule.each_kind) return MeetCycles(rule, kinds, index);
    for (std::size_t i = 0; i < kinds.size(); ++i)
      PLEXUS_TRY(MeetCycles(rule, kinds.subspan(i, 1), index));
    return {};
  }
  Status MeetCycles(const GuardrailRule& rule, std::span<const EdgeKindId> kinds,
                    std::size_t index) {
    std::vector<Edge> linked;
    for (const ChangedEdge& e : edges_)
      if (e.linked && std::ranges::find(kinds, e.kind) != kinds.end())
        if (const auto edge = preview_.FindEdge(e.source, e.kind, e.target, e.label))
          linked.push_back(*edge);
    if (linked.empty()) return {};
    const std::vector<bool> closes =
        internal::OnCycles(preview_, linked, kinds, rule.backward, [this] { return Stop(); });
    for (std::size_t i = 0; i < linked.size() && !Stop(); ++i) {
      if (!closes[i]) continue;
      const Edge& e = linked[i];
      const bool back = IsBackward(rule, e.kind);
      PLEXUS_TRY(Meet(
          rule, {index, back ? e.source : e.target, back ? e.target : e.source, e.kind, {}, {}}));
    }
    return {};
  }

  // A removed node is judged as it was, whatever the proposal makes of it afterwards.
  Status Meet(const GuardrailRule& rule, GuardrailHit hit) {
    const NodeId node = hit.target;
    const TargetCondition& wanted = rule.target;
    const bool removes = rule.does == ProposalDoes::kRemoves;
    const bool stored = node < snapshot_.node_count();
    const Snapshot& seen = !stored || (!removes && preview_.alive(node)) ? preview_ : snapshot_;
    if (wanted.node_kinds.given() &&
        std::ranges::find(wanted.node_kinds, seen.node_kind(node)) == wanted.node_kinds.end())
      return {};
    if (!OneOf(wanted.categories, StringOf(seen, builtin::kCategory, node)) ||
        !OneOf(wanted.stakes, StringOf(seen, builtin::kStakes, node)) ||
        !OneOf(wanted.outcomes, OutcomeOf(seen, node)))
      return {};
    if (wanted.salience_above) {
      if (!salience_->nodes.contains(node)) return {};
      hit.salience = salience_->percentiles[node];
      if (!(*hit.salience > *wanted.salience_above)) return {};
    }
    if (!wanted.tags.empty() && !HasTag(seen, node)) return {};
    for (Moment& moment : moments_) {
      PLEXUS_ASSIGN(const bool holds, HoldsAt(moment, wanted, seen, node));
      if (!holds) continue;
      hits_.push_back(std::move(hit));
      break;
    }
    return {};
  }

  Result<bool> HoldsAt(Moment& moment, const TargetCondition& wanted, const Snapshot& seen,
                       NodeId node) {
    if (wanted.blocked) {
      const BlockedChainsResult& chains =
          &seen == &preview_ ? moment.blocked : moment.stored_blocked;
      if ((chains.Find(node) != nullptr) != *wanted.blocked) return false;
    }
    if (!wanted.active && !wanted.resolved) return true;
    const std::uint64_t key = std::uint64_t{node} * 2 + (&seen == &preview_);
    auto known = moment.states.find(key);
    if (known == moment.states.end()) {
      const NodeId nodes[] = {node};
      PLEXUS_ASSIGN(const auto states, StatusOf(seen, nodes, moment.now_ms));
      known = moment.states.emplace(key, states[0]).first;
    }
    if (wanted.active && known->second.active != *wanted.active) return false;
    return !wanted.resolved || known->second.resolved == *wanted.resolved;
  }

  // Of a rule once, not of each edge.
  void FindTags(const GuardrailRule& rule) {
    preview_tags_.clear();
    stored_tags_.clear();
    for (const std::string& tag : rule.target.tags) {
      const std::string key = IndexKey("tag", tag);
      if (const auto id = preview_.Find(key)) preview_tags_.push_back(*id);
      if (const auto id = snapshot_.Find(key)) stored_tags_.push_back(*id);
    }
  }
  bool HasTag(const Snapshot& seen, NodeId node) const {
    return std::ranges::any_of(&seen == &preview_ ? preview_tags_ : stored_tags_, [&](NodeId tag) {
      return seen.FindEdge(node, builtin::kHasTag, tag).has_value();
    });
  }

  const Snapshot& snapshot_;
  const Snapshot& preview_;
  const std::vector<NodeId>& proposed_removals_;
  const GuardrailOptions& options_;
  const SalienceResult* salience_;
  SalienceResult own_salience_;
  Moment moments_[2];
  std::uint64_t steps_ = 0;
  std::vector<NodeId> preview_tags_, stored_tags_;  // of the rule at hand
  std::vector<GuardrailHit> hits_;                  // of the rule at hand
  std::vector<ChangedEdge> edges_;
  std::vector<NodeId> removed_;
  GuardrailResult result_;
};

}  // namespace

Result<GuardrailResult> CheckGuardrails(const Snapshot& snapshot, const PreviewResult& proposal,
                                        std::span<const GuardrailRule> rules,
                                        const GuardrailOptions& options) try {
  if (rules.size() > kMaxGuardrailRules) return Invalid("more than ", kMaxGuardrailRules, " rules");
  for (std::size_t i = 0; i < rules.size(); ++i)
    PLEXUS_TRY(CheckRule(proposal.snapshot.schema(), rules[i], i));
  Check check(snapshot, proposal, options);
  PLEXUS_TRY(check.Prepare(rules));
  for (std::size_t i = 0; i < rules.size(); ++i) PLEXUS_TRY(check.Run(rules[i], i));
  return check.Take();
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::memory
