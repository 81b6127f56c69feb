// frontier as a user runs it: its reply, tags, masks, lenses, pages, the past.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/support/program/program_test.h"
#include "tests/tools/vault.h"

namespace plexus::testing {
namespace {

using boost::json::array;
using boost::json::object;

// "a b 0.5, c d 0.25" of the candidates, best first.
std::string Listed(const object& reply, const char* members) {
  std::string all = Each(reply.at("candidates"), members);
  std::erase_if(all, [](char c) { return c == '[' || c == ']' || c == '"'; });
  for (std::size_t i = 0; i + 1 < all.size(); ++i)
    if (all[i] == ',' && all[i + 1] != ' ') all[i] = ' ';
  return all;
}

// a, b share rare and all; a..d have all; a, c, d were in one event; old is superseded by a.
class FrontierCommand : public ProgramTest {
 protected:
  void SetUp() override {
    Import(R"({"node":"a","kind":"memory","text":"first","tags":["all","rare"]}
{"node":"b","kind":"memory","text":"second","tags":["all","rare"]}
{"node":"c","kind":"memory","tags":["all","lone"]}
{"node":"d","kind":"memory","tags":["all"]}
{"node":"old","kind":"memory","tags":["all","rare"]}
{"edge":["a","old"],"kind":"supersedes"}
{"edge":["c","b"],"kind":"supports"}
{"event":"e1","tool":"t","members":[{"id":"a","role":"primary"},{"id":"c","role":"supporting"},)"
           R"({"id":"d","role":"supporting"}]}
)",
           {"--now", "1700000000000"});
    Import(R"({"event":"e2","members":[{"id":"a","role":"x"},{"id":"b","role":"x"}]}
)",
           {"--now", "1700000001000"});
  }
};

// Which sets these are is promised by Frontier.EqualsBruteForceOnRandomGraphs; here is what
// selects.
TEST_F(FrontierCommand, OptionsSelectTheSets) {
  const std::pair<Words, const char*> all[] = {
      {{}, "b c, b d"},  // ab, ac, ad and cd were together
      {{"--mask", "linked"}, "b d"},
      {{"--top", "1"}, "b c"},
      {{"--as-of", "1"}, "a b, b c, b d"},
      {{"--as-of", "1700000000500"}, "a b, b c, b d"},
      {{"--arity", "3"}, "a b c, a b d, b c d"},  // acd is e1
      {{"--tags", "lone"}, "b c"},
      {{"--tags", "tag:lone,rare"}, "b c, b d"},
      {{"--tags", "lone,rare", "--match", "both"}, "b c"},
      {{"--include-superseded", "--top", "2"}, "a old, b old"},
      {{"--kinds", "mentions"}, ""},
      {{"--threads", "1"}, "b c, b d"}};
  for (const auto& [options, sets] : all) {
    const Words words = With({"frontier"}, options);
    EXPECT_EQ(Listed(Json(words), "ids"), sets) << Line(words);
    EXPECT_EQ(Run(words).err, "") << Line(words);
  }
}

TEST_F(FrontierCommand, ShowsWhatTheyShare) {
  const object reply = Json({"frontier", "--as-of", "1"});
  EXPECT_FALSE(reply.at("truncated").as_bool());
  const auto& first = reply.at("candidates").at(0);
  const double rare = 1 / std::log(4.0), all = 1 / std::log(6.0);  // df counts old as well
  EXPECT_NEAR(first.at("score").as_double(), rare + all, 1e-12);
  EXPECT_EQ(Each(first.at("shared"), "key weight"), "tag:rare 0.721348, tag:all 0.558111");
  const Finished table = Run({"frontier", "--as-of", "1", "--top", "1", "--names"});
  EXPECT_TRUE(Says(table.out, "first"));
  EXPECT_TRUE(Says(table.out, "share tag:rare 0.721, tag:all 0.558"));
  EXPECT_TRUE(Json({"frontier", "--max-compared", "0"}).at("truncated").as_bool());
}

TEST_F(FrontierCommand, TurnsAreOfNoSet) {
  Import(R"({"node":"t","kind":"turn","tags":["all","rare"]})");
  const auto ids = [&](const Words& more) {
    Words words = {"frontier", "--lens", "rare"};
    words.insert(words.end(), more.begin(), more.end());
    return Listed(Json(words), "ids");
  };
  EXPECT_FALSE(Says(ids({}), "t"));
  EXPECT_TRUE(Says(ids({"--node-kinds", "memory,turn"}), "t"));
}

class FrontierLenses : public ProgramTest {
 protected:
  FrontierLenses() { always_ = {"--now", "1700000100000"}; }
  void SetUp() override { Import(kVault, {"--terms", "--now", "1700000050000"}); }
  object Ask(Words words) const { return Json(With({"frontier", "--lens", "surface"}, words)); }
  std::string Scored(const Words& words) const { return Listed(Ask(words), "ids score"); }
};

// The lists are those of NeverComposed.SurfaceOfTheVault and TriplesOfTheVault.
TEST_F(FrontierLenses, SurfaceWithEveryKey) {
  const std::string all = "m1 m2 3.805, m3 m5 3.075, m4 m5 2.6625, m2 m3 2.5";
  EXPECT_EQ(Scored({}), all);
  EXPECT_EQ(Scored({"--terms", "ascii"}), all);
  EXPECT_EQ(Scored({"--tags", "project", "--match", "both"}), "m1 m2 3.805, m2 m3 2.5");
  EXPECT_EQ(Scored({"--include-superseded", "--top", "1"}), "m1 m6 4.3");
  EXPECT_EQ(Scored({"--arity", "3", "--level", "closed_wedge"}), "m1 m3 m4 1.241667");
  EXPECT_EQ(Ask({"--arity", "3", "--top", "100"}).at("candidates").at(2).at("level"), "open");
  const object reply = Ask({});
  const auto& first = reply.at("candidates").at(0);
  EXPECT_EQ(Each(array{first},
                 "bridgeScore noveltyScore trustScore outcomeScoreAdjustment outcomeSignal "
                 "firstNodeType secondNodeType"),
            "0.94 0.416667 0.7 -0.6 mixed_prior_outcomes memory decision");
  EXPECT_EQ(Each(array{first}, "sharedTags sharedTerms boundaryTags secondPreview"),
            R"(["project:vestige"] ["restarts","payouts","oracle"] )"
            R"(["oracle","pause","queue","settlement"] )"
            "Pause payouts until the oracle restarts cleanly.");
  EXPECT_EQ(first.at("compositionQuestion"),
            "What changes if a memory memory and a decision memory are composed through oracle, "
            "pause, queue, settlement?");
  EXPECT_TRUE(first.at("reason").as_string().starts_with("Untried bridge across"));
}

// The stem of a word of 5 characters may have 4; one of 3 ("fix") is not known from a short word.
TEST_F(FrontierCommand, SurfaceKnowsStemsOfFiveCharacters) {
  db_ = dir_ / "stems";
  std::string lines =
      R"({"node":"a","kind":"memory","text":"A cache, cold for hours, failing, also","tags":["x"]}
{"node":"b","kind":"memory","text":"Caches of the hour fail when fixed, also"}
{"node":"c","kind":"memory","text":"Only when it needs what they also need is it fixed"}
{"node":"d","kind":"memory","text":"Once more, only when also needed: what they fix"}
)";
  for (int i = 0; i < 30; ++i)
    lines += R"({"node":"n)" + std::to_string(i) + R"(","kind":"memory"})" + "\n";
  Import(lines);
  const auto shared = [&](const Words& words) {
    return Each(Json(With({"frontier", "--lens", "surface"}, words)).at("candidates"),
                "ids sharedTerms");
  };
  const std::string found = R"(["a","b"] ["cache","fail","hour"])";
  EXPECT_EQ(shared({}), found);
  EXPECT_EQ(shared({"--tags", "x"}), found);  // by who carries the tag
  EXPECT_EQ(shared({"--terms", "ascii"}), R"(["b","c"] ["fixed"])");
}

TEST_F(FrontierLenses, PagesGoOnUntilTheGraphChanges) {
  const std::string next(Ask({"--top", "2"}).at("next").as_string());
  EXPECT_EQ(Scored({"--top", "2", "--cursor", next}), "m4 m5 2.6625, m2 m3 2.5");
  // Without --now it goes on at the time of the first page.
  const Finished later = Plexus(
      {"frontier", "--db", Db(), "--lens", "surface", "--top", "2", "--cursor", next, "--json"});
  EXPECT_EQ(Listed(later.Json(), "ids"), "m4 m5, m2 m3");
  ExpectRefused(
      {{{"frontier", "--lens", "surface", "--top", "2", "--tags", "queue", "--cursor", next},
        2,
        ""}});
  Import(R"({"event":"c5","created_at":1700000050001,"members":[{"id":"m1"},{"id":"m2"}]}
)");
  EXPECT_EQ(Scored({}), "m3 m5 3.075, m4 m5 2.6625, m2 m3 2.375");
  ExpectRefused(
      {{{"frontier", "--lens", "surface", "--top", "2", "--cursor", next}, 2, "sequence"}});
}

TEST_F(FrontierLenses, LikelyOfThePastIsWhatItWas) {
  const Words ask = {"frontier", "--lens", "likely", "--top", "100"};
  const auto then = Json(ask).at("candidates");
  const std::string sequence = std::to_string(Json({"stats"}).at("sequence").to_number<int>());
  Import(R"({"event":"c9","created_at":1700000060000,"members":[{"id":"m1"},{"id":"m2"}]}
)");
  EXPECT_NE(Json(ask).at("candidates"), then);
  EXPECT_EQ(Json(With(ask, {"--as-of", sequence})).at("candidates"), then);
}

// Which sets these are is promised by the tests of LikelyLens; here is what the options do.
TEST_F(FrontierLenses, LikelySaysWithWhom) {
  const auto ask = [&](const Words& words) {
    return Json(With({"frontier", "--lens", "likely"}, words));
  };
  const object reply = ask({});
  // c3 has m1 and m4, c2 has m2 and m4.
  const auto& candidates = reply.at("candidates").as_array();
  const auto pair = std::find_if(candidates.begin(), candidates.end(), [](const auto& c) {
    return c.at("ids").as_array() == array{"m1", "m2"};
  });
  ASSERT_NE(pair, candidates.end());
  EXPECT_EQ(Each(array{*pair}, "partners level"), R"(["m4"] open)");
  double sum = 0;
  for (const auto& term : pair->at("terms").as_array())
    sum += term.at("value").to_number<double>() * term.at("weight").to_number<double>();
  EXPECT_NEAR(sum, pair->at("score").as_double(), 1e-9);
  EXPECT_NE(Listed(ask({"--half-life", "5"}), "score"), Listed(reply, "score"));
  EXPECT_NE(Listed(ask({"--outcome-weight", "3"}), "score"), Listed(reply, "score"));
  const object page = ask({"--top", "1"});
  EXPECT_EQ(
      Listed(ask({"--top", "1", "--cursor", std::string(page.at("next").as_string())}), "ids"),
      Listed(object{{"candidates", array{candidates.at(1)}}}, "ids"));
  EXPECT_EQ(Listed(ask({"--arity", "3", "--level", "closed_wedge"}), "ids"), "m1 m3 m4");
}

TEST_F(FrontierLenses, TheLedgerChoosesTheLens) {
  const auto lens = [&](const Words& words) {
    return std::string(Json(words).at("lens").as_string());
  };
  const auto events = [&](int first, int end) {
    std::string lines;
    for (int e = first; e < end; ++e)
      lines += R"({"event":"v)" + std::to_string(e) + R"(","created_at":)" +
               std::to_string(1700000060000 + e) + R"(,"members":[{"id":"m)" +
               std::to_string(1 + e % 5) + R"("},{"id":"m)" + std::to_string(1 + (e + 1) % 5) +
               "\"}]}\n";
    return lines;
  };
  Import(events(0, 45));  // beside the vault's four
  EXPECT_EQ(lens({"frontier"}), "rare");
  EXPECT_EQ(lens({"frontier", "--arity", "4"}), "surface");
  EXPECT_EQ(lens({"frontier", "--level", "open"}), "surface");
  EXPECT_EQ(lens({"frontier", "--half-life", "9"}), "likely");
  EXPECT_EQ(lens({"bounty"}), "surface");
  Import(events(45, 46));
  EXPECT_EQ(lens({"frontier"}), "likely");
  EXPECT_EQ(lens({"frontier", "--arity", "4"}), "likely");
  EXPECT_EQ(lens({"frontier", "--mask", "linked"}), "rare");
  EXPECT_EQ(lens({"frontier", "--kinds", "has_tag"}), "rare");
  EXPECT_EQ(lens({"frontier", "--lens", "bridge"}), "bridge");
  EXPECT_EQ(lens({"bounty"}), "likely");
  EXPECT_EQ(lens({"bounty", "--lens", "surface"}), "surface");
  EXPECT_EQ(Listed(Json({"frontier"}), "ids score"),
            Listed(Json({"frontier", "--lens", "likely", "--top", "100"}), "ids score"));
}

TEST_F(FrontierLenses, WrongUsage) {
  ExpectRefused({
      {{"frontier", "--lens", "rare", "--arity", "4"}, 2, "rare"},
      {{"frontier", "--mask", "linked", "--arity", "4"}, 2, "rare"},
      {{"frontier", "--top", "99999999"}, 2, "--top"},
      {{"frontier", "--mask", "none"}, 2, "none"},
      {{"frontier", "--kinds", "supports"}, 2, "supports"},
      {{"frontier", "--tags", "nothing"}, 3, "nothing"},
      {{"frontier", "--cursor", "x"}, 2, ""},
      {{"frontier", "--lens", "rare", "--level", "open"}, 2, "--level"},
      {{"frontier", "--kinds", "has_tag", "--level", "open"}, 2, "--level"},
      {{"frontier", "--lens", "surface", "--mask", "linked"}, 2, ""},
      {{"frontier", "--lens", "surface", "--cursor", "x"}, 2, ""},
      {{"frontier", "--lens", "surface", "--band", "nospace"}, 2, ""},
      {{"frontier", "--lens", "bridge", "--arity", "3"}, 2, ""},
      {{"frontier", "--lens", "rare", "--half-life", "3"}, 2, "--half-life"},
      {{"frontier", "--lens", "surface", "--half-life", "3"}, 2, "likely"},
      {{"frontier", "--lens", "likely", "--band", "nospace"}, 2, ""},
  });
  EXPECT_EQ(Run({"frontier", "--lens", "bridge"}).code, 0);
  EXPECT_EQ(Run({"frontier", "--lens", "divergent"}).code, 0);
}

}  // namespace
}  // namespace plexus::testing
