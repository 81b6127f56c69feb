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
      map[std::string(element.at("key").as_string())] = element.as_object();
    return map;
  }
  // "d8 by blocks" ... of each blocked decision.
  std::map<std::string, std::string> Roots() const {
    std::map<std::string, std::string> map;
    for (const auto& [key, blocked] :
         ByKey(Json({"decisions", "blocked"}).at("blocked").as_array())) {
      std::string& text = map[key];
      for (const auto& root : blocked.at("roots").as_array())
        text += (text.empty() ? "" : ", ") + std::string(root.at("key").as_string()) + " by " +
                std::string(root.at("by").as_string());
      if (blocked.at("in_cycle").as_bool()) text += "cycle";
    }
    return map;
  }
};

TEST_F(DecisionsCommand, D1Salience) {
  const object reply = Json({"decisions", "salience", "--top", "3"});
  EXPECT_EQ(Each(reply.at("nodes"), "key score scaled percentile"),
            "d9 0.246655 1 0.944444, d10 0.246655 1 0.944444, d1 0.184806 0.74925 0.777778");
  EXPECT_EQ(boost::json::serialize(reply.at("cycles")), R"([["d9","d10"]])");
}

TEST_F(DecisionsCommand, D2Blocked) {
  using Map = std::map<std::string, std::string>;
  EXPECT_EQ(
      Roots(),
      (Map{{"d3", "d8 by blocks"}, {"d4", "d2 by depends_on"}, {"d9", "cycle"}, {"d10", "cycle"}}));
  const std::uint64_t before = Sequence();
  ASSERT_EQ(Run({"put", "d2", "--set", "outcome=success"}).code, 0);
  EXPECT_EQ(Roots(), (Map{{"d3", "d8 by blocks"}, {"d9", "cycle"}, {"d10", "cycle"}}));
  const object then = Json({"decisions", "blocked", "--as-of", std::to_string(before)});
  EXPECT_EQ(then.at("total"), 4);
}

TEST_F(DecisionsCommand, D4Compaction) {
  const std::uint64_t before = Sequence();
  std::map<std::string, std::string> tiers;
  for (const auto& [key, node] : ByKey(Json({"decisions", "compaction"}).at("nodes").as_array()))
    tiers[std::string(node.at("tier").as_string())] += key + " ";
  EXPECT_EQ(tiers, (std::map<std::string, std::string>{{"fold", "d5 "},
                                                       {"keep", "d10 d9 "},
                                                       {"summary", "d1 d2 "},
                                                       {"digest", "d7 "},
                                                       {"full", "d3 d4 d6 d8 "}}));
  EXPECT_EQ(Sequence(), before);
  Json({"decisions", "compaction", "--apply"});
  EXPECT_EQ(Sequence(), before + 1);
  EXPECT_EQ(Json({"get", "d5"}).at("compaction_tier"), "fold");
  Json({"decisions", "compaction", "--apply"});
  EXPECT_EQ(Sequence(), before + 1);  // nothing differs
}

constexpr const char* kSeedRule =
    R"({"name":"no-contradict-high-salience","type":"graph-constraint",
"rule":"New decision must not contradict any active decision with salience > 0.7",
"edge":"contradicts","target":{"active":true,"salience_above":0.7},
"action":"block","message":"This contradicts {target}. Supersede it first."})";

std::string Contradicts(const std::string& target) {
  return R"({"node":"d11","kind":"decision","text":"new"}
{"edge":["d11",")" +
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
      EXPECT_EQ(reply.at("hits").at(0).at("message").as_string(), message);
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
  const auto check = [&](Words more) {
    return Judge(With({"--rules", rules, "--proposal", proposal}, more));
  };
  const Finished late = check({"--max-seconds", "0"});
  EXPECT_EQ(late.code, 1) << late.err;
  EXPECT_FALSE(late.Json().at("allowed").as_bool());
  EXPECT_TRUE(late.Json().at("truncated").as_bool());
  for (const Words& narrows : {Words{"--scope", "nosuch"},
                               {"--node-kinds", "memory"},
                               {"--where", "key = 'd1'"},
                               {"--as-of", "0"},
                               {"--now", "2001-01-01"}}) {
    EXPECT_TRUE(Ends(check(narrows), 2, "does not take " + narrows[0])) << narrows[0];
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
  EXPECT_TRUE(
      Ends(Run({"decisions", "compaction", "--max-seconds", "0", "--apply"}), 1, "cut short"));
  EXPECT_EQ(Sequence(), before);
  EXPECT_TRUE(Json({"decisions", "compaction", "--max-seconds", "0"}).at("truncated").as_bool());
}

TEST_F(DecisionsCommand, RulesAndProposalsThatCannotBe) {
  const std::int64_t before = Sequence();
  const std::string good = Contradicts("d9");
  const struct {
    std::string rules, proposal, error;
  } all[] = {
      {"{", good, "it is no JSON"},
      {"[]", good, "there is no rule"},
      {R"([{"name":"a","message":"m"}])", good, "rule 1 'a': it names no edge"},
      {R"([{"name":"a","edge":"contradict","message":"m"}])", good, "did you mean 'contradicts'"},
      {R"([{"name":"a","edge":"contradicts"}])", good, "it has no message"},
      {R"([{"name":"a","edge":"contradicts","message":"m","acton":"block"}])", good,
       "'acton' is no member of a rule"},
      {R"([{"name":"a","edge":"contradicts","message":"m","target":{"kind":"decison"}}])", good,
       "no node kind 'decison'"},
      {R"([{"name":"a","edge":"contradicts","message":"m","target":{"salience_above":7}}])", good,
       "salience_above is 0 to 1"},
      {R"({"rules":[{"name":"a","edge":"contradicts","message":"m","action":"stop"}]})", good,
       "not one of block, warn"},
      {kSeedRule, "{\"node\":\n", "p.jsonl:1"},
      {kSeedRule, R"({"edge":["d1","d1"],"kind":"contradicts"})", "p.jsonl:1"},
  };
  for (const auto& [rules, proposal, error] : all)
    EXPECT_TRUE(Ends(Check(rules, proposal), 2, error)) << rules << proposal;
  EXPECT_EQ(Sequence(), before);
}

// A proposal of nothing but edges is read as any other, also where nothing is there yet.
TEST_F(DecisionGraph, AProposalToAnEmptyGraphIsJudged) {
  Import("");
  const std::string proposal = dir_.File("p.jsonl", R"({"edge":["a","b"],"kind":"blocks"}
{"edge":["b","a"],"kind":"blocks"}
)");
  const std::string rules = dir_.File(
      "r.json", R"([{"name":"acyclic","does":"closes_cycle","edge":"blocks","message":"circle"}])");
  const Finished run = Judge({"--rules", rules, "--proposal", proposal});
  EXPECT_EQ(run.code, 1) << run.out << run.err;
  EXPECT_FALSE(run.Json().at("allowed").as_bool());
  EXPECT_EQ(Run({"conflicts", "candidates", "a", "--proposal", proposal}).code, 0);
}

TEST_F(DecisionsCommand, StatusOfEach) {
  ExpectReplies({
      {{"decisions", "status"},
       "results",
       "key state superseded_by active",
       "d1 recorded true, d2 open true, d3 blocked true, d4 blocked true, d5 superseded d6 false, "
       "d6 recorded true, d7 recorded true, d8 open true, d9 blocked true, d10 blocked true"},
      {{"decisions", "status", "d6", "d5"}, "results", "key", "d6, d5"},
      {{"decisions", "status", "d3"}, "results", "waits_for", R"([{"key":"d8","by":"blocks"}])"},
      {{"decisions", "status", "--max-seconds", "0"}, "", "total results truncated", "10 [] true"},
      {{"decisions", "blocked", "--max-seconds", "0"}, "", "total blocked truncated", "4 [] true"},
  });
  ExpectPrinted({{{"decisions", "status", "--max-seconds", "0"},
                  "truncated: the budget ran out; these are 0 of 10\n"}});
  for (const char* command : {"status", "blocked", "ancestors", "descendants", "suggest"})
    ExpectRefused(
        {{{"decisions", command, "t1"}, 2, "'t1' (turn) is not one of the decisions asked about"}});
  ExpectRefused({{{"decisions", "status", "nobody"}, 3, "nobody"},
                 {{"decisions", "status", "--max-seconds", "-1"}, 2, "--max-seconds"}});
}

// In the words of decisions: ancestors are what this one depends on.
TEST_F(DecisionsCommand, AncestorsAndDescendants) {
  ExpectReplies({
      {{"decisions", "ancestors", "d4"}, "", "means", "what 'd4' depends on"},
      {{"decisions", "ancestors", "d4"}, "results", "key distance", "d2 1, d1 2"},
      {{"decisions", "ancestors", "d4", "--depth", "1"}, "results", "key", "d2"},
      {{"decisions", "descendants", "d1"}, "", "means", "what depends on 'd1'"},
      {{"decisions", "descendants", "d1", "--kinds", "depends_on,refines"},
       "results",
       "key distance",
       "d2 1, d3 1, d4 2, d5 2"},
      {{"decisions", "descendants", "d1", "--max-nodes", "1"}, "", "truncated", "true"},
      {{"decisions", "contradictions"}, "conflicts", "a b", "d1 d7"},
  });
  ExpectRefused({{{"decisions", "ancestors", "nobody"}, 3, "nobody"}});
}

TEST_F(DecisionsCommand, UnlinkCounts) {
  ASSERT_EQ(Run({"link", "d3", "relates_to", "d1", "--created-by", "me"}).code, 0);
  const std::uint64_t before = Sequence();
  const object dry = Json({"decisions", "unlink", "d3", "d1", "--dry-run"});
  EXPECT_EQ(dry.at("removed"), 2);
  EXPECT_TRUE(dry.at("dry_run").as_bool());
  EXPECT_EQ(Sequence(), before);
  const object one = Json({"decisions", "unlink", "d3", "d1", "--kinds", "depends_on"});
  EXPECT_EQ(one.at("removed"), 1);
  EXPECT_EQ(one.at("edges").at(0).at("kind"), "depends_on");
  EXPECT_EQ(one.at("sequence").to_number<std::uint64_t>(), before + 1);
  // A symmetric edge from either side; an edge the other way stays.
  EXPECT_EQ(Json({"decisions", "unlink", "d1", "d3"}).at("removed"), 1);
  EXPECT_EQ(Json({"decisions", "unlink", "d1", "d2"}).at("removed"), 0);
  EXPECT_EQ(Json({"decisions", "unlink", "d2", "d1"}).at("removed"), 1);
  EXPECT_EQ(Run({"decisions", "unlink", "d2", "nobody"}).code, 3);
  EXPECT_EQ(Run({"decisions", "unlink", "d2", "d1", "--kinds", "needs"}).code, 2);
}

TEST_F(DecisionsCommand, AColumnThatIsNotThereIsRefused) {
  for (const char* name : {"nosuch", "trust", "category"}) {
    const Finished run = Run({"decisions", "queue", "--due-column", name});
    EXPECT_EQ(run.code, 2) << name;
    EXPECT_TRUE(Says(run.err, "--due-column"));
    EXPECT_TRUE(Says(run.err, "created_at"));  // one that there is
  }
  EXPECT_EQ(Run({"decisions", "queue", "--due-column", "accessed_at"}).code, 0);
}

TEST_F(DecisionsCommand, InverseNamesTurnTheSides) {
  const std::string rule =
      R"([{"name":"a","edge":"caused_by","target":{"outcome":"failure"},"action":"warn",
"message":"{other} would come of {target}"}])";
  const Finished run = Check(rule, R"({"edge":["d3","d7"],"kind":"caused_by"})");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.Json().at("hits").at(0).at("message"), "d3 would come of d7");
}

TEST_F(DecisionsCommand, D6Suggest) {
  Import(R"({"node":"d12","kind":"decision","category":"infra","outcome":"failure",)"
         R"("text":"undo d1 after its outcome"}
)");
  const std::uint64_t before = Sequence();
  const array edges = Json({"decisions", "suggest", "d12"}).at("edges").as_array();
  ASSERT_EQ(edges.size(), 2u);
  EXPECT_EQ(edges[0].at("kind"), "contradicts");
  EXPECT_EQ(edges[1].at("kind"), "caused_by");
  for (const auto& edge : edges) {
    EXPECT_EQ(edge.at("target"), "d1");
    EXPECT_FALSE(edge.at("reason").as_string().empty());
    EXPECT_FALSE(edge.at("evidence").as_object().empty());
  }
  EXPECT_EQ(Sequence(), before);
  EXPECT_TRUE(Json({"decisions", "suggest", "d12", "--apply"}).at("applied").as_bool());
  EXPECT_EQ(Sequence(), before + 1);
  EXPECT_TRUE(Json({"decisions", "suggest", "d12"}).at("edges").as_array().empty());
  for (const char* slip : {"--space", "--properties"}) {
    const Finished noted = Run({"decisions", "suggest", "d12", slip, "nosuch"});
    EXPECT_TRUE(Says(noted.err, slip == std::string("--space") ? "no vectors" : "'nosuch'"));
  }
  EXPECT_EQ(Run({"decisions", "suggest", "t1"}).code, 2);
  EXPECT_EQ(Run({"decisions", "suggest", "nobody"}).code, 3);
  EXPECT_EQ(Run({"decisions", "suggest", "d12", "--apply", "--as-of", "1"}).code, 2);
}

TEST_F(DecisionsCommand, Queue) {
  EXPECT_EQ(Each(Json({"decisions", "queue", "--top", "0", "--work",
                       "conflict,blocked_root,overdue,stale"})
                     .at("items"),
                 "work key"),
            "conflict d1, overdue d2, overdue d9, overdue d10, blocked_root d2, blocked_root d8, "
            "stale d9, stale d10");
}

TEST_F(DecisionsCommand, ScopesKindsAndTables) {
  EXPECT_EQ(Json({"decisions", "salience", "--scope", "nowhere"}).at("total"), 0);
  EXPECT_EQ(Json({"decisions", "salience", "--node-kinds", "turn"}).at("total"), 10);
  for (const char* command : {"salience", "blocked", "compaction", "contradictions", "queue"}) {
    const Finished table = Run({"decisions", command, "--now", std::to_string(kNow)});
    EXPECT_EQ(table.code, 0) << table.err;
    EXPECT_TRUE(Says(table.out, "d"));
  }
}

}  // namespace
}  // namespace plexus::testing
