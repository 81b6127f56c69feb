// A retrieval plan from JSON (algorithms/retrieval/plan.h says what its parts mean):
//
//   {"seeds":[{"by":"vector|words|keys|pagerank|names","space":"default","top":30,"per_hit":3,
//              "least":0,"starts":10000,"keep":true}],
//    "expand":{"hops":2,"direction":"out|in|both","decay":0.5,"kinds":["supports"],"arcs":0,
//              "top":1000,"per_hit":0,"max_arcs":0,"from":"seeds|hits|keys"},
//    "filter":{"node_kinds":["memory"],"tags":["a"],"scopes":["user"],"inscription":"fix",
//              "since":0,"until":0,"valid_at":"2026-01-31","where":"trust > 0.5"},
//    "score":{"similarity":0.6,"words":0,"path":0.4,"graph":0,"pagerank":0,"age":0,"salience":0,
//             "outcome":0,"recency":0,"frequency":0,"scope":0,"require":["similarity"],
//             "show":["age"],"half_life_days":30,"full_count":100},
//    "fuse":"sum|rrf|mmr|lists","lambda":0.7,"rank_constant":60,"top":10}
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "algorithms/retrieval/plan.h"
#include "engine/error.h"
#include "engine/schema.h"

namespace plexus::tools {

inline constexpr std::size_t kMaxPlanBytes = 65'536;
inline constexpr std::size_t kMaxPlanNames = 256;  // Of a list of names.

// Follows kinds that are named so in the plan's direction (kind_direction.h).
Status FollowKinds(const Schema& schema, std::span<const std::string> names,
                   retrieval::PlanExpand& expand);

// Of a graph with this schema; times before now ("7d") count from now_ms; `kinds`, if any, stand in
// place of the plan's own. kInvalidArgument names the place ("seeds[0].by: ..."): no JSON, more
// than kMaxPlanBytes, a member that is not known or repeated, a value of another type or out of
// its limits, a kind, space or column that the graph does not have, kinds that go both ways.
Result<retrieval::RetrievalPlan> PlanFromJson(std::string_view json, const Schema& schema,
                                              std::int64_t now_ms,
                                              std::span<const std::string> kinds = {});

}  // namespace plexus::tools
