// Each rule sees the changes of its kinds; a target's conditions are looked up in the preview.
#include "algorithms/memory/decisions_guardrails.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "algorithms/memory/decisions_blocked.h"
#include "algorithms/memory/internal/snapshot_change.h"
#include "engine/out_of_memory.h"
#include "engine/vocabulary.h"

namespace plexus {
namespace {

using memory_internal::ChangedEdge;

bool OneOf(const std::vector<std::string>& wanted, std::string_view value) {
  return wanted.empty() || std::ranges::find(wanted, value) != wanted.end();
}

Status CheckRule(const Schema& schema, const GuardrailRule& rule, std::size_t index) {
  const auto fail = [&](const std::string& why) {
    return Fail(ErrorCode::kInvalidArgument, "rule " + std::to_string(index + 1) +
                                                 (rule.name.empty() ? "" : " '" + rule.name + "'") +
                                                 ": " + why);
  };
  if (rule.name.empty()) return fail("it has no name");
  if (rule.message.empty()) return fail("it has no message");
  if (rule.does != ProposalDoes::kRemoves && rule.kinds.empty())
    return fail("it names no kind of edge");
  for (const EdgeKindId kind : rule.kinds)
    if (kind >= schema.edge_kinds().size() || schema.edge_kind(kind).name.empty())
      return fail("there is no edge kind " + std::to_string(kind.value()));
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
  return text;
}

class Check {
 public:
  Check(const Snapshot& snapshot, const PreviewResult& proposal, const GuardrailOptions& options)
      : snapshot_(snapshot),
        preview_(proposal.snapshot),
        proposed_removals_(proposal.removed),
        options_(options),
        salience_(options.salience) {}

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
    const std::int64_t now = snapshot_.TimeOr(options_.decisions.now_ms);
    if (!kinds.empty())
      edges_ = memory_internal::EdgeChanges(snapshot_, preview_,
                                            ArcFilter::Kinds(preview_.schema(), kinds), now);
    if (removes)
      for (const NodeId node : proposed_removals_)
        if (snapshot_.is_fact(node)) removed_.push_back(node);
    // A proposal that changes nothing of what rules ask for needs no more.
    if (edges_.empty() && removed_.empty()) return {};
    if (salience && !salience_) {
      PLEXUS_ASSIGN(own_salience_, Salience(snapshot_, {.decisions = options_.decisions}));
      salience_ = &own_salience_;
    }
    if (blocked) {
      BlockedChainsOptions chains;
      chains.decisions.now_ms = now;  // New decisions may be blocked, too: no subset.
      PLEXUS_ASSIGN(blocked_, BlockedChains(preview_, chains));
    }
    return {};
  }

  Status Run(const GuardrailRule& rule, std::size_t index) {
    if (rule.does == ProposalDoes::kRemoves) {
      for (const NodeId node : removed_)
        PLEXUS_TRY(Meet(rule, index, {index, node, kNoNode, kNoEdgeKind, {}, {}}));
      return {};
    }
    for (const ChangedEdge& e : edges_) {
      if (e.linked != (rule.does == ProposalDoes::kLinks) ||
          std::ranges::find(rule.kinds, e.kind) == rule.kinds.end())
        continue;
      const bool symmetric = preview_.schema().edge_kind(e.kind).symmetric;
      const bool either = symmetric || rule.side == TargetSide::kEither;
      const bool new_source = IsNew(e.source), new_target = IsNew(e.target);
      if ((either || rule.side == TargetSide::kTarget) && !(symmetric && new_target && !new_source))
        PLEXUS_TRY(Meet(rule, index, {index, e.target, e.source, e.kind, {}, {}}));
      if ((either || rule.side == TargetSide::kSource) && !(symmetric && new_source && !new_target))
        PLEXUS_TRY(Meet(rule, index, {index, e.source, e.target, e.kind, {}, {}}));
    }
    return {};
  }

  GuardrailResult Take(std::span<const GuardrailRule> rules) {
    result_.changes = edges_.size() + removed_.size();
    const auto key = [](const GuardrailHit& h) {
      return std::tuple(h.rule, h.target, h.other, h.kind);
    };
    std::ranges::sort(result_.hits, {}, key);
    const auto doubles = std::ranges::unique(result_.hits, {}, key);  // edges of several labels
    result_.hits.erase(doubles.begin(), doubles.end());
    for (const GuardrailHit& hit : result_.hits)
      if (rules[hit.rule].action == RuleAction::kBlock) result_.allowed = false;
    return std::move(result_);
  }

 private:
  bool IsNew(NodeId node) const { return node >= snapshot_.node_count() || !snapshot_.alive(node); }

  // A removed node is judged as it was, whatever the proposal makes of it afterwards.
  Status Meet(const GuardrailRule& rule, std::size_t index, GuardrailHit hit) {
    const NodeId node = hit.target;
    const TargetCondition& wanted = rule.target;
    const bool removes = rule.does == ProposalDoes::kRemoves;
    const Snapshot& seen = !removes && preview_.alive(node) ? preview_ : snapshot_;
    if (wanted.node_kinds.given() &&
        std::ranges::find(wanted.node_kinds, seen.node_kind(node)) == wanted.node_kinds.end())
      return {};
    if (!OneOf(wanted.categories, StringOf(seen, kCategory, node)) ||
        !OneOf(wanted.stakes, StringOf(seen, kStakes, node)) ||
        !OneOf(wanted.outcomes, OutcomeOf(seen, node)))
      return {};
    if (wanted.salience_above) {
      if (!salience_->nodes.contains(node)) return {};
      hit.salience = salience_->percentiles[node];
      if (!(*hit.salience > *wanted.salience_above)) return {};
    }
    if (!wanted.tags.empty() && !HasTag(seen, node, wanted.tags)) return {};
    if (wanted.blocked && (blocked_.Find(node) != nullptr) != *wanted.blocked) return {};
    if (wanted.active || wanted.resolved) {
      const NodeId nodes[] = {node};
      PLEXUS_ASSIGN(const auto states,
                    StatusOf(seen, nodes, snapshot_.TimeOr(options_.decisions.now_ms)));
      if (wanted.active && states[0].active != *wanted.active) return {};
      if (wanted.resolved && states[0].resolved != *wanted.resolved) return {};
    }
    hit.rule = index;
    hit.message =
        Filled(rule.message, DisplayName(preview_.key(node)),
               hit.other == kNoNode ? std::string_view() : DisplayName(preview_.key(hit.other)),
               rule.name);
    result_.hits.push_back(std::move(hit));
    return {};
  }

  static bool HasTag(const Snapshot& seen, NodeId node, const std::vector<std::string>& tags) {
    return std::ranges::any_of(tags, [&](const std::string& tag) {
      const auto id = seen.Find(IndexKey("tag", tag));
      return id && seen.FindEdge(node, kHasTag, *id);
    });
  }

  const Snapshot& snapshot_;
  const Snapshot& preview_;
  const std::vector<NodeId>& proposed_removals_;
  const GuardrailOptions& options_;
  const SalienceResult* salience_;
  SalienceResult own_salience_;
  BlockedChainsResult blocked_;
  std::vector<ChangedEdge> edges_;
  std::vector<NodeId> removed_;
  GuardrailResult result_;
};

}  // namespace

Result<GuardrailResult> CheckGuardrails(const Snapshot& snapshot, const PreviewResult& proposal,
                                        std::span<const GuardrailRule> rules,
                                        const GuardrailOptions& options) try {
  if (rules.size() > kMaxGuardrailRules)
    return Fail(ErrorCode::kInvalidArgument,
                "more than " + std::to_string(kMaxGuardrailRules) + " rules");
  for (std::size_t i = 0; i < rules.size(); ++i)
    PLEXUS_TRY(CheckRule(proposal.snapshot.schema(), rules[i], i));
  Check check(snapshot, proposal, options);
  PLEXUS_TRY(check.Prepare(rules));
  for (std::size_t i = 0; i < rules.size(); ++i) PLEXUS_TRY(check.Run(rules[i], i));
  return check.Take(rules);
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus
