// --max-bytes and --max-seconds as a user gives them: a reply ends whole, in each format; what
// writes writes nothing; what is read ends, too.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/program/program_test.h"

namespace plexus::testing {
namespace {

constexpr int kNodes = 2'000;

class LimitsCommand : public ProgramTest {
 protected:
  void SetUp() override {
    std::string lines;
    for (int i = 0; i < kNodes; ++i)
      lines += R"({"node":"n)" + std::to_string(i) + R"(","text":"a \"quoted\"\nsecond line"})" +
               "\n" + R"({"edge":["n0","n)" + std::to_string(i) + R"("],"kind":"knows"})" + "\n";
    Import(lines);
  }
};

TEST_F(LimitsCommand, JsonEndsWhole) {
  for (const Words& question : {Words{"list", "--top", "0"}, {"neighbors", "n0"}, {"pagerank"}}) {
    const Words words = With(question, {"--json", "--max-bytes", "1000"});
    const Finished cut = Run(words);
    EXPECT_EQ(cut.code, 0) << cut.err;
    EXPECT_LT(cut.out.size(), 1'500u);
    EXPECT_TRUE(cut.Json().at("truncated").as_bool());
  }
  for (const char* bytes : {"0", "10000000"}) {
    const Finished whole = Run({"list", "--top", "0", "--json", "--max-bytes", bytes});
    EXPECT_EQ(whole.Json().at("results").as_array().size(), std::size_t{kNodes});
    EXPECT_FALSE(whole.Json().contains("truncated"));
  }
  EXPECT_EQ(Run({"list", "--max-bytes", "x"}).code, 2);
}

// A long list is cut, unless all of it was asked for.
TEST_F(LimitsCommand, WithoutALimitAReplyIsAMegabyte) {
  constexpr std::size_t kSpokes = 20'000, kMegabyte = 1 << 20;
  std::string lines;
  for (std::size_t i = 0; i < kSpokes; ++i)
    lines += R"({"edge":["hub","a spoke with a key of many letters )" + std::to_string(i) +
             R"("],"kind":"knows"})" + "\n";
  Import(lines);
  const Finished cut = Run({"neighbors", "hub", "--json"});
  EXPECT_EQ(cut.code, 0) << cut.err;
  EXPECT_LT(cut.out.size(), kMegabyte + 1000);
  EXPECT_GT(cut.out.size(), kMegabyte / 8 * 7);
  EXPECT_TRUE(cut.Json().at("truncated").as_bool());
  EXPECT_EQ(cut.Json().at("total"), kSpokes);
  for (const Words& all : {Words{"--top", "0"}, {"--max-bytes", "0"}}) {
    const auto whole = Run(With({"neighbors", "hub", "--json"}, all)).Json();
    EXPECT_EQ(whole.at("neighbors").as_array().size(), kSpokes);
    EXPECT_FALSE(whole.contains("truncated") && whole.at("truncated").as_bool());
  }
}

// A page that was cut names no next one, however times are written, and an element is whole.
TEST_F(LimitsCommand, ACutPageHasNoNext) {
  for (const char* event : {"e1", "e2", "e3", "e4", "e5"})
    ASSERT_EQ(Run({"ledger", "record", "n0", "n1", "--query", event}).code, 0);
  for (const char* times : {"ms", "iso"}) {
    const Words words = {"ledger", "recent", "--limit", "4", "--json", "--times", times};
    EXPECT_TRUE(Run(words).Json().contains("next"));
    const Words cut = With(words, {"--max-bytes", "200"});
    const auto page = Run(cut).Json();
    EXPECT_TRUE(page.at("truncated").as_bool()) << times;
    EXPECT_FALSE(page.contains("next")) << times;
  }
  ASSERT_EQ(Run({"put", "n0", "--tags", "rust"}).code, 0);
  const auto first = Json({"list", "--columns", "key,tags", "--max-bytes", "40"});
  EXPECT_EQ(first.at("results").at(0).at("tags").as_array().size(), 1u);
}

TEST_F(LimitsCommand, TablesAndCsvEndBehindALine) {
  const Finished csv = Run({"list", "--top", "0", "--format", "csv", "--max-bytes", "1000"});
  EXPECT_EQ(csv.code, 0);
  EXPECT_LT(csv.out.size(), 1'500u);
  EXPECT_TRUE(csv.out.ends_with("\"a \"\"quoted\"\"\nsecond line\",\n")) << csv.out;
  EXPECT_TRUE(Says(csv.err, "the reply is cut"));
  for (const Words& question : {Words{"list", "--top", "0"}, {"neighbors", "n0"}}) {
    const Words words = With(question, {"--max-bytes", "1000"});
    const Finished table = Run(words);
    EXPECT_EQ(table.code, 0);
    EXPECT_LT(table.out.size(), 2'000u);
    EXPECT_TRUE(table.out.ends_with("\n"));
    EXPECT_TRUE(Says(table.err, "the reply is cut"));
  }
}

// What the shell was told holds for its lines, requests as JSON among them.
TEST_F(LimitsCommand, TheShellsLinesEnd) {
  const std::string lines = "list --top 0\n{\"list\":{\"top\":0}}\n{\"list\":{\"top\":3}}\n";
  const Finished told = Run({"shell", "--json", "--max-bytes", "1000"}, {.input = lines});
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_LT(told.out.size(), 4'000u);
  const Finished line =
      Run({"shell", "--json"}, {.input = "{\"list\":{\"top\":0,\"max_bytes\":1000}}\nstats\n"});
  EXPECT_LT(line.out.size(), 5'000u);
  EXPECT_TRUE(Says(line.out, "\"truncated\":true"));
}

// On standard output it is a file all the same.
TEST_F(LimitsCommand, AnExportIsNoReply) {
  const Finished whole = Run({"export"});
  EXPECT_EQ(whole.code, 0);
  EXPECT_GE(std::ranges::count(whole.out, '\n'), 2 * kNodes);
  EXPECT_TRUE(Ends(Run({"export", "--max-bytes", "1000"}), 1, "--max-bytes"));
  EXPECT_EQ(Run({"export", "--max-seconds", "0"}).code, 1);
  EXPECT_EQ(Run({"export", "-o", dir_ / "out.jsonl", "--max-bytes", "10", "--json"}).code, 0);
}

TEST_F(LimitsCommand, WhatWritesWritesNothing) {
  const auto sequence = [&] { return Json({"stats"}).at("sequence").as_int64(); };
  const auto before = sequence();
  for (const Words& command : {Words{"put", "n1", "--text", "new"},
                               {"link", "n1", "knows", "n2"},
                               {"remove", "n3"},
                               {"purge", "n3"},
                               {"concept", "upsert", "c"},
                               {"ledger", "record", "--tool", "t", "--member", "n1"},
                               {"import", dir_.File("m.jsonl", "{\"node\":\"m\"}\n")}}) {
    const Words words = With(command, {"--max-seconds", "0"});
    EXPECT_TRUE(Ends(Run(words), 1, "--max-seconds: the time was up")) << command[0];
    EXPECT_EQ(sequence(), before) << command[0];
  }
}

// A file without an end, and a pipe that nobody writes to.
TEST_F(LimitsCommand, WhatIsReadEnds) {
  EXPECT_TRUE(Ends(Run({"retrieve", "a", "--plan", "/dev/zero"}), 2, "has more than 64.0 MiB"));
  ASSERT_EQ(mkfifo((dir_ / "pipe").c_str(), 0600), 0);
  EXPECT_TRUE(Ends(Run({"retrieve", "a", "--plan", dir_ / "pipe", "--max-seconds", "0"}), 1,
                   "was not read to its end"));
}

}  // namespace
}  // namespace plexus::testing
