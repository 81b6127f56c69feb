// decisions as a user runs it: MEMORY.md's checks D1 to D7, exit codes, what is refused.
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <map>
#include <string>
#include <vector>

#include "tests/tools/memory/decisions_fixture.h"

namespace plexus::testing {
namespace {

using boost::json::array;
using boost::json::object;

std::string DecisionLines() {
  const int days[] = {40, 40, 20, 20, 20, 10, 40, 1, 40, 40};
  const std::map<int, std::string> more = {{1, R"(,"outcome":"success","category":"infra")"},
                                           {2, R"(,"outcome":"pending")"},
                                           {6, R"(,"outcome":"success","category":"ui")"},
                                           {7, R"(,"outcome":"failure")"}};
  std::string lines;
  for (int d = 1; d <= 10; ++d) {
    lines += R"({"node":"d)" + std::to_string(d) + R"(","kind":"decision","created_at":)" +
             std::to_string(kNow - days[d - 1] * kDay);
    if (const auto at = more.find(d); at != more.end()) lines += at->second;
    lines += "}\n";
  }
  const auto edge = [&](const char* a, const char* kind, const char* b) {
    lines += std::string(R"({"edge":[")") + a + R"(",")" + b + R"("],"kind":")" + kind + "\"}\n";
  };
  edge("d2", "depends_on", "d1");
  edge("d3", "depends_on", "d1");
  edge("d4", "depends_on", "d2");
  edge("d5", "refines", "d2");
  edge("d6", "supersedes", "d5");
  edge("d1", "contradicts", "d7");
  edge("d8", "blocks", "d3");
  edge("d9", "depends_on", "d10");
  edge("d10", "depends_on", "d9");
  edge("d1", "causes", "d7");
  for (int t = 1; t <= 10; ++t)
    lines += R"({"node":"t)" + std::to_string(t) + R"(","kind":"turn"})" + "\n";
  return lines;
}

class DecisionsCommand : public DecisionGraph {
 protected:
  void SetUp() override { Import(DecisionLines()); }
  // key -> the element
  static std::map<std::string, object> ByKey(const array& list) {
    std::map<std::string, object> map;
    for (const auto& element : list)
      map[std::string(element.as_object().at("key").as_string())] = element.as_object();
    return map;
  }
  // "d8 by blocks" ... of each blocked decision.
  std::map<std::string, std::string> Roots() const {
    std::map<std::string, std::string> map;
    for (const auto& [key, blocked] :
         ByKey(Ask({"decisions", "blocked"}).at("blocked").as_array())) {
      std::string& text = map[key];
      for (const auto& root : blocked.at("roots").as_array())
        text += (text.empty() ? "" : ", ") + std::string(root.as_object().at("key").as_string()) +
                " by " + std::string(root.as_object().at("by").as_string());
      if (blocked.at("in_cycle").as_bool()) text += "cycle";
    }
    return map;
  }
  Finished Check(const std::string& rules, const std::string& proposal) const {
    return Run({"decisions", "check", "--rules", dir_.File("rules.json", rules), "--proposal",
                dir_.File("p.jsonl", proposal)});
  }
};

TEST_F(DecisionsCommand, D1Salience) {
  const object reply = Ask({"decisions", "salience", "--top", "0"});
  const auto nodes = ByKey(reply.at("nodes").as_array());
  ASSERT_EQ(nodes.size(), 10u);
  const auto expect = [&](const char* key, double raw, double scaled, double percentile) {
    EXPECT_NEAR(nodes.at(key).at("score").to_number<double>(), raw, 1e-9) << key;
    EXPECT_NEAR(nodes.at(key).at("scaled").to_number<double>(), scaled, 1e-8) << key;
    EXPECT_NEAR(nodes.at(key).at("percentile").to_number<double>(), percentile, 1e-9) << key;
  };
  expect("d9", 0.246654745, 1, 0.944444444);
  expect("d10", 0.246654745, 1, 0.944444444);
  expect("d1", 0.184806068, 0.74925, 0.777777778);
  expect("d2", 0.099895172, 0.405, 0.666666667);
  for (const char* key : {"d3", "d4", "d5", "d6", "d7", "d8"})
    expect(key, 0.036998212, 0.15, 0.277777778);
  EXPECT_EQ(boost::json::serialize(reply.at("cycles")), R"([["d9","d10"]])");
  EXPECT_EQ(reply.at("nodes").as_array()[0].as_object().at("key").as_string(), "d9");
  const std::string one = Run({"decisions", "salience", "--threads", "1"}).out;
  EXPECT_EQ(one, Run({"decisions", "salience", "--threads", "2"}).out);
}

TEST_F(DecisionsCommand, D2Blocked) {
  using Map = std::map<std::string, std::string>;
  EXPECT_EQ(
      Roots(),
      (Map{{"d3", "d8 by blocks"}, {"d4", "d2 by depends_on"}, {"d9", "cycle"}, {"d10", "cycle"}}));
  const std::uint64_t before = Sequence();
  ASSERT_EQ(Run({"put", "d2", "--set", "outcome=success"}).code, 0);
  EXPECT_EQ(Roots(), (Map{{"d3", "d8 by blocks"}, {"d9", "cycle"}, {"d10", "cycle"}}));
  const object then = Ask({"decisions", "blocked", "--as-of", std::to_string(before)});
  EXPECT_EQ(then.at("total").to_number<int>(), 4);
}

TEST_F(DecisionsCommand, D3Contradictions) {
  const array list = Ask({"decisions", "contradictions"}).at("conflicts").as_array();
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].as_object().at("a").as_string(), "d1");
  EXPECT_EQ(list[0].as_object().at("b").as_string(), "d7");
  ASSERT_EQ(Run({"link", "d8", "supersedes", "d7"}).code, 0);
  EXPECT_TRUE(Ask({"decisions", "contradictions"}).at("conflicts").as_array().empty());
}

TEST_F(DecisionsCommand, D4Compaction) {
  const std::uint64_t before = Sequence();
  std::map<std::string, std::string> tiers;
  for (const auto& [key, node] : ByKey(Ask({"decisions", "compaction"}).at("nodes").as_array()))
    tiers[std::string(node.at("tier").as_string())] += key + " ";
  EXPECT_EQ(tiers, (std::map<std::string, std::string>{{"fold", "d5 "},
                                                       {"keep", "d10 d9 "},
                                                       {"summary", "d1 d2 "},
                                                       {"digest", "d7 "},
                                                       {"full", "d3 d4 d6 d8 "}}));
  EXPECT_EQ(Sequence(), before);
  Ask({"decisions", "compaction", "--apply"});
  EXPECT_EQ(Sequence(), before + 1);
  EXPECT_EQ(Ask({"get", "d5"}).at("compaction_tier").as_string(), "fold");
  Ask({"decisions", "compaction", "--apply"});
  EXPECT_EQ(Sequence(), before + 1);  // nothing differs
}

constexpr const char* kSeedRule =
    R"({"name":"no-contradict-high-salience","type":"graph-constraint",
"rule":"New decision must not contradict any active decision with salience > 0.7",
"edge":"contradicts","target":{"active":true,"salience_above":0.7},
"action":"block","message":"This contradicts {target}. Supersede it first."})";

std::string Contradicts(const std::string& target) {
  return R"({"node":"d11","kind":"decision","text":"new"})"
         "\n"
         R"({"edge":["d11",")" +
         target + R"("],"kind":"contradicts"})" + "\n";
}

TEST_F(DecisionsCommand, D5Check) {
  const std::uint64_t before = Sequence();
  const auto expect = [&](const std::string& proposal, const std::string& message) {
    const Finished run = Check(kSeedRule, proposal);
    EXPECT_EQ(run.code, message.empty() ? 0 : 1) << run.err;
    EXPECT_EQ(run.err, "");
    const object reply = run.Json();
    EXPECT_EQ(reply.at("allowed").as_bool(), message.empty());
    if (!message.empty()) {
      EXPECT_EQ(reply.at("hits").as_array()[0].as_object().at("message").as_string(), message);
    } else {
      EXPECT_TRUE(reply.at("hits").as_array().empty());
    }
    EXPECT_EQ(Sequence(), before);
  };
  expect(Contradicts("d9"), "This contradicts d9. Supersede it first.");
  expect(Contradicts("d1"), "This contradicts d1. Supersede it first.");
  expect(Contradicts("d3"), "");
  expect(Contradicts("d9") + R"({"edge":["d11","d9"],"kind":"supersedes"})" + "\n", "");
  EXPECT_EQ(Run({"get", "d11"}).code, 3);
}

// What could not be judged is not allowed, and nothing narrows what is judged.
TEST_F(DecisionsCommand, ACheckFailsClosed) {
  const std::string rules = dir_.File("r.json", kSeedRule);
  const std::string proposal = dir_.File("c.jsonl", Contradicts("d9"));
  const auto check = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"decisions", "check", "--rules", rules, "--proposal", proposal});
    return Run(more);
  };
  const Finished late = check({"--max-seconds", "0"});
  EXPECT_EQ(late.code, 1) << late.err;
  EXPECT_FALSE(late.Json().at("allowed").as_bool());
  EXPECT_TRUE(late.Json().at("truncated").as_bool());
  for (const std::vector<std::string>& narrows : {std::vector<std::string>{"--scope", "nosuch"},
                                                  {"--node-kinds", "memory"},
                                                  {"--where", "key = 'd1'"},
                                                  {"--as-of", "0"},
                                                  {"--now", "2001-01-01"}}) {
    const Finished refused = check(narrows);
    EXPECT_EQ(refused.code, 2) << narrows[0];
    EXPECT_NE(refused.err.find("does not take " + narrows[0]), std::string::npos) << refused.err;
  }
}

// What was cut short is shown, and never written.
TEST_F(DecisionsCommand, NothingTruncatedIsApplied) {
  std::string more;  // few are ranked before anybody looks at the clock
  for (int i = 0; i < 6'000; ++i) {
    const std::string key = "x" + std::to_string(i);
    more += R"({"node":")" + key + R"(","kind":"decision"})" + "\n" + R"({"edge":[")" + key +
            R"(","x)" + std::to_string(i / 2) + R"("],"kind":"depends-on"})" + "\n";
  }
  Import(more);
  const std::uint64_t before = Sequence();
  const Finished run = Run({"decisions", "compaction", "--max-seconds", "0", "--apply"});
  EXPECT_EQ(run.code, 1) << run.out;
  EXPECT_NE(run.err.find("cut short"), std::string::npos) << run.err;
  EXPECT_EQ(Sequence(), before);
  EXPECT_TRUE(Ask({"decisions", "compaction", "--max-seconds", "0"}).at("truncated").as_bool());
}

TEST_F(DecisionsCommand, RulesAndProposalsThatCannotBe) {
  const std::uint64_t before = Sequence();
  const auto refused = [&](const std::string& rules, const std::string& proposal,
                           const std::string& why) {
    const Finished run = Check(rules, proposal);
    EXPECT_EQ(run.code, 2) << rules << proposal;
    EXPECT_NE(run.err.find(why), std::string::npos) << run.err;
    EXPECT_EQ(Sequence(), before);
  };
  const std::string good = Contradicts("d9");
  refused("{", good, "it is no JSON");
  refused("[]", good, "there is no rule");
  refused(R"([{"name":"a","message":"m"}])", good, "rule 1 'a': it names no edge");
  refused(R"([{"name":"a","edge":"contradict","message":"m"}])", good,
          "did you mean 'contradicts'");
  refused(R"([{"name":"a","edge":"contradicts"}])", good, "it has no message");
  refused(R"([{"name":"a","edge":"contradicts","message":"m","acton":"block"}])", good,
          "'acton' is no member of a rule");
  refused(R"([{"name":"a","edge":"contradicts","message":"m","target":{"kind":"decison"}}])", good,
          "no node kind 'decison'");
  refused(R"([{"name":"a","edge":"contradicts","message":"m","target":{"salience_above":7}}])",
          good, "salience_above is 0 to 1");
  refused(R"({"rules":[{"name":"a","edge":"contradicts","message":"m","action":"stop"}]})", good,
          "not one of block, warn");
  refused(kSeedRule, "{\"node\":\n", "p.jsonl:1");
  refused(kSeedRule, R"({"edge":["d1","d1"],"kind":"contradicts"})", "p.jsonl:1");
}

// A proposal of nothing but edges is read as any other, also where nothing is there yet.
TEST_F(DecisionGraph, AProposalToAnEmptyGraphIsJudged) {
  Import("");
  const std::string proposal = dir_.File("p.jsonl", R"({"edge":["a","b"],"kind":"blocks"})"
                                                    "\n"
                                                    R"({"edge":["b","a"],"kind":"blocks"})"
                                                    "\n");
  const std::string rules = dir_.File(
      "r.json", R"([{"name":"acyclic","does":"closes_cycle","edge":"blocks","message":"circle"}])");
  const Finished run = Run({"decisions", "check", "--rules", rules, "--proposal", proposal});
  EXPECT_EQ(run.code, 1) << run.out << run.err;
  EXPECT_FALSE(run.Json().at("allowed").as_bool());
  EXPECT_EQ(Run({"conflicts", "candidates", "a", "--proposal", proposal}).code, 0);
}

// What goes and comes back in one proposal is gone.
TEST_F(DecisionsCommand, RemovedAndStatedAgainIsRemoved) {
  const std::string rule =
      R"([{"name":"keep","does":"removes","target":{"outcome":"success"},"message":"{target}"}])";
  for (const char* verb : {"remove", "purge"}) {
    const Finished run =
        Check(rule, std::string(R"({")") + verb + R"(":"d1"})" + "\n" +
                        R"({"node":"d1","kind":"decision","outcome":"pending"})" + "\n");
    EXPECT_EQ(run.code, 1) << run.err;
    ASSERT_EQ(run.Json().at("hits").as_array().size(), 1u);
    EXPECT_EQ(run.Json().at("hits").at(0).at("message").as_string(), "d1");
  }
}

TEST_F(DecisionsCommand, StatusOfEach) {
  const auto nodes = ByKey(Ask({"decisions", "status"}).at("results").as_array());
  ASSERT_EQ(nodes.size(), 10u);
  const std::map<std::string, std::string> states = {
      {"d1", "recorded"},   {"d2", "open"},     {"d3", "blocked"},  {"d4", "blocked"},
      {"d5", "superseded"}, {"d6", "recorded"}, {"d7", "recorded"}, {"d8", "open"},
      {"d9", "blocked"},    {"d10", "blocked"}};
  for (const auto& [key, state] : states) EXPECT_EQ(nodes.at(key).at("state").as_string(), state);
  EXPECT_EQ(nodes.at("d5").at("superseded_by").as_string(), "d6");
  EXPECT_FALSE(nodes.at("d5").at("active").as_bool());
  EXPECT_TRUE(nodes.at("d7").at("active").as_bool());
  EXPECT_EQ(nodes.at("d3").at("waits_for").at(0).at("key").as_string(), "d8");
  EXPECT_EQ(nodes.at("d3").at("waits_for").at(0).at("by").as_string(), "blocks");
  EXPECT_EQ(nodes.at("d2").at("outcome").as_string(), "pending");
  EXPECT_EQ(nodes.at("d1").at("edges").to_number<int>(), 4);
  EXPECT_NEAR(nodes.at("d1").at("diversity").to_number<double>(), 1 - (0.25 + 2.0 / 16), 1e-12);
  const object two = Ask({"decisions", "status", "d6", "d5"});
  EXPECT_EQ(two.at("results").as_array().size(), 2u);
  EXPECT_EQ(two.at("results").at(0).at("key").as_string(), "d6");
  EXPECT_FALSE(two.at("truncated").as_bool());
  for (const char* command : {"status", "blocked"}) {
    const object none = Ask({"decisions", command, "--max-seconds", "0"});
    EXPECT_TRUE(none.at("truncated").as_bool()) << command;
    EXPECT_EQ(none.at("total"), Ask({"decisions", command}).at("total")) << command;
    EXPECT_TRUE(
        none.at(command == std::string("status") ? "results" : "blocked").as_array().empty())
        << command;
  }
  EXPECT_EQ(Run({"decisions", "status", "--max-seconds", "-1"}).code, 2);
  const Finished table = Plexus({"decisions", "status", "--db", Db(), "--max-seconds", "0"});
  EXPECT_NE(table.out.find("truncated: the budget ran out; these are 0 of 10\n"), std::string::npos)
      << table.out;
  for (const char* command : {"status", "blocked", "ancestors", "descendants", "suggest"}) {
    const Finished turn = Run({"decisions", command, "t1"});
    EXPECT_EQ(turn.code, 2) << command << turn.out;
    EXPECT_NE(turn.err.find("'t1' (turn) is not one of the decisions asked about"),
              std::string::npos)
        << command << turn.err;
  }
  EXPECT_EQ(Run({"decisions", "status", "nobody"}).code, 3);
}

// In the words of decisions: ancestors are what this one depends on.
TEST_F(DecisionsCommand, AncestorsAndDescendants) {
  const auto keys = [&](std::vector<std::string> arguments, const char* means) {
    arguments.insert(arguments.begin(), "decisions");
    const object reply = Ask(arguments);
    EXPECT_EQ(reply.at("means").as_string(), means);
    std::string text;
    for (const auto& node : reply.at("results").as_array())
      text += std::string(node.at("key").as_string()) + " " +
              std::to_string(node.at("distance").to_number<int>()) + ", ";
    return text;
  };
  EXPECT_EQ(keys({"ancestors", "d4"}, "what 'd4' depends on"), "d2 1, d1 2, ");
  EXPECT_EQ(keys({"ancestors", "d4", "--depth", "1"}, "what 'd4' depends on"), "d2 1, ");
  EXPECT_EQ(keys({"descendants", "d1"}, "what depends on 'd1'"), "d2 1, d3 1, d4 2, ");
  EXPECT_EQ(keys({"descendants", "d1", "--kinds", "depends_on,refines"}, "what depends on 'd1'"),
            "d2 1, d3 1, d4 2, d5 2, ");
  EXPECT_EQ(keys({"ancestors", "d9"}, "what 'd9' depends on"), "d10 1, ");  // a cycle
  EXPECT_EQ(keys({"ancestors", "d1"}, "what 'd1' depends on"), "");
  const object cut = Ask({"decisions", "descendants", "d1", "--max-nodes", "1"});
  EXPECT_TRUE(cut.at("truncated").as_bool());
  EXPECT_EQ(cut.at("results").as_array().size(), 1u);
  EXPECT_EQ(Run({"decisions", "ancestors", "nobody"}).code, 3);
}

TEST_F(DecisionsCommand, UnlinkCounts) {
  ASSERT_EQ(Run({"link", "d3", "relates_to", "d1", "--created-by", "me"}).code, 0);
  const std::uint64_t before = Sequence();
  const object dry = Ask({"decisions", "unlink", "d3", "d1", "--dry-run"});
  EXPECT_EQ(dry.at("removed").to_number<int>(), 2);
  EXPECT_TRUE(dry.at("dry_run").as_bool());
  EXPECT_EQ(Sequence(), before);
  const object one = Ask({"decisions", "unlink", "d3", "d1", "--kinds", "depends_on"});
  EXPECT_EQ(one.at("removed").to_number<int>(), 1);
  EXPECT_EQ(one.at("edges").at(0).at("kind").as_string(), "depends_on");
  EXPECT_EQ(one.at("sequence").to_number<std::uint64_t>(), before + 1);
  // A symmetric edge from either side; an edge the other way stays.
  EXPECT_EQ(Ask({"decisions", "unlink", "d1", "d3"}).at("removed").to_number<int>(), 1);
  EXPECT_EQ(Ask({"decisions", "unlink", "d1", "d2"}).at("removed").to_number<int>(), 0);
  EXPECT_EQ(Ask({"decisions", "unlink", "d2", "d1"}).at("removed").to_number<int>(), 1);
  EXPECT_EQ(Run({"decisions", "unlink", "d2", "nobody"}).code, 3);
  EXPECT_EQ(Run({"decisions", "unlink", "d2", "d1", "--kinds", "needs"}).code, 2);
}

TEST_F(DecisionsCommand, AColumnThatIsNotThereIsRefused) {
  for (const char* name : {"nosuch", "trust", "category"}) {
    const Finished run = Run({"decisions", "queue", "--due-column", name});
    EXPECT_EQ(run.code, 2) << name;
    EXPECT_NE(run.err.find("--due-column"), std::string::npos) << run.err;
    EXPECT_NE(run.err.find("created_at"), std::string::npos) << run.err;  // one that there is
  }
  EXPECT_EQ(Run({"decisions", "queue", "--due-column", "accessed_at"}).code, 0);
}

TEST_F(DecisionsCommand, InverseNamesTurnTheSides) {
  const std::string rule =
      R"([{"name":"a","edge":"caused_by","target":{"outcome":"failure"},"action":"warn",
"message":"{other} would come of {target}"}])";
  const Finished run = Check(rule, R"({"edge":["d3","d7"],"kind":"caused_by"})");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.Json().at("hits").as_array()[0].as_object().at("message").as_string(),
            "d3 would come of d7");
}

TEST_F(DecisionsCommand, D6Suggest) {
  Import(R"({"node":"d12","kind":"decision","category":"infra","outcome":"failure",)"
         R"("text":"undo d1 after its outcome"})"
         "\n");
  const std::uint64_t before = Sequence();
  const array edges = Ask({"decisions", "suggest", "d12"}).at("edges").as_array();
  ASSERT_EQ(edges.size(), 2u);
  EXPECT_EQ(edges[0].as_object().at("kind").as_string(), "contradicts");
  EXPECT_EQ(edges[1].as_object().at("kind").as_string(), "caused_by");
  for (const auto& edge : edges) {
    EXPECT_EQ(edge.as_object().at("target").as_string(), "d1");
    EXPECT_FALSE(edge.as_object().at("reason").as_string().empty());
    EXPECT_FALSE(edge.as_object().at("evidence").as_object().empty());
  }
  EXPECT_EQ(Sequence(), before);
  EXPECT_TRUE(Ask({"decisions", "suggest", "d12", "--apply"}).at("applied").as_bool());
  EXPECT_EQ(Sequence(), before + 1);
  EXPECT_TRUE(Ask({"decisions", "suggest", "d12"}).at("edges").as_array().empty());
  for (const char* slip : {"--space", "--properties"}) {
    const Finished noted = Run({"decisions", "suggest", "d12", slip, "nosuch"});
    EXPECT_NE(noted.err.find(slip == std::string("--space") ? "no vectors" : "'nosuch'"),
              std::string::npos)
        << noted.err;
  }
  EXPECT_EQ(Run({"decisions", "suggest", "t1"}).code, 2);
  EXPECT_EQ(Run({"decisions", "suggest", "nobody"}).code, 3);
  EXPECT_EQ(Run({"decisions", "suggest", "d12", "--apply", "--as-of", "1"}).code, 2);
}

TEST_F(DecisionsCommand, Queue) {
  const object reply = Ask({"decisions", "queue", "--top", "0"});
  std::map<std::string, std::string> work;
  double last = 1;
  for (const auto& element : reply.at("items").as_array()) {
    const object& item = element.as_object();
    work[std::string(item.at("work").as_string())] += std::string(item.at("key").as_string()) + " ";
    EXPECT_LE(item.at("score").to_number<double>(), last);
    last = item.at("score").to_number<double>();
  }
  EXPECT_EQ(work.at("conflict"), "d1 ");
  EXPECT_EQ(work.at("blocked_root"), "d2 d8 ");
  EXPECT_EQ(work.at("overdue"), "d2 d9 d10 ");
  EXPECT_EQ(work.at("stale"), "d9 d10 ");
  EXPECT_EQ(reply.at("items").as_array()[0].as_object().at("work").as_string(), "conflict");
}

TEST_F(DecisionsCommand, ScopesKindsAndTables) {
  EXPECT_EQ(Ask({"decisions", "salience", "--scope", "nowhere"}).at("total").to_number<int>(), 0);
  EXPECT_EQ(Ask({"decisions", "salience", "--node-kinds", "turn"}).at("total").to_number<int>(),
            10);
  for (const char* command : {"salience", "blocked", "compaction", "contradictions", "queue"}) {
    const Finished table =
        Plexus({"decisions", command, "--db", Db(), "--now", std::to_string(kNow)});
    EXPECT_EQ(table.code, 0) << table.err;
    EXPECT_NE(table.out.find("d"), std::string::npos);
  }
}

class DecisionChain : public DecisionsCommand {
 protected:
  void SetUp() override {
    std::string lines;
    for (int e = 1; e <= 9; ++e)
      lines += R"({"node":"e)" + std::to_string(e) + R"(","kind":"decision")" +
               (e == 7 ? R"(,"outcome":"abandoned")" : "") + "}\n";
    for (const char* edge :
         {R"(["e1","e2"],"kind":"depends_on")", R"(["e2","e3"],"kind":"depends_on")",
          R"(["e9","e3"],"kind":"blocks")", R"(["e4","e2"],"kind":"blocks")",
          R"(["e5","e4"],"kind":"supersedes")", R"(["e6","e7"],"kind":"depends_on")"})
      lines += std::string(R"({"edge":)") + edge + "}\n";
    Import(lines);
  }
};

TEST_F(DecisionChain, D7OneRoot) {
  using Map = std::map<std::string, std::string>;
  EXPECT_EQ(Roots(), (Map{{"e1", "e9 by blocks"}, {"e2", "e9 by blocks"}, {"e3", "e9 by blocks"}}));
  const auto blocked = ByKey(Ask({"decisions", "blocked"}).at("blocked").as_array());
  EXPECT_EQ(boost::json::serialize(blocked.at("e1").at("chain")),
            R"([{"source":"e1","kind":"depends_on","target":"e2"},)"
            R"({"source":"e2","kind":"depends_on","target":"e3"},)"
            R"({"source":"e9","kind":"blocks","target":"e3"}])");
}

}  // namespace
}  // namespace plexus::testing
