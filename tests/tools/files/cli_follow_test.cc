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

#include "tests/support/program/program_test.h"

namespace plexus::testing {
namespace {

using boost::json::object;

// Line i states a new value of one node, and a node of its own.
std::string RecordOf(int i) {
  const std::string n = std::to_string(i);
  return R"({"node":"counter","kind":"memory","access_count":)" + n + "}\n" + R"({"node":"own)" +
         n + R"(","kind":"memory","text":"text )" + n + "\"}\n";
}

class FollowCommand : public ProgramTest {
 protected:
  std::string File() const { return dir_ / "stream.jsonl"; }
  void Append(const std::string& bytes) const {
    std::ofstream(File(), std::ios::app | std::ios::binary) << bytes;
  }
  Words Follow(Words more = {}) const {
    more.insert(more.begin(), {"import", "--db", Db(), "--follow", File()});
    return more;
  }
};

TEST_F(FollowCommand, EachDurableBatchIsALine) {
  for (int i = 0; i < 10; ++i) Append(RecordOf(i));
  const Finished run = Plexus(Follow({"--idle-seconds", "0", "--batch-records", "8", "--json"}));
  ASSERT_EQ(run.code, 0) << run.err;
  const object reply = run.Json();
  EXPECT_EQ(reply.at("records"), 20);
  EXPECT_EQ(reply.at("follow").at("lines"), 20);
  std::istringstream lines(run.err);
  int batches = 0, records = 0;
  for (std::string line; std::getline(lines, line); ++batches) {
    const object batch = boost::json::parse(line).as_object();
    EXPECT_EQ(batch.at("sequence"), batches + 1);
    records += batch.at("records").to_number<int>();
  }
  EXPECT_EQ(batches, 3);
  EXPECT_EQ(records, 20);
  // For people, and again: nothing is left to do.
  Append(RecordOf(10));
  const Finished words = Plexus(Follow({"--idle-seconds", "0"}));
  EXPECT_TRUE(Says(words.err, "sequence 4: 2 records, to line 22"));
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
      const std::string line = RecordOf(written++);
      const std::size_t cut = random() % line.size();
      Append(line.substr(0, cut));
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 20));
      Append(line.substr(cut));
      for (int more = 0; more < 15 && written < kLines; ++more) Append(RecordOf(written++));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 150));
    follower.Signal(SIGKILL);
    EXPECT_EQ(follower.Wait(), 128 + SIGKILL);
  }
  ASSERT_TRUE(Ends(
      Plexus(Follow({"--batch-records", "1", "--batch-seconds", "0", "--idle-seconds", "0"})), 0));
  EXPECT_EQ(Run({"verify"}).code, 0);
  const object stats = Json({"stats"});
  EXPECT_EQ(stats.at("nodes"), kLines + 1);
  // One record a batch: each record was applied once.
  EXPECT_EQ(stats.at("sequence"), 2 * kLines);
}

TEST_F(FollowCommand, CtrlCEndsItCleanly) {
  for (int i = 0; i < 5; ++i) Append(RecordOf(i));
  setenv("PLEXUS_TEST_INTERRUPT", "following:4", 1);
  const Finished run = PlexusProcess(Follow({"--json", "--batch-seconds", "0"}));
  unsetenv("PLEXUS_TEST_INTERRUPT");
  EXPECT_EQ(run.code, 130) << run.err;
  const object reply = run.Json();
  EXPECT_TRUE(reply.at("follow").at("interrupted").as_bool());
  EXPECT_EQ(reply.at("follow").at("lines"), 10);
  EXPECT_EQ(Json({"stats"}).at("nodes"), 6);
}

TEST_F(FollowCommand, APipeGoesToItsEndAndOnFromAName) {
  const Words pipe = {"import", "--db", Db(), "--follow", "-", "--json", "--position", "agent"};
  EXPECT_EQ(Plexus(pipe, {.input = RecordOf(0) + RecordOf(1)}).code, 0);
  const Finished again = Plexus(pipe, {.input = RecordOf(0) + RecordOf(1) + RecordOf(2)});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.Json().at("records"), 2);
  EXPECT_EQ(Plexus(pipe, {.input = RecordOf(5)}).code, 1);
  EXPECT_EQ(Json({"get", "inscription:plexus.follow.agent"}).at("props").at("lines"), 6);
}

TEST_F(FollowCommand, ATextIsFoundByItsWordsAtOnce) {
  Append(RecordOf(1));
  ASSERT_EQ(Plexus(Follow({"--idle-seconds", "0", "--terms"})).code, 0);
  Append(RecordOf(2) + R"({"node":"w","text":"zebra crossing"})" + "\n");
  ASSERT_EQ(Plexus(Follow({"--idle-seconds", "0"})).code, 0);
  EXPECT_EQ(Json({"search", "zebra"}).at("results").as_array().size(), 1u);
}

TEST_F(FollowCommand, WhatMakesNoSenseIsRefused) {
  Append(RecordOf(0));
  EXPECT_TRUE(
      Ends(Plexus({"import", "--db", Db(), "--batch-records", "3", File()}), 2, "--follow"));
  EXPECT_TRUE(Ends(Plexus({"import", "--db", Db(), "--follow", File(), File()}), 2, "one file"));
  EXPECT_TRUE(Ends(Plexus(Follow({"--dry-run"})), 2, "--dry-run"));
  EXPECT_TRUE(Ends(Plexus(Follow({"--batch-records", "0"})), 2, "--batch-records"));
  EXPECT_TRUE(Ends(Plexus(Follow({"--format", "graphml"})), 1, "cannot be followed"));
  EXPECT_TRUE(Ends(Plexus({"import", "--db", Db(), "--follow", dir_ / "nosuch"}), 3, "nosuch"));
  ASSERT_EQ(Plexus(Follow({"--idle-seconds", "0"})).code, 0);
  std::ofstream(File(), std::ios::binary) << RecordOf(7);  // rewritten, of the same length
  EXPECT_TRUE(Ends(Plexus(Follow({"--idle-seconds", "0"})), 1, "rotated or rewritten"));
}

}  // namespace
}  // namespace plexus::testing
