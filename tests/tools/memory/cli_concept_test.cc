// concept upsert, affect, episode, relate, recall and what goes with them, as a user runs them.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/run_plexus.h"

namespace plexus::testing {
namespace {

using boost::json::object;
using Words = std::vector<std::string>;

constexpr std::int64_t kT = 1'700'000'000'000, kHour = 3'600'000;

class ConceptCommands : public ::testing::Test {
 protected:
  Finished Run(const std::string& action, Words words, std::int64_t now = kT) {
    words.insert(words.begin(), {"concept", action});
    words.insert(words.end(), {"--db", dir_ / "g", "--now", std::to_string(now)});
    return Plexus(words);
  }
  object Json(const std::string& action, Words words, std::int64_t now = kT) {
    words.push_back("--json");
    const Finished run = Run(action, std::move(words), now);
    EXPECT_EQ(run.code, 0) << run.err;
    return run.Json();
  }
  void Fill() {
    Json("upsert", {"apple"});
    Json("upsert", {"fruit"});
    Json("relate", {"apple", "is-a", "fruit"});
    Json("relate", {"apple", "part-of", "pie"});
    Json("relate", {"pie", "evokes", "grandma"});
    Json("episode", {"Baked with grandma", "apple", "pie", "--valence", "0.6"});
  }
  std::int64_t Sequence() {
    const Finished run = Plexus({"stats", "--db", dir_ / "g", "--json"});
    return run.Json().at("sequence").to_number<std::int64_t>();
  }

  struct Want {
    std::string text;
    double score, valence;
  };
  static void ExpectPropositions(const object& reply, const std::vector<Want>& want) {
    const auto& got = reply.at("propositions").as_array();
    ASSERT_EQ(got.size(), want.size()) << boost::json::value(reply);
    for (std::size_t i = 0; i < want.size(); ++i) {
      EXPECT_EQ(got[i].at("text").as_string(), want[i].text);
      EXPECT_NEAR(got[i].at("score").to_number<double>(), want[i].score, 1e-6) << want[i].text;
      EXPECT_NEAR(got[i].at("valence").to_number<double>(), want[i].valence, 1e-9) << want[i].text;
    }
  }
  static std::string Raised(const object& reply) {
    std::string text;
    for (const auto& one : reply.at("raised").as_array())
      text += std::string(one.at("key").as_string()) + " " +
              std::to_string(one.at("arousal_level").to_number<double>()).substr(0, 3) + ", ";
    return text;
  }

  const TempDir dir_;
};

const std::vector<std::string> kRecall = {"apple", "--hops", "2"};

TEST_F(ConceptCommands, C1RecallAsAQuestionAlone) {
  Fill();
  const std::int64_t before = Sequence();
  const object reply = Json("recall", {"apple", "--hops", "2", "--dry-run"}, kT + 6 * kHour);
  ExpectPropositions(reply, {{"apple evokes Baked with grandma", 0.389400, 0.6},
                             {"apple is-a fruit", 0.389400, 0},
                             {"apple part-of pie", 0.194700, 0},
                             {"pie evokes Baked with grandma", 0.097350, 0.6},
                             {"pie evokes grandma", 0.097350, 0}});
  EXPECT_EQ(Raised(reply), "fruit 1.0, pie 1.0, grandma 0.5, ");
  EXPECT_FALSE(reply.at("committed").as_bool());
  EXPECT_EQ(Sequence(), before);
}

TEST_F(ConceptCommands, C2RecallWarmsWhatItFinds) {
  Fill();
  const std::int64_t before = Sequence();
  EXPECT_EQ(Json("recall", kRecall, kT + 6 * kHour).at("sequence").to_number<std::int64_t>(),
            before + 1);
  const object second = Json("recall", kRecall, kT + 6 * kHour);
  ExpectPropositions(second, {{"apple is-a fruit", 1, 0},
                              {"apple part-of pie", 1, 0},
                              {"pie evokes Baked with grandma", 0.5, 0.6},
                              {"apple evokes Baked with grandma", 0.389400, 0.6},
                              {"pie evokes grandma", 0.25, 0}});
  EXPECT_EQ(Raised(second), "");
  EXPECT_TRUE(second.at("committed").as_bool());
  EXPECT_EQ(Sequence(), before + 1);  // one record; the second wrote none
  // The past is asked without being changed.
  const object past = Json("recall", {"apple", "--as-of", std::to_string(before)}, kT + 6 * kHour);
  EXPECT_NEAR(past.at("propositions").at(0).at("score").to_number<double>(), 0.389400, 1e-6);
  EXPECT_FALSE(past.at("committed").as_bool());
  EXPECT_EQ(Sequence(), before + 1);
}

TEST_F(ConceptCommands, C3Affect) {
  Json("upsert", {"apple"});
  const auto expect = [](const object& reply, double valence, double arousal, std::int64_t at) {
    EXPECT_NEAR(reply.at("valence").to_number<double>(), valence, 1e-9);
    EXPECT_NEAR(reply.at("arousal").to_number<double>(), arousal, 1e-9);
    EXPECT_EQ(reply.at("accessed_at").to_number<std::int64_t>(), at);
  };
  expect(Json("affect", {"apple", "0.8"}, kT + 6 * kHour), 0.8, 0.8, kT + 6 * kHour);
  expect(Json("affect", {"apple", "-0.3"}, kT + 7 * kHour), 0.5, 0.767351566, kT + 6 * kHour);
  expect(Json("affect", {"apple", "0.9"}, kT + 7 * kHour), 1, 0.9, kT + 7 * kHour);
  const object made = Json("affect", {"x", "1.5"});
  expect(made, 1, 1, kT);
  EXPECT_TRUE(made.at("clamped").as_bool());
  EXPECT_TRUE(made.at("created").as_bool());
  const std::int64_t before = Sequence();
  EXPECT_EQ(Run("affect", {"apple", "nan"}).code, 2);
  EXPECT_EQ(Run("affect", {"apple", "much"}).code, 2);
  EXPECT_EQ(Run("affect", {" ", "0.5"}).code, 2);
  EXPECT_EQ(Run("episode", {"It rained", "apple", "--valence", "nan"}).code, 2);
  EXPECT_EQ(Sequence(), before);
}

TEST_F(ConceptCommands, C4RefusalsAndNothing) {
  Fill();
  const std::int64_t before = Sequence();
  EXPECT_EQ(Run("relate", {"apple", "is-a", "apple"}).code, 2);
  const Finished likes = Run("relate", {"a", "likes", "b"});
  EXPECT_EQ(likes.code, 2);
  for (const char* kind : {"is-a", "part-of", "evokes"})
    EXPECT_NE(likes.err.find(kind), std::string::npos) << likes.err;
  const object again = Json("relate", {"apple", "is-a", "fruit"});
  EXPECT_FALSE(again.at("changed").as_bool());
  EXPECT_FALSE(again.at("created").as_bool());
  for (const Words& words : {Words{}, Words{""}, Words{"apple", "--hops", "0"}}) {
    const object reply = Json("recall", words);
    EXPECT_TRUE(reply.at("propositions").as_array().empty());
    EXPECT_TRUE(reply.at("raised").as_array().empty());
  }
  const object unknown = Json("recall", {"apple", "nobody", "--dry-run"});
  ASSERT_EQ(unknown.at("unknown").as_array().size(), 1u);
  EXPECT_EQ(unknown.at("unknown").at(0).as_string(), "nobody");
  EXPECT_EQ(Sequence(), before);
}

TEST_F(ConceptCommands, C5RecallAgainstAnEdge) {
  Fill();
  const object first = Json("recall", {"fruit", "--hops", "2"}, kT + 6 * kHour);
  ExpectPropositions(first, {{"apple evokes Baked with grandma", 0.194700, 0.6},
                             {"apple is-a fruit", 0.194700, 0},
                             {"apple part-of pie", 0.097350, 0}});
  EXPECT_EQ(Raised(first), "apple 0.5, fruit 0.5, pie 0.5, ");
  ExpectPropositions(Json("recall", {"fruit", "--hops", "2"}, kT + 6 * kHour),
                     {{"apple evokes Baked with grandma", 0.25, 0.6},
                      {"apple is-a fruit", 0.25, 0},
                      {"apple part-of pie", 0.25, 0}});
}

TEST_F(ConceptCommands, DryRunsWriteNothing) {
  Fill();
  const std::int64_t before = Sequence();
  EXPECT_TRUE(Json("upsert", {"pear", "--dry-run"}).at("created").as_bool());
  EXPECT_TRUE(Json("affect", {"apple", "0.9", "--dry-run"}).at("dry_run").as_bool());
  EXPECT_EQ(Json("episode", {"Again", "apple", "--dry-run"}).at("episode_id").as_string(),
            "20231114/apple-2");
  Json("relate", {"pear", "is-a", "fruit", "--dry-run"});
  Json("dampen", {"apple", "0.5", "--dry-run"});
  Json("activate", {"apple", "--dry-run"});
  EXPECT_EQ(Sequence(), before);
  EXPECT_EQ(Run("recall", {"apple", "--dry-run", "--commit"}).code, 2);
}

TEST_F(ConceptCommands, DecaysScopesAndSuperseded) {
  Fill();
  const object table =
      Json("recall", {"fruit", "--hops", "1", "--dry-run", "--decay", "is-a:in=1"});
  ExpectPropositions(table, {{"apple is-a fruit", 0.5, 0}});
  EXPECT_EQ(Run("recall", {"fruit", "--decay", "is-a=1"}).code, 2);
  EXPECT_EQ(Run("recall", {"fruit", "--decay", "is-a:in=2"}).code, 2);
  EXPECT_EQ(Run("recall", {"fruit", "--decay", "causes:in=1"}).code, 2);
  ASSERT_EQ(Plexus({"link", "tart", "supersedes", "pie", "--db", dir_ / "g"}).code, 0);
  EXPECT_EQ(Json("recall", {"apple", "--dry-run"}).at("propositions").as_array().size(), 2u);
  EXPECT_EQ(Json("recall", {"apple", "--dry-run", "--include-superseded"})
                .at("propositions")
                .as_array()
                .size(),
            5u);
}

TEST_F(ConceptCommands, DampenActivateSearch) {
  Fill();
  EXPECT_NEAR(Json("dampen", {"apple", "0.5"}).at("arousal").to_number<double>(), 0.25, 1e-9);
  EXPECT_EQ(Run("dampen", {"nobody", "0.5"}).code, 3);
  EXPECT_EQ(Raised(Json("activate", {"pie", "--prefix", "grand"}, kT + kHour)), "grandma 0.2, ");
  const object found = Json("search", {"--top", "2"});
  ASSERT_EQ(found.at("results").as_array().size(), 2u);
  EXPECT_EQ(found.at("results").at(0).at("key").as_string(), "fruit");
  EXPECT_EQ(Run("search", {"--like", "apple"}).code, 3);  // no vectors
}

// A fact beside an index node of the same shown name is what `link` refuses, too.
TEST_F(ConceptCommands, NamesOfIndexNodesAreNone) {
  Fill();
  ASSERT_EQ(Plexus({"link", "apple", "has_tag", "tag:x", "--db", dir_ / "g"}).code, 0);
  const std::int64_t before = Sequence();
  const Words refused[] = {{"upsert", "tag:x"},
                           {"affect", "tag:x", "0.5"},
                           {"episode", "It rained", "apple", "tag:x"},
                           {"relate", "tag:x", "is-a", "fruit"},
                           {"relate", "apple", "evokes", "tag:x"}};
  for (const Words& words : refused) {
    const Finished run = Run(words[0], Words(words.begin() + 1, words.end()));
    EXPECT_EQ(run.code, 2) << words[0];
    EXPECT_NE(run.err.find("'tag:x' is an index node of kind tag"), std::string::npos) << run.err;
  }
  EXPECT_EQ(Sequence(), before);
  Json("upsert", {"tag:other"});  // there is no such index node
  Json("affect", {"tag:other", "0.5"});
  // Once it is there, the concept of that key is meant as before.
  const Finished tagged = Plexus({"import", "--db", dir_ / "g", "--format", "jsonl", "-"},
                                 {.input = R"({"node":"apple","tags":["x","other"]})"
                                           "\n"});
  ASSERT_EQ(tagged.code, 0) << tagged.err;
  EXPECT_FALSE(Json("affect", {"tag:other", "0.2"}).at("created").as_bool());
}

TEST_F(ConceptCommands, OptionsThatNeedAnother) {
  Fill();
  const std::int64_t before = Sequence();
  const auto refused = [&](const std::string& action, const Words& words, const char* why) {
    const Finished run = Run(action, words);
    EXPECT_EQ(run.code, 2);
    EXPECT_NE(run.err.find(why), std::string::npos) << run.err;
  };
  refused("search", {"--cosine-share", "0.5"}, "--cosine-share needs --like");
  refused("search", {"--space", "v"}, "--space needs --like");
  refused("relate", {"apple", "is-a", "fruit", "--rate", "0.5"}, "--rate needs --reinforce");
  refused("relate", {"apple", "is-a", "pie", "--first-weight", "0.5"},
          "--first-weight needs --reinforce");
  EXPECT_EQ(Sequence(), before);
}

// A time outside of the years 0 to 9999 is refused, written or not.
TEST_F(ConceptCommands, DryRunsCheckTheTime) {
  Fill();
  const std::int64_t before = Sequence(), late = 300'000'000'000'000;
  for (const char* action : {"recall", "activate"}) {
    const Finished written = Run(action, {"apple"}, late);
    const Finished dry = Run(action, {"apple", "--dry-run"}, late);
    EXPECT_EQ(written.code, 2) << written.out;
    EXPECT_EQ(dry.code, 2) << dry.out;
    EXPECT_EQ(dry.err, written.err);
    EXPECT_EQ(Run(action, {"apple", "--as-of", std::to_string(before)}, late).code, 2);
  }
  EXPECT_EQ(Sequence(), before);
}

TEST_F(ConceptCommands, NothingToStartFromIsSaid) {
  Fill();
  const Finished run = Run("recall", {});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("no concept was given: CONCEPT says what to start from"),
            std::string::npos)
      << run.out;
}

TEST_F(ConceptCommands, EpisodesAreFoundByTheirWords) {
  Fill();
  ASSERT_EQ(Plexus({"terms", "--db", dir_ / "g"}).code, 0);
  Json("episode", {"The oracle restarted", "oracle"});
  const Finished found = Plexus({"search", "oracle", "--db", dir_ / "g", "--json"});
  EXPECT_NE(found.out.find("20231114/oracle"), std::string::npos) << found.out;
}

TEST_F(ConceptCommands, TablesForPeople) {
  Fill();
  const Finished table = Run("recall", {"apple", "nobody"});
  EXPECT_NE(table.out.find("apple evokes Baked with grandma"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("no concept 'nobody'"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("3 concepts raised"), std::string::npos) << table.out;
}

}  // namespace
}  // namespace plexus::testing
