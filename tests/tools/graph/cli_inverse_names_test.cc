// Inverse names: an edge is written, asked and shown as its author says it.
#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <string>
#include <vector>

#include "tests/support/program/program_test.h"

namespace plexus::testing {
namespace {

namespace json = boost::json;

// fire causes smoke causes alarm; a file says it from the other side.
class InverseNames : public ProgramTest {
 protected:
  void SetUp() override {
    Import(R"({"edge":["smoke","fire"],"kind":"caused_by"}
{"edge":["alarm","smoke"],"kind":"caused_by","weight":0.5}
{"edge":["alarm","sensor"],"kind":"depends_on"}
)");
  }
  // The same question by both names of the kind, with what turns it around.
  void Same(const Words& by_name, const Words& by_inverse) const {
    const json::object one = Json(by_name), other = Json(by_inverse);
    EXPECT_EQ(one, other) << json::serialize(one) << "\n" << json::serialize(other);
    EXPECT_FALSE(one.empty());
  }
};

TEST_F(InverseNames, AWalkAlongAnInverseNameIsOneAgainstItsKind) {
  const Words causes = {"--kinds", "causes"}, caused_by = {"--kinds", "caused_by"};
  const auto ask = [](Words words, const Words& kinds, const Words& rest = {}) {
    words.insert(words.end(), kinds.begin(), kinds.end());
    words.insert(words.end(), rest.begin(), rest.end());
    return words;
  };
  const Words in = {"--direction", "in"}, out = {"--direction", "out"};
  for (const Words& question : {Words{"bfs", "--from", "alarm"},
                                {"distances", "--from", "alarm"},
                                {"path", "--from", "alarm", "--to", "fire"},
                                {"traverse", "--from", "alarm"},
                                {"neighbors", "smoke"},
                                {"dominators", "alarm"},
                                {"similar", "--of", "smoke"},
                                {"closeness"},
                                {"katz"},
                                {"eigenvector"}}) {
    Same(ask(question, causes, in), ask(question, caused_by, out));
    Same(ask(question, causes, out), ask(question, caused_by, in));
  }
  for (const Words& question :
       {Words{"bfs", "--from", "smoke"}, {"neighbors", "smoke"}, {"traverse", "--from", "fire"}})
    Same(ask(question, causes, {"--direction", "both"}),
         ask(question, caused_by, {"--direction", "both"}));
  Same({"ancestors", "alarm", "--kinds", "causes"},
       {"descendants", "alarm", "--kinds", "caused_by"});
  Same({"topo", "--kinds", "causes", "--reverse"}, {"topo", "--kinds", "caused_by"});
  Same({"pagerank", "--kinds", "causes", "--reverse", "causes"},
       {"pagerank", "--kinds", "caused_by"});
  Same({"pagerank", "--kinds", "causes"},
       {"pagerank", "--kinds", "caused_by", "--reverse", "caused_by"});
  Same({"pagerank", "--kinds", "causes,depends_on", "--reverse", "causes"},
       {"pagerank", "--kinds", "depends_on,caused_by"});
  Same({"match", "^causes", "--from", "alarm"}, {"match", "caused_by", "--from", "alarm"});
}

// A step along an edge is one as its kind is named: fire is along caused_by from smoke.
TEST_F(InverseNames, DecayFollowsTheNameThatIsAsked) {
  const auto around = [&](const std::string& kinds, const std::string& direction) {
    std::string text;
    const json::object reply =
        Json({"neighborhood", "smoke", "--kinds", kinds, "--direction", direction, "--hops", "1",
              "--forward", "0.7", "--backward", "0.4"});
    for (const json::value& node : reply.at("nodes").as_array())
      text += std::string(node.at("key").as_string()) + " " +
              std::string(node.at("direction").as_string()) + " " +
              json::serialize(node.at("decay")).substr(0, 5) + "; ";
    return text;
  };
  EXPECT_EQ(around("caused_by", "both"), around("caused_by", "both"));
  EXPECT_TRUE(Says(around("caused_by", "both"), "fire forward 7"));
  EXPECT_TRUE(Says(around("caused_by", "both"), "alarm backward 4"));
  EXPECT_TRUE(Says(around("causes", "both"), "fire backward 4"));
  EXPECT_TRUE(Says(around("causes", "both"), "alarm forward 7"));
  EXPECT_TRUE(Says(around("caused_by", "out"), "fire forward 7"));
  EXPECT_FALSE(Says(around("caused_by", "out"), "alarm"));
  EXPECT_TRUE(Says(around("causes", "in"), "fire backward 4"));
  EXPECT_TRUE(Says(around("depends_on,caused_by", "both"), "fire forward 7"));
}

TEST_F(InverseNames, DecisionsSayWhichWayWasAsked) {
  for (const char* key : {"d1", "d2"}) EXPECT_EQ(Run({"put", key, "--kind", "decision"}).code, 0);
  EXPECT_EQ(Run({"link", "d1", "depends_on", "d2"}).code, 0);
  const json::object by = Json({"decisions", "ancestors", "d2", "--kinds", "depended_on_by"});
  EXPECT_EQ(by.at("means"), "what depends on 'd2'");
  EXPECT_EQ(by.at("results").at(0).at("key"), "d1");
  EXPECT_EQ(by, Json({"decisions", "descendants", "d2"}));
}

TEST_F(InverseNames, WhereEdgesCountEitherWayBothNamesMeanTheSame) {
  for (const Words& question :
       std::vector<Words>{{"components"},
                          {"components", "--strong"},
                          {"communities"},
                          {"kcore"},
                          {"triangles"},
                          {"forest"},
                          {"cuts"},
                          {"betweenness"},
                          {"betweenness", "--directed"},
                          {"frontier", "--lens", "bridge"},
                          {"recall", "--from", "smoke"},
                          {"flow", "--from", "fire", "--to", "alarm", "--direction", "both"}}) {
    Words one = question, other = question;
    one.insert(one.end(), {"--kinds", "causes"});
    other.insert(other.end(), {"--kinds", "caused_by"});
    Same(one, other);
  }
  const json::object hits = Json({"hits", "--kinds", "causes"}),
                     turned = Json({"hits", "--kinds", "caused_by", "--hubs"});
  EXPECT_EQ(hits.at("results").at(0).at("key"), turned.at("results").at(0).at("key"));
}

TEST_F(InverseNames, AListThatGoesBothWaysIsRefusedWhereItMatters) {
  const Words both = {"--kinds", "depends_on,caused_by"};
  for (Words words : {Words{"bfs", "--from", "alarm"},
                      {"path", "--from", "alarm", "--to", "fire"},
                      {"ancestors", "alarm"},
                      {"topo"},
                      {"components", "--strong"}}) {
    words.insert(words.end(), both.begin(), both.end());
    EXPECT_TRUE(
        Ends(Run(words), 2, "'caused_by' and 'depends_on' are followed in opposite directions"))
        << words[0];
  }
  EXPECT_EQ(Json({"neighbors", "alarm", "--kinds", "depends_on,caused_by"}).at("total"), 2);
  EXPECT_EQ(Run({"flow", "--from", "alarm", "--to", "fire", "--kinds", "caused_by"}).code, 2);
  EXPECT_EQ(Run({"pagerank", "--kinds", "causes,caused_by"}).code, 2);
}

TEST_F(InverseNames, AnEdgeIsShownFromItsTargetByItsInverseName) {
  const json::object smoke = Json({"neighbors", "smoke", "--direction", "in"});
  EXPECT_EQ(json::serialize(smoke.at("neighbors").at(0).at("kind")), "\"causes\"");
  EXPECT_EQ(json::serialize(smoke.at("neighbors").at(0).at("inverse")), "\"caused_by\"");
  const json::object fire = Json({"neighbors", "fire"});
  EXPECT_FALSE(fire.at("neighbors").at(0).as_object().contains("inverse"));
  const Finished table = Run({"neighbors", "smoke"});
  EXPECT_TRUE(Says(table.out, "-->  caused_by"));
  EXPECT_TRUE(Says(table.out, "-->  causes"));
  EXPECT_TRUE(Says(Run({"path", "--from", "alarm", "--to", "fire", "--direction", "in"}).out,
                   "alarm\n    --caused_by 0.5-->\n  smoke\n    --caused_by-->\n  fire"));
  EXPECT_TRUE(Says(Run({"history", "smoke"}).out, "--caused_by--> fire"));
  const json::object history = Json({"history", "smoke"});
  EXPECT_TRUE(Says(json::serialize(history), R"("direction":"in","inverse":"caused_by")"));
  const json::object recall = Json({"recall", "--from", "fire"});
  EXPECT_TRUE(Says(json::serialize(recall), R"("direction":"in","inverse":"caused_by")"));
}

TEST_F(InverseNames, AllKindsThatHaveOneAreListedAndTaken) {
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"supersedes", "superseded_by"},  {"causes", "caused_by"},
      {"supports", "supported_by"},     {"promoted_from", "promoted_to"},
      {"depends_on", "depended_on_by"}, {"refines", "refined_by"},
      {"blocks", "blocked_by"}};
  const std::string kinds = json::serialize(Json({"kinds"}));
  for (const auto& [kind, inverse] : pairs) {
    EXPECT_TRUE(Says(kinds, "\"inverse\":\"" + inverse + "\"")) << inverse;
    EXPECT_EQ(Run({"link", kind + " b", inverse, kind + " a"}).code, 0);
    const json::object found =
        Json({"neighbors", kind + " a", "--direction", "out", "--kinds", kind});
    EXPECT_EQ(found.at("total"), 1) << kind;
    EXPECT_EQ(Run({"unlink", kind + " b", inverse, kind + " a"}).code, 0);
  }
}

// As graphs have it that were made before the name was an inverse one.
TEST_F(InverseNames, AKindOfThatNameKeepsIt) {
  const std::string file = dir_.File("own.jsonl",
                                     "{\"kind\":\"supported_by\",\"of\":\"edge\"}\n"
                                     "{\"edge\":[\"a\",\"b\"],\"kind\":\"supported_by\"}\n"
                                     "{\"edge\":[\"c\",\"b\"],\"kind\":\"supports\"}\n");
  EXPECT_EQ(Run({"import", file}).code, 0) << Run({"import", file}).err;
  EXPECT_EQ(Run({"checkpoint"}).code, 0);
  const json::object a = Json({"neighbors", "a"});
  EXPECT_EQ(json::serialize(a.at("neighbors").at(0).at("kind")), "\"supported_by\"");
  EXPECT_EQ(json::serialize(a.at("neighbors").at(0).at("direction")), "\"out\"");
  const json::object b = Json({"neighbors", "b", "--kinds", "supports"});
  EXPECT_FALSE(b.at("neighbors").at(0).as_object().contains("inverse"));
  EXPECT_EQ(Run({"verify"}).code, 0);
}

TEST_F(InverseNames, APlanWalksAsItsKindsAreNamed) {
  const auto plan = [&](const std::string& kind, const std::string& direction) {
    return Json({"retrieve", "--from", "alarm", "--plan",
                 R"({"seeds":[{"by":"keys"}],"expand":{"hops":2,"direction":")" + direction +
                     R"(","kinds":[")" + kind + R"("]},"score":{"path":1}})"});
  };
  EXPECT_EQ(json::serialize(plan("caused_by", "out").at("hits")),
            json::serialize(plan("causes", "in").at("hits")));
}

}  // namespace
}  // namespace plexus::testing
