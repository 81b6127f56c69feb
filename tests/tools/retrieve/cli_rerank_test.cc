// rerank, and raw vector files through import: the shapes of replies, what is
// left out, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "tests/support/program/program_test.h"

namespace plexus::testing {
namespace {

using boost::json::array;
using boost::json::object;

// a is most like (1, 0); b hangs together with c and d; old is hidden by a; x has no vector; f is
// of another scope.
class Rerank : public ProgramTest {
 protected:
  void SetUp() override {
    Import(R"({"vector":"a","values":[1,0]}
{"vector":"b","values":[3,4]}
{"vector":"c","values":[0,1]}
{"vector":"d","values":[-1,0]}
{"vector":"old","values":[2,0]}
{"vector":"f","values":[1,1]}
{"node":"f","scope":"other"}
{"node":"x"}
{"edge":["a","old"],"kind":"supersedes"}
{"edge":["b","c"],"kind":"supports","weight":0.75}
{"edge":["d","b"],"kind":"causes","weight":0.25}
)");
  }
};

// The formula is the kernel's (Rerank.WorkedExample, EqualsItsDefinition...); the options are here.
TEST_F(Rerank, OptionsAndReply) {
  const std::string query = dir_.File("query.txt", "[1, 0]");
  const auto asked = [&](const Words& more) {
    const Words words = With({"rerank", "--vector", query}, more);
    return words;
  };
  ExpectReplies({
      {asked({}), "", "total metric", "5 cosine"},
      // degrees among a b c d f: 0 1 0.75 0.25 0
      {asked({"--graph-boost", "0.5", "--top", "2"}), "results", "key score similarity graph",
       "b 0.8 0.6 1, a 0.5 1 0"},
      {asked({"--graph-boost", "0"}), "results", "key", "a, f, b, c, d"},
      {asked({"--graph-boost", "0", "--k", "2"}), "results", "key", "a, f"},
      {asked({"--graph-boost", "1", "--kinds", "causes"}), "results", "key", "b, d, a, c, f"},
      {asked({"--graph-boost", "0", "--metric", "l2", "--top", "2"}), "results",
       "key measure similarity", "a 0 1, f 1 0.5"},
      {{"rerank", "--vector", "[1,0]", "--graph-boost", "0", "--unit-similarity", "--k", "5"},
       "results",
       "score",
       "1, 0.853553, 0.8, 0.5, 0"},
      // A node itself is left out, unless it is named.
      {{"rerank", "--like", "b", "--graph-boost", "0"}, "results", "key", "f, c, a, d"},
      {{"rerank", "--like", "a", "--graph-boost", "0", "--include-superseded", "--k", "1"},
       "results",
       "key",
       "old"},
      {{"rerank", "--like", "a", "--scope", "other"}, "results", "key", "f"},
  });
  EXPECT_EQ(
      Each(Json({"rerank", "--vector", "-", "--graph-boost", "0"}, {.input = "0,1"}).at("results")),
      "c, b, f, a, d");
  // The plan of that name scores as the command does; d points away from the question.
  const auto plan = Json({"retrieve", "--plan", "rerank", "--vector", "[1,0]", "--top", "5"});
  const auto command = Json({"rerank", "--vector", "[1,0]", "--k", "15", "--top", "5"});
  EXPECT_EQ(Each(command.at("results"), "key score"), Each(plan.at("hits"), "key score"));
  EXPECT_LT(command.at("results").at(4).at("score").to_number<double>(), -0.5);
}

TEST_F(Rerank, NamedCandidates) {
  const std::string file = dir_.File("candidates.txt", "c\r\nb\n\nx\nold\nb\n");
  const Words named = {"rerank", "--like", "b", "--candidates", file, "--graph-boost", "0"};
  ExpectReplies({{named, "results", "key", "b, c"}, {named, "", "without_vector left_out", "1 1"}});
  EXPECT_TRUE(Ends(Run(named), 0, "have no vector"));
  ExpectRefused({{{"rerank", "--like", "b", "--candidates", dir_.File("bad.txt", "a\nnobody\n")},
                  3,
                  "bad.txt:2: "}});
  EXPECT_EQ(Each(Json({"rerank", "--like", "b", "--candidates", "-"}).at("results")), "");
}

TEST_F(Rerank, RefusesWhatItCannotDo) {
  const std::string query = dir_.File("query.txt", "[1, 0]");
  ExpectRefused({
      {{"rerank"}, 2, "like what?"},
      {{"rerank", "--vector", query, "--like", "a"}, 2, ""},
      {{"rerank", "--like", "a", "--k", "3", "--candidates", query}, 2, "--candidates"},
      {{"rerank", "--like", "a", "--k", "0"}, 2, "--k"},
      {{"rerank", "--like", "a", "--graph-boost", "1.5"}, 2, ""},
      {{"rerank", "--like", "a", "--metric", "ip", "--unit-similarity"}, 2, ""},
      {{"rerank", "--like", "a", "--metric", "cos"}, 2, "cos"},
      {{"rerank", "--like", "a", "--space", "none"}, 3, "none"},
      {{"rerank", "--like", "x"}, 3, "x"},
      {{"rerank", "--like", "nobody"}, 3, "nobody"},
      {{"rerank", "--vector", dir_ / "missing"}, 3, "missing"},
  });
  for (const char* vector : {"1 2 3", "1 nan"})
    EXPECT_EQ(Run({"rerank", "--vector", "-"}, {.input = vector}).code, 2) << vector;
}

class ImportVectorFiles : public ProgramTest {};

TEST_F(ImportVectorFiles, KeysSpacesAndRefusals) {
  const float values[] = {1, 0, 0.5f, 0.5f};
  const std::string_view raw(reinterpret_cast<const char*>(values), sizeof values);
  const std::string file = dir_.File("v.f32", raw), keys = dir_.File("keys.txt", "one\ntwo\n");
  const Finished run = Run({"import", file, "--dimensions", "2", "--keys", keys, "--space", "words",
                            "--metric", "ip", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.Json().at("vectors"), 2);
  EXPECT_EQ(run.Json().at("nodes").at("new"), 2);
  const Finished asked = Run({"rerank", "--like", "one", "--json"});  // the only space
  ASSERT_EQ(asked.code, 0) << asked.err;
  EXPECT_EQ(asked.Json().at("metric"), "ip");
  EXPECT_EQ(asked.Json().at("results").at(0).at("key"), "two");
  // By row number, from standard input.
  ASSERT_TRUE(
      Ends(Plexus({"import", "--db", dir_ / "n", "-", "--format", "f32", "--dimensions", "4"},
                  {.input = std::string(raw)}),
           0));
  EXPECT_EQ(Plexus({"get", "--db", dir_ / "n", "0"}).code, 0);
  // A bad file changes nothing and ends with 1.
  const Finished before = Run({"export", "--format", "jsonl"});
  EXPECT_TRUE(
      Ends(Run({"import", "--format", "f32", "--dimensions", "3", "--space", "words", file}), 1,
           "no whole number of rows"));
  EXPECT_TRUE(Ends(Run({"import", "--dimensions", "4", "--space", "words", file}), 1,
                   "space 'words' has 2 dimensions"));
  EXPECT_EQ(Run({"export", "--format", "jsonl"}).out, before.out);
  EXPECT_EQ(Run({"import", file, file, "--format", "f32", "--dimensions", "2"}).code, 2);
  EXPECT_EQ(Run({"import", dir_.File("e.csv", "source,target\na,b\n"), "--keys", keys}).code, 2);
  EXPECT_EQ(Run({"import", file, "--dimensions", "2", "--keys", dir_ / "none"}).code, 3);
}

class Prefilters : public ProgramTest {};

// 600 vectors on a circle.
TEST_F(Prefilters, ChosenWhenASpaceIsMadeAndByAQuestion) {
  std::vector<float> values;
  for (int i = 0; i < 600; ++i) {
    values.push_back(std::cos(0.01f * static_cast<float>(i)));
    values.push_back(std::sin(0.01f * static_cast<float>(i)));
  }
  const std::string file = dir_.File(
      "v.f32", {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
  ASSERT_TRUE(
      Ends(Run({"import", file, "--dimensions", "2", "--space", "s", "--prefilter", "int8"}), 0));
  const auto space = [&] { return Json({"kinds"}).at("spaces").at(0).as_object(); };
  EXPECT_EQ(space().at("prefilter"), "int8");
  EXPECT_EQ(space().at("vectors"), 600);
  EXPECT_TRUE(Says(Run({"kinds"}).out, "int8"));
  const auto ask = [&](Words more) {
    const Words words = With({"rerank", "--db", db_, "--vector", dir_.File("q", "[1, 0]"), "--k",
                              "10", "--graph-boost", "0"},
                             more);
    return Plexus(words);
  };
  EXPECT_EQ(ask({"--json"}).out, ask({"--prefilter", "none", "--json"}).out);
  EXPECT_EQ(ask({"--prefilter", "f16"}).code, 2);
  const auto plan = [&](const char* prefilter) {
    return Run({"retrieve", "--vector", dir_.File("q", "[1, 0]"), "--plan",
                R"({"seeds":[{"by":"vector","top":10}],"score":{"similarity":1}})", "--prefilter",
                prefilter, "--json"});
  };
  EXPECT_EQ(plan("int8").Json().at("hits"), plan("none").Json().at("hits"));
  EXPECT_EQ(Run({"retrieve", "x", "--prefilter", "int8"}).code, 2);
  // Another choice for the space, and a choice without vectors, are refused.
  const Finished other = Plexus(
      {"import", "--db", db_, file, "--dimensions", "2", "--space", "s", "--prefilter", "none"});
  EXPECT_NE(other.code, 0);
  EXPECT_TRUE(Says(other.err, "space 's' has the pre-filter int8, not none"));
  EXPECT_EQ(space().at("prefilter"), "int8");
  EXPECT_EQ(Run({"import", dir_.File("e.csv", "source,target\na,b\n"), "--prefilter", "int8"}).code,
            2);
}

class Elements : public ProgramTest {};

// A space of halves: made by import and embed, shown by kinds, kept, and refused where it does not
// fit.
TEST_F(Elements, ChosenWhenASpaceIsMade) {
  const float values[] = {0.1f, 1, 2049, -3};
  const auto file = [&](const char* name, std::span<const float> floats) {
    return dir_.File(name, {reinterpret_cast<const char*>(floats.data()), floats.size_bytes()});
  };
  const std::string good = file("v.f32", values);
  const auto import = [&](const std::string& from, Words more) {
    const Words words = With({"import", "--db", db_, from, "--dimensions", "2"}, more);
    return Plexus(words);
  };
  ASSERT_EQ(import(good, {"--element", "f16"}).code, 0);
  const auto element = [&](std::size_t i) {
    const auto spaces = Json({"kinds"}).at("spaces");
    return std::string(spaces.at(i).at("element").as_string());
  };
  EXPECT_EQ(element(0), "f16");
  EXPECT_TRUE(Says(Run({"kinds"}).out, "f16"));
  const std::string lines = Run({"export"}).out;
  EXPECT_TRUE(Says(lines, "\"element\":\"f16\""));
  EXPECT_TRUE(Says(lines, "[2048,-3]"));
  const Finished asked = Run({"rerank", "--vector", dir_.File("q", "[2048, -3]"), "--k", "1",
                              "--graph-boost", "0", "--json"});
  EXPECT_TRUE(Says(asked.out, "\"similarity\":1"));
  // The same again is no change; another element and what does not fit are refused.
  EXPECT_EQ(import(good, {}).code, 0);
  const Finished other = import(good, {"--element", "f32"});
  EXPECT_NE(other.code, 0);
  EXPECT_TRUE(Says(other.err, "space 'default' has f16 values, not f32"));
  const float large[] = {1, 65520};
  const Finished refused = import(file("l.f32", large), {});
  EXPECT_NE(refused.code, 0);
  EXPECT_TRUE(Says(refused.err, "row 0, value 1 (byte 4): too large for f16"));
  EXPECT_EQ(Run({"export"}).out, lines);
  EXPECT_EQ(import(good, {"--element", "int8"}).code, 2);
  EXPECT_EQ(Run({"import", dir_.File("e.csv", "source,target\na,b\n"), "--element", "f16"}).code,
            2);
  // Vectors of texts.
  const std::string texts = dir_.File(
      "t.jsonl", "{\"node\":\"x\",\"text\":\"large dog\"}\n{\"node\":\"y\",\"text\":\"cat\"}\n");
  ASSERT_EQ(Run({"import", texts, "--terms"}).code, 0);
  ASSERT_EQ(Run({"embed", "--element", "f16"}).code, 0);
  EXPECT_EQ(element(1), "f16");
  const auto again = Json({"embed"});
  EXPECT_EQ(again.at("vectors").at("same"), 2);
  EXPECT_NE(Run({"embed", "--element", "f32"}).code, 0);
  EXPECT_EQ(Run({"verify"}).code, 0);
}

}  // namespace
}  // namespace plexus::testing
