// Each member is read by name; what is not known is refused, so that a slip does not open a gate.
#include "tools/operations/memory/guardrail_rules.h"

#include <algorithm>
#include <boost/json.hpp>
#include <optional>
#include <utility>

#include "tools/operations/framework/arguments.h"
#include "tools/operations/names.h"

namespace plexus::tools {
namespace {

namespace json = boost::json;

std::unexpected<Error> Bad(std::string why) { return Invalid(std::move(why)); }

Result<std::string> TextIn(const json::value& value, std::string_view member) {
  if (value.is_string()) return std::string(value.get_string());
  return Bad("'" + std::string(member) + "' is no text");
}

// A text, or a list of texts.
Result<std::vector<std::string>> TextsIn(const json::value& value, std::string_view member) {
  std::vector<std::string> texts;
  if (!value.is_array()) {
    PLEXUS_ASSIGN(std::string text, TextIn(value, member));
    texts.push_back(std::move(text));
    return texts;
  }
  for (const json::value& element : value.get_array()) {
    PLEXUS_ASSIGN(std::string text, TextIn(element, member));
    texts.push_back(std::move(text));
  }
  if (texts.empty()) return Bad("'" + std::string(member) + "' is empty");
  return texts;
}

template <class Enum>
Result<Enum> OneOf(const json::value& value, std::string_view member,
                   std::initializer_list<std::pair<std::string_view, Enum>> choices) {
  PLEXUS_ASSIGN(const std::string text, TextIn(value, member));
  std::string names;
  for (const auto& [name, choice] : choices) {
    if (text == name) return choice;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return Bad("'" + std::string(member) + "' is '" + text + "', not one of " + names);
}

Status ReadCondition(const Schema& schema, const json::value& value,
                     memory::TargetCondition& condition) {
  if (!value.is_object()) return Bad("'target' is no object");
  for (const auto& [key, member] : value.get_object()) {
    const std::string_view name = key;
    const auto flag = [&](std::optional<bool>& to) -> Status {
      if (!member.is_bool()) return Bad("'" + std::string(name) + "' is not true or false");
      to = member.get_bool();
      return {};
    };
    const auto texts = [&](std::vector<std::string>& to) -> Status {
      PLEXUS_ASSIGN(to, TextsIn(member, name));
      return {};
    };
    if (name == "active") {
      PLEXUS_TRY(flag(condition.active));
    } else if (name == "blocked") {
      PLEXUS_TRY(flag(condition.blocked));
    } else if (name == "resolved") {
      PLEXUS_TRY(flag(condition.resolved));
    } else if (name == "salience_above") {
      if (!member.is_number()) return Bad("'salience_above' is no number");
      condition.salience_above = member.to_number<double>();
    } else if (name == "tag") {
      PLEXUS_TRY(texts(condition.tags));
    } else if (name == "category") {
      PLEXUS_TRY(texts(condition.categories));
    } else if (name == "stakes") {
      PLEXUS_TRY(texts(condition.stakes));
    } else if (name == "outcome") {
      PLEXUS_TRY(texts(condition.outcomes));
    } else if (name == "kind") {
      PLEXUS_ASSIGN(const std::vector<std::string> kinds, TextsIn(member, name));
      for (const std::string& kind : kinds) {
        const auto id = schema.FindNodeKind(kind);
        if (!id)
          return Bad("no node kind '" + kind + "'" + DidYouMean(kind, NodeKindNames(schema)));
        condition.node_kinds.push_back(*id);
      }
    } else {
      return Bad("'" + std::string(name) + "' is no condition on a target");
    }
  }
  return {};
}

constexpr std::string_view kAcyclic = "acyclic";  // all kinds that are declared so

struct RuleKinds {
  std::vector<EdgeKindId> kinds = {}, reversed = {};
  bool acyclic = false;
};

// A kind that is defined later takes no name of a rule over: built-in names mean what they meant,
// though elsewhere a built-in inverse name yields to a kind of the graph.
Result<Schema::EdgeKindMatch> KindOfRule(const Schema& schema, const std::string& name) {
  static const Schema builtin;
  if (const auto match = builtin.FindEdgeKind(name)) return *match;
  return FindEdgeKind(schema, name);
}

Result<RuleKinds> ReadKinds(const Schema& schema, const json::value& value) {
  RuleKinds read;
  PLEXUS_ASSIGN(const std::vector<std::string> names, TextsIn(value, "edge"));
  if (names.size() == 1 && names[0] == kAcyclic) {
    read.acyclic = true;
    for (EdgeKindId k{}; k < schema.edge_kinds().size(); ++k) {
      const EdgeKind& kind = schema.edge_kind(k);
      if (!kind.name.empty() && kind.acyclic && !kind.symmetric) read.kinds.push_back(k);
    }
    if (read.kinds.empty())
      return Bad("'edge' is 'acyclic', and no kind is declared so: 'plexus define' does it");
    return read;
  }
  for (const std::string& name : names) {
    PLEXUS_ASSIGN(const Schema::EdgeKindMatch match, KindOfRule(schema, name));
    const bool known = std::ranges::find(read.kinds, match.kind) != read.kinds.end();
    const bool was = std::ranges::find(read.reversed, match.kind) != read.reversed.end();
    if (known && was != match.reversed)
      return Bad("'edge' names '" + schema.edge_kind(match.kind).name + "' in both directions");
    if (known) continue;
    read.kinds.push_back(match.kind);
    if (match.reversed) read.reversed.push_back(match.kind);
  }
  return read;
}

// The kinds of a rule that is read otherwise; `sided`: it names a side.
Status TakeKinds(const Schema& schema, RuleKinds read, bool sided, memory::GuardrailRule& rule) {
  rule.kinds = std::move(read.kinds);
  if (rule.does == memory::ProposalDoes::kCloses) {
    if (sided) return Bad("'side' is not for closes_cycle: a cycle has none; leave it out");
    for (const EdgeKindId kind : rule.kinds)
      if (schema.edge_kind(kind).symmetric)
        return Bad("'" + schema.edge_kind(kind).name +
                   "' leads both ways, so it closes no cycle; name kinds with a direction");
    rule.backward = std::move(read.reversed);
    rule.each_kind = read.acyclic;
    return {};
  }
  if (read.acyclic) return Bad("'edge' is 'acyclic', which is for closes_cycle alone; name kinds");
  if (read.reversed.empty()) return {};
  if (read.reversed.size() != rule.kinds.size())
    return Bad("'edge' has kinds of both directions; make two rules");
  if (rule.side != memory::TargetSide::kEither)
    rule.side = rule.side == memory::TargetSide::kTarget ? memory::TargetSide::kSource
                                                         : memory::TargetSide::kTarget;
  return {};
}

Result<memory::GuardrailRule> ReadRule(const Schema& schema, const json::value& value) {
  if (!value.is_object()) return Bad("it is no object");
  memory::GuardrailRule rule;
  RuleKinds kinds;
  for (const auto& [key, member] : value.get_object()) {
    const std::string_view name = key;
    if (name == "name")
      PLEXUS_SET(rule.name, TextIn(member, name));
    else if (name == "message")
      PLEXUS_SET(rule.message, TextIn(member, name));
    else if (name == "does")
      PLEXUS_SET(rule.does,
                 OneOf<memory::ProposalDoes>(member, name,
                                             {{"links", memory::ProposalDoes::kLinks},
                                              {"unlinks", memory::ProposalDoes::kUnlinks},
                                              {"removes", memory::ProposalDoes::kRemoves},
                                              {"closes_cycle", memory::ProposalDoes::kCloses}}));
    else if (name == "edge")
      PLEXUS_SET(kinds, ReadKinds(schema, member));
    else if (name == "side")
      PLEXUS_SET(rule.side, OneOf<memory::TargetSide>(member, name,
                                                      {{"target", memory::TargetSide::kTarget},
                                                       {"source", memory::TargetSide::kSource},
                                                       {"either", memory::TargetSide::kEither}}));
    else if (name == "target")
      PLEXUS_TRY(ReadCondition(schema, member, rule.target));
    else if (name == "action")
      PLEXUS_SET(rule.action, OneOf<memory::RuleAction>(member, name,
                                                        {{"block", memory::RuleAction::kBlock},
                                                         {"warn", memory::RuleAction::kWarn}}));
    else if (name != "type" && name != "rule")
      return Bad("'" + std::string(name) + "' is no member of a rule");
  }
  PLEXUS_TRY(
      TakeKinds(schema, std::move(kinds), value.get_object().contains("side"), rule));
  if (rule.name.empty()) return Bad("it has no name");
  if (rule.message.empty()) return Bad("it has no message");
  if (rule.does != memory::ProposalDoes::kRemoves && rule.kinds.empty())
    return Bad("it names no edge: \"edge\":\"contradicts\", say");
  if (rule.does == memory::ProposalDoes::kRemoves && !rule.kinds.empty())
    return Bad("what removes a node names no edge");
  return rule;
}

std::string NameOf(const json::value& value, std::size_t index) {
  std::string name = "rule " + std::to_string(index + 1);
  if (value.is_object())
    if (const json::value* given = value.get_object().if_contains("name");
        given && given->is_string())
      name += " '" + std::string(given->get_string()) + "'";
  return name;
}

}  // namespace

Result<std::vector<memory::GuardrailRule>> ParseGuardrailRules(const Schema& schema,
                                                               const std::string& source,
                                                               std::string_view text) {
  boost::system::error_code failed;
  const json::value whole = json::parse(text, failed);
  if (failed) return Bad(source + ": it is no JSON: " + failed.message());
  PLEXUS_TRY(CheckJson(source, text));
  const json::value* list = &whole;
  if (whole.is_object())
    if (const json::value* rules = whole.get_object().if_contains("rules")) {
      if (whole.get_object().size() != 1) return Bad(source + ": nothing stands beside \"rules\"");
      list = rules;
    }
  std::vector<memory::GuardrailRule> rules;
  const auto add = [&](const json::value& value) -> Status {
    Result<memory::GuardrailRule> rule = ReadRule(schema, value);
    if (!rule)
      return Bad(source + ": " + NameOf(value, rules.size()) + ": " + rule.error().message);
    rules.push_back(*std::move(rule));
    return {};
  };
  if (!list->is_array()) {
    PLEXUS_TRY(add(*list));
    return rules;
  }
  for (const json::value& value : list->get_array()) PLEXUS_TRY(add(value));
  if (rules.empty()) return Bad(source + ": there is no rule in it");
  return rules;
}

}  // namespace plexus::tools
