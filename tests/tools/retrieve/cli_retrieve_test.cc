// retrieve: the named plans, plans from JSON, what a reply says, and what is refused. A stored
// graph is opened again by every question.
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/retrieval/plan.h"
#include "engine/graph.h"
#include "tests/support/program/program_test.h"
#include "tools/operations/retrieve/plan_json.h"

namespace plexus::testing {
namespace {

using boost::json::object;

std::string Keys(const object& reply) { return Each(reply.at("hits")); }

// Turns and the edges that the builders of turns make of them.
class RetrieveTurns : public ProgramTest {
 protected:
  void SetUp() override {
    std::string lines;
    for (const char* key : {"t1", "t2", "t3", "t4", "t5", "t6", "t7"})
      lines += "{\"node\":\"" + std::string(key) + "\",\"kind\":\"turn\"}\n";
    const auto edge = [&](const char* source, const char* kind, const char* target,
                          const char* weight) {
      lines += "{\"edge\":[\"" + std::string(source) + "\",\"" + target + "\"],\"kind\":\"" + kind +
               "\",\"weight\":" + weight + "}\n";
    };
    edge("t1", "temporal", "t2", "0.983606557");
    edge("t2", "temporal", "t3", "0.5");
    edge("t3", "temporal", "t4", "0.090909091");
    edge("t5", "referential", "t1", "0.8");
    edge("t5", "referential", "t2", "0.96");
    edge("t6", "referential", "t5", "0.6");
    edge("t1", "categorical", "t5", "0.8");
    edge("t5", "causal", "t1", "0.7");
    for (const auto& [key, values] : {std::pair{"t1", "1,0"},
                                      {"t2", "0.6,0.8"},
                                      {"t3", "0,1"},
                                      {"t5", "0.8,0.6"},
                                      {"t6", "0,1"}})
      lines += "{\"vector\":\"" + std::string(key) + "\",\"values\":[" + values + "]}\n";
    Import(lines);
  }
};

// What the plans find is promised by the kernel (Plan.RerankOfTurns, MultiHopOverTurns,
// NamedPlansEqualTheirDefinition); here is how a plan is named and what a reply says of it.
TEST_F(RetrieveTurns, NamedPlansAndTheirReplies) {
  const object reply = Json({"retrieve", "--plan", "rerank", "--vector", "[1,0]", "--top", "2"});
  EXPECT_EQ(Keys(reply), "t1, t5");
  EXPECT_EQ(reply.at("plan"), "rerank");
  EXPECT_EQ(reply.at("candidates"), 5);
  EXPECT_EQ(Each(reply.at("stages"), "stage").substr(0, 14), "filter, vector");
  EXPECT_EQ(reply.at("stage_ms").as_array().size(), reply.at("stages").as_array().size());
  EXPECT_EQ(Each(reply.at("hits").at(0).at("terms"), "name"), "similarity, graph");
  const object hop = Json({"retrieve", "--plan", "multi-hop", "--from", "t1", "--kinds", "temporal",
                           "--hops", "3", "--vector", "[0,1]"});
  EXPECT_EQ(Each(hop.at("hits"), "key hops seed"), "t2 1 t1, t3 2 t1");
  EXPECT_EQ(hop.at("without_vector"), 1);
  EXPECT_EQ(hop.at("hits").at(1).at("path").as_array().size(), 2u);
  const Words rag = {"retrieve", "--plan", "rag", "--vector", "[1,0]", "--top", "2"};
  EXPECT_EQ(Keys(Json(rag)), "t1, t5");
  const Words walks = With(rag, {"--hops", "1"});
  EXPECT_GT(Json(walks).at("stages").as_array().size(), Json(rag).at("stages").as_array().size());
  const object dual = Json({"retrieve", "--vector", "-"}, {.input = "1 0"});
  EXPECT_EQ(dual.at("plan"), "dual");
  EXPECT_EQ(Keys(dual).substr(0, 2), "t1");
}

TEST_F(RetrieveTurns, PlansAsJson) {
  const std::string plan =
      R"({"seeds":[{"by":"vector","per_hit":3}],"score":{"similarity":0.7,"graph":0.3},"top":2})";
  const object named = Json({"retrieve", "--plan", "rerank", "--vector", "[1,0]", "--top", "2"});
  for (const std::string& given : {plan, dir_.File("plan.json", "\n " + plan)})
    EXPECT_EQ(Json({"retrieve", "--plan", given, "--vector", "[1,0]"}).at("hits"),
              named.at("hits"));
  EXPECT_EQ(Json({"retrieve", "--plan", "-", "--vector", "[1,0]"}, {.input = plan}).at("hits"),
            named.at("hits"));
  // --rank-constant fuses by ranks, whatever the plan fuses by; 60 is rrf's own.
  const std::string ranks =
      R"({"seeds":[{"by":"vector","per_hit":3}],"score":{"similarity":0.7,"graph":0.3},)"
      R"("fuse":"rrf"})";
  const auto fused = [&](const char* constant) {
    const object reply =
        Json({"retrieve", "--plan", "rerank", "--vector", "[1, 0]", "--rank-constant", constant});
    EXPECT_EQ(reply.at("fuse"), "rrf");
    return serialize(reply.at("hits"));
  };
  EXPECT_EQ(fused("60"),
            serialize(Json({"retrieve", "--vector", "[1, 0]", "--plan", ranks}).at("hits")));
  EXPECT_NE(fused("10"), fused("60"));
}

// The table of names says in JSON what it says as structs.
TEST(RetrievePlans, NamedPlansAreTheirJson) {
  const auto graph = Graph::InMemory();
  for (const retrieval::NamedPlan& named : retrieval::NamedPlans()) {
    const auto read = tools::PlanFromJson(named.json, graph->snapshot().schema(), kNoTime);
    ASSERT_TRUE(read) << named.name << ": " << read.error().ToString();
    ASSERT_EQ(read->seeds.size(), named.plan.seeds.size()) << named.name;
    for (std::size_t i = 0; i < read->seeds.size(); ++i) {
      EXPECT_EQ(read->seeds[i].by, named.plan.seeds[i].by);
      EXPECT_EQ(read->seeds[i].top, named.plan.seeds[i].top);
      EXPECT_EQ(read->seeds[i].per_hit, named.plan.seeds[i].per_hit);
      EXPECT_EQ(read->seeds[i].least, named.plan.seeds[i].least);
      EXPECT_EQ(read->seeds[i].starts, named.plan.seeds[i].starts);
      EXPECT_EQ(read->seeds[i].keep, named.plan.seeds[i].keep);
    }
    EXPECT_EQ(read->expand.hops, named.plan.expand.hops) << named.name;
    EXPECT_EQ(read->expand.direction, named.plan.expand.direction);
    EXPECT_EQ(read->expand.decay, named.plan.expand.decay);
    EXPECT_EQ(read->expand.from, named.plan.expand.from);
    EXPECT_EQ(read->expand.arcs, named.plan.expand.arcs);
    EXPECT_EQ(read->expand.top, named.plan.expand.top);
    EXPECT_EQ(read->expand.per_hit, named.plan.expand.per_hit);
    EXPECT_EQ(read->expand.max_arcs, named.plan.expand.max_arcs);
    EXPECT_EQ(read->score.weights, named.plan.score.weights);
    EXPECT_EQ(read->score.required, named.plan.score.required);
    EXPECT_EQ(read->score.shown, named.plan.score.shown);
    EXPECT_EQ(read->fuse, named.plan.fuse);
    EXPECT_EQ(read->top, named.plan.top);
  }
}

TEST(RetrievePlans, BadPlansNameThePlace) {
  const auto graph = Graph::InMemory();
  const auto with = [](const std::string& member) {
    return R"({"seeds":[{"by":"words"}],"score":{"words":1},)" + member + "}";
  };
  std::string many = R"({"seeds":[)";
  for (int i = 0; i < 17; ++i) many += std::string(i ? "," : "") + R"({"by":"words"})";
  const std::pair<std::string, std::string> plans[] = {
      {"", ""},
      {"[]", "an object is wanted"},
      {"{", ""},
      {"{}", "seeds: "},
      {R"({"seed":[]})", "seed: no such member; did you mean 'seeds'?"},
      {R"({"seeds":{}})", "seeds: a list is wanted, not"},
      {R"({"seeds":[1]})", "seeds[0]: an object is wanted"},
      {R"({"seeds":[{"top":3}]})", "seeds[0]: it has no \"by\""},
      {R"({"seeds":[{"by":"vektor"}]})",
       "seeds[0].by: 'vektor' is not one of vector, words, keys, pagerank, names; did you mean"},
      {R"({"seeds":[{"by":"words"},{"by":"words","topp":1}]})", "seeds[1].topp: no such member"},
      {R"({"seeds":[{"by":"words","top":1.5}]})", "seeds[0].top: a whole number"},
      {R"({"seeds":[{"by":"words","top":-1}]})", "seeds[0].top: a whole number"},
      {R"({"seeds":[{"by":"words","top":0}]})", "seeds[0].top: 0 is not in 1..10000"},
      {R"({"seeds":[{"by":"words","keep":1}]})", "seeds[0].keep: true or false"},
      {R"({"seeds":[{"by":"vector","space":"s"}]})", "seeds[0].space: no vector space 's'"},
      {R"({"seeds":[{"by":"words"}],"seeds":[]})", "seeds"},
      {with(R"("expand":{"hops":17})"), "expand.hops: 17 is more than 16"},
      {with(R"("expand":{"direction":"up"})"), "expand.direction: "},
      {with(R"("expand":{"decay":0})"), "expand.decay: "},
      {with(R"("expand":{"decay":1e999})"), ""},
      {with(R"("expand":{"kinds":["suports"]})"), "expand.kinds[0]: "},
      {with(R"("expand":{"kinds":["supports",3]})"), "expand.kinds[1]: a text is wanted"},
      {with(R"("expand":{"from":"there"})"), "expand.from: "},
      {with(R"("expand":{"top":100001})"), "expand.top: 100001"},
      {with(R"("filter":{"node_kinds":["memori"]})"),
       "filter.node_kinds[0]: no node kind 'memori'; did you mean 'memory'?"},
      {with(R"("filter":{"tags":"a"})"), "filter.tags: a list is wanted"},
      {with(R"("filter":{"tags":[""]})"), "filter.tags[0]: it is empty"},
      {with(R"("filter":{"since":"yesterday"})"), "filter.since: "},
      {with(R"("filter":{"until":1.5})"), "filter.until: "},
      {with(R"("filter":{"where":"trust >"})"), "filter.where: "},
      {R"({"seeds":[{"by":"words"}],"score":{"wrods":1}})", "score.wrods: no such member"},
      {R"({"seeds":[{"by":"words"}],"score":{"words":-1}})", "score.words: "},
      {R"({"seeds":[{"by":"words"}],"score":{"words":"1"}})", "score.words: a number is wanted"},
      {R"({"seeds":[{"by":"words"}],"score":{"words":1,"require":["x"]}})", "score.require[0]: "},
      {R"({"seeds":[{"by":"words"}],"score":{"pagerank":1}})", "score.pagerank: "},
      {with(R"("rank_constant":-1)"), "rank_constant"},
      {with(R"("fuse":"max")"), "fuse: 'max' is not one of sum, rrf, mmr"},
      {with(R"("lambda":2)"), "lambda: "},
      {with(R"("top":0)"), "top: 0 is not in 1..10000"},
      {with(R"("top":null)"), "top: a whole number"},
      {many + R"(],"score":{"words":1}})", "seeds: 17 are more than 16"},
      {std::string(tools::kMaxPlanBytes + 1, ' '), "65,536 bytes"},
  };
  for (const auto& [json, why] : plans) {
    const auto read = tools::PlanFromJson(json, graph->snapshot().schema(), kNoTime);
    ASSERT_FALSE(read) << json;
    EXPECT_EQ(read.error().code, ErrorCode::kInvalidArgument);
    EXPECT_TRUE(Says(read.error().message, why)) << json;
  }
}

// Memories with words, tags, times; m4 hides m1, m5 expired, m6 was removed.
class RetrieveMemories : public ProgramTest {
 protected:
  void SetUp() override {
    Import(
        R"({"node":"m1","kind":"memory","text":"Gateway remembers keys for a day"}
{"node":"m2","kind":"memory","text":"Gateway keys rotate","tags":["ops"],"retention":0.5}
{"node":"m2","created_at":1000}
{"node":"m3","kind":"concept","text":"Rotation of keys","created_at":86401000}
{"node":"m4","kind":"memory","text":"Gateway remembers keys for two days","tags":["ops"]}
{"node":"m5","kind":"memory","text":"Gateway keys are old","valid_until":5}
{"node":"m6","kind":"memory","text":"Gateway keys"}
{"edge":["m4","m1"],"kind":"supersedes"}
{"edge":["m2","m3"],"kind":"supports","weight":0.5}
)",
        {"--terms", "--now", "2000"});
    ASSERT_EQ(Run({"remove", "m6"}).code, 0);
  }
  std::string Found(const Words& more) const {
    const Words words = With({"retrieve", "gateway keys", "--now", "86402000"}, more);
    return Keys(Json(words));
  }
};

TEST_F(RetrieveMemories, ShowsWhatIsVisibleAndSelected) {
  EXPECT_EQ(Found({}), "m2, m4, m3");
  EXPECT_TRUE(Says(Found({"--include-superseded", "--top", "3"}), "m1"));
  EXPECT_EQ(Found({"--node-kinds", "concept"}), "m3");
  EXPECT_EQ(Found({"--where", "retention = 0.5"}), "m2");
  const auto filtered = [&](const std::string& filter) {
    return Found({"--plan", R"({"seeds":[{"by":"words"}],"expand":{"hops":1},)"
                            R"("score":{"words":1,"path":1},"filter":)" +
                                filter + "}"});
  };
  EXPECT_EQ(filtered(R"({"tags":["ops"]})"), "m2, m4");
  EXPECT_EQ(filtered(R"({"tags":["ops"],"node_kinds":["concept"]})"), "");
  EXPECT_EQ(filtered(R"({"since":1000,"until":1001})"), "m2");
  EXPECT_EQ(filtered(R"({"where":"retention < 1 or retention > 1"})"), "m2");
  ExpectReplies({{{"retrieve", "gateway", "--max-nodes", "1"}, "", "truncated", "true"},
                 {{"retrieve", "gateway", "--max-nodes", "1000"}, "", "truncated", "false"}});
}

TEST_F(RetrieveMemories, WhatIsRefused) {
  ExpectRefused({
      {{"retrieve"}, 2, "nothing for the plan's seeds: words, vector, keys"},
      {{"retrieve", "keys", "--plan", "duall"}, 3, "did you mean 'dual'?"},
      {{"retrieve", "keys", "--plan", R"({"seeds":[{"by":"word"}]})"},
       2,
       "--plan: seeds[0].by: 'word'"},
      {{"retrieve", "keys", "--plan", dir_.File("bad.json", "{\"top\":0}")}, 2, "bad.json: "},
      {{"retrieve", "keys", "--plan", dir_.File("words.txt", "hello")}, 2, "neither a plan"},
      {{"retrieve", "--vector", "[1,0]"}, 3, "no vectors"},
      {{"retrieve", "--plan", "multi-hop", "--from", "m2"}, 2, "score.require: similarity"},
      {{"retrieve", "--from", "nobody"}, 3, "nobody"},
      {{"retrieve", "--from", "m6"}, 3, "m6"},
      {{"retrieve", "--from", "m2=2"}, 2, "weight of key 'm2'"},
      {{"retrieve", "keys", "--top", "0"}, 2, "--top"},
      {{"retrieve", "keys", "--hops", "17"}, 2, "--hops"},
      {{"retrieve", "keys", "--kinds", "suports"}, 2, "suports"},
      {{"retrieve", "keys", "--space", "default"}, 2, "--vector"},
  });
}

}  // namespace
}  // namespace plexus::testing
