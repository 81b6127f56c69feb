// embed through the program: durable, idempotent, useful to rerank, careful.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/run_plexus.h"

namespace plexus::testing {
namespace {

const std::string kLines =
    "{\"node\":\"m1\",\"kind\":\"memory\",\"text\":\"The large dog chased the cat.\"}\n"
    "{\"node\":\"m2\",\"kind\":\"memory\",\"text\":\"A large dog sleeps.\"}\n"
    "{\"node\":\"m3\",\"kind\":\"memory\",\"text\":\"Ships sail at dawn.\"}\n"
    "{\"node\":\"m4\",\"kind\":\"memory\"}\n"
    "{\"edge\":[\"m3\",\"m1\"],\"kind\":\"supports\"}\n";

int Number(const boost::json::value& value) { return value.to_number<int>(); }

std::string Keys(const boost::json::object& reply) {
  std::string keys;
  for (const auto& result : reply.at("results").as_array())
    keys += std::string(result.at("key").as_string()) + " ";
  return keys;
}

TEST(Embed, VectorsAreDurableAndTheSecondRunSaysTheSame) {
  const TempDir dir;
  const std::string db = dir / "g";
  ASSERT_EQ(
      Plexus({"import", "--db", db, "--no-terms", "--quiet", dir.File("m.jsonl", kLines)}).code, 0);
  const Finished early = Plexus({"embed", "--db", db});
  EXPECT_EQ(early.code, 1);
  EXPECT_NE(early.err.find("plexus terms"), std::string::npos) << early.err;
  ASSERT_EQ(Plexus({"terms", "--db", db}).code, 0);

  const auto first = Plexus({"embed", "--db", db, "--json"}).Json();
  EXPECT_EQ(Number(first.at("documents")), 3);
  EXPECT_EQ(Number(first.at("dimensions")), 128);
  EXPECT_EQ(Number(first.at("vectors").at("new")), 3);
  EXPECT_EQ(Number(first.at("without")), 1);
  const auto before = Plexus({"export", "--db", db, "--format", "jsonl"}).out;
  EXPECT_NE(before.find("\"vector\":\"m1\""), std::string::npos);
  const auto second = Plexus({"embed", "--db", db, "--json", "--threads", "1"}).Json();
  EXPECT_EQ(Number(second.at("vectors").at("same")), 3);
  EXPECT_EQ(Number(second.at("vectors").at("new")), 0);
  EXPECT_EQ(second.at("sequence"), first.at("sequence"));
  EXPECT_EQ(Plexus({"export", "--db", db, "--format", "jsonl"}).out, before);
  EXPECT_EQ(Plexus({"verify", "--db", db}).code, 0);

  EXPECT_EQ(Keys(Plexus({"rerank", "--db", db, "--json", "--space", "text", "--like", "m1", "--top",
                         "1", "--graph-boost", "0"})
                     .Json()),
            "m2 ");
  const auto question = Plexus({"embed", "--db", db, "--query", "the dawn ship's SHIPS"});
  ASSERT_EQ(question.code, 0) << question.err;
  EXPECT_EQ(Keys(Plexus({"rerank", "--db", db, "--json", "--vector", "-", "--top", "1"},
                        {.input = question.out})
                     .Json()),
            "m3 ");
}

// terms, search, find, embed, rerank: stopped at once they say so and end well; with time they do
// it all.
TEST(Embed, BudgetsOfTheCommandsAboutTexts) {
  const TempDir dir;
  const std::string db = dir / "g";
  ASSERT_EQ(Plexus({"import", "--db", db, "--quiet", dir.File("m.jsonl", kLines)}).code, 0);
  const auto truncated = [&](std::vector<std::string> command, const char* seconds) {
    command.insert(command.end(), {"--db", db, "--max-seconds", seconds});
    const Finished told = Plexus(command);
    EXPECT_EQ(told.code, 0) << command[0] << told.err;
    EXPECT_EQ(told.out.find("truncated: ") != std::string::npos, std::string_view(seconds) == "0")
        << told.out;
    command.push_back("--json");
    return Plexus(command).Json().at("truncated").as_bool();
  };
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"terms"},
                                             {"find", "ship"},
                                             {"search", "ships"},
                                             {"embed"},
                                             {"rerank", "--space", "text", "--like", "m1"}}) {
    SCOPED_TRACE(command[0]);
    EXPECT_TRUE(truncated(command, "0"));
    EXPECT_FALSE(truncated(command, "1000"));
  }
  EXPECT_EQ(Number(Plexus({"embed", "--db", db, "--json"}).Json().at("vectors").at("same")), 3);
  EXPECT_TRUE(Plexus({"embed", "--db", db, "--query", "ships", "--max-seconds", "0", "--json"})
                  .Json()
                  .at("truncated")
                  .as_bool());
  const Finished none = Plexus({"embed", "--db", db, "--query", "ships", "--max-seconds", "0"});
  EXPECT_NE(none.code, 0) << "no numbers for a pipe";
  EXPECT_NE(none.err.find("--max-seconds"), std::string::npos) << none.err;
  EXPECT_EQ(Plexus({"search", "--db", db, "ships", "--max-seconds", "-1"}).code, 2);
}

TEST(Embed, SpacesSeedsAndWrongUse) {
  const TempDir dir;
  const std::string db = dir / "g";
  ASSERT_EQ(Plexus({"import", "--db", db, "--quiet", "--terms", dir.File("m.jsonl", kLines)}).code,
            0);
  ASSERT_EQ(
      Plexus({"embed", "--db", db, "--space", "small", "--dimensions", "16", "--seed", "7"}).code,
      0);
  const auto again =
      Plexus({"embed", "--db", db, "--space", "small", "--seed", "7", "--json"}).Json();
  EXPECT_EQ(Number(again.at("dimensions")), 16);  // the space's own
  EXPECT_EQ(Number(again.at("vectors").at("same")), 3);
  const auto other = Plexus({"embed", "--db", db, "--space", "small", "--json"}).Json();
  EXPECT_EQ(Number(other.at("vectors").at("changed")), 3);
  const auto query =
      Plexus({"embed", "--db", db, "--space", "small", "--query", "dog unheard", "--json"}).Json();
  EXPECT_EQ(query.at("values").as_array().size(), 16u);
  EXPECT_EQ(Number(query.at("known")), 1);

  EXPECT_EQ(Plexus({"embed", "--db", db, "--space", "small", "--dimensions", "8"}).code, 2);
  EXPECT_EQ(Plexus({"embed", "--db", db, "--dimensions", "0"}).code, 2);
  EXPECT_EQ(Plexus({"embed", "--db", db, "--query", "unheard"}).code, 3);
  EXPECT_EQ(Plexus({"embed", "--db", db, "--as-of", "1"}).code, 2);
  EXPECT_EQ(Plexus({"embed", "--db", dir / "none"}).code, 3);
  EXPECT_NE(Plexus({"embed", "--help"}).out.find("--seed"), std::string::npos);
}

TEST(Embed, VectorsOlderThanTheirTextsAreReported) {
  const TempDir dir;
  const std::string db = dir / "g";
  ASSERT_EQ(Plexus({"import", "--db", db, "--quiet", "--terms", dir.File("m.jsonl", kLines)}).code,
            0);
  ASSERT_EQ(Plexus({"embed", "--db", db}).code, 0);
  const std::vector<std::string> ask = {"rerank", "--db",   db,   "--space",
                                        "text",   "--like", "m1", "--json"};
  const auto older = [&] {
    const Finished run = Plexus(ask);
    EXPECT_EQ(run.err.find("newer than its vector") != std::string::npos,
              Number(run.Json().at("older_than_text")) > 0)
        << run.err;
    return Number(run.Json().at("older_than_text"));
  };
  EXPECT_EQ(older(), 0);
  const auto sequence = [&] {
    return Number(Plexus({"stats", "--db", db, "--json"}).Json().at("sequence"));
  };
  const int before = sequence();
  ASSERT_EQ(Plexus({"embed", "--db", db}).code, 0);
  EXPECT_EQ(sequence(), before);
  const std::string changed =
      "{\"node\":\"m2\",\"text\":\"A small cat "
      "sleeps.\"}\n{\"node\":\"m9\",\"kind\":\"memory\",\"text\":\"New.\"}\n";
  ASSERT_EQ(Plexus({"import", "--db", db, "--quiet", dir.File("n.jsonl", changed)}).code, 0);
  EXPECT_EQ(older(), 2);
  ASSERT_EQ(Plexus({"embed", "--db", db}).code, 0);
  EXPECT_EQ(older(), 0);
}

TEST(Embed, VectorsOlderThanTheirPropertiesAreReported) {
  const TempDir dir;
  const std::string db = dir / "g";
  const std::string lines =
      "{\"node\":\"a\",\"text\":\"apples\"}\n"
      "{\"node\":\"b\",\"props\":{\"name\":\"big bear\"}}\n"
      "{\"node\":\"c\",\"props\":{\"other\":1}}\n";
  ASSERT_EQ(Plexus({"import", "--db", db, "--quiet", dir.File("m.jsonl", lines)}).code, 0);
  ASSERT_EQ(Plexus({"terms", "--db", db, "--properties", "name"}).code, 0);
  ASSERT_EQ(Plexus({"embed", "--db", db}).code, 0);
  const auto older = [&] {
    return Number(Plexus({"rerank", "--db", db, "--space", "text", "--like", "a", "--json"})
                      .Json()
                      .at("older_than_text"));
  };
  EXPECT_EQ(older(), 0);
  ASSERT_EQ(Plexus({"put", "--db", db, "b", "--props", "{\"name\":\"small bear\"}"}).code, 0);
  ASSERT_EQ(Plexus({"put", "--db", db, "c", "--props", "{\"other\":2}"}).code, 0);
  EXPECT_EQ(older(), 1);
  ASSERT_EQ(Plexus({"embed", "--db", db}).code, 0);
  EXPECT_EQ(older(), 0);
}

TEST(Embed, VectorsOfAnyOriginAreComparedWithTheirTexts) {
  const TempDir dir;
  const std::string db = dir / "g";
  const std::string lines =
      "{\"node\":\"a\",\"text\":\"one\"}\n{\"node\":\"b\",\"text\":\"two\"}\n"
      "{\"vector\":\"a\",\"values\":[1,0]}\n{\"vector\":\"b\",\"values\":[0,1]}\n";
  ASSERT_EQ(Plexus({"import", "--db", db, "--quiet", dir.File("m.jsonl", lines)}).code, 0);
  const auto ask = [&] { return Plexus({"rerank", "--db", db, "--vector", "[0,1]", "--json"}); };
  const auto put = [&](const std::string& key, const std::string& text) {
    EXPECT_EQ(Plexus({"put", "--db", db, key, "--text", text}).code, 0);
  };
  EXPECT_EQ(Number(ask().Json().at("older_than_text")), 0);
  put("new", "without a vector");
  put("a", "one");  // says the same
  EXPECT_EQ(Number(ask().Json().at("older_than_text")), 0);
  put("b", "changed");
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(Number(ask().Json().at("older_than_text")), 1);
    EXPECT_NE(ask().err.find("1 fact has a text that is newer than its vector in space 'default'"),
              std::string::npos)
        << ask().err;
    EXPECT_EQ(ask().err.find("embed"), std::string::npos);  // others made it
    ASSERT_EQ(Plexus({"checkpoint", "--db", db}).code, 0);
  }
  const std::string vector = "{\"vector\":\"b\",\"values\":[0.5,1]}\n";
  ASSERT_EQ(Plexus({"import", "--db", db, "--quiet", dir.File("v.jsonl", vector)}).code, 0);
  EXPECT_EQ(Number(ask().Json().at("older_than_text")), 0);
}

}  // namespace
}  // namespace plexus::testing
