// The reader of questions with evidence, what it refuses, and the measures.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "bench/retrieval/dataset.h"
#include "bench/retrieval/systems.h"
#include "bench/retrieval/word_vectors.h"
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

TEST(RetrievalData, Ids) {
  const auto data = ParseRetrievalData(
      R"({"passage":"a","text":"one"}
{"passage":"b","text":"two"}
{"question":"who","id":"q7","evidence":["a"]}
{"question":"what","evidence":["a"]})");
  ASSERT_TRUE(data) << data.error().ToString();
  EXPECT_EQ(data->questions[0].id, "q7");
  EXPECT_EQ(data->questions[1].id, "what");
  int reported = 0;
  for (int i = 0; i < 1000; ++i)
    reported += IsReported({.text = "", .evidence = {}, .id = "q" + std::to_string(i)});
  EXPECT_NEAR(reported, 500, 60);
}

// Two words in 2 dimensions and one that is everywhere; the common part goes.
TEST(WordVectors, FrequentWordsAndTheCommonPartCountLittle) {
  const TempFolder folder("word_vectors");
  std::ofstream(folder / "words.txt") << "red\nblue\nthing\nunused\n";
  {
    std::ofstream rows(folder / "words.fvecs", std::ios::binary);
    for (const auto& row : {std::pair{1.0F, 0.1F}, {1.0F, -0.1F}, {1.0F, 0.0F}, {9.0F, 9.0F}}) {
      const std::int32_t dimensions = 2;
      rows.write(reinterpret_cast<const char*>(&dimensions), sizeof dimensions);
      rows.write(reinterpret_cast<const char*>(&row.first), sizeof(float));
      rows.write(reinterpret_cast<const char*>(&row.second), sizeof(float));
    }
  }
  RetrievalData data;
  for (const char* text : {"red thing thing", "blue thing thing", "thing thing thing"})
    data.passages.push_back({text, text});
  const auto words = WordVectors::Read(folder / "", data);
  ASSERT_TRUE(words) << words.error().ToString();
  EXPECT_EQ(words->dimensions(), 2u);
  EXPECT_TRUE(words->Of("nothing known").empty());
  const std::vector<float> red = words->Of("red"), blue = words->Of("blue");
  ASSERT_EQ(red.size(), 2u);
  EXPECT_NEAR(red[0] * red[0] + red[1] * red[1], 1, 1e-6);
  EXPECT_LT(red[0] * blue[0] + red[1] * blue[1], 0);  // 0.98 before the common part went
  std::ofstream(folder / "words.txt") << "red\nblue\nthing\nunused\none more\n";
  EXPECT_FALSE(WordVectors::Read(folder / "", data));
  EXPECT_FALSE(WordVectors::Read(folder / "nowhere", data));
}

TEST(RetrievalEval, Measures) {
  const Question question{"q", {3, 5}};
  Quality sum;
  const NodeId ranked[] = {9, 3, 1, 2, 4, 5};
  Count(sum, ranked, question);
  EXPECT_EQ(sum.recall[0], 0);
  EXPECT_EQ(sum.recall[1], 0.5);
  EXPECT_EQ(sum.recall[3], 0.5);
  EXPECT_EQ(sum.recall[4], 1);
  EXPECT_EQ(sum.mrr, 0.5);
  Count(sum, {}, question);
  EXPECT_EQ(sum.questions, 2u);
  EXPECT_EQ(sum.mrr, 0.5);
}

// Tuning goes up, and stops.
TEST(RetrievalEval, Tunes) {
  const auto value = [](const HybridSetting& setting) {
    return -std::abs(setting.pagerank - 0.25) - std::abs(setting.path - 0.5) -
           std::abs(setting.hops - 2) + static_cast<double>(setting.starts + setting.names) / 1000;
  };
  const HybridSetting best = Tune(value);
  EXPECT_EQ(best.pagerank, 0.25);
  EXPECT_EQ(best.path, 0.5);
  EXPECT_EQ(best.hops, 2);
  EXPECT_EQ(best.starts, 30u);
  EXPECT_EQ(best.vectors, 0u);
  EXPECT_EQ(best.names, 100u);
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
  EXPECT_GT(words.recall[1], 0.3);
  EXPECT_EQ(systems[6].name, "PageRank from BM25's hits");
  EXPECT_GT(Measure(snapshot, systems[6], asked).recall[3], words.recall[3]);
  EXPECT_EQ(systems.back().name, "default");
  EXPECT_GT(Measure(snapshot, systems.back(), asked).recall[2], words.recall[2]);  // of three
  EXPECT_EQ(FailedChecks(), 0);
}

}  // namespace
}  // namespace plexus::bench
