// concept upsert, affect, episode, relate, recall and what goes with them, as a user runs them.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/program/program_test.h"

namespace plexus::testing {
namespace {

using boost::json::object;

constexpr std::int64_t kT = 1'700'000'000'000, kHour = 3'600'000;

class ConceptCommands : public ProgramTest {
 protected:
  Finished Ask(const std::string& action, Words words, std::int64_t now = kT) const {
    words.insert(words.begin(), {"concept", action});
    words.insert(words.end(), {"--now", std::to_string(now)});
    return Run(std::move(words));
  }
  object Reply(const std::string& action, Words words, std::int64_t now = kT) const {
    words.insert(words.begin(), {"concept", action});
    words.insert(words.end(), {"--now", std::to_string(now)});
    return Json(std::move(words));
  }
  static void ExpectPropositions(const object& reply, const std::string& shown) {
    EXPECT_EQ(Each(reply.at("propositions"), "text score valence"), shown);
  }
  static std::string Raised(const object& reply) {
    return Each(reply.at("raised"), "key arousal_level");
  }
  void SetUp() override {
    Reply("upsert", {"apple"});
    Reply("upsert", {"fruit"});
    Reply("relate", {"apple", "is-a", "fruit"});
    Reply("relate", {"apple", "part-of", "pie"});
    Reply("relate", {"pie", "evokes", "grandma"});
    Reply("episode", {"Baked with grandma", "apple", "pie", "--valence", "0.6"});
  }
};

const Words kRecall = {"apple", "--hops", "2"};

TEST_F(ConceptCommands, C1RecallAsAQuestionAlone) {
  const std::int64_t before = Sequence();
  const object reply = Reply("recall", {"apple", "--hops", "2", "--dry-run"}, kT + 6 * kHour);
  ExpectPropositions(
      reply,
      "apple evokes Baked with grandma 0.3894 0.6, apple is-a fruit 0.3894 0, apple part-of pie "
      "0.1947 0, pie evokes Baked with grandma 0.09735 0.6, pie evokes grandma 0.09735 0");
  EXPECT_EQ(Raised(reply), "fruit 1, pie 1, grandma 0.5");
  EXPECT_FALSE(reply.at("committed").as_bool());
  EXPECT_EQ(Sequence(), before);
}

TEST_F(ConceptCommands, C2RecallWarmsWhatItFinds) {
  const std::int64_t before = Sequence();
  EXPECT_EQ(Reply("recall", kRecall, kT + 6 * kHour).at("sequence").to_number<std::int64_t>(),
            before + 1);
  const object second = Reply("recall", kRecall, kT + 6 * kHour);
  ExpectPropositions(
      second,
      "apple is-a fruit 1 0, apple part-of pie 1 0, pie evokes Baked with grandma 0.5 0.6, apple "
      "evokes Baked with grandma 0.3894 0.6, pie evokes grandma 0.25 0");
  EXPECT_EQ(Raised(second), "");
  EXPECT_TRUE(second.at("committed").as_bool());
  EXPECT_EQ(Sequence(), before + 1);  // one record; the second wrote none
  // The past is asked without being changed.
  const object past = Reply("recall", {"apple", "--as-of", std::to_string(before)}, kT + 6 * kHour);
  EXPECT_NEAR(past.at("propositions").at(0).at("score").to_number<double>(), 0.389400, 1e-6);
  EXPECT_FALSE(past.at("committed").as_bool());
  EXPECT_EQ(Sequence(), before + 1);
}

TEST_F(ConceptCommands, C3Affect) {
  const auto affected = [&](const char* concept_key, const char* by, std::int64_t now) {
    return Each(boost::json::array{Reply("affect", {concept_key, by}, now)},
                "valence arousal accessed_at");
  };
  EXPECT_EQ(affected("apple", "0.8", kT + 6 * kHour), "0.8 0.8 1700021600000");
  EXPECT_EQ(affected("apple", "-0.3", kT + 7 * kHour), "0.5 0.767352 1700021600000");
  EXPECT_EQ(Each(boost::json::array{Reply("affect", {"x", "1.5"})}, "valence clamped created"),
            "1 true true");
  ExpectRefused({{{"concept", "affect", "apple", "nan"}, 2, "nan"},
                 {{"concept", "affect", "apple", "much"}, 2, "much"},
                 {{"concept", "affect", " ", "0.5"}, 2, ""},
                 {{"concept", "episode", "It rained", "apple", "--valence", "nan"}, 2, "nan"}});
}

TEST_F(ConceptCommands, C4RefusalsAndNothing) {
  const std::int64_t before = Sequence();
  EXPECT_EQ(Ask("relate", {"apple", "is-a", "apple"}).code, 2);
  const Finished likes = Ask("relate", {"a", "likes", "b"});
  EXPECT_EQ(likes.code, 2);
  for (const char* kind : {"is-a", "part-of", "evokes"}) EXPECT_TRUE(Says(likes.err, kind));
  const object again = Reply("relate", {"apple", "is-a", "fruit"});
  EXPECT_FALSE(again.at("changed").as_bool());
  EXPECT_FALSE(again.at("created").as_bool());
  for (const Words& words : {Words{}, Words{""}, Words{"apple", "--hops", "0"}}) {
    const object reply = Reply("recall", words);
    EXPECT_TRUE(reply.at("propositions").as_array().empty());
    EXPECT_TRUE(reply.at("raised").as_array().empty());
  }
  const object unknown = Reply("recall", {"apple", "nobody", "--dry-run"});
  ASSERT_EQ(unknown.at("unknown").as_array().size(), 1u);
  EXPECT_EQ(unknown.at("unknown").at(0), "nobody");
  EXPECT_EQ(Sequence(), before);
}

TEST_F(ConceptCommands, DryRunsWriteNothing) {
  const std::int64_t before = Sequence();
  EXPECT_TRUE(Reply("upsert", {"pear", "--dry-run"}).at("created").as_bool());
  EXPECT_TRUE(Reply("affect", {"apple", "0.9", "--dry-run"}).at("dry_run").as_bool());
  EXPECT_EQ(Reply("episode", {"Again", "apple", "--dry-run"}).at("episode_id"), "20231114/apple-2");
  Reply("relate", {"pear", "is-a", "fruit", "--dry-run"});
  Reply("dampen", {"apple", "0.5", "--dry-run"});
  Reply("activate", {"apple", "--dry-run"});
  EXPECT_EQ(Sequence(), before);
  EXPECT_EQ(Ask("recall", {"apple", "--dry-run", "--commit"}).code, 2);
}

TEST_F(ConceptCommands, DecaysScopesAndSuperseded) {
  const object table =
      Reply("recall", {"fruit", "--hops", "1", "--dry-run", "--decay", "is-a:in=1"});
  ExpectPropositions(table, "apple is-a fruit 0.5 0");
  EXPECT_EQ(Ask("recall", {"fruit", "--decay", "is-a=1"}).code, 2);
  EXPECT_EQ(Ask("recall", {"fruit", "--decay", "is-a:in=2"}).code, 2);
  EXPECT_EQ(Ask("recall", {"fruit", "--decay", "causes:in=1"}).code, 2);
  ASSERT_EQ(Run({"link", "tart", "supersedes", "pie"}).code, 0);
  EXPECT_EQ(Reply("recall", {"apple", "--dry-run"}).at("propositions").as_array().size(), 2u);
  EXPECT_EQ(Reply("recall", {"apple", "--dry-run", "--include-superseded"})
                .at("propositions")
                .as_array()
                .size(),
            5u);
}

TEST_F(ConceptCommands, DampenActivateSearch) {
  EXPECT_NEAR(Reply("dampen", {"apple", "0.5"}).at("arousal").to_number<double>(), 0.25, 1e-9);
  EXPECT_EQ(Ask("dampen", {"nobody", "0.5"}).code, 3);
  EXPECT_TRUE(Raised(Reply("activate", {"pie", "--prefix", "grand"}, kT + kHour))
                  .starts_with("grandma 0.2"));
  const object found = Reply("search", {"--top", "2"});
  ASSERT_EQ(found.at("results").as_array().size(), 2u);
  EXPECT_EQ(found.at("results").at(0).at("key"), "fruit");
  EXPECT_EQ(Ask("search", {"--like", "apple"}).code, 3);  // no vectors
}

// A fact beside an index node of the same shown name is what `link` refuses, too.
TEST_F(ConceptCommands, NamesOfIndexNodesAreNone) {
  ASSERT_EQ(Run({"link", "apple", "has_tag", "tag:x"}).code, 0);
  const std::int64_t before = Sequence();
  const Words refused[] = {{"upsert", "tag:x"},
                           {"affect", "tag:x", "0.5"},
                           {"episode", "It rained", "apple", "tag:x"},
                           {"relate", "tag:x", "is-a", "fruit"},
                           {"relate", "apple", "evokes", "tag:x"}};
  for (const Words& words : refused) {
    EXPECT_TRUE(Ends(Ask(words[0], Words(words.begin() + 1, words.end())), 2,
                     "'tag:x' is an index node of kind tag"))
        << words[0];
  }
  EXPECT_EQ(Sequence(), before);
  Reply("upsert", {"tag:other"});  // there is no such index node
  Reply("affect", {"tag:other", "0.5"});
  // Once it is there, the concept of that key is meant as before.
  ASSERT_TRUE(Ends(
      Run({"import", "--format", "jsonl", "-"}, {.input = R"({"node":"apple","tags":["x","other"]})"
                                                          "\n"}),
      0));
  EXPECT_FALSE(Reply("affect", {"tag:other", "0.2"}).at("created").as_bool());
}

TEST_F(ConceptCommands, OptionsThatNeedAnother) {
  const std::int64_t before = Sequence();
  const auto refused = [&](const std::string& action, const Words& words, const char* why) {
    EXPECT_TRUE(Ends(Ask(action, words), 2, why));
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
  const std::int64_t before = Sequence(), late = 300'000'000'000'000;
  for (const char* action : {"recall", "activate"}) {
    const Finished written = Ask(action, {"apple"}, late);
    const Finished dry = Ask(action, {"apple", "--dry-run"}, late);
    EXPECT_EQ(written.code, 2) << written.out;
    EXPECT_EQ(dry.code, 2) << dry.out;
    EXPECT_EQ(dry.err, written.err);
    EXPECT_EQ(Ask(action, {"apple", "--as-of", std::to_string(before)}, late).code, 2);
  }
  EXPECT_EQ(Sequence(), before);
}

TEST_F(ConceptCommands, NothingToStartFromIsSaid) {
  const Finished run = Ask("recall", {});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(Says(run.out, "no concept was given: CONCEPT says what to start from"));
}

TEST_F(ConceptCommands, EpisodesAreFoundByTheirWords) {
  ASSERT_EQ(Run({"terms"}).code, 0);
  Reply("episode", {"The oracle restarted", "oracle"});
  const Finished found = Run({"search", "oracle", "--json"});
  EXPECT_TRUE(Says(found.out, "20231114/oracle"));
}

TEST_F(ConceptCommands, TablesForPeople) {
  const Finished table = Ask("recall", {"apple", "nobody"});
  EXPECT_TRUE(Says(table.out, "apple evokes Baked with grandma"));
  EXPECT_TRUE(Says(table.out, "no concept 'nobody'"));
  EXPECT_TRUE(Says(table.out, "3 concepts raised"));
}

}  // namespace
}  // namespace plexus::testing
