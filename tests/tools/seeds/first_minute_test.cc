// The first minute: remember, correct, and questions in words of one's own.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "tests/tools/seeds/seed_graph.h"

namespace plexus::testing {
namespace {

using boost::json::array;
using boost::json::object;

class FirstMinute : public SeedGraph {
 protected:
  std::string First(const std::string& words) const {
    const object reply = Json({"recall", words});
    const array& hits = reply.at("hits").as_array();
    return hits.empty() ? "" : std::string(hits[0].at("key").as_string());
  }
};

TEST_F(FirstMinute, ATextIsEnough) {
  const object made =
      Json({"remember", "Deploys run every night from the Caf\u00e9 branch.", "--tags",
            "deploy,ops", "--source", "handbook", "--time", "2023-11-01"});
  EXPECT_EQ(made.at("key"), "deploys-run-every-night-from-the-cafe-branch");
  EXPECT_EQ(made.at("known").as_bool(), false);
  EXPECT_EQ(made.at("nodes").at("new"), 1);
  const std::string key(made.at("key").as_string());
  for (const char* words : {"deploy", "nightly deploys", "cafe", "branches"})
    EXPECT_EQ(First(words), key) << words;
  const object node = Json({"get", key});
  EXPECT_EQ(node.at("kind"), "memory");
  EXPECT_EQ(node.at("props").at("source"), "handbook");
  EXPECT_EQ(node.at("created_at"), 1'698'796'800'000);
  // The same again is known, and nothing moves.
  const object again = Json({"remember", "Deploys run every night from the Caf\u00e9 branch."});
  EXPECT_EQ(again.at("known").as_bool(), true);
  EXPECT_EQ(again.at("sequence"), made.at("sequence"));
  // Other words that begin alike have a key of their own.
  const object other = Json({"remember", "Deploys run every night from the caf\u00e9 branch!"});
  EXPECT_EQ(other.at("key").as_string(), key + "-2");
  EXPECT_EQ(Keys(other, "near_duplicates"), Words{key});
}

TEST_F(FirstMinute, ItSaysWhatItMayContradictAndRepeat) {
  Json(
      {"remember", "The gateway remembers keys for 24 hours.", "--key", "m1", "--tags", "gateway"});
  const object second = Json({"remember", "The gateway remembers keys for 48 hours, as m1 says.",
                              "--key", "m2", "--tags", "gateway"});
  ASSERT_EQ(Keys(second, "may_contradict"), Words{"m1"});
  EXPECT_EQ(second.at("may_contradict").at(0).at("why"), "numbers: 48 against 24");
  const object third = Json({"remember", "Payouts follow m1 since the audit.", "--key", "m3"});
  ASSERT_EQ(Keys(third, "suggested", "target"), Words{"m1"});
  EXPECT_EQ(third.at("suggested").at(0).at("kind"), "relates_to");
  EXPECT_TRUE(Keys(third, "may_contradict").empty());
}

TEST_F(FirstMinute, ACorrectionSupersedes) {
  Json({"remember", "Payouts run on Mondays.", "--key", "m1", "--tags", "payout"});
  const object reply =
      Json({"correct", "m1", "Payouts run on Fridays.", "--reason", "new contract"});
  EXPECT_EQ(reply.at("supersedes"), "m1");
  const std::string key(reply.at("key").as_string());
  EXPECT_EQ(First("payout"), key);
  EXPECT_EQ(Json({"get", key}).at("tags").as_array(), array({"payout"}));
  const Finished twice = Run({"correct", "m1", "Payouts run on Sundays."});
  EXPECT_EQ(twice.code, 1);
  EXPECT_TRUE(Says(twice.err, "superseded by '" + key + "'"));
  const object old = Json({"recall", "mondays", "--include-superseded"});
  EXPECT_EQ(old.at("hits").at(0).at("superseded_by").as_string(), key);
}

TEST_F(FirstMinute, WhatIsKnownStaysAsItIs) {
  Json({"put", "d1", "--kind", "decision", "--text", "Use RocksDB.", "--props",
        R"({"stakes":"high","source":"call"})"});
  const object again = Json(
      {"remember", "Use RocksDB.", "--key", "d1", "--tags", "storage", "--source", "handbook"});
  EXPECT_EQ(again.at("known").as_bool(), true);
  const object node = Json({"get", "d1"});
  EXPECT_EQ(node.at("kind"), "decision");
  EXPECT_EQ(node.at("props").at("stakes"), "high");
  EXPECT_EQ(node.at("props").at("source"), "handbook");
  Json({"remember", "Use RocksDB.", "--key", "d1", "--kind", "note"});
  EXPECT_EQ(Json({"get", "d1"}).at("kind"), "note");
}

TEST_F(FirstMinute, AFactThatTurnsBack) {
  const std::string monday = "Payouts run on Mondays.", friday = "Payouts run on Fridays.";
  const object first = Json({"remember", monday});
  const object second = Json({"correct", "payouts-run-on-mondays", friday});
  const Finished given = Run({"remember", monday, "--key", "payouts-run-on-mondays"});
  EXPECT_NE(given.code, 0);
  EXPECT_TRUE(Says(given.err, "--key"));
  const object third = Json({"correct", "payouts-run-on-fridays", monday});
  EXPECT_EQ(third.at("key"), "payouts-run-on-mondays-2");
  EXPECT_EQ(First("payouts"), "payouts-run-on-mondays-2");
  EXPECT_EQ(Json({"remember", monday}).at("known").as_bool(), true);
  const Finished said = Run({"correct", "payouts-run-on-mondays-2", monday});
  EXPECT_TRUE(Says(said.err, "--key"));
  // Of another time: the same again is known as well.
  const Words past = {"remember",   "Payouts paused.", "--valid-from",
                      "2023-01-01", "--valid-until",   "2023-02-01"};
  EXPECT_EQ(Json(past).at("known").as_bool(), false);
  EXPECT_EQ(Json(past).at("known").as_bool(), true);
  EXPECT_EQ(Json({"remember", "Payouts paused."}).at("known").as_bool(), false);
}

TEST_F(FirstMinute, EqualBeginningsHaveADigest) {
  const std::string begin = "The quarterly report on payouts of all merchants in ";
  Words keys;
  for (const char* city : {"Bonn", "Cork", "Oslo", "Rome"})
    keys.emplace_back(Json({"remember", begin + city}).at("key").as_string());
  EXPECT_EQ(keys[1], keys[0] + "-2");
  EXPECT_EQ(keys[2].size(), keys[0].size() + 9);
  EXPECT_NE(keys[2], keys[3]);
  EXPECT_EQ(Json({"remember", begin + "Rome"}).at("key").as_string(), keys[3]);
  EXPECT_EQ(Json({"remember", begin + "Rome"}).at("known").as_bool(), true);
}

TEST_F(FirstMinute, ASlipIsFoundBeforeTheWrite) {
  Json({"remember", "Alpha."});
  const auto before = Json({"stats"}).at("sequence");
  EXPECT_EQ(Run({"remember", "Beta.", "--node-columns", "a..b"}).code, 2);
  EXPECT_EQ(Json({"stats"}).at("sequence"), before);
}

TEST_F(FirstMinute, AFirstTextWithoutWords) {
  Json({"remember", "?!"});
  Json({"remember", "Deploys run every night."});
  EXPECT_EQ(First("deploys"), "deploys-run-every-night");
  EXPECT_EQ(Json({"terms", "--dry-run"}).at("changed"), 0);
}

TEST_F(FirstMinute, MoreSuggestionsThanAreListed) {
  Json({"remember", "Stripe pays out.", "--key", "m1"});
  Json({"remember", "Adyen collects.", "--key", "m2"});
  const object reply = Json({"remember", "Since the audit m1 and m2 differ.", "--top", "1"});
  EXPECT_EQ(reply.at("suggested").as_array().size(), 1u);
  EXPECT_EQ(reply.at("truncated").as_bool(), true);
}

TEST_F(FirstMinute, RelationsAndTimes) {
  Json({"remember", "Stripe pays out.", "--key", "m1"});
  Json({"remember", "Measured: Stripe pays daily.", "--key", "m2", "--relate", "supports=m1",
        "--relate", "caused_by=m1", "--valid-from", "2023-01-01", "--valid-until", "2023-02-01"});
  const object around = Json({"neighbors", "m1", "--direction", "both"});
  EXPECT_EQ(Keys(around, "neighbors", "kind"), (Words{"causes", "supports"}));
  EXPECT_EQ(First("measured"), "");  // no more valid
  EXPECT_EQ(Run({"remember", "x y", "--relate", "supports=nosuch"}).code, 3);
  EXPECT_EQ(Run({"remember", "x y", "--relate", "supports"}).code, 2);
  EXPECT_EQ(
      Run({"remember", "x y", "--valid-from", "2023-02-01", "--valid-until", "2023-01-01"}).code,
      2);
  const Finished taken = Run({"remember", "another text", "--key", "m1"});
  EXPECT_NE(taken.code, 0);
  EXPECT_TRUE(Says(taken.err, "correct"));
  const auto before = Json({"stats"}).at("sequence");
  const object dry = Json({"remember", "Adyen pays out.", "--dry-run"});
  EXPECT_EQ(dry.at("key"), "adyen-pays-out");
  EXPECT_EQ(Json({"stats"}).at("sequence"), before);
}

TEST_F(FirstMinute, VectorsOfEmbedComeWithTheText) {
  Json({"remember", "Payouts run on Mondays.", "--key", "m1"});
  Json({"remember", "The broker is RabbitMQ.", "--key", "m2"});
  ASSERT_EQ(Run({"embed"}).code, 0);
  const object made = Json({"remember", "Payouts run on Fridays.", "--key", "m3"});
  EXPECT_EQ(made.at("vectors"), 1);
  const object like = Json({"rerank", "--like", "m3", "--space", "text", "--k", "2"});
  EXPECT_EQ(like.at("results").at(0).at("key"), "m1");
}

// Twenty-five questions over thirty facts, in words that the facts do not always have.
struct Asked {
  int first = 0, third = 0, questions = 0;
};
Asked Measure(const std::string& db) {
  std::ifstream in(PLEXUS_FIRST_MINUTE);
  Asked asked;
  for (std::string line; std::getline(in, line);) {
    const object record = boost::json::parse(line).as_object();
    if (!record.contains("question")) continue;
    const Finished run =
        Plexus({"recall", "--db", db, "--json", std::string(record.at("question").as_string())});
    ++asked.questions;
    if (run.code != 0) continue;
    const object reply = run.Json();
    const array& hits = reply.at("hits").as_array();
    for (std::size_t i = 0; i < hits.size() && i < 3; ++i)
      if (hits[i].at("key") == record.at("evidence").at(0)) {
        asked.first += i == 0;
        ++asked.third;
      }
  }
  return asked;
}

TEST_F(FirstMinute, TheRightFactComesFirst) {
  std::ifstream in(PLEXUS_FIRST_MINUTE);
  std::string lines;
  for (std::string line; std::getline(in, line);) {
    const object record = boost::json::parse(line).as_object();
    if (const auto* key = record.if_contains("passage"))
      lines += R"({"node":")" + std::string(key->as_string()) + R"(","kind":"memory","text":")" +
               std::string(record.at("text").as_string()) + "\"}\n";
  }
  Import(lines);
  const Asked now = Measure(Db());
  ASSERT_EQ(now.questions, 25);
  ASSERT_EQ(Run({"terms", "--stem", "none", "--keys", "none"}).code, 0);
  const Asked words = Measure(Db());
  RecordProperty("first", now.first);
  RecordProperty("first_without_stems", words.first);
  EXPECT_GE(now.first, 23);
  EXPECT_GE(now.third, 24);
  EXPECT_GT(now.first, words.first + 3);
}

// The first text of a scope is found, too, where the graph has an index.
TEST_F(FirstMinute, ASessionOfAScope) {
  Json({"remember", "Alpha owns the ledger."});
  const Finished shell =
      Run({"shell", "--scope", "beta"},
          {.input = "remember \"Beta owns the brokers.\"\nrecall broker\nrecall ledger\n"});
  EXPECT_EQ(shell.code, 0) << shell.err;
  EXPECT_TRUE(Says(shell.out, "  Beta owns the brokers."));
  EXPECT_FALSE(Says(shell.out, "alpha"));
  EXPECT_EQ(First("brokers").rfind("beta-owns-the-brokers-", 0), 0u);
  // What another scope remembers is no matter, and not to be seen.
  const Finished same =
      Run({"shell", "--scope", "beta"}, {.input = "remember \"Alpha owns the ledger.\"\n"
                                                  "remember \"Alpha owns the ledger.\"\n"});
  EXPECT_EQ(same.code, 0) << same.err << same.out;
  EXPECT_TRUE(Says(same.out, "remembered as alpha-owns-the-ledger-"));
  EXPECT_TRUE(Says(same.out, "known as alpha-owns-the-ledger-"));
}

// An export's own terms come at its end, however small it is packed.
TEST_F(FirstMinute, APackedExportKeepsItsIndex) {
  std::string lines, text;
  while (text.size() < 900'000) text += "leopards running ";
  for (const char* key : {"a", "b", "c", "d", "e", "f"})
    lines += R"({"node":")" + std::string(key) + R"(","text":")" + text + "\"}\n";
  Json({"import", "--no-terms", "--format", "jsonl", "-"}, {.input = lines});
  Json({"terms", "--stem", "none"});
  const std::string file = dir_ / "e.jsonl";
  ASSERT_EQ(Run({"export", "--format", "jsonl", "--output", file}).code, 0);
  ASSERT_EQ(std::system(("gzip " + file).c_str()), 0);
  const std::string copy = dir_ / "copy";
  ASSERT_EQ(Plexus({"import", "--db", copy, file + ".gz"}).code, 0);
  const object dry = Plexus({"terms", "--db", copy, "--dry-run", "--json"}).Json();
  EXPECT_EQ(dry.at("changed"), 0);
}

TEST_F(FirstMinute, AnImportIndexesItsTexts) {
  const std::string line = "{\"node\":\"payment-gateway\",\"text\":\"It forwards cards.\"}\n";
  const object reply = Json({"import", "--format", "jsonl", "-"}, {.input = line});
  EXPECT_EQ(reply.at("terms").at("texts"), 1);
  EXPECT_EQ(First("gateways"), "payment-gateway");
  const TempDir other;
  const Finished plain =
      Plexus({"import", "--db", other / "g", "--no-terms", "--json", "--format", "jsonl", "-"},
             {.input = line});
  EXPECT_FALSE(plain.Json().contains("terms"));
  EXPECT_EQ(Plexus({"recall", "--db", other / "g", "gateways"}).code, 1);
  // A graph with texts and no index gets none by the way.
  const Finished more = Plexus({"import", "--db", other / "g", "--json", "--format", "jsonl", "-"},
                               {.input = "{\"node\":\"b\",\"text\":\"more\"}\n"});
  EXPECT_FALSE(more.Json().contains("terms"));
}

}  // namespace
}  // namespace plexus::testing
