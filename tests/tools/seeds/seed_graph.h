// A graph at a fixed time that the program is asked about, and its replies as JSON.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/run_plexus.h"

namespace plexus::testing {

class SeedGraph : public ::testing::Test {
 protected:
  using Texts = std::vector<std::string>;

  std::string Db() const { return dir_ / "g"; }
  Finished Run(Texts arguments, const std::string& input = "") const {
    arguments.insert(arguments.end(), {"--db", Db(), "--now", "1700000100000", "--json"});
    return Plexus(arguments, {.input = input});
  }
  boost::json::object Ask(Texts arguments, const std::string& input = "") const {
    const Finished run = Run(std::move(arguments), input);
    EXPECT_EQ(run.code, 0) << run.err << run.out;
    return run.Json();
  }
  static Texts Keys(const boost::json::object& reply, const char* list,
                    const char* member = "key") {
    Texts keys;
    for (const auto& one : reply.at(list).as_array())
      keys.emplace_back(one.at(member).as_string());
    return keys;
  }

  TempDir dir_;
};

}  // namespace plexus::testing
