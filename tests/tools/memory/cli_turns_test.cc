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

#include "tests/support/run_plexus.h"

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

class TurnsCommand : public ::testing::Test {
 protected:
  void Import(const std::string& lines, const std::string& db = "g") const {
    const Finished run = Plexus(
        {"import", "--db", dir_ / db, "--format", "jsonl", "-", "--now", std::to_string(kTime)},
        {.input = lines});
    ASSERT_EQ(run.code, 0) << run.err;
  }
  void SetUp() override { Import(TurnLines()); }
  Finished Run(std::vector<std::string> arguments, const std::string& db = "g") const {
    arguments.insert(arguments.end(),
                     {"--db", dir_ / db, "--now", std::to_string(kTime), "--json"});
    return Plexus(arguments);
  }
  object Ask(std::vector<std::string> arguments, const std::string& db = "g") const {
    const Finished run = Run(std::move(arguments), db);
    EXPECT_EQ(run.code, 0) << run.err;
    return run.Json();
  }
  object Build(std::vector<std::string> recipes) const {
    recipes.insert(recipes.begin(), "build");
    return Ask(std::move(recipes));
  }
  static std::uint64_t Count(const object& reply, const char* name) {
    return reply.at(name).to_number<std::uint64_t>();
  }
  std::uint64_t Sequence() const { return Count(Ask({"stats"}), "sequence"); }
  std::string Export(const std::string& db = "g") const {
    const Finished run = Plexus({"export", "--db", dir_ / db, "--format", "jsonl"});
    EXPECT_EQ(run.code, 0) << run.err;
    return run.out;
  }
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
    const Edges edges = EdgesOf(kind);
    ASSERT_EQ(edges.size(), expected.size());
    for (const auto& [name, weight] : expected) {
      ASSERT_TRUE(edges.contains(name)) << name;
      EXPECT_NEAR(edges.at(name), weight, 1e-7) << name;
    }
  }
  std::string Correction(const std::string& line) const { return dir_.File("k.jsonl", line); }

  const TempDir dir_;
};

TEST_F(TurnsCommand, T1Temporal) {
  const object first = Build({"temporal"});
  EXPECT_EQ(Count(first, "new"), 4u);
  Expect("temporal",
         {{"t1-t2", 0.983606557}, {"t2-t3", 0.5}, {"t3-t4", 0.090909091}, {"t5-t6", 1}});
  for (const object& record : Records("edge"))
    if (record.at("kind").as_string() == "temporal") {
      const object& props = record.at("props").as_object();
      const bool second = record.at("edge").as_array()[0].as_string() == "t2";
      if (!second) continue;
      EXPECT_EQ(props.at("session_id").as_string(), "s1");
      EXPECT_EQ(props.at("gap_seconds").to_number<double>(), 3600);
    }
  const std::uint64_t sequence = Sequence();
  const object again = Build({"temporal"});
  EXPECT_EQ(Count(again, "new"), 0u);
  EXPECT_EQ(Count(again, "same"), 4u);
  EXPECT_EQ(Sequence(), sequence);
  EXPECT_EQ(again.at("recipes").as_array()[0].as_object().at("groups").to_number<int>(), 0);
}

TEST_F(TurnsCommand, T2AndT8ReferentialAndCategorical) {
  const object first = Build({"referential"});
  EXPECT_EQ(Count(first, "new"), 5u);
  EXPECT_EQ(Count(first, "dropped"), 1u);
  Expect("referential", {{"t2-t1 src/a.rs", 0.6},
                         {"t5-t1 src/a.rs", 0.8},
                         {"t5-t2 src/a.rs", 0.96},
                         {"t6-t2 src/a.rs", 0.8},
                         {"t6-t5 src/a.rs", 0.6}});
  const object categorical = Build({"categorical"});
  EXPECT_EQ(Count(categorical, "dropped"), 1u);
  Expect("categorical", {{"t1-t5 fix", 0.8}, {"t3-t5 fix", 0.6}});

  Import(R"({"node":"t8","kind":"turn","created_at":)" + At(-10) + "}\n" +
         R"({"edge":["t8","src/a.rs"],"kind":"mentions","props":{"operation":"read"}})" + "\n" +
         R"({"vector":"t8","values":[1,0]})" + "\n");
  const object again = Build({"referential"});
  EXPECT_EQ(Count(again, "new"), 3u);
  EXPECT_EQ(Count(again, "same"), 5u);
  EXPECT_EQ(Count(again, "dropped"), 2u);
  const Edges edges = EdgesOf("referential");
  EXPECT_NEAR(edges.at("t8-t1 src/a.rs"), 1, 1e-7);
  EXPECT_NEAR(edges.at("t2-t8 src/a.rs"), 0.6, 1e-7);
  EXPECT_NEAR(edges.at("t5-t8 src/a.rs"), 0.8, 1e-7);
}

TEST_F(TurnsCommand, T3CausalAndTrajectory) {
  const std::string line =
      R"({"session_id":"s2","correction_of":"s1","reward":0.7,"skill":"debug"})";
  EXPECT_EQ(Count(Build({"causal", "--from", Correction(line)}), "new"), 1u);
  Expect("causal", {{"t5-t1", 0.7}});
  for (const object& record : Records("edge"))
    if (record.at("kind").as_string() == "causal") {
      EXPECT_EQ(boost::json::serialize(record.at("props")),
                R"({"correction_type":"redo","skill":"debug"})");
    }
  // The reward was kept with the session.
  EXPECT_EQ(Count(Build({"trajectory"}), "new"), 1u);
  Expect("trajectory", {{"t5-t6", 0.7}});
  const std::uint64_t sequence = Sequence();
  EXPECT_EQ(Count(Build({"causal", "trajectory", "--from", Correction(line)}), "same"), 2u);
  EXPECT_EQ(Sequence(), sequence);
}

TEST_F(TurnsCommand, T3WithoutAReward) {
  Build({"causal", "--from", Correction(R"({"session_id":"s2","correction_of":"s1"})")});
  Expect("causal", {{"t5-t1", 0.5}});
}

TEST_F(TurnsCommand, T3AnUnknownSessionIsSkippedOrRefused) {
  const std::string file = Correction(R"({"session_id":"s2","correction_of":"nowhere"})");
  const std::uint64_t sequence = Sequence();
  const object reply = Build({"causal", "--from", file});
  EXPECT_EQ(Count(reply, "skipped"), 1u);
  EXPECT_EQ(boost::json::serialize(reply.at("unknown")), R"(["nowhere"])");
  const Finished strict = Run({"build", "causal", "--from", file, "--strict"});
  EXPECT_EQ(strict.code, 3);
  EXPECT_NE(strict.err.find("nowhere"), std::string::npos) << strict.err;
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
  const auto turns = [&](std::vector<std::string> arguments) {
    std::string list;
    const object reply = Ask(std::move(arguments));
    for (const auto& turn : reply.at("turns").as_array()) {
      const object& t = turn.as_object();
      list += std::to_string(t.at("position").to_number<int>()) + " " +
              std::string(t.at("key").as_string()) + ", ";
    }
    return list;
  };
  EXPECT_EQ(turns({"session", "t3"}), "-2 t1, -1 t2, 0 t3, 1 t4, ");
  EXPECT_EQ(turns({"session", "t3", "--back", "1", "--forward", "0"}), "-1 t2, 0 t3, ");
  EXPECT_EQ(turns({"session", "session:s2"}), "0 t5, 1 t6, ");
  EXPECT_EQ(turns({"session", "t7"}), "0 t7, ");
  EXPECT_EQ(Run({"session", "nosuch"}).code, 3);
}

// A later turn comes between two others, and is the new end of its session.
TEST_F(TurnsCommand, AChainIsMended) {
  Build({"temporal", "trajectory", "--from", Correction(R"({"session_id":"s1","reward":0.5})")});
  Import(R"({"node":"n1","kind":"turn","created_at":)" + At(30) + "}\n" +
         R"({"edge":["n1","s1"],"kind":"in_session"})" + "\n" +
         R"({"node":"n2","kind":"turn","created_at":)" + At(50000) + "}\n" +
         R"({"edge":["n2","s1"],"kind":"in_session"})" + "\n");
  const object temporal = Build({"temporal"});
  EXPECT_EQ(Count(temporal, "new"), 3u);
  EXPECT_EQ(Count(temporal, "same"), 3u);
  EXPECT_EQ(Count(temporal, "removed"), 1u);
  const Edges edges = EdgesOf("temporal");
  EXPECT_FALSE(edges.contains("t1-t2"));
  EXPECT_TRUE(edges.contains("t1-n1") && edges.contains("n1-t2") && edges.contains("t4-n2"));
  Build({"trajectory"});
  Expect("trajectory", {{"t1-n2", 0.5}});
}

TEST_F(TurnsCommand, WithoutItsRecordARecipeLooksAtEverythingAndChangesNothing) {
  Build({"temporal", "referential", "categorical"});
  const std::string before = Export();
  for (const char* name : {"temporal", "referential", "categorical"}) {
    ASSERT_EQ(Run({"remove", "inscription:plexus.build." + std::string(name)}).code, 0);
    const object again = Build({name});
    EXPECT_EQ(Count(again, "new") + Count(again, "changed") + Count(again, "removed"), 0u);
    EXPECT_GT(again.at("recipes").as_array()[0].as_object().at("groups").to_number<int>(), 0);
  }
  EXPECT_EQ(Export(), before);
}

TEST_F(TurnsCommand, ADryRunWritesNothing) {
  const std::uint64_t sequence = Sequence();
  const object reply =
      Build({"temporal", "causal", "trajectory", "similar", "--dry-run", "--from",
             Correction(R"({"session_id":"s2","correction_of":"s1","reward":0.7})")});
  EXPECT_TRUE(reply.at("dry_run").as_bool());
  EXPECT_GE(Count(reply, "new"), 6u);
  EXPECT_EQ(Sequence(), sequence);
  EXPECT_TRUE(EdgesOf("temporal").empty());
}

TEST_F(TurnsCommand, AWindowCapsAGroupAndSaysSo) {
  std::string lines;
  for (int i = 0; i < 200; ++i) {
    const std::string key = "h" + std::to_string(i);
    lines += R"({"node":")" + key + R"(","kind":"turn","created_at":)" + At(i) + "}\n";
    lines += R"({"edge":[")" + key + R"(","hub"],"kind":"mentions"})" + "\n";
    lines += R"({"vector":")" + key + R"(","values":[1,0]})" + "\n";
  }
  Import(lines);
  const object reply = Build({"referential", "--window", "10"});
  EXPECT_EQ(Count(reply, "capped"), 190u * 189u / 2);
  EXPECT_EQ(Count(reply, "new"), 5u + 200u * 199u / 2 - 190u * 189u / 2);
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
  Import(TurnLines(), "whole");
  Import(lines, "whole");
  const std::vector<std::string> build = {"build", "temporal", "referential", "--batch-edges",
                                          "20"};
  Ask(build, "whole");
  std::vector<std::string> arguments = build;
  arguments.insert(arguments.end(), {"--db", dir_ / "g", "--now", std::to_string(kTime)});
  for (int tenth = 1; tenth < 10; ++tenth) {
    Background run(arguments);
    std::this_thread::sleep_for(std::chrono::milliseconds(30 * tenth));
    run.Signal(SIGKILL);
    run.Wait();
  }
  Ask(build);
  EXPECT_EQ(Export(), Export("whole"));
}

TEST_F(TurnsCommand, WhatMakesNoSenseIsRefusedByName) {
  const auto refused = [&](std::vector<std::string> arguments, const std::string& says, int code) {
    arguments.insert(arguments.begin(), "build");
    const Finished run = Run(arguments);
    EXPECT_EQ(run.code, code) << run.out << run.err;
    EXPECT_NE(run.err.find(says), std::string::npos) << run.err;
  };
  const std::uint64_t sequence = Sequence();
  refused({"temporl"}, "temporal", 2);
  refused({}, "RECIPE", 2);
  refused({"temporal", "--from", Correction("{}")}, "causal and trajectory", 2);
  refused({"temporal", "--window", "3"}, "--window", 2);
  refused({"referential", "--above", "1.5"}, "--above", 2);
  refused({"referential", "--space", "nosuch"}, "nosuch", 3);
  refused({"causal", "--from", Correction("{}")}, "k.jsonl:1: it has no session_id", 2);
  refused({"causal", "--from", Correction("{\"session_id\":\"s1\"}\n{\"session_id\":7}")},
          "k.jsonl:2: \"session_id\" must be a text", 2);
  refused({"causal", "--from", Correction(R"({"session_id":"s2","reward":-1})")}, "reward", 2);
  refused({"causal", "--from", Correction(R"({"session_id":"s2","reward":1e39})")}, "reward", 2);
  refused({"causal", "--from", Correction("{\"session_id\":")}, "k.jsonl:1: it is no JSON", 2);
  refused({"causal", "--from", dir_.File("k.csv", "session,reward\ns2,1\n")}, "session_id", 2);
  refused({"causal", "--from", dir_.File("k.csv", "session_id,reward\ns2,NaN\n")}, "k.csv:2", 2);
  EXPECT_EQ(Sequence(), sequence);
}

}  // namespace
}  // namespace plexus::testing
