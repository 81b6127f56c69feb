// A small graph of two scopes that touch everywhere: edges across, shared words, events of both.
//
// Everything of the other scope has kSecret in it, but for words that both have. With
// `others` false it is what the first scope has by itself.
#pragma once

#include <string>

#include "engine/graph.h"
#include "tests/hostile/random_request.h"

namespace plexus::testing {

inline constexpr char kMine[] = "mine", kSecret[] = "zq7";
inline constexpr std::int64_t kScopesNow = 1'700'100'000'000;

// Lines that import takes; each is of one scope, or between the two.
std::string ScopeLines(bool others);
// ScopeLines with terms, in RAM; null when a line is refused.
std::unique_ptr<Graph> TwoScopes(bool others);
// What requests about the first scope name.
RequestWords WordsOfMine();

}  // namespace plexus::testing
