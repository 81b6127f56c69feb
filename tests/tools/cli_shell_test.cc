// The shell answers as the commands do, line by line on one graph.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/graph.h"
#include "tests/support/run_plexus.h"
#include "tools/cli/shell.h"

namespace plexus::testing {
namespace {

class Shell : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(Plexus({"link", "alice", "knows", "bob", "--db", db_, "--quiet"}).code, 0);
  }
  Finished Script(const std::string& lines, std::vector<std::string> words = {}) {
    words.insert(words.begin(), {"shell", "--db", db_, "--quiet"});
    return Plexus(words, {.input = lines});
  }
  const TempDir dir_;
  const std::string db_ = dir_ / "g";
};

TEST_F(Shell, LinesAreTheCommands) {
  const std::string first = Plexus({"neighbors", "alice", "--db", db_, "--json"}).out;
  const std::string second = Plexus({"kinds", "--db", db_}).out;
  const Finished run =
      Script("# a comment\n\nneighbors alice --json\n  plexus kinds\nquit\nget x\n");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out, first + second);
}

TEST_F(Shell, WritesAreDurableAndSeenByTheNextLine) {
  const Finished run =
      Script("link bob knows carol\nneighbors carol --format csv\nremove alice\nget alice\n");
  EXPECT_EQ(run.code, 3) << run.err;
  EXPECT_NE(run.out.find("bob,in,knows,1"), std::string::npos) << run.out;
  EXPECT_NE(run.err.find("node 'alice' was removed"), std::string::npos) << run.err;
  EXPECT_EQ(Plexus({"get", "carol", "--db", db_}).code, 0);
}

TEST_F(Shell, WhatAnotherProcessWritesIsSeen) {
  ASSERT_EQ(Script("get bob\n").code, 0);
  ASSERT_EQ(Plexus({"link", "bob", "knows", "dave", "--db", db_, "--quiet"}).code, 0);
  EXPECT_EQ(Script("get dave\n").code, 0);
}

TEST_F(Shell, AFailureIsKeptAndBailEnds) {
  const Finished on = Script("get nobody\nget alice --json\n");
  EXPECT_EQ(on.code, 3);
  EXPECT_NE(on.out.find(R"({"key":"alice")"), std::string::npos) << on.out;
  const Finished off = Script("get nobody\nget alice\n", {"--bail"});
  EXPECT_EQ(off.code, 3);
  EXPECT_EQ(off.out, "");
  EXPECT_EQ(Script("get 'alice\n").code, 2);
  EXPECT_EQ(Script("gte alice\n").code, 2);
  EXPECT_EQ(Script("shell\n").code, 2);
}

TEST_F(Shell, OptionsOfTheShellHoldForItsLines) {
  ASSERT_EQ(Plexus({"link", "bob", "knows", "carol", "--db", db_, "--quiet"}).code, 0);
  const Finished then = Script("stats\n", {"--json", "--as-of", "1"});
  EXPECT_EQ(then.Json().at("sequence").to_number<int>(), 1);
  EXPECT_EQ(Script("stats --as-of 2\n", {"--json", "--as-of", "1"})
                .Json()
                .at("sequence")
                .to_number<int>(),
            2);
}

TEST_F(Shell, NoGraphIsNotFound) {
  EXPECT_EQ(Plexus({"shell", "--db", dir_ / "none"}, {.input = "kinds\n"}).code, 3);
}

TEST(ShellWords, AreSplitAsAShellDoes) {
  const auto words = [](const char* line) {
    return tools::SplitWords(line).value_or(std::vector<std::string>{"wrong"});
  };
  using Words = std::vector<std::string>;
  EXPECT_EQ(words(" get  'a b' \"c \\\" d\"e f\\ g # h"), (Words{"get", "a b", "c \" de", "f g"}));
  EXPECT_EQ(words("match '(a|b)+ ^c' --from x#y ''"),
            (Words{"match", "(a|b)+ ^c", "--from", "x#y", ""}));
  EXPECT_EQ(words(""), Words{});
  EXPECT_FALSE(tools::SplitWords("get \"a"));
}

TEST(ShellCompletion, OffersCommandsFlagsChoicesKindsAndKeys) {
  const auto graph = Graph::InMemory();
  WriteBatch batch(1);
  const NodeRef alice = batch.Node("alice"), albert = batch.Node("albert");
  batch.Link(alice, batch.EdgeKindNamed("knows"), albert);
  ASSERT_TRUE(graph->Apply(batch));
  const Snapshot snapshot = graph->snapshot();
  using Words = std::vector<std::string>;
  EXPECT_EQ(tools::Completions(snapshot, "pager"), Words{"pagerank"});
  EXPECT_EQ(tools::Completions(snapshot, "bfs --ea"), Words{"--each"});
  EXPECT_EQ(tools::Completions(snapshot, "bfs --direction "), (Words{"out", "in", "both"}));
  EXPECT_EQ(tools::Completions(snapshot, "bfs --kinds kno"), Words{"knows"});
  EXPECT_EQ(tools::Completions(snapshot, "get al"), (Words{"alice", "albert"}));
}

}  // namespace
}  // namespace plexus::testing
