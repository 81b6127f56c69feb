// recall --plan as a user runs it: the plan finds and ranks, recall adds its marks and the use.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/program/program_test.h"

namespace plexus::testing {
namespace {

using boost::json::object;

class RecallByPlan : public ProgramTest {
 protected:
  void SetUp() override {
    Import(
        R"({"node":"k1","kind":"memory","text":"Gateway remembers keys for 24 hours"}
{"node":"k2","kind":"memory","text":"Gateway remembers keys for 48 hours"}
{"node":"k3","kind":"memory","text":"Measured: gateway remembers keys for 36 hours"}
{"node":"k4","kind":"memory","text":"Gateway keys, as they were"}
{"node":"o1","kind":"memory","text":"Incident of third March"}
{"edge":["k1","k2"],"kind":"contradicts","weight":0.8}
{"edge":["k3","k4"],"kind":"supersedes"}
{"edge":["o1","k1"],"kind":"supports","weight":0.5}
{"vector":"k1","values":[1,0]}
{"vector":"k2","values":[0.6,0.8]}
{"vector":"o1","values":[0,1]}
)",
        {"--terms", "--now", "1700000000000"});
  }
  object Ask(Words more) const {
    const Words arguments = With({"recall", "gateway keys", "--now", "1700259200000"}, more);
    return Json(arguments);
  }
  static std::string Keys(const object& reply) { return Each(reply.at("hits")); }
};

// Scores, terms, walks and stages are those of `retrieve`.
TEST_F(RecallByPlan, FindsWhatThePlanFinds) {
  for (const char* plan : {"dual", "rerank", "recall", "rag"}) {
    const object recalled = Ask({"--plan", plan, "--vector", "[1,0]"});
    const object retrieved = Json({"retrieve", "gateway keys", "--now", "1700259200000", "--plan",
                                   plan, "--vector", "[1,0]"});
    EXPECT_EQ(recalled.at("plan").as_string(), plan);
    ASSERT_EQ(Keys(recalled), Keys(retrieved)) << plan;
    EXPECT_EQ(recalled.at("fuse"), retrieved.at("fuse"));
    EXPECT_EQ(recalled.at("stages"), retrieved.at("stages"));
    EXPECT_EQ(recalled.at("candidates"), retrieved.at("candidates"));
    EXPECT_EQ(recalled.at("without_vector"), retrieved.at("without_vector"));
    for (std::size_t i = 0; i < recalled.at("hits").as_array().size(); ++i) {
      const auto& hit = recalled.at("hits").at(i).as_object();
      const auto& plain = retrieved.at("hits").at(i).as_object();
      for (const char* same : {"score", "relevance", "found_by", "text"})
        EXPECT_EQ(hit.at(same), plain.at(same)) << plan << same;
      EXPECT_EQ(hit.contains("seed"), plain.contains("seed"));
      if (plain.contains("path")) {
        EXPECT_EQ(hit.at("walk"), plain.at("path"));
      }
    }
  }
}

TEST_F(RecallByPlan, AddsWhatRecallAdds) {
  const object reply = Ask({"--plan", "dual", "--vector", "[1,0]"});
  ASSERT_EQ(Keys(reply), "k1, k2, k3, o1");
  const auto& hits = reply.at("hits").as_array();
  EXPECT_EQ(hits[0].at("why"),
            "matches 2 of 2 words; similarity 1.00; written 3 days ago, never used; "
            "contradicted by k2");
  EXPECT_EQ(hits[0].at("contradicted_by").at(0), "k2");
  EXPECT_EQ(hits[0].at("related").as_array().size(), 2u);
  EXPECT_EQ(std::string(hits[3].at("why").as_string()).substr(0, 57),
            "matches 0 of 2 words; similarity 0.00; 1 hop from k1; wri");
  EXPECT_EQ(hits[3].at("seed"), "k1");
  EXPECT_EQ(hits[3].at("walk").as_array().size(), 1u);
  EXPECT_EQ(reply.at("conflicts").as_array().size(), 1u);
  EXPECT_EQ(Keys(Ask({"--plan", "dual", "--exclude-contradicted"})), "k3, o1");
  EXPECT_EQ(Ask({"--plan", "dual", "--exclude-contradicted"}).at("excluded"), 2);
  const object all = Ask({"--plan", "dual", "--include-superseded"});
  for (const auto& hit : all.at("hits").as_array())
    if (hit.at("key") == "k4") {
      EXPECT_EQ(hit.at("superseded_by"), "k3");
    }
  EXPECT_TRUE(Says(Keys(all), "k4"));
  EXPECT_TRUE(
      Ask({"--plan", "dual", "--hops", "0"}).at("hits").at(0).at("related").as_array().empty());
  // By a plan of one's own, as JSON in its place; --top and --kinds go before the plan's.
  const std::string own = R"({"seeds":[{"by":"words"}],"score":{"words":1},"top":2})";
  EXPECT_EQ(Keys(Ask({"--plan", own})), "k1, k2");
  EXPECT_EQ(Keys(Ask({"--plan", own, "--top", "1"})), "k1");
  EXPECT_EQ(Keys(Ask({"--plan", "dual", "--kinds", "contradicts"})), "k1, k2, k3");
  EXPECT_TRUE(Ask({"--plan", own, "--max-nodes", "1"}).at("truncated").as_bool());
  // Without a plan nothing says that there was one.
  EXPECT_FALSE(Ask({}).contains("plan"));
  EXPECT_FALSE(Ask({}).contains("stages"));
}

// What the request says of a plan's values is in place of its own.
TEST_F(RecallByPlan, TakesTheRequestsValues) {
  ASSERT_EQ(Run({"put", "k3", "--set", "accessed_at=1700259200000", "--set", "access_count=9",
                 "--tags", "fresh"})
                .code,
            0);
  always_ = {"--now", "1700259200000"};
  ExpectReplies({
      {{"recall", "gateway keys", "--plan", "dual", "--weight", "recency=1", "--half-life", "3d",
        "--top", "2"},
       "hits",
       "key score",
       "k3 1, k1 0.5"},
      {{"recall", "gateway keys", "--plan", "dual", "--weight", "frequency=1", "--full-count", "9",
        "--top", "1"},
       "hits",
       "key score",
       "k3 1"},
      {{"recall", "gateway keys", "--plan", "dual", "--weight", "scope=1", "--prefer-tags", "fresh",
        "--top", "1"},
       "hits",
       "key score",
       "k3 1"},
      {{"recall", "--plan", "dual", "--from", "o1", "--from-hops", "1", "--decay", "1", "--weight",
        "path=1"},
       "hits",
       "key score",
       "k1 0.5"},
      {{"recall", "gateway keys", "--plan", "dual", "--top", "0"}, "hits", "key", "k1, k2, k3, o1"},
  });
}

TEST_F(RecallByPlan, ShowsTermsWithoutAWeight) {
  const object reply = Ask(
      {"--plan", R"({"seeds":[{"by":"words"}],"score":{"words":1,"show":["outcome","scope"]}})"});
  const auto& terms = reply.at("hits").at(0).at("terms");
  EXPECT_EQ(Each(terms, "name"), "words, outcome");
  EXPECT_GT(terms.at(1).at("value").to_number<double>(), 0.5);
  EXPECT_EQ(terms.at(1).at("weight"), 0);
  ExpectRefused({{{"recall", "keys", "--plan",
                   R"({"seeds":[{"by":"words"}],"score":{"words":1,"show":["pagerank"]}})"},
                  2,
                  "score.pagerank: "}});
}

TEST_F(RecallByPlan, WritesTheUse) {
  const object dry = Ask({"--plan", "dual", "--dry-run", "--commit"});
  EXPECT_EQ(dry.at("use").at("memories"), 4);
  const object recorded = Ask({"--plan", "dual", "--top", "1", "--commit", "--record"});
  EXPECT_EQ(recorded.at("compositionWriteStatus"), "persisted");
  EXPECT_TRUE(recorded.at("use").at("committed").as_bool());
  EXPECT_TRUE(Says(std::string(Ask({"--plan", "dual"}).at("hits").at(0).at("why").as_string()),
                   "used just now, 1 time in all"));
}

TEST_F(RecallByPlan, WhatIsRefused) {
  const auto plan = [](const Words& more) {
    const Words words = With({"recall", "keys", "--plan", "dual"}, more);
    return words;
  };
  ExpectRefused({
      {plan({"--weight", "pagerank=1"}), 2, "it needs seeds by pagerank"},
      {plan({"--salience", "nosuch"}), 3, "no column of numbers 'nosuch'"},
      {plan({"--prefer-tags", "t"}), 3, "no memory has the tag 't'"},
      {plan({"--top", "10001"}), 2, "top: 10001 is not in 1..10000"},
      {{"recall", "keys", "--plan", "duall"}, 3, "did you mean 'dual'?"},
      {{"recall", "keys", "--plan", R"({"seeds":[{"by":"wrods"}]})"}, 2, "seeds[0].by: 'wrods'"},
      {{"recall", "--plan", "dual"}, 2, "recall what?"},
      {{"recall", "--plan", "rerank", "--from", "k1"}, 2, "nothing for the plan's seeds: vector"},
  });
}

}  // namespace
}  // namespace plexus::testing
