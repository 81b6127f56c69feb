// Each member is read by name; what is not known is refused at its place.
#include "tools/operations/retrieve/plan_json.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "algorithms/retrieval/scan.h"
#include "algorithms/traversal/traversal.h"
#include "storage/formats/base/json_tree.h"
#include "tools/operations/framework/arguments.h"
#include "tools/operations/kind_direction.h"
#include "tools/operations/names.h"

namespace plexus::tools {
namespace {

using formats::internal::JsonParser;
using formats::internal::JsonType;
using formats::internal::JsonTypeName;
using formats::internal::JsonValue;

// A value and where it is: "seeds[0].top".
struct Place {
  const JsonParser& parser;
  const JsonValue& value;
  std::string name;

  std::unexpected<Error> Bad(const std::string& why) const {
    return Invalid((name.empty() ? "" : name + ": "), why);
  }
  std::unexpected<Error> Wanted(const std::string& what) const {
    return Bad(what + " is wanted, not " + std::string(JsonTypeName(value.type)));
  }
};

// read(place, member) says whether it knows the member of that name.
template <class Read>
Status ForEachMember(const Place& object, std::span<const std::string> known, Read&& read) {
  if (object.value.type != JsonType::kObject) return object.Wanted("an object");
  for (const JsonValue& member : object.parser.children(object.value)) {
    const std::string name(member.key);
    const Place place{object.parser, member, object.name.empty() ? name : object.name + "." + name};
    if (std::ranges::find(known, name) == known.end())
      return place.Bad("no such member" + DidYouMean(name, known));
    PLEXUS_TRY(read(place, name));
  }
  return {};
}

template <class Read>
Status ForEachElement(const Place& list, std::size_t most, Read&& read) {
  if (list.value.type != JsonType::kArray) return list.Wanted("a list");
  const std::span<const JsonValue> elements = list.parser.children(list.value);
  if (elements.size() > most)
    return list.Bad(std::to_string(elements.size()) + " are more than " + std::to_string(most));
  for (std::size_t i = 0; i < elements.size(); ++i)
    PLEXUS_TRY(read(Place{list.parser, elements[i], list.name + "[" + std::to_string(i) + "]"}));
  return {};
}

Result<std::string> TextAt(const Place& place) {
  if (!place.value.is_string()) return place.Wanted("a text");
  return std::string(place.value.text);
}

Result<std::size_t> CountAt(const Place& place) {
  if (place.value.type == JsonType::kInt && place.value.i >= 0)
    return static_cast<std::size_t>(place.value.i);
  if (place.value.type == JsonType::kUint) return static_cast<std::size_t>(place.value.u);
  return place.Bad("a whole number from 0 on is wanted");
}

Result<double> NumberAt(const Place& place) {
  if (!place.value.is_number() || !std::isfinite(place.value.number()))
    return place.Wanted("a number");
  return place.value.number();
}

Result<bool> FlagAt(const Place& place) {
  if (place.value.type != JsonType::kBool) return place.Wanted("true or false");
  return place.value.boolean;
}

// Milliseconds since 1970, or a time as options take it.
Result<std::int64_t> TimeAt(const Place& place, std::int64_t now_ms) {
  if (place.value.type == JsonType::kInt) return place.value.i;
  if (!place.value.is_string()) return place.Wanted("milliseconds or a time");
  const Result<std::int64_t> time = ParseTime(place.value.text, now_ms);
  if (!time) return place.Bad(time.error().message);
  return *time;
}

Result<std::vector<std::string>> TextsAt(const Place& place) {
  std::vector<std::string> texts;
  PLEXUS_TRY(ForEachElement(place, kMaxPlanNames, [&](const Place& element) -> Status {
    PLEXUS_ASSIGN(std::string text, TextAt(element));
    if (text.empty()) return element.Bad("it is empty");
    texts.push_back(std::move(text));
    return {};
  }));
  return texts;
}

// Values of an enumeration from 0 on, by their names.
template <class Enum, class Name>
Result<Enum> ChoiceAt(const Place& place, std::size_t count, Name&& name_of) {
  PLEXUS_ASSIGN(const std::string text, TextAt(place));
  std::vector<std::string> names;
  std::string all;
  for (std::size_t i = 0; i < count; ++i) {
    names.emplace_back(name_of(static_cast<Enum>(i)));
    if (text == names.back()) return static_cast<Enum>(i);
    all += (all.empty() ? "" : ", ") + names.back();
  }
  return place.Bad("'" + text + "' is not one of " + all + DidYouMean(text, names));
}

Status ReadSeeds(const Place& place, const Schema& schema, retrieval::RetrievalPlan& plan) {
  static const std::vector<std::string> known = {"by",    "space",  "top", "per_hit",
                                                 "least", "starts", "keep"};
  retrieval::PlanSeeds& seeds = plan.seeds.emplace_back();
  bool by = false;
  PLEXUS_TRY(ForEachMember(place, known, [&](const Place& at, const std::string& name) -> Status {
    if (name == "by") {
      PLEXUS_ASSIGN(seeds.by,
                    ChoiceAt<retrieval::SeedBy>(at, retrieval::kSeedBys, retrieval::SeedByName));
      by = true;
    } else if (name == "space") {
      PLEXUS_ASSIGN(const std::string space, TextAt(at));
      seeds.space = schema.FindSpace(space);
      if (!seeds.space) return at.Bad("no vector space '" + space + "'");
    } else if (name == "top") {
      PLEXUS_ASSIGN(seeds.top, CountAt(at));
    } else if (name == "per_hit") {
      PLEXUS_ASSIGN(seeds.per_hit, CountAt(at));
    } else if (name == "least") {
      PLEXUS_ASSIGN(seeds.least, CountAt(at));
    } else if (name == "starts") {
      PLEXUS_ASSIGN(seeds.starts, CountAt(at));
    } else {
      PLEXUS_ASSIGN(seeds.keep, FlagAt(at));
    }
    return {};
  }));
  if (!by) return place.Bad("it has no \"by\"");
  return {};
}

// `names` are its kinds as they are written.
Status ReadExpand(const Place& place, const Schema& schema, retrieval::PlanExpand& expand,
                  std::vector<std::string>& names) {
  static const std::vector<std::string> known = {"hops", "direction", "decay",    "kinds", "arcs",
                                                 "top",  "per_hit",   "max_arcs", "from"};
  return ForEachMember(place, known, [&](const Place& at, const std::string& name) -> Status {
    if (name == "hops") {
      PLEXUS_ASSIGN(const std::size_t hops, CountAt(at));
      if (hops > static_cast<std::size_t>(traversal::kMaxHops))
        return at.Bad(std::to_string(hops) + " is more than " +
                      std::to_string(traversal::kMaxHops));
      expand.hops = static_cast<int>(hops);
    } else if (name == "direction") {
      PLEXUS_ASSIGN(const std::string text, TextAt(at));
      const Result<Direction> direction = ParseDirection(text);
      if (!direction) return at.Bad(direction.error().message);
      expand.direction = *direction;
    } else if (name == "decay") {
      PLEXUS_ASSIGN(expand.decay, NumberAt(at));
    } else if (name == "kinds") {
      return ForEachElement(at, kMaxPlanNames, [&](const Place& element) -> Status {
        PLEXUS_ASSIGN(const std::string kind, TextAt(element));
        const std::string kinds[] = {kind};
        const auto found = FindEdgeKinds(schema, kinds);
        if (!found) return element.Bad(found.error().message);
        expand.kinds.push_back((*found)[0]);
        names.push_back(kind);
        return {};
      });
    } else if (name == "arcs") {
      PLEXUS_ASSIGN(expand.arcs, CountAt(at));
    } else if (name == "top") {
      PLEXUS_ASSIGN(expand.top, CountAt(at));
    } else if (name == "per_hit") {
      PLEXUS_ASSIGN(expand.per_hit, CountAt(at));
    } else if (name == "max_arcs") {
      PLEXUS_ASSIGN(expand.max_arcs, CountAt(at));
    } else {
      PLEXUS_ASSIGN(expand.from, ChoiceAt<retrieval::ExpandFrom>(at, retrieval::kExpandFroms,
                                                                 retrieval::ExpandFromName));
    }
    return {};
  });
}

Status ReadFilter(const Place& place, const Schema& schema, std::int64_t now_ms,
                  retrieval::PlanFilter& filter) {
  static const std::vector<std::string> known = {"node_kinds", "tags",  "scopes",   "inscription",
                                                 "since",      "until", "valid_at", "where"};
  return ForEachMember(place, known, [&](const Place& at, const std::string& name) -> Status {
    if (name == "node_kinds") {
      return ForEachElement(at, kMaxPlanNames, [&](const Place& element) -> Status {
        PLEXUS_ASSIGN(const std::string kind, TextAt(element));
        const auto id = schema.FindNodeKind(kind);
        if (!id)
          return element.Bad("no node kind '" + kind + "'" +
                             DidYouMean(kind, NodeKindNames(schema)));
        filter.node_kinds.push_back(*id);
        return {};
      });
    } else if (name == "tags") {
      PLEXUS_ASSIGN(filter.tags, TextsAt(at));
    } else if (name == "scopes") {
      PLEXUS_ASSIGN(filter.scopes, TextsAt(at));
    } else if (name == "inscription") {
      PLEXUS_ASSIGN(filter.inscription, TextAt(at));
    } else if (name == "since") {
      PLEXUS_ASSIGN(filter.since, TimeAt(at, now_ms));
    } else if (name == "until") {
      PLEXUS_ASSIGN(filter.until, TimeAt(at, now_ms));
    } else if (name == "valid_at") {
      PLEXUS_ASSIGN(filter.valid_at, TimeAt(at, now_ms));
    } else {
      PLEXUS_ASSIGN(filter.where, TextAt(at));
      if (filter.where.empty()) return {};
      const auto compiled = retrieval::WhereExpression::Compile(filter.where, schema, now_ms);
      if (!compiled) return at.Bad(compiled.error().message);
    }
    return {};
  });
}

Status ReadScore(const Place& place, retrieval::PlanScore& score) {
  std::vector<std::string> known;
  for (std::size_t t = 0; t < retrieval::kPlanTerms; ++t)
    known.emplace_back(retrieval::PlanTermName(static_cast<retrieval::PlanTerm>(t)));
  known.insert(known.end(), {"require", "show", "half_life_days", "full_count"});
  return ForEachMember(place, known, [&](const Place& at, const std::string& name) -> Status {
    if (name == "require" || name == "show")
      return ForEachElement(at, retrieval::kPlanTerms, [&](const Place& element) -> Status {
        PLEXUS_ASSIGN(
            const retrieval::PlanTerm term,
            ChoiceAt<retrieval::PlanTerm>(element, retrieval::kPlanTerms, retrieval::PlanTermName));
        auto& terms = name == "show" ? score.shown : score.required;
        terms[static_cast<std::size_t>(term)] = true;
        return {};
      });
    if (name == "full_count") {
      PLEXUS_ASSIGN(const std::size_t count, CountAt(at));
      score.full_count = static_cast<std::int64_t>(std::min(count, std::size_t{1} << 62));
      return {};
    }
    PLEXUS_ASSIGN(const double number, NumberAt(at));
    if (name == "half_life_days") {
      // What is out of range stays so: CheckPlan refuses it.
      const double days = std::clamp(number, 0.0, 2 * retrieval::PlanLimits::kMaxHalfLifeDays);
      score.half_life_ms = static_cast<std::int64_t>(std::ceil(days * 86'400'000));
    } else {
      score.weights[static_cast<std::size_t>(std::ranges::find(known, name) - known.begin())] =
          number;
    }
    return {};
  });
}

Status ReadPlan(const Place& root, const Schema& schema, std::int64_t now_ms,
                retrieval::RetrievalPlan& plan, std::vector<std::string>& kinds) {
  static const std::vector<std::string> known = {"seeds", "expand", "filter", "score",
                                                 "fuse",  "lambda", "rank_constant", "top"};
  return ForEachMember(root, known, [&](const Place& at, const std::string& name) -> Status {
    if (name == "seeds")
      return ForEachElement(at, retrieval::PlanLimits::kMaxSeeds,
                            [&](const Place& element) { return ReadSeeds(element, schema, plan); });
    if (name == "expand") return ReadExpand(at, schema, plan.expand, kinds);
    if (name == "filter") return ReadFilter(at, schema, now_ms, plan.filter);
    if (name == "score") return ReadScore(at, plan.score);
    if (name == "fuse")
      PLEXUS_SET(plan.fuse,
                 ChoiceAt<retrieval::Fusion>(at, retrieval::kFusions, retrieval::FusionName));
    else if (name == "lambda")
      PLEXUS_SET(plan.lambda, NumberAt(at));
    else if (name == "rank_constant")
      PLEXUS_SET(plan.rank_constant, NumberAt(at));
    else
      PLEXUS_SET(plan.top, CountAt(at));
    return {};
  });
}

}  // namespace

Status FollowKinds(const Schema& schema, std::span<const std::string> names,
                   retrieval::PlanExpand& expand) {
  PLEXUS_ASSIGN(expand.kinds, FindEdgeKinds(schema, names));
  PLEXUS_ASSIGN(expand.direction, AsStored(schema, names, expand.direction));
  return {};
}

Result<retrieval::RetrievalPlan> PlanFromJson(std::string_view json, const Schema& schema,
                                              std::int64_t now_ms,
                                              std::span<const std::string> kinds) {
  if (json.size() > kMaxPlanBytes) return Invalid("a plan has at most 65,536 bytes");
  JsonParser parser;
  PLEXUS_ASSIGN(const JsonValue* root, parser.Parse(json));
  retrieval::RetrievalPlan plan;
  std::vector<std::string> names;
  PLEXUS_TRY(ReadPlan(Place{parser, *root, ""}, schema, now_ms, plan, names));
  if (!kinds.empty()) names.assign(kinds.begin(), kinds.end());
  if (!names.empty()) PLEXUS_TRY(FollowKinds(schema, names, plan.expand));
  PLEXUS_TRY(retrieval::CheckPlan(plan));
  if (plan.top == 0) return Invalid("top: 0 is not in 1..", retrieval::PlanLimits::kMaxTop);
  return plan;
}

}  // namespace plexus::tools
