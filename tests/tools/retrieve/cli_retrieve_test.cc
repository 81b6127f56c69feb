// retrieve: the named plans, plans from JSON, what a reply says, and what is refused. A stored
// graph is opened again by every question.
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/retrieval/plan.h"
#include "engine/graph.h"
#include "tests/support/stored_graph.h"
#include "tools/operations/retrieve/plan_json.h"

namespace plexus::testing {
namespace {

using boost::json::object;

std::string Keys(const object& reply) {
  std::string keys;
  for (const auto& hit : reply.at("hits").as_array())
    keys += (keys.empty() ? "" : " ") + std::string(hit.as_object().at("key").as_string());
  return keys;
}
const object& Hit(const object& reply, std::size_t i) {
  return reply.at("hits").as_array()[i].as_object();
}
double Score(const object& reply, std::size_t i) { return Hit(reply, i).at("score").as_double(); }
double Term(const object& hit, std::string_view name) {
  for (const auto& term : hit.at("terms").as_array())
    if (term.as_object().at("name").as_string() == name)
      return term.as_object().at("value").to_number<double>();
  return -1;
}
// Times differ from run to run.
object WithoutTimes(object reply) {
  reply.erase("stage_ms");
  return reply;
}

// Turns and the edges that the builders of turns make of them.
class RetrieveTurns : public StoredGraph<RetrieveTurns> {
 protected:
  static void SetUpTestSuite() {
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
    edge("t5", "temporal", "t6", "1");
    edge("t2", "referential", "t1", "0.6");
    edge("t5", "referential", "t1", "0.8");
    edge("t5", "referential", "t2", "0.96");
    edge("t6", "referential", "t2", "0.8");
    edge("t6", "referential", "t5", "0.6");
    edge("t1", "categorical", "t5", "0.8");
    edge("t3", "categorical", "t5", "0.6");
    edge("t5", "causal", "t1", "0.7");
    edge("t5", "trajectory", "t6", "0.7");
    lines +=
        "{\"vector\":\"t1\",\"values\":[1,0]}\n"
        "{\"vector\":\"t2\",\"values\":[0.6,0.8]}\n"
        "{\"vector\":\"t3\",\"values\":[0,1]}\n"
        "{\"vector\":\"t5\",\"values\":[0.8,0.6]}\n"
        "{\"vector\":\"t6\",\"values\":[0,1]}\n";
    Import(lines);
  }
};

// --rank-constant K: the sum over the terms of weight / (K + rank), whatever the plan fuses by; 60
// is rrf's own.
TEST_F(RetrieveTurns, RankConstant) {
  const std::vector<std::string> words = {"retrieve", "--plan", "rerank", "--vector", "[1, 0]"};
  for (const double k : {0.0, 10.0, 60.0}) {
    std::vector<std::string> asked = words;
    asked.insert(asked.end(), {"--rank-constant", std::to_string(k)});
    const object reply = Json(asked);
    EXPECT_EQ(reply.at("fuse").as_string(), "rrf");
    ASSERT_FALSE(reply.at("hits").as_array().empty());
    for (const auto& hit : reply.at("hits").as_array()) {
      double score = 0;
      for (const auto& term : hit.at("terms").as_array())
        if (const auto* rank = term.as_object().if_contains("rank"))
          score += term.at("weight").to_number<double>() / (k + rank->to_number<double>());
      EXPECT_NEAR(hit.at("score").to_number<double>(), score, 1e-12);
    }
    if (k != 60) continue;
    const object plan = Json(
        {"retrieve", "--vector", "[1, 0]", "--plan",
         R"({"seeds":[{"by":"vector","per_hit":3}],"score":{"similarity":0.7,"graph":0.3},)"
         R"("fuse":"rrf"})"});
    EXPECT_EQ(serialize(plan.at("hits")), serialize(reply.at("hits")));
  }
}

TEST_F(RetrieveTurns, Rerank) {
  const object reply = Json({"retrieve", "--plan", "rerank", "--vector", "[1,0]", "--top", "2"});
  EXPECT_EQ(Keys(reply), "t1 t5");
  EXPECT_NEAR(Score(reply, 0), 0.889137, 1e-6);
  EXPECT_NEAR(Score(reply, 1), 0.86, 1e-6);
  EXPECT_EQ(reply.at("candidates").as_int64(), 5);
  EXPECT_EQ(reply.at("plan").as_string(), "rerank");
  EXPECT_EQ(Term(Hit(reply, 1), "graph"), 1);
  EXPECT_NEAR(Term(Hit(reply, 1), "similarity"), 0.8, 1e-6);
  const auto& stages = reply.at("stages").as_array();
  ASSERT_EQ(stages.size(), 5u);
  EXPECT_EQ(stages[1].as_object().at("stage").as_string(), "vector");
  EXPECT_EQ(stages[1].as_object().at("kept").as_int64(), 5);
  EXPECT_EQ(reply.at("stage_ms").as_array().size(), stages.size());
}

TEST_F(RetrieveTurns, MultiHop) {
  const std::vector<std::string> ask = {"retrieve", "--plan",   "multi-hop", "--from",
                                        "t1",       "--kinds",  "temporal",  "--hops",
                                        "3",        "--vector", "[0,1]"};
  const object reply = Json(ask);
  EXPECT_EQ(Keys(reply), "t2 t3");
  EXPECT_NEAR(Score(reply, 0), 0.873442631, 1e-6);
  EXPECT_NEAR(Score(reply, 1), 0.796721315, 1e-6);
  EXPECT_EQ(reply.at("without_vector").as_int64(), 1);
  EXPECT_EQ(Hit(reply, 1).at("hops").as_int64(), 2);
  EXPECT_EQ(Hit(reply, 1).at("seed").as_string(), "t1");
  EXPECT_EQ(Hit(reply, 1).at("path").as_array().size(), 2u);
  // The same at any number of threads.
  for (const char* threads : {"1", "2"}) {
    std::vector<std::string> again = ask;
    again.insert(again.end(), {"--threads", threads});
    EXPECT_EQ(WithoutTimes(Json(again)), WithoutTimes(reply));
  }
}

TEST_F(RetrieveTurns, RagWalksFromItsHits) {
  const std::vector<std::string> ask = {"retrieve", "--plan", "rag", "--vector",
                                        "[1,0]",    "--top",  "2"};
  EXPECT_EQ(Keys(Json(ask)), "t1 t5");
  std::vector<std::string> walks = ask;
  walks.insert(walks.end(), {"--hops", "1"});
  const object reply = Json(walks);
  EXPECT_EQ(reply.at("candidates").as_int64(), 5);  // t1, t5, and t2, t3, t6 beside them
  EXPECT_EQ(reply.at("stages").as_array().size(), 8u);
}

TEST_F(RetrieveTurns, DualByDefault) {
  const object reply = Json({"retrieve", "--vector", "-"}, {.input = "1 0"});
  EXPECT_EQ(reply.at("plan").as_string(), "dual");
  EXPECT_EQ(Keys(reply).substr(0, 2), "t1");
  EXPECT_EQ(reply.at("candidates").as_int64(), 6);  // t4 is reached, t7 is not
}

TEST_F(RetrieveTurns, PlansAsJson) {
  const std::string plan =
      R"({"seeds":[{"by":"vector","per_hit":3}],"score":{"similarity":0.7,"graph":0.3},"top":2})";
  const object named = Json({"retrieve", "--plan", "rerank", "--vector", "[1,0]", "--top", "2"});
  const std::string file = dir_->File("plan.json", "\n " + plan);
  for (const std::string& given : {plan, file}) {
    const object reply = Json({"retrieve", "--plan", given, "--vector", "[1,0]"});
    EXPECT_EQ(reply.at("hits"), named.at("hits"));
  }
  EXPECT_EQ(Json({"retrieve", "--plan", "-", "--vector", "[1,0]"}, {.input = plan}).at("hits"),
            named.at("hits"));
  // Diversity: the two of one direction do not come side by side.
  const object diverse =
      Json({"retrieve", "--plan",
            R"({"seeds":[{"by":"vector"}],"score":{"similarity":1},"fuse":"mmr","lambda":0.5})",
            "--vector", "[1,3]"});
  EXPECT_EQ(diverse.at("fuse").as_string(), "mmr");
  EXPECT_EQ(Keys(diverse).substr(0, 2), "t2");
}

// The table of names says in JSON what it says as structs.
TEST(RetrievePlans, NamedPlansAreTheirJson) {
  const auto graph = Graph::InMemory();
  for (const NamedPlan& named : NamedPlans()) {
    const auto read = tools::PlanFromJson(named.json, graph->snapshot().schema(), kNoTime);
    ASSERT_TRUE(read) << named.name << ": " << read.error().ToString();
    ASSERT_EQ(read->seeds.size(), named.plan.seeds.size()) << named.name;
    for (std::size_t i = 0; i < read->seeds.size(); ++i) {
      EXPECT_EQ(read->seeds[i].by, named.plan.seeds[i].by);
      EXPECT_EQ(read->seeds[i].top, named.plan.seeds[i].top);
      EXPECT_EQ(read->seeds[i].per_hit, named.plan.seeds[i].per_hit);
      EXPECT_EQ(read->seeds[i].keep, named.plan.seeds[i].keep);
    }
    EXPECT_EQ(read->expand.hops, named.plan.expand.hops) << named.name;
    EXPECT_EQ(read->expand.direction, named.plan.expand.direction);
    EXPECT_EQ(read->expand.decay, named.plan.expand.decay);
    EXPECT_EQ(read->expand.from_hits, named.plan.expand.from_hits);
    EXPECT_EQ(read->score.weights, named.plan.score.weights);
    EXPECT_EQ(read->score.required, named.plan.score.required);
    EXPECT_EQ(read->fuse, named.plan.fuse);
    EXPECT_EQ(read->top, named.plan.top);
  }
}

TEST(RetrievePlans, BadPlansNameThePlace) {
  const auto graph = Graph::InMemory();
  const auto refused = [&](const std::string& json, const std::string& why) {
    const auto read = tools::PlanFromJson(json, graph->snapshot().schema(), kNoTime);
    ASSERT_FALSE(read) << json;
    EXPECT_EQ(read.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(read.error().message.find(why), std::string::npos) << json << "\n"
                                                                 << read.error().message;
  };
  const auto with = [](const std::string& member) {
    return R"({"seeds":[{"by":"words"}],"score":{"words":1},)" + member + "}";
  };
  refused("", "");
  refused("[]", "an object is wanted");
  refused("{", "");
  refused("{}", "seeds: ");
  refused(R"({"seed":[]})", "seed: no such member; did you mean 'seeds'?");
  refused(R"({"seeds":{}})", "seeds: a list is wanted, not");
  refused(R"({"seeds":[1]})", "seeds[0]: an object is wanted");
  refused(R"({"seeds":[{"top":3}]})", "seeds[0]: it has no \"by\"");
  refused(R"({"seeds":[{"by":"vektor"}]})",
          "seeds[0].by: 'vektor' is not one of vector, words, keys, pagerank; did you mean");
  refused(R"({"seeds":[{"by":"words"},{"by":"words","topp":1}]})", "seeds[1].topp: no such member");
  refused(R"({"seeds":[{"by":"words","top":1.5}]})", "seeds[0].top: a whole number");
  refused(R"({"seeds":[{"by":"words","top":-1}]})", "seeds[0].top: a whole number");
  refused(R"({"seeds":[{"by":"words","top":0}]})", "seeds[0].top: 0 is not in 1..10000");
  refused(R"({"seeds":[{"by":"words","keep":1}]})", "seeds[0].keep: true or false");
  refused(R"({"seeds":[{"by":"vector","space":"s"}]})", "seeds[0].space: no vector space 's'");
  refused(R"({"seeds":[{"by":"words"}],"seeds":[]})", "seeds");
  refused(with(R"("expand":{"hops":17})"), "expand.hops: 17 is more than 16");
  refused(with(R"("expand":{"direction":"up"})"), "expand.direction: ");
  refused(with(R"("expand":{"decay":0})"), "expand.decay: ");
  refused(with(R"("expand":{"decay":1e999})"), "");
  refused(with(R"("expand":{"kinds":["suports"]})"), "expand.kinds[0]: ");
  refused(with(R"("expand":{"kinds":["supports",3]})"), "expand.kinds[1]: a text is wanted");
  refused(with(R"("expand":{"from":"there"})"), "expand.from: ");
  refused(with(R"("expand":{"top":100001})"), "expand.top: 100001");
  refused(with(R"("filter":{"node_kinds":["memori"]})"),
          "filter.node_kinds[0]: no node kind 'memori'; did you mean 'memory'?");
  refused(with(R"("filter":{"tags":"a"})"), "filter.tags: a list is wanted");
  refused(with(R"("filter":{"tags":[""]})"), "filter.tags[0]: it is empty");
  refused(with(R"("filter":{"since":"yesterday"})"), "filter.since: ");
  refused(with(R"("filter":{"until":1.5})"), "filter.until: ");
  refused(with(R"("filter":{"where":"trust >"})"), "filter.where: ");
  refused(R"({"seeds":[{"by":"words"}],"score":{"wrods":1}})", "score.wrods: no such member");
  refused(R"({"seeds":[{"by":"words"}],"score":{"words":-1}})", "score.words: ");
  refused(R"({"seeds":[{"by":"words"}],"score":{"words":"1"}})", "score.words: a number is wanted");
  refused(R"({"seeds":[{"by":"words"}],"score":{"words":1,"require":["x"]}})",
          "score.require[0]: ");
  refused(R"({"seeds":[{"by":"words"}],"score":{"pagerank":1}})", "score.pagerank: ");
  refused(with(R"("rank_constant":-1)"), "rank_constant");
  refused(with(R"("fuse":"max")"), "fuse: 'max' is not one of sum, rrf, mmr");
  refused(with(R"("lambda":2)"), "lambda: ");
  refused(with(R"("top":0)"), "top: 0 is not in 1..10000");
  refused(with(R"("top":null)"), "top: a whole number");
  std::string many = R"({"seeds":[)";
  for (int i = 0; i < 17; ++i) many += std::string(i ? "," : "") + R"({"by":"words"})";
  refused(many + R"(],"score":{"words":1}})", "seeds: 17 are more than 16");
  refused(std::string(tools::kMaxPlanBytes + 1, ' '), "65,536 bytes");
}

// Memories with words, tags, times, outcomes; m4 hides m1, m5 expired, m6 was removed.
class RetrieveMemories : public StoredGraph<RetrieveMemories> {
 protected:
  static void SetUpTestSuite() {
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
{"event":"c1","tool":"t","created_at":10,"members":[{"id":"m2","role":"primary","rank":0}]}
{"outcome":"c1","type":"helpful","source":"user","labeled_at":11}
)",
        {"--terms", "--now", "2000"});
    ASSERT_EQ(Run({"remove", "m6"}).code, 0);
  }
  static object Ask(std::vector<std::string> more) {
    std::vector<std::string> arguments = {"retrieve", "gateway keys", "--now", "86402000"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Json(arguments);
  }
};

TEST_F(RetrieveMemories, ShowsWhatIsVisible) {
  const object reply = Ask({});
  EXPECT_EQ(Keys(reply), "m2 m4 m3");
  EXPECT_EQ(Hit(reply, 0).at("found_by").as_array()[0].as_string(), "words");
  EXPECT_EQ(Keys(Ask({"--include-superseded", "--top", "3"})).find("m1") != std::string::npos,
            true);
  EXPECT_EQ(Keys(Ask({"--node-kinds", "concept"})), "m3");
  EXPECT_EQ(Keys(Ask({"--where", "retention = 0.5"})), "m2");
}

TEST_F(RetrieveMemories, FiltersOfAPlan) {
  const auto plan = [](const std::string& filter) {
    return R"({"seeds":[{"by":"words"}],"expand":{"hops":1},)"
           R"("score":{"words":1,"path":1},"filter":)" +
           filter + "}";
  };
  EXPECT_EQ(Keys(Ask({"--plan", plan(R"({"tags":["ops"]})")})), "m2 m4");
  EXPECT_EQ(Keys(Ask({"--plan", plan(R"({"tags":["ops"],"node_kinds":["concept"]})")})), "");
  EXPECT_EQ(Keys(Ask({"--plan", plan(R"({"since":1000,"until":1001})")})), "m2");
  EXPECT_EQ(Keys(Ask({"--plan", plan(R"({"where":"retention < 1 or retention > 1"})")})), "m2");
}

TEST_F(RetrieveMemories, AgeSalienceAndOutcome) {
  const object reply = Ask(
      {"--plan", R"({"seeds":[{"by":"words"}],"score":{"words":1,"age":1,"salience":1,"outcome":1,)"
                 R"("half_life_days":1}})"});
  ASSERT_EQ(Hit(reply, 0).at("key").as_string(), "m2");
  EXPECT_NEAR(Term(Hit(reply, 0), "age"), 0.5, 1e-4);
  EXPECT_EQ(Term(Hit(reply, 0), "salience"), 0.5);
  EXPECT_NEAR(Term(Hit(reply, 0), "outcome"), (0.25 + 0.8) / 1.3, 1e-12);
  for (const auto& hit : reply.at("hits").as_array())
    if (hit.as_object().at("key").as_string() == "m3") {
      EXPECT_NEAR(Term(hit.as_object(), "outcome"), 0.8 / 1.3, 1e-12);
    }
}

TEST_F(RetrieveMemories, Budgets) {
  const object reply = Ask({"--max-nodes", "1"});
  EXPECT_TRUE(reply.at("truncated").as_bool());
  EXPECT_FALSE(Ask({"--max-nodes", "1000"}).at("truncated").as_bool());
}

TEST_F(RetrieveMemories, WhatIsRefused) {
  const auto refused = [](std::vector<std::string> more, int code, const std::string& why) {
    std::vector<std::string> arguments = {"retrieve"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished run = Run(arguments);
    EXPECT_EQ(run.code, code) << run.err;
    EXPECT_NE(run.err.find(why), std::string::npos) << run.err;
  };
  refused({}, 2, "nothing for the plan's seeds: words, vector, keys");
  refused({"keys", "--plan", "duall"}, 3, "did you mean 'dual'?");
  refused({"keys", "--plan", "{\"seeds\":[{\"by\":\"word\"}]}"}, 2, "--plan: seeds[0].by: 'word'");
  const std::string file = dir_->File("bad.json", "{\"top\":0}");
  refused({"keys", "--plan", file}, 2, "bad.json: ");
  refused({"keys", "--plan", dir_->File("words.txt", "hello")}, 2, "neither a plan");
  refused({"--vector", "[1,0]"}, 3, "no vectors");
  refused({"--plan", "multi-hop", "--from", "m2"}, 2, "score.require: similarity");
  refused({"--from", "nobody"}, 3, "nobody");
  refused({"--from", "m6"}, 3, "m6");
  refused({"--from", "m2=2"}, 2, "weight of key 'm2'");
  refused({"keys", "--top", "0"}, 2, "--top");
  refused({"keys", "--hops", "17"}, 2, "--hops");
  refused({"keys", "--kinds", "suports"}, 2, "suports");
  refused({"keys", "--space", "default"}, 2, "--vector");
}

}  // namespace
}  // namespace plexus::testing
