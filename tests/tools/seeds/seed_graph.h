// A graph at a fixed time that the program is asked about, and its replies as JSON.
#pragma once

#include "tests/support/program/program_test.h"

namespace plexus::testing {

class SeedGraph : public ProgramTest {
 protected:
  SeedGraph() { always_ = {"--now", "1700000100000"}; }
  static Words Keys(const boost::json::object& reply, const char* list,
                    const char* member = "key") {
    Words keys;
    for (const auto& one : reply.at(list).as_array()) keys.emplace_back(one.at(member).as_string());
    return keys;
  }
};

}  // namespace plexus::testing
