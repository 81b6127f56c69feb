// build and session as a user runs them: MEMORY.md's checks T1 to T3, T5, T7, T8, what is counted
// and what is refused.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <csignal>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/program/program_test.h"

namespace plexus::testing {
namespace {

using boost::json::object;
using Edges = std::map<std::string, double>;

constexpr std::int64_t kTime = 1'700'000'000'000;

std::string At(std::int64_t seconds) { return std::to_string(kTime + seconds * 1000); }

std::string TurnLines() {
  std::string lines;
  const auto turn = [&](const char* key, std::int64_t seconds) {
    lines += std::string(R"({"node":")") + key + R"(","kind":"turn","created_at":)" + At(seconds) +
             "}\n";
  };
  const auto edge = [&](const char* a, const char* kind, const char* b, const char* more = "") {
    lines += std::string(R"({"edge":[")") + a + R"(",")" + b + R"("],"kind":")" + kind + "\"" +
             more + "}\n";
  };
  const auto vector = [&](const char* key, const char* values) {
    lines += std::string(R"({"vector":")") + key + R"(","values":[)" + values + "]}\n";
  };
  turn("t1", 0);
  turn("t2", 60);
  turn("t3", 3660);
  turn("t4", 39660);
  turn("t5", 100);
  turn("t6", 100);
  turn("t7", 200);
  for (const char* key : {"t1", "t2", "t3", "t4"}) edge(key, "in_session", "s1");
  for (const char* key : {"t5", "t6"}) edge(key, "in_session", "s2");
  edge("t1", "mentions", "src/a.rs", R"(,"props":{"operation":"write"})");
  for (const char* key : {"t2", "t5", "t6"})
    edge(key, "mentions", "src/a.rs", R"(,"props":{"operation":"read"})");
  for (const char* key : {"t1", "t3", "t5"}) edge(key, "inscribed", "fix");
  vector("t1", "1,0");
  vector("t2", "0.6,0.8");
  vector("t3", "0,1");
  vector("t5", "0.8,0.6");
  vector("t6", "0,1");
  return lines;
}

class TurnsCommand : public ProgramTest {
 protected:
  void SetUp() override {
    always_ = {"--now", std::to_string(kTime)};
    Import(TurnLines());
  }
  object Build(Words recipes) const {
    recipes.insert(recipes.begin(), "build");
    return Json(std::move(recipes));
  }
  static std::uint64_t Count(const object& reply, const char* name) {
    return reply.at(name).to_number<std::uint64_t>();
  }
  std::string Export() const { return Run({"export", "--format", "jsonl"}).out; }
  std::vector<object> Records(const char* member) const {
    std::vector<object> records;
    std::istringstream lines(Export());
    for (std::string line; std::getline(lines, line);) {
      object record = boost::json::parse(line).as_object();
      if (record.contains(member)) records.push_back(std::move(record));
    }
    return records;
  }
  // "t2-t1 src/a.rs" -> weight.
  Edges EdgesOf(const char* kind) const {
    Edges edges;
    for (const object& record : Records("edge")) {
      if (record.at("kind").as_string() != kind) continue;
      const auto& ends = record.at("edge").as_array();
      std::string name = std::string(ends[0].as_string()) + "-" + std::string(ends[1].as_string());
      if (const auto* label = record.if_contains("label"); label && !label->as_string().empty())
        name += " " + std::string(label->as_string());
      edges[name] = record.contains("weight") ? record.at("weight").to_number<double>() : 1;
    }
    return edges;
  }
  void Expect(const char* kind, const Edges& expected) const {
    Edges edges = EdgesOf(kind);
    EXPECT_EQ(edges.size(), expected.size());
    for (const auto& [name, weight] : expected) EXPECT_NEAR(edges[name], weight, 1e-7) << name;
  }
  std::string Correction(const std::string& line) const { return dir_.File("k.jsonl", line); }
};

TEST_F(TurnsCommand, T1Temporal) {
  EXPECT_EQ(Build({"temporal"}).at("new"), 4);
  Expect("temporal",
         {{"t1-t2", 0.983606557}, {"t2-t3", 0.5}, {"t3-t4", 0.090909091}, {"t5-t6", 1}});
  EXPECT_TRUE(Says(Export(), R"("props":{"gap_seconds":3600.0,"session_id":"s1"})"));
  const std::int64_t sequence = Sequence();
  const object again = Build({"temporal"});
  EXPECT_EQ(Each(boost::json::array{again}, "new same"), "0 4");
  EXPECT_EQ(again.at("recipes").at(0).at("groups"), 0);
  EXPECT_EQ(Sequence(), sequence);
}

TEST_F(TurnsCommand, T2AndT8ReferentialAndCategorical) {
  EXPECT_EQ(Each(boost::json::array{Build({"referential"})}, "new dropped"), "5 1");
  EXPECT_EQ(Build({"categorical"}).at("dropped"), 1);
  Expect("categorical", {{"t1-t5 fix", 0.8}, {"t3-t5 fix", 0.6}});
  Import(R"({"node":"t8","kind":"turn","created_at":)" + At(-10) + "}\n" +
         R"({"edge":["t8","src/a.rs"],"kind":"mentions","props":{"operation":"read"}})" + "\n" +
         R"({"vector":"t8","values":[1,0]})" + "\n");
  EXPECT_EQ(Each(boost::json::array{Build({"referential"})}, "new same dropped"), "3 5 2");
}

TEST_F(TurnsCommand, T3CausalAndTrajectory) {
  const std::string line =
      R"({"session_id":"s2","correction_of":"s1","reward":0.7,"skill":"debug"})";
  EXPECT_EQ(Build({"causal", "--from", Correction(line)}).at("new"), 1);
  Expect("causal", {{"t5-t1", 0.7}});
  for (const object& record : Records("edge"))
    if (record.at("kind").as_string() == "causal") {
      EXPECT_EQ(boost::json::serialize(record.at("props")),
                R"({"correction_type":"redo","skill":"debug"})");
    }
  // The reward was kept with the session.
  EXPECT_EQ(Build({"trajectory"}).at("new"), 1);
  Expect("trajectory", {{"t5-t6", 0.7}});
  const std::uint64_t sequence = Sequence();
  EXPECT_EQ(Build({"causal", "trajectory", "--from", Correction(line)}).at("same"), 2);
  EXPECT_EQ(Sequence(), sequence);
}

TEST_F(TurnsCommand, T3AnUnknownSessionIsSkippedOrRefused) {
  const std::string file = Correction(R"({"session_id":"s2","correction_of":"nowhere"})");
  const std::uint64_t sequence = Sequence();
  const object reply = Build({"causal", "--from", file});
  EXPECT_EQ(reply.at("skipped"), 1);
  EXPECT_EQ(boost::json::serialize(reply.at("unknown")), R"(["nowhere"])");
  EXPECT_TRUE(Ends(Run({"build", "causal", "--from", file, "--strict"}), 3, "nowhere"));
  EXPECT_EQ(Sequence(), sequence);
}

TEST_F(TurnsCommand, ATableSaysTheSame) {
  const std::string file = dir_.File(
      "k.csv", "skill,session_id,correction_of,reward\n\"deb\"\"ug\",s2,s1,0.7\n,s1,,0.25\n");
  Build({"causal", "trajectory", "--from", file});
  Expect("causal", {{"t5-t1", 0.7}});
  Expect("trajectory", {{"t1-t4", 0.25}, {"t5-t6", 0.7}});
}

TEST_F(TurnsCommand, T5Session) {
  for (const auto& [words, shown] :
       {std::pair{Words{"session", "t3"}, "-2 t1, -1 t2, 0 t3, 1 t4"},
        {Words{"session", "t3", "--back", "1", "--forward", "0"}, "-1 t2, 0 t3"},
        {Words{"session", "session:s2"}, "0 t5, 1 t6"},
        {Words{"session", "t7"}, "0 t7"}})
    ExpectReplies({{words, "turns", "position key", shown}});
  ExpectRefused({{{"session", "nosuch"}, 3, "nosuch"}});
  // A memory is no turn; a turn is in the session with the smallest id; what is left out is not
  // counted.
  Import(R"({"node":"note","kind":"memory","created_at":)" + At(1) + R"(}
{"edge":["note","s1"],"kind":"in_session"}
{"edge":["t1","s2"],"kind":"in_session"}
)");
  const Words two = {"session", "t3", "--back", "1", "--where", "created_at != " + At(60)};
  ExpectReplies({{{"session", "t2"}, "turns", "position key", "-1 t1, 0 t2, 1 t3, 2 t4"},
                 {{"session", "session:s2"}, "turns", "position key", "0 t5, 1 t6"},
                 {two, "turns", "position key", "-1 t1, 0 t3, 1 t4"}});
}

TEST_F(TurnsCommand, WithoutItsRecordARecipeLooksAtEverythingAndChangesNothing) {
  Build({"temporal", "referential", "categorical"});
  const std::string before = Export();
  for (const char* name : {"temporal", "referential", "categorical"}) {
    ASSERT_EQ(Run({"remove", "inscription:plexus.build." + std::string(name)}).code, 0);
    const object again = Build({name});
    EXPECT_EQ(Each(boost::json::array{again}, "new changed removed"), "0 0 0");
    EXPECT_GT(again.at("recipes").at(0).at("groups").to_number<int>(), 0);
  }
  EXPECT_EQ(Export(), before);
}

TEST_F(TurnsCommand, ADryRunWritesNothing) {
  const std::uint64_t sequence = Sequence();
  const object reply =
      Build({"temporal", "causal", "trajectory", "similar", "--dry-run", "--from",
             Correction(R"({"session_id":"s2","correction_of":"s1","reward":0.7})")});
  EXPECT_TRUE(reply.at("dry_run").as_bool());
  EXPECT_GE(reply.at("new").to_number<int>(), 6);
  EXPECT_EQ(Sequence(), sequence);
  EXPECT_TRUE(EdgesOf("temporal").empty());
}

// T7: killed at any time and run again it ends in the same export. Times of edges aside, which are
// those of --now here.
TEST_F(TurnsCommand, T7KilledAndRunAgain) {
  std::string lines;
  for (int i = 0; i < 3000; ++i) {
    const std::string key = "k" + std::to_string(i);
    lines += R"({"node":")" + key + R"(","kind":"turn","created_at":)" + At(i * 7) + "}\n";
    lines += R"({"edge":[")" + key + R"(","b)" + std::to_string(i / 6) +
             R"("],"kind":"in_session"})" + "\n";
  }
  Import(lines);
  const std::string before = dir_.File("before.jsonl", Export());
  const Words build = {"build", "temporal", "referential", "--batch-edges", "20"};
  const Words arguments = With(build, {"--now", std::to_string(kTime)});
  for (int tenth = 1; tenth < 10; tenth += 2) {
    Background run(arguments);
    std::this_thread::sleep_for(std::chrono::milliseconds(30 * tenth));
    run.Signal(SIGKILL);
    run.Wait();
  }
  Json(build);
  const std::string made = Export();
  db_ = dir_ / "whole";
  ASSERT_EQ(Run({"import", before}).code, 0);
  Json(build);
  EXPECT_EQ(Export(), made);
}

TEST_F(TurnsCommand, WhatMakesNoSenseIsRefusedByName) {
  int files = 0;
  const auto causal = [&](const std::string& text, const char* end = ".jsonl") {
    return Words{"build", "causal", "--from", dir_.File("k" + std::to_string(++files) + end, text)};
  };
  ExpectRefused({
      {{"build", "temporl"}, 2, "temporal"},
      {{"build"}, 2, "RECIPE"},
      {{"build", "temporal", "--from", Correction("{}")}, 2, "causal and trajectory"},
      {{"build", "temporal", "--window", "3"}, 2, "--window"},
      {{"build", "referential", "--above", "1.5"}, 2, "--above"},
      {{"build", "referential", "--space", "nosuch"}, 3, "nosuch"},
      {causal("{}"), 2, "k1.jsonl:1: it has no session_id"},
      {causal("{\"session_id\":\"s1\"}\n{\"session_id\":7}"), 2,
       ".jsonl:2: \"session_id\" must be a text"},
      {causal(R"({"session_id":"s2","reward":-1})"), 2, "reward"},
      {causal(R"({"session_id":"s2","reward":1e39})"), 2, "reward"},
      {causal("{\"session_id\":"), 2, ".jsonl:1: it is no JSON"},
      {causal("session,reward\ns2,1\n", ".csv"), 2, "session_id"},
      {causal("session_id,reward\ns2,NaN\n", ".csv"), 2, ".csv:2"},
  });
}

}  // namespace
}  // namespace plexus::testing
