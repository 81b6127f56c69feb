// embed through the program: durable, idempotent, useful to rerank, careful.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/program/program_test.h"

namespace plexus::testing {
namespace {

const std::string kDogLines =
    "{\"node\":\"m1\",\"kind\":\"memory\",\"text\":\"The large dog chased the cat.\"}\n"
    "{\"node\":\"m2\",\"kind\":\"memory\",\"text\":\"A large dog sleeps.\"}\n"
    "{\"node\":\"m3\",\"kind\":\"memory\",\"text\":\"Ships sail at dawn.\"}\n"
    "{\"node\":\"m4\",\"kind\":\"memory\"}\n"
    "{\"edge\":[\"m3\",\"m1\"],\"kind\":\"supports\"}\n";

int Number(const boost::json::value& value) { return value.to_number<int>(); }

class Embed : public ProgramTest {};

TEST_F(Embed, VectorsAreDurableAndTheSecondRunSaysTheSame) {
  ASSERT_EQ(Run({"import", "--no-terms", "--quiet", dir_.File("m.jsonl", kDogLines)}).code, 0);
  EXPECT_TRUE(Ends(Run({"embed"}), 1, "plexus terms"));
  ASSERT_EQ(Run({"terms"}).code, 0);

  const auto first = Json({"embed"});
  EXPECT_EQ(first.at("documents"), 3);
  EXPECT_EQ(first.at("dimensions"), 128);
  EXPECT_EQ(first.at("vectors").at("new"), 3);
  EXPECT_EQ(first.at("without"), 1);
  const auto before = Run({"export", "--format", "jsonl"}).out;
  EXPECT_TRUE(Says(before, "\"vector\":\"m1\""));
  const auto second = Json({"embed", "--threads", "1"});
  EXPECT_EQ(second.at("vectors").at("same"), 3);
  EXPECT_EQ(second.at("vectors").at("new"), 0);
  EXPECT_EQ(second.at("sequence"), first.at("sequence"));
  EXPECT_EQ(Run({"export", "--format", "jsonl"}).out, before);
  EXPECT_EQ(Run({"verify"}).code, 0);

  const auto like =
      Json({"rerank", "--space", "text", "--like", "m1", "--top", "1", "--graph-boost", "0"});
  EXPECT_EQ(Each(like.at("results")), "m2");
  const auto question = Run({"embed", "--query", "the dawn ship's SHIPS"});
  ASSERT_EQ(question.code, 0) << question.err;
  const auto near = Json({"rerank", "--vector", "-", "--top", "1"}, {.input = question.out});
  EXPECT_EQ(Each(near.at("results")), "m3");
}

// Vectors that a model made are not lost to a default name.
TEST_F(Embed, VectorsOfOthersAreLeftAsTheyAre) {
  ASSERT_EQ(
      Run({"import", "--quiet",
           dir_.File("m.jsonl",
                     kDogLines + "{\"vector\":\"m1\",\"space\":\"text\",\"values\":[1,0]}\n")})
          .code,
      0);
  const std::string before = Run({"export", "--format", "jsonl"}).out;
  EXPECT_TRUE(Ends(Run({"embed"}), 1, "space 'text' has vectors that embed did not make"));
  EXPECT_TRUE(Ends(Run({"embed", "--dry-run"}), 1, "--replace takes them away"));
  EXPECT_EQ(Run({"export", "--format", "jsonl"}).out, before);
  EXPECT_EQ(Json({"embed", "--replace"}).at("vectors").at("changed"), 1);
  EXPECT_EQ(Json({"embed"}).at("vectors").at("same"), 3);
  // Those of a run of some nodes are its own.
  EXPECT_EQ(Json({"embed", "--space", "some", "--where", "key = 'm1'"}).at("vectors").at("new"), 1);
  EXPECT_EQ(Json({"embed", "--space", "some", "--where", "key = 'm1'"}).at("vectors").at("same"),
            1);
  EXPECT_EQ(Json({"embed", "--space", "some"}).at("vectors").at("new"), 2);
}

// terms, search, find, embed, rerank: stopped at once they say so and end well; with time they do
// it all.
TEST_F(Embed, BudgetsOfTheCommandsAboutTexts) {
  ASSERT_EQ(Run({"import", "--quiet", dir_.File("m.jsonl", kDogLines)}).code, 0);
  const auto truncated = [&](Words command, const char* seconds) {
    command.insert(command.end(), {"--max-seconds", seconds});
    const Finished told = Run(command);
    EXPECT_EQ(told.code, 0) << command[0] << told.err;
    EXPECT_EQ(told.out.find("truncated: ") != std::string::npos, std::string_view(seconds) == "0")
        << told.out;
    command.push_back("--json");
    return Run(command).Json().at("truncated").as_bool();
  };
  for (const Words& command : std::vector<Words>{{"terms"},
                                                 {"find", "ship"},
                                                 {"search", "ships"},
                                                 {"embed"},
                                                 {"rerank", "--space", "text", "--like", "m1"}}) {
    SCOPED_TRACE(command[0]);
    EXPECT_TRUE(truncated(command, "0"));
    EXPECT_FALSE(truncated(command, "1000"));
  }
  EXPECT_EQ(Json({"embed"}).at("vectors").at("same"), 3);
  EXPECT_TRUE(Json({"embed", "--query", "ships", "--max-seconds", "0"}).at("truncated").as_bool());
  const Finished none = Run({"embed", "--query", "ships", "--max-seconds", "0"});
  EXPECT_NE(none.code, 0) << "no numbers for a pipe";
  EXPECT_TRUE(Says(none.err, "--max-seconds"));
  EXPECT_EQ(Run({"search", "ships", "--max-seconds", "-1"}).code, 2);
}

TEST_F(Embed, SpacesSeedsAndWrongUse) {
  ASSERT_EQ(Run({"import", "--quiet", "--terms", dir_.File("m.jsonl", kDogLines)}).code, 0);
  ASSERT_EQ(Run({"embed", "--space", "small", "--dimensions", "16", "--seed", "7"}).code, 0);
  const auto again = Json({"embed", "--space", "small", "--seed", "7"});
  EXPECT_EQ(again.at("dimensions"), 16);  // the space's own
  EXPECT_EQ(again.at("vectors").at("same"), 3);
  const auto other = Json({"embed", "--space", "small"});
  EXPECT_EQ(other.at("vectors").at("changed"), 3);
  const auto query = Json({"embed", "--space", "small", "--query", "dog unheard"});
  EXPECT_EQ(query.at("values").as_array().size(), 16u);
  EXPECT_EQ(query.at("known"), 1);

  EXPECT_EQ(Run({"embed", "--space", "small", "--dimensions", "8"}).code, 2);
  EXPECT_EQ(Run({"embed", "--dimensions", "0"}).code, 2);
  EXPECT_EQ(Run({"embed", "--query", "unheard"}).code, 3);
  EXPECT_EQ(Run({"embed", "--as-of", "1"}).code, 2);
  EXPECT_EQ(Plexus({"embed", "--db", dir_ / "none"}).code, 3);
  EXPECT_TRUE(Says(Plexus({"embed", "--help"}).out, "--seed"));
}

TEST_F(Embed, VectorsOlderThanTheirTextsAreReported) {
  ASSERT_EQ(Run({"import", "--quiet", "--terms", dir_.File("m.jsonl", kDogLines)}).code, 0);
  ASSERT_EQ(Run({"embed"}).code, 0);
  const Words ask = {"rerank", "--db", db_, "--space", "text", "--like", "m1", "--json"};
  const auto older = [&] {
    const Finished run = Plexus(ask);
    EXPECT_EQ(run.err.find("newer than its vector") != std::string::npos,
              Number(run.Json().at("older_than_text")) > 0)
        << run.err;
    return Number(run.Json().at("older_than_text"));
  };
  EXPECT_EQ(older(), 0);
  const auto sequence = [&] { return Number(Json({"stats"}).at("sequence")); };
  const int before = sequence();
  ASSERT_EQ(Run({"embed"}).code, 0);
  EXPECT_EQ(sequence(), before);
  const std::string changed =
      "{\"node\":\"m2\",\"text\":\"A small cat "
      "sleeps.\"}\n{\"node\":\"m9\",\"kind\":\"memory\",\"text\":\"New.\"}\n";
  ASSERT_EQ(Run({"import", "--quiet", dir_.File("n.jsonl", changed)}).code, 0);
  EXPECT_EQ(older(), 2);
  ASSERT_EQ(Run({"embed"}).code, 0);
  EXPECT_EQ(older(), 0);
}

TEST_F(Embed, VectorsOlderThanTheirPropertiesAreReported) {
  const std::string lines =
      "{\"node\":\"a\",\"text\":\"apples\"}\n"
      "{\"node\":\"b\",\"props\":{\"name\":\"big bear\"}}\n"
      "{\"node\":\"c\",\"props\":{\"other\":1}}\n";
  ASSERT_EQ(Run({"import", "--quiet", dir_.File("m.jsonl", lines)}).code, 0);
  ASSERT_EQ(Run({"terms", "--properties", "name"}).code, 0);
  ASSERT_EQ(Run({"embed"}).code, 0);
  const auto older = [&] {
    return Number(Json({"rerank", "--space", "text", "--like", "a"}).at("older_than_text"));
  };
  EXPECT_EQ(older(), 0);
  ASSERT_EQ(Run({"put", "b", "--props", "{\"name\":\"small bear\"}"}).code, 0);
  ASSERT_EQ(Run({"put", "c", "--props", "{\"other\":2}"}).code, 0);
  EXPECT_EQ(older(), 1);
  ASSERT_EQ(Run({"embed"}).code, 0);
  EXPECT_EQ(older(), 0);
}

TEST_F(Embed, VectorsOfAnyOriginAreComparedWithTheirTexts) {
  const std::string lines =
      "{\"node\":\"a\",\"text\":\"one\"}\n{\"node\":\"b\",\"text\":\"two\"}\n"
      "{\"vector\":\"a\",\"values\":[1,0]}\n{\"vector\":\"b\",\"values\":[0,1]}\n";
  ASSERT_EQ(Run({"import", "--quiet", dir_.File("m.jsonl", lines)}).code, 0);
  const auto ask = [&] { return Run({"rerank", "--vector", "[0,1]", "--json"}); };
  const auto put = [&](const std::string& key, const std::string& text) {
    EXPECT_EQ(Run({"put", key, "--text", text}).code, 0);
  };
  EXPECT_EQ(ask().Json().at("older_than_text"), 0);
  put("new", "without a vector");
  put("a", "one");  // says the same
  EXPECT_EQ(ask().Json().at("older_than_text"), 0);
  put("b", "changed");
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(ask().Json().at("older_than_text"), 1);
    EXPECT_TRUE(
        Says(ask().err, "1 fact has a text that is newer than its vector in space 'default'"));
    EXPECT_FALSE(Says(ask().err, "embed"));  // others made it
    ASSERT_EQ(Run({"checkpoint"}).code, 0);
  }
  const std::string vector = "{\"vector\":\"b\",\"values\":[0.5,1]}\n";
  ASSERT_EQ(Run({"import", "--quiet", dir_.File("v.jsonl", vector)}).code, 0);
  EXPECT_EQ(ask().Json().at("older_than_text"), 0);
}

}  // namespace
}  // namespace plexus::testing
