// Times before now wherever a time is asked for, and times of replies in ISO 8601.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "tests/support/program/program_test.h"

namespace plexus::testing {
namespace {

namespace json = boost::json;

// Three batches, on the 20th, 24th and 26th.
class AskedTimes : public ProgramTest {
 protected:
  AskedTimes() {
    Do({"put", "old", "--text", "the plan of old", "--now", "2026-11-20T08:00:00Z"});
    Do({"put", "new", "--text", "the plan of now", "--set", "valid_from=2026-11-24", "--now",
        "2026-11-24T08:00:00Z"});
    Do({"link", "new", "supports", "old", "--valid-until", "2026-11-25", "--now",
        "2026-11-24T08:00:00Z"});
    Do({"ledger", "record", "--tool", "t", "--member", "old", "--now", "2026-11-24T09:00:00Z"});
    Do({"terms", "--now", "2026-11-26T08:00:00Z"});
  }
  void Do(const Words& words) const { EXPECT_TRUE(Ends(Run(words), 0)) << words[0]; }
  std::string Out(Words words) const {
    words.insert(words.end(), {"--now", "2026-11-26T12:00:00Z"});
    Json(words);
    words.emplace_back("--json");
    return Run(words).out;
  }
  // All of these spell the same question.
  void Same(const Words& words, const Words& times) const {
    Words first = words;
    first.push_back(times[0]);
    const std::string expected = Out(first);
    for (const std::string& time : times) {
      Words next = words;
      next.push_back(time);
      EXPECT_EQ(Out(next), expected) << words[0] << " " << time;
    }
  }
};

TEST_F(AskedTimes, EveryPlaceTakesEveryForm) {
  const Words yesterday = {"2026-11-25", "yesterday", "36h", "1.5d", "2160m"},
              week = {"2026-11-12T12:00:00Z", "2w", "14d"};
  for (const Words& question : {Words{"list", "--as-of"},
                                {"kinds", "--as-of"},
                                {"diff"},
                                {"log", "--since"},
                                {"recall", "plan", "--valid-at"},
                                {"bfs", "--from", "new", "--valid-at"},
                                {"ledger", "recent", "--since"},
                                {"ledger", "recent", "--until"},
                                {"neighborhood", "--from", "new", "--valid-at"}})
    Same(question, yesterday);
  Same({"ledger", "recent", "--since"}, week);
  Same({"recall", "plan", "--valid-at"}, week);
  for (const std::string& time : yesterday)
    EXPECT_EQ(Out({"list", "--where", "created_at < '" + time + "'"}),
              Out({"list", "--where", "created_at < '2026-11-25'"}))
        << time;
  Do({"put", "later", "--set", "valid_from=yesterday", "--now", "2026-11-26T12:00:00Z"});
  EXPECT_TRUE(
      Says(Out({"get", "later", "--times", "iso"}), R"("valid_from":"2026-11-25T00:00:00.000Z")"));
  const std::string plan =
      R"({"seeds":[{"by":"words"}],"filter":{"since":"3d"},"score":{"words":1}})";
  EXPECT_TRUE(Says(Out({"retrieve", "plan", "--plan", plan}), "\"new\""));
  EXPECT_FALSE(Says(Out({"retrieve", "plan", "--plan", plan}), "\"old\""));
}

TEST_F(AskedTimes, RecallOfWhatWasValidThen) {
  const auto keys = [&](const std::string& time) {
    std::string found;
    const json::value reply = json::parse(Out({"recall", "plan", "--valid-at", time}));
    for (const json::value& hit : reply.at("hits").as_array())
      found += std::string(hit.at("key").as_string()) + " ";
    return found;
  };
  EXPECT_EQ(keys("2026-11-23"), "old ");
  EXPECT_EQ(keys("now").size(), std::string("new old ").size());
  EXPECT_TRUE(Says(Out({"recall", "plan", "--valid-at", "2026-11-24"}), "new supports old"));
  EXPECT_FALSE(Says(Out({"recall", "plan", "--valid-at", "now"}), "new supports old"));
}

TEST_F(AskedTimes, AWrongTimeIsShownAsTypedWithAllForms) {
  for (const Words& words : {Words{"stats", "--as-of"},
                             {"bfs", "--from", "new", "--valid-at"},
                             {"ledger", "recent", "--since"},
                             {"log", "--since"},
                             {"recall", "plan", "--valid-at"}}) {
    Words wrong = words;
    wrong.emplace_back("tomorow");
    const Finished run = Run(wrong);
    EXPECT_EQ(run.code, 2) << words[0];
    for (const char* part : {"'tomorow'", "2026-11,", "2026-11-21,", "2026-11-21T22:05:00Z", "now",
                             "today", "yesterday", "7d", "12h", "2w", "1970"})
      EXPECT_TRUE(
          run.err.find(part) != std::string::npos ||
          (part == std::string("1970") && run.err.find("1700000000000ms") != std::string::npos))
          << words[0] << " " << part << ": " << run.err;
  }
  const Finished inverted = Run(
      {"link", "new", "causes", "old", "--valid-from", "2026-11-05", "--valid-until", "2026-11"});
  EXPECT_TRUE(Says(inverted.err, "--valid-from 2026-11-05 is not before --valid-until 2026-11:"));
  const Finished early = Run({"stats", "--as-of", "30d", "--now", "2026-11-26"});
  EXPECT_TRUE(Says(early.err, "'30d': 2026-10-27T00:00:00.000Z lies before the first record"));
  EXPECT_EQ(Run({"stats", "--now", "7d"}).code, 0);  // now itself is before the clock
}

TEST_F(AskedTimes, RepliesHaveTimesInIso) {
  for (const Words& words : {Words{"neighbors", "new"},
                             {"history", "old"},
                             {"log"},
                             {"list", "--columns", "key,created_at"},
                             {"ledger", "recent"}}) {
    const auto with = [&](Words more) {
      more.insert(more.begin(), words.begin(), words.end());
      return more;
    };
    EXPECT_TRUE(Says(Out(with({"--times", "iso"})), "\":\"2026-11-2")) << words[0];
    EXPECT_FALSE(Says(Out(words), "\":\"2026-11-2")) << words[0];
    EXPECT_TRUE(Says(Run(with({"--times", "iso", "--format", "csv"})).out, "2026-11-2"))
        << words[0];
    EXPECT_EQ(Run(with({"--times", "iso"})).out, Run(words).out);  // tables have them anyway
  }
  EXPECT_TRUE(
      Says(Out({"get", "new", "--times", "iso"}), "\"created_at\":\"2026-11-24T08:00:00.000Z"));
  for (const Words& words : {Words{"history", "new"},
                             {"list", "--columns", "key", "--node-columns", "created_at"},
                             {"pagerank", "--node-columns", "created_at"}})
    for (const char* format : {"json", "csv"}) {
      const Words iso = With(words, {"--times", "iso", "--format", format});
      const std::string out = Run(iso).out;
      EXPECT_TRUE(Says(out, "2026-11-24T08:00:00.000Z"));
      EXPECT_FALSE(Says(out, "1795507200000"));
    }
  EXPECT_TRUE(Says(Out({"stats", "--times", "iso"}), "\"time_ms\":\"2026-11-2"));
  EXPECT_EQ(Run({"stats", "--times", "utc"}).code, 2);
}

}  // namespace
}  // namespace plexus::testing
