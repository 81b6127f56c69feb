// The reader of questions with evidence, what it refuses, and the measures.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bench/retrieval/dataset.h"
#include "bench/retrieval/systems.h"
#include "bench/support.h"

namespace plexus::bench {
namespace {

TEST(RetrievalData, Reads) {
  const auto data = ParseRetrievalData(
      R"({"question":"who","evidence":["b","a","b"]}
{"passage":"a","text":"one"}

{"passage":"b","text":"two","title":"Second"}
{"link":["b","a"],"weight":0.5})");
  ASSERT_TRUE(data) << data.error().ToString();
  ASSERT_EQ(data->passages.size(), 2u);
  EXPECT_EQ(data->passages[1].text, "Second. two");
  ASSERT_EQ(data->links.size(), 1u);
  EXPECT_EQ(data->links[0].source, 1u);
  EXPECT_EQ(data->links[0].weight, 0.5f);
  ASSERT_EQ(data->questions.size(), 1u);
  EXPECT_EQ(data->questions[0].evidence, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_TRUE(ParseRetrievalData("")->passages.empty());
}

TEST(RetrievalData, RefusesWithTheLine) {
  const auto refused = [](const std::string& lines, const std::string& why) {
    const auto data = ParseRetrievalData(lines);
    ASSERT_FALSE(data) << lines;
    EXPECT_NE(data.error().message.find(why), std::string::npos) << data.error().message;
  };
  refused("{", "line 1: ");
  refused("\n[]", "line 2: an object");
  refused(R"({"text":"a"})", "neither a passage");
  refused(R"({"passage":"a","txt":"a"})", "has no 'txt'");
  refused(R"({"passage":"","text":"a"})", "is empty");
  refused("{\"passage\":\"a\"}\n{\"passage\":\"a\"}", "line 2: passage 'a'");
  refused(R"({"link":["a"]})", "two ends");
  refused(R"({"link":["a","b"]})", "no passage 'a'");
  refused(R"({"link":["a","b"],"weight":0})", "(0, 1]");
  refused(R"({"question":"q"})", "evidence");
  refused(R"({"question":"q","evidence":[]})", "a list of ids");
  refused(R"({"question":"q","evidence":["x"]})", "line 1: no passage 'x'");
}

TEST(RetrievalEval, Measures) {
  const Question question{"q", {3, 5}};
  Quality sum;
  const NodeId ranked[] = {9, 3, 1, 2, 4, 5};
  Count(sum, ranked, question);
  EXPECT_EQ(sum.recall[0], 0.5);
  EXPECT_EQ(sum.recall[1], 0.5);
  EXPECT_EQ(sum.recall[2], 1);
  EXPECT_EQ(sum.mrr, 0.5);
  Count(sum, {}, question);
  EXPECT_EQ(sum.questions, 2u);
  EXPECT_EQ(sum.mrr, 0.5);
}

// What a question names is found by its words; the passage behind a link by walking there.
TEST(RetrievalEval, WalksFindLinkedEvidence) {
  const RetrievalData data = MakeRetrievalData(7, 120, 40);
  const auto graph = MakePassageGraph(data);
  const Snapshot snapshot = graph->snapshot();
  const std::vector<AskedQuestion> asked = TakeApart(snapshot, data.questions);
  const std::vector<RetrievalSystem> systems = FixedSystems();
  const Quality words = Measure(snapshot, systems[0], asked);
  EXPECT_EQ(words.questions, 40u);
  EXPECT_GT(words.recall[0], 0.3);
  EXPECT_EQ(systems[6].name, "PageRank from BM25's hits");
  EXPECT_GT(Measure(snapshot, systems[6], asked).recall[1], words.recall[1]);
  EXPECT_EQ(FailedChecks(), 0);
}

}  // namespace
}  // namespace plexus::bench
