// put, dry runs, node kinds, several keys, events, edges with their properties.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/run_plexus.h"

namespace plexus::testing {
namespace {

using boost::json::array;
using boost::json::object;

class PutCommands : public ::testing::Test {
 protected:
  Finished Run(std::vector<std::string> arguments, const RunOptions& options = {}) {
    arguments.insert(arguments.begin(), {"--db", dir_ / "g", "--quiet"});
    return Plexus(arguments, options);
  }
  object Json(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "--json");
    const Finished run = Run(std::move(arguments));
    EXPECT_EQ(run.code, 0) << run.err;
    return run.Json();
  }
  std::string Of(const object& reply, const char* counts, const char* which) {
    return std::to_string(reply.at(counts).as_object().at(which).to_number<int>());
  }
  int Sequence() { return Json({"stats"}).at("sequence").to_number<int>(); }
  TempDir dir_;
};

TEST_F(PutCommands, MakesChangesAndKeeps) {
  const object made =
      Json({"put", "m1", "--kind", "memory", "--text", "Payouts stop.", "--tags", "queue,payout",
            "--set", "trust=0.8", "--set", "category=infra", "--set", "valid_until=2026-12-31",
            "--props", R"({"a":1})", "--now", "1700000000000"});
  EXPECT_EQ(Of(made, "nodes", "new"), "1");
  EXPECT_EQ(made.at("sequence").to_number<int>(), 1);
  object node = Json({"get", "m1"});
  EXPECT_EQ(node.at("kind"), "memory");
  EXPECT_EQ(node.at("text"), "Payouts stop.");
  EXPECT_EQ(node.at("tags"), (array{"queue", "payout"}));
  EXPECT_EQ(node.at("trust").to_number<double>(), 0.8);
  EXPECT_EQ(node.at("category"), "infra");
  EXPECT_EQ(node.at("created_at").as_int64(), 1'700'000'000'000);
  EXPECT_EQ(node.at("props"), (object{{"a", 1}}));
  // The same again is the same, what is not named stays.
  const object same = Json({"put", "m1", "--set", "trust=0.8", "--tags", "payout,queue"});
  EXPECT_EQ(Of(same, "nodes", "same"), "1");
  EXPECT_EQ(same.at("sequence").to_number<int>(), 1);
  Json({"put", "m1", "--tags", "queue,oracle", "--props", R"({"b":2})"});
  node = Json({"get", "m1"});
  EXPECT_EQ(node.at("tags"), (array{"queue", "oracle"}));
  EXPECT_EQ(node.at("props"), (object{{"b", 2}}));
  EXPECT_EQ(node.at("text"), "Payouts stop.");
  Json({"put", "m1", "--clear", "text,tags,props,trust"});
  node = Json({"get", "m1"});
  EXPECT_FALSE(node.contains("text"));
  EXPECT_FALSE(node.contains("trust"));
  EXPECT_TRUE(node.at("tags").as_array().empty());
  EXPECT_TRUE(node.at("props").as_object().empty());
}

TEST_F(PutCommands, MeansWhatALineOfImportMeans) {
  const std::string line =
      R"({"node":"m1","kind":"memory","text":"t","tags":["b","a"],"trust":0.5,"stakes":"high",)"
      R"("created_at":1700000000001,"props":{"x":[1,{"y":null}]}})";
  ASSERT_EQ(Plexus({"import", "--db", dir_ / "by-line", "--now", "1700000000050",
                    dir_.File("v.jsonl", line + "\n")})
                .code,
            0);
  Json({"put", "m1", "--kind", "memory", "--text", "t", "--tags", "b,a", "--set", "trust=0.5",
        "--set", "stakes=high", "--set", "created_at=1700000000001", "--props",
        R"({"x":[1,{"y":null}]})", "--now", "1700000000050"});
  const auto exported = [](const std::string& db) {
    return Plexus({"export", "--db", db, "--format", "jsonl"}).out;
  };
  EXPECT_EQ(exported(dir_ / "g"), exported(dir_ / "by-line"));
}

TEST_F(PutCommands, RefusesWhatDoesNotFit) {
  Json({"put", "m1", "--set", "trust=0.5"});
  const auto refused = [&](std::vector<std::string> words, const std::string& why) {
    words.insert(words.begin(), {"put", "m1"});
    const Finished run = Run(words);
    EXPECT_EQ(run.code, 2) << run.err;
    EXPECT_NE(run.err.find(why), std::string::npos) << run.err;
  };
  refused({"--set", "turst=1"}, "no column 'turst'; did you mean 'trust'?");
  refused({"--set", "trust=high"}, "takes a finite number, not 'high'");
  refused({"--set", "trust=nan"}, "takes a finite number");
  refused({"--set", "trust"}, "is not COLUMN=VALUE");
  refused({"--set", "access_count=1.5"}, "takes a whole number");
  refused({"--set", "created_at=soon"}, "takes a time");
  refused({"--set", "category="}, "--clear takes a value away");
  refused({"--props", "[1]"}, "object");
  refused({"--clear", "trust", "--set", "trust=1"}, "is given as well");
  refused({"--set", "valid_from=2026-02-01", "--set", "valid_until=2026-01-01"},
          "is not before valid_until");
  EXPECT_EQ(Sequence(), 1);
  EXPECT_EQ(Run({"put", "m1", "--set", "trust=1", "--expect-sequence", "7"}).code, 6);
}

TEST_F(PutCommands, TermsFollow) {
  ASSERT_EQ(Run({"put", "m1", "--text", "Gateway remembers keys"}).code, 0);
  ASSERT_EQ(Run({"terms"}).code, 0);
  ASSERT_EQ(Run({"put", "m2", "--text", "The oracle restarts"}).code, 0);
  EXPECT_EQ(Json({"search", "oracle"}).at("results").as_array().size(), 1u);
  ASSERT_EQ(Run({"put", "m1", "--text", "Nothing of it"}).code, 0);
  EXPECT_EQ(Run({"search", "gateway"}).code, 3);
}

TEST_F(PutCommands, DryRunsWriteNothing) {
  const object none = Json({"put", "a", "--kind", "memory", "--dry-run"});
  EXPECT_TRUE(none.at("dry_run").as_bool());
  EXPECT_EQ(Of(none, "nodes", "new"), "1");
  EXPECT_EQ(none.at("sequence").to_number<int>(), 0);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "g"));
  EXPECT_EQ(Of(Json({"link", "a", "knows", "b", "--dry-run"}), "edges", "new"), "1");
  EXPECT_FALSE(std::filesystem::exists(dir_ / "g"));
  Json({"link", "a", "knows", "b"});
  EXPECT_EQ(
      Of(Json({"link", "a", "knows", "b", "--weight", "0.5", "--dry-run"}), "edges", "changed"),
      "1");
  EXPECT_EQ(Json({"unlink", "a", "knows", "b", "--dry-run"})
                .at("edges")
                .as_object()
                .at("removed")
                .to_number<int>(),
            1);
  EXPECT_EQ(
      Json({"remove", "a", "--dry-run"}).at("nodes").as_object().at("removed").to_number<int>(), 1);
  EXPECT_EQ(Run({"remove", "nobody", "--dry-run"}).code, 3);
  EXPECT_EQ(Run({"link", "a", "knows", "b", "--dry-run", "--expect-sequence", "9"}).code, 6);
  EXPECT_EQ(Sequence(), 1);
  EXPECT_EQ(Json({"neighbors", "a"}).at("neighbors").as_array().size(), 1u);
  const Finished people = Run({"put", "c", "--dry-run"});
  EXPECT_NE(people.out.find("a dry run: nothing was written"), std::string::npos) << people.out;
}

TEST_F(PutCommands, NodeKindsSelect) {
  for (const auto& [key, kind] : std::vector<std::pair<std::string, std::string>>{
           {"a", "memory"}, {"b", "memory"}, {"d", "decision"}, {"t", "turn"}})
    Json({"put", key, "--kind", kind, "--text", "the gateway " + key, "--tags", "x"});
  Json({"link", "a", "supports", "b"});
  Json({"link", "a", "supports", "d"});
  Json({"link", "d", "supports", "t"});
  EXPECT_EQ(Json({"list", "--node-kinds", "memory"}).at("total").to_number<int>(), 2);
  EXPECT_EQ(Json({"list", "--node-kinds", "memory,decision", "--where", "key != 'a'"})
                .at("total")
                .to_number<int>(),
            2);
  EXPECT_EQ(Json({"pagerank", "--node-kinds", "decision,turn"}).at("nodes").as_array().size(), 2u);
  EXPECT_EQ(
      Json({"traverse", "--from", "a", "--node-kinds", "memory"}).at("nodes").as_array().size(),
      Json({"traverse", "--from", "a", "--where", "kind = 'memory'"})
          .at("nodes")
          .as_array()
          .size());
  EXPECT_EQ(Json({"neighbors", "a", "--node-kinds", "decision"}).at("neighbors").as_array().size(),
            1u);
  EXPECT_EQ(Json({"list", "--node-kinds", "tag"}).at("total").to_number<int>(), 1);
  ASSERT_EQ(Run({"terms"}).code, 0);
  const auto found = [&](const char* flag) {
    return Json({"search", "gateway", flag, "memory"}).at("results");
  };
  EXPECT_EQ(found("--node-kinds").as_array().size(), 2u);
  EXPECT_EQ(found("--node-kinds"), found("--kinds"));
  const Finished wrong = Run({"list", "--node-kinds", "memroy"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("did you mean 'memory'?"), std::string::npos) << wrong.err;
  EXPECT_EQ(Run({"get", "a", "--node-kinds", "memory"}).code, 2);
}

// Graphs of before have these names as properties: they are found beside the columns.
TEST_F(PutCommands, APropertyOfAColumnThatCameLaterIsStillFound) {
  Json({"put", "old", "--props", R"({"category":"infra","confidence":0.5})"});
  Json({"put", "new", "--set", "category=infra", "--set", "confidence=0.75"});
  Json({"put", "both", "--set", "category=ui", "--props", R"({"category":"infra"})"});
  const auto listed = [&](const std::string& where) {
    return Run({"list", "--keys", "--where", where}).out;
  };
  EXPECT_EQ(listed("category = 'infra'"), "old\nnew\n");
  EXPECT_EQ(listed("confidence >= 0.5"), "old\nnew\n");
  EXPECT_EQ(listed("not exists confidence"), "both\n");
  EXPECT_EQ(listed("props.category = 'infra'"), "old\nboth\n");
  EXPECT_EQ(Run({"list", "--columns", "key,category", "--format", "csv"}).out,
            "key,category\nold,infra\nnew,infra\nboth,ui\n");
}

TEST_F(PutCommands, GetOfSeveral) {
  Json({"link", "a", "knows", "b"});
  const object one = Json({"get", "a"});
  EXPECT_EQ(one.at("key"), "a");
  const object two = Json({"get", "a", "b"});
  EXPECT_EQ(two.at("total").to_number<int>(), 2);
  EXPECT_EQ(two.at("results").as_array()[0].as_object(), one);
  EXPECT_EQ(two.at("results").as_array()[1].as_object().at("key"), "b");
  EXPECT_EQ(Run({"get", "a", "nobody"}).code, 3);
  EXPECT_EQ(Run({"get"}).code, 2);
  const Finished csv = Run({"get", "a", "b", "--format", "csv"});
  EXPECT_EQ(csv.out.substr(0, 9), "key,kind,") << csv.out;
  const Finished page = Run({"get", "a", "b"});
  EXPECT_NE(page.out.find("\n\n"), std::string::npos) << page.out;
}

TEST_F(PutCommands, EdgesCarryTheirPropertiesAndOrigin) {
  Json({"link", "a", "knows", "b", "--weight", "0.5", "--label", "work", "--created-at", "1000",
        "--created-by", "me", "--valid-from", "2000", "--valid-until", "3000", "--props",
        R"({"why":"x"})"});
  const auto check = [](const object& edge) {
    EXPECT_EQ(edge.at("label"), "work");
    EXPECT_EQ(edge.at("created_at").as_int64(), 1000);
    EXPECT_EQ(edge.at("created_by"), "me");
    EXPECT_EQ(edge.at("valid_from").as_int64(), 2000);
    EXPECT_EQ(edge.at("valid_until").as_int64(), 3000);
    EXPECT_EQ(edge.at("props"), (object{{"why", "x"}}));
    EXPECT_EQ(edge.at("weight").to_number<double>(), 0.5);
  };
  check(Json({"neighbors", "a"}).at("neighbors").as_array()[0].as_object());
  check(Json({"path", "--from", "a", "--to", "b"})
            .at("paths")
            .as_array()[0]
            .as_object()
            .at("edges")
            .as_array()[0]
            .as_object());
  check(Json({"path", "--from", "b", "--to", "a", "--direction", "both"})
            .at("paths")
            .as_array()[0]
            .as_object()
            .at("edges")
            .as_array()[0]
            .as_object());
  check(Json({"traverse", "--from", "a", "--now", "2500", "--paths"})
            .at("nodes")
            .as_array()[0]
            .as_object()
            .at("path")
            .as_array()[0]
            .as_object());
  check(Json({"neighborhood", "--from", "a"}).at("edges").as_array()[0].as_object());
}

TEST_F(PutCommands, AnEventShowsMembersAndOutcomes) {
  const std::string lines =
      R"({"event":"c0","tool":"t","query":"why","created_at":5000,"members":[)"
      R"({"id":"m4","role":"supporting"},{"id":"m1","role":"supporting","rank":2,"trust":0.5},)"
      R"({"id":"m4","role":"primary","score":0.9,"preview":"p","tags":["a"]}]})"
      "\n"
      R"({"outcome":"c0","type":"helpful","source":"user","labeled_at":6000})"
      "\n"
      R"({"outcome":"c0","type":"dead_end","source":"tool","notes":"n","labeled_at":7000})"
      "\n";
  ASSERT_EQ(Run({"import", dir_.File("e.jsonl", lines)}).code, 0);
  const object event = Json({"get", "event:c0"});
  const array& members = event.at("members").as_array();
  ASSERT_EQ(members.size(), 3u);
  EXPECT_EQ(members[0].as_object().at("role"), "primary");
  EXPECT_EQ(members[0].as_object().at("score").to_number<double>(), 0.9);
  EXPECT_EQ(members[0].as_object().at("tags"), array{"a"});
  EXPECT_EQ(members[1].as_object().at("role"), "supporting");
  EXPECT_EQ(members[2].as_object().at("key"), "m1");
  EXPECT_EQ(members[2].as_object().at("rank").to_number<int>(), 2);
  const array& outcomes = event.at("outcomes").as_array();
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0].as_object().at("type"), "dead_end");
  EXPECT_EQ(outcomes[0].as_object().at("notes"), "n");
  EXPECT_EQ(outcomes[1].as_object().at("labeled_at").as_int64(), 6000);
  const Finished page = Run({"get", "event:c0"});
  EXPECT_NE(page.out.find("m1 (supporting), rank 2, trust 0.5"), std::string::npos) << page.out;
}

}  // namespace
}  // namespace plexus::testing
