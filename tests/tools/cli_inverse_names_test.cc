// Inverse names: an edge is written, asked and shown as its author says it.
#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <string>
#include <vector>

#include "tests/support/run_plexus.h"

namespace plexus::testing {
namespace {

namespace json = boost::json;
using Words = std::vector<std::string>;

// fire causes smoke causes alarm; a file says it from the other side.
class InverseNames : public ::testing::Test {
 protected:
  InverseNames() {
    const std::string file =
        dir_.File("g.jsonl",
                  "{\"edge\":[\"smoke\",\"fire\"],\"kind\":\"caused_by\"}\n"
                  "{\"edge\":[\"alarm\",\"smoke\"],\"kind\":\"caused_by\",\"weight\":0.5}\n"
                  "{\"edge\":[\"alarm\",\"sensor\"],\"kind\":\"depends_on\"}\n");
    EXPECT_EQ(Run({"import", file}).code, 0);
  }
  Finished Run(Words words) const {
    words.insert(words.begin(), {"--db", dir_ / "g"});
    return Plexus(words);
  }
  json::object Json(Words words) const {
    words.emplace_back("--json");
    const Finished run = Run(words);
    EXPECT_EQ(run.code, 0) << words[0] << ": " << run.err;
    return run.code == 0 ? run.Json() : json::object();
  }
  // The same question by both names of the kind, with what turns it around.
  void Same(const Words& by_name, const Words& by_inverse) const {
    const json::object one = Json(by_name), other = Json(by_inverse);
    EXPECT_EQ(one, other) << json::serialize(one) << "\n" << json::serialize(other);
    EXPECT_FALSE(one.empty());
  }

  TempDir dir_;
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
  EXPECT_NE(around("caused_by", "both").find("fire forward 7"), std::string::npos)
      << around("caused_by", "both");
  EXPECT_NE(around("caused_by", "both").find("alarm backward 4"), std::string::npos);
  EXPECT_NE(around("causes", "both").find("fire backward 4"), std::string::npos);
  EXPECT_NE(around("causes", "both").find("alarm forward 7"), std::string::npos);
  EXPECT_NE(around("caused_by", "out").find("fire forward 7"), std::string::npos);
  EXPECT_EQ(around("caused_by", "out").find("alarm"), std::string::npos);
  EXPECT_NE(around("causes", "in").find("fire backward 4"), std::string::npos);
  EXPECT_NE(around("depends_on,caused_by", "both").find("fire forward 7"), std::string::npos);
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
    const Finished run = Run(words);
    EXPECT_EQ(run.code, 2) << words[0] << run.out;
    EXPECT_NE(run.err.find("'caused_by' and 'depends_on' are followed in opposite directions"),
              std::string::npos)
        << run.err;
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
  EXPECT_NE(table.out.find("-->  caused_by"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("-->  causes"), std::string::npos) << table.out;
  EXPECT_NE(Run({"path", "--from", "alarm", "--to", "fire", "--direction", "in"})
                .out.find("alarm\n    --caused_by 0.5-->\n  smoke\n    --caused_by-->\n  fire"),
            std::string::npos)
      << Run({"path", "--from", "alarm", "--to", "fire", "--direction", "in"}).out;
  EXPECT_NE(Run({"history", "smoke"}).out.find("--caused_by--> fire"), std::string::npos)
      << Run({"history", "smoke"}).out;
  const json::object history = Json({"history", "smoke"});
  EXPECT_NE(json::serialize(history).find(R"("direction":"in","inverse":"caused_by")"),
            std::string::npos);
  const json::object recall = Json({"recall", "--from", "fire"});
  EXPECT_NE(json::serialize(recall).find(R"("direction":"in","inverse":"caused_by")"),
            std::string::npos)
      << json::serialize(recall);
}

TEST_F(InverseNames, AllKindsThatHaveOneAreListedAndTaken) {
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"supersedes", "superseded_by"},  {"causes", "caused_by"},
      {"supports", "supported_by"},     {"promoted_from", "promoted_to"},
      {"depends_on", "depended_on_by"}, {"refines", "refined_by"},
      {"blocks", "blocked_by"}};
  const std::string kinds = json::serialize(Json({"kinds"}));
  for (const auto& [kind, inverse] : pairs) {
    EXPECT_NE(kinds.find("\"inverse\":\"" + inverse + "\""), std::string::npos) << inverse;
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
