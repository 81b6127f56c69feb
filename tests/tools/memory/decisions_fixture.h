// A graph of decisions that the program is asked about, at a time of its own.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/run_plexus.h"

namespace plexus::testing {

inline constexpr std::int64_t kNow = 1'700'000'000'000, kDay = 86'400'000;

class DecisionGraph : public ::testing::Test {
 protected:
  void Import(const std::string& lines) {
    const Finished run =
        Plexus({"import", "--db", Db(), "--format", "jsonl", "-", "--now", std::to_string(kNow)},
               {.input = lines});
    ASSERT_EQ(run.code, 0) << run.err;
  }
  std::string Db() const { return dir_ / "g"; }
  Finished Run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--db", Db(), "--json"});
    if (arguments[1] != "check")  // is judged by the clock alone
      arguments.insert(arguments.end(), {"--now", std::to_string(kNow)});
    return Plexus(arguments);
  }
  boost::json::object Ask(std::vector<std::string> arguments) const {
    const Finished run = Run(std::move(arguments));
    EXPECT_EQ(run.code, 0) << run.err;
    return run.Json();
  }
  std::uint64_t Sequence() const {
    return Ask({"stats"}).at("sequence").to_number<std::uint64_t>();
  }

  TempDir dir_;
};

}  // namespace plexus::testing
