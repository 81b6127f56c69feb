// An error of a certain code, whose message holds certain words.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "engine/error.h"

namespace plexus::testing {

// Of a Result or a Status: no success, this code, and each of `parts` in the message.
template <class Outcome>
::testing::AssertionResult FailsWith(const Outcome& outcome, ErrorCode code,
                                     std::initializer_list<std::string_view> parts) {
  if (outcome) return ::testing::AssertionFailure() << "no error";
  const Error& error = outcome.error();
  if (error.code != code)
    return ::testing::AssertionFailure() << error.ToString() << ", not " << ErrorCodeName(code);
  for (const std::string_view part : parts)
    if (error.message.find(part) == std::string::npos)
      return ::testing::AssertionFailure() << error.message << "\nlacks: " << part;
  return ::testing::AssertionSuccess() << error.ToString();
}
template <class Outcome>
::testing::AssertionResult FailsWith(const Outcome& outcome, ErrorCode code,
                                     std::string_view part = {}) {
  return FailsWith(outcome, code, {part});
}

}  // namespace plexus::testing
