// A graph in a folder of its own, which the program is asked about.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/array.hpp>
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

// Words, and what their reply holds: Each of a list of it, or of the reply itself.
struct ShownReply {
  Words words;
  std::string list, members, shown;
};
// Words, and a part of what they print for people.
struct Printed {
  Words words;
  std::string part;
};

class ProgramTest : public ::testing::Test {
 protected:
  const std::string& Db() const { return db_; }
  // With --db, and what is always given where the words do not have it.
  Finished Run(Words words, const RunOptions& options = {}) const {
    if (!always_.empty() && std::ranges::find(words, always_[0]) == words.end())
      words.insert(words.end(), always_.begin(), always_.end());
    words.insert(words.begin(), {"--db", Db()});
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
    for (const auto& [words, code, error] : table)
      EXPECT_TRUE(Ends(Run(words), code, error)) << Line(words);
    EXPECT_EQ(Sequence(), before);
  }
  void ExpectReplies(const std::vector<ShownReply>& table) const {
    for (const auto& [words, list, members, shown] : table) {
      const boost::json::object reply = Json(words);
      EXPECT_EQ(Each(list.empty() ? boost::json::array{reply} : reply.at(list), members), shown)
          << Line(words);
    }
  }
  void ExpectPrinted(const std::vector<Printed>& table) const {
    for (const auto& [words, part] : table) EXPECT_TRUE(Says(Run(words).out, part)) << Line(words);
  }
  static std::string Line(const Words& words) {
    std::string line;
    for (const std::string& word : words) line += word + " ";
    return line;
  }

  const TempDir dir_;
  std::string db_ = dir_ / "g";
  Words always_;  // an option
};

}  // namespace plexus::testing
