// Weights as text spells them: one rule for every format.
//
// What is below zero is refused, however near to it; -0 is 0. What is too small for f32 is 0,
// what is too large is refused.
#pragma once

#include <optional>
#include <string_view>

namespace plexus::formats::internal {

// The number that all of `digits` spell (as std::from_chars reads them), rounded once to f32; a
// zero of its sign when f32 has nothing so small. nullopt: no number, not finite, too large.
std::optional<float> ReadF32(std::string_view digits);

// Whether a number is below zero before rounding: "-1e-99" is, "-0.0" is not.
bool IsBelowZero(std::string_view digits);

// Whether a number that is not 0 is nearer to 0 than to infinity: which way it left a type's range.
bool IsSmall(std::string_view digits);

}  // namespace plexus::formats::internal
