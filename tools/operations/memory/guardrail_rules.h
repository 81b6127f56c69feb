// Guardrail rules as people write them: JSON, a list of rules or {"rules":[...]} or one rule.
//
//   {"name":"no-contradict-high-salience","does":"links","edge":"contradicts","side":"target",
//    "target":{"active":true,"salience_above":0.7},"action":"block",
//    "message":"This contradicts {target}. Supersede it first."}
//
// does: links, unlinks, removes, closes_cycle (links an edge that closes a cycle of these kinds,
// each followed as it is named). edge: a kind or a list of kinds; an inverse name turns the sides
// round; of closes_cycle also "acyclic": each kind with a direction that is declared so. Built-in
// names mean the built-in kinds, whatever a graph defines. side (not of closes_cycle):
// target, source, either. target: active, blocked, resolved (true or false), salience_above (a
// percentile), kind, tag, category, stakes, outcome (a text or a list). action: block, warn. "type"
// and "rule" may stand there for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "algorithms/memory/decisions/decisions.h"
#include "engine/error.h"
#include "engine/schema.h"

namespace plexus::tools {

// kInvalidArgument, which names `source`, the rule and the member: no JSON, a member that is
// unknown or of another type, a kind that the schema does not have.
Result<std::vector<memory::GuardrailRule>> ParseGuardrailRules(const Schema& schema,
                                                               const std::string& source,
                                                               std::string_view json);

}  // namespace plexus::tools
