// A graph of decisions that the program is asked about, at a time of its own.
#pragma once

#include <cstdint>
#include <string>

#include "tests/support/program/program_test.h"

namespace plexus::testing {

inline constexpr std::int64_t kNow = 1'700'000'000'000, kDay = 86'400'000;

class DecisionGraph : public ProgramTest {
 protected:
  DecisionGraph() { always_ = {"--now", std::to_string(kNow)}; }
  // decisions check, which is judged by the clock.
  Finished Judge(Words words) const {
    words.insert(words.begin(), {"decisions", "check", "--db", Db(), "--json"});
    return Plexus(words);
  }
  Finished Check(const std::string& rules, const std::string& proposal) const {
    return Judge({"--rules", dir_.File("rules.json", rules), "--proposal",
                  dir_.File("p.jsonl", proposal)});
  }
};

}  // namespace plexus::testing
