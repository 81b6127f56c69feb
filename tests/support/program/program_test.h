// A graph in a folder of its own, which the program is asked about.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/run_plexus.h"

namespace plexus::testing {

// Words, and how the program ends that is given them.
struct Refusal {
  Words words;
  int code;
  std::string error;  // a part of what it says
};

class ProgramTest : public ::testing::Test {
 protected:
  std::string Db() const { return dir_ / "g"; }
  // With --db and what is always given.
  Finished Run(Words words, const RunOptions& options = {}) const {
    words.insert(words.end(), {"--db", Db()});
    words.insert(words.end(), always_.begin(), always_.end());
    return Plexus(words, options);
  }
  // The reply to words that must succeed.
  boost::json::object Json(Words words, const RunOptions& options = {}) const {
    words.emplace_back("--json");
    const Finished run = Run(std::move(words), options);
    EXPECT_EQ(run.code, 0) << run.err << run.out;
    return run.Json();
  }
  // JSON lines; `more` options of plexus import.
  void Import(const std::string& lines, Words more = {}) const {
    more.insert(more.begin(), {"import", "-", "--format", "jsonl"});
    ASSERT_TRUE(Ends(Run(std::move(more), {.input = lines}), 0));
  }
  std::int64_t Sequence() const { return Json({"stats"}).at("sequence").as_int64(); }
  // None of them changes the graph.
  void ExpectRefused(const std::vector<Refusal>& table) const {
    const std::int64_t before = Sequence();
    for (const auto& [words, code, error] : table) {
      std::string line;
      for (const std::string& word : words) line += word + " ";
      EXPECT_TRUE(Ends(Run(words), code, error)) << line;
    }
    EXPECT_EQ(Sequence(), before);
  }

  const TempDir dir_;
  Words always_;
};

}  // namespace plexus::testing
