// rerank, and raw vector files through import: the shapes of replies, what is
// left out, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "tests/support/stored_graph.h"

namespace plexus::testing {
namespace {

using boost::json::array;
using boost::json::object;

// a is most like (1, 0); b hangs together with c and d; old is hidden by a; x has no
// vector; f is of another scope.
class Rerank : public StoredGraph<Rerank> {
 protected:
  static void SetUpTestSuite() {
    const std::string lines = R"({"vector":"a","values":[1,0]})"
                              "\n"
                              R"({"vector":"b","values":[3,4]})"
                              "\n"
                              R"({"vector":"c","values":[0,1]})"
                              "\n"
                              R"({"vector":"d","values":[-1,0]})"
                              "\n"
                              R"({"vector":"old","values":[2,0]})"
                              "\n"
                              R"({"vector":"f","values":[1,1]})"
                              "\n"
                              R"({"node":"f","scope":"other"})"
                              "\n"
                              R"({"node":"x"})"
                              "\n"
                              R"({"edge":["a","old"],"kind":"supersedes"})"
                              "\n"
                              R"({"edge":["b","c"],"kind":"supports","weight":0.75})"
                              "\n"
                              R"({"edge":["d","b"],"kind":"causes","weight":0.25})"
                              "\n";
    Import(lines);
  }
  static std::string Keys(const object& reply) {
    std::string keys;
    for (const auto& row : reply.at("results").as_array())
      keys += (keys.empty() ? "" : " ") + std::string(row.as_object().at("key").as_string());
    return keys;
  }
  static double Of(const object& reply, std::size_t row, const char* name) {
    return reply.at("results").as_array()[row].as_object().at(name).to_number<double>();
  }
};

TEST_F(Rerank, FusesSimilarityAndGraph) {
  const std::string query = dir_->File("query.txt", "[1, 0]");
  const object reply = Json({"rerank", "--vector", query, "--k", "10", "--graph-boost", "0.5"});
  // degrees among a b c d f: 0 1 0.75 0.25 0
  EXPECT_EQ(Keys(reply), "b a c f d");
  EXPECT_DOUBLE_EQ(Of(reply, 0, "score"), 0.5 * 0.6 + 0.5);
  EXPECT_DOUBLE_EQ(Of(reply, 0, "similarity"), 0.6);
  EXPECT_DOUBLE_EQ(Of(reply, 0, "graph"), 1);
  EXPECT_DOUBLE_EQ(Of(reply, 1, "score"), 0.5);
  EXPECT_DOUBLE_EQ(Of(reply, 2, "graph"), 0.75);
  EXPECT_DOUBLE_EQ(Of(reply, 2, "degree"), 0.75);
  EXPECT_EQ(reply.at("total").as_int64(), 5);
  EXPECT_EQ(reply.at("metric").as_string(), "cosine");
  EXPECT_EQ(Keys(Json({"rerank", "--vector", query, "--graph-boost", "0"})), "a f b c d");
  EXPECT_EQ(Keys(Json({"rerank", "--vector", query, "--graph-boost", "0", "--k", "2"})), "a f");
  EXPECT_EQ(Keys(Json({"rerank", "--vector", query, "--graph-boost", "0.5", "--top", "2"})), "b a");
  EXPECT_EQ(Keys(Json({"rerank", "--vector", "-", "--graph-boost", "0"}, {.input = "0,1"})),
            "c b f a d");
  EXPECT_EQ(Keys(Json({"rerank", "--vector", query, "--graph-boost", "1", "--kinds", "causes"})),
            "b d a c f");
  const object unit =
      Json({"rerank", "--vector", query, "--graph-boost", "0", "--unit-similarity"});
  EXPECT_EQ(Of(unit, 4, "score"), 0);
  EXPECT_EQ(Of(unit, 4, "measure"), -1);
  const object l2 = Json({"rerank", "--vector", query, "--graph-boost", "0", "--metric", "l2"});
  EXPECT_EQ(Of(l2, 1, "measure"), 1);
  EXPECT_EQ(Of(l2, 1, "similarity"), 0.5);
  EXPECT_EQ(Run({"rerank", "--vector", query}).code, 0);
}

// d points away from the question: its cosine of -1 counts as it is in both.
TEST_F(Rerank, ThePlanOfThatNameScoresAsTheCommand) {
  const object command = Json({"rerank", "--vector", "[1,0]", "--k", "15", "--top", "5"}),
               plan = Json({"retrieve", "--plan", "rerank", "--vector", "[1,0]", "--top", "5"});
  const array& hits = plan.at("hits").as_array();
  ASSERT_EQ(hits.size(), 5u);
  for (std::size_t row = 0; row < hits.size(); ++row) {
    EXPECT_EQ(command.at("results").at(row).at("key"), hits[row].at("key")) << row;
    EXPECT_NEAR(Of(command, row, "score"), hits[row].at("score").to_number<double>(), 1e-12) << row;
  }
  EXPECT_LT(Of(command, hits.size() - 1, "score"), -0.5);
}

TEST_F(Rerank, LikeANodeLeavesItOut) {
  EXPECT_EQ(Keys(Json({"rerank", "--like", "b", "--graph-boost", "0"})), "f c a d");
  EXPECT_EQ(Keys(Json({"rerank", "--like", "a", "--graph-boost", "0", "--include-superseded", "--k",
                       "1"})),
            "old");
  EXPECT_EQ(Keys(Json({"rerank", "--like", "a", "--graph-boost", "0", "--scope", "other"})), "f");
  EXPECT_EQ(Run({"rerank", "--like", "x"}).code, 3);
  EXPECT_EQ(Run({"rerank", "--like", "nobody"}).code, 3);
}

TEST_F(Rerank, NamedCandidates) {
  const std::string file = dir_->File("candidates.txt", "c\r\nb\n\nx\nold\nb\n");
  const object reply = Json({"rerank", "--like", "b", "--candidates", file, "--graph-boost", "0"});
  EXPECT_EQ(Keys(reply), "b c");  // named, so the node itself counts
  EXPECT_EQ(reply.at("without_vector").as_int64(), 1);
  EXPECT_EQ(reply.at("left_out").as_int64(), 1);
  const Finished told = Run({"rerank", "--like", "b", "--candidates", file});
  EXPECT_EQ(told.code, 0);
  EXPECT_NE(told.err.find("have no vector"), std::string::npos) << told.err;
  const std::string bad = dir_->File("bad.txt", "a\nnobody\n");
  const Finished unknown = Run({"rerank", "--like", "b", "--candidates", bad});
  EXPECT_EQ(unknown.code, 3);
  EXPECT_NE(unknown.err.find("bad.txt:2: "), std::string::npos) << unknown.err;
  EXPECT_EQ(Keys(Json({"rerank", "--like", "b", "--candidates", "-"}, {.input = ""})), "");
}

TEST_F(Rerank, RefusesWhatItCannotDo) {
  const std::string query = dir_->File("query.txt", "[1, 0]");
  EXPECT_EQ(Run({"rerank"}).code, 2);
  EXPECT_EQ(Run({"rerank", "--vector", query, "--like", "a"}).code, 2);
  EXPECT_EQ(Run({"rerank", "--like", "a", "--k", "3", "--candidates", query}).code, 2);
  EXPECT_EQ(Run({"rerank", "--like", "a", "--k", "0"}).code, 2);
  EXPECT_EQ(Run({"rerank", "--like", "a", "--graph-boost", "1.5"}).code, 2);
  EXPECT_EQ(Run({"rerank", "--like", "a", "--metric", "ip", "--unit-similarity"}).code, 2);
  EXPECT_EQ(Run({"rerank", "--like", "a", "--metric", "cos"}).code, 2);
  EXPECT_EQ(Run({"rerank", "--like", "a", "--space", "none"}).code, 3);
  EXPECT_EQ(Run({"rerank", "--vector", *dir_ / "missing"}).code, 3);
  EXPECT_EQ(Run({"rerank", "--vector", "-"}, {.input = "1 2 3"}).code, 2);
  EXPECT_EQ(Run({"rerank", "--vector", "-"}, {.input = "1 nan"}).code, 2);
}

TEST_F(Rerank, SameBytesWithAnyNumberOfThreads) {
  const Finished one = Run({"rerank", "--like", "a", "--json", "--threads", "1"});
  EXPECT_EQ(one.out, Run({"rerank", "--like", "a", "--json", "--threads", "3"}).out);
}

TEST(ImportVectorFiles, KeysSpacesAndRefusals) {
  const TempDir dir;
  const std::string db = dir / "g";
  const float values[] = {1, 0, 0.5f, 0.5f};
  const std::string_view raw(reinterpret_cast<const char*>(values), sizeof values);
  const std::string file = dir.File("v.f32", raw), keys = dir.File("keys.txt", "one\ntwo\n");
  const Finished run = Plexus({"import", "--db", db, file, "--dimensions", "2", "--keys", keys,
                               "--space", "words", "--metric", "ip", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.Json().at("vectors").as_int64(), 2);
  EXPECT_EQ(run.Json().at("nodes").as_object().at("new").as_int64(), 2);
  const Finished asked =
      Plexus({"rerank", "--db", db, "--like", "one", "--json"});  // the only space
  ASSERT_EQ(asked.code, 0) << asked.err;
  EXPECT_EQ(asked.Json().at("metric").as_string(), "ip");
  EXPECT_EQ(asked.Json().at("results").as_array()[0].as_object().at("key").as_string(), "two");
  // By row number, from standard input.
  const Finished numbered =
      Plexus({"import", "--db", dir / "n", "-", "--format", "f32", "--dimensions", "4"},
             {.input = std::string(raw)});
  ASSERT_EQ(numbered.code, 0) << numbered.err;
  EXPECT_EQ(Plexus({"get", "--db", dir / "n", "0"}).code, 0);
  // A bad file changes nothing and ends with 1.
  const Finished before = Plexus({"export", "--db", db, "--format", "jsonl"});
  const Finished cut = Plexus(
      {"import", "--db", db, "--format", "f32", "--dimensions", "3", "--space", "words", file});
  EXPECT_EQ(cut.code, 1);
  EXPECT_NE(cut.err.find("no whole number of rows"), std::string::npos) << cut.err;
  const Finished mismatch =
      Plexus({"import", "--db", db, "--dimensions", "4", "--space", "words", file});
  EXPECT_EQ(mismatch.code, 1);
  EXPECT_NE(mismatch.err.find("space 'words' has 2 dimensions"), std::string::npos) << mismatch.err;
  EXPECT_EQ(Plexus({"export", "--db", db, "--format", "jsonl"}).out, before.out);
  EXPECT_EQ(Plexus({"import", "--db", db, file, file, "--format", "f32", "--dimensions", "2"}).code,
            2);
  EXPECT_EQ(
      Plexus({"import", "--db", db, dir.File("e.csv", "source,target\na,b\n"), "--keys", keys})
          .code,
      2);
  EXPECT_EQ(Plexus({"import", "--db", db, file, "--dimensions", "2", "--keys", dir / "none"}).code,
            3);
}

// 600 vectors on a circle; with 4 times 10 measured, what bits rank first is not all of them.
TEST(Prefilters, ChosenWhenASpaceIsMadeAndByAQuestion) {
  const TempDir dir;
  const std::string db = dir / "g";
  std::vector<float> values;
  for (int i = 0; i < 600; ++i) {
    values.push_back(std::cos(0.01f * static_cast<float>(i)));
    values.push_back(std::sin(0.01f * static_cast<float>(i)));
  }
  const std::string file = dir.File(
      "v.f32", {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
  const Finished made = Plexus(
      {"import", "--db", db, file, "--dimensions", "2", "--space", "s", "--prefilter", "bits"});
  ASSERT_EQ(made.code, 0) << made.err;
  const auto space = [&] {
    return Plexus({"kinds", "--db", db, "--json"}).Json().at("spaces").as_array()[0].as_object();
  };
  EXPECT_EQ(space().at("prefilter").as_string(), "bits");
  EXPECT_EQ(space().at("vectors").as_int64(), 600);
  EXPECT_NE(Plexus({"kinds", "--db", db}).out.find("bits"), std::string::npos);
  const auto ask = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {
        "rerank", "--db",          db, "--vector", dir.File("q", "[1, 0]"), "--k",
        "10",     "--graph-boost", "0"};
    words.insert(words.end(), more.begin(), more.end());
    return Plexus(words);
  };
  const auto proven = [&](std::vector<std::string> more) {
    more.push_back("--json");
    return ask(std::move(more)).Json().at("proven").as_bool();
  };
  EXPECT_FALSE(proven({"--oversample", "4"}));
  EXPECT_FALSE(proven({"--oversample", "4", "--prefilter", "bits"}));
  EXPECT_TRUE(proven({})) << "320 of 600 are more than a quarter";
  EXPECT_TRUE(proven({"--prefilter", "none"}));
  EXPECT_TRUE(proven({"--prefilter", "int8"}));
  EXPECT_EQ(ask({"--prefilter", "int8", "--json"}).out, ask({"--prefilter", "none", "--json"}).out);
  EXPECT_NE(ask({"--oversample", "4"})
                .out.find("not proven: a nearer vector may be missing; "
                          "--prefilter none misses none"),
            std::string::npos);
  EXPECT_EQ(ask({"--oversample", "0"}).code, 2);
  EXPECT_EQ(ask({"--prefilter", "f16"}).code, 2);
  EXPECT_EQ(ask({"--prefilter", "int8", "--oversample", "4"}).code, 2);
  const auto plan = [&](const char* prefilter) {
    return Plexus({"retrieve", "--db", db, "--vector", dir.File("q", "[1, 0]"), "--plan",
                   R"({"seeds":[{"by":"vector","top":10}],"score":{"similarity":1}})",
                   "--prefilter", prefilter, "--json"});
  };
  EXPECT_TRUE(plan("int8").Json().at("proven").as_bool());
  EXPECT_EQ(Plexus({"retrieve", "--db", db, "x", "--prefilter", "int8"}).code, 2);
  // Another choice for the space, and a choice without vectors, are refused.
  const Finished other = Plexus(
      {"import", "--db", db, file, "--dimensions", "2", "--space", "s", "--prefilter", "none"});
  EXPECT_NE(other.code, 0);
  EXPECT_NE(other.err.find("space 's' has the pre-filter bits, not none"), std::string::npos);
  EXPECT_EQ(space().at("prefilter").as_string(), "bits");
  EXPECT_EQ(Plexus({"import", "--db", db, dir.File("e.csv", "source,target\na,b\n"), "--prefilter",
                    "int8"})
                .code,
            2);
}

// A space of halves: made by import and embed, shown by kinds, kept, and refused where it does not
// fit.
TEST(Elements, ChosenWhenASpaceIsMade) {
  const TempDir dir;
  const std::string db = dir / "g";
  const float values[] = {0.1f, 1, 2049, -3};
  const auto file = [&](const char* name, std::span<const float> floats) {
    return dir.File(name, {reinterpret_cast<const char*>(floats.data()), floats.size_bytes()});
  };
  const std::string good = file("v.f32", values);
  const auto import = [&](const std::string& from, std::vector<std::string> more) {
    std::vector<std::string> words = {"import", "--db", db, from, "--dimensions", "2"};
    words.insert(words.end(), more.begin(), more.end());
    return Plexus(words);
  };
  ASSERT_EQ(import(good, {"--element", "f16"}).code, 0);
  const auto element = [&](std::size_t i) {
    const auto spaces = Plexus({"kinds", "--db", db, "--json"}).Json().at("spaces");
    return std::string(spaces.as_array().at(i).at("element").as_string());
  };
  EXPECT_EQ(element(0), "f16");
  EXPECT_NE(Plexus({"kinds", "--db", db}).out.find("f16"), std::string::npos);
  const std::string lines = Plexus({"export", "--db", db}).out;
  EXPECT_NE(lines.find("\"element\":\"f16\""), std::string::npos) << lines;
  EXPECT_NE(lines.find("[2048,-3]"), std::string::npos) << lines;
  const Finished asked = Plexus({"rerank", "--db", db, "--vector", dir.File("q", "[2048, -3]"),
                                 "--k", "1", "--graph-boost", "0", "--json"});
  EXPECT_NE(asked.out.find("\"similarity\":1"), std::string::npos) << asked.out;
  // The same again is no change; another element and what does not fit are refused.
  EXPECT_EQ(import(good, {}).code, 0);
  const Finished other = import(good, {"--element", "f32"});
  EXPECT_NE(other.code, 0);
  EXPECT_NE(other.err.find("space 'default' has f16 values, not f32"), std::string::npos)
      << other.err;
  const float large[] = {1, 65520};
  const Finished refused = import(file("l.f32", large), {});
  EXPECT_NE(refused.code, 0);
  EXPECT_NE(refused.err.find("row 0, value 1 (byte 4): too large for f16"), std::string::npos)
      << refused.err;
  EXPECT_EQ(Plexus({"export", "--db", db}).out, lines);
  EXPECT_EQ(import(good, {"--element", "int8"}).code, 2);
  EXPECT_EQ(
      Plexus({"import", "--db", db, dir.File("e.csv", "source,target\na,b\n"), "--element", "f16"})
          .code,
      2);
  // Vectors of texts.
  const std::string texts = dir.File(
      "t.jsonl", "{\"node\":\"x\",\"text\":\"large dog\"}\n{\"node\":\"y\",\"text\":\"cat\"}\n");
  ASSERT_EQ(Plexus({"import", "--db", db, texts, "--terms"}).code, 0);
  ASSERT_EQ(Plexus({"embed", "--db", db, "--element", "f16"}).code, 0);
  EXPECT_EQ(element(1), "f16");
  const auto again = Plexus({"embed", "--db", db, "--json"}).Json();
  EXPECT_EQ(again.at("vectors").at("same").as_int64(), 2);
  EXPECT_NE(Plexus({"embed", "--db", db, "--element", "f32"}).code, 0);
  EXPECT_EQ(Plexus({"verify", "--db", db}).code, 0);
}

}  // namespace
}  // namespace plexus::testing
