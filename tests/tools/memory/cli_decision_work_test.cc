// What is to be done about decisions, as a user runs it: the queue by kinds of work, folds, rules
// that keep a kind acyclic.
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/tools/memory/decisions_fixture.h"

namespace plexus::testing {
namespace {

using boost::json::array;
using boost::json::object;

// d2 and d3 depend on d1, d4 on d2; d5 refines d2 and is superseded by d6; d8 blocks d3; d9 and d10
// depend on each other.
class DecisionWork : public DecisionGraph {
 protected:
  void SetUp() override {
    std::string lines;
    for (int d = 1; d <= 10; ++d)
      lines += R"({"node":"d)" + std::to_string(d) + R"(","kind":"decision","created_at":)" +
               std::to_string(kNow - (d < 3 || d > 8 ? 40 : 1) * kDay) +
               (d == 1 || d == 6 ? R"(,"outcome":"success")" : "") + "}\n";
    for (const char* edge :
         {R"(["d2","d1"],"kind":"depends_on")", R"(["d3","d1"],"kind":"depends_on")",
          R"(["d4","d2"],"kind":"depends_on")", R"(["d5","d2"],"kind":"refines")",
          R"(["d6","d5"],"kind":"supersedes")", R"(["d8","d3"],"kind":"blocks")",
          R"(["d9","d10"],"kind":"depends_on")", R"(["d10","d9"],"kind":"depends_on")"})
      lines += std::string(R"({"edge":)") + edge + "}\n";
    Import(lines);
  }
};

TEST_F(DecisionWork, QueueOfSomeKinds) {
  std::string work;
  const object reply =
      Json({"decisions", "queue", "--work", "overdue,blocked_root", "--each", "2", "--top", "0"});
  for (const auto& item : reply.at("items").as_array())
    work +=
        std::string(item.at("work").as_string()) + " " + item.at("key").as_string().c_str() + " ";
  EXPECT_EQ(work, "overdue d2 overdue d9 blocked_root d2 blocked_root d8 ");
  EXPECT_EQ(reply.at("total"), 4);
  EXPECT_TRUE(Ends(Run({"decisions", "queue", "--work", "overdu"}), 2, "low_cluster"));
}

// What d5 has goes to d6, which superseded it; both values of what differs are shown.
TEST_F(DecisionWork, FoldMovesEdgesAndTags) {
  Import(R"({"node":"d5","tags":["cache"],"props":{"pattern":"aside","owner":"ann"}}
{"node":"d6","tags":["web"],"props":{"pattern":"through"}}
{"edge":["d4","d5"],"kind":"supports","weight":0.5,"label":"x","props":{"why":"w"}}
{"edge":["d6","d3"],"kind":"relates_to"}
{"edge":["d5","d3"],"kind":"relates_to","weight":0.25}
{"edge":["d5","d7"],"kind":"contradicts"}
)");
  const std::uint64_t before = Sequence();
  const object reply = Json({"decisions", "fold"});
  EXPECT_EQ(Sequence(), before);
  ASSERT_EQ(reply.at("total"), 1);
  const object fold = reply.at("results").at(0).as_object();
  EXPECT_EQ(fold.at("key"), "d5");
  EXPECT_EQ(fold.at("into"), "d6");
  std::set<std::string> edges;
  for (const auto& edge : fold.at("edges").as_array())
    edges.insert(std::string(edge.at("source").as_string()) + " " +
                 edge.at("kind").as_string().c_str() + " " + edge.at("target").as_string().c_str() +
                 (edge.at("there").as_bool() ? " there" : ""));
  // Of relates_to, which is symmetric, d6 has one to d3 already; contradicts stays.
  EXPECT_EQ(edges,
            (std::set<std::string>{"d6 refines d2", "d4 supports d6", "d3 relates_to d6 there"}));
  std::map<std::string, std::string> differs;
  for (const auto& one : fold.at("differs").as_array())
    differs[std::string(one.at("name").as_string())] =
        serialize(one.at("value")) + " " + serialize(one.at("into_value"));
  EXPECT_EQ(differs.at("props.pattern"), R"("aside" "through")");
  EXPECT_EQ(differs.at("props.owner"), R"("ann" null)");
  EXPECT_FALSE(differs.contains("created_at"));

  ASSERT_EQ(Run({"decisions", "fold", "d5", "--apply"}).code, 0);
  EXPECT_EQ(Sequence(), before + 1);
  const object moved = Json(
      {"list", "--edges", "--where", "label = 'x'", "--columns", "source,target,weight,props.why"});
  EXPECT_EQ(serialize(moved.at("results")),
            R"([{"source":"d4","target":"d6","weight":5E-1,"props.why":"w"}])");
  EXPECT_EQ(Json({"list", "--edges", "--where", "source = 'd5' or target = 'd5'"}).at("total"),
            2);  // supersedes and contradicts
  const object tags = Json({"list", "--columns", "key,tags", "--where", "key in ('d5', 'd6')"});
  EXPECT_EQ(serialize(tags.at("results")),
            R"([{"key":"d5","tags":[]},{"key":"d6","tags":["cache","web"]}])");
  const object again = Json({"decisions", "fold"});
  ASSERT_EQ(again.at("total"), 1);  // what differs is still there
  EXPECT_TRUE(again.at("results").at(0).at("edges").as_array().empty());
  EXPECT_TRUE(Ends(Run({"decisions", "fold", "d1"}), 2, "not superseded"));
}

// An edge is there only where it is valid as long; tags that are not listed stay.
TEST_F(DecisionWork, FoldLosesNothing) {
  Import(R"({"node":"d5","tags":["t1"],"scope":"s1"}
{"node":"d6","tags":["t1"],"scope":"s1"}
{"node":"d2","scope":"s1"}
{"edge":["d3","d5"],"kind":"depends_on","weight":0.9,"props":{"why":"w"}}
{"edge":["d3","d6"],"kind":"depends_on","weight":0.2,"valid_until":1577836800000}
{"edge":["d4","d5"],"kind":"supports","weight":0.5,"valid_until":1577836800000}
{"edge":["d4","d6"],"kind":"supports","weight":0.25}
)");
  // Edges to nodes of other scopes are neither shown nor moved.
  const object scoped = Json({"decisions", "fold", "d5", "--scope", "s1"});
  const array in_scope = scoped.at("results").at(0).at("edges").as_array();
  ASSERT_EQ(in_scope.size(), 1u) << serialize(in_scope);
  EXPECT_EQ(in_scope[0].at("kind"), "refines");

  const object fold = Json({"decisions", "fold", "d5", "--apply"}).at("results").at(0).as_object();
  std::set<std::string> edges;
  for (const auto& edge : fold.at("edges").as_array())
    edges.insert(serialize(edge.at("source")) + serialize(edge.at("there")) +
                 serialize(edge.at("kept")));
  EXPECT_EQ(edges,
            (std::set<std::string>{R"("d3"truetrue)", R"("d4"truefalse)", R"("d6"falsefalse)"}));
  std::map<std::string, std::string> differs;
  for (const auto& one : fold.at("differs").as_array())
    differs[std::string(one.at("name").as_string())] =
        serialize(one.at("value")) + " " + serialize(one.at("into_value"));
  EXPECT_EQ(differs["d3 depends_on d5 weight"], "9E-1 2E-1");
  EXPECT_EQ(differs["d3 depends_on d5 valid_until"], "null 1577836800000");
  EXPECT_EQ(differs["d3 depends_on d5 props"], R"({"why":"w"} null)");
  EXPECT_EQ(differs["d4 supports d5 weight"], "5E-1 2.5E-1");
  EXPECT_EQ(
      Json({"list", "--edges", "--where", "target = 'd5' and kind = 'depends_on'"}).at("total"), 1);
  const object tags = Json({"list", "--columns", "key,tags", "--where", "key in ('d5', 'd6')"});
  EXPECT_EQ(serialize(tags.at("results")),
            R"([{"key":"d5","tags":["t1"]},{"key":"d6","tags":["t1"]}])");
}

// A declared kind is kept acyclic by a rule that the graph keeps, at the write itself.
TEST_F(DecisionWork, ARuleKeepsAKindAcyclic) {
  const std::string rule =
      R"([{"name":"acyclic","does":"closes_cycle","edge":["depends_on","refines"],)"
      R"("message":"{other} would lead back to {target}"}])";
  ASSERT_EQ(Run({"decisions", "rules", rule}).code, 0);
  EXPECT_TRUE(
      Ends(Run({"link", "d1", "depends_on", "d4", "--check"}), 1, "d1 would lead back to d4"));
  EXPECT_EQ(Run({"link", "d4", "depends_on", "d1", "--check"}).code, 0);
  const array rules = Json({"decisions", "rules"}).at("results").as_array();
  EXPECT_EQ(rules[0].at("does"), "closes_cycle");
}

// The log knows of each record whether its time is that of its batch.
TEST_F(DecisionWork, EdgesOfAnEarlierImportHaveNoTimeOfTheirOwn) {
  ASSERT_EQ(Run({"link", "d1", "supports", "d9", "--created-at", std::to_string(kNow - kDay)}).code,
            0);
  for (int i = 1; i < 4; ++i) {
    ASSERT_TRUE(Ends(Run({"put", "x" + std::to_string(i), "--kind", "memory", "--now",
                          std::to_string(kNow + i * kDay)}),
                     0));
  }
  std::string edges;
  const object then =
      Json({"list", "--edges", "--event-time", std::to_string(kNow - 2 * kDay), "--top", "0"});
  for (const auto& edge : then.at("results").as_array())
    edges +=
        std::string(edge.at("source").as_string()) + edge.at("target").as_string().c_str() + " ";
  EXPECT_EQ(edges, "d2d1 d9d10 d10d9 ");
}

TEST_F(DecisionWork, RulesAgainstCyclesAreRead) {
  const auto refused = [&](const std::string& members, const char* why) {
    EXPECT_TRUE(Ends(Run({"decisions", "rules", R"([{"name":"a","message":"m",)" + members + "}]"}),
                     2, why))
        << members;
  };
  refused(R"("does":"closes_cycle","edge":"relates_to")", "leads both ways");
  refused(R"("does":"closes_cycle","edge":"refines","side":"source")", "leave it out");
  refused(R"("does":"closes_cycle","edge":["causes","caused_by"])", "both directions");
  refused(R"("does":"links","edge":"acyclic")", "closes_cycle alone");
  // Each in its own direction: d9 and d10 depend on each other already.
  ASSERT_EQ(Run({"decisions", "rules",
                 R"([{"name":"a","does":"closes_cycle","message":"m",)"
                 R"("edge":["depends_on","caused_by"]}])"})
                .code,
            0);
  EXPECT_EQ(Run({"link", "d1", "causes", "d4", "--check"}).code, 0);
  EXPECT_TRUE(Ends(Run({"link", "d4", "causes", "d1", "--check"}), 1, "d4 causes d1"));
}

// What a rule that is kept means does not change with the kinds that are defined after it.
TEST_F(DecisionWork, KeptRulesMeanWhatTheyMeant) {
  const auto imports = [&](const std::string& lines, bool check) {
    Words words = {"import", dir_.File("lines.jsonl", lines + "\n")};
    if (check) words.push_back("--check");
    return Run(words).code;
  };
  ASSERT_EQ(imports(R"({"kind":"needs","plane":"fact","of":"edge","acyclic":true})", false), 0);
  ASSERT_EQ(imports(R"({"edge":["a","b"],"kind":"needs"})", false), 0);
  ASSERT_EQ(Run({"decisions", "rules",
                 R"([{"name":"dag","does":"closes_cycle","edge":"acyclic","message":"a cycle"},)"
                 R"({"name":"one","does":"links","edge":"depended_on_by","message":"no",)"
                 R"("target":{"active":true}}])"})
                .code,
            0);
  const std::string back = R"({"edge":["b","a"],"kind":"needs"})";
  EXPECT_EQ(imports(back, true), 1);
  EXPECT_EQ(imports(back + "\n" + R"({"edge":["a","b"],"kind":"acyclic"})", true), 1);
  EXPECT_EQ(imports(R"({"edge":["a","b"],"kind":"acyclic"})", false), 0);
  EXPECT_EQ(imports(back, true), 1);
  // One that leads both ways closes no cycle, and stops nobody's checked write.
  ASSERT_EQ(imports(R"({"kind":"pal","plane":"fact","of":"edge","acyclic":true,"symmetric":true})",
                    false),
            0);
  EXPECT_EQ(imports(R"({"node":"alone"})", true), 0);
  EXPECT_EQ(imports(back, true), 1);
}

}  // namespace
}  // namespace plexus::testing
