// put, dry runs, node kinds, several keys, events, edges with their properties.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/program/program_test.h"

namespace plexus::testing {
namespace {

using boost::json::array;
using boost::json::object;

class PutCommands : public ProgramTest {
 protected:
  PutCommands() { always_ = {"--quiet"}; }
};

TEST_F(PutCommands, MakesChangesAndKeeps) {
  const object made =
      Json({"put", "m1", "--kind", "memory", "--text", "Payouts stop.", "--tags", "queue,payout",
            "--set", "trust=0.8", "--set", "category=infra", "--set", "valid_until=2026-12-31",
            "--props", R"({"a":1})", "--now", "1700000000000"});
  EXPECT_EQ(made.at("nodes").at("new"), 1);
  EXPECT_EQ(made.at("sequence"), 1);
  object node = Json({"get", "m1"});
  EXPECT_EQ(node.at("kind"), "memory");
  EXPECT_EQ(node.at("text"), "Payouts stop.");
  EXPECT_EQ(node.at("tags"), (array{"queue", "payout"}));
  EXPECT_EQ(node.at("trust").to_number<double>(), 0.8);
  EXPECT_EQ(node.at("category"), "infra");
  EXPECT_EQ(node.at("created_at"), 1'700'000'000'000);
  EXPECT_EQ(node.at("props"), (object{{"a", 1}}));
  // The same again is the same, what is not named stays.
  const object same = Json({"put", "m1", "--set", "trust=0.8", "--tags", "payout,queue"});
  EXPECT_EQ(same.at("nodes").at("same"), 1);
  EXPECT_EQ(same.at("sequence"), 1);
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

TEST_F(PutCommands, WhatComesBackIsAsNew) {
  for (const char* key : {"a", "b", "c", "d"}) {
    Json({"put", key, "--kind", "decision"});
    ASSERT_EQ(Run({key[0] == 'd' ? "purge" : "remove", key}).code, 0);
  }
  Json({"put", "a"});
  Json({"put", "d"});
  ASSERT_EQ(Run({"import", dir_.File("b.jsonl", R"({"node":"b","text":"x"}
{"edge":["c","b"],"kind":"supports"}
{"event":"e1","members":[{"id":"a"}]}
)")})
                .code,
            0);
  EXPECT_EQ(Json({"list", "--node-kinds", "node"}).at("total"), 4);
  ASSERT_EQ(Run({"remove", "a"}).code, 0);
  EXPECT_EQ(Json({"ledger", "get", "e1"}).at("members").as_array().size(), 1u);
  Json({"put", "a", "--kind", "decision"});
  EXPECT_EQ(Json({"get", "a"}).at("kind"), "decision");
}

TEST_F(PutCommands, SaysThatAKeyIsOfAnIndexNode) {
  always_ = {};
  Json({"put", "a", "--tags", "rust"});
  EXPECT_TRUE(Says(Run({"put", "tag:rust", "--text", "x", "--dry-run"}).err,
                   "'tag:rust' is an index node of kind tag, and no fact"));
  EXPECT_FALSE(Says(Run({"put", "tag:rust", "--kind", "tag", "--text", "x"}).err, "no fact"));
  EXPECT_FALSE(Says(Run({"put", "a", "--text", "x"}).err, "no fact"));
  EXPECT_EQ(Run({"find", "--keys", "--kinds", "tag", "rust"}).out, "tag:rust\n");
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
  const auto refused = [&](Words words, const std::string& why) {
    words.insert(words.begin(), {"put", "m1"});
    EXPECT_TRUE(Ends(Run(words), 2, why));
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
  EXPECT_EQ(none.at("nodes").at("new"), 1);
  EXPECT_EQ(none.at("sequence"), 0);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "g"));
  EXPECT_EQ(Json({"link", "a", "knows", "b", "--dry-run"}).at("edges").at("new"), 1);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "g"));
  Json({"link", "a", "knows", "b"});
  EXPECT_EQ(
      Json({"link", "a", "knows", "b", "--weight", "0.5", "--dry-run"}).at("edges").at("changed"),
      1);
  EXPECT_EQ(Json({"unlink", "a", "knows", "b", "--dry-run"}).at("edges").at("removed"), 1);
  EXPECT_EQ(Json({"remove", "a", "--dry-run"}).at("nodes").at("removed"), 1);
  EXPECT_EQ(Run({"remove", "nobody", "--dry-run"}).code, 3);
  EXPECT_EQ(Run({"link", "a", "knows", "b", "--dry-run", "--expect-sequence", "9"}).code, 6);
  EXPECT_EQ(Sequence(), 1);
  EXPECT_EQ(Json({"neighbors", "a"}).at("neighbors").as_array().size(), 1u);
  const Finished people = Run({"put", "c", "--dry-run"});
  EXPECT_TRUE(Says(people.out, "a dry run: nothing was written"));
}

TEST_F(PutCommands, NodeKindsSelect) {
  for (const auto& [key, kind] : std::vector<std::pair<std::string, std::string>>{
           {"a", "memory"}, {"b", "memory"}, {"d", "decision"}, {"t", "turn"}})
    Json({"put", key, "--kind", kind, "--text", "the gateway " + key, "--tags", "x"});
  Json({"link", "a", "supports", "b"});
  Json({"link", "a", "supports", "d"});
  Json({"link", "d", "supports", "t"});
  EXPECT_EQ(Json({"list", "--node-kinds", "memory"}).at("total"), 2);
  EXPECT_EQ(Json({"list", "--node-kinds", "memory,decision", "--where", "key != 'a'"}).at("total"),
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
  EXPECT_EQ(Json({"list", "--node-kinds", "tag"}).at("total"), 1);
  ASSERT_EQ(Run({"terms"}).code, 0);
  const auto found = [&](const char* flag) {
    return Json({"search", "gateway", flag, "memory"}).at("results");
  };
  EXPECT_EQ(found("--node-kinds").as_array().size(), 2u);
  EXPECT_EQ(found("--node-kinds"), found("--kinds"));
  EXPECT_TRUE(Ends(Run({"list", "--node-kinds", "memroy"}), 2, "did you mean 'memory'?"));
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
  EXPECT_EQ(two.at("total"), 2);
  EXPECT_EQ(two.at("results").at(0).as_object(), one);
  EXPECT_EQ(two.at("results").at(1).at("key"), "b");
  EXPECT_EQ(Run({"get", "a", "nobody"}).code, 3);
  EXPECT_EQ(Run({"get"}).code, 2);
  const Finished csv = Run({"get", "a", "b", "--format", "csv"});
  EXPECT_EQ(csv.out.substr(0, 9), "key,kind,") << csv.out;
  const Finished page = Run({"get", "a", "b"});
  EXPECT_TRUE(Says(page.out, "\n\n"));
}

TEST_F(PutCommands, EdgesCarryTheirPropertiesAndOrigin) {
  Json({"link", "a", "knows", "b", "--weight", "0.5", "--label", "work", "--created-at", "1000",
        "--created-by", "me", "--valid-from", "2000", "--valid-until", "3000", "--props",
        R"({"why":"x"})"});
  const auto check = [](const object& edge) {
    EXPECT_EQ(edge.at("label"), "work");
    EXPECT_EQ(edge.at("created_at"), 1000);
    EXPECT_EQ(edge.at("created_by"), "me");
    EXPECT_EQ(edge.at("valid_from"), 2000);
    EXPECT_EQ(edge.at("valid_until"), 3000);
    EXPECT_EQ(edge.at("props"), (object{{"why", "x"}}));
    EXPECT_EQ(edge.at("weight").to_number<double>(), 0.5);
  };
  check(Json({"neighbors", "a"}).at("neighbors").at(0).as_object());
  check(Json({"path", "--from", "a", "--to", "b"}).at("paths").at(0).at("edges").at(0).as_object());
  check(Json({"path", "--from", "b", "--to", "a", "--direction", "both"})
            .at("paths")
            .at(0)
            .at("edges")
            .at(0)
            .as_object());
  check(Json({"traverse", "--from", "a", "--now", "2500", "--paths"})
            .at("nodes")
            .at(0)
            .at("path")
            .at(0)
            .as_object());
  check(Json({"neighborhood", "--from", "a"}).at("edges").at(0).as_object());
}

TEST_F(PutCommands, AnEventShowsMembersAndOutcomes) {
  const std::string lines =
      R"({"event":"c0","tool":"t","query":"why","created_at":5000,"members":[)"
      R"({"id":"m4","role":"supporting"},{"id":"m1","role":"supporting","rank":2,"trust":0.5},)"
      R"({"id":"m4","role":"primary","score":0.9,"preview":"p","tags":["a"]}]}
{"outcome":"c0","type":"helpful","source":"user","labeled_at":6000}
{"outcome":"c0","type":"dead_end","source":"tool","notes":"n","labeled_at":7000}
)";
  ASSERT_EQ(Run({"import", dir_.File("e.jsonl", lines)}).code, 0);
  const object event = Json({"get", "event:c0"});
  const array& members = event.at("members").as_array();
  ASSERT_EQ(members.size(), 3u);
  EXPECT_EQ(members[0].at("role"), "primary");
  EXPECT_EQ(members[0].at("score").to_number<double>(), 0.9);
  EXPECT_EQ(members[0].at("tags"), array{"a"});
  EXPECT_EQ(members[1].at("role"), "supporting");
  EXPECT_EQ(members[2].at("key"), "m1");
  EXPECT_EQ(members[2].at("rank"), 2);
  const array& outcomes = event.at("outcomes").as_array();
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0].at("type"), "dead_end");
  EXPECT_EQ(outcomes[0].at("notes"), "n");
  EXPECT_EQ(outcomes[1].at("labeled_at"), 6000);
  const Finished page = Run({"get", "event:c0"});
  EXPECT_TRUE(Says(page.out, "m1 (supporting), rank 2, trust 0.5"));
}

}  // namespace
}  // namespace plexus::testing
