// import --follow as a user runs it: killed at any moment it loses nothing and doubles nothing,
// Ctrl-C ends it cleanly, and each durable batch is a line on standard error.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <chrono>
#include <csignal>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/run_plexus.h"

namespace plexus::testing {
namespace {

using boost::json::object;

// Line i states a new value of one node, and a node of its own.
std::string Line(int i) {
  const std::string n = std::to_string(i);
  return R"({"node":"counter","kind":"memory","access_count":)" + n + "}\n" + R"({"node":"own)" +
         n + R"(","kind":"memory","text":"text )" + n + "\"}\n";
}

class FollowCommand : public ::testing::Test {
 protected:
  std::string Db() const { return dir_ / "g"; }
  std::string File() const { return dir_ / "stream.jsonl"; }
  void Append(const std::string& bytes) const {
    std::ofstream(File(), std::ios::app | std::ios::binary) << bytes;
  }
  std::vector<std::string> Follow(std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {"import", "--db", Db(), "--follow", File()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  object Ask(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--db", Db(), "--json"});
    const Finished run = Plexus(arguments);
    EXPECT_EQ(run.code, 0) << run.err;
    return run.Json();
  }

  const TempDir dir_;
};

TEST_F(FollowCommand, EachDurableBatchIsALine) {
  for (int i = 0; i < 10; ++i) Append(Line(i));
  const Finished run = Plexus(Follow({"--idle-seconds", "0", "--batch-records", "8", "--json"}));
  ASSERT_EQ(run.code, 0) << run.err;
  const object reply = run.Json();
  EXPECT_EQ(reply.at("records").to_number<int>(), 20);
  EXPECT_EQ(reply.at("follow").as_object().at("lines").to_number<int>(), 20);
  std::istringstream lines(run.err);
  int batches = 0, records = 0;
  for (std::string line; std::getline(lines, line); ++batches) {
    const object batch = boost::json::parse(line).as_object();
    EXPECT_EQ(batch.at("sequence").to_number<int>(), batches + 1);
    records += batch.at("records").to_number<int>();
  }
  EXPECT_EQ(batches, 3);
  EXPECT_EQ(records, 20);
  // For people, and again: nothing is left to do.
  Append(Line(10));
  const Finished words = Plexus(Follow({"--idle-seconds", "0"}));
  EXPECT_NE(words.err.find("sequence 4: 2 records, to line 22"), std::string::npos) << words.err;
  EXPECT_EQ(Plexus(Follow({"--idle-seconds", "0"})).err, "");
}

// A writer appends while the follower is killed again and again.
TEST_F(FollowCommand, KilledAtAnyMomentItLosesAndDoublesNothing) {
  constexpr int kLines = 400;
  std::mt19937_64 random(7);
  Append("");
  int written = 0;
  while (written < kLines) {
    Background follower(Follow({"--batch-records", "1", "--batch-seconds", "0"}));
    const int pieces = 1 + static_cast<int>(random() % 5);
    for (int p = 0; p < pieces && written < kLines; ++p) {
      const std::string line = Line(written++);
      const std::size_t cut = random() % line.size();
      Append(line.substr(0, cut));
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 20));
      Append(line.substr(cut));
      for (int more = 0; more < 15 && written < kLines; ++more) Append(Line(written++));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 150));
    follower.Signal(SIGKILL);
    EXPECT_EQ(follower.Wait(), 128 + SIGKILL);
  }
  const Finished last =
      Plexus(Follow({"--batch-records", "1", "--batch-seconds", "0", "--idle-seconds", "0"}));
  ASSERT_EQ(last.code, 0) << last.err;
  EXPECT_EQ(Plexus({"verify", "--db", Db()}).code, 0);
  const object stats = Ask({"stats"});
  EXPECT_EQ(stats.at("nodes").to_number<int>(), kLines + 1);
  // One record a batch: each record was applied once.
  EXPECT_EQ(stats.at("sequence").to_number<int>(), 2 * kLines);
}

TEST_F(FollowCommand, CtrlCEndsItCleanly) {
  for (int i = 0; i < 5; ++i) Append(Line(i));
  setenv("PLEXUS_TEST_INTERRUPT", "following:4", 1);
  const Finished run = Plexus(Follow({"--json", "--batch-seconds", "0"}));
  unsetenv("PLEXUS_TEST_INTERRUPT");
  EXPECT_EQ(run.code, 130) << run.err;
  const object reply = run.Json();
  EXPECT_TRUE(reply.at("follow").as_object().at("interrupted").as_bool());
  EXPECT_EQ(reply.at("follow").as_object().at("lines").to_number<int>(), 10);
  EXPECT_EQ(Ask({"stats"}).at("nodes").to_number<int>(), 6);
}

TEST_F(FollowCommand, APipeGoesToItsEndAndOnFromAName) {
  const std::vector<std::string> pipe = {"import", "--db",   Db(),         "--follow",
                                         "-",      "--json", "--position", "agent"};
  EXPECT_EQ(Plexus(pipe, {.input = Line(0) + Line(1)}).code, 0);
  const Finished again = Plexus(pipe, {.input = Line(0) + Line(1) + Line(2)});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.Json().at("records").to_number<int>(), 2);
  EXPECT_EQ(Plexus(pipe, {.input = Line(5)}).code, 1);
  EXPECT_EQ(Ask({"get", "inscription:plexus.follow.agent"})
                .at("props")
                .as_object()
                .at("lines")
                .to_number<int>(),
            6);
}

TEST_F(FollowCommand, ATextIsFoundByItsWordsAtOnce) {
  Append(Line(1));
  ASSERT_EQ(Plexus(Follow({"--idle-seconds", "0", "--terms"})).code, 0);
  Append(Line(2) + R"({"node":"w","text":"zebra crossing"})" + "\n");
  ASSERT_EQ(Plexus(Follow({"--idle-seconds", "0"})).code, 0);
  EXPECT_EQ(Ask({"search", "zebra"}).at("results").as_array().size(), 1u);
}

TEST_F(FollowCommand, WhatMakesNoSenseIsRefused) {
  Append(Line(0));
  const auto refused = [&](std::vector<std::string> arguments, const std::string& says, int code) {
    const Finished run = Plexus(arguments);
    EXPECT_EQ(run.code, code) << run.err;
    EXPECT_NE(run.err.find(says), std::string::npos) << run.err;
  };
  refused({"import", "--db", Db(), "--batch-records", "3", File()}, "--follow", 2);
  refused({"import", "--db", Db(), "--follow", File(), File()}, "one file", 2);
  refused(Follow({"--dry-run"}), "--dry-run", 2);
  refused(Follow({"--batch-records", "0"}), "--batch-records", 2);
  refused(Follow({"--format", "graphml"}), "cannot be followed", 1);
  refused({"import", "--db", Db(), "--follow", dir_ / "nosuch"}, "nosuch", 3);
  ASSERT_EQ(Plexus(Follow({"--idle-seconds", "0"})).code, 0);
  std::ofstream(File(), std::ios::binary) << Line(7);  // rewritten, of the same length
  refused(Follow({"--idle-seconds", "0"}), "rotated or rewritten", 1);
}

}  // namespace
}  // namespace plexus::testing
