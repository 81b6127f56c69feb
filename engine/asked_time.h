// Times as people ask for them: ISO 8601, a month, or relative to now.
//
// Now is an argument, so a question has the same answer whenever it is repeated with the same one.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace plexus {

// What ParseIsoTime reads (times.h); "2026-11", where the month begins; "7d", "12h", "2w", "90m",
// "45s": so long before now, decimals allowed; "now", "today", "yesterday": where the day begins in
// UTC. kNoTime for now: no relative ones. nullopt: none of these, or a time far from our age.
std::optional<std::int64_t> ParseAskedTime(std::string_view text, std::int64_t now_ms);

// What it takes with such a now, for messages: "2026-11, 2026-11-21, ...".
std::string_view AskedTimes(std::int64_t now_ms);

// A length of time: "2w", "30d", "12h", "90m", "45s", "250ms", above 0. nullopt: none.
std::optional<std::int64_t> ParseLengthOfTime(std::string_view text);

}  // namespace plexus
